"""Setting values of the program, and taking that back.

An adapter's word is not trusted: debugpy answers success to a value that could not be set. Inside
the program the expression is evaluated and stored by tuidbg itself, and what is there then is what
is told. The old value is kept in the program until it goes on.
"""

from __future__ import annotations

import re
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.adapters.errors import AdapterError, RequestFailed
from tuidbg.dap.types import SetVariableBody
from tuidbg.session.errors import AdapterFailed, EvaluationFailed, UnsupportedByAdapter
from tuidbg.session.state import Value, Variable

if TYPE_CHECKING:
    from tuidbg.session.values.types import Address
    from tuidbg.session.values.variables import Values


_POINTER = re.compile(r"0x[0-9a-fA-F]+")
"""What is a pointer in LLDB's text of one; what it points to may stand behind."""


class Change(Value, frozen=True):
    """A value that was set: the variable before and after. It can be undone at the same stop."""

    before: Variable
    after: Variable


class _Done(msgspec.Struct):
    change: Change
    address: Address
    ticket: int
    stop_id: int


class Changes:
    """What was set at this stop."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._done: list[_Done] = []
        self._tickets = 0

    @property
    def last(self) -> Change | None:
        """What ``undo`` would take back."""
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
        after = await self._store(address, variable, expression, self._tickets)
        change = Change(variable, after)
        self._done.append(_Done(change, address, self._tickets, stop_id))
        return change

    async def undo(self) -> Change | None:
        """Bring the last old value back; None where nothing was set at this stop."""
        self._forget_old()
        if not self._done:
            return None
        done = self._done[-1]
        after = await self._restore(done)
        self._done.remove(done)
        return Change(done.change.after, after)

    def _forget_old(self) -> None:
        self._done = [d for d in self._done if d.stop_id == self._values.stop_id]

    def _store(
        self, address: Address, variable: Variable, expression: str, ticket: int
    ) -> Coroutine[Any, Any, Variable]:
        if self._values.is_inside:
            return self._values.change(
                "assign",
                address,
                expression=address.expression,
                text=expression,
                ticket=ticket,
                kind=address.kind,
            )
        return self._set_by_dap(address, variable, expression)

    def _restore(self, done: _Done) -> Coroutine[Any, Any, Variable]:
        if self._values.is_inside:
            return self._values.change(
                "undo",
                done.address,
                expression=done.address.expression,
                ticket=done.ticket,
                kind=done.address.kind,
            )
        before = done.change.before
        text = before.value
        if before.type.endswith("*") and (pointer := _POINTER.match(text)):
            text = f"({before.type}){pointer[0]}"
        return self._set_by_dap(done.address, done.change.after, text)

    async def _set_by_dap(self, address: Address, variable: Variable, text: str) -> Variable:
        """An assignment where the language has them and the adapter too, else ``setVariable``.

        The value is read again, as an answer may not be true. LLDB's ``setVariable`` takes numbers
        only, and sets the wrong bits of a bit field.
        """
        session = self._values.session
        if session.profile.values.assigns and address.expression[:1] not in ("", "$"):
            await session.inspection.evaluate(
                f"{address.expression} = ({text})",
                address.frame_id or None,
                session.profile.values.any_expression,
            )
            return await self._read_again(address, variable)
        if not session.capabilities.supports_set_variable:
            raise UnsupportedByAdapter("this debug adapter can't set variables")
        arguments = {
            "variablesReference": address.container,
            "name": address.name,
            "value": text,
        }
        try:
            answer = await session.request("setVariable", arguments, into=SetVariableBody)
        except RequestFailed as error:
            why = session.profile.values.explain_failure(error.reason)
            raise EvaluationFailed(why) from error
        except AdapterError as error:
            raise AdapterFailed(str(error)) from error
        if session.profile.values.stay_as_told:
            kind, inner = answer.type or variable.type, answer.variables_reference
            return msgspec.structs.replace(variable, value=answer.value, type=kind, reference=inner)
        found = await self._read_again(address, variable)
        if found.value == variable.value and text.strip() != variable.value:
            raise EvaluationFailed(f"the value was not taken: it is {found.value} still")
        if not session.profile.values.shows_set_registers and address.expression.startswith("$"):
            await session.registers.settle(address.frame_id or None)
        return found

    async def _read_again(self, address: Address, variable: Variable) -> Variable:
        """Beside the others, or by its expression where it is not among the first of them."""
        session = self._values.session
        inspection = session.inspection
        children = await inspection.variables(address.container) if address.container else ()
        found = next((child for child in children if child.name == address.name), None)
        if found is not None:
            again = msgspec.structs.replace(
                variable, value=found.value, type=found.type, reference=found.reference
            )
        elif address.expression:  # one of a million
            context, frame_id = session.profile.values.any_expression, address.frame_id or None
            told = await inspection.evaluate(address.expression, frame_id, context)
            again = msgspec.structs.replace(variable, value=told.value, reference=told.reference)
        else:
            raise AdapterFailed(f"{address.name} is not there any more")
        return again
