"""Watches: expressions that a person wants to see at every stop.

One list for all front ends. Whoever shows a stop asks for the values (``evaluate``): in one
question where the adapter can be asked inside the program, else in one a watch. What an expression
does besides giving a value, it does each time: that is the risk of whoever writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from tuidbg.adapters.languages import Language
from tuidbg.session.breakpoints.predicates import check_condition
from tuidbg.session.errors import (
    DebuggerError,
    InvalidCondition,
    InvalidSessionState,
    InvalidSetting,
)
from tuidbg.session.events import WatchesChanged
from tuidbg.session.state import Watch
from tuidbg.session.values.types import Wanted
from tuidbg.session.values.variables import ShowsValues
from tuidbg.session.values.watch_values import (
    WatchesByDap,
    WatchesInside,
    WatchResult,
    values_of_past,
)


class WatchNotFound(DebuggerError):
    """There is no watch of that number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"there is no watch {number}")


class Watches:
    """The watches of one session."""

    def __init__(self, session: ShowsValues) -> None:
        self._session = session
        self._watches: dict[int, Watch] = {}
        self._next = 1
        self._stop = 0
        self._frame = 0
        self.removed = ""
        """Holds the expression of the watch that was taken away last, to have it back."""
        self._before: dict[str, str] = {}
        self._now: dict[str, str] = {}

    def __iter__(self) -> Iterator[Watch]:
        return iter(tuple(self._watches.values()))

    def __len__(self) -> int:
        return len(self._watches)

    def get(self, number: int) -> Watch:
        """The watch of that number. Raises WatchNotFound."""
        try:
            return self._watches[number]
        except KeyError:
            raise WatchNotFound(number) from None

    def find(self, expression: str) -> Watch | None:
        """The watch of that expression."""
        wanted = expression.strip()
        return next((w for w in self._watches.values() if w.expression == wanted), None)

    # The list

    def add(self, expression: str, *, pinned: bool = False, origin: str) -> Watch:
        """Watch an expression; one that is watched already is not added again.

        ``pinned``: a variable's, which says nothing in frames where there is none of that name.
        Raises InvalidSetting.
        """
        expression = self._checked(expression)
        if (known := self.find(expression)) is not None:
            return known
        watch = Watch(number=self._next, expression=expression, pinned=pinned)
        self._next += 1
        self._watches[watch.number] = watch
        self._publish(origin)
        return watch

    def adopt(self, watches: Iterable[tuple[str, bool]]) -> None:
        """Put those of another run into the list: pairs of expression and ``pinned``."""
        new = [(e, pinned) for e, pinned in watches if e.strip() and self.find(e) is None]
        for expression, pinned in new:
            watch = Watch(number=self._next, expression=expression.strip(), pinned=pinned)
            self._next += 1
            self._watches[watch.number] = watch
        if new:
            self._publish("saved")

    def update(self, number: int, expression: str, *, origin: str) -> Watch:
        """Give a watch another expression; where that is watched already, only that one stays.

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
        """Watch it no longer. Raises WatchNotFound."""
        self.removed = self.get(number).expression
        del self._watches[number]
        self._publish(origin)

    def _checked(self, expression: str) -> str:
        if problem := check_expression(expression, self._session.profile.language):
            raise InvalidSetting("expression", problem)
        return expression.strip()

    def _publish(self, origin: str) -> None:
        self._session.publish(WatchesChanged(watches=tuple(self._watches.values())), origin)

    # Their values

    async def evaluate(
        self,
        frame_id: int | None = None,
        *,
        wanted: Mapping[str, Wanted] | None = None,
        asked: int | None = None,
        compared: bool = True,
    ) -> tuple[WatchResult, ...]:
        """Evaluate all of them in a frame (the top one where left out), for this stop.

        ``wanted`` says of which expressions the children are wanted too. ``asked`` is the number of
        one that a person waits for: it is given more time. Errors of the expressions stand in their
        results. Who is not to set what a person compares with takes them not ``compared``. Raises
        StaleReply, AdapterFailed, InvalidSessionState.
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

    # What changed

    def _begin_stop(self, frame_id: int) -> None:
        if self._stop != self._session.stop_id:
            self._stop, self._frame = self._session.stop_id, frame_id
            self._before, self._now = self._now, {}

    def _compared(self, result: WatchResult, frame_id: int) -> WatchResult:
        """The same, marked where it changed; other frames of a stop are not compared."""
        variable = result.variable
        if frame_id != self._frame or variable is None:
            return result
        expression = result.watch.expression
        self._now[expression] = variable.value
        before = self._before.get(expression)
        changed = before is not None and before != variable.value
        return msgspec.structs.replace(result, changed=changed)


def check_expression(expression: str, language: Language) -> str:
    """Tells why that can't be watched; nothing where it can. For checks while typing."""
    if not expression.strip():
        return "type an expression"
    try:
        check_condition(expression, language)
    except InvalidCondition as error:
        return str(error)
    return ""
