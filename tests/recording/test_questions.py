"""Questions to recordings that were made by hand: who changed what, when, how often."""

from __future__ import annotations

import pytest

from tests.recording.made import PATH, SPACE, Made, counted
from tuidbg.recording import stepping as ways
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.reader import NotKnown
from tuidbg.recording.queries.changes import (
    Changed,
    all_changes,
    changes_of,
    last_change,
    last_change_of,
    story_of,
)
from tuidbg.recording.queries.tables import calls, passes, series
from tuidbg.recording.queries.when import first_time, last_time, place_of_hit
from tuidbg.recording.segment import ALL, INDEX, LENGTH, UNBOUND
from tuidbg.recording.timeline import Moment
from tuidbg.recording.values import ValuesAt


def told(found: Changed | None) -> object:
    if found is None:
        return None
    return found.old, found.new, found.place and (found.place.function, found.place.line)


def end_of(made: Made) -> Moment:
    found = made.timeline.last(0)
    assert found is not None
    return found


def test_the_last_change_of_a_variable_names_the_line_of_its_own_call() -> None:
    made = counted(10, length=3)
    frame = made.frame(end_of(made))
    found = last_change_of(made.timeline, Expression("last"), frame, made.now)
    assert told(found) == (36, 45, ("main", 12))


def test_an_argument_was_bound_by_the_line_that_called() -> None:
    made = counted(2)
    (call, _) = calls(made.timeline, [made.code("add")])
    found = last_change(made.timeline, call.frame, made.key("n"), made.now)
    assert told(found) == (UNBOUND, 0, ("main", 12))


def test_the_last_change_of_an_attribute_lies_in_another_call() -> None:
    made = counted(10, length=3)
    frame, timeline = made.frame(end_of(made)), made.timeline
    found = last_change_of(timeline, Expression("counter.total"), frame, made.now)
    assert told(found) == (36, 45, ("add", 22))
    assert found is not None
    before = last_change_of(timeline, Expression("counter.total"), frame, found.when - 1)
    assert told(before) == (28, 36, ("add", 22))


def test_a_path_goes_on_from_its_object_before_the_call_that_got_it() -> None:
    made = Made()
    made.change(SPACE, made.key("items"), "of the module")
    main = made.call("main", 10)
    items = made.object("l", "list", [1, 2])
    made.at(main, 11, mine=[items])
    made.change(items, INDEX + 1, 3)
    made.at(main, 12)
    inner = made.call("inner", 20, main, items=[items])
    made.change(items, INDEX + 1, 4)
    made.at(inner, 21)
    timeline = made.cut()
    frame, now = made.frame(end_of(made)), made.now
    path = Expression("items[1]")
    lines = [told(each) for each in changes_of(timeline, path, frame, now)]
    assert lines == [(3, 4, ("inner", 20)), (2, 3, ("main", 11)), (UNBOUND, 2, ("main", 10))]
    told_by_one = list(changes_of(timeline, path, frame, now))
    assert story_of(timeline, path, frame, now, 9) == told_by_one[::-1]


def test_each_name_on_the_way_counts() -> None:
    made = Made()
    main = made.call("main", 10)
    one = made.object("l", "list", [1, 2])
    made.at(main, 11, items=[one])
    other = made.object("l", "list", [3, 4])
    made.at(main, 12, items=[other])
    made.change(other, INDEX + 1, 5)
    made.at(main, 13)
    timeline = made.cut()
    frame, path = made.frame(end_of(made)), Expression("items[0]")
    assert told(last_change_of(timeline, path, frame, made.now)) == ([one], [other], ("main", 11))
    assert told(last_change_of(timeline, Expression("items[1]"), frame, made.now)) == (
        *(4, 5),
        ("main", 12),
    )
    lines = [each.place and each.place.line for each in changes_of(timeline, path, frame, made.now)]
    assert lines == [11, 10]


def test_an_item_that_a_change_of_all_left_as_it_was_was_not_changed() -> None:
    made = Made()
    main = made.call("main", 10)
    items = made.object("l", "list", [1, 2])
    made.at(main, 11, items=[items])
    made.change(items, ALL, ["t", [1, 9, 9]])
    made.change(items, LENGTH, 3)
    made.at(main, 12)
    timeline = made.cut()
    assert told(last_change(timeline, items, INDEX, made.now)) == (UNBOUND, 1, ("main", 10))
    assert told(last_change(timeline, items, INDEX + 1, made.now)) == (2, 9, ("main", 11))


def test_all_changes_come_in_their_order_and_same_values_are_none() -> None:
    made = Made()
    main = made.call("main", 10, x=1)
    for line, value in ((11, 2), (12, 2), (13, 3), (14, True), (15, 1)):
        made.at(main, line, x=value)
    timeline = made.cut()
    found = all_changes(timeline, main, made.key("x"), made.now)
    assert [each.new for each in found] == [1, 2, 3, True, 1]
    assert [told(each) for each in all_changes(timeline, main, made.key("x"), 99, most=1)] == [
        (True, 1, ("main", 14))
    ]
    for _ in range(300):
        made.at(main, 16, x=1)
    made.cut()
    assert told(last_change(made.timeline, main, made.key("x"), made.now)) == (
        *(True, 1),
        ("main", 14),
    )


@pytest.mark.parametrize(
    ("text", "function", "first", "last"),
    [
        ("n == 5", "main", 5, 5),
        ("n == 5", "add", 5, 5),
        ("n > 5", "add", 6, 9),
        ("n % 2 and n != limit", "main", 1, 9),
        ("counter.total > 20", "main", 6, 6),
        ("counter.total > 20", "add", 6, 9),
        ("len(counter.seen) == 7", "main", 6, 6),
        ("counter.seen[3] == 3", "main", 3, 3),
        ("8 in counter.seen", "main", None, None),
        ("counter.seen", "main", 0, 0),
        ("n == -1", "add", None, None),
    ],
)
@pytest.mark.parametrize("length", [1, 4, 100])
def test_when_an_expression_became_true(
    text: str, function: str, first: int | None, last: int | None, length: int
) -> None:
    made = counted(10, length)
    timeline, codes = made.timeline, [made.code(function)]
    found = [
        first_time(timeline, Expression(text), codes),
        last_time(timeline, Expression(text), codes, made.now + 1),
    ]
    rounds: list[object] = []
    for hit in found:
        if hit is None:
            rounds.append(None)
            continue
        main = calls(timeline, [made.code("main")])[0].frame
        parts = ValuesAt(timeline, hit.when).variables(main)
        rounds += [part.value for part in parts if part.name == "n"]
    assert rounds == [first, last]


def test_a_hit_names_the_line_that_made_it_so() -> None:
    made = counted(10)
    hit = first_time(made.timeline, Expression("counter.total > 20"), [made.code("main")])
    assert hit is not None
    place = place_of_hit(made.timeline, hit)
    assert place is not None
    assert (place.function, place.line) == ("add", 22)


def test_what_can_be_told_nowhere_is_said() -> None:
    made = counted(3)
    with pytest.raises(NotKnown, match="nothing has no recorded value"):
        first_time(made.timeline, Expression("nothing > 3"), [made.code("main")])


def test_a_series_a_line_and_calls_as_tables() -> None:
    made = counted(5, length=2)
    timeline = made.timeline
    assert [each.value for each in series(timeline, "last", [made.code("main")])] == [
        *(0, 1, 3, 6, 10),
    ]
    assert [each.value for each in series(timeline, "n", [made.code("add")])] == [0, 1, 2, 3, 4]
    assert [each.values for each in passes(timeline, PATH, 12, ["n", "last", "limit"])] == [
        {"n": 0, "limit": 3},
        *({"n": n, "last": n * (n - 1) // 2, "limit": 3} for n in range(1, 5)),
    ]
    found = calls(timeline, [made.code("add")])
    assert [(each.arguments["n"], each.result) for each in found] == [
        *((0, 0), (1, 1), (2, 3), (3, 6), (4, 10)),
    ]
    assert all(each.begin < each.end for each in found)
    (main,) = calls(timeline, [made.code("main")])
    assert main.end == made.now


def test_ways_back_and_forth() -> None:
    made = counted(6, length=2)
    timeline = made.timeline
    here = next(each.moment for each in passes(timeline, PATH, 23, ["n"]) if each.values["n"] == 3)

    def went(way: ways.StepDirection, line: int | None = None) -> list[tuple[int, int]]:
        lines = [(PATH, line)] if line is not None else []
        found = (ways.back(timeline, here, way, lines), ways.forth(timeline, here, way, lines))
        return [(each.line, each.when - here.when) if each else (0, 0) for each in found]

    assert went(ways.StepDirection.OVER) == [(22, -1), (23, 1)]
    assert went(ways.StepDirection.OUT) == [(12, -2), (11, 2)]
    assert went(ways.StepDirection.BREAKPOINT, 11) == [(11, -3), (11, 2)]
    assert went(ways.StepDirection.BREAKPOINT, 10) == [(10, -here.when + 1), (0, 0)]
    assert went(ways.StepDirection.BREAKPOINT, 77) == [(0, 0), (0, 0)]
    caller = ways.forth(timeline, here, ways.StepDirection.OUT)
    assert caller is not None
    over = ways.back(timeline, caller, ways.StepDirection.OVER)
    into = ways.back(timeline, caller, ways.StepDirection.INTO)
    assert (over and over.line, into and into.line) == (12, 23)
    first = ways.back_anywhere(timeline, here, [(PATH, 12)])
    assert first is not None
    assert first.when == here.when - 2
    assert SPACE in timeline.spaces
