"""Tells where the rows of wrapped lines are: scrolling needs to know, for 10,000 lines at once.

Only how many rows each line takes is kept here, not its text. A line is measured once; appending,
dropping the oldest and a new width then cost an addition or two a line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate

from rich.style import Style

from tuidbg.tui.widgets.ansi import ansi_segments, single_cells, strip_sgr, wrap_segments

_UNEVEN = -1
"""Stands for the cells of a line with wide characters, whose rows can't be told by division."""


class WrappedRows:
    """The rows of lines ``first`` and following, wrapped to ``width`` cells.

    Rows have absolute numbers: they do not change when older lines are dropped, only with the
    width. ``base`` is the number of the first row that is left.
    """

    def __init__(self) -> None:
        self.width = 1
        self.reset(1)

    def reset(self, first: int) -> None:
        """Forget everything; the next line appended has the number ``first``."""
        self.first = first
        self.base = 0
        self._cells: list[int] = []
        self._ends: list[int] = []
        self._extra: dict[int, int] = {}

    @property
    def last(self) -> int:
        """The number of the last line; ``first - 1`` where there is none."""
        return self.first + len(self._cells) - 1

    @property
    def end(self) -> int:
        """The row after the last one."""
        return self._ends[-1] if self._ends else self.base

    def append(self, texts: Iterable[str]) -> None:
        """Add lines at the end."""
        for text in texts:
            cells = _measure(text)
            self._cells.append(cells)
            self._ends.append(self.end + self._height(cells, text))

    def drop_before(self, number: int) -> None:
        """Forget the lines before ``number``."""
        count = number - self.first
        if count > len(self._cells):
            self.reset(number)
        elif count > 0:
            self.base = self._ends[count - 1]
            self.first = number
            del self._cells[:count]
            del self._ends[:count]
            if self._extra:
                self._extra = {n: rows for n, rows in self._extra.items() if n >= number}

    def set_extra(self, number: int, rows: int) -> None:
        """That many rows come after those of a line's text, and belong to it."""
        grown = rows - self._extra.pop(number, 0)
        if rows:
            self._extra[number] = rows
        self._grow(number - self.first, grown)

    def _grow(self, index: int, rows: int) -> None:
        if rows:
            self._ends[index:] = [end + rows for end in self._ends[index:]]

    def replace(self, number: int, text: str) -> None:
        """The text of a line has changed."""
        index = number - self.first
        self._cells[index] = _measure(text)
        height = self._height(self._cells[index], text) + self._extra.get(number, 0)
        self._grow(index, self.start(number) + height - self._ends[index])

    def set_width(self, width: int, text_of: Callable[[int], str]) -> None:
        """Wrap to another width; ``text_of`` gives a line's text where it must be looked at."""
        self.width = width = max(1, width)
        heights = [
            self._height(cells, text_of(number)) if cells < 0 else -(-cells // width) or 1
            for number, cells in enumerate(self._cells, self.first)
        ]
        for number, rows in self._extra.items():
            heights[number - self.first] += rows
        self.base = 0
        self._ends = list(accumulate(heights))

    def start(self, number: int) -> int:
        """The first row of a line."""
        index = number - self.first
        return self._ends[index - 1] if index else self.base

    def end_of_text(self, number: int) -> int:
        """The row after those of a line's text."""
        return self._ends[number - self.first] - self._extra.get(number, 0)

    def locate(self, row: int) -> tuple[int, int]:
        """The line that has ``row``, and which of its rows that is, counted from 0."""
        number = self.first + bisect_right(self._ends, row)
        return number, row - self.start(number)

    def _height(self, cells: int, text: str) -> int:
        if cells >= 0:
            return -(-cells // self.width) or 1
        if 2 * len(text) <= self.width:
            return 1
        return len(wrap_segments(ansi_segments(text, Style.null()), self.width))


def _measure(text: str) -> int:
    plain = strip_sgr(text)
    return len(plain) if single_cells(plain) else _UNEVEN
