"""The command palette: every command of the table, with its keys and why it can't be given now."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.errors import NoWidget
from textual.geometry import Region
from textual.widget import Widget

from tuidbg.tui.screen import DebugScreen
from tuidbg.tui.widgets.lasting import Lasting


class CommandsPalette(Lasting, CommandPalette):
    """Textual's palette, which must not end the app by what comes too early or too late.

    Page Down in the same packet as Ctrl+P asks for lines that have not been laid out, a click may
    tell of a place that the terminal had before it was made smaller.
    """

    def get_widget_at(self, x: int, y: int) -> tuple[Widget, Region]:
        """Returns what is there; outside of the screen, where nothing is, the palette itself."""
        try:
            return super().get_widget_at(x, y)
        except NoWidget:
            return self, self.region

    def _action_command_list(self, action: str) -> None:
        try:
            super()._action_command_list(action)
        except KeyError:
            pass


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
