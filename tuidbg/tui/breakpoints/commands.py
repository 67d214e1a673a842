"""The commands that set, edit and delete breakpoints, by keys, in the gutter and in the list."""

from __future__ import annotations

import os.path
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on

from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus
from tuidbg.tui.breakpoints.pane import BreakpointsPane
from tuidbg.tui.breakpoints.wording import full_name_of, name_of
from tuidbg.tui.pane_screen import PaneScreen
from tuidbg.tui.source.pane import SourcePane

if TYPE_CHECKING:
    from tuidbg.session.breakpoints.options import BreakpointSettings
    from tuidbg.tui.breakpoints.dialog import BreakpointAnswer
    from tuidbg.tui.breakpoints.exceptions_dialog import ExceptionsAnswer

NO_SOURCE = "no source is shown yet"


class BreakpointCommands(PaneScreen, is_part=True):
    """Adds the breakpoints' commands to the screen."""

    def command_toggle_breakpoint(self) -> None:
        if self.view.document is not None:
            self._toggle(self.view.document.key, self.source.cursor_line)
        else:
            self.status.show_hint(NO_SOURCE, "warning")

    def _toggle(self, path: str, line: int) -> None:
        self.run_command(self.session.breakpoints.toggle, path, line, origin="tui")

    def _find(self, number: int | None) -> Breakpoint | None:
        """A breakpoint of the list, which may show one that has just been deleted."""
        return self.session.breakpoints.registry.look_up(number) if number is not None else None

    @property
    def _at_cursor(self) -> Breakpoint | None:
        """The breakpoint under the cursor of the list, where that has the focus, else the source's.

        A list without a cursor leaves it to the source.
        """
        if self.focused is self.breakpoints and self.breakpoints.cursor_number is not None:
            return self._find(self.breakpoints.cursor_number)
        return self.view.breakpoint_at_cursor()

    # The dialog

    def command_edit_breakpoint(self) -> None:
        if self.focused is self.breakpoints and self.breakpoints.cursor_number is not None:
            if (found := self._at_cursor) is not None:
                self._edit(found)
        elif self.view.document is not None:
            self._edit_at(self.view.document.key, self.source.cursor_line)
        else:
            self.status.show_hint(NO_SOURCE, "warning")

    def command_break_on_function(self) -> None:
        new = Breakpoint(number=0, kind=BreakpointKind.FUNCTION)
        self._ask(new, "", self._take_new, is_new=True)

    def _edit_at(self, path: str, line: int) -> None:
        found = self.session.breakpoints.registry.find(path, line)
        if found is not None:
            self._edit(found)
        else:
            new = Breakpoint(number=0, path=path, line=line)
            self._ask(new, self._shown_place(new), self._take_new, is_new=True)

    def _edit(self, found: Breakpoint) -> None:
        self._ask(found, self._shown_place(found), self._take_changed)

    def _ask(
        self,
        found: Breakpoint,
        place: str,
        take: Callable[[Breakpoint, BreakpointAnswer], None],
        *,
        is_new: bool = False,
    ) -> None:
        from tuidbg.tui.breakpoints.dialog import BreakpointDialog

        registry = self.session.breakpoints.registry
        others = {b.number: name_of(b) for b in registry if b.number != found.number}
        language = self.session.language_of(found.path)
        dialog = BreakpointDialog(
            found,
            place,
            is_new=is_new,
            others=others,
            language=language,
            function_name=self.session.profile.breakpoints.function_name,
        )

        def taken(answer: BreakpointAnswer | None) -> None:
            if answer is not None:
                take(found, answer)

        self.app.push_screen(dialog, taken)

    def _shown_place(self, found: Breakpoint) -> str:
        """Its place as a person would write it: from the program's working directory."""
        if found.kind is not BreakpointKind.LINE:
            return name_of(found)
        return f"{self.view.shown_path(found.path)}:{found.line}"

    def _take_new(self, new: Breakpoint, answer: BreakpointAnswer) -> None:
        from tuidbg.tui.breakpoints.dialog import read_address

        breakpoints, settings = self.session.breakpoints, answer.settings
        match answer.kind:
            case BreakpointKind.FUNCTION:
                self.run_command(breakpoints.set_function, answer.place, **settings, origin="tui")
            case BreakpointKind.DATA:
                self.run_command(breakpoints.set_data, answer.place, **settings, origin="tui")
            case BreakpointKind.ADDRESS:
                address = read_address(answer.place) or 0
                self.run_command(breakpoints.set_address, address, **settings, origin="tui")
            case _:
                path, line = self._read_place(answer.place, new)
                self.run_command(breakpoints.set, path, line, **settings, origin="tui")

    def _take_changed(self, found: Breakpoint, answer: BreakpointAnswer) -> None:
        if self._find(found.number) is None:
            return  # somebody has deleted it meanwhile
        if answer.delete:
            self.run_command(self.session.breakpoints.remove, found.number, origin="tui")
            return
        line = self._read_place(answer.place, found)[1] if answer.place else found.line
        self.run_command(self._change, found.number, line, answer.settings)

    async def _change(self, number: int, line: int, settings: BreakpointSettings) -> None:
        breakpoints = self.session.breakpoints
        if settings:
            await breakpoints.update(number, **settings, origin="tui")
        if line != breakpoints.registry.get(number).line:
            await breakpoints.move(number, line, origin="tui")

    def _read_place(self, text: str, near: Breakpoint) -> tuple[str, int]:
        """``FILE:LINE`` from the program's working directory, or a line of the file of ``near``."""
        file, _, line = text.rpartition(":")
        if not file or (near.path and file == self.view.shown_path(near.path)):
            return near.path, int(line)
        # Not resolved: a program may be run through links, and breakpoints go by its names.
        path = Path(self.session.plan.cwd) / os.path.expanduser(file.strip())  # noqa: PTH111
        return os.path.normpath(path), int(line)

    # All of them, and groups

    def command_undo_delete(self) -> None:
        self.run_command(self._undo_delete)

    async def _undo_delete(self) -> None:
        restored = await self.session.breakpoints.restore(origin="tui")
        if restored is None:
            self.status.show_hint("no breakpoint was deleted", "warning")
        else:
            self.status.show_hint(f"breakpoint {restored.number} is back at {name_of(restored)}")

    def command_disable_all(self) -> None:
        self._enable_all(False)

    def command_enable_all(self) -> None:
        self._enable_all(True)

    def _enable_all(self, enabled: bool) -> None:
        count = len(self.session.breakpoints.registry)
        if not count:
            self.status.show_hint("there are no breakpoints", "warning")
            return
        self.run_command(self.session.breakpoints.enable_all, enabled, origin="tui")
        word = "enabled" if enabled else "disabled; A enables them"
        self.status.show_hint(f"all breakpoints are {word}")

    def command_mute_breakpoints(self) -> None:
        muted = not self.session.breakpoints.muted
        self.run_command(self.session.breakpoints.mute, muted, origin="tui")
        words = "muted: nothing stops until m is pressed again" if muted else "no longer muted"
        self.status.show_hint(f"breakpoints are {words}")

    @on(BreakpointsPane.GroupEnableToggled)
    def _group_enable_toggled(self, event: BreakpointsPane.GroupEnableToggled) -> None:
        if group := self._group_of(event.number):
            breakpoints = self.session.breakpoints
            enabled = not any(b.enabled for b in breakpoints.registry.of_group(group))
            self.run_command(breakpoints.enable_group, group, enabled, origin="tui")

    @on(BreakpointsPane.GroupDeleted)
    def _group_deleted(self, event: BreakpointsPane.GroupDeleted) -> None:
        if group := self._group_of(event.number):
            count = len(self.session.breakpoints.registry.of_group(group))
            self.run_command(self.session.breakpoints.remove_group, group, origin="tui")
            way_out = self.key_map.tell("undo_delete", "brings it back")
            self.status.show_hint(f"group {group} is deleted ({count}){way_out}")

    def _group_of(self, number: int) -> str:
        found = self._find(number)
        if found is not None and not found.group:
            self.status.show_hint(f"breakpoint {number} is in no group; B gives it one", "warning")
        return found.group if found is not None else ""

    # Exceptions

    def command_edit_exceptions(self) -> None:
        if told := self.session.exceptions.why_no_choice():
            self.status.show_hint(told)
            return
        from tuidbg.tui.breakpoints.exceptions_dialog import ExceptionsDialog

        breakpoints = self.session.breakpoints
        dialog = ExceptionsDialog(
            breakpoints.exception_filters,
            breakpoints.registry.of_kind(BreakpointKind.EXCEPTION),
            breakpoints.seen_exceptions,
            self.session.exceptions.labels,
        )

        def take(answer: ExceptionsAnswer | None) -> None:
            if answer is not None:
                self.run_command(self._change_exceptions, answer)

        self.app.push_screen(dialog, take)

    async def _change_exceptions(self, answer: ExceptionsAnswer) -> None:
        breakpoints = self.session.breakpoints
        if answer.filters is not None:
            await breakpoints.stop_at_exceptions(answer.filters, origin="tui")
        for number in answer.removed:
            if self._find(number) is not None:
                await breakpoints.remove(number, origin="tui")
        for number, enabled in answer.enabled.items():
            if self._find(number) is not None:
                await breakpoints.update(number, enabled=enabled, origin="tui")
        if answer.rule is not None and answer.number is not None:
            await breakpoints.change_rule(answer.number, answer.rule, origin="tui")
        elif answer.rule is not None:
            await breakpoints.set_exception(answer.rule, origin="tui")

    # The doctor

    def command_explain_breakpoint(self) -> None:
        found = self._at_cursor
        if found is None:
            hint = "no breakpoint at the cursor; 4 has the list of them"
            self.status.show_hint(hint, "warning")
        else:
            self.run_in_background("doctor", self._diagnose, found)

    async def _diagnose(self, found: Breakpoint) -> None:
        from tuidbg.tui.breakpoints.doctor_dialog import DoctorDialog

        diagnosis = await self.session.doctor.diagnose(found.number)
        name = f"{found.number} {full_name_of(found)}"
        mend = await self.app.push_screen_wait(DoctorDialog(name, diagnosis))
        if mend is not None:
            await self.session.doctor.apply(found.number, mend, origin="tui")

    # Refused ones

    def _take_suggestion(self, found: Breakpoint | None) -> bool:
        """Move a refused breakpoint to the line that can break; False where there is none."""
        if found is None or not found.enabled or found.suggested_line is None:
            return False
        if found.status is not BreakpointStatus.REFUSED:
            return False
        self.run_command(
            self.session.breakpoints.move, found.number, found.suggested_line, origin="tui"
        )
        self.view.open_document(found.path, found.suggested_line)
        return True

    # The gutter and the list

    @on(SourcePane.BreakpointToggled)
    def _gutter_clicked(self, event: SourcePane.BreakpointToggled) -> None:
        self._toggle(event.path, event.line)

    @on(SourcePane.BreakpointEdited)
    def _gutter_right_clicked(self, event: SourcePane.BreakpointEdited) -> None:
        self._edit_at(event.path, event.line)

    @on(BreakpointsPane.Chosen)
    def _breakpoint_chosen(self, event: BreakpointsPane.Chosen) -> None:
        found = self._find(event.number)
        if found is None or self._take_suggestion(found):
            return
        if found.path and found.line:
            self.view.open_document(found.path, found.line)
        elif found.kind is BreakpointKind.EXCEPTION:
            self.command_edit_exceptions()
        else:
            self._edit(found)

    @on(BreakpointsPane.EnableToggled)
    def _enable_toggled(self, event: BreakpointsPane.EnableToggled) -> None:
        if (found := self._find(event.number)) is not None:
            breakpoints = self.session.breakpoints
            self.run_command(
                breakpoints.update, found.number, enabled=not found.enabled, origin="tui"
            )

    @on(BreakpointsPane.Deleted)
    def _breakpoint_deleted(self, event: BreakpointsPane.Deleted) -> None:
        if self._find(event.number) is not None:
            self.run_command(self.session.breakpoints.remove, event.number, origin="tui")
