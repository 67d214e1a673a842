"""Breakpoints at full speed in each process and thread, whenever it begins and whoever attaches."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.attachable import attached_session, listening
from tests.support.interpreters import SUPPORTED
from tests.support.marked import MarkedProgram
from tests.support.processes import Processes
from tests.support.sessions import debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import Status

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(sys.version_info < (3, 12), reason="before 3.12 debugpy does it all"),
    pytest.mark.full,
]

# ``told`` are the numbers of those who are told of each line of the loop before the breakpoint.
HOT = """
import _thread, multiprocessing, os, subprocess, sys, threading, time
def hot():
    total = 0
    for i in range(200):
        total += i
    where = getattr(sys, "monitoring", None)
    told = where and [
        n for n in range(6) if where.get_local_events(n, hot.__code__) & where.events.LINE
    ]
    return told  #: behind
"""

PRINTED = (
    HOT
    + """
def work(who):
    print(who, hot(), flush=True)
"""
)

BEGUN = {
    "fork": """
if os.fork() == 0:
    work("fork"); os._exit(0)
os.wait()
""",
    "fork in a thread": """
def begin():
    if os.fork() == 0:
        work("fork in a thread"); os._exit(0)
    os.wait()
thread = threading.Thread(target=begin)
thread.start(); thread.join()
""",
    **{
        how: f"""
if __name__ == "__main__":
    process = multiprocessing.get_context("{how}").Process(target=work, args=("{how}",))
    process.start(); process.join()
"""
        for how in ("spawn", "forkserver")
    },
    **{
        f"Python {name}": f"""
if len(sys.argv) > 1:
    work(sys.argv[1])
else:
    subprocess.run(["{python}", __file__, "Python {name}"], check=True)
"""
        for name, python in (
            ("before 3.12", SUPPORTED[min(SUPPORTED)]),
            ("of its own", SUPPORTED[max(SUPPORTED)]),
        )
    },
}


@pytest.mark.parametrize("kind", BEGUN)
async def test_processes_that_it_starts(kind: str, tmp_path: Path) -> None:
    code = MarkedProgram(tmp_path, PRINTED + BEGUN[kind])
    async with debugpy_session(tmp_path, code.file, stop_on_entry=False) as t:
        await t.session.breakpoints.stop_at_exceptions(frozenset(), origin="tui")
        await t.session.breakpoints.set(code.path, code["behind"], origin="tui")
        await t.session.lifecycle.start()
        stops = await Processes(t).run_to_end()
        assert [line for _, line in stops] == [code["behind"]]
        assert stops[0][0] > 0, "it is the other process that stops"
        told = None if "before" in kind and min(SUPPORTED) < (3, 12) else [4]
        await t.until(lambda: f"{kind} {told}" in t.output("stdout"), "it has said so")


THREADS = """
def raw():
    hot(); ended.release()
ended = _thread.allocate_lock(); ended.acquire()
thread = threading.Thread(target=hot)
thread.start(); thread.join()
_thread.start_new_thread(raw, ())
ended.acquire()
"""


async def test_threads_of_all_kinds(tmp_path: Path) -> None:
    code = MarkedProgram(tmp_path, HOT + THREADS)
    async with debugpy_session(tmp_path, code.file) as t:
        await t.session.breakpoints.stop_at_exceptions(frozenset(), origin="tui")
        await t.start()
        await t.session.breakpoints.set(code.path, code["behind"], origin="tui")
        await t.go(Resume.CONTINUE)
        assert (await t.locals())["told"].value == "[4]"
        await t.go(Resume.CONTINUE)
        assert t.line == code["behind"]
        await t.go(Resume.CONTINUE)
        assert t.ended


SERVED = (
    HOT
    + """
registered, register = [], os.register_at_fork
def count(**asked):
    registered.append(asked["after_in_child"].__module__)
    register(**asked)
os.register_at_fork = count
number = 0
while number < 12000:
    number += 1
    thread = threading.Thread(target=hot)
    thread.start(); thread.join()
    with open(sys.argv[1], "w") as file:
        file.write(str(number))
    time.sleep(0.005)
"""
)


async def test_attaching_again_and_again(tmp_path: Path) -> None:
    """Threads that begin later stop, and what each session leaves in the program is nothing."""
    line = SERVED.split("\n").index("    return told  #: behind") + 1
    async with listening(tmp_path, source=SERVED) as (program, port):
        await program.goes_on()
        for _ in range(3):
            async with attached_session(tmp_path, port=port) as t:
                await t.session.breakpoints.stop_at_exceptions(frozenset(), origin="tui")
                await t.session.breakpoints.set(program.path, line, origin="tui")
                await t.session.lifecycle.start()
                await t.settled(0)
                assert t.session.status is Status.PAUSED
                assert (await t.locals())["told"].value == "[4]"
                frame = t.session.frames[0].id
                asked = await t.session.inspection.evaluate("registered", frame)
                assert asked.value == "['tuidbg.debuggee.full_speed.full_speed']"
                await t.close()
            await program.goes_on()


SUBINTERPRETERS = """
try:
    import _interpreters as interpreters
except ImportError:  # Python 3.12
    import _xxsubinterpreters as interpreters
run = getattr(interpreters, "exec", None) or interpreters.run_string
other = interpreters.create()
here = [__file__.rpartition("/")[0]]
run(other, f"import sys; sys.path[:0] = {here}; import inner; inner.work()")
import inner
inner.work()
"""


async def test_subinterpreters_run_undebugged_and_that_is_told(tmp_path: Path) -> None:
    inner = MarkedProgram(tmp_path, "def work():\n    return 1  #: work\n", "inner.py")
    code = MarkedProgram(tmp_path, SUBINTERPRETERS)
    async with debugpy_session(tmp_path, code.file) as t:
        await t.start()
        await t.session.breakpoints.set(inner.path, inner["work"], origin="tui")
        await t.go(Resume.CONTINUE)
        assert t.line == inner["work"], "in the main interpreter"
        await t.to_end()
        told = [line.text for line in t.session.output if "uses subinterpreters" in line.text]
        assert len(told) == 1  # Python 3.15 warns of those that are left over
