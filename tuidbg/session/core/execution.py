"""Running the program: continue, step, pause, run to a line.

A key held down steps as fast as the adapter does and no further: commands that come during a step
wait for it, and those that have waited too long are dropped, so that on a slow line the program
does not continue stepping after the key was released.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tuidbg.adapters.errors import AdapterError, AdapterGone
from tuidbg.session.core.run.resuming import OPERATIONS, RUNS, ask_adapter
from tuidbg.session.core.run.resuming import Resume as Resume
from tuidbg.session.core.sources.unreachable_lines import why_passed
from tuidbg.session.core.stepping import Granularity, ResumeRequest
from tuidbg.session.model.errors import DebuggerError, InvalidSessionState, PostMortem, failure
from tuidbg.session.model.events import PauseRequested
from tuidbg.session.model.state import Status, StopReason

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session
    from tuidbg.session.model.state import Stop

TYPE_AHEAD = 0.25
"""Seconds after which a command that waits for a step is dropped."""

_ANYWAY = 0.3
"""Seconds within which a stop that preceded a pause is reported."""

_ANY_THREAD = 1
"""debugpy pauses all threads whatever the id; it has to be a thread's id all the same."""


class QueuedCommand(NamedTuple):
    """A command that waits for a stop, with its time."""

    asked: float
    request: ResumeRequest
    origin: str


class StopOwner(Protocol):
    """A part that steps the program and shows none of the stops; set while it does."""

    @property
    def is_at_stop(self) -> bool: ...

    @property
    def is_stepping(self) -> bool: ...

    @property
    def activity(self) -> str:
        """Return what it does, in a few words."""

    def take(self, stop: Stop) -> bool:
        """Handle a stop; return whether it is only one between two steps."""

    def call_off(self) -> None:
        """End at the next stop, which is shown."""


class Execution:
    """The commands that resume or pause a session's program."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._awaited: StopReason | None = None
        self._resumed_at = 0.0
        self._waiting: deque[QueuedCommand] = deque()
        self._unanswered = False
        self._echo_due = False
        self._is_preparing = False
        self.is_pausing = False
        """True while a requested pause has not happened yet."""
        self._pause_of: int | None = None

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
        """Resume the program, as in ``start``; the arguments are those of ``ResumeRequest``."""
        request = ResumeRequest(how, thread_id, alone, granularity, target_id)
        await self.start(request, origin=origin, queued=queued)

    async def start(
        self, request: ResumeRequest, *, origin: str, queued: bool = True
    ) -> ResumeRequest | None:
        """Resume the program; returns when the adapter has agreed, not at the next stop.

        ``queued``: during a step it waits for its end, as for a key held down, instead of being
        refused. Returns the request as it was performed; None if it waits. Raises
        InvalidSessionState, AdapterFailed.
        """
        session, how = self._session, request.how
        if session.is_post_mortem:
            raise PostMortem(OPERATIONS[how])
        if session.status is Status.PAUSED:
            await session.implicit_resume.over()
        is_busy = self._is_preparing or session.status is Status.RUNNING
        if queued and is_busy and (self._is_preparing or self._is_under_way(how)):
            waiting = ResumeRequest(how, granularity=request.granularity)
            self._waiting.append(QueuedCommand(time.monotonic(), waiting, origin))
            return None
        if self._is_preparing or session.status is not Status.PAUSED or session.stop is None:
            status = Status.RUNNING if self._is_preparing else session.status
            raise InvalidSessionState(OPERATIONS[how], status)
        request = session.stepping.complete(request, session.stop.thread_id)
        prepared = await self._prepare(request)
        if session.status is not Status.PAUSED or session.stop is None:
            raise InvalidSessionState(OPERATIONS[how], session.status)
        self._awaited = StopReason.BREAKPOINT if how in RUNS else StopReason.STEP
        self._resumed_at = time.monotonic()
        stop = session.stop
        session.note_resumed(
            stepping=how not in RUNS,
            origin=origin,
            how=OPERATIONS[how],
            thread_id=request.thread_id,
            alone=request.alone,
        )
        self._unanswered, self._echo_due = True, False
        try:
            arguments = session.stepping.arguments(prepared)
            if how not in RUNS and prepared.how is how:
                arguments |= session.pushed_details.request()
            await ask_adapter(session, prepared.how, arguments)
        except AdapterError as error:
            if isinstance(error, AdapterGone) and session.plan.is_child:
                return request  # a process that ends as it is resumed: reported like any end
            if session.stop is stop:
                self.reset()
                if not isinstance(error, AdapterGone):
                    self._note_not_resumed(stop)
            raise failure(session.profile, error, OPERATIONS[how]) from error
        finally:
            if session.stop is stop:
                self._unanswered = False
        return request

    def _note_not_resumed(self, stop: Stop) -> None:
        """Handle the adapter's refusal to resume from ``stop``: it is still stopped there."""
        if self._session.status is Status.RUNNING and self._session.stop is stop:
            self._session.show_stop(stop)

    async def _prepare(self, request: ResumeRequest) -> ResumeRequest:
        """Return the request for the adapter; commands that come meanwhile wait."""
        stepping = self._session.stepping
        if not stepping.needs_preparation(request):
            return request
        self._is_preparing = True
        try:
            return await stepping.prepare(request)
        finally:
            self._is_preparing = False

    def _is_under_way(self, how: Resume) -> bool:
        """True if a stop is expected soon: a step's, or just after continue.

        A running program is not waited for: the user is advised to pause it instead.
        """
        if self._awaited is StopReason.STEP:
            return True
        just_continued = time.monotonic() - self._resumed_at <= TYPE_AHEAD
        return how is Resume.CONTINUE and self._awaited is not None and just_continued

    async def go_quietly(self, how: Resume, thread_id: int, begin: Callable[[], None]) -> None:
        """Step from an unpublished stop, for a recording; returns as ``resume``.

        ``begin`` is called just before the program is resumed. Raises AdapterFailed.
        """
        session = self._session
        await session.implicit_resume.over()
        request = session.stepping.complete(ResumeRequest(how), thread_id)
        prepared = await self._prepare(request)
        begin()
        stop, self._awaited = session.stop, None
        self._unanswered, self._echo_due = True, False
        try:
            await session.adapter.request(prepared.how, session.stepping.arguments(prepared))
        except AdapterError as error:
            raise failure(session.profile, error, OPERATIONS[how]) from error
        finally:
            if session.stop is stop:
                self._unanswered = False

    async def pause(self, *, thread_id: int | None = None, origin: str) -> None:
        """Ask the program to pause. It may take until it runs Python code again.

        If all threads stop, the stop is reported for ``thread_id``. A recording under way is
        cancelled. Raises InvalidSessionState, AdapterFailed.
        """
        session = self._session
        if session.status is not Status.RUNNING:
            raise InvalidSessionState("pause", session.status)
        self._waiting.clear()
        session.publish(PauseRequested(), origin)
        self.is_pausing, self._pause_of = True, thread_id
        if session.stop_owner is not None and session.stop_owner.is_stepping:
            session.stop_owner.call_off()
            return
        if session.hits.is_passing:
            return  # it is stopped just now, and is not resumed
        try:
            await self._ask_to_pause()
        except AdapterError as error:
            if await self._stands_anyway():
                return
            try:
                # It may not have run yet: lldb-dap reports a resume in advance.
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
        """Return whether it stopped by itself before the adapter could pause it."""
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
        """Run until a line is reached or something else stops the program; leaves no breakpoint.

        ``how`` is the command used: a step out stops at the function's exit as well. Raises
        InvalidSessionState, and DebuggerError if the line can't break or can't be reached any more.
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
        """Return the thread of a pause: the requested one, if it is stopped and alive.

        Adapters that stop all threads report whichever stopped first.
        """
        wanted, self._pause_of = self._pause_of, None
        is_there = any(thread.id == wanted for thread in self._session.threads)
        return wanted if wanted is not None and is_there and all_stopped else told

    def take_next(self, reason: StopReason) -> QueuedCommand | None:
        """Return the command that waited for this stop, if it is still valid.

        A stop for any other reason than the expected one (a breakpoint in the middle of a step, an
        exception) drops all waiting commands: the user has to see it first.
        """
        self.is_pausing = False
        self._echo_due, self._unanswered = self._unanswered, False
        awaited, self._awaited = self._awaited, None
        if reason is not awaited:
            self._waiting.clear()
        while self._waiting:
            waiting = self._waiting.popleft()
            if time.monotonic() - waiting.asked <= TYPE_AHEAD:
                return waiting
        return None

    @property
    def is_stepping(self) -> bool:
        """True if the expected stop is a step's."""
        return self._awaited is StopReason.STEP

    def take_echo(self) -> bool:
        """Return whether a ``continued`` event is only an echo of our own command, after its stop.

        Adapters may send it late; if the stop came before the response to the command, the next
        ``continued`` is regarded as that echo.
        """
        echo, self._echo_due = self._echo_due, False
        self._unanswered = False
        return echo

    def reset(self) -> None:
        """Reset: the program is gone, or was not resumed."""
        self._unanswered = self._echo_due = self.is_pausing = False
        self._awaited = self._pause_of = None
        self._waiting.clear()
