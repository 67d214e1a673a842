"""Processes that the program starts, as sessions of their own in the editor's tree."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.editors import Json, stdio_editor
from tests.support.served import use_own_folders

pytestmark = [pytest.mark.real, pytest.mark.full]

PROGRAM = """\
import subprocess, sys
done = subprocess.run([sys.executable, sys.argv[1]])
print("parent", done.returncode)
"""
CHILD = "n = 1\nm = 2\nprint('child', n + m)\n"


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    use_own_folders(tmp_path, monkeypatch)
    short = tempfile.TemporaryDirectory(prefix="t-")  # names of sockets must not be long
    monkeypatch.setenv("XDG_RUNTIME_DIR", short.name)
    yield
    short.cleanup()


async def test_an_editor_shows_the_processes_of_its_program(tmp_path: Path) -> None:
    parent, child = tmp_path / "parent.py", tmp_path / "child.py"
    parent.write_text(PROGRAM)
    child.write_text(CHILD)
    asked: list[Json] = []

    def take(request: Json) -> Json | None:
        asked.append(request)
        return {} if request["command"] == "startDebugging" else None

    async with stdio_editor(tmp_path) as editor:
        editor.takes_reverse = take
        hello = {"supportsStartDebuggingRequest": True}
        wanted = {str(child): [{"line": 2}]}
        found = await editor.begin(
            program=str(parent), args=[str(child)], breakpoints=wanted, hello=hello
        )
        assert found[str(child)][0]["verified"] or found[str(child)][0]["message"]
        await editor.until(lambda: asked, "startDebugging")
        arguments: dict[str, Any] = asked[0]["arguments"]
        assert arguments["request"] == "attach"
        async with stdio_editor(tmp_path) as below:  # as the editor starts its adapter again
            configuration = dict(arguments["configuration"])
            assert configuration.pop("request") == "attach"
            await below.begin("attach", hello=hello, **configuration)
            stop = await below.stopped()
            assert await below.line() == 2
            assert (await below.locals())["n"]["value"] == "1"
            await below.ask("continue", threadId=stop["threadId"])
            await below.event("terminated")
            await below.ask("disconnect")
            assert await below.ended() == 0
        await editor.event("terminated")
        assert "parent 0" in editor.output


async def test_without_a_tree_children_run_undebugged(tmp_path: Path) -> None:
    parent, child = tmp_path / "parent.py", tmp_path / "child.py"
    parent.write_text(PROGRAM)
    child.write_text(CHILD)
    async with stdio_editor(tmp_path) as editor:
        wanted = {str(child): [{"line": 2}]}
        await editor.begin(program=str(parent), args=[str(child)], breakpoints=wanted)
        await editor.event("terminated")
        assert "parent 0" in editor.output


async def test_a_process_that_the_editor_does_not_show_runs_on(tmp_path: Path) -> None:
    parent, child = tmp_path / "parent.py", tmp_path / "child.py"
    parent.write_text(PROGRAM)
    child.write_text(CHILD)
    async with stdio_editor(tmp_path) as editor:  # which refuses what it is asked
        await editor.begin(
            program=str(parent),
            args=[str(child)],
            breakpoints={str(child): [{"line": 2}]},
            hello={"supportsStartDebuggingRequest": True},
        )
        await editor.event("terminated")
        assert "parent 0" in editor.output
        told = [e["output"] for e in editor.events("output") if e["category"] == "important"]
        assert "not shown here, and was detached" in "".join(told)


async def test_a_session_that_is_not_there(tmp_path: Path) -> None:
    async with stdio_editor(tmp_path) as editor:
        await editor.ask("initialize", adapterID="tuidbg")
        missing = str(tmp_path / "no.sock")
        sentence = await editor.refused("attach", session="x", tuidbgSocket=missing)
        assert "can't be reached" in sentence
