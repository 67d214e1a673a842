"""One segment of a recording, as the program writes it (``inside/columns``): bytes in, columns out.

Nothing in it is executed, and what does not fit is refused, whoever has written it.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterator
from typing import Any

import msgspec

from tuidbg.recording.numbers import ALL as ALL
from tuidbg.recording.numbers import BORN as BORN
from tuidbg.recording.numbers import CALL as CALL
from tuidbg.recording.numbers import FIRST_KEY as FIRST_KEY
from tuidbg.recording.numbers import INDEX as INDEX
from tuidbg.recording.numbers import LENGTH as LENGTH
from tuidbg.recording.numbers import LINE as LINE
from tuidbg.recording.numbers import PARENT as PARENT
from tuidbg.recording.numbers import RAISE as RAISE
from tuidbg.recording.numbers import RAISED as RAISED
from tuidbg.recording.numbers import RESUME as RESUME
from tuidbg.recording.numbers import RETURN as RETURN
from tuidbg.recording.numbers import RETURNED as RETURNED
from tuidbg.recording.numbers import SPAN as SPAN
from tuidbg.recording.numbers import UNBOUND as UNBOUND
from tuidbg.recording.numbers import UNKNOWN as UNKNOWN
from tuidbg.recording.numbers import UNWIND as UNWIND
from tuidbg.recording.numbers import YIELD as YIELD
from tuidbg.recording.numbers import Token as Token

_PARTS = 6
_LARGEST = 512 * 1024 * 1024
_KINDS = frozenset({int, float, bool, str, type(None), list})
LARGEST_NUMBER = (1 << 63) - 1

_DEEPEST = 8
"""Of tokens in tokens; the recorder needs three."""


class DamagedRecording(Exception):
    """It is not a recording, or not a whole one; the text says what is wrong."""


class CodeRecord(msgspec.Struct, array_like=True, frozen=True):
    """A function. ``space`` is the owner of its global variables."""

    number: int
    path: str
    name: str
    line: int
    space: int


class FrameRecord(msgspec.Struct, array_like=True, frozen=True):
    """A call. It began at the moment ``begin``, at a line of its parent (0: it had none)."""

    number: int
    code: int
    parent: int
    parent_line: int
    thread: int
    begin: int
    owner: int


class ObjectRecord(msgspec.Struct, array_like=True, frozen=True):
    """A value that can change. ``kind`` is a letter of ``inside/looks``, or ``m``: a module."""

    number: int
    kind: str
    type: str
    fields: list[str] | None = None


class KeyRecord(msgspec.Struct, array_like=True, frozen=True):
    """What a change is of: ``n`` a name, ``k`` a key of a dict, which is a token."""

    number: int
    letter: str
    key: Any


class RecordedProgram(msgspec.Struct, frozen=True):
    """What was recorded: ``at`` in seconds since 1970; ``ended`` says why there is no more.

    By ``shown`` it had come to what it is looked at for; 0 where that is its end.
    """

    command: list[str] = []
    python: str = ""
    at: float = 0.0
    ended: str = ""
    shown: int = 0


class News(msgspec.Struct):
    """What a segment tells before its columns.

    ``failed`` counts the looks that have failed so far; ``recorder`` is ``compiled`` or ``python``.
    """

    thread: int
    now: int
    dropped: int
    threads: list[tuple[int, str]]
    codes: list[CodeRecord]
    frames: list[FrameRecord]
    objects: list[ObjectRecord]
    keys: list[KeyRecord]
    failed: int = 0
    recorder: str = ""


class Segment(msgspec.Struct):
    """The moments of one thread, and what changed at them.

    A change is seen from its moment on. ``wheres`` hold the number of the frame, the kind of the
    moment and the line (``where_of``).
    """

    news: News
    times: array[int]
    wheres: array[int]
    whens: array[int]
    owners: array[int]
    keys: array[int]
    values: list[Token]


class _Head(News, kw_only=True):
    values: list[Token]


_decode_head = msgspec.json.Decoder(_Head).decode


def read_segment(data: bytes, *, is_checked: bool = False) -> Segment:
    """Raises DamagedRecording; what was read before needs not be checked again."""
    head, *columns = _parts(data)
    news = _head(head)
    times, wheres, whens, owners, keys = (_column(each) for each in columns)
    if not len(whens) == len(owners) == len(keys) == len(news.values):
        raise DamagedRecording("the columns of the changes of a segment differ in length")
    if len(times) != len(wheres):
        raise DamagedRecording("the columns of the moments of a segment differ in length")
    segment = Segment(
        news=news,
        times=times,
        wheres=wheres,
        whens=whens,
        owners=owners,
        keys=keys,
        values=news.values,
    )
    if not is_checked:
        _check(segment)
    return segment


def _check(segment: Segment) -> None:
    for column in (segment.times, segment.whens):
        numbers = column.tolist()
        if numbers != sorted(numbers):  # of the same numbers that is told fastest
            raise DamagedRecording("the moments of a segment are not in their order")
    lists = [value for value in segment.values if type(value) is list]
    kinds = set(map(type, segment.values))
    if not kinds <= _KINDS or not all(_is_number(each) or is_token(each) for each in lists):
        raise DamagedRecording("a value of a segment is none of the kinds that there are")
    news = segment.news
    if not all(is_token(each.key) for each in news.keys):
        raise DamagedRecording("a key of a segment is none of the kinds that there are")
    if not all(map(is_number, _numbers(news))):
        raise DamagedRecording("a number of a segment is none that there can be")


def _numbers(news: News) -> Iterator[int]:
    """All that counts or names something."""
    yield from (news.thread, news.now, news.dropped, news.failed)
    for thread, _ in news.threads:
        yield thread
    for code in news.codes:
        yield from (code.number, code.line, code.space)
    for frame in news.frames:
        yield from (frame.number, frame.code, frame.parent, frame.parent_line)
        yield from (frame.thread, frame.begin, frame.owner)
    for each in news.objects:
        yield each.number
    for key in news.keys:
        yield key.number


def is_number(number: int) -> bool:
    """Whether it may count or name something: it fits into a column, and is not below zero."""
    return 0 <= number <= LARGEST_NUMBER


def _is_number(value: list[Token]) -> bool:
    """Whether it is the number of an object, as most are."""
    return len(value) == 1 and type(value[0]) is int and value[0] >= 0


def _head(data: bytes) -> _Head:
    """What Python's own JSON has beyond the norm, as infinite numbers, is read by Python's own."""
    try:
        return _decode_head(data)
    except (msgspec.MsgspecError, RecursionError):
        pass
    try:
        return msgspec.convert(json.loads(data), _Head)
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise DamagedRecording(f"a segment can't be read: {error}") from None


def is_token(value: Token, depth: int = _DEEPEST) -> bool:
    """Whether it is of a kind that the recorder writes."""
    if not isinstance(value, list):
        return not isinstance(value, dict)
    match value:
        case [int(number)]:
            return type(number) is int and number >= 0
        case ["-"] | ["~"] | ["?"]:
            return True
        case ["t", list(items)]:
            return depth > 0 and all(is_token(each, depth - 1) for each in items)
        case ["s", str(), int()] | ["b", str(), str()] | ["o", str(), int()]:
            return True
        case ["b", str(), str(), int(length)]:
            return length >= 0
    return False


def is_same(one: Token, other: Token) -> bool:
    """Whether two tokens tell the same: numbers that are equal only, as 1 and 1.0, do not."""
    if type(one) is not type(other):
        return False
    if type(one) is list:
        return len(one) == len(other) and all(map(is_same, one, other))
    if type(one) is float:
        return repr(one) == repr(other)
    return bool(one == other)


def write_segment(segment: Segment) -> bytes:
    """The bytes of a segment, as the program writes them."""
    told = {
        name: msgspec.to_builtins(getattr(segment.news, name)) for name in News.__struct_fields__
    }
    head = json.dumps({**told, "values": segment.values}).encode("ascii")
    columns = (segment.times, segment.wheres, segment.whens, segment.owners, segment.keys)
    body = [head, *(_packed(column) for column in columns)]
    return b"".join([*(len(each).to_bytes(8, "little") for each in body), *body])


def _packed(column: array[int]) -> bytes:
    if sys.byteorder != "little":
        column = column[:]
        column.byteswap()
    return column.tobytes()


def _parts(data: bytes) -> list[bytes]:
    """Each part, whose lengths stand before all of them in eight bytes each."""
    start = 8 * _PARTS
    sizes = [int.from_bytes(data[i : i + 8], "little") for i in range(0, start, 8)]
    if len(data) < start or max(sizes) > _LARGEST or start + sum(sizes) != len(data):
        raise DamagedRecording("a segment is not whole")
    parts = []
    for size in sizes:
        parts.append(data[start : start + size])
        start += size
    return parts


def _column(data: bytes) -> array[int]:
    found = array("Q")
    if len(data) % found.itemsize:
        raise DamagedRecording("a column of a segment is not whole")
    found.frombytes(data)
    if sys.byteorder != "little":
        found.byteswap()
    return found


def where_of(where: int) -> tuple[int, int, int]:
    """The number of the frame, the kind of the moment, and the line."""
    return where >> 24, where >> 20 & 0xF, where & 0xFFFFF
