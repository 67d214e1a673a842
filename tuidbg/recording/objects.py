"""How all that belongs to one owner stood at a moment, with as few segments unpacked as possible.

An owner is what has variables, attributes or items: a call, a module, a value.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from tuidbg.recording.base import Base, RecordedChange
from tuidbg.recording.chunks import Chunk, Chunks, Unpacked
from tuidbg.recording.segment import ALL, INDEX, SPAN, UNBOUND, Token

Rank = tuple[int, int]


def change_at(
    unpacked: Unpacked, chunk: Chunk, owner: int, key: int, position: int
) -> RecordedChange:
    """The change at a position of a segment."""
    return RecordedChange(
        when=unpacked.whens[position],
        owner=owner,
        key=key,
        value=unpacked.values[position],
        thread=chunk.thread,
    )


def state_of(chunks: Chunks, base: Base, owner: int, when: int) -> dict[int, RecordedChange]:
    """All that is known of an owner at a moment, by key.

    Items that a change of them all has replaced are not in it.
    """
    found: dict[int, RecordedChange] = {}
    for chunk in chunks.back_from(when):
        is_born = chunk.low <= owner <= chunk.high
        keys = None if is_born else chunk.old.get(owner)
        if keys is None and not is_born:
            continue
        if keys is not None and all(_is_known(found, key, chunk) for key in keys):
            continue
        unpacked = chunks.unpack(chunk)
        for key in unpacked.index.get(owner, {}) if keys is None else keys:
            position = unpacked.last_change(owner, key, when)
            if position is None:
                continue
            before = found.get(key)
            if before is None or before.when < unpacked.whens[position]:
                found[key] = change_at(unpacked, chunk, owner, key, position)
    for key, change in base.changes.get(owner, {}).items():
        if change.when <= when:
            found.setdefault(key, change)
    whole = found.get(ALL)
    if whole is not None:
        for key in [k for k, each in found.items() if k >= INDEX and each.when < whole.when]:
            del found[key]
    return found


def since_of(chunks: Chunks, owner: int, when: int) -> int | None:
    """Since when what is seen at a moment may have changed; None where that is known exactly."""
    for chunk in _with_spans(chunks, owner):
        if chunk.first <= when <= chunk.last:
            unpacked = chunks.unpack(chunk)
            for position in unpacked.index.get(owner, {}).get(SPAN, ()):
                since = unpacked.values[position]
                if unpacked.whens[position] == when and type(since) is int:
                    return since
    return None


def unknown_at(chunks: Chunks, owner: int, when: int) -> dict[int, Token]:
    """What of an owner may have changed already at a moment or not: what it becomes, by key."""
    found: dict[int, Token] = {}
    for chunk in _with_spans(chunks, owner):
        if chunk.last <= when:
            continue
        unpacked = chunks.unpack(chunk)
        keys = unpacked.index.get(owner, {})
        for position in keys.get(SPAN, ()):
            since, until = unpacked.values[position], unpacked.whens[position]
            if type(since) is not int or not since < when < until:
                continue
            for key, positions in keys.items():
                place = bisect_right(positions, until, key=unpacked.whens.__getitem__) - 1
                if key != SPAN and place >= 0 and unpacked.whens[positions[place]] == until:
                    found.setdefault(key, unpacked.values[positions[place]])
    return found


def _with_spans(chunks: Chunks, owner: int) -> Iterator[Chunk]:
    for chunk in chunks.with_spans:
        if SPAN in chunk.old.get(owner, ()) or chunk.low <= owner <= chunk.high:
            yield chunk


def _is_known(found: dict[int, RecordedChange], key: int, chunk: Chunk) -> bool:
    """Whether something newer than a segment is known already."""
    change = found.get(key)
    if change is not None and change.when >= chunk.last:
        return True
    whole = found.get(ALL)
    return key >= INDEX and whole is not None and whole.when > chunk.last


def ranks_of(chunks: Chunks, base: Base, owner: int, keys: list[int], when: int) -> dict[int, Rank]:
    """In which order the keys of a dict came to where they are at a moment.

    A key that was deleted and set again has come again.
    """
    near = [
        (number, chunk)
        for number, chunk in enumerate(chunks.all)
        if chunk.first <= when and chunk.may_know(owner)
    ]
    if len({chunk.thread for _, chunk in near}) > 1:
        return {key: _exact(chunks, base, owner, key, when) for key in keys}
    ranks: dict[int, Rank] = {}
    left = set(keys)
    for number, chunk in reversed(near):
        is_whole = chunk.last <= when and not chunk.low <= owner <= chunk.high
        if is_whole:
            _rank_by_chunk(chunk, number, owner, left, ranks)
        else:
            _rank_by_change(chunks.unpack(chunk), number, owner, left, when, ranks)
        if not left:
            break
    for position, (key, change) in enumerate(base.changes.get(owner, {}).items()):
        if key in left and change.value != UNBOUND:
            ranks[key] = -1, position
    return ranks


def _rank_by_chunk(
    chunk: Chunk, number: int, owner: int, left: set[int], ranks: dict[int, Rank]
) -> None:
    gone, ended = chunk.gone.get(owner, ()), chunk.ended.get(owner, ())
    for position, key in enumerate(chunk.old.get(owner, ())):
        if key not in left:
            continue
        if key in ended:
            left.discard(key)  # it came behind this segment
            continue
        ranks[key] = number, position
        if key in gone:
            left.discard(key)


def _rank_by_change(
    unpacked: Unpacked,
    number: int,
    owner: int,
    left: set[int],
    when: int,
    ranks: dict[int, Rank],
) -> None:
    keys = unpacked.index.get(owner, {})
    for key in list(left):
        came = -1
        is_gone = False
        for position in keys.get(key, ()):
            if unpacked.whens[position] > when:
                break
            if unpacked.values[position] == UNBOUND:
                came, is_gone = -1, True
            elif came < 0:
                came = position
        if came >= 0:
            ranks[key] = number, came
        if is_gone:
            left.discard(key)


def _exact(chunks: Chunks, base: Base, owner: int, key: int, when: int) -> Rank:
    """The moment itself, from all changes: of what several threads have changed.

    Of one moment all changes are in one segment, in their order.
    """
    first = base.change(owner, key, when)
    rows: list[tuple[int, int, Token]] = []
    if first is not None:
        rows = [(first.when, list(base.changes[owner]).index(key), first.value)]
    for chunk in chunks.all:
        if chunk.first <= when and (
            key in chunk.old.get(owner, ()) or chunk.low <= owner <= chunk.high
        ):
            unpacked = chunks.unpack(chunk)
            positions = unpacked.index.get(owner, {}).get(key, ())
            rows += [(unpacked.whens[each], each, unpacked.values[each]) for each in positions]
    came = None
    for moment, position, value in sorted(rows, key=lambda row: row[:2]):
        if moment <= when:
            came = None if value == UNBOUND else came or (moment, position)
    return came or (0, 0)
