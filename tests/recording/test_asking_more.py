"""Questions to recordings that give more than a place: stories, differences, where runs part."""

from __future__ import annotations

import pytest

from tests.recording.made import Made, counted
from tuidbg.recording.asking.changes import changes_of
from tuidbg.recording.asking.differing import differences
from tuidbg.recording.asking.lines import Names, names_on, with_wholes
from tuidbg.recording.asking.parting import parting
from tuidbg.recording.asking.stories import story_of
from tuidbg.recording.chunks import CalledOff
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.segment import INDEX, UNBOUND
from tuidbg.recording.timeline import Moment, Timeline


def end_of(timeline: Timeline) -> Moment:
    found = timeline.last(0)
    assert found is not None
    return found


@pytest.mark.parametrize("path", ["last", "counter.total", "counter.seen[3]"])
def test_a_story_is_what_the_changes_give_one_by_one(path: str) -> None:
    made = counted(40, length=7)
    frame = made.frame(end_of(made.timeline))
    expression = Expression(path)
    told = story_of(made.timeline, expression, frame, made.now, 1000)
    assert told == list(changes_of(made.timeline, expression, frame, made.now))[::-1]
    assert story_of(made.timeline, expression, frame, made.now, 3) == told[-3:]


def test_a_story_follows_what_stands_on_the_way() -> None:
    made = Made()
    main = made.call("main", 10)
    one = made.object("l", "list", [1, 2])
    made.at(main, 11, items=[one])
    other = made.object("l", "list", [3, 4])
    made.at(main, 12, items=[other])
    made.change(other, INDEX, 5)
    made.at(main, 13)
    timeline = made.cut()
    frame = made.frame(end_of(timeline))
    found = story_of(timeline, Expression("items[0]"), frame, made.now, 100)
    assert [(each.old, each.new) for each in found] == [(UNBOUND, 1), ([one], [other]), (3, 5)]


@pytest.mark.parametrize(
    ("line", "read", "made"),
    [
        (1, ("a", "b"), ()),
        (2, ("self.items[a]", "a", "b.c"), ("x",)),
        (3, ("self.total", "x"), ("self.total",)),
        (4, ("self.items", "x"), ()),
        (5, ("rows",), ("row",)),
        (6, ("x", "y", "z"), ()),
        (7, ("y", "z"), ()),
        (9, (), ()),
    ],
)
def test_the_names_on_a_line(line: int, read: tuple[str, ...], made: tuple[str, ...]) -> None:
    source = (
        "def f(a, b):\n"
        "    x = self.items[a] + g(b.c)\n"
        "    self.total += x\n"
        "    self.items.append(x)\n"
        "    for row in [h(i) for i in rows]:\n"
        "        print(x, y,\n"
        "              z)\n"
    )
    found = names_on(source, line)
    if line in (6, 7):
        read = ("x", "y", "z")
    assert found == Names(read, made)
    assert names_on("def (", 1) == Names((), ())


def test_what_differs_first_comes_first() -> None:
    made = Made()
    main = made.call("main", 10)
    counter = made.object("i", "Counter")
    made.change(counter, made.key("total"), 0)
    earlier = made.at(main, 11, counter=[counter], n=1, same=7)
    made.at(main, 12, n=2)
    made.change(counter, made.key("total"), 5)
    later = made.at(main, 13, more=True)
    timeline = made.cut()
    found = differences(timeline, earlier, later)
    told = [(each.expression, each.before, each.now) for each in found]
    assert told == [("n", 1, 2), ("counter.total", 0, 5), ("more", UNBOUND, True)]
    lines = [each.first and each.first.place and each.first.place.line for each in found]
    assert lines == [11, 12, 12]
    assert differences(timeline, later, later) == []


def run(price: int, last_line: int) -> Timeline:
    made = Made()
    main = made.call("main", 10)
    basket = made.object("l", "list", [price])
    made.at(main, 11, basket=[basket])
    made.at(main, last_line, n=1)
    return made.cut()


def test_two_runs_part_at_a_value() -> None:
    found = parting(run(3, 12), run(4, 12))
    assert found is not None and (found.value, found.other_value) == ("3", "4")


def test_two_runs_part_at_a_line() -> None:
    found = parting(run(3, 12), run(3, 15))
    assert found is not None and found.place.line == 11
    assert (found.line, found.other_line) == (12, 15)


def test_runs_that_do_the_same_do_not_part() -> None:
    assert parting(run(3, 12), run(3, 12)) is None
    assert parting(counted(20, length=3).timeline, counted(20, length=8).timeline) is None


def test_a_copy_stays_as_it_was_while_the_recording_grows_and_loses_its_beginning() -> None:
    made = counted(50, length=5, limit=1 << 28)
    timeline = made.timeline
    copy = timeline.copy(lambda: False)
    was, frame = copy.now, made.frame(end_of(timeline))
    story = story_of(copy, Expression("counter.total"), frame, was, 1000)
    timeline.limit = 1000
    main = frame.number
    for n in range(20):
        made.at(main, 12, n=n, last=1000 + n)
        made.cut()
    assert timeline.base.chunks and timeline.now > was
    assert copy.now == was and copy.base.chunks == 0
    assert story_of(copy, Expression("counter.total"), frame, was, 1000) == story


def test_a_copy_is_looked_into_no_more_once_it_is_called_off() -> None:
    made = counted(20, length=5)
    is_off = False
    copy = made.timeline.copy(lambda: is_off)
    assert copy.last(0) is not None
    is_off = True
    with pytest.raises(CalledOff):
        copy.last(0)


def test_a_path_and_what_it_is_in() -> None:
    found = ("cart.items[0]", "cart.items", "cart", "wanted['x']", "wanted")
    assert with_wholes(["cart.items[0]", "wanted['x']", "cart"]) == found
