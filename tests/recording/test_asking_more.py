"""Questions to recordings that give more than a place: stories, differences, where runs part."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.recording.asked import true_at
from tests.recording.made import Made, counted
from tuidbg.recording.chunks import CalledOff, chunk_of
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.reader import NotKnown
from tuidbg.recording.queries.changes import changes_of, story_of
from tuidbg.recording.queries.diff import differences
from tuidbg.recording.queries.divergence import parting
from tuidbg.recording.queries.tables import Names, names_on, with_wholes
from tuidbg.recording.queries.when import first_time, last_time
from tuidbg.recording.segment import INDEX, LENGTH, UNBOUND, Segment, write_segment
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


VALUES = st.sampled_from([0, 1, 2, 3, 1.5, None, True, "x", UNBOUND, ["t", [1]], "object", 1 << 70])
NAMES = st.sampled_from(["a", "b", "c"])
ACTIONS = st.one_of(
    st.tuples(st.just("call"), st.sampled_from(["main", "add"])),
    st.tuples(st.just("leave"), st.none()),
    st.tuples(st.just("cut"), st.none()),
    st.tuples(st.just("set"), st.lists(st.tuples(NAMES, VALUES), min_size=1, max_size=2)),
    st.tuples(st.just("outer"), st.tuples(NAMES, VALUES)),
    st.tuples(st.just("attribute"), VALUES),
    st.tuples(st.just("item"), VALUES),
)
EXPRESSIONS = (
    *("a == 1 and b == 2", "a + b == 3", "not a == 1", "a < 2 or b < 2", "a % 2 == 1 and not b"),
    *("b", "a is None and b is not None", "a == b", "a == 'x' or b * a == 2", "1 or a", "a << b"),
    *("c.n == 2", "c.n == 2 and a == 1", "not c.n", "c.d['k'] == 1 or c.n > 2"),
    *("c.n * 2 == 6 and b", "missing.n == 1 or a", "a - 1 == 1 and missing"),
    "c.n and b",
)


def acted(actions: list[tuple[str, Any]]) -> Timeline:
    """A run of calls in calls, which change variables, also of each other, and an object."""
    made = Made()
    stack = [made.call("main", 10)]
    held, inner = made.object("i", "Held"), made.object("d", "dict", [])
    made.change(held, made.key("d"), [inner])
    made.at(stack[0], 11)

    def token(value: Any) -> Any:
        return [held] if value == "object" else value

    for action, what in actions:
        line = 11 + len(stack)
        if action == "call":
            stack.append(made.call(what, 20, stack[-1]))
        elif action == "leave" and len(stack) > 1:
            made.leave(stack.pop(), line)
        elif action == "cut":
            made.cut()
        elif action == "set":
            made.at(stack[-1], line, **{name: token(value) for name, value in what})
        elif action == "outer":
            made.change(stack[0], made.key(what[0]), token(what[1]))
            made.at(stack[-1], line)
        elif action in ("attribute", "item"):
            if action == "attribute":
                made.change(held, made.key("n"), token(what))
            else:
                made.change(inner, made.key("k", "k"), token(what))
                made.change(inner, LENGTH, int(what != UNBOUND))
            made.at(stack[-1], line)
    made.at(stack[-1], 30)
    return made.cut()


def in_two_threads(timeline: Timeline) -> Timeline:
    """The same moments, of which those of every other call are another thread's."""
    other = Timeline()
    for chunk in timeline.chunks.all:
        whole = timeline.chunks.unpack(chunk).segment
        turns = dict(zip(whole.times, (where >> 24 & 1 for where in whole.wheres), strict=True))
        for thread in (0, 1):
            frames = [each for each in whole.news.frames if turns[each.begin] == thread]
            news = msgspec.structs.replace(whole.news, thread=thread, frames=frames)
            if thread:
                news = msgspec.structs.replace(news, codes=[], objects=[], keys=[])
            moments = [i for i, when in enumerate(whole.times) if turns[when] == thread]
            changes = [i for i, when in enumerate(whole.whens) if turns[when] == thread]
            columns = [
                array("Q", [column[i] for i in taken])
                for column, taken in (
                    *((whole.times, moments), (whole.wheres, moments)),
                    *((whole.whens, changes), (whole.owners, changes), (whole.keys, changes)),
                )
            ]
            times, wheres, whens, owners, keys = columns
            values = [whole.values[i] for i in changes]
            segment = Segment(news, times, wheres, whens, owners, keys, values)
            other.add(segment, chunk_of(segment, write_segment(segment)))
    return other


def when_or_none(ask: Callable[..., Any], *asked: Any) -> int | None:
    try:
        hit = ask(*asked)
    except NotKnown:
        return None
    return hit.when if hit is not None else None


ONE_BY_EACH: list[tuple[str, Any]] = [
    *(("call", "add"), ("outer", ("a", 1)), ("leave", None), ("set", [("b", 2)])),
]


A_LATER_TUPLE: list[tuple[str, Any]] = [
    *(("set", [("c", "object"), ("b", 1)]), ("attribute", ["t", []]), ("cut", None)),
    ("attribute", ["t", [1]]),
]


@example(A_LATER_TUPLE, "c.n and b", False)
@example(ONE_BY_EACH, "a == 1 and b == 2", True)
@given(st.lists(ACTIONS, min_size=3, max_size=25), st.sampled_from(EXPRESSIONS), st.booleans())
def test_when_is_told_as_if_it_were_asked_at_each_moment(
    actions: list[tuple[str, Any]], text: str, has_threads: bool
) -> None:
    timeline = acted(actions)
    if has_threads:
        timeline = in_two_threads(timeline)
    expression = Expression(text)
    for function in ("main", "add"):
        codes = {each.number for each in timeline.codes.values() if each.name == function}
        times = list(true_at(timeline, expression, codes))
        end = timeline.now + 1
        assert when_or_none(first_time, timeline, expression, codes) == (
            times[0] if times else None
        )
        assert when_or_none(last_time, timeline, expression, codes, end) == (
            times[-1] if times else None
        )
        middle = timeline.now // 2
        later = next((each for each in times if each > middle), None)
        assert when_or_none(first_time, timeline, expression, codes, middle) == later
