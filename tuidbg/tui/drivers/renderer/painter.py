"""The control sequences that make up a picture, and the shortest of those that do the same.

They are such as all terminals of the last decades know (ECMA-48, DEC's VT102); what only some know
is used where the terminal is known to be one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from tuidbg.tui.drivers.renderer.capabilities import Abilities
from tuidbg.tui.drivers.renderer.grid import REST, Grid, Row, is_certain, width_of
from tuidbg.tui.drivers.renderer.styles import PLAIN, SEEN_ON_BLANKS, Pens

_NEAR = 4
"""Cells between two changes that may as well be written again: to go past them is no shorter."""

_LONG_BLANK = 10
"""Blanks that are shorter to erase, and to go past, than to write."""

_LONG_END = 4
"""Blanks at the end of a row that are shorter to erase than to write."""


_LEAST_REPEATED = 3
"""Cells of which some may be shorter to repeat than to write: lines take three bytes each."""

_BAND = 12
"""Rows that are painted together, pen by pen: more would save little, and one sees it happen on a
slow line."""


class _Piece(NamedTuple):
    """Cells of a row that one pen writes, or with ``is_end`` erases to the end of the row."""

    pen: int
    y: int
    begin: int
    end: int
    is_end: bool = False


class Strokes:
    """One picture in the making, for a terminal whose cursor is at ``cursor`` (column, row)."""

    def __init__(
        self, pens: Pens, abilities: Abilities, width: int, cursor: tuple[int, int] | None
    ) -> None:
        self._pens = pens
        self._abilities = abilities
        self._width = width
        self._at = cursor
        self._end_of: int | None = None
        """The row that was written to its end: the cursor is in its last column or behind it."""
        self._pen = PLAIN
        self._parts: list[str] = []
        self._bands: dict[int, list[_Piece]] = {}
        self._rows: dict[int, Row] = {}

    def finish(self, cursor: tuple[int, int]) -> str:
        """Return all of it; the terminal has its plain look again and its cursor there."""
        for band in sorted(self._bands):
            self._write(self._bands[band])
        if self._pen != PLAIN:
            self._use(0)
        self._go(*cursor)
        return "".join(self._parts)

    def clear(self) -> None:
        """Empty a screen of which nothing is known: plain blanks are left."""
        self._parts.append("\x1b[m\x1b[r\x1b[2J")
        self._at = None

    def move_rows(self, first: int, last: int, by: int) -> None:
        """Have the terminal move rows, up ``by`` rows or down: the new ones are plain blanks."""
        self._parts.append(f"\x1b[{first + 1};{last + 1}r")
        self._at = None
        self._go(0, first)
        self._parts.append(f"\x1b[{by}M\x1b[r" if by > 0 else f"\x1b[{-by}L\x1b[r")
        self._at = None

    def row(self, y: int, before: Row, now: Row) -> None:
        """Paint what has changed in a row."""
        if not _is_even(now.texts) or not _is_even(before.texts):
            self._whole_row(y, now)
            return
        end = self._end(now.texts, now.pens)
        pieces = self._bands.setdefault(y // _BAND, [])
        self._rows[y] = now
        for begin, behind in self._runs(changed_cells(before, now), now):
            pieces += self._pieces(y, begin, min(behind, end), now)
            if behind > end:
                pieces.append(_Piece(now.pens[end], y, max(begin, end), self._width, is_end=True))
                break

    def _whole_row(self, y: int, now: Row) -> None:
        """Paint a row with characters of which it is not known how wide this terminal shows them.

        They come first, each in an empty place, and over what they have covered comes all else,
        where it belongs: so it stands there, however wide they are.
        """
        pieces: list[_Piece] = []
        begin = 0
        self._rows[y] = now
        for x, text in enumerate(now.texts):
            if is_certain(text):
                continue
            pieces += self._pieces(y, begin, x, now)
            begin = x + max(width_of(text), 1)
            self._go(x, y)
            self._use(now.pens[x])
            self._parts.append(" " * (begin - x))
            self._at = None
            self._go(x, y)
            self._parts.append(text)
            self._at = None
        pieces += self._pieces(y, begin, self._width, now)
        self._write(pieces)

    def _end(self, texts: list[str], pens: list[int]) -> int:
        """Return where the blanks begin that end the row and can be erased; its width for none."""
        pen = pens[-1]
        if not self._can_erase(pen):
            return self._width
        x = self._width
        while x and texts[x - 1] == " " and pens[x - 1] == pen:
            x -= 1
        return x if self._width - x >= _LONG_END else self._width

    def _can_erase(self, number: int) -> bool:
        pen = self._pens.pens[number]
        return not pen.foreground and (self._abilities.erases_in_color or pen.background == "49")

    def _runs(self, changed: list[int], row: Row) -> list[tuple[int, int]]:
        """Return what is to be written: from a column, and up to one."""
        texts = row.texts
        runs: list[tuple[int, int]] = []
        for x in changed:
            if runs and x - runs[-1][1] < _NEAR and self._is_alike(row.pens, runs[-1][1] - 1, x):
                begin = runs.pop()[0]
            else:
                begin = x
                while begin and texts[begin] == REST:
                    begin -= 1
            end = x + 1
            while end < len(texts) and texts[end] == REST:
                end += 1
            runs.append((begin, end))
        return runs

    def _is_alike(self, pens: list[int], begin: int, end: int) -> bool:
        """Return whether the same pen can write these cells."""
        first = pens[begin]
        return all(pen == first or self._suits(pen, first) for pen in pens[begin + 1 : end])

    def _suits(self, blank: int, pen: int) -> bool:
        """Return whether ``blank`` is one of blanks, which ``pen`` leaves just so."""
        wanted, used = self._pens.pens[blank], self._pens.pens[pen]
        return (
            not wanted.foreground
            and wanted.background == used.background
            and not used.attributes & SEEN_ON_BLANKS
            and not used.link
        )

    def _pieces(self, y: int, begin: int, end: int, row: Row) -> list[_Piece]:
        """Return the cells from ``begin`` to ``end``, parted by the pen that writes them."""
        pieces: list[_Piece] = []
        pens = row.pens
        x = begin
        while x < end:
            first, behind = pens[x], x + 1
            while behind < end and pens[behind] == first:
                behind += 1
            last = pieces[-1] if pieces else None
            is_long = behind - x >= _LONG_BLANK and self._abilities.erases
            if last is not None and not is_long and self._suits(first, last.pen):
                pieces[-1] = last._replace(end=behind)
            else:
                pieces.append(_Piece(first, y, x, behind))
            x = behind
        return pieces

    def _write(self, pieces: list[_Piece]) -> None:
        """Write pieces pen by pen: going to a place is shorter than most colours."""
        in_use = next((piece.pen for piece in pieces if not self._way(piece.pen)), -1)
        first: dict[int, int] = {}
        for number, piece in enumerate(pieces):
            first.setdefault(piece.pen, number)
        pieces.sort(key=lambda piece: (piece.pen != in_use, first[piece.pen], piece[1:]))
        for piece in pieces:
            self._go(piece.begin, piece.y)
            self._use(piece.pen)
            count = piece.end - piece.begin
            if piece.is_end:
                self._parts.append("\x1b[K")
            elif count >= _LONG_BLANK and self._abilities.erases and self._can_erase(piece.pen):
                self._parts.append(f"\x1b[{count}X")
            else:
                self._parts.append(self._text(self._rows[piece.y].texts[piece.begin : piece.end]))
                is_at_end = piece.end == self._width
                self._at = None if is_at_end else (piece.end, piece.y)
                self._end_of = piece.y if is_at_end else None

    def _text(self, cells: list[str]) -> str:
        """Return the text of cells, which may repeat one where that is shorter."""
        if not self._abilities.repeats or len(cells) < _LEAST_REPEATED:
            return "".join(cells)
        parts: list[str] = []
        for cell, group in groupby(cells):
            again = len(list(group)) - 1
            repeat = f"\x1b[{again}b"
            is_shorter = len(repeat) < again * len(cell.encode()) and width_of(cell) == 1
            parts.append(cell + repeat if is_shorter else cell * (again + 1))
        return "".join(parts)

    def _way(self, pen: int) -> str:
        return self._pens.way(self._pen, pen)[0]

    def _use(self, number: int) -> None:
        text, self._pen = self._pens.way(self._pen, number)
        if text:
            self._parts.append(text)

    def _go(self, x: int, y: int) -> None:
        """Put the cursor there, the shortest way."""
        if self._at == (x, y):
            return
        way = f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H" if y else "\x1b[H"
        if self._at is not None:
            column, row = self._at
            if row == y:
                way = _along(column, x)
            elif row < y:  # never off the last row: a terminal would not go on there
                way = min(way, _by(y - row, "B") + _along(column, x), key=len)
        elif self._end_of is not None and x == self._width - 1 and y > self._end_of:
            way = min(way, _by(y - self._end_of, "B"), key=len)  # the next one goes there as well
        self._end_of = None
        self._parts.append(way)
        self._at = x, y


def _along(column: int, x: int) -> str:
    """Return the way from a column to another one of the same row."""
    if x == column:
        return ""
    if x == 0:
        return "\r"
    if x > column:
        return _by(x - column, "C")
    return "\b" if x == column - 1 else _by(column - x, "D")


def _by(count: int, way: str) -> str:
    return f"\x1b[{count}{way}" if count > 1 else f"\x1b[{way}"


def changed_cells(before: Row, now: Row) -> list[int]:
    """Return the columns in which two rows differ."""
    cells = zip(before.texts, now.texts, before.pens, now.pens, strict=True)
    return [x for x, (old, new, pen, other) in enumerate(cells) if old != new or pen != other]


def _is_even(texts: list[str]) -> bool:
    """Return whether all terminals agree how wide each of the cells is."""
    return all(map(is_certain, set(texts)))


_WORTH_A_LOOK = 4
"""Rows that have to change before it is looked whether the terminal can move them itself."""

_LOOKED_AT = 48
"""Columns by which a row that has moved is known again."""

_ENOUGH = 3
"""Rows that have moved alike: the others may have changed as well."""

Move = tuple[int, int, int]
"""The first row, the last one, and by how many rows what they show goes up."""


class Painter:
    """Paints on one terminal, which shows nothing that did not come from here."""

    def __init__(self, pens: Pens, abilities: Abilities) -> None:
        self.pens = pens
        self.abilities = abilities
        self._shown: list[Row] = []
        self._size: tuple[int, int] | None = None
        self._cursor: tuple[int, int] | None = None

    def forget(self) -> None:
        """What the terminal shows is not known: all of it is painted the next time."""
        self._size = self._cursor = None

    def paint(self, grid: Grid, cursor: tuple[int, int]) -> str:
        """Return what makes the terminal show ``grid``, its cursor in that column and row."""
        if self.pens.is_full:
            self.pens.renumber(grid.rows)
            self.forget()
        changed = {y for y in grid.changed if self._is_new(y, grid)} if self._knows(grid) else None
        if changed is None:
            strokes = self._strokes(grid)
            strokes.clear()
            self._shown = self._plain_rows(grid.height, grid.width)
            self._size = grid.width, grid.height
            changed = set(range(grid.height))
            text = self._painted(strokes, self._shown, grid, changed, cursor)
        else:
            text = self._painted(self._strokes(grid), self._shown, grid, changed, cursor)
            if len(changed) >= _WORTH_A_LOOK and (move := _find_move(self._shown, grid, changed)):
                moved = self._moved(grid, move, changed, cursor)
                text = min(text, moved, key=len)
        for y in changed:
            self._shown[y] = grid.rows[y].copy()
        grid.changed.clear()
        self._cursor = cursor
        return text

    def _knows(self, grid: Grid) -> bool:
        return self._size == (grid.width, grid.height)

    def _is_new(self, y: int, grid: Grid) -> bool:
        return self._shown[y] != grid.rows[y]

    def _strokes(self, grid: Grid) -> Strokes:
        return Strokes(self.pens, self.abilities, grid.width, self._cursor)

    def _plain_rows(self, count: int, width: int) -> list[Row]:
        blank = self.pens.of_style(None)[1]
        return [Row([" "] * width, [blank] * width) for _ in range(count)]

    def _painted(
        self,
        strokes: Strokes,
        before: list[Row],
        grid: Grid,
        rows: Iterable[int],
        cursor: tuple[int, int],
    ) -> str:
        for y in sorted(rows):
            if before[y] != grid.rows[y]:
                strokes.row(y, before[y], grid.rows[y])
        return strokes.finish(cursor)

    def _moved(self, grid: Grid, move: Move, changed: set[int], cursor: tuple[int, int]) -> str:
        """Return the same as :meth:`paint`, with rows that the terminal moves itself."""
        first, last, by = move
        empty = self._plain_rows(abs(by), grid.width)
        kept = self._shown[first : last + 1]
        kept = kept[by:] + empty if by > 0 else empty + kept[:by]
        before = [*self._shown[:first], *kept, *self._shown[last + 1 :]]
        strokes = self._strokes(grid)
        strokes.move_rows(first, last, by)
        return self._painted(strokes, before, grid, {*changed, *range(first, last + 1)}, cursor)


def _find_move(shown: list[Row], grid: Grid, changed: set[int]) -> Move | None:
    """Return by how much most of the rows that changed have moved, if so many have."""
    begin = min(changed_cells(shown[y], grid.rows[y])[0] for y in changed)
    window = slice(begin, begin + _LOOKED_AT)
    places: dict[str, list[int]] = {}
    for y in range(min(changed), max(changed) + 1):
        places.setdefault("".join(shown[y].texts[window]).strip(), []).append(y)
    places.pop("", None)
    pairs = [
        (y, place)
        for y in changed
        for place in places.get("".join(grid.rows[y].texts[window]).strip(), ())
    ]
    votes = Counter(place - y for y, place in pairs)
    by, count = max(votes.items(), key=lambda vote: vote[1], default=(0, 0))
    if not by or count < _ENOUGH:
        return None
    rows = [row for pair in pairs if pair[1] - pair[0] == by for row in pair]
    return min(rows), max(rows), by
