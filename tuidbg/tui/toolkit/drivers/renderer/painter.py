"""The control sequences of a picture, with the shortest alternatives.

Only sequences that all terminals of the last decades support (ECMA-48, DEC's VT102); others are
used only for a terminal known to support them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from tuidbg.tui.toolkit.drivers.renderer.capabilities import Abilities
from tuidbg.tui.toolkit.drivers.renderer.grid import REST, Grid, GridRow, is_certain, width_of
from tuidbg.tui.toolkit.drivers.renderer.styles import PLAIN, SEEN_ON_BLANKS, Pens

_NEAR = 4
"""Unchanged cells between two changes that may be rewritten: moving past them is no shorter."""

_LONG_BLANK = 10
"""Blanks that are shorter to erase and move past than to write."""

_LONG_END = 4
"""Blanks at the end of a row that are shorter to erase than to write."""


_LEAST_REPEATED = 3
"""Equal cells that may be shorter to repeat than to write: lines take three bytes each."""

_BAND = 12
"""Rows painted together, pen by pen: more saves little, and is visible on slow connections."""


class _Piece(NamedTuple):
    """Cells of a row written by one pen, or with ``is_end`` erased to the end of the row."""

    pen: int
    y: int
    begin: int
    end: int
    is_end: bool = False


class Strokes:
    """The output of one picture, for a terminal whose cursor is at ``cursor`` (column, row)."""

    def __init__(
        self, pens: Pens, abilities: Abilities, width: int, cursor: tuple[int, int] | None
    ) -> None:
        self._pens = pens
        self._abilities = abilities
        self._width = width
        self._at = cursor
        self._end_of: int | None = None
        """The row written to its end: the cursor is in its last column or behind it."""
        self._pen = PLAIN
        self._parts: list[str] = []
        self._bands: dict[int, list[_Piece]] = {}
        self._rows: dict[int, GridRow] = {}

    def finish(self, cursor: tuple[int, int]) -> str:
        """Return the output; the terminal's style is reset and its cursor set."""
        for band in sorted(self._bands):
            self._write(self._bands[band])
        if self._pen != PLAIN:
            self._use(0)
        self._go(*cursor)
        return "".join(self._parts)

    def clear(self) -> None:
        """Clear a screen with unknown contents."""
        self._parts.append("\x1b[m\x1b[r\x1b[2J")
        self._at = None

    def move_rows(self, first: int, last: int, by: int) -> None:
        """Scroll rows in the terminal by ``by`` (positive: up); the new ones are blank."""
        self._parts.append(f"\x1b[{first + 1};{last + 1}r")
        self._at = None
        self._go(0, first)
        self._parts.append(f"\x1b[{by}M\x1b[r" if by > 0 else f"\x1b[{-by}L\x1b[r")
        self._at = None

    def row(self, y: int, before: GridRow, now: GridRow) -> None:
        """Paint the changes of a row."""
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

    def _whole_row(self, y: int, now: GridRow) -> None:
        """Paint a row containing characters of uncertain width.

        They come first, each in an empty place, then all else is painted over the cells they
        covered, at its own column: so it is placed right for any width.
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
        """Return where the erasable blanks at the row's end begin; its width for none."""
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

    def _runs(self, changed: list[int], row: GridRow) -> list[tuple[int, int]]:
        """Return the column ranges to write (end exclusive)."""
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
        """Return whether one pen can write these cells."""
        first = pens[begin]
        return all(pen == first or self._suits(pen, first) for pen in pens[begin + 1 : end])

    def _suits(self, blank: int, pen: int) -> bool:
        """Return whether ``pen`` can draw the pen ``blank`` of a blank cell."""
        wanted, used = self._pens.pens[blank], self._pens.pens[pen]
        return (
            not wanted.foreground
            and wanted.background == used.background
            and not used.attributes & SEEN_ON_BLANKS
            and not used.link
        )

    def _pieces(self, y: int, begin: int, end: int, row: GridRow) -> list[_Piece]:
        """Return the cells from ``begin`` to ``end``, split by pen."""
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
        """Write pieces pen by pen: moving the cursor is shorter than most colours."""
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
        """Return the text of cells, with repetitions where shorter."""
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
        """Move the cursor by the shortest sequence."""
        if self._at == (x, y):
            return
        way = f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H" if y else "\x1b[H"
        if self._at is not None:
            column, row = self._at
            if row == y:
                way = _along(column, x)
            elif row < y:  # never below the last row: a terminal would stay there
                way = min(way, _by(y - row, "B") + _along(column, x), key=len)
        elif self._end_of is not None and x == self._width - 1 and y > self._end_of:
            way = min(way, _by(y - self._end_of, "B"), key=len)  # the next one goes there as well
        self._end_of = None
        self._parts.append(way)
        self._at = x, y


def _along(column: int, x: int) -> str:
    """Return the sequence to move within a row."""
    if x == column:
        return ""
    if x == 0:
        return "\r"
    if x > column:
        return _by(x - column, "C")
    return "\b" if x == column - 1 else _by(column - x, "D")


def _by(count: int, way: str) -> str:
    return f"\x1b[{count}{way}" if count > 1 else f"\x1b[{way}"


def changed_cells(before: GridRow, now: GridRow) -> list[int]:
    """Return the columns in which two rows differ."""
    cells = zip(before.texts, now.texts, before.pens, now.pens, strict=True)
    return [x for x, (old, new, pen, other) in enumerate(cells) if old != new or pen != other]


def _is_even(texts: list[str]) -> bool:
    """Return whether all terminals agree on the width of the cells."""
    return all(map(is_certain, set(texts)))


_WORTH_A_LOOK = 4
"""Changed rows from which a scroll by the terminal is considered."""

_LOOKED_AT = 48
"""Columns compared to recognize a moved row."""

_ENOUGH = 3
"""Rows that moved alike for a scroll: the others may have changed as well."""

Move = tuple[int, int, int]
"""First and last row, and by how many rows their contents move up."""


class Painter:
    """The painter of one terminal, which shows only output of this painter."""

    def __init__(self, pens: Pens, abilities: Abilities) -> None:
        self.pens = pens
        self.abilities = abilities
        self._shown: list[GridRow] = []
        self._size: tuple[int, int] | None = None
        self._cursor: tuple[int, int] | None = None

    def forget(self) -> None:
        """Forget the terminal's contents: the next picture is a complete one."""
        self._size = self._cursor = None

    def paint(self, grid: Grid, cursor: tuple[int, int]) -> str:
        """Return the output that shows ``grid``, with the cursor at that column and row."""
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

    def _plain_rows(self, count: int, width: int) -> list[GridRow]:
        blank = self.pens.of_style(None)[1]
        return [GridRow([" "] * width, [blank] * width) for _ in range(count)]

    def _painted(
        self,
        strokes: Strokes,
        before: list[GridRow],
        grid: Grid,
        rows: Iterable[int],
        cursor: tuple[int, int],
    ) -> str:
        for y in sorted(rows):
            if before[y] != grid.rows[y]:
                strokes.row(y, before[y], grid.rows[y])
        return strokes.finish(cursor)

    def _moved(self, grid: Grid, move: Move, changed: set[int], cursor: tuple[int, int]) -> str:
        """Return the output as :meth:`paint`, with rows scrolled by the terminal."""
        first, last, by = move
        empty = self._plain_rows(abs(by), grid.width)
        kept = self._shown[first : last + 1]
        kept = kept[by:] + empty if by > 0 else empty + kept[:by]
        before = [*self._shown[:first], *kept, *self._shown[last + 1 :]]
        strokes = self._strokes(grid)
        strokes.move_rows(first, last, by)
        return self._painted(strokes, before, grid, {*changed, *range(first, last + 1)}, cursor)


def _find_move(shown: list[GridRow], grid: Grid, changed: set[int]) -> Move | None:
    """Return the scroll of most changed rows, if enough have moved."""
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
