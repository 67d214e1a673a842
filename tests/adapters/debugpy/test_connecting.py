"""pydevd connects without waiting for its own threads: on the real debugpy."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tests.support.sessions import debugpy_session

pytestmark = pytest.mark.real

_SOME = {v: SUPPORTED[v] for v in {min(SUPPORTED), sys.version_info[:2], max(SUPPORTED)}}

COUNTING = """\
import sys, time
native = time.sleep
def sleep(seconds):
    frame = sys._getframe(1)
    with open({file!r}, "a") as file:
        file.write(frame.f_code.co_name + "\\n")
    native(seconds)
time.sleep = sleep
"""

PROGRAM = """\
import os, subprocess, sys, time
def wait():
    time.sleep(0)
wait()
if len(sys.argv) == 1:
    subprocess.run([sys.executable, __file__, "child"], check=True)
    pid = os.fork()
    if pid == 0:
        wait()
        os._exit(0)
    os.waitpid(pid, 0)
"""


@pytest.mark.sampled
@pytest.mark.parametrize("python", _SOME.values(), ids=map(name_of, _SOME))
async def test_a_program_its_child_and_fork_connect_at_once(python: str, tmp_path: Path) -> None:
    folder, slept = tmp_path / "path", tmp_path / "slept"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(COUNTING.format(file=str(slept)))
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    env = {"PYTHONPATH": str(folder)}
    async with debugpy_session(tmp_path, program, python=python, env=env, stop_on_entry=False) as t:
        await t.session.lifecycle.start()
        await t.until(lambda: t.ended)
    callers = slept.read_text().split()
    assert callers.count("wait") == 3 and "initialize_network" not in callers
