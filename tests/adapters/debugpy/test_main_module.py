"""The main module is as without a debugger, until the very end: on the real debugpy."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tests.support.sessions import debugpy_session

pytestmark = pytest.mark.real

_SOME = {v: SUPPORTED[v] for v in {min(SUPPORTED), sys.version_info[:2], max(SUPPORTED)}}

PROGRAM = """\
import atexit, pickle, subprocess, sys, threading
class Order:
    pass
def tell(moment):
    with open(sys.argv[1], "a") as file:
        names = [(k, v) for k, v in list(globals().items()) if k[:2] == "__"]
        words = {k: v.split(" at ")[0] for k, v in ((k, str(v)[:60]) for k, v in names)}
        size = len(pickle.dumps(Order()))
        is_main = vars(sys.modules["__main__"]) is globals()
        print(moment, size, is_main, sorted(words.items()), file=file)
atexit.register(tell, "atexit")
def work():
    threading.main_thread().join()
    tell("thread")
thread = threading.Thread(target=work)
thread.start()
tell("main")
if len(sys.argv) == 2:
    subprocess.run([sys.executable, __file__, sys.argv[1], "child"], check=True)
"""


@pytest.mark.sampled
@pytest.mark.parametrize("python", _SOME.values(), ids=map(name_of, _SOME))
async def test_a_script_and_its_child_have_the_main_module_that_python_gives_them(
    python: str, tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    alone, debugged = tmp_path / "alone", tmp_path / "debugged"
    plain = await asyncio.create_subprocess_exec(python, program, alone)
    assert await plain.wait() == 0
    async with debugpy_session(
        tmp_path, program, str(debugged), python=python, stop_on_entry=False
    ) as t:
        await t.session.lifecycle.start()
        await t.until(lambda: t.ended)
    told = debugged.read_text().splitlines()
    assert told == alone.read_text().splitlines()
    ends = ["thread", "atexit"]
    assert [line.split()[0] for line in told] == ["main", "main", *ends, *ends]
