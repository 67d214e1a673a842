"""The console's log with results that can be opened like variables.

The arrow keys scroll until Space or Right puts a cursor on a result; then they move between results
and through their open children. Escape returns to scrolling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.segment import Segment
from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.message import Message

from tuidbg.session.core.output import OutputBuffer
from tuidbg.session.model.state import OutputLine, Variable
from tuidbg.tui.panes.console.console_log import GUTTER, ConsoleLog
from tuidbg.tui.panes.variables.variables_pane import annotation, what_loads
from tuidbg.tui.toolkit.widgets.log_view import is_hint
from tuidbg.tui.toolkit.widgets.rows import fit, visible

if TYPE_CHECKING:
    from tuidbg.session.core.evaluation.prompt import Evaluated

Path = tuple[int, ...]
"""The path of a node: child indexes; ``()`` is the result itself."""


class TreeRow(NamedTuple):
    """A row below a result: a variable, or a ``note`` in place of one.

    ``path`` is empty for a note that only reports something missing.
    """

    path: Path
    indent: int
    arrow: str = " "
    variable: Variable | None = None
    note: str = ""


class ResultTree:
    """A result as a tree. Only opened nodes are fetched; they stay when the program resumes.

    Large collections are fetched by pages: a row after the fetched children stands for the rest,
    with the path of the next child.
    """

    def __init__(self, result: Evaluated) -> None:
        self.result = result
        self._open: set[Path] = set()
        self._children: dict[Path, tuple[Variable, ...]] = {}
        self._stops: dict[Path, int] = {}
        self._totals: dict[Path, int] = {}
        self._rows: list[TreeRow] | None = None

    @property
    def is_open(self) -> bool:
        """Whether the result itself is open."""
        return () in self._open

    @property
    def rows(self) -> list[TreeRow]:
        """The rows below the result."""
        if self._rows is None:
            self._rows = list(self._rows_of(())) if self.is_open else []
        return self._rows

    def is_open_at(self, path: Path) -> bool:
        """Return whether the node is open."""
        return path in self._open

    def is_openable(self, path: Path) -> bool:
        """Return whether it has children, or more of them."""
        if not path:
            return self.result.openable
        if self.is_more(path):
            return True
        variable = self.variable(path)
        return variable.reference > 0 or self.is_unknown(path)

    def is_more(self, path: Path) -> bool:
        """Return whether it represents children not fetched yet."""
        return bool(path) and path[-1] == len(self._children[path[:-1]])

    def is_unknown(self, path: Path) -> bool:
        """Return whether it is a variable with a value not computed yet."""
        if not path or self.is_more(path):
            return False
        variable = self.variable(path)
        return bool(variable.problem and variable.handle)

    def is_fetched(self, path: Path) -> bool:
        """Return whether its children are fetched."""
        return path in self._children

    def toggle(self, path: Path) -> None:
        """Open or close a node."""
        self._open ^= {path}
        self._rows = None

    def variable(self, path: Path) -> Variable:
        return self._children[path[:-1]][path[-1]]

    def stop_of(self, path: Path) -> int:
        """Return the stop at which the variable was fetched; its reference is valid only there."""
        return self._stops[path[:-1]]

    def children(self, path: Path) -> tuple[Variable, ...]:
        """Return the fetched children of a node."""
        return self._children.get(path, ())

    def set_children(
        self, path: Path, children: Sequence[Variable], stop_id: int, total: int = 0
    ) -> None:
        """Set a node's children, fetched at that stop: all, or the first of ``total``."""
        self._children[path] = tuple(children)
        self._totals[path] = total
        self._stops[path] = stop_id
        self._rows = None

    def set_variable(self, path: Path, variable: Variable) -> None:
        """Set a computed value."""
        above = self._children[path[:-1]]
        self._children[path[:-1]] = (*above[: path[-1]], variable, *above[path[-1] + 1 :])
        self._rows = None

    def _rows_of(self, path: Path) -> Iterator[TreeRow]:
        children = self._children.get(path)
        if not children:
            note = "fetching…" if children is None else "(nothing)"
            yield TreeRow((), len(path), note=note)
            return
        for index, child in enumerate(children):
            here = (*path, index)
            is_open = here in self._open
            arrow = ("▾" if is_open else "▸") if child.reference else " "
            yield TreeRow(here, len(path), arrow, child)
            if is_open and child.reference:
                yield from self._rows_of(here)
        if (missing := self._totals[path] - len(children)) > 0:
            note = f"⋯ {missing:,} more  Right shows the next"
            yield TreeRow((*path, len(children)), len(path), note=note)


_ARROWS = {False: "▸", True: "▾"}
"""Arrows before a result with children: closed, open."""


class ConsoleResults(ConsoleLog):
    """The lines of an ``OutputBuffer``, some with result trees."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "toggle_result", "Open or close a result", show=False),
        Binding("right", "open_result", "Open a result", show=False),
        Binding("left", "close_result", "Close a result, or go to its parent", show=False),
        Binding("escape", "leave_results", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = ConsoleLog.COMPONENT_CLASSES | {
        "console-log--cursor",
        "console-log--name",
        "console-log--faint",
    }
    DEFAULT_CSS = """
    ConsoleResults > .console-log--cursor { background: $primary 40%; }
    ConsoleResults > .console-log--name { color: $text-primary; }
    ConsoleResults > .console-log--faint { color: $text-muted; }
    """

    class ResultOpened(Message):
        """Request for the children of a result or of a node inside it."""

        def __init__(self, number: int, tree: ResultTree, path: Path) -> None:
            super().__init__()
            self.number = number
            self.tree = tree
            self.path = path

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._trees: dict[int, ResultTree] = {}
        self._cursor: tuple[int, int] | None = None
        """A result's line, and which of its rows that can be opened (0: the result itself)."""

    @property
    def has_results(self) -> bool:
        """Return whether some lines are results that can be opened."""
        return bool(self._trees)

    def show(self, buffer: OutputBuffer) -> None:
        self._trees.clear()
        self._cursor = None
        super().show(buffer)

    def update_lines(self) -> None:
        if self._trees and next(iter(self._trees)) < self._buffer.first_number:
            self._drop_trees(self._buffer.first_number)
        super().update_lines()

    def on_click(self, event: events.Click) -> None:
        if self._trees and not is_hint(event):
            self._click_result(event)

    def action_scroll_up(self) -> None:
        if not self._step_cursor(-1):
            super().action_scroll_up()

    def action_scroll_down(self) -> None:
        if not self._step_cursor(1):
            super().action_scroll_down()

    def _add_rows(self, number: int, rows: list[list[Segment]]) -> None:
        if (tree := self._trees.get(number)) is not None:
            rows += [self._tree_row(row) for row in tree.rows]
            self._mark_cursor(number, rows)

    def _glyph(self, line: OutputLine) -> str:
        tree = self._trees.get(line.number)
        return super()._glyph(line) if tree is None else _ARROWS[tree.is_open]

    def attach(self, number: int, tree: ResultTree) -> None:
        """Attach a tree to a line."""
        if self._buffer.first_number <= number <= self._buffer.last_number:
            self._trees[number] = tree
            self._changed(number)

    def tree_changed(self, number: int, tree: ResultTree) -> None:
        """Repaint after a change of a tree."""
        if self._trees.get(number) is tree:
            self._changed(number)
            if self._cursor is not None and self._cursor[1] <= len(tree.rows):
                self._move_to(*self._cursor)  # new rows below must not push it out of view

    def _changed(self, number: int) -> None:
        """Repaint a result with its new number of rows."""
        self.update_lines()
        if not self._rows.first <= number <= self._rows.last:
            return
        anchor = self._anchor()
        self._rows.set_extra(number, len(self._trees[number].rows))
        self._forget_strips(number)
        self._place(anchor)

    def _drop_trees(self, first: int) -> None:
        self._trees = {number: tree for number, tree in self._trees.items() if number >= first}
        if self._cursor is not None and self._cursor[0] < first:
            self._cursor = None

    def _tree_row(self, row: TreeRow) -> list[Segment]:
        name, faint = self._style("name"), self._style("faint")
        indent = " " * (GUTTER + 2 * row.indent)
        if (variable := row.variable) is None:
            segments = [Segment(f"{indent}  {row.note}", faint)]
        else:
            segments = [
                Segment(f"{indent}{row.arrow} ", faint),
                Segment(visible(variable.name, 200), name),
                Segment(visible(annotation(variable), 80), faint),
                Segment(" = " if variable.value else "", faint),
                Segment(visible(variable.value), self.rich_style),
                Segment(what_loads(variable), faint),
            ]
        return list(fit(segments, self._text_width + GUTTER, faint))

    def _mark_cursor(self, number: int, rows: list[list[Segment]]) -> None:
        """Mark the cursor's row; only its text, not the space after it."""
        if self._cursor is None or self._cursor[0] != number:
            return
        tree, index = self._trees[number], self._cursor[1]
        at = 0 if not index else len(rows) - len(tree.rows) + index - 1
        mark = self._style("cursor")
        rows[at] = [
            Segment(text, style + mark if style is not None else mark)
            for text, style, _ in rows[at]
        ]

    def _move_to(self, number: int, index: int) -> None:
        """Move the cursor to a row of a result and scroll it into view."""
        before, self._cursor = self._cursor, (number, index)
        for line in {number, before[0] if before is not None else number}:
            self._forget_strips(line)
        row = self._rows.end_of_text(number) + index - 1 if index else self._rows.start(number)
        y = self._header + row - self._rows.base
        top, height = self.scroll_offset.y, self.size.height
        if not top <= y < top + height:
            self.scroll_to(y=y if y < top else y - height + 1, animate=False, force=True)
        self._repaint()

    def _at_cursor(self) -> tuple[int, ResultTree, Path | None] | None:
        """Return the line, tree and path under the cursor (None: a note)."""
        if self._cursor is None:
            return None
        number, index = self._cursor
        tree = self._trees[number]
        if not index:
            return number, tree, ()
        path = tree.rows[index - 1].path if index <= len(tree.rows) else ()
        return number, tree, path or None

    def _take_cursor(self) -> bool:
        """Put a missing cursor on the lowest visible result, or else the last one."""
        if self._cursor is not None:
            return False
        if not self._trees:
            raise SkipAction
        bottom = self.row_number(self.size.height)
        seen = [number for number in self._trees if self._rows.start(number) < bottom]
        self._move_to(max(seen or self._trees), 0)
        return True

    def action_toggle_result(self) -> None:
        """Open or close the node under the cursor; without a cursor, go to a result and open it."""
        self._take_cursor()
        self._toggle()

    def action_open_result(self) -> None:
        """Open the node under the cursor."""
        self._take_cursor()
        found = self._at_cursor()
        if found is not None and found[2] is not None and not found[1].is_open_at(found[2]):
            self._toggle()

    def action_close_result(self) -> None:
        """Close the node under the cursor, or go to its parent."""
        found = self._at_cursor()
        if found is None:
            raise SkipAction
        number, tree, path = found
        if path is not None and tree.is_open_at(path):
            self._toggle()
        elif path:
            above = [row.path for row in tree.rows]
            self._move_to(number, above.index(path[:-1]) + 1 if path[:-1] else 0)

    def action_leave_results(self) -> None:
        """Remove the cursor: the arrow keys scroll again."""
        if self._cursor is None:
            raise SkipAction
        number, self._cursor = self._cursor[0], None
        self._forget_strips(number)
        self._repaint()

    def _toggle(self) -> None:
        found = self._at_cursor()
        if found is None:
            return
        number, tree, path = found
        if path is None or not tree.is_openable(path):
            return
        if tree.is_more(path) or tree.is_unknown(path):
            self.post_message(self.ResultOpened(number, tree, path))
            return
        tree.toggle(path)
        self._changed(number)
        if tree.is_open_at(path) and not tree.is_fetched(path):
            self.post_message(self.ResultOpened(number, tree, path))

    def _click_result(self, event: events.Click) -> None:
        """Handle a click on a result's arrow or on a row below it."""
        row = self.row_number(event.y)
        if not self._rows.base <= row < self._rows.end:
            return
        number, part = self._rows.locate(row)
        tree = self._trees.get(number)
        if tree is None:
            return
        index = max(0, row - self._rows.end_of_text(number) + 1)
        if index or (event.x < GUTTER and not part):
            self._move_to(number, index)
            self._toggle()

    def _step_cursor(self, by: int) -> bool:
        """Move the cursor among result rows; return whether there is one."""
        if self._cursor is None:
            return False
        number, index = self._cursor
        places = [(n, i) for n in sorted(self._trees) for i in range(len(self._trees[n].rows) + 1)]
        at = places.index((number, index)) if (number, index) in places else 0
        self._move_to(*places[max(0, min(at + by, len(places) - 1))])
        return True
