"""Values at places over a whole run, as a table."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.support.agents import agent
from tests.support.marked import MarkedProgram
from tuidbg.api.auth.callers import TokenScope
from tuidbg.api.mcp.tool_sets import McpOptions
from tuidbg.session.core import redaction

AGENT = McpOptions(tool_set="agent")

SUM = """
def add(total, number):
    password = "hunter2"
    total += number  #: add
    return total

total = 0
for number in range(300):
    total = add(total, number)
print("total", total)
"""


@pytest.mark.full
@pytest.mark.real
async def test_a_run_as_a_table(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, SUM)
    async with agent(tmp_path, AGENT) as client:
        told = await client.told(
            "trace",
            program="program.py",
            places=[f"program.py:{marked['add']} if number < 3", "program.py:return total"],
            expressions=["number", "total", "nothing"],
            count=5,
        )
        assert (told["state"], told["exit_code"]) == ("exited", 0)
        assert "total 44850" in told["output"]
        assert told["columns"] == ["place", "number", "total", "nothing"]
        add, back = f"program.py:{marked['add']}", f"program.py:{marked['add'] + 1}"
        error = "<error: NameError>"
        assert told["rows"] == [
            [add, "0", "0", error],
            [back, "0", "0", error],
            [add, "1", "0", error],
            [back, "1", "1", error],
            [add, "2", "1", error],
        ]
        assert (told["total"], told["next_start"]) == (303, 5)
        told = await client.told("trace", start=302, expressions=["number", "total", "nothing"])
        assert told["rows"] == [[back, "299", "44850", error]]
        assert "next_start" not in told and "output" not in told
        told = await client.told("trace", start=0, count=1_000)
        assert len(msgspec.json.encode(told)) < 8_200 and told["next_start"] == len(told["rows"])


@pytest.mark.real
async def test_what_it_refuses(tmp_path: Path) -> None:
    MarkedProgram(tmp_path, SUM)
    scopes = frozenset(TokenScope) - {TokenScope.EVALUATE}
    async with agent(tmp_path, McpOptions(tool_set="agent", scopes=scopes)) as client:
        run = {"program": "program.py", "places": ["add"]}
        assert "expressions" in (await client.refusal("trace", **run)).message
        refused = await client.refusal("trace", **run, expressions=["number"])
        assert refused.code == "PERMISSION_DENIED"
        assert not list(client.hub)
        assert (await client.refusal("trace")).code == "NO_SESSION"


@pytest.mark.full
@pytest.mark.real
async def test_places_of_a_program_that_stands(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, SUM)
    async with agent(tmp_path, AGENT, redact=True) as client:
        await client.told("debug_run", program="program.py", breakpoints=["program.py:total = 0"])
        place = f"{marked.path}:{marked['add']}"
        told = await client.told("trace", places=[place], expressions=["password"])
        assert (told["state"], told["rows"]) == ("stopped", [])
        assert (await client.told("debug_go"))["state"] == "exited"
        told = await client.told("trace", count=2)
        assert told["total"] == 300 and redaction.REDACTED in str(told["rows"])
        assert "hunter2" not in str(told)
