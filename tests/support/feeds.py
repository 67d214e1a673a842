"""Reads what a session's feed holds, for tests."""

from __future__ import annotations

from typing import Any, TypeVar
from weakref import ReferenceType, WeakKeyDictionary, ref

import msgspec

from tuidbg.api.feed.events import FeedBody, FeedEvent, OutputEntry
from tuidbg.api.feed.feed import Feed
from tuidbg.session.core.session import Session

BODY = TypeVar("BODY", bound=FeedBody)


_FEEDS: WeakKeyDictionary[Session, ReferenceType[Feed]] = WeakKeyDictionary()


def follow(session: Session) -> Feed:
    """Make the feed that the functions below read, in place of the one before."""
    feed = Feed(session)
    _FEEDS[session] = ref(feed)
    return feed


def feed_of(session: Session) -> Feed:
    feed = _FEEDS[session]()
    assert feed is not None
    return feed


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
