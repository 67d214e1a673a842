"""The breakpoints pane: every breakpoint, what became of it, and why where it was refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tuidbg.session.state import Breakpoint, BreakpointKind, DataAccess
from tuidbg.tui.breakpoints.wording import (
    KIND_GLYPHS,
    describe_pieces,
    describe_rule,
    explain_refusal,
    mark_of,
    name_of,
)
from tuidbg.tui.source.lines import GLYPHS, Mark
from tuidbg.tui.widgets.rows import Piece, Row, RowsPane, visible

__all__ = ["BreakpointsPane", "explain_refusal", "mark_of", "row_of"]

_ACCESSES = {
    DataAccess.WRITE: "",
    DataAccess.READ: "when read",
    DataAccess.READ_WRITE: "when read or written",
}

_STYLES = {Mark.REFUSED: "warning", Mark.DISABLED: "faint"}


class BreakpointsPane(RowsPane):
    """The list of breakpoints."""

    EMPTY = "No breakpoints: b sets one at the cursor"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "enable", "Enable or disable", show=False),
        Binding("d,delete", "delete", "Delete", show=False),
        Binding("E", "enable_group", "Enable or disable the group", show=False),
        Binding("D", "delete_group", "Delete the group", show=False),
    ]

    class Chosen(Message):
        """A breakpoint was activated: go there, or take the suggested line."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class EnableToggled(Message):
        """A breakpoint is to be enabled or disabled."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class Deleted(Message):
        """A breakpoint is to be deleted."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class GroupEnableToggled(Message):
        """The group of a breakpoint is to be enabled or disabled."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class GroupDeleted(Message):
        """The group of a breakpoint is to be deleted."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._made: dict[int, tuple[Breakpoint, bool, Row]] = {}
        self._digits = 1

    def show_breakpoints(self, breakpoints: Sequence[Breakpoint], hit: Sequence[int] = ()) -> None:
        """Show these; those of ``hit`` are what the program stands at.

        Called at every count that changes: the rows of the others are kept as they are.
        """
        made, self._made = self._made, {}
        digits = len(str(max((found.number for found in breakpoints), default=1)))
        if digits != self._digits:
            self._digits = digits
            made = {}
        for found in breakpoints:
            number, is_hit = found.number, found.number in hit
            kept = made.get(number)
            if kept is None or kept[0] is not found or kept[1] is not is_hit:
                kept = (found, is_hit, row_of(found, is_hit=is_hit, digits=digits))
            self._made[number] = kept
        self.set_rows([row for _, _, row in self._made.values()])

    @property
    def cursor_number(self) -> int | None:
        """The number of the breakpoint under the cursor."""
        key = self.cursor_key
        return key if isinstance(key, int) else None

    def action_activate(self) -> None:
        if (number := self.cursor_number) is not None:
            self.post_message(self.Chosen(number))

    def action_enable(self) -> None:
        """Enable or disable the breakpoint under the cursor."""
        if (number := self.cursor_number) is not None:
            self.post_message(self.EnableToggled(number))

    def action_delete(self) -> None:
        """Delete the breakpoint under the cursor."""
        if (number := self.cursor_number) is not None:
            self.post_message(self.Deleted(number))

    def action_enable_group(self) -> None:
        """Enable or disable the group of the breakpoint under the cursor."""
        if (number := self.cursor_number) is not None:
            self.post_message(self.GroupEnableToggled(number))

    def action_delete_group(self) -> None:
        """Delete the group of the breakpoint under the cursor."""
        if (number := self.cursor_number) is not None:
            self.post_message(self.GroupDeleted(number))


def row_of(breakpoint: Breakpoint, *, is_hit: bool = False, digits: int = 1) -> Row:
    """One breakpoint: mark, number of so many digits, name, and what is to be said of it."""
    mark = mark_of(breakpoint)
    name_style = "strong" if is_hit else ("name" if breakpoint.enabled else "faint")
    pieces: list[Piece] = [
        ("▶" if is_hit else " ", "good"),
        (f"{GLYPHS[mark]} ", _STYLES.get(mark, "error")),
        (f"{breakpoint.number:>{digits}} ", "faint"),
    ]
    if glyph := KIND_GLYPHS.get(breakpoint.kind):
        pieces.append((f"{glyph} ", "value"))
    pieces.append((visible(name_of(breakpoint)), name_style))
    if about := _describe_kind(breakpoint):
        pieces.append((f"  {visible(about)}", "faint"))
    pieces += describe_pieces(breakpoint)
    return Row(key=breakpoint.number, pieces=tuple(pieces))


def _describe_kind(breakpoint: Breakpoint) -> str:
    """Returns where a function or an address is, when an exception or a value counts."""
    if breakpoint.kind is BreakpointKind.EXCEPTION and breakpoint.exception is not None:
        return describe_rule(breakpoint.exception)
    if breakpoint.kind is BreakpointKind.DATA:
        return _ACCESSES[breakpoint.access]
    places = {(place.path, place.line) for place in breakpoint.places}
    if breakpoint.kind is BreakpointKind.LINE:
        return ""
    if len(places) > 1:
        return f"{len(places)} places"
    if breakpoint.path and breakpoint.line:
        return f"{PurePath(breakpoint.path).name}:{breakpoint.line}"
    return ""
