"""Python functions that the compiled recorder (``recorder.c``) calls: classes, texts, code.

It replaces the callbacks and comparisons; the segments, and the numbers of names and keys, are the
same.
"""

from __future__ import annotations

import sys
from collections import deque
from json import dumps as json_dumps
from json import loads as json_loads
from opcode import opname

from tuidbg.debuggee.recording.frame_variables import namespace_of
from tuidbg.debuggee.recording.line_plans import EXTENDED
from tuidbg.debuggee.recording.recorded_calls import is_own_code
from tuidbg.debuggee.recording.recorder_state import EVENTS, NAMES_OF_ALL, Standing, get_frame
from tuidbg.debuggee.recording.value_kinds import (
    CONTENT,
    ENUM,
    ITSELF,
    KINDS,
    LEAF,
    LEAF_IDS,
    MEMBER,
    OPAQUE,
    held,
    issubclass_plainly,
    leaf,
    number_of_token,
    plain_dictionary,
)
from tuidbg.debuggee.recording.value_looks import (
    ORDERED,
    in_order,
    look_at_deque,
    look_at_dict,
    look_at_exception,
    look_at_list,
    look_at_numbers,
    look_at_object,
    look_at_set,
    look_at_tuple,
    meet_kind,
    number_of,
    text_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType
    from typing import Any


def is_under_way(frame: Any) -> bool:
    """Whether a frame is one of the calling thread's calls."""
    below: FrameType | None = get_frame(1)
    while below is not None:
        if below is frame:
            return True
        below = below.f_back
    return False


class Compiled(object):
    """The module, where one fits this interpreter and is in use."""

    module: Any = None
    loaded: Any = None
    problem = ""  # why it is not in use
    probe: Any = None
    kept: dict[Any, Any] = {}
    """What it has taken the place of."""


LOOKS = {
    look_at_list: 3,
    look_at_tuple: 4,
    look_at_dict: 5,
    look_at_deque: 9,
    look_at_numbers: 10,
    look_at_object: 11,
    look_at_exception: 12,
    LEAF: 1,
    ITSELF: 1,
    ENUM: 1,
    CONTENT: 1,
    OPAQUE: 2,
}
"""The numbers of kinds in ``recorder.c``."""


class Code(object):
    """A code object that is recorded, kept alive."""

    __slots__ = ("code", "number")

    def __init__(self, code: CodeType, number: int) -> None:
        self.code, self.number = code, number


def why_not_compiled() -> str:
    if sys.implementation.name != "cpython" or sys.maxsize < 1 << 32:
        return "it is made for CPython with 64 bits"
    if sys.version_info < (3, 14):
        return "CPython before 3.14 does not report the end of each object"
    if "t" in getattr(sys, "abiflags", "") or "d" in getattr(sys, "abiflags", ""):
        return "it is not made for this build of Python"
    return ""


def moment_now() -> Any:
    """The last moment."""
    return Standing.now if Compiled.module is None else Compiled.module.state()[0]


def leave_compiled() -> None:
    """Back to what is written in Python."""
    if Compiled.module is not None:
        Compiled.module.end()
        for name, function in Compiled.kept.items():
            NAMES_OF_ALL[name] = function
        Compiled.kept.clear()
        Compiled.module = None


def probe_of() -> Any:
    """What shows whether frames, collections and attributes are where they are looked for."""
    values = (object(), object(), object())

    class Probe(object):
        def __init__(self) -> None:
            self.value = 0

    def set_value(probe: Any, value: Any) -> None:
        probe.value = value

    def make_list() -> list[Any]:
        return [1]

    def drop_lists(count: Any) -> Any:
        found = None
        for _ in range(count):
            make_list()
            found = [1]
            found = None
            [1].copy()
        return found

    found = try_frame_of(values)
    queue = deque([values[0], *[None] * 68, values[1]])
    numbers = {1, 2, 3, 4}
    numbers.discard(2)

    first = values[0]

    def with_cell() -> Any:
        return first

    cell = (with_cell.__closure__ or ())[0]
    probe = Probe()
    return (
        *(found, values, list(values), numbers, queue, probe, set_value),
        *(set_value.__code__, len, cell, drop_lists),
    )


def try_frame_of(values: Any) -> Any:
    """A frame whose first variables are the values; it is suspended, and stays so."""

    def suspended(first: Any, second: Any, third: Any) -> Iterator[Any]:
        yield get_frame(0)

    generator = suspended(*values)
    frame = next(generator)
    Compiled.probe = generator
    return frame


def kind_for_compiled(kind: Any) -> Any:
    if id(kind) in LEAF_IDS:
        return 0, 0, b"", b"", (), None, 0
    about = KINDS.get(id(kind)) or meet_kind(kind)
    look = about.look
    if look is look_at_set:
        number = 7 if issubclass_plainly(kind, set) else 8
    elif ORDERED is not None and look is look_at_dict and issubclass_plainly(kind, ORDERED):
        number = 6
    else:
        number = LOOKS[look]
    is_looked_into = look is look_at_exception or (about.is_own and number > 2)
    has_dict = is_looked_into and about.dictionary is plain_dictionary
    members: tuple[Any, ...] = ()
    if about.is_own and number > 2 and look is not look_at_exception:
        found = ((name, held(kind, name)) for name in about.members)
        members = tuple((number_of(name), each) for name, each in found if type(each) is MEMBER)
    row = json_dumps([about.letter, about.name, about.fields])
    opaque = json_dumps(["o", about.name])[:-1] + ", "
    content = about.content is not None and about.look is look_at_object
    key = number_of(about.content[0]) if content else 0
    rows = (", %s]" % row[1:-1]).encode(), opaque.encode()
    return number, has_dict, *rows, members, about.base, key


def content_for_compiled(value: Any) -> Any:
    return KINDS[id(type(value))].content[1](value)


def text_for_compiled(value: Any) -> Any:
    kind = type(value)
    about = KINDS.get(id(kind)) or meet_kind(kind)
    return json_dumps(text_of(value, kind, about)).encode("ascii")


def leaf_for_compiled(value: Any) -> Any:
    return json_dumps(leaf(value)).encode("ascii")


def key_for_compiled(key: Any, token: Any) -> Any:
    return number_of_token(key, json_loads(token))


def bound_names(code: CodeType) -> Iterator[Any]:
    """The names that are stored by the body of a class itself."""
    raw, argument = code.co_code, 0
    for offset in range(0, len(raw), 2):
        argument = argument << 8 | raw[offset + 1]
        if raw[offset] == EXTENDED:
            continue
        if opname[raw[offset]] == "STORE_NAME":
            yield code.co_names[argument]
        argument = 0


def space_for_compiled(names: Any) -> Any:
    return namespace_of(names).owner


def ordered_for_compiled(value: Any) -> Any:
    return tuple(each for pair in zip(*in_order(value), strict=True) for each in pair)


def arguments_for_compiled(error: Any) -> tuple[Any, Any]:
    return "args", BaseException.__dict__["args"].__get__(error)


def hold_compiled(frame: Any) -> Any:
    own = frame
    while own is not None and not is_own_code(own.f_code):
        own = own.f_back
    if Standing.number is None:
        return False
    return Compiled.module.hold(own, own is not None and is_under_way(own))


def release_compiled(frame: Any) -> None:
    if Standing.number is not None:
        Compiled.module.release(frame)


def compiled_callbacks() -> dict[Any, Any]:
    module = Compiled.module
    return {
        EVENTS.PY_START: module.start,
        EVENTS.PY_RESUME: module.resumed,
        EVENTS.PY_THROW: module.resumed,
        EVENTS.LINE: module.line,
        EVENTS.PY_RETURN: module.returned,
        EVENTS.PY_YIELD: module.yielded,
        EVENTS.RAISE: module.raised,
        EVENTS.PY_UNWIND: module.unwound,
    }
