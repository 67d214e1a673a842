"""Tests that stdout, stderr and exit code are those of an undebugged run: on the real debugpy."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, Version, name_of
from tests.support.marked import MarkedProgram
from tests.support.sessions import debugpy_session
from tests.support.small_programs import PROGRAMS

pytestmark = pytest.mark.real

PARTS = 6
"""All programs in one session take longer than a test waits on a busy machine."""

_SOME = sorted({min(SUPPORTED), sys.version_info[:2], max(SUPPORTED)})
TURNS = [
    pytest.param(part, version := _SOME[part % len(_SOME)], id=f"{part}-{name_of(version)}")
    for part in range(PARTS)
]
"""Each part, on the oldest Python and the newest, and on tuidbg's own, in turns."""

FEW = (
    "uncaught",
    "a child that fails",
    "an isolated child",
    "no such module",
    "no such file",
    "a fork that fails",
    "closed descriptors",
    "exec",
    "a tracer",
    "arguments",
)

DIFFER_BEFORE = {
    "recursion": (
        3,
        9,
    ),  # Python 3.8 gives up ("Cannot recover from stack overflow") where it is traced
    "a tracer": (3, 12),  # debugpy is told by the program's own means: it traces
}


def comparable(names: Iterable[str], version: Version) -> tuple[str, ...]:
    left_out = {name for name, first in DIFFER_BEFORE.items() if version < first}
    return tuple(name for name in names if name not in left_out)


def of_part(part: int, version: Version) -> tuple[str, ...]:
    return comparable(tuple(PROGRAMS)[part::PARTS], version)


RUN_ALL = """\
import json, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
def run(name):
    ended = subprocess.run(
        [sys.executable, name + " program.py"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="backslashreplace",
    )
    return ended.returncode, ended.stdout, ended.stderr
with ThreadPoolExecutor(2) as pool:
    names = sys.argv[1:-1]
    found = dict(zip(names, pool.map(run, names)))
with open(sys.argv[-1], "w") as file:
    json.dump(found, file)
"""


def write(folder: Path, *names: str) -> Path:
    """Write the programs, and one that runs them all."""
    for name in names:
        (folder / f"{name} program.py").write_text(PROGRAMS[name] + "\n", encoding="utf-8")
    path = folder / "run_all.py"
    path.write_text(RUN_ALL, encoding="utf-8")
    return path


async def compare_children(
    folder: Path, names: tuple[str, ...], *, python: str, sub_process: bool = True
) -> None:
    """Children of a debugged program write and end like those of an undebugged one."""
    path, results = write(folder, *names), folder / "results.json"
    plain = await asyncio.create_subprocess_exec(
        python, str(path), *names, str(results), cwd=folder
    )
    assert await plain.wait() == 0
    wanted = json.loads(results.read_text(encoding="utf-8"))
    results.unlink()
    async with debugpy_session(
        folder,
        path,
        *names,
        str(results),
        python=python,
        stop_on_entry=False,
        sub_process=sub_process,
    ) as under_test:
        await under_test.session.exceptions.stop_at(frozenset(), origin="tui")
        await under_test.session.lifecycle.start()
        await under_test.until(lambda: under_test.ended)
    found = json.loads(results.read_text(encoding="utf-8"))
    assert {name: found[name] for name in names} == wanted


async def test_children_write_what_they_write_undebugged(tmp_path: Path) -> None:
    """Tracebacks, errors of Python itself, ``sys.path``; no frame and no log of pydevd."""
    names = comparable(FEW, sys.version_info[:2])
    await compare_children(tmp_path, names, python=sys.executable)


@pytest.mark.full
@pytest.mark.parametrize(("part", "version"), TURNS)
async def test_children_of_all_kinds(part: int, version: Version, tmp_path: Path) -> None:
    await compare_children(tmp_path, of_part(part, version), python=SUPPORTED[version])


@pytest.mark.full
@pytest.mark.parametrize("part", range(PARTS))
async def test_children_of_all_kinds_that_are_let_go(part: int, tmp_path: Path) -> None:
    names = of_part(part, sys.version_info[:2])
    await compare_children(tmp_path, names, python=sys.executable, sub_process=False)


@pytest.mark.full
@pytest.mark.parametrize("name", PROGRAMS)
async def test_programs_write_what_they_write_undebugged(name: str, tmp_path: Path) -> None:
    write(tmp_path, name)
    path = tmp_path / f"{name} program.py"
    plain = await asyncio.create_subprocess_exec(
        sys.executable,
        str(path),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = await plain.communicate()
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        await under_test.session.exceptions.stop_at(frozenset(), origin="tui")
        await under_test.session.lifecycle.start()
        await under_test.until(lambda: under_test.ended)
        assert under_test.output("stdout") == out.decode().removesuffix("\n")
        assert under_test.output("stderr") == err.decode().removesuffix("\n")
        assert under_test.session.exit is not None
        assert under_test.session.exit.code == plain.returncode


FORKS = """\
import os
def forks():
    if pid := os.fork():
        os.waitpid(pid, 0)
        return False
    os._exit(0)
for number in range(3):
    seen = number  #: here
print("over")
"""


@pytest.mark.full
async def test_a_condition_that_forks_writes_nothing(tmp_path: Path) -> None:
    code = MarkedProgram(tmp_path, FORKS)
    async with debugpy_session(tmp_path, code.file, stop_on_entry=False) as under_test:
        path = str(code.file)
        set_ = under_test.session.breakpoints.set
        await set_(path, code["here"], condition="forks()", origin="tui")
        await under_test.session.lifecycle.start()
        await under_test.until(lambda: under_test.ended)
        assert under_test.output("stdout") == "over"
        assert under_test.output("stderr") == ""
