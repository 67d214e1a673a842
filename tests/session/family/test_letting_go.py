"""A program that starts processes is let go of in the middle of it: they run, and end, and it too.

On the real debugpy.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.support.attachable import Running, attached_session, can_enter, listening, running
from tests.support.sessions import SessionUnderTest
from tuidbg.session.state import Status

pytestmark = pytest.mark.real

needs_tracing = pytest.mark.skipif(not can_enter(), reason="other processes can't be traced here")

FORKING = """\
import os, sys
number = 0
while True:
    if (pid := os.fork()) == 0:
        os._exit(0)
    if (status := os.waitpid(pid, 0)[1]) != 0:
        sys.exit("a child has ended with status %d" % status)
    number += 1
    with open(sys.argv[1] + ".new", "w") as file:
        file.write(str(number))
    os.replace(sys.argv[1] + ".new", sys.argv[1])
"""

ROUNDS = 3


async def debug_children(under_test: SessionUnderTest) -> None:
    """Attach, and wait until processes are taken in, one after the other."""
    session = under_test.session
    await session.lifecycle.start()
    family_of_some = 4
    await under_test.until(lambda: len(session.family or ()) >= family_of_some, "children come")


async def lose_adapter(under_test: SessionUnderTest) -> None:
    session = under_test.session
    client = session.adapter.client
    assert client is not None and client.process is not None
    os.kill(client.process.pid, signal.SIGKILL)
    await under_test.until(lambda: session.status is Status.FAILED, "the loss is told")


async def goes_on(program: Running) -> None:
    """It does, and so do all that it starts."""
    await program.goes_on()
    await program.goes_on()


@pytest.mark.full
@needs_tracing
@pytest.mark.parametrize("how", ["let go", "its adapter is killed"])
async def test_a_program_that_forks(how: str, tmp_path: Path) -> None:
    """Again and again: children of each debugger call that one, and none waits for it."""
    async with running(tmp_path, source=FORKING) as program:
        await goes_on(program)
        for _ in range(ROUNDS):
            pid = program.process.pid
            async with attached_session(tmp_path, pid=pid, connect_timeout=60) as under_test:
                await debug_children(under_test)
                if how != "let go":
                    await lose_adapter(under_test)
            await goes_on(program)


async def test_a_program_that_listens_and_forks(tmp_path: Path) -> None:
    async with listening(tmp_path, source=FORKING) as (program, port):
        await goes_on(program)
        async with attached_session(tmp_path, port=port) as under_test:
            await debug_children(under_test)
        await goes_on(program)
