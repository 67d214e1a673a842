"""Tells what can be done with a row of the variables pane, for the bar at the bottom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tuidbg.session.values.types import VariableNode
from tuidbg.tui.keys.modes import Hint, given
from tuidbg.tui.variables.tree import GROUPS, WATCHES, Path
from tuidbg.tui.variables.tree_rows import ABOVE, BELOW

if TYPE_CHECKING:
    from tuidbg.tui.variables.pane import VariablesPane


def row_hints(pane: VariablesPane, *, has_matches: bool) -> Iterator[Hint]:
    """Yields the hints of the row under the pane's cursor; first those of a search's matches."""
    if has_matches:
        yield given("search_next", "next match")
    found, key = pane.cursor_node, pane.cursor_key
    if found is None:
        if isinstance(key, tuple) and key[-1] in (ABOVE, BELOW):
            yield Hint("enter", "more")
        return
    path, node = found
    variable = node.variable
    if not node.is_scope and variable.name not in GROUPS:
        yield from _of_variable(path, node)
    if variable.problem and variable.handle and not pane.is_cursor_open:
        yield Hint("enter", "work it out")
    elif variable.reference:
        yield Hint("enter", "close" if pane.is_cursor_open else "open")


def _of_variable(path: Path, node: VariableNode) -> Iterator[Hint]:
    variable = node.variable
    if variable.handle:
        yield given("set_variable", "set")
    if path[0] == WATCHES and len(path) == 2:
        yield given("edit_watch", "edit")
        yield given("delete_watch", "delete")
    else:
        yield given("add_watch", "watch")
    if variable.evaluate_name and variable.reference:
        yield given("open_table", "table")
    if variable.handle:
        yield Hint("space", "read")
