"""The input line, and completion of paths."""

from __future__ import annotations

import os
from pathlib import Path

from textual import events
from textual.binding import Binding
from textual.reactive import reactive
from textual.suggester import Suggester
from textual.widgets import Input

LONGEST = 10_000
"""Maximum characters of a pasted line: longer ones would make each key slow."""

_ACTIONS = {binding.key: binding.action for binding in Binding.make_bindings(Input.BINDINGS)}


class OrderedInput(Input):
    """Textual's input with its own bindings run in key order."""

    cursor_blink = reactive(False, init=False)
    """Blinking would write to the terminal twice a second while idle."""

    async def _on_key(self, event: events.Key) -> None:
        action = _ACTIONS.get(event.key)
        if action is not None:
            event.stop()
            event.prevent_default()
            await self.run_action(action)

    def _on_paste(self, event: events.Paste) -> None:
        """Handle a paste before Textual's handler, which inserts the first line."""
        event.text = event.text[:LONGEST].lstrip("\r\n")


class PathSuggester(Suggester):
    """Completion with the first matching entry, Python files and folders before others."""

    def __init__(self, base: str) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._base = Path(base)

    def is_file(self, value: str) -> bool:
        """Return whether the text is the path of a file."""
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
