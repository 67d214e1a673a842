"""The variables of a frame by DAP's own requests, for adapters that know no better.

They give all children at once and no pages; what is set or shown is what the adapter says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec

from tuidbg.session.state import Variable
from tuidbg.session.value_contents import FullText
from tuidbg.session.value_types import Address, VariableNode, Wanted, twin_name

if TYPE_CHECKING:
    from tuidbg.session.values import Values


class ValuesByDap:
    """The part of ``Values`` that asks no questions inside the program."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._session = values.session

    async def look(
        self,
        frame_id: int,
        wanted: Mapping[str, Wanted],
        note: Callable[[tuple[VariableNode, ...]], None] | None,
    ) -> tuple[VariableNode, ...]:
        scopes = await self._session.inspection.scopes(frame_id)
        roots = [
            VariableNode(Variable(name=s.name, value="", reference=s.reference), is_scope=True)
            for s in scopes
        ]
        for index, root in enumerate(roots):
            if note is not None:
                note(tuple(roots))
            if (want := wanted.get(root.variable.name)) is not None and root.variable.reference:
                children = await self.children(root.variable.reference, want, frame_id)
                roots[index] = VariableNode(root.variable, children, True, 0, len(children))
        return tuple(roots)

    async def children(
        self, reference: int, wanted: Wanted, frame_id: int = 0
    ) -> tuple[VariableNode, ...]:
        found = await self._session.inspection.variables(reference)
        nodes, seen = [], dict[str, int]()
        for variable in found:
            name, expression = variable.name, variable.evaluate_name
            address = Address(frame_id, "", (), name, expression, container=reference)
            variable = msgspec.structs.replace(variable, handle=self._values.remember(address))
            seen[name] = seen.get(name, 0) + 1
            below = wanted.children.get(twin_name(name, seen[name]))
            if below is None or not variable.reference:
                nodes.append(VariableNode(variable))
                continue
            children = await self.children(variable.reference, below, frame_id)
            nodes.append(VariableNode(variable, children, False, 0, len(children)))
        return tuple(nodes)

    async def full(self, address: Address, variable: Variable, limit: int) -> FullText:
        """The whole text of a value, where nothing can be asked inside."""
        text = variable.value
        if address.expression and self._session.capabilities.supports_clipboard_context:
            frame_id = address.frame_id or None
            inspection = self._session.inspection
            text = (await inspection.evaluate(address.expression, frame_id, "clipboard")).value
        return FullText(text[:limit], len(text))
