"""The variables of a frame: fetched lazily and in pages, without blocking on slow values.

If the adapter supports queries inside the program (``in_process.py``), one query returns the scopes
and all their open children. DAP's own ``scopes`` and ``variables`` (``by_dap.py``) serve the
others; missing features are reported. Either way a ``Variable`` has a ``reference`` if it has
children, and a ``handle`` that identifies it in the other queries, while the program is stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from tuidbg.adapters.errors import RequestFailed
from tuidbg.session.core import redaction
from tuidbg.session.core.redaction import mark_secrets
from tuidbg.session.core.values.by_dap import ValuesByDap
from tuidbg.session.core.values.in_process import ValuesInside
from tuidbg.session.core.values.recorded import PastValues
from tuidbg.session.core.values.types import (
    FIRST_HANDLE,
    PAGE,
    ChildMatches,
    Children,
    ChildrenRequest,
    DisplayFormat,
    FullText,
    Handles,
    JsonText,
    ValueAddress,
    ValueSource,
    VariableNode,
)
from tuidbg.session.model.errors import (
    AdapterFailed,
    EvaluationFailed,
    UnsupportedByAdapter,
    VariableNotFound,
)
from tuidbg.session.model.state import StateValue, Variable

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session
    from tuidbg.session.core.values.tables import TableOpener

T = TypeVar("T")

TEXT_LIMIT = 1_000_000
"""Characters (or bytes) of a value that are fetched for reading or copying."""

MATCHES = 200
"""Maximum matches reported of one search."""


class Contents:
    """Queries about one variable. All raise EvaluationFailed, StaleReply, AdapterFailed."""

    def __init__(self, values: VariableValues) -> None:
        self._values = values

    async def full(self, variable: Variable, how: str = "", limit: int = TEXT_LIMIT) -> FullText:
        """Return its text: a ``str`` itself, else the ``repr``; or ``repr``, ``str``, ``bytes``."""
        values = self._values
        source = values.past if values.past.has(variable.handle) else values.source
        return await source.full(values.address(variable.handle), variable, how, limit)

    async def as_json(self, variable: Variable, limit: int = TEXT_LIMIT) -> JsonText:
        """Return it as JSON. Raises UnsupportedByAdapter too."""
        values = self._values
        if values.past.has(variable.handle):
            return values.past.as_json(variable, limit)
        address = values.address(variable.handle)
        return await values.demand("as_json", JsonText, address, limit=limit)

    async def find(self, variable: Variable, text: str) -> ChildMatches:
        """Return the matches of the text in the names and values of all its children.

        Capitals in ``text`` make its case count. Raises UnsupportedByAdapter too.
        """
        if self._values.past.has(variable.handle):
            return self._values.past.find(variable, text, MATCHES)
        address = self._values.address(variable.handle)
        ignore_case = text == text.lower()
        return await self._values.demand(
            "find", ChildMatches, address, text=text, limit=MATCHES, ignore_case=ignore_case
        )

    async def position(self, variable: Variable, key: str) -> tuple[int, str]:
        """Return position and name of the child with that index, key (expression or text) or name.

        Raises EvaluationFailed if there is none, and UnsupportedByAdapter.
        """
        if self._values.past.has(variable.handle):
            return self._values.past.position(variable, key)
        address = self._values.address(variable.handle)
        found = await self._values.demand("position", list[Any], address, key=key)
        if not found:
            raise EvaluationFailed(f"there is no {key} in {variable.name}")
        return int(found[0]), str(found[1])


class VariableChange(StateValue, frozen=True):
    """A change of a value: the variable before and after. It can be undone at the same stop."""

    before: Variable
    after: Variable


class _Done(msgspec.Struct):
    change: VariableChange
    address: ValueAddress
    ticket: int
    stop_id: int


class Stores(Protocol):
    """The part that sets values."""

    @property
    def source(self) -> ValueSource:
        """Return the way to query this adapter."""

    @property
    def stop_id(self) -> int:
        """Return the stop that handles belong to."""

    def address(self, handle: int) -> ValueAddress:
        """Return the address of that handle. Raises VariableNotFound."""


class VariableChanges:
    """The changes of values at this stop."""

    def __init__(self, values: Stores) -> None:
        self._values = values
        self._done: list[_Done] = []
        self._tickets = 0

    @property
    def last(self) -> VariableChange | None:
        """Return the change that ``undo`` would revert."""
        self._forget_old()
        return self._done[-1].change if self._done else None

    async def set(self, variable: Variable, expression: str) -> VariableChange:
        """Set it to the value of an expression, evaluated in its frame.

        Raises EvaluationFailed with Python's message, and then nothing was changed;
        UnsupportedByAdapter, AdapterFailed, StaleReply, InvalidSessionState.
        """
        if not expression.strip():
            raise EvaluationFailed("an expression, please")
        self._forget_old()
        address = self._values.address(variable.handle)
        self._tickets += 1
        stop_id = self._values.stop_id
        after = await self._values.source.store(address, variable, expression, self._tickets)
        change = VariableChange(variable, after)
        self._done.append(_Done(change, address, self._tickets, stop_id))
        return change

    async def undo(self) -> VariableChange | None:
        """Restore the last old value; None if nothing was set at this stop."""
        self._forget_old()
        if not self._done:
            return None
        done = self._done[-1]
        before, now = done.change.before, done.change.after
        after = await self._values.source.restore(done.address, before, now, done.ticket)
        self._done.remove(done)
        return VariableChange(now, after)

    def _forget_old(self) -> None:
        self._done = [d for d in self._done if d.stop_id == self._values.stop_id]


class VariableValues:
    """The variables of one session's stops."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._handles = Handles(session)
        self._by_dap = ValuesByDap(session, self._handles)
        self._inside = ValuesInside(session, self._handles, self._by_dap)
        self.past = PastValues(self._handles, self._inside.displays)
        """Those of recorded moments; their frames have negative ids."""
        self.address = self._handles.address
        self.remember = self._handles.remember
        self.load = self._inside.load
        self.of_expression = self._inside.of_expression
        self.root_node = self._inside.root_node
        self.forget_worked_out = self._inside.forget_worked_out

    @property
    def is_inside(self) -> bool:
        """True if queries inside the program are possible."""
        return self._session.inside.is_possible

    @property
    def source(self) -> ValueSource:
        """Return the way to query this adapter."""
        return self._inside if self.is_inside else self._by_dap

    @property
    def stop_id(self) -> int:
        """Return the stop that handles belong to."""
        return self._session.stop_id

    # Reading

    async def look(
        self,
        frame_id: int,
        wanted: Mapping[str, ChildrenRequest],
        note: Callable[[tuple[VariableNode, ...]], None] | None = None,
    ) -> tuple[VariableNode, ...]:
        """Return the scopes of a frame with their requested contents, by name.

        ``note`` is called with intermediate results, each time there is more. Raises StaleReply,
        AdapterFailed, InvalidSessionState.
        """
        source = self.past if frame_id < 0 else self.source
        nodes = await source.look(frame_id, wanted, note)
        return mark_secrets(nodes) if redaction.hides_names() else nodes

    async def children(self, reference: int, wanted: ChildrenRequest | None = None) -> Children:
        """Return children of a scope or variable, the first's position, and the total number.

        Raises StaleReply, AdapterFailed, EvaluationFailed, InvalidSessionState.
        """
        source = self._source_of(reference)
        found = await source.children(reference, wanted or ChildrenRequest())
        if not redaction.hides_names():
            return found
        nodes, first, total = found
        before: list[VariableNode] = []
        if first > 0:  # names come first, and an option right before its value
            before += (await source.children(reference, ChildrenRequest(0, PAGE)))[0]
            last, place, _ = await source.children(reference, ChildrenRequest(first - 1, 1))
            before += last[first - 1 - place :][:1]
        return mark_secrets(nodes, before), first, total

    def check(self, reference: int) -> None:
        """Raise VariableNotFound if this reference is not valid (any more)."""
        self._source_of(reference).check(reference)

    def _source_of(self, reference: int) -> ValueSource:
        return self.past if self.past.has(reference) else self.source

    async def variables(
        self, reference: int, start: int = 0, count: int = PAGE
    ) -> tuple[Variable, ...]:
        """Return a page of the children of a scope or a variable. Raises as ``children``."""
        nodes, first, _ = await self.children(reference, ChildrenRequest(start, count))
        return tuple(node.variable for node in nodes[start - first :][:count])

    # One variable

    @cached_property
    def contents(self) -> Contents:
        """Return the queries of one value: its text, JSON, searches."""
        return Contents(self)

    @cached_property
    def tables(self) -> TableOpener:
        """Return the part that opens arrays, frames and lists of records as tables."""
        from tuidbg.session.core.values.tables import TableOpener

        return TableOpener(self._session)

    @cached_property
    def changes(self) -> VariableChanges:
        """Return the part that sets values, and undoes that."""
        return VariableChanges(self)

    async def demand(
        self, function: str, into: type[T], address: ValueAddress, **arguments: Any
    ) -> T:
        """Query ``debuggee/values/values_demand.py``, without a time limit.

        Raises EvaluationFailed with the error, UnsupportedByAdapter, and as ``children``.
        """
        return await self._inside.demand(function, into, address, **arguments)

    def why_no_display(self) -> str:
        """Return why display formats can't be chosen here; empty if they can."""
        if not self._session.adapter.has_begun or self.source.can_be_displayed:
            return ""
        return f"{self._session.profile.name} shows values its own way"

    @property
    def displays(self) -> Mapping[str, DisplayFormat]:
        """Return the display formats of variables, by expression; kept while the session lives."""
        return self._inside.displays

    def set_display(self, variable: Variable, display: DisplayFormat | None) -> None:
        """Set its display format; None: the default. Raises UnsupportedByAdapter."""
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
        """Show numbers so, or as usual, from the next query on. Raises UnsupportedByAdapter."""
        if on and not self.can_be_hexadecimal:
            name = self._session.profile.name
            raise UnsupportedByAdapter(f"{name} shows numbers in one way only")
        self._session.inspection.in_hexadecimal = on


MOST = 1_000
"""Maximum children returned if no number is given."""

_AT_THE_END = 2**40
_INDEXED_STEPS = ("i", "e", "d")
_INDEXED_TYPES = frozenset(
    {
        *("list", "tuple", "set", "frozenset", "range", "bytearray", "deque", "array"),
        *("collections.deque", "array.array", "ndarray", "numpy.ndarray", "Series"),
    }
)


class ChildKind(StrEnum):
    """The kind of children."""

    ALL = ""
    NAMED = "named"
    INDEXED = "indexed"


class ChildPage(StateValue, frozen=True):
    """Some children, and the number of all kinds."""

    variables: tuple[Variable, ...]
    total: int


async def read_part(
    values: VariableValues, reference: int, part: ChildKind, start: int = 0, count: int = MOST
) -> ChildPage:
    """Return ``count`` children from ``start`` on, of those of one part.

    Raises VariableNotFound, and as ``VariableValues.children``.
    """
    if part is ChildKind.ALL:
        return await _read(values, reference, start, count)
    values.check(reference)
    nodes, _, total = await _children(values, reference, ChildrenRequest(start=0, count=1))
    variables = [node.variable for node in nodes]
    named = next((i for i, v in enumerate(variables) if is_indexed(values, v)), None)
    if named is None:  # a page of names is all of them, and one of indexes begins with one
        if part is ChildKind.NAMED:
            return await _read(values, reference, start, count)
        return ChildPage(variables=(), total=total)
    if part is ChildKind.NAMED:
        return ChildPage(variables=tuple(variables[:named][start:][:count]), total=total)
    page = await _read(values, reference, named + start, count)
    found = tuple(v for v in page.variables if is_indexed(values, v))
    return ChildPage(variables=found, total=total)


async def count_children(values: VariableValues, reference: int) -> int:
    """Return the number of children. Raises as ``VariableValues.children``."""
    _, _, total = await values.children(reference, ChildrenRequest(start=_AT_THE_END, count=1))
    return total


async def _read(values: VariableValues, reference: int, start: int, count: int) -> ChildPage:
    values.check(reference)
    nodes, first, total = await _children(
        values, reference, ChildrenRequest(start=start, count=count)
    )
    found = nodes[max(start - first, 0) :][:count] if start < total or not total else ()
    return ChildPage(variables=tuple(node.variable for node in found), total=total)


async def _children(
    values: VariableValues, reference: int, wanted: ChildrenRequest
) -> tuple[tuple[VariableNode, ...], int, int]:
    try:
        return await values.children(reference, wanted)
    except AdapterFailed as error:
        if reference < FIRST_HANDLE and isinstance(error.__cause__, RequestFailed):
            raise VariableNotFound(reference) from error  # one of the adapter's own
        raise


def is_indexed(values: VariableValues, variable: Variable) -> bool:
    """True if a child is identified by its position and not by a name."""
    steps = values.address(variable.handle).steps
    return steps[-1][0] in _INDEXED_STEPS if steps else variable.name.strip("[]").isdecimal()


def count_parts(variable: Variable) -> tuple[int, int]:
    """Return the numbers of named and of indexed children; 0 if not counted."""
    is_list = variable.type.partition("[")[0] in _INDEXED_TYPES
    return (0, variable.total) if is_list else (variable.total, 0)


async def read_scopes(values: VariableValues, frame_id: int) -> tuple[Variable, ...]:
    """Return a frame's scopes as variables, with their numbers of names. Raises as ``look``."""
    last = ChildrenRequest(start=_AT_THE_END, count=1)
    nodes = await values.look(frame_id, {"Locals": last, "Globals": last})
    return tuple(msgspec.structs.replace(node.variable, total=node.total) for node in nodes)
