"""Colours for terminals that have 256 or 16 of them: greys stay grey, and text keeps its contrast.

Rich takes the faint blue of a dark surface for navy, as the cube of 256 colours has nothing darker
than ``#5f0000`` but black. Greys have a ramp of their own there.
"""

from __future__ import annotations

from colorsys import rgb_to_hls
from functools import lru_cache

from rich.color import Color as RichColor
from rich.color import ColorSystem, ColorType
from textual.color import Color

from tuidbg.tui.frame.legible import ENOUGH, TERMINALS, contrast

_GREY, _GREYISH = 24, 56
"""The span of red, green and blue below which a colour is grey, and below which it is so where the
nearest of the cube has another hue."""

_HUE = 20 / 360
_LEVELS = (0, 95, 135, 175, 215, 255)
_CUBE, _RAMP = 16, 232

_GREYS_OF_SIXTEEN = ((0.155, 0), (0.5, 8), (0.92, 7), (1.1, 15))
"""The lightness below which a grey is this one of the sixteen: a bar differs from what it is on."""

_GREYS = frozenset((0, 7, 8, 15))
_HUES = (1, 3, 2, 6, 4, 5)
"""Red, yellow, green, cyan, blue and magenta, which lie a sixth of a circle apart."""
_ORANGE = 15 / 360, 45 / 360
_DARK = 0.4

_STEPS = 10


def reduce_pair(
    color: RichColor | None, ground: RichColor | None, system: ColorSystem
) -> tuple[RichColor | None, RichColor | None]:
    """Returns a text's colour and its ground as a terminal with few colours shows them.

    The contrast they had is kept, up to that which text needs.
    """
    if system is ColorSystem.TRUECOLOR:
        return color, ground
    few, below = reduce_color(color, system), reduce_color(ground, system)
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
    """Returns the colour as one of those that the terminal has."""
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
        return few  # red is what is wrong, and yellow where the program is
    number = _HUES[round(hue * 6) % 6]
    return RichColor.from_ansi(number | 8 if lightness > _DARK else number)


def _span(red: int, green: int, blue: int) -> int:
    return max(red, green, blue) - min(red, green, blue)


@lru_cache(1024)
def _nearest_of_256(red: int, green: int, blue: int) -> int:
    """Returns the number of a colour of the cube, or of a grey."""
    span = _span(red, green, blue)
    steps = [_nearest(_LEVELS, value) for value in (red, green, blue)]
    cube = [_LEVELS[step] for step in steps]
    if span >= _GREYISH or (span >= _GREY and _are_alike(cube, [red, green, blue])):
        return _CUBE + 36 * steps[0] + 6 * steps[1] + steps[2]
    lightness = (max(red, green, blue) + min(red, green, blue)) / 510
    grey = round(lightness * 25)
    return {0: _CUBE, 25: _RAMP - 1}.get(grey, _RAMP - 1 + grey)


def _nearest(levels: tuple[int, ...], value: int) -> int:
    return min(range(len(levels)), key=lambda step: abs(levels[step] - value))


def _are_alike(one: list[int], other: list[int]) -> bool:
    """Returns whether two colours have about the same hue."""
    if not _span(*one):
        return False
    hues = [rgb_to_hls(*(value / 255 for value in color))[0] for color in (one, other)]
    apart = abs(hues[0] - hues[1])
    return min(apart, 1 - apart) <= _HUE


def _numbered(number: int) -> RichColor:
    return RichColor(f"color({number})", ColorType.EIGHT_BIT, number=number)


def _mixable(color: RichColor) -> Color:
    return Color(*color.get_truecolor())


def _sixteen_with_contrast(color: RichColor, ground: RichColor, wanted: float) -> RichColor:
    """Returns the colour, its bright twin, or white or black, whichever differs enough."""
    number, below = color.number, ground.number
    assert number is not None and below is not None

    def least(tried: int) -> float:
        return min(contrast(table[tried], table[below]) for table in TERMINALS)

    if least(number) >= wanted:
        return color
    bright = number | 8
    return RichColor.from_ansi(bright if least(bright) >= wanted else max((15, 0), key=least))
