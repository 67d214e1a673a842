"""The program's modules: what is typed filters them, Enter opens the source of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static

from tuidbg.session.sources.program_facts import LoadedModule, ModuleKind
from tuidbg.tui.dialogs.box import Box
from tuidbg.tui.dialogs.input_dialog import InputDialog
from tuidbg.tui.find.dialog import ListInput
from tuidbg.tui.keys.modes import CLOSES, Hint, Mode
from tuidbg.tui.widgets.rows import Piece, Row, RowsPane, visible

_WITHOUT = {
    ModuleKind.EXTENSION: "compiled",
    ModuleKind.NAMESPACE: "a folder only",
    ModuleKind.BUILTIN: "built in",
    ModuleKind.UNKNOWN: "no source",
    ModuleKind.BINARY: "machine code",
}


class ModulesPane(RowsPane):
    """The modules that the filter leaves."""

    EMPTY = "No module of that name"


class ModulesDialog(InputDialog[LoadedModule | None]):
    """Gives the module that was chosen; Esc gives None."""

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
        """``show`` gives a path as a person would give it; own code is listed first."""
        super().__init__()
        self._show_path = show
        self._wanted: str | None = None
        self._are_binaries = all(m.kind is ModuleKind.BINARY for m in modules)
        self._is_own = {m.name: bool(m.path) and not is_library(m.path) for m in modules}
        self._modules = sorted(modules, key=lambda m: (not self._is_own[m.name], m.name))

    @property
    def key_mode(self) -> Mode:
        """Letters are a part of a name; native modules have no source to open."""
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
        # A module that is called so comes before those that only contain it.
        shown.sort(key=lambda m: bool(wanted) and not m.name.lower().startswith(wanted))
        pane = self.query_one(ModulesPane)
        pane.set_rows([self._row(m) for m in shown])
        pane.action_edge(0)
        self.query_one("#about", Static).update(f"{len(shown):,} of {len(self._modules):,}")

    def _row(self, module: LoadedModule) -> Row:
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
        return Row(module.name, tuple(pieces))

    def submit(self) -> None:
        """Enter in the line: the module under the cursor."""
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
            why = _WITHOUT.get(chosen.kind, "no source")  # a binary is a file all the same
            self.query_one("#about", Static).update(f"{visible(chosen.name)} has no source: {why}")
