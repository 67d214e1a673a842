"""Other debuggers for agents, each in an environment of its own and driven by its own tools."""

from __future__ import annotations

import asyncio
import html
import json
import logging
import os
import re
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters, stdio_client
from mcp.client.client import Client

from tests.benchmarks.figures import AGENT_RIVALS
from tests.benchmarks.flows.bugs import Bug
from tests.benchmarks.flows.stepwise import STEPWISE, Stepwise, Stop
from tests.benchmarks.peers import FOLDER, prepare_peers

DAP_MCP, TDB_MCP, MCP_DEBUGGER, MCP_PDB = AGENT_RIVALS

_WITHIN = 120
"""Seconds of one flow."""


@dataclass
class Told:
    """What a rival has answered, and what that took."""

    calls: int = 0
    characters: int = 0
    seconds: float = 0.0
    text: str = ""

    def holds(self, part: str) -> bool:
        """Tell whether a text stands in any answer, however that writes it."""
        return part.replace("\\", "") in html.unescape(self.text).replace("\\", "")


class Server:
    """A rival's server, with what it has told."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.told = Told()

    async def call(self, tool: str, **arguments: Any) -> str:
        """Returns the text of its answer."""
        started = time.perf_counter()
        result = await self._client.call_tool(tool, arguments)
        told = self.told
        told.seconds += time.perf_counter() - started
        text = "\n".join(getattr(each, "text", "") for each in result.content)
        told.calls += 1
        told.characters += len(text.encode())
        told.text += text + "\n"
        return text

    async def end(self, tool: str, **arguments: Any) -> None:
        """End the program; nobody counts that."""
        await self._client.call_tool(tool, arguments)


@dataclass(frozen=True)
class Target:
    """A program to debug stepwise, in a folder of its own."""

    program: Path
    steps: Stepwise
    guilty: str

    def line_of(self, statement: str) -> int:
        """The line of a statement."""
        lines = [line.strip() for line in self.program.read_text().splitlines()]
        return lines.index(statement) + 1


Flow = Callable[[Server, Target, str], Coroutine[Any, Any, None]]


async def _use_dap_mcp(server: Server, target: Target, python: str) -> None:
    path = str(target.program)
    await server.call("view_file_around_line", path=path, line=target.line_of(target.guilty))
    for stop in target.steps.stops:
        line = target.line_of(stop.at)
        await server.call("set_breakpoint", path=path, line=line, **_condition(stop))
        await server.call("launch")
        if stop.is_into:
            await server.call("step_in")
        await server.call("evaluate", expression=stop.expression)
        if stop is not target.steps.stops[-1]:
            await server.call("remove_breakpoint", path=path, line=line)
            await server.call("terminate")
    await server.end("terminate")


async def _use_tdb_mcp(server: Server, target: Target, python: str) -> None:
    path, steps = str(target.program), target.steps
    for stop in steps.stops:
        asked = {"program": path, "args": list(steps.args), "python": python}
        await server.call("debug_launch", **asked, stop_on_entry=True)
        if stop is steps.stops[0]:
            await server.call("read_source", file_path=path)
        spec = f"{path}:{target.line_of(stop.at)}"
        await server.call("set_breakpoint", spec=spec, **_condition(stop))
        await server.call("control", action="continue")
        if stop.is_into:
            await server.call("control", action="step_in")
        await server.call("inspect", expressions=[stop.expression])
        if stop is not steps.stops[-1]:
            await server.call("quit")
    await server.end("quit")


async def _use_mcp_debugger(server: Server, target: Target, python: str) -> None:
    path, steps = str(target.program), target.steps
    asked: dict[str, Any] = {}
    for stop in steps.stops:
        told = await server.call("create_debug_session", language="python", executablePath=python)
        asked = {"sessionId": json.loads(told)["sessionId"]}
        if stop is steps.stops[0]:
            around = {"file": path, "line": target.line_of(target.guilty), "linesContext": 20}
            await server.call("get_source_context", **asked, **around)
        place = {"file": path, "line": target.line_of(stop.at)}
        await server.call("set_breakpoint", **asked, **place, **_condition(stop))
        launch = {"stopOnEntry": False, "justMyCode": True}
        started = {"scriptPath": path, "args": list(steps.args), "dapLaunchArgs": launch}
        await server.call("start_debugging", **asked, **started)
        if stop.is_into:
            await server.call("step_into", **asked)
        await server.call("evaluate_expression", **asked, expression=stop.expression)
        if stop is not steps.stops[-1]:
            await server.call("close_debug_session", **asked)
    await server.end("close_debug_session", **asked)


async def _use_mcp_pdb(server: Server, target: Target, python: str) -> None:
    path, steps = str(target.program), target.steps
    await server.call("start_debug", file_path=path, args=" ".join(steps.args))
    first = max(1, target.line_of(target.guilty) - 20)
    await server.call("send_pdb_command", command=f"l {first},{first + 40}")
    for stop in steps.stops:
        if stop is not steps.stops[0]:
            await server.call("restart_debug")
        condition = f", {stop.condition}" if stop.condition else ""
        await server.call("send_pdb_command", command=f"b {target.line_of(stop.at)}{condition}")
        await server.call("send_pdb_command", command="c")
        if stop.is_into:
            await server.call("send_pdb_command", command="s")
        await server.call("send_pdb_command", command=f"p {stop.expression}")
    await server.end("end_debug")


def _condition(stop: Stop) -> dict[str, str]:
    return {"condition": stop.condition} if stop.condition else {}


@dataclass(frozen=True)
class Rival:
    """One of them. ``packages`` are of PyPI, or the one of npm."""

    name: str
    packages: tuple[str, ...]
    flow: Flow

    def install(self, python: str) -> Path:
        """The folder of its commands. Raises RuntimeError."""
        folder = FOLDER.parent / self.name
        if self.name == MCP_DEBUGGER:
            return _install_by_npm(folder, self.packages[0], python)
        commands = prepare_peers(folder, self.packages, python)
        if commands is None:
            raise RuntimeError(f"{self.name} can't be installed")
        return commands

    def command(self, commands: Path, target: Target, python: str) -> list[str]:
        """The command of its server."""
        if self.name == MCP_DEBUGGER:
            package = commands.parent / "node_modules" / "@debugmcp" / "mcp-debugger"
            return ["node", str(package / "dist" / "cli"), "stdio"]
        command = [str(commands / self.name)]
        if self.name == DAP_MCP:  # which debugs the one program that its configuration names
            config = target.program.with_suffix(".json")
            told = {
                "type": "debugpy",
                "debuggerPath": str(commands / "python"),
                "debuggerArgs": ["-m", "debugpy.adapter"],
                "python": [python],
                "program": str(target.program),
                "args": list(target.steps.args),
                "cwd": str(target.program.parent),
            }
            config.write_text(json.dumps(told))
            command += ["-c", str(config)]
        return command


RIVALS = (
    Rival(DAP_MCP, ("dap-mcp==0.1.5", "debugpy==1.8.22", "mcp<2"), _use_dap_mcp),
    Rival(TDB_MCP, ("textual-debugger==0.2.16", "mcp>=2,<3"), _use_tdb_mcp),
    Rival(MCP_DEBUGGER, ("@debugmcp/mcp-debugger@0.17.0",), _use_mcp_debugger),
    Rival(MCP_PDB, ("mcp-pdb==0.6.0", "mcp<2"), _use_mcp_pdb),
)


def _install_by_npm(folder: Path, package: str, python: str) -> Path:
    """It looks for debugpy in the Python of the path: one beside it has that."""
    commands = prepare_peers(folder / "python", ("debugpy==1.8.22",), python)
    npm = shutil.which("npm")
    if npm is None or commands is None:
        raise RuntimeError("there is no npm, or no environment for mcp-debugger")
    if not (folder / "node_modules").exists():
        command = [npm, "install", "--silent", "--prefix", str(folder), package]
        if subprocess.run(command, check=False).returncode:
            raise RuntimeError(f"{package} can't be installed")
    return folder / "bin"


async def run_rival(rival: Rival, commands: Path, bug: Bug, folder: Path) -> Told:
    """One flow of a rival over a copy of the program in ``folder``."""
    steps = STEPWISE[bug.program]
    target = Target(Path(shutil.copy(bug.path, folder)), steps, bug.guilty)
    beside = commands.parent / "python" / "bin" if rival.name == MCP_DEBUGGER else commands
    python = str(beside / "python")
    environment = {**os.environ, **steps.env}
    environment["PATH"] = f"{beside}{os.pathsep}{environment['PATH']}"
    command = rival.command(commands, target, python)
    async with asyncio.timeout(_WITHIN), _serving(command, folder, environment) as client:
        server = Server(client)
        await rival.flow(server, target, python)
    return server.told


@asynccontextmanager
async def _serving(
    command: list[str], folder: Path, environment: dict[str, str]
) -> AsyncIterator[Client]:
    # Some print what is no answer: the client leaves that out, and need not say so each time.
    logging.getLogger("mcp.client.stdio").setLevel(logging.CRITICAL)
    parameters = StdioServerParameters(
        command=command[0], args=command[1:], cwd=str(folder), env=environment
    )
    with open(os.devnull, "w") as nowhere:  # noqa: ASYNC230
        streams = stdio_client(parameters, errlog=nowhere)
        async with Client(streams, mode="legacy") as client:
            yield client


def is_found(told: Told, bug: Bug) -> bool:
    """Whether the answers hold the guilty line and the wrong value, which may stand anywhere."""
    wrong = re.sub(r"\s+", " ", STEPWISE[bug.program].wrong)
    return told.holds(bug.guilty) and told.holds(wrong)
