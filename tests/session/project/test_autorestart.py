"""The program is restarted when its sources change (``--watch``), on the real debugpy."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.config.launch import AttachPlan
from tuidbg.session.features.autorestart import AutoRestart
from tuidbg.session.model.errors import UnsupportedByAdapter
from tuidbg.session.model.state import Status

pytestmark = pytest.mark.real

MAIN = """\
import time
import helper
print("value", helper.value())
while helper.GOES_ON:
    time.sleep(0.01)
"""
HELPER = "GOES_ON = {goes_on}\ndef value():\n    return {value}\n"


class Watched:
    """A program and its helper in a project of their own, restarted when they change."""

    def __init__(self, under_test: SessionUnderTest, folder: Path) -> None:
        self.t = under_test
        self.folder = folder

    def write_helper(self, value: str, *, goes_on: bool = True) -> None:
        text = HELPER.format(value=value, goes_on=goes_on)
        (self.folder / "helper.py").write_text(text, encoding="utf-8")

    async def says(self, text: str) -> None:
        """Wait until a line of the console holds it."""
        await self.t.until(lambda: text in self.t.console, text)

    async def knows_helper(self) -> None:
        """Wait until the program has told which sources it has loaded."""
        helper = str(self.folder / "helper.py")
        await self.t.until(
            lambda: helper in AutoRestart.of(self.t.session)._loaded, "helper is known"
        )

    @property
    def runs(self) -> int:
        """Returns how often it was started."""
        return len(self.t.sent("launch"))


@asynccontextmanager
async def watched(folder: Path, **changes: Any) -> AsyncIterator[Watched]:
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    (folder / "unused.py").write_text("x = 1\n", encoding="utf-8")
    (folder / "main.py").write_text(MAIN, encoding="utf-8")
    changes = {"stop_on_entry": False, **changes}
    async with debugpy_session(folder, folder / "main.py", **changes) as under_test:
        yield Watched(under_test, folder)


async def test_a_change_of_what_is_loaded_restarts(tmp_path: Path) -> None:
    """An unused source of the project does not, nor one that does not compile, which is told.

    Breakpoints and watches stay.
    """
    async with watched(tmp_path) as w:
        w.write_helper("1")
        await w.t.session.breakpoints.set(
            str(tmp_path / "main.py"), 5, condition="False", origin="tui"
        )
        w.t.session.watches.add("helper.value()", origin="tui")
        AutoRestart.of(w.t.session).switch(True)
        await w.t.session.lifecycle.start()
        await w.says("value 1")
        await w.knows_helper()
        (tmp_path / "unused.py").write_text("x = 222\n", encoding="utf-8")
        w.write_helper("22")
        await w.says("helper.py changed: restarted")
        await w.says("value 22")
        assert w.runs == 2
        (kept,) = w.t.session.breakpoints.registry
        assert (kept.line, kept.condition) == (5, "False")
        assert [watch.expression for watch in w.t.session.watches] == ["helper.value()"]
        await w.knows_helper()
        w.write_helper("(")
        await w.says("helper.py has changed and does not compile: SyntaxError")
        assert w.t.session.status is Status.RUNNING  # as it was
        w.write_helper("333")
        await w.says("value 333")
        assert w.runs == 3


@pytest.mark.full
async def test_a_change_right_after_a_restart_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program has read the source; tuidbg has not yet looked at it again."""
    async with watched(tmp_path) as w:
        begin = AutoRestart._begin

        async def change_first(autorestart: AutoRestart) -> None:
            if w.runs == 2:
                await w.says("value 22")
                w.write_helper("333")
            await begin(autorestart)

        monkeypatch.setattr(AutoRestart, "_begin", change_first)
        w.write_helper("1")
        AutoRestart.of(w.t.session).switch(True)
        await w.t.session.lifecycle.start()
        await w.says("value 1")
        await w.knows_helper()
        w.write_helper("22")
        await w.says("value 333")
        assert w.runs == 3


async def test_the_target_itself_by_hand_and_no_more(tmp_path: Path) -> None:
    """A change that a restart by hand has taken along is no reason for another one."""
    async with watched(tmp_path) as w:
        w.write_helper("1")
        AutoRestart.of(w.t.session).switch(True)
        await w.t.session.lifecycle.start()
        await w.knows_helper()
        w.write_helper("22")
        await w.t.session.lifecycle.restart()
        await w.says("value 22")
        (tmp_path / "main.py").write_text(MAIN.replace("value", "number", 1), encoding="utf-8")
        await w.says("number 22")
        assert w.t.session.restarts_on_change
        AutoRestart.of(w.t.session).switch(False)
        assert not w.t.session.restarts_on_change
        w.write_helper("333")
        await w.t.until(lambda: w.t.session.status is Status.RUNNING, "the third runs")
        await w.t.session.execution.pause(origin="tui")
        await w.t.settled()
        assert w.runs == 3


@pytest.mark.full
async def test_a_paused_program_says_where_it_stood(tmp_path: Path) -> None:
    async with watched(tmp_path) as w:
        w.write_helper("1")
        found = await w.t.session.breakpoints.set(str(tmp_path / "main.py"), 5, origin="tui")
        AutoRestart.of(w.t.session).switch(True)
        await w.t.start()
        await w.knows_helper()
        assert w.t.hits == (found.number,)
        w.write_helper("22")
        await w.says("helper.py changed: restarted; it stood at main.py:5")
        await w.t.until(lambda: w.t.session.status is Status.PAUSED)
        assert w.t.hits == (found.number,)


@pytest.mark.full
async def test_a_program_that_has_ended_starts_again(tmp_path: Path) -> None:
    """It was over before it could be asked what it had loaded: all of the project counts."""
    async with watched(tmp_path) as w:
        w.write_helper("1", goes_on=False)
        AutoRestart.of(w.t.session).switch(True)
        await w.t.session.lifecycle.start()
        await w.t.until(lambda: w.t.ended)
        w.write_helper("22", goes_on=False)
        await w.says("value 22")
        await w.t.until(lambda: w.t.ended and w.runs == 2)


async def test_what_was_not_started_here_is_refused(tmp_path: Path) -> None:
    async with watched(tmp_path) as w:
        w.t.session.plan = AttachPlan(port=1, cwd=str(tmp_path), python="python")
        with pytest.raises(UnsupportedByAdapter, match="only a program that was started here"):
            AutoRestart.of(w.t.session).switch(True)
