"""Numbers as pictures of characters: bars for a histogram, braille dots for a course."""

from __future__ import annotations

from collections.abc import Sequence

_BARS = " ▁▂▃▄▅▆▇█"
_SHADES = "░▒▓█"
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a braille character, by row from the top and column."""


def resample(counts: Sequence[int], width: int) -> list[int]:
    """The counts of a histogram in ``width`` bars at most, neighbours put together."""
    if len(counts) <= width:
        return list(counts)
    bars = [0] * width
    for index, count in enumerate(counts):
        bars[index * width // len(counts)] += count
    return bars


def bars(counts: Sequence[int], width: int, height: int = 1) -> list[str]:
    """A histogram ``height`` rows high; any count above 0 is seen."""
    values = resample(counts, width)
    most = max(values, default=0)
    if not most:
        return [" " * len(values)] * height
    eighths = [max(1, round(value * height * 8 / most)) if value else 0 for value in values]
    return [
        "".join(_BARS[max(0, min(8, eighth - 8 * row))] for eighth in eighths)
        for row in range(height - 1, -1, -1)
    ]


def course(points: Sequence[float | None], width: int, height: int) -> list[str]:
    """The course of numbers in braille dots; where there is none, there is a gap."""
    known = [point for point in points if point is not None]
    cells = [[0] * width for _ in range(height)]
    if known and width and height:
        low, high = min(known), max(known)
        half = high / 2 - low / 2  # all of it may be more than a float can hold
        across, down = 2 * width, 4 * height
        before: tuple[int, int] | None = None
        for index, point in enumerate(points):
            if point is None:
                before = None
                continue
            x = index * (across - 1) // max(1, len(points) - 1) if len(points) > 1 else 0
            share = (point / 2 - low / 2) / half if half > 0 else 0.5
            y = round((1 - share) * (down - 1))
            for dot_x, dot_y in _line(before or (x, y), (x, y)):
                cells[dot_y // 4][dot_x // 2] |= _DOTS[dot_y % 4][dot_x % 2]
            before = (x, y)
    return ["".join(chr(0x2800 + cell) if cell else " " for cell in row) for row in cells]


def heat_map(
    columns: Sequence[Sequence[float | None]], low: float, high: float, width: int
) -> list[str]:
    """Numbers as shades, each ``width`` cells wide; a blank where there is none."""
    half = high / 2 - low / 2  # all of it may be more than a float can hold

    def shade(value: float | None) -> str:
        if value is None:
            return " " * width
        share = (value / 2 - low / 2) / half if half > 0 else 0.5
        return _SHADES[min(len(_SHADES) - 1, int(share * len(_SHADES)))] * width

    return ["".join(map(shade, row)) for row in zip(*columns, strict=True)]


def _line(start: tuple[int, int], end: tuple[int, int]) -> list[tuple[int, int]]:
    """The dots from one to the other, both included."""
    (x0, y0), (x1, y1) = start, end
    steps = max(abs(x1 - x0), abs(y1 - y0))
    if not steps:
        return [end]
    return [
        (x0 + round((x1 - x0) * step / steps), y0 + round((y1 - y0) * step / steps))
        for step in range(steps + 1)
    ]
