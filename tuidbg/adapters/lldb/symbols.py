"""Symbol tables and calls, read of what LLDB answers to its commands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from tuidbg.adapters.lldb.evaluate_request import command
from tuidbg.adapters.native.questions import Ask
from tuidbg.adapters.native.symbols import Call, Symbol

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
"""Matches what the dynamic linker puts behind a name: ``strcpy@GLIBC_2.2.5``."""

_CALL = re.compile(
    r"^(?:->)? +(?P<address>0x[0-9a-f]+) .*?\b(?:call|jmp|bl?)\w* .*"
    r"; symbol stub for: (?P<name>.+)$",
    re.MULTILINE,
)
_UNSAFE = re.compile(r"[\"'`\\\n\r\0]")
"""Matches what LLDB's command line would read as more than a name."""


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
