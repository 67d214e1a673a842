"""The table of all commands: keys, words, function, availability.

The key bindings, the key bar, the help, the command palette and the manual's table of keys all come
from here, so that they can't disagree. A key calls the function in the command's row, or in the
row's ``in_pane`` if the focused pane gives the key a meaning of its own. The rows are in the
features (``register``); those of the application are here.
"""

from __future__ import annotations

import msgspec

import tuidbg.tui.features  # noqa: F401  # they register
from tuidbg.tui.app import app_commands as frame
from tuidbg.tui.app.keys import command_line
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import ScreenHooks, hooks
from tuidbg.tui.toolkit.keys.key_map import Command, KeyMap

GROUPS = (
    "Run",
    "Stack",
    "Breakpoints",
    "Looking back",
    "Source",
    "Machine",
    "Values",
    "Panes",
    "Processes",
    "Console",
    "Programs",
    "tuidbg",
)

# fmt: off
_APPLICATION: tuple[Command[Context], ...] = (
    Command("next_theme", ("f8",), "Next theme", "tuidbg", frame.next_theme),
    Command("choose_key_map", ("f7",), "Choose a key map", "tuidbg", frame.choose_key_map),
    Command("type_command", ("semicolon",), "Type a command by its name", "tuidbg",
            command_line.type_command),
    Command("suspend", ("ctrl+z",), "Suspend tuidbg (fg resumes)", "tuidbg", frame.suspend,
            obstacle=frame.why_no_suspending),
    Command("command_palette", ("ctrl+p",), "All commands", "tuidbg", frame.show_palette,
            "commands", palette=False),
    Command("help", ("question_mark",), "Help", "tuidbg", frame.show_help, "help"),
    Command("show_manual", ("f1",), "Manual page for the focused pane", "tuidbg",
            frame.show_manual),
    Command("quit", ("q", "ctrl+q"), "Quit", "tuidbg", frame.leave_tuidbg, "quit",
            risk=frame.what_leaving_ends),
)
# fmt: on


def make_table(hooks: ScreenHooks) -> tuple[Command[Context], ...]:
    """Return the commands of the features and the application, by group."""
    rows = [*hooks.commands, *_APPLICATION]
    for index, command in enumerate(rows):
        if more := hooks.in_pane.get(command.name):
            rows[index] = msgspec.structs.replace(command, in_pane={**command.in_pane, **more})
    return tuple(sorted(rows, key=lambda command: GROUPS.index(command.group)))


COMMANDS = make_table(hooks)

DEFAULT_MAP = KeyMap("default", COMMANDS, {command.name: command.keys for command in COMMANDS})
