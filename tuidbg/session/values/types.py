"""The questions and answers about the variables of a frame (``session.values``)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from tuidbg.session.state import Value, Variable

PAGE = 100
"""Children of one page, where no other number is asked for."""


FIRST_HANDLE = 1_000_000_000
"""Handles begin here; adapters' references are below (``Inspection`` sees to that)."""


class Wanted(Value, frozen=True):
    """Says which children are wanted: ``count`` from ``start`` on, and what of those below them."""

    start: int = 0
    count: int = PAGE
    children: dict[str, Wanted] = {}

    def as_question(self) -> dict[str, Any]:
        """As ``inside/values.py`` takes it."""
        below = {name: wanted.as_question() for name, wanted in self.children.items()}
        return {"s": self.start, "n": self.count, **({"c": below} if below else {})}


class VariableNode(Value, frozen=True):
    """A scope or a variable, with its children where they were fetched.

    Of ``total`` children, ``children`` are those from ``start`` on.
    """

    variable: Variable
    children: tuple[VariableNode, ...] | None = None
    is_scope: bool = False
    start: int = 0
    total: int = 0


class FullText(Value, frozen=True):
    """A value as text. ``total`` is its whole length: ``text`` is only its beginning where less.

    ``kind`` is ``str``, ``bytes``, ``bytearray``, or nothing for what is none of these. As bytes,
    ``text`` has two hexadecimal digits for each.
    """

    text: str
    total: int
    kind: str = ""


class How(StrEnum):
    """Tells how a value is displayed."""

    REPR = "repr"
    STR = "str"
    TYPE = "type"
    LEN = "len"
    EXPRESSION = "expression"


class Display(Value, frozen=True):
    """Tells how one variable is displayed; ``expression`` has ``it`` for the value."""

    how: How
    expression: str = ""

    @classmethod
    def read(cls, text: str) -> Display:
        """Of what a person typed: a word of ``How``, or an expression with ``it`` or ``{}``."""
        text = text.strip()
        if text in (How.REPR, How.STR, How.TYPE, How.LEN):
            return cls(How(text))
        return cls(How.EXPRESSION, text.replace("{}", "it"))

    def __str__(self) -> str:
        return self.expression if self.how is How.EXPRESSION else str(self.how)


class Address(msgspec.Struct, frozen=True):
    """Tells where a value is: in a frame, a scope (or an expression), so many steps from there.

    For other adapters ``container`` is the reference that has it as a child.
    """

    frame_id: int
    scope: str
    steps: tuple[tuple[str, int | str], ...]
    name: str
    expression: str
    container: int = 0
    kind: str = ""

    def question(self) -> dict[str, Any]:
        """The arguments that name it inside the program."""
        return {"scope": self.scope, "steps": [list(step) for step in self.steps]}


def twin_name(name: str, times: int) -> str:
    """A name that tells the second of two children of one name from the first."""
    return name if times == 1 else f"{name}\0{times}"


class JsonText(Value, frozen=True):
    """A value as JSON; what JSON does not know stands in it as text."""

    text: str
    total: int
    is_whole: bool = True


class Found(Value, frozen=True):
    """Tells where a text is in a container: positions and names.

    ``seen`` of ``total`` children were looked at: not all where there were too many matches.
    """

    found: tuple[tuple[int, str], ...] = ()
    seen: int = 0
    total: int = 0
