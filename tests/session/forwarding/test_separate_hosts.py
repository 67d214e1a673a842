"""A job on two machines, each with a network of its own, under the real command."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.session.forwarding.carried import Carried, debugger
from tests.support.attachable import PROGRAM, TOTAL, free_port
from tests.support.hosts import OtherHost, has_hosts, other_host
from tests.support.sessions import until
from tuidbg.config.launch import HostsPlan
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.job.job import look_at_job
from tuidbg.session.model.state import Status

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not has_hosts(), reason="networks can't be made here"),
    pytest.mark.full,
]

TOKEN = "a-long-token"


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()


def forwards(host: OtherHost, port: int, folder: Path) -> subprocess.Popen[bytes]:
    """The machine's programs, carried by the real command."""
    token = folder / "token"
    token.write_text(TOKEN)
    command = [sys.executable, "-m", "tuidbg", "forward", "5678", f"{host.here}:{port}"]
    return host.start([*command, "--token-file", str(token)])


def rank_on(host: OtherHost, number: int, folder: Path) -> subprocess.Popen[bytes]:
    words = ["-m", "debugpy", "--connect", "5678", "--adapter-access-token", TOKEN]
    words += ["--wait-for-client", str(folder / "train.py"), str(folder / f"count{number}")]
    return host.start([sys.executable, *words], RANK=str(number), WORLD_SIZE="4")


async def test_a_job_on_two_machines_one_of_which_is_lost_for_a_while(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(PROGRAM, encoding="utf-8")
    with ExitStack() as stack:
        nodes = [stack.enter_context(other_host(number)) for number in (1, 2)]
        hosts = HostsPlan(host="0.0.0.0", port=free_port())
        async with debugger(tmp_path, hosts=hosts, token=TOKEN) as under_test:
            found = Carried(under_test, 0)
            await found.session.breakpoints.set(str(program), TOTAL, origin="tui")
            for node in nodes:
                stack.enter_context(ended(forwards(node, hosts.port, tmp_path)))
            for number in range(4):
                stack.enter_context(ended(rank_on(nodes[number // 2], number, tmp_path)))
            await found.standing(4)
            await under_test.until(lambda: all(r.identity for r in found.relatives))
            members = (await look_at_job(found.session)).members
            places = {(m.identity.rank, m.identity.host) for m in members if m.identity}
            assert places == {(0, "node1"), (1, "node1"), (2, "node2"), (3, "node2")}
            sessions = {
                r.identity.rank: r.session for r in found.relatives if r.identity is not None
            }

            nodes[1].pull_out()
            await found.told("node2 is out of reach: its 2 programs wait where they stop")
            before = sessions[0].stop_id
            going = [
                asyncio.create_task(s.execution.resume(Resume.CONTINUE, origin="tui"))
                for s in sessions.values()
            ]
            await under_test.until(lambda: sessions[0].stop_id > before)  # nobody waits for node2
            nodes[1].plug_in()
            await found.told("node2 is back")
            await asyncio.gather(*going)
            await under_test.until(
                lambda: all(
                    s.stop_id > before and s.status is Status.PAUSED for s in sessions.values()
                )
            )
            await under_test.close()
            counts = [tmp_path / f"count{number}" for number in range(4)]
            seen = [int(path.read_text() or 0) for path in counts]  # it may just be written
            await until(
                lambda: all(
                    int(path.read_text() or 0) > n for path, n in zip(counts, seen, strict=True)
                )
            )
