"""Colours on terminals that have 256 or 16 of them: surfaces stay grey, text keeps its contrast."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from rich.color import Color as RichColor
from rich.color import ColorSystem
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from tests.support.legible import VGA, XTERM, contrast
from tuidbg.cli.launcher import FEW_COLORS, tell_of_colors
from tuidbg.config.stores.remembered import Remembered
from tuidbg.tui.toolkit.drivers.renderer.capabilities import announces_less
from tuidbg.tui.toolkit.drivers.renderer.styles import reduce_color, reduce_pair
from tuidbg.tui.toolkit.theme.theme import find_theme, theme_names

OWN = [theme for name in theme_names() if not (theme := find_theme(name).theme).ansi]
SURFACES = ("background", "surface", "panel", "boost")
FEW = (ColorSystem.EIGHT_BIT, ColorSystem.STANDARD)


def surface(theme: Theme, name: str) -> RichColor:
    return Color.parse(getattr(theme, name)).rich_color


def reduced(color: RichColor, system: ColorSystem) -> RichColor:
    after = reduce_color(color, system)
    assert after is not None
    return after


def is_grey(color: RichColor) -> bool:
    if color.number is not None and color.number < 16:
        return color.number in (0, 7, 8, 15)
    return len(set(color.get_truecolor())) == 1


@pytest.mark.parametrize("theme", OWN, ids=lambda theme: str(theme.name))
def test_surfaces_stay_grey_and_distinct(theme: Theme) -> None:
    """Also where Rich reduces them, as in other programs that show these themes."""
    colors = [surface(theme, name) for name in SURFACES]
    by_rich = [color.downgrade(ColorSystem.EIGHT_BIT) for color in colors]
    of_256 = [reduced(color, ColorSystem.EIGHT_BIT) for color in colors]
    for shown in (by_rich, of_256):
        assert all(map(is_grey, shown))
        assert len({color.number for color in shown}) == len(SURFACES)
    of_16 = [reduced(color, ColorSystem.STANDARD) for color in colors]
    assert all(is_grey(color) for color in (*of_16, *(c.downgrade(FEW[1]) for c in colors)))
    background, _, panel, boost = of_16
    assert background.number not in (panel.number, boost.number)
    for name in ("border-blurred", "block-cursor-blurred-background", "scrollbar"):
        color = Color.parse(theme.variables[name]).rich_color
        for system in FEW:
            few, by_rich_few = reduced(color, system), color.downgrade(system)
            assert is_grey(few), name
            assert is_grey(by_rich_few), name
            assert few.number != reduced(colors[0], system).number, name


@pytest.mark.parametrize("name", ["nord", "dracula", "tokyo-night", "textual-dark", "rose-pine"])
def test_no_surface_of_another_theme_becomes_navy(name: str) -> None:
    theme = BUILTIN_THEMES[name]
    for part, system in product(SURFACES, FEW):
        if getattr(theme, part) and "%" not in getattr(theme, part):
            assert is_grey(reduced(surface(theme, part), system)), part


def test_a_tint_keeps_its_hue() -> None:
    assert reduced(RichColor.from_rgb(69, 42, 44), ColorSystem.EIGHT_BIT).number == 52  # dark red
    assert reduced(RichColor.parse("#fce8c1"), ColorSystem.EIGHT_BIT).number == 223  # sand


@pytest.mark.parametrize("theme", OWN, ids=lambda theme: str(theme.name))
def test_colors_keep_their_hue_in_256(theme: Theme) -> None:
    """Red is no orange, which is close to the position's amber, and the cursor's row is blue."""
    row = Color.parse(theme.background or "").blend(Color.parse(theme.primary), 0.38)
    for color, hue in ((Color.parse(theme.error or ""), 0.0), (row, 200 / 360)):
        few = Color(*reduced(color.rich_color, ColorSystem.EIGHT_BIT).get_truecolor())
        apart = abs(few.hsl.h - hue)
        assert min(apart, 1 - apart) < 25 / 360, few


@pytest.mark.parametrize("theme", OWN, ids=lambda theme: str(theme.name))
def test_yellow_is_the_programs_position_alone(theme: Theme) -> None:
    """On terminals with 16 colours too: neither warnings nor names of classes have it."""
    file = find_theme(theme.name)
    ground = surface(theme, "background")
    others = [style.color for style in file.palette.syntax.values()]
    others += [surface(theme, "warning"), file.palette.marks["refused"].color]
    for color in others:
        text, _ = reduce_pair(color, ground, ColorSystem.STANDARD)
        assert text is not None and text.number not in (3, 11), color
    mark, chip = file.palette.marks["current"].bgcolor, surface(theme, "accent")
    for color in (mark, chip):
        _, below = reduce_pair(ground, color, ColorSystem.STANDARD)
        assert below is not None and below.number in (3, 11)


CHANNEL = (0, 40, 90, 140, 200, 255)
COLORS = [RichColor.from_rgb(*channels) for channels in product(CHANNEL, repeat=3)]


@pytest.mark.parametrize("ground", ["#1a1c20", "#2a2d34", "#6cb6ff", "#fbfaf6", "#452a2c"])
def test_text_keeps_its_contrast(ground: str) -> None:
    below = RichColor.parse(ground)
    for color in COLORS:
        before = contrast(Color.from_rich_color(color), Color.from_rich_color(below))
        text, on = reduce_pair(color, below, ColorSystem.EIGHT_BIT)
        assert text is not None
        assert on is not None
        after = contrast(Color(*text.get_truecolor()), Color(*on.get_truecolor()))
        assert after >= min(4.5, before) - 0.01, (color, after)


@pytest.mark.parametrize("ground", ["#1a1c20", "#6cb6ff", "#fbfaf6"])
def test_text_keeps_its_contrast_on_sixteen_colours(ground: str) -> None:
    tables = [[Color.parse(f"#{color}") for color in table.split()] for table in (XTERM, VGA)]
    below = RichColor.parse(ground)
    for color in COLORS:
        before = contrast(Color.from_rich_color(color), Color.from_rich_color(below))
        text, on = reduce_pair(color, below, ColorSystem.STANDARD)
        assert text is not None and text.number is not None
        assert on is not None and on.number is not None
        least = min(contrast(table[text.number], table[on.number]) for table in tables)
        assert least >= min(4.5, before) or text.number in (0, 15), color


def test_the_terminals_own_colours_are_left_alone() -> None:
    for name in ("default", "red", "bright_black"):
        color = RichColor.parse(name)
        for system in FEW:
            assert reduce_pair(color, None, system) == (color, None)


def test_surfaces_of_our_themes_are_ordered() -> None:
    """The title of a pane is told from the source, and a dialog's button from the dialog."""
    for theme in OWN:
        lights = [Color.parse(getattr(theme, name)).brightness for name in SURFACES]
        assert all(
            (one < other) is theme.dark and one != other for one, other in pairwise(lights)
        ), theme.name


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"TERM": "xterm-256color", "SSH_CONNECTION": "::1"}, True),
        ({"TERM": "xterm-256color", "SSH_CONNECTION": "::1", "COLORTERM": "truecolor"}, False),
        ({"TERM": "xterm-256color", "SSH_CONNECTION": "::1", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "linux", "SSH_TTY": "/dev/pts/1"}, False),
    ],
)
def test_terminals_that_may_have_more_colours(
    environment: dict[str, str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said once, in words."""
    assert announces_less(environment) is expected
    for name in ("TERM", "COLORTERM", "NO_COLOR", "SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    problems: list[str] = []
    remembered = tell_of_colors(Remembered(), problems)
    assert problems == [FEW_COLORS] * expected
    assert tell_of_colors(remembered, problems) == remembered
    assert problems == [FEW_COLORS] * expected
