"""C++ exceptions in memory, in the layout of the Itanium C++ ABI.

At ``__cxa_throw`` the object and its ``type_info`` are the function's arguments; an uncaught one is
reachable from ``__cxa_get_globals``.
"""

from __future__ import annotations

import base64
import re

from tuidbg.adapters.errors import RequestFailed
from tuidbg.adapters.lldb.expressions import call, command, evaluate, read_number
from tuidbg.adapters.native import Ask, Thrown
from tuidbg.dap.types import ReadMemoryBody

THROWING, CATCHING = "__cxa_throw", "__cxa_begin_catch"
"""Functions at whose beginning the exception is in their arguments."""

_WORD = 8
_HEADER = 112
"""Bytes of libstdc++'s ``__cxa_exception``, which precedes the object, on 64-bit machines."""

_UNWIND = 32
"""Bytes of its last part, to which the unwinder and ``__cxa_begin_catch`` refer."""

_DEPTH = 8
"""Maximum base classes searched for ``std::exception``."""

_QUOTED = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"')
_DEMANGLED = re.compile(r"---> typeinfo for (?P<name>.*)")

_NUMBERS = {
    "i": "int",
    "j": "unsigned int",
    "l": "long",
    "m": "unsigned long",
    "c": "char",
    "b": "bool",
    "d": "double",
    "f": "float",
}
"""Simple types by their mangled names."""


async def read_thrown(ask: Ask, frame_id: int) -> Thrown | None:
    """Return the exception passed to ``__cxa_throw``."""
    object_at = read_number((await evaluate(ask, "(unsigned long)$arg1", frame_id)).value)
    type_at = read_number((await evaluate(ask, "(unsigned long)$arg2", frame_id)).value)
    return await _describe(ask, object_at, type_at, frame_id)


async def read_caught(ask: Ask, frame_id: int) -> Thrown | None:
    """Return the exception passed to ``__cxa_begin_catch``."""
    unwind_at = read_number((await evaluate(ask, "(unsigned long)$arg1", frame_id)).value)
    if not unwind_at:
        return None
    object_at = unwind_at + _UNWIND
    words = await _words(ask, object_at - _HEADER, 1)
    return await _describe(ask, object_at, words[0] if words else None, frame_id)


async def read_uncaught(ask: Ask, frame_id: int) -> Thrown | None:
    """Return the uncaught exception that is aborting the program."""
    globals_at = await call(ask, "*(unsigned long*)(void*)__cxa_get_globals()", frame_id)
    header = read_number(globals_at.value)
    if not header or not globals_at.type:
        return None
    words = await _words(ask, header, 1)
    return await _describe(ask, header + _HEADER, words[0] if words else None, frame_id)


async def _describe(
    ask: Ask, object_at: int | None, type_at: int | None, frame_id: int
) -> Thrown | None:
    if not object_at or not type_at:
        return None
    mangled = await _name(ask, type_at)
    if not mangled:
        return None
    told = await command(ask, f"language cplusplus demangle _ZTI{mangled}")
    found = _DEMANGLED.search(told)
    name = found["name"].strip() if found is not None else mangled
    return Thrown(name, await _message(ask, object_at, type_at, mangled, frame_id))


async def _message(ask: Ask, object_at: int, type_at: int, mangled: str, frame_id: int) -> str:
    if mangled in _NUMBERS:
        return (await evaluate(ask, f"*({_NUMBERS[mangled]}*){object_at:#x}", frame_id)).value
    if mangled in ("PKc", "Pc"):
        return _unquoted((await evaluate(ask, f"*(char**){object_at:#x}", frame_id)).value)
    if not await _is_std_exception(ask, type_at):
        return ""
    what = f"((const char*(*)(void*))((*(void***){object_at:#x})[2]))((void*){object_at:#x})"
    return _unquoted((await call(ask, what, frame_id)).value)


async def _is_std_exception(ask: Ask, type_at: int) -> bool:
    """Return whether a type is ``std::exception`` or has it as first base, with its ``what``."""
    for _ in range(_DEPTH):
        if await _name(ask, type_at) == "St9exception":
            return True
        words = await _words(ask, type_at, 5)
        if not words:
            return False
        kind = await command(ask, f"image lookup --address {words[0]:#x}")
        if "__si_class_type_info" in kind:
            type_at = words[2]
        elif "__vmi_class_type_info" in kind and not words[4] >> 8:
            type_at = words[3]
        else:
            return False
    return False


async def _name(ask: Ask, type_at: int) -> str:
    """Return the mangled name in a ``type_info``."""
    words = await _words(ask, type_at, 2)
    if not words:
        return ""
    text = await _read(ask, words[1], 512)
    return text.partition(b"\0")[0].decode("ascii", "replace").removeprefix("*")


async def _words(ask: Ask, address: int, count: int) -> list[int]:
    data = await _read(ask, address, count * _WORD)
    return [
        int.from_bytes(data[at : at + _WORD], "little")
        for at in range(0, len(data) - _WORD + 1, _WORD)
    ]


async def _read(ask: Ask, address: int, count: int) -> bytes:
    arguments = {"memoryReference": hex(address), "count": count}
    try:
        body = await ask("readMemory", arguments, into=ReadMemoryBody)
    except RequestFailed:
        return b""
    return base64.b64decode(body.data or "")


def _unquoted(value: str) -> str:
    found = _QUOTED.search(value)
    if found is None:
        return ""
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), found["text"])
