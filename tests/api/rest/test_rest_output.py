"""Output and events: pages, cursors, long-polling, and what an event holds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.relay import Relay, relay, serving
from tests.support.sessions import until
from tuidbg.api.feed.feed import Feed, feed_of

pytestmark = pytest.mark.real

TALK = """\
import sys
for i in range(5):
    print(f"line {i} \u00fc\u2713")
print("oops", file=sys.stderr)
print("no end", end="")
"""


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Relay]:
    async with relay() as made:
        await made.create(project_root=str(tmp_path))
        yield made


def script(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "main.py"
    path.write_text(text)
    return path


@pytest.mark.full
async def test_output(client: Relay, tmp_path: Path) -> None:
    await client.launch(script(tmp_path, TALK))
    await client.until_status("terminated")
    data = (await client.get("output")).data
    assert {"entries", "next_cursor", "has_more"} <= set(data) and data["has_more"] is False
    assert set(data["entries"][0]) == {"category", "output", "timestamp", "source", "line"}
    text = {
        category: "".join(e["output"] for e in data["entries"] if e["category"] == category)
        for category in ("stdout", "stderr", "console")
    }
    assert text["stdout"] == "".join(f"line {i} ü✓\n" for i in range(5)) + "no end"
    assert text["stderr"] == "oops\n" and "exit code 0" in text["console"]
    times = [entry["timestamp"] for entry in data["entries"]]
    assert times == sorted(times)


@pytest.mark.full
async def test_output_in_pages(client: Relay, tmp_path: Path) -> None:
    await client.launch(script(tmp_path, TALK))
    await client.until_status("terminated")
    whole = (await client.get("output")).data["entries"]
    for more in ({}, {"category": "stdout"}):
        wanted = [e for e in whole if e["category"] in (more.get("category"), e["category"])]
        wanted = [e for e in wanted if not more or e["category"] == "stdout"]
        found: list[Any] = []
        query: dict[str, Any] = dict(more)
        while True:
            page = (await client.get("output", limit=2, **query)).data
            assert (await client.get("output", limit=2, **query)).data == page
            found += page["entries"]
            query["cursor"] = page["next_cursor"]
            if not page["has_more"]:
                break
        assert found == wanted
        assert (await client.get("output", **query)).data["entries"] == []


@pytest.mark.parametrize("what", ["output", "events"])
async def test_cursors_that_are_none(client: Relay, what: str) -> None:
    mine = (await client.get(what)).data["next_cursor"]
    other_stream = (await client.get("events" if what == "output" else "output")).data
    other = Relay(client.hub, client.guard, client.client)
    await other.create()
    theirs = (await other.get(what)).data["next_cursor"]
    assert (await client.get(what, cursor=mine)).status == 200
    wrong = ("", "nonsense", "eyJvZmZzZXQiOjEwMH0=", theirs, other_stream["next_cursor"], "ü" * 9)
    for cursor in (*wrong, "x" * 5000, mine[:-3]):
        answer = await client.get(what, cursor=cursor)
        assert answer.refusal == (400, "INVALID_PARAMETER")
        assert answer.error["details"]["parameter"] == "cursor"


@pytest.mark.parametrize(
    ("what", "query"),
    [
        pytest.param("output", {"category": "important"}, id="unknown-category"),
        pytest.param("output", {"limit": 0}, id="output-limit-0"),
        pytest.param("events", {"limit": 1001}, id="events-limit-1001"),
        pytest.param("events", {"timeout": -1}, id="timeout-negative"),
        pytest.param("events", {"timeout": "long"}, id="timeout-as-text"),
    ],
)
async def test_parameters_that_are_none(client: Relay, what: str, query: dict[str, Any]) -> None:
    assert (await client.get(what, **query)).refusal == (400, "INVALID_PARAMETER")


RUN = """\
import threading

def work():
    print("working")
    return 5

thread = threading.Thread(target=work)
thread.start()
thread.join()
raise SystemExit(3)
"""


@pytest.mark.full
async def test_events_of_a_run(client: Relay, tmp_path: Path) -> None:
    path = script(tmp_path, RUN)
    await client.break_at(path, 4)
    await client.launch(path, stop_on_exception=False)
    await client.until_status("paused")
    await client.post("continue")
    await client.until_status("terminated")
    data = (await client.get("events", limit=1000)).data
    assert set(data) == {"events", "next_cursor", "has_more", "session_status"}
    assert data["session_status"] == "terminated"
    events = data["events"]
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
    assert all({"seq", "type", "timestamp", "body"} <= set(e) for e in events)
    assert {e["type"] for e in events} == {
        *("stopped", "continued", "terminated", "output", "breakpoint", "thread", "module"),
    }
    few = (await client.get("events", limit=2)).data
    assert few["events"] == events[:2] and few["has_more"] is True
    rest = (await client.get("events", cursor=few["next_cursor"], limit=1000)).data
    assert rest["events"] == events[2:]


def of_type(events: list[Any], kind: str) -> list[Any]:
    return [event["body"] for event in events if event["type"] == kind]


@pytest.mark.full
async def test_bodies_of_events(client: Relay, tmp_path: Path) -> None:
    path = script(tmp_path, RUN)
    await client.break_at(path, 4)
    await client.launch(path, stop_on_exception=False)
    await client.until_status("paused")
    await client.post("step-over")
    await client.post("continue")
    await client.until_status("terminated")
    events = await client.all_events()
    first, second = of_type(events, "stopped")[:2]
    assert first | {"thread_id": 0} == {
        "reason": "breakpoint",
        "description": "Paused on breakpoint",
        "thread_id": 0,
        "preserve_focus_hint": False,
        "text": None,
        "all_threads_stopped": True,
        "hit_breakpoint_ids": ["bp_1"],
    }
    assert second["reason"] == "step" and second["hit_breakpoint_ids"] == []
    assert set(of_type(events, "continued")[0]) == {"thread_id", "all_threads_continued"}
    (end,) = of_type(events, "terminated")
    assert end == {"exit_code": 3, "restart": False, "error": "Process exited with code 3"}
    assert events[-1]["type"] == "terminated"
    told = next(b for b in of_type(events, "output") if "working" in b["output"])
    assert set(told) == {"category", "output", "source", "line", "column"}
    assert told["category"] == "stdout"


@pytest.mark.full
async def test_breakpoint_thread_and_module_events(client: Relay, tmp_path: Path) -> None:
    path = script(tmp_path, RUN)
    await client.break_at(path, 4)
    await client.launch(path, stop_on_exception=False)
    await client.until_status("paused")
    await client.delete("breakpoints/bp_1")
    await client.post("continue")
    await client.until_status("terminated")
    events = await client.all_events()
    breakpoints = of_type(events, "breakpoint")
    assert [b["reason"] for b in breakpoints] == ["new", "changed", "removed"]
    assert breakpoints[1]["breakpoint"] == {
        "id": "bp_1",
        "verified": True,
        "line": 4,
        "message": None,
    }
    threads = of_type(events, "thread")
    assert {t["reason"] for t in threads} == {"started", "exited"}
    assert all(type(t["thread_id"]) is int for t in threads)
    modules = of_type(events, "module")
    assert {m["reason"] for m in modules} == {"new"}
    assert set(modules[0]["module"]) == {
        *("id", "name", "path", "is_optimized", "is_user_code", "version"),
    }
    assert str(path) in {m["module"]["path"] for m in modules}


@pytest.mark.full
async def test_exceptions(client: Relay, tmp_path: Path) -> None:
    await client.launch(script(tmp_path, "def f():\n    int('abc')\n\n\nf()\n"))
    session = await client.until_status("paused")
    assert set(session["exception"]) == {"type", "message", "traceback"}
    assert session["exception"]["type"] == "ValueError"
    message = "invalid literal for int() with base 10: 'abc'"
    assert session["exception"]["message"] == message
    assert "line 2, in f" in session["exception"]["traceback"]
    stopped = of_type(await client.all_events(), "stopped")[-1]
    assert stopped["reason"] == "exception" and stopped["text"] == f"ValueError: {message}"
    info = stopped["exception_info"]
    assert {k: info[k] for k in ("exception_id", "description")} == {
        "exception_id": "ValueError",
        "description": message,
    }
    assert info["break_mode"] == "unhandled"
    assert set(info["details"]) == {"type_name", "full_type_name", "message", "stack_trace"}
    assert info["details"]["full_type_name"] == "builtins.ValueError"


LOOP = "import time\nwhile True:\n    time.sleep(0.01)\n"


@pytest.mark.full
async def test_long_polls(client: Relay, tmp_path: Path) -> None:
    path = script(tmp_path, LOOP)
    await client.launch(path)
    cursor = (await client.get("events", limit=1000)).data["next_cursor"]
    # What the start has still to tell.
    while (told := (await client.get("events", cursor=cursor, timeout=1)).data)["events"]:
        cursor = told["next_cursor"]
    begun = time.monotonic()
    waiting = [
        asyncio.create_task(client.get("events", cursor=cursor, timeout=20)) for _ in range(20)
    ]
    await asyncio.sleep(0)
    assert (await client.get()).data["status"] == "running"  # nothing is blocked meanwhile
    assert (await client.post("pause")).data["status"] == "paused"
    for answer in await asyncio.gather(*waiting):
        assert answer.data["events"][0]["type"] == "stopped"
    assert time.monotonic() - begun < 10
    await client.get("threads")  # what the stop has to tell has been told
    cursor = (await client.get("events", limit=1000)).data["next_cursor"]
    begun = time.monotonic()
    empty = (await client.get("events", cursor=cursor, timeout=1)).data
    assert empty["events"] == [] and 0.9 < time.monotonic() - begun < 10
    assert empty["next_cursor"] == cursor and empty["has_more"] is False


async def test_a_long_poll_ends_with_its_session(client: Relay) -> None:
    waiting = asyncio.create_task(client.get("events", timeout=20))
    (member,) = client.hub
    await until(lambda: feed_of(member).readers_waiting == 1)
    begun = time.monotonic()
    await client.delete()
    assert (await waiting).status == 200 and time.monotonic() - begun < 5


async def test_long_timeouts_are_cut(client: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    async def wait(seq: int, timeout: float) -> bool:
        asked.append(timeout)
        return False

    (member,) = client.hub
    monkeypatch.setattr(feed_of(member), "wait_for_events", wait)
    for timeout in (0, 5, 30, 31, 3600):
        assert (await client.get("events", timeout=timeout)).status == 200
    assert asked == [5, 30, 30, 30]


async def test_a_long_poll_over_a_socket_comes_with_the_event(tmp_path: Path) -> None:
    async with serving() as client:
        await client.create(project_root=str(tmp_path))
        path = script(tmp_path, LOOP)
        cursor = (await client.get("events")).data["next_cursor"]
        waiting = asyncio.create_task(client.get("events", cursor=cursor, timeout=20))
        (member,) = client.hub
        await until(lambda: feed_of(member).readers_waiting == 1)
        await client.break_at(path, 3)
        (event,) = (await waiting).data["events"]
        assert event["type"] == "breakpoint" and event["body"]["reason"] == "new"
        assert event["origin"] == "rest"


PRINTS = """\
import sys
import time
for i in range(200):
    print("value", i, {"a": i}, "äöü")
print("name?", end=" ", flush=True)
while not globals().get("go"):
    time.sleep(0.01)
print("err", 1, file=sys.stderr)
print("no", "end", end="")
"""


@pytest.mark.full
@pytest.mark.parametrize("console", ["internalConsole", "integratedTerminal"])
async def test_a_print_is_told_in_whole_lines(client: Relay, console: str, tmp_path: Path) -> None:
    """A line that nobody ends, as of a prompt, comes after a moment."""
    await client.launch(script(tmp_path, PRINTS), console=console)
    member = client.hub.get(client.session_id)
    await until(lambda: "name? " in pieces(feed_of(member), "stdout"), "the prompt")
    await client.post("pause")
    await client.post("evaluate", {"expression": "go = True"})
    await client.post("continue")
    await client.until_status("terminated")
    for told in (pieces(feed_of(member), "stdout"), await stdout_events(client)):
        whole, rest = told[: told.index("name? ")], told[told.index("name? ") + 1 :]
        lines = [f"value {i} {{'a': {i}}} äöü\n" for i in range(200)]
        assert "".join(whole) == "".join(lines) and all(each.endswith("\n") for each in whole)
        assert rest == (["err 1\n", "no end"] if console == "integratedTerminal" else ["no end"])
    if console == "internalConsole":
        assert pieces(feed_of(member), "stderr") == ["err 1\n"]


def pieces(feed: Feed, category: str) -> list[str]:
    """The entries of the output of a category."""
    return [entry.output for entry in feed.output_after(0, 10_000, category).entries]


async def stdout_events(client: Relay) -> list[str]:
    """The texts of the events that tell of it."""
    found = [e["body"] for e in await client.all_events() if e["type"] == "output"]
    return [body["output"] for body in found if body["category"] == "stdout"]
