"""What is on the screen can be read: its contrast, measured on rows as they are painted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rich.color import Color as RichColor
from rich.style import Style
from textual.app import App
from textual.color import Color

XTERM = (
    "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5"
    " 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff"
)
VGA = (
    "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa"
    " 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff"
)
"""The sixteen colours of two kinds of terminals: the brightest and the dullest."""

TEXT = re.compile(r"[^\s\u2500-\u259f\u2800-\u28ff]")
"""What is read: no lines, no blocks, no plots."""

FAINT = 2 / 3
"""How much of a colour terminals leave of what is dim: xterm and VTE, others leave more."""


def luminance(color: Color) -> float:
    """Relative luminance as WCAG 2.1 defines it."""

    def linear(value: int) -> float:
        part = value / 255
        return part / 12.92 if part <= 0.03928 else float(((part + 0.055) / 1.055) ** 2.4)

    return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b)


def contrast(one: Color, other: Color) -> float:
    """The ratio of their luminances, 1 to 21."""
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def measured(style: Style, terminal: str, *, dark: bool) -> float:
    """The contrast of text in a style, on a terminal with these sixteen colours."""
    sixteen = [Color.parse(f"#{color}") for color in terminal.split()]

    def shown(color: RichColor | None, default: int) -> Color:
        if color is not None and color.triplet is not None:
            return Color(*color.triplet)
        return sixteen[default if color is None or color.number is None else color.number]

    color = shown(style.color, 7 if dark else 0)
    ground = shown(style.bgcolor, 0 if dark else 15)
    return contrast(ground.blend(color, FAINT) if style.dim else color, ground)


def painted(app: App[Any]) -> list[str]:
    """The rows of the screen, without their colours."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


def unreadable(app: App[Any], least: float = 4.5) -> Iterator[str]:
    """What can't be read on the screen: its text, and the contrast that it has."""
    theme = app.current_theme
    for terminal in (XTERM, VGA) if theme.ansi else (XTERM,):
        known: dict[Style, float] = {}
        for strip in app.screen._compositor.render_strips():
            for text, style, _ in strip:
                if style is None or not TEXT.search(text):
                    continue
                if style not in known:
                    known[style] = measured(style, terminal, dark=theme.dark)
                if known[style] < least:
                    yield f"{theme.name}: {text.strip()!r} has {known[style]:.2f} ({style})"
