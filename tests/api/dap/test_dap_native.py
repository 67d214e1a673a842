"""What an editor asks about native code: memory, machine code, and breakpoints in both."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.editors import Json, ProcessEditor, local_editor, stdio_editor
from tests.support.native import lldb_session, needs_cc, needs_lldb
from tuidbg.session.hub.hub import Hub

pytestmark = [pytest.mark.real, needs_lldb, needs_cc]

PROGRAM = """\
#include <stdio.h>

static char letters[] = "abcdef";
static volatile int counted;
static int many[5000];

static int twice(int n) {
    counted = n;
    return 2 * n;
}

int main(void) {
    int total = 1;
    total += twice(total);
    total += twice(total);
    printf("%s %d\\n", letters, total);
    return 0;
}
"""

HELLO = {"supportsMemoryReferences": True, "supportsMemoryEvent": True}


def line(text: str) -> int:
    return PROGRAM.splitlines().index(text) + 1


def _build(folder: Path) -> tuple[Path, Path]:
    source, binary = folder / "program.c", folder / "program"
    source.write_text(PROGRAM)
    subprocess.run(["gcc", "-g", "-O0", "-o", str(binary), str(source)], check=True)
    return source, binary


@asynccontextmanager
async def at(folder: Path, stop: int) -> AsyncIterator[tuple[ProcessEditor, str]]:
    """An editor whose program stands at a line; and the path of its source."""
    source, binary = _build(folder)
    async with stdio_editor(folder) as editor:
        wanted = {str(source): [{"line": stop}]}
        launch: dict[str, Any] = {"type": "lldb-dap", "program": str(binary)}
        await editor.begin(breakpoints=wanted, hello=HELLO, **launch)
        await editor.stopped()
        yield editor, str(source)


def _bytes(body: Json) -> bytes:
    return base64.b64decode(body["data"])


@pytest.mark.full
async def test_memory_is_read_and_written(tmp_path: Path) -> None:
    async with at(tmp_path, line("    int total = 1;")) as (editor, _):
        frame = (await editor.frame())["id"]
        found = await editor.ask("evaluate", expression="letters", frameId=frame)
        place = found["memoryReference"]
        body = await editor.ask("readMemory", memoryReference=place, count=6)
        assert _bytes(body) == b"abcdef"
        assert int(body["address"], 0) == int(place, 0)
        body = await editor.ask("readMemory", memoryReference=place, offset=2, count=2)
        assert _bytes(body) == b"cd"
        nothing = await editor.ask("readMemory", memoryReference="0x1", count=16)
        assert (nothing.get("data", ""), nothing["unreadableBytes"]) == ("", 16)
        assert "no address" in await editor.refused("readMemory", memoryReference="x", count=1)
        data = base64.b64encode(b"XY").decode()
        told = await editor.ask("writeMemory", memoryReference=place, offset=1, data=data)
        assert told["bytesWritten"] == 2
        assert not editor.events("memory")  # it knows of its own changes
        body = await editor.ask("readMemory", memoryReference=place, count=6)
        assert _bytes(body) == b"aXYdef"
        refused = await editor.refused("writeMemory", memoryReference="0x1", data=data)
        assert "0x1" in refused
        assert "base64" in await editor.refused("writeMemory", memoryReference=place, data="!")
        await editor.ask("continue", threadId=editor.events("stopped")[0]["threadId"])
        await editor.event("terminated")
        assert "aXYdef 9" in editor.output


@pytest.mark.full
async def test_pages_of_an_array(tmp_path: Path) -> None:
    source, binary = _build(tmp_path)
    async with stdio_editor(tmp_path) as editor:
        wanted = {str(source): [{"line": line("    int total = 1;")}]}
        hello = {"supportsVariablePaging": True}
        launch: dict[str, Any] = {"type": "lldb-dap", "program": str(binary)}
        await editor.begin(breakpoints=wanted, hello=hello, **launch)
        stop = await editor.stopped()
        assert "exception" in await editor.refused("exceptionInfo", threadId=stop["threadId"])
        frame = (await editor.frame())["id"]
        scopes = (await editor.ask("scopes", frameId=frame))["scopes"]
        (known,) = (each for each in scopes if each["name"] == "Globals")
        reference = known["variablesReference"]
        found = (await editor.ask("variables", variablesReference=reference))["variables"]
        (many,) = (each for each in found if each["name"].endswith("many"))
        assert many["indexedVariables"] == 5000
        asked = {"variablesReference": many["variablesReference"], "filter": "indexed"}
        page = await editor.ask("variables", **asked, start=4990, count=100)
        assert [each["name"] for each in page["variables"]] == [f"[{n}]" for n in range(4990, 5000)]


@pytest.mark.full
async def test_machine_code(tmp_path: Path) -> None:
    async with at(tmp_path, line("    counted = n;")) as (editor, path):
        frame = await editor.frame()
        here = frame["instructionPointerReference"]
        body = await editor.ask(
            "disassemble", memoryReference=here, instructionOffset=-3, instructionCount=8
        )
        told = body["instructions"]
        assert len(told) == 8
        assert int(told[3]["address"], 0) == int(here, 0)
        assert told[3]["location"]["path"] == path
        assert told[3]["line"] == line("    counted = n;")
        addresses = [int(each["address"], 0) for each in told]
        assert addresses == sorted(set(addresses))
        assert all(each["instruction"] for each in told)
        later = await editor.ask(
            "disassemble", memoryReference=here, instructionOffset=2, instructionCount=2
        )
        assert later["instructions"] == told[5:7]
        nothing = await editor.ask("disassemble", memoryReference="0x1", instructionCount=2)
        assert [each["presentationHint"] for each in nothing["instructions"]] == ["invalid"] * 2
        for asked in ({"instructionOffset": -(10**9)}, {"instructionCount": 10**9}):
            asked = {"memoryReference": here, "instructionCount": 2, **asked}
            assert "at once" in await editor.refused("disassemble", **asked)
        thread = editor.events("stopped")[0]["threadId"]
        mark = editor.mark
        await editor.ask("next", threadId=thread, granularity="instruction")
        await editor.stopped(mark)
        assert (await editor.frame())["instructionPointerReference"] == told[4]["address"]


@pytest.mark.full
async def test_breakpoints_at_instructions(tmp_path: Path) -> None:
    async with at(tmp_path, line("    int total = 1;")) as (editor, path):
        source = {"path": path}
        await editor.ask("setBreakpoints", source=source, lines=[line("    counted = n;")])
        await editor.step("continue")
        here = (await editor.frame())["instructionPointerReference"]
        await editor.ask("setBreakpoints", source=source, lines=[])
        answers = (
            await editor.ask(
                "setInstructionBreakpoints",
                breakpoints=[
                    {"instructionReference": here},
                    {"instructionReference": "nowhere"},
                    {"instructionReference": here, "offset": 0, "condition": "n == 3"},
                ],
            )
        )["breakpoints"]
        assert [each["verified"] for each in answers] == [False, False, True]
        assert answers[2]["instructionReference"] == here
        assert "later in the list" in answers[0]["message"]
        assert "address" in answers[1]["message"]
        stop = await editor.step("continue")
        assert stop["reason"] == "instruction breakpoint"
        assert stop["hitBreakpointIds"] == [answers[2]["id"]]
        assert (await editor.locals())["n"]["value"] == "3"
        assert (await editor.ask("setInstructionBreakpoints", breakpoints=[]))["breakpoints"] == []
        await editor.ask("continue", threadId=stop["threadId"])
        await editor.event("terminated")


@pytest.mark.full
async def test_watched_memory(tmp_path: Path) -> None:
    async with at(tmp_path, line("    int total = 1;")) as (editor, _):
        frame = (await editor.frame())["id"]
        info = await editor.ask("dataBreakpointInfo", name="counted", frameId=frame)
        assert "write" in info["accessTypes"]
        (answer,) = (
            await editor.ask(
                "setDataBreakpoints",
                breakpoints=[{"dataId": info["dataId"], "accessType": "write"}],
            )
        )["breakpoints"]
        assert answer["verified"], answer
        stop = await editor.step("continue")
        assert stop["reason"] == "data breakpoint"
        assert (await editor.frame())["name"] == "twice"


async def test_bytes_that_another_has_written_are_told(tmp_path: Path) -> None:
    _, binary = _build(tmp_path)
    async with lldb_session(tmp_path, binary, stop_on_entry=True) as under_test:
        hub = Hub(lambda plan: under_test.session.make_beside(plan))
        await under_test.start()
        hub.adopt(under_test.session, origin="tui")
        one, two, plain = (local_editor(hub) for _ in range(3))
        for editor in (one, two, plain):
            await editor.begin("attach", hello=HELLO if editor is not plain else None)
            await editor.stopped()
        found = await one.ask("evaluate", expression="letters")
        place, data = found["memoryReference"], base64.b64encode(b"XY").decode()
        await one.ask("writeMemory", memoryReference=place, offset=2, data=data)
        told = await two.event("memory")
        assert int(told["memoryReference"], 0) + told["offset"] == int(place, 0) + 2
        assert told["count"] == 2
        assert (await two.event("invalidated"))["areas"] == ["variables"]
        assert await plain.event("invalidated")
        assert not plain.events("memory")  # it has not said that it knows them
        assert not one.events("memory")
        await hub.close()
        under_test.closed_in = 0.0
