"""All of one value, to read: scrolled, wrapped, searched, bytes as a dump.

The dialog opens at once and says that it fetches; a value may take long, and Esc is there first.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tuidbg.lines import split_lines
from tuidbg.session.errors import DebuggerError, StaleReply
from tuidbg.session.values.types import FullText
from tuidbg.tui.dialogs.box import Box
from tuidbg.tui.dialogs.dialog import Dialog
from tuidbg.tui.dialogs.pager_view import PagerView
from tuidbg.tui.dialogs.searched import DialogSearch
from tuidbg.tui.keys.modes import CLOSES, Hint, Mode
from tuidbg.tui.widgets.rows import visible

Fetch = Callable[[str], Awaitable[FullText]]
"""Gets a value as ``""`` (as it is read best), ``"repr"`` or ``"bytes"``."""


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
        """Tells what can be done with what was fetched."""
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
        # What can't be sent as it is stands there as an escape, and is longer.
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
        self._search.ask()

    def action_search_next(self, by: int) -> None:
        """Go to the next or the previous line with the text."""
        self._search.go_on(by)

    def action_leave(self) -> None:
        """Unmark what was searched, or close it."""
        if not self._search.clear():
            self.action_close()

    def action_close(self) -> None:
        """Close it."""
        if self.is_active:
            self.dismiss(None)
