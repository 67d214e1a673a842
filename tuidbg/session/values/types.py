"""The numbers that name values at a stop: the adapter's references, and handles of our own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

import msgspec

from tuidbg.dap import types as dap
from tuidbg.session.core import Program
from tuidbg.session.errors import VariableNotFound
from tuidbg.session.state import Value, Variable

PAGE = 100
"""Children of one page, where no other number is asked for."""


FIRST_HANDLE = 1_000_000_000
"""Handles begin here; adapters' references are below (``Inspection`` sees to that)."""


class Wanted(Value, frozen=True):
    """Says which children are wanted: ``count`` from ``start`` on, and what of those below them."""

    start: int = 0
    count: int = PAGE
    children: dict[str, Wanted] = {}

    def as_question(self) -> dict[str, Any]:
        """As ``inside/values.py`` takes it."""
        below = {name: wanted.as_question() for name, wanted in self.children.items()}
        return {"s": self.start, "n": self.count, **({"c": below} if below else {})}


class VariableNode(Value, frozen=True):
    """A scope or a variable, with its children where they were fetched.

    Of ``total`` children, ``children`` are those from ``start`` on.
    """

    variable: Variable
    children: tuple[VariableNode, ...] | None = None
    is_scope: bool = False
    start: int = 0
    total: int = 0


class FullText(Value, frozen=True):
    """A value as text. ``total`` is its whole length: ``text`` is only its beginning where less.

    ``kind`` is ``str``, ``bytes``, ``bytearray``, or nothing for what is none of these. As bytes,
    ``text`` has two hexadecimal digits for each.
    """

    text: str
    total: int
    kind: str = ""


class How(StrEnum):
    """Tells how a value is displayed."""

    REPR = "repr"
    STR = "str"
    TYPE = "type"
    LEN = "len"
    EXPRESSION = "expression"


class Display(Value, frozen=True):
    """Tells how one variable is displayed; ``expression`` has ``it`` for the value."""

    how: How
    expression: str = ""

    @classmethod
    def read(cls, text: str) -> Display:
        """Of what a person typed: a word of ``How``, or an expression with ``it`` or ``{}``."""
        text = text.strip()
        if text in (How.REPR, How.STR, How.TYPE, How.LEN):
            return cls(How(text))
        return cls(How.EXPRESSION, text.replace("{}", "it"))

    def __str__(self) -> str:
        return self.expression if self.how is How.EXPRESSION else str(self.how)


class Address(msgspec.Struct, frozen=True):
    """Tells where a value is: in a frame, a scope (or an expression), so many steps from there.

    For other adapters ``container`` is the reference that has it as a child.
    """

    frame_id: int
    scope: str
    steps: tuple[tuple[str, int | str], ...]
    name: str
    expression: str
    container: int = 0
    kind: str = ""

    def question(self) -> dict[str, Any]:
        """The arguments that name it inside the program."""
        return {"scope": self.scope, "steps": [list(step) for step in self.steps]}


def twin_name(name: str, times: int) -> str:
    """A name that tells the second of two children of one name from the first."""
    return name if times == 1 else f"{name}\0{times}"


class JsonText(Value, frozen=True):
    """A value as JSON; what JSON does not know stands in it as text."""

    text: str
    total: int
    is_whole: bool = True


class Found(Value, frozen=True):
    """Tells where a text is in a container: positions and names.

    ``seen`` of ``total`` children were looked at: not all where there were too many matches.
    """

    found: tuple[tuple[int, str], ...] = ()
    seen: int = 0
    total: int = 0


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
