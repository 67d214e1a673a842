"""Programs whose lines have names, so that tests need no line numbers."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

_MARK = re.compile(r"#: (\w+)$")


class MarkedProgram:
    """A program written into a folder; ``program["name"]`` is the line that ends in ``#: name``."""

    def __init__(self, folder: Path, text: str, name: str = "program.py") -> None:
        self.file = folder / name
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.text = textwrap.dedent(text).lstrip("\n")
        self.file.write_text(self.text, encoding="utf-8")
        lines = self.text.splitlines()
        self._lines = {m[1]: n for n, line in enumerate(lines, 1) if (m := _MARK.search(line))}

    def __getitem__(self, mark: str) -> int:
        return self._lines[mark]

    @property
    def path(self) -> str:
        """As breakpoints name it."""
        return str(self.file)

    @property
    def marks(self) -> dict[str, int]:
        """All named lines."""
        return dict(self._lines)
