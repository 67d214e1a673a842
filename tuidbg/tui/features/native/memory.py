"""The memory pane: an editable hex dump with text, of the whole address space.

It is independent of the session: it posts the visible range (``Wanting``), receives its bytes
(``put``), and posts typed bytes. A row has as many bytes as fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from tuidbg.session.features.native.memory import END, MemoryBlock
from tuidbg.session.features.native.views import NativeViews
from tuidbg.session.model.state import Status
from tuidbg.tui.features.native.lazy_view import EndlessView
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import ScreenFeature
from tuidbg.tui.toolkit.keys.key_reader import Hint, Mode, given
from tuidbg.tui.toolkit.widgets.rows import fit
from tuidbg.tui.toolkit.wording import NO_STOP

if TYPE_CHECKING:
    from tuidbg.session.features.native.memory import SeenMemory

_GROUP = 8
"""Bytes between two gaps."""

_DIGITS = "0123456789abcdef"


class MemoryPane(EndlessView):
    """Bytes with a cursor. ``address`` is that of the byte under it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move_byte(-1)", "Byte to the left", show=False),
        Binding("right", "move_byte(1)", "Byte to the right", show=False),
        Binding("home", "edge(0)", "First byte of the row", show=False),
        Binding("end", "edge(1)", "Last byte of the row", show=False),
        Binding("enter", "follow", "Follow the pointer at the cursor", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "memory--address",
        "memory--zero",
        "memory--text",
        "memory--changed",
        "memory--unreadable",
        "memory--cursor",
        "memory--typed",
        "memory--message",
    }
    DEFAULT_CSS = """
    MemoryPane {
        background: $background; color: $foreground;
        & > .memory--address { color: $foreground 55%; }
        & > .memory--zero { color: $foreground 40%; }
        & > .memory--text { color: $text-success; }
        & > .memory--changed { background: $success 30%; text-style: bold; }
        & > .memory--unreadable { color: $foreground 30%; }
        & > .memory--cursor { background: $primary 40%; text-style: bold; }
        & > .memory--typed { background: $primary; color: $background; text-style: bold; }
        & > .memory--message { color: $foreground 60%; }
    }
    """

    class Wanting(Message):
        """A change of the visible range."""

    class Moved(Message):
        """A move of the cursor, or the begin or end of typing."""

    class Followed(Message):
        """Enter: a request to follow the pointer at the cursor."""

    class Typed(Message):
        """Bytes typed over those at an address."""

        def __init__(self, address: int, data: bytes) -> None:
            super().__init__()
            self.address = address
            self.data = data

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.top = 0
        self.address = 0
        self._block = MemoryBlock(address=0, size=0)
        self._changed: frozenset[int] = frozenset()
        self._typed: dict[int, int] = {}
        self._half: int | None = None
        self.is_typing = False
        self.has_place = False
        """Whether an address has been shown yet."""
        self.message = "Nothing is shown yet"

    # Contents

    @property
    def per_row(self) -> int:
        """Bytes in a row: 16, 8 or 4."""
        width = self.size.width
        return next((n for n in (32, 16, 8) if self._width_of(n) <= width), 4)

    def _width_of(self, count: int) -> int:
        return self._digits + 2 + 3 * count + (count - 1) // _GROUP + 2 + count

    @property
    def _digits(self) -> int:
        return max(8, len(f"{self.top:x}"))

    @property
    def wanted(self) -> tuple[int, int]:
        """The visible range: first address and number of bytes."""
        size = self.per_row * max(1, self.size.height)
        return self.top, min(size, END - self.top)

    def put(self, block: MemoryBlock, changed: frozenset[int]) -> None:
        """Set the requested bytes; ``changed`` are the addresses whose bytes differ from before."""
        if (block, changed) != (self._block, self._changed) or self.message:
            self._block, self._changed, self.message = block, changed, ""
            self.refresh()

    def go_to(self, address: int) -> None:
        """Move the cursor to a byte; a distant one is scrolled to the first row."""
        self._stop_typing()
        self.has_place = True
        self.address = max(0, min(address, END - 1))
        first, size = self.wanted
        if not first <= self.address < first + size or not self._block.size:
            self._show_from(self.address)
        elif not self.message:
            self.refresh()
        self.post_message(self.Moved())

    def byte_at(self, address: int) -> int | None:
        """Return a visible byte; None if it is unreadable or not visible."""
        return self._block.at(address)

    # Movement

    def move_by(self, rows: int) -> None:
        self._move_to(self.address + rows * self.per_row)

    def action_move_byte(self, by: int) -> None:
        self._move_to(self.address + by)

    def action_edge(self, edge: int) -> None:
        """Move the cursor to the first or the last byte of its row."""
        row = self.address - (self.address - self.top) % self.per_row
        self._move_to(row + (self.per_row - 1 if edge else 0))

    def _move_to(self, address: int) -> None:
        old, self.address = self.address, max(0, min(address, END - 1))
        first, size = self.wanted
        row = self.per_row
        if self.address < first:
            self._show_from(first - -(-(first - self.address) // row) * row)
        elif self.address >= first + size:
            self._show_from(first + ((self.address - first - size) // row + 1) * row)
        else:
            for each in (old, self.address):
                self._refresh_at(each)
        self.post_message(self.Moved())

    def scroll_rows(self, rows: int) -> None:
        self._show_from(self.top + rows * self.per_row)

    def _show_from(self, address: int) -> None:
        top = max(0, min(address, END - self.per_row))
        if top != self.top or not self._block.size:
            self.top = top
            self.refresh()
            self.post_message(self.Wanting())

    def _refresh_at(self, address: int) -> None:
        self.refresh_row((address - self.top) // self.per_row)

    def on_resize(self) -> None:
        first, size = self.wanted
        if not first <= self.address < first + size:
            self.top = self.address
        self.refresh()
        self.post_message(self.Wanting())
        self.post_message(self.Moved())

    def on_click(self, event: events.Click) -> None:
        row = self.top + event.y * self.per_row
        for index in range(self.per_row):
            x = self._digits + 2 + 3 * index + index // _GROUP
            if x <= event.x <= x + 1 or event.x == self._text_at + index:
                self._move_to(row + index)

    @property
    def _text_at(self) -> int:
        """Return the cell where the text of a row begins."""
        return self._width_of(self.per_row) - self.per_row

    def action_follow(self) -> None:
        """Follow the pointer at the cursor."""
        self.post_message(self.Followed())

    # Editing

    @property
    def key_mode(self) -> Mode:
        """The keys of the pane; while typing, hexadecimal digits."""
        if self.is_typing:
            return Mode("line", "bytes", (Hint("enter", "write"), Hint("escape", "discard")))
        if self.message:
            return Mode(hints=(given("go_to_line", "go to"),))
        follow, go = Hint("enter", "follow"), given("go_to_line", "go to")
        return Mode(hints=(given("set_variable", "type"), follow, go))

    def begin_typing(self) -> None:
        """Start typing: hexadecimal digits replace bytes; Enter writes them, Esc discards them."""
        self.is_typing = True
        self.refresh_bindings()
        self._refresh_at(self.address)
        self.post_message(self.Moved())

    def _stop_typing(self) -> None:
        was_typing, self.is_typing = self.is_typing, False
        self._typed, self._half = {}, None
        if was_typing:
            self.refresh_bindings()
            self.refresh()
            self.post_message(self.Moved())

    def type_key(self, event: events.Key) -> None:
        """Handle a key while bytes are typed."""
        match event.key:
            case "escape":
                self._stop_typing()
            case "enter":
                self._write()
            case "left" | "right":
                self._half = None
                self._move_to(self.address + (1 if event.key == "right" else -1))
            case "up" | "down":
                self._half = None
                self.move_by(1 if event.key == "down" else -1)
            case "backspace":
                self._take_back()
            case _ if event.character and event.character.lower() in _DIGITS:
                self._type_digit(_DIGITS.index(event.character.lower()))

    def _type_digit(self, digit: int) -> None:
        if self.byte_at(self.address) is None:
            return
        if self._half is None:
            low = self._typed.get(self.address, self.byte_at(self.address) or 0) & 0xF
            self._half = digit
            self._typed[self.address] = digit << 4 | low
            self._refresh_at(self.address)
        else:
            self._typed[self.address] = self._half << 4 | digit
            self._half = None
            self._move_to(self.address + 1)

    def _take_back(self) -> None:
        if self._half is None and self.address:
            self._move_to(self.address - 1)
        self._half = None
        self._typed.pop(self.address, None)
        self._refresh_at(self.address)

    def _write(self) -> None:
        """Post each run of typed bytes separately."""
        typed = dict(sorted(self._typed.items()))
        self._stop_typing()
        start, data = -1, b""
        for address, byte in typed.items():
            if address != start + len(data):
                if data:
                    self.post_message(self.Typed(start, data))
                start, data = address, b""
            data += bytes([byte])
        if data:
            self.post_message(self.Typed(start, data))

    # Painting

    def render_line(self, y: int) -> Strip:
        if self.message:
            return self.message_row(y, "memory--message")
        base, count = self.rich_style, self.per_row
        row = self.top + y * count
        if row >= END:
            return Strip.blank(self.size.width, base)
        cells = [Segment(f"{row:0{self._digits}x}  ", self._style("address"))]
        texts: list[Segment] = [Segment(" ", base)]
        for index in range(count):
            address = row + index
            style, shown, character = self._look_of(address)
            gap = " " if index % _GROUP or not index else "  "
            cells += [Segment(gap if index else "", base), Segment(shown, style)]
            texts.append(Segment(character, style))
        return fit([*cells, Segment(" ", base), *texts], self.size.width, base)

    def _look_of(self, address: int) -> tuple[Style, str, str]:
        """Return a byte's style, its digits and its character."""
        byte = self._typed.get(address, self._block.at(address))
        base = self.rich_style
        if byte is None:
            style, shown, character = self._style("unreadable"), "??", " "
        else:
            character = chr(byte) if 32 <= byte < 127 else "·"
            kind = "text" if 32 <= byte < 127 else "zero" if not byte else ""
            style, shown = self._style(kind) if kind else base, f"{byte:02x}"
        if address in self._changed:
            style += self._mark("changed")
        if address in self._typed:
            style += self._mark("typed")
        if address == self.address:
            style += self._mark("cursor")
        return style, shown, character

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"memory--{name}")

    def _mark(self, name: str) -> Style:
        """Return a style to put over another one."""
        whole = self._style(name)
        return Style(
            color=whole.color if name == "typed" else None, bgcolor=whole.bgcolor, bold=True
        )


NAME = "memory"


class ProgramMemory(ScreenFeature):
    """The memory pane, created on demand, and the reading of its bytes."""

    def __init__(self, ui: Context) -> None:
        super().__init__(ui)
        self.shown: MemoryPane | None = None
        self._seen: SeenMemory | None = None
        self.jumps: list[int] = []
        """The jump list of addresses."""
        self.wanted = b""
        """The last search pattern."""
        self._hint = ""

    def ready(self) -> MemoryPane:
        """Return the pane, created on demand."""
        if self.shown is None:
            from tuidbg.session.features.native.memory import SeenMemory

            self._seen = SeenMemory()
            self.shown = pane = MemoryPane(id=NAME)
            self._ui.body.add_pane(pane)
        return self.shown

    @property
    def pane(self) -> MemoryPane | None:
        """The pane, if it has the focus."""
        pane = self.shown
        return pane if pane is not None and self._ui.focused is pane else None

    @property
    def typing(self) -> MemoryPane | None:
        """The pane, while bytes are typed."""
        pane = self.pane
        return pane if pane is not None and pane.is_typing else None

    def go_to(self, address: int, *, leave: bool = True) -> None:
        pane = self.ready()
        if leave and pane.has_place:
            self.jumps.append(pane.address)
        pane.go_to(address)
        self.follow()

    def follow(self) -> None:
        """Read the visible bytes, if the pane is shown."""
        pane, status = self.shown, self._ui.session.status
        if pane is None or not pane.display or not pane.has_place or not pane.size.height:
            return
        if status is Status.PAUSED:
            self._ui.run_in_background("memory-bytes", self._read, pane)
        elif status is not Status.RUNNING:
            pane.show_message(f"No memory: {NO_STOP[status]}")

    async def _read(self, pane: MemoryPane) -> None:
        address, size = pane.wanted
        block = await NativeViews.of(self._ui.session).memory.read(address, size)
        assert self._seen is not None
        changed = self._seen.note(block, self._ui.session.stop_id)
        pane.put(block, changed)
        self.show_title(pane)

    def show_title(self, pane: MemoryPane) -> None:
        """Show the cursor's address and the keys in the title."""
        title, before = self._ui.body.shared_title, self._hint
        if self._ui.body.bottom != NAME:
            if title.hint == before:
                title.hint = ""
            return
        if pane.is_typing:
            words = "Type hex digits · Enter write · Esc discard"
        else:
            keys = [self._ui.key_map.tell("go_to_line", "goes elsewhere")]
            if pane.has_place:
                writes = self._ui.key_map.tell("set_variable", "writes")
                keys = [f"{pane.address:#x}", "; Enter follows", writes, *keys]
            words = "".join(keys).replace("; ", " · ")
        self._hint = title.hint = words.removeprefix(" · ")
        title.hint_is_warning = pane.is_typing

    def refresh_title(self) -> None:
        """Update the title after a move of the cursor or while typing."""
        if self.shown is not None:
            self.show_title(self.shown)

    def note_rearranged(self) -> None:
        """Update the pane, which may have become visible or been resized."""
        if self.shown is not None:
            self.show_title(self.shown)
            self.follow()
