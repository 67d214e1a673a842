"""The command palette: every command of the table, with its keys and why it can't be given now."""

from __future__ import annotations

from functools import partial
from typing import Any

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.errors import NoWidget
from textual.geometry import Region
from textual.widget import Widget

from tuidbg.tui.keys.key_map import Command
from tuidbg.tui.screen import DebugScreen
from tuidbg.tui.widgets.lasting import Lasting


class CommandsPalette(Lasting, CommandPalette):
    """Textual's palette, which must not end the app by what comes too early or too late.

    Page Down in the same packet as Ctrl+P asks for lines that have not been laid out, a click may
    tell of a place that the terminal had before it was made smaller.
    """

    def get_widget_at(self, x: int, y: int) -> tuple[Widget, Region]:
        """What is there; outside of the screen, where nothing is, the palette's surroundings."""
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

    def _entries(self) -> list[tuple[Command[Any], str, str]]:
        screen = self.screen
        if not isinstance(screen, DebugScreen):
            return []
        entries = []
        for command in screen.key_map.table:
            if command.palette:
                why = screen.key_map.why_not(command, screen.session.status, screen.reasons)
                help_text = " · ".join(
                    filter(None, (screen.key_map.show_keys(command.name), why or command.group))
                )
                entries.append((command, command.title, help_text))
        return entries

    async def discover(self) -> Hits:
        for command, title, help_text in self._entries():
            action = partial(self.screen.action_command, command.name)  # type: ignore[attr-defined]
            yield DiscoveryHit(title, action, help=help_text)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command, title, help_text in self._entries():
            if (score := matcher.match(title)) > 0:
                action = partial(self.screen.action_command, command.name)  # type: ignore[attr-defined]
                yield Hit(score, matcher.highlight(title), action, help=help_text)
