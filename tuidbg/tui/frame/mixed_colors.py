"""Colours that a theme does not name, mixed from those that it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.color import Color as RichColor
from rich.color import ColorType
from rich.style import Style
from textual.color import Color
from textual.theme import Theme

from tuidbg.tui.frame.legible import contrast, make_legible

if TYPE_CHECKING:
    from tuidbg.tui.frame.theme import Palette

_ANSI_LINES = {
    "current": "bright_white on blue",
    "selected": "bright_white on blue",
    "raised": "bright_white on red",
    "past": "bright_white on magenta",
    "cursor": "underline",
    "values": "green",
    "exception": "bright_white on red",
}
"""The terminal's colours can't be mixed: a row has one colour for all of its text."""

_SHARES = {"current": (0.14, 0.28), "selected": (0.13, 0.3), "past": (0.22, 0.3)}
"""How much of the mark's colour is mixed into a row, of a dark theme and of a light one."""

_CURSOR_SHARES = 0.06, 0.04
"""How much of the text's colour is mixed into the cursor's row: less is not seen."""

_RAISED_SHARES = 0.22, 0.14
"""How much of the error's colour is mixed into the row of an exception."""

_SEEN = 1.15
"""The contrast of a row with those around it; more of the mark's colour is taken for it."""

_DARK, _LIGHT = Color(18, 18, 18), Color(224, 224, 224)
"""Textual's own backgrounds of themes that name none."""


def mix_lines(
    theme: Theme, syntax: Mapping[str, Style], marks: Mapping[str, Style]
) -> dict[str, Style]:
    """The styles of rows, and of what stands behind them, as ``LINES`` of the themes names them."""
    if theme.ansi:
        return {name: Style.parse(style) for name, style in _ANSI_LINES.items()}
    ground = _ground_of(theme)
    text = _color(syntax["plain"].color) or ground.inverse
    error = Color.parse(theme.error) if theme.error else text
    rows = {"cursor": ground.blend(text, _CURSOR_SHARES[not theme.dark])}
    rows["raised"] = _tint(ground, error, _RAISED_SHARES[not theme.dark])
    for name, shares in _SHARES.items():
        mark = _color(marks[name].bgcolor) or _color(marks[name].color) or text
        rows[name] = _tint(ground, mark, shares[not theme.dark])
    grounds = [ground, *rows.values()]
    values = _color(syntax["builtin"].color) or text
    return {
        **{name: Style(bgcolor=_rich(row)) for name, row in rows.items()},
        "values": Style(color=_rich(make_legible(values.blend(ground, 0.25), grounds))),
        "exception": Style(color=_rich(make_legible(error, grounds))),
    }


def borrow_palette(palette: Palette, theme: Theme) -> Palette:
    """The palette of another theme, so that it can be read on the rows of this one."""
    lines = mix_lines(theme, palette.syntax, palette.marks)
    rows = (_color(style.bgcolor) for style in lines.values())
    grounds = [_ground_of(theme), *(row for row in rows if row is not None)]

    def readable(style: Style) -> Style:
        color = _color(style.color)
        if color is None or style.bgcolor is not None:
            return style
        return style + Style(color=_rich(make_legible(color, grounds)))

    return replace(
        palette,
        syntax={kind: readable(style) for kind, style in palette.syntax.items()},
        marks={mark: readable(style) for mark, style in palette.marks.items()},
        lines=lines,
    )


def _tint(ground: Color, mark: Color, share: float) -> Color:
    tint = ground.blend(mark, share)
    while contrast(tint, ground) < _SEEN and share < 0.5:
        share += 0.04
        tint = ground.blend(mark, share)
    return tint


def _ground_of(theme: Theme) -> Color:
    if theme.background:
        return Color.parse(theme.background)
    return _DARK if theme.dark else _LIGHT


def _color(color: RichColor | None) -> Color | None:
    """A colour that can be mixed; None for one of the terminal's own."""
    if color is None or color.type is ColorType.DEFAULT:
        return None
    return Color(*color.get_truecolor())


def _rich(color: Color) -> RichColor:
    return RichColor.from_rgb(*color.rgb)
