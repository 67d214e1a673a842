"""The source pane: the text of one document, where the program stands in it, its breakpoints.

It paints only what changed: a step costs two gutters, an answer about a breakpoint one. It decides
nothing: clicks in the gutter become messages, and the app tells it the marks and the lines.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from tuidbg.tui.frame.theme import palette_for
from tuidbg.tui.source.document import Document
from tuidbg.tui.source.highlight import Highlighter, Runs, is_loaded, preload
from tuidbg.tui.source.lines import (
    GLYPHS,
    GutterState,
    LinePainter,
    LineStyles,
    Mark,
    Position,
    gutter_width,
)
from tuidbg.tui.source.names import Name, find_names
from tuidbg.tui.source.search import Search
from tuidbg.tui.source.visits import Place, Visits
from tuidbg.tui.widgets.line_view import LineView
from tuidbg.tui.widgets.rows import cells_of, changed_cells

__all__ = ["GLYPHS", "Mark", "Position", "SourcePane"]


REST = 0.35
"""Seconds that the mouse rests on a name until its value is shown."""

_NAMES_KEPT = 400


NO_SOURCE = "No source yet"


class SourcePane(LineView):
    """Shows one ``Document`` with a line cursor. Lines are 1-based."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "look_up", "Value of the next name on the line", show=False)
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "source--line-number",
        "source--cursor",
        "source--match",
        "source--message",
        "source--values",
        "source--pointed",
    }
    """Gutter marks and syntax colours come from the theme files instead (``palette_for``).

    | Class | Description |
    | :- | :- |
    | `source--line-number` | Line numbers. |
    | `source--cursor` | The number of the line with the cursor. |
    | `source--match` | Text that a search found. |
    | `source--message` | What is said where there is no text. |
    | `source--values` | Values behind the lines. |
    | `source--pointed` | The name whose value is looked at. |
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
        & > .source--values { color: $foreground 50%; text-style: italic; }
        & > .source--pointed { background: $primary 35%; color: $foreground; }
        &:focus > .source--cursor { background: $foreground 18%; }
    }
    """

    class BreakpointToggled(Message):
        """A left click into the gutter. ``path`` is the document's key."""

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
        """The cursor is on another line, or in another document."""

        def __init__(self, path: str, line: int) -> None:
            super().__init__()
            self.path = path
            self.line = line

    class NamePointed(Message):
        """Somebody wants to know the value of a name; None: there is none on that line."""

        def __init__(self, line: int, name: Name | None, *, by_key: bool = False) -> None:
            super().__init__()
            self.line = line
            self.name = name
            self.by_key = by_key

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._document: Document | None = None
        self._empty = NO_SOURCE
        self._visits = Visits()
        self._marks: dict[int, Mark] = {}
        self._current: int | None = None
        self._selected: int | None = None
        self._search: Search | None = None
        self._notes: Callable[[int], str] | None = None
        self._names: LRUCache[int, tuple[Runs, str, list[Name]]] = LRUCache(_NAMES_KEPT)
        self._pointed: tuple[int, Name] | None = None
        self._rest: Timer | None = None
        self._mouse: tuple[int, int] | None = None
        self._painter: LinePainter | None = None
        self._painter_is_stale = False

    @property
    def document(self) -> Document | None:
        """The document that is shown."""
        return self._document

    @property
    def line_count(self) -> int:
        """Returns how many lines the document has."""
        return len(self._lines)

    @property
    def _lines(self) -> list[str]:
        return [] if self._document is None else self._document.lines

    # Documents

    def show(self, document: Document, *, line: int | None = None) -> None:
        """Show ``document``, with the cursor on ``line`` or where it was when last shown.

        Marks and execution lines belong to a document: after a change of documents the app gives
        the new ones (``set_marks``, ``set_execution``) in the same turn.
        """
        if document is not self._document:
            if self._document is not None:
                self._visits.leave(self._document, self._place())
            self._document = document
            self._marks = {}
            self._notes = None
            self._current = self._selected = None
            self._enter(document, self._visits.place(document))
        if line is not None:
            self.move_cursor(line)

    def refresh_document(self) -> None:
        """Show the present text of the document, after its ``reload``; cursor and scroll stay."""
        if self._document is not None:
            self._notes = None  # the lines may be others
            self._enter(self._document, self._place())

    def places(self) -> list[tuple[str, Place]]:
        """Returns where the person was in each document by its key, the one that is shown last."""
        found = dict(self._visits.places())
        if self._document is not None:
            found.pop(self._document.key, None)
            found[self._document.key] = self._place()
        return list(found.items())

    def remember_place(self, key: str, place: Place) -> None:
        """Sets where the person is to be when that document is shown."""
        self._visits.remember(key, place)

    def _place(self) -> Place:
        return Place(self.cursor_line, self.scroll_offset.x, self.scroll_offset.y)

    def _enter(self, document: Document, place: Place) -> None:
        self._painter = self._pointed = None
        gutter = gutter_width(self.line_count)
        self.virtual_size = Size(gutter + document.width, self.line_count)
        self.refresh()
        self._scroll_at_once(place.scroll_x, place.scroll_y)
        old, self.cursor_line = self.cursor_line, place.cursor
        if old == self.cursor_line:
            self._post_cursor()
        self._reveal_later = None if self.size.height else self.cursor_line
        # Only once the text is on the screen: the first paint comes first.
        self.call_after_refresh(self._highlight_in_background)

    async def _load_colours(self) -> None:
        """Load Pygments behind the first paint: the text is there before its colours."""
        await asyncio.to_thread(preload)
        self._painter = None
        self.refresh()
        self._highlight_in_background()

    def _highlight_in_background(self) -> None:
        if self._document is None:
            return
        if not is_loaded():
            self.run_worker(self._load_colours(), group="highlight", exclusive=True)
            return
        highlighter = self._visits.highlighter(self._document)
        if highlighter.complete:
            self.workers.cancel_group(self, "highlight")
        else:
            self.run_worker(self._settle(highlighter), group="highlight", exclusive=True)

    async def _settle(self, highlighter: Highlighter) -> None:
        """Let the highlighter find the truth, a slice a turn, and repaint where it had guessed."""
        while not highlighter.complete:
            highlighter.advance()
            for line in highlighter.settle():
                if self._painter is not None:
                    self._painter.forget(line)
                self._refresh_cells(line, self.size.width)
            await asyncio.sleep(0)

    # Marks

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
        lines = {self._current, self._selected, current, selected} - {None}
        before = {line: self._position(line) for line in lines}
        self._current, self._selected = current, selected
        for line in lines:
            if line is not None and before[line] != self._position(line):
                self._refresh_gutter(line)
        target = current if selected is None else selected
        if follow and target is not None:
            self.move_cursor(target)
            self._reveal_beginning(self.cursor_line)

    def _reveal_beginning(self, line: int) -> None:
        """Scroll back from the side (a search went there) where the line's beginning is hidden."""
        if self.scroll_offset.x and self._document is not None and self._document.lines:
            text = self._document.shown(line).text
            if len(text) - len(text.lstrip()) < self.scroll_offset.x:
                self._scroll_at_once(x=0)

    def _position(self, line: int | None) -> Position | None:
        if line == self._current:
            return Position.CURRENT
        return Position.SELECTED if line == self._selected else None

    def watch_cursor_line(self, old: int, new: int) -> None:
        """Repaint the two numbers and tell the app."""
        self._refresh_gutter(old)
        self._refresh_gutter(new)
        self._post_cursor()

    def _post_cursor(self) -> None:
        if self._document is not None:
            self.post_message(self.CursorMoved(self._document.key, self.cursor_line))

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
            if line <= self.line_count:
                self.cursor_line = line

    # Values and names

    def set_notes(self, notes: Callable[[int], str] | None) -> None:
        """Show faint behind each line what ``notes`` says of it, now and when it comes into sight.

        It must say the same every time.
        """
        old, self._notes = self._notes, notes
        for line in self._lines_in_sight():
            before, after = (source(line) if source is not None else "" for source in (old, notes))
            if before != after:
                self._refresh_note(line, before, after)

    def note(self, line: int) -> str:
        """Returns what stands behind a line."""
        return self._notes(line) if self._notes is not None else ""

    def _refresh_note(self, line: int, old: str, new: str) -> None:
        if self._document is None:
            return
        gutter = gutter_width(self.line_count)
        x = gutter + self._ready_painter(self._document).note_cells(line, self.scroll_offset.x)
        room = self.size.width - self._covered - x
        start, end = changed_cells(cells_of([(old, "")]), cells_of([(new, "")]), room)
        if gutter <= x and end > start:
            self.refresh(Region(x + start, line - 1 - self.scroll_offset.y, end - start, 1))

    @property
    def _covered(self) -> int:
        """Cells of each row that the scrollbar covers."""
        return self.scrollbar_size_vertical if self.show_vertical_scrollbar else 0

    def names_on(self, line: int) -> list[Name]:
        """The names and attribute chains of a line; none until strings can be told from code."""
        document = self._document
        if document is None or not is_loaded() or not 1 <= line <= self.line_count:
            return []
        runs, text = self._visits.highlighter(document).runs(line), document.lines[line - 1]
        known = self._names.get(line)
        if known is None or known[0] is not runs or known[1] is not text:
            known = self._names[line] = (runs, text, find_names(text, runs))
        return known[2]

    @property
    def pointed_name(self) -> Name | None:
        """The name that is marked."""
        return self._pointed[1] if self._pointed is not None else None

    def set_pointed(self, line: int | None, name: Name | None = None) -> None:
        """Mark a name of a line as the one that is looked at; none without."""
        old, self._pointed = self._pointed, None
        if line is not None and name is not None:
            self._pointed = (line, name)
        if old == self._pointed:
            return
        if self._painter is not None:
            self._painter.set_pointed(self._pointed)
        for one in (old, self._pointed):
            if one is not None:
                self._refresh_span(*one)

    def _refresh_span(self, line: int, name: Name) -> None:
        if self._document is None or line not in self._lines_in_sight():
            return
        start, end = self._cells_of(line, name)
        x = gutter_width(self.line_count) - self.scroll_offset.x
        y = line - 1 - self.scroll_offset.y
        self.refresh(Region(max(0, x + start), y, end - start, 1))

    def _cells_of(self, line: int, name: Name) -> tuple[int, int]:
        assert self._document is not None
        shown = self._document.shown(line)
        start, end = (cell_len(shown.text[: shown.position_of(i)]) for i in name[:2])
        return start, end

    def _name_at(self, x: int, y: int) -> tuple[int, Name] | None:
        """The line and the name at a cell of the pane."""
        line = self.scroll_offset.y + y + 1
        column = x - gutter_width(self.line_count)
        if self._document is None or column < 0 or line > self.line_count:
            return None
        column += self.scroll_offset.x
        for name in self.names_on(line):
            start, end = self._cells_of(line, name)
            if start <= column < end:
                return line, name
        return None

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The mouse rests on a name: a message for the app."""
        if self._mouse == (event.x, event.y):
            return
        self._mouse = (event.x, event.y)
        self._stop_rest()
        self._rest = self.set_timer(REST, self._mouse_rests)

    def on_leave(self) -> None:
        """The mouse is elsewhere."""
        self._mouse = None
        self._stop_rest()

    def _stop_rest(self) -> None:
        if self._rest is not None:
            self._rest.stop()
            self._rest = None

    def _mouse_rests(self) -> None:
        found = self._name_at(*self._mouse) if self._mouse is not None else None
        if found is not None:
            self.post_message(self.NamePointed(*found))

    def action_look_up(self) -> None:
        """Look at the first name of the cursor's line; again: at the next."""
        names = self.names_on(self.cursor_line)
        chosen = names[0] if names else None
        if self._pointed is not None:
            line, name = self._pointed
            if line == self.cursor_line and name in names:
                chosen = names[(names.index(name) + 1) % len(names)]
        self.post_message(self.NamePointed(self.cursor_line, chosen, by_key=True))

    # Searching

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
        search = Search(text) if text else None
        self._set_search(search)
        if search is None:
            return None
        if start is None:
            beginning = self.line_count if backwards else 1
            start = self.cursor_line + (-1 if backwards else 1) if from_cursor else beginning
        line = search.next_line(self._lines, start, backwards=backwards)
        if line is not None:
            self.move_cursor(line)
            self._reveal_match(search, line)
        return line

    def clear_search(self) -> None:
        """Mark no matches any longer."""
        self._set_search(None)

    def _set_search(self, search: Search | None) -> None:
        old, self._search = self._search, search
        if old == search:
            return
        if self._painter is not None:
            self._painter.set_search(search)
        for line in self._lines_in_sight():
            text = self._lines[line - 1]
            if (old and old.is_in(text)) or (search and search.is_in(text)):
                self._refresh_cells(line, self.size.width)

    def _reveal_match(self, search: Search, line: int) -> None:
        """Scroll sideways where the first match of ``line`` is out of sight."""
        if self._document is None:
            return
        first, last = next(search.spans(self._lines[line - 1]))
        shown = self._document.shown(line)
        start = cell_len(shown.text[: shown.position_of(first)])
        end = cell_len(shown.text[: shown.position_of(last)])
        room = self.size.width - gutter_width(self.line_count)
        if not self.scroll_offset.x <= start <= end <= self.scroll_offset.x + room:
            self._scroll_at_once(x=0 if end <= room else max(0, start - room // 3))

    # Painting

    def _refresh_gutter(self, line: int) -> None:
        """Repaint only the gutter of a line: the row's text is not written again."""
        self._refresh_cells(line, gutter_width(self.line_count))

    def notify_style_update(self) -> None:
        """The theme or the focus changed: compare the styles at the next paint."""
        super().notify_style_update()
        self._painter_is_stale = True

    def _ready_painter(self, document: Document) -> LinePainter:
        painter = self._painter
        if painter is None or self._painter_is_stale:
            styles = self._line_styles()
            if painter is None or painter.styles != styles:
                painter = LinePainter(document, self._visits.highlighter(document), styles)
                painter.set_search(self._search)
                painter.set_pointed(self._pointed)
                self._painter = painter
            self._painter_is_stale = False
        return painter

    def _line_styles(self) -> LineStyles:
        base = self.rich_style
        number, cursor, match, message, values, pointed = (
            base + self.get_component_rich_style(f"source--{name}")
            for name in ("line-number", "cursor", "match", "message", "values", "pointed")
        )
        palette = palette_for(self.app.current_theme)
        return LineStyles(base, number, cursor, match, message, values, pointed, palette)

    def render_line(self, y: int) -> Strip:
        """One row of the pane (Textual's line API)."""
        scroll_x, scroll_y = self.scroll_offset
        document = self._document
        if document is None or not document.lines:
            return self._message_row(y, self._empty if document is None else "(empty file)")
        line = scroll_y + y + 1
        if line > len(document.lines):
            return Strip.blank(self.size.width, self.rich_style)
        state = GutterState(
            self._marks.get(line), self._position(line), cursor=line == self.cursor_line
        )
        painter, width = self._ready_painter(document), self.size.width
        return painter.paint(line, state, scroll_x, width, self.note(line), self._covered)

    def set_empty(self, text: str) -> None:
        """Set what the pane says while it has no source; with no text the usual."""
        self._empty = text or NO_SOURCE
        if self._document is None:
            self.refresh()

    def _message_row(self, y: int, message: str) -> Strip:
        styles = self._line_styles()
        width, height = self.size
        if y != height // 2:
            return Strip.blank(width, styles.plain)
        return Strip([Segment(message.center(width)[:width], styles.message)], width)
