"""Find in files: a line for the text, and the results below.

The search follows the typing, in a thread of its own; a newer search cancels the older. Enter opens
the result under the cursor, which the arrow keys move while the line keeps the focus.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from tuidbg.session.core.sources.files import MAX_MATCHES, LineMatch, Summary, search_files
from tuidbg.session.core.sources.program_facts import LoadedModule, ModuleKind
from tuidbg.tui.toolkit.dialogs.box import Box
from tuidbg.tui.toolkit.dialogs.prompt import InputDialog, ListInput
from tuidbg.tui.toolkit.keys.key_reader import CHOOSES, CLOSES, Hint, Mode
from tuidbg.tui.toolkit.text.search import TextSearch
from tuidbg.tui.toolkit.widgets.rows import ListRow, Piece, RowsPane, visible

PATIENCE = 0.15
"""Seconds after the last key before the search starts."""


class FoundPane(RowsPane):
    """The list of matching lines."""


class FindDialog(InputDialog[LineMatch | None]):
    """The dialog for a text. Result: the chosen place; None on Esc."""

    HINTS = (Hint("enter", "open"), CLOSES, CHOOSES)

    DEFAULT_CSS = """
    FindDialog #about { height: 1; color: $text-muted; padding: 0 1; }
    FindDialog #box FoundPane { height: 1fr; }
    FindDialog FoundPane > .rows--cursor-blurred { background: $primary 35%; }
    """

    class Found(Message):
        """Partial results, from the search thread."""

        def __init__(self, matches: tuple[LineMatch, ...], cancel: threading.Event) -> None:
            super().__init__()
            self.matches = matches
            self.cancel = cancel

    class Ended(Message):
        """The end of a search, from its thread."""

        def __init__(self, summary: Summary, cancel: threading.Event) -> None:
            super().__init__()
            self.summary = summary
            self.cancel = cancel

    def __init__(
        self, folder: Path, *, value: str = "", note: Callable[[str], None] = lambda text: None
    ) -> None:
        """``note`` gets each searched text, to be offered the next time."""
        super().__init__()
        self._folder = folder
        self._value = value
        self._note = note
        self._matches: list[LineMatch] = []
        self._timer: Timer | None = None
        self._cancel = threading.Event()
        self._searched = ""

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = visible(f"Find in {self._folder.name or '/'}").replace("[", r"\[")
            yield ListInput(self._value, placeholder="text to find", select_on_focus=True)
            yield Static("", id="about", markup=False)
            yield FoundPane(id="found")

    def on_mount(self) -> None:
        if self._value:
            self._search()

    def on_unmount(self) -> None:
        self._cancel.set()

    @on(Input.Changed)
    def _changed(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(PATIENCE, self._search)

    def submit(self) -> None:
        """Open the place under the cursor, once the results are for the present text."""
        text = self.query_one(Input).value
        if text != self._searched:
            self._search()
            return
        row = self.query_one(FoundPane).cursor_key
        if isinstance(row, int):
            self._choose(row)

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        if isinstance(event.key, int):
            self._choose(event.key)

    def _choose(self, index: int) -> None:
        self.dismiss(self._matches[index])

    # The search

    def _search(self) -> None:
        text = self.query_one(Input).value
        if text == self._searched:
            return
        self._searched = text
        self._note(text)
        self._cancel.set()
        self._cancel = cancel = threading.Event()
        self._matches = []
        self._show()
        if text:
            self._say("searching…")
            self.run_worker(
                lambda: self._work(text, cancel), thread=True, group="find", exit_on_error=False
            )
        else:
            self._say("")

    def _work(self, text: str, cancel: threading.Event) -> None:
        """Search; in the thread."""

        def tell(found: list[LineMatch]) -> None:
            self.post_message(self.Found(tuple(found), cancel))

        summary = search_files(self._folder, TextSearch(text).pattern, tell, cancel.is_set)
        self.post_message(self.Ended(summary, cancel))

    def on_find_dialog_found(self, event: Found) -> None:
        if not event.cancel.is_set():
            self._matches += event.matches
            self._show()
            self._say(f"{len(self._matches):,} so far…")

    def on_find_dialog_ended(self, event: Ended) -> None:
        if not event.cancel.is_set():
            self._say(_describe(event.summary))

    def _say(self, text: str) -> None:
        self.query_one("#about", Static).update(text)

    def _show(self) -> None:
        base = str(self._folder).rstrip("/") + "/"
        rows = [_row(index, match, base) for index, match in enumerate(self._matches)]
        self.query_one(FoundPane).set_rows(rows)


def _row(index: int, match: LineMatch, base: str) -> ListRow:
    before, hit = match.text[: match.start], match.text[match.start : match.end]
    pieces: list[Piece] = [
        (visible(match.path.removeprefix(base)), "value"),
        (f":{match.line}  ", "faint"),
        (visible(before), "name"),
        (visible(hit), "changed"),
        (visible(match.text[match.end :]), "name"),
    ]
    return ListRow(index, tuple(pieces))


def _describe(summary: Summary) -> str:
    files = "1 file" if summary.files == 1 else f"{summary.files:,} files"
    if summary.cut:
        return f"the first {MAX_MATCHES:,} lines; there may be more"
    if not summary.matches:
        return f"nothing in {files}"
    lines = "1 line" if summary.matches == 1 else f"{summary.matches:,} lines"
    return f"{lines} in {files}"


_WITHOUT = {
    ModuleKind.EXTENSION: "compiled",
    ModuleKind.NAMESPACE: "a folder only",
    ModuleKind.BUILTIN: "built in",
    ModuleKind.UNKNOWN: "no source",
    ModuleKind.BINARY: "machine code",
}


class ModulesPane(RowsPane):
    """The list of filtered modules."""

    EMPTY = "No module of that name"


class ModulesDialog(InputDialog[LoadedModule | None]):
    """The module list. Result: the chosen module; None on Esc."""

    HINTS = (Hint("enter", "open the source"), CLOSES)
    DEFAULT_CSS = """
    ModulesDialog #about { height: 1; color: $text-muted; padding: 0 1; }
    ModulesDialog #box ModulesPane { height: 1fr; }
    ModulesDialog ModulesPane > .rows--cursor-blurred { background: $primary 35%; }
    """

    def __init__(
        self,
        modules: Sequence[LoadedModule],
        is_library: Callable[[str], bool],
        show: Callable[[str], str],
    ) -> None:
        """``show`` shortens a path for display; own code is listed first."""
        super().__init__()
        self._show_path = show
        self._wanted: str | None = None
        self._are_binaries = all(m.kind is ModuleKind.BINARY for m in modules)
        self._is_own = {m.name: bool(m.path) and not is_library(m.path) for m in modules}
        self._modules = sorted(modules, key=lambda m: (not self._is_own[m.name], m.name))

    @property
    def key_mode(self) -> Mode:
        """The keys: letters filter; native modules have no source to open."""
        opens = () if self._are_binaries else (Hint("enter", "open the source"),)
        return Mode("line", "text", (*opens, CLOSES))

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = "Modules"
            yield ListInput(placeholder="a part of the name")
            yield Static("", id="about", markup=False)
            yield ModulesPane(id="modules")

    def on_mount(self) -> None:
        self._filter("")

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        self._filter(event.value)

    def _filter(self, text: str) -> None:
        wanted = text.strip().lower()
        if wanted == self._wanted:
            return
        self._wanted = wanted
        shown = [m for m in self._modules if wanted in m.name.lower()]
        # An exact match comes before modules that only contain the name.
        shown.sort(key=lambda m: bool(wanted) and not m.name.lower().startswith(wanted))
        pane = self.query_one(ModulesPane)
        pane.set_rows([self._row(m) for m in shown])
        pane.action_edge(0)
        self.query_one("#about", Static).update(f"{len(shown):,} of {len(self._modules):,}")

    def _row(self, module: LoadedModule) -> ListRow:
        pieces: list[Piece] = [
            (visible(module.name), "strong" if self._is_own[module.name] else "name")
        ]
        if module.version:
            pieces.append((f" {visible(module.version)}", "value"))
        if module.kind is ModuleKind.BINARY:
            pieces.append((f"  {module.address}", "value"))
            if module.symbols:
                has_them = "not" not in module.symbols
                pieces.append((f"  {visible(module.symbols)}", "good" if has_them else "warning"))
        about = self._show_path(module.path) if module.path else _WITHOUT.get(module.kind, "")
        pieces.append((f"  {visible(about)}", "faint"))
        return ListRow(module.name, tuple(pieces))

    def submit(self) -> None:
        """Open the module under the cursor on Enter."""
        self._filter(self.query_one(Input).value)  # it may have been typed in the same packet
        self._choose(self.query_one(ModulesPane).cursor_key)

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        self._choose(event.key)

    def _choose(self, name: object) -> None:
        chosen = next((m for m in self._modules if m.name == name), None)
        if chosen is None:
            return
        if chosen.path and chosen.kind is not ModuleKind.BINARY:
            self.dismiss(chosen)
        else:
            why = _WITHOUT.get(chosen.kind, "no source")  # a binary is still a file
            self.query_one("#about", Static).update(f"{visible(chosen.name)} has no source: {why}")
