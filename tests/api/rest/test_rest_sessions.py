"""Sessions: made, listed, read, deleted, expired."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.support.relay import Relay, relay
from tests.support.sessions import until

pytestmark = pytest.mark.real

LONG = "import time\nprint('up', flush=True)\ntime.sleep(60)\n"


@pytest.fixture
async def client() -> AsyncIterator[Relay]:
    async with relay() as made:
        yield made


def script(tmp_path: Path, text: str = LONG) -> Path:
    path = tmp_path / "main.py"
    path.write_text(text)
    return path


async def test_defaults(client: Relay) -> None:
    answer = await client.ask("POST", "/sessions", json={})
    assert answer.status == 201
    data = answer.data
    assert set(data) == {
        *("session_id", "name", "status", "created_at", "expires_at", "config"),
    }
    assert data["status"] == "created" and data["name"]
    assert data["config"] == {
        "project_root": str(Path.cwd()),
        "python_path": sys.executable,
        "stop_on_entry": False,
    }
    created, expires = map(datetime.fromisoformat, (data["created_at"], data["expires_at"]))
    assert abs((expires - created).total_seconds() - 3600) < 0.01


@pytest.mark.parametrize(
    ("body", "field"),
    [
        pytest.param({"name": "x" * 256}, "name", id="name-too-long"),
        pytest.param({"name": 5}, "name", id="name-as-number"),
        pytest.param({"timeout_minutes": 0}, "timeout_minutes", id="timeout-0"),
        pytest.param({"timeout_minutes": 1441}, "timeout_minutes", id="timeout-1441"),
        pytest.param({"timeout_minutes": "60"}, "timeout_minutes", id="timeout-as-text"),
        pytest.param({"timeout_minutes": True}, "timeout_minutes", id="timeout-as-bool"),
        pytest.param({"stop_on_entry": 1}, "stop_on_entry", id="entry-as-number"),
        pytest.param({"nmae": "typo"}, "nmae", id="unknown-field"),
        pytest.param({"project_root": "a\0b"}, "project_root", id="nul-in-the-path"),
        pytest.param([], "body", id="a-list"),
    ],
)
async def test_bodies_that_are_none(client: Relay, body: Any, field: str) -> None:
    answer = await client.ask("POST", "/sessions", json=body)
    assert answer.refusal == (400, "INVALID_REQUEST")
    (error,) = answer.error["details"]["errors"]
    assert set(error) == {"field", "message", "value"}
    assert error["field"] == field and error["message"]
    assert not len(client.hub)


async def test_the_largest_values_are_taken(client: Relay) -> None:
    data = await client.create(name="ü" * 255, timeout_minutes=1440, stop_on_entry=True)
    assert data["name"] == "ü" * 255 and data["config"]["stop_on_entry"] is True
    assert (await client.create(timeout_minutes=1, name=None))["name"]


async def test_limit(client: Relay) -> None:
    answers = await asyncio.gather(*(client.ask("POST", "/sessions", json={}) for _ in range(14)))
    assert sorted(a.status for a in answers) == [201] * 10 + [429] * 4
    refused = next(a for a in answers if a.status == 429)
    assert refused.refusal == (429, "SESSION_LIMIT_REACHED")
    assert refused.error["details"]["max_sessions"] == 10
    client.session_id = next(a for a in answers if a.status == 201).data["session_id"]
    await client.delete()
    assert (await client.ask("POST", "/sessions", json={})).status == 201


@pytest.mark.full
async def test_expired(client: Relay, tmp_path: Path) -> None:
    await client.launch(script(tmp_path))
    (member,) = client.hub
    member.last_used -= 3601
    answer = await client.get()
    assert answer.refusal == (410, "SESSION_EXPIRED")
    assert answer.error["details"]["session_id"] == client.session_id
    client.hub._is_changed.set()
    await until(lambda: not len(client.hub) and not client.guard.remains(), "it is gone")
    for answer in (await client.get("events"), await client.delete()):
        assert answer.refusal == (410, "SESSION_EXPIRED")
    client.session_id = "sess_ffffffff"
    assert (await client.get()).refusal == (404, "SESSION_NOT_FOUND")


async def test_requests_keep_it_alive(client: Relay) -> None:
    await client.create()
    (member,) = client.hub
    for what in ("", "breakpoints", "events", "output"):
        member.last_used -= 1000
        before = member.expires_at
        await client.get(what)
        assert (member.expires_at or 0) - (before or 0) > 999


@pytest.mark.full
async def test_list(client: Relay, tmp_path: Path) -> None:
    await client.create(name="idle")
    await client.create(name="busy")
    await client.launch(script(tmp_path))
    items = (await client.ask("GET", "/sessions")).data["items"]
    assert set(items[0]) == {"session_id", "name", "status", "created_at", "program"}
    assert [(i["name"], i["program"]) for i in items] == [
        ("idle", None),
        ("busy", str(tmp_path / "main.py")),
    ]
    running = (await client.ask("GET", "/sessions?status=running")).data
    assert [i["name"] for i in running["items"]] == ["busy"] and running["total"] == 1
    assert (await client.ask("GET", "/sessions?status=failed")).data["items"] == []


@pytest.mark.full
async def test_details(client: Relay, tmp_path: Path) -> None:
    await client.create(project_root=str(tmp_path))
    fresh = (await client.get()).data
    assert set(fresh) == {
        *("session_id", "name", "status", "stop_reason", "created_at", "expires_at", "config"),
        *("program", "current_location", "stopped_thread_id", "breakpoint_count", "exception"),
    }
    assert fresh["program"] is None
    path = script(tmp_path, "x = 1\ny = 2\n")
    await client.launch(path, args=["-v"], env={"A": "b"}, stop_on_entry=True)
    paused = (await client.get()).data
    assert (paused["status"], paused["stop_reason"]) == ("paused", "entry")
    assert paused["program"] == {
        "script": str(path),
        "args": ["-v"],
        "cwd": str(tmp_path),
        "env": {"A": "b"},
    }
    location = paused["current_location"]
    assert set(location) == {"path", "line", "column", "function"}
    assert (location["path"], location["line"]) == (str(path), 1)
    assert paused["stopped_thread_id"] and paused["exception"] is None
    await client.post("continue")
    ended = await client.until_status("terminated")
    for field in ("stop_reason", "current_location", "stopped_thread_id", "exception"):
        assert fresh[field] is None and ended[field] is None


async def test_unknown(client: Relay) -> None:
    client.session_id = "sess_invalid"
    answer = await client.get()
    assert answer.refusal == (404, "SESSION_NOT_FOUND")
    assert answer.error["message"] == "Session with ID 'sess_invalid' not found"
    assert answer.error["details"] == {
        "session_id": "sess_invalid",
        "suggestion": "Use GET /api/v1/sessions to list active sessions",
    }


@pytest.mark.full
@pytest.mark.parametrize(
    ("method", "what", "body"),
    [
        *(("GET", what, None) for what in ("", "breakpoints", "threads", "stacktrace")),
        *(("GET", what, None) for what in ("scopes", "variables?variables_reference=1")),
        *(("GET", what, None) for what in ("output", "events")),
        *(("POST", what, None) for what in ("continue", "pause", "step-over", "step-into")),
        ("POST", "step-out", None),
        ("POST", "launch", {"script": "x.py"}),
        ("POST", "attach", {"port": 1}),
        ("POST", "breakpoints", {"breakpoints": [{"source": {"path": "/x.py"}, "line": 1}]}),
        ("POST", "evaluate", {"expression": "1"}),
        ("DELETE", "", None),
        ("DELETE", "breakpoints/bp_1", None),
    ],
    ids=lambda value: value if isinstance(value, str) else "body" if value else "no-body",
)
async def test_every_operation_knows_no_unknown_session(
    client: Relay, method: str, what: str, body: Any
) -> None:
    path = f"/sessions/sess_none/{what}".rstrip("/")
    answer = await client.ask(method, path, **({} if body is None else {"json": body}))
    assert answer.refusal == (404, "SESSION_NOT_FOUND")


@pytest.mark.full
async def test_only_delete_leaves_the_end(client: Relay, tmp_path: Path) -> None:
    path = script(tmp_path, "x = 1\n")
    await client.launch(path)
    await client.until_status("terminated")
    again = await client.post("launch", {"script": str(path)})
    assert again.refusal == (409, "INVALID_SESSION_STATE")
    assert again.error["details"]["current_state"] == "terminated"
    assert again.error["details"]["required_state"] == "created"
    for what in ("continue", "pause", "step-over"):
        assert (await client.post(what)).refusal == (409, "INVALID_SESSION_STATE")
    assert (await client.get()).data["status"] == "terminated"
    assert (await client.delete()).data["exit_code"] == 0


@pytest.mark.full
@pytest.mark.parametrize("state", ["created", "running", "paused", "terminated", "failed"])
@pytest.mark.parametrize("force", ["true", "false"])
async def test_delete_in_every_state(client: Relay, state: str, force: str, tmp_path: Path) -> None:
    python = {"python_path": str(tmp_path / "no_python")} if state == "failed" else {}
    await client.create(project_root=str(tmp_path), **python)
    if state == "failed":
        await client.post("launch", {"script": str(script(tmp_path))})
    elif state != "created":
        text = LONG if state != "terminated" else "raise SystemExit(3)\n"
        options = {"stop_on_entry": state == "paused", "stop_on_exception": False}
        await client.launch(script(tmp_path, text), **options)
        await client.until_status(state)
    assert (await client.get()).data["status"] == state
    data = (await client.delete(force=force)).data
    assert set(data) == {
        *("session_id", "deleted", "final_status", "exit_code", "runtime_seconds"),
    }
    assert data["deleted"] is True
    assert data["final_status"] == (state if state in ("created", "failed") else "terminated")
    if state in ("running", "paused", "terminated"):
        assert data["runtime_seconds"] > 0
    if state == "terminated":
        assert data["exit_code"] == 3
    await client.guard.until_nothing_left()
    assert (await client.delete(force=force)).refusal == (404, "SESSION_NOT_FOUND")


async def test_a_bad_force_is_refused(client: Relay) -> None:
    await client.create()
    assert (await client.delete(force="perhaps")).refusal == (400, "INVALID_PARAMETER")
    assert len(client.hub) == 1
