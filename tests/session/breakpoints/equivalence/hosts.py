"""The two processes that run a program: one under tuidbg, one that traces it by itself."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from tests.support.sessions import SessionUnderTest, debugpy_session
from tests.support.waiting import PATIENCE
from tuidbg.session.core.breakpoints.store import BreakpointSettings
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.events import StackChanged
from tuidbg.session.model.state import Breakpoint, BreakpointStatus, OnError

HOST = Path(__file__).parents[3] / "programs" / "equivalence" / "host.py"
DONE = next(
    n for n, line in enumerate(HOST.read_text().splitlines(), 1) if line.endswith("#: done")
)

GROUP = "under test"

Record = tuple[str, int, str, int]
"""A thread's name, a line, a function's name, and how often it was hit there by then."""


@dataclass(frozen=True)
class Wanted:
    """A breakpoint at a line: it stops, or it tells that it would have."""

    line: int
    condition: str = ""
    operator: str = ""
    value: int = 0
    stops: bool = False

    @property
    def hit_condition(self) -> str:
        return f"{self.operator}{self.value}" if self.operator else ""


@dataclass
class Found:
    """What came of a run: each thread's stops and what was told there, each in their order.

    And the hits, misses and errors of each line.
    """

    records: dict[str, list[Record]] = field(default_factory=dict)
    counts: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)
    error: str = ""

    def add(self, record: Record, *, stops: bool) -> None:
        """Keep one; stops come to tuidbg by another way than what is told."""
        key = f"{'stops' if stops else 'told'} in {record[0]}"
        self.records.setdefault(key, []).append(record)


class ReferenceHost:
    """Runs programs and says what breakpoints should do there."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def run(self, path: str, wanted: Sequence[Wanted], *, by_pdb: bool = False) -> Found:
        """One run; with an empty ``path`` of the program of before.

        ``by_pdb``: with plain breakpoints of Python's own debugger.
        """
        breakpoints = [
            {"line": w.line, "condition": w.condition, "operator": w.operator, "value": w.value}
            for w in wanted
        ]
        request = {"path": path, "breakpoints": breakpoints, "number": 0, "pdb": by_pdb}
        self._stream.write(json.dumps(request) + "\n")
        self._stream.flush()
        answer = json.loads(self._stream.readline())
        counts = {int(line): tuple(each) for line, each in answer["counts"].items()}
        stopping = {each.line for each in wanted if each.stops}
        found = Found(counts=counts, lines=answer["lines"], error=answer["error"])
        for record in answer["records"]:
            found.add(tuple(record), stops=record[1] in stopping)
        return found


@contextmanager
def reference_host(python: str) -> Iterator[ReferenceHost]:
    """The other side of the comparison, in a Python without a debugger."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        with subprocess.Popen([python, str(HOST), port, "reference"]) as process:
            server.settimeout(PATIENCE)
            connection, _ = server.accept()
            with connection, connection.makefile("rw", encoding="utf-8") as stream:
                try:
                    yield ReferenceHost(stream)
                finally:
                    connection.shutdown(socket.SHUT_RDWR)
            process.wait(PATIENCE)


class DebuggedHost:
    """Runs programs under tuidbg."""

    def __init__(
        self,
        under_test: SessionUnderTest,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._t = under_test
        self._reader, self._writer = reader, writer
        self._number = self._seen = 0
        self._path = ""

    async def run(self, path: str, wanted: Sequence[Wanted]) -> Found:
        """One run; with an empty ``path`` of the program of before."""
        self._path = path or self._path
        numbers = await self._set(wanted)
        self._number += 1
        self._seen = self._t.session.events.last_seq
        first = self._t.session.trace.last_number
        request = {"path": path, "number": self._number}
        self._writer.write(json.dumps(request).encode() + b"\n")
        found = Found()
        answering = asyncio.create_task(self._reader.readline())
        while True:
            await self._t.until(lambda: self._is_stopped() or self._is_told(first))
            if not self._is_stopped():
                break
            await self._take_stop(found, numbers)
            self._seen = self._t.session.events.last_seq
            await self._t.session.execution.resume(Resume.CONTINUE, origin="tui")
        found.error = json.loads(await answering)["error"]
        for record in self._t.session.trace.since(first):
            if record.path == self._path:
                told = record.thread, record.line, record.text, record.count
                found.add(told, stops=False)
        for number, line in numbers.items():
            b = self._t.session.breakpoints.registry.get(number)
            found.counts[line] = b.hits, b.misses, b.errors
        await self._t.session.breakpoints.remove_group(GROUP, origin="tui")
        return found

    async def _set(self, wanted: Sequence[Wanted]) -> dict[int, int]:
        breakpoints = self._t.session.breakpoints
        asked = [
            Breakpoint(
                number=number,
                path=self._path,
                line=each.line,
                condition=each.condition,
                hit_condition=each.hit_condition,
                on_error=OnError.REPORT,
                trace=not each.stops,
                log_message="" if each.stops else "{HERE()}",
                group=GROUP,
            )
            for number, each in enumerate(wanted, 1)
        ]
        await breakpoints.adopt(asked, origin="tui")
        found = breakpoints.registry.of_group(GROUP)
        wrong = [b.line for b in found if b.status is BreakpointStatus.REFUSED]
        assert not wrong, wrong
        return {b.number: b.line for b in found}

    def _is_stopped(self) -> bool:
        """True if it stands, and its stack has come, since ``_seen``."""
        stop = self._t.session.stop_id
        news = (e.event for e in self._t.session.events.since(self._seen))
        there = (isinstance(each, StackChanged) and each.stop_id == stop for each in news)
        return self._t.ended or any(there)

    def _is_told(self, first: int) -> bool:
        return any(
            record.path == str(HOST) and record.text == str(self._number)
            for record in self._t.session.trace.since(first)
        )

    async def _take_stop(self, found: Found, numbers: dict[int, int]) -> None:
        session = self._t.session
        assert not self._t.ended and session.stop is not None, self._t.describe()
        assert [numbers[number] for number in self._t.hits] == [self._t.line], self._t.describe()
        thread = session.stop.thread_id
        await self._t.until(lambda: self._name_of(thread), "the name of the thread")
        hits = session.breakpoints.registry.get(self._t.hits[0]).hits
        record = self._name_of(thread), self._t.line, session.frames[0].name, hits
        found.add(record, stops=True)

    def _name_of(self, thread: int) -> str:
        """Empty as long as the adapter has not been asked for it."""
        names = [each.name for each in self._t.session.threads if each.id == thread]
        return next((name for name in names if name != f"thread {thread}"), "")


@asynccontextmanager
async def debugged_host(folder: Path, python: str) -> AsyncIterator[DebuggedHost]:
    """The host, started under tuidbg and waiting for the first program."""
    connected: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()

    def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.put_nowait((reader, writer))

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    port = str(server.sockets[0].getsockname()[1])
    settings: dict[str, Any] = {"python": python, "stop_on_entry": False}
    async with server, debugpy_session(folder, HOST, port, **settings) as t:
        await t.session.breakpoints.stop_at_exceptions(frozenset(), origin="tui")
        done: BreakpointSettings = {"trace": True, "log_message": "{number}"}
        await t.session.breakpoints.set(str(HOST), DONE, origin="tui", **done)
        await t.session.lifecycle.start()
        reader, writer = await asyncio.wait_for(connected.get(), PATIENCE)
        try:
            yield DebuggedHost(t, reader, writer)
        finally:
            writer.close()
        await t.until(lambda: t.ended)
        assert "at full speed" not in t.console, t.console  # else it tests debugpy's own way
