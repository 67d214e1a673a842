"""The settings dialog: value and source of each setting, and how to change it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.widgets import Input, Static

from tuidbg.tui.features.settings.found import BUILT_IN, SettingRow
from tuidbg.tui.toolkit.dialogs.box import Box, FollowedPane
from tuidbg.tui.toolkit.dialogs.prompt import InputDialog, ListInput
from tuidbg.tui.toolkit.keys.key_reader import CHOOSES, CLOSES, Hint, Mode
from tuidbg.tui.toolkit.widgets.following import cell
from tuidbg.tui.toolkit.widgets.rows import ListRow, RowsPane, visible

_WIDTH = 110
_CHROME = 5
"""Columns beside the rows: border, padding, scrollbar."""
_SOURCE = 15
_LOW = 20
"""Screen rows below which the details are shorter."""


class SettingsPane(FollowedPane):
    """The filtered settings."""

    EMPTY = "No setting has these words"


class SettingsDialog(InputDialog[None]):
    """The list of all settings; Enter changes one, or shows where to set it."""

    HINTS = (Hint("enter", "change"), CLOSES, CHOOSES)
    DEFAULT_CSS = """
    SettingsDialog #box SettingsPane { height: 1fr; }
    SettingsDialog SettingsPane > .rows--cursor-blurred { background: $primary 35%; }
    SettingsDialog #details { height: 5; padding: 0 1; border-top: solid $foreground 20%; }
    SettingsDialog.-low #details { height: 3; border-top: none; color: $text-muted; }
    """

    def __init__(
        self, find: Callable[[], Sequence[SettingRow]], change: Callable[[str], str], file: str = ""
    ) -> None:
        """``find`` reads the settings, in a thread; ``change`` runs a command.

        It returns a sentence if the command is unavailable now. ``file`` is the user's config file.
        """
        super().__init__()
        self._find = find
        self._change = change
        self._file = file
        self._found: dict[str, SettingRow] = {}
        self._typed = ""
        self._told: tuple[str, str] = ("", "")

    @property
    def key_mode(self) -> Mode:
        """The keys: letters filter; Enter depends on the setting."""
        found = self._current
        verb = found.setting.verb if found is not None and found.setting.command else "how to set"
        return Mode("line", "text", (Hint("enter", verb), CLOSES, CHOOSES))

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = "Settings"
            box.border_subtitle = visible(self._file).replace("[", r"\[")
            yield ListInput("", placeholder="type to filter: a name, a value, a source")
            yield SettingsPane(id="settings")
            yield Static("", id="details", markup=False)

    @property
    def _pane(self) -> SettingsPane:
        return self.query_one(SettingsPane)

    @property
    def _current(self) -> SettingRow | None:
        panes = self.query(SettingsPane)
        return self._found.get(str(panes.first().cursor_key)) if panes else None

    def on_mount(self) -> None:
        self._pane.set_empty("Reading the settings…")

    def on_screen_resume(self) -> None:
        """Read the settings at the start, and after the dialog of a setting has closed."""
        self.read_again()

    def read_again(self) -> None:
        self.run_worker(self._read(), exclusive=True)

    async def _read(self) -> None:
        found = await asyncio.to_thread(self._find)
        self._found = {each.setting.name: each for each in found}
        if self.is_attached:
            self._pane.set_empty(SettingsPane.EMPTY)
            self._show()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < _LOW, "-low")
        self._show()

    @on(Input.Changed)
    def _follow(self) -> None:
        """Apply the filter, from the first row on; once for each text."""
        if self.query_one(Input).value != self._typed:
            self._show()
            self._pane.action_edge(0)

    def _show(self) -> None:
        self._typed = self.query_one(Input).value
        words = self._typed.casefold().split()
        width = min(_WIDTH, self.size.width) - _CHROME
        names = max((cell_len(name) for name in self._found), default=0) + 2
        kept = [each for each in self._found.values() if _has(each, words)]
        kept.sort(key=lambda each: not all(word in each.setting.name for word in words))
        self._pane.set_rows([_row(each, width, min(names, width // 3)) for each in kept])
        self._explain()

    @on(FollowedPane.Moved)
    def _moved(self) -> None:
        self._explain()
        self.refresh_bindings()

    def _explain(self) -> None:
        """Describe the setting under the cursor and the source of its value."""
        found, text = self._current, ""
        if found is not None:
            name, told = self._told
            last = told if name == found.setting.name else ""
            lines = (last or found.setting.about, f"Now: {found.source.sentence}.")
            text = "\n".join(map(visible, lines))
        self.query_one("#details", Static).update(text)

    # Changes

    def submit(self) -> None:
        """Change the setting under the cursor, after filtering by the complete text."""
        self._follow()
        self._choose(self._current)

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        self._choose(self._found.get(str(event.key)))

    def _choose(self, found: SettingRow | None) -> None:
        if found is None or not self.is_active:
            return
        setting = found.setting
        why = self._change(setting.command) if setting.command else found.how
        self._told = (setting.name, f"{why}." if why else "")
        self._explain()
        if setting.command and not why:
            self.read_again()


def _has(found: SettingRow, words: Sequence[str]) -> bool:
    setting = found.setting
    text = f"{setting.name} {found.value} {found.source.word} {setting.about}".casefold()
    return all(word in text for word in words)


def _row(found: SettingRow, width: int, names: int) -> ListRow:
    room = max(4, width - names - _SOURCE - 2)
    style = "faint" if found.source.word == BUILT_IN else "value"
    return ListRow(
        found.setting.name,
        (
            (cell(f" {found.setting.name}", names), "name"),
            (cell(f" {visible(found.value)}", room), style),
            (cell(f"  {found.source.word}", _SOURCE + 2), "faint"),
        ),
    )
