"""The disassembly pane: instructions with their source lines, loaded on demand.

It is independent of the session: it receives rows (``show_rows``), requests more at the ends, and
posts messages for user actions. A step repaints two rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from tuidbg.session.core.breakpoints.store import lines_of
from tuidbg.session.core.session import Session
from tuidbg.session.features.native.disassembly import (
    PAGE,
    DisassemblySourceLine,
    FunctionLabel,
    Instruction,
    Row,
    with_places,
)
from tuidbg.session.features.native.views import NativeViews
from tuidbg.session.model.errors import DebuggerError, NoInstructions
from tuidbg.session.model.state import Breakpoint, BreakpointKind, Frame, Place
from tuidbg.tui.features.native.lazy_view import EndlessView
from tuidbg.tui.panes.breakpoints.breakpoint_texts import mark_of
from tuidbg.tui.panes.source.source_lines import line_looks, row_of
from tuidbg.tui.toolkit.keys.key_reader import Hint, Mode, given
from tuidbg.tui.toolkit.text.search import SearchInView, TextSearch
from tuidbg.tui.toolkit.theme.theme import palette_for
from tuidbg.tui.toolkit.widgets.marks import GLYPHS, GutterMark, Position
from tuidbg.tui.toolkit.widgets.rows import fit, highlight, visible

_TARGET = re.compile(r"\$?(0x[0-9a-fA-F]+)")
_LEADS = ("call", "j", "b", "cb", "tb")
"""Prefixes of the names of jump and call instructions."""


def target_of(row: Row) -> int | None:
    """Return the target address of an instruction, if known."""
    if not isinstance(row, Instruction):
        return None
    name, _, operands = row.text.partition(" ")
    if not name.lower().startswith(_LEADS):
        return None
    found = _TARGET.fullmatch(operands.strip())
    return int(found[1], 16) if found is not None else None


def place_of(row: Row) -> Place | None:
    """Return the source line of a row, if known."""
    return None if isinstance(row, FunctionLabel) else row.place


def address_of(row: Row | None) -> int | None:
    """Return a row's address; a source line has none."""
    return row.address if isinstance(row, Instruction | FunctionLabel) else None


def row_mode(row: Row | None) -> Mode:
    """Return the keys while that row is under the cursor; None for no row."""
    hints = [given("go_to_line", "go to"), given("show_code", "source")]
    if row is not None and target_of(row) is not None:
        hints.insert(0, Hint("enter", "follow"))
    elif row is not None and place_of(row) is not None:
        hints.insert(0, Hint("enter", "show line"))
    return Mode(hints=hints)


_NEAR = 24
"""Rows before the end at which more are requested."""

_CONTEXT = 3
"""Rows kept visible above and below the target."""

_BYTES_FROM = 100
"""Cells from which the instruction bytes fit."""

_BYTES = 8
_MNEMONIC = 8
_LEAST_DIGITS = 6


class CodePane(EndlessView):
    """Disassembly rows with a cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Go to the source, or where it leads", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "code--address",
        "code--cursor",
        "code--bytes",
        "code--mnemonic",
        "code--remark",
        "code--source",
        "code--symbol",
        "code--message",
        "code--match",
    }
    DEFAULT_CSS = """
    CodePane {
        background: $background; color: $foreground;
        & > .code--address { color: $foreground 55%; }
        & > .code--cursor { color: $foreground; text-style: bold; }
        & > .code--bytes { color: $foreground 35%; }
        & > .code--mnemonic { color: $text-primary; }
        & > .code--remark { color: $foreground 55%; }
        & > .code--source { color: $text-success; }
        & > .code--symbol { color: $foreground; text-style: bold; }
        & > .code--message { color: $foreground 60%; }
        & > .code--match { background: $secondary 40%; color: $foreground; text-style: underline; }
        &:focus > .code--cursor { background: $foreground 18%; }
    }
    """

    class Wanting(Message):
        """Request for rows before the first (-1) or after the last one (1)."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class Chosen(Message):
        """Enter on a row, or a double click."""

        def __init__(self, row: Row) -> None:
            super().__init__()
            self.row = row

    class BreakpointToggled(Message):
        """A click in the gutter."""

        def __init__(self, row: Row) -> None:
            super().__init__()
            self.row = row

    class CursorMoved(Message):
        """A move of the cursor to another row."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: tuple[Row, ...] = ()
        self.cursor = 0
        self.top = 0
        self._current: int | None = None
        self._selected: int | None = None
        self._marks: Mapping[int, GutterMark] = {}
        self._line_marks: Mapping[tuple[str, int], GutterMark] = {}
        self._digits = _LEAST_DIGITS
        self._asked = {-1: -1, 1: -1}
        self._was_seen = False
        self.search = SearchInView(_CodeText(self), "row")

    # Rows

    @property
    def key_mode(self) -> Mode:
        """The keys for the row under the cursor."""
        return row_mode(None if self.message else self.cursor_row)

    def show_rows(self, rows: Sequence[Row], address: int | None = None) -> None:
        """Show rows, with the cursor on the instruction at ``address``, else unchanged."""
        kept, offset = self._address_of(self.cursor), self.cursor - self.top
        self.rows = tuple(rows)
        self.message = ""
        self._asked = {-1: -1, 1: -1}
        self._digits = max(
            (len(f"{r.address:x}") for r in self.rows if not isinstance(r, DisassemblySourceLine)),
            default=_LEAST_DIGITS,
        )
        at = self.index_of(kept) if address is None and kept is not None else None
        if at is not None:
            self.cursor = at
            self._set_top(at - offset)
        elif address is not None:
            self.cursor = self.index_of(address) or 0
            self._set_top(self.cursor - max(1, self.size.height) // 3)
        self.refresh()
        self._tell_moved()

    def index_of(self, address: int) -> int | None:
        """Return the row of the instruction at an address."""
        for index, row in enumerate(self.rows):
            if isinstance(row, Instruction) and row.address == address:
                return index
        return None

    def _address_of(self, index: int) -> int | None:
        """Return the address of a row, or of the instruction below it."""
        for row in self.rows[index : index + 3]:
            if isinstance(row, Instruction):
                return row.address
        return None

    @property
    def cursor_row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def go_to(self, address: int) -> bool:
        """Move the cursor to an instruction; False if it is not loaded."""
        index = self.index_of(address)
        if index is None:
            return False
        self.go_to_row(index)
        return True

    def go_to_row(self, index: int) -> None:
        """Move the cursor to a row and scroll it into view."""
        self._move_to(index)
        height = self.size.height
        if not height:  # it is not shown: `on_resize` scrolls instead
            self._was_seen = False
        elif not self.top + min(_CONTEXT, height // 4) <= index < self.top + height - 1:
            self._set_top(index - height // 3)
            self.refresh()

    # Marks

    def set_execution(self, current: int | None, selected: int | None) -> None:
        """Mark the next instruction of the top frame and that of the selected frame."""
        touched = {self._current, self._selected, current, selected}
        before = {address: self._position(address) for address in touched}
        self._current, self._selected = current, selected
        for address in touched - {None}:
            if before[address] != self._position(address) and address is not None:
                self._refresh_address(address)

    def set_marks(
        self, marks: Mapping[int, GutterMark], line_marks: Mapping[tuple[str, int], GutterMark]
    ) -> None:
        """Show breakpoints by address and by source line."""
        if (marks, line_marks) != (self._marks, self._line_marks):
            self._marks, self._line_marks = dict(marks), dict(line_marks)
            for y in range(self.size.height):
                self.refresh_row(y, 0, 1)

    def _position(self, address: int | None) -> Position | None:
        if address is None:
            return None
        if address == self._current:
            return Position.CURRENT
        return Position.SELECTED if address == self._selected else None

    def _refresh_address(self, address: int) -> None:
        index = self.index_of(address)
        if index is not None:
            self.refresh_row(index - self.top)

    @property
    def _gutter(self) -> int:
        """Return the cells of mark, address and position: ``● 55555555516f ▶ ``."""
        return self._digits + 5

    # Movement

    def move_by(self, rows: int) -> None:
        self._move_to(self.cursor + rows)
        height = max(1, self.size.height)
        context = min(_CONTEXT, height // 4)
        top = min(self.top, self.cursor - context)
        top = max(top, self.cursor - height + 1 + context)
        if top != self.top:
            self._set_top(top)
            self.refresh()

    def scroll_rows(self, rows: int) -> None:
        before = self.top
        self._set_top(self.top + rows)
        if self.top != before:
            self.refresh()

    def _move_to(self, index: int) -> None:
        old, self.cursor = self.cursor, max(0, min(index, len(self.rows) - 1))
        if old != self.cursor:
            for row in (old, self.cursor):
                self.refresh_row(row - self.top)
            self._tell_moved()
        self._ask_for_more()

    def _tell_moved(self) -> None:
        self.post_message(self.CursorMoved())
        if self.has_focus:
            self.refresh_bindings()

    def _set_top(self, top: int) -> None:
        self.top = max(0, min(top, len(self.rows) - max(1, self.size.height)))
        self._ask_for_more()

    def _ask_for_more(self) -> None:
        """Request more rows, once for each end until they change."""
        if not self.rows:
            return
        if min(self.top, self.cursor) < _NEAR and self._asked[-1] != len(self.rows):
            self._asked[-1] = len(self.rows)
            self.post_message(self.Wanting(-1))
        last = max(self.top + self.size.height, self.cursor)
        if last > len(self.rows) - _NEAR and self._asked[1] != len(self.rows):
            self._asked[1] = len(self.rows)
            self.post_message(self.Wanting(1))

    def on_resize(self) -> None:
        was_seen, self._was_seen = self._was_seen, self.size.height > 0
        self._set_top(self.top)
        in_sight = self.top <= self.cursor < self.top + max(1, self.size.height)
        if not (in_sight and was_seen):
            self._set_top(self.cursor - self.size.height // 3)
        self.refresh()

    def action_choose(self) -> None:
        """Go to the row's target."""
        if (row := self.cursor_row) is not None:
            self.post_message(self.Chosen(row))

    def on_click(self, event: events.Click) -> None:
        index = self.top + event.y
        if index >= len(self.rows):
            return
        if event.x < self._gutter:
            self.post_message(self.BreakpointToggled(self.rows[index]))
            return
        self._move_to(index)
        if event.chain == 2:
            self.post_message(self.Chosen(self.rows[index]))

    # Painting

    def render_line(self, y: int) -> Strip:
        if self.message or not self.rows:
            return self.message_row(y, "code--message")
        index = self.top + y
        if index >= len(self.rows):
            return Strip.blank(self.size.width, self.rich_style)
        row, base = self.rows[index], self.rich_style
        strip = self._tinted_row(row, index, base)
        if self.search.marked is not None:
            style = self._style("match")
            for span in self.search.marked.spans(strip.text):
                strip = highlight(strip, span, style)
        return strip

    def _tinted_row(self, row: Row, index: int, base: Style) -> Strip:
        at = row.address if isinstance(row, Instruction) else None
        palette = palette_for(self.app.current_theme)
        tint = line_looks(self, palette).get(row_of(self._position(at), index == self.cursor))
        if tint is None:
            return fit([*self._gutter_of(row, index), *self._text_of(row)], self.size.width, base)
        sign, number, *rest = [*self._gutter_of(row, index), *self._text_of(row)]
        tinted = [Segment(text, (style or base) + tint) for text, style, _ in (sign, *rest)]
        has_own = number.style is not None and number.style.bgcolor != base.bgcolor
        number = number if has_own else Segment(number.text, (number.style or base) + tint)
        return fit([tinted[0], number, *tinted[1:]], self.size.width, base + tint)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"code--{name}")

    def _gutter_of(self, row: Row, index: int) -> list[Segment]:
        palette = palette_for(self.app.current_theme)
        base, mark = self.rich_style, self._mark_of(row)
        here = index == self.cursor
        number = self._style("cursor" if here else "address")
        sign = Segment(" ", base)
        if mark is not None:
            sign = Segment(GLYPHS[mark], base + palette.marks[mark])
        if not isinstance(row, Instruction):
            text = "" if isinstance(row, FunctionLabel) else f"{row.place.line}"
            return [sign, Segment(f" {text:>{self._digits}} ", number), Segment("  ", base)]
        text = f"{row.address:0{self._digits}x}"
        if (position := self._position(row.address)) is not None:
            block = base + palette.marks[position]
            return [sign, Segment(f" {text} {GLYPHS[position]} ", block)]
        return [sign, Segment(f" {text} ", number), Segment("  ", base)]

    def _mark_of(self, row: Row) -> GutterMark | None:
        if isinstance(row, Instruction):
            return self._marks.get(row.address)
        if isinstance(row, DisassemblySourceLine):
            return self._line_marks.get((row.place.path, row.place.line))
        return None

    def _text_of(self, row: Row) -> list[Segment]:
        if isinstance(row, FunctionLabel):
            return [Segment(f"{visible(row.name)}:", self._style("symbol"))]
        if isinstance(row, DisassemblySourceLine):
            if not row.text:
                return [Segment(visible(row.place.path), self._style("remark"))]
            return [Segment(visible(row.text.expandtabs(4)), self._style("source"))]
        mnemonic, _, operands = row.text.partition(" ")
        segments = [
            Segment(f"  {mnemonic:<{_MNEMONIC}}", self._style("mnemonic")),
            Segment(operands, self.rich_style),
        ]
        if row.remark:
            segments.append(Segment(f"  ; {visible(row.remark)}", self._style("remark")))
        if self.size.width >= _BYTES_FROM:
            shown = row.data[:_BYTES].hex(" ") + ("…" if len(row.data) > _BYTES else "")
            segments.insert(0, Segment(f"{shown:<{3 * _BYTES}}", self._style("bytes")))
        return segments


class _CodeText:
    """The loaded rows as a searchable text."""

    def __init__(self, pane: CodePane) -> None:
        self._pane = pane
        self._rows: tuple[Row, ...] = ()
        self.lines: Sequence[str] = ()

    @property
    def document(self) -> _CodeText:
        if self._rows is not self._pane.rows:
            self._rows = self._pane.rows
            self.lines = [_searched(row) for row in self._rows]
        return self

    @property
    def cursor_line(self) -> int:
        return self._pane.cursor + 1

    def move_cursor(self, line: int) -> None:
        self._pane.go_to_row(line - 1)

    def reveal_text(self, line: int, first: int, end: int) -> None:
        """Do nothing: the disassembly does not scroll horizontally."""

    def mark_matches(self, old: TextSearch | None, new: TextSearch | None) -> None:
        self._pane.refresh()


def _searched(row: Row) -> str:
    if isinstance(row, FunctionLabel):
        return row.name
    if isinstance(row, DisassemblySourceLine):
        return row.text
    return f"{row.address:x} {row.text} {row.remark}"


_ABOVE = 24
"""Instructions fetched above the target at first."""

KEPT = 2000
"""Maximum instructions kept; beyond, those at the other end are dropped."""


class CodeView:
    """The controller that fills the pane with a session's disassembly."""

    def __init__(self, session: Session, pane: CodePane) -> None:
        self._session = session
        self.pane = pane
        self._code: tuple[Instruction, ...] = ()
        self._run = 0

    async def show(self, address: int) -> None:
        """Disassemble at an address, with the cursor on it. Raises DebuggerError."""
        if not self.pane.go_to(address):
            code = await NativeViews.of(self._session).disassembly.around(
                address, _ABOVE, _ABOVE + PAGE
            )
            self._put(code, address)

    async def follow(self, frames: Sequence[Frame], frame: Frame | None) -> None:
        """Mark the frames' instructions, and scroll to that of ``frame``."""
        self.begin_run()
        top = frames[0].address if frames else None
        at = frame.address if frame is not None else None
        self.pane.set_execution(top, at)
        if at is None:
            if frame is not None:
                self.pane.show_message(f"nothing is known of the code of {frame.name}")
            return
        try:
            await self.show(at)
        except NoInstructions as error:
            self._code = ()
            self.pane.show_rows(())
            self.pane.show_message(str(error))
        self.show_marks()

    def begin_run(self) -> None:
        """Drop the rows: code of an earlier run may be elsewhere by now, with other sources."""
        if self._run != (pid := self._session.pid or 0):
            self._run = pid
            self._code = ()
            NativeViews.of(self._session).disassembly.forget_sources()
            self.pane.show_rows(())

    async def extend(self, direction: int) -> None:
        """Fetch rows above the first or below the last one."""
        if not self._code:
            return
        first, last, disassembly = (
            self._code[0],
            self._code[-1],
            NativeViews.of(self._session).disassembly,
        )
        try:
            if direction < 0:
                more = await disassembly.before(first.address, PAGE)
            else:
                more = await disassembly.after(last, PAGE)
        except DebuggerError:
            return  # the program resumed; further scrolling asks again
        if not more or not self._code or (first, last) != (self._code[0], self._code[-1]):
            return
        if direction < 0:
            self._put((*more, *self._code)[:KEPT])
        else:
            self._put((*self._code, *more)[-KEPT:])

    def _put(self, code: Sequence[Instruction], address: int | None = None) -> None:
        self._code = with_places(code)
        self.pane.show_rows(NativeViews.of(self._session).disassembly.rows(self._code), address)

    def show_marks(self) -> None:
        """Show the breakpoints at instructions and lines."""
        marks: dict[int, GutterMark] = {}
        line_marks: dict[tuple[str, int], GutterMark] = {}
        is_muted = self._session.breakpoints.muted
        # A line's own breakpoint hides that of a function beginning there.
        for each in sorted(self._session.breakpoints.registry, key=_is_of_line):
            if each.kind is BreakpointKind.ADDRESS and each.address is not None:
                marks[each.address] = mark_of(each, is_muted=is_muted)
            elif each.path:
                for line in lines_of(each, each.path):
                    line_marks[each.path, line] = mark_of(each, is_muted=is_muted)
        self.pane.set_marks(marks, line_marks)


def _is_of_line(breakpoint: Breakpoint) -> bool:
    return breakpoint.kind is BreakpointKind.LINE
