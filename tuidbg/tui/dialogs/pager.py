"""All of one value, to read: scrolled, wrapped, searched, bytes as a dump.

The dialog opens at once and says that it fetches; a value may take long, and Esc is there first.
"""

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
from textual.containers import Vertical
from textual.events import Resize
from textual.geometry import Size
from textual.strip import Strip

from tuidbg.session.errors import DebuggerError, StaleReply
from tuidbg.session.values.types import FullText
from tuidbg.tui.source.document import TAB_SIZE, show_line, split_lines
from tuidbg.tui.source.search import Search
from tuidbg.tui.widgets.lasting import Dialog
from tuidbg.tui.widgets.line_view import LineView
from tuidbg.tui.widgets.rows import visible
from tuidbg.tui.widgets.strips import fit, highlight

Fetch = Callable[[str], Awaitable[FullText]]
"""Gets a value as ``""`` (as it is read best), ``"repr"`` or ``"bytes"``."""

MEASURED = 20_000
"""Characters of a line whose cells are measured one by one; longer ones are taken as wide."""


class PagerView(LineView):
    """Lines of any text, wrapped or not."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"pager--cursor", "pager--match", "pager--faint"}
    DEFAULT_CSS = """
    PagerView { background: $surface; color: $foreground; scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0; }
    PagerView > .pager--cursor { background: $primary 35%; }
    PagerView > .pager--match { background: $accent; color: $background; }
    PagerView > .pager--faint { color: $text-muted; }
    """

    def __init__(self) -> None:
        super().__init__(id="pager")
        self._made_for: Callable[[int], Sequence[str]] | None = None
        self._raw: list[str] = []
        self._lines: list[str] = []
        self._starts: list[tuple[int, int]] = []  # of the lines, as they are wrapped, in the raw
        self.wraps = True
        self.search: Search | None = None

    @property
    def line_count(self) -> int:
        return max(1, len(self._lines))

    def show(self, lines: Sequence[str] | Callable[[int], Sequence[str]]) -> None:
        """Show these lines, or those that are made for a width, from their beginning."""
        self._made_for = lines if callable(lines) else None
        self._raw = [] if callable(lines) else list(lines)
        self._lay_out()
        self.move_cursor(1)

    def set_wrap(self, wraps: bool) -> None:
        """Set whether long lines go on below."""
        self.wraps = wraps
        self.scroll_to(x=0, animate=False, force=True)
        self._lay_out()

    def _lay_out(self) -> None:
        width = max(8, self.size.width - self.scrollbar_size_vertical)
        if self._made_for is not None:
            self._raw = list(self._made_for(width))
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

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> int | None:
        """Put the cursor on the next line with that text; its number, None where there is none.

        The text may go on in the line below.
        """
        self.search = Search(text) if text else None
        self.refresh()
        if self.search is None or not self._starts:
            return None
        place = self._next_match(self.search, backwards=backwards, again=again)
        if place is None:
            return None
        line = bisect_right(self._starts, place)
        self.move_cursor(line)
        return line

    def _next_match(
        self, search: Search, *, backwards: bool, again: bool
    ) -> tuple[int, int] | None:
        """The raw line and the index in it of the next match; round the end."""
        index, offset = self._starts[self.cursor_line - 1]
        count, step = len(self._raw), -1 if backwards else 1
        if again and not backwards:
            offset += len(self._lines[self.cursor_line - 1])
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
                return at, found
        return None

    def _spans(self, index: int) -> Iterator[tuple[int, int]]:
        """Yields where the matches are in a line, also those that begin above it or end below."""
        assert self.search is not None
        (raw, offset), length = self._starts[index], len(self._lines[index])
        more = len(self.search.text)
        text = self._raw[raw]
        for match in self.search.pattern.finditer(
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
        if self.search is not None:
            match = self.get_component_rich_style("pager--match")
            for start, end in self._spans(index):
                span = (shown.position_of(start), shown.position_of(end))
                strip = highlight(strip, span, Style(color=match.color, bgcolor=match.bgcolor))
        if x := self.scroll_offset.x:
            strip = strip.crop(x, strip.cell_length) if x < strip.cell_length else Strip([])
        return fit(strip, self.size.width, base)


def wrap(line: str, width: int) -> list[str]:
    """A line in pieces that fit; control characters take a cell, what may be wide counts so."""
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


def dump(digits: str, width: int) -> list[str]:
    """Bytes, given as hexadecimal digits, 16 or 8 to a line with their offset and their ASCII."""
    data = bytes.fromhex(digits)
    count = next((n for n in (16, 8) if 11 + 4 * n <= width), 4)
    lines = []
    for offset in range(0, len(data), count):
        part = data[offset : offset + count]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        lines.append(f"{offset:08x}  {part.hex(' '):<{3 * count}} {text}")
    return lines


class PagerDialog(Dialog[None]):
    """Shows all of a value; ``on_copy`` copies what is shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,space", "close", show=False),
        Binding("w", "wrap", show=False),
        Binding("r", "switch('repr')", show=False),
        Binding("x", "switch('bytes')", show=False),
        Binding("y", "copy", show=False),
        Binding("slash", "search", show=False),
        Binding("n,f3", "search_next(1)", show=False),
        Binding("N,shift+f3", "search_next(-1)", show=False),
    ]
    DEFAULT_CSS = """
    PagerDialog { align: center middle; background: $background 50%; }
    PagerDialog #box {
        width: 96%; height: 96%; padding: 0 1; background: $surface; border: round $primary;
        border-title-color: $primary; border-subtitle-color: $text-muted;
    }
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
        self._search_text = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield PagerView()

    @property
    def view(self) -> PagerView:
        return self.query_one(PagerView)

    def on_mount(self) -> None:
        self.set_focus(self.view)
        self._fetch()

    @work(exclusive=True)
    async def _fetch(self) -> None:
        self._label("fetching… Esc leaves it")
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
        # What can't be sent as it is stands there as an escape, and is longer.
        is_whole = shown >= full.total
        size = f"{full.total:,} {unit}"
        return size if is_whole else f"the first {shown:,} of {size}: the limit"

    def _label(self, what: str) -> None:
        keys = ["/ search", "w wrap", "y copy"]
        if self._full is not None and self._full.kind:
            keys.append("r text" if self._how == "repr" else "r repr")
        if self._type in ("bytes", "bytearray"):
            keys.append("x hex")
        box = self.query_one("#box")
        title = f"{self._name}: {self._type}" + (f" · {what}" if what else "")
        box.border_title = visible(title, 150).replace("[", r"\[")
        box.border_subtitle = " · ".join([*keys, "Esc closes"])

    def action_wrap(self) -> None:
        """Wrap long lines, or let them run out to the right."""
        self.view.set_wrap(not self.view.wraps)

    def action_switch(self, how: str) -> None:
        """Show it as text, as ``repr`` or as bytes."""
        if how == "bytes" and self._type not in ("bytes", "bytearray"):
            return
        self._how = "" if how == self._how and how != "bytes" else how
        self._fetch()

    def action_copy(self) -> None:
        """Copy what was fetched."""
        if self._full is not None:
            self._on_copy(self._full.text)

    def action_search(self) -> None:
        """Ask for a text and go to the next line with it."""
        from tuidbg.tui.dialogs.prompt import PromptDialog

        def search(text: str) -> str:
            self._search_text = text
            line = self.view.find(text)
            return "" if not text else f"line {line:,}" if line is not None else "not found"

        hint = "n: next · Esc: leave"
        self.app.push_screen(PromptDialog("/", hint=hint, on_change=search))

    def action_search_next(self, by: int) -> None:
        """Go to the next or the previous line with the text."""
        if self._search_text:
            self.view.find(self._search_text, backwards=by < 0, again=True)

    def action_close(self) -> None:
        """Close it."""
        if self.is_active:
            self.dismiss(None)
