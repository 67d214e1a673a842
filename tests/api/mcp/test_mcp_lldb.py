"""The tools of LLDB beside those for breakpoints, on real programs; and the ways to them."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents import Json, agent, agent_on, http_agent, stdio_agent
from tests.support.lldb_agents import LldbAgent, RefusedByCode, hosted
from tests.support.native import compiled, line_of, lldb_session, needs_cc, needs_lldb
from tests.support.relay import make_hub
from tests.support.served import served, use_own_folders
from tests.support.sessions import until
from tuidbg.api.auth.callers import ALL_SCOPES, TokenScope
from tuidbg.api.mcp.agent import AnswerLimits
from tuidbg.api.mcp.tool_sets import McpOptions, offered_tools, read_query, write_query
from tuidbg.api.options import TOOL_SETS
from tuidbg.process.tree import read_processes

pytestmark = pytest.mark.real

native = [needs_lldb, needs_cc]

ROUNDS = "rounds.c"
WORK = line_of(ROUNDS, "in work")
LLDB = McpOptions(tool_set="lldb")


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_own_folders(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def lldb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LldbAgent]:
    with hosted(agent(tmp_path_factory.mktemp("lldb"), LLDB)) as found:
        yield found


@pytest.fixture(scope="module")
def in_work(lldb: LldbAgent) -> Iterator[str]:
    """A session whose program stands in ``work``, called by ``main``, in the first round."""
    session_id = lldb.launch(compiled(ROUNDS))
    lldb.told("setBreakpoint", sessionId=session_id, file=ROUNDS, line=WORK)
    lldb.go_on(session_id)
    yield session_id
    lldb.told("terminate", sessionId=session_id)


def value_of(lldb: LldbAgent, session_id: str, expression: str, **more: Any) -> str:
    told = lldb.told("evaluate", sessionId=session_id, expr=expression, **more)
    value: str = told["result"]["value"]
    return value


# Looking


@needs_lldb
@needs_cc
class TestLooking:
    @pytest.mark.full
    def test_threads_and_frames(self, lldb: LldbAgent, in_work: str) -> None:
        (thread,) = lldb.told("threads", sessionId=in_work)["threads"]
        assert thread["state"] == "stopped" and thread["selected"] is True
        assert thread["stopReason"] == "breakpoint"
        told = lldb.told("frames", sessionId=in_work, count=1)
        (top,) = told["frames"]
        assert (top["index"], top["function"], top["line"]) == (0, "work", WORK)
        assert (told["more"], told["next"]) == (True, 1)
        (caller,) = lldb.told("frames", sessionId=in_work, start=1, count=1)["frames"]
        assert (caller["index"], caller["function"]) == (1, "main")
        text = lldb.told("stackTrace", sessionId=in_work)["stackTrace"]
        assert text.startswith("* frame #0: 0x") and " main at " in text.splitlines()[1]

    def test_selecting(self, lldb: LldbAgent, in_work: str) -> None:
        (thread,) = lldb.told("threads", sessionId=in_work)["threads"]
        asked = {"sessionId": in_work, "threadId": thread["id"]}
        assert lldb.told("selectThread", **asked)["thread"]["selected"] is True
        frame = lldb.told("selectFrame", **asked, frameIndex=1)["frame"]
        assert (frame["function"], frame["selected"]) == ("main", True)
        assert value_of(lldb, in_work, "total") == "0"
        assert value_of(lldb, in_work, "i * 100", frameIndex=0) == "100"
        lldb.told("selectFrame", **asked, frameIndex=0)
        assert lldb.refusal("evaluate", sessionId=in_work, expr="total").code == 4004
        assert lldb.refusal("selectThread", sessionId=in_work, threadId=1).code == 4002
        assert lldb.refusal("selectFrame", **asked, frameIndex=500).code == 4003

    def test_evaluate(self, lldb: LldbAgent, in_work: str) -> None:
        told = lldb.told("evaluate", sessionId=in_work, expr="i + 41")
        assert told == {"result": {"value": "42", "type": "int", "summary": "42"}}
        told = lldb.told("evaluate", sessionId=in_work, expr="name")["result"]
        assert len(told["children"]) == 16 and told["type"] == "char[16]"
        refused = lldb.refusal("evaluate", sessionId=in_work, expr="nonsense(")
        assert refused.code == 4004

    def test_memory(self, lldb: LldbAgent, in_work: str) -> None:
        address = value_of(lldb, in_work, "&seen").split()[0]
        asked = {"sessionId": in_work, "addr": address}
        written = lldb.told("writeMemory", **asked, bytes="2a000000")
        assert written["bytesWritten"] == 4
        told = lldb.told("readMemory", **asked, size=4)
        assert told == {
            "address": hex(int(address, 16)),
            "size": 4,
            "bytes": "2a000000",
            "ascii": "*...",
        }
        assert value_of(lldb, in_work, "seen") == "42"
        stack = int(value_of(lldb, in_work, "$sp").split()[0], 0)
        told = lldb.told("readMemory", sessionId=in_work, addr=stack, size=100_000)
        assert told["size"] < 4000 and len(json.dumps(told)) <= AnswerLimits().reply
        assert lldb.refusal("readMemory", sessionId=in_work, addr=16, size=4).code == 5001
        assert lldb.refusal("writeMemory", sessionId=in_work, addr=16, bytes="00").code == 5001
        assert lldb.refusal("writeMemory", **asked, bytes="xyz").code == 1001
        assert lldb.refusal("readMemory", sessionId=in_work, addr="here", size=4).code == 1001

    def test_registers(self, lldb: LldbAgent, in_work: str) -> None:
        told = lldb.told("readRegisters", sessionId=in_work)
        general = told["registers"]["general"]
        assert int(general["rip"], 16) == int(
            lldb.told("frames", sessionId=in_work)["frames"][0]["address"], 16
        )
        assert "eax" not in general and told["otherGroups"]
        everything = lldb.told("readRegisters", sessionId=in_work, group="all")["registers"]
        assert len(everything) > 1 and "eax" in everything["general"]
        before = general["rbx"]
        told = lldb.told("writeRegister", sessionId=in_work, name="rbx", value="0x2a")
        assert told["register"] == {
            "name": "rbx",
            "oldValue": before,
            "newValue": "0x000000000000002a",
        }
        lldb.told("writeRegister", sessionId=in_work, name="rbx", value=before)
        refused = lldb.refusal("writeRegister", sessionId=in_work, name="nothing", value=1)
        assert refused.code == 5003

    def test_disassemble(self, lldb: LldbAgent, in_work: str) -> None:
        told = lldb.told("disassemble", sessionId=in_work, count=3)
        first = told["instructions"][0]
        assert len(told["instructions"]) == 3
        assert first["line"] == WORK and first["mnemonic"] and bytes.fromhex(first["opcode"])
        again = lldb.told("disassemble", sessionId=in_work, addr=told["next"], count=1)
        assert again["instructions"][0]["address"] == told["next"]

    def test_symbols_and_modules(self, lldb: LldbAgent, in_work: str) -> None:
        told = lldb.told("searchSymbol", sessionId=in_work, pattern="wor?", module="rounds")
        (found,) = told["symbols"]
        assert (found["name"], found["type"], found["module"]) == ("work", "function", "rounds")
        many = lldb.told("searchSymbol", sessionId=in_work, pattern="*", limit=7)
        assert len(many["symbols"]) == 7 and many["more"]
        modules = lldb.told("listModules", sessionId=in_work, count=1)
        (program,) = modules["modules"]
        assert (program["name"], program["type"]) == ("rounds", "executable")
        assert int(program["loadAddress"], 16) <= int(found["address"], 16)
        assert modules["more"] == modules["totalModules"] - 1 > 0

    def test_suspicious_functions(self, lldb: LldbAgent, in_work: str) -> None:
        told = lldb.told("getSuspiciousFunctions", sessionId=in_work)
        (found,) = told["suspiciousFunctions"]
        assert (found["name"], found["risk"]) == ("strcpy", "high")
        assert [call["function"] for call in found["callers"]] == ["copy"]
        assert told["summary"]["highRisk"] == 1

    def test_commands_and_the_transcript(self, lldb: LldbAgent, in_work: str) -> None:
        told = lldb.told("command", sessionId=in_work, command="frame variable i")
        assert told["output"].strip() == "(int) i = 1"
        short = lldb.told("command", sessionId=in_work, command="help", maxChars=50)
        assert len(short["output"]) == 50 and short["leftOut"] > 1000
        assert "error" in lldb.told("command", sessionId=in_work, command="nonsense")["output"]
        assert lldb.refusal("command", sessionId=in_work, command="quit").code == 7003
        assert lldb.refusal("command", sessionId=in_work, command=" ").code == 1001
        told = lldb.told("getTranscript", sessionId=in_work)
        assert "mcp> lldb_command" in told["transcript"] and "(int) i = 1" in told["transcript"]
        short = lldb.told("getTranscript", sessionId=in_work, maxChars=300)
        assert len(short["transcript"]) <= 300 and short["earlierCalls"] > 0

    def test_a_core_file(self, lldb: LldbAgent, in_work: str, tmp_path: Path) -> None:
        core = tmp_path / "rounds.core"
        told = lldb.told("createCoredump", sessionId=in_work, path=str(core))
        assert told == {"path": str(core), "size": core.stat().st_size} and told["size"] > 1000
        refused = lldb.refusal("createCoredump", sessionId=in_work, path=str(core))
        assert refused.code == 5002  # nothing is written over
        session_id = lldb.begin()
        asked = {"sessionId": session_id, "executable": str(compiled(ROUNDS))}
        assert lldb.refusal("loadCore", **asked, corePath="/nowhere").code == 2004
        loaded = lldb.told("loadCore", **asked, corePath=str(core))
        assert loaded["process"]["state"] == "stopped"
        assert value_of(lldb, session_id, "i") == "1"
        lldb.told("terminate", sessionId=session_id)

    def test_what_needs_a_stop(self, lldb: LldbAgent) -> None:
        session_id = lldb.begin(compiled(ROUNDS))
        for tool in ("continue", "stepIn", "frames", "threads", "readRegisters", "analyzeCrash"):
            assert lldb.refusal(tool, sessionId=session_id).code == 2002
        lldb.told("terminate", sessionId=session_id)


# Running


@needs_lldb
@needs_cc
class TestRunning:
    @pytest.mark.full
    def test_steps(self, lldb: LldbAgent) -> None:
        session_id = lldb.launch(compiled(ROUNDS))
        lldb.told("setBreakpoint", sessionId=session_id, file=ROUNDS, line=line_of(ROUNDS, "each"))
        lldb.go_on(session_id)
        told = lldb.told("stepIn", sessionId=session_id)
        assert told["frame"]["function"] == "work"
        assert told["thread"]["stopReason"] == "step"
        told = lldb.told("stepOver", sessionId=session_id)
        assert told["frame"]["line"] == WORK + 1
        assert lldb.told("stepOut", sessionId=session_id)["frame"]["function"] == "main"
        slow = {"expr": "(int)usleep(2000000)", "timeoutMs": 100}
        refused = lldb.refusal("evaluate", sessionId=session_id, **slow)
        assert refused.code == 4004 and "goes on" in refused.message
        lldb.told("terminate", sessionId=session_id)

    @pytest.mark.full
    def test_a_running_program(self, lldb: LldbAgent) -> None:
        session_id = lldb.begin(compiled(ROUNDS))
        asked = {"sessionId": session_id}
        flags = {"stopAtEntry": False}
        assert lldb.refusal("launch", **asked, flags={"nonsense": True}).code == 1001
        told = lldb.told("launch", **asked, args=["wait"], flags=flags)
        assert told["process"]["state"] == "running"
        assert lldb.refusal("frames", **asked).code == 4001
        paused = lldb.told("pause", **asked)
        assert paused["process"]["state"] == "stopped"
        lldb.events(session_id)
        lldb.told("continue", **asked)
        where = {"file": ROUNDS, "line": line_of(ROUNDS, "waiting")}
        number = lldb.told("setBreakpoint", **asked, **where)["breakpoint"]["id"]  # as it runs
        happened = lldb.wait(session_id, "breakpointHit")
        assert number in [each.get("breakpointId") for each in happened]
        lldb.told("deleteBreakpoint", **asked, breakpointId=number)
        pid = told["process"]["pid"]
        again = lldb.told("restart", **asked)["process"]
        assert again["state"] == "running" and again["pid"] != pid
        lldb.told("pause", **asked)
        lldb.events(session_id)
        assert lldb.told("signal", **asked, sig="TERM")["signal"] == 15
        happened = lldb.go_on(session_id)  # the debugger stops it first
        assert "SIGTERM" in [each.get("signalName") for each in happened]
        happened = lldb.go_on(session_id, "processExited")
        assert happened[-1]["type"] == "processExited" and happened[-1]["signal"] == "SIGTERM"
        lldb.told("terminate", **asked)

    @pytest.mark.full
    def test_launched_again(self, lldb: LldbAgent) -> None:
        session_id = lldb.launch(compiled(ROUNDS))
        asked = {"sessionId": session_id}
        number = lldb.told("setBreakpoint", **asked, symbol="copy")["breakpoint"]["id"]
        lldb.go_on(session_id)
        assert lldb.go_on(session_id)[-1] == {"type": "processExited", "exitCode": 0}
        told = lldb.told("launch", **asked, args=["crash"])["process"]
        assert told["state"] == "stopped"
        assert lldb.hits(session_id) == {number: 0}
        lldb.events(session_id)
        happened = lldb.go_on(session_id, "breakpointHit")
        assert number in [each.get("breakpointId") for each in happened]
        happened = lldb.go_on(session_id, "signal")  # the new arguments count
        lldb.told("terminate", **asked)

    def test_a_watchpoint(self, lldb: LldbAgent) -> None:
        session_id = lldb.launch(compiled(ROUNDS))
        asked = {"sessionId": session_id}
        address = value_of(lldb, session_id, "&seen").split()[0]
        told = lldb.told("setWatchpoint", **asked, addr=address, size=4)["watchpoint"]
        assert told == {
            "id": told["id"],
            "address": hex(int(address, 16)),
            "size": 4,
            "read": False,
            "write": True,
            "enabled": True,
        }
        happened = lldb.go_on(session_id, "watchpointHit")
        (hit,) = [each for each in happened if each["type"] == "watchpointHit"]
        assert (hit["watchpointId"], hit["accessType"]) == (told["id"], "write")
        assert not [each for each in happened if each["type"] == "breakpointHit"]
        (listed,) = lldb.told("listWatchpoints", **asked)["watchpoints"]
        assert listed["hitCount"] == 1
        assert lldb.told("listBreakpoints", **asked) == {"breakpoints": []}
        assert lldb.refusal("setWatchpoint", **asked, addr=address, size=3).code == 1001
        assert lldb.refusal("deleteWatchpoint", **asked, watchpointId=99).code == 3002
        assert lldb.told("deleteWatchpoint", **asked, watchpointId=told["id"]) == {"ok": True}
        happened = lldb.go_on(session_id)
        assert happened[-1]["type"] == "processExited"
        lldb.told("terminate", **asked)

    def test_a_crash(self, lldb: LldbAgent) -> None:
        session_id = lldb.launch(compiled(ROUNDS), "crash")
        asked = {"sessionId": session_id}
        refused = lldb.refusal("analyzeCrash", **asked)
        assert refused.code == 6001 and "has not crashed" in refused.message
        happened = lldb.go_on(session_id, "signal")
        (told,) = [each for each in happened if each["type"] == "signal"]
        assert (told["signalName"], told["signalNumber"]) == ("SIGSEGV", 11)
        told = lldb.told("analyzeCrash", **asked)
        analysis = told["analysis"]
        assert (analysis["rating"], analysis["cause"]) == ("Low", "null_pointer")
        assert (analysis["accessType"], analysis["faultAddress"]) == ("write", "0x8")
        assert "a null pointer was followed" in analysis["explanation"]
        assert analysis["instruction"]["mnemonic"].startswith("mov")
        assert "rip" in analysis["registers"]
        assert told["stack"][0]["function"] == "main"
        assert any("/* crash */" in line for line in told["source"])
        assert len(json.dumps(told)) <= AnswerLimits().reply
        lldb.told("terminate", **asked)

    def test_attach(self, lldb: LldbAgent) -> None:
        with subprocess.Popen([compiled(ROUNDS), "wait"]) as program:
            try:
                session_id = lldb.begin()
                asked = {"sessionId": session_id}
                assert lldb.refusal("attach", **asked).code == 1001
                assert lldb.refusal("attach", **asked, name="no such program").code == 2003
                told = lldb.told("attach", **asked, pid=program.pid)["process"]
                assert told == {"pid": program.pid, "state": "stopped", "name": "rounds"}
                assert lldb.events(session_id)[0] == {"type": "processAttached", "pid": program.pid}
                assert any(f["function"] == "main" for f in _frames(lldb, session_id))
                lldb.told("terminate", **asked)
                assert program.poll() is None  # it runs on
            finally:
                program.send_signal(signal.SIGKILL)  # it is waited for, whatever has failed

    def test_targets_that_are_none(self, lldb: LldbAgent, tmp_path: Path) -> None:
        session_id = lldb.begin()
        for file in ("/nowhere", str(tmp_path), str(Path(__file__))):
            assert lldb.refusal("createTarget", sessionId=session_id, file=file).code == 2001
        assert lldb.refusal("launch", sessionId=session_id).code == 2001
        told = lldb.told("createTarget", sessionId=session_id, file=sys.executable)["target"]
        assert set(told) == {"file", "arch", "triple"} and told["arch"]
        assert lldb.events(session_id) == [{"type": "targetCreated", "file": told["file"]}]
        asked = {"sessionId": session_id, "cwd": "/nowhere"}
        assert lldb.refusal("launch", **asked).code == 2002
        lldb.told("terminate", sessionId=session_id)


def _frames(lldb: LldbAgent, session_id: str) -> list[Json]:
    found: list[Json] = lldb.told("frames", sessionId=session_id)["frames"]
    return found


# Who may, and on whose sessions


@pytest.mark.parametrize(
    ("scopes", "missing"),
    [
        pytest.param(
            {TokenScope.READ},
            {"launch", "continue", "setBreakpoint", "command", "writeMemory", "evaluate", "signal"},
            id="read-only",
        ),
        pytest.param(
            ALL_SCOPES - {TokenScope.EVALUATE},
            {"evaluate", "command", "writeMemory", "writeRegister", "createCoredump"},
            id="no-evaluate",
        ),
    ],
)
def test_offered(scopes: frozenset[TokenScope], missing: set[str]) -> None:
    options = McpOptions(tool_set="lldb", scopes=frozenset(scopes))
    names = {tool.name.removeprefix("lldb_") for tool in offered_tools(options, ALL_SCOPES)}
    assert not missing & names
    assert {"pollEvents", "frames", "readMemory", "listBreakpoints"} <= names
    allowed = McpOptions(tool_set="lldb", allowed=frozenset({"lldb_frames"}))
    assert [tool.name for tool in offered_tools(allowed, ALL_SCOPES)] == ["lldb_frames"]


async def tell(client: Any, tool: str, **arguments: Any) -> Json:
    """Returns what a tool answers. Raises RefusedByCode."""
    result = await client.client.call_tool(f"lldb_{tool}", arguments)
    if result.is_error:
        raise RefusedByCode(result.content[0].text)
    told: Json = json.loads(result.content[0].text)
    return told


async def refusal(client: Any, tool: str, **arguments: Any) -> RefusedByCode:
    with pytest.raises(RefusedByCode) as refused:
        await tell(client, tool, **arguments)
    return refused.value


async def test_what_is_forbidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = McpOptions(tool_set="lldb", scopes=frozenset({TokenScope.READ}))
    async with agent(tmp_path, reading) as client:
        for tool, code in (("launch", 7001), ("attach", 7002), ("command", 7003)):
            assert (await refusal(client, tool, sessionId="x")).code == code
    quiet = McpOptions(tool_set="lldb", scopes=ALL_SCOPES - {TokenScope.EVALUATE})
    hub, guard = make_hub()
    async with agent_on(hub, guard, tmp_path, quiet) as client:
        member = hub.create(_config(tmp_path), origin="rest")
        found = await member.session.breakpoints.set_function("main", origin="tui")
        asked = {"sessionId": member.id, "breakpointId": found.number}
        assert (await refusal(client, "updateBreakpoint", **asked, condition="f()")).code == 7003
        hub.hold("mine")
        assert (await refusal(client, "deleteBreakpoint", **asked)).code == 7003
        assert (await tell(client, "listBreakpoints", sessionId=member.id))["breakpoints"]
    await hub.close()


def _config(folder: Path) -> Any:
    from tuidbg.session.hub.members import SessionConfig

    return SessionConfig(project_root=str(folder), python_path=sys.executable)


@pytest.mark.full
async def test_each_client_is_told_once(tmp_path: Path) -> None:
    """And a client that comes to a person's session begins with the present."""
    hub, guard = make_hub()
    async with agent_on(hub, guard, tmp_path, LLDB) as one:
        member = hub.create(_config(tmp_path), origin="mcp")
        asked = {"sessionId": member.id}
        await member.session.breakpoints.set_function("main", origin="tui")
        expected = [{"type": "breakpointSet", "breakpointId": 1}]
        assert (await tell(one, "pollEvents", **asked))["events"] == expected
        async with agent_on(hub, guard, tmp_path, LLDB, actor="other") as other:
            assert (await tell(other, "pollEvents", **asked))["events"] == expected
            member.session.write_output("stdout", "a\n")
            member.session.write_output("stderr", "b\n")
            member.session.write_output("stderr", "c\n")
            expected = [{"type": "stdout", "data": "a\n"}, {"type": "stderr", "data": "b\nc\n"}]
            for client in (one, other):
                assert (await tell(client, "pollEvents", **asked))["events"] == expected
                assert (await tell(client, "pollEvents", **asked))["events"] == []
    await hub.close()


async def test_much_output_is_told_in_pieces(tmp_path: Path) -> None:
    async with agent(
        tmp_path, McpOptions(tool_set="lldb", limits=AnswerLimits(output=100))
    ) as client:
        member = client.hub.create(_config(tmp_path), origin="mcp")
        for number in range(100):
            member.session.write_output("stdout", f"line {number}\n")
        asked = {"sessionId": member.id, "limit": 4}
        told = await tell(client, "pollEvents", **asked)
        assert len(told["events"]) == 4 and told["more"] > 0
        text = "".join(each["data"] for each in told["events"])
        assert max(len(each["data"]) for each in told["events"]) == 100
        while (told := await tell(client, "pollEvents", **asked))["events"]:
            text += "".join(each["data"] for each in told["events"])
        assert text.splitlines() == [f"line {number}" for number in range(100)]


@needs_lldb
@needs_cc
async def test_forbidden_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LLDB_MCP_ALLOW_LAUNCH", "LLDB_MCP_ALLOW_ATTACH"):
        monkeypatch.setenv(name, "0")
    async with agent(tmp_path, LLDB) as client:
        asked = {"sessionId": (await tell(client, "initialize"))["sessionId"]}
        assert (await refusal(client, "attach", **asked, pid=1)).code == 7002
        await tell(client, "createTarget", **asked, file=str(compiled(ROUNDS)))
        assert (await refusal(client, "launch", **asked)).code == 7001


async def test_without_lldb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    async with agent(tmp_path, LLDB) as client:
        refused = await refusal(client, "initialize")
    assert refused.code == 2000 and "lldb-dap" in refused.message


@pytest.mark.full
@needs_lldb
@needs_cc
async def test_a_persons_session(tmp_path: Path) -> None:
    """The session of a person is driven by these tools; each sees what the other does."""
    hub, guard = make_hub()
    async with (
        lldb_session(tmp_path, ROUNDS, stop_on_entry=True) as person,
        agent_on(hub, guard, tmp_path, LLDB) as client,
    ):
        await person.start()
        member = hub.adopt(person.session, origin="tui")
        own = await person.session.breakpoints.set_function("copy", origin="tui")
        (listed,) = (await tell(client, "listSessions"))["details"]
        assert (listed["sessionId"], listed["state"]) == (member.id, "stopped")
        asked = {"sessionId": member.id}
        (found,) = (await tell(client, "listBreakpoints", **asked))["breakpoints"]
        assert found["id"] == own.number and found["locations"][0]["symbol"] == "copy"
        told = await tell(client, "setBreakpoint", **asked, file=ROUNDS, line=WORK)
        breakpoints = person.session.breakpoints.registry
        assert breakpoints.get(told["breakpoint"]["id"]).line == WORK
        events = (await tell(client, "pollEvents", **asked))["events"]
        assert [e["type"] for e in events][-1] == "breakpointSet"
        await tell(client, "continue", **asked)
        await person.settled(1)
        assert person.session.frames[0].name == "work"
        await tell(client, "terminate", **asked)  # a person's stays, without its program
        assert hub.get(member.id).session is person.session
    await hub.close()


@pytest.mark.full
@needs_lldb
@needs_cc
async def test_ten_sessions_at_once(tmp_path: Path) -> None:
    async with agent(tmp_path, LLDB) as client:
        ids = [(await tell(client, "initialize"))["sessionId"] for _ in range(10)]
        assert (await refusal(client, "initialize")).code == 7003

        async def play(session_id: str, rounds: int) -> int:
            asked = {"sessionId": session_id}
            await tell(client, "createTarget", **asked, file=str(compiled(ROUNDS)))
            number = (await tell(client, "setBreakpoint", **asked, symbol="work"))["breakpoint"]
            await tell(
                client, "updateBreakpoint", **asked, breakpointId=number["id"], ignoreCount=rounds
            )
            await tell(client, "launch", **asked, flags={"stopAtEntry": False})
            while True:
                events = (await tell(client, "pollEvents", **asked))["events"]
                if any(each["type"] == "breakpointHit" for each in events):
                    break
                await asyncio.sleep(0.02)
            return int((await tell(client, "evaluate", **asked, expr="i"))["result"]["value"])

        found = await asyncio.gather(*(play(each, index) for index, each in enumerate(ids)))
        assert found == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
        assert (await tell(client, "listSessions"))["sessions"] == ids


@pytest.mark.full
@needs_lldb
@needs_cc
async def test_a_client_that_dies_leaves_nothing(tmp_path: Path) -> None:
    """Killed in the midst of a step that does not end."""
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(stdio_agent(tmp_path, "--tools", "lldb"))
        asked = {"sessionId": (await tell(client, "initialize"))["sessionId"]}
        await tell(client, "createTarget", **asked, file=str(compiled(ROUNDS)))
        told = await tell(client, "launch", **asked, args=["wait"])
        await tell(client, "setBreakpoint", **asked, symbol="copy")
        pid = told["process"]["pid"]
        waiting = asyncio.create_task(tell(client, "stepOut", **asked))
        while True:
            (thread,) = (await tell(client, "threads", **asked))["threads"]
            if thread["state"] == "running":
                break
        waiting.cancel()
        await asyncio.wait([waiting])
    await until(lambda: pid not in read_processes(), "the program is ended", timeout=5)


async def test_malformed_arguments(tmp_path: Path) -> None:
    async with agent(tmp_path, LLDB) as client:
        tools = (await client.client.list_tools()).tools
        for tool in tools:
            name = tool.name.removeprefix("lldb_")
            if "sessionId" not in tool.input_schema.get("properties", {}):
                continue
            for arguments in ({}, {"sessionId": 5}, {"sessionId": None}, {"sessionId": ["x"]}):
                assert (await refusal(client, name, **arguments)).code == 1001
            long = {"sessionId": "x" * 100_000, "nonsense": {"a": [1] * 1000}}
            assert (await refusal(client, name, **long)).code == 1002


# The ways


def test_the_sets() -> None:
    assert list(TOOL_SETS) == ["agent", "breakpoints", "recording", "job", "lldb", "all"]
    options = McpOptions(
        tool_set="lldb",
        scopes=frozenset({TokenScope.READ, TokenScope.CONTROL}),
        allowed=frozenset({"lldb_frames", "lldb_threads"}),
        limits=AnswerLimits(value=5),
    )
    assert read_query(write_query(options), McpOptions()) == options
    assert read_query("", LLDB) == LLDB
    reading = McpOptions(scopes=frozenset({TokenScope.READ}))
    assert read_query(write_query(options), reading).scopes == {TokenScope.READ}
    for query in ("tools=nonsense", "scope=nonsense", "max_value=0", "max_value=x"):
        with pytest.raises(ValueError):
            read_query(query, McpOptions())


@pytest.mark.full
async def test_the_address_and_serve_choose_the_set(tmp_path: Path) -> None:
    async with served(tools="lldb") as target:
        token = target.token
        async with http_agent(target.relay.address, token, tools="") as client:
            names = {tool.name for tool in (await client.client.list_tools()).tools}
        assert len(names) == 40 and all(name.startswith("lldb_") for name in names)
        async with stdio_agent(tmp_path, "--join", "--tools", "all", "--read-only") as client:
            names = {tool.name for tool in (await client.client.list_tools()).tools}
        assert {"debug_state", "lldb_frames"} <= names
        assert not {"debug_launch", "lldb_launch"} & names
        async with target.client() as plain:
            answer = await plain.post("/mcp?tools=nonsense", json={})
        assert answer.status_code == 400 and "there is no tool set" in answer.text


def test_every_tool_says_what_it_may_do() -> None:
    for tool in offered_tools(LLDB, ALL_SCOPES):
        assert len(tool.description) <= 200
        if tool.scope is TokenScope.READ:
            assert tool.hints == {"readOnlyHint": True}
        else:
            assert set(tool.hints) == {"destructiveHint"}
    destroying = {tool.name for tool in offered_tools(LLDB, ALL_SCOPES) if tool.destroys}
    assert {"lldb_writeMemory", "lldb_command", "lldb_terminate", "lldb_signal"} <= destroying
