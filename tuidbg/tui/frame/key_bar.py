"""The bar at the bottom: the keys of what has the focus, then the commands that make sense now.

It names no key that does something else, and repaints only the cells that changed: a step changes
none of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Protocol

from rich.cells import cell_len
from textual import events

from tuidbg.session.state import Status
from tuidbg.tui.frame.status import CellLine
from tuidbg.tui.keys.key_map import keys_in_force
from tuidbg.tui.keys.modes import Hint, Mode, Named, mode_at, name_hint
from tuidbg.tui.keys.written_keys import key_of_character
from tuidbg.tui.widgets.rows import Piece, visible

ROLES = ("keys", "evaluate", "line", "program", "dialog")
"""The kinds of modes; their word before the hints says which it is, in one colour for all."""

_CHARACTERS = {key_of_character(character): character for character in map(chr, range(33, 127))}


class Commands(Protocol):
    """The commands of a screen, as far as the bar offers them."""

    def makes_sense(self, command: str, status: Status | None) -> bool:
        """Tells whether a command of the table can be given now."""

    def useful(self, status: Status | None) -> Sequence[Hint]:
        """Hints at those that people want now, the most useful first."""

    @property
    def always(self) -> Sequence[Hint]:
        """Hints that have room whatever else there is."""


class KeyBar(CellLine):
    """The hints of the mode that the keyboard is in, as many as there is room for."""

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
        """``commands`` are those of the screen, where it has some; ``is_docked``: it stands below
        whatever else the screen has."""
        super().__init__(id="keys")
        self.set_class(is_docked, "-docked")
        self._commands = commands
        self._status: Status | None = None
        self._spans: list[tuple[int, int, Named]] = []
        self._said: Piece | None = None

    @property
    def named(self) -> list[Named]:
        """The hints that are shown, from left to right."""
        return [named for _, _, named in self._spans]

    def on_mount(self) -> None:
        follow = self.screen.bindings_updated_signal.subscribe
        follow(self, lambda _: self.look(), immediate=True)

    def on_resize(self) -> None:
        self.look()

    def show_status(self, status: Status | None) -> None:
        """The session is in that status, as far as the screen shows it."""
        self._status = status
        self.look()

    def say(self, text: str, severity: str = "hint") -> None:
        """Say something in place of the hints (``hint``, ``warning``, ``error``); nothing: them."""
        self._said = (f" {visible(text)}", severity) if text else None
        self.look()

    def look(self) -> None:
        """See what the keys are now."""
        if not self.is_attached or not self.size.width:
            return  # its session is gone, and it with it; or it is not laid out yet
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
        """As many as there is room for; those that are always there stand behind the others."""
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
        """Press the key that is named there."""
        for start, end, named in self._spans:
            if start <= event.x < end:
                for key in named.ways[0]:
                    character = key if len(key) == 1 else _CHARACTERS.get(key)
                    self.app.post_message(events.Key(key, character))


def _width(named: Named) -> int:
    return cell_len(named.shown) + cell_len(named.word) + 3
