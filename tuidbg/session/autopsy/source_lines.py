"""The lines of source that an autopsy shows."""

from __future__ import annotations

import importlib.util
import tokenize
from pathlib import Path

from tuidbg.config.launch import is_in_zip, read_zipped
from tuidbg.lines import split_lines


class SourceLines:
    """Lines of source files, each file read once."""

    def __init__(self) -> None:
        self._files: dict[str, list[str]] = {}

    def line(self, path: str, number: int) -> str:
        """That line without its end; empty where there is none."""
        lines = self._files.get(path)
        if lines is None:
            lines = self._files[path] = _read_lines(path)
        return lines[number - 1] if 0 < number <= len(lines) else ""


def _read_lines(path: str) -> list[str]:
    try:
        if is_in_zip(path):
            text = importlib.util.decode_source(read_zipped(path))
            return split_lines(text)
        if not Path(path).is_file():
            return []
        with tokenize.open(path) as file:
            return [line.rstrip("\n") for line in file]
    except (OSError, SyntaxError, UnicodeError, ValueError):
        return []
