"""The numbers that identify values at a stop: the adapter's references, and handles of our own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from tuidbg.dap import types as dap
from tuidbg.session.model.errors import VariableNotFound
from tuidbg.session.model.state import StateValue, Variable

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


PAGE = 100
"""Default number of children of one page."""


FIRST_HANDLE = 1_000_000_000
"""The first handle; adapters' references are below (ensured by ``Inspection``)."""


class ChildrenRequest(StateValue, frozen=True):
    """A request for children: ``count`` from ``start`` on, and the part of their own children."""

    start: int = 0
    count: int = PAGE
    children: dict[str, ChildrenRequest] = {}

    def as_question(self) -> dict[str, Any]:
        """Return it in the form of ``debuggee/values/values.py``."""
        below = {name: wanted.as_question() for name, wanted in self.children.items()}
        return {"s": self.start, "n": self.count, **({"c": below} if below else {})}


class VariableNode(StateValue, frozen=True):
    """A scope or a variable, with its children if they were fetched.

    Of ``total`` children, ``children`` are those from ``start`` on.
    """

    variable: Variable
    children: tuple[VariableNode, ...] | None = None
    is_scope: bool = False
    start: int = 0
    total: int = 0


class FullText(StateValue, frozen=True):
    """A value as text. ``total`` is its whole length: ``text`` is only its beginning if shorter.

    ``kind`` is ``str``, ``bytes``, ``bytearray``, or empty for other types. For bytes, ``text`` has
    two hexadecimal digits for each.
    """

    text: str
    total: int
    kind: str = ""


class How(StrEnum):
    """The display formats of a value."""

    REPR = "repr"
    STR = "str"
    TYPE = "type"
    LEN = "len"
    EXPRESSION = "expression"


class DisplayFormat(StateValue, frozen=True):
    """The display format of one variable; ``expression`` has ``it`` for the value."""

    how: How
    expression: str = ""

    @classmethod
    def read(cls, text: str) -> DisplayFormat:
        """Parse typed text: a word of ``How``, or an expression with ``it`` or ``{}``."""
        text = text.strip()
        if text in (How.REPR, How.STR, How.TYPE, How.LEN):
            return cls(How(text))
        return cls(How.EXPRESSION, text.replace("{}", "it"))

    def __str__(self) -> str:
        return self.expression if self.how is How.EXPRESSION else str(self.how)


class ValueAddress(msgspec.Struct, frozen=True):
    """The location of a value: a frame, a scope (or an expression), and the steps from there.

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
        """Return the arguments that identify it inside the program."""
        return {"scope": self.scope, "steps": [list(step) for step in self.steps]}


def twin_name(name: str, times: int) -> str:
    """Return a name that distinguishes further children of the same name."""
    return name if times == 1 else f"{name}\0{times}"


class JsonText(StateValue, frozen=True):
    """A value as JSON; types unknown to JSON are converted to text."""

    text: str
    total: int
    is_whole: bool = True


class ChildMatches(StateValue, frozen=True):
    """The matches of a text in a container: positions and names.

    ``seen`` of ``total`` children were searched: not all if there were too many matches.
    """

    found: tuple[tuple[int, str], ...] = ()
    seen: int = 0
    total: int = 0


class ChildCounts(NamedTuple):
    """The numbers of children, by name and by index."""

    named: int
    indexed: int


class Owner(msgspec.Struct, frozen=True):
    """The owner of a reference's children: its expression, and its frame."""

    expression: str
    frame_id: int


class StopReferences:
    """The references issued at the current stop of a program."""

    def __init__(self, program: Session) -> None:
        self._program = program
        self._counts: dict[int, ChildCounts] = {}
        self._owners: dict[int, Owner] = {}
        self._stop = 0
        self._arguments: dict[int, int] = {}

    def note_variables(self, variables: Iterable[dap.DapVariable]) -> None:
        """Record the adapter's variables with their child counts."""
        self._begin_stop()
        for told in variables:
            if told.variables_reference:
                self._count(told.variables_reference, told.named_variables, told.indexed_variables)

    def note_result(self, result: dap.EvaluateBody, expression: str, frame_id: int) -> None:
        """Record an evaluated value that can be opened."""
        self._begin_stop()
        reference = result.variables_reference
        self._count(reference, result.named_variables, result.indexed_variables)
        self._owners[reference] = Owner(expression, frame_id)

    def note_owner(self, reference: int, expression: str, frame_id: int) -> None:
        """Record the expression of a reference."""
        self._begin_stop()
        self._owners[reference] = Owner(expression, frame_id)

    def note_arguments(self, arguments: int, local: int) -> None:
        """Record a frame's scope of arguments, if separate."""
        self._begin_stop()
        self._arguments[local] = arguments

    def arguments_of(self, local: int) -> int:
        """Return the scope of arguments that belongs to this one of locals; 0 if there is none."""
        self._begin_stop()
        return self._arguments.get(local, 0)

    def has_given(self, reference: int) -> bool:
        """True if this reference was issued at this stop."""
        self._begin_stop()
        return reference in self._owners

    def owner(self, reference: int) -> Owner:
        """Return the owner of its children; an empty one if unknown."""
        self._begin_stop()
        return self._owners.get(reference, Owner("", 0))

    def counts(self, reference: int) -> ChildCounts | None:
        """Return the number of its children; None if the adapter has not counted them."""
        self._begin_stop()
        return self._counts.get(reference)

    def _count(self, reference: int, named: int | None, indexed: int | None) -> None:
        if named or indexed:
            self._counts[reference] = ChildCounts(named or 0, indexed or 0)
        else:
            self._counts.pop(reference, None)

    def _begin_stop(self) -> None:
        if self._stop != self._program.stop_id:
            self._stop = self._program.stop_id
            self._counts.clear()
            self._owners.clear()
            self._arguments.clear()


class Handles:
    """The addresses of one session's variables, while its program is stopped."""

    def __init__(self, program: Session) -> None:
        self._program = program
        self._addresses: dict[int, ValueAddress] = {}
        self._next = FIRST_HANDLE
        self._stop = 0

    def address(self, handle: int) -> ValueAddress:
        """Return that handle's address. Raises VariableNotFound: it is of another stop."""
        self._begin_stop()
        try:
            return self._addresses[handle]
        except KeyError:
            raise VariableNotFound(handle) from None

    def remember(self, address: ValueAddress) -> int:
        """Return a unique handle for it."""
        self._begin_stop()
        handle, self._next = self._next, self._next + 1
        self._addresses[handle] = address
        return handle

    def _begin_stop(self) -> None:
        if self._stop != self._program.stop_id:
            self._stop = self._program.stop_id
            self._addresses.clear()


Children = tuple[tuple[VariableNode, ...], int, int]
"""Some children, the position of the first, and the total number."""


class ValueSource(Protocol):
    """One way to fetch the values of a stopped program."""

    @property
    def can_be_displayed(self) -> bool:
        """True if the user can choose the display format of a value."""

    @property
    def can_be_hexadecimal(self) -> bool:
        """True if the adapter can show numbers in hexadecimal, all of them."""

    async def look(
        self,
        frame_id: int,
        wanted: Mapping[str, ChildrenRequest],
        note: Callable[[tuple[VariableNode, ...]], None] | None,
    ) -> tuple[VariableNode, ...]:
        """Return a frame's scopes with the requested contents; ``note`` gets partial results."""

    async def children(self, reference: int, wanted: ChildrenRequest) -> Children:
        """Return some children of a scope or a variable."""

    def check(self, reference: int) -> None:
        """Raise VariableNotFound unless this reference was issued at this stop."""

    def opened(self, reference: int, address: ValueAddress) -> int:
        """Return the reference that opens an evaluated value; the adapter's is ``reference``."""

    def set_display(self, variable: Variable, display: DisplayFormat | None) -> None:
        """Set its display format. Raises UnsupportedByAdapter."""

    async def full(
        self, address: ValueAddress, variable: Variable, how: str, limit: int
    ) -> FullText:
        """Return the whole text of a value."""

    async def store(
        self, address: ValueAddress, variable: Variable, expression: str, ticket: int
    ) -> Variable:
        """Set it to an expression's value; return the new variable."""

    async def restore(
        self, address: ValueAddress, before: Variable, after: Variable, ticket: int
    ) -> Variable:
        """Undo the store of that ticket; return the new variable."""
