"""The numbers that name values at a stop: the adapter's references, and handles of our own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from tuidbg.dap import types as dap
from tuidbg.session.core import Program
from tuidbg.session.errors import VariableNotFound
from tuidbg.session.values.types import FIRST_HANDLE, Address


class Counts(NamedTuple):
    """Tells how many children there are, by name and by index."""

    named: int
    indexed: int


class Owner(msgspec.Struct, frozen=True):
    """Tells whose children a reference has: the expression that gives it, in which frame."""

    expression: str
    frame_id: int


class References:
    """Those that were given out at the present stop of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._counts: dict[int, Counts] = {}
        self._owners: dict[int, Owner] = {}
        self._stop = 0
        self._arguments: dict[int, int] = {}

    def note_variables(self, variables: Iterable[dap.Variable]) -> None:
        """The adapter gave these: remember how much it counted in each."""
        self._begin_stop()
        for told in variables:
            if told.variables_reference:
                self._count(told.variables_reference, told.named_variables, told.indexed_variables)

    def note_result(self, result: dap.EvaluateBody, expression: str, frame_id: int) -> None:
        """The adapter has evaluated something that can be opened."""
        self._begin_stop()
        reference = result.variables_reference
        self._count(reference, result.named_variables, result.indexed_variables)
        self._owners[reference] = Owner(expression, frame_id)

    def note_owner(self, reference: int, expression: str, frame_id: int) -> None:
        """This expression gives what the reference has."""
        self._begin_stop()
        self._owners[reference] = Owner(expression, frame_id)

    def note_arguments(self, arguments: int, local: int) -> None:
        """Of one frame, where the arguments are a scope of their own."""
        self._begin_stop()
        self._arguments[local] = arguments

    def arguments_of(self, local: int) -> int:
        """The scope of arguments that goes with this one of locals; 0 where there is none."""
        self._begin_stop()
        return self._arguments.get(local, 0)

    def has_given(self, reference: int) -> bool:
        """True if this reference was given out at this stop."""
        self._begin_stop()
        return reference in self._owners

    def owner(self, reference: int) -> Owner:
        """Returns whose children it has; nobody's where that is not known."""
        self._begin_stop()
        return self._owners.get(reference, Owner("", 0))

    def counts(self, reference: int) -> Counts | None:
        """Returns how many children it has; None where the adapter has not counted them."""
        self._begin_stop()
        return self._counts.get(reference)

    def _count(self, reference: int, named: int | None, indexed: int | None) -> None:
        if named or indexed:
            self._counts[reference] = Counts(named or 0, indexed or 0)
        else:
            self._counts.pop(reference, None)

    def _begin_stop(self) -> None:
        if self._stop != self._program.stop_id:
            self._stop = self._program.stop_id
            self._counts.clear()
            self._owners.clear()
            self._arguments.clear()


class Handles:
    """The addresses of one session's variables, for as long as its program stands still."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._addresses: dict[int, Address] = {}
        self._next = FIRST_HANDLE
        self._stop = 0

    def address(self, handle: int) -> Address:
        """Tells where that handle's variable is. Raises VariableNotFound: it is of another stop."""
        self._begin_stop()
        try:
            return self._addresses[handle]
        except KeyError:
            raise VariableNotFound(handle) from None

    def remember(self, address: Address) -> int:
        """A handle for it; no other one has the same."""
        self._begin_stop()
        handle, self._next = self._next, self._next + 1
        self._addresses[handle] = address
        return handle

    def _begin_stop(self) -> None:
        if self._stop != self._program.stop_id:
            self._stop = self._program.stop_id
            self._addresses.clear()
