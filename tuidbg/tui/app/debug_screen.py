"""The debugger's screen: one session, its features, and the actions of keys and panes.

A key is looked up in the command table, which has its function. A pane's message calls a function
of its feature. They act on the session, and the view follows the session's events.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.binding import Binding, BindingType

from tuidbg.session.core.session import Session
from tuidbg.session.model.state import Status
from tuidbg.tui.app.keys.command_line import take_enter
from tuidbg.tui.app.keys.commands import COMMANDS, DEFAULT_MAP
from tuidbg.tui.features.breakpoints import commands as breakpoints
from tuidbg.tui.features.console import commands as console
from tuidbg.tui.features.execution import commands as stack
from tuidbg.tui.features.execution import step_commands
from tuidbg.tui.features.native import disassembly_commands as code_commands
from tuidbg.tui.features.native import memory_commands
from tuidbg.tui.features.native.machine_code import MachineCode
from tuidbg.tui.features.native.memory import ProgramMemory
from tuidbg.tui.features.sessions import commands as sessions
from tuidbg.tui.features.source import hover
from tuidbg.tui.features.terminal.program_terminal import ProgramTerminal
from tuidbg.tui.features.trace import commands as trace
from tuidbg.tui.features.variables import commands as variables
from tuidbg.tui.panes.breakpoints.breakpoints_pane import BreakpointsPane
from tuidbg.tui.panes.console.console_pane import ConsoleInput, Prompting
from tuidbg.tui.panes.console.console_results import ConsoleResults
from tuidbg.tui.panes.pane_screen import PaneScreen, TakesKeys
from tuidbg.tui.panes.searched import Searched
from tuidbg.tui.panes.searching import clear_marks
from tuidbg.tui.panes.source.jumps import Jumps
from tuidbg.tui.panes.source.source_pane import SourcePane
from tuidbg.tui.panes.stack.stack_pane import StackPane
from tuidbg.tui.panes.variables.variables_pane import VariablesPane
from tuidbg.tui.toolkit.widgets.pane_layout import Sizes

if TYPE_CHECKING:
    from tuidbg.config.stores.layout_store import SavedLayout
    from tuidbg.tui.features.native.disassembly_pane import CodePane
    from tuidbg.tui.features.native.memory import MemoryPane
    from tuidbg.tui.features.terminal.pane import TerminalPane
    from tuidbg.tui.panes.activity import ActivityPane, LogPane
    from tuidbg.tui.panes.surface import Application
    from tuidbg.tui.panes.trace.trace_pane import TracePane

DISK_CHECK = 1.0
"""Seconds between two checks of the shown file's time stamp."""


class DebugScreen(PaneScreen):
    """The screen of one session."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take_suggestion", show=False),
        Binding("escape", "leave", show=False),
    ]

    def __init__(self, session: Session, *, sizes: Sizes | None = None) -> None:
        super().__init__(session, DEFAULT_MAP, sizes=sizes)
        self.jumps = Jumps()
        self.searched = Searched()
        self.prompting = Prompting(self)
        self.code = MachineCode(self)
        self.memory = ProgramMemory(self)
        self.terminal = ProgramTerminal(self)
        self._saved: SavedLayout | None = None
        self.console.speak(session.profile.language, session.profile.values.console_hint)
        self.source.names.has_values = lambda: (
            session.status is Status.PAUSED and bool(self.view.frame)
        )

    def on_mount(self) -> None:
        self.set_focus(self.source)
        self.run_worker(self.view.follow(), group="events")
        self.set_interval(DISK_CHECK, self._check_disk)
        self.watch(self.body, "sizes", self._note_sizes, init=False)
        self.show_first_document()
        self.terminal.begin()

    def on_unmount(self) -> None:
        self.terminal.end()

    def _check_disk(self) -> None:
        # Below a dialog, each message to this screen would make Textual repaint both completely.
        if self.is_active:
            self.run_in_background("disk", self._look_at_disk)

    async def _look_at_disk(self) -> None:
        await self.view.check_document()
        await self.session.breakpoints.follow_edits()

    @property
    def tuidbg(self) -> Application:
        """The app with tuidbg's attributes."""
        return cast("Application", self.app)

    @property
    def is_covered(self) -> bool:
        """Whether a dialog or another session is above it."""
        return self.app.screen is not self

    # Initial state

    def look_as_before(self, saved: SavedLayout) -> None:
        """Apply a saved layout, before the screen is shown."""
        from tuidbg.tui.app.frame.layout_memory import put_layout

        self._saved = saved
        put_layout(self, saved)

    def show_first_document(self) -> None:
        """Show the program before it runs, or the last place, unless it stops immediately."""
        plan, saved = self.session.plan, self._saved
        is_same = saved is not None and saved.target == plan.target
        left = saved.source if saved is not None and is_same and not plan.stop_on_entry else ""
        first = left if left and Path(left).is_file() else plan.first_source
        if first:
            self.view.open_document(first)
        if self.body.maximised not in (None, "source"):
            self.focus_pane(str(self.body.maximised))

    # Commands

    def action_command(self, name: str) -> None:
        """Run a command of the table by name; report why if it is unavailable."""
        command = self.key_map.find(name)
        self.status.clear_hint()  # read by now, and it hides the program's position
        none, state = self.session.lifecycle.why_no_program(), self.session.status
        why = self.key_map.why_not(command, state) or (none if command.needs_program else "")
        if why and not (command.despite is not None and command.despite(self)):
            self.status.show_hint(f"{command.title}: {none or why}", "warning", only_in=state)
            return
        if self.guide is not None:
            self.guide.note_command(name)
        command.function_in(self._pane_in_focus)(self)

    @property
    def _pane_in_focus(self) -> str:
        """Return the name of the focused pane; empty if a child of it has the focus."""
        focused = self.focused
        return focused.id if focused is not None and focused.id in self.body.panes else ""

    @property
    def _stands(self) -> bool:
        return self.session.status is Status.PAUSED and self.view.frame is not None

    @property
    def reasons(self) -> Mapping[str, str]:
        """Return why some commands are unavailable, apart from the session's status."""
        none = self.session.lifecycle.why_no_program()
        return {c.name: why for c in COMMANDS if (why := c.why_not_here(self, none))}

    def show_help(self) -> None:
        """Show the keys and the list of manuals."""
        from tuidbg.tui.app.help.dialog import HelpDialog

        self.app.push_screen(HelpDialog(self.session.status, self.reasons))

    @property
    def typing_pane(self) -> TakesKeys | None:
        """Return the pane that gets all keys for now."""
        pane = self.memory.pane
        return pane if pane is not None and pane.is_typing else self.terminal.typing

    def action_interrupt(self) -> None:
        """Handle Ctrl+C: copy the selection, else pause as in a debugger."""
        if self.get_selected_text():
            self.action_copy_text()
        elif self.console.is_busy:
            console.interrupt_evaluation(self)
        elif self.session.status is Status.RUNNING:
            step_commands.pause(self)
        else:
            self.status.show_hint(self.key_map.tell("quit", "quits tuidbg").lstrip("; "))

    def action_take_suggestion(self) -> None:
        """Handle Enter in the source: use a suggested breakpoint line, or repeat a pdb command."""
        if self.focused is self.source:
            take_enter(self)

    def action_leave(self) -> None:
        """Handle Escape: restore the usual display."""
        if self.terminal.leave() or self.view.past.call_off():
            return
        if self.body.maximised:
            self.body.maximised = None
        else:
            if self.trace is not None and self.focused is self.trace:
                self.trace.set_filter("")
            clear_marks(self)
            self.status.clear_hint()

    def focus_pane(self, name: str) -> None:
        """Show and focus a pane; create a feature's pane on demand."""
        self.terminal.note_focus(name)
        if name == "source":
            self.code.give_place()
        elif name == "memory":
            self.memory.ready()
        super().focus_pane(name)

    # Calls from the view

    @property
    def code_title(self) -> tuple[str, str]:
        return self.code.title

    def show_code_instead(self, why: str) -> bool:
        return self.code.show_instead(why)

    def show_source_again(self) -> None:
        self.code.show_source_again()

    def mark_code(self) -> None:
        self.code.mark()

    def follow_native(self) -> None:
        self.code.follow()
        self.memory.follow()

    def note_processes(self) -> None:
        sessions.note_processes(self)

    # Messages of the panes: the source

    @on(SourcePane.CursorMoved)
    def _cursor_moved(self) -> None:
        self.view.show_title()

    @on(SourcePane.BreakpointToggled)
    def _gutter_clicked(self, event: SourcePane.BreakpointToggled) -> None:
        breakpoints.gutter_clicked(self, event)

    @on(SourcePane.BreakpointEdited)
    def _gutter_right_clicked(self, event: SourcePane.BreakpointEdited) -> None:
        breakpoints.gutter_right_clicked(self, event)

    @on(SourcePane.NamePointed)
    def _name_pointed(self, event: SourcePane.NamePointed) -> None:
        hover.name_pointed(self, event)

    # The breakpoints

    @on(BreakpointsPane.Chosen)
    def _breakpoint_chosen(self, event: BreakpointsPane.Chosen) -> None:
        breakpoints.breakpoint_chosen(self, event)

    @on(BreakpointsPane.EnableToggled)
    def _enable_toggled(self, event: BreakpointsPane.EnableToggled) -> None:
        breakpoints.enable_toggled(self, event)

    @on(BreakpointsPane.Deleted)
    def _breakpoint_deleted(self, event: BreakpointsPane.Deleted) -> None:
        breakpoints.breakpoint_deleted(self, event)

    @on(BreakpointsPane.GroupEnableToggled)
    def _group_enable_toggled(self, event: BreakpointsPane.GroupEnableToggled) -> None:
        breakpoints.group_enable_toggled(self, event)

    @on(BreakpointsPane.GroupDeleted)
    def _group_deleted(self, event: BreakpointsPane.GroupDeleted) -> None:
        breakpoints.group_deleted(self, event)

    # The stack

    @on(StackPane.FrameSelected)
    def _frame_selected(self, event: StackPane.FrameSelected) -> None:
        self.view.select_frame(event.index)

    @on(StackPane.ThreadSelected)
    def _thread_selected(self, event: StackPane.ThreadSelected) -> None:
        self.run_in_background("thread", self.view.select_thread, event.thread_id)

    @on(StackPane.MoreFramesRequested)
    def _more_frames(self, event: StackPane.MoreFramesRequested) -> None:
        self.run_in_background("thread", self.view.fetch_more_frames, event.beside, event.where)

    @on(StackPane.CopyRequested)
    def _copy_stack(self) -> None:
        stack.copy_stack(self)

    # The variables

    @on(VariablesPane.Opened)
    def _variable_opened(self, event: VariablesPane.Opened) -> None:
        self.run_command(self.view.fetch_children, event.path, event.reference, event.wanted)

    @on(VariablesPane.Loaded)
    def _value_wanted(self, event: VariablesPane.Loaded) -> None:
        variables.value_wanted(self, event)

    @on(VariablesPane.SearchLeft)
    def _search_left(self) -> None:
        variables.search_left(self)

    @on(VariablesPane.WatchChosen)
    def _watch_chosen(self, event: VariablesPane.WatchChosen) -> None:
        variables.watch_chosen(self, event)

    # The console

    @on(ConsoleInput.FirstUsed)
    def _prompt_used(self, event: ConsoleInput.FirstUsed) -> None:
        console.begin_history(self, event)

    @on(ConsoleInput.EvaluateRequested)
    def _expression_entered(self, event: ConsoleInput.EvaluateRequested) -> None:
        console.expression_entered(self, event)

    @on(ConsoleInput.HelpRequested)
    def _help_wanted(self, event: ConsoleInput.HelpRequested) -> None:
        console.help_wanted(self, event)

    @on(ConsoleInput.CompletionRequested)
    def _completion_wanted(self, event: ConsoleInput.CompletionRequested) -> None:
        console.completion_wanted(self, event)

    @on(ConsoleResults.ResultOpened)
    def _result_opened(self, event: ConsoleResults.ResultOpened) -> None:
        console.result_opened(self, event)

    @on(ConsoleInput.InputSubmitted)
    def _input_entered(self, event: ConsoleInput.InputSubmitted) -> None:
        console.input_entered(self, event)

    @on(ConsoleInput.EndOfInputRequested)
    def _input_ended(self) -> None:
        console.input_ended(self)

    @on(ConsoleInput.InterruptRequested)
    def _interrupt_wanted(self) -> None:
        console.interrupt_wanted(self)

    # Panes created on demand: Textual finds these handlers by name

    def on_trace_pane_place_chosen(self, event: TracePane.PlaceChosen) -> None:
        trace.place_chosen(self, event)

    def on_activity_pane_call_chosen(self, event: ActivityPane.CallChosen) -> None:
        sessions.call_chosen(self, event)

    def on_log_pane_line_chosen(self, event: LogPane.LineChosen) -> None:
        sessions.line_chosen(self, event)

    def on_code_pane_wanting(self, event: CodePane.Wanting) -> None:
        self.code.extend(event.direction)

    def on_code_pane_chosen(self, event: CodePane.Chosen) -> None:
        code_commands.instruction_chosen(self, event)

    def on_code_pane_breakpoint_toggled(self, event: CodePane.BreakpointToggled) -> None:
        code_commands.toggle_at(self, event.row)

    def on_memory_pane_wanting(self) -> None:
        self.memory.follow()

    def on_memory_pane_followed(self) -> None:
        memory_commands.follow_pointer(self)

    def on_memory_pane_typed(self, event: MemoryPane.Typed) -> None:
        memory_commands.bytes_typed(self, event)

    def on_memory_pane_moved(self) -> None:
        self.memory.refresh_title()

    def on_terminal_pane_resized(self) -> None:
        self.fit_terminal()
        self.terminal.show_state()

    def on_terminal_pane_changed(self) -> None:
        self.terminal.show_state()

    def on_terminal_pane_refused(self, event: TerminalPane.Refused) -> None:
        self.status.show_hint(event.why, "warning")

    # The frame

    def terminal_room(self) -> tuple[int, int] | None:
        return self.terminal.room(super().terminal_room())

    def on_pane_area_rearranged(self) -> None:
        self.terminal.note_rearranged()
        self.memory.note_rearranged()

    def on_descendant_focus(self) -> None:
        self.code.note_focus()

    def on_descendant_blur(self) -> None:
        self.code.note_focus()
