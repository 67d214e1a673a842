"""Tests what pydevd takes wrongly, and is put right in the program: on the real debugpy."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tests.support.processes import Processes
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.events import NoticeGiven
from tuidbg.session.model.state import ExceptionRule, StopReason, VariableKind

pytestmark = pytest.mark.real

_SOME = {v: SUPPORTED[v] for v in {min(SUPPORTED), sys.version_info[:2], max(SUPPORTED)}}
PYTHONS = [pytest.param(path, id=name_of(version)) for version, path in _SOME.items()]
"""The oldest, where pydevd is Python alone, one where it is compiled, and the newest."""

ONE_OR_ALL = [
    pytest.param(path, id=name_of(v), marks=[pytest.mark.full] * (v != sys.version_info[:2]))
    for v, path in _SOME.items()
]
"""One in the default tier."""

ONE_TRACER = [version for version in SUPPORTED if version < (3, 12)]

LEAVING = """\
import sys
class Leaving(SystemExit):
    pass
{how}
"""

RAISING = """\
import contextlib
def bad(n):
    if n:
        raise ValueError(n)
    return n + 40
def outer():
    bad(1)
with contextlib.suppress(ValueError):
    bad(1)
try:
    bad(2)
except ValueError as error:
    told = str(error)
with contextlib.suppress(ValueError):
    outer()
good = bad(0)
nothing = print()
done = True
"""

HIDING = """\
def inner():
    int("x")
def outer():
    try:
        inner()
    except ValueError:
        raise KeyError("bad") from None
outer()
"""

TRACING = """\
import sys, doctest
def own(frame, event, arg):
    return own
def work(n):
    x = n * 2
    return x
work(1)
sys.settrace(own)
work(2)
sys.settrace(None)
work(3)
doctest.run_docstring_examples(work, {})
work(4)
"""

MEASURING = """\
import coverage
def work(n):
    x = n * 2
    return x
measured = coverage.Coverage(data_file=None)
work(1)
measured.start()
work(2)
measured.stop()
work(3)
"""

ASKING = """\
def asked():
    n = 3
    breakpoint()
    return n
raise SystemExit(asked())
"""

STARTING = """\
import subprocess, sys
print("they are", subprocess.call([sys.executable, "asking.py"]))
"""

LOOPING = """\
def names_of(p):
    d, names = 5, []
    for k, v in locals().items():
        names += [k]
        e = d
    return names, e
print(names_of(1))
"""
"""Each pass binds what the dict that it goes over does not have yet."""

CLOSING = """\
import os
def work(n):
    m = n + 1
    return m
os.closerange(3, 256)
for each in os.listdir("/proc/self/fd"):
    try:
        if int(each) > 2:
            os.close(int(each))
    except OSError:
        pass
b = work(2)
null = os.open("/dev/null", os.O_RDWR)
for each in range(3, 64):
    if each != null:
        os.dup2(null, each)
c = work(b)
print("after", c)
os.dup2(1, 2), os.close(0)
try:
    os.close(-1)
except OSError as error:
    print(error.errno)
"""
"""As a daemon does."""


def _program(folder: Path, text: str, name: str = "program.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def _notices(t: SessionUnderTest) -> list[str]:
    return [each.text for each in t.events(NoticeGiven)]


# The end of a program is no failure


@pytest.mark.full
@pytest.mark.parametrize(
    ("how", "code"),
    [("sys.exit(3)", 3), ("raise SystemExit('why')", 1), ("raise Leaving(4)", 4)],
    ids=["exit", "text", "subclass"],
)
@pytest.mark.parametrize("python", PYTHONS)
async def test_a_program_that_leaves_has_ended(
    how: str, code: int, python: str, tmp_path: Path
) -> None:
    path = _program(tmp_path, LEAVING.format(how=how))
    async with debugpy_session(tmp_path, path, stop_on_entry=False, python=python) as t:
        await t.session.exceptions.stop_at(frozenset({"uncaught", "user_uncaught"}), origin="tui")
        await t.start()
        assert t.ended, t.describe()
        assert t.session.exit is not None and t.session.exit.code == code


@pytest.mark.full
async def test_also_where_types_are_told_apart(tmp_path: Path) -> None:
    """A rule by type brings the probe, which decides in pydevd's place."""
    path = _program(tmp_path, LEAVING.format(how="raise Leaving(4)"))
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as t:
        await t.session.breakpoints.set_exception(ExceptionRule(type="KeyError"), origin="tui")
        await t.start()
        assert t.ended, t.describe()
        assert t.session.exit is not None and t.session.exit.code == 4


@pytest.mark.full
@pytest.mark.parametrize("code", [0, 3])
@pytest.mark.parametrize("python", PYTHONS)
async def test_who_asks_for_it_gets_it(code: int, python: str, tmp_path: Path) -> None:
    path = _program(tmp_path, LEAVING.format(how=f"sys.exit({code})"))
    async with debugpy_session(tmp_path, path, stop_on_entry=False, python=python) as t:
        await t.session.exceptions.stop_at(frozenset(), origin="tui")
        rule = ExceptionRule(type="SystemExit", uncaught=True)
        await t.session.breakpoints.set_exception(rule, origin="tui")
        await t.start()
        assert (t.reason, t.line) == (StopReason.EXCEPTION, 4), t.describe()
        await t.to_end()
        assert t.session.exit is not None and t.session.exit.code == code


# What a function has returned


@pytest.mark.full
@pytest.mark.parametrize("python", PYTHONS)
async def test_what_raised_has_returned_nothing(python: str, tmp_path: Path) -> None:
    path = _program(tmp_path, RAISING)
    async with debugpy_session(tmp_path, path, python=python) as t:
        await t.start()
        told: dict[str, str] = {}
        while t.line < 18:
            await t.go(Resume.STEP_OVER)
            for name, value in (await t.locals()).items():
                if value.kind is VariableKind.RETURNED:
                    told[f"{t.line} {name}"] = value.value
        returned = {name: value for name, value in told.items() if "bad" in name or "out" in name}
        assert set(returned.values()) == {"40"}, told


# Programs that trace themselves


@pytest.mark.full
@pytest.mark.parametrize("version", [*ONE_TRACER[:1], *ONE_TRACER[-1:]], ids=name_of)
async def test_a_tracer_of_the_programs_own(version: tuple[int, int], tmp_path: Path) -> None:
    """While it works there are no breakpoints, and one sentence; after it they are there again."""
    path = _program(tmp_path, TRACING)
    async with debugpy_session(tmp_path, path, stop_on_entry=False, python=SUPPORTED[version]) as t:
        await t.session.breakpoints.set(str(path), 5, origin="tui")
        await t.start()
        met = []
        while not t.ended:
            met.append((await t.locals())["n"].value)
            await t.go(Resume.CONTINUE)
        assert met == ["1", "3", "4"], t.describe()
        (told,) = _notices(t)
        assert "traces itself from program.py:8 on" in told
        assert "PYDEV" not in t.console


@pytest.mark.full
async def test_two_tracers_where_python_knows_both(tmp_path: Path) -> None:
    version = max(SUPPORTED)
    if version < (3, 12):
        pytest.skip("there is no Python 3.12 or newer here")
    path = _program(tmp_path, TRACING)
    async with debugpy_session(tmp_path, path, stop_on_entry=False, python=SUPPORTED[version]) as t:
        await t.session.breakpoints.set(str(path), 5, origin="tui")
        await t.start()
        met = []
        while not t.ended:
            met.append((await t.locals())["n"].value)
            await t.go(Resume.CONTINUE)
        assert met == ["1", "2", "3", "4"]
        assert _notices(t) == []


@pytest.mark.full
@pytest.mark.parametrize("python", PYTHONS)
async def test_a_child_that_asks_to_stop_does_so_where_it_asks(python: str, tmp_path: Path) -> None:
    """The files of debugpy are no part of a child's stack either."""
    _program(tmp_path, ASKING, "asking.py")
    path = _program(tmp_path, STARTING)
    async with debugpy_session(tmp_path, path, stop_on_entry=False, python=python) as t:
        await t.session.lifecycle.start()
        family = Processes(t)
        child = await family.stop_of_child(4)
        names = [frame.name for frame in child.session.frames]
        assert names == ["asked", "<module>"], names
        await family.run_to_end()
        assert "they are 3" in t.console


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python knows several tracers")
async def test_a_program_that_measures_its_coverage(tmp_path: Path) -> None:
    pytest.importorskip("coverage", reason="coverage is not installed")
    path = _program(tmp_path, MEASURING)
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as t:
        await t.session.breakpoints.set(str(path), 3, origin="tui")
        await t.start()
        met = []
        while not t.ended:
            met.append((await t.locals())["n"].value)
            await t.go(Resume.CONTINUE)
        assert met == ["1", "3"], t.describe()
        (told,) = _notices(t)
        assert "measures its coverage" in told


@pytest.mark.full
@pytest.mark.parametrize("python", PYTHONS)
async def test_what_from_none_hides_is_not_in_the_stack(python: str, tmp_path: Path) -> None:
    program = tmp_path / "hiding.py"
    program.write_text(HIDING)
    async with debugpy_session(tmp_path, program, python=python, stop_on_entry=False) as under_test:
        await under_test.start()
        assert under_test.reason is StopReason.EXCEPTION
        assert [frame.name for frame in under_test.session.frames] == ["outer", "<module>"]


# The end of a process


async def test_at_the_end_no_thread_waits_for_the_one_that_waits_for_it(tmp_path: Path) -> None:
    """pydevd's reader did, until half a second was over, which pydevd writes down then."""
    path = tmp_path / "program.py"
    path.write_text("print(1)\n", encoding="utf-8")
    logs = tmp_path / "logs"
    async with debugpy_session(
        tmp_path, path, stop_on_entry=False, env={"DEBUGPY_LOG_DIR": str(logs)}
    ) as under_test:
        await under_test.start()
        await under_test.to_end()
    (log,) = logs.glob("debugpy.pydevd.*")
    told = log.read_text(encoding="utf-8")
    assert "dispose_and_kill_all_pydevd_threads: finished" in told
    assert "may not have finished" not in told


@pytest.mark.full
@pytest.mark.parametrize("how", ["del sys.argv", "sys.argv = []", "sys.argv = None"])
async def test_a_program_without_its_arguments_ends_well(how: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(f"import sys\n{how}\n", encoding="utf-8")
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        await under_test.start()
        await under_test.to_end()
        assert under_test.session.exit is not None
        assert (under_test.session.exit.code, under_test.output("stderr")) == (0, "")


AT_EXIT = """\
import atexit
def bye(word):
    upper = word.upper()
    print("bye", upper)
atexit.register(bye, "atexit")
print("main ends")
"""


def _is_done_early(python: str) -> bool:
    """Whether pydevd is compiled there and takes the main thread for done: no steps."""
    own = sys.version_info[:2]
    return SUPPORTED[own] == python and own >= (3, 12) and own != (3, 13)


@pytest.mark.parametrize("python", ONE_OR_ALL)
async def test_the_functions_of_atexit_are_debugged(python: str, tmp_path: Path) -> None:
    path = _program(tmp_path, AT_EXIT)
    async with debugpy_session(tmp_path, path, stop_on_entry=False, python=python) as t:
        for line in (3, 4):
            await t.session.breakpoints.set(str(path), line, origin="tui")
        await t.start()
        assert t.reason is StopReason.BREAKPOINT and t.line == 3, t.describe()
        await t.go(Resume.CONTINUE if _is_done_early(python) else Resume.STEP_OVER)
        assert t.line == 4 and (await t.locals())["upper"].value == "'ATEXIT'", t.describe()
        await t.to_end()
        assert t.output("stdout") == "main ends\nbye ATEXIT"
        assert t.output("stderr") == "" and not _notices(t)


# A program that closes what it did not open


@pytest.mark.parametrize("python", ONE_OR_ALL)
async def test_a_program_that_closes_all_descriptors_stays_debugged(
    python: str, tmp_path: Path
) -> None:
    path = _program(tmp_path, CLOSING)
    async with debugpy_session(tmp_path, path, stop_on_entry=False, python=python) as t:
        await t.session.breakpoints.set(str(path), 3, origin="tui")
        await t.start()
        for passed, n in enumerate("23"):
            if passed:
                await t.go(Resume.CONTINUE)
            assert t.reason == StopReason.BREAKPOINT and t.line == 3, t.describe()
            assert (await t.locals())["n"].value == n
        await t.to_end()
        assert (t.output("stdout"), t.output("stderr")) == ("after 4\n9", "")


# A Python that is not debugged

SHELLS = """\
import os, subprocess, sys
subprocess.run("echo python3; which python3 >&2 || true", shell=True)
print("harmless")
{start}
"""


@pytest.mark.parametrize(
    "start",
    [
        "os.system(f'X=1 {sys.executable} -c \"print(2)\"')",
        pytest.param("subprocess.run(['sh', 'child.sh', sys.executable])", marks=pytest.mark.full),
        pytest.param(
            "subprocess.run(f'true && {sys.executable} -c \"print(2)\"', shell=True)",
            marks=pytest.mark.full,
        ),
    ],
)
async def test_a_python_that_a_shell_starts_is_reported(start: str, tmp_path: Path) -> None:
    (tmp_path / "child.sh").write_text('"$1" -c "print(2)"\n')
    path = _program(tmp_path, SHELLS.format(start=start))
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as t:
        await t.session.breakpoints.set(str(path), 4, origin="tui")
        await t.start()
        assert t.line == 4 and not _notices(t), t.describe()
        await t.to_end()
        (notice,) = _notices(t)
        assert "A Python that sh starts runs without the debugger" in notice
        assert "2" in t.output("stdout").splitlines()


# A program that goes over its own variables


@pytest.mark.parametrize(
    "python",
    [pytest.param(path, id=name_of(v)) for v, path in SUPPORTED.items() if v >= (3, 11)],
)
async def test_a_look_leaves_the_dict_of_locals_alone(python: str, tmp_path: Path) -> None:
    """Before Python 3.11 the interpreter itself changes it for each tracer."""
    path = _program(tmp_path, LOOPING)
    async with debugpy_session(tmp_path, path, stop_on_entry=False, python=python) as t:
        await t.session.breakpoints.set(str(path), 4, origin="tui")
        await t.session.breakpoints.set(str(path), 5, condition="k == 'no name'", origin="tui")
        await t.start()
        assert {"p", "d", "names", "k", "v"} <= set(await t.locals())
        await t.session.evaluation.evaluate("d = 7", t.session.frames[0].id)
        assert (await t.locals())["d"].value == "7"
        for how in (Resume.STEP_OVER, Resume.STEP_OVER, Resume.STEP_OVER, Resume.CONTINUE):
            assert not t.ended, t.describe()
            assert "k" in await t.locals()
            await t.go(how)
        assert (await t.locals())["k"].value == "'names'", t.describe()
        await t.to_end()
        assert t.output("stdout") == "(['p', 'd', 'names'], 7)", t.describe()
