"""The requests of well-known clients, in the order in which these send them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.support.editors import Json, ProcessEditor, stdio_editor, why_refused

pytestmark = pytest.mark.real

PROGRAM = """\
import time


def add(a, b):
    c = a + b
    return c


n = add(1, 2)
print("n is", n)
while n < 1_000_000:
    n += 1
    time.sleep(0.001)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


async def raw(editor: ProcessEditor, command: str, arguments: object = None) -> Json:
    """A request as it is, without arguments where there are none; the body of its answer."""
    request: Json = {"type": "request", "command": command}
    if arguments is not None:
        request["arguments"] = arguments
    answer = await editor.send_raw(request)
    assert answer["success"], answer
    body: Json = answer.get("body") or {}
    return body


@pytest.mark.full
async def test_as_vs_code_does(program: Path, tmp_path: Path) -> None:
    """All of its lists, threads at each thread event, hovers; restarted, and left for a restart."""
    hello = {"clientID": "vscode", "clientName": "Visual Studio Code"}
    async with stdio_editor(tmp_path) as editor:
        capabilities = await raw(editor, "initialize", {"adapterID": "debugpy", **hello})
        launching = editor.send("launch", program=str(program), name="x", __sessionId="1")
        await editor.event("initialized")
        source = {"name": program.name, "path": str(program)}
        of_source = {"source": source, "lines": [5], "breakpoints": [{"line": 5}]}
        lists: list[tuple[str, Json]] = [
            ("setBreakpoints", {**of_source, "sourceModified": False}),
            ("setFunctionBreakpoints", {"breakpoints": []}),
            ("setDataBreakpoints", {"breakpoints": []}),
            ("setExceptionBreakpoints", {"filters": ["uncaught"]}),
        ]
        await asyncio.gather(*(raw(editor, *each) for each in lists))
        spam = [editor.send("threads") for _ in range(3)]
        await raw(editor, "configurationDone")
        assert (await launching)["success"]
        stop = await editor.stopped()
        thread = stop["threadId"]
        spam += [editor.send("threads") for _ in range(20)]
        assert all(answer["success"] for answer in await asyncio.gather(*spam))
        first, rest = await asyncio.gather(
            editor.ask("stackTrace", threadId=thread, startFrame=0, levels=1),
            editor.ask("stackTrace", threadId=thread, startFrame=1, levels=19),
        )
        assert [f["name"] for f in first["stackFrames"] + rest["stackFrames"]] == [
            "add",
            "<module>",
        ]
        frame = first["stackFrames"][0]["id"]
        scopes, *hovers = await asyncio.gather(
            editor.ask("scopes", frameId=frame),
            *(
                editor.answer("evaluate", expression=text, frameId=frame, context="hover")
                for text in ("a", "b", "nobody", "a +", "a")
            ),
        )
        assert [answer["success"] for answer in hovers] == [True, True, False, False, True]
        assert hovers[1]["body"]["result"] == "2"
        assert scopes["scopes"][0]["name"] == "Locals"
        assert capabilities["supportsRestartRequest"]
        mark = editor.mark
        await raw(editor, "restart", {"arguments": {"program": str(program)}})
        await editor.stopped(mark)
        assert await editor.line() == 5
        await editor.ask("setBreakpoints", source=source, lines=[])
        await editor.ask("continue", threadId=thread)
        await editor.ask("disconnect", restart=True)
        assert await editor.ended() == 0
        assert len(editor.events("terminated")) <= 1


async def test_as_nvim_dap_does(program: Path, tmp_path: Path) -> None:
    """No arguments where it has none, both lists of lines; it leaves by terminate, asked twice."""
    async with stdio_editor(tmp_path) as editor:
        await raw(editor, "initialize", {"adapterID": "nvim-dap", "clientID": "neovim"})
        launching = editor.send("launch", program=str(program), type="tuidbg", name="x")
        await editor.event("initialized")
        wanted: dict[str, Any] = {
            "source": {"path": str(program), "name": program.name},
            "sourceModified": False,
            "breakpoints": [{"line": 9}],
            "lines": [9],
        }
        (answer,) = (await raw(editor, "setBreakpoints", wanted))["breakpoints"]
        assert answer["verified"]
        await raw(editor, "setExceptionBreakpoints", {"filters": []})
        await raw(editor, "configurationDone")
        assert (await launching)["success"]
        thread = (await editor.stopped())["threadId"]
        assert thread in {each["id"] for each in (await raw(editor, "threads"))["threads"]}
        asked = {"threadId": thread, "startFrame": 0}
        (frame,) = (await raw(editor, "stackTrace", asked))["stackFrames"]
        for scope in (await raw(editor, "scopes", {"frameId": frame["id"]}))["scopes"]:
            if not scope["expensive"]:
                asked = {"variablesReference": scope["variablesReference"]}
                assert "variables" in await raw(editor, "variables", asked)
        await raw(editor, "stepIn", {"threadId": thread})
        await editor.event("stopped", count=2)
        assert await editor.line() == 5
        ends = [editor.send("terminate"), editor.send("terminate", restart=False)]
        assert all(answer["success"] for answer in await asyncio.gather(*ends))
        await editor.event("terminated")
        await editor.ask("disconnect", restart=False)
        assert await editor.ended() == 0
        assert len(editor.events("terminated")) == 1


@pytest.mark.full
async def test_numbers_in_any_order_and_configuration_done_early(
    program: Path, tmp_path: Path
) -> None:
    """Requests before the answers to those before them, with numbers that do not count up."""
    async with stdio_editor(tmp_path) as editor:
        sent = [
            (70, "initialize", {"adapterID": "x"}),
            (12, "configurationDone", {}),
        ]
        answers = [
            editor.send_raw({"seq": seq, "type": "request", "command": name, "arguments": asked})
            for seq, name, asked in sent
        ]
        await answers[0]
        early = await answers[1]
        assert early["success"] or why_refused(early)
        launch = {"program": str(program), "stopOnEntry": True}
        later = [
            (41, "launch", launch),
            (3, "setBreakpoints", {"source": {"path": str(program)}, "lines": [9]}),
            (99, "configurationDone", {}),
            (7, "threads", {}),
        ]
        answers = [
            editor.send_raw({"seq": seq, "type": "request", "command": name, "arguments": asked})
            for seq, name, asked in later
        ]
        assert [answer["success"] for answer in await asyncio.gather(*answers)] == [True] * 4
        assert (await editor.stopped())["reason"] == "entry"
        await editor.step("continue")
        assert await editor.line() == 9
