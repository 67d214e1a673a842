"""A statement whose own code has changed: renamed names, a small edit, one line made two.

Only what can be told from a deletion followed by something new is followed: its neighbours must
still touch it, and the change itself must speak for it. Everything else is only a suggestion.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Mapping

from tuidbg.session.anchors.context import Surroundings, judge
from tuidbg.session.anchors.statement_keys import Key, is_name, make_key, names_of
from tuidbg.session.anchors.statements import Statements

_MOST_PIECES = 4
"""Statements that one line is broken up into at most."""

_SHARED = 0.6
"""The share of words that an edited statement has kept at least."""

_AROUND = 200
"""Statements before and after the old line among which similar ones are looked for."""

_NOT_SHAPE = re.compile(r"[\w\s'\",()\\]+")


def find_changed(
    statements: Statements,
    wanted: Surroundings,
    key: Key,
    names: Mapping[str, int],
    *,
    has_twin: bool,
) -> int | None:
    """The statement that it has become; None where that is not beyond doubt.

    ``has_twin``: another statement stood between the same neighbours.
    """
    if not key:
        return None
    for found in (
        _find_pieces(statements, wanted, key),
        _find_renamed(statements, wanted, key, names),
        [] if has_twin else _find_edited(statements, wanted, key),
    ):
        if len(found) == 1:
            return found[0]
    return None


# One line made two, or two made one


def _find_pieces(statements: Statements, wanted: Surroundings, key: Key) -> list[int]:
    """``if x: return`` on two lines, or the other way round; the first of them."""
    joined = key + make_key(wanted.after[0]) if wanted.after else ()
    found: list[int] = []
    for index in range(len(statements)):
        if not statements.lines[statements.starts[index]].lstrip().startswith(key[0]):
            continue
        last, rest = _last_piece(statements, index, key), wanted
        if joined and statements.key(index) == joined:
            last, rest = index, wanted._replace(after=wanted.after[1:])
        if last is not None and judge(statements, rest, index, last).points >= 3:
            found.append(index)
    return found


def _last_piece(statements: Statements, first: int, key: Key) -> int | None:
    so_far: Key = ()
    for index in range(first, min(len(statements), first + _MOST_PIECES)):
        so_far += statements.key(index)
        if so_far == key:
            return index if index > first else None
        if key[: len(so_far)] != so_far:
            return None
    return None


# Renamed


def count_uses(statements: Statements, index: int) -> dict[str, int]:
    """Count how often each name of a statement that could be renamed is used where it is known."""
    key = statements.key(index)
    counts: dict[str, int] = {}
    for position, name in names_of(key).items():
        if name not in counts:
            counts[name] = _count(statements, index, key, position, name)
    return {name: count for name, count in counts.items() if count > 1}


def _count(statements: Statements, index: int, key: Key, position: int, name: str) -> int:
    """In the whole file for functions, classes and attributes, in its function for variables."""
    before = key[position - 1] if position else ""
    after = key[position + 1] if position + 1 < len(key) else ""
    is_wide = before in (".", "def", "class") or after == "("
    span = range(len(statements)) if is_wide else statements.scope_span(index)
    word = name.lstrip(".")
    inside = re.compile(rf"(?:self{re.escape(name)}|(?<![\w.]){re.escape(name)})\b")
    count = 0
    for other in span:
        if not statements.holds(other, word):
            continue
        tokens = statements.key(other)
        count += sum(
            each == name and (is_wide or not place or tokens[place - 1] not in ("def", "class"))
            for place, each in names_of(tokens).items()
        )
        count += sum(len(inside.findall(each)) for each in tokens if each.startswith("'f"))
    return count


def _find_renamed(
    statements: Statements, wanted: Surroundings, key: Key, names: Mapping[str, int]
) -> list[int]:
    if not names:
        return []
    shape = _shape("".join(key))
    # What had that name already is something else.
    taken = {
        name
        for code in (*wanted.before, *wanted.after)
        for name in names_of(make_key(code)).values()
    }
    return [
        index
        for index in range(len(statements))
        if _shape(statements.code(index)) == shape
        and (renamed := _renaming(key, statements.key(index)))
        and taken.isdisjoint(renamed.values())
        and _is_renamed_neighbour(statements, wanted.before, index - 1, renamed)
        and _is_renamed_neighbour(statements, wanted.after, index + 1, renamed)
        and _is_renamed_throughout(statements, index, key, renamed, names)
    ]


def _shape(code: str) -> str:
    return _NOT_SHAPE.sub("", code)


def _renaming(old: Key, new: Key) -> dict[str, str]:
    """Old names and new ones, where the two differ in names alone and one stands for one."""
    if len(old) != len(new):
        return {}
    places, new_places = names_of(old), names_of(new)
    renaming: dict[str, str] = {}
    for place, name in places.items():
        other = new_places.get(place)
        if other is None or name.startswith(".") != other.startswith("."):
            return {}
        if renaming.setdefault(name, other) != other:
            return {}
    if len(set(renaming.values())) != len(renaming) or _rename(old, renaming) != new:
        return {}
    return {before: after for before, after in renaming.items() if before != after}


def _rename(key: Key, renaming: Mapping[str, str]) -> Key:
    places = names_of(key)
    return tuple(
        _rename_inside(token, renaming)
        if token.startswith("'f")
        else renaming.get(places[place], token).lstrip(".")
        if place in places
        else token
        for place, token in enumerate(key)
    )


def _rename_inside(text: str, renaming: Mapping[str, str]) -> str:
    """Within a formatted string."""
    text = re.sub(r"(?<![\w.])[^\W\d]\w*", lambda found: renaming.get(found[0], found[0]), text)
    return re.sub(r"(?<=self)\.\w+", lambda found: renaming.get(found[0], found[0]), text)


def _is_renamed_neighbour(
    statements: Statements, kept: tuple[str, ...], index: int, renaming: Mapping[str, str]
) -> bool:
    inside = 0 <= index < len(statements)
    if not kept or not inside:
        return not kept and not inside
    return _rename(make_key(kept[0]), renaming) == statements.key(index)


def _is_renamed_throughout(
    statements: Statements,
    index: int,
    old: Key,
    renaming: Mapping[str, str],
    names: Mapping[str, int],
) -> bool:
    """True if the old names are gone and the new ones are used as often as those were."""
    new = statements.key(index)
    first = {name: place for place, name in reversed(names_of(old).items())}
    return all(
        names.get(before, 0) > 1
        and _count(statements, index, old, first[before], before) == 0
        and _count(statements, index, new, first[before], after) == names[before]
        for before, after in renaming.items()
    )


# Edited


def _find_edited(statements: Statements, wanted: Surroundings, key: Key) -> list[int]:
    """The statement between the same two neighbours, if it says nearly the same."""
    return [
        index
        for index in wanted.places(statements)
        if statements.scope(index) == wanted.scope and _is_edit(key, statements.key(index))
    ]


def _is_edit(old: Key, new: Key) -> bool:
    """Something was added or taken away, or a number or an operator is another."""
    before, after = _words(old), _words(new)
    if old[:1] != new[:1] or not (before <= after or after <= before):
        return False
    shared = before & after
    return len(shared) >= _SHARED * len(before | after) and any(map(is_name, shared))


def _words(key: Key) -> set[str]:
    return {token for token in key if token.isidentifier() or token.startswith("'")}


# Suggestions


def rank_similar(statements: Statements, wanted: Surroundings, key: Key, line: int) -> list[int]:
    """The statements it may have become, the most likely first; ``line`` is where it was."""
    words = _words(key)
    neighbours = wanted.neighbours(statements)
    at = bisect.bisect_left(statements.starts, line)
    around = range(max(0, at - _AROUND), min(len(statements), at + _AROUND))
    ranked: list[tuple[float, int, int]] = []
    for index in {*neighbours, *around}:
        its = _words(statements.key(index))
        shared = len(words & its) / (len(words | its) or 1)
        likeness = neighbours.get(index, 0) + shared + (0.5 if shared >= 0.5 else 0.0)
        if likeness >= 1:
            ranked.append((-likeness, abs(statements.starts[index] - line), index))
    return [index for _, _, index in sorted(ranked)]
