"""Whole sessions on the real debugpy, on every Python of this machine."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tests.support.recording import PROGRAMS
from tests.support.sessions import SessionUnderTest, debugpy_session, until
from tuidbg.config.launch import Console
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import DebuggerError, EvaluationFailed
from tuidbg.session.model.events import NoticeGiven, PauseRequested
from tuidbg.session.model.state import BreakpointStatus, ExitState, Status, StopReason

pytestmark = pytest.mark.real

TOUR = PROGRAMS / "tour.py"
DOUBLE, LOOP, CALL, READ = 7, 15, 22, 25
"""Lines of the tour."""

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a program of these lines."""

    def write(source: str) -> Path:
        path = tmp_path / "program.py"
        path.write_text(source, encoding="utf-8")
        return path

    return write


@pytest.mark.own_python
async def test_the_whole_tour_on_a_terminal(tmp_path: Path) -> None:
    async with debugpy_session(tmp_path, TOUR, console=Console.TERMINAL) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(TOUR), DOUBLE, condition="value == 2", origin="tui")
        await under_test.start()
        assert (under_test.line, under_test.reason) == (1, StopReason.ENTRY)
        assert session.pid is not None
        await under_test.until(lambda: [t.name for t in session.threads] == ["MainThread"])
        assert under_test.breakpoint(DOUBLE).status is BreakpointStatus.SET

        refused = await session.breakpoints.set(str(TOUR), 19, origin="tui")
        assert (refused.status, refused.suggested_line) == (BreakpointStatus.REFUSED, 20)
        past = await session.breakpoints.set(str(TOUR), 999, origin="tui")
        assert past.status is BreakpointStatus.REFUSED
        assert "past the last line" in past.message

        await session.execution.run_to(str(TOUR), CALL, origin="tui")
        await under_test.settled(1)
        assert (under_test.line, under_test.reason) == (CALL, StopReason.STEP)
        assert (await under_test.locals())["words"].value == "{'who': 'world', 'terminal': True}"

        await under_test.go(Resume.CONTINUE)
        assert (under_test.line, under_test.reason) == (DOUBLE, StopReason.BREAKPOINT)
        assert under_test.hits == (1,)
        assert [f.name for f in session.frames] == ["double", "collect", "main", "<module>"]
        assert (await under_test.locals())["value"].value == "2"
        assert (await under_test.locals(frame=1))["found"].value == "[0, 2]"

        await under_test.go(Resume.STEP_OVER)
        assert (await under_test.locals())["result"].value == "4"
        await _evaluates(under_test)
        await under_test.go(Resume.STEP_OUT)
        assert [f.name for f in session.frames] == ["collect", "main", "<module>"]
        await under_test.go(Resume.STEP_IN)
        await session.breakpoints.remove(1, origin="tui")

        await session.execution.resume(Resume.CONTINUE, origin="tui")
        await under_test.until(lambda: "to stderr" in under_test.output("terminal"))
        assert "hello world True" in under_test.output("terminal")
        session.terminal_io.send_input("typed\n")
        await under_test.settled(session.stop_id)
        await under_test.to_end()
        assert "read 'typed\\n'" in under_test.output("terminal")
        assert (session.status, session.exit) == (Status.TERMINATED, ExitState(code=4))


async def _evaluates(under_test: SessionUnderTest) -> None:
    inspection, frames = under_test.session.inspection, under_test.session.frames
    value = await inspection.evaluate("[value, result]", frames[0].id)
    assert (value.value, value.type) == ("[2, 4]", "list")
    children = await inspection.variables(value.reference)
    assert {"0", "1"} <= {child.name for child in children}
    assert (await inspection.evaluate("limit + 1", frames[1].id)).value == "5"
    await inspection.evaluate("result = 40", frames[0].id)
    assert (await inspection.evaluate("result + 2", frames[0].id)).value == "42"
    for wrong, words in (("1 / 0", "ZeroDivisionError"), ("1 +", "SyntaxError")):
        with pytest.raises(EvaluationFailed, match=words):
            await inspection.evaluate(wrong, frames[0].id)


@pytest.mark.full
async def test_on_every_python(tmp_path: Path) -> None:
    """None of them needs debugpy; stdout, stderr and the end of stdin over DAP events."""
    await asyncio.gather(*(_tour_on(version, tmp_path / name_of(version)) for version in SUPPORTED))


async def _tour_on(version: tuple[int, int], folder: Path) -> None:
    folder.mkdir()
    async with debugpy_session(folder, TOUR, python=SUPPORTED[version]) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(TOUR), LOOP, origin="tui")
        await under_test.start()
        assert (under_test.line, under_test.reason) == (1, StopReason.ENTRY), version
        value = await session.inspection.evaluate("__import__('sys').version_info[:2]")
        assert value.value == str(version)
        await under_test.go(Resume.CONTINUE)
        assert (under_test.line, under_test.reason) == (LOOP, StopReason.BREAKPOINT), version
        assert (await under_test.locals())["found"].value == "[]"
        await under_test.go(Resume.STEP_OVER)
        await under_test.go(Resume.STEP_OVER)
        assert (await under_test.locals())["found"].value == "[0]"
        await session.breakpoints.toggle(str(TOUR), LOOP, origin="tui")
        await under_test.to_end()
        assert session.exit == ExitState(code=4), version
        assert under_test.output("stdout") == "hello world False\nread ''", version
        assert under_test.output("stderr") == "to stderr", version


@pytest.mark.own_python
async def test_an_uncaught_exception_stops_at_the_raise(write: Write, tmp_path: Path) -> None:
    program = write(
        "def fail(what):\n    raise ValueError(f'no {what}')\n\n"
        "try:\n    fail('first')\nexcept ValueError:\n    pass\nfail('more')\n"
    )
    async with debugpy_session(tmp_path, program, stop_on_entry=False) as under_test:
        session = under_test.session
        await under_test.start()
        await under_test.until(lambda: session.stop and session.stop.exception)
        assert (under_test.line, under_test.reason) == (2, StopReason.EXCEPTION)
        assert session.stop is not None
        assert session.stop.exception is not None
        assert session.stop.exception.type == "ValueError"
        assert session.stop.exception.message == "no more"
        assert session.stop.exception.break_mode == "unhandled"
        assert "fail('more')" in session.stop.exception.stack_trace
        assert (await under_test.locals())["what"].value == "'more'"
        await under_test.go(Resume.CONTINUE)
        assert session.exit == ExitState(code=1)
        assert "ValueError: no more" in under_test.output("stderr")


@pytest.mark.own_python
@pytest.mark.full
async def test_pause_of_a_busy_loop_and_restart(write: Write, tmp_path: Path) -> None:
    program = write("count = 0\nwhile True:\n    count += 1\n")
    async with debugpy_session(tmp_path, program) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(program), 1, origin="tui")
        await under_test.start()
        await session.execution.resume(Resume.CONTINUE, origin="tui")
        await session.execution.pause(origin="tui")
        await under_test.settled(1)
        assert under_test.reason is StopReason.PAUSE
        assert under_test.line in (2, 3)
        first = session.pid
        before = session.stop_id
        await session.lifecycle.restart()
        await under_test.settled(before)
        assert under_test.line == 1
        assert session.pid != first
        assert under_test.breakpoint(1).status is BreakpointStatus.SET
        assert str(first) not in map(str, under_test.guard.remains())


@pytest.mark.full
async def test_a_pause_in_input_waits_for_it(write: Write, tmp_path: Path) -> None:
    program = write("answer = input('? ')\nprint('got', answer)\nprint('end')\n")
    async with debugpy_session(tmp_path, program, console=Console.TERMINAL) as under_test:
        session = under_test.session
        await under_test.start()
        await session.execution.resume(Resume.CONTINUE, origin="tui")
        await under_test.until(lambda: "?" in under_test.output("terminal"))
        await session.execution.pause(origin="tui")
        assert under_test.events(PauseRequested)
        # An evaluation without a frame is answered while the program runs: the pause is not there.
        await session.adapter.request("evaluate", {"expression": "1", "context": "repl"})
        assert session.status is Status.RUNNING
        session.terminal_io.send_input("me\n")
        await under_test.settled(1)
        assert under_test.reason is StopReason.PAUSE
        await under_test.go(Resume.CONTINUE)
        assert "got me" in under_test.output("terminal")
        assert session.exit == ExitState(code=0)


@pytest.mark.full
async def test_a_death_by_a_signal_has_its_name(write: Write, tmp_path: Path) -> None:
    program = write(
        "import os, sys\nprint('last words', flush=True)\nos.kill(os.getpid(), int(sys.argv[1]))\n"
    )

    async def dies(number: signal.Signals, console: Console) -> None:
        folder = tmp_path / f"{number.name}-{console}"
        folder.mkdir()
        async with debugpy_session(
            folder, program, str(int(number)), stop_on_entry=False, console=console
        ) as under_test:
            await under_test.start()
            session = under_test.session
            assert session.status is Status.TERMINATED
            assert session.exit is not None
            assert session.exit.signal == number.name
            assert f"The program was killed ({number.name})." in under_test.console
            assert "last words" in under_test.console

    await asyncio.gather(
        dies(signal.SIGKILL, Console.TERMINAL),
        dies(signal.SIGKILL, Console.INTERNAL),
        dies(signal.SIGSEGV, Console.TERMINAL),
        dies(signal.SIGABRT, Console.INTERNAL),
    )


CHILDREN = """
import multiprocessing, os, subprocess, sys

def work(queue):
    queue.put(os.getpid())

if __name__ == "__main__":
    children = []
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        child = context.Process(target=work, args=(queue,))
        child.start()
        children.append((method, child, queue))
    command = [sys.executable, "-c", "print(6 * 7)"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    for method, child, queue in children:
        print(method, queue.get() == child.pid, flush=True)
        child.join()
        print(child.exitcode, flush=True)
    print("subprocess", process.communicate()[0].decode().strip(), process.returncode, flush=True)
"""


@pytest.mark.full
async def test_children_run_undebugged_and_never_hang(write: Write, tmp_path: Path) -> None:
    """Where it was asked for; on the oldest and the newest Python, side by side."""
    program = write(CHILDREN)
    await asyncio.gather(
        *(_children_run(program, tmp_path, version) for version in {min(SUPPORTED), max(SUPPORTED)})
    )


async def _children_run(program: Path, folder: Path, version: tuple[int, int]) -> None:
    folder = folder / name_of(version)
    folder.mkdir()
    async with debugpy_session(
        folder, program, python=SUPPORTED[version], sub_process=False
    ) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(program), 5, origin="tui")  # hit in no child
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        assert session.exit == ExitState(code=0)
        assert under_test.output("stdout") == "fork True\n0\nspawn True\n0\nsubprocess 42 0"
        assert session.family is None
        assert "frozen modules" not in under_test.output("stderr")
        assert not [n for n in under_test.events(NoticeGiven) if n.severity != "information"]


@pytest.mark.full
async def test_quit_while_an_evaluation_sleeps(write: Write, tmp_path: Path) -> None:
    """The second that it may take is looked at by ``close``, like what stays behind."""
    program = write("import time\nx = 1\ny = 2\n")
    async with debugpy_session(tmp_path, program) as under_test:
        await under_test.start()
        await under_test.go(Resume.STEP_OVER)
        frame = under_test.session.frames[0]
        sleeping = asyncio.create_task(
            under_test.session.inspection.evaluate("time.sleep(60)", frame.id)
        )
        await until(lambda: under_test.sent("evaluate"))
        await under_test.close()
        with pytest.raises(DebuggerError):
            await sleeping


CLOSING = """\
import ctypes, os, stat, sys
for number in range(3, 64):
    try:
        is_socket = stat.S_ISSOCK(os.fstat(number).st_mode)
    except OSError:
        continue
    if is_socket:
        ctypes.CDLL(None).shutdown(number, 2)
        ctypes.CDLL(None).close(number)
print("closed", flush=True)
input()
sys.exit(3)
"""


@pytest.mark.parametrize("how", ["ends", "is stopped"])
async def test_a_program_that_closes_the_connection_in_c(
    how: str, write: Write, tmp_path: Path
) -> None:
    program = write(CLOSING)
    async with debugpy_session(tmp_path, program, console=Console.TERMINAL) as under_test:
        session = under_test.session
        await under_test.start()
        await session.execution.resume(Resume.CONTINUE, origin="tui")
        words = "the program has closed the debugger's connection: it runs on without the debugger"
        await under_test.until(lambda: words in under_test.console)
        with pytest.raises(DebuggerError, match="has closed the debugger's connection"):
            await session.execution.pause(origin="tui")
        assert not under_test.ended
        if how == "ends":
            session.terminal_io.send_input("\n")
            await under_test.until(lambda: under_test.ended)
            assert session.exit == ExitState(code=3)
        else:
            await session.lifecycle.stop()
            assert session.status is Status.TERMINATED
            assert not under_test.guard.remains()
        before = session.stop_id
        await session.lifecycle.restart()
        await under_test.settled(before)
        assert (session.status, under_test.line) == (Status.PAUSED, 1)


@pytest.mark.full
async def test_a_program_that_can_not_be_started(tmp_path: Path) -> None:
    async with debugpy_session(tmp_path, TOUR, python="/no/such/python") as under_test:
        words = await under_test.fails_to_start()
        assert words.startswith("can't start tour.py: ")
        assert under_test.session.status is Status.FAILED
        assert sys.executable not in words


@pytest.mark.full
async def test_an_uncaught_exception_stops_though_a_breakpoint_came_first(
    write: Write, tmp_path: Path
) -> None:
    """The first breakpoint of all is set at a stop: what it brings must not hide exceptions."""
    program = write("def f():\n    raise KeyError('gone')\nf()\n")
    async with debugpy_session(tmp_path, program) as under_test:
        await under_test.start()
        await under_test.session.breakpoints.set(str(program), 1, origin="tui")
        await under_test.go(Resume.CONTINUE)
        assert (under_test.reason, under_test.line) == (StopReason.EXCEPTION, 2)
