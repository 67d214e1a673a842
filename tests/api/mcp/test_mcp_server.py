"""The ways to the tools: stdio, streamable HTTP, a running tuidbg; and what must not hurt them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.shared.exceptions import MCPError

from tests.support.agents import (
    STEPS,
    AgentUnderTest,
    agent,
    agent_on,
    http_agent,
    stdio_agent,
)
from tests.support.relay import make_hub
from tests.support.served import Served, served, served_session, use_own_folders
from tests.support.sessions import KeepingGuard, until
from tests.support.shared import shared
from tests.support.waiting import PATIENCE
from tuidbg.api.auth.tokens import read_token
from tuidbg.api.mcp.server import instructions
from tuidbg.api.mcp.tool_sets import McpOptions
from tuidbg.cli.main import run
from tuidbg.process.guardian import Guardian
from tuidbg.process.tree import read_processes
from tuidbg.session.model.state import Status

PROGRAM = """\
def work(n):
    total = n
    return total
for n in range(1, 4):
    work(n)
"""

TALK = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
HELLO = {
    **TALK,
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@pytest.mark.parametrize("tool_set", ["job", "recording"])
async def test_a_set_that_starts_no_program_says_how_to_get_one(
    tool_set: str, tmp_path: Path
) -> None:
    joining = f"`tuidbg mcp --join --tools {tool_set}`"
    tool, arguments = {"job": ("job", {}), "recording": ("calls", {"function": "work"})}[tool_set]
    async with agent(tmp_path, McpOptions(tool_set=tool_set)) as mcp:
        refusal = await mcp.refusal(tool, **arguments)
        assert refusal.code == "NO_SESSION"
        assert joining in refusal.hint
        assert "debug_launch" not in refusal.hint
    assert (joining in instructions(tool_set)) is (tool_set == "job")


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_own_folders(tmp_path, monkeypatch)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "work.py"
    path.write_text(PROGRAM)
    return path


async def flow(client: AgentUnderTest, program: Path) -> None:
    """Set, continue, wait, inspect; and a tracepoint's and a breakpoint's notification."""
    assert (await client.launch(program))["reason"] == "entry_point"
    known = (await client.told("breakpoint_set", file="work.py", line=3))["id"]
    trace = await client.told("tracepoint_set", file="work.py", line=2, log_message="n={n}")
    waiting = asyncio.create_task(client.told("breakpoint_wait", breakpoint_id=known))
    assert (await client.told("debug_state"))["state"] == "stopped"
    await client.told("debug_continue")
    hit = await waiting
    assert hit["location"]["line"] == 3
    assert hit["snapshot"]["locals"][0]["variables"] == ["n = 1", "total = 1"]
    assert (await client.told("debug_step", action="out"))["state"] == "stopped"
    listed = [str(each.uri) for each in (await client.client.list_resources()).resources]
    assert listed == ["debugger://session", "debugger://breakpoints", "debugger://threads"]
    source = await client.client.read_resource(f"debugger://source{program}")
    assert source.contents[0].text == PROGRAM  # type: ignore[union-attr]
    hits = await client.until_hits(2)
    assert {hit["breakpointId"] for hit in hits} == {known, trace["tracepoint"]["id"]}
    await client.told("debug_disconnect")


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_over_stdio(mode: str, tmp_path: Path, program: Path) -> None:
    async with stdio_agent(tmp_path, mode=mode) as client:
        await flow(client, program)


@pytest.mark.full
@pytest.mark.real
async def test_over_http(tmp_path: Path, program: Path) -> None:
    async with served() as target, http_agent(target.relay.address, target.token) as client:
        await flow(client, program)


@pytest.mark.real
async def test_over_http_without_connections(tmp_path: Path, program: Path) -> None:
    """The newest dialect: hits come on the stream of `subscriptions/listen`."""
    async with (
        served() as target,
        http_agent(target.relay.address, target.token, mode="auto") as client,
        client.client.listen(resource_subscriptions=["debugger://breakpoints"]) as changes,
    ):
        await flow(client, program)
        async with asyncio.timeout(PATIENCE):
            assert (await anext(aiter(changes))).uri == "debugger://breakpoints"  # type: ignore[union-attr]


@pytest.mark.full
@pytest.mark.real
async def test_joined(tmp_path: Path, program: Path) -> None:
    async with served_session(tmp_path) as target, stdio_agent(tmp_path, "--join") as client:
        told = await client.told("debug_state")
        assert told["session_id"] == target.member.id and told["location"]["line"] == 1
        await client.told("breakpoint_set", file="program.py", line=3)
        hit = await client.go_on()
        assert hit["location"]["line"] == 3
        await client.until_hits(1)
    await target_is_unharmed(target)


async def target_is_unharmed(target: Served) -> None:
    assert target.hub.current is None or target.member.session.status is not Status.FAILED


@pytest.mark.real
def test_nothing_to_join(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guardian = Guardian.fork()
    try:
        assert run(["mcp", "--join"], guardian) == 2
        assert run(["mcp", "--allow", "nonsense"], guardian) == 2
        assert run(["mcp", "--max-value", "0"], guardian) == 2
    finally:
        guardian.close()
    said = capsys.readouterr().err
    assert "no tuidbg serves; press F2" in said and "there is no tool nonsense" in said


@pytest.mark.real
async def test_a_person_and_an_agent_on_one_session(tmp_path: Path) -> None:
    """Each sees what the other does."""
    async with shared(tmp_path) as bench:
        hub, session = bench.hub, bench.member.session
        async with agent_on(hub, KeepingGuard(), tmp_path) as client:
            told = await client.told("debug_state")
            assert told["state"] == "stopped"
            path, line = told["location"]["file"], told["location"]["line"]
            await bench.bench.press("b")  # the person
            await until(lambda: len(list(session.breakpoints.registry)) == 1)
            (listed,) = (await client.told("breakpoint_list"))["breakpoints"]
            assert (listed["file"], listed["line"]) == (path, line)
            await client.told("breakpoint_remove", id=listed["id"])  # the agent
            await until(lambda: not list(session.breakpoints.registry))
            await client.told("debug_step", action="over")
            assert "breakpoint_remove" in {call.action for call in hub.activity}
            assert {call.origin for call in hub.activity} == {"mcp"}
            hub.hold("mine")
            refused = await client.refusal("debug_step", action="over")
            assert refused.code == "AGENTS_PAUSED"
            assert (await client.told("debug_state"))["state"] == "stopped"


# Security


@pytest.mark.full
async def test_http_has_the_relays_security(tmp_path: Path) -> None:
    reader = read_token("reader:read")
    async with served(tokens=(reader,)) as target:
        for token, headers, status in (
            ("wrong", {}, 401),
            (target.token, {"Origin": "http://evil.example"}, 403),
            (target.token, {"Host": "evil.example"}, 421),
        ):
            async with target.client(token) as client:
                answer = await client.post("/mcp", json=HELLO, headers={**HEADERS, **headers})
            assert answer.status_code in (status, 403), answer.text
        async with http_agent(target.relay.address, reader.value) as client:
            names = {tool.name for tool in (await client.client.list_tools()).tools}
            assert "debug_state" in names and "debug_launch" not in names
            refused = await client.refusal("debug_launch", program="x.py")
            assert refused.code == "PERMISSION_DENIED"


@pytest.mark.full
async def test_a_connection_is_not_taken_over_by_another_token(tmp_path: Path) -> None:
    reader = read_token("reader:read")
    async with served(tokens=(reader,)) as target:
        async with target.client() as owner:
            begun = await owner.post("/mcp", json=HELLO, headers=HEADERS)
            headers = {**HEADERS, "Mcp-Session-Id": begun.headers["mcp-session-id"]}
            await owner.post(
                "/mcp",
                json={"jsonrpc": "2.0", "method": "notifications/initialized"},
                headers=headers,
            )
            ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
            assert "debug_state" in (await owner.post("/mcp", json=ask, headers=headers)).text
        async with target.client(reader.value) as other:
            answer = await other.post("/mcp", json=ask, headers=headers)
        assert "debug_state" not in answer.text


BAD = [
    b"{",
    b"[]",
    b"nonsense",
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": 5}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 3}}',
    b"\xff\xfe",
    b"{" * 5_000,
]


@pytest.mark.full
async def test_malformed_messages_over_http(tmp_path: Path) -> None:
    async with served() as target:
        for body in BAD:
            async with target.client() as client:
                answer = await client.post("/mcp", content=body, headers=HEADERS)
            assert 400 <= answer.status_code < 500, (body[:40], answer.text)
        async with http_agent(target.relay.address, target.token) as agent:
            assert (await agent.told("debug_state")) == {"state": "not_attached"}


@pytest.mark.full
@pytest.mark.real
def test_malformed_messages_over_stdio(tmp_path: Path) -> None:
    """Whatever comes, the next good message is answered."""
    with subprocess.Popen(
        [sys.executable, "-m", "tuidbg", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        env={**os.environ},
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for body in BAD:
            process.stdin.write(body + b"\n")
        process.stdin.write(json.dumps({**HELLO, "id": "good"}).encode() + b"\n")
        process.stdin.flush()
        while (answer := json.loads(process.stdout.readline())).get("id") != "good":
            assert "result" not in answer
        assert answer["result"]["serverInfo"]["name"] == "tuidbg"
        process.stdin.close()
        assert process.wait(timeout=PATIENCE) == 0


@pytest.mark.real
async def test_unknown_things(tmp_path: Path, program: Path) -> None:
    async with agent(tmp_path) as client:
        with pytest.raises(MCPError, match="no tool nothing"):
            await client.told("nothing")
        with pytest.raises(MCPError, match="no debug session"):
            await client.client.read_resource("debugger://breakpoints")
        await client.launch(program)
        for uri in ("debugger://nothing", "debugger://source/etc/passwd"):
            with pytest.raises(MCPError, match=r"no resource|no source"):
                await client.client.read_resource(uri)
        with pytest.raises(MCPError, match="no prompt"):
            await client.client.get_prompt("nothing")


# Lives and deaths


@pytest.mark.full
@pytest.mark.real
async def test_a_client_killed_in_mid_wait_leaves_nothing(tmp_path: Path, program: Path) -> None:
    mark = "TUIDBG_MCP_TEST"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tuidbg", "mcp", "--tools", STEPS),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, mark: str(tmp_path)},
    )
    assert process.stdin is not None and process.stdout is not None

    async def ask(number: int, method: str, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        assert process.stdin is not None
        process.stdin.write(json.dumps(message).encode() + b"\n")

    async def answer_to(number: int) -> Any:
        assert process.stdout is not None
        while (told := json.loads(await process.stdout.readline())).get("id") != number:
            pass
        return told["result"]

    await ask(1, "initialize", **HELLO["params"])  # type: ignore[arg-type]
    await answer_to(1)
    process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    await ask(
        2,
        "tools/call",
        name="debug_launch",
        arguments={"program": str(program), "stop_at_entry": True},
    )
    pid = json.loads((await answer_to(2))["content"][0]["text"])["pid"]
    await ask(3, "tools/call", name="breakpoint_wait", arguments={"timeout_ms": 60_000})
    process.stdin.close()  # what is left of a client that was killed
    await asyncio.wait_for(process.wait(), PATIENCE)
    await until(lambda: pid not in read_processes(), "the program is ended", timeout=5)


@pytest.mark.full
@pytest.mark.real
async def test_a_wait_is_cancelled_when_its_http_client_goes(tmp_path: Path, program: Path) -> None:
    async with served() as target:
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(http_agent(target.relay.address, target.token))
            await client.launch(program)
            waiting = asyncio.create_task(client.told("breakpoint_wait", timeout_ms=60_000))
            await until(lambda: "breakpoint_wait" in {c.action for c in target.hub.activity})
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        async with http_agent(target.relay.address, target.token) as other:
            told = await other.told("debug_state")
            assert (told["state"], told["reason"]) == ("stopped", "entry_point")


@pytest.mark.full
@pytest.mark.real
async def test_ten_agents_with_a_session_each(tmp_path: Path, program: Path) -> None:
    hub, guard = make_hub()
    try:
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(
                    agent_on(hub, guard, tmp_path, actor=f"agent {number}")
                )
                for number in range(10)
            ]
            for client in clients:
                await client.told("debug_state")
                member = hub.create(_config(tmp_path), origin="mcp")
                await client.told("debug_state", session_id=member.id)
            await asyncio.gather(*(client.launch(program) for client in clients))
            assert len(hub) == 10
            for client in clients:
                await client.told("breakpoint_set", file="work.py", line=3, condition="n == 2")
            hits = await asyncio.gather(*(client.go_on() for client in clients))
            assert {hit["location"]["line"] for hit in hits} == {3}
            states = [await client.told("debug_state") for client in clients]
            assert len({state["session_id"] for state in states}) == 10
            assert len(states[0]["other_sessions"]) == 9
    finally:
        await hub.close()
    await guard.until_nothing_left(3.0)


def _config(folder: Path) -> Any:
    from tuidbg.session.hub.members import SessionConfig

    return SessionConfig(project_root=str(folder), python_path=sys.executable)


@pytest.mark.real
async def test_subscriptions_tell_of_changes_once(tmp_path: Path, program: Path) -> None:
    changed: list[str] = []
    async with agent(tmp_path) as client:
        await client.launch(program)

        async def note(message: Any) -> None:
            uri = getattr(getattr(message, "params", None), "uri", None)
            if uri is not None:
                changed.append(str(uri))

        client.client.session._message_handler = note
        await client.client.session.subscribe_resource("debugger://breakpoints")
        for line in (2, 3, 5):
            await client.told("breakpoint_set", file="work.py", line=line)
        await until(lambda: changed, "told of the change")
        assert set(changed) == {"debugger://breakpoints"} and len(changed) <= 3
        resource = await client.client.read_resource("debugger://breakpoints")
        told = json.loads(resource.contents[0].text)  # type: ignore[union-attr]
        assert [each["line"] for each in told["breakpoints"]] == [2, 3, 5]


async def test_prompts(tmp_path: Path) -> None:
    async with agent(tmp_path) as client:
        listed = (await client.client.list_prompts()).prompts
        assert [each.name for each in listed] == ["diagnose_exception", "trace_value"]
        found = await client.client.get_prompt("trace_value", {"expression": "o.x", "file": "a.py"})
        text = found.messages[0].content.text  # type: ignore[union-attr]
        assert "`{o.x}`" in text and "a.py" in text
        for name in ("tracepoint_set", "breakpoint_wait"):
            assert name in text


async def test_without_the_sdk_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *more: None if name == "mcp" else find(name, *more),
    )
    async with served() as target:
        answer: httpx.Response = await target.ask("POST", "/mcp", json=HELLO, headers=HEADERS)
    assert answer.status_code == 501 and "tuidbg[mcp]" in answer.text
