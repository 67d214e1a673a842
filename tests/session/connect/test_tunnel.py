"""Attaching through an ssh tunnel, to a real sshd that the test starts on this machine."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.attachable import TOTAL, attached_session, free_port, listening
from tests.support.sessions import SessionUnderTest, until
from tests.support.ssh import MACHINE, Server, has_ssh, ssh_server
from tuidbg.session.model.errors import AttachFailed
from tuidbg.session.model.state import Status

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not has_ssh(), reason="needs ssh and sshd"),
    pytest.mark.full,
]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server, and an ``ssh`` on PATH that knows it as ``MACHINE``."""
    with ssh_server(tmp_path / "ssh") as server:
        monkeypatch.setenv("PATH", str(server.commands), prepend=":")
        yield server


async def stands(under_test: SessionUnderTest, after: int = -1) -> None:
    session = under_test.session
    await under_test.until(
        lambda: (
            session.status is Status.PAUSED
            and session.stop_id > after
            and session.stack_of == session.stop_id
        )
    )
    assert under_test.line == TOTAL


async def test_a_program_behind_a_tunnel(server: Server, tmp_path: Path) -> None:
    async with (
        listening(tmp_path) as (program, port),
        attached_session(tmp_path, port=port, ssh=f"{MACHINE}") as under_test,
    ):
        session = under_test.session
        assert session.plan.title == f"127.0.0.1:{port} on {MACHINE}"
        await session.breakpoints.set(program.path, TOTAL, origin="tui")
        await session.lifecycle.start()
        await stands(under_test)
        tunnel = session.adapter.tunnel
        assert tunnel is not None
        assert tunnel.pid is not None
        await under_test.close()
        assert tunnel.pid is None
        await program.goes_on()


async def test_nobody_there_is_told_or_waited_for(server: Server, tmp_path: Path) -> None:
    """The tunnel takes the call and hangs up: that is no answer."""
    port = free_port()
    async with attached_session(tmp_path, port=port, ssh=MACHINE) as under_test:
        with pytest.raises(AttachFailed, match=f"nothing listens at port {port} of {MACHINE}"):
            await under_test.session.lifecycle.start()
    async with attached_session(tmp_path, port=port, ssh=MACHINE, wait=math.inf) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(tmp_path / "counting.py"), TOTAL, origin="tui")
        starting = asyncio.create_task(session.lifecycle.start())
        await under_test.until(lambda: session.waiting)
        async with listening(tmp_path, port=port):
            await starting
            await stands(under_test)
            await under_test.close()


async def test_a_tunnel_that_breaks_is_made_again(server: Server, tmp_path: Path) -> None:
    async with (
        listening(tmp_path) as (program, port),
        attached_session(tmp_path, port=port, ssh=MACHINE, reconnect=True) as under_test,
    ):
        session = under_test.session
        await session.breakpoints.set(program.path, TOTAL, origin="tui")
        await session.lifecycle.start()
        await stands(under_test)
        server.end()
        await under_test.until(lambda: session.waiting)
        await program.goes_on()
        before = session.stop_id
        with ssh_server(tmp_path / "ssh", port=server.port):
            await stands(under_test, before)
            await under_test.close()


@pytest.mark.parametrize("trouble", ["no key", "unknown host", "no such machine", "no server"])
async def test_what_ssh_says_is_told(trouble: str, server: Server, tmp_path: Path) -> None:
    machine, settings = MACHINE, server.folder / "config"
    match trouble:
        case "no key":
            (server.folder / "authorized_keys").write_text("")
            said = r"ssh says: .*Permission denied \(publickey\).* must work without a question"
        case "unknown host":
            (server.folder / "known_hosts").write_text("")
            said = r"ssh says: Host key verification failed .* must work without a question"
        case "no such machine":
            machine = "nowhere.invalid"
            said = r"ssh says: .*[Cc]ould not resolve hostname nowhere\.invalid"
        case _:
            settings.write_text(settings.read_text().replace(str(server.port), str(free_port())))
            said = r"ssh says: .*Connection refused"
    async with attached_session(tmp_path, port=free_port(), ssh=machine, wait=5.0) as under_test:
        with pytest.raises(AttachFailed, match=said) as raised:
            await under_test.session.lifecycle.start()
        assert "\n" not in str(raised.value)
        await until(lambda: not under_test.guard.remains())


async def test_without_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    async with attached_session(tmp_path, port=free_port(), ssh=MACHINE) as under_test:
        with pytest.raises(AttachFailed, match="ssh is not installed here"):
            await under_test.session.lifecycle.start()
