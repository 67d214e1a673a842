"""What the pictures of the README are made of besides screens: captions, motion, name, badges.

Nothing here needs a font, a script or the network, and all of it can be read on white and on black.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

FRAME, SURFACE, BORDER = "#292929", "#202329", "#565b66"
TEXT, BLUE, AMBER = "#d5d9e0", "#6cb6ff", "#f5b65c"

_MONOSPACE = 'font-family="DejaVu Sans Mono, monospace"'
_STRIP = 66
"""Height of the strip with the caption below a screen."""


class Shot(NamedTuple):
    """A screen, the keys that led to it, and what they do."""

    picture: str
    keys: tuple[str, ...]
    caption: str


def caption(shot: Shot, x: float, y: float) -> str:
    """The keys as caps, and the words behind them."""
    parts = []
    for key in shot.keys:
        width = 22 + 13 * len(key)
        parts.append(
            f'<rect x="{x:g}" y="{y + 3:g}" width="{width}" height="38" rx="7" fill="#0f1115"/>'
            f'<rect x="{x:g}" y="{y:g}" width="{width}" height="37" rx="7" fill="{SURFACE}"'
            f' stroke="{BLUE}" stroke-width="2"/>'
            f'<text x="{x + width / 2:g}" y="{y + 26:g}" fill="{BLUE}" font-size="22"'
            f' font-weight="bold" text-anchor="middle" {_MONOSPACE}>{escape(key)}</text>'
        )
        x += width + 10
    words = f'<text x="{x + 8:g}" y="{y + 26:g}" fill="{TEXT}" font-size="22" {_MONOSPACE}>'
    return f"{''.join(parts)}{words}{escape(shot.caption)}</text>"


def animate(shots: Sequence[Shot], seconds: float) -> str:
    """One picture that shows these in turn, for some seconds each, without a script.

    The first is there where nothing moves: without styles, and for people who want less motion.
    """
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', shots[0].picture)
    assert found is not None
    width, height = float(found[1]), float(found[2])
    whole, share = seconds * len(shots), 100 / len(shots)
    style = (
        f"@keyframes turn {{ 0% {{ visibility: visible }} {share:g}% {{ visibility: hidden }}"
        f" 100% {{ visibility: hidden }} }}"
        " @media (prefers-reduced-motion: no-preference) {"
        f" .turn {{ animation: turn {whole:g}s step-end infinite }} }}"
    )
    hidden = ' visibility="hidden"'
    turns = "".join(
        f'<g class="turn" style="animation-delay: {index * seconds:g}s"'
        f"{hidden if index else ''}>"
        f"{_inside(shot.picture)}{caption(shot, 26, height + 6)}</g>\n"
        for index, shot in enumerate(shots)
    )
    frame = (
        f'<rect fill="{FRAME}" x="1" y="1" width="{width - 2:g}" height="{height + _STRIP - 2:g}"'
        f' rx="8" stroke="{BORDER}"/>'
    )
    return (
        f'<svg viewBox="0 0 {width:g} {height + _STRIP:g}" xmlns="http://www.w3.org/2000/svg">'
        f"<style>{style}</style>\n{frame}\n{turns}</svg>\n"
    )


def _inside(picture: str) -> str:
    """What a picture holds, without the marks of where its lines end: nothing is longer."""
    inside = picture.partition(">")[2].rpartition("</svg>")[0]
    inside = re.sub(r'<clipPath id="[\w-]+-line-\d+">.*?</clipPath>', "", inside, flags=re.DOTALL)
    inside = re.sub(r' clip-path="url\(#[\w-]+-line-\d+\)"', "", inside)
    inside = re.sub(r"terminal-(\d+)-", r"t\1", inside)
    return re.sub(r"\n\s*\n+", "\n", inside)


_LETTERS = {
    "t": ("010", "010", "111", "010", "010", "010", "011", "000"),
    "u": ("000", "000", "101", "101", "101", "101", "111", "000"),
    "i": ("1", "0", "1", "1", "1", "1", "1", "0"),
    "d": ("001", "001", "111", "101", "101", "101", "111", "000"),
    "b": ("100", "100", "111", "101", "101", "101", "111", "000"),
    "g": ("000", "000", "111", "101", "101", "101", "111", "001"),
}
"""Rows of each letter in cells, as a terminal would draw it large; of the g the tail is added."""


def wordmark(cell: int = 10) -> str:
    """The name in cells, on the line that the program stands at."""
    x, y, parts = 9 * cell, 3 * cell, []
    for number, letter in enumerate("tuidbg"):
        colour = TEXT if number < 3 else BLUE
        rows = _LETTERS[letter] + (("111",) if letter == "g" else ())
        for row, cells in enumerate(rows):
            for column, is_set in enumerate(cells):
                if is_set == "1":
                    parts.append(
                        f'<rect x="{x + column * cell}" y="{y + row * cell}" width="{cell}"'
                        f' height="{cell}" fill="{colour}"/>'
                    )
        x += (len(rows[0]) + 1) * cell
    width, height = x + 2 * cell, 14 * cell
    left, top, middle = 2.2 * cell, 4.5 * cell, 7 * cell
    mark = f"M{left:g} {top:g} L{5 * cell} {middle} L{left:g} {9.5 * cell:g} Z"
    ground = f'<rect width="{width}" height="{height}" rx="{cell}" fill="{SURFACE}"/>'
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width * 0.8:g}" height="{height * 0.8:g}"'
        ' xmlns="http://www.w3.org/2000/svg" role="img">'
        f"<title>tuidbg</title>{ground}"
        f'<path d="M{cell} 0 H{7 * cell} V{height} H{cell} Q0 {height} 0 {height - cell}'
        f' V{cell} Q0 0 {cell} 0 Z" fill="{AMBER}"/><path d="{mark}" fill="{SURFACE}"/>'
        f'<g shape-rendering="crispEdges">{"".join(parts)}</g></svg>\n'
    )


def project_facts() -> list[tuple[str, str]]:
    """What the badges say, as pyproject.toml has it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    told = dict(line.split(" :: ", 1) for line in project["classifiers"] if line.count(" :: ") == 1)
    return [
        ("Python", project["requires-python"].replace(">=", "") + "+"),
        ("licence", project["license"]),
        ("status", told["Development Status"].rpartition(" ")[2].lower()),
    ]


def badges(facts: Sequence[tuple[str, str]]) -> str:
    """Names and values, each pair in a box of two halves."""
    x, parts = 0.0, []
    for name, value in facts:
        left, right = 16 + 7.5 * len(name), 16 + 7.5 * len(value)
        parts.append(
            f'<rect x="{x:g}" width="{left + right:g}" height="24" rx="5" fill="{SURFACE}"/>'
            f'<path d="M{x + left:g} 0 h{right - 5:g} q5 0 5 5 v14 q0 5 -5 5 h-{right - 5:g} Z"'
            f' fill="#2f6fb5"/>{_label(x + left / 2, left - 16, name, TEXT)}'
            f"{_label(x + left + right / 2, right - 16, value, '#ffffff')}"
        )
        x += left + right + 8
    told = ", ".join(f"{name} {value}" for name, value in facts)
    return (
        f'<svg viewBox="0 0 {x - 8:g} 24" width="{x - 8:g}" height="24"'
        f' xmlns="http://www.w3.org/2000/svg" role="img"><title>{escape(told)}</title>'
        f"{''.join(parts)}</svg>\n"
    )


def _label(middle: float, length: float, text: str, colour: str) -> str:
    return (
        f'<text x="{middle:g}" y="16.5" fill="{colour}" font-size="12" text-anchor="middle"'
        f' textLength="{length:g}" {_MONOSPACE}>{escape(text)}</text>'
    )
