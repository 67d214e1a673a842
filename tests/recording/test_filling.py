"""Who wrote into a container, what lies between two looks, and what is not known there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from tests.recording.made import Made
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.reader import MomentReader, NotKnown
from tuidbg.recording.queries.changes import Changed, all_changes, last_change
from tuidbg.recording.segment import INDEX, LENGTH, SPAN, UNBOUND, UNKNOWN
from tuidbg.recording.timeline import Moment, RecordedFrame, Timeline
from tuidbg.recording.values import ValuesAt
from tuidbg.session.features.recording.queries import (
    HasTimeline,
    RecordingQueries,
    RecordingWording,
)


def asked(timeline: Timeline) -> tuple[RecordingQueries, RecordingWording, RecordedFrame, Moment]:
    past = cast(HasTimeline, SimpleNamespace(timeline=timeline))
    moment = timeline.last(0)
    assert moment is not None
    return RecordingQueries(past), RecordingWording(past), timeline.stack(moment)[0], moment


def filled(rounds: int) -> Made:
    """``main`` makes an empty list (10) and appends to it (12) in a loop (11), then it is named."""
    made = Made()
    main = made.call("main", 10)
    rows = made.object("l", "list", [])
    made.at(main, 11, rows=[rows])
    for n in range(rounds):
        made.at(main, 12, n=n)
        made.change(rows, LENGTH, n + 1)
        made.change(rows, INDEX + n, n * n)
        made.at(main, 11)
        if n % 50 == 49:
            made.cut()
    made.at(main, 13)
    made.change(rows, INDEX, -1)
    made.at(main, 14)
    made.at(main, 15, alias=[rows])
    made.cut()
    return made


async def test_why_a_list_is_so_leads_to_the_write_that_filled_it() -> None:
    tables, questions, frame, moment = asked(filled(200).timeline)
    found = await tables.last_change("rows", frame, moment.when)
    assert found is not None and found.place is not None and found.place.line == 13
    assert questions.describe("rows", found) == (
        "rows[0] was 0, and becomes -1; rows was filled by line 12 (200 times) and line 13 (once),"
        f" last by line 13 at {found.when:,}"
    )
    before = await tables.last_change("rows", frame, found.when - 1)
    assert before is not None and before.place is not None and before.place.line == 12
    first = await tables.last_change("rows", frame, 2)  # as long as nothing has been written
    assert first is not None and first.place is not None and first.place.line == 10


async def test_of_an_alias_the_line_that_made_it_and_those_that_wrote() -> None:
    tables, questions, frame, moment = asked(filled(3).timeline)
    found = await tables.last_change("alias", frame, moment.when)
    assert found is not None and found.place is not None and found.place.line == 14
    assert questions.describe("alias", found).startswith(
        "alias becomes [-1, 1, 4]; alias was filled by line 12 (3 times) and line 13 (once)"
    )
    rows = (await tables.changes("alias", frame, moment.when)).rows
    assert [(row.name, row.old, row.new) for row in rows] == [
        ("alias[0]", "", "0"),
        ("alias[1]", "", "1"),
        ("alias[2]", "", "4"),
        ("alias[0]", "0", "-1"),
        ("alias", "", "[-1, 1, 4]"),
    ]


def lines(found: list[Changed]) -> list[object]:
    return [(each.old, each.new, each.place and each.place.line) for each in found]


def test_an_item_that_went_and_came_again_was_written_again() -> None:
    made = Made()
    main = made.call("main", 10)
    rows = made.object("l", "list", [1, 2])
    made.at(main, 11, rows=[rows])
    made.change(rows, LENGTH, 1)
    made.at(main, 12)
    made.change(rows, LENGTH, 2)
    made.change(rows, INDEX + 1, 2)
    made.at(main, 13)
    timeline = made.cut()
    wanted = [(UNBOUND, 2, 10), (2, UNBOUND, 11), (UNBOUND, 2, 12)]
    assert lines(all_changes(timeline, rows, INDEX + 1, made.now)) == wanted
    for when, expected in ((4, wanted[2]), (3, wanted[1]), (2, wanted[0])):
        found = last_change(timeline, rows, INDEX + 1, when)
        assert found is not None and lines([found]) == [expected]


def spanned() -> tuple[Timeline, int, int]:
    """An item, the length and a variable became others somewhere from line 11 to line 13."""
    made = Made()
    main = made.call("main", 10)
    rows = made.object("l", "list", [1, 2])
    since = made.at(main, 11, rows=[rows], total=1).when
    made.at(main, 12)
    made.at(main, 13)
    for owner, key, value in (
        (rows, SPAN, since),
        (rows, INDEX, 7),
        (rows, LENGTH, 3),
        (rows, INDEX + 2, 9),
        (main, SPAN, since),
        (main, made.key("total"), 2),
    ):
        made.change(owner, key, value)
    made.at(main, 14)
    made.at(main, 15)
    return made.cut(), main, rows


def test_between_two_looks_a_value_is_not_known() -> None:
    timeline, main, rows = spanned()
    texts = []
    for when in range(2, 7):
        values = ValuesAt(timeline, when)
        shown = {part.name: values.text(part.value) for part in values.variables(main)}
        texts.append((shown["total"], shown["rows"]))
    unknown = "not known here"
    assert (
        texts
        == [
            ("1", "[1, 2]"),
            (unknown, f"[{unknown}, 2, {unknown}]"),
            (unknown, f"[{unknown}, 2, {unknown}]"),
            ("2", "[7, 2, 9]"),
            ("2", "[7, 2, 9]"),
        ][: len(texts)]
    )
    assert timeline.value(rows, INDEX + 1, 3) == 2
    assert timeline.value(rows, INDEX, 3) == UNKNOWN
    for text in ("total", "rows[0]", "rows[-1]", "len(rows)", "rows == [1, 2]"):
        with pytest.raises(NotKnown):
            Expression(text).evaluate(MomentReader(timeline).at(3, main, 0))


async def test_a_change_between_two_looks_names_both_lines() -> None:
    timeline, _, rows = spanned()
    tables, questions, frame, moment = asked(timeline)
    found = await tables.last_change("total", frame, moment.when)
    assert found is not None
    said = questions.describe("total", found)
    assert said == "total was 1, and becomes 2; between line 11 and line 13"
    item = last_change(timeline, rows, INDEX + 1, moment.when)
    assert item is not None and item.begin is None


async def test_when_something_became_true_between_two_looks_both_lines_are_named() -> None:
    timeline, _, _ = spanned()
    tables, _, _, moment = asked(timeline)
    codes = frozenset(timeline.codes)
    for text in ("total == 2", "rows[0] > 5", "len(rows) == 3"):
        hits = (
            await tables.first_time(text, codes),
            await tables.last_time(text, codes, moment.when),
        )
        for hit in hits:
            assert hit is not None
            told = hit.made_by(lambda spot: str(spot.line), "")
            assert (hit.spot.line, told) == (14, "between line 11 and line 13")
    exact = await tables.first_time("total == 1", codes)
    assert exact is not None and exact.since is None


def test_what_could_not_be_looked_at_is_no_value() -> None:
    made = Made()
    main = made.call("main", 10)
    made.at(main, 11, total=1)
    made.at(main, 12, total=UNKNOWN)
    made.at(main, 13, total=2)
    made.news.failed = 1
    timeline = made.cut()
    assert timeline.left_out == "1 look at values failed: what they missed says so."
    (first, second) = all_changes(timeline, main, made.key("total"), made.now)
    assert (first.new, second.old, second.new) == (1, 1, 2)
    assert second.begin is not None and second.place is not None
    assert (second.begin.line, second.place.line) == (11, 12)
    found = last_change(timeline, main, made.key("total"), made.now)
    assert found == second


def test_an_equal_value_of_another_type_is_another_value() -> None:
    made = Made()
    main = made.call("main", 10)
    values = [["t", [1, 2]], ["t", [1.0, 2.0]], ["t", [True, 2]], 0.0, -0.0, True, 1]
    for line, value in enumerate(values, 11):
        made.at(main, line, pair=value)
    timeline = made.cut()
    assert len(all_changes(timeline, main, made.key("pair"), made.now)) == len(values)
