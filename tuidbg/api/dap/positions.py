"""Lines, columns and paths as one client counts and names them, and as they are here."""

from __future__ import annotations

from pathlib import Path

from tuidbg.api.dap.arguments import InitializeArguments


class Positions:
    """Those of one client, by its ``traits``."""

    def __init__(self) -> None:
        self.traits = InitializeArguments()

    def line_in(self, line: int) -> int:
        """A line of the client's, counted from 1."""
        return line if self.traits.lines_start_at1 else line + 1

    def line_out(self, line: int) -> int:
        """A line as the client counts them."""
        return line if self.traits.lines_start_at1 else max(0, line - 1)

    def column_in(self, column: int) -> int:
        """A column of the client's, counted from 1."""
        return column if self.traits.columns_start_at1 else column + 1

    def column_out(self, column: int) -> int:
        """A column as the client counts them."""
        return column if self.traits.columns_start_at1 else max(0, column - 1)

    def path_out(self, path: str) -> str:
        """A path as the client names files."""
        if self.traits.path_format == "uri" and path.startswith("/"):
            return Path(path).as_uri()
        return path
