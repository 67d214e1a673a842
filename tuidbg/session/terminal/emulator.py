"""A terminal for the program to draw on: bytes in, rows of coloured text and answers out.

What a program writes is taken apart here, at once and tolerantly: a sequence that is not known is
passed over whole, whatever it is, and never shown. ``screen.py`` has the screen.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from typing import NamedTuple

import pyte.charsets
import pyte.modes

from tuidbg.session.terminal.cells import Row
from tuidbg.session.terminal.screen import EmulatedScreen

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
    """Tells how the program wants its input, and what it has taken over."""

    application_cursor: bool = False
    bracketed_paste: bool = False
    focus: bool = False
    mouse: int = 0
    """1003: all movements, 1002: with a button held, 1000 and 9: buttons only, 0: nothing."""
    mouse_by_sgr: bool = False


class Emulator:
    """A terminal of ``columns`` x ``rows``. ``reply`` gets the answers to the program's questions.

    Lines have numbers: those from ``first_number`` on are in the history, those from
    ``top_number`` on are the screen's rows. A line that is the same is the same object.
    """

    def __init__(self, columns: int, rows: int, reply: Callable[[bytes], object]) -> None:
        self.title = ""
        self.bells = 0
        """Tells how often the program has rung."""
        self._reply = reply
        self._screen = EmulatedScreen(columns, rows)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._held = ""
        self._rows: list[Row] = [()] * rows

    # What is to be seen

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return self._screen.columns, self._screen.lines

    @property
    def top_number(self) -> int:
        """The number of the screen's first row."""
        return self._screen.scrolled

    @property
    def first_number(self) -> int:
        """The number of the oldest line kept. The alternate screen has no history."""
        screen = self._screen
        return screen.scrolled - (0 if screen.is_alternate else len(screen.history))

    @property
    def end_number(self) -> int:
        """One more than the number of the screen's last row."""
        return self._screen.scrolled + self._screen.lines

    def line(self, number: int) -> Row:
        """A line of the history or of the screen; empty where there is none."""
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
        """The screen as plain text."""
        rows = (self._row(y) for y in range(self._screen.lines))
        return "\n".join("".join(text for text, _ in row).rstrip() for row in rows)

    @property
    def cursor(self) -> tuple[int, int] | None:
        """The cursor's column and line number; None where it is hidden."""
        cursor = self._screen.cursor
        if cursor.hidden:
            return None
        return min(cursor.x, self._screen.columns - 1), self._screen.scrolled + cursor.y

    @property
    def is_alternate(self) -> bool:
        """Tells whether the program shows its other screen, as full-screen programs do."""
        return self._screen.is_alternate

    @property
    def is_inverted(self) -> bool:
        """Tells whether all is shown in reverse (DECSCNM)."""
        return self._screen.is_set(5)

    @property
    def is_midway(self) -> bool:
        """Tells whether the program is in the middle of a change that it wants shown as a whole."""
        return self._screen.is_set(2026)

    @property
    def modes(self) -> Modes:
        """Returns how the program wants its input."""
        is_set = self._screen.is_set
        return Modes(
            application_cursor=is_set(1),
            bracketed_paste=is_set(2004),
            focus=is_set(1004),
            mouse=next((mode for mode in _MOUSE_MODES if is_set(mode)), 0),
            mouse_by_sgr=is_set(1006),
        )

    # What happens to it

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the program's, which may end anywhere."""
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
        """Take another size; what no longer fits at the top goes to the history."""
        self._screen.resize(rows, columns)
        self._rows = (self._rows + [()] * rows)[:rows]

    def let_go(self) -> None:
        """The program has ended: what it drew stays, what it wanted of the keyboard does not."""
        self._held = ""
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._screen.reset_softly()

    def clear(self) -> None:
        """Begin anew, without a history."""
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
        """A CSI sequence."""
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
        """Answer what programs ask of a terminal before they draw."""
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
"""The private modes that a program is told of when it asks."""


def _plain(parameters: str) -> list[str]:
    """The numbers of a sequence, without what stands behind colons."""
    return [part.partition(":")[0] for part in parameters.split(";")] if parameters else []
