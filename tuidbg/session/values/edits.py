"""Setting values of the program, and taking that back.

An adapter's word is not trusted: debugpy answers success to a value that could not be set. Inside
the program the expression is evaluated and stored by tuidbg itself, and what is there then is what
is told. The old value is kept in the program until it goes on.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from tuidbg.session.errors import EvaluationFailed
from tuidbg.session.state import Value, Variable
from tuidbg.session.values.source import ValueSource
from tuidbg.session.values.types import Address


class Change(Value, frozen=True):
    """A value that was set: the variable before and after. It can be undone at the same stop."""

    before: Variable
    after: Variable


class _Done(msgspec.Struct):
    change: Change
    address: Address
    ticket: int
    stop_id: int


class Stores(Protocol):
    """Who sets the values."""

    @property
    def source(self) -> ValueSource:
        """The way in which this adapter is asked."""

    @property
    def stop_id(self) -> int:
        """The stop that handles are of."""

    def address(self, handle: int) -> Address:
        """Returns where the variable of that handle is. Raises VariableNotFound."""


class Changes:
    """The values that were set at this stop."""

    def __init__(self, values: Stores) -> None:
        self._values = values
        self._done: list[_Done] = []
        self._tickets = 0

    @property
    def last(self) -> Change | None:
        """The one that ``undo`` would take back."""
        self._forget_old()
        return self._done[-1].change if self._done else None

    async def set(self, variable: Variable, expression: str) -> Change:
        """Set it to what an expression gives, evaluated in its frame.

        Raises EvaluationFailed with what Python said, and then nothing was changed;
        UnsupportedByAdapter, AdapterFailed, StaleReply, InvalidSessionState.
        """
        if not expression.strip():
            raise EvaluationFailed("an expression, please")
        self._forget_old()
        address = self._values.address(variable.handle)
        self._tickets += 1
        stop_id = self._values.stop_id
        after = await self._values.source.store(address, variable, expression, self._tickets)
        change = Change(variable, after)
        self._done.append(_Done(change, address, self._tickets, stop_id))
        return change

    async def undo(self) -> Change | None:
        """Bring the last old value back; None where nothing was set at this stop."""
        self._forget_old()
        if not self._done:
            return None
        done = self._done[-1]
        before, now = done.change.before, done.change.after
        after = await self._values.source.restore(done.address, before, now, done.ticket)
        self._done.remove(done)
        return Change(now, after)

    def _forget_old(self) -> None:
        self._done = [d for d in self._done if d.stop_id == self._values.stop_id]
