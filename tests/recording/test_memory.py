"""A recording is bounded: the oldest goes first, and what lives on is known still."""

from __future__ import annotations

import pytest

from tests.recording.made import counted
from tests.recording.test_file import shown
from tuidbg.recording.base import Base
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.queries.changes import last_change
from tuidbg.recording.queries.when import first_time


@pytest.mark.full
def test_the_newest_moments_are_as_if_nothing_had_gone() -> None:
    whole, bounded = counted(400, length=10), counted(400, length=10, limit=6000)
    timeline = bounded.timeline
    assert timeline.chunks.packed_bytes <= 6000 < whole.timeline.chunks.packed_bytes
    assert timeline.kept_from(0) > 1000
    kept = shown(timeline)
    assert kept == shown(whole.timeline)[-len(kept) :]
    assert len(kept) > 200
    assert timeline.left_out.startswith("The first ")
    assert not whole.timeline.left_out
    assert len(timeline.base.frames) == 1
    assert len(timeline.base.changes) < 10


def test_a_thread_keeps_its_moments_that_are_older_than_those_of_others_that_went() -> None:
    made = counted(400, length=10, limit=6000)
    assert made.timeline.kept_from(0) == next(made.timeline.moments(0)).when
    made.news.thread = 1
    made.now = 5  # it stood there all the time, and its segment comes last
    waits = made.call("waits", 30)
    made.at(waits, 31)
    timeline = made.cut()
    assert timeline.kept_from(1) == 6 < timeline.kept_from(0)
    assert timeline.moment_at(1, 6) is not None


def test_questions_are_answered_from_what_is_left() -> None:
    bounded = counted(400, length=10, limit=6000)
    timeline = bounded.timeline
    total = bounded.key("total")
    (counter,) = [n for n, each in timeline.base.objects.items() if each.type == "Counter"]
    found = last_change(timeline, counter, total, timeline.now)
    assert found is not None
    assert (found.new, found.old) == (399 * 200, 399 * 199)
    hit = first_time(timeline, Expression("counter.total > 79000"), [bounded.code("main")])
    assert hit is not None


def test_what_is_too_much_is_cut_and_said() -> None:
    made = counted(100, length=10)
    base = Base(most=3)
    for chunk in made.timeline.chunks.all[:5]:
        base.fold(chunk, made.timeline.chunks.unpack(chunk))
    base.prune(made.timeline.chunks.all[5:], made.timeline.spaces)
    assert base.cut > 0
    made.timeline.base = base
    made.timeline.base.moments = 5
    assert "not known any more" in made.timeline.left_out
