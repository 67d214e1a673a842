"""The recorded form of a value, read without running any code of the program.

Numbers and short texts are recorded themselves, other values that can't change by their text.
Of what can change there is a number and the state, each item and attribute by itself, of which only
those are recorded again that are others. Nothing of that is kept alive: it is known by its ``id``,
and where that is used again the new state is recorded, as at any change.
"""

from __future__ import annotations

from json import dumps as json_dumps

from tuidbg.debuggee.recording.recorder_state import (
    CUT,
    BoundMethod,
    FunctionType,
    ModuleType,
    Standing,
)
from tuidbg.debuggee.recording.segments import LOCK, LONGEST, NEWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


OF_TYPE = type.__dict__

MRO, TYPE_DICT = OF_TYPE["__mro__"].__get__, OF_TYPE["__dict__"].__get__

TYPE_NAME, MODULE_NAME = OF_TYPE["__qualname__"].__get__, OF_TYPE["__module__"].__get__

MODULE_DICT: Any = vars(ModuleType)["__dict__"].__get__

WEAK_OFFSET = OF_TYPE["__weakrefoffset__"].__get__

GETSET, MEMBER = type(BaseException.__dict__["args"]), type(slice.start)

NONE = type(None)

LEAVES = (int, float, bool, NONE, str, bytes, complex, type(...), type(NotImplemented), range)

LEAF_IDS = frozenset(map(id, LEAVES))
"""By ``id``: a class may have a hash of its own."""

LARGE = 1 << 1000

LONGEST_KEY = 4096
"""A longer text is known as a key by its hash, its length and its ends: it is not kept."""

MOST_ITEMS = 200
"""Items and attributes of one value that are recorded; its length is recorded as well."""

MOST_NEW = 400
"""Values that can change and are met at one moment for the first time; what is beyond is cut."""

SHOWN_BY_THEMSELVES = {
    ("decimal", "Decimal"),
    ("fractions", "Fraction"),
    ("datetime", "datetime"),
    ("datetime", "date"),
    ("datetime", "time"),
    ("datetime", "timedelta"),
    ("datetime", "timezone"),
    ("uuid", "UUID"),
    ("pathlib", "PosixPath"),
    ("pathlib", "PurePosixPath"),
    ("pathlib._local", "PosixPath"),
    ("pathlib._local", "PurePosixPath"),
    ("zoneinfo", "ZoneInfo"),
}
"""Classes of the library whose objects can't change, and whose texts are their own."""

PLAINS: dict[type, Any] = {
    str: str.__str__,
    int: int.__pos__,
    float: float.__pos__,
    complex: complex.__pos__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
}


def content_of(kind: Any) -> tuple[Any, Any] | None:
    for one in MRO(kind):
        if id(one) in LEAF_IDS and one in PLAINS:
            return "(%s)" % one.__name__, PLAINS[one]
    return None


def base_of(kind: Any) -> Any:
    """The class of a bytearray, an array or a memoryview that has its items; None for others."""
    for one in MRO(kind):
        if one is bytearray or one is memoryview or is_array(one):
            return one
    return None


def is_array(kind: Any) -> Any:
    is_named = name_of(kind) == "array" and module_of(kind) == "array"
    return is_named and type(held(kind, "typecode")) is GETSET


PLAIN_GETTERS = (object.__getattribute__, BaseException.__getattribute__)

KNOWN: Any = {}
"""By ``id``."""

VIEWS: dict[Any, Any] = {}
"""The same of memoryviews that were not released."""

MOST_KNOWN = 60000

MOST_REMEMBERED = 48 * 1024 * 1024
"""Bytes of what was recorded last of them, about."""

OF_ONE, OF_AN_ITEM, OF_A_KEY = 400, 48, 120
"""Bytes of a value that is known, of one of its items, and of a key of a dict more than that."""

WEIGHED_EACH = 4096
"""After so many that are new it is weighed what is remembered."""

SAMPLED = 16
"""One of so many is weighed, for all: weighing each would take longer than recording it."""

KINDS: Any = {}
"""By the ``id`` of the class; those of classes that are gone leave."""

OPAQUE, LEAF, ITSELF, ENUM, CONTENT = "opaque", "leaf", "itself", "enum", "content"

NAMES: dict[Any, Any] = {}
"""The numbers of names, and of the keys of dicts."""

MOST_NAMES = 100000


def dictionary_of(kind: Any) -> Any:
    """What gives the attributes of an object of a class, if that runs nothing of the program."""
    is_plain = type(held(kind, "__dict__")) is GETSET and not issubclass_plainly(kind, type)
    return plain_dictionary if is_plain else no_dictionary


def plain_dictionary(value: Any) -> Any:
    return GET(value, "__dict__")


GET = object.__getattribute__


def members_of(kind: Any) -> Any:
    """The slots of the objects of a class that no class below has something else for."""
    found = {}
    for one in reversed(MRO(kind)):
        for name, member in list(TYPE_DICT(one).items()):
            if type(name) is not str:
                continue
            if type(member) is MEMBER:
                found[name] = True
            else:
                found.pop(name, None)
    return found


def no_dictionary(value: Any) -> dict[Any, Any]:
    return {}


def number_of_token(key: Any, token: Any) -> Any:
    """The same of a key whose token is known."""
    kind = type(key)
    if kind is str or kind is int:
        if kind is str and len(key) > LONGEST_KEY:
            key = (len(key), hash(key), key[:LONGEST], key[-LONGEST:])
        return number_of_name((kind is int, key), token)
    if kind is bytes and len(key) <= LONGEST_KEY:
        return number_of_name((2, key), token)
    if (kind is float and key != key) or token == CUT:
        return number_of_name((3, id(key)), token)
    if id(kind) in LEAF_IDS and kind is not float:
        return number_of_name((4, kind.__name__, hash(key), json_dumps(token)), token)
    return number_of_name((5, json_dumps(token)), token)


def number_of_name(name: Any, token: Any) -> Any:
    number = NAMES.get(name)
    return add_key(name, "k", token) if number is None else number


def add_key(name: Any, letter: Any, token: Any) -> Any:
    with LOCK:
        number = NAMES.get(name)
        if number is None:
            if len(NAMES) > MOST_NAMES:  # a key that comes again has another number then
                for each in [each for each in NAMES if type(each) is tuple]:
                    del NAMES[each]
            number = NAMES[name] = Standing.keys
            Standing.keys += 1
            NEWS["keys"].append([number, letter, token])
    return number


def next_number() -> Any:
    """A number for a frame or a value; nothing comes between."""
    Standing.owners = number = Standing.owners + 1
    return number


def is_same_token(token: Any, other: Any) -> Any:
    """Whether two tokens are the same, as no two numbers of other types are."""
    if token is other:
        return True
    if type(token) is not type(other) or token != other:
        return False
    if type(token) is list:
        return all(map(is_same_token, token, other))
    return type(token) is not float or str(token) == str(other)


def simple_tuple(value: Any) -> list[Any] | None:
    """The record of a short tuple of unchangeable values; None for another tuple."""
    if len(value) > 16:
        return None
    tokens = []
    for each in value:
        if id(type(each)) not in LEAF_IDS:
            return None
        tokens.append(leaf(each))
    return ["t", tokens]


def is_names(fields: Any) -> bool:
    return type(fields) is tuple and all(type(name) is str for name in fields)


def weight_of_known() -> Any:
    weight = 0
    for known in list(KNOWN.values())[::SAMPLED]:
        weight += OF_ONE
        for state in (known.state, known.attributes):
            if state is not None:
                count = len(state.ids or state.kept)
                weight += OF_AN_ITEM * count + OF_A_KEY * len(state.keys or ())
    return weight * SAMPLED


def leaf(value: Any) -> Any:
    """The record of an unchangeable value."""
    kind = type(value)
    if kind is float or kind is bool or kind is NONE:
        return value
    if kind is int:
        if -LARGE < value < LARGE:
            return value
        size, absolute = value.bit_length(), abs(value)
        ends = "-" if value < 0 else "", absolute >> (size - 64), absolute & 0xFFFFFFFF, size
        return ["b", "int", "%s0x%x…%08x (an int of %d bits)" % ends]
    if kind is str:
        return value if len(value) <= LONGEST else ["s", value[:LONGEST], len(value)]
    if kind is bytes and len(value) > LONGEST:
        return ["b", "bytes", repr(value[:LONGEST]) + "… (%d)" % len(value), len(value)]
    if kind is range and not -LARGE < value.start + value.stop + value.step < LARGE:
        return ["b", "range", "a range of large numbers"]
    return ["b", kind.__name__, repr(value)]


def name_of(kind: Any) -> Any:
    return str.__str__(TYPE_NAME(kind)).replace("<locals>.", "")


def issubclass_plainly(kind: Any, base: Any) -> bool:
    return any(one is base for one in MRO(kind))


def module_of(kind: Any) -> Any:
    try:
        module = MODULE_NAME(kind)
    except AttributeError:
        return ""
    return module if type(module) is str else ""


def text_of_content(name: Any, plain: Any) -> list[Any]:
    """The record of a text or number of a library's subclass."""
    if isinstance(plain, (str, bytes)) and len(plain) > LONGEST:
        return ["b", name, "%s(%r…)" % (name, plain[:LONGEST]), len(plain)]
    token = leaf(plain)
    return ["b", name, "%s(%s)" % (name, token[2] if type(token) is list else repr(token))]


def getattr_plainly(value: Any, kind: Any) -> str:
    """The name of a function, a class or a module."""
    if issubclass_plainly(kind, type):
        return "<class %s>" % name_of(value)
    if kind is ModuleType:
        name = MODULE_DICT(value).get("__name__")
        return "<module %s>" % (name if type(name) is str else "?")
    if kind is FunctionType:
        return "<function %s>" % value.__qualname__
    if kind is BoundMethod:
        function = value.__func__
        name = function.__qualname__ if type(function) is FunctionType else "?"
        return "<bound method %s>" % name
    return "<built-in %s>" % value.__name__


def held(kind: Any, name: Any) -> Any:
    for one in MRO(kind):
        found = TYPE_DICT(one)
        if name in found:
            return found[name]
    return None
