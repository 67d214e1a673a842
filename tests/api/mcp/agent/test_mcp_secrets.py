"""A caller from whom secrets are kept asks by every tool of the agents' set, and sees none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents import AgentUnderTest, agent
from tests.support.interpreters import SUPPORTED
from tests.support.marked import MarkedProgram
from tuidbg.api.mcp.tool_sets import TOOL_SETS, McpOptions
from tuidbg.session.core import redaction

NEWEST = max(SUPPORTED)

PROGRAM = """
import os, sys

class Account:
    def __init__(self, api_key):
        self.api_key = api_key
        self.headers = {"Authorization": "Bearer hunter2-item"}

def check(user_token):
    print("welcome: hunter2-output", user_token)
    return len(user_token)  #: check

def login(password, account):
    name = "ada"  # hunter2-comment
    check("hunter2-argument")  #: login
    raise ValueError("no: hunter2-message")  #: raise

api_key = os.environ.get("API_KEY", "hunter2-default")
login("hunter2-local", Account(api_key))
"""

TEST = """
def test_login():
    password = "hunter2-" + "test"
    assert password == "hunter2-other", "hunter2-assertion"
"""

EXPRESSIONS = ["password", "account", "vars(account)", "[password]", "__import__('os').environ"]


async def _ask_all(client: AgentUnderTest, marked: MarkedProgram, folder: Path) -> set[str]:
    """Asks by all tools, in the order in which something is there to be told; what was asked."""
    python = SUPPORTED[NEWEST]
    run = {"program": str(marked.path), "python": python}
    stop = f"{marked.path}:{marked['login']}"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("debug_run", {**run, "record": True, "breakpoints": [stop], "evaluate": EXPRESSIONS}),
        ("debug_state", {}),
        ("threads", {}),
        ("evaluate", {"expressions": EXPRESSIONS}),
        ("source", {"name": "login"}),
        ("breakpoint_set", {"file": str(marked.path), "line": marked["check"], "condition": "1"}),
        ("breakpoint_set_exception", {"exception_type": "ValueError"}),
        (
            "tracepoint_set",
            {"file": str(marked.path), "line": marked["raise"], "log_message": "{password}"},
        ),
        ("breakpoint_list", {}),
        ("breakpoint_enable", {"id": 1, "enabled": False}),
        ("why", {"expression": "password"}),
        ("why", {"expression": "account.api_key"}),
        ("when", {"expression": "password"}),
        ("calls", {"function": "login"}),
        ("step_back", {"evaluate": ["password", "account"]}),
        ("debug_continue", {}),
        ("breakpoint_wait", {}),
        ("debug_go", {"action": "over", "evaluate": EXPRESSIONS}),
        ("debug_go", {"evaluate": EXPRESSIONS}),
        ("exception_get_context", {"include_variables_for_frames": 10}),
        ("process_read_output", {}),
        ("process_read_output", {"stream": "log"}),
        ("breakpoint_remove", {"id": 1}),
        ("record", {"is_on": False}),
        ("trace", {**run, "places": [stop], "expressions": EXPRESSIONS}),
        ("run_test", {"test": "test_login.py::test_login"}),
        (
            "compare",
            {**run, "env": {"API_KEY": "hunter2-key"}, "other_env": {"API_KEY": "hunter2-other"}},
        ),
        ("debug_disconnect", {"terminate": True}),
    ]
    told = []
    for name, arguments in calls:
        result = await client.client.call_tool(name, arguments)
        told.append(result.model_dump_json())
    told.append(json.dumps(client.hits))
    client.hits.clear()
    (folder / "told").write_text("\n".join(told))
    return {name for name, _ in calls}


@pytest.mark.sampled
@pytest.mark.real
@pytest.mark.skipif(NEWEST < (3, 12), reason="only Python 3.12 and newer is recorded")
@pytest.mark.parametrize("redact", [False, True])
async def test_no_tool_tells_a_secret(tmp_path: Path, redact: bool) -> None:
    marked = MarkedProgram(tmp_path, PROGRAM)
    (tmp_path / "test_login.py").write_text(TEST)
    async with agent(tmp_path, McpOptions(), redact=redact) as client:
        asked = await _ask_all(client, marked, tmp_path)
    assert asked == {tool.name for tool in TOOL_SETS["agent"]}
    told = (tmp_path / "told").read_text()
    parts = ("item", "output", "argument", "comment", "message", "local", "test", "key", "default")
    seen = [part for part in parts if f"hunter2-{part}" in told]
    if redact:
        assert seen == [] and "hunter2" not in told and redaction.REDACTED in told
    else:
        assert set(parts) - {"comment"} <= set(seen), "else nothing is proved"
