"""Tests how the processes of a program have ended, told by the kernel: on the real debugpy."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.session.family.test_children import processes
from tuidbg.adapters.program.exit_status import ExitStatus
from tuidbg.session.family.family import Relative
from tuidbg.session.session import Session

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


def _said(relative: Relative[Session]) -> str:
    return "\n".join(line.text for line in relative.session.output)


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
        assert f"This process was ended by {name}." in _said(child)


async def test_one_that_ends_with_a_code(tmp_path: Path) -> None:
    async with processes(tmp_path, DYING.format(how="os._exit(7)"), "fork", at=0) as family:
        await family.run_to_end()
        (child,) = family.children
        await family.until(lambda: child.session.exit, "its end is known")
        assert child.session.exit is not None
        assert (child.session.exit.code, child.session.exit.signal) == (7, ""), family.describe()
