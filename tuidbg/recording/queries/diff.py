"""What differs between two moments of a recording: the variables of the calls that both have."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tuidbg.recording.queries.changes import Changed, all_changes
from tuidbg.recording.segment import INDEX, UNBOUND, Token, is_same
from tuidbg.recording.timeline import Moment, RecordedFrame, Timeline
from tuidbg.recording.values import RecordedPart, ValuesAt, is_items, reference

MOST = 200
_DEEPEST = 6
_CHANGES = 100_000


class MomentDifference(msgspec.Struct, frozen=True):
    """Something had one value at the earlier moment and another at the later one.

    ``frame`` is the call at the later moment; ``before`` or ``now`` is ``UNBOUND`` where it was not
    there. ``first`` is its first change in between, where it is the same thing at both.
    """

    frame: RecordedFrame
    expression: str
    before: Token
    now: Token
    first: Changed | None = None


def differences(timeline: Timeline, earlier: Moment, later: Moment) -> list[MomentDifference]:
    """What differs, in the order in which it came to differ; other calls come last.

    Calls belong together that are the same, or of the same function at the same depth.
    """
    look = _Look(timeline, earlier.when, later.when)
    found: list[MomentDifference] = []
    spaces: set[int] = set()
    for one, other in _pairs(timeline.stack(earlier), timeline.stack(later)):
        pairs = [(one.owner, other.owner)]
        if other.space == one.space and other.space not in (other.owner, *spaces):
            spaces.add(other.space)
            pairs.append((one.space, other.space))
        for owners in pairs:
            for each in look.owners(other, *owners):
                found.append(each)
                if len(found) >= MOST:
                    return _in_order(found)
    return _in_order(found)


def _in_order(found: list[MomentDifference]) -> list[MomentDifference]:
    return sorted(found, key=lambda each: each.first.when if each.first else 1 << 62)


def _pairs(
    earlier: list[RecordedFrame], later: list[RecordedFrame]
) -> Iterator[tuple[RecordedFrame, RecordedFrame]]:
    """Calls of both moments, the innermost of the later one first."""
    by_number = {each.number: each for each in earlier}
    by_depth = dict(enumerate(reversed(earlier)))
    for index, other in enumerate(later):
        one = by_number.get(other.number)
        if one is None:
            at = by_depth.get(len(later) - 1 - index)
            one = at if at is not None and (at.path, at.name) == (other.path, other.name) else None
        if one is not None:
            yield one, other


class _Look:
    """Compares values of two moments, each pair of objects once."""

    def __init__(self, timeline: Timeline, earlier: int, later: int) -> None:
        self._timeline = timeline
        self._before, self._now = ValuesAt(timeline, earlier), ValuesAt(timeline, later)
        self._seen: set[tuple[int, int]] = set()

    def owners(self, frame: RecordedFrame, one: int, other: int) -> Iterator[MomentDifference]:
        """The variables of a call or a module."""
        before, now = self._before.variables(one), self._now.variables(other)
        yield from self._parts(frame, "", before, now, is_same=one == other, depth=0)

    def _parts(
        self,
        frame: RecordedFrame,
        above: str,
        before: list[RecordedPart],
        now: list[RecordedPart],
        *,
        is_same: bool,
        depth: int,
    ) -> Iterator[MomentDifference]:
        old = {part.name: part for part in before}
        new = {part.name: part for part in now}
        for name in dict.fromkeys((*new, *old)):
            one, other = old.get(name), new.get(name)
            part = other or one
            assert part is not None
            if not above and not name.isidentifier():
                continue
            values = (one.value if one else UNBOUND, other.value if other else UNBOUND)
            path = self._path(above, part)
            if self._are_alike(*values):
                yield from self._inside(frame, path, *values, depth + 1)
            elif not self._are_same(*values):
                first = self._first(part) if is_same and part.owner else None
                yield MomentDifference(frame, path, *values, first)

    def _path(self, above: str, part: RecordedPart) -> str:
        if not above:
            return part.name
        if part.key >= INDEX:
            return f"{above}[{part.name}]" if part.name.isdecimal() else f"{above}.{part.name}"
        record = self._timeline.keys.get(part.key)
        is_key = record is not None and record.letter == "k"
        return f"{above}[{part.name}]" if is_key else f"{above}.{part.name}"

    def _are_alike(self, one: Token, other: Token) -> bool:
        """Whether what differs of them is told by their parts."""
        if is_items(one) and is_items(other):
            return len(one[1]) == len(other[1])
        if reference(one) is None or reference(other) is None:
            return False
        first, second = self._before.kind(one), self._now.kind(other)
        if first is None or second is None:
            return False
        return (first.kind, first.type) == (second.kind, second.type) and first.kind != "s"

    def _are_same(self, one: Token, other: Token) -> bool:
        """Whether they have the same items in no order, or are the same that can't change."""
        if reference(one) is not None and reference(other) is not None:
            return self._before.text(one) == self._now.text(other)
        return is_same(one, other)

    def _inside(
        self, frame: RecordedFrame, path: str, one: Token, other: Token, depth: int
    ) -> Iterator[MomentDifference]:
        numbers = reference(one), reference(other)
        if numbers[0] is not None and numbers[1] is not None:
            pair = numbers[0], numbers[1]
            if pair in self._seen:
                return
            self._seen.add(pair)
        if depth <= _DEEPEST:
            before, now = self._before.parts(one), self._now.parts(other)
            same = numbers[0] is not None and numbers[0] == numbers[1]
            yield from self._parts(frame, path, before, now, is_same=same, depth=depth)

    def _first(self, part: RecordedPart) -> Changed | None:
        """The first change of it behind the earlier moment."""
        later = all_changes(self._timeline, part.owner, part.key, self._now.when, _CHANGES)
        return next((each for each in later if each.when > self._before.when), None)
