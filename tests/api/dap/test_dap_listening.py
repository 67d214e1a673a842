"""An editor listens for programs, and shows one at a time: the first that connects is its own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.attachable import PROGRAM, RETURN, connecting, free_port, listens
from tests.support.editors import Editor, stdio_editor
from tests.support.sessions import until

pytestmark = [pytest.mark.real, pytest.mark.full]


def said(editor: Editor) -> str:
    """What was said in the editor's console."""
    return "".join(each["output"] for each in editor.events("output"))


async def test_the_first_program_that_connects_is_the_session(tmp_path: Path) -> None:
    port = free_port()
    async with stdio_editor(tmp_path) as editor:
        wanted = {str(tmp_path / "counting.py"): [{"line": RETURN}]}
        (tmp_path / "counting.py").write_text(PROGRAM)
        listen = {"host": "127.0.0.1", "port": port}
        beginning = asyncio.create_task(editor.begin("attach", breakpoints=wanted, listen=listen))
        await editor.until(lambda: "Listening on" in said(editor), "a port")
        async with connecting(tmp_path, port) as program:
            await beginning
            stop = await editor.stopped()
            assert stop["hitBreakpointIds"] == [1]
            assert await editor.line() == RETURN
            assert (await editor.locals())["total"]["value"] == "2"
            assert editor.events("process")[0]["systemProcessId"] == program.process.pid
            await until(lambda: not listens(port), "it takes no other program")
            await editor.ask("disconnect")
            assert await editor.ended() == 0
            await program.goes_on()


async def test_a_program_that_never_comes_is_called_off(tmp_path: Path) -> None:
    async with stdio_editor(tmp_path) as editor:
        await editor.ask("initialize", adapterID="x")
        listen = {"host": "127.0.0.1", "port": free_port()}
        attaching = editor.send("attach", listen=listen)
        await editor.until(lambda: "Listening on" in said(editor), "a port")
        await editor.ask("disconnect")
        assert not (await attaching)["success"]
        assert await editor.ended() == 0


async def test_a_client_that_shows_all_configures_before_the_first_connects(
    tmp_path: Path,
) -> None:
    port = free_port()
    async with stdio_editor(tmp_path) as editor:
        wanted = {str(tmp_path / "counting.py"): [{"line": RETURN}]}
        (tmp_path / "counting.py").write_text(PROGRAM)
        await editor.begin(
            "attach",
            breakpoints=wanted,
            listen={"host": "127.0.0.1", "port": port},
            hello={"supportsStartDebuggingRequest": True},
        )
        assert editor.events("initialized")
        async with connecting(tmp_path, port):
            asked = await editor.until(
                lambda: [e for e in editor.told if e.get("command") == "startDebugging"],
                "the first program",
            )
            assert asked[0]["arguments"]["configuration"]["session"]
