"""The line between two machines: each frame once and in its order, however often it is cut."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Callable

import msgspec
import pytest

from tests.support.sessions import until
from tuidbg.adapters.forwarding import reliable_stream as lines
from tuidbg.adapters.forwarding.buffered_debuggee import Rank
from tuidbg.adapters.forwarding.reliable_stream import (
    FrameKind,
    NotUnderstood,
    ReliableStream,
    StreamHello,
)
from tuidbg.adapters.forwarding.server import Host
from tuidbg.dap.codec import FrameDecoder, encode_frame

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Frame = tuple[FrameKind, int, bytes]


async def connection() -> tuple[Streams, Streams]:
    """The two ends of one."""
    far: asyncio.Future[Streams] = asyncio.get_running_loop().create_future()

    def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far.set_result((reader, writer))

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    near = await asyncio.open_connection(*server.sockets[0].getsockname())
    server.close()
    return near, await far


class Both:
    """Two ends that are connected, as long as nobody cuts them."""

    def __init__(self) -> None:
        self.came: tuple[list[Frame], list[Frame]] = ([], [])
        self.ends = tuple(ReliableStream(self._taking(came)) for came in self.came)
        self.carrying: list[asyncio.Task[None]] = []

    @staticmethod
    def _taking(came: list[Frame]) -> Callable[[FrameKind, int, bytes], None]:
        return lambda kind, channel, payload: came.append((kind, channel, payload))

    async def connect(self) -> None:
        one, two = self.ends
        streams = await connection()
        known = two.taken, one.taken
        self.carrying = [
            asyncio.create_task(end.carry(*stream, taken))
            for end, stream, taken in zip(self.ends, streams, known, strict=True)
        ]
        await until(lambda: one.is_up and two.is_up)

    async def cut(self, by: int) -> None:
        """One end sees it first; what the other has written then may be lost."""
        self.carrying[by].cancel()
        await asyncio.gather(*self.carrying, return_exceptions=True)


@pytest.mark.parametrize("seed", range(12))
async def test_nothing_is_lost_doubled_or_out_of_its_order(seed: int) -> None:
    rng, both = random.Random(seed), Both()
    sent: tuple[list[Frame], list[Frame]] = ([], [])
    for _ in range(rng.randrange(2, 8)):
        if rng.random() < 0.9:
            await both.connect()
        for _ in range(rng.randrange(300)):
            side = rng.randrange(2)
            frame = (
                rng.choice([FrameKind.DATA, FrameKind.OPEN]),
                rng.randrange(9),
                rng.randbytes(40),
            )
            both.ends[side].send(*frame)
            sent[side].append(frame)
            if rng.random() < 0.1:
                await asyncio.sleep(0)
        if both.carrying:
            await both.cut(rng.randrange(2))
    await both.connect()
    one, two = both.came
    await until(lambda: (len(two), len(one)) == (len(sent[0]), len(sent[1])))
    assert (two, one) == sent
    await both.cut(0)


@pytest.mark.full
async def test_what_was_taken_is_kept_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has sent too much waits for room, as long as nobody takes it."""
    monkeypatch.setattr(lines, "MOST_KEPT", 1000)
    both = Both()
    one, _ = both.ends
    for number in range(40):
        one.send(FrameKind.DATA, number, b"x" * 100)
    waiting = asyncio.create_task(one.wait_for_room())
    await asyncio.sleep(0)
    assert one.is_full and not waiting.done()
    await both.connect()
    await waiting
    assert not one.is_full
    await both.cut(1)


async def test_a_line_that_is_silent_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "SILENCE", 0.05)
    line, (near, far) = ReliableStream(lambda *frame: None), await connection()
    await line.carry(*near, 0)
    assert not line.is_up
    far[1].close()


async def test_who_has_lost_count_is_told_apart() -> None:
    line, (near, far) = ReliableStream(lambda *frame: None), await connection()
    with pytest.raises(NotUnderstood, match="lost count"):
        await line.carry(*near, 7)
    far[1].close()


class Taken:
    """Who listens, for one program: what has come out of its socket."""

    def __init__(self) -> None:
        self.lines: list[socket.socket] = []

    def take_carried(self, line: socket.socket, host: str) -> None:
        self.lines.append(line)

    def tell_of_host(self, words: str, severity: str) -> None:
        raise AssertionError(words)

    def refuse(self, peer: str, why: str) -> None:
        raise AssertionError(why)


async def test_what_comes_with_the_opening_of_a_channel_is_not_lost() -> None:
    """All in one packet: a program that calls, speaks and hangs up."""
    listens = Taken()
    host = Host(StreamHello(session="0" * 32, host="node7"), listens, lambda host: None)
    for kind, payload in (
        (FrameKind.OPEN, b""),
        (FrameKind.DATA, b"words"),
        (FrameKind.CLOSE, b""),
    ):
        host._take(kind, 1, payload)
    await until(lambda: bool(listens.lines))
    (line,) = listens.lines
    loop = asyncio.get_running_loop()
    assert await loop.sock_recv(line, 99) == b"words"
    assert await loop.sock_recv(line, 99) == b""
    line.close()
    host._take(FrameKind.OPEN, 2, b"")
    host.end()
    await until(lambda: not host._opening)
    assert len(listens.lines) == 1 and not host._channels


# What a program tells while nobody hears it


async def test_output_that_nobody_hears_is_dropped_and_that_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the program would keep it, and grow. All else is kept for the debugger."""
    monkeypatch.setattr(lines, "MOST_KEPT", 4000)
    both = Both()
    near, far = await connection()
    rank = Rank(near, lambda rank: None)
    rank.carry(both.ends[0], 3)
    output = encode_frame(b'{"type":"event","event":"output","body":{"output":"%b"}}' % (b"x" * 90))
    stopped = encode_frame(b'{"type":"event","event":"stopped","body":{"reason":"breakpoint"}}')
    far[1].write(output * 200 + stopped)
    await until(lambda: any(b'"stopped"' in data for data in both.ends[0]._kept))
    await both.connect()
    await until(lambda: any(b'"stopped"' in payload for _, _, payload in both.came[1]))
    bodies = list(
        FrameDecoder().feed(b"".join(p for k, _, p in both.came[1] if k is FrameKind.DATA))
    )
    kept = [body for body in bodies if b"xxx" in body]
    assert 20 < len(kept) < 60
    words = b"(%d pieces of output were dropped while the debugger was out" % (200 - len(kept))
    assert [words in body for body in bodies[-2:]] == [True, False]
    rank.close()
    await both.cut(0)
    far[1].close()


async def test_a_message_of_any_length_is_carried_whole() -> None:
    both = Both()
    await both.connect()
    near, far = await connection()
    rank = Rank(near, lambda rank: None)
    rank.carry(both.ends[0], 3)
    message = encode_frame(b'{"type":"response","request_seq":7,"body":"%b"}' % (b"y" * 3_000_000))
    far[1].write(message)
    await until(
        lambda: sum(len(p) for k, _, p in both.came[1] if k is FrameKind.DATA) >= len(message)
    )
    assert b"".join(p for k, _, p in both.came[1] if k is FrameKind.DATA) == message
    rank.close()
    await both.cut(0)
    far[1].close()


async def test_the_answer_to_our_own_request_is_nobody_elses() -> None:
    """A program that hangs may answer after it was taken in anew."""
    both = Both()
    await both.connect()
    near, far = await connection()
    rank = Rank(near, lambda rank: None)
    rank.carry(both.ends[0], 1)
    rank.take(FrameKind.DATA, encode_frame(b'{"type":"request","seq":1}'))
    letting_go = asyncio.create_task(rank.let_go())
    sent = FrameDecoder()
    requests: list[bytes] = []
    while len(requests) < 2:
        requests += sent.feed(await far[0].read(4096))
    number = msgspec.json.decode(requests[1])["seq"]
    answer = encode_frame(b'{"type":"response","request_seq":%d,"success":true}' % number)
    far[1].write(answer)
    await letting_go
    assert rank.is_fresh
    rank.carry(both.ends[0], 2)
    event = encode_frame(b'{"type":"event","event":"output"}')
    far[1].write(answer + event)
    await until(lambda: any(n == 2 and k is FrameKind.DATA for k, n, _ in both.came[1]))
    assert [p for k, n, p in both.came[1] if k is FrameKind.DATA] == [event]
    rank.close()
    await both.cut(0)
    far[1].close()
