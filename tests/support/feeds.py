"""What tests read of a session's feed."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from tuidbg.session.feed.events import FeedBody, FeedEvent, OutputEntry
from tuidbg.session.feed.feed import Feed
from tuidbg.session.session import Session

BODY = TypeVar("BODY", bound=FeedBody)


def feed_of(session: Session) -> Feed:
    assert session.feed is not None
    return session.feed


def told(session: Session) -> list[FeedEvent]:
    return list(feed_of(session).events_after(0, 100_000).entries)


def bodies(session: Session, kind: type[BODY]) -> list[BODY]:
    return [e.body for e in told(session) if isinstance(e.body, kind)]


def kinds(session: Session) -> list[str]:
    return [str(e.type) for e in told(session)]


def entries(session: Session, category: str | None = None) -> list[OutputEntry]:
    return list(feed_of(session).output_after(0, 100_000, category).entries)


def fields(body: FeedBody) -> dict[str, Any]:
    """A body as a program will see it."""
    found: dict[str, Any] = msgspec.to_builtins(body)
    return found
