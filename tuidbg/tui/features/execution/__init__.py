"""Threads, frames and tasks on the screen."""

from __future__ import annotations

from tuidbg.tui.features.execution import commands as stack
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import PAUSED, RUNNING, STARTED, ScreenHooks
from tuidbg.tui.panes.stack_pane import StackPane
from tuidbg.tui.panes.view.recorded_steps import is_in_past
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("resume", ("c", "f5"), "Continue", "Run", stack.resume, "continue", PAUSED,
            despite=stack.may_go_on),
    Command("step_over", ("n", "f10"), "Step over", "Run", stack.step_over, "over", PAUSED,
            despite=stack.may_go_on),
    Command("step_into", ("s", "f11"), "Step into", "Run", stack.step_into, "into", PAUSED,
            despite=stack.may_go_on),
    Command("step_out", ("o", "shift+f11"), "Step out", "Run", stack.step_out, "out", PAUSED,
            despite=stack.may_go_on),
    Command("pause", ("p", "f6"), "Pause", "Run", stack.pause, "pause", RUNNING),
    Command("run_to_cursor", ("t",), "Run to the cursor", "Run", stack.run_to_cursor, "to cursor",
            PAUSED),
    Command("step_into_call", ("I",), "Step into a call on the line", "Run", stack.step_into_call,
            statuses=PAUSED, obstacle=stack.why_no_call),
    Command("step_alone", ("O",), "Step this thread only / all threads", "Run", stack.step_alone,
            obstacle=stack.why_no_single_thread, needs_program=True),
    Command("jump_to_cursor", ("N",), "Jump to cursor", "Run", stack.jump_to_cursor,
            statuses=PAUSED, obstacle=stack.why_no_jump, risk=stack.what_jump_skips),
    Command("restart_frame", ("K",), "Restart frame", "Run", stack.restart_frame,
            statuses=PAUSED, obstacle=stack.why_no_frame_restart,
            risk=stack.what_begins_again),
    Command("restart", ("R",), "Restart the program", "Run", stack.restart, "restart", STARTED,
            obstacle=stack.why_no_restart, despite=stack.waits_for_program,
            risk=stack.what_restart_loses),
    Command("toggle_autorestart", ("alt+r",), "Restart when sources change (on/off)", "Run",
            stack.toggle_autorestart, needs_program=True),
    Command("frame_up", ("left_square_bracket",), "Frame up (the caller)", "Stack", stack.frame_up,
            statuses=PAUSED, despite=is_in_past),
    Command("frame_down", ("right_square_bracket",), "Frame down", "Stack", stack.frame_down,
            statuses=PAUSED, despite=is_in_past),
    Command("show_tasks", ("T",), "asyncio tasks", "Stack", stack.show_tasks, statuses=PAUSED,
            obstacle=stack.why_no_tasks),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
    hooks.handle(StackPane.FrameSelected, stack.frame_selected)
    hooks.handle(StackPane.ThreadSelected, stack.thread_selected)
    hooks.handle(StackPane.MoreFramesRequested, stack.more_frames_requested)
    hooks.handle(StackPane.CopyRequested, stack.copy_stack)
