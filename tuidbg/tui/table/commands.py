"""The command that opens a value as a table: the selected variable, or a name of the line."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tuidbg.tui.pane_screen import PaneScreen


class TableCommands(PaneScreen, is_part=True):
    """Adds the tables to the screen. The dialog is imported when it is wanted."""

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why some commands make no sense now, besides the status of the session."""
        why = self.session.tables.why_not()
        return {**super().reasons, **({"open_table": why} if why else {})}

    def command_open_table(self) -> None:
        if why := self.session.tables.why_not():
            self.status.show_hint(f"Show as a table: {why}", "warning")
        elif self.view.frame is None:
            self.status.show_hint("no frame is selected", "warning")
        elif self.focused is self.variables:
            self._open_variable()
        elif self.focused is self.source and self.view.document is not None:
            from tuidbg.tui.table.names import names_of

            lines, line = self.view.document.lines, self.source.cursor_line
            names = names_of(lines[line - 1]) if line <= len(lines) else []
            self.run_in_background("table", self._open_name, names)
        else:
            self._ask_expression("")

    def _open_variable(self) -> None:
        found = self.variables.cursor_variable
        if found is None:
            self.status.show_hint("no variable is selected", "warning")
        elif not found[1].evaluate_name:
            self.status.show_hint(f"{found[1].name} has no expression of its own", "warning")
        else:
            self.open_table(found[1].evaluate_name)

    async def _open_name(self, names: list[str]) -> None:
        """Open what is a table of the names; where several are, let the person choose."""
        frame = self.view.frame
        if frame is None:
            return
        found = await self.session.tables.candidates(names, frame.id) if names else ()
        if len(found) == 1:
            self.open_table(found[0])
        else:
            self._ask_expression(*found)

    def _ask_expression(self, first: str = "", *others: str) -> None:
        from textual.suggester import SuggestFromList

        from tuidbg.tui.dialogs.prompt import PromptDialog

        def take(text: str | None) -> None:
            if text and text.strip():
                self.open_table(text.strip())

        hint = f"also: {', '.join(others)}" if others else "a name or an expression"
        suggester = SuggestFromList([first, *others]) if others else None
        self.app.push_screen(
            PromptDialog("Table of", hint=hint, value=first, suggester=suggester), take
        )

    def open_table(self, expression: str) -> None:
        """Open what an expression gives in the selected frame."""
        from tuidbg.tui.table.dialog import TableDialog

        frame = self.view.frame
        if frame is None:
            return
        opening = partial(self.session.tables.open, expression, frame.id)
        dialog = TableDialog(expression, opening, self.session.plan.cwd)

        def closed(problem: str | None) -> None:
            if problem:
                self.status.show_hint(problem, "warning")
            if dialog.table is not None:
                self.run_command(dialog.table.close)

        self.app.push_screen(dialog, closed)
