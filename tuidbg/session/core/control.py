"""Steps and pauses that wait for their result, for callers that need one.

A user watches the screen and needs no reply; an API client requests a step and needs its end
position. Two concurrent commands get a defined result: a command that comes while the program runs
is refused and never queued.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING

from tuidbg.adapters.errors import AdapterError
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.stack.inspection import first_frame
from tuidbg.session.core.stepping import Granularity, ResumeRequest
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.model.errors import (
    AdapterTimedOut,
    DebuggerError,
    FrameNotFound,
    InvalidSessionState,
    ThreadNotFound,
    UnsupportedByAdapter,
    failure,
)
from tuidbg.session.model.events import ProgramExited, StatusChanged, Stopped
from tuidbg.session.model.state import (
    Frame,
    StateValue,
    Status,
    Stop,
    StopReason,
    ThreadState,
    Variable,
    VariableKind,
)

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session

STOP_TIMEOUT = 30.0
"""Default timeout of a step or a pause in seconds."""

_OVER = (Status.TERMINATED, Status.FAILED)

_STACK_PATIENCE = 2.0
"""Seconds to wait for the stack of a stop; without it the location is unknown."""


class StepResult(StateValue, frozen=True):
    """The result of a step: ``stop`` and ``frame`` are None if the program has ended."""

    status: Status
    stop: Stop | None = None
    frame: Frame | None = None


class Control:
    """The commands of :class:`~tuidbg.session.core.execution.Execution`, with a result."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def go_on(
        self, *, thread_id: int | None = None, alone: bool = False, origin: str
    ) -> bool:
        """Continue; returns when the adapter has agreed: whether only that thread runs.

        Raises InvalidSessionState, ThreadNotFound, AdapterFailed.
        """
        request = ResumeRequest(Resume.CONTINUE, thread_id, alone)
        return (await self._start(request, origin)).alone

    async def begin(
        self,
        how: Resume,
        *,
        thread_id: int | None = None,
        target_id: int | None = None,
        granularity: Granularity | None = None,
        alone: bool = False,
        origin: str,
    ) -> None:
        """Step, or continue; returns when the adapter has agreed, not at the next stop.

        The arguments are those of ``ResumeRequest``. Raises as ``go_on``.
        """
        await self._start(ResumeRequest(how, thread_id, alone, granularity, target_id), origin)

    async def _start(self, request: ResumeRequest, origin: str) -> ResumeRequest:
        if request.thread_id is not None and self._session.status is Status.PAUSED:
            await self._check_thread(request.thread_id)
        return await self._session.execution.start(request, origin=origin, queued=False) or request

    async def step(
        self,
        how: Resume,
        *,
        thread_id: int | None = None,
        timeout: float = STOP_TIMEOUT,
        origin: str,
    ) -> StepResult:
        """Step, or continue, and wait until the program is stopped again or has ended.

        Raises InvalidSessionState, ThreadNotFound, AdapterFailed, and AdapterTimedOut where it runs
        on for longer than ``timeout`` seconds.
        """
        sentence = f"the program runs on: it has not stopped within {timeout:g} s"
        work = self.begin(how, thread_id=thread_id, origin=origin)
        return await self._outcome(work, timeout, sentence)

    async def step_out(
        self, *, thread_id: int | None = None, timeout: float = STOP_TIMEOUT, origin: str
    ) -> tuple[StepResult, Variable | None]:
        """Step out, and return the function's value, if known.

        Raises as ``step``.
        """
        self.must_stand("step out")
        left = (await self.frame(thread_id=thread_id)).name
        outcome = await self.step(
            Resume.STEP_OUT, thread_id=thread_id, timeout=timeout, origin=origin
        )
        return outcome, await self._returned(outcome, left)

    async def _returned(self, outcome: StepResult, function: str) -> Variable | None:
        stop, frame = outcome.stop, outcome.frame
        if stop is None or frame is None or stop.reason is not StopReason.STEP:
            return None
        try:
            scopes = await self._session.values.look(frame.id, {"Locals": ChildrenRequest()})
        except DebuggerError:
            return None  # the step is done all the same
        found = [node.variable for scope in scopes for node in scope.children or ()]
        returned = [each for each in found if each.kind is VariableKind.RETURNED]
        named = [each for each in returned if each.name.startswith(f"{function}(")]
        return next(iter(named or (returned if len(returned) == 1 else ())), None)

    async def pause(
        self, *, thread_id: int | None = None, timeout: float = STOP_TIMEOUT, origin: str
    ) -> StepResult:
        """Pause and wait for the stop. Raises as ``step``.

        All threads stop; the stop is reported for ``thread_id``, if given.
        """
        if thread_id is not None and self._session.status is Status.RUNNING:
            await self._check_thread(thread_id)
        sentence = f"the program has not paused within {timeout:g} s"
        if needed := self._session.profile.stops.pauses_need:
            sentence += f": it runs no {needed} just now, and will pause when it does"
        return await self._outcome(
            self._session.execution.pause(thread_id=thread_id, origin=origin), timeout, sentence
        )

    async def end_threads(self, thread_ids: Sequence[int]) -> None:
        """End these threads; the others continue.

        Raises UnsupportedByAdapter, InvalidSessionState, ThreadNotFound, AdapterFailed.
        """
        session = self._session
        if session.status not in (Status.RUNNING, Status.PAUSED):
            raise InvalidSessionState("end threads", session.status)
        if not session.adapter.capabilities.supports_terminate_threads_request:
            raise UnsupportedByAdapter(f"{session.profile.name} can't end single threads")
        for thread_id in thread_ids:
            await self._check_thread(thread_id)
        try:
            await session.adapter.request("terminateThreads", {"threadIds": list(thread_ids)})
        except AdapterError as error:
            raise failure(session.profile, error, "end threads") from error

    async def wait_for_stop(self, *, timeout: float = STOP_TIMEOUT) -> StepResult:
        """Return the stop; wait for it if the program runs. Raises AdapterTimedOut."""
        session = self._session
        if session.status not in (Status.RUNNING, Status.LAUNCHING):
            return await self.where()
        sentence = f"the program has not stopped within {timeout:g} s"
        return await self._outcome(_nothing(), timeout, sentence)

    async def frame(self, index: int = 0, *, thread_id: int | None = None) -> Frame:
        """Return a frame by its index in a stack, 0 the top; of the stopped thread by default.

        Raises InvalidSessionState, ThreadNotFound, FrameNotFound, StaleReply, AdapterFailed.
        """
        session = self._session
        stop = self.must_stand("look inside")
        thread = await self.thread(thread_id)
        is_known = thread == stop.thread_id and session.stack_of == stop.id
        if is_known and index < len(session.frames):
            return session.frames[index]
        frames, total = await session.inspection.stack(thread, index, 1)
        if not frames:
            raise FrameNotFound(index, total)
        return frames[0]

    async def threads(self) -> tuple[ThreadState, ...]:
        """Return the threads of the program, also while it runs. Raises InvalidSessionState."""
        session = self._session
        if session.status not in (Status.RUNNING, Status.PAUSED):
            raise InvalidSessionState("list threads", session.status)
        return await session.inspection.threads()

    async def thread(self, thread_id: int | None) -> int:
        """Return that thread of a paused program, or the stopped one.

        Raises InvalidSessionState, ThreadNotFound, AdapterFailed.
        """
        stop = self.must_stand("look inside")
        if thread_id is not None and thread_id != stop.thread_id:
            await self._check_thread(thread_id)
        return thread_id if thread_id is not None else stop.thread_id

    async def _check_thread(self, thread_id: int) -> None:
        session = self._session
        known = session.threads
        if all(thread.id != thread_id for thread in known):
            known = await session.inspection.threads()
        if all(thread.id != thread_id for thread in known):
            raise ThreadNotFound(thread_id)

    async def _outcome(
        self, work: Coroutine[object, object, None], timeout: float, sentence: str
    ) -> StepResult:
        events, deadline = self._session.events, asyncio.get_running_loop().time() + timeout
        after = events.last_seq
        try:
            async with asyncio.timeout_at(deadline):
                await work
                await self._until_still(after)
            while (outcome := await self.where()).status is Status.RUNNING:
                if not self._session.execution.is_stepping:
                    break
                async with asyncio.timeout_at(deadline):  # another client's step is under way
                    await self._until_still(events.last_seq)
        except TimeoutError:
            raise AdapterTimedOut(sentence) from None
        return outcome

    async def _until_still(self, after: int) -> None:
        async for entry in self._session.events.follow(after):
            event = entry.event
            if isinstance(event, Stopped | ProgramExited):
                return
            if isinstance(event, StatusChanged) and event.status in _OVER:
                return

    def must_stand(self, operation: str) -> Stop:
        """Return the stop the program is at. Raises InvalidSessionState if it is not stopped."""
        session = self._session
        if session.status is not Status.PAUSED or session.stop is None:
            raise InvalidSessionState(operation, session.status)
        return session.stop

    async def where(self) -> StepResult:
        """Return the stop, with location and exception as soon as they are known."""
        session = self._session
        stop = session.stop if session.status is Status.PAUSED else None
        if stop is None:
            return StepResult(status=session.status)
        try:
            async with asyncio.timeout(_STACK_PATIENCE):
                await session.events.wait_for(lambda: _is_settled(session, stop))
        except TimeoutError:
            pass  # the location is unknown; the stop is known
        if (
            session.status is not Status.PAUSED
            or session.stop is None
            or session.stop_id != stop.id
        ):
            return StepResult(status=session.status)  # another client resumed it: it is not stopped
        frames = session.frames if session.stack_of == stop.id else ()
        frame = frames[first_frame(session, frames, stop.thread_id)] if frames else None
        return StepResult(status=session.status, stop=session.stop, frame=frame)


def _is_settled(session: Session, stop: Stop) -> bool:
    """Return whether the stack of a stop is known, or the program was resumed meanwhile."""
    if session.status is not Status.PAUSED or session.stop_id != stop.id:
        return True
    is_described = stop.reason is not StopReason.EXCEPTION or (
        session.stop is not None and session.stop.exception is not None
    )
    return session.stack_of == stop.id and is_described


async def _nothing() -> None:
    """Do nothing: the caller only waits."""
