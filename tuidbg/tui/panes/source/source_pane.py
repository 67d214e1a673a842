"""The source pane: the text of one document, the program's position, breakpoints.

It paints only changes: a step costs two rows, an answer about a breakpoint a gutter. It makes no
decisions: clicks in the gutter become messages, and the app sets the marks and lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from tuidbg.tui.panes.source.names import Name, NamesInView
from tuidbg.tui.panes.source.source_lines import (
    LinePainter,
    LineStates,
    LineStyles,
    gutter_width,
    line_styles,
)
from tuidbg.tui.panes.source.visits import Colouring, CursorPlace, Visits
from tuidbg.tui.toolkit.text.document import SourceDocument
from tuidbg.tui.toolkit.text.search import SearchInView, TextSearch
from tuidbg.tui.toolkit.theme.theme import palette_for
from tuidbg.tui.toolkit.widgets.line_view import LineView
from tuidbg.tui.toolkit.widgets.marks import GutterMark

NO_SOURCE = "No source yet"


class SourcePane(LineView):
    """A ``SourceDocument`` with a line cursor. Lines are 1-based."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "look_up", "Value of the next name on the line", show=False)
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "source--line-number",
        "source--cursor",  # the number of the cursor's line
        "source--match",
        "source--message",  # shown without a text
        "source--pointed",  # the name whose value is shown
    }
    """Line styles come from the theme files (``palette_for``)."""
    DEFAULT_CSS = """
    SourcePane {
        background: $background;
        color: $foreground;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        & > .source--line-number { color: $foreground 55%; }
        & > .source--cursor { color: $foreground; text-style: bold; }
        & > .source--match { background: $secondary 40%; text-style: underline; }
        & > .source--message { color: $foreground 60%; }
        & > .source--pointed { background: $primary 35%; color: $foreground; }
        &:focus > .source--cursor { background: $foreground 18%; }
    }
    """

    class AtLine(Message):
        """The base of messages about a line. ``path`` is the document's key."""

        def __init__(self, path: str, line: int) -> None:
            super().__init__()
            self.path = path
            self.line = line

    class BreakpointToggled(AtLine):
        """A left click in the gutter."""

    class BreakpointEdited(AtLine):
        """A right click in the gutter."""

    class CursorMoved(AtLine):
        """A move of the cursor, or a change of the document."""

    class NamePointed(Message):
        """A request for the value of a name; None: there is none on that line."""

        def __init__(self, line: int, name: Name | None) -> None:
            super().__init__()
            self.line = line
            self.name = name

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._document: SourceDocument | None = None
        self._empty = NO_SOURCE
        self._visits = Visits()
        self._states = LineStates()
        self._colouring = Colouring(self, self._visits, self._repaint_colours)
        self.names = NamesInView(self, self._visits)
        self.search = SearchInView(self)
        self._notes: Callable[[int], str] | None = None
        self._painter: LinePainter | None = None
        self._painter_is_stale = False

    @property
    def document(self) -> SourceDocument | None:
        """The document shown."""
        return self._document

    @property
    def line_count(self) -> int:
        """The number of lines of the document."""
        return len(self._document.lines) if self._document is not None else 0

    # Documents

    def show(self, document: SourceDocument, *, line: int | None = None) -> None:
        """Show ``document``, with the cursor on ``line`` or where it was when last shown.

        Marks and execution lines belong to a document: after a change of documents the app sets the
        new ones (``set_marks``, ``set_execution``) in the same turn.
        """
        if document is not self._document:
            if self._document is not None:
                self._visits.leave(self._document, self._place())
            self._document = document
            self._states = LineStates()
            self._notes = None
            self._enter(document, self._visits.place(document))
        if line is not None:
            self.move_cursor(line)

    def refresh_document(self) -> None:
        """Show the document's text after its ``reload``; cursor and scroll stay."""
        if self._document is not None:
            self._notes = None  # the lines may have changed
            self._enter(self._document, self._place())

    def places(self) -> list[tuple[str, CursorPlace]]:
        """Return the cursor's place in each document by key, the current document last."""
        found = dict(self._visits.places())
        if self._document is not None:
            found.pop(self._document.key, None)
            found[self._document.key] = self._place()
        return list(found.items())

    def remember_place(self, key: str, place: CursorPlace) -> None:
        """Set the cursor's place for the next time that document is shown."""
        self._visits.remember(key, place)

    def _place(self) -> CursorPlace:
        return CursorPlace(self.cursor_line, self.scroll_offset.x, self.scroll_offset.y)

    def _enter(self, document: SourceDocument, place: CursorPlace) -> None:
        self._painter = self.names.marked = None
        gutter = gutter_width(self.line_count)
        self.virtual_size = Size(gutter + document.width, self._row_count)
        self.refresh()
        self._scroll_at_once(place.scroll_x, place.scroll_y)
        old, self.cursor_line = self.cursor_line, place.cursor
        if old == self.cursor_line:
            self._post_cursor()
        self._reveal_later = None if self.size.height else self.cursor_line
        # Only once the text is on the screen: the first paint comes first.
        self.call_after_refresh(self._colour)

    def _colour(self) -> None:
        if self._document is not None:
            self._colouring.begin(self._document)

    def _repaint_colours(self, lines: list[int] | None) -> None:
        if lines is None:
            self._painter = None
            self.refresh()
            return
        for line in lines:
            if self._painter is not None:
                self._painter.forget(line)
            self._refresh_row(line)

    # Marks

    def set_marks(self, marks: Mapping[int, GutterMark]) -> None:
        """Set the breakpoints by line."""
        for line in self._states.set_marks(marks):
            self._refresh_gutter(line)

    def set_execution(
        self,
        current: int | None,
        selected: int | None = None,
        *,
        follow: bool = True,
        is_past: bool = False,
    ) -> None:
        """Mark the program's line and the selected frame's line, if in this document.

        With ``follow``, move the cursor to the selected one, else the current. ``is_past``: the
        program's line is that of a recorded moment.
        """
        before = self.line_with_more
        for line in self._states.set_execution(current, selected, is_past=is_past):
            self._refresh_row(line)
        self._move_row_more(before)
        target = current if selected is None else selected
        if follow and target is not None:
            self.move_cursor(target)
            self._reveal_beginning(self.cursor_line)

    def set_exception(self, words: str) -> None:
        """Show an exception below the program's line; nothing without words."""
        before = self.line_with_more
        for line in self._states.set_exception(words):
            self._refresh_row(line)
        self._move_row_more(before)
        if words and self._states.raised_at == self.cursor_line and self._reveal_later is None:
            self._scroll_along()

    @property
    def line_with_more(self) -> int | None:
        """The line that raised, with the exception in the row below it."""
        return self._states.raised_at

    def _reveal_beginning(self, line: int) -> None:
        """Scroll back horizontally (a search went there) if the line's beginning is hidden."""
        if self.scroll_offset.x and self._document is not None and self._document.lines:
            text = self._document.shown(line).text
            if len(text) - len(text.lstrip()) < self.scroll_offset.x:
                self._scroll_at_once(x=0)

    def watch_cursor_line(self, old: int, new: int) -> None:
        """Repaint the two rows and notify the app."""
        self._refresh_row(old)
        self._refresh_row(new)
        self._post_cursor()

    def _post_cursor(self) -> None:
        if self._document is not None:
            self.post_message(self.CursorMoved(self._document.key, self.cursor_line))

    def on_click(self, event: events.Click) -> None:
        """Post a message for a click in the gutter; move the cursor for one in the text."""
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
            line = self.line_at(self.scroll_offset.y + event.y)
            if line <= self.line_count:
                self.cursor_line = line

    # Values

    def set_notes(self, notes: Callable[[int], str] | None) -> None:
        """Show the result of ``notes`` after each line, now and when it becomes visible.

        It must return the same every time.
        """
        old, self._notes = self._notes, notes
        for line in self._lines_in_sight():
            before, after = (source(line) if source is not None else "" for source in (old, notes))
            if before != after:
                self._refresh_row(line)

    def note(self, line: int) -> str:
        """Return the note after a line."""
        return self._notes(line) if self._notes is not None else ""

    @property
    def _covered(self) -> int:
        """Return the cells of each row covered by the scrollbar."""
        return self.scrollbar_size_vertical if self.show_vertical_scrollbar else 0

    # Names

    def place_at(self, x: int, y: int) -> tuple[int, int] | None:
        """Return the line and text cell at a cell of the pane; None beside the text."""
        row = self.scroll_offset.y + y
        line, column = self.line_at(row), x - gutter_width(self.line_count)
        if column < 0 or line > self.line_count or row != self.row_of(line):
            return None
        return line, column + self.scroll_offset.x

    def mark_name(self, old: tuple[int, Name] | None, new: tuple[int, Name] | None) -> None:
        """Mark a name of a line instead of the previous one."""
        if self._painter is not None:
            self._painter.set_pointed(new)
        for one in (old, new):
            if one is not None:
                self._refresh_name(*one)

    def _refresh_name(self, line: int, name: Name) -> None:
        if self._document is None or line not in self._lines_in_sight():
            return
        start, end = self._document.shown(line).cells(name.start, name.end)
        x = gutter_width(self.line_count) - self.scroll_offset.x
        y = self.row_of(line) - self.scroll_offset.y
        self.refresh(Region(max(0, x + start), y, end - start, 1))

    def tell_pointed(self, line: int, name: Name | None) -> None:
        """Request the value of a name; None: there is none on that line."""
        self.post_message(self.NamePointed(line, name))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse, which may rest on a name."""
        self.names.follow_mouse((event.x, event.y))

    def on_leave(self) -> None:
        self.names.follow_mouse(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "look_up" or self.names.has_values()

    def action_look_up(self) -> None:
        """Select the first name of the cursor's line; again: the next one."""
        self.names.point_next()

    # Search

    def mark_matches(self, old: TextSearch | None, new: TextSearch | None) -> None:
        """Mark the matches of a search instead of the previous one's."""
        self.refresh_bindings()
        if self._painter is not None:
            self._painter.set_search(new)
        for line in self._lines_in_sight():
            text = self._document.lines[line - 1] if self._document is not None else ""
            if (old and old.is_in(text)) or (new and new.is_in(text)):
                self._refresh_row(line)

    def reveal_text(self, line: int, first: int, end: int) -> None:
        """Scroll horizontally if these characters of a line are not visible."""
        if self._document is None:
            return
        start, stop = self._document.shown(line).cells(first, end)
        room = self.size.width - gutter_width(self.line_count)
        if not self.scroll_offset.x <= start <= stop <= self.scroll_offset.x + room:
            self._scroll_at_once(x=0 if stop <= room else max(0, start - room // 3))

    # Painting

    def _refresh_gutter(self, line: int) -> None:
        """Repaint only a line's gutter: the row's text is not written again."""
        self._refresh_cells(line, gutter_width(self.line_count))

    def _refresh_row(self, line: int) -> None:
        self._refresh_cells(line, self.size.width)

    def notify_style_update(self) -> None:
        """Handle a change of theme or focus: compare the styles at the next paint."""
        super().notify_style_update()
        self._painter_is_stale = True

    def _ready_painter(self, document: SourceDocument) -> LinePainter:
        painter = self._painter
        if painter is None or self._painter_is_stale:
            styles = self._line_styles()
            if painter is None or painter.styles != styles:
                painter = LinePainter(document, self._visits.highlighter(document), styles)
                painter.set_search(self.search.marked)
                painter.set_pointed(self.names.marked)
                self._painter = painter
            self._painter_is_stale = False
        return painter

    def _line_styles(self) -> LineStyles:
        return line_styles(self, palette_for(self.app.current_theme))

    def render_line(self, y: int) -> Strip:
        """Return a row of the pane (Textual's line API)."""
        scroll_x, scroll_y = self.scroll_offset
        document = self._document
        if document is None or not document.lines:
            return self._message_row(y, self._empty if document is None else "(empty file)")
        line = self.line_at(scroll_y + y)
        if line > len(document.lines):
            return Strip.blank(self.size.width, self.rich_style)
        state = self._states.state(line, self.cursor_line)
        painter, width = self._ready_painter(document), self.size.width
        if self.row_of(line) != scroll_y + y:
            return painter.paint_exception(line, state, scroll_x, width, self._covered)
        return painter.paint(line, state, scroll_x, width, self.note(line), self._covered)

    def set_empty(self, text: str) -> None:
        """Set the placeholder for no source; empty for the default."""
        self._empty = text or NO_SOURCE
        if self._document is None:
            self.refresh()

    def _message_row(self, y: int, message: str) -> Strip:
        styles = self._line_styles()
        width, height = self.size
        if y != height // 2:
            return Strip.blank(width, styles.plain)
        return Strip([Segment(message.center(width)[:width], styles.message)], width)
