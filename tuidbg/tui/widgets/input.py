"""Suggestions for a path that is being typed."""

from __future__ import annotations

import os
from pathlib import Path

from textual import events
from textual.binding import Binding
from textual.reactive import reactive
from textual.suggester import Suggester
from textual.widgets import Input

LONGEST = 10_000
"""Characters of a line that can be pasted: with more of them each key would take a while."""

_ACTIONS = {binding.key: binding.action for binding in Binding.make_bindings(Input.BINDINGS)}


class OrderedInput(Input):
    """Textual's input with its own bindings run in the turn of their keys."""

    cursor_blink = reactive(False, init=False)
    """Blinking would write to the terminal twice a second for as long as nobody types."""

    async def _on_key(self, event: events.Key) -> None:
        action = _ACTIONS.get(event.key)
        if action is not None:
            event.stop()
            event.prevent_default()
            await self.run_action(action)

    def _on_paste(self, event: events.Paste) -> None:
        """Before Textual's own, which puts the first line in."""
        event.text = event.text[:LONGEST].lstrip("\r\n")


class PathSuggester(Suggester):
    """Completes to the first entry that fits, Python files and folders before others."""

    def __init__(self, base: str) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._base = Path(base)

    def is_file(self, value: str) -> bool:
        """Returns whether what was typed is a file."""
        try:
            return (self._base / Path(value).expanduser()).is_file()
        except (OSError, RuntimeError, ValueError):
            return False

    async def get_suggestion(self, value: str) -> str | None:
        folder, slash, start = value.rpartition("/")
        try:
            where = self._base / Path(folder + slash).expanduser()
            with os.scandir(where) as entries:
                names = [(e.name, e.is_dir()) for e in entries if e.name.startswith(start)]
        except (OSError, RuntimeError, ValueError):  # no such folder, no such home, no such path
            return None
        names = [(n, d) for n, d in names if start or not n.startswith((".", "__"))]
        if not names:
            return None
        name, is_dir = min(names, key=lambda n: (not n[0].endswith(".py"), not n[1], n[0]))
        return folder + slash + name + ("/" if is_dir else "")
