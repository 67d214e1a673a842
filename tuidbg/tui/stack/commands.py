"""The commands of the stack: frames and threads, steps of other kinds, the tasks of asyncio."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual import on

from tuidbg.session.state import Frame
from tuidbg.tui.pane_screen import PaneScreen
from tuidbg.tui.stack.pane import StackPane

if TYPE_CHECKING:
    from tuidbg.session.stack.tasks import TaskFrame
    from tuidbg.session.stepping import StepTarget

NO_STACK = "there is no stack here"
COPIED_FRAMES = 2000
"""Frames that are fetched to copy a stack."""


class StackCommands(PaneScreen, is_part=True):
    """Adds these commands to the screen. Dialogs are imported when they are wanted."""

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why some commands make no sense now, besides the status of the session."""
        stepping = self.session.stepping
        why = {
            "step_into_call": stepping.why_no_targets(),
            "jump_to_cursor": stepping.why_no_jump(),
            "restart_frame": stepping.why_no_restart(),
            "step_alone": stepping.why_no_single_thread(),
            "show_tasks": self.session.tasks.why_not(),
        }
        return {**super().reasons, **{name: reason for name, reason in why.items() if reason}}

    def _is_refused(self, name: str, title: str) -> bool:
        """Whether the adapter can't do that, and say so."""
        if why := self.reasons.get(name, ""):
            self.status.show_hint(f"{title}: {why}", "warning")
        return bool(why)

    # Frames

    def command_frame_up(self) -> None:
        self.run_in_background("thread", self._move_frame, 1)

    def command_frame_down(self) -> None:
        self.run_in_background("thread", self._move_frame, -1)

    async def _move_frame(self, by: int) -> None:
        """Look at the next frame that is shown; a folded library is passed over."""
        if self.view.frame is None:
            self.status.show_hint(NO_STACK, "warning")
            return
        index = self._next_frame(by)
        if index is None and by > 0 and self.stack.has_more:
            await self.view.fetch_more_frames()
            index = self._next_frame(by)
        if index is None:
            end = "outermost" if by > 0 else "innermost"
            self.status.show_hint(f"this is the {end} frame", "warning")
            return
        self.view.select_frame(index)
        self.stack.move_cursor_to(("frame", index))

    def _next_frame(self, by: int) -> int | None:
        shown, frames = self.stack.shown_indices, self.view.frames
        if self.view.selected not in shown:
            return shown[0] if shown else None
        at = shown.index(self.view.selected) + by
        if not 0 <= at < len(shown):
            return None
        # Frames of an earlier exception are below those of the present one, and call nobody.
        same = frames[shown[at]].is_earlier is frames[self.view.selected].is_earlier
        return shown[at] if same else None

    @on(StackPane.CopyRequested)
    def _copy_stack(self) -> None:
        self.run_in_background("copy", self._copy)

    async def _copy(self) -> None:
        from tuidbg.session.stack.stack_text import render_stack
        from tuidbg.tui.drivers.clipboard import TooLong, copy_text, environment_of

        view, session = self.view, self.session
        thread_id, frames, total = view.thread_id, view.frames, view.total_frames
        if total > len(frames):
            frames, total = await session.inspection.stack(thread_id, 0, COPIED_FRAMES)
        thread = next((t for t in session.threads if t.id == thread_id), None)
        text = render_stack(
            frames, total=total, thread=thread, stop=session.stop, module_of=view.module_of
        )
        try:
            where = await copy_text(text, self.app.copy_to_clipboard, environment_of(self.app))
        except TooLong as error:
            self.status.show_hint(f"not copied: {error}", "warning")
            return
        to = f" to {where}" if where else ""
        self.status.show_hint(f"the stack is copied{to} ({_count(len(frames), 'frame')})")

    def command_restart_frame(self) -> None:
        frame = self.view.frame
        if frame is not None and not self._is_refused("restart_frame", "Restart the frame"):
            self.run_command(self.session.stepping.restart_frame, frame)

    # Steps

    def command_jump_to_cursor(self) -> None:
        if self.view.document is None or self._is_refused("jump_to_cursor", "Jump"):
            return
        path, line = self.view.document.key, self.source.cursor_line
        self.run_command(self.session.stepping.jump, path, line, thread_id=self.view.stopped_thread)

    def command_step_alone(self) -> None:
        stepping = self.session.stepping
        if self._is_refused("step_alone", "Step only this thread"):
            return
        stepping.hold_other_threads(not stepping.only_this_thread)
        self.view.refresh_status()
        if stepping.only_this_thread:
            words = "steps let only this thread run now; at the end of an async def all run"
            self.status.show_hint(words)
        else:
            self.status.show_hint("steps let all threads run again")

    def command_step_into_call(self) -> None:
        if not self.view.frames or self._is_refused("step_into_call", "Step into a call"):
            return
        self.run_in_background("targets", self._choose_call, self.view.frames[0])

    async def _choose_call(self, frame: Frame) -> None:
        targets = await self.session.stepping.step_targets(frame)
        chosen: StepTarget | None = targets[0] if len(targets) == 1 else None
        if not targets:
            self.status.show_hint("no call on this line can be chosen", "warning")
        elif chosen is None:
            from tuidbg.tui.stack.step_targets import StepTargetsDialog

            chosen = await self.app.push_screen_wait(StepTargetsDialog(targets))
        if chosen is not None:
            thread_id = self.view.stopped_thread
            self.run_command(
                self.session.stepping.step_into, chosen, thread_id=thread_id, origin="tui"
            )

    # Tasks

    def command_show_tasks(self) -> None:
        if not self._is_refused("show_tasks", "Tasks"):
            self.run_in_background("tasks", self._show_tasks)

    async def _show_tasks(self) -> None:
        from tuidbg.session.stack.tasks import NOT_IMPORTED
        from tuidbg.tui.stack.tasks import TasksDialog

        tasks = self.session.tasks
        tree = await tasks.tree()
        if not tree.is_asyncio_imported or not tree.tasks:
            why = "asyncio has no tasks now" if tree.is_asyncio_imported else NOT_IMPORTED
            self.status.show_hint(f"no tasks: {why}", "warning")
            return
        dialog = TasksDialog(tree, fetch_tree=tasks.tree, fetch_locals=tasks.locals)
        chosen: TaskFrame | None = await self.app.push_screen_wait(dialog)
        if chosen is not None:
            self.view.open_document(chosen.place.path, chosen.place.line)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
