"""The rows of the list: a heading for each file, a breakpoint below it, and why it was refused."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from rich.cells import cell_len, chop_cells

from tuidbg.session.state import Breakpoint, BreakpointKind, DataAccess
from tuidbg.tui.breakpoints.wording import (
    KIND_GLYPHS,
    describe_pieces,
    describe_rule,
    explain_refusal,
    mark_of,
    name_of,
)
from tuidbg.tui.widgets.marks import GLYPHS, Mark
from tuidbg.tui.widgets.rows import Piece, Row, row_width, visible

NO_FILE = ""
"""The key of the group of breakpoints that hang on no line of a file."""

_INDENT = "     "
"""Stands before what goes on in a further row."""

_LEAST = 12
"""Cells for words below which they begin in a row of their own."""

_ACCESSES = {
    DataAccess.WRITE: "",
    DataAccess.READ: "when read",
    DataAccess.READ_WRITE: "when read or written",
}

_STYLES = {
    Mark.REFUSED: "warning",
    Mark.DISABLED: "faint",
    Mark.MUTED: "faint",
    Mark.MUTED_CONDITIONAL: "faint",
    Mark.MUTED_LOG_POINT: "faint",
    Mark.MUTED_TRACEPOINT: "faint",
}

_KIND_WORDS = {
    BreakpointKind.FUNCTION: "functions",
    BreakpointKind.EXCEPTION: "exceptions",
    BreakpointKind.DATA: "values",
    BreakpointKind.ADDRESS: "addresses",
}


class Look(NamedTuple):
    """Says how a breakpoint is shown.

    ``is_hit``: the program stands at it. Its number has so many ``digits``, its row ``width`` cells
    (0: enough). Below a heading (``has_heading``) the name of the file is not said again.
    ``is_muted``: none of them stops the program.
    """

    is_hit: bool
    digits: int
    width: int
    has_heading: bool
    is_muted: bool = False


class Group(NamedTuple):
    """Holds the breakpoints of a file, or all that hang on no line (``NO_FILE``)."""

    key: str
    breakpoints: Sequence[Breakpoint]


def has_any(breakpoints: Sequence[Breakpoint], path: str) -> bool:
    """Returns whether one of these hangs on a line of that file."""
    return any(found.path == path for found in breakpoints if found.kind is BreakpointKind.LINE)


def groups_of(breakpoints: Sequence[Breakpoint], here: str) -> list[Group]:
    """Returns those of the file ``here`` first, then those of no file, then the other files'."""
    groups: dict[str, list[Breakpoint]] = {}
    for found in breakpoints:
        key = found.path if found.kind is BreakpointKind.LINE else NO_FILE
        groups.setdefault(key, []).append(found)

    def order(key: str) -> tuple[bool, bool, str, str]:
        return key != here, key != NO_FILE, PurePath(key).name.lower(), key

    return [Group(key, groups[key]) for key in sorted(groups, key=order)]


def heading_of(group: Group, shown_path: str, hit: Collection[int], *, is_open: bool) -> Row:
    """The heading of a group; of a folded one it tells what is to be known of those in it."""
    breakpoints = group.breakpoints
    is_on = any(found.enabled for found in breakpoints)
    pieces: list[Piece] = [("▾ " if is_open else "▸ ", "faint")]
    pieces.append((visible(_title(group)), "strong" if is_on else "faint"))
    if not is_open:
        pieces.append((f"  {len(breakpoints)}", "faint"))
        if any(found.number in hit for found in breakpoints):
            pieces.append(("  ▶ stopped", "here"))
        if refused := sum(mark_of(found) is Mark.REFUSED for found in breakpoints):
            pieces.append((f"  {GLYPHS[Mark.REFUSED]} {refused} refused", "warning"))
        if hits := sum(found.hits for found in breakpoints):
            pieces.append((f"  ×{hits}", "strong"))
    if folder := str(PurePath(shown_path).parent):
        pieces.append(("" if folder == "." else f"  {visible(folder)}", "faint"))
    return Row(("group", group.key), tuple(piece for piece in pieces if piece[0]))


def _title(group: Group) -> str:
    if group.key != NO_FILE:
        return PurePath(group.key).name
    kinds = [_KIND_WORDS[kind] for kind in _KIND_WORDS if _has(group, kind)]
    return ", ".join(kinds).capitalize()


def _has(group: Group, kind: BreakpointKind) -> bool:
    return any(found.kind is kind for found in group.breakpoints)


def rows_of(found: Breakpoint, look: Look) -> list[Row]:
    """One breakpoint: mark, number, name, and what is to be said of it.

    Why it is refused, or not set yet, goes on in further rows where a row is too narrow for it.
    """
    width, why = look.width, explain_refusal(found) or (found.message if found.enabled else "")
    head = list(_head(found, look))
    said = describe_pieces(found)
    row = Row(found.number, (*head, *said))
    if not why or not width or row_width(row) <= width:
        return [row]
    at, style = next(
        (i, style) for i, (text, style) in enumerate(said) if text == f"  {visible(why)}"
    )
    head += said[:at]
    room = width - row_width(Row(found.number, tuple(head))) - 2
    lines = list(_wrapped(visible(why), room, width - len(_INDENT)))
    if lines[0]:
        head.append((f"  {lines[0]}", style))
    rows = [Row(found.number, tuple(head))]
    for index, line in enumerate(lines[1:]):
        rows.append(Row(("why", found.number, index), ((f"{_INDENT}{line}", style),)))
    last = rows[-1]
    rows[-1] = Row(last.key, (*last.pieces, *said[at + 1 :]))
    return rows


def _head(found: Breakpoint, look: Look) -> Iterator[Piece]:
    mark = mark_of(found, is_muted=look.is_muted)
    is_faint = look.is_muted or not found.enabled
    name_style = "strong" if look.is_hit else ("faint" if is_faint else "name")
    yield ("▶" if look.is_hit else " ", "here")
    yield (f"{GLYPHS[mark]} ", _STYLES.get(mark, "error"))
    yield (f"{found.number:>{look.digits}} ", "faint")
    if glyph := KIND_GLYPHS.get(found.kind):
        yield (f"{glyph} ", "value")
    is_line = found.kind is BreakpointKind.LINE
    name = f"line {found.line}" if look.has_heading and is_line else name_of(found)
    yield (visible(name), name_style)
    if about := _describe_kind(found):
        yield (f"  {visible(about)}", "faint")


def _describe_kind(breakpoint: Breakpoint) -> str:
    """Returns where a function or an address is, when an exception or a value counts."""
    if breakpoint.kind is BreakpointKind.EXCEPTION and breakpoint.exception is not None:
        return describe_rule(breakpoint.exception)
    if breakpoint.kind is BreakpointKind.DATA:
        return _ACCESSES[breakpoint.access]
    places = {(place.path, place.line) for place in breakpoint.places}
    if breakpoint.kind is BreakpointKind.LINE:
        return ""
    if len(places) > 1:
        return f"{len(places)} places"
    if breakpoint.path and breakpoint.line:
        return f"{PurePath(breakpoint.path).name}:{breakpoint.line}"
    return ""


def _wrapped(text: str, first: int, room: int) -> Iterator[str]:
    """Yields the lines of a text: of at most ``first`` cells the first one, then of ``room``."""
    room = max(room, _LEAST)
    line, left = "", first if first >= _LEAST else 0
    for word in text.split():
        for part in chop_cells(word, room):
            longer = f"{line} {part}" if line else part
            if cell_len(longer) <= left:
                line = longer
            else:
                yield line
                line, left = part, room
    yield line
