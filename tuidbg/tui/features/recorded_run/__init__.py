"""The recorded past on the screen: moments in the panes of the present."""

from __future__ import annotations

from tuidbg.tui.features.recorded_run import commands as past
from tuidbg.tui.features.recorded_run import queries as asking
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import EXAMINED, ScreenHooks
from tuidbg.tui.panes.view.recorded_steps import why_no_past
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("record_run", ("ctrl+r",), "Start / stop recording",
            "Looking back", past.record_run, obstacle=past.why_no_recording, needs_program=True),
    Command("write_recording", (), "Save the recording to a file", "Looking back",
            past.write_recording, obstacle=why_no_past),
    Command("step_back", ("left_parenthesis",), "Step back", "Looking back", past.step_back,
            "back", EXAMINED, obstacle=past.why_no_way_back),
    Command("step_back_into", ("left_curly_bracket",), "Step back into calls",
            "Looking back", past.step_back_into, statuses=EXAMINED, obstacle=past.why_no_way_back),
    Command("step_back_out", ("right_curly_bracket",), "Step back out",
            "Looking back", past.step_back_out, statuses=EXAMINED, obstacle=past.why_no_way_back),
    Command("back_to_breakpoint", ("backslash",), "Reverse continue", "Looking back",
            past.back_to_breakpoint, statuses=EXAMINED, obstacle=past.why_no_way_back),
    Command("show_last_change", ("number_sign",), "Where was it last changed?", "Looking back",
            asking.show_last_change, "changed", EXAMINED, obstacle=why_no_past),
    Command("show_changes", ("asterisk",), "All values and changes", "Looking back",
            asking.show_changes, "all values", EXAMINED, obstacle=why_no_past),
    Command("show_first_time", ("circumflex_accent",), "When did it become true?", "Looking back",
            asking.show_first_time, "when", EXAMINED, obstacle=why_no_past),
    Command("show_last_time", ("dollar_sign",), "When did it last become true?", "Looking back",
            asking.show_last_time, statuses=EXAMINED, obstacle=why_no_past),
    Command("show_passes", ("at",), "All executions of this line", "Looking back",
            asking.show_passes, "passes", EXAMINED, obstacle=why_no_past),
    Command("show_calls", ("ampersand",), "All calls of this function", "Looking back",
            asking.show_calls, "calls", EXAMINED, obstacle=why_no_past),
    Command("mark_moment", ("apostrophe",), "Mark / compare moments", "Looking back",
            asking.mark_moment, statuses=EXAMINED, obstacle=why_no_past),
    Command("compare_runs", ("percent_sign",), "Compare with the previous run", "Looking back",
            asking.compare_runs, statuses=EXAMINED, obstacle=why_no_past),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
    hooks.trace_value = asking.trace_back
