"""Watches: expressions displayed at every stop.

One list for all front ends. A front end that shows a stop requests the values (``evaluate``): in
one query if the adapter supports queries inside the program, else in one per watch. The side
effects of an expression happen each time: that is its author's risk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.adapters.languages import Language
from tuidbg.config.stores.shared_file import StoreError
from tuidbg.config.stores.watch_store import SavedWatch, WatchStore
from tuidbg.session.core.breakpoints.predicates import check_condition
from tuidbg.session.core.values.in_process import MODULES
from tuidbg.session.core.values.types import ChildrenRequest, ValueAddress, VariableNode
from tuidbg.session.model.errors import (
    AdapterFailed,
    DebuggerError,
    EvaluationFailed,
    InvalidCondition,
    InvalidSessionState,
    InvalidSetting,
)
from tuidbg.session.model.events import EventsLost, LogEntry, WatchesChanged
from tuidbg.session.model.state import StateValue, Variable, WatchExpression

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


class WatchResult(StateValue, frozen=True):
    """The result of a watch at a stop.

    ``node`` has the value, with its children if they were requested; None if there is an ``error``
    instead. ``is_unknown``: a name in it does not exist in that frame. ``is_slow``: it took too
    long and is not evaluated any more unless requested. ``changed``: at the previous stop, in the
    frame viewed first, it had another value.
    """

    watch: WatchExpression
    node: VariableNode | None = None
    error: str = ""
    is_unknown: bool = False
    is_slow: bool = False
    changed: bool = False

    @property
    def variable(self) -> Variable | None:
        """Return the value, as a variable that can be expanded; None for an error."""
        return self.node.variable if self.node is not None else None


class _Outcome(msgspec.Struct):
    row: list[Any] | None
    reference: int
    error: str
    is_slow: bool
    is_unknown: bool


class WatchesInside:
    """The evaluation of all watches in one query inside the program."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def evaluate(
        self,
        frame_id: int,
        watches: Sequence[WatchExpression],
        wanted: Mapping[str, ChildrenRequest],
        asked: WatchExpression | None,
    ) -> list[WatchResult]:
        """Return the results in the order of the watches; ``asked`` is given more time."""
        inside, pushed_details = self._session.inside, self._session.pushed_details
        expressions = [watch.expression for watch in watches]
        below = {e: w.as_question() for e, w in wanted.items()}
        outcomes = None
        if asked is None:
            outcomes = pushed_details.take_watches(frame_id, expressions, below, list[_Outcome])
        if outcomes is None:
            pushed_details.forget_values()
            await inside.load(*MODULES)
            outcomes = await inside.ask(
                "watches",
                "evaluate",
                list[_Outcome],
                frame_id=frame_id,
                stop=self._session.stop_id,
                expressions=expressions,
                **({"wanted": below} if below else {}),
                **({"asked": asked.expression} if asked is not None else {}),
            )
        if len(outcomes) != len(watches):
            raise AdapterFailed("unexpected reply from the debuggee: a watch is missing")
        return [
            self._result(frame_id, watch, outcome)
            for watch, outcome in zip(watches, outcomes, strict=True)
        ]

    def _result(self, frame_id: int, watch: WatchExpression, outcome: _Outcome) -> WatchResult:
        node = None
        if outcome.row is not None:
            value = self._expression_of(outcome.reference, watch)
            expression = f"({watch.expression})"
            address = ValueAddress(frame_id, value, (), watch.expression, expression)
            node = self._session.values.root_node(outcome.row, address)
        return WatchResult(
            watch=watch,
            node=node,
            error=outcome.error,
            is_slow=outcome.is_slow,
            is_unknown=outcome.is_unknown,
        )

    def _expression_of(self, reference: int, watch: WatchExpression) -> str:
        """Return an expression for the value itself, without evaluating the watch once more."""
        inside = self._session.profile.inside
        if inside is None or not reference:
            return f"({watch.expression})"
        return inside.expression("watches", "held", (reference,))


def values_of_past(
    session: Session, frame_id: int, watches: Sequence[WatchExpression]
) -> Iterator[WatchResult]:
    """Yield their values in a recorded frame, as far as they were recorded."""
    for watch in watches:
        try:
            variable = session.values.past.evaluate(frame_id, watch.expression)
        except EvaluationFailed as error:
            yield WatchResult(watch=watch, error=str(error))
        else:
            yield WatchResult(watch=watch, node=VariableNode(variable))


class WatchesByDap:
    """The evaluation of each watch by a separate ``evaluate`` request, all at the same time."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def evaluate(
        self,
        frame_id: int,
        watches: Sequence[WatchExpression],
        wanted: Mapping[str, ChildrenRequest],
        asked: WatchExpression | None,
    ) -> list[WatchResult]:
        """Return the results in the order of the watches."""
        asking = (self._evaluate(frame_id, watch, wanted) for watch in watches)
        return await asyncio.gather(*asking)

    async def _evaluate(
        self, frame_id: int, watch: WatchExpression, wanted: Mapping[str, ChildrenRequest]
    ) -> WatchResult:
        try:
            context = self._session.profile.values.any_expression
            found = await self._session.inspection.evaluate(watch.expression, frame_id, context)
        except EvaluationFailed as error:
            # Adapters give no reason: an unreadable variable counts as unknown.
            return WatchResult(watch=watch, error=str(error), is_unknown=watch.pinned)
        expression = watch.expression
        address = ValueAddress(frame_id, "", (), expression, expression)
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


class WatchNotFound(DebuggerError):
    def __init__(self, number: int) -> None:
        super().__init__(f"there is no watch {number}")


class Watches:
    """The watches of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._watches: dict[int, WatchExpression] = {}
        self._next = 1
        self._stop = 0
        self._frame = 0
        self.removed = ""
        """The expression of the last removed watch, to restore it."""
        self._before: dict[str, str] = {}
        self._now: dict[str, str] = {}

    def __iter__(self) -> Iterator[WatchExpression]:
        return iter(tuple(self._watches.values()))

    def __len__(self) -> int:
        return len(self._watches)

    def get(self, number: int) -> WatchExpression:
        """Return the watch of that number. Raises WatchNotFound."""
        try:
            return self._watches[number]
        except KeyError:
            raise WatchNotFound(number) from None

    def find(self, expression: str) -> WatchExpression | None:
        wanted = expression.strip()
        return next((w for w in self._watches.values() if w.expression == wanted), None)

    # List

    def add(self, expression: str, *, pinned: bool = False, origin: str) -> WatchExpression:
        """Watch an expression; one that is watched already is not added again.

        ``pinned``: a variable's, which is empty in frames without that name. Raises InvalidSetting.
        """
        expression = self._checked(expression)
        if (known := self.find(expression)) is not None:
            return known
        watch = WatchExpression(number=self._next, expression=expression, pinned=pinned)
        self._next += 1
        self._watches[watch.number] = watch
        self._publish(origin)
        return watch

    def adopt(self, watches: Iterable[tuple[str, bool]]) -> None:
        """Add those of another run to the list: pairs of expression and ``pinned``."""
        new = [(e, pinned) for e, pinned in watches if e.strip() and self.find(e) is None]
        for expression, pinned in new:
            watch = WatchExpression(number=self._next, expression=expression.strip(), pinned=pinned)
            self._next += 1
            self._watches[watch.number] = watch
        if new:
            self._publish("saved")

    def update(self, number: int, expression: str, *, origin: str) -> WatchExpression:
        """Change a watch's expression; if that is watched already, only that one stays.

        Raises WatchNotFound, InvalidSetting.
        """
        old, expression = self.get(number), self._checked(expression)
        if old.expression == expression:
            return old
        known = self.find(expression)
        if known is not None:
            del self._watches[number]
        else:
            known = msgspec.structs.replace(old, expression=expression, pinned=False)
            self._watches[number] = known
        self._publish(origin)
        return known

    def remove(self, number: int, *, origin: str) -> None:
        """Remove it. Raises WatchNotFound."""
        self.removed = self.get(number).expression
        del self._watches[number]
        self._publish(origin)

    def _checked(self, expression: str) -> str:
        if problem := check_expression(expression, self._session.profile.language):
            raise InvalidSetting("expression", problem)
        return expression.strip()

    def _publish(self, origin: str) -> None:
        self._session.publish(WatchesChanged(watches=tuple(self._watches.values())), origin)

    # Values

    async def evaluate(
        self,
        frame_id: int | None = None,
        *,
        wanted: Mapping[str, ChildrenRequest] | None = None,
        asked: int | None = None,
        compared: bool = True,
    ) -> tuple[WatchResult, ...]:
        """Evaluate all of them in a frame (by default the top one), for this stop.

        ``wanted`` are the expressions whose children are requested too. ``asked`` is the number of
        one that the user waits for: it is given more time. Errors of the expressions are in their
        results. Callers that must not affect the user's comparison set ``compared`` to False.
        Raises StaleReply, AdapterFailed, InvalidSessionState.
        """
        session = self._session
        if frame_id is None:
            if not session.frames:
                raise InvalidSessionState("evaluate", session.status)
            frame_id = session.frames[0].id
        watches = tuple(self._watches.values())
        if not watches:
            return ()
        if compared:
            self._begin_stop(frame_id)
        if frame_id < 0:
            return tuple(values_of_past(session, frame_id, watches))
        way = WatchesInside if session.inside.is_possible else WatchesByDap
        results = await way(session).evaluate(
            frame_id, watches, wanted or {}, self._watches.get(asked) if asked is not None else None
        )
        if not compared:
            return tuple(results)
        return tuple(self._compared(result, frame_id) for result in results)

    # Changes

    def _begin_stop(self, frame_id: int) -> None:
        if self._stop != self._session.stop_id:
            self._stop, self._frame = self._session.stop_id, frame_id
            self._before, self._now = self._now, {}

    def _compared(self, result: WatchResult, frame_id: int) -> WatchResult:
        """Return the result, marked if it changed; other frames of a stop are not compared."""
        variable = result.variable
        if frame_id != self._frame or variable is None:
            return result
        expression = result.watch.expression
        self._now[expression] = variable.value
        before = self._before.get(expression)
        changed = before is not None and before != variable.value
        return msgspec.structs.replace(result, changed=changed)


def check_expression(expression: str, language: Language) -> str:
    """Return why that can't be watched; empty if it can. For checks while typing."""
    if not expression.strip():
        return "type an expression"
    try:
        check_condition(expression, language)
    except InvalidCondition as error:
        return str(error)
    return ""


class KeptWatches:
    """The storage of a session's watches in its project."""

    def __init__(self, session: Session, store: WatchStore) -> None:
        self._session = session
        self._store = store
        self._problem = ""
        self._seen = 0
        self._saving: asyncio.Task[None] | None = None
        self._follower: asyncio.Task[None] | None = None

    async def restore(self) -> None:
        """Put the saved ones into the session, and save its changes from now on."""
        self._seen = self._session.events.last_seq
        found, problem = await asyncio.to_thread(self._store.load)
        if problem:
            self._session.notify(problem, "warning")
        if found:
            self._session.watches.adopt((watch.expression, watch.pinned) for watch in found)
        self._follower = asyncio.create_task(self._follow())

    async def close(self) -> str:
        """Save the remaining changes and stop saving; return a sentence if that failed."""
        if self._follower is None:
            return ""
        self._follower.cancel()
        await asyncio.wait({self._follower, *({self._saving} if self._saving else ())})
        self._follower = None
        if self._problem or any(map(_tells, self._session.events.since(self._seen))):
            await self._save(is_last=True)
        return self._problem

    async def _follow(self) -> None:
        async for entry in self._session.events.follow(self._seen):
            if _tells(entry):
                self._saving = asyncio.create_task(self._save())
                await asyncio.shield(self._saving)
            self._seen = entry.seq

    async def _save(self, *, is_last: bool = False) -> None:
        saved = [SavedWatch(w.expression, w.pinned) for w in self._session.watches]
        try:
            problem = await asyncio.to_thread(self._store.save, saved)
        except StoreError as error:
            problem = str(error)
        if problem and problem != self._problem and not is_last:
            self._session.notify(problem, "warning")
        self._problem = problem


def _tells(entry: LogEntry) -> bool:
    """True if the watches may have changed."""
    return isinstance(entry.event, WatchesChanged | EventsLost)
