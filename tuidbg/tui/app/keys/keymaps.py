"""The alternative key maps, and the user's own keys on top of any of them.

A map is a list of changes of the default one: each command listed gets these keys instead of its
own, and loses none of them to others; a command not listed keeps the rest of its keys, or gets its
first one with Alt. So no key is ambiguous, every command keeps one, and commands added after the
map was written work.

Imported only if a map other than the default one is used.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from string import ascii_lowercase

from tuidbg.tui.app.keys.commands import COMMANDS, DEFAULT_MAP
from tuidbg.tui.toolkit.keys.key_map import MODIFIERS, KeyMap, parse_key, show_key, with_alt

Keys = Mapping[str, tuple[str, ...]]

_PDB = {
    "run_to_cursor": "alt+u",
    "pause": "f6",
    "toggle_breakpoint": "f9",
    "mute_breakpoints": "alt+shift+m",
    "undo_delete": "ctrl+u",
    "go_to_line": "ctrl+g",
    "open_table": "alt+t",
    "set_variable": "ctrl+r",
    "record_run": "ctrl+k",
    "add_watch": "ctrl+w",
    "evaluate": "exclamation_mark",
    "type_command": "colon semicolon",
    "hold_agents": "alt+shift+a",
    "quit": "ctrl+q",
}
_PDB_LINE = frozenset(ascii_lowercase)
"""All letters begin a line: a name typed to see its value may begin with any of them."""

_VSCODE = {
    "resume": "f5 c",
    "step_over": "f10 n",
    "step_into": "f11 s",
    "step_out": "shift+f11 o",
    "step_into_call": "ctrl+f11 I",
    "pause": "f6 p",
    "run_to_cursor": "ctrl+f10 t",
    "restart": "ctrl+shift+f5 R",
    "toggle_breakpoint": "f9 b",
    "edit_breakpoint": "shift+f9 B",
    "search": "slash ctrl+f",
    "find_in_files": "ctrl+shift+f alt+f",
    "go_to_line": "ctrl+g g",
    "go_to_definition": "f12 G",
    "go_back": "alt+left backspace",
    "focus_source": "1 ctrl+1",
    "focus_console": "5 ctrl+shift+y",
    "command_palette": "ctrl+p f1 ctrl+shift+p",
    "help": "question_mark",
    "quit": "shift+f5 q ctrl+q",
}

_VIM = {
    "step_over": "f10 ctrl+n",
    "search_next": "n f3",
    "search_previous": "N shift+f3",
    "go_to_line": "g+l",
    "go_to_definition": "g+d ctrl+right_square_bracket",
    "go_back": "ctrl+o backspace",
    "open_file": "g+f",
    "show_history": "g+h",
    "show_execution": "g+full_stop full_stop",
    "find_in_files": "g+slash",
    "jump_to_cursor": "g+j",
    "type_command": "colon semicolon",
    "evaluate": "exclamation_mark",
    "maximise": "z+o ctrl+w+o",
    "next_pane": "tab ctrl+w+w ctrl+w+ctrl+w",
    "previous_pane": "shift+tab ctrl+w+W",
    "quit": "q ctrl+q Z+Z",
}
_VIM_MOTIONS = {
    "j": "down",
    "k": "up",
    "h": "left",
    "l": "right",
    "g g": "home",
    "G": "end",
    "ctrl+d": "half_page(1)|pagedown",
    "ctrl+u": "half_page(-1)|pageup",
    "ctrl+b": "pageup",
    "ctrl+f": "pagedown",
    "z z": "centre|",
}
_COUNTS = frozenset("123456789")
_VIM_WORDS = {
    "e": "open_file",
    "edit": "open_file",
    "grep": "find_in_files",
    "h": "help",
    "noh": "clear_search",
    "nohlsearch": "clear_search",
    "only": "maximise",
    "q": "quit",
    "q!": "quit",
    "qa": "quit",
    "qa!": "quit",
    "quit": "quit",
}


def _split(keys: str) -> tuple[str, ...]:
    """Split keys of the tables above: separated by spaces, sequences joined by ``+``."""
    return tuple(_sequence(key) for key in keys.split())


def _sequence(key: str) -> str:
    presses: list[str] = []
    held = ""
    for part in key.split("+"):
        if part in MODIFIERS:
            held += part + "+"
        else:
            presses.append(held + part)
            held = ""
    return " ".join(presses)


def change_keys(
    base: KeyMap,
    changes: Keys,
    *,
    name: str = "",
    motions: Mapping[str, str] | None = None,
    words: Mapping[str, str] | None = None,
    line_keys: frozenset[str] | None = None,
    counts: bool | None = None,
) -> KeyMap:
    """Return ``base`` with changed keys for some commands, removed from other commands.

    A command that loses its last key gets that key with Alt, if it is free.
    """
    motions = base.motions if motions is None else motions
    if words is None:
        words = base.words
    taken = {key for keys in changes.values() for key in keys}
    motions = {key: what for key, what in motions.items() if not _clashes(key, taken)}
    line_keys = (base.line_keys if line_keys is None else line_keys) - taken
    counts = base.counts if counts is None else counts
    taken |= motions.keys() if motions is not base.motions else set()
    taken |= line_keys
    if counts and not base.counts:
        taken |= _COUNTS
    keys = {
        command.name: changes[command.name]
        if command.name in changes
        else tuple(k for k in base.keys[command.name] if not _clashes(k, taken))
        for command in COMMANDS
    }
    used = taken | {key for several in keys.values() for key in several}
    for command, several in keys.items():
        if not several and command not in changes and base.keys[command]:
            key = with_alt(base.keys[command][0])
            if not _clashes(key, used):
                keys[command] = (key,)
                used.add(key)
    return KeyMap(
        name or base.name,
        COMMANDS,
        keys,
        motions=motions,
        words=words,
        line_keys=line_keys,
        counts=counts,
        base=DEFAULT_MAP,
    )


def _clashes(key: str, taken: set[str]) -> bool:
    """Return whether a key is taken, or one is a prefix of the other."""
    return key in taken or any(
        other.startswith(f"{key} ") or key.startswith(f"{other} ") for other in taken
    )


def _make(
    name: str,
    changes: Mapping[str, str],
    motions: Mapping[str, str] | None = None,
    words: Mapping[str, str] | None = None,
    *,
    line_keys: frozenset[str] = frozenset(),
    counts: bool = False,
) -> KeyMap:
    known = {command.name for command in COMMANDS}
    wanted = {command: _split(keys) for command, keys in changes.items() if command in known}
    return change_keys(
        DEFAULT_MAP,
        wanted,
        name=name,
        motions=motions or {},
        words=words or {},
        line_keys=line_keys,
        counts=counts,
    )


KEY_MAPS = {
    made.name: made
    for made in (
        DEFAULT_MAP,
        _make("pdb", _PDB, line_keys=_PDB_LINE),
        _make("vscode", _VSCODE),
        _make("vim", _VIM, _VIM_MOTIONS, _VIM_WORDS, counts=True),
    )
}
"""tuidbg's own maps by name."""

ABOUT = {
    "default": "letters, and function keys",
    "pdb": "pdb commands, typed as a line",
    "vscode": "VS Code keys, plus letters",
    "vim": "hjkl 12G /x n N zz; : for names, lines",
}
"""Short descriptions of the maps."""


class KeyMapError(ValueError):
    """An unknown key map; ``str()`` is a sentence."""


def find_key_map(name: str) -> KeyMap:
    """Return the named map. Raises KeyMapError listing the existing ones."""
    found = KEY_MAPS.get(name.strip().lower())
    if found is None:
        raise KeyMapError(f"There is no key map {name!r}; there are: {', '.join(KEY_MAPS)}.")
    return found


def choose_key_map(
    asked: str, configured: str, remembered: str, own: Mapping[str, Sequence[str]]
) -> tuple[KeyMap, list[str]]:
    """Return the initial map, and sentences about invalid configuration.

    The first of: requested on the command line, set in the config file, chosen the last time.
    Raises KeyMapError for a requested one that does not exist.
    """
    problems: list[str] = []
    if asked:
        base = find_key_map(asked)
    else:
        base = DEFAULT_MAP
        try:
            base = find_key_map(configured or remembered or base.name)
        except KeyMapError as error:
            if configured:
                problems.append(f"[keys] map: {error}")
    made, more = apply_own_keys(base, own)
    return made, problems + more


# The user's own keys


def apply_own_keys(base: KeyMap, wanted: Mapping[str, Sequence[str]]) -> tuple[KeyMap, list[str]]:
    """Return ``base`` with the user's keys, and a sentence for each invalid setting.

    ``wanted`` has the keys of commands as people write them. Invalid ones are ignored.
    """
    problems: list[str] = []
    changes: dict[str, tuple[str, ...]] = {}
    seen: dict[str, str] = {}
    for written, keys in wanted.items():
        command = written.replace("-", "_")
        if command not in DEFAULT_MAP.keys:
            problems.append(_unknown(written))
            continue
        read: list[str] = []
        for text in keys:
            try:
                key = parse_key(text)
                _check(key, command, seen)
            except ValueError as error:
                problems.append(f"[keys] {written}: {error}.")
            else:
                seen[key] = command
                read.append(key)
        if read or not keys:
            changes[command] = tuple(read)
    made = change_keys(base, changes)
    if made.keys["command_palette"] in ((), ("alt+ctrl+p",)):
        problems.append("[keys]: Ctrl+P stays with all commands, which need a key.")
        changes = {name: tuple(k for k in ks if k != "ctrl+p") for name, ks in changes.items()}
        changes["command_palette"] = ("ctrl+p",)
        made = change_keys(base, changes)
    return made, problems


def _unknown(written: str) -> str:
    near = difflib.get_close_matches(written.replace("-", "_"), DEFAULT_MAP.keys, n=1)
    hint = f"; {near[0]} is one" if near else ""
    return f"[keys] {written}: there is no such command{hint}."


_RESERVED = {
    "escape": "it leaves things",
    "enter": "it belongs to the panes",
    "up": "it belongs to the panes",
    "down": "it belongs to the panes",
    "ctrl+c": "it copies and interrupts",
    "ctrl+q": "it quits without asking",
}


def _check(key: str, command: str, seen: Mapping[str, str]) -> None:
    """Raise ValueError if the key can't be the command's."""
    why = _RESERVED.get(key)
    if why and key not in DEFAULT_MAP.keys[command]:
        raise ValueError(f"{show_key(key)} can't be changed; {why}")
    for other, taken_by in seen.items():
        if other == key:
            raise ValueError(f"{show_key(key)} is given to {taken_by} already")
        if _clashes(key, {other}):
            raise ValueError(f"{show_key(key)} and {show_key(other)} begin alike")
