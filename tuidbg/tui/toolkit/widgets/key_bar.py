"""The key bar at the bottom: keys of the focused pane, then the commands available now.

It names no key that is bound differently, and repaints only changed cells: a step changes none of
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Protocol

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from tuidbg.session.model.state import Status
from tuidbg.tui.toolkit.keys.key_map import key_of_character, keys_in_force
from tuidbg.tui.toolkit.keys.key_reader import Hint, Mode, Named, mode_at, name_hint
from tuidbg.tui.toolkit.theme.lazy_styles import LazyStyles
from tuidbg.tui.toolkit.widgets.rows import Piece, cells_of, changed_cells, fit, visible

HINT_SECONDS = 6.0
"""Seconds that a hint stays in the status line."""


class CellLine(LazyStyles, Widget):
    """A line of styled pieces that repaints only changed cells."""

    DEFAULT_CSS = "CellLine { height: 1; width: 1fr; }"
    PREFIX: ClassVar[str] = "line"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._pieces: tuple[Piece, ...] = ()

    def show_pieces(self, pieces: Sequence[Piece]) -> None:
        """Show pieces; their styles are component classes without the prefix."""
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
    """The program's state, stop reason and place; hints replace them temporarily."""

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
        """The program state that the hint is about; empty for none."""
        self._timer: Timer | None = None

    def show_state(self, badge: str, style: str, pieces: Sequence[Piece]) -> None:
        """Show the state; a present hint stays."""
        self._state = ((f" {badge} ", style), (" ", ""), *pieces)
        self._update()

    def show_hint(self, text: str, severity: str = "hint", *, only_in: str = "") -> None:
        """Show a sentence for a few seconds; ``severity``: ``hint``, ``warning`` or ``error``.

        With ``only_in`` it is valid in that program state only, and disappears with it.
        """
        self._hint = (visible(text), severity)
        self._hint_state = only_in
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(HINT_SECONDS, self.clear_hint)
        self._update()

    def clear_hint(self, text: str = "") -> None:
        """Remove the hint; with ``text`` only if it is the one shown."""
        if text and self._hint is not None and self._hint[0] != visible(text):
            return
        self._hint = None
        self._update()

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self._pieces)

    def enter_state(self, state: str) -> None:
        """Remove a hint that is valid in another program state only."""
        if self._hint_state not in ("", state):
            self._hint_state = ""
            self.clear_hint()

    def _update(self) -> None:
        if self._hint is None:
            self.show_pieces(self._state)
        else:
            self.show_pieces([*self._state[:2], self._hint])


ROLES = ("keys", "evaluate", "line", "program", "dialog")
"""The kinds of modes; their label precedes the hints, in one colour for all."""

_CHARACTERS = {key_of_character(character): character for character in map(chr, range(33, 127))}


class Commands(Protocol):
    """The commands of a screen as the bar needs them."""

    def makes_sense(self, command: str, status: Status | None) -> bool:
        """Return whether a command is available now."""

    def useful(self, status: Status | None) -> Sequence[Hint]:
        """Return hints for commands relevant now, the most useful first."""

    @property
    def always(self) -> Sequence[Hint]:
        """Return hints that are always shown."""


class KeyBar(CellLine):
    """The hints of the current keyboard mode, as many as fit."""

    PREFIX = "keys"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"keys--{role}{part}" for role in ROLES for part in ("", "-name")
    } | {"keys--hint", "keys--warning", "keys--error"}
    DEFAULT_CSS = """
    KeyBar { background: $surface; color: $text-muted; }
    KeyBar.-docked { dock: bottom; }
    KeyBar > .keys--hint { color: $foreground; }
    KeyBar > .keys--warning { color: $text-warning; }
    KeyBar > .keys--error { color: $text-error; text-style: bold; }
    """ + "".join(
        f"KeyBar > .keys--{role} {{ color: $text-primary; text-style: bold; }}"
        f"KeyBar > .keys--{role}-name {{"
        " background: $primary; color: $background; text-style: bold; }"
        for role in ROLES
    )

    def __init__(self, commands: Commands | None = None, *, is_docked: bool = False) -> None:
        """``commands`` are the screen's, if any.

        ``is_docked``: it is below everything else on the screen.
        """
        super().__init__(id="keys")
        self.set_class(is_docked, "-docked")
        self._commands = commands
        self._status: Status | None = None
        self._spans: list[tuple[int, int, Named]] = []
        self._said: Piece | None = None

    @property
    def named(self) -> list[Named]:
        """The shown hints, from left to right."""
        return [named for _, _, named in self._spans]

    def on_mount(self) -> None:
        follow = self.screen.bindings_updated_signal.subscribe
        follow(self, lambda _: self.look(), immediate=True)

    def on_resize(self) -> None:
        self.look()

    def show_status(self, status: Status | None) -> None:
        """Set the session's status as displayed by the screen."""
        self._status = status
        self.look()

    def say(self, text: str, severity: str = "hint") -> None:
        """Show a message (``hint``, ``warning``, ``error``) in place of the hints; empty: hints."""
        self._said = (f" {visible(text)}", severity) if text else None
        self.look()

    def look(self) -> None:
        """Update the hints from the current keys."""
        if not self.is_attached or not self.size.width:
            return  # its session and screen are gone; or it is not laid out yet
        if self._said is not None:
            self._spans = []
            self.show_pieces([self._said])
            return
        mode = mode_at(self.screen)
        pieces: list[Piece] = [(f" {mode.name} ", f"{mode.role}-name")] if mode.name else []
        x = cell_len(pieces[0][0]) if pieces else 0
        self._spans = []
        for named in self._fitting(mode, self.size.width - x):
            pieces += [(f" {named.shown}", mode.role), (f" {named.word} ", "")]
            self._spans.append((x, x + _width(named), named))
            x += _width(named)
        self.show_pieces(pieces)

    def _fitting(self, mode: Mode, room: int) -> list[Named]:
        """Return the hints that fit; permanent ones come last."""
        hints, always = list(mode.hints), []
        if mode.role == "keys" and self._commands is not None:
            hints += self._commands.useful(self._status)
            always = list(self._names(mode, self._commands.always))
        room -= sum(map(_width, always))
        shown: list[Named] = []
        for named in self._names(mode, hints):
            if _width(named) <= room and not any(named.ways == other.ways for other in shown):
                room -= _width(named)
                shown.append(named)
        return shown + always

    def _names(self, mode: Mode, hints: Sequence[Hint]) -> Iterator[Named]:
        key_map, focused = keys_in_force(self.screen), self.screen.focused
        for hint in hints:
            if hint.command and not self._makes_sense(hint.command):
                continue
            if (named := name_hint(hint, mode, key_map, focused)) is not None:
                yield named

    def _makes_sense(self, command: str) -> bool:
        return self._commands is not None and self._commands.makes_sense(command, self._status)

    def on_click(self, event: events.Click) -> None:
        """Press the key under the mouse."""
        for start, end, named in self._spans:
            if start <= event.x < end:
                for key in named.ways[0]:
                    character = key if len(key) == 1 else _CHARACTERS.get(key)
                    self.app.post_message(events.Key(key, character))


def _width(named: Named) -> int:
    return cell_len(named.shown) + cell_len(named.word) + 3
