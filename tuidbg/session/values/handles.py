"""Where the variables are that were given out at this stop: each is named by a handle."""

from __future__ import annotations

from tuidbg.session.core import Program
from tuidbg.session.errors import VariableNotFound
from tuidbg.session.values.types import FIRST_HANDLE, Address


class Handles:
    """The addresses of one session's variables, for as long as its program stands still."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._addresses: dict[int, Address] = {}
        self._next = FIRST_HANDLE
        self._stop = 0

    def address(self, handle: int) -> Address:
        """Where the variable of that handle is. Raises VariableNotFound: it is of another stop."""
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
