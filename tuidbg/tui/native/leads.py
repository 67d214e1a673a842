"""Tells where a row of machine code leads: to another instruction, or to its line of source."""

from __future__ import annotations

import re

from tuidbg.session.native.disassembly import Instruction, Row, Symbol
from tuidbg.session.state import Place
from tuidbg.tui.keys.modes import Hint, Mode, given

_TARGET = re.compile(r"\$?(0x[0-9a-fA-F]+)")
_LEADS = ("call", "j", "b", "cb", "tb")
"""Tells how the names of instructions begin that go somewhere else."""


def target_of(row: Row) -> int | None:
    """Returns the address that an instruction goes to, where that is known."""
    if not isinstance(row, Instruction):
        return None
    name, _, operands = row.text.partition(" ")
    if not name.lower().startswith(_LEADS):
        return None
    found = _TARGET.fullmatch(operands.strip())
    return int(found[1], 16) if found is not None else None


def place_of(row: Row) -> Place | None:
    """Returns the line of source of a row, where it is known."""
    return None if isinstance(row, Symbol) else row.place


def address_of(row: Row | None) -> int | None:
    """Where a row's code stands; a line of the source has no address of its own."""
    return row.address if isinstance(row, Instruction | Symbol) else None


def row_mode(row: Row | None) -> Mode:
    """The keys while that row is under the cursor; None: there is none."""
    hints = [given("go_to_line", "go to"), given("show_code", "source")]
    if row is not None and target_of(row) is not None:
        hints.insert(0, Hint("enter", "follow"))
    elif row is not None and place_of(row) is not None:
        hints.insert(0, Hint("enter", "its line"))
    return Mode(hints=hints)
