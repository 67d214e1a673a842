"""Rendering of a source line as cells: gutter, coloured text, inline values.

The program's line has a block in the gutter and a tint over its whole row; the selected frame's
line and the cursor's have fainter ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.strip import Strip
from textual.widget import Widget

from tuidbg.tui.panes.source.names import Name
from tuidbg.tui.toolkit.text.document import ShownLine, SourceDocument
from tuidbg.tui.toolkit.text.highlight import Highlighter, Runs
from tuidbg.tui.toolkit.text.search import TextSearch
from tuidbg.tui.toolkit.theme.theme import SYNTAX, Palette
from tuidbg.tui.toolkit.widgets.marks import GLYPHS, GutterMark, Position
from tuidbg.tui.toolkit.widgets.rows import fit

NOTE_GAP = 3
"""Cells between the end of a line and its inline values."""

_GOES_ON_LEFT, _GOES_ON_RIGHT = "‹", "›"
"""Marks at the edges of cropped lines."""

_LEAST_NOTE = 8
"""Minimum cells for inline values."""


_NOTHING = Style()
_STRIPS_KEPT = 400
_MATCHES_MARKED = 200
_LEAST_DIGITS = 2


class LineStyles(NamedTuple):
    """All styles of the source pane, including the pane's own background."""

    plain: Style
    number: Style
    cursor: Style
    match: Style
    message: Style
    pointed: Style
    palette: Palette
    looks: Mapping[str, Style]
    """Styles of whole lines and of backgrounds."""


def line_styles(widget: Widget, palette: Palette) -> LineStyles:
    """Return the component classes of a widget called ``source--...``, as styles."""
    base = widget.rich_style
    number, cursor, match, message, pointed = (
        base + widget.get_component_rich_style(f"source--{name}")
        for name in ("line-number", "cursor", "match", "message", "pointed")
    )
    looks = line_looks(widget, palette)
    return LineStyles(base, number, cursor, match, message, pointed, palette, looks)


def line_looks(widget: Widget, palette: Palette) -> Mapping[str, Style]:
    """Return the styles of whole lines on this terminal, by the names in ``LINES``."""
    app = widget.app
    if app.no_color:
        return {**palette.lines, **_WITHOUT_COLOURS}
    if app.console.color_system == "standard" and not app.is_headless:
        return {**palette.lines, **_WITH_SIXTEEN_COLOURS}
    return palette.lines


def row_of(position: Position | None, has_cursor: bool, *, has_raised: bool = False) -> str:
    """Return the name of a row's highlight; empty for most."""
    if has_raised:
        return "raised"
    if position is not None:
        return position.value
    return "cursor" if has_cursor else ""


_WITHOUT_COLOURS = {
    "current": Style(reverse=True),
    "raised": Style(reverse=True),
    "past": Style(reverse=True),
    "selected": Style(underline=True),
    "cursor": Style(underline=True),
}
_WITH_SIXTEEN_COLOURS = {
    "current": Style.parse("#ffffff on #000080"),
    "raised": Style.parse("#ffffff on #800000"),
    "selected": Style.parse("#ffffff on #000080"),
    "past": Style.parse("#ffffff on #800080"),
    "cursor": Style(underline=True),
    "exception": Style.parse("#ffffff on #800000"),
}
"""For terminals on which a theme's tints would all be black, or a grey too close to the text."""


class LineState(NamedTuple):
    """The display state of a line besides number, text and values."""

    mark: GutterMark | None = None
    position: Position | None = None
    cursor: bool = False
    exception: str = ""


class LineStates:
    """The display state of a document's lines: breakpoints, program position, exception."""

    def __init__(self) -> None:
        self._marks: dict[int, GutterMark] = {}
        self._current: int | None = None
        self._selected: int | None = None
        self._is_past = False
        self._exception = ""

    def state(self, line: int, cursor_line: int) -> LineState:
        said = self._exception if line == self.raised_at else ""
        return LineState(self._marks.get(line), self._position(line), line == cursor_line, said)

    def set_marks(self, marks: Mapping[int, GutterMark]) -> list[int]:
        """Set the breakpoints by line; return the changed lines."""
        old, self._marks = self._marks, dict(marks)
        return [line for line in old.keys() | marks.keys() if old.get(line) != marks.get(line)]

    def set_execution(
        self, current: int | None, selected: int | None, *, is_past: bool = False
    ) -> list[int]:
        """Set the lines of the top and the selected frame; return the changed ones."""
        lines = {self._current, self._selected, current, selected} - {None}
        before = {line: self.state(line, 0) for line in lines if line is not None}
        self._current, self._selected, self._is_past = current, selected, is_past
        return [line for line, state in before.items() if state != self.state(line, 0)]

    def set_exception(self, words: str) -> list[int]:
        """Set the exception at the program's line, else where it left the selected frame.

        Returns the changed lines.
        """
        before = self.raised_at
        self._exception, old = words, self._exception
        if old == words:
            return []
        return [line for line in {before, self.raised_at} if line is not None]

    @property
    def raised_at(self) -> int | None:
        """The line below which an exception is shown."""
        if not self._exception:
            return None
        return self._selected if self._current is None else self._current

    def _position(self, line: int | None) -> Position | None:
        if line == self._current:
            return Position.PAST if self._is_past else Position.CURRENT
        return Position.SELECTED if line == self._selected else None


def gutter_width(lines: int) -> int:
    """Return the gutter's cells for a source of ``lines`` lines: ``● 123 ▶`` and a space."""
    return _digits(lines) + 5


def _digits(lines: int) -> int:
    return max(_LEAST_DIGITS, len(str(lines)))


class LinePainter:
    """The painter of one document's lines, with a cache."""

    def __init__(
        self, document: SourceDocument, highlighter: Highlighter, styles: LineStyles
    ) -> None:
        self._document = document
        self._highlighter = highlighter
        self._styles = styles
        self._syntax = [styles.plain + styles.palette.syntax[kind] for kind in SYNTAX]
        self._plain = self._syntax[SYNTAX.index("plain")]
        self._search: TextSearch | None = None
        self._pointed: tuple[int, Name] | None = None
        self._strips: LRUCache[int, Strip] = LRUCache(_STRIPS_KEPT)

    @property
    def styles(self) -> LineStyles:
        """The styles it paints with."""
        return self._styles

    def set_search(self, search: TextSearch | None) -> None:
        """Set the search whose matches are marked."""
        self._search = search
        self._strips.clear()

    def set_pointed(self, pointed: tuple[int, Name] | None) -> None:
        """Set the marked name of a line."""
        for one in (self._pointed, pointed):
            if one is not None:
                self.forget(one[0])
        self._pointed = pointed

    def forget(self, line: int) -> None:
        """Drop the cache of ``line``: its colours changed."""
        self._strips.discard(line)

    def paint(
        self,
        line: int,
        state: LineState,
        scroll_x: int,
        width: int,
        note: str = "",
        covered: int = 0,
    ) -> Strip:
        """Return a row of the pane: ``line`` (1-based), from cell ``scroll_x`` of its text.

        ``note`` follows the text if it fits; the last ``covered`` cells are hidden. Text cropped at
        an edge has a mark there.
        """
        row = self._row(state)
        gutter = self._gutter(line, state, row)
        room = width - gutter_width(len(self._document.lines))
        if room <= 0:
            return Strip(gutter).crop(0, width)
        whole, plain = self._text(line), self._plain + row
        text = self._tinted(whole.crop(scroll_x, scroll_x + room), row)
        end, seen = whole.cell_length - scroll_x, room - covered
        text = self._with_edges(text, end, seen, scroll_x, row)
        at = end + NOTE_GAP
        if not note or not NOTE_GAP <= at <= seen - _LEAST_NOTE:
            return Strip([*gutter, *self._padded(text, room, plain)], width)
        looks = self._styles.plain + self._styles.looks["values"] + row
        shown = Strip([Segment(note, looks)])
        if shown.cell_length > seen - at:
            shown = fit(shown, seen - at, looks)
        shown = shown.adjust_cell_length(room - at, plain)
        return Strip([*gutter, *self._padded(text, at, plain), *shown], width)

    def paint_exception(
        self, line: int, state: LineState, scroll_x: int, width: int, covered: int
    ) -> Strip:
        """Return the row below the line that raised: the exception, indented like the line."""
        row = self._row(state)
        plain = self._plain + row
        gutter = gutter_width(len(self._document.lines))
        text, words = self._document.shown(line).text, state.exception
        indent = max(0, len(text) - len(text.lstrip()) - scroll_x)
        room = max(0, width - gutter - covered)
        indent = max(0, min(indent, room - cell_len(words)))
        shown = fit([Segment(words, plain + self._styles.looks["exception"])], room - indent, plain)
        head = Segment(" " * (gutter + indent), plain)
        return Strip([head, *shown]).adjust_cell_length(width, plain)

    def _row(self, state: LineState) -> Style:
        name = row_of(state.position, state.cursor, has_raised=bool(state.exception))
        return self._styles.looks.get(name, _NOTHING)

    def _with_edges(self, text: Strip, end: int, seen: int, scroll_x: int, row: Style) -> Strip:
        """Return the text up to cell ``end`` with a mark at each edge where it is cropped."""
        faint = self._styles.number + row
        if end > seen > 1:
            kept = text.crop(0, seen - 1).adjust_cell_length(seen - 1, self._plain + row)
            text = Strip([*kept, Segment(_GOES_ON_RIGHT, faint)])
        if scroll_x and end > 0 and seen > 2:
            text = Strip([Segment(_GOES_ON_LEFT, faint), *text.crop(1)])
        return text

    def _gutter(self, line: int, state: LineState, row: Style) -> list[Segment]:
        styles = self._styles
        marks = styles.palette.marks
        number = f"{line:>{_digits(len(self._document.lines))}}"
        faint = styles.number + row
        pieces = [(" ", faint)]
        if state.mark is not None:
            pieces = [(GLYPHS[state.mark], styles.plain + marks[state.mark] + row)]
        if state.position is not None:
            block = styles.plain + marks[state.position]
            pieces.append((f" {number} {GLYPHS[state.position]} ", block))
        elif state.cursor:
            has_own = styles.cursor.bgcolor != styles.plain.bgcolor
            cursor = row + styles.cursor if has_own else styles.cursor + row
            pieces += [(f" {number} ", cursor), ("  ", faint)]
        elif state.mark is not None:
            pieces.append((f" {number}   ", faint))
        else:
            pieces = [(f"  {number}   ", faint)]
        meta = Style.from_meta({"line": line})  # read by click handlers
        return [Segment(text, style + meta) for text, style in pieces]

    def _tinted(self, text: Strip, row: Style) -> Strip:
        """Apply a row's style; marked parts keep their own background."""
        if row is _NOTHING:
            return text
        kept = (self._styles.match, self._styles.pointed)
        return Strip(
            [
                segment
                if (style := segment.style) is None or any(style is mark for mark in kept)
                else Segment(segment.text, style + row)
                for segment in text
            ],
            text.cell_length,
        )

    def _padded(self, text: Strip, width: int, plain: Style) -> list[Segment]:
        """Pad with space in the colour of the last run, which saves a run."""
        segments = list(text)
        missing = width - text.cell_length
        if missing <= 0:
            return segments
        if segments and segments[-1].style not in (self._styles.match, self._styles.pointed):
            last = segments.pop()
            return [*segments, Segment(last.text + " " * missing, last.style)]
        return [*segments, Segment(" " * missing, plain)]

    def _text(self, line: int) -> Strip:
        strip = self._strips.get(line)
        if strip is None:
            shown = self._document.shown(line)
            pieces = _pieces(shown, self._highlighter.runs(line), SYNTAX.index("plain"))
            segments = [Segment(text, self._syntax[kind]) for text, kind in pieces]
            if self._search is not None:
                found = self._search.spans(self._document.lines[line - 1])
                spans = [
                    (shown.position_of(first), shown.position_of(end))
                    for first, end in islice(found, _MATCHES_MARKED)
                ]
                segments = list(self._with_marks(segments, spans, self._styles.match))
            if self._pointed is not None and self._pointed[0] == line:
                name = self._pointed[1]
                span = (shown.position_of(name.start), shown.position_of(name.end))
                segments = list(self._with_marks(segments, [span], self._styles.pointed))
            strip = self._strips[line] = Strip(segments)
        return strip

    def _with_marks(
        self, segments: list[Segment], spans: list[tuple[int, int]], mark: Style
    ) -> Iterator[Segment]:
        """Yield the segments split and marked at ``spans`` (indices into their text)."""
        start = 0
        for text, style, _ in segments:
            at = 0
            for first, end in spans:
                first, end = max(first - start, at), min(end - start, len(text))
                if first < end:
                    yield from _some(text[at:first], style)
                    yield Segment(text[first:end], mark)
                    at = end
            yield from _some(text[at:], style)
            start += len(text)


def _some(text: str, style: Style | None) -> Iterator[Segment]:
    if text:
        yield Segment(text, style)


def _pieces(shown: ShownLine, runs: Runs, plain: int) -> Iterator[tuple[str, int]]:
    """Yield the text of a line split into runs, with their kinds."""
    text = shown.text
    start = 0
    for index in range(0, len(runs), 2):
        end = shown.position_of(runs[index])
        if end > start:
            yield text[start:end], runs[index + 1]
            start = end
    if start < len(text):
        yield text[start:], plain
