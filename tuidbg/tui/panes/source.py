"""The source pane: the text of one document, where the program stands in it, its breakpoints.

It paints only what changed: a step costs two gutters, an answer about a breakpoint one. It decides
nothing: clicks in the gutter become messages, and the app tells it the marks and the lines.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tuidbg.tui.document import Document
from tuidbg.tui.highlight import Highlighter
from tuidbg.tui.panes.source_lines import (
    GLYPHS,
    GutterState,
    LinePainter,
    LineStyles,
    Mark,
    Position,
    gutter_width,
)
from tuidbg.tui.theme import palette_for

__all__ = ["GLYPHS", "Mark", "Position", "SourcePane"]

_CONTEXT = 3
"""Lines kept in sight above and below the line that matters."""

_SIDEWAYS = 8
"""Cells that one key press scrolls sideways."""

_PLACES_KEPT = 200
_HIGHLIGHTERS_KEPT = 8


class _Place(NamedTuple):
    """Where the person was in a document."""

    cursor: int
    scroll_x: int
    scroll_y: int


class SourcePane(ScrollView, can_focus=True):
    """Shows one ``Document`` with a line cursor. Lines are 1-based."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move_cursor(-1)", "Line up", show=False),
        Binding("down", "move_cursor(1)", "Line down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "edge('first')", "First line", show=False),
        Binding("end", "edge('last')", "Last line", show=False),
        Binding("left", "sideways(-1)", "Scroll left", show=False),
        Binding("right", "sideways(1)", "Scroll right", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "source--line-number",
        "source--cursor",
        "source--match",
        "source--message",
    }
    """Gutter marks and syntax colours come from the theme files instead (``palette_for``).

    | Class | Description |
    | :- | :- |
    | `source--line-number` | Line numbers. |
    | `source--cursor` | The number of the line with the cursor. |
    | `source--match` | Text that a search found. |
    | `source--message` | What is said where there is no text. |
    """
    DEFAULT_CSS = """
    SourcePane {
        background: $background;
        color: $foreground;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        & > .source--line-number { color: $foreground 55%; }
        & > .source--cursor { color: $foreground; text-style: bold; }
        & > .source--match { background: $warning 40%; color: $foreground; text-style: underline; }
        & > .source--message { color: $foreground 60%; }
        &:focus > .source--cursor { background: $foreground 18%; }
    }
    """

    cursor_line: reactive[int] = reactive(1, repaint=False, init=False)
    """The line with the cursor."""

    class BreakpointToggled(Message):
        """A left click into the gutter."""

        def __init__(self, path: str, line: int) -> None:
            super().__init__()
            self.path = path
            self.line = line

    class BreakpointEdited(Message):
        """A right click into the gutter."""

        def __init__(self, path: str, line: int) -> None:
            super().__init__()
            self.path = path
            self.line = line

    class CursorMoved(Message):
        """The cursor is on another line, or in another document. ``path`` is the document's key."""

        def __init__(self, path: str, line: int) -> None:
            super().__init__()
            self.path = path
            self.line = line

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._document: Document | None = None
        self._marks: dict[int, Mark] = {}
        self._current: int | None = None
        self._selected: int | None = None
        self._match: re.Pattern[str] | None = None
        self._painter: LinePainter | None = None
        self._painter_is_stale = False
        self._places: OrderedDict[str, _Place] = OrderedDict()
        self._highlighters: OrderedDict[str, tuple[Document, int, Highlighter]] = OrderedDict()
        self._reveal_later: int | None = None

    # What the app says

    @property
    def document(self) -> Document | None:
        """The document that is shown."""
        return self._document

    def show(self, document: Document, *, line: int | None = None) -> None:
        """Show ``document``, with the cursor on ``line`` or where it was when last shown.

        Marks and execution lines belong to a document: after a change of documents the app gives
        the new ones (``set_marks``, ``set_execution``) in the same turn.
        """
        if document is not self._document:
            self._leave()
            self._document = document
            self._enter(document)
        if line is not None:
            self.move_cursor(line)

    def refresh_document(self) -> None:
        """Show the present text of the document, after its ``reload``."""
        if self._document is not None:
            place = self._place()
            self._enter(self._document, place)

    def set_marks(self, marks: Mapping[int, Mark]) -> None:
        """Show these breakpoints, by line, and no others."""
        old, self._marks = self._marks, dict(marks)
        for line in old.keys() | self._marks.keys():
            if old.get(line) != self._marks.get(line):
                self._refresh_gutter(line)

    def set_execution(
        self, current: int | None, selected: int | None = None, *, follow: bool = True
    ) -> None:
        """Mark the line where the program stands and the selected frame's line, where they are in
        this document. With ``follow``, bring the cursor to the selected one, else the current."""
        old = {self._current, self._selected}
        self._current, self._selected = current, selected
        for line in old ^ {current, selected}:
            self._refresh_gutter(line)
        if old == {current, selected}:
            # The same lines may have changed their roles.
            for line in old:
                self._refresh_gutter(line)
        target = current if selected is None else selected
        if follow and target is not None:
            self.move_cursor(target)

    def move_cursor(self, line: int) -> None:
        """Put the cursor on ``line`` (the nearest that exists) and have it in sight."""
        self.cursor_line = line
        self.reveal(self.cursor_line)

    def reveal(self, line: int) -> None:
        """Scroll, at once and only if needed, so that ``line`` is in sight with some context.

        It then comes to stand a third from the top, so that the next page is far: a scroll costs
        as many bytes as ten steps.
        """
        height = self.size.height
        if not height:
            self._reveal_later = line
            return
        if not self._is_comfortable(line):
            self.scroll_to(y=max(0, line - 1 - height // 3), animate=False, force=True)

    def find(
        self,
        text: str,
        *,
        backwards: bool = False,
        from_cursor: bool = True,
        start: int | None = None,
    ) -> int | None:
        """Go to the next line with ``text`` and return it; ``None`` where no line has it.

        Capital letters in ``text`` make their case count. All matches in sight are marked until
        ``clear_search``. The search begins after the cursor's line (before it, ``backwards``), or
        at the first (last) line without ``from_cursor``, or at ``start``, which may itself be the
        result: for a search that follows the typing. At the end it goes round.
        """
        if not text or self._document is None:
            self.clear_search()
            return None
        flags = re.NOFLAG if any(character.isupper() for character in text) else re.IGNORECASE
        self._set_match(re.compile(re.escape(text), flags))
        if start is None:
            start = self.cursor_line + (-1 if backwards else 1) if from_cursor else 1
            if backwards and not from_cursor:
                start = len(self._document.lines)
        line = self._next_match(start, backwards)
        if line is not None:
            self.move_cursor(line)
            self._reveal_match(line)
        return line

    def clear_search(self) -> None:
        """Mark no matches any longer."""
        self._set_match(None)

    # Documents come and go

    def _place(self) -> _Place:
        return _Place(self.cursor_line, self.scroll_offset.x, self.scroll_offset.y)

    def _leave(self) -> None:
        if self._document is not None:
            self._places[self._document.key] = self._place()
            self._places.move_to_end(self._document.key)
            if len(self._places) > _PLACES_KEPT:
                self._places.popitem(last=False)
        self._marks = {}
        self._current = self._selected = None

    def _enter(self, document: Document, place: _Place | None = None) -> None:
        place = place or self._places.get(document.key, _Place(1, 0, 0))
        self._painter = None
        self._reveal_later = None
        lines = len(document.lines)
        width = gutter_width(lines) + document.width if lines else 0
        self.virtual_size = Size(width, lines)
        self.refresh()
        self.scroll_to(place.scroll_x, place.scroll_y, animate=False, force=True)
        old, self.cursor_line = self.cursor_line, place.cursor
        if old == self.cursor_line:
            self._post_cursor()
        if not self.size.height:
            self._reveal_later = self.cursor_line
        self._highlight_in_background(self._highlighter(document))

    def _highlighter(self, document: Document) -> Highlighter:
        key = document.key
        known, revision, highlighter = self._highlighters.get(key, (None, 0, None))
        if highlighter is None or known is not document or revision != document.revision:
            highlighter = Highlighter(document)
            self._highlighters[key] = (document, document.revision, highlighter)
        self._highlighters.move_to_end(key)
        if len(self._highlighters) > _HIGHLIGHTERS_KEPT:
            self._highlighters.popitem(last=False)
        return highlighter

    def _highlight_in_background(self, highlighter: Highlighter) -> None:
        if not highlighter.complete:
            self.run_worker(self._settle(highlighter), group="highlight", exclusive=True)
        else:
            self.workers.cancel_group(self, "highlight")

    async def _settle(self, highlighter: Highlighter) -> None:
        """Let the highlighter find the truth, a slice a turn, and repaint where it had guessed."""
        while not highlighter.complete:
            highlighter.advance()
            for line in highlighter.settle():
                if self._painter is not None:
                    self._painter.forget(line)
                self._refresh_row(line)
            await asyncio.sleep(0)

    # Cursor and scrolling

    def validate_cursor_line(self, line: int) -> int:
        """Keep the cursor in the document."""
        last = len(self._document.lines) if self._document is not None else 1
        return max(1, min(line, last))

    def watch_cursor_line(self, old: int, new: int) -> None:
        """Repaint the two numbers and tell the app."""
        self._refresh_gutter(old)
        self._refresh_gutter(new)
        self._post_cursor()

    def _post_cursor(self) -> None:
        if self._document is not None:
            self.post_message(self.CursorMoved(self._document.key, self.cursor_line))

    def _is_comfortable(self, line: int) -> bool:
        return self._first_comfortable(line) == self.scroll_offset.y

    def _first_comfortable(self, line: int) -> int:
        """The scroll position nearest to the present one that has ``line`` in sight in context."""
        height = self.size.height
        context = min(_CONTEXT, (height - 1) // 2)
        top = self.scroll_offset.y
        top = min(top, line - 1 - context)
        top = max(top, line - height + context)
        return max(0, min(top, self.max_scroll_y))

    def _scroll_along(self) -> None:
        """Scroll as little as keeps the cursor in sight: what a person expects of cursor keys."""
        top = self._first_comfortable(self.cursor_line)
        if top != self.scroll_offset.y:
            self.scroll_to(y=top, animate=False, force=True)

    def action_move_cursor(self, lines: int) -> None:
        """Move the cursor up or down."""
        self.cursor_line += lines
        self._scroll_along()

    def action_page(self, direction: int) -> None:
        """Move cursor and text by a page."""
        page = max(1, self.size.height - 1)
        self.scroll_to(y=self.scroll_offset.y + direction * page, animate=False, force=True)
        self.cursor_line += direction * page
        self._scroll_along()

    def action_edge(self, edge: str) -> None:
        """Move the cursor to the first or the last line."""
        self.cursor_line = 1 if edge == "first" or self._document is None else len(self._lines)
        self.scroll_to(x=0, animate=False, force=True)
        self._scroll_along()

    def action_sideways(self, direction: int) -> None:
        """Scroll the text left or right; the gutter stays."""
        self.scroll_to(x=self.scroll_offset.x + direction * _SIDEWAYS, animate=False, force=True)

    def on_resize(self) -> None:
        """Do what had to wait for a size; keep the cursor in sight when a pane shrinks."""
        if self._reveal_later is not None and self.size.height:
            line, self._reveal_later = self._reveal_later, None
            self.reveal(line)

    def on_click(self, event: events.Click) -> None:
        """In the gutter: a message for the app. In the text: the cursor."""
        if self._document is None:
            return
        line = event.style.meta.get("line")
        if line is not None:
            event.stop()
            if event.button == 1:
                self.post_message(self.BreakpointToggled(self._document.key, line))
            elif event.button == 3:
                self.post_message(self.BreakpointEdited(self._document.key, line))
        elif event.button == 1:
            line = self.scroll_offset.y + event.y + 1
            if line <= len(self._document.lines):
                self.cursor_line = line

    # Searching

    @property
    def _lines(self) -> list[str]:
        return [] if self._document is None else self._document.lines

    def _set_match(self, match: re.Pattern[str] | None) -> None:
        old, self._match = self._match, match
        if old == match:
            return
        if self._painter is not None:
            self._painter.set_match(match)
        for line in self._visible_lines():
            text = self._lines[line - 1]
            if (old and old.search(text)) or (match and match.search(text)):
                self._refresh_row(line)

    def _next_match(self, start: int, backwards: bool) -> int | None:
        lines, match = self._lines, self._match
        count = len(lines)
        step = -1 if backwards else 1
        for distance in range(count):
            index = (start - 1 + step * distance) % count
            if match is not None and match.search(lines[index]):
                return index + 1
        return None

    def _reveal_match(self, line: int) -> None:
        """Scroll sideways where the first match of ``line`` is out of sight."""
        found = self._match.search(self._lines[line - 1]) if self._match else None
        if found is None or self._document is None:
            return
        shown = self._document.shown(line)
        start = cell_len(shown.text[: shown.position_of(found.start())])
        end = cell_len(shown.text[: shown.position_of(found.end())])
        room = self.size.width - gutter_width(len(self._lines))
        if not self.scroll_offset.x <= start <= end <= self.scroll_offset.x + room:
            left = 0 if end <= room else max(0, start - room // 3)
            self.scroll_to(x=left, animate=False, force=True)

    # Painting

    def _visible_lines(self) -> range:
        top = self.scroll_offset.y
        return range(top + 1, min(top + self.size.height, len(self._lines)) + 1)

    def _refresh_gutter(self, line: int | None) -> None:
        """Repaint only the gutter of a line: the row's text is not written again."""
        if line is not None and line in self._visible_lines():
            width = gutter_width(len(self._lines))
            self.refresh(Region(0, line - 1 - self.scroll_offset.y, width, 1))

    def _refresh_row(self, line: int) -> None:
        if line in self._visible_lines():
            self.refresh(Region(0, line - 1 - self.scroll_offset.y, self.size.width, 1))

    def notify_style_update(self) -> None:
        """The theme or the focus changed: compare the styles at the next paint."""
        super().notify_style_update()
        self._painter_is_stale = True

    def _ready_painter(self, document: Document) -> LinePainter:
        painter = self._painter
        if painter is None or self._painter_is_stale:
            styles = self._line_styles()
            if painter is None or painter.styles != styles:
                painter = LinePainter(document, self._highlighter(document), styles)
                painter.set_match(self._match)
                self._painter = painter
            self._painter_is_stale = False
        return painter

    def _line_styles(self) -> LineStyles:
        base = self.rich_style
        number, cursor, match, message = (
            base + self.get_component_rich_style(f"source--{name}")
            for name in ("line-number", "cursor", "match", "message")
        )
        return LineStyles(base, number, cursor, match, message, palette_for(self.app.current_theme))

    def render_line(self, y: int) -> Strip:
        """One row of the pane (Textual's line API)."""
        scroll_x, scroll_y = self.scroll_offset
        width = self.size.width
        document = self._document
        if document is None or not document.lines:
            return self._message_row(y, "No source yet" if document is None else "(empty file)")
        line = scroll_y + y + 1
        if line > len(document.lines):
            return Strip.blank(width, self.rich_style)
        painter = self._ready_painter(document)
        return painter.paint(line, self._gutter_state(line), scroll_x, width)

    def _gutter_state(self, line: int) -> GutterState:
        position = None
        if line == self._current:
            position = Position.CURRENT
        elif line == self._selected:
            position = Position.SELECTED
        return GutterState(self._marks.get(line), position, line == self.cursor_line)

    def _message_row(self, y: int, message: str) -> Strip:
        styles = self._line_styles()
        width, height = self.size
        if y != height // 2:
            return Strip.blank(width, styles.plain)
        text = message.center(width)[:width]
        return Strip([Segment(text, styles.message)], width)
