"""The help: the ten keys, keys of the focused pane, all commands by topic; typing filters."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from tuidbg.session.model.state import Status
from tuidbg.tui.app.help.page import KEYS_NOW, PageDialog, PageLocation, ask_for_place
from tuidbg.tui.app.help.places import PANE_KEYS, find_place, keys_in_focus
from tuidbg.tui.app.keys.commands import COMMANDS, DEFAULT_MAP
from tuidbg.tui.toolkit.dialogs.prompt import DialogSearch, InputDialog, ListInput
from tuidbg.tui.toolkit.keys.key_map import HasKeyMap, KeyMap, key_of_character
from tuidbg.tui.toolkit.keys.key_reader import CLOSES, Hint, Mode
from tuidbg.tui.toolkit.widgets.following import cell
from tuidbg.tui.toolkit.widgets.rows import ListRow, Piece, RowsPane, visible

TEN_KEYS = (
    (
        ("toggle_breakpoint",),
        "set or delete a breakpoint ({edit_breakpoint}: with a condition, a count, a message)",
    ),
    (("resume",), "continue"),
    (("step_over", "step_into", "step_out"), "step over, into, out"),
    (("pause",), "pause"),
    (("frame_up", "frame_down"), "the caller's frame, and back"),
    (("evaluate",), "evaluate an expression"),
    (("show_autopsy",), "causes of an exception (autopsy)"),
    (("restart",), "restart the program (twice while one runs)"),
    (("help",), "all keys, and with Tab the whole manual"),
    (("quit",), "quit (twice while a program runs)"),
)
"""The ten keys of the README: commands, and descriptions of their first keys."""

MARKS = (
    ("▶", "the current line"),
    ("▷", "the line of the selected frame"),
    ("◀", "the line of a recorded moment"),
    ("●", "breakpoint, set"),
    ("◆", "set, with a condition or a count: stops sometimes"),
    ("■", "log point: writes a message instead of stopping"),
    ("▲", "tracepoint: writes to the trace instead of stopping"),
    ("○ ◇ □ △", "the same, not set yet (nothing runs, or not loaded); in grey: muted"),
    ("◌", "disabled"),
    ("✗", "refused; the pane says why"),
    ("ƒ E @ D", "a function, an exception, an address, data"),
    ("×42", "hits in this run"),
    ("* + -", "a value that has changed, come or gone since the last stop"),
)
_ANYWHERE = (
    ("Esc", "leave an input line or a dialog"),
    ("click", "select, open; in the gutter: breakpoint (right: edit it)"),
    ("drag", "a title or the divider: sizes"),
    ("double click", "on a title: maximise"),
)
NO_KEY = "{command_palette}"
"""The keys of a command without any: it is in the palette."""

_NAME = re.compile(r"\{(\w+)\}")


class HelpEntry(NamedTuple):
    """An entry: an action or a mark.

    ``why`` is the reason it is unavailable now; ``name`` is that of a command.
    """

    keys: str
    title: str
    why: str = ""
    name: str = ""


class HelpSection(NamedTuple):
    """Entries under a heading."""

    heading: str
    entries: tuple[HelpEntry, ...]


class Sections:
    """The help's sections for a key map, a session state and a focused pane.

    ``status`` is None without a session; ``reasons`` are those of unavailable commands.
    """

    def __init__(
        self,
        key_map: KeyMap,
        status: Status | None = None,
        reasons: Mapping[str, str] | None = None,
        pane: str = "",
    ) -> None:
        self._key_map = key_map
        self._status = status
        self._reasons = reasons
        self._ten = self._ten_keys()
        self._has_place = pane in PANE_KEYS
        self._all = self._everything(pane)

    @property
    def whole(self) -> list[HelpSection]:
        """Return all sections; without a program, first the keys of the focused place."""
        if self._status is None and self._has_place:
            return [self._all[0], self._ten, *self._all[1:]]
        return [self._ten, *self._all]

    def find(self, wanted: str) -> list[HelpSection]:
        """Return the entries whose sentences, names, keys or headings contain all the words.

        Entries for a complete key come first: ``n``, ``F5``, ``ctrl+o``.
        """
        words = wanted.casefold().split()
        if not words:
            return self.whole
        found = []
        if by_key := tuple(self._with_key(wanted.strip())):
            found.append(HelpSection(f"The key {wanted.strip()}", by_key))
        for section in self._all:
            kept = tuple(e for e in section.entries if _has(e, section.heading, words))
            if kept := tuple(entry for entry in kept if entry not in by_key):
                found.append(HelpSection(section.heading, kept))
        return found

    def _with_key(self, key: str) -> Iterator[HelpEntry]:
        """Yield the entries of a key; letters match exactly, key names in any case."""
        same = key if len(key) == 1 else key.casefold()
        for section in self._all:
            for entry in section.entries:
                keys = entry.keys.split(", ")
                if same in (keys if len(key) == 1 else [each.casefold() for each in keys]):
                    yield entry

    # The sections

    def _everything(self, pane: str) -> list[HelpSection]:
        sections = []
        if pane in PANE_KEYS:
            sections.append(self._of_pane(pane, is_here=True))
        groups = dict.fromkeys(command.group for command in COMMANDS)
        sections += [self._of_group(group) for group in groups]
        sections += [self._of_pane(name) for name in PANE_KEYS if name != pane]
        sections.append(HelpSection("Mouse and dialogs", _entries(_ANYWHERE)))
        sections.append(HelpSection("Marks", _entries(MARKS)))
        return sections

    def _ten_keys(self) -> HelpSection:
        entries = []
        for names, title in TEN_KEYS:
            keys = " ".join(filter(None, map(self._key_map.key_of, names)))
            why = {self._why_not(name) for name in names}
            entry = HelpEntry(keys or self._fill(NO_KEY), self._fill(title), min(why))
            entries.append(entry)
        return HelpSection("The ten keys", tuple(entries))

    def _of_group(self, group: str) -> HelpSection:
        return HelpSection(
            group,
            tuple(
                HelpEntry(
                    self._key_map.show_keys(command.name) or self._fill(NO_KEY),
                    command.title,
                    self._why_not(command.name),
                    command.name,
                )
                for command in COMMANDS
                if command.group == group
            ),
        )

    def _of_pane(self, pane: str, *, is_here: bool = False) -> HelpSection:
        place, keys = PANE_KEYS[pane]
        entries = (HelpEntry(self._pane_keys(each), self._fill(meaning)) for each, meaning in keys)
        return HelpSection(f"Here, {place}" if is_here else place.capitalize(), tuple(entries))

    def _why_not(self, name: str) -> str:
        command = self._key_map.find(name)
        return self._key_map.why_not(command, self._status, self._reasons)

    def _fill(self, text: str) -> str:
        """Return ``text`` with the command names replaced by their keys."""
        return _NAME.sub(lambda name: self._key_map.key_of(name[1]) or "Ctrl+P", text)

    def _pane_keys(self, keys: str) -> str:
        """Return a pane's keys as pressed in this map: ``Alt+d`` if it binds ``d`` otherwise."""
        shown = []
        for key in keys.split(", "):
            if key.startswith("{"):
                shown.append(self._key_map.key_of(key.strip("{}")))
            elif len(key) == 1 and self._key_map.moves(key_of_character(key)):
                shown.append(f"Alt+{key}")
            else:
                shown.append(key)
        return ", ".join(filter(None, shown))


def _entries(told: Sequence[tuple[str, str]]) -> tuple[HelpEntry, ...]:
    return tuple(HelpEntry(keys, title) for keys, title in told)


def _has(entry: HelpEntry, heading: str, words: Sequence[str]) -> bool:
    name = entry.name.replace("_", " ")
    text = f"{entry.keys} {entry.title} {name} {heading}".casefold()
    return all(word in text for word in words)


TWO_FROM, THREE_FROM = 104, 134
"""Cells from which there are two columns, and three."""

_FEW = 12
"""Entries that stay in one column in any case."""

_GAP = 2
_KEYS = 16
"""Maximum cells of the keys."""
_KEYS_OF_THREE = 13

_Line = tuple[Piece, ...]


class EntryPosition(NamedTuple):
    """The position of an entry: its column, and its rows from ``first`` to before ``end``."""

    entry: HelpEntry
    column: int
    first: int
    end: int


class HelpColumns:
    """The sections laid out for a number of cells."""

    def __init__(self, sections: Sequence[HelpSection], width: int) -> None:
        is_much = sum(len(section.entries) for section in sections) > _FEW
        count = 1 + (is_much and width >= TWO_FROM) + (is_much and width >= THREE_FROM)
        self._room = room = (width - _GAP * (count - 1)) // count
        self._keys = _KEYS_OF_THREE if count > 2 else min(_KEYS, max(10, room // 3))
        self._columns: list[list[_Line]] = [[] for _ in range(count)]
        self.spots: list[EntryPosition] = []
        """The entries in reading order: column by column, from the top."""
        for section in sections:
            self._add(section)
        self.spots.sort(key=lambda spot: (spot.column, spot.first))

    def _add(self, section: HelpSection) -> None:
        index = min(range(len(self._columns)), key=lambda each: len(self._columns[each]))
        column = self._columns[index]
        if column:
            column.append(self._blank)
        column.append(((cell(section.heading, self._room), "heading"),))
        for entry in section.entries:
            first = len(column)
            column += _lines(entry, self._room, self._keys)
            self.spots.append(EntryPosition(entry, index, first, len(column)))

    def rows(self, chosen: EntryPosition | None) -> list[ListRow]:
        """Return the rows, with ``chosen`` marked."""
        height = max(map(len, self._columns), default=0)
        return [ListRow(number, tuple(self._pieces(number, chosen))) for number in range(height)]

    def _pieces(self, number: int, chosen: EntryPosition | None) -> Iterator[Piece]:
        for index, column in enumerate(self._columns):
            if index:
                yield (" " * _GAP, "name")
            line = column[number] if number < len(column) else self._blank
            is_chosen = chosen is not None and index == chosen.column
            if is_chosen and chosen is not None and chosen.first <= number < chosen.end:
                yield ("".join(text for text, _ in line), "cursor")
            else:
                yield from line

    @property
    def _blank(self) -> _Line:
        return ((" " * self._room, "name"),)

    # Movement between entries

    def moved(self, spot: EntryPosition | None, by: int) -> EntryPosition | None:
        """Return the entry ``by`` entries away."""
        if spot is None or not self.spots:
            return next(iter(self.spots), None)
        index = self.spots.index(spot) + by
        return self.spots[max(0, min(index, len(self.spots) - 1))]

    def beside(self, spot: EntryPosition, by: int) -> EntryPosition:
        """Return the entry at the same height in another column, or the same one."""
        others = [each for each in self.spots if each.column == spot.column + by]
        return min(others, key=lambda each: abs(each.first - spot.first), default=spot)

    def at_row(self, row: int, column: int = 0) -> EntryPosition | None:
        """Return the entry at a row, or the next one below, in a column."""
        below = (s for s in self.spots if s.column == column and s.end > row)
        return next(below, self.spots[-1] if self.spots else None)

    def with_text(self, row: int, text: str) -> EntryPosition | None:
        """Return the entry at a row with this text, else any entry at that row."""
        at_row = [spot for spot in self.spots if spot.first <= row < spot.end]
        wanted = text.casefold()
        has = (s for s in at_row if wanted in f"{s.entry.keys} {s.entry.title}".casefold())
        return next(has, at_row[0] if at_row else self.at_row(row))


def _lines(entry: HelpEntry, room: int, keys: int) -> Iterator[_Line]:
    """Yield the keys and a sentence; wide keys are on a line above it."""
    key_style, style = ("faint", "faint") if entry.why else ("key", "name")
    shown = f" {entry.keys} "
    if len(shown) > keys + 1:
        yield ((cell(shown, room), key_style),)
        shown = ""
    for line in textwrap.wrap(entry.title, max(8, room - keys - 1)):
        yield ((cell(shown, keys + 1), key_style), (cell(line, room - keys - 1), style))
        shown = ""


_WIDTH = 168
_CHROME = 5
"""Columns beside the rows: border, padding, scrollbar."""


class KeysPane(RowsPane, can_focus=False):
    """The rows of all columns; the dialog marks the entry under the cursor."""

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
        """Scroll these rows into view."""
        top, height = self.scroll_offset.y, self.size.height
        if height and first < top:
            self._scroll_at_once(first)
        elif height and end > top + height:
            self._scroll_at_once(min(first, end - height))

    def scroll_rows(self, y: int) -> None:
        self._scroll_at_once(y)

    def on_click(self, event: events.Click) -> None:
        event.stop()


class FilterInput(ListInput):
    """The filter line above the rows; the dialog handles keys that are not text for it."""

    async def _on_key(self, event: events.Key) -> None:
        dialog = self.screen
        help_dialog = dialog if isinstance(dialog, HelpDialog) and dialog.is_active else None
        if help_dialog is not None and help_dialog.take_key(event.key, self.value):
            event.stop()
            event.prevent_default()
        else:
            await super()._on_key(event)


class HelpDialog(InputDialog[None]):
    """The help: current keys and marks, with links to the manual; Esc closes it."""

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
        """``reasons`` are those of unavailable commands, by name."""
        super().__init__()
        self._status = status
        self._reasons = reasons
        self._sections: Sections | None = None
        self._columns = HelpColumns((), _WIDTH)
        self._spot: EntryPosition | None = None
        self._pane = KeysPane(id="help")
        self._search = DialogSearch(self, self._pane.search, self._tell_search)

    @property
    def key_mode(self) -> Mode:
        """The keys: letters filter, but ``n`` repeats a search while the filter is empty."""
        typed = self.query_one(Input).value
        found = self._search.hints("f3" if typed else "n", CLOSES)
        return Mode("line", "text", (*found, *self.HINTS))

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            name = self._key_map.name
            box.border_title = "Help" if name == DEFAULT_MAP.name else f"Help: {name} key map"
            yield FilterInput("", placeholder="type to filter: a word, or a key")
            yield self._pane
            yield Static("", id="why", markup=False)

    @property
    def _key_map(self) -> KeyMap:
        return self.app.key_map if isinstance(self.app, HasKeyMap) else DEFAULT_MAP

    @property
    def sections(self) -> Sections:
        """The sections to list."""
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
        self._columns = HelpColumns(found, width)
        spots = self._columns.spots
        same = next((spot for spot in spots if spot.entry == entry), None)
        self._choose_entry(same or self._columns.moved(None, 0))

    # The entry under the cursor

    def _choose_entry(self, spot: EntryPosition | None) -> None:
        """Mark an entry, and show why its command is unavailable."""
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
        """Scroll by a page and mark the entry at the top."""
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
        """Handle a key of the dialog; False if it belongs to the line, which contains ``typed``."""
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
        """Close on Enter."""
        self.dismiss(None)

    # Search

    def _ask_pattern(self) -> None:
        pane = self._pane
        top = int(pane.scroll_offset.y)
        if not top <= pane.cursor < top + pane.size.height:
            pane.cursor = top  # from the visible part on
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
        """Open the page on the widget focused before the help."""
        self._open(find_place(self.app.screen_stack[:-1]))

    def _open(self, place: PageLocation) -> None:
        """Show a page; leaving it closes the help too, unless the page was left for the keys."""
        if place == KEYS_NOW:
            return  # they are here

        def leave(wants_keys: bool | None) -> None:
            if not wants_keys:
                self.dismiss(None)

        self.app.push_screen(PageDialog(place, is_over_keys=True), leave)
