"""The debugger's screen: every command a key can give to one session.

A command is about five lines: it looks whether it makes sense now, hands the work to the session in
the background, and leaves the painting to the view, which follows the session's events.
"""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from tuidbg.session.errors import DebuggerError
from tuidbg.session.execution import Resume
from tuidbg.session.state import Status
from tuidbg.tui.autopsy.commands import AutopsyCommands
from tuidbg.tui.breakpoints.commands import BreakpointCommands
from tuidbg.tui.console.commands import ConsoleCommands
from tuidbg.tui.drivers.job_control import suspend_group
from tuidbg.tui.find.definition import DefinitionCommands
from tuidbg.tui.frame.status import KeyBar
from tuidbg.tui.history.commands import HistoryCommands
from tuidbg.tui.keys.command_line import CommandLine
from tuidbg.tui.keys.commands import find_command, why_not
from tuidbg.tui.keys.keymap_commands import KeyMapCommands
from tuidbg.tui.launching.commands import LaunchCommands
from tuidbg.tui.native.commands import NativeCommands
from tuidbg.tui.native.signal_commands import SignalCommands
from tuidbg.tui.recording.commands import LifetimeCommands
from tuidbg.tui.sessions.attached_commands import AttachedCommands
from tuidbg.tui.sessions.commands import RelayCommands
from tuidbg.tui.sessions.process_commands import ProcessCommands
from tuidbg.tui.source.commands import SourceCommands
from tuidbg.tui.source.editor import EditorCommands
from tuidbg.tui.source.hover import HoverCommands
from tuidbg.tui.stack.commands import StackCommands
from tuidbg.tui.stack.pane import StackPane
from tuidbg.tui.table.commands import TableCommands
from tuidbg.tui.terminal.commands import TerminalCommands
from tuidbg.tui.trace.commands import TraceCommands
from tuidbg.tui.variables.pane import VariablesPane
from tuidbg.tui.variables.watch_commands import WatchCommands

DISK_CHECK = 1.0
"""Seconds between two looks at the shown file's time stamp."""


class DebugScreen(
    NativeCommands,
    CommandLine,
    DefinitionCommands,
    EditorCommands,
    KeyMapCommands,
    BreakpointCommands,
    LifetimeCommands,
    SourceCommands,
    StackCommands,
    ConsoleCommands,
    TerminalCommands,
    TraceCommands,
    TableCommands,
    AutopsyCommands,
    HistoryCommands,
    WatchCommands,
    HoverCommands,
    RelayCommands,
    SignalCommands,
    ProcessCommands,
    LaunchCommands,
    AttachedCommands,
):
    """One session on the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take_suggestion", show=False),
        Binding("escape", "leave", show=False),
    ]

    def on_mount(self) -> None:
        self.set_focus(self.source)
        self.run_worker(self.view.follow(), group="events")
        self.set_interval(DISK_CHECK, self._check_disk)
        self.watch(self.body, "sizes", self._note_sizes, init=False)
        self.show_first_document()

    def _check_disk(self) -> None:
        # Below a dialog each message to this screen would have Textual paint all of both anew.
        if self.is_active:
            self.run_in_background("disk", self._look_at_disk)

    async def _look_at_disk(self) -> None:
        await self.view.check_document()
        await self.session.breakpoints.follow_edits()

    def action_command(self, name: str) -> None:
        """Give a command by its name in the table; where it makes no sense, say why."""
        command = find_command(name)
        self.status.clear_hint()  # read by now, and it hides where the program stands
        tries = name == "restart" and bool(self.session.waiting)  # for a program not there yet
        why = why_not(command, self.session.status, key_map=self.key_map)
        if why and not tries:
            if name in _RESUMES and self.session.status is Status.RUNNING:
                # It may wait for the stop that is under way; the session knows.
                resume = self.session.execution.resume
                self.run_command(
                    resume, _RESUMES[name], granularity=self.step_granularity, origin="tui"
                )
                return
            self.status.show_hint(f"{command.title}: {why}", "warning")
            return
        getattr(self, f"command_{name}")()

    def _resume(self, how: Resume) -> None:
        """Of several threads, the one that is looked at steps."""
        thread_id = self.view.stopped_thread
        self.run_command(
            self.session.execution.resume,
            how,
            thread_id=thread_id,
            granularity=self.step_granularity,
            origin="tui",
        )

    def command_resume(self) -> None:
        self._resume(Resume.CONTINUE)

    def command_step_over(self) -> None:
        self._resume(Resume.STEP_OVER)

    def command_step_into(self) -> None:
        self._resume(Resume.STEP_IN)

    def command_step_out(self) -> None:
        self._resume(Resume.STEP_OUT)

    def command_pause(self) -> None:
        self.run_command(self.session.execution.pause, origin="tui")

    def command_run_to_cursor(self) -> None:
        if self.code_pane is not None:
            self.run_to_code()
        elif self.view.document is not None:
            path, line = self.view.document.key, self.source.cursor_line
            self.run_command(self.session.execution.run_to, path, line, origin="tui")

    def command_search(self) -> None:
        if self.trace is not None and self.focused is self.trace:
            self.filter_trace()
        elif self.focused is self.variables:
            self.search_variables()
        else:
            super().command_search()

    def command_search_next(self) -> None:
        if self.focused is self.variables:
            self.next_variable(1)
        else:
            super().command_search_next()

    def command_search_previous(self) -> None:
        if self.focused is self.variables:
            self.next_variable(-1)
        else:
            super().command_search_previous()

    def command_go_to_line(self) -> None:
        if self.focused is self.variables:
            self.go_to_item()
        else:
            super().command_go_to_line()

    def command_undo_delete(self) -> None:
        if self.focused is self.variables:
            self.command_undo_change()
        else:
            super().command_undo_delete()

    def command_explain_breakpoint(self) -> None:
        if self.focused is self.variables:
            self.command_copy_value()
        else:
            super().command_explain_breakpoint()

    def command_clear_console(self) -> None:
        if self.trace is not None and self.focused is self.trace:
            self.trace.clear()
        else:
            super().command_clear_console()

    def command_restart(self) -> None:
        self.run_in_background("restart", self.session.lifecycle.restart)

    def command_toggle_autorestart(self) -> None:
        autorestart = self.session.autorestart
        try:
            autorestart.switch(not autorestart.is_on)
        except DebuggerError as error:
            self.status.show_hint(str(error), "warning")
            return
        does = "restarts when its sources change" if autorestart.is_on else "is left as it is"
        self.view.refresh_status()
        self.status.show_hint(f"the program {does}")

    def command_next_theme(self) -> None:
        self.app.action_next_theme()  # type: ignore[attr-defined]

    def command_suspend(self) -> None:
        if self._is_refused("suspend", "Suspend"):
            return
        if problem := suspend_group(self.app.suspend()):
            self.status.show_hint(problem, "warning")

    def command_command_palette(self) -> None:
        self.app.action_command_palette()

    def command_help(self) -> None:
        from tuidbg.tui.frame.help import HelpDialog

        self.app.push_screen(HelpDialog(self.session.status, self.reasons))

    def command_quit(self) -> None:
        self.app.leave()  # type: ignore[attr-defined]

    def action_interrupt(self) -> None:
        """Ctrl+C: copy what is selected, else do what it does in a debugger: pause."""
        if self.get_selected_text():
            self.action_copy_text()
        elif self.console.is_busy:
            self.interrupt_evaluation()
        elif self.session.status is Status.RUNNING:
            self.command_pause()
        else:
            self.status.show_hint(self.key_map.tell("quit", "quits tuidbg").lstrip("; "))

    def action_take_suggestion(self) -> None:
        """Enter in the source: a refused breakpoint goes to the line that can break."""
        if self.focused is self.source:
            self._take_suggestion(self.view.breakpoint_at_cursor())

    def action_leave(self) -> None:
        """Escape: back to the usual sight."""
        if self.leave_terminal():
            return
        if self.body.maximised:
            self.body.maximised = None
        else:
            if self.trace is not None and self.focused is self.trace:
                self.trace.set_filter("")
            self.source.clear_search()
            self.status.clear_hint()

    @on(StackPane.FrameSelected)
    def _frame_selected(self, event: StackPane.FrameSelected) -> None:
        self.view.select_frame(event.index)

    @on(StackPane.ThreadSelected)
    def _thread_selected(self, event: StackPane.ThreadSelected) -> None:
        self.run_in_background("thread", self.view.select_thread, event.thread_id)

    @on(StackPane.MoreFramesRequested)
    def _more_frames(self) -> None:
        self.run_in_background("thread", self.view.fetch_more_frames)

    @on(VariablesPane.Opened)
    def _variable_opened(self, event: VariablesPane.Opened) -> None:
        self.run_command(self.view.fetch_children, event.path, event.reference, event.wanted)

    @on(KeyBar.Pressed)
    def _key_clicked(self, event: KeyBar.Pressed) -> None:
        self.action_command(event.name)


_RESUMES = {
    "resume": Resume.CONTINUE,
    "step_over": Resume.STEP_OVER,
    "step_into": Resume.STEP_IN,
    "step_out": Resume.STEP_OUT,
}
