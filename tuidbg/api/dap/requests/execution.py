"""Requests that continue and step, forward and back."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

from tuidbg.api.dap.arguments import StepBackArguments
from tuidbg.api.dap.client import ORIGIN, DapClient, Then
from tuidbg.api.dap.references import RecordedPlace, WrongState
from tuidbg.api.operations import table
from tuidbg.api.operations.recording import PastStack, name_of
from tuidbg.recording.stepping import StepDirection, first_stop
from tuidbg.recording.timeline import Moment, Timeline
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.recording.recorded_run import NothingRecorded, RecordedRun
from tuidbg.session.features.recording.reverse_execution import (
    adapter_goes_back,
    has_past,
    past_of,
    step_of,
    why_nothing_back,
)
from tuidbg.session.model.state import Variable


class Resuming(AbstractContextManager[None]):
    """A resume by the client itself, which gets an event only if another client was faster."""

    def __init__(self, client: DapClient) -> None:
        self._teller = client.teller

    def __enter__(self) -> None:
        if self._teller is not None:
            self._teller.begin_resume()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._teller is not None:
            self._teller.end_resume(succeeded=kind is None)


Json = dict[str, Any]

_HOW = 'a launch with "record": true records it, and so does "Start / stop recording" in tuidbg'

_NOTHING_BEFORE = "The recording begins here.\n"
_BEGINS = {
    StepDirection.BREAKPOINT: "No breakpoint was passed before: here the recording begins.\n"
}
"""Output where a reverse step reaches the beginning."""

_REASONS = {StepDirection.BREAKPOINT: "breakpoint"}
"""DAP stop reasons at a recorded moment; the default is a step."""


class PastRequests:
    """The navigation of one client in the recorded run."""

    def __init__(self, client: DapClient) -> None:
        self._client = client

    async def step_back(self, asked: StepBackArguments) -> Then | None:
        """Go to the previous line, over calls."""
        return await self._go_back(asked.thread_id, StepDirection.OVER)

    async def reverse_continue(self, asked: StepBackArguments) -> Then | None:
        """Go to the last breakpoint hit of any thread, or to the beginning of the recording."""
        return await self._go_back(asked.thread_id, StepDirection.BREAKPOINT)

    async def _go_back(self, thread_id: int, way: StepDirection) -> Then | None:
        client = self._client
        session, control = client.session, client.member.control
        stop = control.must_stand("go back")
        if adapter_goes_back(session):
            await self._have_adapter_go_back(thread_id, step_of(session, way))
            return None
        if not has_past(session):
            past = past_of(session)
            why = why_nothing_back(session) or (past.why_not() if past is not None else "")
            raise NothingRecorded(f"nothing is recorded: {why or _HOW}")
        place = client.references.recorded
        if place is not None:
            start = _moment_of(client, thread_id, place)
        else:
            frame = await control.frame(thread_id=thread_id)
            start = await RecordedRun.of(session).present(frame.id)
        found, is_begin = RecordedRun.of(session).back(start, way), False
        if found is None:
            found, is_begin = _beginning(RecordedRun.of(session).timeline, start, way), True
        if control.must_stand("go back").id != stop.id or client.references.recorded != place:
            raise WrongState("the program, or this client, has gone on meanwhile")
        if is_begin:
            told = {"category": "console", "output": _BEGINS.get(way, _NOTHING_BEFORE)}
            client.wire.event("output", told)
        if found == start and client.teller is not None:
            return Then(None, client.teller.repeat_stop)
        way = StepDirection.OVER if is_begin else way
        return _show(client, found, _thread_of(client, found, start, thread_id), way)

    async def _have_adapter_go_back(self, thread_id: int, how: Resume) -> None:
        """Let the adapter move the program back, for all clients."""
        client, begin = self._client, table.BEGIN_STEP
        member, place = client.member, client.place
        with (
            place.gate.admit(client.caller, begin.scope, str(how), session_id=member.id) as call,
            Resuming(client),
        ):
            await begin(member.control, how, thread_id=thread_id, origin=ORIGIN)
            call.succeed("done")


def _beginning(timeline: Timeline, start: Moment, way: StepDirection) -> Moment:
    """Return the moment for a reverse step without a target: a step stays where it was."""
    return (way is StepDirection.BREAKPOINT and first_stop(timeline, start.thread)) or start


def go_forth(
    client: DapClient, thread_id: int, way: StepDirection, body: object = None
) -> Then | None:
    """Move forward in the recording, which ends at the present; None for a client that is there."""
    place = client.references.recorded
    if place is None:
        return None
    stop = client.member.control.must_stand("go on")
    thread_id = thread_id or place.thread_id
    start = _moment_of(client, thread_id, place)
    found = RecordedRun.of(client.session).forth(start, way)
    if found is not None:
        return _show(client, found, _thread_of(client, found, start, thread_id), way, body)
    client.references.forget()

    def tell() -> None:
        if client.teller is not None and client.session.stop == stop:
            client.teller.tell_stop(stop)

    return Then(body, tell)


def _show(
    client: DapClient, moment: Moment, thread_id: int, way: StepDirection, body: object = None
) -> Then:
    client.references.forget()
    told = {
        "reason": _REASONS.get(way, "step"),
        "description": f"recorded, {RecordedRun.of(client.session).how_long_ago(moment)}",
        "threadId": thread_id,
        "allThreadsStopped": True,
    }
    place = client.references.recorded = RecordedPlace(moment, thread_id, told)

    def tell() -> None:
        if client.teller is not None and client.references.recorded is place:
            client.teller.repeat_stop()

    return Then(body, tell)


def _moment_of(client: DapClient, thread_id: int, place: RecordedPlace) -> Moment:
    """Return a thread's moment at the time of ``place``. Raises NothingRecorded."""
    if thread_id == place.thread_id:
        return place.moment
    timeline = RecordedRun.of(client.session).timeline
    name = next((each.name for each in client.session.threads if each.id == thread_id), "")
    numbers = [number for number, known in timeline.threads.items() if known == name]
    found = (timeline.moment_at(number, place.moment.when) for number in reversed(numbers))
    moment = next(filter(None, found), None)
    if moment is None:
        raise NothingRecorded("nothing was recorded of this thread at that moment")
    return moment


def _thread_of(client: DapClient, moment: Moment, start: Moment, thread_id: int) -> int:
    """Return the client's id for the thread of a moment; an ended thread has none of its own."""
    if moment.thread == start.thread:
        return thread_id
    name = RecordedRun.of(client.session).timeline.threads.get(moment.thread, "")
    return next((each.id for each in client.session.threads if each.name == name), thread_id)


# Recorded values


async def recorded_stack(
    client: DapClient, place: RecordedPlace, thread_id: int, start: int, count: int
) -> PastStack:
    """Return calls of a thread at a recorded moment; empty if it was not recorded then."""
    past = RecordedRun.of(client.session)
    try:
        moment = _moment_of(client, thread_id, place)
    except NothingRecorded:
        return PastStack(moment=name_of(past, place.moment), frames=(), total=0)
    return await table.READ_PAST_STACK(client.member, name_of(past, moment), start, count=count)


async def evaluate_recorded(
    client: DapClient, place: RecordedPlace, expression: str, frame_number: int | None
) -> tuple[int, Variable]:
    """Evaluate over recorded values; return the frame id and the result. Nothing runs."""
    index, frame_id, thread_id = 0, 0, place.thread_id
    if frame_number is not None:
        known = client.references.frames.get(frame_number)
        index, frame_id, thread_id = known.frame.index, known.frame.id, known.thread_id
    moment = name_of(RecordedRun.of(client.session), _moment_of(client, thread_id, place))
    found = await table.EVALUATE_PAST(client.member, expression, moment=moment, frame_index=index)
    return frame_id, found.result
