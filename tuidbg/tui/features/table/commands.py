"""The command that opens a value as a table: the selected variable, or a name in the line."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from functools import partial

from tuidbg.session.model.state import VariableKind
from tuidbg.tui.panes.context import Context

_DOTTED = re.compile(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*")


def names_of(line: str) -> list[str]:
    """Return the dotted names in a line of Python, each followed by its prefixes.

    ``df.price.mean()`` has ``df.price.mean``, ``df.price`` and ``df``. Strings and comments are
    ignored.
    """
    names: dict[str, None] = {}
    for found in _DOTTED.finditer(_code_of(line)):
        parts = [part.strip() for part in found[0].split(".")]
        if not keyword.iskeyword(parts[0]):
            for length in range(len(parts), 0, -1):
                names[".".join(parts[:length])] = None
    return list(names)


def _code_of(line: str) -> str:
    """Return the line without strings and comments; it may be only a part of a statement."""
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


def why_no_tables(ui: Context) -> str:
    """Return why no table is available; empty if one is."""
    return ui.session.values.tables.why_not()


def show_table(ui: Context) -> None:
    if _is_refused(ui):
        return
    if ui.focused is ui.source and ui.view.document is not None:
        lines, line = ui.view.document.lines, ui.source.cursor_line
        names = names_of(lines[line - 1]) if line <= len(lines) else []
        ui.run_in_background("table", _open_name, ui, names)
    else:
        _ask_expression(ui, "")


def _is_refused(ui: Context) -> bool:
    """Report if no table is available; return whether it is not."""
    if why := why_no_tables(ui):
        ui.status.show_hint(f"Show as a table: {why}", "warning")
    elif ui.view.frame is None:
        ui.status.show_hint("no frame is selected", "warning")
        return True
    return bool(why)


def show_variable(ui: Context) -> None:
    """Open the selected variable."""
    if _is_refused(ui):
        return
    found = ui.variables.cursor_variable
    if found is None:
        ui.status.show_hint("no variable is selected", "warning")
    elif not found[1].evaluate_name:
        ui.status.show_hint(f"{found[1].name} has no expression of its own", "warning")
    else:
        variable = found[1]
        is_returned = variable.kind is VariableKind.RETURNED
        open_table(ui, variable.evaluate_name, variable.name if is_returned else "")


async def _open_name(ui: Context, names: list[str]) -> None:
    """Open the name that is a table; if there are several, let the user choose."""
    frame = ui.view.frame
    if frame is None:
        return
    found = await ui.session.values.tables.candidates(names, frame.id) if names else ()
    if len(found) == 1:
        open_table(ui, found[0])
    else:
        _ask_expression(ui, *found)


def _ask_expression(ui: Context, first: str = "", *others: str) -> None:
    from textual.suggester import SuggestFromList

    from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

    def take(text: str | None) -> None:
        if text and text.strip():
            open_table(ui, text.strip())

    hint = f"also: {', '.join(others)}" if others else "a name or an expression"
    suggester = SuggestFromList([first, *others]) if others else None
    ui.app.push_screen(PromptDialog("Table of", hint=hint, value=first, suggester=suggester), take)


def open_table(ui: Context, expression: str, title: str = "") -> None:
    """Open an expression of the selected frame; it is the default title."""
    from tuidbg.tui.features.table.dialog import TableDialog

    frame = ui.view.frame
    if frame is None:
        return
    opening = partial(ui.session.values.tables.open, expression, frame.id)
    dialog = TableDialog(title or expression, opening, ui.session.plan.cwd)

    def closed(problem: str | None) -> None:
        if problem:
            ui.status.show_hint(problem, "warning")
        if dialog.table is not None:
            ui.run_command(dialog.table.close)

    ui.app.push_screen(dialog, closed)
