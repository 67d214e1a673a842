"""A source that is edited while its program runs: what counts is the text that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.sessions import debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import BreakpointStatus

pytestmark = [pytest.mark.real, pytest.mark.full]

SOURCE = """\
def work(n):
    a = n + 1
    b = a * 2
    return b
total = 0
for i in range(3):
    total += work(i)
print(total)
"""

ABOVE = "# one\n# two\n# three\n# four\n"


async def test_breakpoints_stand_in_what_runs_and_follow_at_the_restart(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(SOURCE, encoding="utf-8")
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as t:
        breakpoints = t.session.breakpoints
        before = await breakpoints.set(str(path), 2, origin="tui")
        breakpoints.anchors.fields(before)
        await t.start()
        assert t.line == 2
        path.write_text(ABOVE + SOURCE, encoding="utf-8")
        await breakpoints.follow_edits()
        assert t.session.running_sources.is_older(str(path))
        assert t.session.running_sources.text(str(path)) == SOURCE

        after = await breakpoints.set(str(path), 3, origin="tui")  # b = a * 2, in what runs
        breakpoints.anchors.fields(breakpoints.registry.get(after.number))
        assert breakpoints.registry.get(after.number).status is BreakpointStatus.SET
        lines = []
        for _ in range(3):
            await t.go(Resume.CONTINUE)
            lines.append(t.line)
        assert lines == [3, 2, 3]
        assert (await t.locals())["a"].value == "2"
        none = await breakpoints.set(str(path), 9, origin="tui")
        none = breakpoints.registry.get(none.number)
        assert none.status is BreakpointStatus.REFUSED, "there is no line 9 in what runs"
        await breakpoints.remove(none.number, origin="tui")

        await t.session.lifecycle.restart()
        await t.settled(t.session.stop_id - 1)
        assert not t.session.running_sources.is_older(str(path))
        assert [b.line for b in breakpoints.registry] == [6, 7]
        assert t.line == 6
        await t.go(Resume.CONTINUE)
        assert t.line == 7


async def test_a_file_that_was_only_touched_or_is_not_loaded_yet(tmp_path: Path) -> None:
    path, other = tmp_path / "program.py", tmp_path / "other.py"
    path.write_text("done = True\nimport other\nother.work()\n", encoding="utf-8")
    other.write_text("def work():\n    x = 1\n    return x\n", encoding="utf-8")
    async with debugpy_session(tmp_path, path) as t:
        await t.session.breakpoints.set(str(other), 2, origin="tui")
        await t.start()
        path.touch()
        assert not t.session.running_sources.is_older(str(path))
        other.write_text("# new\n\ndef work():\n    x = 1\n    return x\n", encoding="utf-8")
        assert not t.session.running_sources.is_older(str(other))
        await t.session.breakpoints.set(str(other), 4, origin="tui")
        await t.go(Resume.CONTINUE)
        while t.line != 4 and not t.ended:
            await t.go(Resume.CONTINUE)
        assert t.line == 4, t.describe()
