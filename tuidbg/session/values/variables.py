"""The variables of a frame: lazily, in pages, and never slower than the program allows.

Where the adapter can be asked inside the program (``inside.py``), one question brings the scopes
and all that is open in them. DAP's own ``scopes`` and ``variables`` (``by_dap.py``) do for the
others; what they can't do says so. Either way a ``Variable`` has a ``reference`` where it has
children, and a ``handle`` by which the other questions name it, for as long as the program stands
still.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tuidbg.session import redaction
from tuidbg.session.errors import UnsupportedByAdapter
from tuidbg.session.evaluation.inside import AsksInside
from tuidbg.session.past.frames import PastValues
from tuidbg.session.redacting.siblings import mark_secrets
from tuidbg.session.state import Variable
from tuidbg.session.values.by_dap import Adapter, ValuesByDap
from tuidbg.session.values.contents import Contents
from tuidbg.session.values.edits import Changes
from tuidbg.session.values.inside import ValuesInside
from tuidbg.session.values.references import Handles
from tuidbg.session.values.source import Children, ValueSource
from tuidbg.session.values.types import PAGE, Address, Display, VariableNode, Wanted

if TYPE_CHECKING:
    from tuidbg.session.values.tables import Tables

T = TypeVar("T")


class Asked(AsksInside, Adapter, Protocol):
    """A session whose values can be asked for in both ways."""


class Values:
    """The variables of one session's stops."""

    def __init__(self, session: Asked) -> None:
        self._session = session
        self._handles = Handles(session)
        self._by_dap = ValuesByDap(session, self._handles)
        self._inside = ValuesInside(session, self._handles, self._by_dap)
        self.past = PastValues(self._handles, self._inside.displays)
        """Those of moments that were recorded; their frames have negative ids."""
        self.address = self._handles.address
        self.remember = self._handles.remember
        self.load = self._inside.load
        self.of_expression = self._inside.of_expression
        self.root_node = self._inside.root_node
        self.forget_worked_out = self._inside.forget_worked_out

    @property
    def is_inside(self) -> bool:
        """True if the program can be asked itself."""
        return self._session.inside.is_possible

    @property
    def source(self) -> ValueSource:
        """The way in which this adapter is asked."""
        return self._inside if self.is_inside else self._by_dap

    @property
    def stop_id(self) -> int:
        """The stop that handles are of."""
        return self._session.stop_id

    # What is there

    async def look(
        self,
        frame_id: int,
        wanted: Mapping[str, Wanted],
        note: Callable[[tuple[VariableNode, ...]], None] | None = None,
    ) -> tuple[VariableNode, ...]:
        """The scopes of a frame with what is wanted of them, by their names.

        ``note`` is told what is known meanwhile, each time that is more. Raises StaleReply,
        AdapterFailed, InvalidSessionState.
        """
        source = self.past if frame_id < 0 else self.source
        nodes = await source.look(frame_id, wanted, note)
        return mark_secrets(nodes) if redaction.hides_names() else nodes

    async def children(self, reference: int, wanted: Wanted | None = None) -> Children:
        """Children of a scope or a variable, the position of the first, and how many there are.

        Raises StaleReply, AdapterFailed, EvaluationFailed, InvalidSessionState.
        """
        source = self._source_of(reference)
        found = await source.children(reference, wanted or Wanted())
        if not redaction.hides_names():
            return found
        nodes, first, total = found
        before: list[VariableNode] = []
        if first > 0:  # names come first, and an option right before its value
            before += (await source.children(reference, Wanted(0, PAGE)))[0]
            last, place, _ = await source.children(reference, Wanted(first - 1, 1))
            before += last[first - 1 - place :][:1]
        return mark_secrets(nodes, before), first, total

    def check(self, reference: int) -> None:
        """Raise VariableNotFound if this reference means nothing (any more)."""
        self._source_of(reference).check(reference)

    def _source_of(self, reference: int) -> ValueSource:
        return self.past if self.past.has(reference) else self.source

    async def variables(
        self, reference: int, start: int = 0, count: int = PAGE
    ) -> tuple[Variable, ...]:
        """A page of the children of a scope or a variable. Raises as ``children``."""
        nodes, first, _ = await self.children(reference, Wanted(start, count))
        return tuple(node.variable for node in nodes[start - first :][:count])

    # One variable

    @cached_property
    def contents(self) -> Contents:
        """All of one value: its text, JSON, what is found in it."""
        return Contents(self)

    @cached_property
    def tables(self) -> Tables:
        """Opens arrays, frames and lists of records as tables."""
        from tuidbg.session.values.tables import Tables

        return Tables(self._session)

    @cached_property
    def changes(self) -> Changes:
        """Setting values, and undoing that."""
        return Changes(self)

    async def demand(self, function: str, into: type[T], address: Address, **arguments: Any) -> T:
        """Ask ``inside/values_demand.py``, and wait for as long as it takes.

        Raises EvaluationFailed with what went wrong, UnsupportedByAdapter, and as ``children``.
        """
        return await self._inside.demand(function, into, address, **arguments)

    def why_no_display(self) -> str:
        """Returns why values are displayed as they are here; nothing where that can be chosen."""
        if not self._session.adapter.has_begun or self.source.can_be_displayed:
            return ""
        return f"{self._session.profile.name} shows values its own way"

    @property
    def displays(self) -> Mapping[str, Display]:
        """Tells how variables are displayed, by their expressions; kept while the session lives."""
        return self._inside.displays

    def set_display(self, variable: Variable, display: Display | None) -> None:
        """Display it so from now on; None: as at first. Raises UnsupportedByAdapter."""
        self._source_of(variable.handle).set_display(variable, display)

    @property
    def can_be_hexadecimal(self) -> bool:
        """True if the adapter can show numbers in hexadecimal, all of them."""
        return self.source.can_be_hexadecimal

    @property
    def in_hexadecimal(self) -> bool:
        """True if the adapter shows numbers in hexadecimal."""
        return self._session.inspection.in_hexadecimal

    def set_hexadecimal(self, on: bool) -> None:
        """Show numbers so, or as usual, from the next question on. Raises UnsupportedByAdapter."""
        if on and not self.can_be_hexadecimal:
            name = self._session.profile.name
            raise UnsupportedByAdapter(f"{name} shows numbers in one way only")
        self._session.inspection.in_hexadecimal = on


class ShowsValues(Asked, Protocol):
    """A session that shows the values of its program."""

    @property
    def values(self) -> Values:
        """The variables of its frames."""
