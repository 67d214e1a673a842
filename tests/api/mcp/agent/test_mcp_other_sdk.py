"""By a client that was not written here, nor with the SDK of the server: that for TypeScript."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.node import all_is_well, needs_package
from tests.support.served import served

SCRIPT = Path(__file__).with_name("other_sdk.mjs")
PROGRAM = "total = 0\nfor number in range(3):\n    total += number\nprint('total', total)\n"

pytestmark = [pytest.mark.real, needs_package("@modelcontextprotocol/sdk")]


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


async def test_over_stdio(program: str) -> None:
    await all_is_well(SCRIPT, program, "stdio", sys.executable)


async def test_over_http(program: str) -> None:
    async with served() as target:
        await all_is_well(SCRIPT, program, f"{target.relay.address}/mcp", target.token)
