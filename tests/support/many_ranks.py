"""Ranks that are none: one process that calls the debugger's port once for each, on the real wire.

Each plays what debugpy's server said in a rank that was recorded: who it is, where it stands, what
became of breakpoints; it runs, pauses and goes on as it is told. Run as a script, with the port and
how many there are; then it is told by lines on stdin what shall happen (``Orders`` sends them).
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

Json = dict[str, Any]

ODD = 5
"""The rank that stands elsewhere."""

CAPABILITIES: Json = {
    "supportsConfigurationDoneRequest": True,
    "supportsConditionalBreakpoints": True,
    "supportsDelayedStackTraceLoading": True,
    "supportsFunctionBreakpoints": True,
    "supportsTerminateRequest": True,
    "supportTerminateDebuggee": True,
    "exceptionBreakpointFilters": [{"filter": "uncaught", "label": "Uncaught", "default": True}],
}

FIRST_PID = 4_000_000
"""No process of this machine has such a number."""


class Rank(asyncio.Protocol):
    """One of them."""

    def __init__(self, number: int, world: int, path: str) -> None:
        self.number, self.hangs = number, False
        self._world, self._path = world, path
        self._buffer = b""
        self._seq = 0
        self._transport: asyncio.Transport | None = None
        self.is_configured = False

    def itself(self) -> Rank:
        """What asyncio makes a connection with."""
        return self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while not self.hangs:
            header, found, rest = self._buffer.partition(b"\r\n\r\n")
            if not found or len(rest) < (length := int(header.split(b":")[1])):
                return
            self._buffer = rest[length:]
            self._answer(json.loads(rest[:length]))

    def _send(self, **message: Any) -> None:
        self._seq += 2
        body = json.dumps({"seq": self._seq, **message}).encode()
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def tell(self, event: str, **body: Any) -> None:
        """Send an event, unless it hangs."""
        if not self.hangs:
            self._send(type="event", event=event, body=body)

    def _answer(self, request: Json) -> None:
        command, arguments = request["command"], request.get("arguments") or {}
        if command == "attach":
            name, pid = self._path, FIRST_PID + self.number
            self.tell("process", name=name, systemProcessId=pid, startMethod="attach")
        body = self._body(command, arguments)
        seq = request["seq"]
        self._send(type="response", request_seq=seq, success=True, command=command, body=body)
        if command == "pause":
            self.stop("pause")
        elif command in ("continue", "next", "stepIn", "stepOut"):
            self.tell("continued", threadId=1, allThreadsContinued=True)
            if command != "continue":
                self.stop("step")
        elif command == "configurationDone":
            self.is_configured = True
        elif command == "disconnect" and self._transport is not None:
            self._transport.close()

    def _body(self, command: str, arguments: Json) -> Json:
        match command:
            case "pydevdAuthorize":
                return {"clientAccessToken": None}
            case "initialize":
                return CAPABILITIES
            case "setBreakpoints":
                wanted = enumerate(arguments["breakpoints"])
                source = arguments["source"]
                known = {"verified": True, "source": source}
                return {
                    "breakpoints": [{**known, "id": n, "line": each["line"]} for n, each in wanted]
                }
            case "evaluate":
                return {"result": self._value(arguments), "variablesReference": 0}
            case "threads":
                return {"threads": [{"id": 1, "name": "MainThread"}]}
            case "stackTrace":
                frames = self._frames()
                return {"stackFrames": frames, "totalFrames": len(frames)}
        return {}

    def _value(self, arguments: Json) -> str:
        expression = arguments["expression"]
        if "environ" in expression:
            known = {"RANK": str(self.number), "WORLD_SIZE": str(self._world)}
            return repr((known, [self._path], f"node{self.number // 8}", "", [], []))
        if ".look(" in expression:  # which of the files that have breakpoints it has imported
            loaded = {"loaded": [self._path], "pid": FIRST_PID + self.number}
            self.tell("output", category="telemetry", output="tuidbg", data=loaded)
        if ".put(" in expression:
            return "{}"
        return str(self.number) if "frameId" in arguments else "1"

    def _frames(self) -> list[Json]:
        inner = ("load_shard", 8) if self.number == ODD else ("all_reduce", 4)
        calls = (inner, ("train", 14), ("<module>", 15))
        source = {"path": self._path, "sourceReference": 0}
        return [
            {"id": n, "name": name, "line": line, "column": 1, "source": source}
            for n, (name, line) in enumerate(calls, 2)
        ]

    def stop(self, reason: str) -> None:
        """Stand there."""
        self.tell("stopped", reason=reason, threadId=1, allThreadsStopped=True)

    def die(self) -> None:
        """Be gone without a word."""
        if self._transport is not None:
            self._transport.abort()


class Crowd:
    """All of them, and who tells them what shall happen."""

    def __init__(self, port: int, count: int, path: str) -> None:
        self._port, self._path = port, path
        self.ranks = [Rank(number, count, path) for number in range(count)]
        self._telling: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Until stdin ends."""
        loop = asyncio.get_running_loop()
        for rank in self.ranks:
            await loop.create_connection(rank.itself, "127.0.0.1", self._port)
        reader = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            name, *numbers = line.decode().split()
            self._obey(name, [int(each) for each in numbers])

    def _obey(self, name: str, numbers: list[int]) -> None:
        match name:
            case "stop":
                for rank in self.ranks:
                    rank.stop("pause")
            case "hang":
                for number in numbers:
                    self.ranks[number].hangs = True
            case "die":
                for number in numbers:
                    self.ranks[number].die()
            case "tell":
                self._telling = asyncio.create_task(self._tell(*numbers))
            case "hush" if self._telling is not None:
                self._telling.cancel()

    async def _tell(self, a_second: int) -> None:
        """So many events a second of each, spread evenly; until it is to be quiet."""
        loop, told, begun = asyncio.get_running_loop(), 0, asyncio.get_running_loop().time()
        while True:
            due = int((loop.time() - begun) * a_second * len(self.ranks))
            for number in range(told, due):
                rank = self.ranks[number % len(self.ranks)]
                rank.tell("output", category="stdout", output=f"loss {number}\n")
            told = due
            await asyncio.sleep(0.005)


class Orders:
    """Tells the process what its ranks shall do."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def give(self, name: str, *numbers: int) -> None:
        """``stop``, ``hang``, ``die``, ``tell`` (so many events a second of each), ``hush``."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{name} {' '.join(map(str, numbers))}\n".encode())
        self._process.stdin.flush()


@contextmanager
def many_ranks(port: int, count: int, path: Path) -> Iterator[Orders]:
    """So many of them, which call that port; ``path`` is their program."""
    words = [sys.executable, "-m", "tests.support.many_ranks", str(port), str(count), str(path)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, cwd=ROOT)
    try:
        yield Orders(process)
    finally:
        process.kill()
        process.communicate()


if __name__ == "__main__":
    asyncio.run(Crowd(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]).run())
