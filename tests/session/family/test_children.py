"""Processes that a program starts, each a session of its own: on the real debugpy."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.attachable import attached_session, listening
from tests.support.processes import Processes, kill, lives, place_of, reason_of, stands
from tests.support.sessions import debugpy_session, until
from tuidbg.config.launch import Console
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.process_tree import children as children_module
from tuidbg.session.core.process_tree.children import ByServer
from tuidbg.session.core.process_tree.family import ProcessTree
from tuidbg.session.core.session import Session
from tuidbg.session.model.state import ExceptionRule, Status, StopReason

pytestmark = pytest.mark.real

POOL = """\
import multiprocessing, sys
def work(n):
    y = n + 1
    return y
if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print(sorted(pool.map(work, range(4))))
"""

LEAVING = """\
import json, os
def fail(value):
    raise KeyError(value)
if (pid := os.fork()) == 0:
    try:
        json.dumps(object(), default=fail)
    except KeyError:
        os._exit(0)
os.waitpid(pid, 0)
"""
"""An exception leaves the program's code for a library's, which lets it through."""

LEAVING_IN_A_POOL = """\
import multiprocessing
def work(value):
    return 1 // value
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(1) as pool:
        try:
            pool.map(work, [0])
        except ZeroDivisionError:
            print("told")
"""

FUTURES = """\
import concurrent.futures
def work(n):
    y = n + 1
    return y
if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        print(sorted(pool.map(work, range(4))))
"""

LEAF = """\
import sys
def work(n):
    y = n + 1
    print("leaf", y)
    return y
if __name__ == "__main__":
    work(int(sys.argv[1]))
"""

RUNNER = """\
import subprocess, sys
for number, words in enumerate((["leaf.py"], ["-m", "leaf"], ["-c", "import leaf; leaf.work(2)"])):
    subprocess.run([sys.executable, *words, str(number)], check=True)
print("all ran")
"""

FORKING = """\
import os, time
def child():
    n = 0
    while n < 3000:
        n += 1
        time.sleep(0.01)
if os.fork() == 0:
    child()
    os._exit(0)
m = 0
while m < 3000:
    m += 1
    time.sleep(0.01)
"""
CHILD, PARENT = 5, 12
"""Lines of the loops of the forking program."""

CAPTURING = """\
import subprocess, sys
for _ in range(3):
    child = subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, text=True)
    if (child.returncode, child.stdout, child.stderr) != (0, "1\\n", ""):
        print("odd:", child)
print("all ran")
"""

DEEP = """\
import os
def leave(depth):
    print("at", depth)
    os._exit(0)
def begin(depth):
    if depth == 3:
        leave(depth)
    if (pid := os.fork()) == 0:
        begin(depth + 1)
    os.waitpid(pid, 0)
    leave(depth)
begin(0)
"""


@asynccontextmanager
async def processes(
    folder: Path, source: str, *args: str, at: int = 3, **plan: Any
) -> AsyncIterator[Processes]:
    """A program that starts processes, with a breakpoint at a line; it runs."""
    path = folder / "program.py"
    path.write_text(source, encoding="utf-8")
    plan = {"stop_on_entry": False, **plan}
    async with debugpy_session(folder, path, *args, **plan) as under_test:
        if at:
            await under_test.session.breakpoints.set(str(path), at, origin="tui")
        await under_test.session.lifecycle.start()
        yield Processes(under_test)


# What starts processes


@pytest.mark.full
@pytest.mark.parametrize("how", ["fork", "spawn", "forkserver"])
async def test_a_pool_of_each_start_method(how: str, tmp_path: Path) -> None:
    """Each task stops, in whichever worker; the parent does not."""
    async with processes(tmp_path, POOL, how) as family:
        stops = await family.run_to_end()
        assert [line for _, line in stops] == [3] * 4, family.describe()
        assert 0 not in {number for number, _ in stops}
        assert "[1, 2, 3, 4]" in family.under_test.console
        assert family.root.exit is not None and family.root.exit.code == 0
        await family.until(lambda: all(r.is_over for r in family.children))
        assert all(r.session.status is Status.TERMINATED for r in family.children)
        if how == "forkserver":  # the workers are children of the forkserver's own session
            assert {r.depth for r in family.all} == {0, 1, 2}


@pytest.mark.full
async def test_futures(tmp_path: Path) -> None:
    async with processes(tmp_path, FUTURES) as family:
        assert [line for _, line in await family.run_to_end()] == [3] * 4
        assert "[1, 2, 3, 4]" in family.under_test.console


@pytest.mark.own_python
async def test_scripts_modules_and_code_as_subprocesses(tmp_path: Path) -> None:
    leaf = tmp_path / "leaf.py"
    leaf.write_text(LEAF, encoding="utf-8")
    async with processes(tmp_path, RUNNER, at=4) as family:
        family.root.spawn(family.root.breakpoints.set(str(leaf), 3, origin="tui"))
        stops = await family.run_to_end()
        assert [number for number, line in stops if number], family.describe()
        names = [r.name.rpartition(" ")[0] for r in family.children]
        assert names == ["leaf.py", "leaf", "python -c"]
        assert [r.session.pid is None for r in family.children] == [True] * 3  # they have ended
        assert "all ran" in family.under_test.console


@pytest.mark.full
async def test_a_program_that_replaces_itself(tmp_path: Path) -> None:
    source = (
        "import os, sys\nif len(sys.argv) < 2:\n"
        "    os.execv(sys.executable, [sys.executable, __file__, 'again'])\nprint('again')\n"
    )
    async with processes(tmp_path, source, at=4) as family:
        child = await family.stop_of_child(4)
        assert family.root.pid == child.session.pid
        await family.run_to_end()
        assert "again" in family.under_test.console


@pytest.mark.full
async def test_children_of_children(tmp_path: Path) -> None:
    async with processes(tmp_path, DEEP) as family:
        stops = await family.run_to_end()
        assert [line for _, line in stops] == [3] * 4
        assert [r.depth for r in family.all] == [0, 1, 2, 3]


# Parent and child on their own


async def test_each_runs_and_stops_by_itself(tmp_path: Path) -> None:
    async with processes(tmp_path, FORKING, at=CHILD) as family:
        child = await family.stop_of_child(CHILD)
        assert family.root.status is Status.RUNNING
        before = await child.session.inspection.evaluate("n", child.session.frames[0].id)

        await child.session.breakpoints.set(str(tmp_path / "program.py"), PARENT, origin="tui")
        await family.until(lambda: stands(family.root), "set in the child, it stops the parent")
        assert place_of(family.root) == ("program.py", PARENT)
        for _ in range(3):
            last = family.root.stop_id
            await family.root.execution.resume(Resume.STEP_OVER, origin="tui")
            await family.until(partial(stands, family.root, last))
        after = await child.session.inspection.evaluate("n", child.session.frames[0].id)
        assert before.value == after.value, "the child has not moved meanwhile"

        last = child.session.stop_id
        await family.go_on(child, Resume.STEP_OVER)
        await family.until(lambda: stands(child.session) and child.session.stop_id > last)
        assert place_of(child.session) == ("program.py", CHILD + 1)
        assert stands(family.root)


async def test_what_is_asked_for_in_one_counts_in_all(tmp_path: Path) -> None:
    """Set, changed, muted and deleted from either side; each process counts its own hits."""
    async with processes(tmp_path, FORKING, at=CHILD) as family:
        child = await family.stop_of_child(CHILD)
        path, root = str(tmp_path / "program.py"), family.root
        found = root.breakpoints.registry.find_line(path, CHILD)
        mirrored = child.session.breakpoints.registry.find_line(path, CHILD)
        assert found is not None and mirrored is not None
        assert (found.number, found.uuid) == (mirrored.number, mirrored.uuid)
        assert (found.hits, mirrored.hits) == (0, 1)

        changed = await child.session.breakpoints.set(
            path, CHILD, condition="n % 10 == 0", origin="tui"
        )
        assert root.breakpoints.registry.get(changed.number).condition == "n % 10 == 0"
        await family.go_on(child)
        await family.until(lambda: stands(child.session) and child.session.stop_id > 1)
        value = await child.session.inspection.evaluate("n", child.session.frames[0].id)
        assert int(value.value) % 10 == 0

        await root.breakpoints.update(changed.number, condition="", ignore_count=5, origin="tui")
        counted = child.session.breakpoints.registry.get(changed.number)
        assert (counted.ignore_count, counted.ignore_from) == (5, counted.hits)
        hits = counted.hits
        await family.until(lambda: not child.session.work.is_under_way)
        await family.go_on(child)
        await family.until(lambda: stands(child.session) and child.session.stop_id > 2)
        assert child.session.breakpoints.registry.get(changed.number).hits == hits + 6

        await child.session.exceptions.stop_at(frozenset({"raised"}), origin="tui")
        assert root.exceptions.filters == {"raised"}
        await root.breakpoints.mute(True, origin="tui")
        assert child.session.breakpoints.muted
        await root.breakpoints.mute(False, origin="tui")
        assert not child.session.breakpoints.muted
        await child.session.breakpoints.remove(changed.number, origin="tui")
        assert root.breakpoints.registry.look_up(changed.number) is None
        await root.breakpoints.restore(origin="tui")  # it was not deleted here
        assert root.breakpoints.registry.look_up(changed.number) is None
        await child.session.breakpoints.restore(origin="tui")
        assert root.breakpoints.registry.look_up(changed.number) is not None


@pytest.mark.full
async def test_rules_for_exceptions_and_functions_reach_a_child(tmp_path: Path) -> None:
    source = (
        "import os\ndef fail(n):\n    raise KeyError(n)\n"
        "if (pid := os.fork()) == 0:\n    try:\n        fail(1)\n    except KeyError:\n"
        "        pass\n    os._exit(0)\nos.waitpid(pid, 0)\n"
    )
    path = tmp_path / "program.py"
    path.write_text(source, encoding="utf-8")
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        family = Processes(under_test)
        breakpoints = under_test.session.breakpoints
        await breakpoints.set_function("fail", origin="tui")
        await breakpoints.set_exception(ExceptionRule(type="KeyError", raised=True), origin="tui")
        await under_test.session.lifecycle.start()
        child = await family.stop_of_child(3)
        assert reason_of(child.session) is StopReason.BREAKPOINT
        await family.go_on(child)
        await family.until(lambda: child.session.stop_id > 1 and stands(child.session))
        assert reason_of(child.session) is StopReason.EXCEPTION
        await family.run_to_end()


@pytest.mark.parametrize(
    "source",
    [LEAVING, pytest.param(LEAVING_IN_A_POOL, marks=pytest.mark.full)],
    ids=["fork", "pool"],
)
async def test_a_forked_child_stops_at_exceptions_alone(source: str, tmp_path: Path) -> None:
    """Without any breakpoint."""
    path = tmp_path / "program.py"
    path.write_text(source, encoding="utf-8")
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        family = Processes(under_test)
        exceptions = under_test.session.exceptions
        await exceptions.stop_at(frozenset({"user_uncaught"}), origin="tui")
        await under_test.session.lifecycle.start()
        child = await family.stop_of_child(3)
        assert reason_of(child.session) is StopReason.EXCEPTION
        assert [line for _, line in await family.run_to_end() if line != 3] == []


# The ends


@pytest.mark.full
async def test_a_child_that_is_killed_at_a_stop(tmp_path: Path) -> None:
    async with processes(tmp_path, FORKING, at=CHILD) as family:
        child = await family.stop_of_child(CHILD)
        pid = child.session.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await family.until(lambda: child.is_over)
        assert child in family.all
        assert family.root.status is Status.RUNNING


@pytest.mark.full
async def test_twenty_at_once(tmp_path: Path) -> None:
    source = (
        "import os\ndef work(n):\n    return n\n"
        "pids = []\nfor n in range(20):\n    if (pid := os.fork()) == 0:\n"
        "        work(n)\n        os._exit(0)\n    pids.append(pid)\n"
        "for pid in pids:\n    os.waitpid(pid, 0)\nprint('all gone')\n"
    )
    async with processes(tmp_path, source) as family:
        await family.until(lambda: len(family.standing) == 20, "all stand at once")
        await family.under_test.close()  # looks how long that takes


@pytest.mark.full
async def test_quitting_ends_all_of_a_launched_program(tmp_path: Path) -> None:
    async with processes(tmp_path, DEEP.replace("os.waitpid(pid, 0)", "os.wait()"), at=3) as family:
        await family.stop_of_child(3)
        pids = [r.session.pid for r in family.all]
        assert len(pids) == 4
        await family.under_test.close()  # looks whether anything is left
        assert not any(lives(pid) for pid in pids if pid is not None)


@pytest.mark.full
async def test_a_restart_begins_with_an_empty_tree(tmp_path: Path) -> None:
    async with processes(tmp_path, FORKING, at=CHILD) as family:
        old = await family.stop_of_child(CHILD)
        pid = old.session.pid
        assert pid is not None
        await old.session.lifecycle.restart()  # of a child it means the program
        assert old not in family.all
        new = await family.stop_of_child(CHILD)
        assert new.session.pid != pid and not lives(pid)
        assert new.session.breakpoints.registry.find_line(str(tmp_path / "program.py"), CHILD)


@pytest.mark.full
async def test_stopping_one_child_leaves_the_others(tmp_path: Path) -> None:
    async with processes(tmp_path, FORKING, at=CHILD) as family:
        child = await family.stop_of_child(CHILD)
        pid = child.session.pid
        assert pid is not None
        await child.session.lifecycle.stop()
        await until(lambda: not lives(pid))
        assert child.session.status is Status.TERMINATED
        assert family.root.status is Status.RUNNING


@pytest.mark.full
async def test_a_child_that_outlives_its_parent(tmp_path: Path) -> None:
    """It is debugged on, and the program counts as ended."""
    source = (
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    for n in range(2):\n"
        "        n += 1\n    print('child ends')\n    os._exit(0)\n"
    )
    async with processes(tmp_path, source, at=5, console=Console.TERMINAL) as family:
        child = await family.stop_of_child(5)
        await family.until(lambda: family.root.status is Status.TERMINATED)
        assert family.root.exit is not None and family.root.exit.code == 0
        await family.go_on(child)
        await family.until(lambda: stands(child.session) and child.session.stop_id == 2)
        await child.session.breakpoints.remove(1, origin="tui")
        await family.go_on(child)
        await family.until(lambda: child.is_over)
        await family.until(lambda: "child ends" in family.under_test.console)


@pytest.mark.full
async def test_a_process_that_begins_after_its_parents_end(tmp_path: Path) -> None:
    """It calls an adapter that is still there; without one it would die before its first line."""
    folder = tmp_path / "late"
    folder.mkdir()
    worker = tmp_path / "worker.py"
    worker.write_text("n = 1\nopen('ran', 'w').close()\n")
    (folder / "sitecustomize.py").write_text(
        "import os, time\nparent = os.getppid()\n"
        "while os.getppid() == parent:\n    time.sleep(0.01)\n"
    )
    source = (
        "import os, subprocess, sys\n"
        f"env = {{**os.environ, 'PYTHONPATH': {str(folder)!r}}}\n"
        "subprocess.Popen([sys.executable, 'worker.py'], env=env, start_new_session=True)\n"
    )
    async with processes(tmp_path, source, at=0, console=Console.TERMINAL) as family:
        await family.under_test.session.breakpoints.set(str(worker), 2, origin="tui")
        await family.until(lambda: family.root.status is Status.TERMINATED)
        await family.until(lambda: len(family.standing) == 1, "it is debugged")
        await family.go_on(family.children[0])
        await family.until((tmp_path / "ran").exists)


# Nothing waits because of us


@pytest.mark.full
@pytest.mark.parametrize("how", ["fork", "spawn"])
async def test_children_that_nobody_wants_are_not_held_up(how: str, tmp_path: Path) -> None:
    """debugpy's own way of not debugging them hangs at a breakpoint in what is forked."""
    async with processes(tmp_path, POOL, how, sub_process=False) as family:
        assert await family.run_to_end() == []
        assert "[1, 2, 3, 4]" in family.under_test.console
        assert family.children == []


@pytest.mark.full
async def test_children_that_nobody_wants_write_what_is_theirs(tmp_path: Path) -> None:
    """Let go twice, pydevd would complain on stderr."""
    async with processes(tmp_path, CAPTURING, at=0, sub_process=False) as family:
        assert await family.run_to_end() == []
        assert family.under_test.output("stdout") == "all ran"
        assert family.children == []


@pytest.mark.sampled
@pytest.mark.parametrize("where", ["reach", "add", "configure", "limit"])
async def test_whatever_fails_here_the_child_goes_on(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*args: object, **options: object) -> None:
        raise RuntimeError("ours")

    async def refuse(*args: object, **options: object) -> None:
        raise ConnectionResetError("it has hung up")

    if where == "reach":
        monkeypatch.setattr(ByServer, "reach", refuse)
    elif where == "add":
        monkeypatch.setattr(children_module.ChildProcesses, "_add", fail)
    elif where == "limit":
        monkeypatch.setattr(children_module, "LIVING_LIMIT", 0)
    else:
        real = ProcessTree.add

        def add(self: ProcessTree, session: Session, *args: Any) -> object:
            monkeypatch.setattr(session.breakpoints, "synchronise_all", fail)
            return real(self, session, *args)

        monkeypatch.setattr(ProcessTree, "add", add)
    async with processes(tmp_path, POOL, "fork") as family:
        await family.until(lambda: family.under_test.ended)
        assert "[1, 2, 3, 4]" in family.under_test.console
        if where != "limit":
            assert "runs without the debugger" in family.under_test.output("important")


# An attached program


@pytest.mark.full
async def test_detaching_lets_all_go(tmp_path: Path) -> None:
    source = FORKING.replace("n += 1", "n += 1; open('child', 'w').write(str(n))")
    os.chdir(tmp_path)
    async with listening(tmp_path, "--wait-for-client", source=source) as (program, port):
        async with attached_session(tmp_path, port=port) as under_test:
            family = Processes(under_test)
            await under_test.session.breakpoints.set(program.path, CHILD, origin="tui")
            await under_test.session.lifecycle.start()
            child = await family.stop_of_child(CHILD)
            pid = child.session.pid
            assert pid is not None
            await under_test.close()  # looks how long that takes
            assert lives(pid) and program.lives
        count = tmp_path / "child"
        await until(lambda: int(count.read_text() or 0) > 3, "the child runs on")
        kill(pid)


@pytest.mark.full
async def test_a_terminal_belongs_to_all(tmp_path: Path) -> None:
    async with processes(tmp_path, POOL, "spawn", at=0, console=Console.TERMINAL) as family:
        await family.until(lambda: family.under_test.ended)
        assert "[1, 2, 3, 4]" in family.under_test.output("terminal")
