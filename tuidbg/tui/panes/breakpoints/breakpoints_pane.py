"""The breakpoints pane: every breakpoint by file, with its state."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import PurePath
from typing import ClassVar, NamedTuple

from rich.cells import cell_len, chop_cells
from textual.binding import Binding, BindingType
from textual.message import Message

from tuidbg.session.model.state import Breakpoint, BreakpointKind, BreakpointStatus, DataAccess
from tuidbg.tui.panes.breakpoints.breakpoint_texts import (
    KIND_GLYPHS,
    describe_pieces,
    describe_rule,
    explain_refusal,
    mark_of,
    name_of,
)
from tuidbg.tui.toolkit.keys.key_reader import Hint, Mode, given
from tuidbg.tui.toolkit.widgets.marks import GLYPHS, GutterMark
from tuidbg.tui.toolkit.widgets.rows import ListRow, Piece, RowsPane, row_width, visible

NO_FILE = ""
"""The key of the group of breakpoints without a source line."""

_INDENT = "     "
"""Indentation of continuation rows."""

_LEAST = 12
"""Cells of text below which it starts in a row of its own."""

_ACCESSES = {
    DataAccess.WRITE: "",
    DataAccess.READ: "when read",
    DataAccess.READ_WRITE: "when read or written",
}

_STYLES = {
    GutterMark.REFUSED: "warning",
    GutterMark.DISABLED: "faint",
    GutterMark.MUTED: "faint",
    GutterMark.MUTED_CONDITIONAL: "faint",
    GutterMark.MUTED_LOG_POINT: "faint",
    GutterMark.MUTED_TRACEPOINT: "faint",
}

_KIND_WORDS = {
    BreakpointKind.FUNCTION: "functions",
    BreakpointKind.EXCEPTION: "exceptions",
    BreakpointKind.DATA: "values",
    BreakpointKind.ADDRESS: "addresses",
}


class BreakpointStyle(NamedTuple):
    """How a breakpoint is shown.

    ``is_hit``: the program is stopped at it. Numbers have ``digits`` columns, rows ``width`` cells
    (0: unlimited). Below a heading (``has_heading``) the file name is not repeated. ``is_muted``:
    breakpoints are muted.
    """

    is_hit: bool
    digits: int
    width: int
    has_heading: bool
    is_muted: bool = False


class BreakpointGroup(NamedTuple):
    """The breakpoints of a file, or all without a source line (``NO_FILE``)."""

    key: str
    breakpoints: Sequence[Breakpoint]


def has_any(breakpoints: Sequence[Breakpoint], path: str) -> bool:
    """Return whether a breakpoint is on a line of that file."""
    return any(found.path == path for found in breakpoints if found.kind is BreakpointKind.LINE)


def groups_of(breakpoints: Sequence[Breakpoint], here: str) -> list[BreakpointGroup]:
    """Return the groups: of the file ``here``, of breakpoints without a file, of other files."""
    groups: dict[str, list[Breakpoint]] = {}
    for found in breakpoints:
        key = found.path if found.kind is BreakpointKind.LINE else NO_FILE
        groups.setdefault(key, []).append(found)

    def order(key: str) -> tuple[bool, bool, str, str]:
        return key != here, key != NO_FILE, PurePath(key).name.lower(), key

    return [BreakpointGroup(key, groups[key]) for key in sorted(groups, key=order)]


def heading_of(
    group: BreakpointGroup, shown_path: str, hit: Collection[int], *, is_open: bool
) -> ListRow:
    """Return the heading of a group; that of a folded one summarizes its breakpoints."""
    breakpoints = group.breakpoints
    is_on = any(found.enabled for found in breakpoints)
    pieces: list[Piece] = [("▾ " if is_open else "▸ ", "faint")]
    pieces.append((visible(_title(group)), "strong" if is_on else "faint"))
    if not is_open:
        pieces.append((f"  {len(breakpoints)}", "faint"))
        if any(found.number in hit for found in breakpoints):
            pieces.append(("  ▶ stopped", "here"))
        if refused := sum(mark_of(found) is GutterMark.REFUSED for found in breakpoints):
            pieces.append((f"  {GLYPHS[GutterMark.REFUSED]} {refused} refused", "warning"))
        if hits := sum(found.hits for found in breakpoints):
            pieces.append((f"  ×{hits}", "strong"))
    if folder := str(PurePath(shown_path).parent):
        pieces.append(("" if folder == "." else f"  {visible(folder)}", "faint"))
    return ListRow(("group", group.key), tuple(piece for piece in pieces if piece[0]))


def _title(group: BreakpointGroup) -> str:
    if group.key != NO_FILE:
        return PurePath(group.key).name
    kinds = [_KIND_WORDS[kind] for kind in _KIND_WORDS if _has(group, kind)]
    return ", ".join(kinds).capitalize()


def _has(group: BreakpointGroup, kind: BreakpointKind) -> bool:
    return any(found.kind is kind for found in group.breakpoints)


def rows_of(found: Breakpoint, look: BreakpointStyle) -> list[ListRow]:
    """Return the rows of a breakpoint: mark, number, name, and details.

    The reason of a refused or pending one continues in further rows if a row is too narrow.
    """
    width, why = look.width, explain_refusal(found) or (found.message if found.enabled else "")
    head = list(_head(found, look))
    said = describe_pieces(found)
    row = ListRow(found.number, (*head, *said))
    if not why or not width or row_width(row) <= width:
        return [row]
    at, style = next(
        (i, style) for i, (text, style) in enumerate(said) if text == f"  {visible(why)}"
    )
    head += said[:at]
    room = width - row_width(ListRow(found.number, tuple(head))) - 2
    lines = list(_wrapped(visible(why), room, width - len(_INDENT)))
    if lines[0]:
        head.append((f"  {lines[0]}", style))
    rows = [ListRow(found.number, tuple(head))]
    for index, line in enumerate(lines[1:]):
        rows.append(ListRow(("why", found.number, index), ((f"{_INDENT}{line}", style),)))
    last = rows[-1]
    rows[-1] = ListRow(last.key, (*last.pieces, *said[at + 1 :]))
    return rows


def _head(found: Breakpoint, look: BreakpointStyle) -> Iterator[Piece]:
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
    """Return the place of a function or address, or the condition of an exception or value."""
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
    """Wrap a text: at most ``first`` cells in the first line, then ``room``."""
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


Made = dict[int, tuple[Breakpoint, BreakpointStyle, list[ListRow]]]
"""Breakpoints as last shown, by number: with their look and rows."""


class BreakpointsPane(RowsPane):
    """The list of breakpoints: the shown file's first, the other files folded."""

    EMPTY = "No breakpoints: b sets one at the cursor"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "enable", "Enable or disable", show=False),
        Binding("right", "open", "Unfold a file", show=False),
        Binding("left", "close", "Fold a file, or go to its heading", show=False),
        Binding("d,delete", "delete", "Delete", show=False),
        Binding("E", "enable_group", "Enable or disable the group", show=False),
        Binding("D", "delete_group", "Delete the group", show=False),
    ]

    class Chosen(Message):
        """Activation of a breakpoint: go there, or use the suggested line."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class EnableToggled(Message):
        """Request to enable or disable a breakpoint."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class Deleted(Message):
        """Request to delete a breakpoint."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class GroupEnableToggled(Message):
        """Request to enable or disable a breakpoint's group."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class GroupDeleted(Message):
        """Request to delete a breakpoint's group."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._breakpoints: Sequence[Breakpoint] = ()
        self._hit: Sequence[int] = ()
        self._is_muted = False
        self._shown_path: Callable[[str], str] = str
        self._file = NO_FILE
        self._here = NO_FILE  # the last file shown that has breakpoints
        self._folds: dict[str, bool] = {}  # groups folded or unfolded by the user
        self._groups: list[BreakpointGroup] = []
        self._made: Made = {}
        self._width = 0

    def show_breakpoints(
        self,
        breakpoints: Sequence[Breakpoint],
        hit: Sequence[int] = (),
        shown_path: Callable[[str], str] = str,
        *,
        is_muted: bool = False,
    ) -> None:
        """Show breakpoints; those of ``hit`` are the ones where the program is stopped.

        Called at every change of a hit count: unchanged rows are kept. ``shown_path`` shortens a
        path for display; ``is_muted``: none stops the program.
        """
        new = self._made_by_hand(breakpoints)
        self._breakpoints, self._hit, self._shown_path = breakpoints, hit, shown_path
        self._is_muted = is_muted
        self._rebuild()
        is_here = self.is_attached and self.screen.focused is self
        if is_here and any(row.key == new for row in self.rows):
            self.move_cursor_to(new)

    def _made_by_hand(self, breakpoints: Sequence[Breakpoint]) -> int | None:
        """Return the number of the breakpoint just set by the user: news are about it."""
        known = {found.number for found in self._breakpoints}
        new = [found for found in breakpoints if found.number not in known]
        is_one = len(new) == 1 and len(breakpoints) == len(known) + 1
        return new[0].number if is_one and new[0].origin == "tui" else None

    def show_file(self, path: str) -> None:
        """Show this file's breakpoints first; keep the order while it has none."""
        self._file = path
        if path != self._here:
            self._rebuild()

    def _rebuild(self) -> None:
        if has_any(self._breakpoints, self._file):
            self._here = self._file
        self._groups = groups_of(self._breakpoints, self._here)
        made, self._made = self._made, {}
        rows = list(self._rows_of_all(made))
        self._leave_folded(rows)
        self.set_rows(rows)

    def _rows_of_all(self, made: Made) -> Iterator[ListRow]:
        if not self._has_headings:
            yield from self._rows_of(self._breakpoints, made, has_heading=False)
            return
        for group in self._groups:
            is_open = self._is_open(group.key)
            path = self._shown_path(group.key)
            yield heading_of(group, path, self._hit, is_open=is_open)
            if is_open:
                yield from self._rows_of(group.breakpoints, made, has_heading=True)

    def _rows_of(
        self, breakpoints: Sequence[Breakpoint], made: Made, *, has_heading: bool
    ) -> Iterator[ListRow]:
        digits = len(str(max((found.number for found in self._breakpoints), default=1)))
        for found in breakpoints:
            is_hit = found.number in self._hit
            look = BreakpointStyle(is_hit, digits, self._width, has_heading, self._is_muted)
            kept = made.get(found.number)
            if kept is None or kept[0] is not found or kept[1] != look:
                kept = (found, look, rows_of(found, look))
            self._made[found.number] = kept
            yield from kept[2]

    def _leave_folded(self, rows: Sequence[ListRow]) -> None:
        """Move the cursor to the heading of the group that was folded."""
        number = self.cursor_number
        if number is None or any(row.key == self.cursor_key for row in rows):
            return
        if any(row.key == number for row in rows):
            self.move_cursor_to(number)
        elif (group := self._group_of(number)) is not None:
            index = next((i for i, row in enumerate(rows) if row.key == ("group", group)), None)
            if index is not None:
                self.set_rows(rows)
                self.cursor = index

    # Folding

    @property
    def _has_headings(self) -> bool:
        """Return whether there is more than one file: a single heading would only waste a row."""
        return sum(group.key != NO_FILE for group in self._groups) > 1

    def _is_open(self, key: str) -> bool:
        return self._folds.get(key, key in (self._here, NO_FILE))

    def _group_of(self, number: int) -> str | None:
        for group in self._groups:
            if any(found.number == number for found in group.breakpoints):
                return group.key
        return None

    @property
    def cursor_group(self) -> str | None:
        """The group whose heading is under the cursor."""
        match self.cursor_key:
            case ("group", str(key)):
                return key
        return None

    def _fold(self, key: str, is_open: bool) -> None:
        self._folds[key] = is_open
        before = len(self.rows)
        self._rebuild()
        self._show_below(len(self.rows) - before)

    def _show_below(self, count: int) -> None:
        """Scroll to show as much as possible of the unfolded group below the cursor."""
        last = self.cursor + count
        if count > 0 and last >= self.scroll_offset.y + self.size.height:
            self._scroll_at_once(min(self.cursor, last - self.size.height + 1))

    def action_open(self) -> None:
        """Unfold the group under the cursor."""
        if (key := self.cursor_group) is not None:
            self._fold(key, True)

    def action_close(self) -> None:
        """Fold the group under the cursor; from a breakpoint, go to its group's heading."""
        if (key := self.cursor_group) is not None:
            self._fold(key, False)
        elif (number := self.cursor_number) is not None:
            self.move_cursor_to(("group", self._group_of(number)))

    def on_resize(self) -> None:
        super().on_resize()
        if (width := self.size.width - 1) != self._width:
            self._width = width
            self._rebuild()

    # Requests

    @property
    def cursor_number(self) -> int | None:
        """The number of the breakpoint under the cursor, also in its continuation rows."""
        match self.cursor_key:
            case int(number) | ("why", int(number), _):
                return number
        return None

    @property
    def key_mode(self) -> Mode:
        """The keys for the breakpoint under the cursor."""
        found = next((b for b in self._breakpoints if b.number == self.cursor_number), None)
        if found is None:
            return Mode()
        hints = [
            Hint("space", "on, off"),
            Hint("d", "delete"),
            given("edit_breakpoint", "edit"),
            Hint("enter", "go there"),
        ]
        if found.status is not BreakpointStatus.SET and found.message:
            hints.insert(0, given("explain_breakpoint", "why"))
        return Mode(hints=hints)

    def action_activate(self) -> None:
        if (number := self.cursor_number) is not None:
            self.post_message(self.Chosen(number))
        elif (key := self.cursor_group) is not None:
            self._fold(key, not self._is_open(key))

    def action_enable(self) -> None:
        if (number := self.cursor_number) is not None:
            self.post_message(self.EnableToggled(number))
        elif (key := self.cursor_group) is not None:
            self._fold(key, not self._is_open(key))

    def action_delete(self) -> None:
        if (number := self.cursor_number) is not None:
            self.post_message(self.Deleted(number))

    def action_enable_group(self) -> None:
        if (number := self.cursor_number) is not None:
            self.post_message(self.GroupEnableToggled(number))

    def action_delete_group(self) -> None:
        if (number := self.cursor_number) is not None:
            self.post_message(self.GroupDeleted(number))
