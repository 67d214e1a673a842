"""Every command of the debugger in one table: its keys, its words, and when it makes sense.

The key bindings, the key bar, the help, the command palette and the tests of the README's table all
come from here, so that none of them can say anything else than the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from textual.binding import Binding

from tuidbg.session.state import Status

_PAUSED = frozenset({Status.PAUSED})
_RUNNING = frozenset({Status.RUNNING})
_STARTED = frozenset(Status) - {Status.CREATED, Status.LAUNCHING}
_LOOKED = frozenset({Status.PAUSED, Status.TERMINATED, Status.FAILED})
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
    Command("step_into_call", ("I",), "Step into a call of the line", "Run", "", _PAUSED),
    Command("step_alone", ("O",), "Step only this thread, or all", "Run"),
    Command("jump_to_cursor", ("N",), "Go on at the cursor's line", "Run", "", _PAUSED),
    Command("restart_frame", ("K",), "Begin the frame again", "Run", "", _PAUSED),
    Command("restart", ("R",), "Restart the program", "Run", "restart", _STARTED),
    Command("toggle_autorestart", ("alt+r",), "Restart at changes of sources, or not", "Run"),
    Command("stop", ("Q",), "End the program, or let go of it", "Run"),
    Command("send_signal", (), "Send a signal to the program", "Run", "", _ALIVE),
    Command("save_core", (), "Write a core file of the program", "Run", "", _PAUSED),
    Command("launch", ("alt+n",), "Launch another program", "Run"),
    Command("attach", ("alt+a",), "Attach to a program that runs", "Run"),
    Command("run_configuration", ("alt+c",), "Choose from launch.json", "Run"),
    Command("frame_up", ("left_square_bracket",), "Frame up (the caller)", "Stack", "", _PAUSED),
    Command("frame_down", ("right_square_bracket",), "Frame down", "Stack", "", _PAUSED),
    Command("show_tasks", ("T",), "Tasks of asyncio", "Stack", "", _PAUSED),
    Command("toggle_breakpoint", ("b", "f9"), "Set or delete a breakpoint", "Breakpoints", "break"),
    Command("edit_breakpoint", ("B",), "Edit the breakpoint at the cursor", "Breakpoints"),
    Command("break_on_function", ("f",), "Break at a function", "Breakpoints"),
    Command("edit_exceptions", ("x",), "Exceptions to stop at", "Breakpoints"),
    Command("undo_delete", ("u",), "Undo the deletion of a breakpoint", "Breakpoints"),
    Command("mute_breakpoints", ("m",), "Mute all breakpoints, or back", "Breakpoints"),
    Command("disable_all", ("X",), "Disable all breakpoints", "Breakpoints"),
    Command("enable_all", ("A",), "Enable all breakpoints", "Breakpoints"),
    Command("explain_breakpoint", ("y",), "Why does it not stop?", "Breakpoints"),
    Command("show_autopsy", ("e",), "Autopsy of the exception", "Looking back", "", _LOOKED),
    Command("show_history", ("h",), "History of the stops", "Looking back"),
    Command("record_call", ("comma",), "Record one call of a function", "Looking back"),
    Command("show_recordings", (), "Recorded calls", "Looking back"),
    Command("export_report", ("H",), "Write a report of the session", "Looking back"),
    Command("search", ("slash",), "Search in the source; filter the trace", "Source", "search"),
    Command("search_next", ("f3",), "Next match", "Source"),
    Command("search_previous", ("shift+f3",), "Previous match", "Source"),
    Command("go_to_line", ("g",), "Go to a line", "Source"),
    Command("open_file", ("ctrl+o",), "Open another file", "Source"),
    Command("find_in_files", ("ctrl+f",), "Find in the project's files", "Source"),
    Command("go_to_definition", ("G",), "Go to the definition of a name", "Source"),
    Command("go_back", ("backspace",), "Go back to where you were", "Source"),
    Command("show_modules", ("M",), "Modules of the program", "Source", "", _PAUSED),
    Command("map_source", ("Z",), "Look here for the file of the program", "Source"),
    Command("edit_source", ("ctrl+e",), "Edit the line in your editor", "Source"),
    Command("show_execution", ("full_stop",), "Show the current line", "Source", "", _PAUSED),
    Command("toggle_just_my_code", ("J",), "Step into libraries too, or back", "Source"),
    Command("include_library", ("L",), "Stop in the library shown, or pass over it", "Source"),
    Command("show_code", ("alt+d",), "Machine code, or the source", "Machine", "", _PAUSED),
    Command("show_memory", ("alt+m",), "Memory of the program", "Machine", "", _PAUSED),
    Command("break_at_address", ("alt+b",), "Break at an address", "Machine"),
    Command("choose_granularity", ("alt+g",), "Step by statements, lines, instructions", "Machine"),
    Command("open_table", ("v",), "Show as a table", "Values", "", _PAUSED),
    Command("set_variable", ("r",), "Set the variable at the cursor", "Values", "", _PAUSED),
    Command("undo_change", ("U",), "Undo the last value that was set", "Values", "", _PAUSED),
    Command("show_value", ("l",), "All of the value, to read", "Values", "", _PAUSED),
    Command("copy_value", ("Y",), "Copy a variable's value or expression", "Values", "", _PAUSED),
    Command(
        "display_variable",
        ("equals_sign",),
        "Display the variable otherwise",
        "Values",
        "",
        _PAUSED,
    ),
    Command("add_watch", ("w",), "Watch an expression", "Values"),
    Command("edit_watch", ("W",), "Edit the watch at the cursor", "Values"),
    Command("delete_watch", ("delete",), "Delete the watch at the cursor", "Values"),
    Command("break_on_change", ("C",), "Stop when it changes, or no more", "Values", "", _PAUSED),
    Command(
        "break_on_access", ("alt+w",), "Stop when it is read or written", "Values", "", _PAUSED
    ),
    Command("pin_variable", ("P",), "Pin the variable at the cursor, or unpin it", "Values"),
    Command("toggle_inline_values", ("V",), "Values behind the lines, or not", "Values"),
    Command("filter_variables", ("F",), "Filter and sort the variables", "Values"),
    Command("focus_source", ("1",), "Source pane", "Panes"),
    Command("focus_variables", ("2",), "Variables pane", "Panes"),
    Command("focus_stack", ("3",), "Stack pane", "Panes"),
    Command("focus_breakpoints", ("4",), "Breakpoints pane", "Panes"),
    Command("focus_console", ("5",), "Console pane", "Panes"),
    Command("focus_trace", ("6",), "Trace pane", "Panes"),
    Command("focus_activity", ("7",), "Activity pane: what programs ask for", "Panes"),
    Command("show_sessions", ("8",), "Sessions of this tuidbg", "Panes"),
    Command("focus_log", ("9",), "Log pane", "Panes"),
    Command("toggle_terminal", ("0",), "The program's terminal, or back", "Panes"),
    Command("next_pane", ("tab",), "Next pane", "Panes"),
    Command("previous_pane", ("shift+tab",), "Previous pane", "Panes"),
    Command("maximise", ("z",), "Maximise the pane, or back", "Panes"),
    Command("widen_pane", ("greater_than_sign",), "Wider", "Panes"),
    Command("narrow_pane", ("less_than_sign",), "Narrower", "Panes"),
    Command("heighten_pane", ("plus",), "Taller", "Panes"),
    Command("lower_pane", ("minus",), "Shorter", "Panes"),
    Command("show_stopped", ("alt+s",), "Process that stopped last", "Processes"),
    Command("next_process", ("alt+p",), "Next process", "Processes"),
    Command("follow_stops", ("alt+o",), "Show processes that stop, or not", "Processes"),
    Command("evaluate", ("colon",), "Evaluate an expression", "Console", "evaluate", _PAUSED),
    Command("switch_input", ("i",), "Type to the program (and back)", "Console", "", _ALIVE),
    Command("export_trace", ("S",), "Write the trace to a file", "Console"),
    Command("clear_console", ("ctrl+l",), "Clear the console or the trace", "Console"),
    Command("serve", ("f2",), "Let programs drive the session, or no more", "Programs"),
    Command("hold_agents", ("a",), "Hold the agents, or hand back", "Programs"),
    Command("take_over", ("k",), "Take over: pause the agents and the program", "Programs"),
    Command("park_session", ("j",), "Park the session, or no more", "Programs"),
    Command("build", ("f4",), "Build, or call the build off", "Programs"),
    Command("about", ("f12",), "About: versions and capabilities", "Programs"),
    Command("show_adapters", ("alt+v",), "Debug adapters of this machine", "Programs"),
    Command("next_theme", ("f8",), "Next theme", "tuidbg"),
    Command("choose_key_map", ("f7",), "Choose a key map", "tuidbg"),
    Command("type_command", ("semicolon",), "Type a command by its name", "tuidbg"),
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
    "comma": ",",
    "question_mark": "?",
    "colon": ":",
    "semicolon": ";",
    "backspace": "Backspace",
    "plus": "+",
    "equals_sign": "=",
    "minus": "-",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "tab": "Tab",
    "space": "Space",
    "enter": "Enter",
}


def show_key(key: str) -> str:
    """A key as people write it: ``Shift+F11``, ``?``, ``b``; several in a row: ``gg``."""
    if " " in key:
        several = [show_key(one) for one in key.split(" ")]
        return ("" if all(len(one) == 1 for one in several) else " ").join(several)
    parts = key.split("+")
    shown = [_KEY_NAMES.get(part, part) for part in parts]
    if len(shown) > 1 or (shown[0][0] == "f" and shown[0][1:].isdigit()):
        shown = [part.capitalize() for part in shown]
    return "+".join(shown)


class KeyMap:
    """Which keys give which commands, and what other keys do in the panes.

    A key that is several presses in a row is written with spaces: ``g g``. ``motions`` are keys
    that move about: each stands for another key, or for an action of the focused pane and a key
    where it has none (``half_page(1)|pagedown``). ``words`` are further names for commands, for
    people who type them. A command without keys is in the palette.
    """

    def __init__(
        self,
        name: str,
        keys: Mapping[str, tuple[str, ...]],
        *,
        motions: Mapping[str, str] | None = None,
        words: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.keys = keys
        self.motions = motions or {}
        self.words = words or {}
        self.commands = {key: command for command, several in keys.items() for key in several}
        self.prefixes = frozenset(
            key[:index]
            for key in (*self.commands, *self.motions)
            for index, character in enumerate(key)
            if character == " "
        )

    def show_keys(self, command: str) -> str:
        """The command's keys as people write them."""
        return ", ".join(show_key(key) for key in self.keys.get(command, ()))

    def key_of(self, command: str) -> str:
        """The first of them; empty where it has none."""
        return next((show_key(key) for key in self.keys.get(command, ())), "")

    def tell(self, command: str, what: str) -> str:
        """``; R restarts it``: a hint at a key; nothing where there is none."""
        key = self.key_of(command)
        return f"; {key} {what}" if key else ""

    def moves(self, key: str) -> bool:
        """Whether a key means something else here than in the default map."""
        if key in self.prefixes or key in self.motions:
            return True
        return self.commands.get(key, "") not in ("", COMMAND_OF_KEY.get(key, ""))


DEFAULT_MAP = KeyMap("default", {command.name: command.keys for command in COMMANDS})


def make_bindings(key_map: KeyMap = DEFAULT_MAP) -> Iterator[Binding]:
    """Textual's bindings of all commands; those of several keys are the app's work."""
    for command in COMMANDS:
        if keys := [key for key in key_map.keys.get(command.name, ()) if " " not in key]:
            action = f"command('{command.name}')"
            yield Binding(",".join(keys), action, command.title, show=False)


def keys_in_force(screen: object) -> KeyMap:
    """The key map of the debugger's screen; the default one on any other."""
    found = getattr(screen, "key_map", DEFAULT_MAP)
    return found if isinstance(found, KeyMap) else DEFAULT_MAP


def find_command(name: str) -> Command:
    """The command of that name. Raises KeyError."""
    return _BY_NAME[name]


_WHY = {
    Status.CREATED: "no program has been started yet",
    Status.LAUNCHING: "the program is starting",
    Status.RUNNING: "the program is running",
    Status.PAUSED: "the program is paused already",
    Status.TERMINATED: "the program has ended",
    Status.FAILED: "the debugger lost the program",
}
_WAY_OUT = {
    Status.RUNNING: ("pause", "pauses it"),
    Status.TERMINATED: ("restart", "restarts it"),
    Status.FAILED: ("restart", "restarts it"),
}


def why_not(
    command: Command,
    status: Status | None,
    reasons: Mapping[str, str] | None = None,
    key_map: KeyMap = DEFAULT_MAP,
) -> str:
    """Why a command makes no sense now; empty if it does.

    ``reasons`` are further ones by the commands' names; the way out is told by a key of the map.
    """
    if not command.statuses or status in command.statuses:
        return reasons.get(command.name, "") if reasons else ""
    if status is None:
        return "no program has been opened yet"
    return _WHY[status] + (key_map.tell(*_WAY_OUT[status]) if status in _WAY_OUT else "")
