"""Pictures as a terminal with fewer colours shows them: 256 of them, its own sixteen, or none.

The colours are reduced as those are that are written to a terminal, and the sixteen are drawn as a
real one has them: on a dark ground or on a light one.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from rich.color import Color as RichColor
from rich.color import ColorSystem, ColorType
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.app import App
from textual.color import Color

from tests.support.legible import VGA, XTERM
from tuidbg.tui.toolkit.drivers.renderer.styles import reduce_pair

COLORS = {
    "256": ColorSystem.EIGHT_BIT,
    "16": ColorSystem.STANDARD,
    "true": ColorSystem.TRUECOLOR,
}


def terminal(table: str = XTERM, *, is_light: bool = False) -> TerminalTheme:
    """A terminal with these sixteen colours; text without one is black on white, or reverse."""
    sixteen = [Color.parse(f"#{color}").rgb for color in table.split()]
    ground, text = (sixteen[15], sixteen[0]) if is_light else (sixteen[0], sixteen[7])
    return TerminalTheme(ground, text, sixteen[:8], sixteen[8:])


DARK, LIGHT, DULL = terminal(), terminal(is_light=True), terminal(VGA)


def picture(app: App[Any], colors: ColorSystem, shown_on: TerminalTheme = DARK) -> str:
    """The screen as SVG, as a terminal with so many colours shows it."""
    width, height = app.size
    console = Console(
        width=width,
        height=height,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        record=True,
        legacy_windows=False,
        safe_box=False,
    )
    with_backgrounds = app.screen._compositor.render_update(
        full=True, screen_stack=app._background_screens, simplify=True
    )
    assert with_backgrounds is not None
    console._record_buffer += _reduced(console.render(with_backgrounds), colors, shown_on)
    return console.export_svg(title=app.title, theme=shown_on)


def draw_with(app: App[Any], colors: ColorSystem, shown_on: TerminalTheme = DARK) -> None:
    """From now on the pictures of this app are those of such a terminal."""

    def export(*, title: str | None = None, simplify: bool = False) -> str:
        return picture(app, colors, shown_on)

    app.export_screenshot = export  # type: ignore[method-assign]


def _reduced(segments: Any, colors: ColorSystem, shown_on: TerminalTheme) -> Iterator[Segment]:
    known: dict[Style, Style] = {}
    for text, style, control in segments:
        if style is None or control:
            yield Segment(text, style, control)
            continue
        if style not in known:
            pair = reduce_pair(style.color, style.bgcolor, colors)
            text_color, ground = (_drawn(each, shown_on) for each in pair)
            known[style] = style.without_color + Style(color=text_color, bgcolor=ground)
        yield Segment(text, known[style])


def _drawn(color: RichColor | None, shown_on: TerminalTheme) -> RichColor | None:
    """The colour as that terminal has it."""
    if color is None or color.type is ColorType.DEFAULT:
        return None
    return RichColor.from_triplet(color.get_truecolor(shown_on))
