"""Connections of programs that call this debugger."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

import msgspec

from tuidbg.adapters.client import DEFAULT_TIMEOUT, AdapterClient, DapLog
from tuidbg.adapters.debugpy.same_user import is_trusted
from tuidbg.adapters.errors import AdapterGone, AdapterLetGo, CallRefused, ServerGone
from tuidbg.adapters.traits import IncomingServer
from tuidbg.dap.codec import ProtocolError
from tuidbg.dap.connection import DapConnection
from tuidbg.dap.messages import Event, Request, Response, decode_body

T = TypeVar("T")

_ALL_THREADS = {"threadId": "*"}

_LAST_ANSWERS = ("continue", "configurationDone")
"""Requests that let the program run to its end."""

_NOT_TAKEN = "Requests from the debug server to the client are not allowed."
"""A program must not have us run anything; its children call us themselves."""


class _Exited(msgspec.Struct):
    reason: str = msgspec.field(default="", name="pydevdReason")


class CallerClient(AdapterClient):
    """One conversation with one program that has called. Make it with ``over_line``."""

    def __init__(
        self,
        *,
        on_event: Callable[[Event], None],
        on_request: Callable[[Request], None],
        on_closed: Callable[[str], None],
        log: DapLog | None = None,
    ) -> None:
        super().__init__(
            on_event=self._take, on_request=self._refuse, on_closed=self._tell_end, log=log
        )
        self._tell, self._closed = on_event, on_closed
        self._held: list[Event] | None = []
        """What was told before the program was configured; None: it is."""
        self._says_goodbye = False

    async def _ask_adapter(
        self,
        command: str,
        arguments: object = None,
        *,
        into: type[T],
        timeout: float | None = DEFAULT_TIMEOUT,
    ) -> T:
        if command in ("continue", "pause"):
            arguments = {**msgspec.to_builtins(arguments), **_ALL_THREADS}
        if command == "launch":
            arguments = _without_output(msgspec.to_builtins(arguments))
        try:
            answer = await super()._ask_adapter(command, arguments, into=into, timeout=timeout)
        except AdapterGone as error:
            # The program may end before pydevd has sent its answer.
            if command not in _LAST_ANSWERS or isinstance(error, AdapterLetGo):
                raise
            answer = msgspec.convert({}, into)
        if command in ("attach", "launch"):
            self._tell(Event(event="initialized"))
        elif command == "configurationDone":
            self._release()
        return answer

    def _release(self) -> None:
        held, self._held = self._held or [], None
        has_ended = bool(self.gone)
        for event in held:
            self._take(event)
        if has_ended:
            self._note_end()

    def _take(self, event: Event) -> None:
        if self._held is not None:
            self._held.append(event)
        elif event.event == "terminated":
            self._says_goodbye = True
            self._end("the program has ended")
        elif event.event == "exited" and _is_replaced(event):
            self.is_replaced = True
        elif event.event != "initialized":
            self._tell(event)

    def _refuse(self, request: Request) -> None:
        self.respond(request, error=_NOT_TAKEN)

    def _describe_end(self) -> str:
        return "the program has closed the connection"

    def _why_gone(self, reason: str) -> AdapterGone:
        return super()._why_gone(reason) if self._is_leaving else ServerGone(reason)

    def _tell_end(self, reason: str) -> None:
        if self._held is None:
            self._note_end()
        self._closed(reason)

    def _note_end(self) -> None:
        self.is_cut = not (self._says_goodbye or self._is_leaving or self.is_replaced)
        self._tell(Event(event="terminated"))


def _is_replaced(event: Event) -> bool:
    return decode_body(event.body, _Exited).reason == "processReplaced"


def _without_output(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of ``launch`` where tuidbg reads the program's output itself."""
    is_captured = arguments.pop("redirectOutput", None) is True
    options = [each for each in arguments.get("debugOptions", ()) if each != "RedirectOutput"]
    is_captured |= arguments.get("console") == "internalConsole"
    return {**arguments, "debugOptions": options, "isOutputRedirected": is_captured}


MOST_WORDS = 256 * 1024
"""Bytes that may come before the answer; a program sends a few events of its start."""

NO_PROGRAM = "does not speak as a Python program with debugpy"

WRONG_TOKEN = "does not know the token"

STRANGER = "is a program of another user, and there is no token that could let it in"


class _Authorized(msgspec.Struct):
    token: str | None = msgspec.field(default=None, name="clientAccessToken")


class _ProcessInfo(msgspec.Struct):
    pid: int
    ppid: int | None = None


class _SystemInfo(msgspec.Struct):
    process: _ProcessInfo


async def greet(line: socket.socket, token: str, within: float) -> DapConnection:
    """Ask who it is, as debugpy's adapter does; the conversation goes on with what is returned.

    A ``token`` that is not empty must be told; without one, who calls from this machine must be of
    the same user. ``within`` so many seconds it is to answer; what a program says before that is
    dropped, as by the adapter. Raises CallRefused.
    """
    connection = DapConnection()
    async with _patience(within):
        await _authorize(line, connection, token)
        # A client that knows the token may be another user's; without one any process could call.
        if not token and not await asyncio.to_thread(is_trusted, line):
            raise CallRefused(STRANGER)
    return connection


async def identify(line: socket.socket, token: str, within: float) -> IncomingServer:
    """Ask a debug server that tuidbg has started, or that its program has, which process it is in.

    It must know the ``token`` and be of the same user, and answer within so many seconds. Raises
    CallRefused.
    """
    connection = DapConnection()
    async with _patience(within):
        if not is_trusted(line):
            raise CallRefused(STRANGER)
        await _authorize(line, connection, token)
        process = (await _ask(line, connection, "pydevdSystemInfo", None, _SystemInfo)).process
    return IncomingServer(line, connection, process.pid, process.ppid)


@contextlib.asynccontextmanager
async def _patience(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except OSError:  # a TimeoutError is one, too
        raise CallRefused(NO_PROGRAM) from None


async def _authorize(line: socket.socket, connection: DapConnection, token: str) -> None:
    asked = {"debugServerAccessToken": None}
    answer = await _ask(line, connection, "pydevdAuthorize", asked, _Authorized)
    shown = answer.token or ""
    if token and not hmac.compare_digest(shown.encode(), token.encode()):
        raise CallRefused(WRONG_TOKEN)


async def _ask(
    line: socket.socket, connection: DapConnection, command: str, arguments: object, into: type[T]
) -> T:
    loop, heard = asyncio.get_running_loop(), 0
    _, question = connection.send_request(command, arguments)
    await loop.sock_sendall(line, question)
    while True:
        if line.family is not socket.AF_UNIX and hasattr(socket, "TCP_QUICKACK"):
            # Or pydevd's second send waits for 40 ms.
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        data = await loop.sock_recv(line, 65536)
        heard += len(data)
        if not data or heard > MOST_WORDS:
            raise CallRefused(NO_PROGRAM)
        try:
            answers = [m for m in connection.receive(data) if isinstance(m, Response)]
            read = [decode_body(each.body, into) for each in answers if each.success]
        except ProtocolError:
            raise CallRefused(NO_PROGRAM) from None
        if read:
            return read[0]
        if answers:
            raise CallRefused(NO_PROGRAM)
