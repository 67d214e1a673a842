"""The help: the ten keys, those of the focused pane, then all commands by topic; typing filters."""

from __future__ import annotations

from collections.abc import Mapping

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from tuidbg.session.state import Status
from tuidbg.tui.dialogs.input_dialog import InputDialog
from tuidbg.tui.dialogs.searched import DialogSearch
from tuidbg.tui.find.dialog import ListInput
from tuidbg.tui.help.columns import Columns, Spot
from tuidbg.tui.help.page import PageDialog, ask_for_place
from tuidbg.tui.help.places import find_place, keys_in_focus
from tuidbg.tui.help.sections import Sections
from tuidbg.tui.help.topics import KEYS_NOW, Place
from tuidbg.tui.keys.commands import DEFAULT_MAP
from tuidbg.tui.keys.key_map import HasKeyMap, KeyMap
from tuidbg.tui.keys.modes import CLOSES, Hint, Mode
from tuidbg.tui.widgets.rows import RowsPane, visible

_WIDTH = 168
_CHROME = 5
"""Cells beside the rows: border, padding, scrollbar."""


class KeysPane(RowsPane, can_focus=False):
    """The rows of all columns; the entry under the cursor is marked by the dialog."""

    COMPONENT_CLASSES = {"rows--heading", "rows--key"}
    DEFAULT_CSS = """
    KeysPane { height: 1fr; background: $surface; }
    KeysPane > .rows--heading { color: $foreground; text-style: bold; }
    KeysPane > .rows--key { text-style: bold; }
    KeysPane > .rows--cursor-blurred { background: $surface; }
    KeysPane.-searched > .rows--cursor-blurred { background: $primary 35%; }
    """
    EMPTY = "Nothing has these words; Tab searches the manual"

    def reveal(self, first: int, end: int) -> None:
        """Scroll so that these rows are in sight."""
        top, height = self.scroll_offset.y, self.size.height
        if height and first < top:
            self._scroll_at_once(first)
        elif height and end > top + height:
            self._scroll_at_once(min(first, end - height))

    def scroll_rows(self, y: int) -> None:
        """Scroll to a row."""
        self._scroll_at_once(y)

    def on_click(self, event: events.Click) -> None:
        event.stop()


class FilterInput(ListInput):
    """The line above the rows. What is no word to look for there has a meaning of its own."""

    async def _on_key(self, event: events.Key) -> None:
        dialog = self.screen
        help_dialog = dialog if isinstance(dialog, HelpDialog) and dialog.is_active else None
        if help_dialog is not None and help_dialog.take_key(event.key, self.value):
            event.stop()
            event.prevent_default()
        else:
            await super()._on_key(event)


class HelpDialog(InputDialog[None]):
    """Keys and marks as they are now, and from there the pages of the manual; Esc closes it."""

    HINTS = (
        Hint("up down", "move"),
        Hint("tab", "manual"),
        Hint("ctrl+p", "commands"),
        Hint("f1", "manual of this place"),
    )
    DEFAULT_CSS = """
    HelpDialog #box { padding: 0 1; }
    HelpDialog Input { height: 1; border: none; padding: 0 1; background: $background; }
    HelpDialog Input:focus { border: none; }
    HelpDialog #why {
        height: 1; color: $text-muted; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis;
    }
    """

    def __init__(self, status: Status | None, reasons: Mapping[str, str] | None = None) -> None:
        """``reasons`` say why some commands make no sense now, by their names."""
        super().__init__()
        self._status = status
        self._reasons = reasons
        self._sections: Sections | None = None
        self._columns = Columns((), _WIDTH)
        self._spot: Spot | None = None
        self._pane = KeysPane(id="help")
        self._search = DialogSearch(self, self._pane.search, self._tell_search)

    @property
    def key_mode(self) -> Mode:
        """Letters filter, but that ``n`` goes on with a search as long as nothing is typed."""
        typed = self.query_one(Input).value
        found = self._search.hints("f3" if typed else "n", CLOSES)
        return Mode("line", "text", (*found, *self.HINTS))

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            name = self._key_map.name
            box.border_title = "Help" if name == DEFAULT_MAP.name else f"Help: the map {name}"
            yield FilterInput("", placeholder="type to filter: a word, or a key")
            yield self._pane
            yield Static("", id="why", markup=False)

    @property
    def _key_map(self) -> KeyMap:
        return self.app.key_map if isinstance(self.app, HasKeyMap) else DEFAULT_MAP

    @property
    def sections(self) -> Sections:
        """Tells what there is to be listed."""
        if self._sections is None:
            pane = keys_in_focus(self.app.screen_stack[:-1])
            self._sections = Sections(self._key_map, self._status, self._reasons, pane)
        return self._sections

    def on_resize(self) -> None:
        self._show()

    @on(Input.Changed)
    def _changed(self) -> None:
        self._show()
        self._choose_entry(self._columns.moved(None, 0))
        self.refresh_bindings()

    def _show(self) -> None:
        found = self.sections.find(self.query_one(Input).value)
        width = min(_WIDTH, self.size.width) - _CHROME
        entry = self._spot.entry if self._spot is not None else None
        self._columns = Columns(found, width)
        spots = self._columns.spots
        same = next((spot for spot in spots if spot.entry == entry), None)
        self._choose_entry(same or self._columns.moved(None, 0))

    # The entry under the cursor

    def _choose_entry(self, spot: Spot | None) -> None:
        """Mark an entry, and say why its command makes no sense now."""
        self._spot = spot
        self._pane.set_rows(self._columns.rows(spot))
        why = spot.entry.why if spot is not None else ""
        self.query_one("#why", Static).update(visible(f"Not now: {why}") if why else "")
        if spot is not None:
            if not spot.first <= self._pane.cursor < spot.end:
                self._pane.cursor = spot.first  # a search begins here
            is_first = spot == self._columns.moved(None, 0)
            self._pane.reveal(0 if is_first else spot.first, spot.end)

    def _turn_page(self, by: int) -> None:
        """Scroll by a page, and go to the entry that is then at the top."""
        pane = self._pane
        before = pane.scroll_offset.y
        pane.scroll_rows(before + by * max(1, pane.size.height - 1))
        column = self._spot.column if self._spot is not None else 0
        top = pane.scroll_offset.y
        at_end = top == before
        spot = self._columns.moved(None, len(self._columns.spots)) if at_end and by > 0 else None
        self._choose_entry(spot or self._columns.at_row(top, column))

    # Keys

    def take_key(self, key: str, typed: str) -> bool:
        """Do what a key means here; False where it belongs to the line that has ``typed``."""
        match key:
            case "home" | "end":
                first, count = self._columns.moved(None, 0), len(self._columns.spots)
                last = self._columns.moved(first, count)
                self._choose_entry(last if key == "end" else first)
            case "up" | "down":
                self._choose_entry(self._columns.moved(self._spot, 1 if key == "down" else -1))
            case "left" | "right" if not typed and self._spot is not None:
                self._choose_entry(self._columns.beside(self._spot, 1 if key == "right" else -1))
            case "pageup" | "pagedown":
                self._turn_page(1 if key == "pagedown" else -1)
            case "tab":
                self._choose(typed)
            case "slash" if not typed:
                self._ask_pattern()
            case "n" if not typed and self._search.is_marked:
                self._search.go_on(1)
            case "N" if not typed and self._search.is_marked:
                self._search.go_on(-1)
            case "f3" | "shift+f3":
                self._search.go_on(1 if key == "f3" else -1)
            case "space" if not typed:
                self._turn_page(1)
            case "question_mark" | "backspace" if not typed:
                self.dismiss(None)
            case "escape" if typed:
                self.query_one(Input).value = ""
            case "escape":
                return self._search.clear()
            case _:
                return False
        return True

    def submit(self) -> None:
        """Enter: it was read."""
        self.dismiss(None)

    # Searching

    def _ask_pattern(self) -> None:
        pane = self._pane
        top = int(pane.scroll_offset.y)
        if not top <= pane.cursor < top + pane.size.height:
            pane.cursor = top  # from what is in sight on
        self._search.ask()

    def _tell_search(self, words: str) -> None:
        if self._search.is_marked:
            marked = self._pane.search.marked
            text = marked.text if marked is not None else ""
            self._choose_entry(self._columns.with_text(self._pane.cursor, text))
        self._pane.set_class(self._search.is_marked, "-searched")
        self.query_one("#box").border_subtitle = visible(words).replace("[", r"\[")

    # The manual

    def _choose(self, words: str) -> None:
        ask_for_place(self.app, self._open, words=words)

    def open_page(self) -> None:
        """The page of what had the focus before the help had it."""
        self._open(find_place(self.app.screen_stack[:-1]))

    def _open(self, place: Place) -> None:
        """Show a page; who leaves it leaves the help as well, unless it was for the keys."""
        if place == KEYS_NOW:
            return  # they are here

        def leave(wants_keys: bool | None) -> None:
            if not wants_keys:
                self.dismiss(None)

        self.app.push_screen(PageDialog(place, is_over_keys=True), leave)
