"""The values of watches at a stop: by one question inside the program, or by DAP, one a watch."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from tuidbg.session.errors import AdapterFailed, EvaluationFailed
from tuidbg.session.state import Value, Variable, Watch
from tuidbg.session.values.inside import MODULES
from tuidbg.session.values.types import Address, VariableNode, Wanted
from tuidbg.session.values.variables import ShowsValues


class WatchResult(Value, frozen=True):
    """The outcome of a watch at a stop.

    ``node`` has the value, with its children where they were wanted; None where there is an
    ``error`` instead. ``is_unknown``: a name of it does not exist in that frame. ``is_slow``: it
    took too long and is not evaluated any more unless asked for. ``changed``: at the stop before,
    in the frame that was looked at first, it gave something else.
    """

    watch: Watch
    node: VariableNode | None = None
    error: str = ""
    is_unknown: bool = False
    is_slow: bool = False
    changed: bool = False

    @property
    def variable(self) -> Variable | None:
        """The value, as a variable that can be expanded; None where there is an error."""
        return self.node.variable if self.node is not None else None


class _Outcome(msgspec.Struct):
    row: list[Any] | None
    reference: int
    error: str
    is_slow: bool
    is_unknown: bool


class WatchesInside:
    """Asks for all of them at once, inside the program."""

    def __init__(self, session: ShowsValues) -> None:
        self._session = session

    async def evaluate(
        self,
        frame_id: int,
        watches: Sequence[Watch],
        wanted: Mapping[str, Wanted],
        asked: Watch | None,
    ) -> list[WatchResult]:
        """The results in the order of the watches; ``asked`` is given more time than others."""
        inside = self._session.inside
        await inside.load(*MODULES)
        outcomes = await inside.ask(
            "watches",
            "evaluate",
            list[_Outcome],
            frame_id=frame_id,
            stop=self._session.stop_id,
            expressions=[watch.expression for watch in watches],
            **({"wanted": {e: w.as_question() for e, w in wanted.items()}} if wanted else {}),
            **({"asked": asked.expression} if asked is not None else {}),
        )
        if len(outcomes) != len(watches):
            raise AdapterFailed("the program's answer makes no sense: a watch is missing")
        return [
            self._result(frame_id, watch, outcome)
            for watch, outcome in zip(watches, outcomes, strict=True)
        ]

    def _result(self, frame_id: int, watch: Watch, outcome: _Outcome) -> WatchResult:
        node = None
        if outcome.row is not None:
            value = self._expression_of(outcome.reference, watch)
            expression = f"({watch.expression})"
            address = Address(frame_id, value, (), watch.expression, expression)
            node = self._session.values.root_node(outcome.row, address)
        return WatchResult(
            watch=watch,
            node=node,
            error=outcome.error,
            is_slow=outcome.is_slow,
            is_unknown=outcome.is_unknown,
        )

    def _expression_of(self, reference: int, watch: Watch) -> str:
        """An expression for the value itself, without evaluating the watch once more."""
        inside = self._session.profile.inside
        if inside is None or not reference:
            return f"({watch.expression})"
        return inside.expression("watches", "held", (reference,))


def values_of_past(
    session: ShowsValues, frame_id: int, watches: Sequence[Watch]
) -> Iterator[WatchResult]:
    """Their values in a recorded frame, as far as they can be told of what was recorded."""
    for watch in watches:
        try:
            variable = session.values.past.evaluate(frame_id, watch.expression)
        except EvaluationFailed as error:
            yield WatchResult(watch=watch, error=str(error))
        else:
            yield WatchResult(watch=watch, node=VariableNode(variable))


class WatchesByDap:
    """Asks for each of them by an ``evaluate`` of its own, all at the same time."""

    def __init__(self, session: ShowsValues) -> None:
        self._session = session

    async def evaluate(
        self,
        frame_id: int,
        watches: Sequence[Watch],
        wanted: Mapping[str, Wanted],
        asked: Watch | None,
    ) -> list[WatchResult]:
        """The results in the order of the watches."""
        asking = (self._evaluate(frame_id, watch, wanted) for watch in watches)
        return await asyncio.gather(*asking)

    async def _evaluate(
        self, frame_id: int, watch: Watch, wanted: Mapping[str, Wanted]
    ) -> WatchResult:
        try:
            context = self._session.profile.values.any_expression
            found = await self._session.inspection.evaluate(watch.expression, frame_id, context)
        except EvaluationFailed as error:
            # Adapters don't say why: a variable that can't be read is taken for not there.
            return WatchResult(watch=watch, error=str(error), is_unknown=watch.pinned)
        expression = watch.expression
        address = Address(frame_id, "", (), expression, expression)
        variable = Variable(
            name=expression,
            value=found.value,
            type=found.type,
            reference=found.reference,
            evaluate_name=expression,
            handle=self._session.values.remember(address),
        )
        want = wanted.get(watch.expression)
        if want is None or not found.reference:
            return WatchResult(watch=watch, node=VariableNode(variable))
        children, start, total = await self._session.values.children(found.reference, want)
        node = VariableNode(variable, children, start=start, total=total)
        return WatchResult(watch=watch, node=node)
