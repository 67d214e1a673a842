"""The client on the wire: processes and TCP, time limits, and ends of all kinds."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.sessions import KeepingGuard, until, within
from tuidbg.adapters.client import AdapterClient, DapLog
from tuidbg.adapters.errors import (
    AdapterGone,
    AdapterNotStarted,
    RequestFailed,
    RequestTimedOut,
    RequestUnsupported,
)
from tuidbg.adapters.process import AdapterProcess
from tuidbg.dap.codec import FrameDecoder, encode_frame
from tuidbg.dap.messages import Event, Request
from tuidbg.dap.types import ThreadsBody


class Owner:
    """Whoever has a client: keeps what it is told."""

    def __init__(self, log: DapLog | None = None) -> None:
        self.events: list[Event] = []
        self.requests: list[Request] = []
        self.reasons: list[str] = []
        self.client = AdapterClient(
            on_event=self.events.append,
            on_request=self.requests.append,
            on_closed=self.reasons.append,
            log=log,
        )


Answer = Callable[[dict[str, Any]], list[dict[str, Any]]]


class Server:
    """An adapter on TCP, in this process."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.received: list[dict[str, Any]] = []
        self.writers: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        decoder = FrameDecoder()
        self.writers.append(writer)
        while data := await reader.read(65536):
            for body in decoder.feed(data):
                message = json.loads(body)
                self.received.append(message)
                for reply in self.answer(message):
                    self.send(reply)

    def send(self, message: dict[str, Any]) -> None:
        self.writers[-1].write(encode_frame(json.dumps({"seq": 0, **message}).encode()))


def reply(request: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "response",
        "request_seq": request["seq"],
        "command": request["command"],
        "success": True,
        **more,
    }


@pytest.fixture
async def tcp() -> AsyncIterator[Callable[[Answer], Any]]:
    """Connect an owner to a server with the given answers."""
    servers: list[asyncio.Server] = []
    owners: list[Owner] = []
    talking: list[Server] = []

    async def connect(answer: Answer) -> tuple[Owner, Server]:
        server = Server(answer)
        listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        servers.append(listening)
        owner = Owner()
        owners.append(owner)
        talking.append(server)
        await owner.client.over_tcp("127.0.0.1", listening.sockets[0].getsockname()[1])
        return owner, server

    yield connect
    for owner in owners:
        owner.client.close()
    for server in talking:
        for writer in server.writers:
            writer.close()
    for listening in servers:
        listening.close()
        await listening.wait_closed()


Connect = Callable[[Answer], Any]


async def test_requests_over_tcp(tcp: Connect) -> None:
    def answer(request: dict[str, Any]) -> list[dict[str, Any]]:
        threads = [{"id": 0, "name": "main"}]
        return [{"type": "event", "event": "thread"}, reply(request, body={"threads": threads})]

    owner, _ = await tcp(answer)
    body = await owner.client.request("threads", into=ThreadsBody)
    assert [(t.id, t.name) for t in body.threads] == [(0, "main")]
    assert [e.event for e in owner.events] == ["thread"]


async def test_nobody_answers_on_tcp() -> None:
    with pytest.raises(OSError):
        await Owner().client.over_tcp("127.0.0.1", 1)


async def test_the_ways_in_which_a_request_fails(tcp: Connect) -> None:
    def answer(request: dict[str, Any]) -> list[dict[str, Any]]:
        match request["command"]:
            case "scopes":
                return [reply(request, success=False, message="no frame")]
            case "variables":
                return [reply(request, body={"variables": 1})]
            case "threads":
                return [reply(request, body={"threads": 1})]
        return []

    owner, server = await tcp(answer)
    client = owner.client
    with pytest.raises(RequestFailed, match="no frame") as failed:
        await client.request("scopes", {"frameId": 1})
    assert failed.value.command == "scopes"
    with pytest.raises(RequestFailed, match="unexpected reply"):
        await client.request("threads", into=ThreadsBody)
    with pytest.raises(RequestTimedOut, match=r"has not answered 'evaluate' within 0\.05 s"):
        await client.request("evaluate", {"expression": "1"}, timeout=0.05)
    with pytest.raises(RequestUnsupported, match="can't do 'modules'"):
        await client.request("modules")
    assert "modules" not in [m["command"] for m in server.received]
    assert not owner.reasons


async def test_the_other_side_closes(tcp: Connect) -> None:
    owner, server = await tcp(lambda request: [])
    asked = asyncio.create_task(owner.client.request("threads"))
    await until(lambda: server.received)
    server.writers[-1].close()
    with pytest.raises(AdapterGone, match="closed the connection"):
        await asked
    assert owner.reasons == ["the debug adapter closed the connection"]
    with pytest.raises(AdapterGone):
        await owner.client.request("threads")
    await within(1, owner.client.wait_gone())


async def test_our_side_closes(tcp: Connect) -> None:
    """Whoever waits is told, the owner is not: it did it."""
    owner, server = await tcp(lambda request: [])
    asked = asyncio.create_task(owner.client.request("threads", timeout=None))
    await until(lambda: server.received)
    owner.client.close()
    owner.client.close()
    with pytest.raises(AdapterGone, match="session was closed"):
        await asked
    assert owner.reasons == []
    assert owner.client.gone
    owner.client.respond(Request(1, "runInTerminal"), {})  # to nobody


async def test_nothing_is_handed_on_after_rubbish(tcp: Connect) -> None:
    owner, server = await tcp(lambda request: [])
    asked = asyncio.create_task(owner.client.request("threads"))
    await until(lambda: server.received)
    server.send({"type": "event", "event": "first"})
    server.writers[-1].write(b"oops\n")
    server.send({"type": "event", "event": "second"})
    with pytest.raises(AdapterGone, match="invalid data"):
        await asked
    assert [e.event for e in owner.events] == ["first"]
    assert len(owner.reasons) == 1


async def test_requests_of_the_adapter(tcp: Connect) -> None:
    owner, server = await tcp(lambda message: [])
    asked = asyncio.create_task(owner.client.request("threads", timeout=0.2))
    await until(lambda: server.received)
    server.send({"type": "request", "seq": 9, "command": "runInTerminal", "arguments": {}})
    await until(lambda: owner.requests)
    owner.client.respond(owner.requests[0], {"processId": 3})
    await until(lambda: len(server.received) == 2)
    assert server.received[1]["request_seq"] == 9
    with pytest.raises(RequestTimedOut):
        await asked


async def test_a_cancelled_request_leaves_a_stray(tcp: Connect) -> None:
    held: list[dict[str, Any]] = []

    def answer(request: dict[str, Any]) -> list[dict[str, Any]]:
        held.append(request)
        return []

    owner, server = await tcp(answer)
    asked = asyncio.create_task(owner.client.request("threads"))
    await until(lambda: held)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    server.send(reply(held[0]))
    await until(lambda: owner.client.connection.strays == 1)


# Processes


def start(code: str) -> tuple[AdapterProcess, KeepingGuard]:
    guard = KeepingGuard()
    process = AdapterProcess.start(
        [sys.executable, "-S", "-E", "-c", code],
        name="adapter",
        environment={"ADAPTER_MARK": "here"},
        launch=guard.begin_launch(),
    )
    return process, guard


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("", "adapter ended with exit code 0"),
        ("import sys; sys.exit('no luck')", "adapter ended unexpectedly (exit code 1): no luck"),
        ("import os; os.kill(os.getpid(), 9)", "adapter was killed (SIGKILL)"),
        ("print('hello')", "invalid data from the debug adapter: no DAP header in 'hello"),
        (
            "import os; os.write(2, b'\\xff\\xfe words\\n'); os._exit(2)",
            "(exit code 2): \ufffd\ufffd words",
        ),
    ],
)
async def test_ends_in_words(code: str, words: str) -> None:
    process, guard = start(code)
    owner = Owner()
    await owner.client.over_process(process)
    with pytest.raises(AdapterGone) as gone:
        await owner.client.request("initialize", {"adapterID": "x"})
    assert words in str(gone.value)
    assert owner.reasons == [str(gone.value)]
    process.end()
    assert not guard.remains()


@pytest.mark.full
@pytest.mark.real
async def test_a_process_that_closes_its_stdin_only() -> None:
    """All that is written is lost; the time limit is what remains."""
    process, _ = start("import os, time; os.close(0); time.sleep(60)")
    owner = Owner()
    await owner.client.over_process(process)
    with pytest.raises((RequestTimedOut, AdapterGone)):
        await owner.client.request("initialize", {"text": "x" * 300_000}, timeout=0.5)
    owner.client.close()
    process.end()


@pytest.mark.real
async def test_a_process_is_marked_and_in_a_session_of_its_own() -> None:
    code = "import os, sys; os.write(2, f'{os.getsid(0) == os.getpid()} {os.environ}'.encode())"
    process, guard = start(code)
    owner = Owner()
    await owner.client.over_process(process)
    await until(lambda: owner.reasons)
    said = b"".join(owner.client.stderr_tail).decode()
    assert said.startswith("True")
    assert "'ADAPTER_MARK': 'here'" in said
    assert guard.launches[0].watched == (process.pid,)
    process.end()


@pytest.mark.real
def test_a_process_that_can_not_be_started() -> None:
    launch = KeepingGuard().begin_launch()
    for command in (["/no/such/adapter"], ["/etc/passwd"]):
        with pytest.raises(AdapterNotStarted, match="can't start adapter: "):
            AdapterProcess.start(command, name="adapter", environment={}, launch=launch)


@pytest.mark.real
def test_a_process_that_does_not_go_is_killed() -> None:
    process, guard = start("import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)")
    process.end()
    assert process.popen.returncode == -9
    assert not guard.remains()


# The log


def test_the_log_is_readable_whatever_was_sent(tmp_path: Path) -> None:
    path = tmp_path / "dap.log"
    path.touch(mode=0o644)
    log = DapLog(path)
    assert path.stat().st_mode & 0o777 == 0o600, "values and command lines are nobody else's"
    log.write("->", b"Content-Length: 2\r\n\r\n{}")
    log.write("<-", b"\xff\x00 \xe2\x82")
    log.close()
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [e["dir"] for e in entries] == ["->", "<-"]
    assert entries[0]["data"] == "Content-Length: 2\r\n\r\n{}"
    assert entries[0]["t"] <= entries[1]["t"]


async def test_a_full_disk_does_not_end_the_session(tmp_path: Path) -> None:
    log = DapLog(Path("/dev/full"))
    owner = Owner(log)
    owner.client.data_received(
        encode_frame(json.dumps({"type": "event", "event": "stopped"}).encode())
    )
    assert [e.event for e in owner.events] == ["stopped"]
    log.close()
