"""Lists what the help shows: ten keys, the focused pane's, all commands by topic, marks.

All of it comes from the table of commands and the key map in force; typing leaves the entries in
which all the words stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tuidbg.session.state import Status
from tuidbg.tui.help.panes import PANE_KEYS
from tuidbg.tui.keys.commands import COMMANDS
from tuidbg.tui.keys.key_map import KeyMap
from tuidbg.tui.keys.written_keys import key_of_character

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
    (("show_autopsy",), "what led to an exception"),
    (("restart",), "start the program again (twice while one runs)"),
    (("help",), "all keys, and with Tab the whole manual"),
    (("quit",), "leave (twice while a program runs)"),
)
"""The README's: commands, and what their first keys do."""

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
    ("Esc", "leaves an input line or a dialog"),
    ("click", "selects, opens; in the gutter: breakpoint (right: edit it)"),
    ("drag", "a title or the divider: sizes"),
    ("double click", "on a title: maximise"),
)
NO_KEY = "{command_palette}"
"""Stands for the keys of a command that has none: it is found in the list of all."""

_NAME = re.compile(r"\{(\w+)\}")


class Entry(NamedTuple):
    """One thing to do, or a mark.

    ``why`` says why it can't be done now; ``name`` is that of a command.
    """

    keys: str
    title: str
    why: str = ""
    name: str = ""


class Section(NamedTuple):
    """Entries with a heading."""

    heading: str
    entries: tuple[Entry, ...]


class Sections:
    """The help's sections for a key map, the state of a session and the pane that has the focus.

    ``status`` is None without a session; ``reasons`` say why some commands make no sense now.
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
    def whole(self) -> list[Section]:
        """All there is; where nothing runs yet, the keys of the place are those that matter."""
        if self._status is None and self._has_place:
            return [self._all[0], self._ten, *self._all[1:]]
        return [self._ten, *self._all]

    def find(self, wanted: str) -> list[Section]:
        """The entries that have all the words in their sentences, names, keys or headings.

        What a whole key gives stands first: ``n``, ``F5``, ``ctrl+o``.
        """
        words = wanted.casefold().split()
        if not words:
            return self.whole
        found = []
        if by_key := tuple(self._with_key(wanted.strip())):
            found.append(Section(f"The key {wanted.strip()}", by_key))
        for section in self._all:
            kept = tuple(e for e in section.entries if _has(e, section.heading, words))
            if kept := tuple(entry for entry in kept if entry not in by_key):
                found.append(Section(section.heading, kept))
        return found

    def _with_key(self, key: str) -> Iterator[Entry]:
        """Entries with that key; letters as they are, names of keys in any case."""
        same = key if len(key) == 1 else key.casefold()
        for section in self._all:
            for entry in section.entries:
                keys = entry.keys.split(", ")
                if same in (keys if len(key) == 1 else [each.casefold() for each in keys]):
                    yield entry

    # The sections

    def _everything(self, pane: str) -> list[Section]:
        sections = []
        if pane in PANE_KEYS:
            sections.append(self._of_pane(pane, is_here=True))
        groups = dict.fromkeys(command.group for command in COMMANDS)
        sections += [self._of_group(group) for group in groups]
        sections += [self._of_pane(name) for name in PANE_KEYS if name != pane]
        sections.append(Section("Mouse and dialogs", _entries(_ANYWHERE)))
        sections.append(Section("Marks", _entries(MARKS)))
        return sections

    def _ten_keys(self) -> Section:
        entries = []
        for names, title in TEN_KEYS:
            keys = " ".join(filter(None, map(self._key_map.key_of, names)))
            why = {self._why_not(name) for name in names}
            entry = Entry(keys or self._fill(NO_KEY), self._fill(title), min(why))
            entries.append(entry)
        return Section("The ten keys", tuple(entries))

    def _of_group(self, group: str) -> Section:
        return Section(
            group,
            tuple(
                Entry(
                    self._key_map.show_keys(command.name) or self._fill(NO_KEY),
                    command.title,
                    self._why_not(command.name),
                    command.name,
                )
                for command in COMMANDS
                if command.group == group
            ),
        )

    def _of_pane(self, pane: str, *, is_here: bool = False) -> Section:
        place, keys = PANE_KEYS[pane]
        entries = (Entry(self._pane_keys(each), self._fill(meaning)) for each, meaning in keys)
        return Section(f"Here, {place}" if is_here else place.capitalize(), tuple(entries))

    def _why_not(self, name: str) -> str:
        command = self._key_map.find(name)
        return self._key_map.why_not(command, self._status, self._reasons)

    def _fill(self, text: str) -> str:
        """``text`` with the commands' names replaced by their keys."""
        return _NAME.sub(lambda name: self._key_map.key_of(name[1]) or "Ctrl+P", text)

    def _pane_keys(self, keys: str) -> str:
        """A pane's keys as they are pressed in this map: ``Alt+d`` where it has another ``d``."""
        shown = []
        for key in keys.split(", "):
            if key.startswith("{"):
                shown.append(self._key_map.key_of(key.strip("{}")))
            elif len(key) == 1 and self._key_map.moves(key_of_character(key)):
                shown.append(f"Alt+{key}")
            else:
                shown.append(key)
        return ", ".join(filter(None, shown))


def _entries(told: Sequence[tuple[str, str]]) -> tuple[Entry, ...]:
    return tuple(Entry(keys, title) for keys, title in told)


def _has(entry: Entry, heading: str, words: Sequence[str]) -> bool:
    name = entry.name.replace("_", " ")
    text = f"{entry.keys} {entry.title} {name} {heading}".casefold()
    return all(word in text for word in words)
