"""The set of tools that agents get who ask for none: what is in it, and how it is described."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest
from mcp.client.client import Client

from tests.support.agents import agent, http_agent, stdio_agent
from tests.support.served import served
from tuidbg.api.mcp.resources import AGENT_PROMPTS
from tuidbg.api.mcp.tool_sets import INSTEAD, TOOL_SETS, McpOptions

BY_NAME = (
    *("breakpoint_set", "breakpoint_remove", "breakpoint_list", "breakpoint_enable"),
    *("breakpoint_set_exception", "tracepoint_set", "breakpoint_wait", "exception_get_context"),
    *("debug_continue", "debug_state"),
)
STRONG = (
    *("debug_run", "debug_go", "run_test", "why", "when", "trace", "calls", "compare", "threads"),
    *("source", "evaluate", "step_back", "record"),
)
_PLAIN = {"type", "description", "enum", "items", "default"}


async def _names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


@pytest.mark.full
@pytest.mark.real
async def test_who_asks_for_none_gets_it(tmp_path: Path) -> None:
    own = {tool.name for tool in TOOL_SETS["agent"]}
    assert own >= {*BY_NAME, *STRONG}
    async with stdio_agent(tmp_path, "--tools", "agent") as client:
        assert await _names(client.client) == own
    async with served() as target:
        async with http_agent(target.relay.address, target.token, tools="") as client:
            assert await _names(client.client) == own
        async with http_agent(target.relay.address, target.token) as client:
            assert "debug_run" not in await _names(client.client)
    assert McpOptions().tool_set == "agent"


async def test_the_list_is_short_and_plain(tmp_path: Path) -> None:
    """Hosts that are strict want one type for each argument, and nothing that few know."""
    async with agent(tmp_path, McpOptions()) as client:
        listed = await client.client.list_tools()
    assert len(listed.model_dump_json(by_alias=True, exclude_none=True)) <= 12_000
    for tool in listed.tools:
        schema = tool.input_schema
        assert set(schema) <= {"type", "properties", "required"} and schema["type"] == "object"
        for field in schema["properties"].values():
            assert isinstance(field["type"], str) and set(field) <= _PLAIN, field
            assert field["type"] != "array" or field["items"] == {"type": "string"}


async def test_no_text_names_a_tool_that_is_not_there(tmp_path: Path) -> None:
    async with agent(tmp_path, McpOptions()) as client:
        listed = (await client.client.list_tools()).model_dump_json()
        prompts = [(await client.client.get_prompt(each.name)) for each in AGENT_PROMPTS]
    shown = listed + "".join(prompt.model_dump_json() for prompt in prompts)
    assert set(re.findall(r"\w+", shown)).isdisjoint(INSTEAD)


async def test_prompts_by_the_symptom(tmp_path: Path) -> None:
    async with agent(tmp_path, McpOptions()) as client:
        listed = (await client.client.list_prompts()).prompts
        assert [each.name for each in listed] == [
            *("wrong_value", "exception", "hang", "race", "slow_loop", "failing_test"),
            *("flaky_test", "works_here_fails_there"),
        ]
        own = {tool.name for tool in TOOL_SETS["agent"]}
        for prompt in listed:
            given = {each.name: f"<my {each.name}>" for each in prompt.arguments or ()}
            (message,) = (await client.client.get_prompt(prompt.name, given)).messages
            text = message.content.text  # type: ignore[union-attr]
            assert all(value in text for value in given.values())
            assert own & set(re.findall(r"\w+", text)) and "{" not in text
    async with agent(tmp_path) as client:
        steps = {each.name for each in (await client.client.list_prompts()).prompts}
    assert steps == {"diagnose_exception", "trace_value"}


@pytest.mark.full
@pytest.mark.real
async def test_what_is_cut_names_a_tool_of_the_set(tmp_path: Path) -> None:
    (tmp_path / "wide.py").write_text(
        "\n".join(f"name_{number} = 'x' * 200" for number in range(60)) + "\nprint(1)\n"
    )
    async with agent(tmp_path, McpOptions()) as client:
        await client.told("debug_run", program="wide.py", breakpoints=["wide.py:print(1)"])
        few = McpOptions(limits=msgspec.structs.replace(McpOptions().limits, reply=1_000, items=60))
    async with agent(tmp_path, few) as client:
        told = await client.told("debug_run", program="wide.py", breakpoints=["wide.py:print(1)"])
        assert "locals: evaluate" in told["left_out"]
        words = set(re.findall(r"\w+", json.dumps(told["left_out"])))
        assert words.isdisjoint(INSTEAD)


@pytest.mark.full
@pytest.mark.real
async def test_breakpoints_by_single_steps_as_well(tmp_path: Path) -> None:
    """The way that hosts know: set, continue, wait, look."""
    (tmp_path / "work.py").write_text(
        "def work(n):\n    total = n * 2\n    return total\n\n"
        "count = 3\nfor n in range(count):\n    work(n)\nprint('done')\n"
    )
    async with agent(tmp_path, McpOptions()) as client:
        await client.told("debug_run", program="work.py", breakpoints=["work.py:5"])
        traced = await client.told("tracepoint_set", file="work.py", line=2, log_message="n={n}")
        known = (await client.told("breakpoint_set", file="work.py", line=3, condition="n"))["id"]
        await client.told("debug_continue")
        hit = await client.told("breakpoint_wait", breakpoint_id=known)
        assert (hit["hit"], hit["location"]["line"]) == (True, 3)
        told = await client.told("breakpoint_enable", id=str(known), enabled=False)
        assert told["breakpoint"]["enabled"] is False
        await client.told("breakpoint_remove", id=1)
        listed = (await client.told("breakpoint_list"))["breakpoints"]
        assert {each["id"] for each in listed} >= {known, traced["tracepoint"]["id"]}
        told = await client.told("debug_go")
        assert (told["state"], told["exit_code"]) == ("exited", 0)
        await client.until_hits(4)  # three passages and the stop
