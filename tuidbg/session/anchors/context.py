"""Compares the neighbourhood of a statement with that of an anchor.

The same code can stand in a file many times. What speaks for one of them is what it is in and what
stands next to it; headers (``def``, ``class``) count as neighbours only where they touch it,
because that it is in them has been counted already.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import NamedTuple

from tuidbg.session.anchors.statement_keys import Key, make_key
from tuidbg.session.anchors.statements import Statements
from tuidbg.session.state import Value

CONTEXT = 3
"""Statements kept before and after."""

_NEAR = 8
"""Statements within which a neighbour still counts, where others came between."""

_LONGEST = 200
"""Characters of a neighbour that are kept; a longer one is known by its digest."""


def abridge(code: str, longest: int = _LONGEST) -> str:
    """The code, or ``#`` and its digest where it is long; no code begins with ``#``."""
    return code if len(code) <= longest else f"#{_digest(make_key(code))}"


def _digest(key: Key) -> str:
    joined = "\0".join(key).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=8).hexdigest()


def is_same_code(kept: str, statements: Statements, index: int) -> bool:
    """True if a statement is the one that was kept, perhaps abridged."""
    if kept.startswith("#"):
        return len(statements.code(index)) > _LONGEST // 2 and kept[1:] == _digest(
            statements.key(index)
        )
    return make_key(kept) == statements.key(index)


def find_equal(statements: Statements, kept: str, key: Key) -> list[int]:
    """The statements with that code; ``key`` is that of ``kept``."""
    if kept.startswith("#"):
        return [i for i in range(len(statements)) if is_same_code(kept, statements, i)]
    return statements.equal_to(key)


class Surroundings(NamedTuple):
    """The surroundings of a statement: its scope and its neighbours, nearest first.

    Fewer than ``CONTEXT`` neighbours: the file begins or ends there.
    """

    scope: str
    before: tuple[str, ...]
    after: tuple[str, ...]

    def places(self, statements: Statements, *, between: int = 1) -> list[int]:
        """Tells where the nearest neighbours stand with so many statements between them; the first
        of those (or, with 0, the one after).
        """
        if self.before:
            kept = self.before[0]
            firsts = [i + 1 for i in find_equal(statements, kept, make_key(kept))]
        else:
            firsts = [0]
        return [i for i in firsts if self._ends_at(statements, i + between)]

    def neighbours(self, statements: Statements) -> dict[int, int]:
        """The statements next to which a nearest neighbour stands, with how many do."""
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


class Candidate(Value, frozen=True):
    """A statement with the right code, and the points that speak for it.

    ``before`` and ``after`` count the neighbours that are the same, from the nearest on. Points:
    two for the same function or class (one for a module's level), two for each side whose nearest
    neighbour is the same, one where one of the neighbours is near at least.
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
        """To be compared: points first, then the depth of the same neighbourhood."""
        return self.points, self.before + self.after


def judge(
    statements: Statements, wanted: Surroundings, first: int, last: int | None = None
) -> Candidate:
    """Count what speaks for a statement, or for those from ``first`` to ``last`` taken as one."""
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
