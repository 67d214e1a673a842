"""The two lines at the bottom: what the program does and why, and the keys that make sense now.

Both repaint only the cells that changed: at a step that is a line number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from tuidbg.session.state import Status
from tuidbg.tui.frame.lazy_styles import LazyStyles
from tuidbg.tui.keys.key_map import Command, KeyMap
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
        "status--place",
        "status--faint",
        "status--warning",
        "status--error",
        "status--hint",
    }
    DEFAULT_CSS = """
    StatusLine { background: $panel; color: $foreground; }
    StatusLine > .status--paused { background: $warning; color: $background; text-style: bold; }
    StatusLine > .status--running { background: $success; color: $background; text-style: bold; }
    StatusLine > .status--ended {
        background: $foreground 60%; color: $background; text-style: bold;
    }
    StatusLine > .status--failed { background: $error; color: $background; text-style: bold; }
    StatusLine > .status--place { text-style: bold; }
    StatusLine > .status--faint { color: $text-muted; }
    StatusLine > .status--hint { color: $text-accent; }
    StatusLine > .status--warning { color: $text-warning; text-style: bold; }
    StatusLine > .status--error { color: $text-error; text-style: bold; }
    """

    def __init__(self) -> None:
        super().__init__(id="status")
        self._state: tuple[Piece, ...] = ()
        self._hint: Piece | None = None
        self._timer: Timer | None = None

    def show_state(self, badge: str, style: str, pieces: Sequence[Piece]) -> None:
        """Show the state; a hint that is up stays up."""
        self._state = ((f" {badge} ", style), (" ", ""), *pieces)
        self._update()

    def show_hint(self, text: str, severity: str = "hint") -> None:
        """Show a sentence for a few seconds; ``severity``: ``hint``, ``warning`` or ``error``."""
        self._hint = (visible(text), severity)
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(HINT_SECONDS, self.clear_hint)
        self._update()

    def clear_hint(self) -> None:
        """Take the hint away."""
        self._hint = None
        self._update()

    @property
    def text(self) -> str:
        """Returns what the line says."""
        return "".join(text for text, _ in self._pieces)

    def _update(self) -> None:
        if self._hint is None:
            self.show_pieces(self._state)
        else:
            self.show_pieces([*self._state[:2], self._hint])


class KeyBar(CellLine):
    """The keys of the most used commands; those that make no sense now are greyed."""

    PREFIX = "keys"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"keys--key", "keys--off"}
    DEFAULT_CSS = """
    KeyBar { background: $surface; color: $text-muted; }
    KeyBar > .keys--key { color: $primary; text-style: bold; }
    KeyBar > .keys--off { color: $foreground 35%; text-style: none; }
    """

    class Pressed(Message):
        """A command was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, key_map: KeyMap) -> None:
        super().__init__(id="keys")
        self.key_map = key_map
        self._status: Status | None = None
        self._spans: list[tuple[int, int, str]] = []

    def show_status(self, status: Status | None) -> None:
        """Grey what makes no sense in that status."""
        self._status = status
        if not self.is_attached:
            return  # its session is gone, and it with it
        pieces: list[Piece] = []
        self._spans = []
        x = 0
        for command in self._commands():
            off = bool(self.key_map.why_not(command, status))
            key = self.key_map.key_of(command.name)
            word = f" {command.bar}  "
            pieces += [(f" {key}", "off" if off else "key"), (word, "off" if off else "")]
            length = len(key) + 1 + len(word)
            self._spans.append((x, x + length, command.name))
            x += length
        self.show_pieces(pieces)

    def _commands(self) -> list[Command[Any]]:
        """As many as there is room for; help and quit are always among them."""
        last = [self.key_map.find("help"), self.key_map.find("quit")]
        last = [command for command in last if self.key_map.key_of(command.name)]
        room = self.size.width - sum(map(self._width_of, last))
        shown: list[Command[Any]] = []
        for command in self.key_map.table:
            if not command.bar or command in last or not self.key_map.key_of(command.name):
                continue
            if self._width_of(command) <= room:
                room -= self._width_of(command)
                shown.append(command)
        return shown + last

    def _width_of(self, command: Command[Any]) -> int:
        return len(self.key_map.key_of(command.name)) + len(command.bar) + 4

    def on_resize(self) -> None:
        self.show_status(self._status)

    def on_click(self, event: events.Click) -> None:
        for start, end, name in self._spans:
            if start <= event.x < end:
                self.post_message(self.Pressed(name))
