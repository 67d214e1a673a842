"""An editor, as a client of DAP: on the real ``tuidbg dap``, or in the same process as a server.

Every message, both ways, is held against the schema that debugpy ships.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import jsonschema

from tests.support.waiting import PATIENCE
from tests.support.wire import check_schema, definitions
from tuidbg.api.auth.callers import AccessGate, Caller
from tuidbg.api.dap.client import DapClient, ServerContext
from tuidbg.api.dap.streams import make_client
from tuidbg.session.hub.hub import Hub

Json = dict[str, Any]

HELLO: Json = {
    "clientID": "test",
    "clientName": "Test Editor",
    "adapterID": "tuidbg",
    "linesStartAt1": True,
    "columnsStartAt1": True,
    "pathFormat": "path",
    "supportsVariableType": True,
    "supportsInvalidatedEvent": True,
}


def encode(message: object) -> bytes:
    """The frame of a message."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def check_received(message: Json) -> None:
    """Fails where a message of tuidbg's to an editor is not as the DAP schema has it."""
    if message["type"] != "event":
        unnamed = message["type"] == "response" and message["command"] not in _KNOWN
        if unnamed or not message.get("success", True):
            message = {**message, "command": "initialize"}
        check_schema(message)
        return
    name = message["event"]
    definition = name[:1].upper() + name[1:] + "Event"
    assert definition in definitions()["definitions"], f"DAP knows no {definition}"
    schema = {"$ref": f"#/definitions/{definition}", **definitions()}
    problems = [e.message for e in jsonschema.Draft4Validator(schema).iter_errors(message)]
    assert not problems, f"{message}: {problems}"


_KNOWN = {
    definition["allOf"][1]["properties"]["command"].get("enum", [""])[0]
    for name, definition in definitions()["definitions"].items()
    if name.endswith("Request") and "allOf" in definition
}


class Way(Protocol):
    """How an editor's bytes come to tuidbg."""

    def write(self, data: bytes) -> None:
        """Send them."""


class Editor:
    """One client: asks, and keeps all that it is told."""

    def __init__(self, way: Way) -> None:
        self._way = way
        self._seq = 0
        self._waiting: dict[int, asyncio.Future[Json]] = {}
        self._received = b""
        self.told: list[Json] = []
        """All messages, in their order."""
        self.problems: list[str] = []
        self.is_closed = False
        self.takes_reverse: Callable[[Json], Json | None] | None = None
        """Answers requests of tuidbg's: a body, or None for no."""
        self._news = asyncio.Event()

    # What comes

    def take(self, data: bytes) -> None:
        """Bytes have come."""
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            length = int(self._received[:end].rpartition(b":")[2])
            if len(self._received) < end + 4 + length:
                return
            body = self._received[end + 4 : end + 4 + length]
            self._received = self._received[end + 4 + length :]
            self._take(json.loads(body))

    def _take(self, message: Json) -> None:
        try:
            check_received(message)
        except AssertionError as error:
            self.problems.append(str(error))
        expected = self.told[-1]["seq"] + 1 if self.told else 1
        if message["seq"] != expected:
            self.problems.append(f"seq {message['seq']} in place of {expected}")
        self.told.append(message)
        if message["type"] == "response":
            future = self._waiting.pop(message["request_seq"], None)
            if future is not None and not future.done():
                future.set_result(message)
        elif message["type"] == "request":
            body = self.takes_reverse(message) if self.takes_reverse is not None else None
            self.write(
                encode(
                    {
                        "seq": self._next(),
                        "type": "response",
                        "request_seq": message["seq"],
                        "command": message["command"],
                        "success": body is not None,
                        "body": body or {},
                    }
                )
            )
        self._news.set()

    def close(self) -> None:
        """Nothing comes any more, and no answer."""
        self.is_closed = True
        for seq, future in self._waiting.items():
            if not future.done():
                future.set_exception(AssertionError(f"closed before the answer to request {seq}"))
                future.exception()  # nobody may wait for it
        self._news.set()

    async def until(self, condition: Callable[[], Any], what: str = "") -> Any:
        """Wait until a condition on what was told holds; what it gives."""
        async with asyncio.timeout(PATIENCE):
            while not (found := condition()):
                assert not self.is_closed, f"closed before {what}: {self.told[-5:]}"
                self._news.clear()
                await self._news.wait()
        assert not self.problems
        return found

    # What is sent

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._way.write(data)

    def _next(self) -> int:
        self._seq += 1
        return self._seq

    def send(self, command: str, **arguments: Any) -> asyncio.Future[Json]:
        """Send a request; the answer, when it comes."""
        message: Json = {"seq": self._next(), "type": "request", "command": command}
        if arguments:
            message["arguments"] = arguments
        check_schema(message)
        return self.send_raw(message)

    def send_raw(self, message: Json) -> asyncio.Future[Json]:
        """The same for a request that may be no good one."""
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        message.setdefault("seq", 0)
        if not message["seq"]:
            message["seq"] = self._next()
        self._waiting[message["seq"]] = future
        self.write(encode(message))
        return future

    async def answer(self, command: str, **arguments: Any) -> Json:
        """Send a request, and its answer, be it yes or no."""
        async with asyncio.timeout(PATIENCE):
            answer = await self.send(command, **arguments)
        assert not self.problems
        return answer

    async def ask(self, command: str, **arguments: Any) -> Json:
        """Send a request; the body of its answer, which must be yes."""
        answer = await self.answer(command, **arguments)
        assert answer["success"], answer
        body: Json = answer.get("body") or {}
        return body

    async def refused(self, command: str, **arguments: Any) -> str:
        """Send a request that is refused; the sentence that says why."""
        return why_refused(await self.answer(command, **arguments))

    # What was told

    def events(self, name: str, after: int = 0) -> list[Json]:
        """The bodies of all events of that name, from a message on."""
        return [
            message.get("body") or {}
            for message in self.told[after:]
            if message["type"] == "event" and message["event"] == name
        ]

    async def event(self, name: str, after: int = 0, count: int = 1) -> Json:
        """Wait for an event; its body."""
        await self.until(lambda: len(self.events(name, after)) >= count, f"{name}")
        return self.events(name, after)[count - 1]

    @property
    def mark(self) -> int:
        """Where it has come to in what it was told."""
        return len(self.told)

    @property
    def output(self) -> str:
        """All that was written, but for the debugger's own words."""
        return self.output_after(0)

    def output_after(self, mark: int) -> str:
        """The same, from a message on."""
        told = self.events("output", mark)
        return "".join(e["output"] for e in told if e.get("category") in ("stdout", "stderr"))

    # What editors do

    async def begin(
        self,
        request: str = "launch",
        breakpoints: dict[str, list[Json]] | None = None,
        filters: list[str] | None = None,
        hello: Json | None = None,
        **arguments: Any,
    ) -> dict[str, list[Json]]:
        """Come, launch or attach, and configure; what became of the breakpoints."""
        await self.ask("initialize", **{**HELLO, **(hello or {})})
        launching = self.send(request, **(arguments or {"name": "joined"}))
        await self.until(
            lambda: self.events("initialized") or launching.done(), "initialized or a refusal"
        )
        found = {}
        if not launching.done():
            for path, wanted in (breakpoints or {}).items():
                body = await self.ask("setBreakpoints", source={"path": path}, breakpoints=wanted)
                found[path] = body["breakpoints"]
            if filters is not None:
                await self.ask("setExceptionBreakpoints", filters=filters)
            await self.ask("configurationDone")
        async with asyncio.timeout(PATIENCE):
            answer = await launching
        assert answer["success"], answer
        return found

    async def stopped(self, after: int = 0) -> Json:
        """Wait for a stop; the event."""
        return await self.event("stopped", after)

    async def step(self, command: str = "next", thread: int | None = None) -> Json:
        """Step, or continue, to the next stop; the event."""
        mark = self.mark
        known = self.events("stopped")
        number = thread if thread is not None else known[-1]["threadId"]
        await self.ask(command, threadId=number)
        return await self.stopped(mark)

    async def frame(self, thread: int | None = None) -> Json:
        """The top frame of the stopped thread."""
        number = thread if thread is not None else self.events("stopped")[-1]["threadId"]
        body = await self.ask("stackTrace", threadId=number, startFrame=0, levels=20)
        found: Json = body["stackFrames"][0]
        return found

    async def line(self) -> int:
        """Where the program stands."""
        found: int = (await self.frame())["line"]
        return found

    async def locals(self) -> dict[str, Json]:
        """The locals of the top frame, by name."""
        frame = await self.frame()
        scopes = (await self.ask("scopes", frameId=frame["id"]))["scopes"]
        body = await self.ask("variables", variablesReference=scopes[0]["variablesReference"])
        return {each["name"]: each for each in body["variables"]}


def why_refused(answer: Json) -> str:
    """The sentence of a refusal, which has a number of its cause as well."""
    assert not answer["success"], answer
    error = answer["body"]["error"]
    assert error["id"] > 0
    sentence: str = error["format"].replace("{sentence}", "")
    return sentence or str(error["variables"]["sentence"])


class _Process:
    """The stdin of a process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        self._stdin = process.stdin

    def write(self, data: bytes) -> None:
        self._stdin.write(data)


class ProcessEditor(Editor):
    """An editor that has started ``tuidbg dap``."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        super().__init__(_Process(process))
        self.process = process

    def hang_up(self) -> None:
        """It closes its end."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    async def ended(self) -> int:
        """The exit status of the adapter, which goes by itself."""
        return await asyncio.wait_for(self.process.wait(), PATIENCE)


@asynccontextmanager
async def stdio_editor(folder: Path, *args: str) -> AsyncIterator[ProcessEditor]:
    """An editor of the real ``tuidbg dap``; all that it was told was as the schema has it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tuidbg", "dap", *args),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
    )
    editor = ProcessEditor(process)
    assert process.stdout is not None
    assert process.stderr is not None
    reading = asyncio.create_task(_read(process.stdout, editor))
    said = asyncio.create_task(process.stderr.read())
    try:
        yield editor
        if process.returncode is None:
            editor.hang_up()
            await editor.ended()
        await asyncio.wait_for(reading, PATIENCE)
        assert not editor.problems
        assert "Traceback" not in (text := (await said).decode()), text
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        reading.cancel()
        said.cancel()


async def _read(stream: asyncio.StreamReader, editor: Editor) -> None:
    while data := await stream.read(1 << 16):
        editor.take(data)
    editor.close()


@asynccontextmanager
async def connected_editor(reader_writer: Any) -> AsyncIterator[Editor]:
    """An editor on a connection that is open: a reader and a writer of asyncio's."""
    reader, writer = reader_writer
    editor = Editor(writer)
    reading = asyncio.create_task(_read(reader, editor))
    try:
        yield editor
        assert not editor.problems
    finally:
        reading.cancel()
        writer.close()


# In the same process


class MemoryLine:
    """A line to an editor in the same process; ``is_slow``: it takes nothing for now."""

    def __init__(self) -> None:
        self.editor: Editor | None = None
        self.is_slow = False
        self.unsent = 0
        self.is_open = True

    def write(self, data: bytes) -> None:
        if self.is_slow:
            self.unsent += len(data)
        elif self.editor is not None:
            asyncio.get_running_loop().call_soon(self.editor.take, data)

    def close(self) -> None:
        self.is_open = False
        if self.editor is not None:
            asyncio.get_running_loop().call_soon(self.editor.close)

    abort = close


class _ToClient:
    def __init__(self, client: DapClient) -> None:
        self._client = client

    def write(self, data: bytes) -> None:
        self._client.receive(data)


class LocalEditor(Editor):
    """An editor beside the server, in the same process."""

    def __init__(self, client: DapClient, line: MemoryLine) -> None:
        super().__init__(_ToClient(client))
        self.client, self.line_to = client, line
        line.editor = self


def local_editor(hub: Hub, *, joins: str | None = "", caller: Caller | None = None) -> LocalEditor:
    """An editor on a hub's sessions; ``joins`` as in ``ServerContext``."""
    place = ServerContext(
        hub=hub, gate=AccessGate(hub), python=sys.executable, cwd="/", joins=joins
    )
    line = MemoryLine()
    return LocalEditor(make_client(place, line, caller=caller), line)
