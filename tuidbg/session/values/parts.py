"""Pages of what is in a value by what programs ask for: all of it, what has a name, what an index.

Of most values all children are of one kind; where a list has attributes too, these come first.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from tuidbg.adapters.errors import RequestFailed
from tuidbg.session.errors import AdapterFailed, VariableNotFound
from tuidbg.session.state import Value, Variable
from tuidbg.session.values.types import FIRST_HANDLE, VariableNode, Wanted
from tuidbg.session.values.variables import Values

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
    """Tells which children."""

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
    values.check(reference)
    nodes, _, total = await _children(values, reference, Wanted(start=0, count=1))
    variables = [node.variable for node in nodes]
    named = next((i for i, v in enumerate(variables) if is_indexed(values, v)), None)
    if named is None:  # a page of names is all of them, and one of indexes begins with one
        if part is Part.NAMED:
            return await _read(values, reference, start, count)
        return Children(variables=(), total=total)
    if part is Part.NAMED:
        return Children(variables=tuple(variables[:named][start:][:count]), total=total)
    page = await _read(values, reference, named + start, count)
    found = tuple(v for v in page.variables if is_indexed(values, v))
    return Children(variables=found, total=total)


async def count_children(values: Values, reference: int) -> int:
    """Returns how many children there are. Raises as ``Values.children``."""
    _, _, total = await values.children(reference, Wanted(start=_AT_THE_END, count=1))
    return total


async def _read(values: Values, reference: int, start: int, count: int) -> Children:
    values.check(reference)
    nodes, first, total = await _children(values, reference, Wanted(start=start, count=count))
    found = nodes[max(start - first, 0) :][:count] if start < total or not total else ()
    return Children(variables=tuple(node.variable for node in found), total=total)


async def _children(
    values: Values, reference: int, wanted: Wanted
) -> tuple[tuple[VariableNode, ...], int, int]:
    try:
        return await values.children(reference, wanted)
    except AdapterFailed as error:
        if reference < FIRST_HANDLE and isinstance(error.__cause__, RequestFailed):
            raise VariableNotFound(reference) from error  # one of the adapter's own
        raise


def is_indexed(values: Values, variable: Variable) -> bool:
    """True if a child is known by its place and not by a name."""
    steps = values.address(variable.handle).steps
    return steps[-1][0] in _INDEXED_STEPS if steps else variable.name.strip("[]").isdecimal()


def count_parts(variable: Variable) -> tuple[int, int]:
    """Counts a variable's named and its indexed children; 0 where nobody has counted."""
    is_list = variable.type.partition("[")[0] in _INDEXED_TYPES
    return (0, variable.total) if is_list else (variable.total, 0)


async def read_scopes(values: Values, frame_id: int) -> tuple[Variable, ...]:
    """The scopes of a frame as variables, with how many names each has. Raises as ``look``."""
    last = Wanted(start=_AT_THE_END, count=1)
    nodes = await values.look(frame_id, {"Locals": last, "Globals": last})
    return tuple(msgspec.structs.replace(node.variable, total=node.total) for node in nodes)
