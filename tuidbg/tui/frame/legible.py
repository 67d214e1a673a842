"""Text that can be read: contrast as WCAG 2.1 measures it, and colours moved until there is enough.

A theme is a dozen colours, and a screen hundreds of pairs of them: faint text, on the cursor's row,
in a dialog, in any of Textual's themes. Each pair is looked at where it is painted, so that none is
forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

ENOUGH = 4.5
"""The contrast that WCAG 2.1 asks of text at level AA."""

_STEPS = 20
"""A colour goes towards white or black by this many steps at most: the last one is there."""

_TEXT = re.compile(r"[^\s\u2500-\u259f\u2800-\u28ff]")
"""What is read: no lines, no blocks, no plots."""

_WHITE, _BLACK = Color(255, 255, 255), Color(0, 0, 0)


def luminance(color: Color) -> float:
    """Relative luminance as WCAG 2.1 defines it, from 0 to 1."""
    red, green, blue = (_LINEAR[value] for value in color.rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: int) -> float:
    part = value / 255
    return part / 12.92 if part <= 0.03928 else float(((part + 0.055) / 1.055) ** 2.4)


_LINEAR = [_linear(value) for value in range(256)]


def contrast(one: Color, other: Color) -> float:
    """Returns the contrast of two colours, from 1 to 21."""
    dim, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dim + 0.05)


def make_legible(color: Color, grounds: Iterable[Color], enough: float = ENOUGH) -> Color:
    """The colour, or the nearest one to it towards white or black with contrast on all grounds.

    Where none has enough, white or black, whichever has more.
    """
    grounds = list(grounds)

    def least(tried: Color) -> float:
        return min(contrast(tried, ground) for ground in grounds)

    if least(color) >= enough:
        return color
    end = max((_WHITE, _BLACK), key=least)
    mixed = (color.blend(end, step / _STEPS) for step in range(1, _STEPS + 1))
    return next((tried for tried in mixed if least(tried) >= enough), end)


class Legible(LineFilter):
    """Sees to it that text has contrast; where it has, nothing is changed."""

    def __init__(self, enough: float = ENOUGH, *, dark: bool = True) -> None:
        """``dark`` tells what is taken for a terminal's own ground, which nobody here knows."""
        super().__init__()
        self._wanted = enough, dark

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Returns the segments with colours that can be read."""
        enough, dark = self._wanted
        return [
            segment
            if (style := segment.style) is None
            or (better := _legible_style(style, enough, dark)) is style
            or not _TEXT.search(segment.text)
            else Segment(segment.text, better, segment.control)
            for segment in segments
        ]


@lru_cache(8)
def legible_filter(*, dark: bool, high: bool) -> Legible:
    """The filter for dark themes or light ones, known by the strips that it has looked at.

    ``high`` asks for the contrast of level AAA.
    """
    return Legible(7.0 if high else ENOUGH, dark=dark)


@lru_cache(4096)
def _legible_style(style: Style, enough: float, dark: bool) -> Style:
    """The style itself, where its text can be read."""
    color, ground = style.color, style.bgcolor
    if color is None or ground is None:
        return style
    if color.triplet is None and ground.triplet is None:
        return _legible_on_terminals(style, color, ground, dark)
    before = Color(*color.get_truecolor())
    after = make_legible(before, [Color(*ground.get_truecolor())], enough)
    return style if after == before else style + Style(color=RichColor.from_rgb(*after.rgb))


def _legible_on_terminals(style: Style, color: RichColor, ground: RichColor, dark: bool) -> Style:
    """The same for two of the sixteen colours, which differ from terminal to terminal.

    How much of a colour is left where it is dim differs even more: none is.
    """
    if style.dim:
        style += _NOT_DIM
    number = color.number if color.number is not None else (_PALE if dark else 0)
    below = ground.number if ground.number is not None else (0 if dark else _BRIGHT)

    def least(tried: int) -> float:
        return min(contrast(table[tried], table[below]) for table in TERMINALS)

    if number > _BRIGHT or below > _BRIGHT:
        return style
    if color.number is None and ground.number is not None:
        # The terminal's own colour may be a light one or a dark one.
        best = max((_BRIGHT, 0), key=least)
        return style + Style(color=RichColor.from_ansi(best))
    if least(number) >= ENOUGH:
        return style
    bright = number | 8
    best = bright if least(bright) >= ENOUGH else max((_BRIGHT, 0), key=least)
    return style + Style(color=RichColor.from_ansi(best))


_NOT_DIM = Style(dim=False)
_PALE, _BRIGHT = 7, 15
TERMINALS = [
    [Color.parse(f"#{color}") for color in colors.split()]
    for colors in (
        "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5"
        " 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
        "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa"
        " 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    )
]
"""The sixteen colours of xterm, the brightest of terminals, and of VGA, the dullest."""
