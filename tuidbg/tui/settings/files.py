"""Finds the line of a setting in a TOML file, or the place where it can be added."""

from __future__ import annotations

import re
from pathlib import Path

from tuidbg.config.files import read_text
from tuidbg.lines import split_lines

_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([\w.\-\"' ]+?)\s*=")


class SettingsFile:
    """A file, with its text as it is now; ``root`` is the table that holds tuidbg's settings."""

    def __init__(self, path: Path, root: str = "") -> None:
        self.path = path
        self._root = root
        self.exists = True
        try:
            text = read_text(path)
        except (OSError, UnicodeError):
            text, self.exists = "", False
        self._lines = split_lines(text)

    @property
    def shown(self) -> str:
        """The path as a person writes it."""
        return short_path(self.path)

    def line_of(self, name: str) -> int:
        """The line that sets ``keys.map``, say, or has the table of that name; 0 if none does."""
        wanted, table = self._full(name), ""
        for number, line in enumerate(self._lines, 1):
            if header := _HEADER.match(line):
                table = _plain(header[1])
                if table == wanted:
                    return number
            elif (key := _KEY.match(line)) and _joined(table, _plain(key[1])) == wanted:
                return number
        table, _, _ = name.rpartition(".")  # it may be in an inline table: keys = {map = "vim"}
        found = self.line_of(table) if table else 0
        return found if found and not _HEADER.match(self._lines[found - 1]) else 0

    def how_to_set(self, name: str, example: str) -> str:
        """A sentence: the line to change, or the place to add ``example``."""
        if number := self.line_of(name):
            return f"Change line {number} of {self.shown}: {example}"
        table = self._full(name.rpartition(".")[0])
        if not table:
            return f"Add {example} as line {self._end_of_top()} of {self._shown_or_new}"
        if number := self._header(table):
            return f"Add {example} below line {number} of {self.shown}, [{table}]"
        return f"Add {example} under [{table}] at the end of {self._shown_or_new}"

    @property
    def _shown_or_new(self) -> str:
        return self.shown if self.exists else f"{self.shown} (a new file)"

    def _full(self, name: str) -> str:
        return _joined(self._root, name)

    def _header(self, table: str) -> int:
        found = (_HEADER.match(line) for line in self._lines)
        return next((n for n, h in enumerate(found, 1) if h and _plain(h[1]) == table), 0)

    def _end_of_top(self) -> int:
        """The line before the first table: behind its header a key would belong to it."""
        headers = (n for n, line in enumerate(self._lines, 1) if line.lstrip().startswith("["))
        return next(headers, len(self._lines) + 1)


def short_path(path: Path) -> str:
    """``~`` instead of the home folder."""
    home = str(Path("~").expanduser())
    shown = str(path)
    return f"~{shown[len(home) :]}" if home != "/" and shown.startswith(f"{home}/") else shown


def _joined(*names: str) -> str:
    return ".".join(filter(None, names))


def _plain(name: str) -> str:
    """A dotted name without blanks and quotes."""
    return ".".join(part.strip().strip("\"'") for part in name.split("."))
