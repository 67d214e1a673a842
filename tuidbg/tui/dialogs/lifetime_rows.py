"""The rows of a recorded call: its lines as they were executed, and what each of them changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from tuidbg.session.lifetime_path import Visit
from tuidbg.session.lifetime_text import (
    PathRow,
    describe_change,
    describe_local,
    describe_result,
)
from tuidbg.session.lifetime_types import Ending, Phase, Recording
from tuidbg.tui.document import Document
from tuidbg.tui.rows import Piece, Row, visible

VALUES = 4
"""Values of one variable that are shown beside a line; all that are kept stand below."""

LONGEST = 60
_LONGEST_BELOW = 500

_STYLES = {
    Ending.RETURNED: "good",
    Ending.RAISED: "error",
    Ending.FAILED: "error",
    Ending.STOPPED: "warning",
    Ending.CANCELLED: "warning",
    Ending.TIME: "warning",
}


def headline(recording: Recording) -> str:
    """The function and where it is; what it is called with."""
    name = visible(recording.function or "the call")
    kind = f" ({recording.kind})" if recording.kind else ""
    place = f"  {PurePath(recording.path).name}:{recording.first_line}" if recording.path else ""
    begin = "" if recording.is_whole or not recording.path else "  from here on"
    return f"{name}{kind}{place}{begin}"


def arguments(recording: Recording) -> str:
    """The arguments on one line."""
    told = [describe_local(local, LONGEST) for local in recording.arguments]
    if recording.phase is Phase.WAITING:
        return f"waiting for {recording.function} to be called"
    return visible(",  ".join(told) or "no arguments", 1_000)


def ending(recording: Recording) -> tuple[Piece, ...]:
    """How it ended, or how far it is."""
    steps = f"{recording.steps:,} step{'' if recording.steps == 1 else 's'}"
    if not recording.is_over:
        return ((f"{steps}, line {recording.line}…", "changed"),)
    pieces: list[Piece] = []
    if recording.returned is not None:
        read = " (as its return line names it)" if recording.is_read else ""
        pieces.append((f"→ {visible(describe_result(recording, LONGEST))}{read}  ", "good"))
    if recording.ending is not Ending.RETURNED or recording.returned is None:
        sentence = visible(recording.sentence)
        pieces.append((f"{sentence}  ", _STYLES.get(recording.ending, "name")))
    cut = f"; {visible('; '.join(recording.cut))}" if recording.cut else ""
    pieces.append((f"{steps} in {recording.seconds:.1f} s{cut}", "faint"))
    return tuple(pieces)


def path_row(
    number: int, row: PathRow, document: Document | None, width: int, number_width: int
) -> Row:
    """One row: the line, its source, and the changes from the middle on."""
    indent = "  " * row.depth
    if not row.line:
        passes = "pass" if row.times == "1" else "passes"
        mark = f"{'':>{number_width + 1}} {indent}↻ "
        return Row((number, 0), ((mark, "faint"), (f"{row.times} {passes}", "strong")))
    has_text = document is not None and row.line <= len(document.lines)
    text = document.shown(row.line).text.strip() if document is not None and has_text else ""
    room = max(8, width // 2 - number_width - 3)
    shown = f"{indent}{text}"
    shown = shown if len(shown) <= room else shown[: room - 1] + "…"
    changes = visible(",  ".join(row.changes), 1_000)
    pieces: list[Piece] = [
        (f" {row.line:>{number_width}} ", "faint"),
        (f"{shown:<{room}} ", "name"),
        (changes, "changed"),
    ]
    return Row((number, row.line), tuple(pieces))


def details(visit: Visit) -> Iterator[Row]:
    """All that is kept of what one line changed."""
    times = f"line {visit.line}, executed {visit.times:,}×" if visit.times > 1 else ""
    if times:
        yield Row(("times",), ((f" {times}", "faint"),))
    for index, change in enumerate(visit.changes):
        text = describe_change(change, 50, _LONGEST_BELOW)
        yield Row(("change", index), ((" ", "name"), (visible(text, 4_000), "value")))
    if not visit.changes and not times:
        yield Row(("nothing",), ((" this line changed no local", "faint"),))
