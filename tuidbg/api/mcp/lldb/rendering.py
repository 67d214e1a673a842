"""Rendering of breakpoints, frames and processes with the field names of the set ``lldb``."""

from __future__ import annotations

from tuidbg.api.mcp.lldb.dialect import tell_address
from tuidbg.api.mcp.refusals import cut
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.operations.views import BreakpointView, view_breakpoint, view_frame, view_stop
from tuidbg.session.core.control import StepResult
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    Frame,
    Place,
    Status,
    Stop,
    StopReason,
)

_STATES = {
    Status.CREATED: "none",
    Status.LAUNCHING: "launching",
    Status.RUNNING: "running",
    Status.PAUSED: "stopped",
    Status.TERMINATED: "exited",
    Status.FAILED: "exited",
}

OF_CODE = (BreakpointKind.LINE, BreakpointKind.FUNCTION, BreakpointKind.ADDRESS)
"""The code breakpoints; data breakpoints are called watchpoints in this set."""


def tell_state(member: HubSession) -> str:
    """Return ``stopped``, ``running``, ``exited``, ``launching`` or ``none``."""
    return _STATES[member.session.status]


def tell_process(member: HubSession) -> Payload:
    """Render the process, and its end if it has ended."""
    told: Payload = {"pid": member.pid, "state": tell_state(member)}
    exit_state = member.session.exit
    if exit_state is not None and not exit_state.runs_on:
        told["exitCode"] = exit_state.code
        if exit_state.signal:
            told["signal"] = exit_state.signal
    if member.session.status is Status.FAILED:
        told["message"] = member.session.failure
    return told


# Breakpoints


def tell_set(found: Breakpoint) -> Payload:
    """Render the answer of ``lldb_setBreakpoint``."""
    return {
        "id": found.number,
        "locations": [
            {name: value for name, value in each.items() if name != "resolved" or not value}
            for each in tell_locations(found)
        ],
        "enabled": found.enabled,
    }


def tell_listed(found: Breakpoint) -> Payload:
    """Render an entry of the list."""
    seen = view_breakpoint(found)
    return {
        "id": seen.number,
        "enabled": seen.enabled,
        "hitCount": seen.hits,
        "ignoreCount": seen.ignore_count,
        "condition": seen.condition or None,
        "locations": tell_locations(found),
    }


def tell_updated(found: Breakpoint) -> Payload:
    """Render the answer of ``lldb_updateBreakpoint``."""
    seen = view_breakpoint(found)
    return {
        "id": seen.number,
        "enabled": seen.enabled,
        "ignoreCount": seen.ignore_count,
        "condition": seen.condition or None,
    }


def tell_locations(found: Breakpoint) -> list[Payload]:
    """Return the resolved locations; before the launch the requested one, ``resolved`` false."""
    seen = view_breakpoint(found)
    if seen.is_set and seen.places:
        return [_tell_location(seen, place) for place in seen.places]
    told: Payload = {}
    if seen.address is not None:
        told["address"] = tell_address(seen.address)
    if seen.function:
        told["symbol"] = seen.function
    elif seen.path:
        told |= {"file": seen.path, "line": seen.line}
    why = {"message": seen.message} if seen.message and not seen.is_set else {}
    return [{**told, "resolved": seen.is_set, **why}]


def _tell_location(found: BreakpointView, place: Place) -> Payload:
    told: Payload = {}
    address = place.address if place.address is not None else found.address
    if address is not None:
        told["address"] = tell_address(address)
    if found.function:
        told["symbol"] = found.function
    if place.path and not place.reference:
        told |= {"file": place.path, "line": place.line}
    return {**told, "resolved": True}


# Stops


def tell_frame(frame: Frame) -> Payload:
    """Render a frame of a stack."""
    seen = view_frame(frame)
    told: Payload = {"index": seen.index, "function": seen.name}
    if seen.place is not None and not seen.place.reference:
        told |= {"file": seen.place.path, "line": seen.place.line}
    if seen.address is not None:
        told["address"] = tell_address(seen.address)
    if seen.module:
        told["module"] = seen.module
    return told


def tell_reason(stop: Stop) -> str:
    """Return a thread's stop reason in LLDB's terms."""
    if stop.adapter_reason == "data breakpoint":
        return "watchpoint"
    if stop.reason is StopReason.EXCEPTION:
        return "signal" if stop.signal else "exception"
    if stop.other_reason:
        return stop.other_reason
    return stop.reason.value


def tell_stop(stop: Stop, most: int) -> Payload:
    """Render a stop: thread, reason and description."""
    seen = view_stop(stop)
    told: Payload = {"id": seen.thread_id, "stopReason": tell_reason(stop)}
    if seen.hit_breakpoints:
        told["breakpointIds"] = list(seen.hit_breakpoints)
    if seen.reason is StopReason.EXCEPTION:
        message = seen.exception.message if seen.exception is not None else ""
        told["description"] = cut(message or seen.wording.account, most)
    if seen.wording.problem:
        told["problem"] = seen.wording.problem
    return told


def tell_outcome(member: HubSession, outcome: StepResult, most: int) -> Payload:
    """Render the stop after a step, or the process if it is running or ended."""
    if outcome.stop is None:
        return {"process": tell_process(member)}
    told: Payload = {"thread": tell_stop(outcome.stop, most)}
    if outcome.frame is not None:
        told["frame"] = tell_frame(outcome.frame)
    return told
