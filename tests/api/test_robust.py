"""Whatever dies, whenever: the right code, the true state, no process left, nothing leaked."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.processes import resident_of
from tests.support.fakes import FakeProfile, Script, rule
from tests.support.recording import busy, count_up, moment, program
from tests.support.relay import BASE, Answer, Json, Relay, relay, serving
from tests.support.sessions import fail, until
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.api.feed.feed import Feed, feed_of
from tuidbg.api.feed.log import MAX_OUTPUT_BYTES
from tuidbg.session.core.control import Control
from tuidbg.session.core.session import Session
from tuidbg.session.hub import api_call_log as activity
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.state import Status

TICKING = "import time\nx = 1\nwhile True:\n    time.sleep(0.01)\n"
SLEEPY = """\
import time
x = 1
open(__file__ + ".begun", "w").close(); time.sleep(60)
x = 2
"""

OVER = ("terminated", "failed")


def write(folder: Path, text: str) -> Path:
    path = folder / "main.py"
    path.write_text(text)
    return path


def session_of(client: Relay) -> Session:
    return client.hub.get(client.session_id).session


async def in_state(client: Relay, state: str, script: Path) -> None:
    """A session on the real adapter in that state."""
    await client.create(project_root=str(script.parent))
    if state == "created":
        return
    if state == "failed":
        await fail(session_of(client))
        return
    await client.launch(script, stop_on_entry=state in ("paused", "terminated"))
    await client.until_status("paused" if state in ("paused", "terminated") else "running")
    if state == "terminated":
        await session_of(client).lifecycle.stop()


def kill_program(client: Relay) -> None:
    pid = session_of(client).pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


async def assert_over(client: Relay, status: str) -> None:
    """It can be read, not used, and deleted; nothing of it lives then."""
    told = (await client.get()).data
    assert told["status"] == status
    assert told["current_location"] is None and told["stopped_thread_id"] is None
    for what, body in (
        ("continue", None),
        ("pause", None),
        ("step-over", {}),
        ("step-into", {}),
        ("step-out", None),
        ("evaluate", {"expression": "1"}),
        ("launch", {"script": "/nowhere.py"}),
        ("attach", {"port": 1}),
    ):
        answer = await client.post(what, body)
        assert answer.refusal == (409, "INVALID_SESSION_STATE"), what
        assert answer.error["details"]["current_state"] == status
    for what in ("threads", "stacktrace", "scopes"):
        assert (await client.get(what)).refusal == (409, "INVALID_SESSION_STATE"), what
    events = await client.all_events()
    assert [e["type"] for e in events].count("terminated") == 1
    assert events[-1]["type"] == "terminated"
    assert (await client.get("output")).status == 200
    assert (await client.get("breakpoints")).status == 200
    deleted = (await client.delete()).data
    assert deleted["final_status"] == status
    await client.guard.until_nothing_left()
    assert (await client.get()).refusal == (404, "SESSION_NOT_FOUND")


async def to_the_last_event(client: Relay) -> Answer:
    """Poll for events until the one that says that it is over."""
    cursor: dict[str, str] = {}
    while True:
        answer = await client.get("events", limit=1000, timeout=30, **cursor)
        if "terminated" in [event["type"] for event in answer.data["events"]]:
            return answer
        cursor = {"cursor": answer.data["next_cursor"]}


# The program or the adapter dies


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("state", ["running", "paused"])
async def test_the_program_dies(tmp_path: Path, state: str) -> None:
    async with relay() as client:
        await in_state(client, state, write(tmp_path, TICKING))
        kill_program(client)
        await client.until_status(*OVER)
        await assert_over(client, "terminated")


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("state", ["terminated", "failed"])
async def test_nothing_is_left_to_die_when_it_is_over(tmp_path: Path, state: str) -> None:
    async with relay() as client:
        await in_state(client, state, write(tmp_path, TICKING))
        await client.guard.until_nothing_left()
        await assert_over(client, state)


async def test_created_sessions_have_no_process(tmp_path: Path) -> None:
    async with relay() as client:
        await in_state(client, "created", write(tmp_path, TICKING))
        assert not client.guard.launches
        assert (await client.delete()).data["final_status"] == "created"


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("call", ["step-over", "evaluate", "events"])
async def test_a_call_is_under_way_when_it_dies(tmp_path: Path, call: str) -> None:
    """Whoever waits is answered at once, and with the truth."""
    async with relay() as client:
        script = write(tmp_path, SLEEPY)
        await client.create(project_root=str(tmp_path))
        await client.break_at(script, 3)
        await client.launch(script)
        await client.until_status("paused")
        if call == "evaluate":
            begun = tmp_path / "begun"
            expression = f"(open({str(begun)!r}, 'w').close(), time.sleep(60))"
            waiting = asyncio.create_task(client.post("evaluate", {"expression": expression}))
            await until(begun.exists, "it evaluates")
        elif call == "step-over":
            waiting = asyncio.create_task(client.post("step-over"))
            await until(Path(f"{script}.begun").exists, "it steps")
        else:
            waiting = asyncio.create_task(to_the_last_event(client))
            await until(lambda: bool(feed_of(client.hub.get(client.session_id))._waiters))
        async with asyncio.timeout(15):
            kill_program(client)
            answer = await waiting
        if call == "evaluate":
            assert answer.refusal == (409, "INVALID_SESSION_STATE")
            assert answer.error["details"]["current_state"] == "terminated"
        elif call == "step-over":
            assert answer.status == 200 and answer.data["status"] == "terminated"
            assert answer.data["current_location"] is None
        else:
            assert answer.data["session_status"] == "terminated"
        await client.until_status(*OVER)
        await assert_over(client, "terminated")


# While it starts: the fake adapter can be told when


@asynccontextmanager
async def fake_relay(script: Script) -> AsyncIterator[Relay]:
    profile = FakeProfile(script)
    async with relay(profile=lambda: profile) as client:
        yield client


@pytest.mark.sampled
@pytest.mark.parametrize("moment_of", ["start", "initialize", "launch", "configurationDone"])
@pytest.mark.parametrize("how", ["die", "torn"])
async def test_the_adapter_dies_while_it_starts(tmp_path: Path, moment_of: str, how: str) -> None:
    if (moment_of, how) == ("start", "torn"):
        how = "die"
    path = write(tmp_path, "x = 1\ny = 2\n")
    fake = Script(count_up(str(path), 2), rules=[rule(moment_of, how)])
    async with fake_relay(fake) as client:
        await client.create(project_root=str(tmp_path))
        answer = await client.post("launch", {"script": str(path)})
        assert answer.refusal == (500, "LAUNCH_FAILED")
        assert "Traceback" not in answer.error["message"]
        await assert_over(client, "failed")


@pytest.mark.full
@pytest.mark.real
async def test_deleted_while_a_step_goes_on(tmp_path: Path) -> None:
    """Who waits for the step learns at once that there is nothing to wait for."""
    async with relay() as client:
        script = write(tmp_path, SLEEPY)
        await client.create(project_root=str(tmp_path))
        await client.break_at(script, 3)
        await client.launch(script)
        await client.until_status("paused")
        stepping = asyncio.create_task(client.post("step-over"))
        await until(Path(f"{script}.begun").exists, "it steps")
        async with asyncio.timeout(5):
            await client.delete()
            told = (await stepping).data
        assert told["status"] == "terminated" and told["current_location"] is None


@pytest.mark.parametrize("moment_of", ["initialize", "launch", "configurationDone"])
async def test_deleted_while_it_starts(tmp_path: Path, moment_of: str) -> None:
    path = write(tmp_path, "x = 1\ny = 2\n")
    fake = Script(count_up(str(path), 2), rules=[rule(moment_of, "hang")])
    async with fake_relay(fake) as client:
        await client.create(project_root=str(tmp_path))
        launching = asyncio.create_task(client.post("launch", {"script": str(path)}))
        await until(lambda: bool(client.guard.launches), "it starts")
        assert (await client.get()).data["status"] == "launching"
        for what in ("step-over", "pause", "continue", "launch"):
            body = {"script": str(path)} if what == "launch" else None
            answer = await client.post(what, body)
            assert answer.refusal == (409, "INVALID_SESSION_STATE"), what
            assert answer.error["details"]["current_state"] == "launching"
        async with asyncio.timeout(3):
            deleted = (await client.delete()).data
            assert (await launching).refusal == (500, "LAUNCH_FAILED")
        assert deleted["deleted"] is True
        await client.guard.until_nothing_left()


# A client dies


async def send_and_go(client: Relay, method: str, what: str, body: Any = None) -> None:
    """Ask for something on a connection of its own, and hang up as soon as it is under way."""
    base = client.client.base_url
    _, writer = await asyncio.open_connection(base.host, base.port)
    content = b"" if body is None else json.dumps(body).encode()
    before = len(client.hub.activity)
    writer.write(
        f"{method} {BASE}/sessions/{client.session_id}/{what} HTTP/1.1\r\n"
        f"Host: {base.host}:{base.port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n".encode()
        + content
    )
    await until(lambda: len(client.hub.activity) > before, "the request has arrived")
    writer.transport.abort()


@pytest.mark.full
@pytest.mark.real
async def test_a_client_dies_while_its_program_starts(tmp_path: Path) -> None:
    """The program goes on; whoever asks next finds it."""
    async with serving() as client:
        script = write(tmp_path, TICKING)
        await client.create(project_root=str(tmp_path))
        await send_and_go(client, "POST", "launch", {"script": str(script), "stop_on_entry": True})
        told = await client.until_status("paused")
        assert told["stop_reason"] == "entry"
        assert (await client.delete()).data["final_status"] == "terminated"


@pytest.mark.full
@pytest.mark.real
async def test_a_client_dies_in_a_step(tmp_path: Path) -> None:
    async with serving() as client:
        script = write(tmp_path, SLEEPY)
        await client.create(project_root=str(tmp_path))
        await client.break_at(script, 3)
        await client.launch(script)
        await client.until_status("paused")
        await send_and_go(client, "POST", "step-over")
        assert (await client.until_status("running"))["stopped_thread_id"] is None
        assert (await client.post("step-over")).refusal == (409, "INVALID_SESSION_STATE")
        assert (await client.get("threads")).data["threads"]
        assert (await client.delete()).data["deleted"] is True


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("state", ["created", "running", "paused", "terminated", "failed"])
async def test_clients_die_while_they_wait_for_events(tmp_path: Path, state: str) -> None:
    """Nobody else notices, and deleting the session ends what still waited."""
    async with serving() as client:
        await in_state(client, state, write(tmp_path, TICKING))
        cursor = (await client.get("events", limit=1000)).data["next_cursor"]
        member = client.hub.get(client.session_id)
        for _ in range(20):
            await send_and_go(client, "GET", f"events?timeout=30&cursor={cursor}")
        told = (await client.get()).data
        assert told["status"] == state
        await client.delete()
        await until(lambda: not feed_of(member)._waiters, "nobody waits any more")
        await until(lambda: all(call.seconds is not None for call in client.hub.activity))


@pytest.mark.full
@pytest.mark.real
async def test_a_client_dies_in_the_middle_of_its_request(tmp_path: Path) -> None:
    async with serving() as client:
        await in_state(client, "paused", write(tmp_path, TICKING))
        base = client.client.base_url
        _, writer = await asyncio.open_connection(base.host, base.port)
        writer.write(
            f"POST {BASE}/sessions/{client.session_id}/continue HTTP/1.1\r\n"
            f"Host: {base.host}:{base.port}\r\nContent-Type: application/json\r\n"
            'Content-Length: 100\r\n\r\n{"thread'.encode()
        )
        await writer.drain()
        writer.transport.abort()
        assert (await client.get()).data["status"] == "paused"
        assert (await client.post("step-over")).data["status"] == "paused"


# Leaks


KEPT_CALLS = 100
"""Calls that this server remembers: with 2,000 it would be filled by 700 sessions."""

CREATED = 250
LAUNCHED = 12
REAL = 6
WARM = 100
"""Sessions until every bounded list of the server's is full."""

MOST_GROWTH = 100_000
"""Bytes that may be held more after another 150 sessions: 600 each would be a leak."""


@pytest.mark.full
@pytest.mark.real
async def test_hundreds_of_sessions_leak_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(activity, "KEPT", KEPT_CALLS)
    path = write(tmp_path, "x = 1\ny = 2\n")
    fake = FakeProfile(Script(program([moment(str(path), 1), busy(str(path), 2)])))
    is_real = False
    async with relay(profile=lambda: DebugpyProfile() if is_real else fake) as client:

        async def one(launch: bool) -> None:
            await client.create(project_root=str(tmp_path))
            if launch:
                await client.break_at(path, 1)
                await client.launch(path, stop_on_entry=True)
                await client.post("continue")
            await client.get("events")
            assert (await client.delete()).data["deleted"] is True

        others = (await _holdings({}))["objects"]  # of tests that were before
        is_real = True
        for _ in range(REAL):
            await one(launch=True)
        is_real = False
        tracemalloc.start()
        try:
            for number in range(WARM):
                await one(launch=number % 20 == 0)
            before = await _holdings(others)
            for number in range(CREATED - WARM):
                await one(launch=number % 20 == 0)
            after = await _holdings(others)
        finally:
            tracemalloc.stop()
        assert client.hub.current is None and not len(client.hub)
        assert len(client.guard.launches) >= LAUNCHED + REAL
        assert after["objects"] == before["objects"] == others, after["held by"]
        assert after["files"] <= before["files"]
        assert after["tasks"] <= before["tasks"]
        assert after["memory"] - before["memory"] < MOST_GROWTH


def _held_by(held: object, known: list[Any]) -> list[str]:
    """Whatever refers to it, and to that, as far as is told in a few lines."""
    told: list[str] = []
    seen, edge = {id(held), id(known), id(told)}, [held]
    for depth in range(8):
        above = [each for each in gc.get_referrers(*edge) if id(each) not in seen]
        above = [each for each in above if type(each).__name__ != "list_iterator"][:8]
        seen |= {id(each) for each in above} | {id(above), id(edge)}
        told += [f"{depth} {type(each).__name__} {each!r:.150}" for each in above]
        if not (edge := above):
            break
    return told


async def _holdings(others: dict[str, int]) -> dict[str, Any]:
    """Returns what the process holds when all that should has ended, but for ``others``."""
    kinds = (Session, HubSession, Feed, Control)
    alive: list[str] = []
    holders: list[str] = []

    def count() -> dict[str, int]:
        return {name: alive.count(name) for name in set(alive)}

    def are_gone() -> bool:
        gc.collect()
        found = [each for each in gc.get_objects() if isinstance(each, kinds)]
        alive[:] = [type(each).__name__ for each in found]
        holders[:] = _held_by(found[0], found) if found else []
        return count() == others

    with suppress(AssertionError):  # what still is there is told
        await until(are_gone, timeout=5)
    return {
        "held by": "\n".join(holders),
        "objects": count(),
        "files": len(list(Path("/dev/fd").iterdir())),
        "tasks": len(asyncio.all_tasks()),
        "memory": tracemalloc.get_traced_memory()[0],
    }


# Memory


FLOOD = """\
import sys
line = "x" * 99_999 + "\\n"
for _ in range(1_000):
    sys.stdout.write(line)
"""

MOST_MEMORY = 75
"""MB that the whole process may grow by; the output alone was 100."""


@pytest.mark.full
@pytest.mark.real
async def test_a_flood_of_output_is_bounded(tmp_path: Path) -> None:
    async with relay() as client:
        script = write(tmp_path, FLOOD)
        before = resident_of(os.getpid())
        await client.launch(script)
        await until(lambda: session_of(client).status is Status.TERMINATED, "its end", timeout=60)
        assert resident_of(os.getpid()) - before < MOST_MEMORY
        ring = feed_of(client.hub.get(client.session_id))._output
        assert 0 < ring.bytes <= MAX_OUTPUT_BYTES
        page: Json = (await client.get("output", limit=1)).data
        assert page["dropped"] == ring.dropped > 0
        assert page["has_more"] is True
        kept = sum(len(entry[0].output) for entry in ring._entries)
        assert kept <= MAX_OUTPUT_BYTES
        assert await client.all_events()
