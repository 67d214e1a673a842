"""The command that opens a value as a table: the selected variable, or a name of the line."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from functools import partial

from tuidbg.tui.pane_screen import PaneScreen

_DOTTED = re.compile(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*")


class TableCommands(PaneScreen):
    """Adds the tables to the screen. The dialog is imported when it is wanted."""

    def command_open_table(self) -> None:
        if why := self.session.tables.why_not():
            self.status.show_hint(why, "warning")
        elif self.view.frame is None:
            self.status.show_hint("no frame is selected", "warning")
        elif self.focused is self.variables:
            self._open_variable()
        elif self.focused is self.source and self.view.document is not None:
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
        from tuidbg.tui.dialogs.table import TableDialog

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


def names_of(line: str) -> list[str]:
    """The dotted names of a line of Python in their order, each before what it begins with.

    ``df.price.mean()`` has ``df.price.mean``, ``df.price`` and ``df``. Text in strings and comments
    is none.
    """
    names: dict[str, None] = {}
    for found in _DOTTED.finditer(_code_of(line)):
        parts = [part.strip() for part in found[0].split(".")]
        if not keyword.iskeyword(parts[0]):
            for length in range(len(parts), 0, -1):
                names[".".join(parts[:length])] = None
    return list(names)


def _code_of(line: str) -> str:
    """The line without its strings and comments; it may be only a part of a statement."""
    kept = list(line)
    try:
        for token in tokenize.generate_tokens(io.StringIO(line.lstrip()).readline):
            if token.type in (tokenize.STRING, tokenize.COMMENT) and token.start[0] == 1:
                indent = len(line) - len(line.lstrip())
                first, last = token.start[1] + indent, token.end[1] + indent
                kept[first:last] = " " * (last - first)
    except (tokenize.TokenError, SyntaxError):
        pass  # the statement goes on in the next line
    return "".join(kept)
