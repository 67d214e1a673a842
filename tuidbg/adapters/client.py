"""The asyncio DAP client: an adapter's pipes or TCP connection, with awaited requests.

Events and the adapter's own requests are passed to plain callbacks in the order of arrival, so that
a stop is known before any other code runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import stat
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

from tuidbg.adapters.errors import (
    AdapterGone,
    AdapterLetGo,
    RequestFailed,
    RequestTimedOut,
    RequestUnsupported,
)
from tuidbg.adapters.process import AdapterProcess
from tuidbg.adapters.stand_in import StandIn
from tuidbg.dap.codec import ProtocolError
from tuidbg.dap.connection import DapConnection
from tuidbg.dap.messages import Event, Request, Response, decode_body
from tuidbg.dap.types import Nothing
from tuidbg.lines import split_lines


class DapLog:
    """A log of every frame, a JSON object a line: an attachment for bug reports."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # Private: it contains command lines and values.
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.fstat(number).st_mode):  # no device
                os.fchmod(number, 0o600)  # one may have been there before
        self._file: IO[str] = os.fdopen(number, "w", encoding="utf-8")
        self._start = time.monotonic()

    def write(self, direction: str, data: bytes) -> None:
        """Log bytes that were sent (``->``) or received (``<-``)."""
        entry = {
            "t": round(time.monotonic() - self._start, 6),
            "dir": direction,
            "data": data.decode("utf-8", "replace"),
        }
        try:
            self._file.write(json.dumps(entry) + "\n")
            self._file.flush()
        except (OSError, ValueError):
            pass  # the disk is full, or the session is closed: no reason to end anything

    def beside(self, name: str) -> DapLog | None:
        """Return a separate log for another process; None if it can't be written."""
        word = "".join(c if c.isalnum() or c in "._" else "-" for c in name)
        try:
            return DapLog(self._path.with_name(f"{self._path.stem}-{word}{self._path.suffix}"))
        except OSError:
            return None

    def close(self) -> None:
        try:
            self._file.close()
        except OSError:
            pass


_KEEP_ALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
"""Seconds until an idle connection is probed, seconds between probes, and their number."""


def keep_alive(transport: asyncio.BaseTransport) -> None:
    """Enable TCP keep-alive, so that a lost machine or connection is noticed."""
    sock = transport.get_extra_info("socket")
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEP_ALIVE.items():
            if hasattr(socket, name):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    except OSError:
        pass  # closed meanwhile, or unsupported by the system


async def dial(
    protocol: Callable[[], asyncio.BaseProtocol], host: str, port: int
) -> asyncio.WriteTransport:
    """Open a TCP connection, trying each address of the host.

    Raises OSError without an answer, ConnectionRefusedError if all addresses refuse.
    """
    loop = asyncio.get_running_loop()
    addresses = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    problems: list[OSError] = []
    for family, _, _, _, address in addresses:
        try:
            transport, _ = await loop.create_connection(
                protocol, str(address[0]), port, family=family
            )
        except OSError as error:
            problems.append(error)
        else:
            return transport
    others = [e for e in problems if not isinstance(e, ConnectionRefusedError)]
    raise (others or problems)[0]


class Tail(asyncio.Protocol):
    """The last part of an adapter's stderr; ``on_print`` gets all of it."""

    def __init__(
        self,
        tail: deque[bytes],
        name: str = "",
        on_print: Callable[[str, bytes], None] | None = None,
    ) -> None:
        self._tail = tail
        self._name = name
        self._on_print = on_print
        self.is_over = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self._tail.append(data[-4096:])
        if self._on_print is not None:
            self._on_print(self._name, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_over.set()


T = TypeVar("T")

_DIAL_EVERY = 0.02
"""Seconds between two attempts to connect to an adapter that does not listen yet."""

DEFAULT_TIMEOUT = 30.0
"""Default seconds of a request."""


class AdapterClient(asyncio.Protocol):
    """A conversation with an adapter. Create it with ``over_process`` or ``over_tcp``."""

    def __init__(
        self,
        *,
        on_event: Callable[[Event], None],
        on_request: Callable[[Request], None],
        on_closed: Callable[[str], None],
        log: DapLog | None = None,
    ) -> None:
        self.connection = DapConnection()
        self.stderr_tail: deque[bytes] = deque(maxlen=20)
        self.process: AdapterProcess | None = None
        self.has_heard = False
        self.is_replaced = False
        """Whether the program has replaced itself (``exec``), if that is reported."""
        self.is_cut = False
        """Whether the program's own debug server has closed the connection without a message."""
        self._is_leaving = False
        self._unanswered: set[int] = set()
        self._is_quiet = asyncio.Event()
        self._on_event = on_event
        self._on_request = on_request
        self._on_closed = on_closed
        self._log = log
        self._waiting: dict[int, asyncio.Future[Response]] = {}
        self._writer: asyncio.WriteTransport | None = None
        self._transports: list[asyncio.BaseTransport] = []
        self._tails: list[Tail] = []
        self.stand_in: StandIn | None = None  # answers some requests in the adapter's place
        self.on_print: Callable[[str, bytes], None] | None = None
        """Called with the output of an adapter that shares its streams with its program."""
        self._socket: Any = None
        self._gone = ""
        self._ended = asyncio.Event()

    async def over_process(self, process: AdapterProcess) -> None:
        """Connect to a process's stdin and stdout; its stderr is kept for error messages.

        An adapter that calls back, or listens, is waited for without limit; callers set their own
        time limit.
        """
        loop = asyncio.get_running_loop()
        self.process = process
        popen = process.popen
        if process.server is not None:
            await self._over_server(process, process.server)
            return
        if process.address is not None:
            await self._over_address(process, *process.address)
            return
        assert popen.stdin and popen.stdout and popen.stderr
        # Its stdout comes last: when that ends, all the others can be closed.
        errors, _ = await loop.connect_read_pipe(lambda: Tail(self.stderr_tail), popen.stderr)
        self._transports.append(errors)
        self._writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, popen.stdin)
        self._transports.append(self._writer)
        reader, _ = await loop.connect_read_pipe(lambda: self, popen.stdout)
        self._transports.append(reader)
        if self._gone:
            reader.close()

    async def _over_server(self, process: AdapterProcess, server: socket.socket) -> None:
        """Wait for its call. Raises AdapterGone if it ends instead."""
        loop = asyncio.get_running_loop()
        server.setblocking(False)
        popen = process.popen
        await self._read_what_it_prints(process)
        called = asyncio.create_task(loop.sock_accept(server))
        try:
            while not called.done():
                await asyncio.wait([called], timeout=0.05)
                if popen.poll() is not None and not called.done():
                    raise AdapterGone(self._describe_end())
            connection, _ = called.result()
        finally:
            called.cancel()
            server.close()
        transport, _ = await loop.create_connection(lambda: self, sock=connection)
        self._writer = transport
        self._transports.append(transport)

    async def _over_address(self, process: AdapterProcess, host: str, port: int) -> None:
        """Connect once it listens. Raises AdapterGone if it ends instead."""
        await self._read_what_it_prints(process)
        while True:
            try:
                await self.over_tcp(host, port)
            except ConnectionRefusedError:
                if process.popen.poll() is not None:
                    raise AdapterGone(self._describe_end()) from None
                await asyncio.sleep(_DIAL_EVERY)
            else:
                return

    async def _read_what_it_prints(self, process: AdapterProcess) -> None:
        """Keep the output of an adapter that uses TCP, for error messages."""
        loop = asyncio.get_running_loop()
        streams = {"stdout": process.popen.stdout, "stderr": process.popen.stderr}
        for name, stream in streams.items():
            if stream is not None:
                tail = partial(Tail, self.stderr_tail, name, self.on_print)
                transport, reader = await loop.connect_read_pipe(tail, stream)
                self._transports.append(transport)
                self._tails.append(reader)

    async def read_to_end(self, patience: float) -> None:
        """Wait until all output of adapter and program is read, or for ``patience`` seconds."""
        if self.on_print is not None and self._tails:
            try:
                async with asyncio.timeout(patience):
                    await asyncio.gather(*(tail.is_over.wait() for tail in self._tails))
            except TimeoutError:
                pass  # another process still holds them

    async def over_tcp(self, host: str, port: int) -> None:
        """Connect by TCP, trying each address of the host.

        Raises OSError without an answer, ConnectionRefusedError if all addresses refuse, and
        AdapterGone if it was closed meanwhile.
        """
        transport = await dial(lambda: self, host, port)
        self._speak_over(transport)
        if self._gone:
            transport.close()
            raise AdapterGone(self._gone)

    async def over_line(self, line: socket.socket, connection: DapConnection) -> None:
        """Continue on a line on which ``connection`` was begun."""
        self.connection = connection
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_connection(lambda: self, sock=line)
        self._speak_over(transport)

    def _speak_over(self, transport: asyncio.WriteTransport) -> None:
        keep_alive(transport)
        self._writer = transport
        self._transports.append(transport)

    @property
    def gone(self) -> str:
        """Return why the adapter is gone, empty while it exists."""
        return self._gone

    async def wait_gone(self) -> None:
        """Wait until the adapter is gone, for any reason."""
        await self._ended.wait()

    async def request(
        self,
        command: str,
        arguments: object = None,
        *,
        into: type[T] = Nothing,  # type: ignore[assignment]
        timeout: float | None = DEFAULT_TIMEOUT,
    ) -> T:
        """Send a request and return the response body as ``into``.

        Raises RequestUnsupported (nothing is sent), RequestFailed, RequestTimedOut, AdapterGone.
        """
        stand_in = self.stand_in
        if stand_in is not None and command in stand_in.commands:
            told = dict(arguments) if isinstance(arguments, dict) else {}
            body = await stand_in.answer(self._ask_adapter, command, told)
            return msgspec.convert(msgspec.to_builtins(body), into)
        return await self._ask_adapter(command, arguments, into=into, timeout=timeout)

    async def _ask_adapter(
        self,
        command: str,
        arguments: object = None,
        *,
        into: type[T],
        timeout: float | None = DEFAULT_TIMEOUT,
    ) -> T:
        if not self.connection.allows(command):
            raise RequestUnsupported(command)
        answer = _read(command, await self._exchange(command, arguments, timeout), into)
        if isinstance(answer, RequestFailed):
            raise answer
        return answer

    async def request_all(
        self,
        command: str,
        arguments: Sequence[object],
        *,
        into: type[T],
        timeout: float = DEFAULT_TIMEOUT,
    ) -> list[T | RequestFailed]:
        """Send several requests of a kind together, and return the responses in order.

        A failure takes the place of its response. Raises RequestTimedOut, AdapterGone.
        """
        if self._gone or self._writer is None or self._is_leaving:
            raise self._why_gone(self._gone or "no adapter is connected")
        loop = asyncio.get_running_loop()
        asked: dict[int, asyncio.Future[Response]] = {}
        pieces = []
        for each in arguments:
            seq, data = self.connection.send_request(command, each)
            asked[seq] = loop.create_future()
            pieces.append(data)
        self._waiting.update(asked)
        self._unanswered.update(asked)
        self._send(b"".join(pieces))
        try:
            async with asyncio.timeout(timeout):
                return [_read(command, await future, into) for future in asked.values()]
        except TimeoutError:
            raise RequestTimedOut(command, timeout) from None
        finally:
            for seq in asked:
                self._waiting.pop(seq, None)
                self.connection.abandon(seq)

    async def _exchange(self, command: str, arguments: object, timeout: float | None) -> Response:
        is_last = command == "disconnect"
        if self._gone or self._writer is None or (self._is_leaving and not is_last):
            raise self._why_gone(self._gone or "no adapter is connected")
        self._is_leaving |= is_last
        seq, data = self.connection.send_request(command, arguments)
        future = asyncio.get_running_loop().create_future()
        self._waiting[seq] = future
        self._unanswered.add(seq)
        self._send(data)
        try:
            async with asyncio.timeout(timeout):
                answer: Response = await future
                return answer
        except TimeoutError:
            raise RequestTimedOut(command, timeout or 0) from None
        finally:
            self._waiting.pop(seq, None)
            self.connection.abandon(seq)

    async def become_quiet(self, patience: float) -> None:
        """Send no more requests, and wait until all are answered, or for ``patience`` seconds.

        Requests whose callers have stopped waiting count, too.
        """
        self._is_leaving = True
        self._is_quiet.clear()
        if self._unanswered and not self._gone:
            try:
                async with asyncio.timeout(patience):
                    await self._is_quiet.wait()
            except TimeoutError:
                pass

    def respond(self, request: Request, body: object = None, *, error: str = "") -> None:
        """Answer a request of the adapter."""
        if not self._gone:
            self._send(self.connection.send_response(request, body, error=error))

    def _send(self, data: bytes) -> None:
        if self._log:
            self._log.write("->", data)
        assert self._writer is not None
        self._writer.write(data)

    def close(self) -> None:
        """Close the conversation immediately; waiting callers get AdapterLetGo."""
        self._is_leaving |= not self._gone
        self._end("the session was closed", tell=False)

    def give_up(self, reason: str) -> None:
        """Abort the conversation; waiting callers get AdapterGone with this reason."""
        self._end(reason, tell=False)

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if hasattr(socket, "TCP_QUICKACK"):
            sock = transport.get_extra_info("socket")
            if sock is not None and sock.family in (socket.AF_INET, socket.AF_INET6):
                self._socket = sock

    def data_received(self, data: bytes) -> None:
        if self._socket is not None:
            self._acknowledge()
        if self._gone:
            return
        self.has_heard = True
        if self._log:
            self._log.write("<-", data)
        try:
            for message in self.connection.receive(data):
                match message:
                    case Response():
                        self._unanswered.discard(message.request_seq)
                        if not self._unanswered:
                            self._is_quiet.set()
                        future = self._waiting.get(message.request_seq)
                        if future is not None and not future.done():
                            future.set_result(message)
                    case Event():
                        self._on_event(message)
                    case Request():
                        self._on_request(message)
        except ProtocolError as error:
            self._end(f"invalid data from the debug adapter: {error}")

    def eof_received(self) -> None:
        self._end(self._describe_end())

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(self._describe_end() if exc is None else f"lost the debug adapter: {exc}")

    def _acknowledge(self) -> None:
        """Acknowledge immediately: a sender of separate header and body waits 40 ms otherwise.

        Linux resets this option, so it is set after each read.
        """
        assert self._socket is not None
        try:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        except OSError:
            self._socket = None  # closed meanwhile

    def _describe_end(self) -> str:
        if self.process is None:
            return "the debug adapter closed the connection"
        how = self.process.describe_end()
        self.stderr_tail.append(self.process.read_last_errors())
        last = split_lines(b"".join(self.stderr_tail).decode("utf-8", "replace").strip())
        return f"{how}: {last[-1].strip()}" if last else how

    def _why_gone(self, reason: str) -> AdapterGone:
        return AdapterLetGo(reason) if self._is_leaving else AdapterGone(reason)

    def _end(self, reason: str, *, tell: bool = True) -> None:
        if self._gone:
            return
        self._gone = reason
        self._ended.set()
        self._is_quiet.set()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(self._why_gone(reason))
        for transport in self._transports:
            transport.close()
        if tell:
            self._on_closed(reason)


def _read(command: str, response: Response, into: type[T]) -> T | RequestFailed:
    if not response.success:
        return RequestFailed(command, response.error_text)
    try:
        return decode_body(response.body, into)
    except ProtocolError as error:
        return RequestFailed(command, f"unexpected reply from the debug adapter: {error}")
