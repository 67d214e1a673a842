"""The configurations of the manual's page, as the editors make messages of them."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.editors import Json, connected_editor, stdio_editor
from tests.support.sessions import until
from tuidbg.manual.pages import FOLDER

pytestmark = pytest.mark.full

PAGE = FOLDER.joinpath("editors.md").read_text(encoding="utf-8")

PROGRAM = 'n = 1\nname = input()\nprint("hello", name)\n'
PLAIN = 'n = 1\nm = 2\nprint("hello", m)\n'


def block(client: str) -> str:
    """The configuration that the page has for a client."""
    _, _, after = PAGE.partition(f"<!-- client: {client} -->\n\n")
    lines = re.match(r"(?:(?: {4}.*)?\n)+", after)
    assert lines, f"the page has nothing for {client}"
    return "\n".join(line[4:] for line in lines[0].splitlines()).strip()


def lua_tables(text: str) -> Iterator[Json]:
    """The flat tables of texts (and lists of texts) in a piece of Lua."""
    for table in re.findall(r"\{([^{}]*(?:\{[^{}]*\}[^{}]*)?)\}", text):
        fields = re.findall(r'(\w+) = (?:"([^"]*)"|\{([^{}]*)\})', table)
        if fields:
            yield {
                name: re.findall(r'"([^"]*)"', listed) if listed else value
                for name, value, listed in fields
            }


def elisp(text: str) -> tuple[str, list[str], Json]:
    """Command, arguments and configuration of a list of dape's."""
    command = re.search(r'command "([^"]+)"', text)
    arguments = re.search(r"command-args \(([^)]*)\)", text)
    assert command and arguments
    return command[1], re.findall(r'"([^"]*)"', arguments[1]), plist(text)


def plist(text: str) -> Json:
    """The texts and symbols in a property list of Emacs Lisp."""
    pairs = re.findall(r':(\w+) (?:"([^"]*)"|([\w-]+))', text)
    return {name: value or symbol for name, value, symbol in pairs}


def dap_mode(text: str) -> tuple[list[str], Json]:
    """The command of a provider of dap-mode's, and what its template makes dap-mode send.

    It keeps the command to itself, and sends a folder, if only as null.
    """
    providing, _, template = text.partition("(dap-register-debug-template")
    command = re.search(r":dap-server-path '\(([^)]*)\)", providing)
    language = re.search(r'\(dap-register-debug-provider\s+"([^"]*)"', providing)
    assert command and language
    configuration = plist(template)
    assert configuration["type"] == language[1], "the template finds its provider by the type"
    return re.findall(r'"([^"]*)"', command[1]), {**configuration, "cwd": None}


def configurations() -> dict[str, tuple[list[str], Json, Json]]:
    """By the clients: how each starts tuidbg, how it says hello, and what it launches with."""
    found: dict[str, tuple[list[str], Json, Json]] = {}
    adapter, joining, launch, _ = lua_tables(block("nvim-dap"))
    assert joining["args"] == ["dap", "--join"]
    found["nvim-dap"] = (
        [adapter["command"], *adapter["args"]],
        {
            "adapterID": "nvim-dap",
            "clientID": "neovim",
            "clientName": "neovim",
            "columnsStartAt1": True,
            "linesStartAt1": True,
            "locale": "en_US.UTF-8",
            "pathFormat": "path",
            "supportsProgressReporting": True,
            "supportsRunInTerminalRequest": True,
            "supportsStartDebuggingRequest": True,
            "supportsVariableType": True,
        },
        launch,
    )
    code = json.loads(block("VS Code"))["configurations"][0]
    found["VS Code"] = (
        ["tuidbg", "dap"],
        {
            "adapterID": "debugpy",
            "clientID": "vscode",
            "clientName": "Visual Studio Code",
            "columnsStartAt1": True,
            "linesStartAt1": True,
            "locale": "en",
            "pathFormat": "path",
            "supportsInvalidatedEvent": True,
            "supportsMemoryEvent": True,
            "supportsMemoryReferences": True,
            "supportsProgressReporting": True,
            "supportsRunInTerminalRequest": True,
            "supportsStartDebuggingRequest": True,
            "supportsVariablePaging": True,
            "supportsVariableType": True,
        },
        {**code, "__sessionId": "x", "clientOS": "unix", "workspaceFolder": "/"},
    )
    command, arguments, configuration = elisp(block("dape"))
    found["dape"] = (
        [command, *arguments],
        {
            "adapterID": "debugpy",
            "clientID": "dape",
            "pathFormat": "path",
            "linesStartAt1": True,
            "columnsStartAt1": True,
            "supportsVariableType": True,
            "supportsMemoryEvent": True,
            "supportsRunInTerminalRequest": True,
            "supportsStartDebuggingRequest": True,
        },
        configuration,
    )
    command_line, configuration = dap_mode(block("dap-mode"))
    found["dap-mode"] = (
        command_line,
        {
            "adapterID": configuration["type"],
            "clientID": "vscode",
            "clientName": "Visual Studio Code",
            "columnsStartAt1": True,
            "linesStartAt1": True,
            "locale": "en-us",
            "pathFormat": "path",
            "supportsRunInTerminalRequest": True,
            "supportsVariablePaging": True,
            "supportsVariableType": True,
        },
        configuration,
    )
    helix = tomllib.loads(block("Helix"))["language"][0]["debugger"]
    assert helix["transport"] == "stdio"
    template = helix["templates"][0]
    found["Helix"] = (
        [helix["command"], *helix["args"]],
        {
            "clientID": "hx",
            "clientName": "helix",
            "adapterID": helix["name"],
            "linesStartAt1": True,
            "columnsStartAt1": True,
            "pathFormat": "path",
            "supportsRunInTerminalRequest": True,
        },
        template["args"],
    )
    zed = json.loads(block("Zed settings"))["dap"]["CodeLLDB"]
    found["Zed"] = (
        [zed["binary"], *zed["args"]],
        {
            "adapterID": "CodeLLDB",
            "clientID": "zed",
            "clientName": "Zed",
            "pathFormat": "path",
            "supportsVariableType": True,
            "supportsRunInTerminalRequest": True,
            "supportsStartDebuggingRequest": True,
        },
        json.loads(block("Zed"))[0],
    )
    return found


_CURRENT_FILE = ("${file}", "{0}", "$ZED_FILE", "dape-buffer-default")


def resolved(configuration: Json, program: Path) -> Json:
    """What an editor sends of it: the current file in the place of its variable."""
    return {
        name: str(program) if value in _CURRENT_FILE else value
        for name, value in configuration.items()
    }


class Terminal:
    """The terminal of an editor's: it runs what it is asked to."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self.ends: list[int] = []

    def run(self, request: Json) -> Json | None:
        if request["command"] != "runInTerminal":
            return None
        asked: dict[str, Any] = request["arguments"]
        master, slave = pty.openpty()
        self.ends.append(master)
        process = subprocess.Popen(
            asked["args"],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=asked["cwd"],
            start_new_session=True,
            preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),
        )
        os.close(slave)
        os.set_blocking(master, False)
        self.processes.append(process)
        return {"processId": process.pid}

    def type(self, text: bytes) -> None:
        os.write(self.ends[-1], text)

    def read(self) -> bytes:
        try:
            return os.read(self.ends[-1], 65536)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
        for end in self.ends:
            os.close(end)


@pytest.mark.real
@pytest.mark.parametrize("client", ["nvim-dap", "VS Code", "dape", "dap-mode", "Helix", "Zed"])
async def test_a_configuration_of_the_manual(client: str, tmp_path: Path) -> None:
    command, hello, configuration = configurations()[client]
    assert command[:2] == ["tuidbg", "dap"]
    program = tmp_path / "program.py"
    is_in_terminal = configuration.get("console") == "integratedTerminal"
    program.write_text(PROGRAM if is_in_terminal else PLAIN)
    terminal, seen = Terminal(), bytearray()
    async with stdio_editor(tmp_path, *command[2:]) as editor:
        editor.takes_reverse = terminal.run
        arguments = resolved(configuration, program)
        arguments.pop("request", None)
        wanted = {str(program): [{"line": 3}]}
        found = await editor.begin("launch", breakpoints=wanted, hello=hello, **arguments)
        assert found[str(program)][0]["verified"]
        if is_in_terminal:
            terminal.type(b"Ada\r")
        stop = await editor.stopped()
        assert await editor.line() == 3
        await editor.ask("continue", threadId=stop["threadId"])
        await editor.event("terminated")
        if is_in_terminal:

            def is_there() -> bool:
                seen.extend(terminal.read())
                return b"hello Ada" in seen

            await until(is_there)
        else:
            assert editor.output == "hello 2\n"
    terminal.close()


@pytest.mark.real
async def test_a_terminal_that_is_none(tmp_path: Path) -> None:
    """Some clients start the command on pipes, or on nothing: the program runs all the same."""
    program = tmp_path / "program.py"
    program.write_text(PLAIN)

    def run(request: Json) -> Json | None:
        arguments = request["arguments"]["args"]
        process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        _, errors = process.communicate()
        assert (process.returncode, errors) == (0, b"")
        return {}

    async with stdio_editor(tmp_path) as editor:
        editor.takes_reverse = run
        await editor.begin(
            program=str(program),
            console="integratedTerminal",
            hello={"supportsRunInTerminalRequest": True},
        )
        await editor.event("terminated")
        assert editor.output == "hello 2\n"
        told = "".join(each["output"] for each in editor.events("output"))
        assert "without a terminal" in told


@pytest.mark.real
async def test_the_second_configuration_of_vs_code_joins(tmp_path: Path) -> None:
    """With what the Python extension adds to a configuration that says nothing to attach to."""
    launch, joining = json.loads(block("VS Code"))["configurations"]
    assert launch["debugServer"] == joining["debugServer"]
    program = tmp_path / "program.py"
    program.write_text(PLAIN)
    words = [sys.executable, "-m", "tuidbg", "dap", "--port", "0", "--auth", "none"]
    process = await asyncio.create_subprocess_exec(
        *words, stdout=asyncio.subprocess.PIPE, cwd=tmp_path
    )
    assert process.stdout is not None
    port = int((await process.stdout.readline()).decode().rstrip(".\n").rpartition(":")[2])
    try:
        async with connected_editor(await asyncio.open_connection("127.0.0.1", port)) as one:
            arguments = {**resolved(launch, program), "console": "internalConsole"}
            arguments.pop("request")
            await one.begin(breakpoints={str(program): [{"line": 2}]}, **arguments)
            await one.stopped()
            async with connected_editor(await asyncio.open_connection("127.0.0.1", port)) as two:
                request = joining.pop("request")
                await two.begin(request, host="localhost", **joining)
                await two.stopped()
                assert await two.line() == 2
    finally:
        process.terminate()
        await process.wait()
