"""The rows of the timeline: the stops, and what was seen at one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path, PurePath

from tuidbg.session.comparison import Difference
from tuidbg.session.history import PastStop
from tuidbg.tui.rows import Piece, Row, visible
from tuidbg.tui.wording import describe_stop

_MARKS = {"changed": ("≠ ", "changed"), "new": ("+ ", "good"), "gone": ("- ", "warning")}


def without_colours(text: str) -> str:
    from tuidbg.tui.ansi import strip_sgr

    return visible(strip_sgr(text))


def position(index: int, total: int, width: int) -> int:
    return index * (width - 1) // max(1, total - 1)


def is_newer(path: str, than: float) -> bool:
    try:
        return Path(path).stat().st_mtime > than
    except OSError:
        return False


def stop_row(past: PastStop, is_marked: bool, with_run: bool) -> Row:
    style = "error" if past.stop.exception is not None else "faint"
    return Row(
        past.number,
        (
            (f"{'◆' if is_marked else ' '}{past.number:>5} ", "changed" if is_marked else "faint"),
            (f"run {past.run} " if with_run else "", "faint"),
            (place_of(past), "name"),
            (f" {visible(past.function)}", "name"),
            (f"  {describe_stop(past.stop)}", style),
        ),
    )


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


def value_rows(past: PastStop, differences: Sequence[Difference]) -> Iterator[Row]:
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
        yield _value_row(difference)


def _value_row(difference: Difference) -> Row:
    mark, style = _MARKS.get(difference.kind, ("  ", "value"))
    value = difference.now or difference.before
    assert value is not None
    pieces: list[Piece] = [
        (" " + mark, style),
        (visible(difference.path[-1]), "name"),
        (" = ", "faint"),
        (visible(value.value), style),
    ]
    if difference.kind == "changed" and difference.before is not None:
        pieces.append((f"   was {visible(difference.before.value)}", "faint"))
    elif difference.kind == "gone":
        pieces.append(("   is not there any more", "faint"))
    key = ("value", difference.frame, difference.path)
    return Row(key, tuple(pieces), max(0, len(difference.path) - 2))


def stack_rows(past: PastStop, base: PastStop | None) -> Iterator[Row]:
    yield Row(("stack",), ((" Stack", "faint"),))
    known = set(base.frames) if base is not None else None
    for index, frame in enumerate(past.frames):
        place = frame.place
        where = f"{PurePath(place.path).name}:{place.line}" if place else "no source"
        differs = known is not None and frame not in known
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
