"""From the session's own words to those that programs read."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType

from tuidbg.api.feed.events import (
    BreakpointInfo,
    ExceptionInfo,
    ExceptionInfoDetails,
    ModuleInfo,
    StoppedBody,
    TerminatedBody,
)
from tuidbg.session.stack.stop_wording import word_stop
from tuidbg.session.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    ExceptionState,
    ExitState,
    Stop,
    StopReason,
)

if TYPE_CHECKING:
    from tuidbg.dap.types import Module
    from tuidbg.session.session import Session

_OWN_REASONS = {
    StopReason.BREAKPOINT: ("function breakpoint", "data breakpoint"),
    StopReason.STEP: ("goto",),
}
"""Holds what a reason is told as where the adapter said so."""

_BY_KIND = {
    BreakpointKind.FUNCTION: "function breakpoint",
    BreakpointKind.DATA: "data breakpoint",
}


def breakpoint_id(number: int) -> str:
    """Returns what programs call a breakpoint."""
    return f"bp_{number}"


def render_stop(session: Session, stop: Stop) -> StoppedBody:
    """A stop, with its exception as far as that is known."""
    reason = _reason(session, stop)
    description, text = word_stop(stop).paused_on(reason)
    exception_info: ExceptionInfo | UnsetType = UNSET
    if stop.reason is StopReason.EXCEPTION and stop.exception is not None:
        exception_info = render_exception(stop.exception, session.exceptions.seen)
    return StoppedBody(
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
    """An exception. ``seen`` are full names of types that the program has raised."""
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
    """With the module, where that can be known: debugpy tells the bare name."""
    found = {each for each in seen if each == name or each.endswith(f".{name}")}
    if len(found) == 1:
        name = found.pop()
    is_builtin = "." not in name and isinstance(getattr(builtins, name, None), type)
    return f"builtins.{name}" if is_builtin and len(found) == 0 else name


def render_end(exit_state: ExitState, failure: str = "") -> TerminatedBody:
    """The end of a run, with what went wrong."""
    error = failure
    if not error and exit_state.signal:
        error = f"Process was ended by {exit_state.signal}"
    elif not error and exit_state.code:
        error = f"Process exited with code {exit_state.code}"
    return TerminatedBody(exit_code=exit_state.code, error=error or UNSET)


def render_breakpoint(found: Breakpoint) -> BreakpointInfo:
    """Returns what an event tells of a breakpoint."""
    return BreakpointInfo(
        id=breakpoint_id(found.number),
        verified=found.status is BreakpointStatus.SET,
        line=found.line or None,
        message=found.message or None,
    )


def render_module(session: Session, module: Module) -> ModuleInfo:
    """A module; whose it is, is ours to say where the adapter does not."""
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
