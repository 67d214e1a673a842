"""The command palette: one row a command with its keys, filtered by the typed text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from rich.cells import cell_len
from textual import events, on
from textual.app import App, ComposeResult
from textual.fuzzy import Matcher
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input, Static

from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.panes.bar_commands import Offered
from tuidbg.tui.toolkit.dialogs.box import Box, FollowedPane
from tuidbg.tui.toolkit.dialogs.prompt import InputDialog, ListInput
from tuidbg.tui.toolkit.keys.key_reader import CHOOSES, CLOSES, Hint, Mode
from tuidbg.tui.toolkit.widgets.following import cell
from tuidbg.tui.toolkit.widgets.rows import ListRow, RowsPane, visible

QUIET = 1 / 60
"""Seconds without a key before a search: keys of one paste come faster than that."""

_CHROME = 5
"""Columns beside the rows: border, padding, scrollbar."""
_AROUND = 5
"""Rows outside the list: border, input, reason, key bar."""
_MOST = 22
"""Maximum rows of the list: the rest of a high screen stays visible."""
_WIDEST = 92
_GROUP, _KEYS = 13, 16


@runtime_checkable
class HasPalette(Protocol):
    """A screen with commands of its own."""

    def offered(self) -> Sequence[Offered]:
        """Return its commands."""

    def action_command(self, name: str) -> None:
        """Run a command."""


def show_palette(app: App[Any], screen: Screen[Any]) -> None:
    """Let the user choose and run a command of the screen."""
    with_commands = screen if isinstance(screen, DebugScreen | HasPalette) else None

    def give(name: str | None) -> None:
        if with_commands is not None and name is not None:
            with_commands.action_command(name)

    offered: Sequence[Offered] = ()
    if isinstance(screen, DebugScreen):
        offered = _offered(screen)
    elif isinstance(screen, HasPalette):
        offered = screen.offered()
    app.push_screen(CommandsPalette(offered), give)


def _offered(screen: DebugScreen) -> list[Offered]:
    """Return the commands in the order of the table."""
    key_map, status, reasons = screen.key_map, screen.session.status, screen.reasons
    return [
        Offered(
            command.name,
            command.title,
            key_map.show_keys(command.name),
            command.group,
            key_map.why_not(command, status, reasons),
        )
        for command in key_map.table
        if command.palette
    ]


class CommandsPane(FollowedPane):
    """The list of filtered commands; one click runs a command."""

    EMPTY = "No command has these letters"

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()
        RowsPane.on_click(self, event)


class CommandsPalette(InputDialog[str | None]):
    """The palette. Result: the chosen command's name; None on Esc."""

    HINTS = (Hint("enter", "run"), CLOSES, CHOOSES)
    DEFAULT_CSS = f"""
    CommandsPalette #box {{ width: {_WIDEST}; }}
    CommandsPalette CommandsPane > .rows--cursor-blurred {{ background: $primary 35%; }}
    CommandsPalette #why {{
        height: 1; color: $text-muted; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis;
    }}
    """

    def __init__(self, commands: Sequence[Offered]) -> None:
        super().__init__()
        self._commands = commands
        self._by_name = {each.name: each for each in commands}
        self._typed = ""
        self._due: Timer | None = None

    @property
    def key_mode(self) -> Mode:
        """The keys: letters filter command titles."""
        return Mode("line", "commands", self.HINTS)

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = "Commands"
            yield ListInput("", placeholder="Search for commands…")
            yield CommandsPane(id="commands")
            yield Static("", id="why", markup=False)

    @property
    def _pane(self) -> CommandsPane:
        return self.query_one(CommandsPane)

    def on_resize(self) -> None:
        room = min(_MOST, self.size.height - _AROUND)
        self._pane.styles.height = max(1, min(len(self._commands), room))
        self._show()

    # Search

    @on(Input.Changed)
    def _changed(self) -> None:
        """Search after a short pause in typing."""
        if self._due is not None:
            self._due.stop()
        self._due = self.set_timer(QUIET, self._search)

    def _search(self) -> None:
        if self._due is not None:
            self._due.stop()
            self._due = None
        if self.query_one(Input).value != self._typed:
            self._typed = self.query_one(Input).value
            self._show()
            self._pane.action_edge(0)

    def find(self, text: str) -> list[Offered]:
        """Return commands containing these letters in order, best first; all for an empty text."""
        text = text.strip()
        if not text:
            return list(self._commands)
        matcher = Matcher(text)
        scores = {each.name: matcher.match(each.title) for each in self._commands}
        found = [each for each in self._commands if scores[each.name] > 0]
        return sorted(found, key=lambda each: -scores[each.name])

    def _show(self) -> None:
        width = min(_WIDEST, self.size.width) - _CHROME
        self._pane.set_rows([_row(each, width) for each in self.find(self._typed)])
        self._explain()

    @on(FollowedPane.Moved)
    def _explain(self) -> None:
        """Show why the command under the cursor is unavailable."""
        command = self._by_name.get(str(self._pane.cursor_key))
        why = command.why if command is not None else ""
        self.query_one("#why", Static).update(visible(f"Not now: {why}") if why else "")

    # Choice

    def submit(self) -> None:
        """Run the first exact match, or the command under the cursor."""
        self._search()
        self._choose(self._pane.cursor_key)

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        self._choose(event.key)

    def _choose(self, key: object) -> None:
        if isinstance(key, str):
            self.dismiss(key)

    def on_click(self, event: events.Click) -> None:
        """Close on a click outside of the box."""
        if event.widget in (None, self):
            self.dismiss(None)


def _row(command: Offered, width: int) -> ListRow:
    is_wide = width == _WIDEST - _CHROME
    group = _GROUP if is_wide else 0
    keys = max(cell_len(command.keys) + 2, _KEYS if is_wide else 0)
    title = width - group - keys
    faint = bool(command.why)
    return ListRow(
        command.name,
        (
            (cell(f" {command.title}", title), "faint" if faint else "name"),
            (cell(f" {command.group}", group), "faint"),
            (cell(f"{command.keys} ", keys, right=True), "faint" if faint else "value"),
        ),
    )
