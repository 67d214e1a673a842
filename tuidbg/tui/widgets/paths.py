"""Suggestions for a path that is being typed."""

from __future__ import annotations

import os
from pathlib import Path

from textual.suggester import Suggester


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
