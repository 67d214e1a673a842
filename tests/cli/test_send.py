"""``tuidbg send``: one action from the command line, by whatever way the server listens."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.bridges import bridge, send
from tests.support.command import environment
from tests.support.waiting import PATIENCE
from tuidbg.api.auth.tokens import Tokens
from tuidbg.api.options import RelayOptions
from tuidbg.api.server import Relay
from tuidbg.api.server_file import write_server_file

pytestmark = [pytest.mark.real, pytest.mark.full]

ROOT = Path(__file__).parents[2]
PROGRAM = "first = 1\nsecond = 2\nthird = 3\n"


def run_send(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """``tuidbg send`` with these words, where no server is known of."""
    env = {**environment(folder), "XDG_RUNTIME_DIR": str(folder)}
    return subprocess.run(
        [sys.executable, "-m", "tuidbg", "send", *words],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


@contextmanager
def listening(path: Path | None, answer: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Something that listens and answers one request with these bytes; what it was asked."""
    asked: list[bytes] = []
    if path is not None:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen()
    else:
        listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        line, _ = listener.accept()
        with line:
            received = b""
            while b"}" not in received:
                received += line.recv(65536)
            asked.append(received)
            line.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield (0 if path is not None else listener.getsockname()[1]), asked
        thread.join(PATIENCE)
    finally:
        listener.close()


def reply(status: str, body: str) -> bytes:
    """An HTTP response."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return f"{head}\r\n\r\n{body}".encode()


async def test_the_sample_conversation_runs_in_its_order(tmp_path: Path) -> None:
    async with bridge(tmp_path, manage_bridge=True) as b:
        await b.start(PROGRAM)
        status, answer, _ = await send(b, "--action", "stacktrace")
        assert status == 0 and answer is not None
        assert answer["stacktrace"][0]["function"] == "<module>"
        words = ("--action", "set_breakpoint", "--file", "app.py", "--line", "3")
        assert (await send(b, *words))[0] == 0
        status, answer, _ = await send(b, "--action", "continue")
        assert answer is not None and answer["frame"]["line"] == 3
        status, answer, _ = await send(b, "--action", "watch_expr", "--expression", "second")
        assert answer == {"ok": True, "watch": [{"expression": "second", "result": "2"}]}
        assert (await send(b, "--action", "restart"))[0] == 0


async def test_all_fields_reach_the_server(tmp_path: Path) -> None:
    async with bridge(tmp_path) as b:
        await b.start(PROGRAM)
        threads = (await b.ok("threads"))["threads"]
        thread = str(threads[0]["id"])
        assert (await send(b, "--action", "select_thread", "--thread-id", thread))[1] == {
            "ok": True,
            "threadId": threads[0]["id"],
        }
        await b.ok("next")
        scope = (await b.ok("scopes"))["scopes"][0]["variablesReference"]
        words = ("--action", "variables", "--variables-reference", str(scope))
        status, answer, _ = await send(b, *words)
        assert status == 0 and answer is not None
        assert "first" in [variable["name"] for variable in answer["variables"]]


async def test_what_is_refused_is_printed_and_has_status_1(tmp_path: Path) -> None:
    async with bridge(tmp_path) as b:
        status, answer, complaint = await send(b, "--action", "stacktrace")
        assert (status, complaint) == (1, "")
        assert answer == {"ok": False, "error": "there is no session; start one first"}


async def test_the_server_and_its_token_are_found_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    run.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(run))
    env = {"XDG_RUNTIME_DIR": str(run)}
    async with bridge(tmp_path, tokens=Tokens()) as b:
        assert b.tokens is not None
        write_server_file(b.url, token=b.tokens.owner.value)
        for words in ([], ["--port", str(b.port)], ["--host", "localhost"]):
            status, answer, _ = await send(b, "--action", "disconnect", *words, env=env)
            assert (status, answer) == (0, {"ok": True})
        status, answer, _ = await send(b, "--action", "disconnect", "--token", "wrong", env=env)
        assert status == 1 and answer is not None and "token" in answer["error"]


async def test_a_real_server_on_a_unix_socket_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    run.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(run))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "s"
    async with bridge(tmp_path) as b:
        relay = Relay(b.hub, RelayOptions(uds=str(path), build_cmd="echo built"))
        await relay.start()
        try:
            env = {"XDG_RUNTIME_DIR": str(run)}
            for words in ([], ["--uds", str(path)]):
                status, answer, complaint = await send(b, "--action", "build", *words, env=env)
                assert (status, complaint) == (0, "")
                assert answer is not None and answer["stdout"] == "built\n"
        finally:
            await relay.stop()
        status, _, complaint = await send(b, "--action", "build", env=env)
        assert status == 2 and "there is no server" in complaint


def test_a_unix_socket_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with listening(path, reply("200 OK", '{"ok":true,"threads":[]}')) as (_, asked):
        done = run_send(tmp_path, "--action", "threads", "--uds", str(path), "--token", "abc")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"ok": True, "threads": []}
    head, _, body = asked[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /command HTTP/1.1\r\n")
    assert b"Authorization: Bearer abc" in head and b"Content-Type: application/json" in head
    assert json.loads(body) == {"action": "threads"}


def test_without_a_server_it_says_so_with_status_2(tmp_path: Path) -> None:
    done = run_send(tmp_path, "--action", "threads")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "tuidbg: send: there is no server; start one: tuidbg serve\n"


@pytest.mark.parametrize("way", ["port", "uds"])
def test_where_nobody_listens_it_says_so_with_status_2(tmp_path: Path, way: str) -> None:
    if way == "port":
        with socket.create_server(("127.0.0.1", 0)) as free:
            where = str(free.getsockname()[1])
    else:
        where = str(tmp_path / "none")
    done = run_send(tmp_path, "--action", "threads", f"--{way}", where)
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no server at" in done.stderr and where in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH\r\n", reply("200 OK", "[1]")])
def test_what_is_no_tuidbg_is_told_from_one(tmp_path: Path, answer: bytes) -> None:
    with listening(None, answer) as (port, _):
        done = run_send(tmp_path, "--action", "threads", "--port", str(port))
    assert done.returncode == 2
    assert "is no tuidbg" in done.stderr


@pytest.mark.parametrize(
    "words", [[], ["--action"], ["--action", "threads", "--line", "x"], ["--nonsense"]]
)
def test_words_that_make_no_sense_are_refused(tmp_path: Path, words: list[str]) -> None:
    done = run_send(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tuidbg: send: ") and done.stderr.count("\n") == 1


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys, tuidbg.cli.commands.send, tuidbg.api.server_file\n"
        "heavy = {'fastapi', 'uvicorn', 'pydantic', 'textual', 'asyncio', 'tuidbg.session'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
