"""The command bridge, action by action, over a real connection to a real debugpy."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.bridges import BridgeUnderTest, bridge, send
from tests.support.sessions import fail
from tuidbg.api.bridge.actions import ACTIONS, document_actions
from tuidbg.session.model.state import Status

pytestmark = pytest.mark.real

PROGRAM = """\
import threading, time

def add(a, b):
    total = a + b
    return total

def work():
    rounds = 0
    ready.set()
    while True:
        rounds += 1
        time.sleep(0.001)

ready = threading.Event()
other = threading.Thread(target=work, name="other", daemon=True)
other.start()
ready.wait()
counter = 0
box = {"inside": [1, 2]}
counter = add(counter, 1)
counter = add(counter, 10)
print("end")
"""
TOTAL, FIRST, SECOND, END = 4, 20, 21, 22

PROMISED = [
    *("stacktrace", "threads", "locals", "scopes", "variables"),
    *("continue", "next", "step_in", "disconnect"),
    *("set_breakpoint",),
    *("evaluate", "evaluate_swift", "watch_expr"),
    *("restart", "launch", "select_thread", "build"),
]
"""The 17 actions of the bridge's contract, in its order."""

Check = Callable[[BridgeUnderTest], Awaitable[None]]


def on_bridge(at: int = 0, **options: Any) -> Callable[[Check], Callable[[Path], Awaitable[None]]]:
    """Make a check a test, with the program above at a line (0: without), with these options."""

    def make_test(check: Check) -> Callable[[Path], Awaitable[None]]:
        async def test(tmp_path: Path) -> None:
            async with bridge(tmp_path, **options) as b:
                if at:
                    path = tmp_path.resolve() / "app.py"
                    await b.start(PROGRAM)
                    await b.session.breakpoints.set(str(path), at, origin="tui")
                    reply = await b.ok("continue")
                    assert reply["frame"]["line"] == at
                await check(b)

        test.__name__ = check.__name__
        return test

    return make_test


async def place(b: BridgeUnderTest) -> tuple[str, int]:
    """Function and line of the top frame."""
    top = (await b.ok("stacktrace"))["stacktrace"][0]
    return top["function"], top["line"]


async def thread_named(b: BridgeUnderTest, name: str) -> int:
    """A thread's id."""
    threads = (await b.ok("threads"))["threads"]
    return next(int(thread["id"]) for thread in threads if thread["name"] == name)


# The connection


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_a_command_is_posted_and_answered_with_json(b: BridgeUnderTest) -> None:
    reply = await b.post({"action": "threads"})
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "application/json"
    assert isinstance(reply.json(), dict)
    assert (await b.client.get(f"{b.url}/command")).status_code == 405


@on_bridge()
async def test_health_without_a_session(b: BridgeUnderTest) -> None:
    reply = await b.client.get(f"{b.url}/health")
    assert reply.status_code == 200
    assert reply.json() == {
        "ok": True,
        "program": None,
        "session_id": None,
        "status": None,
        "version": reply.json()["version"],
    }


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_health_tells_of_the_program_and_of_a_failure(b: BridgeUnderTest) -> None:
    reply = await b.client.get(f"{b.url}/health")
    assert reply.status_code == 200
    assert reply.json()["ok"] is True and reply.json()["status"] == "paused"
    assert reply.json()["program"] == "app.py"
    await fail(b.session)
    reply = await b.client.get(f"{b.url}/health")
    assert reply.status_code == 503
    assert reply.json()["ok"] is False and "/nowhere/python" in reply.json()["error"]


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_logs_are_a_stream_of_lines_with_a_stamp(b: BridgeUnderTest) -> None:
    async with b.logs() as logs:
        assert logs.response.headers["content-type"].startswith("text/event-stream")
        await logs.until("stopped, breakpoint")  # of before there was a reader
        await b.ok("next")
        line = await logs.until("stopped, step")
        stamp = r"\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\]"
        assert re.match(rf"{stamp} \[INFO\] \[{b.member.id}\] stopped, step", line)
        await logs.until("next done: ok")


@on_bridge()
async def test_only_the_own_machine_is_served(b: BridgeUnderTest) -> None:
    addresses = {s.getsockname()[0] for server in b.server.servers for s in server.sockets}
    assert addresses == {"127.0.0.1"}
    reply = await b.client.get(f"{b.url}/health", headers={"Host": "attacker.example"})
    assert reply.status_code == 403 and reply.json()["ok"] is False


# The envelope


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_a_success_is_ok_and_its_fields(b: BridgeUnderTest) -> None:
    reply = await b.ok("evaluate", expression="counter")
    assert reply == {"ok": True, "result": "0", "type": "int"}


@pytest.mark.full
@on_bridge()
async def test_a_failure_is_a_sentence(b: BridgeUnderTest) -> None:
    reply = await b.call("stacktrace")
    assert reply == {"ok": False, "error": "there is no session; start one first"}
    assert b.replies[-1].status_code == 400


@on_bridge()
async def test_these_actions_are_known_and_no_others(b: BridgeUnderTest) -> None:
    assert list(ACTIONS) != [] and sorted(ACTIONS) == sorted(PROMISED)
    for name in PROMISED:  # each is known, whatever else there is to say against it
        assert "there is no action" not in str(await b.call(name))
    for other in ("", "Stacktrace", "pause", "__class__", "x" * 10_000):
        assert "there is no action" in await b.refused(other)
    for body in ({}, {"action": None}, {"action": 7}, {"action": ["threads"]}):
        assert (await b.post(body)).json()["ok"] is False
    for raw in (b"", b"{", b"[]", b"null", b'"threads"', b"\xff", b'{"action": "threads"'):
        reply = await b.post(raw)
        assert reply.status_code == 400 and reply.json()["ok"] is False


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_set_breakpoint_needs_file_and_line(b: BridgeUnderTest) -> None:
    assert "needs line" in await b.refused("set_breakpoint", file="app.py")
    assert "needs file" in await b.refused("set_breakpoint", line=3)
    assert "needs file" in await b.refused("set_breakpoint", file="", line=3)
    assert "line: expected" in await b.refused("set_breakpoint", file="app.py", line="3")
    assert "line: expected" in await b.refused("set_breakpoint", file="app.py", line=True)
    assert "count from 1" in await b.refused("set_breakpoint", file="app.py", line=0)
    assert "line:" in await b.refused("set_breakpoint", file="app.py", line=10**30)
    await b.ok("threads", file="none.py", line=3)  # passed over where they are not used
    assert len(b.session.breakpoints.registry) == 1


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_expressions_are_needed(b: BridgeUnderTest) -> None:
    for action in ("evaluate", "evaluate_swift", "watch_expr"):
        assert await b.refused(action) == f"{action} needs expression"
        assert await b.refused(action, expression=" ") == f"{action} needs expression"
        assert "expression: expected" in await b.refused(action, expression=7)
        await b.ok(action, expression="counter")


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_variables_take_a_reference(b: BridgeUnderTest) -> None:
    scope = (await b.ok("scopes"))["scopes"][0]["variablesReference"]
    by_name = await b.ok("variables", variablesReference=scope)
    assert (await b.ok("variables", variables_reference=scope)).keys() == by_name.keys()
    assert "variablesReference: expected" in await b.refused("variables", variablesReference="1")
    frame = b.session.frames[0].id  # the adapter's own, as are those of its scopes and variables
    own = [each.reference for each in await b.session.inspection.scopes(frame)]
    assert own and all(0 < reference < 1_000 for reference in own)
    for unknown in (-1, 0, *own, frame, 999_999, 1_900_000_000):
        said = await b.refused("variables", variablesReference=unknown)
        assert said == f"variable {unknown} belongs to an earlier stop, or was never there"


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_select_thread_needs_a_thread(b: BridgeUnderTest) -> None:
    assert await b.refused("select_thread") == "select_thread needs threadId"
    assert "threadId: expected" in await b.refused("select_thread", threadId="1")
    assert await b.refused("select_thread", threadId=987654) == "there is no thread 987654"
    other = await thread_named(b, "other")
    assert (await b.ok("select_thread", thread_id=other))["threadId"] == other


# Looking


@pytest.mark.full
@on_bridge(at=TOTAL)
async def test_stacktrace(b: BridgeUnderTest) -> None:
    path = str(b.folder / "app.py")
    assert (await b.ok("stacktrace"))["stacktrace"] == [
        {"frame_index": 0, "function": "add", "file": path, "line": TOTAL},
        {"frame_index": 1, "function": "<module>", "file": path, "line": FIRST},
    ]


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_threads(b: BridgeUnderTest) -> None:
    threads = (await b.ok("threads"))["threads"]
    assert {"MainThread", "other"} <= {thread["name"] for thread in threads}
    assert all(isinstance(thread["id"], int) for thread in threads)
    assert [t["name"] for t in threads if t["selected"]] == ["MainThread"]


@pytest.mark.full
@on_bridge(at=TOTAL)
async def test_locals(b: BridgeUnderTest) -> None:
    found = (await b.ok("locals"))["locals"]
    assert [(v["name"], v["type"], v["value"]) for v in found] == [
        ("a", "int", "0"),
        ("b", "int", "1"),
    ]


@pytest.mark.full
@on_bridge(at=TOTAL)
async def test_scopes(b: BridgeUnderTest) -> None:
    scopes = (await b.ok("scopes"))["scopes"]
    assert [scope["name"] for scope in scopes] == ["Locals", "Globals"]
    assert all(scope["variablesReference"] > 0 for scope in scopes)


@pytest.mark.full
@on_bridge(at=TOTAL)
async def test_variables_and_what_is_inside_them(b: BridgeUnderTest) -> None:
    assert [v["name"] for v in (await b.ok("variables"))["variables"]] == ["a", "b"]
    scopes = {s["name"]: s["variablesReference"] for s in (await b.ok("scopes"))["scopes"]}
    found = (await b.ok("variables", variablesReference=scopes["Globals"]))["variables"]
    box = next(v for v in found if v["name"] == "box")
    assert {"name", "type", "value"} <= box.keys() and box["type"] == "dict"
    inside = (await b.ok("variables", variablesReference=box["variablesReference"]))["variables"]
    assert inside[0]["value"] == "[1, 2]"
    await b.ok("next")
    await b.refused("variables", variablesReference=box["variablesReference"])  # of another stop


# Running


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_continue_waits_for_the_stop_or_the_end(b: BridgeUnderTest) -> None:
    await b.ok("set_breakpoint", file="app.py", line=END)
    reply = await b.ok("continue")
    thread = await thread_named(b, "MainThread")
    assert reply["stop"] == {
        "reason": "breakpoint",
        "description": reply["stop"]["description"],
        "thread_id": thread,
    }
    assert reply["stop"]["description"]
    assert await place(b) == ("<module>", END)
    assert await b.ok("continue") == {"ok": True, "status": "terminated", "exit_code": 0}
    assert "has ended" in await b.refused("continue")
    assert b.replies[-1].status_code == 409


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_next(b: BridgeUnderTest) -> None:
    reply = await b.ok("next")
    assert reply["stop"]["reason"] == "step"
    assert reply["frame"]["line"] == SECOND
    assert await place(b) == ("<module>", SECOND)


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_step_in(b: BridgeUnderTest) -> None:
    reply = await b.ok("step_in")
    assert reply["stop"]["reason"] == "step"
    assert await place(b) == ("add", TOTAL)


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_disconnect_ends_the_program_and_may_come_again(b: BridgeUnderTest) -> None:
    assert await b.ok("disconnect") == {"ok": True}
    assert b.session.status is Status.TERMINATED
    assert not b.guard.remains()
    assert await b.ok("disconnect") == {"ok": True}  # nothing is attached any more
    await b.hub.delete(b.member.id, origin="rest")
    assert await b.ok("disconnect") == {"ok": True}  # nor is there a session


# Breakpoints


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_set_breakpoint_gives_a_line_its_number(
    b: BridgeUnderTest,
) -> None:
    reply = await b.ok("set_breakpoint", file="app.py", line=END)
    number = reply["breakpoint_id"]
    assert isinstance(number, int) and 0 < number < 2**32
    found = b.session.breakpoints.registry.get(number)
    assert (found.line, found.origin) == (END, "bridge")  # which the TUI shows in its gutter
    again = await b.ok("set_breakpoint", file="app.py", line=END)
    assert again["breakpoint_id"] == number


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_breakpoints_add_up(b: BridgeUnderTest) -> None:
    numbers = [
        (await b.ok("set_breakpoint", file="app.py", line=line))["breakpoint_id"]
        for line in (TOTAL, SECOND, END)
    ]
    assert len(set(numbers)) == 3
    lines = [(await b.ok("continue"))["frame"]["line"] for _ in range(4)]
    assert lines == [TOTAL, SECOND, TOTAL, END]


# Expressions


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_evaluate(b: BridgeUnderTest) -> None:
    assert await b.ok("evaluate", expression="1 + 1") == {"ok": True, "result": "2", "type": "int"}
    reply = await b.ok("evaluate", expression="'text'")
    assert (reply["result"], reply["type"]) == ("'text'", "str")
    reply = await b.ok("evaluate", expression="None")
    assert (reply["result"], reply["type"]) == ("None", "NoneType")
    await b.ok("evaluate", expression="counter = 41")
    assert (await b.ok("evaluate", expression="counter + 1"))["result"] == "42"


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_evaluate_swift_is_evaluate(b: BridgeUnderTest) -> None:
    for expression in ("counter", "box", "None"):
        swift = await b.ok("evaluate_swift", expression=expression)
        assert swift == await b.ok("evaluate", expression=expression)


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_watch_expr(b: BridgeUnderTest) -> None:
    assert await b.ok("watch_expr", expression="counter") == {
        "ok": True,
        "watch": [{"expression": "counter", "result": "0"}],
    }


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_watches_are_those_of_the_session(b: BridgeUnderTest) -> None:
    b.session.watches.add("len(box)", origin="tui")  # a person's, in the TUI: it is one list
    await b.ok("watch_expr", expression="counter")
    assert (await b.ok("watch_expr", expression="counter"))["watch"] == [
        {"expression": "len(box)", "result": "1"},
        {"expression": "counter", "result": "0"},
    ]
    assert [watch.expression for watch in b.session.watches] == ["len(box)", "counter"]
    await b.ok("next")
    watch = (await b.ok("watch_expr", expression="nowhere"))["watch"]
    assert watch[1] == {"expression": "counter", "result": "1"}
    assert "nowhere" in watch[2]["result"]


# Starting


@pytest.mark.full
@on_bridge(at=SECOND, manage_bridge=True)
async def test_restart_keeps_breakpoints(b: BridgeUnderTest) -> None:
    before = b.session.pid
    reply = await b.ok("restart")
    assert reply["status"] == "paused" and reply["stop"]["reason"] == "entry"
    assert b.session.pid != before
    assert (await b.ok("continue"))["frame"]["line"] == SECOND  # breakpoints stay


@pytest.mark.full
@on_bridge(at=SECOND, manage_bridge=True)
async def test_launch_once_the_program_has_ended(b: BridgeUnderTest) -> None:
    assert "runs already" in await b.refused("launch")
    await b.ok("disconnect")
    reply = await b.ok("launch")
    assert reply["status"] == "paused" and reply["stop"]["reason"] == "entry"


@pytest.mark.full
@on_bridge(at=TOTAL)
async def test_select_thread_moves_what_is_looked_at(b: BridgeUnderTest) -> None:
    other = await thread_named(b, "other")
    assert await b.ok("select_thread", threadId=other) == {"ok": True, "threadId": other}
    functions = [f["function"] for f in (await b.ok("stacktrace"))["stacktrace"]]
    assert "work" in functions and "add" not in functions
    assert [t["name"] for t in (await b.ok("threads"))["threads"] if t["selected"]] == ["other"]
    reply = await b.ok("next")  # it sleeps in C when the other stops; then it stands in Python
    assert reply["stop"]["thread_id"] == other
    assert "rounds" in [v["name"] for v in (await b.ok("locals"))["locals"]]
    main = await thread_named(b, "MainThread")
    await b.ok("select_thread", threadId=main)
    assert "rounds" not in [v["name"] for v in (await b.ok("locals"))["locals"]]


@pytest.mark.full
@on_bridge(build_cmd="echo built && echo noise >&2")
async def test_build_gives_its_output(b: BridgeUnderTest) -> None:
    reply = await b.ok("build")
    assert reply == {"ok": True, "exitCode": 0, "stdout": "built\n", "stderr": "noise\n"}


@pytest.mark.full
@on_bridge(build_cmd="echo broken; exit 3")
async def test_a_build_that_fails_gives_its_exit_code(b: BridgeUnderTest) -> None:
    reply = await b.call("build")
    assert reply == {"ok": False, "exitCode": 3, "stdout": "broken\n", "stderr": ""}
    assert b.replies[-1].status_code == 200  # it was run, as asked


# Errors


@pytest.mark.full
@on_bridge(at=TOTAL)
async def test_expressions_that_cannot_be_evaluated(b: BridgeUnderTest) -> None:
    reply = await b.call("evaluate", expression="unknown_name")
    assert reply["error"] == "expression `unknown_name` is not supported"
    assert "NameError" in reply["reason"]
    for expression in ("1 +", "1 / 0", "a.b.c"):
        for action in ("evaluate", "evaluate_swift"):
            said = await b.refused(action, expression=expression)
            assert said == f"expression `{expression}` is not supported"
    assert await b.refused("watch_expr", expression="1 +") == "expression `1 +` is not supported"
    assert not list(b.session.watches)


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_restart_needs_the_option(b: BridgeUnderTest) -> None:
    assert await b.refused("restart") == "restart requires --manage-bridge"
    assert b.session.status is Status.PAUSED


@pytest.mark.full
@on_bridge()
async def test_launch_needs_the_option(b: BridgeUnderTest) -> None:
    assert await b.refused("launch") == "launch requires --manage-bridge"


@pytest.mark.full
@on_bridge()
async def test_build_needs_a_command(b: BridgeUnderTest) -> None:
    assert await b.refused("build") == "build command not configured"


# When something is wrong


@on_bridge(at=SECOND, manage_bridge=True)
async def test_a_failure_is_told_and_restart_revives(b: BridgeUnderTest) -> None:
    async with b.logs() as logs:
        await fail(b.session)
        assert "[ERROR]" in await logs.until("/nowhere/python")
        await b.refused("stacktrace")
        assert (await b.client.get(f"{b.url}/health")).status_code == 503
        await b.ok("restart")
        assert (await b.client.get(f"{b.url}/health")).status_code == 200
        assert (await b.ok("continue"))["frame"]["line"] == SECOND


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_a_breakpoint_that_cannot_be_bound_is_refused_and_logged(b: BridgeUnderTest) -> None:
    async with b.logs() as logs:
        assert "can't be bound" in await b.refused("set_breakpoint", file="app.py", line=2)
        line = await logs.until("can't be bound")
        assert "(app.py:2)" in line and "[WARN]" in line
    assert b.session.breakpoints.registry.find_line(str(b.folder / "app.py"), 2) is None


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_file_names_are_never_guessed(
    b: BridgeUnderTest,
) -> None:
    path = str(b.folder / "app.py")
    numbers = {
        (await b.ok("set_breakpoint", file=name, line=END))["breakpoint_id"]
        for name in ("app.py", "./app.py", path)
    }
    assert len(numbers) == 1
    assert "there is no file none.py" in await b.refused("set_breakpoint", file="none.py", line=1)
    for folder in ("one", "two"):
        (b.folder / folder).mkdir()
        (b.folder / folder / "twice.py").write_text("x = 1\n")
    said = await b.refused("set_breakpoint", file="twice.py", line=1)
    assert f"{b.folder}/one/twice.py" in said and f"{b.folder}/two/twice.py" in said


@pytest.mark.full
@on_bridge(at=FIRST)
async def test_tuidbg_send(b: BridgeUnderTest) -> None:
    status, reply, _ = await send(b, "--action", "evaluate", "--expression", "counter + 5")
    assert status == 0 and reply == {"ok": True, "result": "5", "type": "int"}


@pytest.mark.full
@on_bridge(manage_bridge=True)
async def test_a_whole_conversation(b: BridgeUnderTest) -> None:
    await b.start(PROGRAM)
    assert (await b.ok("stacktrace"))["stacktrace"][0]["function"] == "<module>"
    await b.ok("set_breakpoint", file="app.py", line=TOTAL)
    assert (await b.ok("continue"))["frame"]["line"] == TOTAL
    watch = (await b.ok("watch_expr", expression="counter"))["watch"]
    assert watch == [{"expression": "counter", "result": "0"}]
    await b.ok("restart")
    assert (await b.ok("continue"))["frame"]["line"] == TOTAL


@on_bridge()
async def test_every_action_is_documented(b: BridgeUnderTest) -> None:
    documented = re.findall(r"^\| `(\w+)` \|", document_actions(), re.MULTILINE)
    assert sorted(documented) == sorted(PROMISED)
