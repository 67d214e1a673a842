"""Events of a session in DAP's terms, as clients read them."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

from msgspec import UNSET, UnsetType

from tuidbg.session.core.stack.stop_wording import word_stop
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    ExceptionState,
    ExitState,
    StateValue,
    Stop,
    StopReason,
)

if TYPE_CHECKING:
    from tuidbg.dap.types import Module
    from tuidbg.session.core.session import Session


class EventType(StrEnum):
    STOPPED = "stopped"
    CONTINUED = "continued"
    TERMINATED = "terminated"
    OUTPUT = "output"
    BREAKPOINT = "breakpoint"
    THREAD = "thread"
    MODULE = "module"


class FeedBody(StateValue, frozen=True):
    """Base of all event bodies; ``type`` is the event's."""

    type: ClassVar[EventType]


class ExceptionInfoDetails(StateValue, frozen=True):
    """Details of the exception's value."""

    type_name: str
    full_type_name: str
    message: str
    stack_trace: str


class ExceptionInfo(StateValue, frozen=True):
    """The exception of a stop."""

    exception_id: str
    description: str
    break_mode: str
    details: ExceptionInfoDetails


class StoppedFeedBody(FeedBody, frozen=True):
    """The program is paused. ``hit_breakpoint_ids`` are ``bp_N``."""

    type: ClassVar[EventType] = EventType.STOPPED

    reason: str
    description: str
    thread_id: int
    preserve_focus_hint: bool = False
    text: str | None = None
    all_threads_stopped: bool = True
    hit_breakpoint_ids: tuple[str, ...] = ()
    exception_info: ExceptionInfo | UnsetType = UNSET


class ContinuedFeedBody(FeedBody, frozen=True):
    """The program runs again."""

    type: ClassVar[EventType] = EventType.CONTINUED

    thread_id: int
    all_threads_continued: bool = True


class TerminatedBody(FeedBody, frozen=True):
    """A run has ended. ``exit_code`` is None if it is unknown."""

    type: ClassVar[EventType] = EventType.TERMINATED

    exit_code: int | None
    restart: bool = False
    error: str | UnsetType = UNSET


class OutputFeedBody(FeedBody, frozen=True):
    """A piece of output."""

    type: ClassVar[EventType] = EventType.OUTPUT

    category: str
    output: str
    source: str | None = None
    line: int | None = None
    column: int | None = None


class BreakpointInfo(StateValue, frozen=True):
    """A breakpoint in an event; ``id`` is ``bp_N``."""

    id: str
    verified: bool
    line: int | None
    message: str | None


class BreakpointBody(FeedBody, frozen=True):
    """A breakpoint is ``new``, ``changed`` or ``removed``."""

    type: ClassVar[EventType] = EventType.BREAKPOINT

    reason: str
    breakpoint: BreakpointInfo


class ThreadFeedBody(FeedBody, frozen=True):
    """A thread has ``started`` or ``exited``."""

    type: ClassVar[EventType] = EventType.THREAD

    reason: str
    thread_id: int


class ModuleInfo(StateValue, frozen=True):
    """A module of the program; ``id`` is the adapter's."""

    id: int | str
    name: str
    path: str | None
    is_optimized: bool
    is_user_code: bool
    version: str | None


class ModuleBody(FeedBody, frozen=True):
    """A module is ``new``."""

    type: ClassVar[EventType] = EventType.MODULE

    reason: str
    module: ModuleInfo


class FeedEvent(StateValue, frozen=True):
    """One event. ``seq`` counts from 1 without gaps, ``time`` is seconds since 1970.

    ``origin`` is the cause: ``tui``, ``rest``, ``program``, ``adapter``, ``session``... An event
    that ``is_secret`` contains the value of a secret.
    """

    seq: int
    time: float
    origin: str
    body: FeedBody
    is_secret: bool = False

    @property
    def type(self) -> EventType:
        """The event type."""
        return self.body.type


class OutputEntry(StateValue, frozen=True):
    """A piece of output as it arrived, with its line ends.

    ``number`` counts from 1, ``time`` is seconds since 1970. ``category`` is ``stdout``, ``stderr``
    or ``console``; ``path`` and ``line`` are where it was written, if known. A piece that
    ``is_secret`` contains the value of a secret.
    """

    number: int
    category: str
    output: str
    time: float
    path: str | None = None
    line: int | None = None
    is_secret: bool = False


_OWN_REASONS = {
    StopReason.BREAKPOINT: ("function breakpoint", "data breakpoint"),
    StopReason.STEP: ("goto",),
}
"""The adapter's reasons that are passed on as they are."""

_BY_KIND = {
    BreakpointKind.FUNCTION: "function breakpoint",
    BreakpointKind.DATA: "data breakpoint",
}


def breakpoint_id(number: int) -> str:
    """Return a breakpoint's id in the API."""
    return f"bp_{number}"


def render_stop(session: Session, stop: Stop) -> StoppedFeedBody:
    """Render a stop, with its exception as far as that is known."""
    reason = _reason(session, stop)
    description, text = word_stop(stop).paused_on(reason)
    exception_info: ExceptionInfo | UnsetType = UNSET
    if stop.reason is StopReason.EXCEPTION and stop.exception is not None:
        exception_info = render_exception(stop.exception, session.exceptions.seen)
    return StoppedFeedBody(
        reason=reason,
        description=description,
        thread_id=stop.thread_id,
        text=text or None,
        all_threads_stopped=stop.all_threads_stopped,
        hit_breakpoint_ids=tuple(breakpoint_id(number) for number in stop.hit_breakpoints),
        exception_info=exception_info,
    )


def _reason(session: Session, stop: Stop) -> str:
    if stop.other_reason:
        return stop.other_reason
    if stop.adapter_reason in _OWN_REASONS.get(stop.reason, ()):
        return stop.adapter_reason
    if stop.reason is StopReason.BREAKPOINT:
        found = (session.breakpoints.registry.look_up(number) for number in stop.hit_breakpoints)
        kinds = {each.kind for each in found if each is not None}
        if len(kinds) == 1:
            return _BY_KIND.get(kinds.pop(), str(stop.reason))
    return str(stop.reason)


def render_exception(exception: ExceptionState, seen: Iterable[str] = ()) -> ExceptionInfo:
    """Render an exception. ``seen`` are full names of types that the program has raised."""
    return ExceptionInfo(
        exception_id=exception.type,
        description=exception.message,
        break_mode=exception.break_mode,
        details=ExceptionInfoDetails(
            type_name=exception.type,
            full_type_name=_full_name(exception.type, seen),
            message=exception.message,
            stack_trace=exception.stack_trace,
        ),
    )


def _full_name(name: str, seen: Iterable[str]) -> str:
    """Add the module where it is known: debugpy reports the bare name."""
    found = {each for each in seen if each == name or each.endswith(f".{name}")}
    if len(found) == 1:
        name = found.pop()
    is_builtin = "." not in name and isinstance(getattr(builtins, name, None), type)
    return f"builtins.{name}" if is_builtin and len(found) == 0 else name


def render_end(exit_state: ExitState, failure: str = "") -> TerminatedBody:
    """Render the end of a run, with its error."""
    error = failure
    if not error and exit_state.signal:
        error = f"Process was killed ({exit_state.signal})"
    elif not error and exit_state.code:
        error = f"Process exited with code {exit_state.code}"
    return TerminatedBody(exit_code=exit_state.code, error=error or UNSET)


def render_breakpoint(found: Breakpoint) -> BreakpointInfo:
    return BreakpointInfo(
        id=breakpoint_id(found.number),
        verified=found.status is BreakpointStatus.SET,
        line=found.line or None,
        message=found.message or None,
    )


def render_module(session: Session, module: Module) -> ModuleInfo:
    """Render a module; if the adapter does not say whether it is user code, tuidbg decides."""
    is_user_code = module.is_user_code
    if is_user_code is None:
        is_user_code = bool(module.path) and not session.sources.is_library(module.path or "")
    return ModuleInfo(
        id=module.id,
        name=module.name,
        path=module.path,
        is_optimized=bool(module.is_optimized),
        is_user_code=is_user_code,
        version=module.version,
    )
