"""The one table of commands: the keys of each, nothing twice, and when each makes sense."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable

import pytest
from textual.binding import Binding

from tuidbg.session.model.state import Status
from tuidbg.tui.app.keys.commands import COMMANDS, DEFAULT_MAP
from tuidbg.tui.panes.breakpoints.breakpoints_pane import BreakpointsPane
from tuidbg.tui.panes.source.source_pane import SourcePane
from tuidbg.tui.panes.stack_pane import StackPane
from tuidbg.tui.panes.variables.variables_pane import VariablesPane
from tuidbg.tui.toolkit.keys.key_map import make_bindings, show_key
from tuidbg.tui.toolkit.widgets.pane_titles import PANES

KEYS = {
    "resume": "c F5",
    "step_over": "n F10",
    "step_into": "s F11",
    "step_out": "o Shift+F11",
    "pause": "p F6",
    "run_to_cursor": "t",
    "toggle_breakpoint": "b F9",
    "edit_breakpoint": "B",
    "restart": "R",
    "quit": "q",
    "search": "/",
    "go_to_line": "g",
    "open_file": "Ctrl+O",
    "undo_delete": "u",
    "command_palette": "Ctrl+P",
    "focus_source": "1",
    "focus_variables": "2",
    "focus_stack": "3",
    "focus_breakpoints": "4",
    "focus_console": "5",
    "next_pane": "Tab",
    "previous_pane": "Shift+Tab",
    "help": "?",
}
"""The keys of the standard map; those of single panes are in the panes' tests."""

COMMAND_OF_KEY = {key: command.name for command in COMMANDS for key in command.keys}

PANE_KEYS = {"enter", "space", "d", "up", "down", "left", "right", "pageup", "pagedown"}

PAUSED = {Status.PAUSED}
ALIVE = {Status.LAUNCHING, Status.RUNNING, Status.PAUSED}
LOOKED = {Status.PAUSED, Status.TERMINATED, Status.FAILED}
SENSIBLE = {
    "resume": PAUSED,
    "step_over": PAUSED,
    "step_into": PAUSED,
    "step_out": PAUSED,
    "run_to_cursor": PAUSED,
    "open_table": PAUSED,
    "show_modules": PAUSED,
    "step_into_call": PAUSED,
    "jump_to_cursor": PAUSED,
    "restart_frame": PAUSED,
    "frame_up": PAUSED,
    "frame_down": PAUSED,
    "show_tasks": PAUSED,
    "show_execution": PAUSED,
    "evaluate": PAUSED,
    "step_back": LOOKED,
    "step_back_into": LOOKED,
    "step_back_out": LOOKED,
    "back_to_breakpoint": LOOKED,
    "show_last_change": LOOKED,
    "show_changes": LOOKED,
    "show_first_time": LOOKED,
    "show_last_time": LOOKED,
    "show_passes": LOOKED,
    "show_calls": LOOKED,
    "mark_moment": LOOKED,
    "compare_runs": LOOKED,
    "show_autopsy": LOOKED,
    "set_variable": PAUSED,
    "undo_change": PAUSED,
    "show_value": PAUSED,
    "copy_value": PAUSED,
    "display_variable": PAUSED,
    "break_on_change": PAUSED,
    "break_on_access": PAUSED,
    "send_signal": ALIVE,
    "save_core": PAUSED,
    "show_code": PAUSED,
    "show_memory": PAUSED,
    "pause": {Status.RUNNING},
    "restart": {Status.RUNNING, Status.PAUSED, Status.TERMINATED, Status.FAILED},
    "switch_input": ALIVE,
}
"""Tells when a command makes sense; those that are left out always do."""


def test_the_keys_are_those_that_were_promised() -> None:
    first = {
        name: [show_key(key) for key in DEFAULT_MAP.find(name).keys][: len(keys.split())]
        for name, keys in KEYS.items()
    }
    assert first == {name: keys.split() for name, keys in KEYS.items()}


def test_no_key_means_two_things() -> None:
    keys = Counter(key for command in COMMANDS for key in command.keys)
    assert [key for key, count in keys.items() if count > 1] == []
    assert len(COMMAND_OF_KEY) == len(keys)


def test_panes_take_only_the_keys_that_mean_the_like_there() -> None:
    """A focused pane's own key goes before a command's; none may be taken by accident."""
    taken = {
        pane.__name__: {b.key for b in Binding.make_bindings(pane.BINDINGS)} & COMMAND_OF_KEY.keys()
        for pane in (SourcePane, VariablesPane, StackPane, BreakpointsPane)
    }
    assert taken == {
        "SourcePane": {"i"},  # what a name is, instead of typing to the program
        "VariablesPane": set(),  # its commands go by the focus
        "StackPane": {"y"},  # copy, instead of the doctor of breakpoints
        "BreakpointsPane": {"delete"},  # the breakpoint, instead of a watch
    }
    run = {key for command in COMMANDS if command.group == "Run" for key in command.keys}
    assert not run & set().union(*taken.values())


def _is_found_by_name(function: Callable[..., object]) -> bool:
    return getattr(sys.modules[function.__module__], function.__name__, None) is function


def test_every_command_has_functions_of_a_feature() -> None:
    functions = {(c.name, each) for c in COMMANDS for each in (c.function, *c.in_pane.values())}
    assert [pair for pair in functions if not _is_found_by_name(pair[1])] == []
    places = {(command.name, place) for command in COMMANDS for place in command.in_pane}
    known = {*PANES, "code", "memory", "terminal"}
    assert [pair for pair in places if pair[1] not in known] == []


def test_names_and_titles_are_told_apart() -> None:
    for words in (
        [command.name for command in COMMANDS],
        [command.title for command in COMMANDS],
        [command.bar for command in COMMANDS if command.bar],
    ):
        assert len(set(words)) == len(words)


def test_commands_of_a_group_stand_together() -> None:
    groups = [command.group for command in COMMANDS]
    changes = [one for one, other in zip(groups, [*groups[1:], ""], strict=True) if one != other]
    assert len(changes) == len(set(groups))


def test_the_palette_leaves_out_only_what_is_no_use_in_it() -> None:
    left_out = {command.name for command in COMMANDS if not command.palette}
    assert left_out == {"command_palette"}


def test_what_makes_no_sense_has_a_reason() -> None:
    """Of each command in each status: a reason, as a part of a sentence, or none."""
    wrong = [
        f"{command.name} while {status.value}: {why!r}"
        for command in COMMANDS
        for status in Status
        for why in [DEFAULT_MAP.why_not(command, status)]
        if bool(why) == (status in SENSIBLE.get(command.name, set(Status)))
        or (why and (not why[0].islower() or why[-1] == "."))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "status", "why"),
    [
        ("step_over", Status.RUNNING, "the program is running; p pauses it"),
        ("step_over", Status.TERMINATED, "the program has ended; R restarts it"),
        ("step_over", Status.FAILED, "the connection to the program was lost; R restarts it"),
        ("step_over", Status.LAUNCHING, "the program is starting"),
        ("step_over", Status.CREATED, "no program has been started yet"),
        ("step_over", None, "no program has been opened yet"),
        ("pause", Status.PAUSED, "the program is paused already"),
        ("restart", Status.LAUNCHING, "the program is starting"),
    ],
)
def test_the_reasons(name: str, status: Status | None, why: str) -> None:
    assert DEFAULT_MAP.why_not(DEFAULT_MAP.find(name), status) == why


def test_keys_as_people_write_them() -> None:
    shown = {key: show_key(key) for key in COMMAND_OF_KEY}
    assert shown["slash"] == "/"
    assert shown["shift+f11"] == "Shift+F11"
    assert shown["ctrl+p"] == "Ctrl+P"
    assert shown["B"] == "B" and shown["b"] == "b"
    assert all("_" not in text for text in shown.values())
    assert DEFAULT_MAP.find("resume").shown_keys == "c, F5"


def test_every_key_is_bound_to_its_command() -> None:
    bound = {
        key: binding.action
        for binding in make_bindings(DEFAULT_MAP)
        for key in binding.key.split(",")
    }
    assert bound == {key: f"command('{name}')" for key, name in COMMAND_OF_KEY.items()}


def test_an_unknown_command() -> None:
    with pytest.raises(KeyError):
        DEFAULT_MAP.find("fly")
