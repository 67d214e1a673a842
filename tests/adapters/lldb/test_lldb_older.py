"""Tests what stands in for lldb-dap 19, on answers as it gives them; the real one may be absent."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from tuidbg.adapters.discovery.packages import Packages
from tuidbg.adapters.errors import RequestFailed
from tuidbg.adapters.lldb.older import OlderLldb
from tuidbg.adapters.lldb.profile import LldbProfile, LldbStart
from tuidbg.dap.types import (
    BreakpointsBody,
    Capabilities,
    DisassembleBody,
    ReadMemoryBody,
    StoppedBody,
)

T = TypeVar("T")

Json = dict[str, Any]

CODE = [(0x400, 1), (0x401, 3), (0x404, 6), (0x40A, 2)]
"""Addresses and lengths of the instructions of a function."""


class Lldb19:
    """Answers as lldb-dap 19 does: commands by ``says``, what it knows of DAP by itself."""

    def __init__(self, says: dict[str, str] | None = None) -> None:
        self.says = says or {}
        self.asked: list[str] = []
        self.looks = 0
        self.paused_at: list[int] = []

    async def __call__(
        self,
        command: str,
        arguments: object = None,
        *,
        into: type[T],
        timeout: float | None = None,
    ) -> T:
        assert isinstance(arguments, dict)
        return msgspec.convert(self.answer(command, arguments), into)

    def answer(self, command: str, arguments: Json) -> Json:
        match command:
            case "evaluate" if arguments["expression"] == "`process status":
                self.looks += 1
                state = "running" if self.looks > 2 else "stopped"
                return {"result": f"(lldb) process status\nProcess 7 is {state}.\n"}
            case "pause":
                self.paused_at.append(self.looks)
                return {}
            case "evaluate":
                words = arguments["expression"].removeprefix("`")
                self.asked.append(words)
                told = next((t for begin, t in self.says.items() if words.startswith(begin)), "")
                return {"result": f"(lldb) {words}\n{told}\n"}
            case "setFunctionBreakpoints":  # in the order of its hash table
                order = ("nonesuch", "main", "area", "bump")
                names = sorted((b["name"] for b in arguments["breakpoints"]), key=order.index)
                known = {"nonesuch": (1, False), "main": (2, True), "area": (3, True)}
                known["bump"] = (4, True)
                return {
                    "breakpoints": [{"id": known[n][0], "verified": known[n][1]} for n in names]
                }
            case "setDataBreakpoints":
                return {"breakpoints": [{"verified": True} for _ in arguments["breakpoints"]]}
            case "disassemble":  # its offset is one of bytes
                start = int(arguments["memoryReference"], 16)
                start += arguments.get("instructionOffset", 0)
                rows = [(a, s) for a, s in CODE if a >= start]
                if rows[0][0] != start:
                    rows.insert(0, (start, rows[0][0] - start))
                found = [{"address": f"0x{a:X}", "instructionBytes": "00 " * s} for a, s in rows]
                return {"instructions": found[: arguments["instructionCount"]]}
        raise AssertionError(f"it dies of {command}")


LISTED = """Current breakpoints:
1: name = 'nonesuch'

2: name = 'main', locations = 1, resolved = 1, hit count = 1
3: name = 'area', locations = 3, resolved = 3, hit count = 0
4: name = 'bump', locations = 1, resolved = 1, hit count = 0
"""


async def test_function_breakpoints_are_told_in_the_order_asked_for() -> None:
    ask = Lldb19({"breakpoint list": LISTED})
    wanted = {"breakpoints": [{"name": n} for n in ("main", "bump", "nonesuch", "area")]}
    body = await OlderLldb().answer(ask, "setFunctionBreakpoints", wanted)
    assert isinstance(body, BreakpointsBody)
    assert [(b.id, b.verified) for b in body.breakpoints] == [
        (2, True),
        (4, True),
        (1, False),
        (3, True),
    ]


async def test_watchpoints_have_numbers_and_their_stops_are_of_data() -> None:
    listed = "Watchpoint 3: addr = 0x5000 size = 4 state = enabled type = m"
    ask = Lldb19({"watchpoint list": listed})
    wanted = {"breakpoints": [{"dataId": "5000/4", "accessType": "write"}]}
    body = await OlderLldb().answer(ask, "setDataBreakpoints", wanted)
    assert isinstance(body, BreakpointsBody) and body.breakpoints[0].id == 3
    stop = StoppedBody(reason="breakpoint", description="watchpoint 3", thread_id=1)
    read = LldbProfile().stops.read(stop)
    assert (read.reason, read.hit_breakpoint_ids) == ("data breakpoint", [3])
    other = StoppedBody(reason="breakpoint", description="breakpoint 3.1", hit_breakpoint_ids=[3])
    assert LldbProfile().stops.read(other) == other


@pytest.mark.parametrize(
    ("before", "count", "addresses"),
    [(2, 4, [0x401, 0x404, 0x40A]), (50, 50, [0x400, 0x401, 0x404]), (1, 1, [0x404])],
)
async def test_code_above_is_counted_from_where_its_function_begins(
    before: int, count: int, addresses: list[int]
) -> None:
    symbol = (
        '       Symbol: id = {0x99}, range = [0x0000000000000400-0x000000000000040c), name="bump"'
    )
    wanted = {
        "memoryReference": "0x40A",
        "instructionOffset": -before,
        "instructionCount": count,
    }
    body = await OlderLldb().answer(Lldb19({"image lookup": symbol}), "disassemble", wanted)
    assert isinstance(body, DisassembleBody)
    told = [int(i.address, 16) for i in body.instructions]
    assert [a for a in told if a < 0x40A] == [a for a in addresses if a < 0x40A]
    unknown = await OlderLldb().answer(Lldb19(), "disassemble", wanted)
    assert unknown == DisassembleBody(), "without a function nothing is made up"


async def test_memory_is_read_to_its_end_and_never_written_where_it_may_not_be() -> None:
    ask = Lldb19(
        {
            "memory region 0x1ffc": "[0x0000000000001000-0x0000000000002000) r-x /bin/x",
            "memory region 0x2000": "[0x0000000000002000-0x0000000000009000) ---",
            "memory read": "0x1ffc: 0x01 0x02 0x03 0xff",
        }
    )
    wanted = {"memoryReference": "0x1ffc", "offset": 0, "count": 100}
    body = await OlderLldb().answer(ask, "readMemory", wanted)
    assert isinstance(body, ReadMemoryBody)
    assert base64.b64decode(body.data or "") == b"\x01\x02\x03\xff"
    assert "--count 4 0x1ffc" in ask.asked[1]
    with pytest.raises(RequestFailed, match="not writable"):
        await OlderLldb().answer(
            ask, "writeMemory", {"memoryReference": "0x1ffc", "offset": 0, "data": "kA=="}
        )
    assert not any("memory write" in each for each in ask.asked)


async def test_a_pause_waits_until_the_program_runs() -> None:
    ask = Lldb19()
    await OlderLldb().answer(ask, "pause", {"threadId": 1})
    assert ask.paused_at == [3]


async def test_an_address_keeps_its_number_until_its_condition_is_another() -> None:
    ask = Lldb19({"breakpoint set": "Breakpoint 7: where = x`main, address = 0x400"})
    stand_in = OlderLldb()

    async def put(condition: str) -> None:
        one = {"instructionReference": "0x400"} | ({"condition": condition} if condition else {})
        body = await stand_in.answer(ask, "setInstructionBreakpoints", {"breakpoints": [one]})
        assert isinstance(body, BreakpointsBody)
        assert [(b.id, b.verified) for b in body.breakpoints] == [(7, True)]

    await put("")
    await put("")
    assert ask.asked == ["breakpoint set --address 0x400"]
    await put('name[0] == "x"')
    assert ask.asked[1:] == [
        "breakpoint delete 7",
        'breakpoint set --address 0x400 --condition "name[0] == \\"x\\""',
    ]


def test_of_two_the_newer_one_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bins, older = tmp_path / "bin", tmp_path / "llvm-19" / "lldb-dap"
    older.parent.mkdir()
    bins.mkdir()
    for file in (older, bins / "lldb-dap-22"):
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    (bins / "lldb-dap").symlink_to(older)
    monkeypatch.setenv("PATH", str(bins))
    assert LldbProfile().start.command() == [f"{bins}/lldb-dap-22"]
    (bins / "lldb-dap-22").unlink()
    assert LldbProfile().start.command() == [f"{bins}/lldb-dap"]


async def test_a_newer_one_is_asked_for_the_ids_of_watchpoints_only() -> None:
    """lldb-dap 21 gives none in its reply, 22 does."""
    profile = LldbProfile()
    newer = profile.start.stand_in(Capabilities(supports_instruction_breakpoints=True))
    assert newer is not None
    assert newer.commands == {"setDataBreakpoints"}
    listed = "Watchpoint 3: addr = 0x5000 size = 4 state = enabled type = m"
    wanted = {"breakpoints": [{"dataId": "5000/4", "accessType": "write"}]}
    body = await newer.answer(Lldb19({"watchpoint list": listed}), "setDataBreakpoints", wanted)
    assert isinstance(body, BreakpointsBody)
    assert [each.id for each in body.breakpoints] == [3]
    older = profile.start.stand_in(Capabilities())
    assert older is not None
    assert older.capabilities(Capabilities()).supports_read_memory_request


@pytest.mark.parametrize(
    ("version", "apt", "sentence"),
    [("19.1.7", "lldb-22", "apt install lldb-22"), ("19.1.7", "lldb-19", "does better")],
)
def test_its_gaps_are_named_with_what_brings_a_newer_one(
    version: str, apt: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = LldbProfile()
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/apt" if name == "apt" else None)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(LldbStart, "packages", Packages(apt=apt))
    assert profile.start.gaps(version).endswith(sentence)
    assert profile.start.gaps("22.1.8") == profile.start.gaps("") == ""
