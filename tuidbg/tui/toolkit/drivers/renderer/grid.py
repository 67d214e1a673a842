"""The cells of a screen, as painted by Textual's updates."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from rich.cells import cell_len, split_graphemes
from rich.segment import Segment

from tuidbg.tui.toolkit.drivers.renderer.capabilities import Characters, replace_cells
from tuidbg.tui.toolkit.drivers.renderer.styles import Pens
from tuidbg.tui.toolkit.textual_private import ChopsUpdate, LayoutUpdate

Update = LayoutUpdate | ChopsUpdate
"""Updates of Textual's compositor for a display that is not inline."""

REST = ""
"""The text of a cell covered by the wide character on its left."""


class GridRow:
    """A row of cells: the text and the pen number of each."""

    __slots__ = ("pens", "texts")

    def __init__(self, texts: list[str], pens: list[int]) -> None:
        self.texts = texts
        self.pens = pens

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GridRow) and self.texts == other.texts and self.pens == other.pens

    __hash__ = None  # type: ignore[assignment]

    def copy(self) -> GridRow:
        """Return an independent copy."""
        return GridRow(self.texts.copy(), self.pens.copy())


class Grid:
    """A picture of ``width`` x ``height`` cells; :attr:`changed` are the rows painted since."""

    def __init__(
        self, width: int, height: int, pens: Pens, characters: Characters = Characters.ALL
    ) -> None:
        self.width = width
        self.height = height
        self._pens = pens
        self._characters = characters
        blank = pens.of_style(None)[1]
        self.rows = [GridRow([" "] * width, [blank] * width) for _ in range(height)]
        self.changed: set[int] = set()

    def paint(self, update: Update) -> None:
        """Apply an update of Textual."""
        if isinstance(update, LayoutUpdate):
            left, y, width, _ = update.region
            for row, strips in enumerate(update.strips, y):
                x = left
                for strip in strips:
                    end = min(x + strip.cell_length, left + width)
                    self._put(row, x, end, strip)
                    x = end
            return
        for row, begin, end in update.spans:
            chops = update.chops[row]
            for chop_end, (x, part) in zip(update.chop_ends[row], chops.items(), strict=False):
                if part is not None and x <= end and chop_end > begin:
                    self._put(row, x, min(chop_end, end), part)

    def _put(self, y: int, x: int, end: int, segments: Iterable[Segment]) -> None:
        """Paint the cells from ``x`` to ``end``, even if the segments are shorter or longer."""
        if not 0 <= y < self.height or not 0 <= x < end:
            return
        texts: list[str] = []
        pens: list[int] = []
        for text, style, control in segments:
            if control:
                continue
            pen, blank = self._pens.of_style(style)
            if text.isspace() and text.isascii() and text.isprintable():
                cells: list[str] = [" "] * len(text)
                pens += [blank] * len(text)
            else:
                cells = list(text) if text.isascii() and text.isprintable() else self._cells(text)
                if pen == blank or " " not in text:
                    pens += [pen] * len(cells)
                else:
                    pens += [blank if cell == " " else pen for cell in cells]
            texts += cells
        # A split emoji sequence may count as narrower than the space it was cropped to.
        missing = end - x - len(texts)
        if missing > 0 and pens:
            texts += [" "] * missing
            pens += [pens[-1]] * missing
        end = min(end, x + len(texts), self.width)
        if end <= x:
            return
        del texts[end - x :], pens[end - x :]
        row = self.rows[y]
        row.texts[x:end] = texts
        row.pens[x:end] = pens
        _mend(row.texts, x)
        _mend(row.texts, end)
        self.changed.add(y)

    def _cells(self, text: str) -> list[str]:
        cells = _cells(text)
        if self._characters is Characters.ALL:
            return cells
        return replace_cells(cells, self._characters)


def _mend(texts: list[str], x: int) -> None:
    """Remove a half wide character on either side of ``x``."""
    if x <= 0:
        return
    is_wide = width_of(texts[x - 1]) == 2
    if x == len(texts) or texts[x] != REST:
        if is_wide:
            texts[x - 1] = " "
    elif not is_wide:
        texts[x] = " "


def _cells(text: str) -> list[str]:
    cells: list[str] = []
    for begin, end, width in split_graphemes(text)[0]:
        cell = "".join(c for c in text[begin:end] if unicodedata.category(c) != "Cc")
        if width and cell:
            cells.append(cell)
            cells += [REST] * (width - 1)
        elif width:
            cells += [" "] * width
    if len(cells) != (known := cell_len(text)):  # of a sequence split by its colours
        cells = [*cells, *[" "] * known][:known]
        _mend(cells, known)
    return cells


@lru_cache(1 << 12)
def width_of(cell: str) -> int:
    """Return the width of a cell's text: 1 or 2, and 0 for :data:`REST`."""
    return len(cell) if cell.isascii() and len(cell) < 2 else cell_len(cell)


@lru_cache(1 << 12)
def is_certain(cell: str) -> bool:
    """Return whether all terminals agree on its width.

    They don't on emoji, on combined characters, and on characters added by fonts.
    """
    if len(cell) != 1:
        return cell == REST
    if unicodedata.category(cell) in _UNCERTAIN or cell > "\uffff":
        return False
    return unicodedata.east_asian_width(cell) not in "WF" or any(
        first <= cell <= last for first, last in _WIDE
    )


_UNCERTAIN = frozenset({"Mn", "Me", "Mc", "Cf", "Co", "Cn", "Cs"})
_WIDE = (
    *(("\u3001", "\u3029"), ("\u3041", "\u4dbf"), ("\u4e00", "\u9fff")),
    *(("\uac00", "\ud7a3"), ("\uf900", "\ufaff"), ("\uff01", "\uff60")),
)
"""Ranges of characters that are wide everywhere: first and last."""
