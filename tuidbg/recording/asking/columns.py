"""Whether an expression over variables of calls is true anywhere in a span, told from its columns.

It takes a fraction of what ``Watch`` does, which tells when and in which call. It errs on one side
only: what is said to be true nowhere is so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import compress
from typing import Any, NoReturn

from tuidbg.recording.asking.spans import Span
from tuidbg.recording.chunks import Chunk
from tuidbg.recording.expressions.quick import FAILURES, Quick
from tuidbg.recording.segment import UNBOUND, Token
from tuidbg.recording.timeline import Timeline

_NUMBERS = frozenset({int, float, bool, type(None)})
_LARGEST = 1 << 62


class _Missing:
    """Stands for what has no value: whatever asks for it fails, as nothing can be told then."""

    def _fail(self, *other: object) -> NoReturn:
        raise TypeError

    __bool__ = __eq__ = __ne__ = _fail
    __hash__ = object.__hash__


_MISSING: Any = _Missing()

_Compute = Callable[..., Any]

_State = list[Any]
"""The values of the names that an expression reads, of one call."""


class Columns:
    """An expression in the calls of some functions, where no module has a variable of its names."""

    def __init__(self, timeline: Timeline, quick: Quick, codes: Collection[int]) -> None:
        self._timeline, self._quick, self._codes = timeline, quick, codes
        self._keys = [timeline.names[name] for name in quick.names]
        self._slots = {key: slot for slot, key in enumerate(self._keys)}
        self._is_true_of_nothing = _is_true(self._nothing(), quick.compute)
        self.was_told = False
        """Whether it was reckoned out with all values in the span that was asked last."""

    def _nothing(self) -> _State:
        return [_MISSING] * len(self._slots)

    def may_be_true(self, span: Span, live: Collection[int]) -> bool:
        """Whether it may be true at some moment of a span, at which calls are ``live`` before it.

        What is true before it, and is not touched in it, does not become true there.
        """
        self.was_told = False
        if self._is_true_of_nothing:
            return True
        when = min(chunk.first for chunk in span) - 1
        born, seen = self._born(span), set[int]()
        for chunk in span:
            if chunk.keys.isdisjoint(self._keys):
                continue
            segment = self._timeline.chunks.unpack(chunk).segment
            is_wanted = list(map(self._slots.__contains__, segment.keys))
            values = _plain(list(compress(segment.values, is_wanted)))
            if len(self._keys) == 1 and values is not None and self._is_false_of_all(values):
                continue
            owners = list(compress(segment.owners, is_wanted))
            touched = set(owners)
            states = self._states(touched, born, live, when)
            if values is None or states is None or not touched.isdisjoint(seen):
                return True  # of threads at the same time each has to have variables of its own
            seen |= touched
            rows = zip(
                compress(segment.whens, is_wanted),
                owners,
                map(self._slots.__getitem__, compress(segment.keys, is_wanted)),
                values,
                strict=True,
            )
            if _is_true_in(rows, states, self._compute(chunk, values, states)):
                return True
            self.was_told = self.was_told or any(map(_is_whole, states.values()))
        return False

    def _is_false_of_all(self, values: list[Any]) -> bool:
        """Whether it is so of the one name, whatever it is of: that is told fastest."""
        try:
            return not any(map(self._quick.compute, values))
        except FAILURES:
            return False

    def _born(self, span: Span) -> set[int]:
        """The calls that begin in it."""
        return {
            frame.number
            for chunk in span
            if not chunk.codes.isdisjoint(self._codes)
            for frame in self._timeline.chunks.unpack(chunk).segment.news.frames
            if frame.code in self._codes
        }

    def _states(
        self, touched: set[int], born: set[int], live: Collection[int], when: int
    ) -> dict[int, _State] | None:
        """Those of the calls that are touched, as they were before; None where one is no plain."""
        states = {number: self._nothing() for number in touched & born}
        for number in touched.intersection(live):
            before = _plain([self._timeline.value(number, key, when) for key in self._keys])
            if before is None:
                return None
            states[number] = before
        return states

    def _compute(self, chunk: Chunk, values: list[Any], states: dict[int, _State]) -> _Compute:
        """What reckons it out: without looking at each step where all are numbers of no length."""
        ranges = [chunk.ranges[key] for key in self._keys if key in chunk.ranges]
        before = [each for state in states.values() for each in state if each is not _MISSING]
        is_small = (
            set(map(type, values)) | set(map(type, before)) <= _NUMBERS
            and all(each.low > each.high or _is_small(each.low, each.high) for each in ranges)
            and all(each is None or _is_small(each) for each in before)
        )
        return self._quick.of_numbers if is_small else self._quick.compute


def _is_small(*numbers: float) -> bool:
    return all(abs(each) <= _LARGEST for each in numbers)


def _is_whole(state: _State) -> bool:
    return all(each is not _MISSING for each in state)


def _plain(tokens: list[Token]) -> list[Any] | None:
    """Numbers and texts, and what is missing; None where there is anything else."""
    if list not in set(map(type, tokens)):
        return tokens
    if all(type(each) is not list or each == UNBOUND for each in tokens):
        return [_MISSING if type(each) is list else each for each in tokens]
    return None


def _is_true_in(
    rows: Iterable[tuple[int, int, int, Any]],
    states: dict[int, _State],
    compute: _Compute,
) -> bool:
    """Go through what changes: the moment, the call, the place in its state and the value.

    What is so between two changes of one moment does not count.
    """
    now = number = 0
    state: _State | None = None
    for when, owner, slot, value in rows:
        if when != now or owner != number:
            if state is not None:
                try:
                    if compute(*state):
                        return True
                except FAILURES:
                    if _is_whole(state):
                        return True
            now = when
            if owner != number:
                number, state = owner, states.get(owner)
        if state is not None:
            state[slot] = value
    return state is not None and _is_true(state, compute)


def _is_true(state: _State, compute: _Compute) -> bool:
    """What can't be told of all values may be true."""
    try:
        return bool(compute(*state))
    except FAILURES:
        return _is_whole(state)
