"""Programs of another machine by the tunnels that the manual gives, on a real sshd."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.session.connect.test_listening import first_local, listening_session
from tests.session.forwarding.carried import Carried, debugger, machine_to
from tests.support.attachable import TOTAL, connecting, free_port, listens
from tests.support.sessions import until
from tests.support.ssh import MACHINE, Server, has_ssh, ssh_server
from tuidbg.config.launch import HostsPlan

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not has_ssh(), reason="needs ssh and sshd"),
    pytest.mark.full,
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with ssh_server(tmp_path / "ssh") as server:
        yield server


@contextmanager
def tunnel_back(server: Server, there: int, here: int) -> Iterator[None]:
    """``ssh -N -R``: the machine's port leads to ours."""
    words = [str(server.commands / "ssh"), "-N", "-R", f"{there}:127.0.0.1:{here}", MACHINE]
    with subprocess.Popen(words) as process:
        try:
            yield
        finally:
            process.terminate()


async def test_programs_call_through_it(server: Server, tmp_path: Path) -> None:
    there = free_port()
    async with listening_session(tmp_path) as found:
        with tunnel_back(server, there, found.port):
            await until(lambda: listens(there))
            async with connecting(tmp_path, there) as program:
                await found.session.breakpoints.set(program.path, TOTAL, origin="tui")
                (session,) = await found.standing(1)
                assert session.pid == program.process.pid
                await found.under_test.close()
                await program.goes_on()


async def test_a_machine_calls_through_it_again_after_it_has_broken(
    server: Server, tmp_path: Path
) -> None:
    there, hosts = free_port(), HostsPlan(host="127.0.0.1", port=free_port())
    async with debugger(tmp_path, hosts=hosts) as under_test, machine_to(there) as machine:
        found = Carried(under_test, 0)
        async with connecting(tmp_path, machine.port) as program:
            with tunnel_back(server, there, hosts.port):
                await found.session.breakpoints.set(program.path, TOTAL, origin="tui")
                (session,) = await found.standing(1)
            await found.told("node7 is out of reach")
            with tunnel_back(server, there, hosts.port):
                await found.told("node7 is back")
                assert await first_local(session) == "1"
                await under_test.close()
                await program.goes_on()
