"""By clients that were not written here, nor with the SDK of the server: those for TypeScript."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.node import all_is_well, needs_package, run_command
from tests.support.served import served

SCRIPT = Path(__file__).with_name("other_sdk.mjs")
PROGRAM = "total = 0\nfor number in range(3):\n    total += number\nprint('total', total)\n"

pytestmark = [pytest.mark.real, pytest.mark.full]
needs_sdk = needs_package("@modelcontextprotocol/sdk")
needs_inspector = needs_package("@modelcontextprotocol/inspector")


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


@needs_sdk
async def test_over_stdio(program: str) -> None:
    await all_is_well(SCRIPT, program, "stdio", sys.executable)


@needs_sdk
async def test_over_http(program: str) -> None:
    async with served() as target:
        await all_is_well(SCRIPT, program, f"{target.relay.address}/mcp", target.token)


@needs_inspector
async def test_by_the_inspector_over_stdio(program: str) -> None:
    await _inspect(program, sys.executable, "-m", "tuidbg", "mcp")


@needs_inspector
async def test_by_the_inspector_over_http(program: str) -> None:
    async with served() as target:
        shown = f"Authorization: Bearer {target.token}"
        address = f"{target.relay.address}/mcp"
        await _inspect(program, address, "--transport", "http", "--header", shown)


async def _inspect(program: str, *server: str) -> None:
    """Its command line lists the tools, and makes a call with texts and JSON as they are typed."""
    listed = await _ask(*server, "--method", "tools/list")
    names = {tool["name"] for tool in listed["tools"]}
    assert {"debug_run", "debug_go", "why", "breakpoint_wait"} <= names
    told = await _ask(
        *(*server, "--method", "tools/call", "--tool-name", "debug_run", "--tool-arg"),
        *(f"program={program}", f'breakpoints=["{program}:4"]', "timeout_ms=30000"),
    )
    answer = json.loads(told["content"][0]["text"])
    assert (answer["state"], answer["location"]["line"]) == ("stopped", 4)


async def _ask(*arguments: str) -> Any:
    return json.loads(await run_command("mcp-inspector", "--cli", *arguments))
