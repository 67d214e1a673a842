"""When an expression became true in a function, over all of its calls.

The recording is gone through span by span, forwards or backwards. Spans in which the ranges of the
names leave no room for it are not unpacked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tuidbg.recording.asking.columns import Columns
from tuidbg.recording.asking.places import Place, maker
from tuidbg.recording.asking.possible import ANY, LENGTHS, Parts, can_be_true
from tuidbg.recording.asking.spans import Span, rows, spans_of, under_way
from tuidbg.recording.asking.watch import Hit as Hit
from tuidbg.recording.asking.watch import ItemsCount, Watch, is_of_calls_alone
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.ranges import NOTHING, range_of
from tuidbg.recording.segment import LENGTH
from tuidbg.recording.timeline import Change, Timeline


def first_time(
    timeline: Timeline, expression: Expression, codes: Collection[int], after: int = 0
) -> Hit | None:
    """The first time behind a moment. Raises NotKnown where it could be told nowhere."""
    search = _Search(timeline, expression, codes)
    for index in range(len(search.spans)):
        if search.last_of(index) > after:
            for hit in search.hits(index, timeline.now):
                if hit.when > after:
                    return hit
    search.complain()
    return None


def last_time(
    timeline: Timeline, expression: Expression, codes: Collection[int], before: int
) -> Hit | None:
    """The last time before a moment. Raises NotKnown where it could be told nowhere."""
    search = _Search(timeline, expression, codes)
    for index in reversed(range(len(search.spans))):
        if search.first_of(index) < before:
            hits = list(search.hits(index, before - 1))
            if hits:
                return hits[-1]
    search.complain()
    return None


def place_of_hit(timeline: Timeline, hit: Hit) -> Place | None:
    """The line that made it true; None where it was so from the beginning."""
    change = Change(when=hit.when, owner=hit.frame, key=0, value=None, thread=hit.thread)
    return maker(timeline, change)


class _Search:
    """An expression over the spans of a recording, each asked for itself."""

    def __init__(self, timeline: Timeline, expression: Expression, codes: Collection[int]) -> None:
        self._timeline, self._expression = timeline, expression
        self._codes = frozenset(codes)
        self.spans = spans_of(timeline)
        is_known = expression.names <= timeline.names.keys()
        is_of_calls = is_known and is_of_calls_alone(timeline, expression)
        is_single = is_of_calls and len(expression.names) == 1
        self._last_before = list(_last_owners(timeline, self.spans))
        unclear = _names_of_fields(timeline, self.spans)
        self._possible = _possible(timeline, expression, self.spans, unclear, is_single)
        self._parts = Parts(timeline, expression.tree, self.spans, unclear)
        self._has_asked = False
        self._quiet: set[int] = set()
        self._columns: Columns | None = None
        if is_of_calls and expression.quick is not None:
            self._columns = Columns(timeline, expression.quick, self._codes)
        self._watch = Watch(timeline, expression, self._codes)
        self._next = -1

    def first_of(self, index: int) -> int:
        """The first moment of a span."""
        return min(chunk.first for chunk in self.spans[index])

    def last_of(self, index: int) -> int:
        """The last one."""
        return max(chunk.last for chunk in self.spans[index])

    def hits(self, index: int, until: int) -> Iterator[Hit]:
        """All times in a span up to a moment, the oldest first."""
        if not self._possible[index]:
            return
        if self._is_quiet(index):
            self._quiet.add(index)
        else:
            yield from self._asked(index, until)

    def _is_quiet(self, index: int) -> bool:
        """Whether the values alone tell that it does not become true there."""
        if self._columns is None:
            # To ask one span is as quick, and most of what one asks for is near.
            return self._has_asked and not self._parts.can_be_true(index)
        live = under_way(self._timeline, self.spans[:index], self._codes)
        is_quiet = not self._columns.may_be_true(self.spans[index], live)
        if is_quiet and self._columns.was_told:
            self._watch.was_told = True
        return is_quiet

    def _asked(self, index: int, until: int) -> Iterator[Hit]:
        last = -1
        self._has_asked = True
        while True:
            try:
                if self._next != index:
                    self._begin(index)
                self._next = index + 1
                span = self.spans[index]
                for hit in self._watch.hits(rows(self._timeline, span, self._watch.sought, until)):
                    if hit.when > last:
                        last = hit.when
                        yield hit
                return
            except ItemsCount:
                self._watch = Watch(self._timeline, self._expression, self._codes, has_items=True)
                self._next = -1

    def _begin(self, index: int) -> None:
        """All that is before a span is asked of the timeline, where it is read."""
        numbers = under_way(self._timeline, self.spans[:index], self._codes)
        frames = map(self._timeline.frame, sorted(numbers))
        live = [frame for frame in frames if frame is not None]
        is_first = index == 0 and not self._timeline.base.chunks
        when = 0 if is_first else self.first_of(index) - 1
        self._watch.begin(when, self._last_before[index], live)

    def complain(self) -> None:
        """Raise NotKnown if it could be told nowhere."""
        for index in range(len(self.spans)):
            if self._watch.was_told:
                return
            if not self._possible[index] or index in self._quiet:
                for _ in self._asked(index, self.last_of(index)):
                    return
        if self._watch.problem is not None and not self._watch.was_told:
            raise self._watch.problem


def _last_owners(timeline: Timeline, spans: list[Span]) -> Iterator[int]:
    """Of each span the largest number of an owner that was met before it."""
    last = max(timeline.base.changes, default=0)
    for span in spans:
        yield last
        last = max(last, *(chunk.high for chunk in span))


def _names_of_fields(timeline: Timeline, spans: list[Span]) -> set[str]:
    """Those of fields of tuples, whose values are items."""
    found = {name for each in timeline.base.objects.values() for name in each.fields or ()}
    found.update(name for span in spans for chunk in span for name in chunk.fields)
    return found


def _possible(
    timeline: Timeline,
    expression: Expression,
    spans: list[Span],
    unclear: set[str],
    is_single: bool,
) -> list[bool]:
    """Of each span whether it can have become true there.

    What a name was before a span counts in it, but where there is only one variable, of calls
    alone: that has to become another.
    """
    keys = {name: timeline.names[name] for name in expression.names if name in timeline.names}
    keys[LENGTHS] = LENGTH
    kept = timeline.base.changes.values()
    ranges = {
        name: range_of([state[key].value for state in kept if key in state])
        for name, key in keys.items()
    }
    found = []
    for span in spans:
        for name, key in keys.items():
            known = NOTHING if is_single else ranges[name]
            for chunk in span:
                known = known.joined(chunk.ranges.get(key, NOTHING))
            ranges[name] = known

        known_now = {name: ANY if name in unclear else each for name, each in ranges.items()}
        found.append(can_be_true(expression.tree, known_now))
    return found
