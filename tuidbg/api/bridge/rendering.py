"""What the bridge tells of frames, variables, watches and stops, field by field (R002-13..26)."""

from __future__ import annotations

from typing import Any

from tuidbg.session import redaction
from tuidbg.session.control import Outcome
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Frame, Stop, Variable
from tuidbg.session.values.watch_values import WatchResult

Payload = dict[str, Any]


def render_frame(frame: Frame) -> Payload:
    """Of a stack."""
    place = frame.place
    return {
        "frame_index": frame.index,
        "function": frame.name,
        "file": place.path if place is not None else "",
        "line": place.line if place is not None else 0,
    }


def render_watch(result: WatchResult) -> Payload:
    """A watch that gives no value tells why in its place."""
    expression = result.watch.expression
    if result.variable is not None:
        told = redaction.evaluated(expression, result.variable).value
    else:
        told = redaction.raised(result.error)
    return {"expression": redaction.code(expression), "result": told}


def render_variable(variable: Variable) -> Payload:
    """With the reference that ``variables`` takes; 0 where nothing is in it."""
    variable = redaction.variable(variable)
    return {
        "name": variable.name,
        "type": variable.type,
        "value": variable.value,
        "variablesReference": variable.reference,
    }


def render_outcome(member: Member, outcome: Outcome) -> Payload:
    """Where the program stands: its stop, or how it has ended."""
    payload: Payload = {"status": outcome.status}
    if outcome.stop is not None:
        payload["stop"] = _stop(outcome.stop)
        if outcome.frame is not None:
            payload["frame"] = render_frame(outcome.frame)
    elif (end := member.session.exit) is not None:
        payload["exit_code"] = end.code
    return payload


def _stop(stop: Stop) -> Payload:
    exception = stop.exception
    if exception is not None:
        told = f"{exception.type}: {redaction.words(exception.message)}"
    else:
        said = stop.problem or stop.description or stop.text
        told = redaction.words(said) or str(stop.reason)
    return {"reason": stop.reason, "description": told, "thread_id": stop.thread_id}
