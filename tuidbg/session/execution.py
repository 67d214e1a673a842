"""Running the program: continue, step, pause, run to a line.

A key held down steps as fast as the adapter does and no further: commands that come while a step
is under way wait for it, and those that have waited too long are dropped, so that on a slow line
the program does not go on stepping after the key was let go.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tuidbg.adapters.errors import AdapterError, AdapterGone
from tuidbg.session.core import Core
from tuidbg.session.errors import DebuggerError, InvalidSessionState, PostMortem, failure
from tuidbg.session.events import PauseRequested
from tuidbg.session.run.resuming import OPERATIONS, RUNS, ask_adapter
from tuidbg.session.run.resuming import Resume as Resume
from tuidbg.session.sources.unreachable_lines import Passes, why_passed
from tuidbg.session.state import Status, StopReason

if TYPE_CHECKING:
    from tuidbg.session.evaluation.implicit_resume import ImplicitResume
    from tuidbg.session.state import Stop
    from tuidbg.session.stepping import Granularity

TYPE_AHEAD = 0.25
"""Seconds after which a command that waits for a step is dropped."""

_ANYWAY = 0.3
"""Seconds within which a stop is told that came before a pause."""

_ANY_THREAD = 1
"""debugpy pauses all threads whatever the id; it is a thread's id all the same."""


class _Command(NamedTuple):
    """One that waits for a stop, and since when."""

    asked: float
    how: Resume
    origin: str
    granularity: Granularity | None


class _Prepares(Protocol):
    """Prepares steps that the adapter's own would not do well."""

    def needs_preparation(self, how: Resume, thread_id: int) -> bool:
        """Tell whether something is to be done before the program goes on like that."""

    async def prepare(self, how: Resume, thread_id: int) -> Resume:
        """Do it, and tell how the adapter is to go on."""

    def choose_threads(self, how: Resume, *, alone: bool) -> None:
        """Say whether one thread alone goes on."""

    def arguments_of(self, how: Resume, granularity: Granularity | None) -> dict[str, object]:
        """Give what the request says beside its thread."""


class _Judges(Protocol):
    """Judges whether the program stops where it has come to."""

    @property
    def is_passing(self) -> bool:
        """True while the program stands at a stop that is judged just now."""


class _Records(Protocol):
    """Records a call."""

    @property
    def is_at_stop(self) -> bool:
        """True while the program stands, and nobody was told."""

    @property
    def is_stepping(self) -> bool:
        """True while it steps through the call."""

    def call_off(self) -> None:
        """Record no further."""


class _Marks(Protocol):
    """Sets the breakpoint of a run to a line."""

    async def set_temporary(self, path: str, line: int) -> str:
        """Set it; what is told is why it can't be."""

    async def clear_temporary(self) -> None:
        """Take it away."""


class Executed(Core, Passes, Protocol):
    """A session whose program is made to run or stand still."""

    @property
    def implicit_resume(self) -> ImplicitResume:
        """Tells when the adapter lets threads run by itself."""

    @property
    def stepping(self) -> _Prepares:
        """Prepares steps."""

    @property
    def hits(self) -> _Judges:
        """Judges stops."""

    @property
    def recorder(self) -> _Records | None:
        """Records a call just now; mostly nothing does."""

    @property
    def breakpoints(self) -> _Marks:
        """Sets the breakpoint of a run to a line."""

    def note_resumed(self, *, stepping: bool, origin: str, how: str = "") -> None:
        """The program runs."""

    def show_stop(self, stop: Stop) -> None:
        """Tell that the program stands there."""


class Execution:
    """The commands that make a session's program run or stand still."""

    def __init__(self, session: Executed) -> None:
        self._session = session
        self._awaited: StopReason | None = None
        self._resumed_at = 0.0
        self._waiting: deque[_Command] = deque()
        self._unanswered = False
        self._echo_due = False
        self._is_preparing = False
        self.is_pausing = False
        """Tells whether a pause was asked for that has not come yet."""
        self._pause_of: int | None = None
        self.resumed_thread: int | None = None
        """The thread that was asked to go on last."""

    async def resume(
        self,
        how: Resume,
        *,
        thread_id: int | None = None,
        origin: str,
        target_id: int | None = None,
        queued: bool = True,
        granularity: Granularity | None = None,
        alone: bool = False,
    ) -> None:
        """Let the program go on; returns when the adapter has agreed, not at the next stop.

        ``target_id`` is the call to step into (``Stepping.step_targets``). ``queued``: during a
        step it waits for its end, as a key does that is held down, instead of being refused.
        ``granularity`` is how far this step goes; None: as far as ``Stepping.granularity`` says.
        ``alone``: other threads stand still meanwhile, where that is possible.

        Raises InvalidSessionState, AdapterFailed.
        """
        session = self._session
        if session.is_post_mortem:
            raise PostMortem(OPERATIONS[how])
        if session.status is Status.PAUSED:
            await session.implicit_resume.over()
        is_busy = self._is_preparing or session.status is Status.RUNNING
        if queued and is_busy and (self._is_preparing or self._is_under_way(how)):
            self._waiting.append(_Command(time.monotonic(), how, origin, granularity))
            return
        if self._is_preparing or session.status is not Status.PAUSED or session.stop is None:
            status = Status.RUNNING if self._is_preparing else session.status
            raise InvalidSessionState(OPERATIONS[how], status)
        thread = thread_id if thread_id is not None else session.stop.thread_id
        is_step = how not in RUNS
        session.stepping.choose_threads(how, alone=alone)
        asked = await self._prepare(how, thread)
        if session.status is not Status.PAUSED or session.stop is None:
            raise InvalidSessionState(OPERATIONS[how], session.status)
        self._awaited = StopReason.STEP if is_step else StopReason.BREAKPOINT
        self._resumed_at = time.monotonic()
        stop = session.stop
        self.resumed_thread = thread
        session.note_resumed(stepping=is_step, origin=origin, how=OPERATIONS[how])
        self._unanswered, self._echo_due = True, False
        try:
            arguments = self._arguments(asked, thread, target_id, granularity)
            await ask_adapter(session, asked, arguments)
        except AdapterError as error:
            if isinstance(error, AdapterGone) and session.plan.is_child:
                return  # a process that ends as it goes on: its end is told, as any other's
            if session.stop is stop:
                self.reset()
                if not isinstance(error, AdapterGone):
                    self._note_not_resumed(stop)
            raise failure(session.profile, error, OPERATIONS[how]) from error
        finally:
            if session.stop is stop:
                self._unanswered = False

    def _note_not_resumed(self, stop: Stop) -> None:
        """The adapter would not let the program go on from ``stop``: it stands there still."""
        if self._session.status is Status.RUNNING and self._session.stop is stop:
            self._session.show_stop(stop)

    async def _prepare(self, how: Resume, thread_id: int) -> Resume:
        """Returns how to ask the adapter for it; commands that come meanwhile wait."""
        stepping = self._session.stepping
        if not stepping.needs_preparation(how, thread_id):
            return how
        self._is_preparing = True
        try:
            return await stepping.prepare(how, thread_id)
        finally:
            self._is_preparing = False

    def _arguments(
        self,
        how: Resume,
        thread_id: int,
        target_id: int | None,
        granularity: Granularity | None,
    ) -> dict[str, object]:
        arguments: dict[str, object] = {"threadId": thread_id}
        if target_id is not None:
            arguments["targetId"] = target_id
        return arguments | self._session.stepping.arguments_of(how, granularity)

    def _is_under_way(self, how: Resume) -> bool:
        """Tells whether a stop is awaited that may come soon: a step's, or just after continue.

        A program that runs on is not waited for: the person is told to pause it instead.
        """
        if self._awaited is StopReason.STEP:
            return True
        just_continued = time.monotonic() - self._resumed_at <= TYPE_AHEAD
        return how is Resume.CONTINUE and self._awaited is not None and just_continued

    async def go_quietly(self, how: Resume, thread_id: int, begin: Callable[[], None]) -> None:
        """Step from a stop that nobody was told of, for a recording; returns as ``resume``.

        ``begin`` is called just before the program goes on. Raises AdapterFailed.
        """
        session = self._session
        await session.implicit_resume.over()
        session.stepping.choose_threads(how, alone=False)
        asked = await self._prepare(how, thread_id)
        begin()
        stop, self._awaited = session.stop, None
        self._unanswered, self._echo_due = True, False
        try:
            await session.adapter.request(asked, self._arguments(asked, thread_id, None, None))
        except AdapterError as error:
            raise failure(session.profile, error, OPERATIONS[how]) from error
        finally:
            if session.stop is stop:
                self._unanswered = False

    async def pause(self, *, thread_id: int | None = None, origin: str) -> None:
        """Ask the program to pause. It may take until it runs Python code again.

        Where all threads stop, ``thread_id`` is the one that the stop is told of. What is being
        recorded is called off. Raises InvalidSessionState, AdapterFailed.
        """
        session = self._session
        if session.status is not Status.RUNNING:
            raise InvalidSessionState("pause", session.status)
        self._waiting.clear()
        session.publish(PauseRequested(), origin)
        self.is_pausing, self._pause_of = True, thread_id
        if session.recorder is not None and session.recorder.is_stepping:
            session.recorder.call_off()
            return
        if session.hits.is_passing:
            return  # it stands just now, and does not go on
        try:
            await self._ask_to_pause()
        except AdapterError as error:
            if await self._stands_anyway():
                return
            try:
                # It may not have run yet: lldb-dap says that it goes on before it does.
                await self._ask_to_pause()
            except AdapterError:
                if not await self._stands_anyway():
                    self.is_pausing = False
                    raise failure(session.profile, error, "pause") from error

    async def _ask_to_pause(self) -> None:
        threads, thread_id = self._session.threads, self._pause_of
        if thread_id is None:
            thread_id = threads[0].id if threads else _ANY_THREAD
        await self._session.adapter.request("pause", {"threadId": thread_id})

    async def _stands_anyway(self) -> bool:
        """Returns whether it has come to a stop of its own before the adapter could pause it."""
        session = self._session
        try:
            async with asyncio.timeout(_ANYWAY):
                await session.events.wait_for(lambda: session.status is not Status.RUNNING)
        except TimeoutError:
            return False
        return session.status is Status.PAUSED

    async def run_to(
        self, path: str, line: int, *, how: Resume = Resume.CONTINUE, origin: str
    ) -> None:
        """Run until a line is reached or something else stops the program; nothing stays behind.

        ``how`` it goes there: stepping out, it stops where the function is left as well. Raises
        InvalidSessionState, and DebuggerError where the line can't break, or is passed for good.
        """
        session = self._session
        if session.status is not Status.PAUSED:
            raise InvalidSessionState("run to the cursor", session.status)
        problem = await why_passed(session, path, line)
        problem = problem or await session.breakpoints.set_temporary(path, line)
        if problem:
            raise DebuggerError(f"can't run to line {line}: {problem}")
        try:
            await self.resume(how, origin=origin)
        except DebuggerError:
            await session.breakpoints.clear_temporary()
            raise

    def paused_thread(self, told: int, *, all_stopped: bool) -> int:
        """The thread that a pause is of: the one that was asked for, if it stands and lives.

        Adapters that stop all threads tell of whichever stopped first.
        """
        wanted, self._pause_of = self._pause_of, None
        is_there = any(thread.id == wanted for thread in self._session.threads)
        return wanted if wanted is not None and is_there and all_stopped else told

    def take_next(self, reason: StopReason) -> tuple[Resume, str, Granularity | None] | None:
        """The command that waited for this stop, if it is still wanted.

        A stop for any other reason than the awaited one (a breakpoint in the middle of a step, an
        exception) drops all that waits: the person has to see it first.
        """
        self.is_pausing = False
        self._echo_due, self._unanswered = self._unanswered, False
        awaited, self._awaited = self._awaited, None
        if reason is not awaited:
            self._waiting.clear()
        while self._waiting:
            asked, how, origin, granularity = self._waiting.popleft()
            if time.monotonic() - asked <= TYPE_AHEAD:
                return how, origin, granularity
        return None

    @property
    def is_stepping(self) -> bool:
        """Tells whether the stop that is awaited is a step's."""
        return self._awaited is StopReason.STEP

    def take_echo(self) -> bool:
        """Returns whether a ``continued`` event is only an echo of our own command, after its stop.

        Adapters may send it late; where the stop came before the answer to the command, a
        ``continued`` that comes next is taken for that.
        """
        echo, self._echo_due = self._echo_due, False
        self._unanswered = False
        return echo

    def reset(self) -> None:
        """The program is gone, or stands where it stood."""
        self._unanswered = self._echo_due = self.is_pausing = False
        self._awaited = self._pause_of = None
        self._waiting.clear()
