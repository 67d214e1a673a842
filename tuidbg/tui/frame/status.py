"""The status line: what the program does and why.

It repaints only the cells that changed: at a step that is a line number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from tuidbg.tui.frame.lazy_styles import LazyStyles
from tuidbg.tui.widgets.rows import Piece, cells_of, changed_cells, visible
from tuidbg.tui.widgets.strips import fit

HINT_SECONDS = 6.0
"""Tells how long a hint stays in the status line."""


class CellLine(LazyStyles, Widget):
    """One line of styled pieces that repaints the cells that changed."""

    DEFAULT_CSS = "CellLine { height: 1; width: 1fr; }"
    PREFIX: ClassVar[str] = "line"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._pieces: tuple[Piece, ...] = ()

    def show_pieces(self, pieces: Sequence[Piece]) -> None:
        """Show these; styles are component classes without the prefix."""
        old, self._pieces = self._pieces, tuple(pieces)
        if old == self._pieces:
            return
        start, end = changed_cells(cells_of(old), cells_of(self._pieces), self.size.width)
        if end > start:
            self.refresh(Region(start, 0, end - start, 1))

    def _style_of(self, name: str) -> Style:
        if not name:
            return self.rich_style
        return self.get_component_rich_style(f"{self.PREFIX}--{name}")

    def render_line(self, y: int) -> Strip:
        segments = [Segment(text, self._style_of(name)) for text, name in self._pieces]
        return fit(segments, self.size.width, self.rich_style)


class StatusLine(CellLine):
    """The state of the program, why it stopped and where; hints take its place for a moment."""

    PREFIX = "status"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "status--paused",
        "status--running",
        "status--ended",
        "status--failed",
        "status--past",
        "status--place",
        "status--faint",
        "status--warning",
        "status--error",
        "status--hint",
        "status--good",
    }
    DEFAULT_CSS = """
    StatusLine { background: $panel; color: $foreground; }
    StatusLine > .status--paused { background: $accent; color: $background; text-style: bold; }
    StatusLine > .status--running { background: $success; color: $background; text-style: bold; }
    StatusLine > .status--ended {
        background: $foreground 60%; color: $background; text-style: bold;
    }
    StatusLine > .status--failed { background: $error; color: $background; text-style: bold; }
    StatusLine > .status--past { background: $primary; color: $background; text-style: bold; }
    StatusLine > .status--place { text-style: bold; }
    StatusLine > .status--good { color: $text-success; }
    StatusLine > .status--faint { color: $text-muted; }
    StatusLine > .status--hint { color: $foreground; }
    StatusLine > .status--warning { color: $text-warning; text-style: bold; }
    StatusLine > .status--error { color: $text-error; text-style: bold; }
    """

    def __init__(self) -> None:
        super().__init__(id="status")
        self._state: tuple[Piece, ...] = ()
        self._hint: Piece | None = None
        self._hint_state = ""
        """The state of the program that the hint is about; empty where it is about none."""
        self._timer: Timer | None = None

    def show_state(self, badge: str, style: str, pieces: Sequence[Piece]) -> None:
        """Show the state; a hint that is up stays up."""
        self._state = ((f" {badge} ", style), (" ", ""), *pieces)
        self._update()

    def show_hint(self, text: str, severity: str = "hint", *, only_in: str = "") -> None:
        """Show a sentence for a few seconds; ``severity``: ``hint``, ``warning`` or ``error``.

        With ``only_in`` it is true in that state of the program alone, and goes with it.
        """
        self._hint = (visible(text), severity)
        self._hint_state = only_in
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(HINT_SECONDS, self.clear_hint)
        self._update()

    def clear_hint(self, text: str = "") -> None:
        """Take the hint away; with ``text`` only where that is what it says."""
        if text and self._hint is not None and self._hint[0] != visible(text):
            return
        self._hint = None
        self._update()

    @property
    def text(self) -> str:
        """Returns what the line says."""
        return "".join(text for text, _ in self._pieces)

    def enter_state(self, state: str) -> None:
        """Take away a hint that is true in another state of the program alone."""
        if self._hint_state not in ("", state):
            self._hint_state = ""
            self.clear_hint()

    def _update(self) -> None:
        if self._hint is None:
            self.show_pieces(self._state)
        else:
            self.show_pieces([*self._state[:2], self._hint])
