"""Attaching by process id never harms: nine kinds of programs, on four Pythons; and what can go
wrong with it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.support.attachable import attached_session, can_enter
from tests.support.enterable import HOLDING, RUNNING, WAITING, Enterable, enterable, visitors_of
from tests.support.interpreters import SUPPORTED, name_of
from tests.support.sessions import until, within
from tuidbg.adapters.debugpy.entering.symbols import find_functions, read_maps
from tuidbg.adapters.debugpy.entering.traced import TracedProcess, find_gadget
from tuidbg.session.model.errors import AttachFailed, AttachTimedOut
from tuidbg.session.model.state import Status, StopReason

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not can_enter(), reason="processes can't be traced here"),
]

VERSIONS = {v: python for v, python in SUPPORTED.items() if v in ((3, 9), (3, 13))}
WAIT = 120.0
"""Seconds; patience, on a machine that has all else to do as well."""


async def is_debugged(program: Enterable, folder: Path, kind: str) -> None:
    """Attach, look, and leave."""
    folder.mkdir()
    async with attached_session(folder, pid=program.process.pid, wait=WAIT) as under_test:
        session = under_test.session
        await session.lifecycle.start()
        assert session.status is Status.RUNNING
        await under_test.until(lambda: session.pid == program.process.pid)
        await under_test.until(lambda: any(t.name == "MainThread" for t in session.threads))
        if kind in RUNNING:
            await session.breakpoints.set(program.path, program.tick, origin="tui")
            await under_test.settled(0)
            assert under_test.line == program.tick
            assert under_test.reason is StopReason.BREAKPOINT


@pytest.mark.full
@pytest.mark.parametrize("kinds", [RUNNING, WAITING], ids=["running", "waiting"])
@pytest.mark.parametrize("version", VERSIONS, ids=name_of)
async def test_programs_of_all_kinds_are_entered_and_unharmed(
    version: tuple[int, int], kinds: dict[str, str], tmp_path: Path
) -> None:
    async def is_unharmed(kind: str) -> None:
        async with enterable(tmp_path / kind, VERSIONS[version], kinds[kind]) as program:
            for turn in range(2 if kind == "sleep" else 1):
                await is_debugged(program, tmp_path / f"session {kind} {turn}", kind)
            if kind in RUNNING:
                await program.goes_on()
            await program.ends_well()

    await asyncio.gather(*map(is_unharmed, kinds))


# Nobody wants it any more


BUSY_OUTSIDE = """\
import hashlib
begun = time.monotonic()
while time.monotonic() - begun < 4:
    hashlib.pbkdf2_hmac("sha256", b"a", b"b", 4_000_000)
time.sleep(0.5)
assert "debugpy" not in sys.modules
while not is_over():
    time.sleep(0.02)
"""
"""Comes back to Python every second or so, and has not been entered in the end."""


async def is_left_alone(program: Enterable) -> None:
    """Nothing of ours goes on, neither inside nor outside."""
    await until(lambda: not visitors_of(program.process.pid), "nobody is about to go in")
    await program.ends_well()


@pytest.mark.full
async def test_a_time_that_is_over_leaves_it_as_it_was(tmp_path: Path) -> None:
    async with enterable(tmp_path / "program", sys.executable, BUSY_OUTSIDE) as program:
        pid = program.process.pid
        async with attached_session(tmp_path, pid=pid, wait=0.05) as under_test:
            with pytest.raises(AttachTimedOut, match=r"no answer within 0\.05 s; it runs on"):
                await under_test.session.lifecycle.start()
        await is_left_alone(program)


@pytest.mark.full
@pytest.mark.parametrize("how", ["closed", "stopped"])
async def test_called_off_while_a_visitor_waits_inside(how: str, tmp_path: Path) -> None:
    """Its main thread waits for the interpreter, on our behalf, and gets it when it gets it."""
    async with enterable(tmp_path / "program", sys.executable, HOLDING) as program:
        pid = program.process.pid
        async with attached_session(tmp_path, pid=pid, wait=WAIT) as under_test:
            session = under_test.session
            attaching = asyncio.create_task(session.lifecycle.start())
            await until(lambda: tracer_of(pid), "a visitor is inside")
            if how == "closed":
                await within(1.0, session.close())
            else:
                await within(1.0, session.lifecycle.stop())
                assert session.status is Status.TERMINATED
            with pytest.raises(AttachFailed):
                await within(1.0, attaching)
        await is_left_alone(program)


@pytest.mark.full
async def test_a_program_that_is_stopped_is_entered_when_it_goes_on(tmp_path: Path) -> None:
    async with enterable(tmp_path / "program", sys.executable, RUNNING["sleep"]) as program:
        pid = program.process.pid
        os.kill(pid, signal.SIGSTOP)
        async with attached_session(tmp_path, pid=pid, wait=WAIT) as under_test:
            attaching = asyncio.create_task(under_test.session.lifecycle.start())
            await under_test.until(lambda: "it is stopped (Ctrl+Z" in under_test.console)
            os.kill(pid, signal.SIGCONT)
            await attaching
            await program.goes_on()
        await is_left_alone(program)


async def test_children_of_an_attached_program_write_what_they_write_alone(tmp_path: Path) -> None:
    """No log line of pydevd's, and an isolated one has no folder of anybody's in its path."""
    source = RUNNING["sleep"] + (
        "import subprocess\ncode = 'import sys; print(sys.path, sys.argv, file=sys.stderr)'\n"
        "words = [sys.executable, '-I', '-c', code, '7']\n"
        "said = subprocess.run(words, capture_output=True, text=True).stderr\n"
        "with open(sys.argv[1] + '/said', 'w') as file:\n    file.write(said)\n"
    )
    code = "import sys; print(sys.path, sys.argv, file=sys.stderr)"
    plain = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", code, "7", stderr=asyncio.subprocess.PIPE
    )
    _, expected = await plain.communicate()
    async with enterable(tmp_path / "program", sys.executable, source) as program:
        pid = program.process.pid
        async with attached_session(tmp_path, pid=pid, wait=WAIT) as under_test:
            await under_test.session.lifecycle.start()
            await program.ends_well()
            await under_test.until(lambda: under_test.ended)
        assert (tmp_path / "program" / "said").read_bytes() == expected


@pytest.mark.full
async def test_it_ends_while_somebody_waits_for_it(tmp_path: Path) -> None:
    async with (
        enterable(tmp_path / "program", sys.executable, BUSY_OUTSIDE) as program,
        attached_session(tmp_path, pid=program.process.pid, wait=WAIT) as under_test,
    ):
        attaching = asyncio.create_task(under_test.session.lifecycle.start())
        await until(lambda: visitors_of(program.process.pid), "somebody is about to go in")
        program.process.kill()
        with pytest.raises(AttachFailed, match="the process has ended"):
            await attaching


# What is taken up again


SIGNALS = """\
import math, signal
arrived = 0
def note(number, frame):
    global arrived
    arrived += 1
signal.signal(signal.SIGUSR1, note)
tick()
while not is_over():
    before = arrived
    sums = [math.fsum(math.sin(i) for i in range(200)) for _ in range(4)]
    assert len(set(sums)) == 1
    time.sleep(0.001)
    tick()
    count = max(count, 20 * arrived)
"""


async def test_signals_and_sums_survive_hundreds_of_visits(tmp_path: Path) -> None:
    """Calls into it that do nothing, between system calls, signals and floating point."""
    async with enterable(tmp_path / "program", sys.executable, SIGNALS) as program:
        pid = program.process.pid
        functions = find_functions(pid, ("PyGILState_Check",))
        gadget = find_gadget(pid, read_maps(pid))
        for _ in range(300):
            os.kill(pid, signal.SIGUSR1)
            held = TracedProcess(pid, gadget)
            os.kill(pid, signal.SIGUSR1)
            assert held.call(functions["PyGILState_Check"]) in (0, 1)
            os.kill(pid, signal.SIGUSR1)
            held.let_go()
        await program.goes_on()
        await program.ends_well()


def tracer_of(pid: int) -> int:
    rows = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("TracerPid"))
