"""Execution commands: continue, steps, pause, restart; frames and threads; asyncio tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.recording.stepping import StepDirection
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Frame, Status
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.stack_pane import StackPane
from tuidbg.tui.panes.view.recorded_steps import go_forth, is_alive, is_in_past

if TYPE_CHECKING:
    from tuidbg.session.core.stack.tasks import TaskFrame
    from tuidbg.session.core.stepping import StepTarget

NO_STACK = "there is no stack here"
COPIED_FRAMES = 2000
"""Maximum frames fetched to copy a stack."""


def why_no_call(ui: Context) -> str:
    """Return why stepping into a selected call is unavailable; empty if it is available."""
    return ui.session.stepping.why_no_targets()


def why_no_jump(ui: Context) -> str:
    """Return why jumping is unavailable; empty if it is available."""
    return ui.session.stepping.why_no_jump()


def why_no_frame_restart(ui: Context) -> str:
    """Return why a frame can't be restarted; empty if it can."""
    return ui.session.stepping.why_no_restart()


def why_no_single_thread(ui: Context) -> str:
    """Return why single-thread steps are unavailable; empty if they are available."""
    return ui.session.stepping.why_no_single_thread()


def why_no_tasks(ui: Context) -> str:
    """Return why there are no tasks to show; empty if there are."""
    return ui.session.tasks.why_not()


def _is_refused(ui: Context, why: str, title: str) -> bool:
    """Show a hint if there is an obstacle; return whether there is one."""
    if why:
        ui.status.show_hint(f"{title}: {why}", "warning")
    return bool(why)


# Frames


def frame_up(ui: Context) -> None:
    ui.run_in_background("thread", move_frame, ui, 1)


def frame_down(ui: Context) -> None:
    ui.run_in_background("thread", move_frame, ui, -1)


async def move_frame(ui: Context, by: int) -> None:
    """Select the next or previous visible frame; folded libraries are skipped."""
    for _ in range(abs(by)):
        await _move_once(ui, 1 if by > 0 else -1)


async def _move_once(ui: Context, by: int) -> None:
    if ui.view.frame is None:
        ui.status.show_hint(NO_STACK, "warning")
        return
    index = _next_frame(ui, by)
    if index is None and by > 0 and ui.stack.has_more:
        await ui.view.fetch_more_frames()
        index = _next_frame(ui, by)
    if index is None:
        end = "outermost" if by > 0 else "innermost"
        ui.status.show_hint(f"this is the {end} frame", "warning")
        return
    ui.view.select_frame(index)
    ui.stack.move_cursor_to(("frame", index))


def _next_frame(ui: Context, by: int) -> int | None:
    shown, frames = ui.stack.shown_indices, ui.view.frames
    if ui.view.selected not in shown:
        return shown[0] if shown else None
    at = shown.index(ui.view.selected) + by
    if not 0 <= at < len(shown):
        return None
    # Frames of an earlier exception are below those of the present one, and are not callers.
    same = frames[shown[at]].is_earlier is frames[ui.view.selected].is_earlier
    return shown[at] if same else None


def copy_stack(ui: Context) -> None:
    ui.run_in_background("copy", _copy, ui)


async def _copy(ui: Context) -> None:
    from tuidbg.session.core.stack.stop_wording import render_stack
    from tuidbg.tui.toolkit.drivers.clipboard import TooLong, copy_text, environment_of

    view, session = ui.view, ui.session
    focus = view.focus
    thread_id, frames, total = focus.thread_id, focus.frames, focus.total_frames
    if total > len(frames):
        is_whole = view.focus.is_whole
        frames, total = await session.inspection.stack(thread_id, 0, COPIED_FRAMES, whole=is_whole)
    thread = next((t for t in session.threads if t.id == thread_id), None)
    text = render_stack(
        frames, total=total, thread=thread, stop=session.stop, module_of=view.module_of
    )
    try:
        where = await copy_text(text, ui.app.copy_to_clipboard, environment_of(ui.app))
    except TooLong as error:
        ui.status.show_hint(f"not copied: {error}", "warning")
        return
    to = f" to {where}" if where else ""
    ui.status.show_hint(f"the stack is copied{to} ({_count(len(frames), 'frame')})")


def restart_frame(ui: Context) -> None:
    frame = ui.view.frame
    if frame is not None and not _is_refused(ui, why_no_frame_restart(ui), "Restart the frame"):
        ui.run_command(ui.session.stepping.restart_frame, frame)


# Steps


def jump_to_cursor(ui: Context) -> None:
    if ui.view.document is None or _is_refused(ui, why_no_jump(ui), "Jump"):
        return
    path, line = ui.view.document.key, ui.source.cursor_line
    ui.run_command(ui.session.stepping.jump, path, line, thread_id=ui.view.stopped_thread)


def what_jump_skips(ui: Context) -> str:
    """Return the effect of a jump to the cursor; empty if impossible."""
    if ui.view.document is None or why_no_jump(ui):
        return ""
    return f"goes on at line {ui.source.cursor_line}, skipping the lines between"


def what_begins_again(ui: Context) -> str:
    """Return the effect of restarting the frame; empty if impossible."""
    frame = ui.view.frame
    if frame is None or why_no_frame_restart(ui):
        return ""
    return f"runs {frame.name} from its beginning; its side effects remain"


def step_alone(ui: Context) -> None:
    stepping = ui.session.stepping
    if _is_refused(ui, why_no_single_thread(ui), "Step this thread only"):
        return
    stepping.hold_other_threads(not stepping.only_this_thread)
    ui.view.refresh_status()
    if stepping.only_this_thread:
        words = "steps run this thread only; at the end of an async def all run"
        ui.status.show_hint(words)
    else:
        ui.status.show_hint("steps run all threads again")


def step_into_call(ui: Context) -> None:
    top = ui.view.top_frame
    if top is None or _is_refused(ui, why_no_call(ui), "Step into a call"):
        return
    ui.run_in_background("targets", _choose_call, ui, top)


async def _choose_call(ui: Context, frame: Frame) -> None:
    targets = await ui.session.stepping.step_targets(frame)
    chosen: StepTarget | None = targets[0] if len(targets) == 1 else None
    if not targets:
        ui.status.show_hint("no call on this line can be chosen", "warning")
    elif chosen is None:
        from tuidbg.tui.features.execution.step_targets import StepTargetsDialog

        chosen = await ui.app.push_screen_wait(StepTargetsDialog(targets))
    if chosen is not None:
        thread_id = ui.view.stopped_thread
        ui.run_command(ui.session.stepping.step_into, chosen, thread_id=thread_id, origin="tui")


# Tasks


def show_tasks(ui: Context) -> None:
    if not _is_refused(ui, why_no_tasks(ui), "Tasks"):
        ui.run_in_background("tasks", _show_tasks, ui)


async def _show_tasks(ui: Context) -> None:
    from tuidbg.session.core.stack.tasks import NOT_IMPORTED
    from tuidbg.tui.features.execution.tasks import TasksDialog

    tasks = ui.session.tasks
    tree = await tasks.tree()
    if not tree.is_asyncio_imported or not tree.tasks:
        why = "asyncio has no tasks now" if tree.is_asyncio_imported else NOT_IMPORTED
        ui.status.show_hint(f"no tasks: {why}", "warning")
        return
    dialog = TasksDialog(tree, fetch_tree=tasks.tree, fetch_locals=tasks.locals)
    chosen: TaskFrame | None = await ui.app.push_screen_wait(dialog)
    if chosen is not None:
        ui.view.open_document(chosen.place.path, chosen.place.line)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


# The stack pane


def frame_selected(ui: Context, event: StackPane.FrameSelected) -> None:
    ui.view.select_frame(event.index)


def thread_selected(ui: Context, event: StackPane.ThreadSelected) -> None:
    ui.run_in_background("thread", ui.view.select_thread, event.thread_id)


def more_frames_requested(ui: Context, event: StackPane.MoreFramesRequested) -> None:
    ui.run_in_background("thread", ui.view.fetch_more_frames, event.beside, event.where)


_WAYS = {
    Resume.CONTINUE: StepDirection.BREAKPOINT,
    Resume.STEP_OVER: StepDirection.OVER,
    Resume.STEP_IN: StepDirection.INTO,
    Resume.STEP_OUT: StepDirection.OUT,
}
"""The reverse-debugging equivalents of the live commands."""


def resume(ui: Context) -> None:
    _resume(ui, Resume.CONTINUE)


def step_over(ui: Context) -> None:
    _resume(ui, Resume.STEP_OVER)


def step_into(ui: Context) -> None:
    _resume(ui, Resume.STEP_IN)


def step_out(ui: Context) -> None:
    _resume(ui, Resume.STEP_OUT)


def _resume(ui: Context, how: Resume) -> None:
    """Step the selected thread; in the past, continue in the recording."""
    if is_in_past(ui):
        go_forth(ui, _WAYS[how])
        return
    is_paused = ui.session.status is Status.PAUSED
    ui.run_command(
        ui.session.execution.resume,
        how,
        thread_id=ui.view.stopped_thread if is_paused else None,
        granularity=ui.code.step_granularity,
        origin="tui",
    )


def may_go_on(ui: Context) -> bool:
    """Return whether a step is possible, or can wait for a stop under way; also in the past."""
    return ui.session.status is Status.RUNNING or is_in_past(ui)


def pause(ui: Context) -> None:
    ui.run_command(ui.session.execution.pause, origin="tui")


def run_to_cursor(ui: Context) -> None:
    if ui.view.document is not None:
        path, line = ui.view.document.key, ui.source.cursor_line
        ui.run_command(ui.session.execution.run_to, path, line, origin="tui")


def restart(ui: Context) -> None:
    ui.run_in_background("restart", ui.session.lifecycle.restart)


def why_no_restart(ui: Context) -> str:
    """Return why there is nothing to restart; empty if there is."""
    return ui.session.lifecycle.why_no_restart()


def what_restart_loses(ui: Context) -> str:
    """Return what a restart would lose; empty if no program runs."""
    session = ui.session
    if not is_alive(ui) or session.is_attached or session.is_post_mortem or why_no_restart(ui):
        return ""
    return "restarts the program; its state is lost"


def waits_for_program(ui: Context) -> bool:
    """Return whether a program is still awaited: attaching can be retried."""
    return bool(ui.session.waiting)


def toggle_autorestart(ui: Context) -> None:
    from tuidbg.session.features.autorestart import AutoRestart

    autorestart = AutoRestart.of(ui.session)
    try:
        autorestart.switch(not autorestart.is_on)
    except DebuggerError as error:
        ui.status.show_hint(str(error), "warning")
        return
    does = "restarts when its sources change" if autorestart.is_on else "is left as it is"
    ui.view.refresh_status()
    ui.status.show_hint(f"the program {does}")
