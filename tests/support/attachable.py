"""Programs that run with a debug server, and listeners that are none, to attach to."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

from tests.support.sessions import SessionUnderTest, until
from tuidbg.adapters.debugpy.entering.traced_visit import can_trace
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.adapters.program.blocked import trace_obstacle
from tuidbg.config.launch import AttachPlan

PROGRAM = """\
import sys, time
def work(number):
    total = number
    total += 1
    return total
number = 0
while number < 12000:
    number += 1
    work(number)
    with open(sys.argv[1], "w") as file:
        file.write(str(number))
    time.sleep(0.005)
"""
TOTAL, RETURN = 4, 5
"""Lines of the program."""


class Running:
    """A program that counts into a file until it is ended, a minute at most."""

    def __init__(self, process: subprocess.Popen[bytes], path: Path, count: Path) -> None:
        self.process = process
        self.path = str(path)
        self._count = count

    @property
    def count(self) -> int:
        """Returns how far it has come; 0 while it has not begun."""
        try:
            return int(self._count.read_text() or 0)
        except FileNotFoundError:
            return 0

    @property
    def lives(self) -> bool:
        return self.process.poll() is None

    async def goes_on(self) -> None:
        """Wait until it has counted on."""
        before = self.count
        await until(lambda: self.count > before + 2, "the program runs on")
        assert self.lives


def free_port() -> int:
    """A port at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def start_program(words: list[str]) -> subprocess.Popen[bytes]:
    """A program without input and output, in a session of its own; no worker of pytest's."""
    environment = {**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    environment.pop("PYTEST_XDIST_WORKER", None)
    return subprocess.Popen(
        words,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )


@asynccontextmanager
async def running(
    folder: Path, *options: str, source: str = PROGRAM, python: str = sys.executable
) -> AsyncIterator[Running]:
    """The program, started by ``python`` with these options before its name."""
    path, count = folder / "counting.py", folder / "count"
    path.write_text(source, encoding="utf-8")
    process = start_program([python, *options, str(path), str(count)])
    try:
        yield Running(process, path, count)
    finally:
        process.kill()
        process.wait()


@asynccontextmanager
async def listening(
    folder: Path, *options: str, source: str = PROGRAM, port: int = 0
) -> AsyncIterator[tuple[Running, int]]:
    """The program with a debug server that listens, and its port."""
    port = port or free_port()
    words = ("-m", "debugpy", "--listen", f"127.0.0.1:{port}", *options)
    async with running(folder, *words, source=source) as program:
        await until(lambda: listens(port) or not program.lives, "the debug server listens")
        assert program.lives
        yield program, port


def listens(port: int) -> bool:
    """Tells whether something listens at that port, without being its client."""
    wanted = f"0100007F:{port:04X}"
    rows = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    return any(row.split()[1] == wanted and row.split()[3] == "0A" for row in rows)


@asynccontextmanager
async def connecting(
    folder: Path, port: int, *options: str, source: str = PROGRAM
) -> AsyncIterator[Running]:
    """The program, which connects to that port and waits for its debugger."""
    words = ("-m", "debugpy", "--connect", f"127.0.0.1:{port}", "--wait-for-client", *options)
    async with running(folder, *words, source=source) as program:
        yield program


def connecting_words(port: int) -> list[str]:
    """What stands before a program's path, to have it connect to that port and wait."""
    address = f"127.0.0.1:{port}"
    return [sys.executable, "-m", "debugpy", "--connect", address, "--wait-for-client"]


class Line:
    """A relay to a port, whose lines can be cut, and that can refuse new ones for a while."""

    def __init__(self, port: int, at: int = 0) -> None:
        self._target = port
        self._ends: list[asyncio.StreamWriter] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.port = at or free_port()

    async def open(self) -> None:
        """Take calls."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    async def cut(self) -> None:
        """Take no more calls, and end those that there are."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for end in self._ends:
            end.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._ends.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        self._ends += [writer, far_writer]
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            task = asyncio.create_task(_pump(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
    except ConnectionError:
        pass
    writer.close()


@asynccontextmanager
async def line_to(port: int, at: int = 0) -> AsyncIterator[Line]:
    """A relay to that port, open; ``at`` a port of its own, or any."""
    line = Line(port, at)
    await line.open()
    try:
        yield line
    finally:
        await line.cut()


@asynccontextmanager
async def saying(words: bytes | None) -> AsyncIterator[int]:
    """A listener that answers with these words, or keeps silent; its port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        if words is not None:
            writer.write(words)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@asynccontextmanager
async def attached_session(folder: Path, **plan: object) -> AsyncIterator[SessionUnderTest]:
    """A session that is to be attached; not attached yet. ``plan`` are fields of its plan."""
    fields = {"host": "127.0.0.1", "cwd": str(folder), "python": sys.executable, **plan}
    attach_plan = AttachPlan(**fields)  # type: ignore[arg-type]
    under_test = SessionUnderTest(attach_plan, DebugpyProfile(), folder)
    try:
        yield under_test
        await under_test.close()
    finally:
        if under_test.closed_in is None:
            await under_test.session.close()


@cache
def can_enter() -> bool:
    """Returns whether programs of this machine can be gone into by their process ids."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as target:
        try:
            return sys.platform == "linux" and can_trace() and not trace_obstacle(target.pid)
        finally:
            target.kill()
