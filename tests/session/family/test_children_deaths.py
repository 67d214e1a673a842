"""Tests how the processes of a program have ended, told by the kernel: on the real debugpy."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.session.family.test_children import processes
from tests.support.interpreters import SUPPORTED, Version, name_of
from tuidbg.adapters.program.started import ExitStatus
from tuidbg.session.core.process_tree.family import ProcessInfo
from tuidbg.session.core.run.ending import KILLED_AT_STOP
from tuidbg.session.model.state import Status

DYING = """\
import multiprocessing, os, sys
def work():
    {how}
if __name__ == "__main__":
    process = multiprocessing.get_context(sys.argv[1]).Process(target=work)
    process.start()
    process.join()
    print("it ended with", process.exitcode)
"""


def _knows_ends() -> bool:
    process = subprocess.Popen(["sh", "-c", "exit 7"])
    status = ExitStatus(process.pid)
    process.wait()
    return status.take() == 7


pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not _knows_ends(), reason="this kernel does not keep how it ended"),
]


def _said(relative: ProcessInfo) -> str:
    return "\n".join(line.text for line in relative.session.output)


@pytest.mark.full
@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize("name", ["SIGSEGV", "SIGKILL", "SIGTERM"])
async def test_one_that_dies_of_a_signal(name: str, start: str, tmp_path: Path) -> None:
    number = signal.Signals[name].value
    text = DYING.format(how=f"os.kill(os.getpid(), {number})")
    async with processes(tmp_path, text, start, at=0) as family:
        await family.run_to_end()
        assert f"it ended with {-number}" in family.under_test.console
        (child,) = [r for r in family.children if "tracker" not in r.name]
        await family.until(lambda: child.session.exit, "its end is known")
        assert child.session.exit is not None
        assert child.session.exit.signal == name, family.describe()
        await family.until(lambda: child.session.status is Status.TERMINATED, "its end is told")
        assert _said(child).strip() == f"This process was killed ({name})."


@pytest.mark.full
async def test_one_that_is_killed_at_a_stop(tmp_path: Path) -> None:
    """As uvicorn does with a worker that does not answer for five seconds."""
    async with processes(tmp_path, DYING.format(how="os._exit(7)"), "fork") as family:
        await family.until(lambda: family.standing, "the child is stopped")
        (child,) = family.standing
        assert child.session.pid is not None
        os.kill(child.session.pid, signal.SIGKILL)
        await family.until(lambda: child.session.status is Status.TERMINATED, "its end is told")
        assert _said(child).strip() == f"This process was killed (SIGKILL).\n{KILLED_AT_STOP}"


@pytest.mark.full
async def test_one_that_ends_with_a_code(tmp_path: Path) -> None:
    async with processes(tmp_path, DYING.format(how="os._exit(7)"), "fork", at=0) as family:
        await family.run_to_end()
        (child,) = family.children
        await family.until(lambda: child.session.exit, "its end is known")
        assert child.session.exit is not None
        assert (child.session.exit.code, child.session.exit.signal) == (7, ""), family.describe()


FAILS = """\
import subprocess, sys
if len(sys.argv) > 1:
    def parse(text):
        return int(text)
    parse("x")
print(subprocess.run([sys.executable, __file__, "fail"]).returncode)
"""


@pytest.mark.sampled
@pytest.mark.parametrize("version", SUPPORTED, ids=name_of)
async def test_the_traceback_of_a_child_is_its_own(version: Version, tmp_path: Path) -> None:
    async with processes(tmp_path, FAILS, at=0, python=SUPPORTED[version]) as family:
        await family.run_to_end()
        told = family.under_test.output("stderr")
    places = [line.split(", ", 1)[1] for line in told.splitlines() if line.startswith("  File ")]
    assert places == ["line 5, in <module>", "line 4, in parse"], told
    assert "ValueError: invalid literal" in told


KILLED = """\
import os, signal, time
for n in range(4):
    if (pid := os.fork()) == 0:
        time.sleep(60)
    time.sleep(0.02 * n)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
"""


async def test_one_that_is_killed_as_it_arrives_is_no_failure(tmp_path: Path) -> None:
    async with processes(tmp_path, KILLED, at=0) as family:
        await family.run_to_end()
        said = [line for each in family.all for line in _said(each).splitlines()]
        assert not [line for line in said if "disconnected unexpectedly" in line]
