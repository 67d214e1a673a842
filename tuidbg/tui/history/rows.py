"""The rows of the timeline: the stops, and what was seen at one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path, PurePath

from tuidbg.session.stop_history.report import Difference
from tuidbg.session.stop_history.timeline import PastFrame, PastStop
from tuidbg.tui.widgets.rows import Piece, Row, visible
from tuidbg.tui.wording import describe_stop

_MARKS = {"changed": ("≠ ", "changed"), "new": ("+ ", "good"), "gone": ("- ", "warning")}
_WORDS = {"changed": "was {}", "gone": "is not there any more"}
_LATER_MARKS = {**_MARKS, "new": _MARKS["gone"], "gone": _MARKS["new"]}
_LATER_WORDS = {"changed": "later {}", "new": "is gone later", "gone": "comes later"}
"""Where the stop that it is compared with came later."""


def without_colours(text: str) -> str:
    from tuidbg.tui.widgets.ansi import strip_sgr

    return visible(strip_sgr(text))


def position(index: int, total: int, width: int) -> int:
    return index * (width - 1) // max(1, total - 1)


def is_newer(path: str, than: float) -> bool:
    try:
        return Path(path).stat().st_mtime > than
    except OSError:
        return False


def stop_row(past: PastStop, is_marked: bool, with_run: bool, is_recorded: bool = False) -> Row:
    """One of the list; ``is_recorded``: its moment is in the recording."""
    style = "error" if past.stop.exception is not None else "faint"
    pieces: list[Piece] = [
        (f"{'◆' if is_marked else ' '}{past.number:>5} ", "changed" if is_marked else "faint"),
        (f"run {past.run} " if with_run else "", "faint"),
        (place_of(past), "name"),
        (f" {visible(past.function)}", "name"),
        (f"  {describe_stop(past.stop)}", style),
    ]
    if is_recorded:
        pieces.append((" ◀", "value"))
    return Row(past.number, tuple(pieces))


def heading(past: PastStop) -> tuple[Piece, ...]:
    clock = datetime.fromtimestamp(past.time).strftime("%H:%M:%S.%f")[:-3]
    skipped = f"  after {past.passed} that nobody looked at" if past.passed else ""
    return (
        (f" {past.number} ", "strong"),
        (f" {clock}  ", "faint"),
        (describe_stop(past.stop), "error" if past.stop.exception else "name"),
        (f"  {visible(past.thread)}{skipped}", "faint"),
    )


def place_of(past: PastStop) -> str:
    place = past.place
    return visible(f"{PurePath(place.path).name}:{place.line}") if place else "no source"


def value_rows(
    past: PastStop, differences: Sequence[Difference], base: PastStop | None = None
) -> Iterator[Row]:
    """The values of a stop, and how they differ from those of ``base``."""
    is_later = base is not None and base.number > past.number
    if not differences:
        yield Row(("values",), ((" Values: none were shown", "faint"),))
        return
    group: tuple[int, str] | None = None
    for difference in differences:
        scope = difference.frame, difference.path[0]
        if scope != group:
            group = scope
            of = f" of {past.frames[difference.frame].name}" if difference.frame else ""
            text = f" {difference.path[0]}{of}"
            yield Row(("values", *scope), ((visible(text), "faint"),))
        yield _value_row(difference, is_later)


def _value_row(difference: Difference, is_later: bool) -> Row:
    marks, words = (_LATER_MARKS, _LATER_WORDS) if is_later else (_MARKS, _WORDS)
    mark, style = marks.get(difference.kind, ("  ", "value"))
    value = difference.now or difference.before
    assert value is not None
    pieces: list[Piece] = [
        (" " + mark, style),
        (visible(difference.path[-1]), "name"),
        (" " if value.is_returned else " = ", "faint"),
        (visible(value.value), style),
    ]
    if word := words.get(difference.kind):
        other = visible(difference.before.value) if difference.before is not None else ""
        pieces.append((f"   {word.format(other)}", "faint"))
    key = ("value", difference.frame, difference.path)
    return Row(key, tuple(pieces), max(0, len(difference.path) - 2))


def _line_of(frame: PastFrame) -> tuple[str, int]:
    """Returns where it stands, for a person: an exception has a column, a breakpoint has none."""
    return frame.function, frame.place.line if frame.place is not None else 0


def stack_rows(past: PastStop, base: PastStop | None) -> Iterator[Row]:
    yield Row(("stack",), ((" Stack", "faint"),))
    known = {_line_of(frame) for frame in base.frames} if base is not None else None
    for index, frame in enumerate(past.frames):
        place = frame.place
        where = f"{PurePath(place.path).name}:{place.line}" if place else "no source"
        differs = known is not None and _line_of(frame) not in known
        yield Row(
            ("stack", index),
            (
                (" ≠ " if differs else "   ", "changed"),
                (visible(frame.name), "faint" if frame.subtle else "name"),
                (f"  {visible(where)}", "faint"),
            ),
        )
    if (more := past.total - len(past.frames)) > 0:
        yield Row(("stack", "more"), ((f"   … {more} more", "faint"),))
