"""One variable from stop to stop: its values, and numbers as a line of bars."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tuidbg.session.core.stop_history.timeline import History, PastValue, VariablePath
from tuidbg.session.model.state import Place, StateValue

_NUMBER = r"(?:[A-Za-z_][\w.]*\('?)?([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)'?\)?"
_BARS = "▁▂▃▄▅▆▇█"


class SeriesPoint(StateValue, frozen=True):
    """The value of one variable at one stop."""

    number: int
    time: float
    place: Place | None
    value: PastValue


def series_of(history: History, function: str, path: VariablePath) -> list[SeriesPoint]:
    """Return the values of a function's variable (``PastFrame.function``) from stop to stop.

    At each stop that of the innermost call counts.
    """
    points: list[SeriesPoint] = []
    for past in history:
        for index, frame in enumerate(past.frames):
            if frame.function == function and (value := past.values.get((index, path))):
                points.append(
                    SeriesPoint(number=past.number, time=past.time, place=frame.place, value=value)
                )
                break
    return points


def number_of(value: PastValue) -> float | None:
    """Return the number of a value as ``3``, ``np.float64(1.5)``, ``Decimal('2')``; else None."""
    if value.value in ("True", "False"):
        return float(value.value == "True")
    found = re.fullmatch(_NUMBER, value.value) if len(value.value) < 50 else None
    if found is None or value.type == "str":
        return None
    number = float(found[1])
    return number if abs(number) != float("inf") else None


def sparkline(numbers: Sequence[float], width: int) -> str:
    """Return the numbers as bars, at most ``width`` of them.

    If there are more numbers, each bar is the one of its part that differs most from the bar
    before, so that no spike is lost.
    """
    if not numbers or width < 1:
        return ""
    shown: list[float] = []
    bars = min(width, len(numbers))
    for bar in range(bars):
        part = numbers[bar * len(numbers) // bars : (bar + 1) * len(numbers) // bars]
        last = shown[-1] if shown else part[0]
        shown.append(max(part, key=lambda number: abs(number - last)))
    low, high = min(shown), max(shown)
    span = high / 2 - low / 2  # halves, as the difference may be too large for a float
    if not span:
        return _BARS[0] * len(shown)
    return "".join(_BARS[round((n / 2 - low / 2) / span * (len(_BARS) - 1))] for n in shown)
