"""Conversion from the core's values to the contract's answers."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from tuidbg.api.feed.events import FeedEvent, OutputEntry, breakpoint_id
from tuidbg.api.operations.events import view_entry, view_event
from tuidbg.api.operations.recording import (
    Edge,
    MomentView,
    PastResult,
    PathChanges,
    Reached,
    RecordedCallView,
    RecordingState,
    RowsPage,
    Time,
)
from tuidbg.api.operations.recording_views import (
    ChangeView,
    PointView,
    view_call_recorded,
    view_changes,
    view_pass,
    view_point,
)
from tuidbg.api.operations.views import (
    BreakpointView,
    ProgramView,
    SessionView,
    VariableView,
    make_time,
    view_breakpoint,
    view_exception,
    view_failure,
    view_frame,
    view_program,
    view_result,
    view_session,
    view_variable,
)
from tuidbg.api.rest import answers
from tuidbg.api.rest.answers import EvaluateResponse, SourceLocation, VariableTold
from tuidbg.config.launch import LaunchPlan
from tuidbg.session.core.control import StepResult
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.state import (
    Breakpoint,
    Frame,
    Place,
    Status,
    Stop,
    ThreadState,
    Variable,
    VariableKind,
)

# Sessions


def tell_created(member: HubSession) -> answers.SessionCreated:
    seen = view_session(member)
    return answers.SessionCreated(
        session_id=seen.id,
        name=seen.name,
        status=seen.status.value,
        created_at=make_time(seen.created_at),
        expires_at=_time_or_none(seen.expires_at),
        config=_tell_config(seen),
    )


def tell_summary(member: HubSession) -> answers.SessionSummary:
    """Render an entry of the list."""
    seen = view_session(member)
    return answers.SessionSummary(
        session_id=seen.id,
        name=seen.name,
        status=seen.status.value,
        created_at=make_time(seen.created_at),
        program=seen.program.target if seen.program is not None else None,
        parent_id=seen.parent_id or UNSET,
    )


def tell_session(member: HubSession, outcome: StepResult) -> answers.SessionResponse:
    """Render a session; ``outcome`` has its stop."""
    seen, stop = view_session(member), outcome.stop
    program = seen.program
    return answers.SessionResponse(
        session_id=seen.id,
        name=seen.name,
        status=outcome.status.value,
        stop_reason=stop.reason.value if stop is not None else None,
        created_at=make_time(seen.created_at),
        expires_at=_time_or_none(seen.expires_at),
        config=_tell_config(seen),
        program=_tell_program(program, env=program.env) if program is not None else None,
        current_location=tell_location(outcome.frame),
        stopped_thread_id=stop.thread_id if stop is not None else None,
        breakpoint_count=seen.breakpoints,
        exception=_tell_exception(stop),
        parent_id=seen.parent_id or UNSET,
    )


def tell_launched(member: HubSession, plan: LaunchPlan) -> answers.Launched:
    return answers.Launched(
        session_id=member.id,
        status=member.session.status.value,
        pid=member.pid,
        program=_tell_program(view_program(plan), env=UNSET),
    )


def _tell_program(seen: ProgramView, *, env: dict[str, str] | UnsetType) -> answers.Program:
    return answers.Program(
        script=UNSET if seen.is_module else seen.target,
        module=seen.target if seen.is_module else UNSET,
        args=seen.args,
        cwd=seen.cwd,
        env=env,
    )


def _tell_config(seen: SessionView) -> answers.SessionSettings:
    config = seen.config
    return answers.SessionSettings(
        project_root=config.project_root,
        python_path=config.python_path,
        stop_on_entry=config.stop_on_entry,
    )


def _tell_exception(stop: Stop | None) -> answers.ExceptionTold | None:
    if stop is None or stop.exception is None:
        return None
    seen = view_exception(stop.exception)
    return answers.ExceptionTold(type=seen.type, message=seen.message, traceback=seen.trace)


def _time_or_none(seconds: float | None) -> str | None:
    return make_time(seconds) if seconds is not None else None


# Execution


def tell_location(frame: Frame | None) -> answers.SourceLocation | None:
    """Return the location of a frame."""
    if frame is None or frame.place is None:
        return None
    place = frame.place
    return answers.SourceLocation(
        path=place.path or None, line=place.line, column=place.column, function=frame.name
    )


def tell_pause(member: HubSession, outcome: StepResult) -> answers.PauseResponse:
    stop = outcome.stop
    return answers.PauseResponse(
        session_id=member.id,
        status=outcome.status.value,
        stop_reason=stop.reason.value if stop is not None else None,
        current_location=tell_location(outcome.frame),
    )


def tell_step(member: HubSession, outcome: StepResult) -> answers.StepResponse:
    thread_id = outcome.stop.thread_id if outcome.stop is not None else None
    return answers.StepResponse(**asdict(tell_pause(member, outcome)), thread_id=thread_id)


def tell_step_out(
    member: HubSession, outcome: StepResult, returned: Variable | None
) -> answers.StepOutResponse:
    """Render the end of a step out, with the return value."""
    value = None
    if returned is not None:
        seen = view_variable(returned)
        value = answers.ReturnValue(type=seen.type, value=seen.value)
    return answers.StepOutResponse(**asdict(tell_step(member, outcome)), return_value=value)


# Breakpoints

_PAST_END = re.compile(r"line \d+ is past the last line of code")


def tell_breakpoint(found: Breakpoint) -> answers.BreakpointSet:
    """Render a breakpoint as set."""
    seen = view_breakpoint(found)
    return answers.BreakpointSet(
        id=breakpoint_id(seen.number),
        verified=seen.is_set,
        source=answers.SourceFile(path=seen.path),
        line=seen.line,
        condition=seen.condition or None,
        hit_condition=seen.hit_condition or None,
        log_message=seen.log_message or None,
        enabled=seen.enabled,
        message=_message(seen),
    )


def tell_listed(found: Breakpoint) -> answers.BreakpointListed:
    """Render a breakpoint with its hit count."""
    return answers.BreakpointListed(**asdict(tell_breakpoint(found)), hit_count=found.hits)


def _message(found: BreakpointView) -> str | None:
    """Say why a breakpoint is not set yet: agents should know."""
    message = found.message
    if found.is_pending and found.enabled and not message:
        return "Waits for the program to be launched"
    if _PAST_END.match(message):
        message = f"no executable code at line {found.line}: {message}"
    return message[:1].upper() + message[1:] or None


# Inspection


def tell_frame(frame: Frame) -> answers.FrameTold:
    seen = view_frame(frame)
    place = seen.place
    return answers.FrameTold(
        id=seen.index,
        name=seen.name,
        source=_tell_source(place) if place is not None else None,
        line=place.line if place is not None else 0,
        column=place.column if place is not None else 0,
        module_name=seen.module or None,
        presentation_hint="subtle" if seen.is_subtle else "normal",
    )


def _tell_source(place: Place) -> answers.SourceFile:
    return answers.SourceFile(path=place.path, name=place.path.rpartition("/")[2])


_KINDS = {
    VariableKind.CALLABLE: "method",
    VariableKind.CLASS: "class",
    VariableKind.PROPERTY: "property",
}


def tell_variable(variable: Variable) -> answers.VariableTold:
    return tell_seen(view_variable(variable))


def tell_seen(seen: VariableView) -> answers.VariableTold:
    """Render a redacted value."""
    return answers.VariableTold(
        name=seen.name,
        value=seen.value,
        type=seen.type,
        variables_reference=seen.reference,
        named_variables=seen.named,
        indexed_variables=seen.indexed,
        presentation_hint=_hint(seen),
        truncated=seen.truncated,
    )


def _hint(variable: VariableView) -> answers.PresentationHint:
    name, kind = variable.name, variable.kind
    is_private = name.startswith("_") and kind is not VariableKind.SPECIAL
    is_read_only = kind in (VariableKind.RETURNED, VariableKind.SPECIAL)
    return answers.PresentationHint(
        kind=_KINDS.get(kind, "data"),
        attributes=["readOnly"] if is_read_only else [],
        visibility="private" if is_private else "public",
    )


def tell_thread(thread: ThreadState, stop: Stop | None) -> answers.ThreadTold:
    """Render a thread; ``stop`` is the current stop."""
    is_current = stop is not None and thread.id == stop.thread_id
    stands = stop is not None and (stop.all_threads_stopped or is_current)
    return answers.ThreadTold(
        id=thread.id,
        name=thread.name,
        status="paused" if stands else "running",
        is_current=is_current,
    )


_SCOPE_HINTS: dict[str, Literal["locals", "globals", "registers"]] = {
    "Locals": "locals",
    "Globals": "globals",
    "Registers": "registers",
}


def tell_scope(scope: Variable) -> answers.ScopeTold:
    return answers.ScopeTold(
        name=scope.name,
        presentation_hint=_SCOPE_HINTS.get(scope.name),
        variables_reference=scope.reference,
        named_variables=scope.total,
        indexed_variables=0,
        expensive=False,
    )


def tell_evaluated(expression: str, found: Variable) -> answers.EvaluateResponse:
    """Render the value of an expression."""
    seen = view_result(expression, found)
    return answers.EvaluateResponse(
        result=seen.value,
        type=seen.type,
        variables_reference=seen.reference,
        named_variables=seen.named,
        indexed_variables=seen.indexed,
    )


_LAST_FRAME = re.compile(r"^  File .*\n(?:    .*\n)*(?:  \[.*\n)?", re.MULTILINE)


def tell_raised(text: str) -> answers.EvaluateResponse:
    """Render the exception without its traceback."""
    ends = [frame.end() for frame in _LAST_FRAME.finditer(text)]
    told = view_failure(text[ends[-1] :] if ends else text)
    return answers.EvaluateResponse(result=None, type=None, error=told)


def status_of(member: HubSession) -> answers.StatusName:
    status: Status = member.session.status
    return status.value


_EDGES: dict[Edge, answers.EdgeName | None] = {
    Edge.NONE: None,
    Edge.BEGINS: "begins",
    Edge.NOW: "now",
}


def tell_recording(found: RecordingState) -> answers.RecordingResponse:
    return answers.RecordingResponse(
        is_on=found.is_on,
        obstacle=found.obstacle or None,
        moments=found.moments,
        threads=[
            answers.RecordedThreadTold(
                name=each.name, moments=each.moments, first=each.first, last=each.last
            )
            for each in found.threads
        ],
        left_out=found.left_out or None,
        failed=found.failed or None,
        recorder=found.recorder or None,
        slower=found.slower or None,
    )


def _moment(seen: PointView) -> answers.RecordedMoment:
    frame = seen.frame
    location = None
    if frame is not None and frame.place is not None:
        place = frame.place
        location = SourceLocation(
            path=place.path or None, line=place.line, column=place.column, function=frame.name
        )
    return answers.RecordedMoment(
        moment=seen.id,
        when=seen.when,
        thread=seen.thread,
        event=seen.event,
        location=location,
        steps_ago=seen.steps_ago,
    )


def _moment_or_none(found: PointView | None) -> answers.RecordedMoment | None:
    return _moment(found) if found is not None else None


def tell_reached(found: Reached) -> answers.MomentResponse:
    """Render the target of a step."""
    at = _moment(view_point(found.point))
    left_out = found.left_out or None
    return answers.MomentResponse(at=at, edge=_EDGES[found.edge], left_out=left_out)


def tell_past_result(expression: str, found: PastResult) -> answers.RecordedEvaluateResponse:
    """Render the value of an expression."""
    value = tell_evaluated(expression, found.result)
    return answers.RecordedEvaluateResponse(moment=found.moment, value=value)


def tell_untold(why: str) -> answers.RecordedEvaluateResponse:
    """Render the reason why an expression can't be evaluated."""
    value = EvaluateResponse(result=None, type=None, error=why)
    return answers.RecordedEvaluateResponse(moment=None, value=value)


def _value(seen: VariableView | None) -> VariableTold | None:
    return tell_seen(seen) if seen is not None else None


def tell_changes(found: PathChanges) -> answers.ChangesResponse:
    """Render changes, newest first."""
    return answers.ChangesResponse(
        moment=found.moment, changes=[_change(each) for each in view_changes(found)]
    )


def _change(seen: ChangeView) -> answers.ChangeTold:
    return answers.ChangeTold(
        name=seen.name,
        old=_value(seen.old),
        new=_value(seen.new),
        when=seen.when,
        by=_moment_or_none(seen.by),
        since=_moment_or_none(seen.since),
        filled=[
            answers.WriterTold(last=_moment(each.last), count=each.count) for each in seen.filled
        ],
    )


def tell_time(found: Time | None) -> answers.TimeResponse:
    """Render the time at which an expression became true."""
    if found is None:
        return answers.TimeResponse(at=None, by=None, since=None)
    return answers.TimeResponse(at=_seen(found.at), by=_seen(found.by), since=_seen(found.since))


def _seen(found: MomentView | None) -> answers.RecordedMoment | None:
    return _moment(view_point(found)) if found is not None else None


def tell_calls(found: RowsPage) -> answers.CallsResponse:
    """Render calls, oldest first."""
    calls = []
    for row in found.rows:
        assert isinstance(row, RecordedCallView)
        seen = view_call_recorded(row)
        calls.append(
            answers.CallTold(
                function=seen.function,
                begin=_moment(seen.begin),
                arguments=[tell_seen(each) for each in seen.arguments],
                end=_moment_or_none(seen.end),
                result=_value(seen.result),
                has_raised=seen.has_raised,
            )
        )
    return answers.CallsResponse(calls=calls, total=found.total or 0, has_more=found.has_more)


def tell_passes(found: RowsPage) -> answers.PassesResponse:
    """Render moments with values, oldest first."""
    passes = []
    for row in found.rows:
        assert not isinstance(row, RecordedCallView)
        seen = view_pass(row)
        values = [tell_seen(each) for each in seen.values]
        passes.append(answers.PassTold(at=_moment(seen.at), values=values))
    return answers.PassesResponse(passes=passes, has_more=found.has_more)


def tell_output(entry: OutputEntry) -> answers.OutputTold:
    return answers.OutputTold(
        category=entry.category,  # type: ignore[arg-type]
        output=view_entry(entry).output,
        timestamp=make_time(entry.time),
        source=entry.path,
        line=entry.line,
    )


def tell_event(event: FeedEvent) -> answers.EventTold:
    return answers.EventTold(
        seq=event.seq,
        type=event.type.value,
        timestamp=make_time(event.time),
        body=view_event(event),
        origin=event.origin,
    )
