"""The bridge with others around: several clients, people, tokens, and programs that run on."""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path

import pytest

from tests.support.bridges import BridgeUnderTest, bridge
from tests.support.sessions import until, within
from tuidbg.api.auth.callers import TokenScope
from tuidbg.api.auth.tokens import Token, Tokens
from tuidbg.session.core.redaction import Redaction
from tuidbg.session.hub.members import SessionConfig
from tuidbg.session.model.state import Status, StopReason

pytestmark = pytest.mark.real

LOOP = """\
import time
password = "hunter2"
going = True
count = 0
while going:
    count += 1
    time.sleep(0.001)
print("over")
"""


async def at_entry(b: BridgeUnderTest) -> None:
    """The program above at its first line."""
    await b.start(LOOP)


@pytest.mark.full
async def test_of_two_steps_at_once_one_is_refused_with_409(tmp_path: Path) -> None:
    async with bridge(tmp_path) as b:
        await at_entry(b)
        line = b.session.frames[0].place
        assert line is not None
        replies = await asyncio.gather(*(b.post({"action": "next"}) for _ in range(2)))
        assert sorted(reply.status_code for reply in replies) == [200, 409]
        winner, loser = sorted(replies, key=lambda reply: reply.status_code)
        assert winner.json()["frame"]["line"] == line.line + 1
        assert loser.json() == {
            "ok": False,
            "error": "can't step over while the program runs; pause it first",
        }


async def test_a_continue_that_does_not_stop_is_answered_all_the_same(tmp_path: Path) -> None:
    async with bridge(tmp_path, patience=0.3) as b:
        await at_entry(b)
        assert await b.ok("continue") == {"ok": True, "status": "running"}
        assert await b.refused("stacktrace") == (
            "can't look inside while the program runs; pause it first"
        )
        assert b.replies[-1].status_code == 409
        assert (await b.client.get(f"{b.url}/health")).json()["status"] == "running"
        await b.ok("set_breakpoint", file="app.py", line=6)  # works while it runs
        await until(lambda: b.session.status is Status.PAUSED, "it stops there")
        assert b.session.stop is not None
        assert b.session.stop.reason is StopReason.BREAKPOINT


@pytest.mark.full
async def test_an_expression_that_does_not_end_is_interrupted(tmp_path: Path) -> None:
    async with bridge(tmp_path, patience=1.5) as b:
        await at_entry(b)
        said = await b.refused("evaluate", expression="[0 for _ in iter(int, 1)]")
        assert said == "it took over 1.5 s: interrupted"
        assert (await b.ok("evaluate", expression="1 + 1"))["result"] == "2"


@pytest.mark.full
async def test_a_person_who_keeps_the_controls_is_named_and_reading_goes_on(
    tmp_path: Path,
) -> None:
    async with bridge(tmp_path, manage_bridge=True, build_cmd="true") as b:
        await at_entry(b)
        b.hub.hold("I am looking at this")
        for action, fields in (
            ("next", {}),
            ("evaluate", {"expression": "1"}),
            ("set_breakpoint", {"file": "app.py", "line": 6}),
            ("restart", {}),
            ("build", {}),
        ):
            assert "I am looking at this" in await b.refused(action, **fields)
            assert b.replies[-1].status_code == 409
        await b.ok("stacktrace")
        b.hub.hand_back()
        await b.ok("next")


@pytest.mark.full
async def test_each_call_is_shown_to_the_person(tmp_path: Path) -> None:
    async with bridge(tmp_path) as b:
        await at_entry(b)
        await b.ok("evaluate", expression="1 + 1")
        await b.refused("evaluate", expression="nowhere")
        first, second = b.hub.activity
        assert (first.action, first.actor, first.origin) == ("evaluate", "anonymous", "bridge")
        assert first.arguments == "expression=1 + 1"
        assert first.session_id == b.member.id and not first.failed
        assert second.failed and "`nowhere` is not supported" in second.result


@pytest.mark.full
async def test_a_token_allows_what_its_scopes_say(tmp_path: Path) -> None:
    reader = Token("reader", frozenset({TokenScope.READ}))
    async with bridge(tmp_path, tokens=Tokens([reader])) as b:
        await at_entry(b)
        assert (await b.post({"action": "stacktrace"})).status_code == 401
        b.client.headers["Authorization"] = f"Bearer {reader.value}"
        await b.ok("stacktrace")
        assert "does not allow to control" in await b.refused("next")
        assert b.replies[-1].status_code == 403
        assert "does not allow to control" in await b.refused("select_thread", threadId=1)
        assert (await b.client.get(f"{b.url}/health")).status_code == 200
        assert b.tokens is not None
        b.client.headers["Authorization"] = f"Bearer {b.tokens.owner.value}"
        await b.ok("next")


@pytest.mark.full
async def test_each_actor_has_a_thread_of_its_own(tmp_path: Path) -> None:
    token = Token("other", frozenset(TokenScope))
    async with bridge(tmp_path, tokens=Tokens([token])) as b:
        await b.start(
            "import threading, time\n"
            "threading.Thread(target=lambda: time.sleep(60), name='side', daemon=True).start()\n"
            "print(1)\n"
        )
        await b.session.breakpoints.set(str(b.folder / "app.py"), 3, origin="tui")
        assert b.tokens is not None
        b.client.headers["Authorization"] = f"Bearer {b.tokens.owner.value}"
        await b.ok("continue")
        threads = {t["name"]: t["id"] for t in (await b.ok("threads"))["threads"]}
        await b.ok("select_thread", threadId=threads["side"])
        b.client.headers["Authorization"] = f"Bearer {token.value}"
        selected = [t["name"] for t in (await b.ok("threads"))["threads"] if t["selected"]]
        assert selected == ["MainThread"]


async def test_secrets_are_kept_from_a_token_that_redacts(tmp_path: Path) -> None:
    token = Token("agent", frozenset(TokenScope), redact=Redaction.TEXTS)
    async with bridge(tmp_path, tokens=Tokens([token])) as b:
        await at_entry(b)
        await b.session.breakpoints.set(str(b.folder / "app.py"), 4, origin="tui")
        b.client.headers["Authorization"] = f"Bearer {token.value}"
        await b.ok("continue")
        found = {v["name"]: v["value"] for v in (await b.ok("locals"))["locals"]}
        assert found["going"] == "True"
        assert (await b.ok("evaluate", expression="password"))["result"] == "<redacted>"
        watch = (await b.ok("watch_expr", expression="password"))["watch"]
        assert watch == [{"expression": "password", "result": "<redacted>"}]
        assert all("hunter2" not in reply.text for reply in b.replies)


@pytest.mark.full
async def test_the_logs_of_a_token_that_redacts_hold_no_secrets(tmp_path: Path) -> None:
    token = Token("agent", frozenset({TokenScope.READ}), redact=Redaction.TEXTS)
    async with bridge(tmp_path, tokens=Tokens([token])) as b:
        await at_entry(b)
        b.client.headers["Authorization"] = f"Bearer {token.value}"
        async with b.logs() as logs:
            b.session.notify("api_key=hunter3 was shown", "warning")
            assert "api_key=<redacted> was shown" in await logs.until("was shown")


@pytest.mark.full
async def test_an_error_of_our_own_is_answered_in_the_envelope(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bridge(tmp_path) as b:
        await at_entry(b)
        monkeypatch.setattr(b.session.inspection, "threads", lambda: 1 / 0)
        assert "internal error" in await b.refused("threads")
        assert b.replies[-1].status_code == 500
        await b.ok("stacktrace")


@pytest.mark.full
async def test_the_logs_end_at_once_when_the_server_stops(tmp_path: Path) -> None:
    async with bridge(tmp_path) as b, b.logs() as logs:
        await at_entry(b)
        await logs.until("stopped")
        b.diagnostics.close()
        await within(2, until(lambda: logs.ended, "the stream has ended"))


@pytest.mark.full
async def test_a_reader_that_reads_nothing_delays_nobody(tmp_path: Path) -> None:
    async with bridge(tmp_path) as b:
        await at_entry(b)
        with socket.create_connection(("127.0.0.1", b.port)) as deaf:
            host = f"127.0.0.1:{b.port}"
            deaf.sendall(f"GET /logs HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            async with b.logs() as logs:
                for number in range(3_000):
                    b.session.notify(f"number {number} {'x' * 1_000}")
                    if number % 100 == 0:
                        await asyncio.sleep(0)
                await logs.until("number 2999")
                await b.ok("next")
                await logs.until("stopped, step")


@pytest.mark.full
async def test_a_program_that_has_ended_is_launched_again(tmp_path: Path) -> None:
    async with bridge(tmp_path, manage_bridge=True) as b:
        assert await b.refused("launch") == "there is no session; start one first"
        await at_entry(b)
        await b.ok("disconnect")
        assert "has ended" in await b.refused("next")
        await b.ok("launch")
        await b.ok("next")


@pytest.mark.full
async def test_a_program_that_nobody_has_launched_yet_is(tmp_path: Path) -> None:
    """A person's own, which the command line named."""
    async with bridge(tmp_path, manage_bridge=True) as b:
        b.hub.adopt(b.make_session(LOOP), origin="tui")
        assert "no program has been started yet" in await b.refused("stacktrace")
        assert (await b.ok("launch"))["stop"]["reason"] == "entry"
        await b.ok("next")


@pytest.mark.full
async def test_a_session_without_a_program_has_none_to_launch(tmp_path: Path) -> None:
    async with bridge(tmp_path, manage_bridge=True) as b:
        b.hub.create(
            SessionConfig(project_root=str(tmp_path), python_path=sys.executable), origin="rest"
        )
        assert "no program to launch" in await b.refused("launch")
        assert "no program to restart" in await b.refused("restart")


async def test_of_a_program_that_could_not_start_the_reason_is_told(tmp_path: Path) -> None:
    async with bridge(tmp_path, manage_bridge=True) as b:
        b.hub.adopt(b.make_session("def broken(:\n"), origin="tui")
        assert "invalid syntax" in await b.refused("launch")
