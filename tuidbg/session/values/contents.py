"""All of one value: its whole text, as JSON, and what is found in it, however large it is.

Each has a limit and tells where that was reached.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from tuidbg.session.errors import EvaluationFailed
from tuidbg.session.past.frames import PastValues
from tuidbg.session.state import Variable
from tuidbg.session.values.source import ValueSource
from tuidbg.session.values.types import Address, Found, FullText, JsonText

T = TypeVar("T")

TEXT_LIMIT = 1_000_000
"""Characters (or bytes) of a value that are fetched for reading or copying."""

MATCHES = 200
"""Matches that are told of one search."""


class Answers(Protocol):
    """Who answers these questions."""

    @property
    def past(self) -> PastValues:
        """The values of what was recorded."""

    @property
    def source(self) -> ValueSource:
        """The way in which this adapter is asked."""

    def address(self, handle: int) -> Address:
        """Returns where the variable of that handle is. Raises VariableNotFound."""

    async def demand(self, function: str, into: type[T], address: Address, **arguments: Any) -> T:
        """Ask ``inside/values_demand.py``. Raises UnsupportedByAdapter, EvaluationFailed."""


class Contents:
    """Questions about one variable. All raise EvaluationFailed, StaleReply, AdapterFailed."""

    def __init__(self, values: Answers) -> None:
        self._values = values

    async def full(self, variable: Variable, how: str = "", limit: int = TEXT_LIMIT) -> FullText:
        """Its text: of a ``str`` itself and else the ``repr``; or ``repr``, ``str``, ``bytes``."""
        values = self._values
        source = values.past if values.past.has(variable.handle) else values.source
        return await source.full(values.address(variable.handle), variable, how, limit)

    async def as_json(self, variable: Variable, limit: int = TEXT_LIMIT) -> JsonText:
        """It as JSON. Raises UnsupportedByAdapter too."""
        values = self._values
        if values.past.has(variable.handle):
            return values.past.as_json(variable, limit)
        address = values.address(variable.handle)
        return await values.demand("as_json", JsonText, address, limit=limit)

    async def find(self, variable: Variable, text: str) -> Found:
        """Returns where the text is in the names and values of all of its children.

        Capitals in ``text`` make its case count. Raises UnsupportedByAdapter too.
        """
        if self._values.past.has(variable.handle):
            return self._values.past.find(variable, text, MATCHES)
        address = self._values.address(variable.handle)
        ignore_case = text == text.lower()
        return await self._values.demand(
            "find", Found, address, text=text, limit=MATCHES, ignore_case=ignore_case
        )

    async def position(self, variable: Variable, key: str) -> tuple[int, str]:
        """The child with that index, key (an expression, or its text) or name: position and name.

        Raises EvaluationFailed where there is none, and UnsupportedByAdapter.
        """
        if self._values.past.has(variable.handle):
            return self._values.past.position(variable, key)
        address = self._values.address(variable.handle)
        found = await self._values.demand("position", list[Any], address, key=key)
        if not found:
            raise EvaluationFailed(f"there is no {key} in {variable.name}")
        return int(found[0]), str(found[1])
