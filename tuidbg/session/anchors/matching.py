"""Tells where a line of code has gone: a breakpoint belongs to a statement, not to a line number.

Files change while nobody looks: somebody edits, formats or checks out another branch. An anchor
holds what tells one statement from all others of its file: its code, its neighbours, what it is
in, and which of its equals it is. With that it is found again, or it is lost; where two places are
as likely it is lost too, because a breakpoint on another statement is worse than none.

Everything here is a pure function of a text.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tuidbg.lines import split_lines
from tuidbg.session.anchors.context import (
    CONTEXT,
    Candidate,
    Surroundings,
    abridge,
    find_equal,
    judge,
)
from tuidbg.session.anchors.edits import count_uses, find_changed, rank_similar
from tuidbg.session.anchors.statement_keys import Key, is_name, make_key
from tuidbg.session.anchors.statements import Statements, read_scope
from tuidbg.session.state import Breakpoint, Value

MOST_CANDIDATES = 3

_ENOUGH = 3
"""Points of evidence (see ``Candidate``) that the only equal statement of a file needs."""

_DISTINCTIVE = 4
"""Different words with which a statement is hardly there by chance; then one point is enough."""

_LONGEST = 2_000
"""Characters of a statement that are kept; a longer one is known by its digest."""


class Anchor(Value, frozen=True, omit_defaults=True):
    """All that is needed to find a line of code again. Lines count from 1.

    ``text`` is the line without the blanks around it, ``statement`` the code of the whole statement
    where that is something else, and ``offset`` counts the lines from its first. ``index`` of
    ``equal`` says which of the same statements in ``scope`` (a qualified name) it is,
    ``file_index`` and ``file_equal`` the same for the file. ``before`` and ``after`` are the
    nearest statements, nearest first, and ``has_twin`` says that another statement stood between
    the same two. ``names`` says how often its names are used. Where there is no statement (a
    comment, a blank line), ``is_code`` is false and ``offset`` counts from the end of the statement
    before. ``digest`` is that of the whole file.
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
        """The code of its statement, or ``#`` and the digest of a very long one."""
        return self.statement or self.text

    @property
    def surroundings(self) -> Surroundings:
        """The scope and the neighbours that are looked for around it."""
        return Surroundings(self.scope, self.before, self.after)


class Found(NamedTuple):
    """The line of code is there."""

    line: int


class Lost(NamedTuple):
    """It is gone, or could be several; the most likely lines, best first."""

    candidates: tuple[int, ...] = ()


def make_anchor(source_text: str, line: int) -> Anchor:
    """Make the anchor of a line (from 1) of that text; any will do, one past the end too."""
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
        has_twin=len(Surroundings(scope, before, after).places(statements)) > 1,
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


def find_anchor(source_text: str, anchor: Anchor) -> Found | Lost:
    """The line of that text to which the anchor's line of code has gone."""
    if is_made_of(source_text, anchor):
        return Found(anchor.line)
    quickly = _find_unchanged(source_text, anchor)
    if quickly is not None:
        return Found(quickly)
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
        return Found(_line_of(statements, at, anchor) + 1)
    return Lost(_most_likely(statements, anchor, key, candidates))


def is_made_of(source_text: str, anchor: Anchor) -> bool:
    """True if this is the very text that the anchor was made of."""
    return bool(anchor.digest) and anchor.digest == _digest(source_text)


def reanchor(
    breakpoints: Iterable[Breakpoint], anchors: Mapping[str, Anchor], text: str
) -> list[tuple[Breakpoint, Found | Lost]]:
    """Tells where breakpoints of one file belong in its new text; those without an anchor are left
    out. ``anchors`` are by uuid."""
    return [(b, find_anchor(text, anchors[b.uuid])) for b in breakpoints if b.uuid in anchors]


@functools.lru_cache(maxsize=2)
def _read(text: str) -> Statements:
    """One file is asked about for each of its breakpoints."""
    return Statements(text)


@functools.lru_cache(maxsize=2)
def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _find_unchanged(text: str, anchor: Anchor) -> int | None:
    """The line where it and its equals are as they were, between its neighbours as they were.

    Only to be quick with large files; what is in doubt is left to the whole search.
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
    """The one that it is beyond doubt, of the statements with the same code."""
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
    if len(held) == 1 and key not in nearest:  # in a row of equals each has such neighbours
        expected.append(held[0])
    for candidate in expected:
        # Of several it is the one in its order or between its neighbours; but twins in other
        # functions have those neighbours too, and any of them may be the one that was deleted.
        if candidate.same_scope and candidate.rank == best and candidate.touches:
            return candidate.index
    return None


def _line_of(statements: Statements, at: int, anchor: Anchor) -> int:
    """The anchor's line within its statement, or the first where that line is no more."""
    start, end = statements.starts[at], statements.ends[at]
    if anchor.offset:
        same = [i for i in range(start, end + 1) if statements.lines[i].strip() == anchor.text]
        if len(same) == 1:
            return same[0]
        if start + anchor.offset in same:
            return start + anchor.offset
    return start


def _find_between(statements: Statements, anchor: Anchor) -> Found | Lost:
    """A comment or a blank line: there if the statements around it still are neighbours."""
    gaps = anchor.surroundings.places(statements, between=0)
    if len(gaps) != 1:
        return Lost()
    index = gaps[0]
    first = statements.ends[index - 1] + 1 if index else 0
    last = statements.starts[index] if index < len(statements) else len(statements.lines)
    same = [i for i in range(first, last) if statements.lines[i].strip() == anchor.text]
    expected = first + anchor.offset - 1
    if expected in same:
        return Found(expected + 1)
    if len(same) == 1:
        return Found(same[0] + 1)
    return Lost((last + 1,) if index < len(statements) else ())


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
