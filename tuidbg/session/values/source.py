"""The two ways of asking for values have one face: inside the program, and by DAP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from tuidbg.session.state import Variable
from tuidbg.session.values.types import Address, Display, FullText, VariableNode, Wanted

Children = tuple[tuple[VariableNode, ...], int, int]
"""Some children, the position of the first, and how many there are."""


class ValueSource(Protocol):
    """One way to ask for the values of a stopped program."""

    @property
    def can_be_displayed(self) -> bool:
        """True where a person chooses how a value is displayed."""

    @property
    def can_be_hexadecimal(self) -> bool:
        """True where the adapter can show numbers in hexadecimal, all of them."""

    async def look(
        self,
        frame_id: int,
        wanted: Mapping[str, Wanted],
        note: Callable[[tuple[VariableNode, ...]], None] | None,
    ) -> tuple[VariableNode, ...]:
        """The scopes of a frame with what is wanted of them; ``note`` is told of more and more."""

    async def children(self, reference: int, wanted: Wanted) -> Children:
        """Some children of a scope or a variable."""

    def check(self, reference: int) -> None:
        """Raises VariableNotFound unless this reference was given out at this stop."""

    def opened(self, reference: int, address: Address) -> int:
        """The reference by which something evaluated is opened; the adapter said ``reference``."""

    def set_display(self, variable: Variable, display: Display | None) -> None:
        """Display it so from now on. Raises UnsupportedByAdapter."""

    async def full(self, address: Address, variable: Variable, how: str, limit: int) -> FullText:
        """The whole text of a value."""

    async def store(
        self, address: Address, variable: Variable, expression: str, ticket: int
    ) -> Variable:
        """Set it to what an expression gives; the variable as it is then."""

    async def restore(
        self, address: Address, before: Variable, after: Variable, ticket: int
    ) -> Variable:
        """Take back what was stored by that ticket; the variable as it is then."""
