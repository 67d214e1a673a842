"""Search for a moved line of code: a breakpoint belongs to a statement, not to a line number.

Files change between runs: they are edited, formatted, or another branch is checked out. An anchor
holds the properties that distinguish one statement from all others of its file: its code, its
neighbours, its scope, and its index among equal statements. With these it is found again, or it is
lost; where two places are equally likely it is lost too, because a breakpoint on another statement
is worse than none.

Everything here is a pure function of a text.
"""

from __future__ import annotations

import bisect
import functools
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from tuidbg.lines import split_lines
from tuidbg.session.features.anchors.statements import (
    Key,
    Statements,
    is_name,
    make_key,
    names_of,
    read_scope,
)
from tuidbg.session.model.state import Breakpoint, StateValue

CONTEXT = 3
"""Statements kept before and after."""

_NEAR = 8
"""Statements within which a neighbour still counts, if others were inserted between."""

_LONGEST_CONTEXT = 200
"""Characters kept of a neighbour; a longer one is identified by its digest."""


def abridge(code: str, longest: int = _LONGEST_CONTEXT) -> str:
    """Return the code, or ``#`` and its digest if it is long; no code begins with ``#``."""
    return code if len(code) <= longest else f"#{_digest_context(make_key(code))}"


def _digest_context(key: Key) -> str:
    joined = "\0".join(key).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=8).hexdigest()


def is_same_code(kept: str, statements: Statements, index: int) -> bool:
    """True if a statement equals the kept one, which may be abridged."""
    if kept.startswith("#"):
        return len(statements.code(index)) > _LONGEST_CONTEXT // 2 and kept[1:] == _digest_context(
            statements.key(index)
        )
    return make_key(kept) == statements.key(index)


def find_equal(statements: Statements, kept: str, key: Key) -> list[int]:
    """Find the statements with that code; ``key`` is that of ``kept``."""
    if kept.startswith("#"):
        return [i for i in range(len(statements)) if is_same_code(kept, statements, i)]
    return statements.equal_to(key)


class StatementContext(NamedTuple):
    """The surroundings of a statement: its scope and its neighbours, nearest first.

    Fewer than ``CONTEXT`` neighbours: the file begins or ends there.
    """

    scope: str
    before: tuple[str, ...]
    after: tuple[str, ...]

    def places(self, statements: Statements, *, between: int = 1) -> list[int]:
        """Find the nearest neighbours with ``between`` statements between them.

        Returns the first of those statements (or, with 0, the one after).
        """
        if self.before:
            kept = self.before[0]
            firsts = [i + 1 for i in find_equal(statements, kept, make_key(kept))]
        else:
            firsts = [0]
        return [i for i in firsts if self._ends_at(statements, i + between)]

    def neighbours(self, statements: Statements) -> dict[int, int]:
        """Count the nearest neighbours beside each statement that has some."""
        found: dict[int, int] = {}
        for kept, step in ((self.before[:1], 1), (self.after[:1], -1)):
            for code in kept:
                for index in find_equal(statements, code, make_key(code)):
                    if 0 <= index + step < len(statements):
                        found[index + step] = found.get(index + step, 0) + 1
        return found

    def _ends_at(self, statements: Statements, index: int) -> bool:
        if not self.after or index >= len(statements):
            return not self.after and index == len(statements)
        return is_same_code(self.after[0], statements, index)


class Candidate(StateValue, frozen=True):
    """A statement with the right code, and the evidence for it.

    ``before`` and ``after`` count the equal neighbours, from the nearest on. Points: two for the
    same function or class (one for a module's level), two for each side whose nearest neighbour is
    the same, one where one of the neighbours is near at least.
    """

    index: int
    same_scope: bool
    before: int
    after: int
    points: int

    @property
    def touches(self) -> bool:
        """True if a nearest neighbour is the same."""
        return bool(self.before or self.after)

    @property
    def rank(self) -> tuple[int, int]:
        """Sort key: points first, then the number of equal neighbours."""
        return self.points, self.before + self.after


def judge(
    statements: Statements, wanted: StatementContext, first: int, last: int | None = None
) -> Candidate:
    """Collect the evidence for a statement, or for ``first`` to ``last`` treated as one."""
    last = first if last is None else last
    before = _depth(statements, wanted.before, lambda step: first - step)
    after = _depth(statements, wanted.after, lambda step: last + step)
    same_scope = statements.scope(first) == wanted.scope
    points = (2 if wanted.scope else 1) if same_scope else 0
    for depth, kept, near in (
        (before, wanted.before, range(max(0, first - _NEAR), first)),
        (after, wanted.after, range(last + 1, min(len(statements), last + 1 + _NEAR))),
    ):
        points += 2 if depth else int(_is_near(statements, kept, near))
    return Candidate(index=first, same_scope=same_scope, before=before, after=after, points=points)


def _depth(statements: Statements, kept: tuple[str, ...], at: Callable[[int], int]) -> int:
    depth = 0
    for depth, code in enumerate(kept):
        index = at(depth + 1)
        if not 0 <= index < len(statements) or not is_same_code(code, statements, index):
            return depth
    depth = len(kept)
    is_edge = depth < CONTEXT and not 0 <= at(depth + 1) < len(statements)
    return depth + is_edge


def _is_near(statements: Statements, kept: tuple[str, ...], near: Iterable[int]) -> bool:
    around = {statements.key(index) for index in near if not statements.is_header(index)}
    return any(make_key(code) in around for code in kept if not code.startswith("#"))


_MOST_PIECES = 4
"""The largest number of statements that one line is split into."""

_SHARED = 0.6
"""The smallest share of words that an edited statement has kept."""

_AROUND = 200
"""Statements before and after the old line that are searched for similar ones."""

_NOT_SHAPE = re.compile(r"[\w\s'\",()\\]+")


def find_changed(
    statements: Statements,
    wanted: StatementContext,
    key: Key,
    names: Mapping[str, int],
    *,
    has_twin: bool,
) -> int | None:
    """Find the statement it has become; None where that is uncertain.

    ``has_twin``: another statement was between the same neighbours.
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


# One line split into two, or two joined


def _find_pieces(statements: Statements, wanted: StatementContext, key: Key) -> list[int]:
    """Find ``if x: return`` split over two lines, or the reverse; returns the first of them."""
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
    """Count the uses of each renameable name of a statement within the name's scope."""
    key = statements.key(index)
    counts: dict[str, int] = {}
    for position, name in names_of(key).items():
        if name not in counts:
            counts[name] = _count(statements, index, key, position, name)
    return {name: count for name, count in counts.items() if count > 1}


def _count(statements: Statements, index: int, key: Key, position: int, name: str) -> int:
    """Count functions, classes and attributes in the whole file, variables in their function."""
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
    statements: Statements, wanted: StatementContext, key: Key, names: Mapping[str, int]
) -> list[int]:
    if not names:
        return []
    shape = _shape("".join(key))
    # A name that the neighbours already used before the edit is a different one.
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
    """Map old names to new ones, if the two differ only in names and one to one."""
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
    """Apply a renaming within a formatted string."""
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


def _find_edited(statements: Statements, wanted: StatementContext, key: Key) -> list[int]:
    """Find the statement between the same two neighbours, if its code is nearly the same."""
    return [
        index
        for index in wanted.places(statements)
        if statements.scope(index) == wanted.scope and _is_edit(key, statements.key(index))
    ]


def _is_edit(old: Key, new: Key) -> bool:
    """True if parts were added or removed, or a number or an operator changed."""
    before, after = _words(old), _words(new)
    if old[:1] != new[:1] or not (before <= after or after <= before):
        return False
    shared = before & after
    return len(shared) >= _SHARED * len(before | after) and any(map(is_name, shared))


def _words(key: Key) -> set[str]:
    return {token for token in key if token.isidentifier() or token.startswith("'")}


# Suggestions


def rank_similar(
    statements: Statements, wanted: StatementContext, key: Key, line: int
) -> list[int]:
    """Rank the statements it may have become, most likely first; ``line`` is its old line."""
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


MOST_CANDIDATES = 3

_ENOUGH = 3
"""Points of evidence (see ``Candidate``) that the only equal statement of a file needs."""

_DISTINCTIVE = 4
"""Distinct words that make a statement unlikely to occur by chance; then one point is enough."""

_LONGEST = 2_000
"""Characters kept of a statement; a longer one is identified by its digest."""


class Anchor(StateValue, frozen=True, omit_defaults=True):
    """The data needed to find a line of code again. Lines count from 1.

    ``text`` is the line without the blanks around it, ``statement`` the code of the whole statement
    if that differs, and ``offset`` counts the lines from its first. ``index`` of ``equal`` is its
    position among the equal statements in ``scope`` (a qualified name), ``file_index`` and
    ``file_equal`` are the same for the file. ``before`` and ``after`` are the nearest statements,
    nearest first; ``has_twin`` is set if another statement was between the same two. ``names`` maps
    its names to their numbers of uses. Where there is no statement (a comment, a blank line),
    ``is_code`` is false and ``offset`` counts from the end of the statement before. ``digest`` is
    that of the whole file.
    """

    line: int
    text: str
    digest: str = ""
    statement: str = ""
    is_code: bool = True
    offset: int = 0
    scope: str = ""
    index: int = 0
    equal: int = 1
    file_index: int = 0
    file_equal: int = 1
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    has_twin: bool = False
    names: dict[str, int] = {}

    @property
    def code(self) -> str:
        """Return the statement's code, or ``#`` and the digest of a very long one."""
        return self.statement or self.text

    @property
    def surroundings(self) -> StatementContext:
        """Return its scope and neighbours, for the search."""
        return StatementContext(self.scope, self.before, self.after)


class FoundLine(NamedTuple):
    """The new line of the code."""

    line: int


class UnfoundLine(NamedTuple):
    """A line that is gone or ambiguous; the most likely lines, best first."""

    candidates: tuple[int, ...] = ()


def make_anchor(source_text: str, line: int) -> Anchor:
    """Make the anchor of a line (from 1) of that text; any line is valid, even one past the end."""
    statements = _read(source_text)
    text = statements.lines[line - 1].strip() if 0 < line <= len(statements.lines) else ""
    at = statements.at(line - 1)
    if at is None:
        return _anchor_between(statements, line, text, _digest(source_text))
    key, scope = statements.key(at), statements.scope(at)
    equal = statements.equal_to(key)
    in_scope = [other for other in equal if statements.scope(other) == scope]
    code = abridge(statements.code(at), _LONGEST)
    before, after = _context(statements, at - 1, at + 1)
    return Anchor(
        line=line,
        text=text,
        digest=_digest(source_text),
        statement=code if code != text else "",
        offset=line - 1 - statements.starts[at],
        scope=scope,
        index=in_scope.index(at),
        equal=len(in_scope),
        file_index=equal.index(at),
        file_equal=len(equal),
        before=before,
        after=after,
        has_twin=len(StatementContext(scope, before, after).places(statements)) > 1,
        names=count_uses(statements, at),
    )


def _anchor_between(statements: Statements, line: int, text: str, digest: str) -> Anchor:
    following = next((i for i, s in enumerate(statements.starts) if s >= line), len(statements))
    before, after = _context(statements, following - 1, following)
    end = statements.ends[following - 1] if following else -1
    return Anchor(
        line=line,
        text=text,
        digest=digest,
        is_code=False,
        offset=line - 1 - end,
        before=before,
        after=after,
    )


def _context(
    statements: Statements, last: int, first: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    before = range(last, max(-1, last - CONTEXT), -1)
    after = range(first, min(len(statements), first + CONTEXT))
    return (
        tuple(abridge(statements.code(index)) for index in before),
        tuple(abridge(statements.code(index)) for index in after),
    )


def find_anchor(source_text: str, anchor: Anchor) -> FoundLine | UnfoundLine:
    """Find the line of that text to which the anchor's line of code has moved."""
    if is_made_of(source_text, anchor):
        return FoundLine(anchor.line)
    quickly = _find_unchanged(source_text, anchor)
    if quickly is not None:
        return FoundLine(quickly)
    statements = _read(source_text)
    if not anchor.is_code:
        return _find_between(statements, anchor)
    key = make_key(anchor.code)
    equal = find_equal(statements, anchor.code, key)
    candidates = [judge(statements, anchor.surroundings, index) for index in equal]
    at = _choose(anchor, key, candidates)
    if at is None and len(equal) < anchor.file_equal:
        at = find_changed(
            statements, anchor.surroundings, key, anchor.names, has_twin=anchor.has_twin
        )
    if at is not None:
        return FoundLine(_line_of(statements, at, anchor) + 1)
    return UnfoundLine(_most_likely(statements, anchor, key, candidates))


def is_made_of(source_text: str, anchor: Anchor) -> bool:
    """True if the anchor was made from exactly this text."""
    return bool(anchor.digest) and anchor.digest == _digest(source_text)


def reanchor(
    breakpoints: Iterable[Breakpoint], anchors: Mapping[str, Anchor], text: str
) -> list[tuple[Breakpoint, FoundLine | UnfoundLine]]:
    """Find the new positions of one file's breakpoints.

    Those without an anchor are omitted. ``anchors`` are by uuid.
    """
    return [(b, find_anchor(text, anchors[b.uuid])) for b in breakpoints if b.uuid in anchors]


@functools.lru_cache(maxsize=2)
def _read(text: str) -> Statements:
    """Read a file's statements; cached, as a file is queried once per breakpoint."""
    return Statements(text)


@functools.lru_cache(maxsize=2)
def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _find_unchanged(text: str, anchor: Anchor) -> int | None:
    """Find the line if it, its equals and their neighbours are all unchanged.

    An optimisation for large files; uncertain cases are left to the full search.
    """
    if not anchor.is_code or anchor.statement:
        return None
    lines = split_lines(text)
    places = [i for i, line in enumerate(lines) if anchor.text in line]
    if len(places) != anchor.file_equal or any(lines[i].strip() != anchor.text for i in places):
        return None
    place = places[anchor.file_index]
    above = next((c for i in range(place - 1, -1, -1) if _is_code(c := lines[i].strip())), None)
    below = next((c for i in range(place + 1, len(lines)) if _is_code(c := lines[i].strip())), None)
    if above != next(iter(anchor.before), None) or below != next(iter(anchor.after), None):
        return None
    if anchor.file_equal > 1 and read_scope(lines, place) != anchor.scope:
        return None
    earlier = lines[:place]
    for quotes in ('"""', "'''"):  # commented out by quotes around it?
        if sum(line.count(quotes) for line in earlier if quotes in line) % 2:
            return None
    return place + 1


def _is_code(line: str) -> bool:
    return bool(line) and not line.startswith("#")


def _choose(anchor: Anchor, key: Key, candidates: Sequence[Candidate]) -> int | None:
    """Choose the only certain candidate among the statements with the same code."""
    if not candidates:
        return None
    if len(candidates) == anchor.file_equal == 1:
        only = candidates[0]
        words = {token for token in key if is_name(token)}
        is_distinctive = len(words) >= _DISTINCTIVE and only.points > 0
        return only.index if only.points >= _ENOUGH or is_distinctive else None
    best = max(candidate.rank for candidate in candidates)
    in_scope = [candidate for candidate in candidates if candidate.same_scope]
    expected: list[Candidate] = []
    if len(candidates) == anchor.file_equal:
        expected.append(candidates[anchor.file_index])
    if len(in_scope) == anchor.equal:
        expected.append(in_scope[anchor.index])
    nearest = [make_key(code) for code in (*anchor.before[:1], *anchor.after[:1])]
    held = [candidate for candidate in candidates if candidate.before and candidate.after]
    if (
        len(held) == 1 and key not in nearest
    ):  # in a run of equal statements each has such neighbours
        expected.append(held[0])
    for candidate in expected:
        # Among several, the match is the one at its position or between its neighbours; but twins
        # in other functions have those neighbours too, and any of them may be the deleted one.
        if candidate.same_scope and candidate.rank == best and candidate.touches:
            return candidate.index
    return None


def _line_of(statements: Statements, at: int, anchor: Anchor) -> int:
    """Return the anchor's line within its statement, or the first line if that line is gone."""
    start, end = statements.starts[at], statements.ends[at]
    if anchor.offset:
        same = [i for i in range(start, end + 1) if statements.lines[i].strip() == anchor.text]
        if len(same) == 1:
            return same[0]
        if start + anchor.offset in same:
            return start + anchor.offset
    return start


def _find_between(statements: Statements, anchor: Anchor) -> FoundLine | UnfoundLine:
    """Find a comment or a blank line: present if the statements around it are still neighbours."""
    gaps = anchor.surroundings.places(statements, between=0)
    if len(gaps) != 1:
        return UnfoundLine()
    index = gaps[0]
    first = statements.ends[index - 1] + 1 if index else 0
    last = statements.starts[index] if index < len(statements) else len(statements.lines)
    same = [i for i in range(first, last) if statements.lines[i].strip() == anchor.text]
    expected = first + anchor.offset - 1
    if expected in same:
        return FoundLine(expected + 1)
    if len(same) == 1:
        return FoundLine(same[0] + 1)
    return UnfoundLine((last + 1,) if index < len(statements) else ())


def _most_likely(
    statements: Statements, anchor: Anchor, key: Key, candidates: Sequence[Candidate]
) -> tuple[int, ...]:
    def order(candidate: Candidate) -> tuple[int, int, int]:
        points, depth = candidate.rank
        return -points, -depth, abs(statements.starts[candidate.index] - anchor.line + 1)

    ranked = [candidate.index for candidate in sorted(candidates, key=order)]
    if not ranked:
        ranked = rank_similar(statements, anchor.surroundings, key, anchor.line - 1)
    return tuple(statements.starts[index] + 1 for index in ranked[:MOST_CANDIDATES])
