"""Continue, pause, steps; threads and stacks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.relay import Relay, relay
from tests.support.waiting import PATIENCE
from tuidbg.adapters.errors import RequestFailed, RequestTimedOut
from tuidbg.api.operations import execution as running
from tuidbg.session.core.control import Control
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.events import LogEntry, Stopped

pytestmark = pytest.mark.real

PROGRAM = """\
import threading
import time


def double(n):
    result = [n] * 2
    return result


def main():
    found = double(3)
    more = double(4)
    time.sleep(0.5)
    return found + more


class Deep:
    def down(self, n):
        if n:
            return self.down(n - 1)
        return n


worker = threading.Thread(target=time.sleep, args=(60,), daemon=True, name="Worker-1")
worker.start()
main()
Deep().down(30)
while True:
    time.sleep(0.01)
"""


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Relay]:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM)
    async with relay() as made:
        await made.stopped_at(path, 11)
        yield made


THREADS = """\
import threading, time

def work(n):
    while True:
        n += 1

def wait():
    time.sleep(60)

for target, args in ((work, (1,)), (wait, ())):
    threading.Thread(target=target, args=args, daemon=True, name=target.__name__).start()
while True:
    time.sleep(0.01)
"""


@pytest.mark.full
@pytest.mark.parametrize("name", ["MainThread", "work", "wait"])
async def test_a_pause_is_of_the_thread_that_was_asked_for(name: str, tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_text(THREADS)
    async with relay() as client:
        await client.launch(path)
        async with asyncio.timeout(PATIENCE):
            threads: dict[str, int] = {}
            while len(threads) < 3:
                found = await client.get("threads")
                threads = (
                    {t["name"]: t["id"] for t in found.data["threads"]}
                    if found.status == 200
                    else {}
                )
        paused = (await client.post("pause", {"thread_id": threads[name]})).data
        assert paused["current_location"]["function"] == {"MainThread": "<module>"}.get(name, name)
        session = (await client.get()).data
        assert session["stopped_thread_id"] == threads[name]
        (stopped,) = [e["body"] for e in await client.all_events() if e["type"] == "stopped"]
        assert (stopped["thread_id"], stopped["all_threads_stopped"]) == (threads[name], True)
        stack = (await client.get("stacktrace")).data
        assert stack["thread_id"] == threads[name]
        assert stack["frames"][0]["name"] == paused["current_location"]["function"]
        if name == "work":
            stepped = (await client.post("step-over", {"thread_id": threads[name]})).data
            assert stepped["thread_id"] == threads[name] and stepped["stop_reason"] == "step"


@pytest.mark.full
async def test_continue_and_pause(client: Relay, tmp_path: Path) -> None:
    paused = await client.post("pause")
    assert paused.refusal == (409, "INVALID_SESSION_STATE")
    assert paused.error["message"] == "Cannot pause: session is not running"
    assert (await client.post("continue")).data == {
        "session_id": client.session_id,
        "status": "running",
        "continued": True,
    }
    refused = await client.post("continue")
    assert refused.refusal == (409, "INVALID_SESSION_STATE")
    data = (await client.post("pause", {})).data
    assert set(data) == {"session_id", "status", "stop_reason", "current_location"}
    assert (data["status"], data["stop_reason"]) == ("paused", "pause")
    assert data["current_location"]["path"] == str(tmp_path / "main.py")
    assert (await client.get()).data["stop_reason"] == "pause"
    thread = (await client.get("threads")).data["stopped_thread_id"]
    assert (await client.post("continue", {"thread_id": thread})).data["continued"] is True


async def test_steps(client: Relay, tmp_path: Path) -> None:
    into = (await client.post("step-into", {"granularity": "line"})).data
    assert set(into) == {
        *("session_id", "status", "stop_reason", "current_location", "thread_id"),
    }
    assert (into["status"], into["stop_reason"]) == ("paused", "step")
    assert into["current_location"] == {
        "path": str(tmp_path / "main.py"),
        "line": 6,
        "column": 1,
        "function": "double",
    }
    over = (await client.post("step-over", {"granularity": "statement"})).data
    assert over["current_location"]["line"] == 7 and over["thread_id"] == into["thread_id"]
    out = (await client.post("step-out", {"thread_id": into["thread_id"]})).data
    assert out["current_location"]["function"] == "main"
    assert out["return_value"] == {"type": "list", "value": "[3, 3]"}
    assert (await client.post("step-over")).data["current_location"]["line"] == 12


@pytest.mark.full
async def test_what_stops_a_step_first_is_told(client: Relay, tmp_path: Path) -> None:
    await client.break_at(tmp_path / "main.py", 6)
    data = (await client.post("step-over")).data
    assert data["stop_reason"] == "breakpoint" and data["current_location"]["line"] == 6
    await client.break_at(tmp_path / "main.py", 7)
    out = (await client.post("step-out")).data
    assert out["stop_reason"] == "breakpoint" and out["return_value"] is None


@pytest.mark.full
async def test_a_step_over_the_end(tmp_path: Path) -> None:
    path = tmp_path / "short.py"
    path.write_text("x = 1\ny = 2\n")
    async with relay() as client:
        await client.stopped_at(path, 2)
        data = (await client.post("step-over")).data
        assert data["status"] == "terminated"
        assert data["current_location"] is None and data["stop_reason"] is None


@pytest.mark.full
async def test_steps_while_it_runs(client: Relay) -> None:
    await client.post("continue")
    for step in ("step-over", "step-into", "step-out"):
        answer = await client.post(step)
        assert answer.refusal == (409, "INVALID_SESSION_STATE")
        assert answer.error["message"] == f"Cannot {step}: session is not paused"
        assert answer.error["details"] == {
            "current_state": "running",
            "required_state": "paused",
            "suggestion": "Call POST /sessions/{id}/pause first or wait for a breakpoint",
        }


@pytest.mark.full
async def test_steps_that_last(client: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    defaults, of_pause = running.step.__kwdefaults__, Control.pause.__kwdefaults__
    assert defaults is not None and of_pause is not None
    assert defaults["timeout"] == of_pause["timeout"] == 30
    await client.post("step-over")
    await client.post("step-over")
    monkeypatch.setitem(defaults, "timeout", 0.1)
    answer = await client.post("step-over")
    assert answer.refusal == (504, "DEBUGPY_TIMEOUT")
    assert (await client.get()).data["status"] == "running"
    await client.until_status("paused")
    monkeypatch.undo()
    assert (await client.post("step-over")).data["stop_reason"] == "step"


@pytest.mark.full
async def test_unknown_threads_and_granularities(client: Relay) -> None:
    for what in ("step-over", "step-into", "step-out", "continue"):
        answer = await client.post(what, {"thread_id": 4711})
        assert answer.refusal == (404, "THREAD_NOT_FOUND")
        assert answer.error["details"]["thread_id"] == 4711
    for what in ("step-over", "step-into"):
        answer = await client.post(what, {"granularity": "instruction"})
        assert answer.refusal == (400, "INVALID_PARAMETER")
    wrong: list[object] = [{"thread_id": "1"}, {"granularity": "line", "x": 1}, []]
    for body in wrong:
        assert (await client.post("step-over", body)).refusal == (400, "INVALID_REQUEST")
    assert (await client.get()).data["current_location"]["line"] == 11


@pytest.mark.full
async def test_of_two_steppers_one_is_refused(client: Relay) -> None:
    answers = await asyncio.gather(client.post("step-over"), client.post("step-over"))
    assert sorted(answer.status for answer in answers) == [200, 409]
    assert (await client.get()).data["current_location"]["line"] == 12


async def test_a_step_that_another_one_follows_answers_when_the_program_stands(
    client: Relay,
) -> None:
    """Somebody is so quick that the stop of the step is gone before it could be told of."""
    session = client.hub.get(client.session_id).session
    stepping: list[asyncio.Task[None]] = []

    def follow(entry: LogEntry) -> None:
        if isinstance(entry.event, Stopped) and not stepping:
            again = session.execution.resume(Resume.STEP_OVER, origin="tui")
            stepping.append(asyncio.create_task(again))

    session.events.subscribers.add(follow)
    data = (await client.post("step-over")).data
    assert (data["status"], data["stop_reason"]) == ("paused", "step")
    assert data["current_location"]["line"] == 13


@pytest.mark.full
async def test_paused_agents_may_look_and_not_act(client: Relay) -> None:
    client.hub.hold("I am looking at it myself")
    answer = await client.post("step-over")
    assert answer.refusal == (409, "AGENTS_PAUSED")
    assert "I am looking at it myself" in answer.error["message"]
    assert (await client.get("stacktrace")).status == 200
    client.hub.hand_back()
    assert (await client.post("step-over")).status == 200
    calls = [(call.action, call.failed) for call in client.hub.activity]
    assert calls[-3:] == [("stepOver", True), ("getStackTrace", False), ("stepOver", False)]


@pytest.mark.full
async def test_threads(client: Relay) -> None:
    await client.post("continue")
    running = (await client.get("threads")).data
    assert running["stopped_thread_id"] is None
    assert {thread["status"] for thread in running["threads"]} == {"running"}
    await client.post("pause")
    data = (await client.get("threads")).data
    assert set(data) == {"threads", "stopped_thread_id"}
    assert set(data["threads"][0]) == {"id", "name", "status", "is_current"}
    assert {t["name"] for t in data["threads"]} >= {"MainThread", "Worker-1"}
    assert all(type(t["id"]) is int and t["status"] == "paused" for t in data["threads"])
    (current,) = (t["id"] for t in data["threads"] if t["is_current"])
    assert current == data["stopped_thread_id"]
    await client.create()
    answer = await client.get("threads")
    assert answer.refusal == (409, "INVALID_SESSION_STATE")
    assert answer.error["details"]["required_state"] == "running or paused"


@pytest.mark.full
async def test_stacks(client: Relay, tmp_path: Path) -> None:
    path = str(tmp_path / "main.py")
    await client.break_at(tmp_path / "main.py", 21)
    await client.post("continue")
    await client.until_status("paused")
    data = (await client.get("stacktrace")).data
    assert set(data) == {"thread_id", "frames", "total_frames"}
    assert data["total_frames"] == 32
    assert [frame["id"] for frame in data["frames"]] == list(range(20))
    top = data["frames"][0]
    assert set(top) == {
        *("id", "name", "source", "line", "column", "module_name", "presentation_hint"),
    }
    assert top["source"] == {"path": path, "name": "main.py"}
    assert (top["line"], top["module_name"], top["presentation_hint"]) == (21, "__main__", "normal")
    part = (await client.get("stacktrace", start_frame=30, levels=50)).data
    assert [(f["id"], f["name"]) for f in part["frames"]] == [(30, top["name"]), (31, "<module>")]
    assert part["total_frames"] == 32
    assert len((await client.get("stacktrace", levels=0)).data["frames"]) == 32
    beyond = (await client.get("stacktrace", start_frame=99)).data
    assert beyond["frames"] == [] and beyond["total_frames"] == 32
    worker = next(
        t["id"] for t in (await client.get("threads")).data["threads"] if t["name"] == "Worker-1"
    )
    assert (await client.get("stacktrace", thread_id=worker)).data["thread_id"] == worker


@pytest.mark.full
async def test_stacks_that_are_none(client: Relay) -> None:
    assert (await client.get("stacktrace", thread_id=99)).refusal == (404, "THREAD_NOT_FOUND")
    for query in ({"thread_id": "one"}, {"start_frame": -1}, {"levels": "all"}):
        answer = await client.get("stacktrace", **query)
        assert answer.refusal == (400, "INVALID_PARAMETER")
    await client.post("continue")
    cases: list[tuple[str, dict[str, int]]] = [
        ("stacktrace", {}),
        ("scopes", {}),
        ("variables", {"variables_reference": 0}),
    ]
    for what, asked in cases:
        assert (await client.get(what, **asked)).refusal == (409, "INVALID_SESSION_STATE")


@pytest.mark.full
async def test_adapters_that_fail(client: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    (member,) = client.hub
    for error, refusal in (
        (RequestFailed("threads", "it would not"), (500, "DEBUGPY_ERROR")),
        (RequestTimedOut("threads", 30), (504, "DEBUGPY_TIMEOUT")),
    ):

        async def fail(*_: object, error: Exception = error, **__: object) -> None:
            raise error

        monkeypatch.setattr(member.session.adapter, "request", fail)
        assert (await client.get("threads")).refusal == refusal
    monkeypatch.undo()
    assert (await client.get("threads")).status == 200
