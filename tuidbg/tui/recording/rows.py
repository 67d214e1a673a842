"""The rows of a recorded call: its lines as they were executed, and what each of them changed."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from tuidbg.session.call_recording.types import (
    Ending,
    PathRow,
    Phase,
    Recording,
    Visit,
    describe_change,
    describe_local,
    describe_result,
)
from tuidbg.tui.source.document import Document
from tuidbg.tui.widgets.rows import Piece, Row, visible

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
    """Returns how it ended, or how far it is."""
    steps = f"{recording.steps:,} step{'' if recording.steps == 1 else 's'}"
    if recording.phase is Phase.WAITING:
        return ()
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


def path_table(
    told: Sequence[PathRow], document: Document | None, width: int
) -> Iterator[tuple[PathRow, Row]]:
    """Each row as it is shown: the line, its source, and the changes from the middle on."""
    texts = [_text_of(row.line, document) for row in told]
    margin = min((_indent_of(text) for text in texts if text), default=0)
    digits = len(str(max((row.line for row in told), default=1)))
    deepest = max((row.depth for row in told), default=0)
    room = max(8, width // 2 - digits - deepest - 3)
    for number, (row, text) in enumerate(zip(told, texts, strict=True)):
        bars = f"{'│' * row.depth:<{deepest}} "
        if row.line:
            yield row, _line_row(number, row, text[margin:], f"{row.line:>{digits}} {bars}", room)
        else:
            mark = f" {'':>{digits}} {'│' * row.depth}↻ "
            yield row, Row((number, 0), ((mark, "faint"), (f"{row.times} passes", "strong")))


def _line_row(number: int, row: PathRow, text: str, margin: str, room: int) -> Row:
    shown = text if len(text) <= room else text[: room - 1] + "…"
    return Row(
        (number, row.line),
        (
            (f" {margin}", "faint"),
            (f"{shown:<{room}} ", "name"),
            (visible(",  ".join(row.changes), 1_000), "changed"),
        ),
    )


def _text_of(line: int, document: Document | None) -> str:
    if document is None or not 0 < line <= len(document.lines):
        return ""
    return document.shown(line).text.rstrip()


def _indent_of(text: str) -> int:
    return len(text) - len(text.lstrip())


def details(visit: Visit, width: int) -> Iterator[Row]:
    """All that is kept of what one line changed, in lines of that width."""
    times = f"line {visit.line}, executed {visit.times:,}×" if visit.times > 1 else ""
    if times:
        yield Row(("times",), ((f" {times}", "faint"),))
    for index, change in enumerate(visit.changes):
        text = describe_change(change, 50, _LONGEST_BELOW)
        for part, line in enumerate(textwrap.wrap(visible(text, 4_000), max(20, width - 4))):
            lead = "   " if part else " "
            yield Row(("change", index, part), ((lead, "name"), (line, "value")))
    if not visit.changes and not times:
        yield Row(("nothing",), ((" this line changed no local", "faint"),))
