"""A replacement by LLDB commands of what lldb-dap before 20 lacks or answers wrongly.

lldb-dap 19 reports function breakpoints in the order of a hash table, gives no numbers to
watchpoints, counts bytes where ``disassemble`` specifies instructions, steps by lines only, and has
no requests for memory, for instruction breakpoints and for the lines that have code. LLDB itself
supports all of that, by commands.
"""

from __future__ import annotations

import asyncio
import base64
import re
import shlex
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from tuidbg.adapters.errors import RequestFailed
from tuidbg.adapters.lldb.expressions import command
from tuidbg.adapters.lldb.version import set_data
from tuidbg.adapters.native import Ask
from tuidbg.dap.types import (
    BreakpointLocation,
    BreakpointLocationsBody,
    BreakpointsBody,
    Capabilities,
    DapBreakpoint,
    DisassembleBody,
    EvaluateBody,
    Nothing,
    ReadMemoryBody,
    StackTraceBody,
    WriteMemoryBody,
)
from tuidbg.lines import split_lines

Answer = Callable[[Ask, dict[str, Any]], Coroutine[Any, Any, object]]

_NAMED = re.compile(r"^(?P<id>\d+): name = '(?P<name>.*?)'(?:,|$)", re.MULTILINE)
_SET = re.compile(r"^Breakpoint (?P<id>\d+): (?P<where>.*)$", re.MULTILINE)
_BYTES = re.compile(r"^0x[0-9a-f]+: (?P<bytes>(?: ?0x[0-9a-f]{2})+)", re.MULTILINE)
_FUNCTION = re.compile(
    r"^ *(?:Function|Symbol): .*\brange = \[(?P<start>0x[0-9a-f]+)-0x[0-9a-f]+\)", re.MULTILINE
)
_LINE_ENTRY = re.compile(r"^\[0x[0-9a-f]+-0x[0-9a-f]+\): (?P<path>.+?):(?P<line>\d+)(?::\d+)?$")

_REGION = re.compile(r"^\[0x[0-9a-f]+-(?P<end>0x[0-9a-f]+)\) (?P<may>[rwx-]{3})", re.MULTILINE)
_PRINTED = re.compile(r"\([^\n]*?\) (?:\$\w+ = )?(?P<value>.*?)\n*", re.DOTALL)

_SIZES = (("short", 2), ("long", 8), ("int", 4), ("unsigned", 4))
"""Sizes of numbers by a word of their types, on 64-bit machines."""

_READ = "memory read --force --format x --size 1 --num-per-line 64"

_LOOKS, _LOOK_EVERY = 25, 0.02
"""Number of checks whether the program runs yet, and the seconds between."""

_AT_ONCE = 512
"""Bytes written by one command."""


class OlderLldb:
    """``StandIn`` for lldb-dap 19."""

    def __init__(self) -> None:
        self._by_address: dict[int, tuple[int, str, bool]] = {}
        self._turn = asyncio.Lock()
        self._answers: Mapping[str, Answer] = {
            "breakpointLocations": self._locate_lines,
            "disassemble": self._disassemble,
            "evaluate": self._evaluate,
            "modules": self._list_modules,
            "next": partial(self._step, "next", "thread step-inst-over"),
            "pause": self._pause,
            "readMemory": self._read_memory,
            "setDataBreakpoints": set_data,
            "setFunctionBreakpoints": self._set_functions,
            "setInstructionBreakpoints": self._set_addresses,
            "stepIn": partial(self._step, "stepIn", "thread step-inst"),
            "writeMemory": self._write_memory,
        }
        self.commands = frozenset(self._answers)

    def capabilities(self, told: Capabilities) -> Capabilities:
        return msgspec.structs.replace(
            told,
            supports_breakpoint_locations_request=True,
            supports_clipboard_context=True,
            supports_instruction_breakpoints=True,
            supports_read_memory_request=True,
            supports_stepping_granularity=True,
            supports_write_memory_request=True,
        )

    async def answer(self, ask: Ask, command: str, arguments: dict[str, Any]) -> object:
        return await self._answers[command](ask, arguments)

    # Breakpoints

    async def _set_functions(self, ask: Ask, arguments: dict[str, Any]) -> BreakpointsBody:
        """Set them in the requested order, which is matched with LLDB's own list."""
        told = await ask("setFunctionBreakpoints", arguments, into=BreakpointsBody)
        if not arguments["breakpoints"]:
            return told
        listed = await command(ask, "breakpoint list --brief")
        ids = {found["name"]: int(found["id"]) for found in _NAMED.finditer(listed)}
        by_id = {each.id: each for each in told.breakpoints}
        names = [each["name"] for each in arguments["breakpoints"]]
        return BreakpointsBody(
            breakpoints=[by_id.get(ids.get(name), DapBreakpoint()) for name in names]
        )

    async def _set_addresses(self, ask: Ask, arguments: dict[str, Any]) -> BreakpointsBody:
        """Set them; unchanged ones keep their numbers and counts."""
        async with self._turn:
            return await self._put_addresses(ask, arguments)

    async def _put_addresses(self, ask: Ask, arguments: dict[str, Any]) -> BreakpointsBody:
        wanted = {
            int(each["instructionReference"], 16) + each.get("offset", 0): each.get("condition", "")
            for each in arguments["breakpoints"]
        }
        for address, (number, condition, is_code) in list(self._by_address.items()):
            if not is_code or wanted.get(address) != condition:
                del self._by_address[address]
                await command(ask, f"breakpoint delete {number}")
        for address, condition in wanted.items():
            if address not in self._by_address:
                words = f"breakpoint set --address {address:#x}"
                if condition:
                    words += f" --condition {_quoted(condition)}"
                found = _SET.search(await command(ask, words))
                if found is not None:
                    is_code = "where = " in found["where"]
                    self._by_address[address] = int(found["id"]), condition, is_code
        answered = []
        for address in wanted:
            known = self._by_address.get(address)
            told = DapBreakpoint(instruction_reference=hex(address))
            if known is not None:
                told = msgspec.structs.replace(told, id=known[0], verified=known[2])
            answered.append(told)
        return BreakpointsBody(breakpoints=answered)

    async def _locate_lines(self, ask: Ask, arguments: dict[str, Any]) -> BreakpointLocationsBody:
        path, first = arguments["source"]["path"], arguments["line"]
        last = arguments.get("endLine", first)
        words = f"source info --file {shlex.quote(Path(path).name)}"
        lines = sorted(
            {
                int(found["line"])
                for row in split_lines(await command(ask, words))
                if (found := _LINE_ENTRY.match(row)) and found["path"] == path
            }
        )
        return BreakpointLocationsBody(
            breakpoints=[BreakpointLocation(line=line) for line in lines if first <= line <= last]
        )

    # Code and memory

    async def _disassemble(self, ask: Ask, arguments: dict[str, Any]) -> DisassembleBody:
        """Disassemble; instructions above an address are counted from its function's start."""
        before = -arguments.get("instructionOffset", 0)
        if before <= 0:
            return await ask("disassemble", arguments, into=DisassembleBody)
        address = int(arguments["memoryReference"], 16)
        start = await self._function_of(ask, address)
        if start is None or start == address:
            return DisassembleBody()
        whole = {
            **arguments,
            "memoryReference": hex(start),
            "instructionOffset": 0,
            "instructionCount": address - start + arguments["instructionCount"],
        }
        told = (await ask("disassemble", whole, into=DisassembleBody)).instructions
        at = next((i for i, each in enumerate(told) if int(each.address, 16) == address), None)
        if at is None:
            return DisassembleBody()
        first = max(0, at - before)
        return DisassembleBody(instructions=told[first : first + arguments["instructionCount"]])

    async def _function_of(self, ask: Ask, address: int) -> int | None:
        """Return the start of the function or symbol containing an address."""
        told = await command(ask, f"image lookup --verbose --address {address:#x}")
        found = _FUNCTION.search(told)
        return int(found["start"], 16) if found is not None else None

    async def _read_memory(self, ask: Ask, arguments: dict[str, Any]) -> ReadMemoryBody:
        """Read as much as is readable; LLDB's command reads all or nothing."""
        address = int(arguments["memoryReference"], 16) + arguments.get("offset", 0)
        count, data = arguments["count"], b""
        while len(data) < count:
            region = await _region(ask, address + len(data))
            if region is None or "r" not in region.may:
                break
            wanted = min(count - len(data), region.end - address - len(data))
            words = f"{_READ} --count {wanted} {address + len(data):#x}"
            more = b"".join(map(_bytes, _BYTES.finditer(await command(ask, words))))
            data += more
            if len(more) < wanted:
                break
        if count and not data:
            raise RequestFailed("readMemory", f"there is no memory to read at {address:#x}")
        return ReadMemoryBody(
            address=hex(address),
            data=base64.b64encode(data).decode(),
            unreadable_bytes=count - len(data),
        )

    async def _write_memory(self, ask: Ask, arguments: dict[str, Any]) -> WriteMemoryBody:
        address = int(arguments["memoryReference"], 16) + arguments.get("offset", 0)
        data = base64.b64decode(arguments["data"])
        for start in range(0, len(data), _AT_ONCE):
            row, at = data[start : start + _AT_ONCE], address + start
            region = await _region(ask, at)
            if region is None or "w" not in region.may:
                raise RequestFailed("writeMemory", f"the memory at {at:#x} is not writable")
            words = " ".join(f"{each:#04x}" for each in row)
            told = await command(ask, f"memory write --size 1 {at:#x} {words}")
            if "error: " in told:
                raise RequestFailed("writeMemory", told.partition("error: ")[2].strip())
        return WriteMemoryBody(bytes_written=len(data))

    # Others

    async def _evaluate(self, ask: Ask, arguments: dict[str, Any]) -> EvaluateBody:
        """Evaluate with formats, and in full for the clipboard; 19 supports neither."""
        told = await ask("evaluate", arguments, into=EvaluateBody)
        if arguments.get("format", {}).get("hex"):
            return msgspec.structs.replace(told, result=_hexadecimal(told.result, told.type or ""))
        if arguments.get("context") != "clipboard":
            return told
        words = f"dwim-print -- {arguments['expression']}"
        found = _PRINTED.fullmatch(await command(ask, words, arguments.get("frameId")))
        return msgspec.structs.replace(told, result=found["value"]) if found is not None else told

    async def _list_modules(self, ask: Ask, arguments: dict[str, Any]) -> dict[str, Any]:
        """List the modules; 19 reports addresses in decimal."""
        told: dict[str, Any] = await ask("modules", arguments, into=dict)
        for each in told.get("modules", ()):
            if str(each.get("addressRange", "")).isdecimal():
                each["addressRange"] = hex(int(each["addressRange"]))
        return told

    async def _pause(self, ask: Ask, arguments: dict[str, Any]) -> Nothing:
        """Pause once the program runs: 19 reports it running before, and loses earlier pauses."""
        for _ in range(_LOOKS):
            if " is running" in await command(ask, "process status"):
                break
            await asyncio.sleep(_LOOK_EVERY)
        return await ask("pause", arguments, into=Nothing)

    async def _step(self, name: str, words: str, ask: Ask, arguments: dict[str, Any]) -> Nothing:
        """Step by instruction where requested: 19 always steps by lines."""
        if arguments.get("granularity") != "instruction":
            return await ask(name, arguments, into=Nothing)
        top = {"threadId": arguments["threadId"], "startFrame": 0, "levels": 1}
        frames = (await ask("stackTrace", top, into=StackTraceBody)).stack_frames
        told = await command(ask, words, frames[0].id if frames else None)
        if "error: " in told:
            raise RequestFailed(name, told.partition("error: ")[2].strip())
        return Nothing()


class _Region(msgspec.Struct, frozen=True):
    """Memory up to an address with the same permissions, in the form ``rwx``."""

    end: int
    may: str


async def _region(ask: Ask, address: int) -> _Region | None:
    found = _REGION.search(await command(ask, f"memory region {address:#x}"))
    return _Region(int(found["end"], 16), found["may"]) if found is not None else None


def _bytes(found: re.Match[str]) -> bytes:
    return bytes(int(each, 16) for each in found["bytes"].split())


def _hexadecimal(value: str, type_name: str) -> str:
    """Format as 19 formats variables; a value that is not an integer stays unchanged."""
    size = next((bytes_ for word, bytes_ in _SIZES if word in type_name.split()), 0)
    if not size or not value.removeprefix("-").isdecimal():
        return value
    return f"0x{int(value) % (1 << 8 * size):0{2 * size}x}"


def _quoted(text: str) -> str:
    """Quote for LLDB's command line, with backslash escapes in double quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\`") + '"'
