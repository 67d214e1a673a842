"""The breakpoints pane: every breakpoint, what became of it, and why where it was refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tuidbg.session.state import Breakpoint, BreakpointStatus
from tuidbg.tui.panes.source import GLYPHS, Mark
from tuidbg.tui.rows import Row, RowsPane, visible

_STYLES = {Mark.REFUSED: "warning", Mark.DISABLED: "faint"}


def mark_of(breakpoint: Breakpoint) -> Mark:
    """How a breakpoint is drawn in the gutter and in the list."""
    if not breakpoint.enabled:
        return Mark.DISABLED
    match breakpoint.status, bool(breakpoint.condition):
        case BreakpointStatus.REFUSED, _:
            return Mark.REFUSED
        case BreakpointStatus.SET, True:
            return Mark.CONDITIONAL
        case BreakpointStatus.SET, False:
            return Mark.SET
        case _, True:
            return Mark.PENDING_CONDITIONAL
    return Mark.PENDING


def explain_refusal(breakpoint: Breakpoint) -> str:
    """Why it is refused and what Enter does about it; empty for one that is not."""
    if breakpoint.status is not BreakpointStatus.REFUSED or not breakpoint.enabled:
        return ""
    if breakpoint.suggested_line is None:
        return breakpoint.message
    return f"{breakpoint.message}; Enter moves it to {breakpoint.suggested_line}"


class BreakpointsPane(RowsPane):
    """The list of breakpoints."""

    EMPTY = "No breakpoints: b sets one at the cursor"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "enable", "Enable or disable", show=False),
        Binding("d,delete", "delete", "Delete", show=False),
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

    def show_breakpoints(self, breakpoints: Sequence[Breakpoint], hit: Sequence[int] = ()) -> None:
        """Show these; those of ``hit`` are what the program stands at."""
        self.set_rows([_row(breakpoint, breakpoint.number in hit) for breakpoint in breakpoints])

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


def _row(breakpoint: Breakpoint, hit: bool) -> Row:
    mark = mark_of(breakpoint)
    glyph, style = GLYPHS[mark], _STYLES.get(mark, "error")
    place = f"{PurePath(breakpoint.path).name}:{breakpoint.line}"
    name_style = "strong" if hit else ("name" if breakpoint.enabled else "faint")
    pieces = [
        ("▶" if hit else " ", "good"),
        (f"{glyph} ", style),
        (f"{breakpoint.number} ", "faint"),
        (visible(place), name_style),
    ]
    if breakpoint.condition:
        pieces.append((f"  if {visible(breakpoint.condition)}", "value"))
    if refusal := explain_refusal(breakpoint):
        pieces.append((f"  {visible(refusal)}", "warning"))
    elif not breakpoint.enabled:
        pieces.append(("  off", "faint"))
    elif breakpoint.message:
        pieces.append((f"  {visible(breakpoint.message)}", "faint"))
    return Row(key=breakpoint.number, pieces=tuple(pieces))
