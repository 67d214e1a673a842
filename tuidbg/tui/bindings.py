"""Every command of the debugger in one table: its keys, its words, and when it makes sense.

The key bindings, the key bar, the help, the command palette and the tests of the README's table all
come from here, so that none of them can say anything else than the others.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from textual.binding import Binding

from tuidbg.session.state import Status

_PAUSED = frozenset({Status.PAUSED})
_RUNNING = frozenset({Status.RUNNING})
_STARTED = frozenset(Status) - {Status.CREATED, Status.LAUNCHING}
_ALIVE = frozenset({Status.LAUNCHING, Status.RUNNING, Status.PAUSED})
_ANY: frozenset[Status] = frozenset()


class Command(msgspec.Struct, frozen=True):
    """One command.

    ``name`` is the screen's method ``command_<name>``; ``keys`` are Textual's names, the first is
    shown; ``statuses`` are those in which it makes sense (none: always); ``bar`` is the short word
    in the key bar.
    """

    name: str
    keys: tuple[str, ...]
    title: str
    group: str
    bar: str = ""
    statuses: frozenset[Status] = _ANY
    palette: bool = True

    @property
    def shown_keys(self) -> str:
        """The keys as people write them."""
        return ", ".join(show_key(key) for key in self.keys)


COMMANDS: tuple[Command, ...] = (
    Command("resume", ("c", "f5"), "Continue", "Run", "continue", _PAUSED),
    Command("step_over", ("n", "f10"), "Step over", "Run", "over", _PAUSED),
    Command("step_into", ("s", "f11"), "Step into", "Run", "into", _PAUSED),
    Command("step_out", ("o", "shift+f11"), "Step out", "Run", "out", _PAUSED),
    Command("pause", ("p", "f6"), "Pause", "Run", "pause", _RUNNING),
    Command("run_to_cursor", ("t",), "Run to the cursor", "Run", "to cursor", _PAUSED),
    Command("restart", ("R",), "Restart the program", "Run", "restart", _STARTED),
    Command("toggle_breakpoint", ("b", "f9"), "Set or delete a breakpoint", "Breakpoints", "break"),
    Command("edit_breakpoint", ("B",), "Edit the breakpoint at the cursor", "Breakpoints"),
    Command("break_on_function", ("f",), "Break at a function", "Breakpoints"),
    Command("edit_exceptions", ("x",), "Exceptions to stop at", "Breakpoints"),
    Command("undo_delete", ("u",), "Undo the deletion of a breakpoint", "Breakpoints"),
    Command("mute_breakpoints", ("m",), "Mute all breakpoints, or back", "Breakpoints"),
    Command("disable_all", ("X",), "Disable all breakpoints", "Breakpoints"),
    Command("enable_all", ("A",), "Enable all breakpoints", "Breakpoints"),
    Command("explain_breakpoint", ("y",), "Why does it not stop?", "Breakpoints"),
    Command("search", ("slash",), "Search in the source; filter the trace", "Source", "search"),
    Command("search_next", ("f3",), "Next match", "Source"),
    Command("search_previous", ("shift+f3",), "Previous match", "Source"),
    Command("go_to_line", ("g",), "Go to a line", "Source"),
    Command("open_file", ("ctrl+o",), "Open another file", "Source"),
    Command("show_execution", ("full_stop",), "Show the current line", "Source", "", _PAUSED),
    Command("toggle_just_my_code", ("J",), "Step into libraries too, or back", "Source"),
    Command("include_library", ("L",), "Stop in the library shown, or pass over it", "Source"),
    Command("focus_source", ("1",), "Source pane", "Panes"),
    Command("focus_variables", ("2",), "Variables pane", "Panes"),
    Command("focus_stack", ("3",), "Stack pane", "Panes"),
    Command("focus_breakpoints", ("4",), "Breakpoints pane", "Panes"),
    Command("focus_console", ("5",), "Console pane", "Panes"),
    Command("focus_trace", ("6",), "Trace pane", "Panes"),
    Command("next_pane", ("tab",), "Next pane", "Panes"),
    Command("previous_pane", ("shift+tab",), "Previous pane", "Panes"),
    Command("maximise", ("z",), "Maximise the pane, or back", "Panes"),
    Command("widen_pane", ("greater_than_sign",), "Wider", "Panes"),
    Command("narrow_pane", ("less_than_sign",), "Narrower", "Panes"),
    Command("heighten_pane", ("plus",), "Taller", "Panes"),
    Command("lower_pane", ("minus",), "Shorter", "Panes"),
    Command("evaluate", ("colon", "e"), "Evaluate an expression", "Console", "evaluate", _PAUSED),
    Command("switch_input", ("i",), "Type to the program (and back)", "Console", "", _ALIVE),
    Command("export_trace", ("S",), "Write the trace to a file", "Console"),
    Command("clear_console", ("ctrl+l",), "Clear the console or the trace", "Console"),
    Command("next_theme", ("f8",), "Next theme", "tuidbg"),
    Command("suspend", ("ctrl+z",), "Suspend tuidbg (fg comes back)", "tuidbg"),
    Command("command_palette", ("ctrl+p",), "All commands", "tuidbg", "commands", palette=False),
    Command("help", ("question_mark", "f1"), "Help", "tuidbg", "help"),
    Command("quit", ("q", "ctrl+q"), "Quit", "tuidbg", "quit"),
)

_BY_NAME = {command.name: command for command in COMMANDS}

COMMAND_OF_KEY = {key: command.name for command in COMMANDS for key in command.keys}
"""The names of the commands by their keys."""

_KEY_NAMES = {
    "slash": "/",
    "full_stop": ".",
    "question_mark": "?",
    "colon": ":",
    "plus": "+",
    "minus": "-",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "tab": "Tab",
    "space": "Space",
    "enter": "Enter",
}


def show_key(key: str) -> str:
    """A key as people write it: ``Shift+F11``, ``?``, ``b``."""
    parts = key.split("+")
    shown = [_KEY_NAMES.get(part, part) for part in parts]
    if len(shown) > 1 or (shown[0][0] == "f" and shown[0][1:].isdigit()):
        shown = [part.capitalize() for part in shown]
    return "+".join(shown)


def make_bindings() -> Iterator[Binding]:
    """Textual's bindings of all commands."""
    for command in COMMANDS:
        action = f"command('{command.name}')"
        yield Binding(",".join(command.keys), action, command.title, show=False)


def find_command(name: str) -> Command:
    """The command of that name. Raises KeyError."""
    return _BY_NAME[name]


_WHY = {
    Status.CREATED: "no program has been started yet",
    Status.LAUNCHING: "the program is starting",
    Status.RUNNING: "the program is running; p pauses it",
    Status.PAUSED: "the program is paused already",
    Status.TERMINATED: "the program has ended; R restarts it",
    Status.FAILED: "the debugger lost the program; R restarts it",
}


def why_not(command: Command, status: Status | None) -> str:
    """Why a command makes no sense now; empty if it does."""
    if not command.statuses or status in command.statuses:
        return ""
    if status is None:
        return "no program has been opened yet"
    return _WHY[status]
