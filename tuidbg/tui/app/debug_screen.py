"""The debugger's screen: one session, its features, and the actions of keys and panes.

A key is looked up in the command table, which has its function. A pane's message calls a function
of its feature. They act on the session, and the view follows the session's events.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding, BindingType

from tuidbg.session.core.session import Session
from tuidbg.session.model.state import Status
from tuidbg.tui.app.keys.command_line import take_enter
from tuidbg.tui.app.keys.commands import COMMANDS, DEFAULT_MAP
from tuidbg.tui.features.console import commands as console
from tuidbg.tui.features.execution import commands as execution
from tuidbg.tui.panes.console.console_pane import Prompting
from tuidbg.tui.panes.pane_screen import PaneScreen
from tuidbg.tui.panes.screen_feature import ScreenFeature, TakesKeys, hooks
from tuidbg.tui.panes.searching import Searched, clear_marks
from tuidbg.tui.panes.source.jumps import Jumps
from tuidbg.tui.toolkit.widgets.pane_layout import Sizes

if TYPE_CHECKING:
    from tuidbg.config.stores.layout_store import SavedLayout
    from tuidbg.tui.panes.context import Application

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
        self.features: dict[str, ScreenFeature] = {}
        self.code = hooks.code_display(self)
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
        for begin in hooks.mounted:
            begin(self)

    def on_unmount(self) -> None:
        for end in hooks.unmounted:
            end(self)

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
        from tuidbg.tui.panes.layout_memory import put_layout

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
        return next((pane for find in hooks.typing if (pane := find(self)) is not None), None)

    def action_interrupt(self) -> None:
        """Handle Ctrl+C: copy the selection, else pause as in a debugger."""
        if self.get_selected_text():
            self.action_copy_text()
        elif self.console.is_busy:
            console.interrupt_evaluation(self)
        elif self.session.status is Status.RUNNING:
            execution.pause(self)
        else:
            self.status.show_hint(self.key_map.tell("quit", "quits tuidbg").lstrip("; "))

    def action_take_suggestion(self) -> None:
        """Handle Enter in the source: use a suggested breakpoint line, or repeat a pdb command."""
        if self.focused is self.source:
            take_enter(self)

    def action_leave(self) -> None:
        """Handle Escape: restore the usual display."""
        if any(leave(self) for leave in hooks.leaving) or self.view.past.call_off():
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
        for note in hooks.focusing:
            note(self, name)
        if name == "source":
            self.code.give_place()
        super().focus_pane(name)

    # Calls from the view

    def note_processes(self) -> None:
        """Note that the program has started a child process."""
        for note in hooks.children_started:
            note(self)

    def note_state(self) -> None:
        """Note a stop, or a value that was set."""
        self.code.follow()
        for note in hooks.state_changed:
            note(self)

    # The frame

    def terminal_room(self) -> tuple[int, int] | None:
        room = super().terminal_room()
        return hooks.program_size(self, room) if hooks.program_size is not None else room

    def on_pane_area_rearranged(self) -> None:
        for note in hooks.rearranged:
            note(self)

    def on_descendant_focus(self) -> None:
        self.code.note_focus()

    def on_descendant_blur(self) -> None:
        self.code.note_focus()


for _name, _handler in hooks.handlers.items():
    setattr(DebugScreen, _name, _handler)
