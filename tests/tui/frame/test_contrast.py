"""Contrast of text and of borders with a meaning in each theme: true colour, 256 and 16 colours."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rich.color import ColorSystem
from rich.style import Style
from textual.color import Color

from tests.support.legible import VGA, XTERM, contrast
from tuidbg.tui.toolkit.drivers.renderer.styles import reduce_pair
from tuidbg.tui.toolkit.theme.legible import make_legible
from tuidbg.tui.toolkit.theme.theme import ThemeFile, find_theme, theme_names

OWN = [find_theme(name) for name in theme_names() if not find_theme(name).theme.ansi]
SYSTEMS = (ColorSystem.TRUECOLOR, ColorSystem.EIGHT_BIT, ColorSystem.STANDARD)
SURFACES = ("background", "surface", "panel")
TEXT, BORDER = 4.5, 3.0
Pair = tuple[str, Color, Color]


def texts(file: ThemeFile) -> Iterator[Pair]:
    """All that is read, on what it is written on."""
    theme, palette = file.theme, file.palette
    grounds = {name: Color.parse(getattr(theme, name)) for name in SURFACES}
    generated = theme.to_color_system().generate()
    names = ("foreground", "primary", "success", "warning", "error", "accent", "secondary")
    for ground, below in grounds.items():
        for name in names:
            yield f"{name} on {ground}", Color.parse(getattr(theme, name)), below
            key = "text-muted" if name == "foreground" else f"text-{name}"
            yield (
                f"{key} on {ground}",
                shown_on(below, theme.variables.get(key, generated[key])),
                below,
            )
    for name in ("primary", "accent", "success", "error"):
        yield f"chip {name}", grounds["background"], Color.parse(getattr(theme, name))
    paper = Style(bgcolor=grounds["background"].rich_color)
    for row_name in ("", "current", "raised", "selected", "past", "cursor"):
        row = palette.lines[row_name] if row_name else Style()
        styles = {**palette.syntax, **palette.marks}
        styles |= {name: palette.lines[name] for name in ("values", "exception")}
        for kind, own in styles.items():
            style = paper + row + own
            assert style.color is not None and style.bgcolor is not None
            text, below = map(Color.from_rich_color, (style.color, style.bgcolor))
            yield f"{kind} on {row_name or 'a line'}", text, below


def shown_on(ground: Color, written: str) -> Color:
    """A text's colour on that ground, as the app shows it; ``auto 60%`` is a share of contrast."""
    if written.startswith("auto"):
        share = float(written.removeprefix("auto").strip(" %")) / 100
        return make_legible(ground + ground.get_contrast_text(share), [ground])
    text = Color.parse(written)
    return ground.blend(text, text.a).with_alpha(1)


def borders(file: ThemeFile) -> Iterator[Pair]:
    """The borders that say which box has the keys, on what they are drawn."""
    theme = file.theme
    for ground in SURFACES:
        border = Color.parse(theme.variables["border"])
        yield f"border on {ground}", border, Color.parse(getattr(theme, ground))


def shown_contrast(one: Color, other: Color, system: ColorSystem) -> float:
    """The contrast of a pair as a terminal shows it: the least of two kinds of terminals."""
    text, ground = reduce_pair(one.rich_color, other.rich_color, system)
    assert text is not None and ground is not None
    if system is not ColorSystem.STANDARD:
        return contrast(*(Color(*each.get_truecolor()) for each in (text, ground)))
    assert text.number is not None and ground.number is not None
    tables = [[Color.parse(f"#{color}") for color in table.split()] for table in (XTERM, VGA)]
    known = [
        [contrast(table[number], table[ground.number]) for table in tables]
        for number in (text.number, 0, 15)
    ]
    ratio, black, white = map(min, known)
    # No text has 4.5 on xterm's light black: white is the most there is.
    return TEXT if ratio == max(black, white) else ratio


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
@pytest.mark.parametrize("file", OWN, ids=lambda file: str(file.theme.name))
def test_text_and_borders_have_contrast(file: ThemeFile, system: ColorSystem) -> None:
    wrong = [
        f"{name}: {ratio:.2f}"
        for pairs, least in ((texts(file), TEXT), (borders(file), BORDER))
        for name, one, other in pairs
        if (ratio := shown_contrast(one, other, system)) < least - 0.01
    ]
    assert not wrong
