"""Output and events, redacted for their caller."""

from __future__ import annotations

import msgspec

from tuidbg.api.feed.events import (
    BreakpointBody,
    ExceptionInfo,
    FeedBody,
    FeedEvent,
    OutputEntry,
    OutputFeedBody,
    StoppedFeedBody,
)
from tuidbg.session.core import redaction
from tuidbg.session.core.stack.stop_wording import describe_reason


def view_entry(entry: OutputEntry) -> OutputEntry:
    """Redact a piece of output."""
    output = redaction.words(entry.output, is_secret=entry.is_secret)
    return msgspec.structs.replace(entry, output=output)


def view_event(event: FeedEvent) -> FeedBody:
    """Return an event's body, redacted."""
    body = event.body
    if isinstance(body, OutputFeedBody):
        output = redaction.words(body.output, is_secret=event.is_secret)
        return msgspec.structs.replace(body, output=output)
    if not redaction.withholds_texts():
        return body
    match body:
        case StoppedFeedBody(exception_info=ExceptionInfo() as info):
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
        case StoppedFeedBody():
            said = redaction.words(body.text or "") or None
            plain = describe_reason(body.reason)
            return msgspec.structs.replace(body, description=plain, text=said)
        case BreakpointBody(breakpoint=found):
            told = msgspec.structs.replace(
                found, message=redaction.words(found.message or "") or None
            )
            return msgspec.structs.replace(body, breakpoint=told)
    return body
