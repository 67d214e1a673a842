"""Steps beyond over, into and out: into a chosen call, within a task, to another line.

Also corrections where the debug adapter's own step goes wrong. In a coroutine debugpy stops in
another function or another task after some ``await``, and runs away when an exception ends the
coroutine. Where the session can query inside the program, such a step is prepared there (one query
for each step over or out of an ``async def``, none for any other).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from tuidbg.adapters.errors import AdapterError, RequestUnsupported
from tuidbg.config.files import read_text
from tuidbg.dap import types as dap
from tuidbg.dap.messages import NO_REASON
from tuidbg.lines import split_lines
from tuidbg.session.core.run.resuming import RUNS, Resume
from tuidbg.session.model.errors import (
    AdapterFailed,
    DebuggerError,
    InvalidSessionState,
    UnsupportedByAdapter,
)
from tuidbg.session.model.state import Frame, StateValue, Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session

T = TypeVar("T")

_NO_JUMP_HERE = (
    "Python jumps only from the beginning of a line, within a function; a step over may lead there"
)
_FUNCTION = re.compile(r"\s*(?P<asynchronous>async\s+)?def\s+(?P<name>\w+)")


class Granularity(StrEnum):
    """The size of a step (DAP ``SteppingGranularity``)."""

    STATEMENT = "statement"
    LINE = "line"
    INSTRUCTION = "instruction"


class ResumeRequest(NamedTuple):
    """A command that resumes the program.

    ``thread_id`` None: the stopped one. ``alone``: the other threads stay stopped meanwhile, if
    possible. ``granularity`` None: that of ``Stepping.granularity``. ``target_id`` is the call to
    step into (``Stepping.step_targets``).
    """

    how: Resume
    thread_id: int | None = None
    alone: bool = False
    granularity: Granularity | None = None
    target_id: int | None = None


class StepTarget(StateValue, frozen=True):
    """A call that can be stepped into (DAP ``StepInTarget``); ``id`` is valid for one stop."""

    id: int
    label: str
    line: int = 0


class _Plan(dap.DapBody, frozen=True):
    kind: str = ""
    mark: int = -1


class Stepping:
    """The stepping of one session, beside ``execution``."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._marks: set[int] = set()
        self._are_laid = False
        self._only_this_thread = False
        self._is_holding = False
        self._granularity = Granularity.STATEMENT
        self._last: tuple[Frame, ...] = ()
        self._texts: dict[str, tuple[int, tuple[str, ...]]] = {}

    def reset(self) -> None:
        """Reset, as there is no program any more."""
        self._marks.clear()
        self._are_laid = self._is_holding = False
        self._last = ()

    # Prepared steps

    def complete(self, request: ResumeRequest, stopped_thread: int) -> ResumeRequest:
        """Fill in what the request leaves to the session, as it is now.

        Steps keep other threads stopped if all steps do. No Python thread can continue alone.
        """
        thread = request.thread_id if request.thread_id is not None else stopped_thread
        if request.how in RUNS:
            capabilities = self._session.adapter.capabilities
            alone = request.alone and bool(capabilities.supports_single_thread_execution_requests)
            return request._replace(thread_id=thread, alone=alone)
        return request._replace(
            thread_id=thread,
            alone=request.alone or self._only_this_thread,
            granularity=request.granularity or self._granularity,
        )

    def arguments(self, request: ResumeRequest) -> dict[str, object]:
        """Return the arguments of the adapter's request for a complete one."""
        capabilities = self._session.adapter.capabilities
        arguments: dict[str, object] = {"threadId": request.thread_id}
        if request.target_id is not None:
            arguments["targetId"] = request.target_id
        if request.alone and capabilities.supports_single_thread_execution_requests:
            arguments["singleThread"] = True
        if request.how in RUNS or not capabilities.supports_stepping_granularity:
            return arguments
        if request.granularity not in (None, Granularity.STATEMENT):
            arguments["granularity"] = str(request.granularity)
        return arguments

    def needs_preparation(self, request: ResumeRequest) -> bool:
        """Return whether a query or setting is needed before such a step."""
        if self._are_laid or self._must_hold(request) is not self._is_holding:
            return True
        return self._is_of_coroutine(request)

    def _must_hold(self, request: ResumeRequest) -> bool:
        alone = self._only_this_thread or request.alone
        return alone and self._session.inside.is_possible

    def _is_of_coroutine(self, request: ResumeRequest) -> bool:
        session = self._session
        if request.how not in (Resume.STEP_OVER, Resume.STEP_OUT) or not session.inside.is_possible:
            return False
        if not session.frames or session.stop is None:
            return False
        is_stopped = session.stop.thread_id == request.thread_id
        return is_stopped and self.is_in_coroutine(session.frames[0])

    async def prepare(self, request: ResumeRequest) -> ResumeRequest:
        """Return the request for the adapter that makes the program do this one."""
        session = self._session
        must_hold = self._must_hold(request)
        try:
            if must_hold is not self._is_holding:
                await session.inside.ask(
                    "steps", "hold_others", bool, frame_id=None, hold=must_hold
                )
                self._is_holding = must_hold
            if self._is_of_coroutine(request):
                return request._replace(how=await self._plan(request.how))
            if self._are_laid:
                self._are_laid = False
                await session.inside.ask("awaits", "forget", int, frame_id=None)
        except DebuggerError:
            pass  # the adapter's own step is better than none
        return request

    async def _plan(self, how: Resume) -> Resume:
        session = self._session
        if session.stop is None:
            raise InvalidSessionState(how, session.status)
        top = session.frames[0]
        if (
            session.frames is self._last
        ):  # of the last stop: the stack of this one is not fetched yet
            (top, *_), _ = await session.inspection.stack(session.stop.thread_id, 0, 1)
        self._last = session.frames
        await session.inside.load("base", "tasks")
        plan = await session.inside.ask(
            "awaits",
            "plan",
            _Plan,
            frame_id=top.id,
            over=how is Resume.STEP_OVER,
        )
        self._are_laid = bool(plan.kind)
        self._marks.add(plan.mark)
        return Resume(plan.kind) if plan.kind else how

    def take_mark(self, adapter_ids: Iterable[int]) -> bool:
        """Return whether the program stopped at the end of a prepared step."""
        if not self._marks or self._marks.isdisjoint(adapter_ids):
            return False
        self._are_laid = False
        return True

    def is_in_coroutine(self, frame: Frame) -> bool:
        """Return whether it is the frame of an ``async def``, by its source."""
        if frame.place is None or frame.place.reference:
            return False
        lines = self._lines_of(frame.place.path)
        for index in range(min(frame.place.line, len(lines)) - 1, -1, -1):
            found = _FUNCTION.match(lines[index])
            if found is not None and found["name"] == frame.name:
                return found["asynchronous"] is not None
        return False

    def _lines_of(self, path: str) -> tuple[str, ...]:
        """Return the lines of a source; empty if none can be a coroutine's."""
        try:
            stamp = Path(path).stat().st_mtime_ns
            known = self._texts.get(path)
            if known is None or known[0] != stamp:
                text = read_text(path, errors="replace")
                lines = tuple(split_lines(text)) if re.search(r"\basync\s+def\b", text) else ()
                known = self._texts[path] = (stamp, lines)
        except OSError:
            return ()
        return known[1]

    # One thread

    @property
    def only_this_thread(self) -> bool:
        """True if other threads stay stopped while one steps."""
        return self._only_this_thread

    def why_no_single_thread(self) -> str:
        """Return why one thread can't step alone here; empty if it can."""
        if self._session.inside.is_possible:
            return ""
        if self._session.adapter.capabilities.supports_single_thread_execution_requests:
            return ""
        return "this debug adapter always lets all threads run"

    def hold_other_threads(self, hold: bool) -> None:
        """Step one thread alone from now on, or all. Raises UnsupportedByAdapter."""
        if hold and (why := self.why_no_single_thread()):
            raise UnsupportedByAdapter(why)
        self._only_this_thread = hold

    # Step size

    @property
    def granularity(self) -> Granularity:
        """Return the default granularity of steps."""
        return self._granularity

    def why_no_granularity(self) -> str:
        """Return why only line steps are possible here; empty if others are, too."""
        session, adapter = self._session, self._session.adapter
        if not adapter.has_begun or adapter.capabilities.supports_stepping_granularity:
            return ""
        return f"{session.profile.name} steps by lines only"

    def set_granularity(self, granularity: Granularity) -> None:
        """Set the default granularity. Raises UnsupportedByAdapter."""
        if granularity is Granularity.INSTRUCTION and (why := self.why_no_granularity()):
            raise UnsupportedByAdapter(why)
        self._granularity = granularity

    # Into a chosen call

    def why_no_targets(self) -> str:
        """Return why no call can be chosen here; empty if one can."""
        if self._session.adapter.capabilities.supports_step_in_targets_request:
            return ""
        return "this debug adapter can't step into a chosen call"

    async def step_targets(self, frame: Frame) -> tuple[StepTarget, ...]:
        """Return the calls on the frame's line that have not been made yet.

        Raises UnsupportedByAdapter, InvalidSessionState, AdapterFailed, StaleReply.
        """
        if why := self.why_no_targets():
            raise UnsupportedByAdapter(why)
        body = await self._ask("stepInTargets", {"frameId": frame.id}, dap.StepInTargetsBody)
        targets = [StepTarget(id=t.id, label=t.label, line=t.line or 0) for t in body.targets]
        if not targets or not self._session.inside.is_possible:
            return tuple(targets)
        lines = await self._session.inside.ask(
            "steps", "target_lines", dict[str, tuple[int, int]], frame_id=frame.id
        )
        return tuple(_on_line(targets, lines, frame.place.line if frame.place else 0))

    async def step_into(
        self, target: StepTarget, *, thread_id: int | None = None, origin: str
    ) -> None:
        """Step into that call of the top frame, over the others.

        Raises InvalidSessionState, AdapterFailed.
        """
        await self._session.execution.resume(
            Resume.STEP_IN, thread_id=thread_id, origin=origin, target_id=target.id
        )

    # To another line, or to the beginning

    def why_no_jump(self) -> str:
        """Return why no line can be jumped to here; empty if one can."""
        if self._session.adapter.capabilities.supports_goto_targets_request:
            return ""
        return "this debug adapter can't jump to a line"

    async def jump(self, path: str, line: int, *, thread_id: int | None = None) -> None:
        """Continue at another line of the top frame's function, without running the code between.

        Returns when the adapter has agreed; a stop follows. Raises UnsupportedByAdapter,
        InvalidSessionState, AdapterFailed with the adapter's reason.
        """
        if why := self.why_no_jump():
            raise UnsupportedByAdapter(why)
        session = self._session
        if session.status is not Status.PAUSED or session.stop is None:
            raise InvalidSessionState("jump to a line", session.status)
        thread = thread_id if thread_id is not None else session.stop.thread_id
        where = {"source": {"path": path}, "line": line}
        found = await self._ask("gotoTargets", where, dap.GotoTargetsBody)
        if not found.targets:
            raise AdapterFailed(f"can't jump to line {line}: there is nothing to go on at")
        target = min(found.targets, key=lambda t: abs(t.line - line))
        try:
            await session.adapter.request("goto", {"threadId": thread, "targetId": target.id})
        except AdapterError as error:
            # Where a call has just returned in the middle of a line, debugpy gives no reason.
            why = _NO_JUMP_HERE if str(error) == NO_REASON else str(error)
            raise AdapterFailed(f"can't jump to line {line}: {why}") from error

    def why_no_restart(self) -> str:
        """Return why no frame can be restarted here; empty if one can."""
        if self._session.adapter.capabilities.supports_restart_frame:
            return ""
        return "this debug adapter can't restart a frame"

    async def restart_frame(self, frame: Frame) -> None:
        """Restart a function; its effects so far remain.

        Raises UnsupportedByAdapter, InvalidSessionState, AdapterFailed.
        """
        if why := self.why_no_restart():
            raise UnsupportedByAdapter(why)
        await self._ask("restartFrame", {"frameId": frame.id}, dap.Nothing)

    async def _ask(self, command: str, arguments: object, into: type[T]) -> T:
        session = self._session
        if session.status is not Status.PAUSED:
            raise InvalidSessionState("do that", session.status)
        try:
            return await session.adapter.request(command, arguments, into=into)
        except RequestUnsupported as error:
            raise UnsupportedByAdapter(str(error)) from error
        except AdapterError as error:
            raise AdapterFailed(str(error)) from error


def _on_line(
    targets: Sequence[StepTarget], lines: Mapping[str, tuple[int, int]], line: int
) -> Iterable[StepTarget]:
    """Return those on the line, with their first lines."""
    for target in targets:
        first, last = lines.get(str(target.id), (0, 0))
        if first <= line <= max(first, last):
            yield StepTarget(id=target.id, label=target.label, line=first)
