"""A program on its own machine, connected to a debugger that may be temporarily unreachable.

Its bytes are split into DAP messages, so that a conversation can end between two of them, and
another one can begin, as debugpy's adapter does for one editor after the other.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

import msgspec

from tuidbg.adapters.forwarding.channel import READ
from tuidbg.adapters.forwarding.reliable_stream import FrameKind, ReliableStream
from tuidbg.dap.codec import FrameDecoder, ProtocolError, encode_frame

LETTING_GO = 5.0
"""Seconds for a program to answer the detach."""

_OUR_NUMBER = 2_000_000_000
"""The ``seq`` of our own request; no client counts that far."""

_OUR_MARK, _BEGINNING = str(_OUR_NUMBER).encode(), 300

_DISCONNECT = encode_frame(
    msgspec.json.encode(
        {
            "seq": _OUR_NUMBER,
            "type": "request",
            "command": "disconnect",
            "arguments": {"terminateDebuggee": False},
        }
    )
)


class _Message(msgspec.Struct):
    type: str = ""
    event: str = ""
    request_seq: int = 0


class Rank:
    """A connected program."""

    def __init__(
        self,
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        on_end: Callable[[Rank], None],
    ) -> None:
        self._reader, self._writer = streams
        self._on_end = on_end
        self._line: ReliableStream | None = None
        self.number = 0
        """The channel; 0: not forwarded."""
        self.is_fresh = True
        """Whether no debugger has sent it anything yet."""
        self._may_send = asyncio.Event()
        self._may_send.set()
        self._to_program, self._from_program = FrameDecoder(), FrameDecoder()
        self._let_go: asyncio.Future[None] | None = None
        self._dropped = 0
        self._reading = asyncio.create_task(self._read())

    def carry(self, line: ReliableStream, number: int) -> None:
        """Forward it on that line from now on."""
        self._line, self.number = line, number
        self._to_program = FrameDecoder()  # half a message of another conversation is useless
        self._may_send.set()
        line.send(FrameKind.OPEN, number)

    async def let_go(self) -> None:
        """End the conversation: the program runs on, and a new conversation is possible."""
        self.number, self._line = 0, None
        self._may_send.set()
        if self.is_fresh:
            return
        self._let_go = asyncio.get_running_loop().create_future()
        self._write(_DISCONNECT)
        try:
            async with asyncio.timeout(LETTING_GO):
                await self._let_go
            self.is_fresh = True
        except TimeoutError:  # it hangs; once it continues, it runs on without us
            self.close()
        finally:
            self._let_go = None

    def take(self, kind: FrameKind, payload: bytes) -> None:
        """Handle a frame from the debugger's side."""
        match kind:
            case FrameKind.DATA:
                self._put(payload)
            case FrameKind.PAUSE:
                self._may_send.clear()
            case FrameKind.RESUME:
                self._may_send.set()
            case FrameKind.CLOSE:
                self._line = None  # the other side knows
                self.close()

    def _put(self, data: bytes) -> None:
        self.is_fresh = False
        try:
            for body in self._to_program.feed(data):
                self._write(encode_frame(body))
        except ProtocolError:
            self.close()

    def _write(self, data: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(data)

    async def _read(self) -> None:
        with contextlib.suppress(OSError, ProtocolError, msgspec.MsgspecError):
            while data := await self._reader.read(READ):
                for body in self._from_program.feed(data):
                    await self._pass_on(body)
        self._end()

    async def _pass_on(self, body: bytes) -> None:
        """Pass a message of the program to the debugger, if there is one."""
        is_ours = _OUR_MARK in body[:_BEGINNING] and self._is_our_answer(body)
        if is_ours or self._let_go is not None:
            return
        await self._may_send.wait()
        line = self._line
        if line is not None and not line.is_up and line.is_full and _is_output(body):
            self._dropped += 1  # or the program would buffer it, and grow
            return
        if line is not None and line.is_up:
            await line.wait_for_room()
        if self._line is None or self._line is not line:
            return  # it was detached meanwhile
        if self._dropped:
            line.send(FrameKind.DATA, self.number, _tell_dropped(self._dropped))
            self._dropped = 0
        message = encode_frame(body)
        for at in range(0, len(message), READ):
            line.send(FrameKind.DATA, self.number, message[at : at + READ])

    def _is_our_answer(self, body: bytes) -> bool:
        """Return whether it answers our request; a late answer has no receiver."""
        message = msgspec.json.decode(body, type=_Message)
        is_answer = message.type == "response" and message.request_seq == _OUR_NUMBER
        if is_answer and self._let_go is not None and not self._let_go.done():
            self._let_go.set_result(None)
        return is_answer

    def _end(self) -> None:
        if self._line is not None:
            self._line.send(FrameKind.CLOSE, self.number)
            self._line = None
        self._writer.close()
        self._on_end(self)

    def close(self) -> None:
        """Disconnect: the program runs on without a debugger."""
        self._reading.cancel()
        self._end()


def _is_output(body: bytes) -> bool:
    try:
        return msgspec.json.decode(body, type=_Message).event == "output"
    except msgspec.DecodeError:
        return False


def _tell_dropped(count: int) -> bytes:
    words = f"({count} pieces of output were dropped while the debugger was out of reach)\n"
    event = {
        "seq": 0,
        "type": "event",
        "event": "output",
        "body": {"category": "console", "output": words},
    }
    return encode_frame(msgspec.json.encode(event))
