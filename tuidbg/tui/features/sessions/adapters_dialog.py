"""The list of debug adapters: languages, location, installation of missing ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from tuidbg.tui.toolkit.dialogs.box import ReadingBox
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.widgets.rows import visible

if TYPE_CHECKING:
    from tuidbg.adapters.discovery.listing import ListedAdapter

ListAdapters = Callable[[], Sequence["ListedAdapter"]]


def _list_them() -> Sequence[ListedAdapter]:
    from tuidbg.adapters.discovery.listing import list_adapters

    return list_adapters()


class AdaptersDialog(Dialog[None]):
    """The adapter list, read when it opens; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "close", show=False)]
    DEFAULT_CSS = """
    AdaptersDialog ReadingBox { padding: 0 2; }
    """

    def __init__(self, used: str = "", list_adapters: ListAdapters = _list_them) -> None:
        """``used`` is the session's adapter; ``list_adapters`` blocks for a moment."""
        super().__init__()
        self._used = used
        self._list_adapters = list_adapters

    def compose(self) -> ComposeResult:
        with ReadingBox() as box:
            box.border_title = "Debug adapters"
            yield Static("Looking for them…", id="adapters")

    def on_mount(self) -> None:
        self.run_worker(self._look(), exclusive=True)

    async def _look(self) -> None:
        found = await asyncio.to_thread(self._list_adapters)
        text = Text("\n").join(self._describe(each) for each in found)
        for line in self.query("#adapters").results(Static):  # none once closed
            line.update(text)

    def _describe(self, adapter: ListedAdapter) -> Text:
        text = Text()
        text.append(adapter.name, "bold").append(f" {visible(adapter.version)}".rstrip())
        what = ", ".join((adapter.language, *adapter.files))
        text.append(f"  {visible(what)}", "dim")
        for word, is_so in (("this session's", adapter.name == self._used), ("yours", adapter.own)):
            text.append(f"  {word}" if is_so else "", "italic")
        if adapter.is_there:
            text.append(f"\n  {visible(adapter.where)}\n")
            return text.append(f"  {visible(adapter.gaps)}.\n" if adapter.gaps else "", "italic")
        return text.append(f"\n  {visible(adapter.problem)}\n")

    def action_close(self) -> None:
        if self.is_active:
            self.dismiss(None)
