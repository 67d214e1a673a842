"""The watches in the variables pane: a section above the scopes, if there are any."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec

from tuidbg.session.core.values.types import ChildrenRequest, VariableNode
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import ValueProblem, Variable
from tuidbg.tui.panes.variables.variables_pane import WATCHES, VariablesPane

if TYPE_CHECKING:
    from tuidbg.tui.panes.context import Context

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session
    from tuidbg.session.core.values.watches import WatchResult
    from tuidbg.tui.panes.variables.variables_pane import VariablesPane

SOON = 0.1
"""Seconds that the variables wait for the watches, so that both are painted at once.

Painting the pane without them and then again costs a busy machine more than the delay does.
"""


class WatchView:
    """Fetches the watches in parallel with the variables of a frame."""

    def __init__(self, session: Session, pane: VariablesPane) -> None:
        self._session = session
        self._pane = pane
        self._fetching: asyncio.Task[None] | None = None

    def begin(
        self, frame_id: int, wanted: Mapping[str, ChildrenRequest], asked: int | None = None
    ) -> None:
        """Request their values in a frame; ``wanted`` are the pane's open nodes."""
        self.cancel()
        if not len(self._session.watches):
            self._pane.set_watches(None)
            return
        below = wanted[WATCHES].children if WATCHES in wanted else {}
        self._fetching = asyncio.create_task(self._fetch(frame_id, below, asked))

    def cancel(self) -> None:
        """Cancel the request."""
        if self._fetching is not None:
            self._fetching.cancel()
            self._fetching = None

    async def soon(self) -> bool:
        """Wait for them briefly; return whether they are there. If not, the pane says so."""
        if self._fetching is None:
            return True
        done, _ = await asyncio.wait({self._fetching}, timeout=SOON)
        if not done:
            self._pane.set_watches(_section(None))
        return bool(done)

    async def finish(self) -> None:
        """Show them as soon as they arrive."""
        if self._fetching is not None:
            await asyncio.wait({self._fetching})
        self._pane.show_watches()

    async def _fetch(
        self, frame_id: int, below: Mapping[str, ChildrenRequest], asked: int | None
    ) -> None:
        try:
            results = await self._session.watches.evaluate(frame_id, wanted=below, asked=asked)
        except DebuggerError as error:
            problem = Variable(name="?", value=str(error), problem=ValueProblem.RAISED)
            self._pane.set_watches(_section([VariableNode(problem)]))
            return
        changed = frozenset(result.watch.expression for result in results if result.changed)
        self._pane.set_watches(_section(map(self._node_of, results)), changed)

    def _node_of(self, result: WatchResult) -> VariableNode:
        node, session = node_of(result), self._session
        changes = session.changes_in_use
        if changes is None or not changes.find(result.watch.expression):
            return node
        remarks = filter(None, (node.variable.remark, "stops when it changes"))
        variable = msgspec.structs.replace(node.variable, remark=", ".join(remarks))
        return msgspec.structs.replace(node, variable=variable)


def _section(nodes: Iterable[VariableNode] | None) -> VariableNode:
    children = None if nodes is None else tuple(nodes)
    variable = Variable(name=WATCHES, value="", reference=1)
    return VariableNode(variable, children, True, 0, len(children or ()))


def node_of(result: WatchResult) -> VariableNode:
    """Return the node of a watch."""
    if result.node is not None:
        return result.node
    text, problem = result.error, ValueProblem.RAISED
    if result.watch.pinned and result.is_unknown:
        text, problem = "not in this frame", ValueProblem.UNKNOWN
    elif result.is_slow:
        problem = ValueProblem.SLOW
    return VariableNode(Variable(name=result.watch.expression, value=text, problem=problem))


def offered_expression(ui: Context) -> str:
    """Return the variable or name at the cursor."""
    if ui.focused is ui.variables:
        found = ui.variables.cursor_variable
        if found is not None and found[0][0] != WATCHES:
            return found[1].evaluate_name
    if ui.focused is ui.source and (pointed := ui.source.names.pointed) is not None:
        return pointed.expression
    return ""
