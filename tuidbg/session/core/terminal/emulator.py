"""The screen of an emulated terminal: pyte's screen with features needed by today's programs.

pyte moves the cursor, scrolls regions, inserts and deletes. Its gaps and errors are corrected here:
the alternate screen, the history, the colours of erased cells, line drawing, wide characters at the
edge.

Imported only when a program's screen is shown: most programs only print.
"""

from __future__ import annotations

import codecs
import re
from collections import defaultdict, deque
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import pyte.charsets
import pyte.modes
from pyte.screens import Cursor, Margins, Screen, StaticDefaultDict, wcwidth

from tuidbg.session.core.terminal.text import apply_sgr, sgr_attributes

Row = tuple[tuple[str, str], ...]
"""One line: runs of text, each with its colours as SGR parameters; without trailing blanks."""

SINGLE_CELLS = frozenset(
    chr(code)
    for part in (
        range(0x20, 0x7F),
        range(0xA1, 0x300),
        range(0x2500, 0x2600),
        range(0x2800, 0x2900),
    )
    for code in part
)
"""Characters that are known to occupy one cell: nearly all that programs draw with."""

WIDE_STUB = ""
"""The data in the second cell of a wide character."""


class ScreenCell(NamedTuple):
    """The content of one cell; empty data after a wide character."""

    data: str = " "
    sgr: str = ""


BLANK = ScreenCell()

Cells = StaticDefaultDict[int, Any]
"""The cells of one row by their columns, as pyte keeps them: missing ones are blank."""


class ColouredCells(dict[str, ScreenCell]):
    """The cells of one combination of colours, by their characters."""

    def __init__(self, sgr: str) -> None:
        super().__init__()
        self._sgr = sgr

    def __missing__(self, character: str) -> ScreenCell:
        cell = self[character] = ScreenCell(character, self._sgr)
        return cell


@lru_cache(maxsize=1024)
def erased(sgr: str) -> ScreenCell:
    """Return an erased cell under the active colours."""
    kept = next((code for name, code in sgr_attributes(sgr) if name == "background"), "")
    return ScreenCell(" ", kept) if kept else BLANK


def row_of(cells: Cells, columns: int) -> Row:
    """Return the row as runs of text."""
    if not cells:
        return ()
    runs: list[tuple[str, str]] = []
    texts: list[str] = []
    state, wide = "", False
    for x in range(min(columns, max(cells) + 1)):
        data, sgr = cells[x][:2]
        if data == WIDE_STUB:
            if wide:
                wide = False
                continue
            data = " "  # its first half was overwritten
        elif wide:  # its second half was
            texts[-1] = " "
        wide = len(data) == 1 and data not in SINGLE_CELLS and wcwidth(data) == 2
        if sgr != state and texts:
            runs.append(("".join(texts), state))
            texts = []
        state = sgr
        texts.append(data)
    if texts:
        text = "".join(texts)
        runs.append((text if state else text.rstrip(" "), state))
    return tuple(run for run in runs if run[0])


def cells_of(row: Row, columns: int) -> Cells:
    """Return the cells of a row, up to the number of columns."""
    cells: Cells = StaticDefaultDict(BLANK)
    x = 0
    for text, sgr in row:
        for character in text:
            width = 1 if character in SINGLE_CELLS else wcwidth(character)
            if width <= 0 and x:
                cells[x - 1] = ScreenCell(cells[x - 1].data + character, cells[x - 1].sgr)
            elif x + width <= columns:
                cells[x] = ScreenCell(character, sgr)
                cells.update((x + n, ScreenCell(WIDE_STUB, sgr)) for n in range(1, width))
                x += width
    return cells


ALTERNATE_SCREEN = frozenset({47, 1047, 1049})
"""The private modes that switch to the alternate screen."""

HISTORY_LINES = 5_000
"""Lines kept after scrolling out at the top."""

_STATES_KEPT = 2_000
"""Colour combinations whose cells are kept; a picture in true colours has more."""

_DECCOLM, _DECSCNM = 3, 5


class EmulatedScreen(Screen):
    """A screen of ``columns`` x ``lines`` cells; rows and columns are counted from 0."""

    def __init__(self, columns: int, lines: int) -> None:
        self.history: deque[Row] = deque(maxlen=HISTORY_LINES)
        self.scrolled = 0
        """The total of lines scrolled out at the top: the number of the first row."""
        self._main: tuple[Any, Any] | None = None
        self._known: dict[str, ColouredCells] = {}
        self._last = " "
        super().__init__(columns, lines)

    @property
    def default_char(self) -> ScreenCell:  # type: ignore[override]
        return BLANK

    @property
    def is_alternate(self) -> bool:
        """True if the alternate screen is shown."""
        return self._main is not None

    def is_set(self, private_mode: int) -> bool:
        """Return whether a DEC private mode is set."""
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
        """Handle modes for which pyte would change all cells, or the size."""
        if _DECSCNM in modes:
            (self.mode.add if on else self.mode.discard)(_DECSCNM << 5)
            self.dirty.update(range(self.lines))

    def reset_softly(self) -> None:
        """DECSTR: reset modes and colours, keep the text."""
        self.margins = None
        self.cursor.attrs = BLANK  # type: ignore[assignment]
        self.cursor.hidden = False
        self.mode = {pyte.modes.DECAWM, pyte.modes.DECTCEM}
        self.g0_charset = self.g1_charset = pyte.charsets.LAT1_MAP
        self.charset = 0

    # The cursor

    def save_cursor(self) -> None:
        self.savepoints.clear()  # a terminal has one saved cursor
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
        """CBT: move to the previous tab stop."""
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
        """Draw a character that may be wide, or combine with the previous one."""
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
        """Continue after the end of a full line."""
        if pyte.modes.DECAWM in self.mode:
            self.cursor.x = 0
            self.index()
        else:
            self.cursor.x = max(0, self.columns - width)

    def _combine(self, character: str) -> None:
        """Combine a zero-width character with the previous one."""
        line, column = self.buffer[self.cursor.y], self.cursor.x - 1
        while column > 0 and line[column].data == WIDE_STUB:
            column -= 1
        if column >= 0 and len(line[column].data) < 8:
            cell = line[column]
            line[column] = cell._replace(data=cell.data + character)
            self.dirty.add(self.cursor.y)

    def repeat(self, count: int | None = None) -> None:
        """REP: repeat the last character."""
        self.draw(self._last * min(count or 1, self.columns * self.lines))

    def select_colours(self, parameters: str) -> None:
        """Set the colours (SGR)."""
        sgr = self.cursor.attrs.sgr  # type: ignore[attr-defined]
        self.cursor.attrs = ScreenCell(" ", apply_sgr(sgr, parameters))  # type: ignore[assignment]

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
        """SU: scroll the region up; lines of the main screen go into the history."""
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
        """SD: scroll the region down."""
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

    # Erasing: erased cells get the active background

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
        """Clear everything, including the history."""
        self.reset()
        self.history.clear()
        self.scrolled = 0

    # Size

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        lines, columns = lines or self.lines, columns or self.columns
        if (lines, columns) == (self.lines, self.columns):
            return
        # Rows below the cursor are dropped first, then those at the top.
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
        """Restore lines from the history, as there is space for them now."""
        for _ in range(min(count, len(self.history))):
            for y in range(self.lines - 1, 0, -1):
                self.buffer[y] = self.buffer[y - 1]
            self.buffer[0] = cells_of(self.history.pop(), self.columns)
            self.scrolled -= 1
            self.cursor.y += 1

    # Reading

    def render(self, y: int) -> Row:
        """Return the row as runs of text."""
        return row_of(self.buffer[y], self.columns) if y in self.buffer else ()


_TOKEN = re.compile(
    r"""
      ([^\x00-\x1f\x7f-\x9f]+)                           # 1: text
    | \x1b\[ ([<=>?]?) ([0-9;:]*) ([\ -/]*) ([@-~])       # 2-5: CSI
    | \x1b\] ([^\x07\x1b]*) (?: \x07 | \x1b\\ )           # 6: OSC
    | \x1b [PX^_] [^\x1b]* \x1b\\                         # DCS and the like
    | \x1b ([\ -/]*) ([0-OQ-WYZ\\`-~])                    # 7-8: two characters, or three
    | ([\x00-\x1f\x7f-\x9f])                              # 9: a control character
    """,
    re.VERBOSE,
)
_UNFINISHED = re.compile(
    r"\x1b (?: \[ [0-?]* [\ -/]* | \] [^\x07\x1b]* \x1b? | [PX^_] [^\x1b]* \x1b? | [\ -/]* ) \Z",
    re.VERBOSE,
)
_HELD_LIMIT = 256 * 1024
"""Characters of an unfinished sequence kept back (a picture may be one); then it is dropped."""

_NUMBER_LIMIT = 9_999
_TITLE_LIMIT = 200

_MOUSE_MODES = (1003, 1002, 1000, 9)


class Modes(NamedTuple):
    """The program's input modes, and the features it controls."""

    application_cursor: bool = False
    bracketed_paste: bool = False
    focus: bool = False
    mouse: int = 0
    """1003: all movements, 1002: with a button held, 1000 and 9: buttons only, 0: none."""
    mouse_by_sgr: bool = False


class Emulator:
    """A terminal of ``columns`` x ``rows``. ``reply`` is called with replies to the program.

    Lines have numbers: those from ``first_number`` on are in the history, those from ``top_number``
    on are the screen's rows. An unchanged line is the same object.
    """

    def __init__(self, columns: int, rows: int, reply: Callable[[bytes], object]) -> None:
        self.title = ""
        self.bells = 0
        """The number of bells."""
        self._reply = reply
        self._screen = EmulatedScreen(columns, rows)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._held = ""
        self._rows: list[Row] = [()] * rows

    # Display

    @property
    def size(self) -> tuple[int, int]:
        """Return columns and rows."""
        return self._screen.columns, self._screen.lines

    @property
    def top_number(self) -> int:
        """Return the number of the screen's first row."""
        return self._screen.scrolled

    @property
    def first_number(self) -> int:
        """Return the number of the oldest line kept. The alternate screen has no history."""
        screen = self._screen
        return screen.scrolled - (0 if screen.is_alternate else len(screen.history))

    @property
    def end_number(self) -> int:
        """Return one more than the number of the screen's last row."""
        return self._screen.scrolled + self._screen.lines

    def line(self, number: int) -> Row:
        """Return a line of the history or of the screen; empty if there is none."""
        screen = self._screen
        y = number - screen.scrolled
        if 0 <= y < screen.lines:
            return self._row(y)
        index = len(screen.history) + y
        return screen.history[index] if y < 0 and index >= 0 else ()

    def _row(self, y: int) -> Row:
        screen = self._screen
        if y in screen.dirty:
            screen.dirty.discard(y)
            row = screen.render(y)
            if row != self._rows[y]:
                self._rows[y] = row
        return self._rows[y]

    @property
    def text(self) -> str:
        """Return the screen as plain text."""
        rows = (self._row(y) for y in range(self._screen.lines))
        return "\n".join("".join(text for text, _ in row).rstrip() for row in rows)

    @property
    def cursor(self) -> tuple[int, int] | None:
        """Return the cursor's column and line number; None if it is hidden."""
        cursor = self._screen.cursor
        if cursor.hidden:
            return None
        return min(cursor.x, self._screen.columns - 1), self._screen.scrolled + cursor.y

    @property
    def is_alternate(self) -> bool:
        """True if the program shows the alternate screen, as full-screen programs do."""
        return self._screen.is_alternate

    @property
    def is_inverted(self) -> bool:
        """True if everything is shown in reverse (DECSCNM)."""
        return self._screen.is_set(5)

    @property
    def is_midway(self) -> bool:
        """True during a change that the program wants to be shown as a whole."""
        return self._screen.is_set(2026)

    @property
    def modes(self) -> Modes:
        """Return the program's input modes."""
        is_set = self._screen.is_set
        return Modes(
            application_cursor=is_set(1),
            bracketed_paste=is_set(2004),
            focus=is_set(1004),
            mouse=next((mode for mode in _MOUSE_MODES if is_set(mode)), 0),
            mouse_by_sgr=is_set(1006),
        )

    # Input

    def feed(self, data: bytes) -> None:
        """Process the program's next bytes, which may end anywhere."""
        text = self._held + self._decode(data)
        self._held = ""
        last = text.rfind("\x1b")
        for start in (text.rfind("\x1b", 0, max(last, 0)), last):
            if start >= 0 and _UNFINISHED.match(text, start):
                text, self._held = text[:start], text[start:][:_HELD_LIMIT]
                break
        if len(self._held) >= _HELD_LIMIT:
            self._held = ""
        for match in _TOKEN.finditer(text):
            plain, mark, parameters, between, final, osc, charset, escape, control = match.groups()
            if plain:
                self._screen.draw(plain)
            elif final:
                self._obey(mark, parameters, between, final)
            elif control:
                self._control(control)
            elif escape:
                self._escape(charset, escape)
            elif osc is not None:
                self._system(osc)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size; lines that no longer fit at the top go to the history."""
        self._screen.resize(rows, columns)
        self._rows = (self._rows + [()] * rows)[:rows]

    def let_go(self) -> None:
        """Handle the program's end: its drawing stays, its keyboard modes are reset."""
        self._held = ""
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._screen.reset_softly()

    def clear(self) -> None:
        """Clear it, without a history."""
        self.let_go()
        self.title = ""
        self._screen.forget()

    # Sequences

    def _control(self, control: str) -> None:
        screen = self._screen
        match control:
            case "\r":
                screen.carriage_return()
            case "\n" | "\v" | "\f":
                screen.linefeed()
            case "\b":
                screen.backspace()
            case "\t":
                screen.tab()
            case "\a":
                self.bells += 1
            case "\x0e":
                screen.shift_out()
            case "\x0f":
                screen.shift_in()

    def _escape(self, between: str, final: str) -> None:
        screen = self._screen
        if between in ("(", ")"):
            charset = pyte.charsets.VT100_MAP if final == "0" else pyte.charsets.LAT1_MAP
            if between == "(":
                screen.g0_charset = charset
            else:
                screen.g1_charset = charset
            return
        match between + final:
            case "7":
                screen.save_cursor()
            case "8":
                screen.restore_cursor()
            case "D":
                screen.index()
            case "E":
                screen.carriage_return()
                screen.index()
            case "M":
                screen.reverse_index()
            case "H":
                screen.set_tab_stop()
            case "c":
                screen.reset()
            case "#8":
                screen.erase_in_display(2)
                screen.draw("E" * screen.columns * screen.lines)

    def _system(self, text: str) -> None:
        kind, _, rest = text.partition(";")
        if kind in ("0", "2"):
            self.title = "".join(c for c in rest[:_TITLE_LIMIT] if c.isprintable())

    def _obey(self, mark: str, parameters: str, between: str, final: str) -> None:
        """Execute a CSI sequence."""
        if final == "m" and not mark and not between:
            self._screen.select_colours(parameters)
            return
        numbers = [min(int(part or 0), _NUMBER_LIMIT) for part in _plain(parameters)]
        first = numbers[0] if numbers else 0
        if between:
            self._obey_special(mark, first, between, final)
        elif mark == "?" and final in "hl":
            self._switch(numbers, final == "h", private=True)
        elif final in "cn":
            self._answer(mark, first, final)
        elif not mark:
            self._obey_plain(numbers, first, final)

    def _obey_special(self, mark: str, first: int, between: str, final: str) -> None:
        if between == "!" and final == "p":
            self._screen.reset_softly()
        elif between == "$" and final == "p" and mark == "?":
            state = 0
            if first in _KNOWN_MODES:
                state = 1 if self._screen.is_set(first) else 2
            self._reply(f"\x1b[?{first};{state}$y".encode())

    def _switch(self, numbers: list[int], on: bool, *, private: bool = False) -> None:
        (self._screen.set_mode if on else self._screen.reset_mode)(*numbers, private=private)

    def _answer(self, mark: str, first: int, final: str) -> None:
        """Answer the queries programs send to a terminal before they draw."""
        screen = self._screen
        match final, mark, first:
            case "c", "", 0:
                self._reply(b"\x1b[?62;22c")  # a VT220 with colours
            case "c", ">", 0:
                self._reply(b"\x1b[>1;10;0c")
            case "n", "", 5:
                self._reply(b"\x1b[0n")
            case "n", ("" | "?"), 6:
                y, x = screen.cursor.y + 1, min(screen.cursor.x, screen.columns - 1) + 1
                if screen.margins and pyte.modes.DECOM in screen.mode:
                    y -= screen.margins.top
                self._reply(f"\x1b[{mark}{y};{x}R".encode())

    def _obey_plain(self, numbers: list[int], first: int, final: str) -> None:
        screen = self._screen
        match final:
            case "H" | "f":
                screen.cursor_position(first, numbers[1] if len(numbers) > 1 else 0)
            case "J" | "K":
                (screen.erase_in_display if final == "J" else screen.erase_in_line)(first)
            case "h" | "l":
                self._switch(numbers, final == "h")
            case "r":
                self._set_margins(first, numbers[1] if len(numbers) > 1 else 0)
            case "s":
                screen.save_cursor()
            case "u":
                screen.restore_cursor()
            case "g":
                screen.clear_tab_stop(first)
            case "I":
                for _ in range(min(first or 1, screen.columns)):
                    screen.tab()
            case "t" if first == 18:
                self._reply(f"\x1b[8;{screen.lines};{screen.columns}t".encode())
            case _ if final in _COUNTED:
                getattr(screen, _COUNTED[final])(first or 1)

    def _set_margins(self, top: int, bottom: int) -> None:
        screen = self._screen
        screen.set_margins(top or 1, bottom or screen.lines)
        if screen.margins is not None and tuple(screen.margins) == (0, screen.lines - 1):
            screen.margins = None
        screen.cursor_position()


_COUNTED = {
    "@": "insert_characters",
    "A": "cursor_up",
    "B": "cursor_down",
    "C": "cursor_forward",
    "D": "cursor_back",
    "E": "cursor_down1",
    "F": "cursor_up1",
    "G": "cursor_to_column",
    "L": "insert_lines",
    "M": "delete_lines",
    "P": "delete_characters",
    "S": "scroll_up",
    "T": "scroll_down",
    "X": "erase_characters",
    "Z": "back_tab",
    "`": "cursor_to_column",
    "a": "cursor_forward",
    "b": "repeat",
    "d": "cursor_to_line",
    "e": "cursor_down",
}

_KNOWN_MODES = frozenset(
    {1, 5, 6, 7, 9, 25, 47, 1000, 1002, 1003, 1004, 1006, 1047, 1048, 1049, 2004, 2026}
)
"""The private modes reported in reply to a query."""


def _plain(parameters: str) -> list[str]:
    """Return the numbers of a sequence, without the parts after colons."""
    return [part.partition(":")[0] for part in parameters.split(";")] if parameters else []
