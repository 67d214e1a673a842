"""Legible text: contrast as defined by WCAG 2.1, and colours adjusted until it is sufficient.

A theme is a dozen colours, and a screen hundreds of pairs of them: faint text, on the cursor's row,
in a dialog, in any of Textual's themes. Each pair is checked when it is painted, so that none is
missed.
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
"""The contrast required by WCAG 2.1 for text at level AA."""

_STEPS = 20
"""Maximum steps of a colour towards white or black, which is the last one."""

_TEXT = re.compile(r"[^\s\u2500-\u259f\u2800-\u28ff]")
"""Readable characters: no lines, no blocks, no plots."""

_WHITE, _BLACK = Color(255, 255, 255), Color(0, 0, 0)


def luminance(color: Color) -> float:
    """Return the relative luminance as defined by WCAG 2.1, from 0 to 1."""
    red, green, blue = (_LINEAR[value] for value in color.rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: int) -> float:
    part = value / 255
    return part / 12.92 if part <= 0.03928 else float(((part + 0.055) / 1.055) ** 2.4)


_LINEAR = [_linear(value) for value in range(256)]


def contrast(one: Color, other: Color) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    dim, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dim + 0.05)


def make_legible(color: Color, grounds: Iterable[Color], enough: float = ENOUGH) -> Color:
    """Return the nearest colour towards white or black with contrast on all backgrounds.

    If none has enough, return white or black, whichever has more.
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
    """A filter that ensures contrast of text; legible text is unchanged."""

    def __init__(self, enough: float = ENOUGH, *, dark: bool = True) -> None:
        """``dark``: whether to assume a dark terminal background, which is unknown here."""
        super().__init__()
        self._wanted = enough, dark

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments with legible colours."""
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
    """Return the filter for dark or light themes, cached so that strips recognize it.

    ``high`` requires the contrast of level AAA.
    """
    return Legible(7.0 if high else ENOUGH, dark=dark)


@lru_cache(4096)
def _legible_style(style: Style, enough: float, dark: bool) -> Style:
    """Return the style with a legible text colour."""
    color, ground = style.color, style.bgcolor
    if color is None or ground is None:
        return style
    if color.triplet is None and ground.triplet is None:
        return _legible_on_terminals(style, color, ground, dark)
    before = Color(*color.get_truecolor())
    after = make_legible(before, [Color(*ground.get_truecolor())], enough)
    return style if after == before else style + Style(color=RichColor.from_rgb(*after.rgb))


def _legible_on_terminals(style: Style, color: RichColor, ground: RichColor, dark: bool) -> Style:
    """Return a style in two of the sixteen colours, which differ between terminals, made legible.

    How much colour a dim text keeps differs even more: assume none.
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
        # The terminal's own colour may be light or dark.
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
