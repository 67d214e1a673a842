"""Renders what the bridge tells of frames, variables, watches and stops, field by field."""

from __future__ import annotations

from typing import Any

from tuidbg.api.operations.views import (
    StopView,
    view_expression,
    view_failure,
    view_frame,
    view_result,
    view_stop,
    view_variable,
)
from tuidbg.session.control import Outcome
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Frame, Variable
from tuidbg.session.values.watch_values import WatchResult

Payload = dict[str, Any]


def render_frame(frame: Frame) -> Payload:
    """Of a stack."""
    seen = view_frame(frame)
    place = seen.place
    return {
        "frame_index": seen.index,
        "function": seen.name,
        "file": place.path if place is not None else "",
        "line": place.line if place is not None else 0,
    }


def render_watch(result: WatchResult) -> Payload:
    """A watch that gives no value tells why in its place."""
    expression = result.watch.expression
    if result.variable is not None:
        told = view_result(expression, result.variable).value
    else:
        told = view_failure(result.error)
    return {"expression": view_expression(expression), "result": told}


def render_variable(variable: Variable) -> Payload:
    """With the reference that ``variables`` takes; 0 where nothing is in it."""
    seen = view_variable(variable)
    return {
        "name": seen.name,
        "type": seen.type,
        "value": seen.value,
        "variablesReference": seen.reference,
    }


def render_outcome(member: Member, outcome: Outcome) -> Payload:
    """Returns where the program stands: its stop, or how it has ended."""
    payload: Payload = {"status": outcome.status}
    if outcome.stop is not None:
        payload["stop"] = _stop(view_stop(outcome.stop))
        if outcome.frame is not None:
            payload["frame"] = render_frame(outcome.frame)
    elif (end := member.session.exit) is not None:
        payload["exit_code"] = end.code
    return payload


def _stop(stop: StopView) -> Payload:
    return {"reason": stop.reason, "description": stop.wording.line, "thread_id": stop.thread_id}
