"""The program under our start of debugpy: nothing of that start is left in what it sees."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.interpreters import SUPPORTED, TOO_OLD, Version, name_of
from tests.support.sessions import debugpy_session
from tuidbg.config.launch import TargetKind
from tuidbg.session.model.events import NoticeGiven
from tuidbg.session.model.state import ExitState

pytestmark = pytest.mark.real

LOOK = """\
import json, sys, traceback

def look():
    return {
        "argv": sys.argv[1:],
        "names": sorted(name for name in globals() if not name.startswith("__")),
        "file": __file__,
        "name": __name__,
        "callers": [f.name for f in traceback.extract_stack() if f.filename == __file__],
        "main": sys.modules["__main__"].__dict__ is globals(),
        "ours": [name for name in sys.modules if "tuidbg" in name or "_launcher" in name],
    }

with open(sys.argv[1], "w") as file:
    json.dump(look(), file)
"""

PYTHONS = [pytest.param(path, id=name_of(version)) for version, path in SUPPORTED.items()]


def _plainly(python: str, words: list[str], answer: Path, folder: Path) -> Any:
    subprocess.run([python, *words, str(answer), "two words"], check=True, cwd=folder)
    return json.loads(answer.read_text())


TOO_OLD_CHILDREN = """\
import json, subprocess, sys
def run(python, *words):
    ended = subprocess.run([python, *words], capture_output=True, text=True)
    return ended.returncode, ended.stdout, ended.stderr
with open("child.py", "w") as file:
    file.write("import sys\\nprint(sys.argv, sys.path[0], sys.flags.optimize)\\nsys.exit(3)\\n")
found = [
    run(python, *words)
    for python in sys.argv[2:]
    for words in (["-O", "child.py", "a b"], ["-m", "child"], ["-c", "print(1)"])
]
with open(sys.argv[1], "w") as file:
    json.dump(found, file)
"""


@pytest.mark.full
@pytest.mark.skipif(not TOO_OLD, reason="there is no Python that debugpy does not know")
async def test_children_of_a_python_that_is_too_old_run_alone(tmp_path: Path) -> None:
    script, answer = tmp_path / "parent.py", tmp_path / "answer.json"
    script.write_text(TOO_OLD_CHILDREN)
    words = [str(answer), *TOO_OLD.values()]
    alone = [sys.executable, str(script), *words]
    await asyncio.to_thread(subprocess.run, alone, check=True, cwd=tmp_path)
    expected = json.loads(answer.read_text())
    answer.unlink()
    async with debugpy_session(tmp_path, script, *words, stop_on_entry=False) as t:
        await t.start()
        assert t.ended, t.describe()
    assert json.loads(answer.read_text()) == expected
    assert [each[0] for each in expected[:3]] == [3, 3, 0]


@pytest.mark.full
@pytest.mark.skipif(max(SUPPORTED) < (3, 15), reason="the mode came with Python 3.15")
async def test_a_program_whose_imports_are_all_lazy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_LAZY_IMPORTS", "all")
    script = tmp_path / "lazy.py"
    script.write_text(
        "import colorsys, sys\nbefore = set(sys.modules)\ncolorsys.ONE_THIRD\n"
        "def look():\n    return 1\nlook()\n"
    )
    newest = SUPPORTED[max(SUPPORTED)]
    async with debugpy_session(tmp_path, script, python=newest, stop_on_entry=False) as t:
        await t.session.breakpoints.set_function("look", origin="tui")
        await t.start()
        assert t.line == 5
        seen = "'colorsys' in before, 'colorsys' in sys.modules"
        answer = await t.session.inspection.evaluate(seen, t.session.frames[0].id)
        assert answer.value == "(False, True)"
        await t.to_end()
        assert t.session.exit == ExitState(code=0)


@pytest.mark.sampled
@pytest.mark.parametrize("kind", [TargetKind.SCRIPT, TargetKind.MODULE])
@pytest.mark.parametrize("python", PYTHONS)
async def test_the_program_sees_what_it_sees_without(
    tmp_path: Path, python: str, kind: TargetKind
) -> None:
    script = tmp_path / "looking.py"
    script.write_text(LOOK)
    answer = tmp_path / "answer.json"
    is_module = kind is TargetKind.MODULE
    words = ["-m", "looking"] if is_module else [str(script)]
    expected = _plainly(python, words, answer, tmp_path)
    answer.unlink()
    target = "looking" if is_module else script
    async with debugpy_session(
        tmp_path, target, str(answer), "two words", kind=kind, python=python, stop_on_entry=False
    ) as under_test:
        await under_test.start()
        await under_test.to_end()
    assert json.loads(answer.read_text()) == expected


FAILS = """\
import sys

def parse(text):
    try:
        return int(text)
    except ValueError as error:
        raise RuntimeError("no settings") from error

def hook(kind, error, trace):
    with open(sys.argv[1], "w") as file:
        while trace is not None:
            file.write(trace.tb_frame.f_code.co_name + " ")
            trace = trace.tb_next
    sys.__excepthook__(kind, error, error.__traceback__)

sys.excepthook = hook
parse("x")
"""


def _plain_traceback(command: list[str]) -> str:
    return subprocess.run(command, check=False, capture_output=True, text=True).stderr


@pytest.mark.full
@pytest.mark.parametrize("python", PYTHONS)
async def test_a_traceback_is_the_one_without_a_debugger(tmp_path: Path, python: str) -> None:
    script = tmp_path / "fails.py"
    script.write_text(FAILS)
    names = tmp_path / "names.txt"
    plain = _plain_traceback([python, str(script), str(names)])
    expected = names.read_text()
    names.unlink()
    async with debugpy_session(
        tmp_path, script, str(names), python=python, stop_on_entry=False
    ) as under_test:
        await under_test.start()
        await under_test.to_end()
        written = under_test.output("stderr")
        assert under_test.session.exit is not None and under_test.session.exit.code == 1
    assert written.split() == plain.split() and "settings" in written
    assert names.read_text() == expected == "<module> parse "


@pytest.mark.full
async def test_debugpy_keeps_its_log_where_one_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    monkeypatch.setenv("DEBUGPY_LOG_DIR", str(logs))
    script = tmp_path / "short.py"
    script.write_text("done = True\n")
    async with debugpy_session(tmp_path, script, stop_on_entry=False) as under_test:
        await under_test.start()
        await under_test.to_end()
    written = {file.name.partition("-")[0].split(".")[1] for file in logs.glob("debugpy.*.log")}
    assert {"server", "pydevd"} <= written
    assert any(sys.version.split()[0] in file.read_text() for file in logs.iterdir())


DEEP = """\
def deep(n):
    return deep(n + 1)
deep(0)
"""

_ENDS = [v for v in SUPPORTED if v in ((3, 11), sys.version_info[:2])]


@pytest.mark.parametrize("version", _ENDS, ids=name_of)
async def test_a_recursion_without_end_ends_in_the_programs_own_lines(
    version: Version, tmp_path: Path
) -> None:
    """Where Python takes the debugger off the thread by that, a notice says so."""
    script = tmp_path / "deep.py"
    script.write_text(DEEP)
    async with debugpy_session(
        tmp_path, script, python=SUPPORTED[version], stop_on_entry=False
    ) as t:
        await t.session.exceptions.stop_at(frozenset(), origin="tui")
        await t.start()
        assert t.ended, t.describe()
        await t.until(lambda: "RecursionError" in t.console)
        shown = t.console[t.console.index("Traceback") :]
        files = {line.split('"')[1] for line in shown.splitlines() if '  File "' in line}
        assert files == {str(script)}
        assert "During handling" not in shown
        notices = [each.text for each in t.events(NoticeGiven)]
    is_traced = version < (3, 12)
    assert any("the end of Python's recursion" in text for text in notices) is is_traced
