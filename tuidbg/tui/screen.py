"""The debugger's screen: the panes around one session, and every command a key can give.

A command is about five lines: it looks whether it makes sense now, hands the work to the session in
the background, and leaves the painting to the view, which follows the session's events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path, PurePath
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingsMap
from textual.message import Message
from textual.screen import Screen

from tuidbg.session.errors import DebuggerError, StaleReply
from tuidbg.session.execution import Resume
from tuidbg.session.session import Session
from tuidbg.session.state import Breakpoint, BreakpointStatus, Status
from tuidbg.tui.bindings import find_command, make_bindings, why_not
from tuidbg.tui.dialogs.prompt import PromptDialog
from tuidbg.tui.job_control import suspend_group
from tuidbg.tui.layout import PANES, Body, Divider, PaneTabs, PaneTitle, Sizes
from tuidbg.tui.panes.breakpoints import BreakpointsPane
from tuidbg.tui.panes.console import ConsoleInput, ConsolePane
from tuidbg.tui.panes.console_log import ConsoleLog
from tuidbg.tui.panes.source import SourcePane
from tuidbg.tui.panes.stack import StackPane
from tuidbg.tui.panes.variables import VariablesPane
from tuidbg.tui.paths import PathSuggester
from tuidbg.tui.status import KeyBar, StatusLine
from tuidbg.tui.view import SessionView

DISK_CHECK = 1.0
"""Seconds between two looks at the shown file's time stamp."""


class DebugScreen(Screen[None]):
    """One session on the screen."""

    DEFAULT_CSS = "DebugScreen { layout: vertical; }"

    class SizesChanged(Message):
        """The person has changed the sizes of the panes."""

        def __init__(self, sizes: Sizes) -> None:
            super().__init__()
            self.sizes = sizes

    def __init__(self, session: Session, *, sizes: Sizes | None = None) -> None:
        super().__init__()
        self._bindings = BindingsMap.merge([self._bindings, BindingsMap(list(make_bindings()))])
        self.session = session
        self._search_text = ""
        self._evaluating = asyncio.Lock()
        self.source = SourcePane(id="source")
        self.variables = VariablesPane(id="variables")
        self.stack = StackPane(id="stack")
        self.breakpoints = BreakpointsPane(id="breakpoints")
        self.console = ConsolePane(id="console")
        self.status = StatusLine()
        self.keys = KeyBar()
        panes = (self.source, self.variables, self.stack, self.breakpoints, self.console)
        self.body = Body(panes)
        self.source_title = self.body.titles["source"]
        self.body.set_reactive(Body.sizes, sizes or Sizes())
        self.view = SessionView(session, self)

    def compose(self) -> ComposeResult:
        yield self.body
        yield self.status
        yield self.keys

    def on_mount(self) -> None:
        self.source.focus()
        self.run_worker(self.view.follow(), group="events")
        self.set_interval(DISK_CHECK, self._check_disk)
        self.watch(self.body, "sizes", self._note_sizes, init=False)
        first = self.session.plan.first_source
        if first:
            self.view.open_document(first)

    def _check_disk(self) -> None:
        self.run_in_background(self.view.check_document(), "disk")

    def _note_sizes(self, sizes: Sizes) -> None:
        self.post_message(self.SizesChanged(sizes))
        self.call_after_refresh(self._resize_terminal)

    def on_resize(self) -> None:
        self.call_after_refresh(self._resize_terminal)

    def _resize_terminal(self) -> None:
        """The program's terminal is as large as the console shows it."""
        width, height = self.console.size if self.console.display else (self.size.width, 0)
        self.session.resize_terminal(max(20, width - 2), max(5, height - 1))

    # Work beside the keys

    def run_in_background(self, work: Coroutine[Any, Any, None], group: str) -> None:
        """Run it; a newer one of the same group takes its place. Errors become hints."""
        self.run_worker(self._guarded(work), group=group, exclusive=True)

    def run_command(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run what a command asked of the session; none takes the place of another."""
        self.run_worker(self._guarded(work), group="commands")

    async def _guarded(self, work: Coroutine[Any, Any, Any]) -> None:
        try:
            await work
        except StaleReply:
            pass
        except DebuggerError as error:
            self.status.show_hint(str(error), "error")

    # Commands

    def action_command(self, name: str) -> None:
        """Give a command by its name in the table; where it makes no sense, say why."""
        command = find_command(name)
        if why := why_not(command, self.session.status):
            if name in _RESUMES and self.session.status is Status.RUNNING:
                # It may wait for the stop that is under way; the session knows.
                self.run_command(self.session.execution.resume(_RESUMES[name]))
                return
            self.status.show_hint(f"{command.title}: {why}", "warning")
            return
        getattr(self, f"command_{name}")()

    def command_resume(self) -> None:
        self.run_command(self.session.execution.resume(Resume.CONTINUE))

    def command_step_over(self) -> None:
        self.run_command(self.session.execution.resume(Resume.STEP_OVER))

    def command_step_into(self) -> None:
        self.run_command(self.session.execution.resume(Resume.STEP_IN))

    def command_step_out(self) -> None:
        self.run_command(self.session.execution.resume(Resume.STEP_OUT))

    def command_pause(self) -> None:
        self.run_command(self.session.execution.pause())

    def command_run_to_cursor(self) -> None:
        if self.view.document is not None:
            path, line = self.view.document.key, self.source.cursor_line
            self.run_command(self.session.execution.run_to(path, line))

    def command_restart(self) -> None:
        if self.session.status is Status.LAUNCHING:
            self.status.show_hint("the program is starting already", "warning")
            return
        self.run_in_background(self.session.lifecycle.restart(), "restart")

    # Breakpoints

    def command_toggle_breakpoint(self) -> None:
        if self.view.document is not None:
            self._toggle(self.view.document.key, self.source.cursor_line)

    def _toggle(self, path: str, line: int) -> None:
        self.run_command(self.session.breakpoints.toggle(path, line))

    def command_edit_breakpoint(self) -> None:
        if self.breakpoints.has_focus and (number := self.breakpoints.cursor_number) is not None:
            found = self.session.breakpoints.registry.get(number)
            self._edit(found.path, found.line)
        elif self.view.document is not None:
            self._edit(self.view.document.key, self.source.cursor_line)

    def _edit(self, path: str, line: int) -> None:
        from tuidbg.tui.dialogs.breakpoint import BreakpointAnswer, BreakpointDialog

        found = self.session.breakpoints.registry.find(path, line)

        def take(answer: BreakpointAnswer | None) -> None:
            breakpoints = self.session.breakpoints
            if answer is None:
                return
            if answer.delete and found is not None:
                self.run_command(breakpoints.remove(found.number))
                return
            self.run_command(
                breakpoints.set(path, line, condition=answer.condition, enabled=answer.enabled)
            )

        self.app.push_screen(
            BreakpointDialog(
                f"{PurePath(path).name}:{line}",
                condition=found.condition if found else "",
                enabled=found.enabled if found else True,
                is_new=found is None,
            ),
            take,
        )

    def command_undo_delete(self) -> None:
        self.run_command(self._undo_delete())

    async def _undo_delete(self) -> None:
        restored = await self.session.breakpoints.restore()
        if restored is None:
            self.status.show_hint("no breakpoint was deleted", "warning")
        else:
            place = f"{PurePath(restored.path).name}:{restored.line}"
            self.status.show_hint(f"breakpoint {restored.number} is back at {place}")

    def _take_suggestion(self, found: Breakpoint | None) -> bool:
        """Move a refused breakpoint to the line that can break; False where there is none."""
        if found is None or not found.enabled or found.suggested_line is None:
            return False
        if found.status is not BreakpointStatus.REFUSED:
            return False
        self.run_command(self.session.breakpoints.move(found.number, found.suggested_line))
        self.view.open_document(found.path, found.suggested_line)
        return True

    # Source

    def command_search(self) -> None:
        start = self.source.cursor_line

        def search(text: str) -> str:
            self._search_text = text
            return self._describe_match(text, self.source.find(text, start=start))

        def search_next(text: str) -> str:
            return self._describe_match(text, self.source.find(text))

        hint = "Enter: next · Esc: leave"
        self.app.push_screen(PromptDialog("/", hint=hint, on_change=search, on_submit=search_next))

    @staticmethod
    def _describe_match(text: str, line: int | None) -> str:
        if not text:
            return ""
        return f"line {line}" if line is not None else "not found"

    def command_search_next(self) -> None:
        self._search_again(backwards=False)

    def command_search_previous(self) -> None:
        self._search_again(backwards=True)

    def _search_again(self, *, backwards: bool) -> None:
        text = self._search_text
        if not text:
            self.status.show_hint("nothing has been searched yet; / searches", "warning")
        elif self.source.find(text, backwards=backwards) is None:
            self.status.show_hint(f"{text!r} was not found", "warning")

    def command_go_to_line(self) -> None:
        def check(text: str) -> str:
            return "" if not text or text.strip().isdigit() else "a number, please"

        def take(text: str | None) -> None:
            if text and text.strip().isdigit():
                self.source.move_cursor(int(text))
                self.source.focus()

        self.app.push_screen(PromptDialog("Line", on_change=check, on_submit=check), take)

    def command_open_file(self) -> None:
        def take(text: str | None) -> None:
            if text and text.strip():
                path = (Path(self.session.plan.cwd) / Path(text.strip()).expanduser()).resolve()
                if self.view.open_document(str(path)):
                    self.focus_pane("source")

        suggester = PathSuggester(self.session.plan.cwd)
        hint = "→ takes the suggestion"
        self.app.push_screen(PromptDialog("Open", hint=hint, suggester=suggester), take)

    def command_show_execution(self) -> None:
        if self.view.frame is None:
            self.status.show_hint("there is no current line while the program runs", "warning")
        else:
            self.view.select_frame(self.view.selected)

    # Panes

    def focus_pane(self, name: str) -> None:
        """Show a pane and give it the keys."""
        self.body.reveal(name)
        pane = self.query_one(ConsoleLog) if name == "console" else self.body.panes[name]
        # At once, and not by `pane.focus()`, which comes after the keys that were typed ahead.
        self.set_focus(pane, scroll_visible=False)

    @property
    def focused_pane(self) -> str:
        """The pane that has the keys."""
        focused = self.focused
        while focused is not None:
            if focused.id in PANES:
                return focused.id
            focused = focused.parent if focused.parent is not self else None  # type: ignore[assignment]
        return "source"

    def command_focus_source(self) -> None:
        self.focus_pane("source")

    def command_focus_variables(self) -> None:
        self.focus_pane("variables")

    def command_focus_stack(self) -> None:
        self.focus_pane("stack")

    def command_focus_breakpoints(self) -> None:
        self.focus_pane("breakpoints")

    def command_focus_console(self) -> None:
        self.focus_pane("console")

    def command_next_pane(self) -> None:
        self._cycle(1)

    def command_previous_pane(self) -> None:
        self._cycle(-1)

    def _cycle(self, by: int) -> None:
        index = (PANES.index(self.focused_pane) + by) % len(PANES)
        self.focus_pane(PANES[index])

    def command_maximise(self) -> None:
        self.body.maximised = None if self.body.maximised else self.focused_pane

    def command_widen_pane(self) -> None:
        self.body.grow(self.focused_pane, columns=4)

    def command_narrow_pane(self) -> None:
        self.body.grow(self.focused_pane, columns=-4)

    def command_heighten_pane(self) -> None:
        self.body.grow(self.focused_pane, rows=2)

    def command_lower_pane(self) -> None:
        self.body.grow(self.focused_pane, rows=-2)

    def on_descendant_focus(self) -> None:
        self._show_focus()

    def on_descendant_blur(self) -> None:
        self._show_focus()

    def _show_focus(self) -> None:
        active = self.focused_pane if self.focused is not None else ""
        for name, title in self.body.titles.items():
            title.is_active = name == active
        self.body.tabs.is_active = active != "source" and bool(active)

    # Console

    def command_evaluate(self) -> None:
        self.focus_pane("console")
        self.console.mode = "evaluate"
        self.set_focus(self.query_one(ConsoleInput))

    def command_switch_input(self) -> None:
        self.focus_pane("console")
        self.console.mode = "stdin" if self.console.mode == "evaluate" else "evaluate"
        self.set_focus(self.query_one(ConsoleInput))

    def command_clear_console(self) -> None:
        self.console.clear()

    @on(ConsolePane.EvaluateRequested)
    def _evaluate(self, event: ConsolePane.EvaluateRequested) -> None:
        event.stop()
        self.run_command(self._evaluate_expression(event.expression))

    async def _evaluate_expression(self, expression: str) -> None:
        async with self._evaluating:
            output, frame = self.session.output, self.view.frame
            output.add("input", expression)
            self.console.output_changed()
            self.console.set_busy(True, expression)
            try:
                result = await self.session.inspection.evaluate(
                    expression, frame.id if frame is not None else None
                )
                if result.value:
                    output.add("result", result.value)
                await self.view.refresh_variables()
            except DebuggerError as error:
                output.add("error", str(error))
            finally:
                self.console.set_busy(False)
                self.console.output_changed()

    @on(ConsolePane.InputSubmitted)
    def _send_input(self, event: ConsolePane.InputSubmitted) -> None:
        event.stop()
        if not self._has_stdin():
            return
        self.session.send_input(event.text + "\n")

    @on(ConsolePane.EndOfInputRequested)
    def _send_end_of_input(self) -> None:
        if self._has_stdin():
            self.session.send_end_of_input()

    @on(ConsolePane.InterruptRequested)
    def _send_interrupt(self) -> None:
        if self.console.is_busy:
            self.status.show_hint("the evaluation goes on; R restarts the program", "warning")
        elif self.session.status is Status.PAUSED:
            # It would hit the debugger's own wait and end the program.
            self.status.show_hint("the program is paused; c lets it run, then ^C reaches it")
        elif self._has_stdin():
            self.session.send_interrupt()

    def _has_stdin(self) -> bool:
        if self.session.terminal is not None:
            return True
        self.status.show_hint("the program takes no input now", "warning")
        return False

    @on(ConsolePane.InputLeft)
    def _leave_input(self) -> None:
        self.focus_pane("source")

    # The rest

    def command_next_theme(self) -> None:
        self.app.action_next_theme()  # type: ignore[attr-defined]

    def command_suspend(self) -> None:
        if problem := suspend_group():
            self.status.show_hint(problem, "warning")

    def command_command_palette(self) -> None:
        self.app.action_command_palette()

    def command_help(self) -> None:
        from tuidbg.tui.dialogs.help import HelpDialog

        self.app.push_screen(HelpDialog(self.session.status))

    def command_quit(self) -> None:
        self.app.exit()

    def action_interrupt(self) -> None:
        """Ctrl+C: copy what is selected, else do what it does in a debugger: pause."""
        if self.get_selected_text():
            self.action_copy_text()
        elif self.session.status is Status.RUNNING:
            self.command_pause()
        else:
            self.status.show_hint("q quits tuidbg")

    # What the panes ask for

    @on(SourcePane.BreakpointToggled)
    def _gutter_clicked(self, event: SourcePane.BreakpointToggled) -> None:
        self._toggle(event.path, event.line)

    @on(SourcePane.BreakpointEdited)
    def _gutter_right_clicked(self, event: SourcePane.BreakpointEdited) -> None:
        self._edit(event.path, event.line)

    @on(SourcePane.CursorMoved)
    def _cursor_moved(self) -> None:
        self.view.show_title()

    def key_enter(self) -> None:
        if self.source.has_focus:
            self._take_suggestion(self.view.breakpoint_at_cursor())

    def key_escape(self) -> None:
        if self.body.maximised:
            self.body.maximised = None
        else:
            self.source.clear_search()
            self.status.clear_hint()

    @on(BreakpointsPane.Chosen)
    def _breakpoint_chosen(self, event: BreakpointsPane.Chosen) -> None:
        found = self.session.breakpoints.registry.get(event.number)
        if not self._take_suggestion(found):
            self.view.open_document(found.path, found.line)

    @on(BreakpointsPane.EnableToggled)
    def _enable_toggled(self, event: BreakpointsPane.EnableToggled) -> None:
        breakpoints = self.session.breakpoints
        enabled = breakpoints.registry.get(event.number).enabled
        self.run_command(breakpoints.update(event.number, enabled=not enabled))

    @on(BreakpointsPane.Deleted)
    def _breakpoint_deleted(self, event: BreakpointsPane.Deleted) -> None:
        self.run_command(self.session.breakpoints.remove(event.number))

    @on(StackPane.FrameSelected)
    def _frame_selected(self, event: StackPane.FrameSelected) -> None:
        self.view.select_frame(event.index)

    @on(StackPane.ThreadSelected)
    def _thread_selected(self, event: StackPane.ThreadSelected) -> None:
        self.run_in_background(self.view.select_thread(event.thread_id), "thread")

    @on(StackPane.MoreFramesRequested)
    def _more_frames(self) -> None:
        self.run_in_background(self.view.fetch_more_frames(), "thread")

    @on(VariablesPane.Opened)
    def _variable_opened(self, event: VariablesPane.Opened) -> None:
        self.run_command(self.view.fetch_children(event.path, event.reference))

    @on(KeyBar.Pressed)
    def _key_clicked(self, event: KeyBar.Pressed) -> None:
        self.action_command(event.name)

    # Titles and sizes by mouse

    @on(PaneTitle.Pressed)
    def _title_pressed(self, event: PaneTitle.Pressed) -> None:
        self.focus_pane(event.pane)
        if event.twice:
            self.command_maximise()

    @on(PaneTitle.Dragged)
    def _title_dragged(self, event: PaneTitle.Dragged) -> None:
        self.body.drag_row(event.pane, event.screen_y - self.body.region.y)

    @on(PaneTabs.Chosen)
    def _tab_chosen(self, event: PaneTabs.Chosen) -> None:
        self.focus_pane(event.pane)

    @on(PaneTabs.Dragged)
    def _tabs_dragged(self, event: PaneTabs.Dragged) -> None:
        self.body.drag_row("tabs", event.screen_y - self.body.region.y)

    @on(Divider.Dragged)
    def _divider_dragged(self, event: Divider.Dragged) -> None:
        self.body.drag_column(event.screen_x - self.body.region.x)


_RESUMES = {
    "resume": Resume.CONTINUE,
    "step_over": Resume.STEP_OVER,
    "step_into": Resume.STEP_IN,
    "step_out": Resume.STEP_OUT,
}
