"""The commands that set, edit and delete breakpoints, by keys, in the gutter and in the list."""

from __future__ import annotations

from pathlib import PurePath

from textual import on

from tuidbg.session.state import Breakpoint, BreakpointStatus
from tuidbg.tui.pane_screen import PaneScreen
from tuidbg.tui.panes.breakpoints import BreakpointsPane
from tuidbg.tui.panes.source import SourcePane

NO_SOURCE = "no source is shown yet"


class BreakpointCommands(PaneScreen):
    """Adds the breakpoints' commands to the screen."""

    def command_toggle_breakpoint(self) -> None:
        if self.view.document is not None:
            self._toggle(self.view.document.key, self.source.cursor_line)
        else:
            self.status.show_hint(NO_SOURCE, "warning")

    def _toggle(self, path: str, line: int) -> None:
        self.run_command(self.session.breakpoints.toggle, path, line)

    def command_edit_breakpoint(self) -> None:
        number = self.breakpoints.cursor_number if self.focused is self.breakpoints else None
        if number is not None:
            if (found := self._find(number)) is not None:
                self._edit(found.path, found.line)
        elif self.view.document is not None:
            self._edit(self.view.document.key, self.source.cursor_line)
        else:
            self.status.show_hint(NO_SOURCE, "warning")

    def _find(self, number: int) -> Breakpoint | None:
        """A breakpoint of the list, which may show one that has just been deleted."""
        return next((b for b in self.session.breakpoints.registry if b.number == number), None)

    def _edit(self, path: str, line: int) -> None:
        from tuidbg.tui.dialogs.breakpoint import BreakpointAnswer, BreakpointDialog

        found = self.session.breakpoints.registry.find(path, line)

        def take(answer: BreakpointAnswer | None) -> None:
            breakpoints = self.session.breakpoints
            if answer is None:
                return
            if answer.delete and found is not None:
                self.run_command(breakpoints.remove, found.number)
                return
            self.run_command(
                breakpoints.set, path, line, condition=answer.condition, enabled=answer.enabled
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
        self.run_command(self._undo_delete)

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
        self.run_command(self.session.breakpoints.move, found.number, found.suggested_line)
        self.view.open_document(found.path, found.suggested_line)
        return True

    @on(SourcePane.BreakpointToggled)
    def _gutter_clicked(self, event: SourcePane.BreakpointToggled) -> None:
        self._toggle(event.path, event.line)

    @on(SourcePane.BreakpointEdited)
    def _gutter_right_clicked(self, event: SourcePane.BreakpointEdited) -> None:
        self._edit(event.path, event.line)

    @on(BreakpointsPane.Chosen)
    def _breakpoint_chosen(self, event: BreakpointsPane.Chosen) -> None:
        found = self._find(event.number)
        if found is not None and not self._take_suggestion(found):
            self.view.open_document(found.path, found.line)

    @on(BreakpointsPane.EnableToggled)
    def _enable_toggled(self, event: BreakpointsPane.EnableToggled) -> None:
        if (found := self._find(event.number)) is not None:
            breakpoints = self.session.breakpoints
            self.run_command(breakpoints.update, found.number, enabled=not found.enabled)

    @on(BreakpointsPane.Deleted)
    def _breakpoint_deleted(self, event: BreakpointsPane.Deleted) -> None:
        if self._find(event.number) is not None:
            self.run_command(self.session.breakpoints.remove, event.number)
