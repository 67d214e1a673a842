"""Pages of what is in a value by what programs ask for: all of it, what has a name, what an index.

Of most values all children are of one kind; where a list has attributes too, these come first.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from tuidbg.session.errors import EvaluationFailed, VariableNotFound
from tuidbg.session.state import Value, Variable
from tuidbg.session.value_types import FIRST_HANDLE, Wanted

if TYPE_CHECKING:
    from tuidbg.session.values import Values

MOST = 1_000
"""Children that are told at most where no number is asked for."""

_AT_THE_END = 2**40
_INDEXED_STEPS = ("i", "e", "d")
_INDEXED_TYPES = frozenset(
    {
        *("list", "tuple", "set", "frozenset", "range", "bytearray", "deque", "array"),
        *("collections.deque", "array.array", "ndarray", "numpy.ndarray", "Series"),
    }
)


class Part(StrEnum):
    """Which children."""

    ALL = ""
    NAMED = "named"
    INDEXED = "indexed"


class Children(Value, frozen=True):
    """Some children, and how many there are of all kinds."""

    variables: tuple[Variable, ...]
    total: int


async def read_part(
    values: Values, reference: int, part: Part, start: int = 0, count: int = MOST
) -> Children:
    """``count`` children from ``start`` on, of those of one part.

    Raises VariableNotFound, and as ``Values.children``.
    """
    if part is Part.ALL:
        return await _read(values, reference, start, count)
    first = await _read(values, reference, 0, count if part is Part.NAMED else 1)
    named = sum(not is_indexed(values, variable) for variable in first.variables)
    if part is Part.NAMED:
        found = [v for v in first.variables if not is_indexed(values, v)]
        if named == len(first.variables) and (start or named < first.total):
            return await _read(values, reference, start, count)
        return Children(variables=tuple(found[start : start + count]), total=first.total)
    if named and named == len(first.variables) == first.total:
        return Children(variables=(), total=first.total)
    page = await _read(values, reference, named + start, count)
    found = [v for v in page.variables if is_indexed(values, v)]
    return Children(variables=tuple(found), total=page.total)


async def count_children(values: Values, reference: int) -> int:
    """How many children there are. Raises as ``Values.children``."""
    _, _, total = await values.children(reference, Wanted(start=_AT_THE_END, count=1))
    return total


async def _read(values: Values, reference: int, start: int, count: int) -> Children:
    if reference >= FIRST_HANDLE:
        values.address(reference)  # raises where it is of another stop
    try:
        nodes, first, total = await values.children(reference, Wanted(start=start, count=count))
    except EvaluationFailed as error:
        raise VariableNotFound(reference) from error
    found = nodes[max(start - first, 0) :][:count] if start < total or not total else ()
    return Children(variables=tuple(node.variable for node in found), total=total)


def is_indexed(values: Values, variable: Variable) -> bool:
    """Whether a child is known by its place and not by a name."""
    steps = values.address(variable.handle).steps
    return steps[-1][0] in _INDEXED_STEPS if steps else variable.name.isdecimal()


def count_parts(variable: Variable) -> tuple[int, int]:
    """How many named and how many indexed children a variable has; 0 where nobody has counted."""
    is_list = variable.type.partition("[")[0] in _INDEXED_TYPES
    return (0, variable.total) if is_list else (variable.total, 0)
