"""Cell styles, and the shortest sequences to change from one to another."""

from __future__ import annotations

from collections.abc import Iterable
from colorsys import rgb_to_hls
from functools import cache, lru_cache
from itertools import product
from math import hypot
from typing import TYPE_CHECKING, NamedTuple

from rich.color import Color as RichColor
from rich.color import ColorSystem, ColorType
from rich.style import Style
from textual.color import Color

from tuidbg.tui.toolkit.theme.legible import ENOUGH, TERMINALS, contrast

if TYPE_CHECKING:
    from tuidbg.tui.toolkit.drivers.renderer.grid import GridRow

_GREY, _GREYISH = 24, 56
"""The spread of red, green and blue below which a colour is grey, and below which it may be."""

_PALE, _PALE_BLUE = 0.15, 0.25
"""The saturation below which a colour is grey: surfaces of many themes are bluish."""
_BLUE = 180 / 360, 260 / 360
_HUE_WEIGHT = 1080
"""The weight of a hue, of which a circle is 1, beside red, green and blue."""
_FAR = 72
"""The distance from which a nearly grey colour of the cube is not used."""
_LEVELS = (0, 95, 135, 175, 215, 255)
_CUBE, _RAMP = 16, 232

_GREYS_OF_SIXTEEN = ((0.155, 0), (0.5, 8), (0.92, 7), (1.1, 15))
"""Lightness limits of the four greys of the sixteen colours: a bar differs from its background."""

_GREYS = frozenset((0, 7, 8, 15))
_HUES = (1, 3, 2, 6, 4, 5)
"""Red, yellow, green, cyan, blue and magenta, each a sixth of the colour circle apart."""
_ORANGE = 15 / 360, 45 / 360
_DARK = 0.4

_AMBER = 32 / 360, 39.5 / 360
"""The hues of the program's position; other yellow text must not look like it."""
_WARNING, _GREENISH = 50 / 360, 75 / 360
_RED = 15 / 360, 350 / 360

_STEPS = 10


def reduce_pair(
    color: RichColor | None, ground: RichColor | None, system: ColorSystem
) -> tuple[RichColor | None, RichColor | None]:
    """Return a text colour and its background reduced to a terminal's few colours.

    Their contrast is kept, up to the level that text needs.
    """
    if system is ColorSystem.TRUECOLOR:
        return color, ground
    few, below = reduce_color(color, system), reduce_color(ground, system)
    if system is ColorSystem.STANDARD and color is not None and color.triplet is not None:
        few = _sixteen_of_text(color, few)
    if color is None or ground is None or few is None or below is None:
        return few, below
    if color.triplet is None or ground.triplet is None:
        return few, below
    wanted = min(ENOUGH, contrast(_mixable(color), _mixable(ground)))
    if system is ColorSystem.STANDARD:
        return _sixteen_with_contrast(few, below, wanted), below
    on, before = _mixable(below), _mixable(color)
    if contrast(_mixable(few), on) < wanted:
        end = max((Color(255, 255, 255), Color(0, 0, 0)), key=lambda tried: contrast(tried, on))
        for step in range(1, _STEPS + 1):
            few = reduce_color(before.blend(end, step / _STEPS).rich_color, system)
            assert few is not None
            if contrast(_mixable(few), on) >= wanted:
                break
    return few, below


def reduce_color(color: RichColor | None, system: ColorSystem) -> RichColor | None:
    """Return the nearest colour that the terminal has."""
    if color is None or color.triplet is None:
        return None if color is None else color.downgrade(system)
    red, green, blue = color.triplet
    if system is ColorSystem.EIGHT_BIT:
        return _numbered(_nearest_of_256(red, green, blue))
    if system is ColorSystem.STANDARD and _span(red, green, blue) < _GREY:
        lightness = (max(red, green, blue) + min(red, green, blue)) / 510
        return RichColor.from_ansi(
            next(number for most, number in _GREYS_OF_SIXTEEN if lightness < most)
        )
    few = color.downgrade(system)
    if few.number not in _GREYS or _span(red, green, blue) < _GREYISH:
        return few
    hue, lightness, _ = rgb_to_hls(red / 255, green / 255, blue / 255)
    if _ORANGE[0] < hue < _ORANGE[1]:
        return few  # red means a problem, and yellow the program's position
    number = _HUES[round(hue * 6) % 6]
    return RichColor.from_ansi(number | 8 if lightness > _DARK else number)


def _sixteen_of_text(color: RichColor, few: RichColor | None) -> RichColor | None:
    """Return a text's colour: yellow only for the program's position, and red only for problems.

    Warnings are magenta, as in the ansi theme; other kinds of text have no colour.
    """
    hue, lightness, _ = rgb_to_hls(*(value / 255 for value in color.get_truecolor()))
    is_bright = lightness > _DARK
    kind = None if few is None or few.number is None else few.number & 7
    if kind == 3 and not (is_bright and _AMBER[0] <= hue <= _AMBER[1]):
        if hue >= _WARNING:
            return RichColor.from_ansi((2 if hue > _GREENISH else 5) | 8 * is_bright)
    elif kind != 1 or not _RED[0] < hue < _RED[1]:
        return few
    return RichColor.from_ansi(7 if is_bright else 0)


def _span(red: int, green: int, blue: int) -> int:
    return max(red, green, blue) - min(red, green, blue)


@lru_cache(1024)
def _nearest_of_256(red: int, green: int, blue: int) -> int:
    """Return the number of a colour of the cube, or of a grey.

    A colour keeps its hue: blue does not become violet, and red not orange.
    """
    span = _span(red, green, blue)
    hue, _, saturation = rgb_to_hls(red / 255, green / 255, blue / 255)
    pale = _PALE_BLUE if _BLUE[0] < hue < _BLUE[1] else _PALE
    if span >= _GREY and saturation >= pale:
        apart, number = min(
            (hypot(red - r, green - g, blue - b, _HUE_WEIGHT * _hues_apart(hue, own)), number)
            for number, (r, g, b), own in _cube_colors()
        )
        if span >= _GREYISH or apart < _FAR:
            return number
    lightness = (max(red, green, blue) + min(red, green, blue)) / 510
    grey = round(lightness * 25)
    return {0: _CUBE, 25: _RAMP - 1}.get(grey, _RAMP - 1 + grey)


@cache
def _cube_colors() -> tuple[tuple[int, tuple[int, int, int], float], ...]:
    """Return the colours of the cube that are no greys: number, red, green and blue, hue."""
    colors = enumerate(product(_LEVELS, repeat=3), _CUBE)
    return tuple(
        (number, (red, green, blue), _hue(red, green, blue))
        for number, (red, green, blue) in colors
        if _span(red, green, blue)
    )


def _hue(red: int, green: int, blue: int) -> float:
    return rgb_to_hls(red / 255, green / 255, blue / 255)[0]


def _hues_apart(one: float, other: float) -> float:
    apart = abs(one - other)
    return min(apart, 1 - apart)


def _numbered(number: int) -> RichColor:
    return RichColor(f"color({number})", ColorType.EIGHT_BIT, number=number)


def _mixable(color: RichColor) -> Color:
    return Color(*color.get_truecolor())


def _sixteen_with_contrast(color: RichColor, ground: RichColor, wanted: float) -> RichColor:
    """Return the colour, its bright twin, or white or black, whichever has enough contrast."""
    number, below = color.number, ground.number
    assert number is not None and below is not None

    def least(tried: int) -> float:
        return min(contrast(table[tried], table[below]) for table in TERMINALS)

    if least(number) >= wanted:
        return color
    bright = number | 8
    return RichColor.from_ansi(bright if least(bright) >= wanted else max((15, 0), key=least))


_ON = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "21", "51", "52", "53")
"""The SGR parameter of each bit of :attr:`rich.style.Style._attributes`, the lowest first."""

_OFF = ("22", "22", "23", "24", "25", "25", "27", "28", "29", "24", "54", "54", "55")

SEEN_ON_BLANKS = sum(1 << bit for bit in (3, 4, 5, 6, 8, 9, 10, 11, 12))
"""Attributes visible on a space: underlines, frames, reverse and blinking."""

_MOST = 4096
"""Maximum number of pens; links and rare colours would accumulate otherwise."""


class Pen(NamedTuple):
    """A style: SGR parameters of the colours, bits as in Rich's styles, and a hyperlink.

    ``foreground`` is "" where it does not matter, as on a blank.
    """

    foreground: str = "39"
    background: str = "49"
    attributes: int = 0
    link: str = ""


PLAIN = Pen()
"""A terminal's default style, after ``ESC[m``."""


class Pens:
    """Numbers for the styles in use, so that cells can be compared quickly.

    A number is an index of :attr:`pens`; number 0 is :data:`PLAIN`.
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
        """Return whether :meth:`renumber` is due."""
        return len(self.pens) > _MOST

    def renumber(self, rows: Iterable[GridRow]) -> None:
        """Keep only the pens used in ``rows``; all other numbers become invalid."""
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
            if len(self._of_styles) > _MOST:  # equal styles with different metadata
                self._of_styles.clear()
            pen = self._pen(style)
            numbers = self._number(pen), self._number(_on_blanks(pen))
            self._of_styles[style] = numbers
        return numbers

    def way(self, before: Pen, number: int) -> tuple[str, Pen]:
        """Return the sequence from ``before`` to a pen, and the resulting style."""
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
    """Return the shorter sequence and its result: from the present style, or from a reset."""
    if after.foreground:
        kept = anew = after
    else:  # other attributes are invisible on blanks
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
    """Return the SGR parameters that change one style to the other."""
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
