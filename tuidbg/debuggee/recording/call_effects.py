"""Changes made by calls of builtins and libraries, which no line of recorded code shows."""

from __future__ import annotations

import builtins
import sys
from itertools import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


MUTATORS = {
    id(list): {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"},
    id(dict): {"clear", "pop", "popitem", "setdefault", "update"},
    id(set): {
        "add",
        "clear",
        "difference_update",
        "discard",
        "intersection_update",
        "pop",
        "remove",
        "symmetric_difference_update",
        "update",
    },
    id(bytearray): {"append", "clear", "extend", "insert", "pop", "remove", "reverse"},
    id(memoryview): {"release"},
    id(frozenset): set(),
    id(tuple): set(),
}

MUTATORS_OF_ARRAYS = {
    *("append", "byteswap", "clear", "extend", "frombytes", "fromfile", "fromlist", "fromunicode"),
    *("insert", "pop", "remove", "reverse"),
}

HARMLESS = frozenset(
    id(getattr(builtins, name))
    for name in (
        *("abs", "ascii", "bin", "bool", "callable", "chr", "complex", "divmod", "enumerate"),
        *("float", "filter", "format", "hash", "hex", "id", "int", "isinstance", "issubclass"),
        *("len", "map", "memoryview", "object", "oct", "ord", "pow", "print", "range", "repr"),
        *("reversed", "round", "slice", "str", "super", "type", "zip", "globals", "locals", "dir"),
        *("input", "property", "staticmethod", "classmethod"),
    )
)
"""What changes nothing that is given to it, but by functions of the person's own: it takes no
items out of something that gives them one by one, which may call anything."""

TAKING = frozenset(
    id(getattr(builtins, name))
    for name in (
        *("all", "any", "bytes", "bytearray", "dict", "frozenset", "list", "max", "min", "next"),
        *("set", "sum", "tuple"),
    )
)
"""What takes the items of its first argument, and changes nothing else: with no ``key``."""

PLAIN_TYPES: set[Any] = {list, tuple, dict, set, frozenset, str, bytes, range, int, float, bool}

PLAIN_TYPES.update((bytearray, memoryview, count))

PLAIN_TYPES.update(type(getattr({}, name)()) for name in ("keys", "values", "items"))

PLAIN_ITEMS = frozenset(map(id, PLAIN_TYPES))
"""What gives its items, or none, and calls nothing."""

PURE_MODULES = {
    *("math", "cmath", "time", "_random", "posix", "_struct", "re", "_sre", "json", "_json"),
    *("json.encoder", "json.decoder", "base64", "binascii", "hashlib", "_hashlib", "textwrap"),
    *("string", "statistics", "posixpath", "ntpath", "os", "copy", "datetime", "fnmatch", "glob"),
    *(
        "urllib.parse",
        "html",
        "secrets",
        "uuid",
        "inspect",
        "zlib",
        "typing",
        "dataclasses",
        "random",
    ),
}
"""Modules whose functions change nothing that is given to them."""

FILLING = {"pack_into", "preadv", "readinto", "readv"}
"""Functions that write into a bytearray, an array or a memoryview."""

FIRST_MODULES = {"_heapq", "heapq", "_bisect", "bisect"}
"""Modules whose functions change their first argument only."""

NOTHING_CHANGES, FIRST_CHANGES, ALL_MAY_CHANGE, FIRST_IS_TAKEN = range(4)

DESCRIPTOR = type(list.append)

PARTIAL = getattr(sys.modules.get("functools"), "partial", None)

LRU_CACHE: Any = getattr(sys.modules.get("functools"), "lru_cache", len)

CACHED = type(LRU_CACHE(lambda: 0))
"""It calls a function of the person's own, or nothing."""


def effect_in(module: Any) -> Any:
    if type(module) is not str:
        return ALL_MAY_CHANGE
    if module in PURE_MODULES:
        return NOTHING_CHANGES
    return FIRST_CHANGES if module in FIRST_MODULES else ALL_MAY_CHANGE


class Unresolved(Exception):
    """Where a path of names leads can't be told without asking the program."""


BUILTINS = dict(vars(builtins))
