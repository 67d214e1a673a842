"""Compares answers to questions with what a slow tracer has seen (``oracle``), by brute force."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from tests.recording.copier import Copier
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.reader import MomentReader, NotKnown
from tuidbg.recording.queries.changes import last_change, last_change_of
from tuidbg.recording.queries.tables import calls, passes, series
from tuidbg.recording.queries.when import first_time, last_time
from tuidbg.recording.segment import UNBOUND
from tuidbg.recording.timeline import Moment, RecordedFrame, Timeline

PLAIN = (int, float, bool, str, type(None))
MISSING = object()
MOST = 40
"""Questions of each kind to one program."""


class Pair(NamedTuple):
    """A line that was about to run, as it was recorded, and the variables that the tracer saw."""

    moment: Moment
    frames: list[RecordedFrame]
    seen: list[dict[str, Any] | None]


class Seen(NamedTuple):
    """What a variable was at a line that was about to run."""

    moment: Moment
    value: Any
    is_own: bool


def answers_that_differ(timeline: Timeline, pairs: list[Pair], called: list[Any]) -> list[str]:
    """Where questions are answered otherwise than the tracer would."""
    pairs = sorted(pairs, key=lambda pair: pair.moment.when)
    histories = _histories(pairs)
    return [
        *_calls_that_differ(timeline, called),
        *_changes_that_differ(timeline, histories),
        *_paths_that_differ(timeline, pairs),
        *_series_that_differ(timeline, histories),
        *_times_that_differ(timeline, pairs, histories),
        *_passes_that_differ(timeline, pairs),
    ]


_Histories = dict[tuple[RecordedFrame, str], list[Seen]]


def _histories(pairs: list[Pair]) -> _Histories:
    """Of each plain variable of each call: what it was at each line while that was under way."""
    found: dict[tuple[int, str], tuple[RecordedFrame, list[Seen]]] = {}
    for pair in pairs:
        for depth, (frame, seen) in enumerate(zip(pair.frames, pair.seen, strict=True)):
            if seen is None:
                continue
            for name in {*seen, *(name for number, name in found if number == frame.number)}:
                rows = found.setdefault((frame.number, name), (frame, []))[1]
                rows.append(Seen(pair.moment, seen.get(name, MISSING), depth == 0))
    return {
        (frame, name): rows
        for (_, name), (frame, rows) in found.items()
        if all(row.value is MISSING or type(row.value) in PLAIN for row in rows)
    }


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and one == other)


def _changes_that_differ(timeline: Timeline, histories: _Histories) -> Iterator[str]:
    """The last change lies in the gap between the lines where the tracer saw another value.

    It may lie behind, in a gap with the same value at both ends, as a line can change it twice:
    then the one before it does.
    """
    for (frame, name), rows in histories.items():
        key = timeline.names[name]
        for (before, after), last in zip(pairwise(rows), rows[1:], strict=True):
            if _is_same(before.value, after.value):
                continue
            when = last.moment.when
            found = last_change(timeline, frame.owner, key, when)
            while found is not None and found.when > after.moment.when:
                found = last_change(timeline, frame.owner, key, found.when - 1)
            what = f"{frame.name}: {name} at moment {when}"
            if found is None or found.when <= before.moment.when:
                yield f"{what} was last changed before {before.moment.when}: {found}"
            elif found.place is None:
                yield f"{what} was changed nowhere"
            elif (
                before.is_own
                and after.is_own
                and _are_neighbours(timeline, before, after)
                and found.place.moment.thread == before.moment.thread  # that of another is as good
                and found.place.line != before.moment.line
            ):
                yield f"{what} was changed by {before.moment.line}, not {found.place.line}"


def _are_neighbours(timeline: Timeline, one: Seen, other: Seen) -> bool:
    """Whether nothing of the thread but one line lies between."""
    return timeline.before(other.moment) == one.moment


def _paths(name: str, value: Any, depth: int = 2) -> Iterator[tuple[str, Any]]:
    """The paths to plain values in what the tracer has copied."""
    if not isinstance(value, list) or len(value) != 2 or depth == 0:
        return
    kind, inner = value
    if kind in ("list", "deque"):
        rows = [(f"{name}[{i}]", each) for i, each in enumerate(inner)]
    elif kind in ("dict", "Counter", "defaultdict", "OrderedDict"):
        rows = [(f"{name}[{key}]", each) for key, each in inner]
    elif kind in ("Plain", "Slotted", "Data", "Account"):
        rows = [(f"{name}.{key}", each) for key, each in inner]
    else:
        return
    for path, each in rows:
        if type(each) in PLAIN:
            yield path, each
        yield from _paths(path, each, depth - 1)


def _paths_that_differ(timeline: Timeline, pairs: list[Pair]) -> Iterator[str]:
    """The last change of a path is none from before the last line at which it was another."""
    known: dict[tuple[int, str], list[tuple[Moment, Any]]] = {}
    left = 10 * MOST
    for pair in pairs:
        frame, seen = pair.frames[0], pair.seen[0] or {}
        here = dict(row for name, value in seen.items() for row in _paths(name, value))
        for path, value in here.items():
            rows = known.setdefault((frame.number, path), [])
            if rows and not _is_same(rows[-1][1], value) and left:
                left -= 1
                when = pair.moment.when
                what = f"{frame.name}: {path} at moment {when}"
                try:
                    found = last_change_of(timeline, Expression(path), frame, when)
                except NotKnown as error:
                    if "not known here" not in str(error):  # which is an answer, too
                        yield f"{what}: {error}"
                    continue
                if found is None or found.when <= rows[-1][0].when:
                    yield f"{what} was last changed before {rows[-1][0].when}: {found}"
            rows.append((pair.moment, value))


def _series_that_differ(timeline: Timeline, histories: _Histories) -> Iterator[str]:
    """All values have those that the tracer saw, in their order."""
    for (frame, name), rows in histories.items():
        record = timeline.frame(frame.number)
        assert record is not None
        all_of_it = series(timeline, name, [record.code])
        left = iter([each for each in all_of_it if each.frame == frame.number])
        value: Any = MISSING
        for row in rows:
            if row.value is MISSING or _is_same(value, row.value):
                continue
            value = row.value
            if not any(_is_same(each.value, value) for each in left):
                yield f"{frame.name}: all values of {name} lack {value!r}"


def _expressions(histories: _Histories) -> Iterator[tuple[str, str]]:
    """A function and something to be asked of it, as the values are that were seen."""
    for (frame, name), rows in histories.items():
        values = [row.value for row in rows if row.value is not MISSING]
        for value in (values[len(values) // 2], values[-1]) if values else ():
            yield frame.name, f"{name} == {value!r}"
            yield frame.name, f"{name} is None or {name} != {value!r}"
            if type(value) is int:
                yield frame.name, f"{name} > {value}"
                yield frame.name, f"not {name} < {value}"


def _times_that_differ(
    timeline: Timeline, pairs: list[Pair], histories: _Histories
) -> Iterator[str]:
    """An expression became true where it is so, asked at all moments one after the other."""
    if len(pairs) > 2000:
        return
    asked = list(dict.fromkeys(_expressions(histories)))
    for function, text in asked[:: max(1, len(asked) // MOST)]:
        codes = {each.number for each in timeline.codes.values() if each.name == function}
        expression = Expression(text)
        times = list(true_at(timeline, expression, codes))
        found = []
        for ask in (first_time, last_time):
            try:
                hit = ask(timeline, expression, codes, 0 if ask is first_time else timeline.now + 1)
            except NotKnown:
                hit = None
            found.append(hit.when if hit is not None else None)
        wanted = [times[0], times[-1]] if times else [None, None]
        if found != wanted:
            yield f"{function}: {text} became true at {found}, by brute force at {wanted}"


def true_at(timeline: Timeline, expression: Expression, codes: set[int]) -> Iterator[int]:
    """Each moment at which it becomes true in some call, each asked for itself."""
    frames = {}
    for chunk in timeline.chunks.all:
        frames.update(timeline.chunks.unpack(chunk).frames)
    wanted = [frame for frame in frames.values() if frame.code in codes]
    ends = {each.frame: each.end for each in calls(timeline, codes)}
    reader = MomentReader(timeline)
    hits = set()
    for frame in wanted:
        before = False
        space = timeline.codes[frame.code].space
        for when in range(frame.begin, (ends[frame.number] or timeline.now) + 1):
            try:
                now = expression.is_true(reader.at(when, frame.owner, space))
            except NotKnown:
                now = False
            if now and not before:
                hits.add(when)
            before = now
    yield from sorted(hits)


def _passes_that_differ(timeline: Timeline, pairs: list[Pair]) -> Iterator[str]:
    by_line: dict[tuple[str, int], list[Pair]] = {}
    for pair in pairs:
        by_line.setdefault((pair.frames[0].path, pair.moment.line), []).append(pair)
    for (path, line), rows in list(by_line.items())[:MOST]:
        names = {name for row in rows for name in row.seen[0] or ()}
        found = {each.moment.when: each.values for each in passes(timeline, path, line, names)}
        for row in rows:
            values = found.get(row.moment.when)
            if values is None:
                yield f"line {line}: the pass at {row.moment.when} is missing"
                continue
            for name, value in (row.seen[0] or {}).items():
                if type(value) in PLAIN and not _is_same(values.get(name, UNBOUND), value):
                    yield f"line {line}: {name} was {value!r}, told as {values.get(name)!r}"


def _calls_that_differ(timeline: Timeline, called: list[Any]) -> Iterator[str]:
    """Each function's calls with arguments and results, of each thread for itself."""
    wanted: dict[tuple[str, str], list[Any]] = {}
    for thread, function, *rest in called:
        wanted.setdefault((thread, function), []).append(rest)
    found: dict[tuple[str, str], list[Any]] = {}
    codes = [each.number for each in timeline.codes.values()]
    for call in calls(timeline, codes):
        record = timeline.frame(call.frame)
        assert record is not None
        code = timeline.codes[record.code]
        names = (timeline.threads[call.thread] or "MainThread", code.name.rpartition(".")[2])
        rows = wanted.get(names)
        if rows is None or not code.path.endswith("program.py"):
            continue
        mine = found.setdefault(names, [])
        if len(mine) >= len(rows):
            yield f"{names}: more calls than {len(rows)} were recorded"
            return
        at_begin, at_end = Copier(timeline, call.begin), Copier(timeline, call.end)
        arguments = {name: at_begin.copied(value) for name, value in call.arguments.items()}
        arguments = {name: arguments.get(name) for name in rows[len(mine)][0]}
        result: Any = at_end.copied(call.result)
        if call.has_raised:
            result = result[0] if isinstance(result, list) else result
        mine.append([arguments, result, "raised" if call.has_raised else "returned"])
    for names, rows in wanted.items():
        for one, other in zip(rows, found.get(names, []), strict=False):
            if one != other:
                yield f"{names}: the call {one} was recorded as {other}"
        if len(rows) != len(found.get(names, [])):
            yield f"{names}: {len(rows)} calls, recorded {len(found.get(names, []))}"
