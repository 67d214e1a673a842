"""Reading a feed page by page: every entry exactly once, whatever the limits; opaque cursors."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuidbg.api.feed.feed import decode_cursor, encode_cursor
from tuidbg.api.feed.log import FeedPage, Ring
from tuidbg.session.model.errors import InvalidCursor

KINDS = ("stdout", "stderr", "console")

entries = st.lists(st.sampled_from(KINDS), max_size=60)
limits = st.lists(st.integers(1, 9), min_size=1, max_size=8)
chosen = st.none() | st.sampled_from(KINDS)


def filled(kinds: list[str], max_entries: int = 1_000, max_bytes: int = 1_000_000) -> Ring[int]:
    ring: Ring[int] = Ring(max_entries, max_bytes)
    for number, kind in enumerate(kinds, start=1):
        ring.append(number, kind, 10)
    return ring


def pages(ring: Ring[int], limits: list[int], kind: str | None) -> Iterator[FeedPage[int]]:
    """All pages, with one limit after the other; the last is the one with nothing after it."""
    position, index = 0, 0
    while True:
        cursor = encode_cursor("sess_1", "output", position)
        page = ring.after(decode_cursor(cursor, "sess_1", "output"), limits[index], kind)
        yield page
        position, index = page.next, (index + 1) % len(limits)
        if not page.has_more:
            return


@pytest.mark.full
@given(entries, limits, chosen)
def test_every_entry_comes_exactly_once(
    kinds: list[str], limits: list[int], kind: str | None
) -> None:
    ring = filled(kinds)
    found = list(pages(ring, limits, kind))
    wanted = [n for n, its in enumerate(kinds, start=1) if kind in (None, its)]
    assert [n for page in found for n in page.entries] == wanted
    assert all(len(page.entries) == limit for page, limit in zip(found[:-1], limits, strict=False))
    assert found[-1].next == ring.last


@pytest.mark.full
@given(entries, entries, limits, chosen)
def test_at_the_end_one_can_go_on_later(
    before: list[str], later: list[str], limits: list[int], kind: str | None
) -> None:
    ring = filled(before)
    *_, last = pages(ring, limits, kind)
    for number, each in enumerate(later, start=len(before) + 1):
        ring.append(number, each, 10)
    page = ring.after(last.next, 1_000, kind)
    wanted = enumerate(later, start=len(before) + 1)
    assert list(page.entries) == [n for n, its in wanted if kind in (None, its)]
    assert not page.has_more


@pytest.mark.full
@given(entries, st.integers(-3, 80), st.integers(1, 20), chosen, st.integers(1, 30))
def test_the_same_position_gives_the_same_again(
    kinds: list[str], position: int, limit: int, kind: str | None, kept: int
) -> None:
    ring = filled(kinds, max_entries=kept)
    page = ring.after(position, limit, kind)
    assert ring.after(position, limit, kind) == page
    assert all(number > position for number in page.entries)
    assert page.next <= ring.last


@pytest.mark.full
@given(entries, st.integers(1, 30), st.integers(0, 60), chosen)
def test_the_oldest_are_dropped_and_counted(
    kinds: list[str], kept: int, position: int, kind: str | None
) -> None:
    ring = filled(kinds, max_entries=kept)
    assert len(ring) == min(kept, len(kinds))
    assert ring.dropped == len(kinds) - len(ring)
    page = ring.after(position, 1_000, kind)
    wanted = [n for n, its in enumerate(kinds, start=1) if kind in (None, its)]
    assert list(page.entries) == [n for n in wanted if n > max(position, ring.dropped)]
    assert page.missed == max(0, ring.dropped - position)


def test_bounded_in_bytes_and_never_empty() -> None:
    ring = filled(["stdout"] * 20, max_bytes=45)
    assert (len(ring), ring.bytes, ring.dropped) == (4, 40, 16)
    ring.append(21, "stdout", 1_000)
    assert (len(ring), ring.dropped) == (1, 20)
    assert ring.after(0, 10).entries == (21,)


@given(st.text(), st.sampled_from(["output", "events"]), st.integers(0, 2**62))
def test_a_cursor_is_a_text_that_fits_an_address(session: str, stream: str, position: int) -> None:
    session = session.encode("utf-8", "replace").decode()[:100]
    cursor = encode_cursor(session, stream, position)
    assert cursor.replace("-", "").replace("_", "").isalnum()
    assert decode_cursor(cursor, session, stream) == position
    assert decode_cursor(cursor + "=" * (-len(cursor) % 4), session, stream) == position


def packed(content: object) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(content)).decode()


WRONG = {
    "empty": "",
    "no base64": "!!!",
    "not ASCII": "é" * 8,
    "half a character": "A",
    "no JSON": base64.b64encode(b"\xff\xfe{").decode(),
    "no object": packed(7),
    "nothing in it": packed({}),
    "another form": packed({"offset": 100}),
    "no number": packed({"session": "sess_1", "stream": "events", "after": "1"}),
    "negative": packed({"session": "sess_1", "stream": "events", "after": -1}),
    "more than there should be": packed(
        {"session": "sess_1", "stream": "events", "after": 1, "more": 1}
    ),
    "another session": encode_cursor("sess_2", "events", 1),
    "another stream": encode_cursor("sess_1", "output", 1),
    "endless": "A" * 100_000,
    "deep": base64.b64encode(b"[" * 700).decode(),
}


@pytest.mark.parametrize("cursor", WRONG.values(), ids=WRONG.keys())
def test_what_is_no_cursor_of_this_stream_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidCursor, match="cursor"):
        decode_cursor(cursor, "sess_1", "events")


@given(st.text())
def test_any_rubbish_is_refused_in_words(rubbish: str) -> None:
    with pytest.raises(InvalidCursor):
        decode_cursor(rubbish, "sess_1", "events")
