"""From the core's values to those of the contract."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from tuidbg.api.feed.rendering import breakpoint_id
from tuidbg.api.operations.times import make_time
from tuidbg.api.operations.views import (
    BreakpointView,
    ProgramView,
    SessionView,
    VariableView,
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
from tuidbg.config.launch import LaunchPlan
from tuidbg.session.control import Outcome
from tuidbg.session.serving.members import Member
from tuidbg.session.state import (
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


def tell_created(member: Member) -> answers.SessionCreated:
    """A new session."""
    seen = view_session(member)
    return answers.SessionCreated(
        session_id=seen.id,
        name=seen.name,
        status=seen.status.value,
        created_at=make_time(seen.created_at),
        expires_at=_time_or_none(seen.expires_at),
        config=_tell_config(seen),
    )


def tell_summary(member: Member) -> answers.SessionSummary:
    """One line of the list."""
    seen = view_session(member)
    return answers.SessionSummary(
        session_id=seen.id,
        name=seen.name,
        status=seen.status.value,
        created_at=make_time(seen.created_at),
        program=seen.program.target if seen.program is not None else None,
        parent_id=seen.parent_id or UNSET,
    )


def tell_session(member: Member, outcome: Outcome) -> answers.SessionResponse:
    """All of a session; ``outcome`` is where its program stands."""
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


def tell_launched(member: Member, plan: LaunchPlan) -> answers.Launched:
    """A program that was started."""
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
    """Returns where a frame stands."""
    if frame is None or frame.place is None:
        return None
    place = frame.place
    return answers.SourceLocation(
        path=place.path or None, line=place.line, column=place.column, function=frame.name
    )


def tell_pause(member: Member, outcome: Outcome) -> answers.PauseResponse:
    """Returns where it was paused."""
    stop = outcome.stop
    return answers.PauseResponse(
        session_id=member.id,
        status=outcome.status.value,
        stop_reason=stop.reason.value if stop is not None else None,
        current_location=tell_location(outcome.frame),
    )


def tell_step(member: Member, outcome: Outcome) -> answers.StepResponse:
    """Returns where a step ended."""
    thread_id = outcome.stop.thread_id if outcome.stop is not None else None
    return answers.StepResponse(**asdict(tell_pause(member, outcome)), thread_id=thread_id)


def tell_step_out(
    member: Member, outcome: Outcome, returned: Variable | None
) -> answers.StepOutResponse:
    """Returns where a step out ended, with what came back."""
    value = None
    if returned is not None:
        seen = view_variable(returned)
        value = answers.ReturnValue(type=seen.type, value=seen.value)
    return answers.StepOutResponse(**asdict(tell_step(member, outcome)), return_value=value)


# Breakpoints

_PAST_END = re.compile(r"line \d+ is past the last line of code")


def tell_breakpoint(found: Breakpoint) -> answers.BreakpointSet:
    """A breakpoint as it was set."""
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
    """A breakpoint with its hits."""
    return answers.BreakpointListed(**asdict(tell_breakpoint(found)), hit_count=found.hits)


def _message(found: BreakpointView) -> str | None:
    """Say what one that is not set yet waits for: an agent should know."""
    message = found.message
    if found.is_pending and found.enabled and not message:
        return "Waits for the program to be launched"
    if _PAST_END.match(message):
        message = f"no executable code at line {found.line}: {message}"
    return message[:1].upper() + message[1:] or None


# Inspection


def tell_frame(frame: Frame) -> answers.FrameTold:
    """A frame."""
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
    """A variable."""
    return tell_seen(view_variable(variable))


def tell_seen(seen: VariableView) -> answers.VariableTold:
    """A value as the caller may see it."""
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
    """A thread; ``stop`` is where the program stands."""
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
    """A scope."""
    return answers.ScopeTold(
        name=scope.name,
        presentation_hint=_SCOPE_HINTS.get(scope.name),
        variables_reference=scope.reference,
        named_variables=scope.total,
        indexed_variables=0,
        expensive=False,
    )


def tell_evaluated(expression: str, found: Variable) -> answers.EvaluateResponse:
    """Tell what an expression gave."""
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
    """That it raised: the exception, without the way to it."""
    ends = [frame.end() for frame in _LAST_FRAME.finditer(text)]
    told = view_failure(text[ends[-1] :] if ends else text)
    return answers.EvaluateResponse(result=None, type=None, error=told)


def status_of(member: Member) -> answers.StatusName:
    """The session's status."""
    status: Status = member.session.status
    return status.value
