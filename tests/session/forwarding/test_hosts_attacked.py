"""Who calls the port of machines: with another token, without TLS, as garbage, in silence."""

from __future__ import annotations

import asyncio
import json
import ssl
from pathlib import Path

import pytest

from tests.session.forwarding.carried import (
    Carried,
    carried,
    certificate_in,
    debugger,
    machine_to,
)
from tests.support.attachable import TOTAL, connecting, free_port
from tests.support.sessions import until
from tuidbg.adapters.forwarding import server as near
from tuidbg.adapters.forwarding.client import ForwardingRefused
from tuidbg.adapters.forwarding.tls import calling_context
from tuidbg.config.launch import AttachPlan, HostsPlan
from tuidbg.session.model.errors import AttachFailed

HELLO = {"speaks": "tuidbg-forward", "session": "0" * 32, "host": "node7"}


def port_of(found: Carried) -> int:
    plan = found.session.plan
    assert isinstance(plan, AttachPlan) and plan.hosts is not None
    return plan.hosts.port


async def said_to(port: int, words: bytes) -> bytes:
    """What is answered to these words, up to the end of the line."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(words)
    try:
        async with asyncio.timeout(30):
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def takes_in(found: Carried, folder: Path, *options: str) -> None:
    """A real program of the machine gets in, and stands at its breakpoint."""
    folder.mkdir()
    async with connecting(folder, found.machine.port, *options) as program:
        await found.session.breakpoints.set(program.path, TOTAL, origin="tui")
        await found.standing(1)


@pytest.mark.real
@pytest.mark.sampled
@pytest.mark.parametrize(
    "words",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"x" * 100_000,
        b"{}\n",
        json.dumps({**HELLO, "session": "../../x"}).encode() + b"\n",
        json.dumps({**HELLO, "host": "\x1b]0;owned\x07"}).encode() + b"\n",
        json.dumps({**HELLO, "taken": -1}).encode() + b"\n",
        json.dumps(HELLO).encode() + b"\n" + b"\xff" * 64,
        json.dumps(HELLO).encode() + b"\n" + b"\x00\x00\x00\x03\x07\x00\x00\x00\x00abc",
        json.dumps(HELLO).encode() + b"\n\x00\x00\x00\x08\x07\x00\x00\x00\x00" + b"\xff" * 8,
    ],
)
async def test_garbage_is_hung_up_on(tmp_path: Path, words: bytes) -> None:
    async with carried(tmp_path) as found:
        answer = await said_to(port_of(found), words)
        assert b"refusal" not in answer.replace(b'"refusal":""', b"")
        assert "\x1b]0" not in found.under_test.console
        await takes_in(found, tmp_path / "real")


@pytest.mark.full
@pytest.mark.real
async def test_a_machine_without_the_token_is_told_so(tmp_path: Path) -> None:
    async with carried(tmp_path, is_secret=True) as found:
        context = calling_context(certificate_in(tmp_path))
        for token in ("", "another", "a-long-toke"):
            async with machine_to(port_of(found), token=token, context=context) as machine:
                with pytest.raises(ForwardingRefused, match="it does not know the token"):
                    await machine.task
        assert "the connection from 127.0.0.1 does not know the token" in found.under_test.console
        await takes_in(found, tmp_path / "real", "--adapter-access-token", "a-long-token")


@pytest.mark.full
@pytest.mark.real
async def test_a_program_of_a_machine_that_does_not_know_the_token_is_no_program(
    tmp_path: Path,
) -> None:
    async with carried(tmp_path, is_secret=True) as found:
        folder = tmp_path / "stranger"
        folder.mkdir()
        async with connecting(folder, found.machine.port):
            await found.told("the connection from node7 does not know the token")
            await until(lambda: not found.machine.forwarder._ranks)
        assert not found.relatives
        await takes_in(found, tmp_path / "real", "--adapter-access-token", "a-long-token")


async def test_without_tls_nobody_is_heard(tmp_path: Path) -> None:
    async with carried(tmp_path, is_secret=True) as found:
        words = json.dumps({**HELLO, "token": "a-long-token"}).encode() + b"\n"
        assert b"tuidbg-listen" not in await said_to(port_of(found), words)
        async with machine_to(port_of(found), token="a-long-token") as machine:
            await machine.said("can't reach")
        assert found.under_test.console.count("has connected") == 1


async def test_a_debugger_with_another_certificate_is_not_trusted(tmp_path: Path) -> None:
    async with carried(tmp_path, is_secret=True) as found:
        context = ssl.create_default_context()  # this machine's own
        async with machine_to(port_of(found), token="a-long-token", context=context) as machine:
            with pytest.raises(ForwardingRefused, match="certificate"):
                await machine.task
        assert found.under_test.console.count("has connected") == 1


@pytest.mark.real
async def test_a_machine_of_another_user_is_not_taken_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with carried(tmp_path) as found:
        with monkeypatch.context() as patch:
            patch.setattr("tuidbg.adapters.forwarding.server.is_trusted", lambda line: False)
            async with machine_to(port_of(found)) as machine:
                with pytest.raises(ForwardingRefused, match="a program of another user"):
                    await machine.task
        await takes_in(found, tmp_path / "real")


@pytest.mark.real
async def test_thousands_that_say_nothing_keep_no_machine_out(tmp_path: Path) -> None:
    async with carried(tmp_path) as found:
        before = near.HEARD_LIMIT
        silent = []
        for _ in range(2 * before):
            silent.append(await asyncio.open_connection("127.0.0.1", port_of(found)))
        ended = [asyncio.create_task(reader.read()) for reader, _ in silent]
        await asyncio.wait(ended, return_when=asyncio.FIRST_COMPLETED)
        await takes_in(found, tmp_path / "real")
        for _, writer in silent:
            writer.close()
        await asyncio.gather(*ended, return_exceptions=True)
        async with machine_to(port_of(found), name="node8"):
            await found.told("node8 has connected")


async def test_beyond_this_machine_a_token_is_wanted(tmp_path: Path) -> None:
    hosts = HostsPlan(host="0.0.0.0", port=free_port())
    with pytest.raises(AttachFailed, match="a token is wanted"):
        async with debugger(tmp_path, hosts=hosts):
            raise AssertionError("it listens")
