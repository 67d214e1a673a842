"""A searchable viewer of any text, wrapped or not."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import ClassVar

from rich.cells import get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.geometry import Size
from textual.strip import Strip

from tuidbg.lines import split_lines
from tuidbg.session.core.values.types import FullText
from tuidbg.session.model.errors import DebuggerError, StaleReply
from tuidbg.tui.toolkit.dialogs.box import Box
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.dialogs.prompt import DialogSearch
from tuidbg.tui.toolkit.keys.key_reader import CLOSES, Hint, Mode
from tuidbg.tui.toolkit.text.document import TAB_SIZE, show_line
from tuidbg.tui.toolkit.text.search import SearchInView, TextSearch
from tuidbg.tui.toolkit.widgets.line_view import LineView
from tuidbg.tui.toolkit.widgets.rows import fit, highlight, visible

MEASURED = 20_000
"""Characters of a line measured cell by cell; longer lines are assumed to be wide."""

MEASURED_LINES = 1000
"""Number of lines used to fit the dialog's width."""

MADE_WIDTH = 76
"""Columns of a hex dump, sixteen bytes to a line."""


class PagerView(LineView):
    """The text of the viewer, wrapped or not."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"pager--cursor", "pager--match", "pager--faint"}
    DEFAULT_CSS = """
    PagerView { background: $surface; color: $foreground; scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0; }
    PagerView > .pager--cursor { background: $primary 35%; }
    PagerView > .pager--match { background: $primary; color: $background; }
    PagerView > .pager--faint { color: $text-muted; }
    """

    def __init__(self) -> None:
        super().__init__(id="pager")
        self._made_for: Callable[[int], Sequence[str]] | None = None
        self._made_width = 0
        self._raw: list[str] = []
        self._lines: list[str] = []
        self._starts: list[tuple[int, int]] = []  # start of each wrapped line in the raw text
        self.wraps = True
        self.search = SearchInPager(self)

    @property
    def line_count(self) -> int:
        return max(1, len(self._lines))

    def show(self, lines: Sequence[str] | Callable[[int], Sequence[str]]) -> None:
        """Show lines, or a function that makes them for a width, from the beginning."""
        self._made_for = lines if callable(lines) else None
        self._raw = [] if callable(lines) else list(lines)
        self._made_width = 0
        self._lay_out()
        self.move_cursor(1)
        self.refresh(layout=True)

    def set_wrap(self, wraps: bool) -> None:
        """Turn wrapping of long lines on or off."""
        self.wraps = wraps
        self.scroll_to(x=0, animate=False, force=True)
        self._lay_out()
        self.refresh(layout=True)

    def _raw_for(self, width: int) -> list[str]:
        if self._made_for is not None and self._made_width != width:
            self._made_width = width
            self._raw = list(self._made_for(width))
        return self._raw

    def _lay_out(self) -> None:
        width = max(8, self.size.width - self.scrollbar_size_vertical)
        self._raw_for(width)
        self._lines, self._starts = [], []
        for index, line in enumerate(self._raw):
            offset = 0
            for piece in wrap(line, width) if self.wraps else (line,):
                self._lines.append(piece)
                self._starts.append((index, offset))
                offset += len(piece)
        longest = 0 if self.wraps else min(4000, max(map(len, self._lines), default=0) * 2)
        self.virtual_size = Size(longest, len(self._lines))
        self.cursor_line = min(self.cursor_line, self.line_count)
        self.refresh()

    def on_resize(self, event: Resize) -> None:
        if self.wraps or self._made_for is not None:
            self._lay_out()
        super().on_resize(event)

    @property
    def document(self) -> PagerView:
        """The searchable document: itself, whose search works on unwrapped lines."""
        return self

    @property
    def lines(self) -> Sequence[str]:
        """The lines as wrapped."""
        return self._lines

    def reveal_text(self, line: int, first: int, end: int) -> None:
        """Do nothing: lines that run out to the right stay where they are."""

    def mark_matches(self, old: TextSearch | None, new: TextSearch | None) -> None:
        """Highlight the matches of a search."""
        self.refresh()

    def lines_with(self, search: TextSearch) -> Sequence[int]:
        """Return the wrapped lines in which a match begins."""
        found = (
            bisect_right(self._starts, (index, match.start()))
            for index, line in enumerate(self._raw)
            for match in search.pattern.finditer(line)
        )
        return list(dict.fromkeys(found))

    def next_match(
        self, search: TextSearch, line: int, *, backwards: bool, after: bool
    ) -> int | None:
        """Return the line of the next match, from ``line`` on or ``after`` it, wrapping at the end.

        A match may continue in the line below.
        """
        if not self._starts:
            return None
        index, offset = self._starts[line - 1]
        count, step = len(self._raw), -1 if backwards else 1
        if after and not backwards:
            offset += len(self._lines[line - 1])
        for distance in range(count + 1):
            at = (index + step * distance) % count
            raw = self._raw[at]
            if backwards:
                end = min(len(raw), offset + len(search.text) - 1) if not distance else len(raw)
                starts = [m.start() for m in search.pattern.finditer(raw, 0, end)]
                found = starts[-1] if starts else None
            else:
                match = search.pattern.search(raw, offset if not distance else 0)
                found = match.start() if match else None
            if found is not None:
                return bisect_right(self._starts, (at, found))
        return None

    def _spans(self, index: int) -> Iterator[tuple[int, int]]:
        """Yield the match spans in a line, also of matches from the line above or into the next."""
        search = self.search.marked
        assert search is not None
        (raw, offset), length = self._starts[index], len(self._lines[index])
        more = len(search.text)
        text = self._raw[raw]
        for match in search.pattern.finditer(
            text, max(0, offset - more), min(len(text), offset + length + more)
        ):
            start, end = max(0, match.start() - offset), min(length, match.end() - offset)
            if start < end:
                yield start, end

    def watch_cursor_line(self) -> None:
        self.refresh()

    def render_line(self, y: int) -> Strip:
        index, base = y + self.scroll_offset.y, self.rich_style
        if index >= len(self._lines):
            return Strip.blank(self.size.width, base)
        raw = self._lines[index]
        if index + 1 == self.cursor_line:
            cursor = self.get_component_rich_style("pager--cursor")
            base += Style(bgcolor=cursor.bgcolor)
        shown = show_line(raw)
        strip = Strip([Segment(shown.text, base)])
        if self.search.marked is not None:
            match = self.get_component_rich_style("pager--match")
            for start, end in self._spans(index):
                span = (shown.position_of(start), shown.position_of(end))
                strip = highlight(strip, span, Style(color=match.color, bgcolor=match.bgcolor))
        if x := self.scroll_offset.x:
            strip = strip.crop(x, strip.cell_length) if x < strip.cell_length else Strip([])
        return fit(strip, self.size.width, base)


class SearchInPager(SearchInView):
    """The search of a wrapped text: from match to match, also within one long line."""

    def __init__(self, view: PagerView) -> None:
        super().__init__(view)
        self._pager = view
        self._found: tuple[TextSearch | None, Sequence[str], Sequence[int]] = (None, (), ())

    def places(self) -> Sequence[int]:
        """The wrapped lines in which a match begins."""
        search, lines = self.marked, self._pager.lines
        if search is None:
            return ()
        if self._found[0] != search or self._found[1] is not lines:
            self._found = (search, lines, self._pager.lines_with(search))
        return self._found[2]

    def find(
        self,
        text: str,
        *,
        backwards: bool = False,
        from_cursor: bool = True,
        start: int | None = None,
    ) -> int | None:
        """Go to the next line in which a match begins and return it; None if there is none."""
        search = TextSearch(text) if text else None
        self._mark(search)
        if search is None:
            return None
        first = self._pager.line_count if backwards else 1
        begin = start or (self._pager.cursor_line if from_cursor else first)
        is_after = start is None and from_cursor
        line = self._pager.next_match(search, begin, backwards=backwards, after=is_after)
        if line is not None:
            self._pager.move_cursor(line)
        return line


def wrap(line: str, width: int) -> list[str]:
    """Split a line into pieces that fit; control characters and possibly wide ones count so."""
    if line.isascii() and "\t" not in line:
        step = width
    elif len(line) <= MEASURED:
        return list(_pieces(line, width))
    else:
        step = max(1, width // TAB_SIZE)
    return [line[start : start + step] for start in range(0, len(line), step)] or [""]


def _pieces(line: str, width: int) -> Iterator[str]:
    start = cells = 0
    for index, character in enumerate(line):
        size = TAB_SIZE if character == "\t" else max(1, get_character_cell_size(character))
        if cells + size > width and index > start:
            yield line[start:index]
            start, cells = index, 0
        cells += size
    yield line[start:]


Fetch = Callable[[str], Awaitable[FullText]]
"""Fetches a value as ``""`` (most readable), ``"repr"`` or ``"bytes"``."""


def dump(digits: str, width: int) -> list[str]:
    """Format hexadecimal digits as a dump with offset and ASCII, 16 or 8 bytes to a line."""
    data = bytes.fromhex(digits)
    count = next((n for n in (16, 8) if 11 + 4 * n <= width), 4)
    lines = []
    for offset in range(0, len(data), count):
        part = data[offset : offset + count]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        lines.append(f"{offset:08x}  {part.hex(' '):<{3 * count}} {text}")
    return lines


class PagerDialog(Dialog[None]):
    """The viewer of a complete value; ``on_copy`` copies the shown text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("q,space", "close", show=False),
        Binding("w", "wrap", show=False),
        Binding("r", "switch('repr')", show=False),
        Binding("x", "switch('bytes')", show=False),
        Binding("y", "copy", show=False),
        *DialogSearch.BINDINGS,
    ]
    DEFAULT_CSS = """
    PagerDialog PagerView { width: 100%; height: 1fr; }
    """

    def __init__(
        self, name: str, type_name: str, fetch: Fetch, on_copy: Callable[[str], None]
    ) -> None:
        super().__init__()
        self._name = name
        self._type = type_name
        self._fetch_text = fetch
        self._on_copy = on_copy
        self._how = "bytes" if type_name in ("bytes", "bytearray") else ""
        self._full: FullText | None = None
        self._view = PagerView()
        self._search = DialogSearch(self, self._view.search, self._tell_search)

    def compose(self) -> ComposeResult:
        with Box(id="box"):
            yield self._view

    @property
    def key_mode(self) -> Mode:
        """The keys for the fetched text."""
        hints = [*self._search.hints("n", CLOSES), Hint("w", "wrap")]
        if self._full is not None:
            hints.append(Hint("y", "copy"))
            if self._full.kind:
                hints.append(Hint("r", "text" if self._how == "repr" else "repr"))
            if self._type in ("bytes", "bytearray"):
                hints.append(Hint("x", "hex"))
        return Mode("dialog", "dialog", hints)

    @property
    def view(self) -> PagerView:
        return self._view

    def on_mount(self) -> None:
        self.set_focus(self.view)
        self._fetch()

    @work(exclusive=True)
    async def _fetch(self) -> None:
        self._label("fetching…")
        self.view.show([])
        try:
            full = await self._fetch_text(self._how)
        except StaleReply:
            self.dismiss()
            return
        except DebuggerError as error:
            self._label("")
            self.view.show([str(error)])
            return
        self._full = full
        if self._how == "bytes":
            self.view.show(lambda width: dump(full.text, width))
        else:
            self.view.show(split_lines(full.text) or [""])
        self._label(self._describe(full))

    def _describe(self, full: FullText) -> str:
        unit = "bytes" if self._how == "bytes" else "characters"
        shown = len(full.text) // (2 if self._how == "bytes" else 1)
        # Characters that can't be sent unchanged are escaped, which makes the text longer.
        is_whole = shown >= full.total
        size = f"{full.total:,} {unit}"
        return size if is_whole else f"first {shown:,} of {size}"

    def _label(self, what: str) -> None:
        box = self.query_one("#box")
        title = f"{self._name}: {self._type}" + (f" · {what}" if what else "")
        box.border_title = visible(title).replace("[", r"\[")
        box.refresh(layout=True)

    def _tell_search(self, words: str) -> None:
        self.query_one("#box").border_subtitle = visible(words).replace("[", r"\[")

    def action_wrap(self) -> None:
        """Turn wrapping of long lines on or off."""
        self.view.set_wrap(not self.view.wraps)

    def action_switch(self, how: str) -> None:
        """Show the value as text, as ``repr`` or as bytes."""
        if how == "bytes" and self._type not in ("bytes", "bytearray"):
            return
        self._how = "" if how == self._how and how != "bytes" else how
        self._fetch()

    def action_copy(self) -> None:
        """Copy the fetched text."""
        if self._full is not None:
            self._on_copy(self._full.text)

    def action_search(self) -> None:
        """Ask for a pattern and go to the next line with it."""
        self._search.ask()

    def action_search_next(self, by: int) -> None:
        """Go to the next or previous match."""
        self._search.go_on(by)

    def action_leave(self) -> None:
        """Clear the search marks; without marks, close."""
        if not self._search.clear():
            self.action_close()

    def action_close(self) -> None:
        if self.is_active:
            self.dismiss(None)
