"""Just-my-code switched while the program lives, on the real debugpy."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.interpreters import SUPPORTED, Version, name_of
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.adapters.debugpy.sources.filters import (
    ROOTS_EXPRESSION,
    Roots,
    live_rules_expression,
    read_roots,
)
from tuidbg.dap.types import EvaluateBody
from tuidbg.session.core.execution import Resume

pytestmark = pytest.mark.real

PROGRAM = """\
import stub.inner
import stub
for step in range(100):
    stub.inner.work(step)
    stub.again()
"""

SPINNING = """\
import stub.inner
stub.inner.spin()
"""

LIBRARY = {
    "stub/__init__.py": "def again():\n    return 'again'\n",
    "stub/inner.py": (
        "import time\n"
        "going, beats = True, []\n"
        "def work(step):\n"
        "    return step\n"
        "def spin():\n"
        "    while going:\n"
        "        time.sleep(0.005)\n"
        "        beat()\n"
        "def beat():\n"
        "    beats.append(1)\n"
    ),
}

INNER = "__import__('sys').modules['stub.inner']"

_WANTED = ((3, 8), (3, 11), (3, 12), (3, 13))
VERSIONS: Sequence[Version] = [v for v in _WANTED if v in SUPPORTED] or [max(SUPPORTED)]

ALL_CODE: tuple[bool, list[dict[str, Any]]] = (False, [])
MY_CODE: tuple[bool, list[dict[str, Any]]] = (True, [])


class Switching:
    """A program whose library lies in a folder called ``site-packages``."""

    def __init__(self, under_test: SessionUnderTest, folder: Path) -> None:
        self.under_test = under_test
        self.inner = str(folder / "site-packages" / "stub" / "inner.py")
        self.package = str(folder / "site-packages" / "stub")

    async def evaluate(self, expression: str) -> str:
        session = self.under_test.session
        arguments = {"expression": expression, "context": "repl"}
        return (await session.adapter.request("evaluate", arguments, into=EvaluateBody)).result

    async def switch(self, just_my_code: bool, rules: list[dict[str, Any]]) -> None:
        assert await self.evaluate(live_rules_expression(just_my_code, rules)) in ("", "None")

    async def set_lines(self, *lines: int) -> None:
        """Past the session's own list, so that nothing is taken back when debugpy hides it."""
        breakpoints = [{"line": line} for line in lines]
        arguments = {"source": {"path": self.inner}, "breakpoints": breakpoints}
        await self.under_test.session.adapter.request("setBreakpoints", arguments)

    async def run_on(self, stop_id: int) -> None:
        """The program passes the lines some times more and does not stop."""
        begun = int(await self.evaluate(f"len({INNER}.beats)"))
        while int(await self.evaluate(f"len({INNER}.beats)")) < begun + 3:
            assert self.under_test.session.stop_id == stop_id, self.where

    async def go(self, how: Resume) -> str:
        """Returns where it stops next."""
        await self.under_test.go(how)
        return self.where

    @property
    def where(self) -> str:
        place = self.under_test.session.frames[0].place
        assert place is not None
        return f"{Path(place.path).name}:{place.line}"


@asynccontextmanager
async def switching(folder: Path, program: str, version: Version) -> AsyncIterator[Switching]:
    for name, text in {"main.py": program}.items() | {
        (f"site-packages/{name}", text) for name, text in LIBRARY.items()
    }:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    async with debugpy_session(
        folder,
        folder / "main.py",
        python=SUPPORTED[version],
        env={"PYTHONPATH": str(folder / "site-packages")},
    ) as under_test:
        yield Switching(under_test, folder)


@pytest.mark.full
@pytest.mark.parametrize("version", VERSIONS, ids=name_of)
async def test_a_library_is_hidden_and_shown_at_a_stop(tmp_path: Path, version: Version) -> None:
    async with switching(tmp_path, PROGRAM, version) as program:
        session = program.under_test.session
        await program.under_test.start()
        await session.breakpoints.set(str(tmp_path / "main.py"), 4, origin="tui")
        await program.set_lines(4)
        assert await program.go(Resume.CONTINUE) == "main.py:4"
        assert await program.go(Resume.CONTINUE) == "main.py:4"  # hidden at the launch
        shown_by = [
            ALL_CODE,
            (True, [{"module": "stub", "include": True}]),
            (True, [{"path": program.package, "include": True}]),
            (True, [{"path": "**/stub/*.py", "include": True}]),
        ]
        hidden_by = [
            MY_CODE,
            (False, [{"module": "stub.inner", "include": False}]),
            (
                True,
                [
                    {"path": program.package, "include": True},
                    {"path": program.inner, "include": False},
                ],
            ),
            (True, [{"module": "stubborn", "include": True}]),
        ]
        for shown, hidden in zip(shown_by, hidden_by, strict=True):
            await program.switch(*shown)
            assert await program.go(Resume.CONTINUE) == "inner.py:4", shown
            assert await program.go(Resume.CONTINUE) == "main.py:4", shown
            await program.switch(*hidden)
            assert await program.go(Resume.CONTINUE) == "main.py:4", hidden


@pytest.mark.full
@pytest.mark.parametrize("version", VERSIONS, ids=name_of)
async def test_steps_go_into_a_library_once_it_is_shown(tmp_path: Path, version: Version) -> None:
    async with switching(tmp_path, PROGRAM, version) as program:
        session = program.under_test.session
        await program.under_test.start()
        await session.breakpoints.set(str(tmp_path / "main.py"), 4, origin="tui")
        assert await program.go(Resume.CONTINUE) == "main.py:4"
        assert await program.go(Resume.STEP_IN) == "main.py:5"
        assert await program.go(Resume.CONTINUE) == "main.py:4"
        for rules in (ALL_CODE, (True, [{"module": "stub", "include": True}])):
            await program.switch(*rules)
            assert await program.go(Resume.STEP_IN) == "inner.py:4"
            assert await program.go(Resume.STEP_OUT) in ("main.py:4", "main.py:5")
            await program.switch(*MY_CODE)
            assert await program.go(Resume.CONTINUE) == "main.py:4"
            assert await program.go(Resume.STEP_IN) == "main.py:5"
            assert await program.go(Resume.CONTINUE) == "main.py:4"


@pytest.mark.full
@pytest.mark.parametrize("version", VERSIONS, ids=name_of)
async def test_it_is_switched_while_the_program_runs(tmp_path: Path, version: Version) -> None:
    """In a function that is called anew, and in the loop that the program is in."""
    async with switching(tmp_path, SPINNING, version) as program:
        session = program.under_test.session
        await program.under_test.start()
        for line, place in ((10, "inner.py:10"), (7, "inner.py:7")):
            await program.set_lines(line)
            before = session.stop_id
            await session.execution.resume(Resume.CONTINUE, origin="tui")
            await program.switch(*ALL_CODE)
            await program.under_test.settled(before)
            assert program.where == place
            await program.switch(*MY_CODE)
        # It stands in a loop that is hidden now, as is what the loop calls.
        await program.set_lines(10)
        await session.execution.resume(Resume.CONTINUE, origin="tui")
        await program.run_on(before := session.stop_id)
        await program.set_lines(7, 10)
        await program.run_on(before)
        await program.evaluate(f"setattr({INNER}, 'going', 0)")
        await program.under_test.settled(before)
        assert program.under_test.ended


@pytest.mark.parametrize("version", VERSIONS[:1], ids=name_of)
async def test_the_roots_can_be_read(tmp_path: Path, version: Version) -> None:
    async with switching(tmp_path, PROGRAM, version) as program:
        await program.under_test.start()
        roots = read_roots(await program.evaluate(ROOTS_EXPRESSION))
        assert str(tmp_path / "site-packages") + "/" in roots.libraries
        assert roots.own == ()
    assert read_roots("<something else>") == read_roots("1") == Roots()
