"""The screen of an emulated terminal: pyte's screen with what today's programs need besides.

pyte moves the cursor, scrolls regions, inserts and deletes. What it lacks or gets wrong is put
right here: the alternate screen, the history, colours that erased cells take over, line drawing,
wide characters at the edge.

Imported only when a program's screen is wanted: most programs only print.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

import pyte.charsets
import pyte.modes
from pyte.screens import Cursor, Margins, Screen, StaticDefaultDict, wcwidth

from tuidbg.session.terminal.cells import (
    BLANK,
    SINGLE_CELLS,
    WIDE_STUB,
    Cell,
    ColouredCells,
    Row,
    cells_of,
    erased,
    row_of,
)
from tuidbg.session.terminal.sgr import apply_sgr

ALTERNATE_SCREEN = frozenset({47, 1047, 1049})
"""The private modes that switch to the other screen."""

HISTORY_LINES = 5_000
"""Lines kept that have scrolled out at the top."""

_STATES_KEPT = 2_000
"""Colour combinations whose cells are kept; a picture in true colours has more."""

_DECCOLM, _DECSCNM = 3, 5


class EmulatedScreen(Screen):
    """A screen of ``columns`` x ``lines`` cells; rows and columns are counted from 0."""

    def __init__(self, columns: int, lines: int) -> None:
        self.history: deque[Row] = deque(maxlen=HISTORY_LINES)
        self.scrolled = 0
        """Lines that have scrolled out at the top, ever: the number of the first row now."""
        self._main: tuple[Any, Any] | None = None
        self._known: dict[str, ColouredCells] = {}
        self._last = " "
        super().__init__(columns, lines)

    @property
    def default_char(self) -> Cell:  # type: ignore[override]
        return BLANK

    @property
    def is_alternate(self) -> bool:
        """Tells whether the other screen is shown."""
        return self._main is not None

    def is_set(self, private_mode: int) -> bool:
        """Returns whether a DEC private mode is set."""
        return private_mode << 5 in self.mode

    def reset(self) -> None:
        self._main = None
        super().reset()
        self.cursor.attrs = BLANK  # type: ignore[assignment]
        self.g0_charset = self.g1_charset = pyte.charsets.LAT1_MAP
        self.savepoints.clear()

    # Modes

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        if kwargs.get("private"):
            if 1048 in modes or 1049 in modes:
                self.save_cursor()
            if ALTERNATE_SCREEN.intersection(modes) and self._main is None:
                self._main = (self.buffer, self.cursor)
                self.buffer = defaultdict(lambda: StaticDefaultDict(BLANK))  # type: ignore[arg-type]
                self.cursor = Cursor(self.cursor.x, self.cursor.y, self.cursor.attrs)
                self.cursor.hidden = self._main[1].hidden
                self.dirty.update(range(self.lines))
            self._note_private(modes, True)
            modes = tuple(mode for mode in modes if mode not in (_DECCOLM, _DECSCNM))
        super().set_mode(*modes, **kwargs)

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        if kwargs.get("private"):
            if ALTERNATE_SCREEN.intersection(modes) and self._main is not None:
                hidden = self.cursor.hidden
                self.buffer, self.cursor = self._main
                self.cursor.hidden = hidden
                self._main = None
                self._keep_cursor_inside()
                self.dirty.update(range(self.lines))
            if 1048 in modes or 1049 in modes:
                self.restore_cursor()
            self._note_private(modes, False)
            modes = tuple(mode for mode in modes if mode not in (_DECCOLM, _DECSCNM))
        super().reset_mode(*modes, **kwargs)

    def _note_private(self, modes: tuple[int, ...], on: bool) -> None:
        """Modes that pyte would obey by changing all cells, or the size."""
        if _DECSCNM in modes:
            (self.mode.add if on else self.mode.discard)(_DECSCNM << 5)
            self.dirty.update(range(self.lines))

    def reset_softly(self) -> None:
        """DECSTR: modes and colours as at the start, the text stays."""
        self.margins = None
        self.cursor.attrs = BLANK  # type: ignore[assignment]
        self.cursor.hidden = False
        self.mode = {pyte.modes.DECAWM, pyte.modes.DECTCEM}
        self.g0_charset = self.g1_charset = pyte.charsets.LAT1_MAP
        self.charset = 0

    # The cursor

    def save_cursor(self) -> None:
        self.savepoints.clear()  # a terminal has one place for it
        super().save_cursor()

    def restore_cursor(self) -> None:
        kept = list(self.savepoints)
        hidden = self.cursor.hidden
        super().restore_cursor()
        self.savepoints[:] = kept
        if kept:
            self.cursor = Cursor(self.cursor.x, self.cursor.y, self.cursor.attrs)
        self.cursor.hidden = hidden

    def cursor_up(self, count: int | None = None) -> None:
        top = self.margins.top if self.margins and self.cursor.y >= self.margins.top else 0
        self.cursor.y = max(self.cursor.y - (count or 1), top)

    def cursor_down(self, count: int | None = None) -> None:
        inside = self.margins is not None and self.cursor.y <= self.margins.bottom
        bottom = self.margins.bottom if self.margins and inside else self.lines - 1
        self.cursor.y = min(self.cursor.y + (count or 1), bottom)

    def back_tab(self, count: int | None = None) -> None:
        """CBT: to the tab stop before."""
        for _ in range(min(count or 1, self.columns)):
            stops = [stop for stop in self.tabstops if stop < self.cursor.x]
            self.cursor.x = max(stops, default=0)

    def _keep_cursor_inside(self) -> None:
        self.cursor.x = min(self.cursor.x, self.columns - 1)
        self.cursor.y = min(self.cursor.y, self.lines - 1)

    # Writing

    def draw(self, data: str) -> None:
        charset = self.g1_charset if self.charset else self.g0_charset
        if charset is not pyte.charsets.LAT1_MAP:
            data = data.translate(charset)
        if data.isascii() or SINGLE_CELLS.issuperset(data):
            self._draw_single(data)
        else:
            for character in data:
                if character in SINGLE_CELLS:
                    self._draw_single(character)
                else:
                    self._draw_other(character)

    def _cells(self) -> ColouredCells:
        sgr: str = self.cursor.attrs.sgr  # type: ignore[attr-defined]
        known = self._known.get(sgr)
        if known is None:
            if len(self._known) > _STATES_KEPT:
                self._known.clear()
            known = self._known[sgr] = ColouredCells(sgr)
        return known

    def _draw_single(self, data: str) -> None:
        cursor, columns, known = self.cursor, self.columns, self._cells()
        self._last = data[-1]
        start = 0
        while start < len(data):
            if cursor.x >= columns:
                self._wrap(1)
            count = min(columns - cursor.x, len(data) - start)
            if pyte.modes.IRM in self.mode:
                self.insert_characters(count)
            cells = [known[character] for character in data[start : start + count]]
            self.buffer[cursor.y].update(zip(range(cursor.x, cursor.x + count), cells, strict=True))  # type: ignore[arg-type]
            self.dirty.add(cursor.y)
            cursor.x += count
            start += count

    def _draw_other(self, character: str) -> None:
        """A character that may be wide, or stand on the one before it."""
        width = wcwidth(character)
        if width <= 0:
            self._combine(character)
            return
        if self.cursor.x + width > self.columns:
            self._wrap(width)
        if pyte.modes.IRM in self.mode:
            self.insert_characters(width)
        known, line = self._cells(), self.buffer[self.cursor.y]
        line[self.cursor.x] = known[character]  # type: ignore[assignment]
        for column in range(self.cursor.x + 1, min(self.cursor.x + width, self.columns)):
            line[column] = known[WIDE_STUB]  # type: ignore[assignment]
        self.dirty.add(self.cursor.y)
        self.cursor.x += width
        self._last = character

    def _wrap(self, width: int) -> None:
        """The line is full."""
        if pyte.modes.DECAWM in self.mode:
            self.cursor.x = 0
            self.index()
        else:
            self.cursor.x = max(0, self.columns - width)

    def _combine(self, character: str) -> None:
        """Put a character without a width on the one before it."""
        line, column = self.buffer[self.cursor.y], self.cursor.x - 1
        while column > 0 and line[column].data == WIDE_STUB:
            column -= 1
        if column >= 0 and len(line[column].data) < 8:
            cell = line[column]
            line[column] = cell._replace(data=cell.data + character)
            self.dirty.add(self.cursor.y)

    def repeat(self, count: int | None = None) -> None:
        """REP: the last character again."""
        self.draw(self._last * min(count or 1, self.columns * self.lines))

    def select_colours(self, parameters: str) -> None:
        """SGR."""
        sgr = self.cursor.attrs.sgr  # type: ignore[attr-defined]
        self.cursor.attrs = Cell(" ", apply_sgr(sgr, parameters))  # type: ignore[assignment]

    # Scrolling

    def index(self) -> None:
        bottom = self.margins.bottom if self.margins else self.lines - 1
        if self.cursor.y == bottom:
            self.scroll_up(1)
        else:
            self.cursor_down()

    def linefeed(self) -> None:
        self.index()
        if pyte.modes.LNM in self.mode:
            self.cursor.x = 0

    def scroll_up(self, count: int | None = None) -> None:
        """SU: the lines of the region go up; those of the main screen into the history."""
        top, bottom = self.margins or Margins(0, self.lines - 1)
        for _ in range(min(count or 1, bottom - top + 1)):
            if top == 0 and not self.is_alternate:
                self.history.append(self.render(0))
                self.scrolled += 1
            for y in range(top, bottom):
                self.buffer[y] = self.buffer[y + 1]
            self.buffer.pop(bottom, None)
            self._fill(bottom, range(self.columns))
        self.dirty.update(range(top, bottom + 1))

    def scroll_down(self, count: int | None = None) -> None:
        """SD: the lines of the region go down."""
        top, bottom = self.margins or Margins(0, self.lines - 1)
        for _ in range(min(count or 1, bottom - top + 1)):
            for y in range(bottom, top, -1):
                self.buffer[y] = self.buffer[y - 1]
            self.buffer.pop(top, None)
            self._fill(top, range(self.columns))
        self.dirty.update(range(top, bottom + 1))

    def reverse_index(self) -> None:
        if self.cursor.y == (self.margins.top if self.margins else 0):
            self.scroll_down(1)
        else:
            self.cursor_up()

    # Erasing: erased cells take the background that is in force

    def _fill(self, y: int, columns: range) -> None:
        blank = erased(self.cursor.attrs.sgr)  # type: ignore[attr-defined]
        line = self.buffer[y]
        if blank is not BLANK:
            line.update((x, blank) for x in columns)  # type: ignore[misc]
        elif len(columns) >= self.columns:
            line.clear()
        else:
            for x in columns:
                line.pop(x, None)
        self.dirty.add(y)

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        x = min(self.cursor.x, self.columns - 1)
        parts = {0: range(x, self.columns), 1: range(x + 1), 2: range(self.columns)}
        if how in parts:
            self._fill(self.cursor.y, parts[how])

    def erase_in_display(self, how: int = 0, *args: Any, **kwargs: Any) -> None:
        if how == 3:
            self.history.clear()
            return
        y = self.cursor.y
        parts = {0: range(y + 1, self.lines), 1: range(y), 2: range(self.lines)}
        for line in parts.get(how, ()):
            self._fill(line, range(self.columns))
        if how in (0, 1):
            self.erase_in_line(how)

    def erase_characters(self, count: int | None = None) -> None:
        x = self.cursor.x
        self._fill(self.cursor.y, range(x, min(x + (count or 1), self.columns)))

    def forget(self) -> None:
        """All is empty, the history too."""
        self.reset()
        self.history.clear()
        self.scrolled = 0

    # Size

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        lines, columns = lines or self.lines, columns or self.columns
        if (lines, columns) == (self.lines, self.columns):
            return
        # What stands below the cursor goes first, then what is at the top.
        self._drop_rows(max(0, self.cursor.y + 1 - lines), not self.is_alternate)
        for y in [y for y in self.buffer if y >= lines]:
            del self.buffer[y]
        for line in self.buffer.values():
            for x in [x for x in line if x >= columns]:
                del line[x]
        grown, self.lines, self.columns = lines - self.lines, lines, columns
        if not self.is_alternate:
            self._fetch_rows(grown)
        self.margins = None
        self.tabstops = set(range(8, columns, 8))
        self._keep_cursor_inside()
        self.dirty = set(range(lines))

    def _drop_rows(self, count: int, keep: bool) -> None:
        self.margins = None
        for _ in range(count):
            if keep:
                self.history.append(self.render(0))
                self.scrolled += 1
            for y in range(self.lines - 1):
                self.buffer[y] = self.buffer[y + 1]
            self.buffer.pop(self.lines - 1, None)
            self.cursor.y -= 1

    def _fetch_rows(self, count: int) -> None:
        """Bring lines back from the history: there is room for them now."""
        for _ in range(min(count, len(self.history))):
            for y in range(self.lines - 1, 0, -1):
                self.buffer[y] = self.buffer[y - 1]
            self.buffer[0] = cells_of(self.history.pop(), self.columns)
            self.scrolled -= 1
            self.cursor.y += 1

    # Reading

    def render(self, y: int) -> Row:
        """The row as runs of text."""
        return row_of(self.buffer[y], self.columns) if y in self.buffer else ()
