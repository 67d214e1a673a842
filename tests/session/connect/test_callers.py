"""Who calls the port that is listened at: by token, as garbage, half open, in thousands."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.session.connect.test_listening import Listening
from tests.support.attachable import TOTAL, attached_session, connecting, free_port
from tests.support.sessions import until
from tuidbg.process import limits
from tuidbg.session.model.state import Status

TOKEN = "a-token-of-many-words"


class Port(Listening):
    """A session that listens, and what whoever calls there comes to."""

    async def takes_in(self, folder: Path, *options: str) -> None:
        """A real program gets in, and stands at a breakpoint that was set before."""
        folder.mkdir(exist_ok=True)
        async with connecting(folder, self.port, *options) as program:
            await self.session.breakpoints.set(program.path, TOTAL, origin="tui")
            await self.under_test.until(
                lambda: any(
                    r.session.status is Status.PAUSED and r.session.pid == program.process.pid
                    for r in self.relatives
                ),
                "it stands",
            )

    def has_refused(self, count: int) -> bool:
        """Tells whether so many were not taken in."""
        return self.session.listener.refusals >= count

    def dial(self) -> socket.socket:
        """A connection of somebody who says nothing yet."""
        return socket.create_connection(("127.0.0.1", self.port))

    async def told(self, words: str) -> None:
        """Wait until a person has been told so."""
        await self.under_test.until(lambda: words in self.under_test.console, words)

    async def hangs_up(self, line: socket.socket) -> None:
        """Wait until the line of a caller is ended from our side."""
        line.setblocking(False)
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(30):
            try:
                while await loop.sock_recv(line, 4096):
                    pass
            except ConnectionError:
                pass


@asynccontextmanager
async def listening_port(folder: Path, token: str = "") -> AsyncIterator[Port]:
    number = free_port()
    async with attached_session(folder, port=number, listen=True, token=token) as under_test:
        await under_test.session.lifecycle.start()
        yield Port(under_test, number)


@pytest.mark.full
@pytest.mark.real
async def test_who_knows_the_token_is_taken_in_and_its_children_are(tmp_path: Path) -> None:
    source = (
        "import subprocess, sys, time\n"
        "def work():\n"
        "    return 1\n"
        "if len(sys.argv) > 2:\n"
        "    work()\n"
        "else:\n"
        "    subprocess.run([sys.executable, __file__, sys.argv[1], 'child'])\n"
        "    time.sleep(60)\n"
    )
    async with (
        listening_port(tmp_path, TOKEN) as port,
        connecting(tmp_path, port.port, "--adapter-access-token", TOKEN, source=source) as program,
    ):
        await port.session.breakpoints.set(program.path, 3, origin="tui")
        await port.under_test.until(
            lambda: any(r.session.status is Status.PAUSED for r in port.relatives), "the child"
        )
        assert len(port.relatives) == 2
        assert TOKEN not in port.under_test.console


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("options", [(), ("--adapter-access-token", "guess")])
async def test_who_does_not_is_refused_and_it_is_said_once(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    """Of each program that calls, and it is asked nothing more than that."""
    told = "the connection from 127.0.0.1 does not know the token"
    async with listening_port(tmp_path, TOKEN) as port:
        for number in range(3):
            folder = tmp_path / str(number)
            folder.mkdir()
            async with connecting(folder, port.port, *options) as program:
                await until(partial(port.has_refused, number + 1), "it is refused")
                assert program.count == 0
        await port.told(told)
        assert port.under_test.console.count(told) == 1
        assert not port.relatives
        await port.takes_in(tmp_path / "real", "--adapter-access-token", TOKEN)


async def test_a_token_is_compared_in_constant_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return False

    monkeypatch.setattr("hmac.compare_digest", compare)
    async with listening_port(tmp_path, TOKEN) as port:
        with port.dial() as line:
            line.sendall(
                frame(
                    '{"seq":1,"type":"response","request_seq":1,"success":true,'
                    '"command":"pydevdAuthorize","body":{"clientAccessToken":"x"}}'
                )
            )
            await port.hangs_up(line)
    assert compared == [(b"x", TOKEN.encode())]


def frame(text: str) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(text), text.encode())


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(b"GET / HTTP/1.0\r\n\r\n", id="a browser"),
        pytest.param(bytes(range(256)) * 20, id="noise"),
        pytest.param(b"Content-Length: 99999999999\r\n\r\n", id="an endless message"),
        pytest.param(frame("[" * 5000), id="nested too deeply"),
        pytest.param(
            frame(
                '{"seq":1,"type":"response","request_seq":1,"success":true,"command":"x",'
                '"body":{"clientAccessToken":{}}}'
            ),
            id="an answer of another form",
        ),
        pytest.param(
            frame('{"seq":1,"type":"event","event":"output","body":{}}') * 10_000,
            id="events without end",
        ),
    ],
)
async def test_garbage_is_hung_up_on(words: bytes, tmp_path: Path) -> None:
    async with listening_port(tmp_path) as port:
        with port.dial() as line:
            try:
                line.sendall(words)
            except ConnectionError:
                pass  # it has not even listened to the end
            await port.hangs_up(line)
        await port.told("does not speak as a Python program with debugpy")
        assert not port.relatives
        await port.takes_in(tmp_path / "real")


@pytest.mark.full
@pytest.mark.real
async def test_who_says_nothing_delays_nobody_and_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listening_port(tmp_path) as port, _many(port, 40) as silent:
        await port.takes_in(tmp_path / "real")
        monkeypatch.setattr("tuidbg.session.core.connect.listening.GREETING", 0.05)
        with port.dial() as line:
            await port.hangs_up(line)
        await port.told("does not speak as a Python program with debugpy")
        assert len(silent) == 40


@asynccontextmanager
async def _many(port: Port, count: int) -> AsyncIterator[list[socket.socket]]:
    """So many callers that say nothing."""
    with ExitStack() as stack:
        lines = []
        for _ in range(count):
            lines.append(stack.enter_context(port.dial()))
            await asyncio.sleep(0)
        yield lines


@pytest.fixture
def few_descriptors(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """So that a flood could use up all of them."""
    monkeypatch.setattr(limits, "DESCRIPTORS", 1024)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    yield 1024
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


FLOOD = """\
import os, resource, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
lines = []
for _ in range(int(sys.argv[2])):
    try:
        lines.append(socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5))
    except OSError:
        pass
print(len(lines), flush=True)
sys.stdin.read()
"""


@pytest.mark.full
@pytest.mark.real
async def test_ten_thousand_callers_take_neither_descriptors_nor_the_way_in(
    tmp_path: Path, few_descriptors: int
) -> None:
    """So many are heard at a time that files are left for the debugger; then real ones get in."""
    from tuidbg.session.core.connect.accepting import HEARD_LIMIT

    count = int(os.environ.get("TUIDBG_CALLERS", "2000"))
    path = tmp_path / "flood.py"
    path.write_text(FLOOD, encoding="utf-8")
    async with listening_port(tmp_path) as port, AsyncExitStack() as stack:
        before = open_files()
        most = before
        flood = _start_flood(path, port.port, count)
        stack.callback(_end, flood)
        assert flood.stdout is not None
        connected = asyncio.create_task(asyncio.to_thread(flood.stdout.readline))
        while not connected.done():
            most = max(most, open_files())
            await asyncio.sleep(0)
        assert int(connected.result()) > count // 2
        assert most - before <= HEARD_LIMIT + 16 < few_descriptors
        await port.told("very many others connected: it was dropped")
        await port.takes_in(tmp_path / "real")
        _end(flood)
        await port.under_test.until(lambda: open_files() <= before + 8, "all are let go of")


def _start_flood(path: Path, port: int, count: int) -> subprocess.Popen[bytes]:
    words = [sys.executable, str(path), str(port), str(count)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (as fast as it goes)


async def test_descriptors_are_kept_for_the_debugger(
    tmp_path: Path, few_descriptors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tuidbg.session.core.connect.accepting.KEPT_DESCRIPTORS", few_descriptors)
    async with listening_port(tmp_path) as port:
        with port.dial() as line:
            await port.hangs_up(line)
        await port.told("was refused: too many files are open (ulimit -n)")
        assert not port.relatives


@pytest.mark.full
@pytest.mark.real
async def test_a_program_of_another_user_does_not_enter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a token: whoever knows it may be somebody else."""
    path = "tuidbg.adapters.debugpy.incoming.is_trusted"
    async with listening_port(tmp_path) as port:
        with monkeypatch.context() as patch:
            patch.setattr(path, lambda line: False)
            async with connecting(tmp_path, port.port) as program:
                await port.told("is a program of another user, and there is no token that could")
                assert program.count == 0 or program.lives
        assert not port.relatives
        await port.takes_in(tmp_path / "real")
    monkeypatch.setattr(path, lambda line: False)
    async with listening_port(tmp_path, TOKEN) as port:
        await port.takes_in(tmp_path / "known", "--adapter-access-token", TOKEN)


def test_whoever_listens_may_open_as_many_files_as_the_system_lets_it() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
    try:
        assert limits.raise_limit() == (min(soft, 512), hard)
        raised, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    unlimited = hard == resource.RLIM_INFINITY
    assert raised == (limits.DESCRIPTORS if unlimited else min(hard, limits.DESCRIPTORS))
