"""The names in a line of source, told from strings, comments and keywords by their colours.

No parser: what is coloured as code, in whatever language, is what a person takes for a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tuidbg.tui.frame.theme import SYNTAX
from tuidbg.tui.source.highlight import Runs

_NAME = re.compile(r"[^\W\d]\w*")
_NO_CODE = frozenset(
    SYNTAX.index(kind)
    for kind in ("comment", "docstring", "string", "escape", "number", "constant", "keyword")
)
_ARGUMENT = re.compile(r"\s*=(?!=)")
_DEFINITION = re.compile(r"\s*(async\s+)?(def|class|lambda)\b")
_LONGEST = 1_000
"""Characters of a line that are looked at."""


class Name(NamedTuple):
    """A name, or an attribute chain up to one of its names: ``order.price``.

    ``start`` and ``end`` are those of the last name, as indices into the line.
    """

    start: int
    end: int
    expression: str


def find_names(line: str, runs: Runs) -> list[Name]:
    """The names of a line from left to right; no calls, no items, no names of arguments."""
    return list(_find(line[:_LONGEST], runs))


def _find(line: str, runs: Runs) -> Iterator[Name]:
    is_definition = _DEFINITION.match(line) is not None
    before: Name | None = None
    depth = at = 0
    for found in _NAME.finditer(line):
        start, end = found.span()
        between = line[at:start]
        at = end
        if _is_no_code(start, runs):
            before = None
            continue
        depth += sum(between.count(c) for c in "([{") - sum(between.count(c) for c in ")]}")
        after = line[start - 1 : start]
        if between.strip() == "." and before is not None:
            before = Name(start, end, f"{before.expression}.{found[0]}")
        elif between.rstrip().endswith(".") or (after.isalnum() or after == "_"):
            before = None  # of a call, an item or a number
            continue
        elif depth > 0 and not is_definition and _ARGUMENT.match(line, end):
            before = None
            continue
        else:
            before = Name(start, end, found[0])
        yield before


def _is_no_code(index: int, runs: Runs) -> bool:
    for at in range(0, len(runs), 2):
        if index < runs[at]:
            return runs[at + 1] in _NO_CODE
    return False
