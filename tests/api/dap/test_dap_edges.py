"""What editors seldom ask, by the real ``tuidbg dap``: odd numbers, odd moments, odd places."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.editors import Json, ProcessEditor, encode, stdio_editor, why_refused

pytestmark = [pytest.mark.real, pytest.mark.full]

PROGRAM = """\
n = 1
table = dict.fromkeys(range(1500))
naïve = [1]
m = 2
while True:
    n += 1
"""


@asynccontextmanager
async def at(folder: Path, line: int, **hello: Any) -> AsyncIterator[tuple[ProcessEditor, str]]:
    """An editor whose program stands at a line, and the program's path."""
    path = folder / "program.py"
    path.write_text(PROGRAM)
    async with stdio_editor(folder) as editor:
        wanted = {str(path): [{"line": line}]}
        await editor.begin(program=str(path), breakpoints=wanted, hello=hello)
        await editor.stopped()
        yield editor, str(path)


async def test_odd_numbers_and_names(tmp_path: Path) -> None:
    async with at(tmp_path, 4) as (editor, path):
        beyond = await editor.ask("stackTrace", threadId=1, startFrame=1000)
        assert beyond == {"stackFrames": [], "totalFrames": 1}
        for line in (-3, 99):
            asked = {"source": {"path": path}, "line": line}
            assert (await editor.ask("gotoTargets", **asked))["targets"] == []
        assert "exception" in await editor.refused("exceptionInfo", threadId=1)
        for name in ("", "import os", "print()"):
            info = await editor.ask("dataBreakpointInfo", name=name)
            assert info["dataId"] is None
            assert info["description"]
        long = str(tmp_path / ("x" * 5000))
        for name in (long, f"{long}/y.py", "\0"):
            (answer,) = (await editor.ask("setBreakpoints", source={"path": name}, lines=[1]))[
                "breakpoints"
            ]
            assert (answer["verified"], answer["message"]) == (False, "this file does not exist")
        await editor.ask("cancel", progressId="request-" + "9" * 5000)
        await editor.ask("cancel", requestId=10**30)


async def test_of_two_at_one_place_the_last_is_set(tmp_path: Path) -> None:
    """The same one twice is one; else only what is really set is verified."""
    async with at(tmp_path, 4) as (editor, path):
        source = {"path": path}
        asked = [{"line": 6}, {"line": 1}, {"line": 6, "condition": "n == 5"}]
        body = await editor.ask("setBreakpoints", source=source, breakpoints=asked)
        first, other, last = body["breakpoints"]
        assert [first["verified"], other["verified"], last["verified"]] == [False, True, True]
        assert "later in the list" in first["message"]
        await editor.step("continue")
        assert (await editor.ask("evaluate", expression="n"))["result"] == "5"
        body = await editor.ask("setBreakpoints", source=source, lines=[6, 6])
        assert body["breakpoints"][0] == body["breakpoints"][1]


async def test_pages_of_names(tmp_path: Path) -> None:
    """VS Code asks for all that is named at once: what is not told then can be opened below."""
    async with at(tmp_path, 4, supportsVariablePaging=True) as (editor, _):
        table = (await editor.locals())["table"]
        assert table["namedVariables"] == 1500
        reference = table["variablesReference"]
        first = await editor.ask("variables", variablesReference=reference, filter="named")
        *told, more = first["variables"]
        assert (len(told), more["value"]) == (1000, "500 more")
        rest = await editor.ask("variables", variablesReference=more["variablesReference"])
        assert [each["name"] for each in rest["variables"]] == [str(n) for n in range(1000, 1500)]
        some = await editor.ask("variables", variablesReference=reference, start=10, count=1200)
        assert some["variables"][-1]["value"] == "490 more"
        exactly = await editor.ask("variables", variablesReference=reference, start=500, count=1000)
        assert exactly["variables"][-1]["name"] == "1499"


async def test_columns_are_counted_in_utf_16(tmp_path: Path) -> None:
    async with at(tmp_path, 4) as (editor, _):
        text = "'\U0001f40d' + naï"
        (target,) = (await editor.ask("completions", text=text, column=11))["targets"]
        assert (target["label"], target["start"], target["length"]) == ("naïve", 8, 3)


async def test_paths_as_uris(tmp_path: Path) -> None:
    path = tmp_path / "a program.py"
    path.write_text('import json\nn = 1\nprint("out")\n')
    async with stdio_editor(tmp_path) as editor:
        wanted = {path.as_uri(): [{"line": 2}, {"line": 99}]}
        found = await editor.begin(
            program=str(path), breakpoints=wanted, hello={"pathFormat": "uri"}
        )
        assert [each["source"]["path"] for each in found[path.as_uri()]] == [path.as_uri()] * 2
        await editor.stopped()
        assert (await editor.frame())["source"]["path"] == path.as_uri()
        loaded = (await editor.ask("loadedSources"))["sources"]
        assert all(each["path"].startswith("file:///") for each in loaded)


async def test_leaving_twice_with_more_under_way(tmp_path: Path) -> None:
    """Everything is answered before the connection ends."""
    async with at(tmp_path, 4) as (editor, _):
        commands = ("terminate", "terminate", "pause", "restart", "disconnect", "disconnect")
        asked = [
            editor.send_raw({"type": "request", "command": name, "arguments": {"threadId": 1}})
            for name in commands
        ]
        answers = await asyncio.gather(*asked)
        assert [answers[index]["success"] for index in (0, 1, 4, 5)] == [True] * 4
        for answer in answers:
            assert answer["success"] or why_refused(answer)
        assert await editor.ended() == 0


async def test_leaving_while_the_program_is_being_started(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    async with stdio_editor(tmp_path) as editor:
        await editor.ask("initialize", adapterID="x")
        launching, leaving = editor.send("launch", program=str(path)), editor.send("disconnect")
        assert (await leaving)["success"]
        assert why_refused(await launching)
        assert await editor.ended() == 0


async def test_a_restart_before_the_start(tmp_path: Path) -> None:
    """It is refused, and harms nothing."""
    path = tmp_path / "program.py"
    path.write_text("n = 1\nn = 2\n")
    async with stdio_editor(tmp_path) as editor:
        await editor.ask("initialize", adapterID="x")
        launching = editor.send("launch", program=str(path))
        await editor.event("initialized")
        assert "before the program is started" in await editor.refused("restart")
        assert "before the program is started" in await editor.refused("launch", program=str(path))
        await editor.ask("setBreakpoints", source={"path": str(path)}, lines=[2])
        await editor.ask("configurationDone")
        assert (await launching)["success"]
        await editor.stopped()


async def test_a_second_start_is_configured_anew(tmp_path: Path) -> None:
    """The first has failed after ``configurationDone``: that said nothing about the second."""
    path = tmp_path / "program.py"
    path.write_text("n = 1\nn = 2\n")
    async with stdio_editor(tmp_path) as editor:
        await editor.ask("initialize", adapterID="x")
        await editor.ask("configurationDone")
        await editor.refused("launch", program="/no/such/file.py")
        launching = editor.send("launch", program=str(path))
        await editor.event("initialized")
        await editor.ask("setBreakpoints", source={"path": str(path)}, lines=[2])
        assert not launching.done()
        await editor.ask("configurationDone")
        assert (await launching)["success"]
        assert (await editor.stopped())["reason"] == "breakpoint"


async def test_a_length_that_nothing_has_ends_the_connection(tmp_path: Path) -> None:
    async with stdio_editor(tmp_path) as editor:
        editor.write(b"Content-Length: %b\r\n\r\n" % (b"9" * 3000))
        await editor.until(lambda: editor.told, "an answer")
        assert "closed" in why_refused(editor.told[0])
        assert await editor.ended() == 0


async def test_what_was_sent_behind_an_attach_comes_to_who_serves_it(tmp_path: Path) -> None:
    """An editor shows a process: it has sent more, and half a message, before that."""
    path = tmp_path / "program.py"
    path.write_text("n = 1\nm = 2\n")
    server = await asyncio.create_subprocess_exec(
        *_command("--socket", "editors.sock"), stdout=asyncio.subprocess.PIPE, cwd=tmp_path
    )
    try:
        assert server.stdout is not None
        await server.stdout.readline()
        reader, writer = await asyncio.open_unix_connection(str(tmp_path / "editors.sock"))
        writer.write(_requests(("initialize", {"adapterID": "x"}), ("launch", _launch(path))))
        writer.write(_requests(("configurationDone", {})))
        await reader.readuntil(b'"stopped"')
        async with stdio_editor(tmp_path) as editor:
            await editor.ask("initialize", adapterID="x")
            where = {"session": "", "tuidbgSocket": str(tmp_path / "editors.sock")}
            requests: list[tuple[str, Json]] = [("attach", where)]
            requests += [("setBreakpoints", {"source": {"path": str(path)}, "lines": [2]})]
            requests += [("configurationDone", {})]
            data = _requests(*requests, first=10)
            editor.write(data[:-5])
            await editor.event("initialized")
            editor.write(data[-5:])
            await editor.stopped()
            answers = {m["command"]: m for m in editor.told if m["type"] == "response"}
            assert answers["setBreakpoints"]["body"]["breakpoints"][0]["verified"]
            assert answers["attach"]["success"]
        writer.close()
    finally:
        server.terminate()
        await server.wait()


async def test_a_program_that_can_not_be_left_running(tmp_path: Path) -> None:
    """It ends with the adapter that its editor has started: so it is said, and not announced."""
    async with at(tmp_path, 4) as (editor, _):
        told: Json = {}
        for event in editor.events("capabilities"):
            told |= event["capabilities"]
        assert told["supportTerminateDebuggee"] is False
        sentence = await editor.refused("disconnect", terminateDebuggee=False)
        assert "and that with its editor" in sentence
        assert await editor.ended() == 0


def _command(*args: str) -> tuple[str, ...]:
    return sys.executable, "-m", "tuidbg", "dap", *args


def _launch(path: Path) -> Json:
    return {"program": str(path), "stopOnEntry": True}


def _requests(*asked: tuple[str, Json], first: int = 1) -> bytes:
    return b"".join(
        encode({"seq": first + n, "type": "request", "command": name, "arguments": arguments})
        for n, (name, arguments) in enumerate(asked)
    )
