"""By each door of one session, those who get no secrets ask for all that can be read.

The doors are listed here: one that is not fails a test, until it is walked as well.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import tuidbg
from tests.api.dap.test_dap_redaction import Looking
from tests.api.test_redaction import Asking
from tests.support.agents import http_agent
from tests.support.editors import local_editor
from tests.support.interpreters import SUPPORTED
from tests.support.relay import make_hub
from tests.support.served import Served, served, use_own_folders
from tests.support.sessions import until
from tuidbg.api.auth.callers import ALL_SCOPES, AccessGate, Caller, TokenScope
from tuidbg.api.auth.tokens import Token
from tuidbg.api.mcp.server import McpServer
from tuidbg.api.mcp.tool_sets import TOOL_SETS, McpOptions
from tuidbg.api.rest.openapi import PREFIX
from tuidbg.session.core.redaction import Redaction
from tuidbg.session.features.report import write_report
from tuidbg.tui.features.trace.export import write_trace

PROGRAM = """\
from collections import namedtuple
from dataclasses import dataclass

def mark(where):
    return "hunter2-" + where

Login = namedtuple("Login", ["user", "password"])

@dataclass
class Grant:
    who: str
    access_key: str

class Account:
    def __init__(self):
        self.name = "ada"
        self.api_key = mark("attribute")

class Shown:
    def __repr__(self):
        return "<Shown token=" + mark("repr") + ">"

class Refused(Exception):
    pass

def get_password():
    return mark("returned")

def work(password):
    login = Login("ada", mark("field"))
    grant, account, shown = Grant("ada", mark("dataclass")), Account(), Shown()
    headers = {"Authorization": mark("key"), "user": "ada"}
    tokens = [mark("item")]
    failures = [ValueError(mark("builtin")), Refused(mark("own"))]
    given = get_password()
    given = len(given)
    for each in range(2):
        count = each
    raise Refused(mark("message"))

work(mark("local"))
"""


def line(text: str) -> int:
    """The line of the program that begins so."""
    return next(n for n, code in enumerate(PROGRAM.split("\n"), 1) if code.strip().startswith(text))


STOP, LOG, TRACE = line("for each"), line("given = len"), line("count =")

NAMED = ("attribute", "repr", "field", "dataclass", "key", "item", "local", "option", "evaluated")
"""Where secrets stand behind a name that tells it."""

UNNAMED = ("builtin", "own", "message")

EXPRESSIONS = (
    *("login", "grant", "account", "vars(account)", "shown", "headers", "tokens", "failures"),
    *("password", "[password]", "tokens[0]", "login.password", "failures[0]"),
)

AGENT: dict[str, dict[str, Any]] = {
    "debug_state": {},
    "threads": {},
    "evaluate": {"expressions": list(EXPRESSIONS)},
    "source": {"name": "work"},
    "breakpoint_list": {},
    "why": {"expression": "password"},
    "when": {"expression": "len(password) > 1"},
    "calls": {"function": "get_password"},
    "step_back": {"evaluate": list(EXPRESSIONS)},
    "exception_get_context": {"include_variables_for_frames": 5},
    "process_read_output": {"stream": "log"},
    "trace": {},
}
"""Tools of agents that read, with what they are asked."""

HTTP = {"/openapi.json", "/docs", "/command", "/health", "/logs", "/mcp", "/dap"}
"""Addresses besides those of REST, all of which ``Asking.look`` asks."""

MCP = {
    *("initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read"),
    *("resources/templates/list", "resources/subscribe", "resources/unsubscribe"),
    *("prompts/list", "prompts/get", "subscriptions/listen", "server/discover"),
}

OWN = "the person's own file or device: nothing of the program's values is written to it"
FILES = {
    "__main__": OWN,
    "adapters/client": "what is said to an adapter, for its owner alone (0600)",
    "adapters/debugpy/entering/enter": OWN,
    "adapters/debugpy/entering/gdb_visit": OWN,
    "adapters/debugpy/entering/traced": OWN,
    "adapters/program/other_terminal": OWN,
    "adapters/program/terminal": OWN,
    "adapters/starting": OWN,
    "api/dap/streams": "an editor that the person has started: walked as DAP",
    "api/auth/audit": "walked",
    "api/server_file": OWN,
    "cli/commands/breakpoints": "breakpoints, as the person has written them",
    "cli/main": OWN,
    "config/launch_json/plan": OWN,
    "config/files": "reads",
    "config/stores/layout_store": OWN,
    "config/stores/remembered": OWN,
    "config/stores/shared_file": OWN,
    "debuggee/attach_payload": "the reason of a failed attach, in a folder of its owner",
    "hook/opening": OWN,
    "plain/printer": OWN,
    "process/guardian": OWN,
    "process/terminals": OWN,
    "pytest/recording": OWN,
    "recording/compiling": "the user's cache (recording/test_compiling.py)",
    "recording/file": "walked (test_file.py)",
    "recording/leaving/file": "walked (test_file.py)",
    "session/features/report": "walked",
    "tui/features/table/dialog": "a table that the person has chosen",
    "tui/features/trace/export": "walked",
}
"""The modules that write files."""


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_own_folders(tmp_path, monkeypatch)


@asynccontextmanager
async def stopped(folder: Path, *tokens: Token) -> AsyncIterator[Asking]:
    """The owner's session, at a stop; they have evaluated a secret, and another is logged."""
    main = folder / "main.py"
    main.write_text(PROGRAM)
    async with served(tokens=tokens, tools="all") as target:
        owner = Token("owner", ALL_SCOPES, value=target.token)
        one = Asking(target, owner, "", folder)
        made = await one.rest("POST", "/sessions", {"project_root": str(folder)})
        one.session_id = made.json()["data"]["session_id"]
        wanted = [
            {"source": {"path": str(main)}, "line": STOP},
            {"source": {"path": str(main)}, "line": LOG, "log_message": "it is {password}"},
        ]
        path = "/sessions/{session_id}"
        await one.rest("POST", f"{path}/breakpoints", {"breakpoints": wanted})
        if max(SUPPORTED) >= (3, 12):
            await one.rest("POST", f"{path}/recording")
        args = ["--password", "hunter2-option"]
        await one.rest("POST", f"{path}/launch", {"script": str(main), "args": args})
        await until(lambda: target.member.session.frames, "it stands in the loop")
        yield one


class Reader:
    """One of those who ask, and all that they hear."""

    def __init__(self, target: Served, token: Token, session_id: str, folder: Path) -> None:
        self.asking = Asking(target, token, session_id, folder)
        caller = Caller(token.name, ALL_SCOPES, "dap", token.redact)
        self.editor = local_editor(target.hub, caller=caller)
        self._looking = Looking(self.editor, str(folder / "main.py"))

    async def until_it_has_raised(self) -> None:
        """Wait until the editor has heard of it."""
        stops = partial(self.editor.events, "stopped")
        await self.editor.until(lambda: stops()[-1]["reason"] == "exception")

    async def ask(self) -> str:
        """By HTTP, as an agent and as an editor."""
        one, target = self.asking, self.asking.target
        async with target.client(one.token.value) as client, client.stream("GET", "/logs") as logs:
            following = asyncio.create_task(_follow(logs, one.heard))
            address = target.relay.address
            async with http_agent(address, one.token.value, hub=target.hub, tools="all") as agent:
                await one.look(agent)
                for expression in EXPRESSIONS:
                    body = {"expression": expression}
                    await one.rest("POST", "/sessions/{session_id}/evaluate", body)
                    await one.bridge("evaluate", expression=expression)
                    await one.tool(agent, "variables_get", expand=expression)
                    await one.tool(agent, "lldb_evaluate", expr=expression)
                await one.bridge("watch_expr", expression="tokens")
                one.heard += map(json.dumps, agent.hits)
            async with http_agent(address, one.token.value, hub=target.hub, tools="agent") as agent:
                for name, arguments in AGENT.items():
                    await one.tool(agent, name, **arguments)
            following.cancel()
            await asyncio.wait({following})
        await self._looking.look()
        for expression in EXPRESSIONS:
            await self._looking.ask("evaluate", expression=expression, context="repl")
        return "\n".join([*one.heard, json.dumps(self.editor.told)])


async def _follow(logs: Any, heard: list[str]) -> None:
    with contextlib.suppress(Exception):
        async for text in logs.aiter_text():
            heard.append(text)


def _line(session: Any) -> int:
    frames = session.frames
    return frames[0].place.line if frames and session.stack_of else 0


def seen(told: str, wheres: tuple[str, ...]) -> list[str]:
    """Which of the secrets stand in a text, each with what is before it."""
    return [told[max(0, told.find(w) - 300) : told.find(w) + 40] for w in wheres if w in told]


def planted(*wheres: str) -> tuple[str, ...]:
    return tuple(f"hunter2-{where}" for where in wheres)


@pytest.mark.real
async def test_by_no_door_is_a_secret_told(tmp_path: Path) -> None:
    names = Token("names", ALL_SCOPES, Redaction.NAMES)
    texts = Token("texts", ALL_SCOPES, Redaction.TEXTS)
    async with stopped(tmp_path, names, texts) as owner:
        target, session = owner.target, owner.target.member.session
        readers = {
            token: Reader(target, token, owner.session_id, tmp_path)
            for token in (names, texts, owner.token)
        }
        for reader in readers.values():
            await reader.editor.begin("attach")
            await reader.editor.stopped()
        address, log = target.relay.address, "{password}\x1f{count}"
        async with http_agent(address, owner.token.value, hub=target.hub, tools="all") as agent:
            given = {"file": "main.py", "line": TRACE, "log_message": log}
            await owner.tool(agent, "tracepoint_set", **given)
        await owner.bridge("continue")
        while _line(session) == STOP:
            await owner.bridge("continue")
        await until(lambda: session.stop is not None and session.stop.exception, "it has raised")
        for reader in readers.values():
            await reader.until_it_has_raised()
        told = {}
        for token, reader in readers.items():
            for expression in ("password and 'hunter2-' + 'evaluated'",):
                asked = {"expression": expression}
                await owner.rest("POST", "/sessions/{session_id}/evaluate", asked)
            told[token] = await reader.ask()
        files = tmp_path / "files"
        files.mkdir()
        for name in ("trace.csv", "trace.json"):
            write_trace(files / name, list(session.trace))
        await write_report(session, files / "report.md")
        assert list(session.trace), "something is traced"
    assert seen(told[owner.token], planted(*NAMED, *UNNAMED)) and not [
        where for where in (*NAMED, *UNNAMED) if f"hunter2-{where}" not in told[owner.token]
    ], "the secrets are where they are looked for"
    assert seen(told[names], planted(*NAMED)) == []
    assert seen(told[names], planted("message")) != [], "names alone are hidden from them"
    assert seen(told[texts], planted(*NAMED, *UNNAMED)) == []
    assert "ada" in told[texts]
    for file in files.iterdir():
        hidden = [where for where in NAMED if where != "evaluated"]
        assert seen(file.read_text(), planted(*hidden)) == [], file


# The list of the doors


def writers() -> Iterator[str]:
    """The modules that open a file to write to it."""
    root = Path(tuidbg.__file__).parent
    for path in sorted(root.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if any(map(_may_write, ast.walk(tree))):
            yield path.relative_to(root).with_suffix("").as_posix()


def _may_write(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute) and node.attr in ("write_text", "write_bytes"):
        return True
    if not isinstance(node, ast.Call):
        return False
    function = ast.unparse(node.func)
    if function in ("os.open", "whole_file", "NamedTemporaryFile", "tempfile.NamedTemporaryFile"):
        return True
    if function.rpartition(".")[2] not in ("open", "fdopen"):
        return False
    modes = [each.value for each in _given(node) if isinstance(each, ast.Constant)]
    return any(isinstance(mode, str) and _MODE.fullmatch(mode) for mode in modes)


_MODE = re.compile("[rbt]*[wax+][rwaxbt+]*")


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(each.value for each in call.keywords)]


def test_each_file_that_is_written_is_known() -> None:
    assert set(writers()) == FILES.keys()


async def test_each_address_is_known() -> None:
    async with served() as target:
        server = target.relay._server
        assert server is not None
        outermost: Any = server.config.app
        routes = outermost._app._app.router.routes
        paths = set(_paths(routes))
    assert {path for path in paths if not path.startswith(PREFIX)} == HTTP


def _paths(routes: list[Any]) -> Iterator[str]:
    for route in routes:
        if (path := getattr(route, "path", None)) is not None:
            yield path
        else:  # a router that was included
            yield from _paths_within(route)


def _paths_within(router: Any) -> Iterator[str]:
    prefix = getattr(getattr(router, "include_context", None), "prefix", "")
    yield from (f"{prefix}{path}" for path in _paths(router.original_router.routes))


async def test_each_request_of_agents_is_known(tmp_path: Path) -> None:
    hub, _ = make_hub()
    server: Any = McpServer(hub, AccessGate(hub), McpOptions()).server
    try:
        assert set(server._request_handlers) <= MCP
    finally:
        await hub.close()


def test_each_tool_of_agents_that_reads_is_walked() -> None:
    reading = {tool.name for tool in TOOL_SETS["agent"] if tool.scope is TokenScope.READ}
    assert reading - AGENT.keys() <= {"breakpoint_wait", "compare"}
