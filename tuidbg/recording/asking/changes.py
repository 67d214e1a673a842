"""Who changed a value: the last change of a variable, an attribute or an item, and those before."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tuidbg.recording.asking.places import Place, first_that_may, maker
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.reader import NotKnown, Reader
from tuidbg.recording.segment import ALL, BORN, INDEX, LENGTH, UNBOUND, UNKNOWN, Token, is_same
from tuidbg.recording.timeline import Change, PastFrame, Timeline
from tuidbg.recording.values import is_items


class Writer(msgspec.Struct, frozen=True):
    """A line that has written so often; ``place`` is the last time."""

    place: Place
    count: int


class Filled(msgspec.Struct, frozen=True):
    """The lines that have written into a container, the last one first.

    ``was_empty`` where it began without items, ``is_cut`` where there were more writes before.
    """

    number: int
    writers: tuple[Writer, ...]
    last: int
    was_empty: bool
    is_cut: bool


class Changed(msgspec.Struct, frozen=True):
    """A part of an owner became another from the moment ``when`` on.

    ``place`` is the line that did it; None where it was so when the recording began. Where that is
    not known exactly it is the last that may have, and ``begin`` the first. ``filled`` says who
    wrote into a container that was asked for.
    """

    when: int
    owner: int
    key: int
    old: Token
    new: Token
    place: Place | None
    begin: Place | None = None
    filled: Filled | None = None


def last_change(timeline: Timeline, owner: int, key: int, when: int) -> Changed | None:
    """The last change of a part that is seen at a moment. The one before that: at its ``when - 1``.

    A change that gave it the value that it had is none.
    """
    born = birth(timeline, owner, when)
    for _ in range(_STEPS):
        found = change_of_part(timeline, owner, key, when)
        if found is None:
            return None
        is_first = found.when == born
        before = None if is_first else change_of_part(timeline, owner, key, found.when - 1)
        if UNKNOWN in (found.value, before.value if before is not None else UNBOUND):
            break
        old = before.value if before is not None else UNBOUND
        if before is None or not is_same(old, found.value):
            return _told(timeline, found, old)
        when = found.when - 1
    return next(iter(all_changes(timeline, owner, key, when, most=1)), None)


_STEPS = 100
"""After so many that changed nothing, all are read at once."""


def all_changes(
    timeline: Timeline, owner: int, key: int, when: int, most: int = 1000
) -> list[Changed]:
    """The changes of a part up to a moment, the oldest first; of very many the newest."""
    found: list[tuple[Change, Token, int | None]] = []
    old, since = UNBOUND, None
    born = birth(timeline, owner, when)
    for change in _raw_changes(timeline, owner, key):
        if change.when < born or (change.when == born and change.value == UNBOUND):
            continue
        if change.when > when:
            break
        if change.value == UNKNOWN:
            since = change.when - 1 if since is None else since
            continue
        if not found or not is_same(old, change.value):
            found.append((change, old, since))
        old, since = change.value, None
    return [_told(timeline, *each) for each in found[-most:]]


def last_change_of(
    timeline: Timeline, expression: Expression, frame: PastFrame, when: int
) -> Changed | None:
    """The same of a path such as ``self.items[3]``: each part on the way to it counts.

    That something on the way got its first value is no change of what it leads to: a call takes
    its arguments. Raises NotKnown where it leads to nothing that was recorded at that moment.
    """
    reader = Reader(timeline).at(when, frame.owner, frame.space)
    *way, end = parts_of(expression.place(reader))
    found = last_change(timeline, *end, when)
    for owner, key in way:
        change = last_change(timeline, owner, key, when)
        if change is None or change.old == UNBOUND:
            continue
        if found is None or change.when >= found.when:
            found = change
    return found


def changes_of(
    timeline: Timeline, expression: Expression, frame: PastFrame, when: int
) -> Iterator[Changed]:
    """All changes of a path up to a moment, the newest first: for as long as it leads anywhere."""
    while True:
        try:
            found = last_change_of(timeline, expression, frame, when)
        except NotKnown:
            return
        if found is None:
            return
        yield found
        when = found.when - 1


def parts_of(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Items count with their whole in ``change_of_part``; its length and the whole do not."""
    return [(owner, key) for owner, key in places if key >= INDEX or key > ALL]


def change_of_part(timeline: Timeline, owner: int, key: int, when: int) -> Change | None:
    """What a part became last up to a moment, by its own change or one of all items."""
    found = _own_change(timeline, owner, key, when)
    born = birth(timeline, owner, when)
    if found is not None and found.when < born:
        return None  # it was another value's, that had its address
    if found is not None and found.when == born and found.value == UNBOUND:
        return None
    return found


def birth(timeline: Timeline, owner: int, when: int) -> int:
    """Since when an owner is what it is at a moment; 0 where it has never been another."""
    born = timeline.change(owner, BORN, when)
    return 0 if born is None else born.when


def _own_change(timeline: Timeline, owner: int, key: int, when: int) -> Change | None:
    found = timeline.change(owner, key, when)
    if key < INDEX:
        return found
    whole = timeline.change(owner, ALL, when)
    if whole is not None and (found is None or found.when < whole.when):
        found = _as_item(whole, key)
    if found is None or found.value == UNBOUND:
        return found
    lengths = timeline.changes(owner, LENGTH, found.when + 1, when)
    return next((_as_gone(each, key) for each in lengths if _is_beyond(each, key)), found)


def _raw_changes(timeline: Timeline, owner: int, key: int) -> list[Change]:
    found = list(timeline.changes(owner, key))
    if key < INDEX:
        return found
    found += [_as_item(whole, key) for whole in timeline.changes(owner, ALL)]
    there = {change.when for change in found}
    for each in timeline.changes(owner, LENGTH):
        if _is_beyond(each, key) and each.when not in there:
            found.append(_as_gone(each, key))
    found.sort(key=lambda change: change.when)
    return found


def _is_beyond(length: Change, key: int) -> bool:
    """Whether with that length the item is not there any more."""
    return type(length.value) is int and length.value <= key - INDEX


def _as_gone(length: Change, key: int) -> Change:
    return msgspec.structs.replace(length, key=key, value=UNBOUND)


def _as_item(whole: Change, key: int) -> Change:
    items = whole.value[1] if is_items(whole.value) else []
    value = items[key - INDEX] if key - INDEX < len(items) else UNBOUND
    return msgspec.structs.replace(whole, key=key, value=value)


def _told(timeline: Timeline, change: Change, old: Token, since: int | None = None) -> Changed:
    """``since`` when it was not known."""
    place = maker(timeline, change)
    since = timeline.since(change) if since is None else since
    begin = None
    if since is not None and place is not None:
        begin = first_that_may(timeline, since, place.moment)
    if begin is not None and place is not None and begin.moment.when >= place.moment.when:
        begin = None  # there is one line only
    return Changed(
        when=change.when,
        owner=change.owner,
        key=change.key,
        old=old,
        new=change.value,
        place=place,
        begin=begin,
    )
