"""A program that starts processes is let go of in the middle of it: they run, and end, and it too.

On the real debugpy.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.attachable import Running, attached_session, can_enter, listening, running
from tests.support.sessions import SessionUnderTest, cut_connection, debugpy_session
from tuidbg.session.model.state import Status

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

INHERITING = """\
import os
def sockets():
    paths = {os.path.realpath("/proc/self/fd/" + name) for name in os.listdir("/proc/self/fd")}
    return {os.path.basename(path) for path in paths if "socket:" in path}
before = sockets()
if os.fork() == 0:
    print("inherited:", sorted(before & sockets()), flush=True)
    os._exit(0)
os.wait()
"""

DAEMON = """\
import os, sys, time
def lives(pid):
    try:
        os.kill(pid, 0)
        return True
    except OSError:
        return False
def wait():
    while is_daemon and (lives(program) or lives(child)):
        time.sleep(0.01)
program, child, is_daemon = os.getpid(), 0, False
os.register_at_fork(after_in_child=wait)
if os.fork() == 0:
    child, is_daemon = os.getpid(), True
    if os.fork() == 0:
        with open(sys.argv[1], "w") as file:
            file.write("done")
    os._exit(0)
os.wait()
"""
"""Its grandchild calls the debugger once the others are gone."""

ROUNDS = 3


async def debug_children(under_test: SessionUnderTest) -> None:
    """Attach, and wait until processes are taken in, one after the other."""
    session = under_test.session
    await session.lifecycle.start()
    family_of_some = 4
    await under_test.until(lambda: len(session.family or ()) >= family_of_some, "children come")


async def lose_connection(under_test: SessionUnderTest) -> None:
    cut_connection(under_test.session)
    await under_test.until(lambda: under_test.session.status is Status.FAILED, "the loss is told")


async def goes_on(program: Running) -> None:
    """It does, and so do all that it starts."""
    await program.goes_on()
    await program.goes_on()


@pytest.mark.full
@needs_tracing
@pytest.mark.parametrize("how", ["let go", "the connection is cut"])
async def test_a_program_that_forks(how: str, tmp_path: Path) -> None:
    """Again and again: children of each debugger call that one, and none waits for it."""
    async with running(tmp_path, source=FORKING) as program:
        await goes_on(program)
        for _ in range(ROUNDS):
            pid = program.process.pid
            async with attached_session(tmp_path, pid=pid, connect_timeout=60) as under_test:
                await debug_children(under_test)
                if how != "let go":
                    await lose_connection(under_test)
            await goes_on(program)


async def test_a_program_that_listens_and_forks(tmp_path: Path) -> None:
    async with listening(tmp_path, source=FORKING) as (program, port):
        await goes_on(program)
        async with attached_session(tmp_path, port=port) as under_test:
            await debug_children(under_test)
        await goes_on(program)


@pytest.mark.parametrize("sub_process", [True, False], ids=["debugged", "let go"])
async def test_a_forked_process_leaves_the_connection_of_its_parent(
    sub_process: bool, tmp_path: Path
) -> None:
    """Otherwise the end of the parent would go unnoticed as long as the child lives."""
    path = tmp_path / "program.py"
    path.write_text(INHERITING, encoding="utf-8")
    async with debugpy_session(
        tmp_path, path, stop_on_entry=False, sub_process=sub_process
    ) as under_test:
        await under_test.session.lifecycle.start()
        await under_test.until(lambda: under_test.ended)
        assert under_test.output("stdout") == "inherited: []"


async def test_a_daemon_that_calls_when_its_parents_are_gone(tmp_path: Path) -> None:
    """It is no program of its own to the adapter, and runs."""
    path, done = tmp_path / "program.py", tmp_path / "done"
    path.write_text(DAEMON, encoding="utf-8")
    async with debugpy_session(
        tmp_path, path, str(done), stop_on_entry=False, sub_process=False
    ) as under_test:
        await under_test.session.lifecycle.start()
        await under_test.until(done.exists, "the daemon has run")
