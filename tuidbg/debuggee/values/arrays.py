"""Arrays of several axes as texts: their first numbers, by rows, and their shape."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


SHOWN_NUMBERS = 30
"""Numbers of an array that are written."""


def array(writer: Any, value: Any, kind: Any, depth: int) -> Any:
    """The first numbers of a numpy array, without a copy of it."""
    ndarray = sys.modules["numpy"].ndarray
    size = ndarray.size.__get__(value)
    if ndarray.dtype.__get__(value).hasobject or size <= SHOWN_NUMBERS:
        return writer.foreign(value, kind)
    first = ndarray.flat.__get__(value)[:SHOWN_NUMBERS]
    return shaped(writer, ndarray.tolist(first), ndarray.shape.__get__(value))


def memory(writer: Any, value: Any, kind: Any, depth: int) -> Any:
    """The first numbers of a memoryview; a released one has none."""
    try:
        shape = value.shape
        places: list[tuple[int, ...]] = [()]
        for length in shape:
            places = [(*place, i) for place in places for i in range(min(length, SHOWN_NUMBERS))]
            del places[SHOWN_NUMBERS:]
        first = [value[place] for place in places]
    except (ValueError, NotImplementedError):
        return memoryview.__repr__(value)
    return "<memory %s>" % shaped(writer, first, shape)


def shaped(writer: Any, first: Any, shape: Sequence[int]) -> Any:
    """Write the first numbers of an array in the brackets of its rows, with its shape behind."""
    end = " shape=%s" % (shape,) if len(shape) > 1 else ""
    pieces = [str(number) for number in first]
    while len(pieces) > 1 and sum(map(len, pieces)) + 2 * len(pieces) > writer.limit - len(end):
        pieces.pop()
    left = iter(pieces)
    count = 1
    for length in shape:
        count *= length
    writer.is_cut = writer.is_cut or count > len(pieces)

    def written(axis: int) -> Any:
        if axis == len(shape):
            return next(left, None)
        parts = []
        for _ in range(shape[axis]):
            part = written(axis + 1)
            if part is None or part == "[...]":
                parts.append("...")
                break
            parts.append(part)
        return "[%s]" % ", ".join(parts)

    return written(0) + end
