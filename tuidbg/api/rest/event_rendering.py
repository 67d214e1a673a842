"""Output and events in the terms of the contract, as the caller may see them."""

from __future__ import annotations

import msgspec

from tuidbg.api.feed.events import (
    BreakpointBody,
    ExceptionInfo,
    FeedBody,
    FeedEvent,
    OutputBody,
    OutputEntry,
    StoppedBody,
)
from tuidbg.api.rest import answers
from tuidbg.api.rest.envelope import make_time
from tuidbg.session import redaction


def tell_output(entry: OutputEntry) -> answers.OutputTold:
    """A piece of output."""
    return answers.OutputTold(
        category=entry.category,  # type: ignore[arg-type]
        output=redaction.words(entry.output),
        timestamp=make_time(entry.time),
        source=entry.path,
        line=entry.line,
    )


def tell_event(event: FeedEvent) -> answers.EventTold:
    """An event."""
    body = _without_words(event.body) if redaction.is_on() else event.body
    return answers.EventTold(
        seq=event.seq,
        type=event.type.value,
        timestamp=make_time(event.time),
        body=body,
        origin=event.origin,
    )


def _without_words(body: FeedBody) -> FeedBody:
    """A body without what is the program's own text, or others'."""
    match body:
        case OutputBody():
            return msgspec.structs.replace(body, output=redaction.words(body.output))
        case StoppedBody(exception_info=ExceptionInfo() as info):
            details = msgspec.structs.replace(
                info.details,
                message=redaction.words(info.details.message),
                stack_trace=redaction.trace(info.details.stack_trace),
            )
            info = msgspec.structs.replace(
                info, description=redaction.words(info.description), details=details
            )
            text = f"{details.type_name}: {redaction.REDACTED}"
            return msgspec.structs.replace(body, text=text, exception_info=info)
        case StoppedBody():
            said = redaction.words(body.text or "") or None
            return msgspec.structs.replace(body, description=f"Paused on {body.reason}", text=said)
        case BreakpointBody(breakpoint=found):
            told = msgspec.structs.replace(
                found, message=redaction.words(found.message or "") or None
            )
            return msgspec.structs.replace(body, breakpoint=told)
    return body
