"""Queries of lldb-dap by LLDB commands, and the parsing of their output.

A command is evaluated with a backquote prefix. LLDB's output is meant for people; unexpected output
is ignored, not guessed.
"""

from __future__ import annotations

import re
import shlex
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from tuidbg.adapters.errors import RequestFailed
from tuidbg.adapters.lldb import thrown
from tuidbg.adapters.lldb.expressions import command, evaluate, read_number
from tuidbg.adapters.lldb.rust import PANIC
from tuidbg.adapters.native import (
    Ask,
    Call,
    CannotWatch,
    Change,
    CodePlace,
    DataPlace,
    Symbol,
    Thrown,
)
from tuidbg.dap.types import BreakpointLocationsBody, ModulesBody
from tuidbg.lines import split_lines

ALL_LINES = 1_000_000
"""More lines than any source has."""

LARGEST = 8
"""Bytes watched by one of the processor's debug registers."""

NO_DEBUG_INFO = "the program was built without debug information: build it with -g"

_BREAKPOINT = re.compile(r"^(?P<id>\d+): ", re.MULTILINE)
_PLACE = re.compile(r"^ {4}\d+\.\d+: *$", re.MULTILINE)
_KEY = re.compile(r"^ {6}(?P<key>[a-z ]+) = (?P<value>.*)$", re.MULTILINE)
_LOCATION = re.compile(r"(?P<path>.*?):(?P<line>\d+)(?::(?P<column>\d+))?$")
_LINE_ENTRY = re.compile(r"^\[0x[0-9a-f]+-0x[0-9a-f]+\): (?P<path>.+?):\d+(?::\d+)?$", re.MULTILINE)
_CHANGE = re.compile(r"Watchpoint \d+ hit:\s*(?:old value: (?P<old>.*?)\s*\n)?\s*new value: (.*)")
_PANICS = "rust_panic"
_SAID = "its message is in the program's output"
_UNKNOWN_NAME = re.compile(r"use of undeclared identifier '(?P<name>[^']+)'")


class LldbQuestions:
    """``NativeQuestions`` for lldb-dap."""

    data_limit = f"at most four values of up to {LARGEST} bytes can be watched at a time"

    async def find_places(self, ask: Ask) -> Mapping[int, Sequence[CodePlace]]:
        listed = await command(ask, "breakpoint list --verbose")
        heads = list(_BREAKPOINT.finditer(listed))
        return {
            int(head["id"]): tuple(
                _read_places(listed[head.end() : following.start() if following else None])
            )
            for head, following in zip_longest(heads, heads[1:])
        }

    async def explain_line(self, ask: Ask, path: str, line: int) -> tuple[str, int | None]:
        arguments = {"source": {"path": path}, "line": 1, "endLine": ALL_LINES}
        try:
            body = await ask("breakpointLocations", arguments, into=BreakpointLocationsBody)
        except RequestFailed:
            body = BreakpointLocationsBody()
        lines = sorted({each.line for each in body.breakpoints if each.line > 0})
        if lines:
            if line > lines[-1]:
                return f"line {line} is past the last line of code, {lines[-1]}", lines[-1]
            nearest = min(lines, key=lambda other: (abs(other - line), -other))
            return f"no executable code at line {line}", nearest
        others = [other for other in await self.find_source(ask, Path(path).name) if other != path]
        if others:
            return f"the program was built from {others[0]}; map that folder to this one", None
        if not await self._has_debug_info(ask):
            return NO_DEBUG_INFO, None
        return "the program has no code of this file", None

    async def _has_debug_info(self, ask: Ask) -> bool:
        modules = (await ask("modules", {}, into=ModulesBody)).modules
        return bool(modules) and bool(modules[0].debug_info_size)  # 19: nothing, not None

    async def find_source(self, ask: Ask, name: str) -> Sequence[str]:
        last = Path(name).name
        listed = await command(ask, f"source info --file {shlex.quote(last)}")
        paths = dict.fromkeys(found["path"] for found in _LINE_ENTRY.finditer(listed))
        return [path for path in paths if path == name or path.endswith("/" + name.lstrip("./"))]

    async def find_data(self, ask: Ask, expression: str, frame_id: int | None) -> DataPlace:
        text, colon, size = expression.rpartition(":")
        if colon and size.strip().isdecimal() and not text.endswith(":"):
            return DataPlace(await self._address(ask, text, frame_id), int(size))
        if expression.startswith("$"):
            raise CannotWatch("a register can't be watched, only what lies in memory")
        if re.fullmatch(r"0[xX][0-9a-fA-F]+", expression):
            return DataPlace(int(expression, 16), LARGEST)
        found = await evaluate(ask, f"&({expression})", frame_id)
        address = read_number(found.value)
        if address is None:
            raise CannotWatch(_explain_watch(expression, found.value))
        size_found = await evaluate(ask, f"sizeof({expression})", frame_id)
        bytes_there = read_number(size_found.value) or LARGEST
        if bytes_there > LARGEST:
            raise CannotWatch(
                f"{expression} takes {bytes_there} bytes, and {self.data_limit};"
                " name one of its parts"
            )
        return DataPlace(address, bytes_there, found.type.removesuffix("*").strip())

    async def _address(self, ask: Ask, expression: str, frame_id: int | None) -> int:
        found = await evaluate(ask, f"(unsigned long)({expression})", frame_id)
        address = read_number(found.value)
        if address is None:
            raise CannotWatch(_explain_watch(expression, found.value))
        return address

    async def read_stack_pointer(self, ask: Ask, frame_id: int) -> int | None:
        return read_number((await evaluate(ask, "(unsigned long)$sp", frame_id)).value)

    async def read_change(self, ask: Ask, data_id: int) -> Change | None:
        told = await command(ask, f"watchpoint list --verbose {data_id}")
        found = _CHANGE.search(told)
        return Change(found["old"] or "", found[2].strip()) if found is not None else None

    async def find_thrown(
        self, ask: Ask, frame_id: int, functions: Sequence[str], reason: str
    ) -> Thrown | None:
        top = functions[0] if functions else ""
        if top.endswith(_PANICS):
            return Thrown(PANIC, _SAID)
        if top == thrown.THROWING:
            return await thrown.read_thrown(ask, frame_id)
        if top == thrown.CATCHING:
            return await thrown.read_caught(ask, frame_id)
        if "SIGABRT" in reason and any(name.startswith("std::terminate") for name in functions):
            return await thrown.read_uncaught(ask, frame_id)
        return None

    async def save_core(self, ask: Ask, path: Path) -> None:
        told = await command(ask, f"process save-core {shlex.quote(str(path))}")
        if "error:" in told:
            raise RequestFailed("evaluate", told.partition("error:")[2].strip())

    async def handle_signal(self, ask: Ask, name: str, *, stop: bool, deliver: bool) -> None:
        words = f"-s {str(stop).lower()} -n {str(stop).lower()} -p {str(deliver).lower()}"
        told = await command(ask, f"process handle {name} {words}")
        if "error:" in told:
            raise RequestFailed("evaluate", told.partition("error:")[2].strip())


def _read_places(text: str) -> Iterable[CodePlace]:
    starts = list(_PLACE.finditer(text))
    for start, following in zip_longest(starts, starts[1:]):
        end = following.start() if following is not None else len(text)
        told = {found["key"]: found["value"] for found in _KEY.finditer(text[start.end() : end])}
        address = read_number(told.get("address", ""))
        if address is None or told.get("resolved") == "false":
            continue
        at = _LOCATION.match(told.get("location", ""))
        yield CodePlace(
            address=address,
            path=at["path"] if at is not None else "",
            line=int(at["line"]) if at is not None else 0,
            column=int(at["column"] or 0) if at is not None else 0,
            function=told.get("function") or told.get("symbol", ""),
            module=told.get("module", ""),
        )


def _explain_watch(expression: str, told: str) -> str:
    """Return why an expression has no address, from LLDB's output."""
    unknown = _UNKNOWN_NAME.search(told)
    if unknown is not None:
        return f"there is no {unknown['name']} here"
    if "rvalue" in told:
        return f"{expression} is no variable but a computed value, which lies nowhere in memory"
    line = next((line for line in split_lines(told) if "error:" in line), told)
    return line.rpartition("error: ")[2].strip() or f"{expression} can't be watched"


# [   22]     24   X Code            0x0000000000001278 0x0000555555555278 0x0000000000000009 ...
_ROW = re.compile(
    r"^\[ *\d+\] +\d+ [D ][S ][X ] (?P<kind>\w+) +0x[0-9a-f]+ (?P<load>0x[0-9a-f]+| {18}) "
    r"(?P<size>0x[0-9a-f]+| {18}) 0x[0-9a-f]+ (?P<name>.+)$",
    re.MULTILINE,
)
_KINDS = {
    "Code": "function",
    "Resolver": "function",
    "Data": "data",
    "Trampoline": "trampoline",
    "Undefined": "undefined",
}
_VERSION = re.compile(r"@+[\w.]+$")
"""The version suffix of the dynamic linker: ``strcpy@GLIBC_2.2.5``."""

_CALL = re.compile(
    r"^(?:->)? +(?P<address>0x[0-9a-f]+) .*?\b(?:call|jmp|bl?)\w* .*"
    r"; symbol stub for: (?P<name>.+)$",
    re.MULTILINE,
)
_UNSAFE = re.compile(r"[\"'`\\\n\r\0]")
"""Characters that LLDB's command line would not read as part of a name."""


class LldbSymbols:
    """``SymbolQuestions`` for lldb-dap."""

    async def run_command(self, ask: Ask, text: str, frame_id: int | None = None) -> str:
        return await command(ask, text, frame_id)

    async def list_symbols(self, ask: Ask, module: str) -> Sequence[Symbol]:
        if _UNSAFE.search(module):
            return ()
        listed = await command(ask, f"image dump symtab '{module}'")
        return [
            Symbol(
                name=_VERSION.sub("", row["name"].strip()),
                kind=_KINDS[row["kind"]],
                module=module.rpartition("/")[2],
                address=int(row["load"], 16) if row["load"].strip() else None,
                size=int(row["size"], 16) if row["size"].strip() else 0,
            )
            for row in _ROW.finditer(listed)
            if row["kind"] in _KINDS
        ]

    async def list_calls(self, ask: Ask, functions: Sequence[Symbol]) -> Sequence[Call]:
        ranges = sorted((s.address, s.size, s.name) for s in functions if s.address and s.size)
        if not ranges:
            return ()
        end = max(address + size for address, size, _ in ranges)
        code = await command(ask, f"disassemble -s {ranges[0][0]:#x} -e {end:#x}")
        starts = [address for address, _, _ in ranges]
        found = []
        for call in _CALL.finditer(code):
            at = int(call["address"], 16)
            address, size, name = ranges[bisect_right(starts, at) - 1]
            if address <= at < address + size:
                found.append(Call(call["name"].strip(), name, at))
        return found
