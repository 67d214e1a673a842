"""The variables of a frame: lazily, in pages, and never slower than the program allows.

Where the adapter can be asked inside the program (``inside/values.py``), one question brings the
scopes and all that is open in them. DAP's own ``scopes`` and ``variables`` do for the others; what
they can't do says so. Either way a ``Variable`` has a ``reference`` where it has children, and a
``handle`` by which the other questions name it, for as long as the program stands still.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tuidbg.session.errors import (
    AdapterFailed,
    DebuggerError,
    EvaluationFailed,
    UnsupportedByAdapter,
    VariableNotFound,
)
from tuidbg.session.state import ValueProblem, Variable, VariableKind
from tuidbg.session.values.by_dap import ValuesByDap
from tuidbg.session.values.contents import Contents
from tuidbg.session.values.edits import Changes
from tuidbg.session.values.types import FIRST_HANDLE, PAGE, Address, Display, VariableNode, Wanted

if TYPE_CHECKING:
    from tuidbg.session.session import Session

__all__ = ["MODULES", "PAGE", "Address", "Display", "Values", "VariableNode", "Wanted"]

T = TypeVar("T")

MODULES = ("base", "writing", "showing", "values")

_LOCALS = "Locals"
_SCOPES = {_LOCALS: "L", "Globals": "G"}


class _Row(msgspec.Struct, array_like=True):
    name: str
    value: str
    type: str
    size: str
    expression: str
    step: list[int | str]
    kind: str
    problem: str
    remark: str
    total: int
    children: _Page | None
    is_cut: bool = False


class _Page(msgspec.Struct, array_like=True):
    start: int
    total: int
    rows: list[_Row]


Roots = list[tuple[str, _Page | None]]


class Values:
    """The variables of one session's stops."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.by_dap = ValuesByDap(self)
        self._addresses: dict[int, Address] = {}
        self._next = FIRST_HANDLE
        self._stop = 0
        self._worked_out: dict[tuple[Any, ...], Variable] = {}
        self.displays: dict[str, Display] = {}
        """How variables are displayed, by their expressions; kept while the session lives."""

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
        if self.is_inside:
            if note is not None:
                note(tuple(_unfetched_scope(name, wanted) for name in _SCOPES))
            try:
                nodes = await self._look_inside(frame_id, wanted)
                self.session.history.note_tree(frame_id, nodes)
                return nodes
            except (EvaluationFailed, AdapterFailed):
                pass  # not a frame of Python's, say: the adapter may know what to make of it
        return await self.by_dap.look(frame_id, wanted, note)

    async def _look_inside(
        self, frame_id: int, wanted: Mapping[str, Wanted]
    ) -> tuple[VariableNode, ...]:
        asked = {name: w.as_question() for name, w in wanted.items() if name in _SCOPES}
        roots = await self._ask("look", Roots, frame_id, wanted=asked)
        nodes = []
        for name, page in roots:
            address = Address(frame_id, _SCOPES[name], (), "", "")
            variable = Variable(name=name, value="", reference=self.remember(address))
            if page is None:
                nodes.append(VariableNode(variable, is_scope=True))
                continue
            children = self._nodes(page, address)
            nodes.append(VariableNode(variable, children, True, page.start, page.total))
        return tuple(nodes)

    async def children(
        self, reference: int, wanted: Wanted | None = None
    ) -> tuple[tuple[VariableNode, ...], int, int]:
        """Children of a scope or a variable, the position of the first, and how many there are.

        Raises StaleReply, AdapterFailed, EvaluationFailed, InvalidSessionState.
        """
        wanted = wanted or Wanted()
        if reference < FIRST_HANDLE:
            return await self.by_dap.children(reference, wanted)
        address = self.address(reference)
        if not address.steps and address.scope in _SCOPES.values():
            name = next(name for name, code in _SCOPES.items() if code == address.scope)
            roots = await self._look_inside(address.frame_id, {name: wanted})
            found = next(root for root in roots if root.variable.name == name)
            self.session.history.note_children(reference, found.children or ())
            return found.children or (), found.start, found.total
        page = await self._ask(
            "children",
            _Page,
            address.frame_id,
            **address.question(),
            expression=address.expression,
            want=wanted.as_question(),
        )
        nodes = self._nodes(page, address)
        self.session.history.note_children(reference, nodes)
        return nodes, page.start, page.total

    async def variables(
        self, reference: int, start: int = 0, count: int = PAGE
    ) -> tuple[Variable, ...]:
        """A page of the children of a scope or a variable. Raises as ``children``."""
        nodes, first, _ = await self.children(reference, Wanted(start, count))
        return tuple(node.variable for node in nodes[start - first :][:count])

    async def of_expression(self, frame_id: int, expression: str) -> Variable:
        """What an expression gives, as a variable that can be expanded. Raises as ``load``."""
        address = Address(frame_id, f"({expression})", (), expression, f"({expression})")
        return await self._load(address, address)

    def _nodes(self, page: _Page, above: Address) -> tuple[VariableNode, ...]:
        return tuple(self._node(row, above) for row in page.rows)

    def root_node(self, row: Any, address: Address) -> VariableNode:
        """The node of a value that is in no other, of a row of ``inside/values.py``."""
        return self._node_at(msgspec.convert(row, _Row), address)

    def _node(self, row: _Row, above: Address) -> VariableNode:
        return self._node_at(row, self._address_of(row, above))

    def _node_at(self, row: _Row, address: Address) -> VariableNode:
        variable = self._variable(row, address)
        page = row.children
        if page is None:
            return VariableNode(variable)
        children = self._nodes(page, address)
        return VariableNode(variable, children, False, page.start, page.total)

    def _address_of(self, row: _Row, above: Address) -> Address:
        step = (str(row.step[0]), row.step[1]) if row.step else ("", "")
        return Address(
            above.frame_id,
            above.scope,
            (*above.steps, step),
            row.name,
            row.expression,
            kind=row.kind,
        )

    def _variable(self, row: _Row, address: Address) -> Variable:
        if row.problem and (known := self._worked_out.get(_place(address))) is not None:
            return known
        handle = self.remember(address)
        return Variable(
            name=row.name,
            value=row.value,
            type=row.type,
            reference=handle if row.total else 0,
            evaluate_name=row.expression,
            handle=handle,
            size=row.size,
            total=max(0, row.total),
            kind=VariableKind(row.kind),
            problem=ValueProblem(row.problem),
            remark=row.remark,
            truncated=row.is_cut,
        )

    # One variable

    @cached_property
    def contents(self) -> Contents:
        """All of one value: its text, JSON, what is found in it."""
        return Contents(self)

    @cached_property
    def changes(self) -> Changes:
        """Setting values, and undoing that."""
        return Changes(self)

    def why_no_display(self) -> str:
        """Why values are displayed as they are here; nothing where that can be chosen."""
        if self.session.client is None or self.is_inside:
            return ""
        return f"{self.session.profile.name} shows values its own way"

    def set_display(self, variable: Variable, display: Display | None) -> None:
        """How it is displayed from now on; None as at first. Raises UnsupportedByAdapter."""
        self.must_be_inside()
        expression = variable.evaluate_name
        if not expression:
            raise UnsupportedByAdapter("it has no expression by which it could be known again")
        self._worked_out.clear()
        if display is None:
            self.displays.pop(expression, None)
        else:
            self.displays[expression] = display

    @property
    def can_be_hexadecimal(self) -> bool:
        """Whether the adapter can show numbers in hexadecimal, all of them."""
        can = self.session.capabilities.supports_value_formatting_options
        return bool(can) and not self.is_inside

    @property
    def in_hexadecimal(self) -> bool:
        """Whether the adapter shows numbers in hexadecimal."""
        return self.session.inspection.in_hexadecimal

    def set_hexadecimal(self, on: bool) -> None:
        """Show numbers so, or as usual, from the next question on. Raises UnsupportedByAdapter."""
        if on and not self.can_be_hexadecimal:
            raise UnsupportedByAdapter(f"{self.session.profile.name} shows numbers in one way only")
        self.session.inspection.in_hexadecimal = on

    async def change(self, function: str, address: Address, **arguments: Any) -> Variable:
        """Set a value or take that back, inside the program; the variable as it is then."""
        row = await self.demand(function, _Row, address, **arguments)
        self._worked_out.clear()
        row.name, row.expression = address.name, address.expression
        return self._variable(row, address)

    async def load(self, variable: Variable, *, here: bool = False) -> Variable:
        """Work out a property, or a value that is slow to show, however long that takes.

        It is done in a thread of its own, or ``here``, in the stopped one. Raises
        EvaluationFailed where it raised or takes too long, which is what is shown of it until the
        program goes on; and as ``children``.
        """
        address = self.address(variable.handle)
        here = here or variable.problem is ValueProblem.RAISED
        try:
            loaded = await self._load(address, address, here=here)
        except EvaluationFailed as error:
            failed = {"value": f"<{error}>", "problem": ValueProblem.RAISED}
            self._worked_out[_place(address)] = msgspec.structs.replace(variable, **failed)
            raise
        self._worked_out[_place(address)] = loaded
        return loaded

    async def _load(self, asked: Address, address: Address, *, here: bool = False) -> Variable:
        row = await self.demand(
            "load", _Row, asked, expression=asked.expression, kind=asked.kind, here=here
        )
        row.name, row.expression = asked.name, asked.expression
        return self._variable(row, address)

    async def demand(self, function: str, into: type[T], address: Address, **arguments: Any) -> T:
        """Ask ``inside/values_demand.py``, and wait for as long as it takes.

        Raises EvaluationFailed with what went wrong, and as ``children``.
        """
        self.must_be_inside()
        await self.session.inside.load(*MODULES)
        if function == "load":
            arguments["stop"] = self.session.stop_id
        ask = self.session.inside.ask
        answer = await ask(
            "values_demand",
            function,
            dict[str, Any],
            frame_id=address.frame_id,
            **address.question(),
            **arguments,
        )
        while (ticket := answer.get("ticket")) is not None:
            try:
                answer = await ask(
                    *("values_demand", "poll", dict[str, Any]),
                    frame_id=address.frame_id,
                    ticket=ticket,
                )
            except asyncio.CancelledError:
                self.session.spawn(self._cancel(address.frame_id, ticket))
                raise
        if "error" in answer:
            raise EvaluationFailed(str(answer["error"]))
        return msgspec.convert(answer.get("answer"), type=into)

    async def _cancel(self, frame_id: int, ticket: int) -> None:
        """Nobody waits for it any more."""
        try:
            ask = self.session.inside.ask
            await ask("values_demand", "cancel", type(None), frame_id=frame_id, ticket=ticket)
        except DebuggerError:
            pass  # the program has gone on, and forgets it by itself

    @property
    def is_inside(self) -> bool:
        """Whether the program can be asked itself."""
        return self.session.inside.is_possible

    @property
    def stop_id(self) -> int:
        """The stop that handles are of."""
        return self.session.stop_id

    def must_be_inside(self) -> None:
        """Raises UnsupportedByAdapter where the program can't be asked."""
        if not self.is_inside:
            raise UnsupportedByAdapter("this debug adapter can't answer that")

    # What is known of this stop

    def address(self, handle: int) -> Address:
        """Where the variable of that handle is. Raises VariableNotFound: it is of another stop."""
        self._begin_stop()
        try:
            return self._addresses[handle]
        except KeyError:
            raise VariableNotFound(handle) from None

    def remember(self, address: Address) -> int:
        self._begin_stop()
        handle, self._next = self._next, self._next + 1
        self._addresses[handle] = address
        return handle

    def forget_worked_out(self) -> None:
        """What was worked out at this stop may be another now."""
        self._worked_out.clear()

    def _begin_stop(self) -> None:
        if self._stop != self.session.stop_id:
            self._stop = self.session.stop_id
            self._addresses.clear()
            self._worked_out.clear()

    async def _ask(self, function: str, into: type[T], frame_id: int, **arguments: Any) -> T:
        displays = {name: [str(d.how), d.expression] for name, d in self.displays.items()}
        await self.session.inside.load(*MODULES)
        return await self.session.inside.ask(
            "values",
            function,
            into,
            frame_id=frame_id,
            stop=self.session.stop_id,
            **({"displays": displays} if displays else {}),
            **arguments,
        )


def _unfetched_scope(name: str, wanted: Mapping[str, Wanted]) -> VariableNode:
    return VariableNode(Variable(name=name, value="", reference=1), is_scope=True)


def _place(address: Address) -> tuple[Any, ...]:
    return address.frame_id, address.scope, address.steps
