"""Output and events in the terms of the contract, as the caller may see them."""

from __future__ import annotations

from tuidbg.api.feed.events import FeedEvent, OutputEntry
from tuidbg.api.operations.events import view_entry, view_event
from tuidbg.api.operations.times import make_time
from tuidbg.api.rest import answers


def tell_output(entry: OutputEntry) -> answers.OutputTold:
    """A piece of output."""
    return answers.OutputTold(
        category=entry.category,  # type: ignore[arg-type]
        output=view_entry(entry).output,
        timestamp=make_time(entry.time),
        source=entry.path,
        line=entry.line,
    )


def tell_event(event: FeedEvent) -> answers.EventTold:
    """An event."""
    return answers.EventTold(
        seq=event.seq,
        type=event.type.value,
        timestamp=make_time(event.time),
        body=view_event(event),
        origin=event.origin,
    )
