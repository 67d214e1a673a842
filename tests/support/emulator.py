"""A terminal screen that can be read as text: pyte, made fit for what today's programs send.

pyte does not know the private sequences of modern terminals (kitty's keyboard protocol, device
control strings, soft reset) and would print parts of them. It has no alternate screen either, so
what a program leaves behind could not be told from what its full-screen mode showed. Reading the
screen must be cheap as well, because the benchmarks count the emulator's time: only lines that
changed are put together again.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

import pyte
import pyte.modes
from pyte.screens import Char, Cursor, StaticDefaultDict

_UNKNOWN_TO_PYTE = re.compile(
    rb"\x1b\[[<=>][0-9;:]*[ -/]*[@-~]"  # kitty keyboard, xterm key modes, secondary attributes
    rb"|\x1b\[\?[0-9;]*[^0-9;$hlJKc\x1b]"  # private forms which pyte's handlers do not take
    rb"|\x1b\[[0-9;?]*[!-/][@-~]"  # sequences with an intermediate byte: DECRQM, soft reset, ...
    rb"|\x1b\[[0-9;]*:[0-9;:]*m"  # colours and underlines with colons
    rb"|\x1b[PX^_].*?\x1b\\",  # device control and application strings
    re.DOTALL,
)
_MORE_NUMBERS = re.compile(rb"(\x1b\[\d*)(?:;\d*)+([@A-GLMPSTXade`])")
"""Terminals ignore all but the first number of these. More come where bytes were lost."""

_UNFINISHED = re.compile(rb"\x1b(?:[PX^_].*|\[[0-9;:<=>?]*[ -/]*)?\Z", re.DOTALL)

_ALTERNATE_SCREEN = frozenset({47, 1047, 1049})


class _Screen(pyte.Screen):
    """pyte's screen with an alternate one beside it (DEC private modes 47, 1047 and 1049)."""

    def __init__(self, columns: int, lines: int) -> None:
        self._main: tuple[Any, Any] | None = None
        self._last = ""
        super().__init__(columns, lines)

    def draw(self, data: str) -> None:
        super().draw(data)
        self._last = data[-1:]

    def cursor_down(self, count: int | None = None) -> None:
        """From behind the last column, where pyte has the cursor once that is written: from in it.

        Terminals do so, and what is erased next is that column.
        """
        super().cursor_down(count)
        self.ensure_hbounds()

    def repeat(self, count: int = 1) -> None:
        """REP, which pyte does not know."""
        self.draw(self._last * (count or 1))

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        if kwargs.get("private") and _ALTERNATE_SCREEN.intersection(modes) and self._main is None:
            self._main = (self.buffer, self.cursor)
            self.buffer = defaultdict(lambda: StaticDefaultDict(self.default_char))
            self.cursor = Cursor(0, 0)
            self.dirty.update(range(self.lines))
        super().set_mode(*modes, **kwargs)

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        if kwargs.get("private") and _ALTERNATE_SCREEN.intersection(modes) and self._main:
            self.buffer, self.cursor = self._main
            self._main = None
            self.dirty.update(range(self.lines))
        super().reset_mode(*modes, **kwargs)

    @property
    def is_alternate(self) -> bool:
        return self._main is not None


class _Stream(pyte.ByteStream):
    csi = {**pyte.ByteStream.csi, "b": "repeat"}  # as pyte declares it
    events = pyte.ByteStream.events | {"repeat"}


class Emulator:
    """Bytes of a terminal in, screen text out. ``title`` is what the program named the window."""

    def __init__(self, columns: int, rows: int) -> None:
        self._screen = _Screen(columns, rows)
        self._stream = _Stream(self._screen)
        self._unfinished = b""
        self._lines = [""] * rows

    def feed(self, data: bytes) -> None:
        """Shows ``data``; a control sequence may be spread over several calls."""
        data = self._unfinished + data
        self._unfinished = b""
        if b"\x1b" in data:
            data = _MORE_NUMBERS.sub(rb"\1\2", _UNKNOWN_TO_PYTE.sub(b"", data))
            if unfinished := _UNFINISHED.search(data):
                self._unfinished = data[unfinished.start() :]
                data = data[: unfinished.start()]
        self._stream.feed(data)

    def resize(self, columns: int, rows: int) -> None:
        """Gives the screen another size; what no longer fits is cut."""
        self._screen.resize(rows, columns)
        self._lines = [""] * rows
        self._screen.dirty.update(range(rows))

    @property
    def lines(self) -> list[str]:
        """The screen's lines from the top, without the blanks at their ends."""
        columns = range(self._screen.columns)
        for row in self._screen.dirty:
            if row < len(self._lines):
                cells = self._screen.buffer[row]
                self._lines[row] = "".join([cells[column].data for column in columns]).rstrip()
        self._screen.dirty.clear()
        return self._lines

    @property
    def text(self) -> str:
        """The whole screen, its lines joined by newlines."""
        return "\n".join(self.lines)

    @property
    def title(self) -> str:
        return str(self._screen.title)

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row of the cursor, both counted from 0."""
        return self._screen.cursor.x, self._screen.cursor.y

    @property
    def is_plain(self) -> bool:
        """True when what is written next has the terminal's own look."""
        return bool(self._screen.cursor.attrs == self._screen.default_char)

    @property
    def is_cursor_shown(self) -> bool:
        return pyte.modes.DECTCEM in self._screen.mode

    @property
    def is_alternate(self) -> bool:
        """Tells whether the program shows the alternate screen, as full-screen programs do."""
        return self._screen.is_alternate

    def style(self, column: int, row: int) -> Char:
        """The cell at this place, both counted from 0: its character, colours and attributes."""
        return self._screen.buffer[row][column]
