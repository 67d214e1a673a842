"""Tells how cells look, and the shortest way for a terminal to change from one look to another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from rich.color import ColorSystem
from rich.style import Style

from tuidbg.tui.drivers.picture.colors import reduce_pair

if TYPE_CHECKING:
    from tuidbg.tui.drivers.picture.grid import Row

_ON = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "21", "51", "52", "53")
"""The SGR parameter of each bit of :attr:`rich.style.Style._attributes`, the lowest first."""

_OFF = ("22", "22", "23", "24", "25", "25", "27", "28", "29", "24", "54", "54", "55")

SEEN_ON_BLANKS = sum(1 << bit for bit in (3, 4, 5, 6, 8, 9, 10, 11, 12))
"""Underlines, frames, reverse and blinking: a space shows them."""

_MOST = 4096
"""Pens that are known at once; links and odd colours would else be kept for ever."""


class Pen(NamedTuple):
    """A look: SGR parameters of the colours, bits as in Rich's styles, and a hyperlink.

    ``foreground`` is "" where it does not matter, as on a blank.
    """

    foreground: str = "39"
    background: str = "49"
    attributes: int = 0
    link: str = ""


PLAIN = Pen()
"""A terminal's own look, after ``ESC[m``."""


class Pens:
    """Numbers the looks that occur, so that cells can be compared quickly.

    The numbers are those of places in :attr:`pens`; number 0 is :data:`PLAIN`.
    """

    def __init__(self, colors: ColorSystem) -> None:
        self._colors = colors
        self.pens: list[Pen] = []
        self._numbers: dict[Pen, int] = {}
        self._of_styles: dict[Style, tuple[int, int]] = {}
        self._ways: dict[tuple[Pen, int], tuple[str, Pen]] = {}
        self._clear()

    @property
    def is_full(self) -> bool:
        """True when it is time for :meth:`renumber`."""
        return len(self.pens) > _MOST

    def renumber(self, rows: Iterable[Row]) -> None:
        """Keep those that occur in ``rows`` alone; all other numbers mean nothing any more."""
        before, rows = self.pens.copy(), list(rows)
        self._clear()
        for row in rows:
            row.pens[:] = [self._number(before[pen]) for pen in row.pens]

    def of_style(self, style: Style | None) -> tuple[int, int]:
        """Return the numbers for text in ``style`` and for spaces in it."""
        if style is None:
            style = _NO_STYLE
        numbers = self._of_styles.get(style)
        if numbers is None:
            if len(self._of_styles) > _MOST:  # of one look, with different things behind it
                self._of_styles.clear()
            pen = self._pen(style)
            numbers = self._number(pen), self._number(_on_blanks(pen))
            self._of_styles[style] = numbers
        return numbers

    def way(self, before: Pen, number: int) -> tuple[str, Pen]:
        """Return what changes a terminal from ``before`` to a pen, and the look it has then."""
        way = self._ways.get((before, number))
        if way is None:
            if len(self._ways) > _MOST:
                self._ways.clear()
            way = self._ways[before, number] = _change(before, self.pens[number])
        return way

    def _clear(self) -> None:
        self.pens.clear()
        self._numbers.clear()
        self._of_styles.clear()
        self._ways.clear()
        self._number(PLAIN)

    def _number(self, pen: Pen) -> int:
        number = self._numbers.get(pen)
        if number is None:
            number = self._numbers[pen] = len(self.pens)
            self.pens.append(pen)
        return number

    def _pen(self, style: Style) -> Pen:
        color, background = reduce_pair(style.color, style.bgcolor, self._colors)
        link = f"id={style.link_id};{style.link}" if style.link else ""
        return Pen(
            ";".join(color.get_ansi_codes()) if color else "39",
            ";".join(background.get_ansi_codes(foreground=False)) if background else "49",
            style._attributes & style._set_attributes,
            link,
        )


_NO_STYLE = Style()


def _on_blanks(pen: Pen) -> Pen:
    if pen.link or pen.attributes & SEEN_ON_BLANKS:
        return pen
    return Pen("", pen.background)


def _change(before: Pen, after: Pen) -> tuple[str, Pen]:
    """Return the shorter of two ways, and where it leads: from what is, or from the plain look."""
    if after.foreground:
        kept = anew = after
    else:  # nothing else of it is seen on blanks
        unseen = before.attributes & ~SEEN_ON_BLANKS
        kept = after._replace(foreground=before.foreground, attributes=unseen)
        anew = after._replace(foreground=PLAIN.foreground)
    if kept == before:
        return "", before
    link = "" if before.link == after.link else f"\x1b]8;{after.link or ';'}\x1b\\"
    changes = _codes(before, kept)
    reset = ";".join(("0", _codes(PLAIN, anew))) if anew[:3] != PLAIN[:3] else ""
    if len(reset) < len(changes):
        return f"{link}\x1b[{reset}m", anew
    return f"{link}\x1b[{changes}m" if changes else link, kept


def _codes(before: Pen, now: Pen) -> str:
    """Return the SGR parameters that lead from one to the other."""
    codes: list[str] = []
    if before.attributes != now.attributes:
        gone, kept = before.attributes & ~now.attributes, now.attributes
        off = dict.fromkeys(code for bit, code in enumerate(_OFF) if gone >> bit & 1)
        codes += off
        on = now.attributes & ~before.attributes
        for bit, code in enumerate(_ON):
            if kept >> bit & 1 and (on >> bit & 1 or _OFF[bit] in off):
                codes.append(code)
    if before.foreground != now.foreground:
        codes.append(now.foreground)
    if before.background != now.background:
        codes.append(now.background)
    return ";".join(codes)
