"""A caller from whom secrets are kept asks for all that there is, by every way, and sees none."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.agents import AgentUnderTest, http_agent
from tests.support.served import BASE, Served, served, use_own_folders
from tests.support.sessions import until
from tests.support.waiting import PATIENCE
from tuidbg.api.app import openapi_document
from tuidbg.api.auth.callers import ALL_SCOPES
from tuidbg.api.auth.tokens import Token
from tuidbg.api.bridge.actions import ACTIONS
from tuidbg.api.mcp.resources import PROMPTS, RESOURCES, SOURCE
from tuidbg.api.mcp.tool_sets import TOOL_SETS
from tuidbg.session.core import redaction
from tuidbg.session.core.redaction import Redaction

pytestmark = pytest.mark.real

PROGRAM = """\
import sys

class Account:
    def __init__(self):
        self.name = "ada"
        self.api_key = "hunter2-attribute"
        self.headers = {"Authorization": "Bearer hunter2-item"}

def check(user_token):
    raise KeyError("hunter2-cause")

def login(password, account):
    print("welcome: hunter2-output")
    print("oops: hunter2-stderr", file=sys.stderr)
    name = account.name  # hunter2-comment
    try:
        check("hunter2-source")
    except KeyError as error:
        raise ValueError("no: hunter2-message") from error

def count(n):
    return n + len("hunter2-line")

for each in range(2):
    count(each)
login("hunter2-local", Account())
# hunter2-remark
"""

STOP, LOOP, COMMENT = 15, 25, 27

BROKEN = "password = 'x'\ndef broken(:  # hunter2-syntax\n"

PLANTED = (
    *("attribute", "item", "cause", "output", "stderr", "comment", "source", "message", "local"),
    *("argument", "option", "environment", "key", "call", "failure", "condition", "log", "watch"),
    *("syntax", "remark", "line", "notice", "build"),
)
"""Tells where secrets are, each as ``hunter2-WHERE``."""

NAMED = ("attribute", "item", "option", "key")
"""Those that always stand behind a name that tells it."""

UNNAMED = ("output", "stderr", "comment", "message", "remark", "line", "build")
"""Those that stand in texts without one."""


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_own_folders(tmp_path, monkeypatch)


BUILD = f"{sys.executable} -c \"print('hunter2-build')\""
"""A command that quotes a source, as compilers do."""


def operations() -> set[str]:
    """Everything that can be asked for, of every front end."""
    paths = openapi_document()["paths"]
    rest = {f"{method.upper()} {path}" for path in paths for method in paths[path]}
    own = {f"GET {path}" for path in ("/health", "/logs")}
    mcp = {tool.name for tool in TOOL_SETS["all"]} | RESOURCES.keys() | {SOURCE, *PROMPT_NAMES}
    return rest | {f"bridge {action}" for action in ACTIONS} | {f"bridge {o}" for o in own} | mcp


PROMPT_NAMES = {f"prompt {prompt.name}" for prompt in PROMPTS}


class Asking:
    """Whoever asks, what of, and all that was answered."""

    def __init__(self, target: Served, token: Token, session_id: str, folder: Path) -> None:
        self.target, self.token, self.session_id, self.folder = target, token, session_id, folder
        self.heard: list[str] = []
        self.asked: set[str] = {"bridge GET /logs"}  # followed from the beginning to the end

    async def rest(self, method: str, path: str, body: Any = None, **query: Any) -> httpx.Response:
        """A request of the REST relay."""
        self.asked.add(f"{method} {path}")
        path = path.format(session_id=self.session_id, breakpoint_id="bp_99")
        more = {} if body is None else {"json": body}
        reply = await self.target.ask(
            method, f"{BASE}{path}", self.token.value, params=query, **more, timeout=PATIENCE
        )
        assert reply.status_code < 500, reply.text
        self.heard.append(reply.text)
        return reply

    async def bridge(self, action: str, **fields: Any) -> None:
        """An action of the bridge."""
        self.asked.add(f"bridge {action}")
        body = {"action": action, **fields}
        reply = await self.target.ask(
            "POST", "/command", self.token.value, json=body, timeout=PATIENCE
        )
        self.heard.append(reply.text)

    async def tool(self, agent: AgentUnderTest, name: str, /, **arguments: Any) -> None:
        """An MCP tool; those of LLDB are asked about the same session."""
        self.asked.add(name)
        if name.startswith("lldb_") and "sessionId" in TOOLS[name].schema["properties"]:
            arguments = {"sessionId": self.session_id, **arguments}
        result = await agent.client.call_tool(name, arguments)
        self.heard.append(result.model_dump_json())

    async def resource(self, agent: AgentUnderTest, uri: str) -> None:
        """An MCP resource."""
        self.asked.add(SOURCE if uri.startswith(SOURCE) else uri)
        read = await agent.client.read_resource(uri)
        self.heard.append(read.contents[0].model_dump_json())

    async def prompt(self, agent: AgentUnderTest, name: str) -> None:
        """An MCP prompt."""
        self.asked.add(f"prompt {name}")
        given = {each: "main.py" for prompt in PROMPTS for each in prompt.arguments}
        self.heard.append((await agent.client.get_prompt(name, given)).model_dump_json())

    async def look(self, agent: AgentUnderTest) -> None:
        """Ask for everything that can be read, and what an expression gives."""
        for path, methods in openapi_document()["paths"].items():
            if "get" in methods and "variables" not in path:
                await self.rest("GET", path, **({"limit": 1000} if path[-1] == "s" else {}))
        for frame in range(3):
            await self._look_into(frame)
        for expression in EXPRESSIONS:
            body = {"expression": expression}
            await self.rest("POST", "/sessions/{session_id}/evaluate", body)
            await self.rest("POST", "/sessions/{session_id}/job/evaluate", body)
            await self.bridge("evaluate", expression=expression)
            await self.tool(agent, "evaluate", expression=expression)
            await self.tool(agent, "variables_get", expand=expression)
            await self.tool(agent, "lldb_evaluate", expr=expression)
        await self.tool(agent, "process_read_output", stream="log")
        reply = await self.target.ask("GET", "/health", self.token.value)
        self.asked.add("bridge GET /health")
        self.heard.append(reply.text)
        for action, what in ACTIONS.items():
            if what.scope == "read":
                await self.bridge(action, threadId=1)
        await self.bridge("watch_expr", expression="account")
        for name, arguments in READING.items():
            await self.tool(agent, name, **arguments)
        await self.tool(agent, "variables_get", scope="globals")
        uris = [str(each.uri) for each in (await agent.client.list_resources()).resources]
        for uri in (*uris, f"{SOURCE}{str(self.folder / 'main.py').lstrip('/')}"):
            await self.resource(agent, uri)

    async def _look_into(self, frame: int) -> None:
        path = "/sessions/{session_id}/"
        scopes = (await self.rest("GET", f"{path}scopes", frame_id=frame)).json()["data"]
        waiting = [each["variables_reference"] for each in (scopes or {}).get("scopes", ())[:1]]
        for _ in range(12):
            if not waiting:
                break
            reply = await self.rest("GET", f"{path}variables", variables_reference=waiting.pop())
            found = reply.json()["data"]["variables"]
            waiting += [v["variables_reference"] for v in found if v["variables_reference"]][:4]


EXPRESSIONS = (
    *("account", "vars(account)", "password", "check(1)", "nonsense", "[password]"),
    *("__import__('os').environ", "__import__('sys').argv", "__exception__", "account.headers"),
)

TOOLS = {tool.name: tool for tool in TOOL_SETS["all"]}

_PLAIN = (
    *("threads_list", "stacktrace_get", "variables_get", "breakpoint_list", "debug_state"),
    *("process_read_output", "exception_get_context", "lldb_listSessions", "lldb_listBreakpoints"),
    *("lldb_threads", "lldb_frames", "lldb_stackTrace", "lldb_disassemble", "lldb_readRegisters"),
    *("lldb_listWatchpoints", "lldb_listModules", "lldb_getSuspiciousFunctions"),
    *("lldb_pollEvents", "lldb_getTranscript", "lldb_analyzeCrash", "calls", "step_back", "job"),
)
READING: dict[str, dict[str, Any]] = {
    **{name: {} for name in _PLAIN},
    "lldb_readMemory": {"addr": 4096, "size": 64},
    "lldb_searchSymbol": {"pattern": "*"},
    "why": {"expression": "password"},
    "job_evaluate": {"expression": "password"},
}
ACTING: dict[str, dict[str, Any]] = {
    "breakpoint_set": {"file": "main.py", "line": COMMENT},
    "breakpoint_remove": {"id": 99},
    "breakpoint_enable": {"id": 99},
    "breakpoint_set_exception": {"exception_type": "OSError"},
    "breakpoint_wait": {"timeout_ms": 100, "snapshot": True},
    "tracepoint_set": {"file": "main.py", "line": COMMENT},
    "evaluate": {"expression": "1"},
    "job_command": {"command": "pause"},
    "function_lifetime": {"function": "count"},
    "record": {},
    "when": {"expression": "password"},
    "debug_launch": {"program": "broken.py"},
    "debug_attach": {"pid": 1},
    "debug_continue": {},
    "debug_pause": {},
    "debug_step": {"action": "over"},
    "process_write_input": {"data": "x\n"},
    "debug_disconnect": {},
    "lldb_initialize": {},
    "lldb_createTarget": {"file": "broken.py"},
    "lldb_loadCore": {"corePath": "core", "executable": "broken.py"},
    "lldb_launch": {},
    "lldb_attach": {"pid": 1},
    "lldb_signal": {"sig": "SIGCONT"},
    "lldb_createCoredump": {"path": "core"},
    "lldb_setBreakpoint": {"file": "main.py", "line": COMMENT},
    "lldb_deleteBreakpoint": {"breakpointId": 99},
    "lldb_updateBreakpoint": {"breakpointId": 1, "enabled": True},
    "lldb_evaluate": {"expr": "1"},
    "lldb_selectThread": {"threadId": 1},
    "lldb_selectFrame": {"threadId": 1, "frameIndex": 0},
    "lldb_writeMemory": {"addr": 4096, "bytes": "00"},
    "lldb_writeRegister": {"name": "rax", "value": 1},
    "lldb_setWatchpoint": {"addr": 4096, "size": 4},
    "lldb_deleteWatchpoint": {"watchpointId": 99},
    "lldb_command": {"command": "help"},
    "lldb_restart": {},
    "lldb_pause": {},
    "lldb_stepIn": {"timeoutMs": 2_000},
    "lldb_stepOver": {"timeoutMs": 2_000},
    "lldb_stepOut": {"timeoutMs": 2_000},
    "lldb_continue": {},
    "lldb_terminate": {},
}


@asynccontextmanager
async def asking(folder: Path, *, hides: Redaction) -> AsyncIterator[Asking]:
    """The one whom this is about; another one has started the program and asked things."""
    (folder / "main.py").write_text(PROGRAM)
    (folder / "broken.py").write_text(BROKEN)
    other = Token("other", ALL_SCOPES)
    agent = Token("agent", ALL_SCOPES, hides)
    async with served(
        tokens=(other, agent), manage_bridge=True, build_cmd=BUILD, tools="all"
    ) as target:
        by_other = Asking(target, other, "", folder)
        made = await by_other.rest("POST", "/sessions", {"project_root": str(folder)})
        by_other.session_id = made.json()["data"]["session_id"]
        await _start(by_other, folder)
        yield Asking(target, agent, by_other.session_id, folder)


async def _start(other: Asking, folder: Path) -> None:
    main = str(folder / "main.py")
    wanted = [
        {"source": {"path": main}, "line": LOOP, "condition": "each == 0 or 'hunter2-condition'"},
        {"source": {"path": main}, "line": STOP},
        {"source": {"path": main}, "line": STOP - 1, "log_message": "hunter2-log {password}"},
        {"source": {"path": main}, "line": STOP - 2, "condition": "{}['hunter2-notice']"},
    ]
    told = await other.rest("POST", "/sessions/{session_id}/breakpoints", {"breakpoints": wanted})
    assert told.status_code == 200, told.text
    body = {
        "script": main,
        "args": ["--password", "hunter2-argument", "--token=hunter2-option", "-phunter2-argument"],
        "env": {"DATABASE": "db://hunter2-environment@host", "API_KEY": "hunter2-key"},
    }
    await other.rest("POST", "/sessions/{session_id}/launch", body)
    await until(lambda: other.target.member.session.frames, "it stands in the loop")
    for expression in ("'hunter2-call'", "{}['hunter2-failure']"):
        body = {"expression": expression}
        await other.rest("POST", "/sessions/{session_id}/evaluate", body)
    await other.bridge("watch_expr", expression="['hunter2-watch', password]")


async def _all_that_is_told(folder: Path, *, hides: Redaction) -> str:
    async with (
        asking(folder, hides=hides) as one,
        http_agent(
            one.target.relay.address, one.token.value, hub=one.target.hub, tools=""
        ) as agent,
        one.target.client(one.token.value) as client,
        client.stream("GET", "/logs") as logs,
    ):
        following = asyncio.create_task(_follow(logs, one.heard))
        member = one.target.member
        await one.tool(agent, "function_lifetime", function="count")
        await one.tool(
            agent, "tracepoint_set", file="main.py", line=STOP + 2, log_message="{password}"
        )
        while _line(member) != STOP:
            await one.bridge("continue")
        await one.look(agent)
        await one.bridge("continue")
        await one.look(agent)
        assert member.session.stop is not None and member.session.stop.exception is not None
        remark = "/sessions/{session_id}/breakpoints"
        entry = {"source": {"path": str(folder / "main.py")}, "line": COMMENT}
        await one.rest("POST", remark, {"breakpoints": [entry]})
        for action in ("step-over", "step-into", "step-out", "pause", "continue"):
            await one.rest("POST", f"/sessions/{{session_id}}/{action}")
        await one.rest("POST", "/sessions", {})
        made = json.loads(one.heard[-1])["data"]["session_id"]
        await one.rest("POST", f"/sessions/{made}/launch", {"script": str(folder / "broken.py")})
        await one.rest("DELETE", f"/sessions/{made}")
        for name, arguments in ACTING.items():
            await one.tool(agent, name, **arguments)
        await one.rest("POST", "/sessions/{session_id}/job/commands", {"command": "pause"})
        for prompt in PROMPTS:
            await one.prompt(agent, prompt.name)
        one.asked.add("POST /sessions/{session_id}/launch")  # of the one that was made above
        one.asked.add("DELETE /sessions/{session_id}")
        await one.rest("POST", "/sessions/{session_id}/attach", {"port": 1})
        await one.rest("DELETE", "/sessions/{session_id}/breakpoints/{breakpoint_id}")
        await one.bridge("select_thread", threadId=1)
        await one.bridge("evaluate_swift", expression="password")
        await one.bridge("set_breakpoint", file=str(folder / "main.py"), line=COMMENT)
        for action in ("build", "restart", "next", "step_in", "launch", "disconnect"):
            await one.bridge(action)
        await _ask_the_recording(one)
        await one.rest("DELETE", "/sessions/{session_id}")
        assert operations() - one.asked == set(), "each operation is asked"
        one.heard += map(json.dumps, agent.hits)
        following.cancel()
        await asyncio.wait({following})
        return "\n".join(one.heard)


async def _ask_the_recording(one: Asking) -> None:
    path = "/sessions/{session_id}/recording"
    await one.rest("POST", path)
    await one.rest("GET", f"{path}/variables")
    for each in ("evaluate", "time"):
        await one.rest("POST", f"{path}/{each}", {"expression": "password"})
    await one.rest("DELETE", path)


def _line(member: Any) -> int:
    frames = member.session.frames
    return frames[0].place.line if frames and member.session.stack_of else 0


async def _follow(logs: httpx.Response, heard: list[str]) -> None:
    with contextlib.suppress(httpx.ReadError):  # the server has stopped
        async for text in logs.aiter_text():
            heard.append(text)


@pytest.mark.full
async def test_none_of_it_is_told(tmp_path: Path) -> None:
    told = await _all_that_is_told(tmp_path, hides=Redaction.TEXTS)
    found = [told[at - 160 : at + 30] for at in range(len(told)) if told.startswith("hunter2", at)]
    assert found == []
    assert redaction.REDACTED in told and '"ada"' in told.replace("'", '"')


@pytest.mark.full
async def test_others_are_told_all_of_it(tmp_path: Path) -> None:
    """The secrets are where the test above looks for them."""
    told = await _all_that_is_told(tmp_path, hides=Redaction.NOTHING)
    assert [where for where in PLANTED if f"hunter2-{where}" not in told] == []


@pytest.mark.full
async def test_by_names_the_others_are_told(tmp_path: Path) -> None:
    told = await _all_that_is_told(tmp_path, hides=Redaction.NAMES)
    assert [where for where in NAMED if f"hunter2-{where}" in told] == []
    assert [where for where in UNNAMED if f"hunter2-{where}" not in told] == []
