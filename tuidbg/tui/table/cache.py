"""The cells of a table that have been fetched, in blocks, and what is still wanted of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tuidbg.session.values.tables import TableColumn, TablePage

BLOCK_ROWS = 64
BLOCK_COLUMNS = 8
BLOCKS_KEPT = 400
"""A block is about 30 kB where its cells are long."""


class Wanted(NamedTuple):
    """A part of a table to fetch: rows and columns, ends not included."""

    start: int
    stop: int
    first: int
    last: int


class Cell(NamedTuple):
    """One cell: its sort (see ``TableColumn.kinds``) and its text."""

    kind: str
    text: str


class _Block(NamedTuple):
    positions: tuple[int, ...]
    labels: tuple[str, ...] | None
    columns: tuple[TableColumn, ...]


class TableCache:
    """Blocks of cells; the ones that were not looked at for longest are forgotten."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[tuple[int, int], _Block] = OrderedDict()
        self._columns: dict[int, TableColumn] = {}

    def clear(self) -> None:
        """Forget all cells (not what the columns are called)."""
        self._blocks.clear()

    def __len__(self) -> int:
        return len(self._blocks)

    def column(self, index: int) -> TableColumn | None:
        """A column's name and type, once one of its cells was fetched."""
        return self._columns.get(index)

    def kept(self) -> Iterator[tuple[int, Sequence[TableColumn]]]:
        """The columns of each block, with the number of the first."""
        for (_, x), block in self._blocks.items():
            yield x * BLOCK_COLUMNS, block.columns

    def cell(self, row: int, column: int) -> Cell | None:
        """A cell, where it was fetched."""
        block = self._blocks.get((row // BLOCK_ROWS, column // BLOCK_COLUMNS))
        if block is None or row % BLOCK_ROWS >= len(block.positions):
            return None
        place = column % BLOCK_COLUMNS
        if place >= len(block.columns):
            return None
        found = block.columns[place]
        return Cell(found.kinds[row % BLOCK_ROWS], found.texts[row % BLOCK_ROWS])

    def label(self, row: int, column: int) -> str | None:
        """Returns what stands at the left of a row: its label, or its place in the value."""
        block = self._blocks.get((row // BLOCK_ROWS, column // BLOCK_COLUMNS))
        if block is None or row % BLOCK_ROWS >= len(block.positions):
            return None
        if block.labels is not None:
            return block.labels[row % BLOCK_ROWS]
        return str(block.positions[row % BLOCK_ROWS])

    def missing(self, rows: range, columns: range) -> Wanted | None:
        """Returns what to fetch so that these cells are there: whole blocks; None if all are."""
        if not rows or not columns:
            return None
        wanted = [
            (y, x)
            for y in range(rows.start // BLOCK_ROWS, (rows.stop - 1) // BLOCK_ROWS + 1)
            for x in range(columns.start // BLOCK_COLUMNS, (columns.stop - 1) // BLOCK_COLUMNS + 1)
        ]
        for key in wanted:
            if key in self._blocks:
                self._blocks.move_to_end(key)
        missing = [key for key in wanted if key not in self._blocks]
        if not missing:
            return None
        ys, xs = [y for y, _ in missing], [x for _, x in missing]
        return Wanted(
            min(ys) * BLOCK_ROWS,
            (max(ys) + 1) * BLOCK_ROWS,
            min(xs) * BLOCK_COLUMNS,
            (max(xs) + 1) * BLOCK_COLUMNS,
        )

    def put(self, page: TablePage, wanted: Wanted) -> None:
        """Keep a page that was fetched for ``wanted``."""
        for offset, column in enumerate(page.columns):
            self._columns[page.first + offset] = column
        for start in range(wanted.start, wanted.stop, BLOCK_ROWS):
            rows = slice(start - page.start, start - page.start + BLOCK_ROWS)
            for first in range(wanted.first, wanted.last, BLOCK_COLUMNS):
                columns = slice(first - page.first, first - page.first + BLOCK_COLUMNS)
                self._blocks[start // BLOCK_ROWS, first // BLOCK_COLUMNS] = _cut(
                    page, rows, columns
                )
        while len(self._blocks) > BLOCKS_KEPT:
            self._blocks.popitem(last=False)


def _cut(page: TablePage, rows: slice, columns: slice) -> _Block:
    return _Block(
        page.positions[rows],
        page.labels[rows] if page.labels is not None else None,
        tuple(
            TableColumn(name=c.name, type=c.type, kinds=c.kinds[rows], texts=c.texts[rows])
            for c in page.columns[columns]
        ),
    )
