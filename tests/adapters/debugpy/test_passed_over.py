"""Tests what debugpy passes over, and what of that is the person's own: on the real one."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.config.launch import TargetKind
from tuidbg.dap.types import SourceBody
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.stack.inspection import BYTECODE
from tuidbg.session.model.state import Frame, PassedOver, StopReason

pytestmark = pytest.mark.real

_SOME = {v: SUPPORTED[v] for v in {min(SUPPORTED), sys.version_info[:2], max(SUPPORTED)}}
PYTHONS = [pytest.param(path, id=name_of(version)) for version, path in _SOME.items()]
"""The oldest, where pydevd is Python alone, one where it is compiled, and the newest."""

LIBRARY = """\
def call(function):
    return inner(function)
def inner(function):
    kept = "by the library"
    return function()
def fail():
    depth = 2
    return deeper(depth)
def deeper(depth):
    raise ValueError(depth)
def fail_again():
    try:
        fail()
    except ValueError as error:
        raise KeyError("again") from error
"""

FAILS = """\
import lib
def mine():
    return lib.{how}()
lib.call(mine)
"""

WHOLE = ["deeper", "fail", "mine", "inner", "call", "<module>"]


@asynccontextmanager
async def with_library(folder: Path, program: str, **plan: Any) -> AsyncIterator[SessionUnderTest]:
    """A program whose library lies in a folder called ``site-packages``."""
    library, path = folder / "site-packages" / "lib.py", folder / "main.py"
    library.parent.mkdir()
    library.write_text(LIBRARY, encoding="utf-8")
    path.write_text(program, encoding="utf-8")
    env = {"PYTHONPATH": str(library.parent)}
    async with debugpy_session(folder, path, env=env, stop_on_entry=False, **plan) as under_test:
        yield under_test


def beside(frames: tuple[Frame, ...]) -> dict[str, PassedOver | None]:
    """What each frame says of those that are left out beside it."""
    return {frame.name: frame.beside for frame in frames}


async def whole_stack(under_test: SessionUnderTest) -> tuple[Frame, ...]:
    """The stack with what is passed over."""
    frames, total = await under_test.session.inspection.stack(1, 0, 100, whole=True)
    assert total == len(frames)
    return frames


@pytest.mark.sampled
@pytest.mark.parametrize("python", PYTHONS)
async def test_frames_that_are_left_out_are_counted_and_can_be_had(
    python: str, tmp_path: Path
) -> None:
    async with with_library(tmp_path, FAILS.format(how="fail"), python=python) as under_test:
        await under_test.start()
        session = under_test.session
        assert beside(session.frames) == {
            "mine": PassedOver(above=2),
            "<module>": PassedOver(above=2),
        }
        whole = await whole_stack(under_test)
        assert [frame.name for frame in whole] == WHOLE
        own = [frame.name for frame in whole if not frame.is_passed_over]
        assert own == ["mine", "<module>"]
        assert [frame.id for frame in whole if frame.name in own] == [f.id for f in session.frames]
        for name, variable, value in (
            ("deeper", "depth", "2"),
            ("inner", "kept", "'by the library'"),
        ):
            (frame,) = (frame for frame in whole if frame.name == name)
            scopes = await session.inspection.scopes(frame.id)
            found = {
                v.name: v.value for v in await session.inspection.variables(scopes[0].reference)
            }
            assert found[variable] == value


@pytest.mark.full
async def test_an_earlier_exception_of_libraries_is_counted_apart(tmp_path: Path) -> None:
    async with with_library(tmp_path, FAILS.format(how="fail_again")) as under_test:
        await under_test.start()
        assert beside(under_test.session.frames) == {
            "mine": PassedOver(above=1),
            "<module>": PassedOver(above=2, earlier=3),
        }


@pytest.mark.full
async def test_what_is_below_the_last_own_frame(tmp_path: Path) -> None:
    program = "import threading\ndef work():\n    1 / 0\nthreading.Thread(target=work).start()\n"
    async with with_library(tmp_path, program) as under_test:
        await under_test.start()
        (frame,) = under_test.session.frames
        assert frame.name == "work"
        assert frame.beside is not None and frame.beside.below >= 3  # of threading.py


@pytest.mark.full
async def test_all_are_told_without_just_my_code_at_the_same_stop(tmp_path: Path) -> None:
    async with with_library(tmp_path, FAILS.format(how="fail")) as under_test:
        await under_test.start()
        session = under_test.session
        session.sources.just_my_code = False
        await session.live_rules.apply(origin="tui")
        frames, _ = await session.inspection.stack(1)
        assert [frame.name for frame in frames] == WHOLE
        assert set(beside(frames).values()) == {None}


@pytest.mark.full
async def test_a_library_that_somebody_wants_to_know_nothing_of_is_not_counted(
    tmp_path: Path,
) -> None:
    async with with_library(tmp_path, FAILS.format(how="fail")) as under_test:
        under_test.session.sources.exclude(module="lib")
        await under_test.start()
        assert set(beside(under_test.session.frames).values()) == {None}


@pytest.mark.full
async def test_a_step_over_library_code_is_told_in_own_words(tmp_path: Path) -> None:
    async with with_library(tmp_path, "import lib\nlib.call(dict)\nlib.call(list)\n") as under_test:
        await under_test.session.breakpoints.set(str(tmp_path / "main.py"), 2, origin="tui")
        await under_test.start()
        await under_test.go(Resume.STEP_IN)
        assert under_test.line == 3
        assert under_test.output("important") == (
            'The step has passed over libraries; "Step into libraries" goes into them.'
        )


# Code that own code has made

MADE = """\
import dataclasses, linecache
TEXT = "def known(a):\\n    c = a + 1\\n    return c / 0\\n"
linecache.cache["<known>"] = len(TEXT), None, TEXT.splitlines(True), "<known>"
@dataclasses.dataclass
class Point:
    x: int
names = {}
exec(compile(TEXT, "<known>", "exec"), names)
exec("def unknown(f):\\n    point = 1\\n    return f(point)\\n", names)
point = Point(1)
names["unknown"](names["known"])
"""


@pytest.mark.full
@pytest.mark.parametrize("python", PYTHONS)
async def test_code_that_was_made_is_own_and_shows_its_source(python: str, tmp_path: Path) -> None:
    path = tmp_path / "made.py"
    path.write_text(MADE, encoding="utf-8")
    async with debugpy_session(tmp_path, path, python=python, stop_on_entry=False) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(path), 10, origin="tui")
        await under_test.start()
        await under_test.go(Resume.STEP_IN)
        assert (session.frames[0].name, under_test.line) == ("<module>", 11)  # past a dataclass
        await under_test.go(Resume.STEP_IN)
        assert (session.frames[0].name, under_test.line) == ("unknown", 2)
        await under_test.go(Resume.CONTINUE)
        assert under_test.reason is StopReason.EXCEPTION
        known, unknown, _ = session.frames
        assert (known.name, unknown.name) == ("known", "unknown")
        assert not session.sources.is_frame_of_library(known)
        source = await source_of(under_test, known)
        assert source.content.startswith("def known(a):\n") and source.mime_type != BYTECODE
        assert (await source_of(under_test, unknown)).mime_type == BYTECODE


async def source_of(under_test: SessionUnderTest, frame: Frame) -> SourceBody:
    """What debugpy has to show of that frame."""
    assert frame.place is not None and frame.place.reference
    return await under_test.session.inspection.source(frame.place.reference, frame.place.path)


@pytest.mark.full
async def test_code_that_others_have_made_is_no_ones(tmp_path: Path) -> None:
    """The program itself has no ``exec``: what is called there is the library's affair."""
    program = "import lib\nmade = lib.make()\nmade()\nend = 1\n"
    async with with_library(tmp_path, program) as under_test:
        library = tmp_path / "site-packages" / "lib.py"
        making = "def make():\n    names = {}\n    exec('def f():\\n    x = 1\\n', names)\n"
        library.write_text(making + "    return names['f']\n", encoding="utf-8")
        await under_test.session.breakpoints.set(str(tmp_path / "main.py"), 3, origin="tui")
        await under_test.start()
        await under_test.go(Resume.STEP_IN)
        assert (under_test.session.frames[0].name, under_test.line) == ("<module>", 4)


# Zips

PACKED = "def half(n):\n    found = n / 2\n    return found\n"
APPLICATION = "from packed import half\nprint(half(4))\n"


def write_zip(path: Path, **sources: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in sources.items():
            archive.writestr(f"{name}.py", text)


@pytest.mark.full
@pytest.mark.parametrize("python", PYTHONS)
async def test_a_source_in_a_zip_stops_and_is_shown(python: str, tmp_path: Path) -> None:
    write_zip(tmp_path / "lib.zip", packed=PACKED)
    path = tmp_path / "main.py"
    path.write_text(f"import sys\nsys.path.insert(0, 'lib.zip')\n{APPLICATION}", encoding="utf-8")
    packed = str(tmp_path / "lib.zip" / "packed.py")
    async with debugpy_session(tmp_path, path, python=python, stop_on_entry=False) as under_test:
        session = under_test.session
        await session.breakpoints.set(packed, 3, origin="tui")
        await under_test.start()
        place = session.frames[0].place
        assert place is not None and (place.path, place.line) == (packed, 3)
        assert await session.inspection.source_text(place.reference, place.path) == PACKED
        assert (await under_test.locals())["found"].value == "2.0"


@pytest.mark.full
async def test_an_application_in_a_zip_runs(tmp_path: Path) -> None:
    path = tmp_path / "tool.pyz"
    write_zip(path, __main__=APPLICATION, packed=PACKED)
    async with debugpy_session(tmp_path, path) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(path / "packed.py"), 2, origin="tui")
        await under_test.start()
        place = session.frames[0].place
        assert place is not None and (place.path, place.line) == (str(path / "__main__.py"), 1)
        await under_test.go(Resume.CONTINUE)
        place = session.frames[0].place
        assert place is not None and (place.path, place.line) == (str(path / "packed.py"), 2)
        await under_test.to_end()
        assert under_test.output("stdout") == "2.0"


# Asserts that pytest has written anew

TEST = """\
def check(n, wanted):
    return n == wanted
def test_numbers():
    n = 7
    assert check(n, 7) and len([n]) == 1, f"{str(n)} is not 7"
"""


@pytest.mark.full
async def test_only_ones_own_calls_of_an_assert_can_be_stepped_into(tmp_path: Path) -> None:
    path = tmp_path / "test_numbers.py"
    path.write_text(TEST, encoding="utf-8")
    async with debugpy_session(
        tmp_path,
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        str(path),
        kind=TargetKind.MODULE,
        stop_on_entry=False,
    ) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(path), 5, origin="tui")
        await under_test.start()
        targets = await session.stepping.step_targets(session.frames[0])
        assert [target.label for target in targets] == ["check(n, 7)", "len([n])", "str(n)"]
