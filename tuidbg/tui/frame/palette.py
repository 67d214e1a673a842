"""The command palette: every command of the table, with its keys and why it can't be given now."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from rich.cells import cell_len
from textual import on
from textual.command import (
    Command,
    CommandList,
    CommandPalette,
    DiscoveryHit,
    Hit,
    Hits,
    Provider,
)
from textual.errors import NoWidget
from textual.geometry import Region
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input
from textual.worker import Worker, WorkerError

from tuidbg.lines import split_lines
from tuidbg.tui.keys.modes import CHOOSES, LEAVES, Hint, Mode
from tuidbg.tui.screen import DebugScreen
from tuidbg.tui.widgets.lasting import Lasting

QUIET = 1 / 60
"""Seconds without a key before a search: keys of one paste come faster than that."""

_AROUND = 6
"""Columns of the list that are not its text's: blanks and a scrollbar."""


class CommandsPalette(Lasting, CommandPalette):
    """Textual's palette, which must not end the app by what comes too early or too late.

    Page Down in the same packet as Ctrl+P asks for lines that have not been laid out, a click may
    tell of a place that the terminal had before it was made smaller. It is as wide as the commands
    that it has listed, and what it does not cover stays as it is.
    """

    DEFAULT_CSS = """
    CommandsPalette { background: transparent; }
    CommandsPalette > Vertical { width: 56; max-width: 100%; }
    CommandsPalette LoadingIndicator { display: none; }
    """
    _columns = 56

    _RESULT_BATCH_TIME = 5.0  # type: ignore[misc]  # Final there, for no reason of ours
    """Seconds after which a part of the list is shown: the commands are all there at once, and each
    part would be a picture of its own on the line."""

    HINTS = (Hint("enter", "gives it"), LEAVES, CHOOSES)

    _due: Timer | None = None
    _wanted = ""
    _searching: Worker[None] | None = None

    @property
    def key_mode(self) -> Mode:
        """What is typed is a part of a command's title."""
        return Mode("line", "commands", self.HINTS)

    def on_mount(self) -> None:
        """Keep the cursor from blinking, as all others of ours."""
        self.query_one(Input).cursor_blink = False

    def get_widget_at(self, x: int, y: int) -> tuple[Widget, Region]:
        """Returns what is there; outside of the screen, where nothing is, the palette itself."""
        try:
            return super().get_widget_at(x, y)
        except NoWidget:
            return self, self.region

    def _gather_commands(self, search_value: str) -> None:  # type: ignore[override]
        """Search once no key has come for a moment: Textual searches at each key."""
        if self._due is not None:
            self._due.stop()
            self._due = None
        self._wanted = search_value
        if search_value:
            self._due = self.set_timer(QUIET, self._search)
        else:
            self._search()

    def _search(self) -> None:
        if self._due is not None:
            self._due.stop()
            self._due = None
        self._searching = super()._gather_commands(self._wanted)

    @on(Input.Submitted)
    def _select_when_searched(self, event: Input.Submitted) -> None:
        """Enter selects from the commands that match the whole text, not those of earlier keys."""
        if self._due is not None:
            self._search()
        if self._searching is not None and not self._searching.is_finished:
            event.stop()
            event.prevent_default()
            self.run_worker(self._select_after(self._searching))

    async def _select_after(self, searching: Worker[None]) -> None:
        with suppress(WorkerError):
            await searching.wait()
            self._select_or_command()

    def _action_command_list(self, action: str) -> None:
        try:
            super()._action_command_list(action)
        except KeyError:
            pass

    def _refresh_command_list(
        self, command_list: CommandList, commands: list[Command], clear_current: bool
    ) -> None:
        super()._refresh_command_list(command_list, commands, clear_current)
        lines = (line for command in commands for line in split_lines(str(command.prompt)))
        wanted = max(map(cell_len, lines), default=0) + _AROUND
        if wanted > self._columns:
            self._columns = wanted
            self.query_one("#--container").styles.width = wanted


class CommandsProvider(Provider):
    """The debugger's commands."""

    def _entries(self) -> list[tuple[str, str, Callable[[], None]]]:
        """Of each command its title, a word about it, and how it is given."""
        screen = self.screen
        if not isinstance(screen, DebugScreen):
            return []
        key_map = screen.key_map
        entries: list[tuple[str, str, Callable[[], None]]] = []
        for command in key_map.table:
            if command.palette:
                why = key_map.why_not(command, screen.session.status, screen.reasons)
                words = filter(None, (key_map.show_keys(command.name), why or command.group))
                give = partial(screen.action_command, command.name)
                entries.append((command.title, " · ".join(words), give))
        return entries

    async def discover(self) -> Hits:
        for title, help_text, give in self._entries():
            yield DiscoveryHit(title, give, help=help_text)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for title, help_text, give in self._entries():
            if (score := matcher.match(title)) > 0:
                yield Hit(score, matcher.highlight(title), give, help=help_text)
