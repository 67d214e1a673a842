"""From text with SGR colour sequences to Textual's segments, and those to rows of a given width.

The text comes from the program: it is cut and coloured here, and never read as markup. The sixteen
named colours stay names; Textual maps them to the theme (and takes all colours out for NO_COLOR).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from rich.cells import split_graphemes
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from tuidbg.session.terminal.text import SEQUENCE, apply_sgr, sgr_attributes

_PIECE = re.compile(r"([^\x1b]+)|\x1b\[([0-9;:]*)m|\x1b")

# Characters that surely take one cell: no need to look at them one by one.
_SINGLE_CELLS = re.compile("[ -~\xa0-\xac\xae-\u02ff\u0370-\u0482\u2500-\u25fc\u2800-\u28ff]*")


@lru_cache(maxsize=1024)
def sgr_style(state: str) -> Style:
    """The style for the attributes in force (see ``session.sgr``).

    Text does not blink here, and hidden text is shown: a debugger is for seeing.
    """
    attributes = dict(sgr_attributes(state))

    def on(name: str) -> bool | None:
        return True if name in attributes else None

    return Style(
        color=_colour(attributes.get("foreground")),
        bgcolor=_colour(attributes.get("background")),
        bold=on("bold"),
        dim=on("dim"),
        italic=on("italic"),
        underline=on("underline"),
        reverse=on("reverse"),
        strike=on("strike"),
        overline=on("overline"),
    )


def _colour(code: str | None) -> Color | None:
    if code is None:
        return None
    first, *rest = map(int, code.split(";"))
    if rest:
        kind, *numbers = rest
        return Color.from_ansi(numbers[0]) if kind == 5 else Color.from_rgb(*numbers)
    return Color.from_ansi(first % 10 + (8 if first >= 90 else 0))


def strip_sgr(text: str) -> str:
    """``text`` without its colours."""
    return SEQUENCE.sub("", text) if "\x1b" in text else text


def ansi_segments(text: str, base: Style) -> list[Segment]:
    """The segments of ``text``, their colours laid over ``base``."""
    if "\x1b" not in text:
        return [Segment(text, base)] if text else []
    segments: list[Segment] = []
    state = ""
    for piece, parameters in _PIECE.findall(text):
        if piece:
            segments.append(Segment(piece, base + sgr_style(state) if state else base))
        else:
            state = apply_sgr(state, parameters)
    return segments


def single_cells(text: str) -> bool:
    """Returns whether each character of ``text`` surely takes one cell."""
    return text.isascii() or _SINGLE_CELLS.fullmatch(text) is not None


def wrap_segments(segments: Iterable[Segment], width: int) -> list[list[Segment]]:
    """Cut segments into rows of at most ``width`` cells, as a terminal does: anywhere.

    A wide character that does not fit at the end of a row begins the next. There is always a row.
    """
    width = max(1, width)
    rows: list[list[Segment]] = [[]]
    used = 0
    for text, style, _ in segments:
        if single_cells(text):
            start = 0
            while start < len(text):
                if used >= width:
                    rows.append([])
                    used = 0
                piece = text[start : start + width - used]
                rows[-1].append(Segment(piece, style))
                start += len(piece)
                used += len(piece)
            continue
        start = 0
        for begin, end, cells in split_graphemes(text)[0]:
            if used + cells > width and used:
                if begin > start:
                    rows[-1].append(Segment(text[start:begin], style))
                rows.append([])
                start, used = begin, 0
            used += cells
            if end == len(text):
                rows[-1].append(Segment(text[start:], style))
    return rows
