"""A session and its parts, redacted for the caller, for all front ends.

Each view is made by one function from the core's value. Secrets are removed here and nowhere else,
so a front end can name the fields as its contract requires and needs no knowledge of secrets. The
caller is set beforehand (``shown_to``).
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from tuidbg.api.auth.callers import Caller
from tuidbg.config.launch import LaunchPlan, TargetKind
from tuidbg.session.core import redaction
from tuidbg.session.core.stack.stop_wording import StopWording, word_stop
from tuidbg.session.core.values.variables import count_parts
from tuidbg.session.features.autopsy import (
    AutopsyFrame,
    AutopsyLine,
    AutopsyReport,
    AutopsyVariable,
    ExceptionPart,
    FrameVariables,
)
from tuidbg.session.hub.api_call_log import ApiCall
from tuidbg.session.hub.members import HubSession, SessionConfig
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    ExceptionState,
    ExitState,
    Frame,
    Place,
    Status,
    Stop,
    StopReason,
    TraceRecord,
    ValueProblem,
    Variable,
    VariableKind,
)


def make_time(seconds: float) -> str:
    """Format seconds since 1970 as ISO 8601 in UTC with milliseconds."""
    told = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return told.removesuffix("+00:00") + "Z"


def view_report(report: AutopsyReport) -> AutopsyReport:
    """Redact a report: it has the messages and values of many frames."""
    if not redaction.hides_names():
        return report
    return replace(
        report,
        exception=_view_part(report.exception),
        stack_trace=redaction.trace(report.stack_trace),
        frames=tuple(_view_frame(frame) for frame in report.frames),
    )


def _view_part(part: ExceptionPart) -> ExceptionPart:
    return replace(
        part,
        message=redaction.words(part.message),
        problem=redaction.words(part.problem),
        notes=tuple(map(redaction.words, part.notes)),
        attributes=_view_all(part.attributes),
        raised_at=_view_line(part.raised_at) if part.raised_at is not None else None,
        members=tuple(map(_view_part, part.members)),
        inner=tuple(map(_view_part, part.inner)),
    )


def _view_line(line: AutopsyLine) -> AutopsyLine:
    return replace(line, source=redaction.words(line.source))


def _view_frame(frame: AutopsyFrame) -> AutopsyFrame:
    return replace(
        frame,
        line=_view_line(frame.line),
        arguments=_view_all(frame.arguments) if frame.arguments is not None else None,
        variables=_view_variables(frame.variables) if frame.variables is not None else None,
    )


def _view_variables(found: FrameVariables) -> FrameVariables:
    errors = found.errors
    if errors is not None:
        errors = tuple(replace(each, problem=redaction.words(each.problem)) for each in errors)
    return replace(found, locals=_view_all(found.locals), errors=errors)


def _view_all(variables: tuple[AutopsyVariable, ...]) -> tuple[AutopsyVariable, ...]:
    return tuple(_view_variable(each) for each in variables)


def _view_variable(found: AutopsyVariable) -> AutopsyVariable:
    name = found.name
    if redaction.looks_secret(name) or redaction.holds_words(name, found.type):
        return replace(found, value=redaction.REDACTED, children_count=None)
    return replace(found, value=redaction.value(found.value))


class View(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all views."""


def shown_to(caller: Caller) -> AbstractContextManager[None]:
    """Redact all views made within for this caller."""
    return redaction.hidden(caller.redact, caller.actor)


def as_sent(answer: Any) -> Any:
    """Redact a whole message before it is sent: values of secret-named keys are hidden."""
    return redaction.sent(answer)


# Sessions


class ProgramView(View, frozen=True):
    """The program of a session."""

    target: str
    is_module: bool
    args: tuple[str, ...]
    cwd: str
    env: dict[str, str]


class SessionView(View, frozen=True):
    """A session. Times are seconds since 1970; ``expires_at`` is None if it never expires."""

    id: str
    name: str
    title: str
    origin: str
    parent_id: str
    status: Status
    failure: str
    exit: ExitState | None
    pid: int | None
    created_at: float
    expires_at: float | None
    config: SessionConfig
    program: ProgramView | None
    breakpoints: int


def view_session(member: HubSession) -> SessionView:
    """Make the view of a session, without its stop."""
    session, program = member.session, member.program
    return SessionView(
        id=member.id,
        name=member.name,
        title=session.plan.title,
        origin=member.origin,
        parent_id=member.parent_id,
        status=session.status,
        failure=session.failure,
        exit=session.exit,
        pid=member.pid,
        created_at=member.created_at,
        expires_at=member.expires_at,
        config=member.config,
        program=view_program(program) if program is not None else None,
        breakpoints=sum(bool(each.path) for each in session.breakpoints.registry),
    )


def view_program(plan: LaunchPlan) -> ProgramView:
    """Redact a program's arguments and the variables added to its environment."""
    return ProgramView(
        target=plan.target,
        is_module=plan.kind is TargetKind.MODULE,
        args=redaction.arguments(plan.args),
        cwd=plan.cwd,
        env=redaction.environment(plan.env),
    )


# Stops


class ExceptionView(View, frozen=True):
    """An exception; ``trace`` is its traceback as text."""

    type: str
    message: str
    break_mode: str
    trace: str


def view_exception(found: ExceptionState) -> ExceptionView:
    """Redact an exception: its message and traceback may contain anything."""
    return ExceptionView(
        type=found.type,
        message=redaction.words(found.message),
        break_mode=found.break_mode,
        trace=redaction.trace(found.stack_trace),
    )


class StopView(View, frozen=True):
    """A stop. ``signal`` is a name such as ``SIGSEGV``; ``wording`` is the reason in words."""

    id: int
    reason: StopReason
    adapter_reason: str
    thread_id: int
    hit_breakpoints: tuple[int, ...]
    wording: StopWording
    signal: str
    exception: ExceptionView | None


def view_stop(stop: Stop) -> StopView:
    """Redact a stop: its description may quote the program, except for a plain signal."""
    exception, shown = stop.exception, stop
    is_plain = bool(stop.signal) and (exception is None or exception.type == stop.signal)
    seen = view_exception(exception) if exception is not None else None
    if seen is not None and exception is not None and is_plain:
        seen = msgspec.structs.replace(seen, message=exception.message)
    if redaction.withholds_texts():
        shown = _without_words(stop, seen, is_plain=is_plain)
    return StopView(
        id=stop.id,
        reason=stop.reason,
        adapter_reason=stop.adapter_reason,
        thread_id=stop.thread_id,
        hit_breakpoints=stop.hit_breakpoints,
        wording=word_stop(shown),
        signal=stop.signal,
        exception=seen,
    )


def _without_words(stop: Stop, seen: ExceptionView | None, *, is_plain: bool) -> Stop:
    """Redact the texts from which the wording is made."""
    exception = stop.exception
    if exception is not None and seen is not None:
        exception = msgspec.structs.replace(exception, message=seen.message)
    return msgspec.structs.replace(
        stop,
        exception=exception,
        problem=redaction.words(stop.problem),
        description=stop.description if is_plain else redaction.words(stop.description),
        text=stop.text if is_plain else redaction.words(stop.text),
    )


class FrameView(View, frozen=True):
    """A frame; ``place`` is None without source, ``remark`` says what is unusual."""

    index: int
    name: str
    place: Place | None
    module: str
    is_subtle: bool
    remark: str
    address: int | None


def view_frame(frame: Frame) -> FrameView:
    """Redact a frame: the remark on a frame of an earlier exception quotes it."""
    return FrameView(
        index=frame.index,
        name=frame.name,
        place=frame.place,
        module=frame.module,
        is_subtle=frame.subtle,
        remark=redaction.words(frame.remark) if frame.is_earlier else frame.remark,
        address=frame.address,
    )


# Values


class VariableView(View, frozen=True):
    """A variable. A hidden one has no ``reference`` and so no children.

    ``total`` counts the children, as far as known, ``named`` and ``indexed`` those by name and by
    number; ``evaluate_name`` is an expression for it.
    """

    name: str
    value: str
    type: str
    evaluate_name: str
    reference: int
    total: int
    named: int
    indexed: int
    size: str
    kind: VariableKind
    problem: ValueProblem
    truncated: bool
    memory_reference: str

    @property
    def shown(self) -> str:
        """The value, or why there is none."""
        return self.value or self.problem.value


def view_variable(found: Variable) -> VariableView:
    """Redact a variable: a secret-named one shows nothing."""
    return _view(redaction.variable(found))


def view_result(expression: str, found: Variable) -> VariableView:
    """Redact the value of an expression by the same rules as a variable."""
    return _view(redaction.evaluated(expression, found))


def _view(shown: Variable) -> VariableView:
    named, indexed = count_parts(shown)
    return VariableView(
        name=shown.name,
        value=shown.value,
        type=shown.type,
        evaluate_name=shown.evaluate_name,
        reference=shown.reference,
        total=shown.total,
        named=named,
        indexed=indexed,
        size=shown.size,
        kind=shown.kind,
        problem=shown.problem,
        truncated=shown.truncated,
        memory_reference=shown.memory_reference,
    )


# Breakpoints


class BreakpointView(View, frozen=True):
    """A breakpoint: its settings and its state."""

    number: int
    uuid: str
    kind: BreakpointKind
    path: str
    line: int
    function: str
    address: int | None
    places: tuple[Place, ...]
    enabled: bool
    is_set: bool
    is_pending: bool
    condition: str
    hit_condition: str
    ignore_count: int
    log_message: str
    is_trace: bool
    exception_type: str
    message: str
    hits: int
    errors: int


def view_breakpoint(found: Breakpoint) -> BreakpointView:
    """Redact a breakpoint: its texts are its author's, and its message may quote a failure."""
    return BreakpointView(
        number=found.number,
        uuid=found.uuid,
        kind=found.kind,
        path=found.path,
        line=found.line,
        function=found.function,
        address=found.address,
        places=found.places,
        enabled=found.enabled,
        is_set=found.status is BreakpointStatus.SET,
        is_pending=found.status is BreakpointStatus.PENDING,
        condition=redaction.code(found.condition),
        hit_condition=found.hit_condition,
        ignore_count=found.ignore_count,
        log_message=redaction.words(found.log_message),
        is_trace=found.trace,
        exception_type=found.exception.type if found.exception is not None else "",
        message=redaction.words(found.message) if found.errors else found.message,
        hits=found.hits,
        errors=found.errors,
    )


# Texts


def view_output(text: str, *, is_secret: bool = False) -> str:
    """Redact output of the program or of a log point."""
    return redaction.words(text, is_secret=is_secret)


def view_record(record: TraceRecord) -> TraceRecord:
    """Redact a line of a log point or tracepoint."""
    text = redaction.values(record.text, are_secret=record.are_secret)
    return msgspec.structs.replace(record, text=text)


def view_source(text: str) -> str:
    """Redact source text."""
    return redaction.words(text)


def shows_source() -> bool:
    """Whether any source may be shown; otherwise it need not be read."""
    return not redaction.withholds_texts()


def view_expression(expression: str) -> str:
    """Redact an expression, possibly of another author."""
    return redaction.code(expression)


def view_failure(text: str) -> str:
    """Redact the text of a raised exception, which ends with ``Type: message``."""
    return redaction.raised(text)


def view_untold(expression: str, text: str) -> str:
    """Redact the reason why an expression can't be evaluated: it may quote a value."""
    return redaction.result(expression, text)


def view_raw(text: str) -> str:
    """Redact bytes of memory, in any notation."""
    return redaction.words(text)


def view_sentence(text: str) -> str:
    """Redact a sentence of tuidbg's own, in which values may follow their names."""
    return redaction.result("", text)


def view_call(call: ApiCall) -> ApiCall:
    """Redact an API call and its result."""
    return msgspec.structs.replace(
        call,
        arguments=redaction.call(call.actor, call.arguments),
        result=redaction.call(call.actor, call.result),
    )


REDACTED_SOURCE = [redaction.REDACTED]
"""Replacement for the lines around a place where source is hidden."""
