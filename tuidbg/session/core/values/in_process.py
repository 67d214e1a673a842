"""The variables of a frame by tuidbg's own queries (``debuggee/values/values.py``).

One query returns the scopes and all their open children.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tuidbg.session.core.values.types import (
    FIRST_HANDLE,
    Children,
    ChildrenRequest,
    DisplayFormat,
    FullText,
    Handles,
    ValueAddress,
    ValueSource,
    VariableNode,
)
from tuidbg.session.model.errors import (
    AdapterFailed,
    DebuggerError,
    EvaluationFailed,
    UnsupportedByAdapter,
)
from tuidbg.session.model.state import ValueProblem, Variable, VariableKind

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


T = TypeVar("T")

MODULES = ("base", "writing", "showing", "values")

_SCOPES = {"Locals": "L", "Globals": "G"}


class _ValueRow(msgspec.Struct, array_like=True):
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
    children: _InProcessPage | None
    is_cut: bool = False


class _InProcessPage(msgspec.Struct, array_like=True):
    start: int
    total: int
    rows: list[_ValueRow]


Roots = list[tuple[str, _InProcessPage | None]]


class ValuesInside(ValueSource):
    """A source of values inside the program; ``by_dap`` is used where that has no answer."""

    can_be_hexadecimal = False
    can_be_displayed = True

    def __init__(self, session: Session, handles: Handles, by_dap: ValueSource) -> None:
        self._session = session
        self._handles = handles
        self._by_dap = by_dap
        self._stop = 0
        self._worked_out_here: dict[tuple[Any, ...], Variable] = {}
        self.displays: dict[str, DisplayFormat] = {}

    # Reading

    async def look(
        self,
        frame_id: int,
        wanted: Mapping[str, ChildrenRequest],
        note: Callable[[tuple[VariableNode, ...]], None] | None = None,
    ) -> tuple[VariableNode, ...]:
        if note is not None:
            note(tuple(map(_unfetched_scope, _SCOPES)))
        try:
            nodes = await self._look(frame_id, wanted)
            self._session.history.note_tree(frame_id, nodes)
            return nodes
        except (EvaluationFailed, AdapterFailed):
            # No Python frame, for example: the adapter may be able to handle it.
            return await self._by_dap.look(frame_id, wanted, note)

    async def _look(
        self, frame_id: int, wanted: Mapping[str, ChildrenRequest]
    ) -> tuple[VariableNode, ...]:
        asked = {name: w.as_question() for name, w in wanted.items() if name in _SCOPES}
        roots = self._pushed(frame_id, asked)
        if roots is None:
            roots = await self._ask("look", Roots, frame_id, wanted=asked)
        nodes = []
        for name, page in roots:
            address = ValueAddress(frame_id, _SCOPES[name], (), "", "")
            variable = Variable(name=name, value="", reference=self._handles.remember(address))
            if page is None:
                nodes.append(VariableNode(variable, is_scope=True))
                continue
            children = self._nodes(page, address)
            nodes.append(VariableNode(variable, children, True, page.start, page.total))
        return tuple(nodes)

    def _pushed(self, frame_id: int, asked: Mapping[str, Any]) -> Roots | None:
        """Return the scopes if they have come with the stop, for this very question."""
        if self.displays:
            return None
        return self._session.pushed_details.take_scopes(frame_id, asked, Roots)

    async def children(self, reference: int, wanted: ChildrenRequest) -> Children:
        if reference < FIRST_HANDLE:
            return await self._by_dap.children(reference, wanted)
        address = self._handles.address(reference)
        history = self._session.history
        if not address.steps and address.scope in _SCOPES.values():
            name = next(name for name, code in _SCOPES.items() if code == address.scope)
            roots = await self._look(address.frame_id, {name: wanted})
            found = next(root for root in roots if root.variable.name == name)
            history.note_children(reference, found.children or ())
            return found.children or (), found.start, found.total
        page = await self._ask(
            "children",
            _InProcessPage,
            address.frame_id,
            **address.question(),
            expression=address.expression,
            want=wanted.as_question(),
        )
        nodes = self._nodes(page, address)
        history.note_children(reference, nodes)
        return nodes, page.start, page.total

    def check(self, reference: int) -> None:
        self._handles.address(reference)

    def opened(self, reference: int, address: ValueAddress) -> int:
        return self._handles.remember(address)

    def _nodes(self, page: _InProcessPage, above: ValueAddress) -> tuple[VariableNode, ...]:
        return tuple(self._node(row, above) for row in page.rows)

    def root_node(self, row: Any, address: ValueAddress) -> VariableNode:
        """Return the node of a top-level value, from a row of ``debuggee/values/values.py``."""
        return self._node_at(msgspec.convert(row, _ValueRow), address)

    def _node(self, row: _ValueRow, above: ValueAddress) -> VariableNode:
        return self._node_at(row, self._address_of(row, above))

    def _node_at(self, row: _ValueRow, address: ValueAddress) -> VariableNode:
        variable = self._variable(row, address)
        page = row.children
        if page is None:
            return VariableNode(variable)
        children = self._nodes(page, address)
        return VariableNode(variable, children, False, page.start, page.total)

    def _address_of(self, row: _ValueRow, above: ValueAddress) -> ValueAddress:
        step = (str(row.step[0]), row.step[1]) if row.step else ("", "")
        return ValueAddress(
            above.frame_id,
            above.scope,
            (*above.steps, step),
            row.name,
            row.expression,
            kind=row.kind,
        )

    def _variable(self, row: _ValueRow, address: ValueAddress) -> Variable:
        if row.problem and (known := self._worked_out.get(_place(address))) is not None:
            return known
        handle = self._handles.remember(address)
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

    def set_display(self, variable: Variable, display: DisplayFormat | None) -> None:
        expression = variable.evaluate_name
        if not expression:
            raise UnsupportedByAdapter("it has no expression by which it could be known again")
        self.forget_worked_out()
        if display is None:
            self.displays.pop(expression, None)
        else:
            self.displays[expression] = display

    async def full(
        self, address: ValueAddress, variable: Variable, how: str, limit: int
    ) -> FullText:
        return await self.demand("full", FullText, address, how=how, limit=limit)

    async def store(
        self, address: ValueAddress, variable: Variable, expression: str, ticket: int
    ) -> Variable:
        """Set it; the old value is kept in the program by that ticket."""
        return await self._change(
            "assign",
            address,
            expression=address.expression,
            text=expression,
            ticket=ticket,
            kind=address.kind,
        )

    async def restore(
        self, address: ValueAddress, before: Variable, after: Variable, ticket: int
    ) -> Variable:
        return await self._change(
            "undo", address, expression=address.expression, ticket=ticket, kind=address.kind
        )

    async def _change(self, function: str, address: ValueAddress, **arguments: Any) -> Variable:
        """Set a value or undo that, inside the program; return the new variable."""
        row = await self.demand(function, _ValueRow, address, **arguments)
        self._worked_out.clear()
        row.name, row.expression = address.name, address.expression
        return self._variable(row, address)

    async def of_expression(self, frame_id: int, expression: str) -> Variable:
        """Return an expression's value as an expandable variable. Raises as ``load``."""
        address = ValueAddress(frame_id, f"({expression})", (), expression, f"({expression})")
        return await self._load(address, address)

    async def load(self, variable: Variable, *, here: bool = False) -> Variable:
        """Compute a property, or a value that is slow to show, without a time limit.

        It is done in a thread of its own, or ``here``, in the stopped one. Raises EvaluationFailed
        if it raised or takes too long, which is displayed for it until the program is resumed; and
        as ``children``.
        """
        address = self._handles.address(variable.handle)
        here = here or variable.problem is ValueProblem.RAISED
        try:
            loaded = await self._load(address, address, here=here)
        except EvaluationFailed as error:
            failed = {"value": f"<{error}>", "problem": ValueProblem.RAISED}
            self._worked_out[_place(address)] = msgspec.structs.replace(variable, **failed)
            raise
        self._worked_out[_place(address)] = loaded
        return loaded

    async def _load(
        self, asked: ValueAddress, address: ValueAddress, *, here: bool = False
    ) -> Variable:
        row = await self.demand(
            "load", _ValueRow, asked, expression=asked.expression, kind=asked.kind, here=here
        )
        row.name, row.expression = asked.name, asked.expression
        return self._variable(row, address)

    async def demand(
        self, function: str, into: type[T], address: ValueAddress, **arguments: Any
    ) -> T:
        """Query ``debuggee/values/values_demand.py``, without a time limit.

        Raises EvaluationFailed with the error, and as ``children``.
        """
        self._session.pushed_details.forget_values()  # it may be set, or run code of the program
        await self._session.inside.load(*MODULES)
        if function == "load":
            arguments["stop"] = self._session.stop_id
        ask = self._session.inside.ask
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
                self._session.spawn(self._cancel(address.frame_id, ticket))
                raise
        if "error" in answer:
            raise EvaluationFailed(str(answer["error"]))
        return msgspec.convert(answer.get("answer"), type=into)

    async def _cancel(self, frame_id: int, ticket: int) -> None:
        """Cancel a query whose caller is gone."""
        try:
            ask = self._session.inside.ask
            await ask("values_demand", "cancel", type(None), frame_id=frame_id, ticket=ticket)
        except DebuggerError:
            pass  # the program was resumed, and forgets it by itself

    # Cached values of this stop

    def forget_worked_out(self) -> None:
        """Drop the values computed at this stop, which may have changed."""
        self._worked_out.clear()

    @property
    def _worked_out(self) -> dict[tuple[Any, ...], Variable]:
        if self._stop != self._session.stop_id:
            self._stop = self._session.stop_id
            self._worked_out_here.clear()
        return self._worked_out_here

    async def _ask(self, function: str, into: type[T], frame_id: int, **arguments: Any) -> T:
        displays = {name: [str(d.how), d.expression] for name, d in self.displays.items()}
        await self._session.inside.load(*MODULES)
        return await self._session.inside.ask(
            "values",
            function,
            into,
            frame_id=frame_id,
            stop=self._session.stop_id,
            **({"displays": displays} if displays else {}),
            **arguments,
        )


def _unfetched_scope(name: str) -> VariableNode:
    return VariableNode(Variable(name=name, value="", reference=1), is_scope=True)


def _place(address: ValueAddress) -> tuple[Any, ...]:
    return address.frame_id, address.scope, address.steps
