"""Breakpoints at many lines in one go."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest

from tests.support.screens import counting
from tests.support.sessions import debugpy_session, fake_session
from tuidbg.session.core.breakpoints.batch import WantedLine, set_lines
from tuidbg.session.core.breakpoints.binding import binding as ray
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.run.handshake import MANY
from tuidbg.session.model.events import WaitingChanged
from tuidbg.session.model.state import BreakpointKind, BreakpointStatus


async def test_each_file_is_one_request(tmp_path: Path) -> None:
    """A line that is named twice is one breakpoint, with the later settings."""
    async with fake_session(tmp_path, counting(tmp_path, 60)) as t:
        await t.start()
        path = t.session.frames[0].place.path if t.session.frames[0].place else ""
        before = t.fake.count("setBreakpoints")
        wanted = [WantedLine(path, line, {}) for line in range(1, 51)]
        wanted.insert(7, WantedLine(path, 3, {"condition": "1 +"}))
        wanted.append(WantedLine(path, 3, {"condition": "x > 3"}))
        told = await set_lines(t.session, wanted, origin="agent")
        assert t.fake.count("setBreakpoints") == before + 1
        assert [b.line for b in told] == [each.line for each in wanted]
        assert told[7].status is BreakpointStatus.REFUSED
        assert told[2] == told[-1] and told[2].condition == "x > 3"
        assert len(t.session.breakpoints.registry) == 50


@pytest.mark.real
async def test_changes_of_one_file_that_come_together_are_one_request(tmp_path: Path) -> None:
    script = tmp_path / "lines.py"
    script.write_text("".join(f"x{number} = {number}\n" for number in range(60)))
    async with debugpy_session(tmp_path, script) as t:
        await t.start()
        breakpoints = t.session.breakpoints
        before = len(t.sent("setBreakpoints"))
        found = await asyncio.gather(
            *(breakpoints.set(str(script), line, origin="rest") for line in range(5, 55))
        )
        assert all(b.status is BreakpointStatus.SET for b in breakpoints.registry)
        assert len(breakpoints.registry) == 50
        await asyncio.gather(*(breakpoints.remove(b.number, origin="rest") for b in found[1:]))
        sent = t.sent("setBreakpoints")[before:]
        lists = [each["breakpoints"] for each in sent]
        assert [len(each) for each in lists if isinstance(each, list)] == [50, 1]
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (5, (found[0].number,))


async def test_the_start_with_many_says_so_and_reads_a_file_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    parse = ray.find_ray_tasks

    def parse_and_count(path: str, lines: Collection[int]) -> list[ray.RayTask]:
        parsed.append(path)
        return parse(path, lines)

    monkeypatch.setattr(ray, "find_ray_tasks", parse_and_count)
    learned: list[object] = []
    async with fake_session(tmp_path, counting(tmp_path, MANY)) as t:
        learn, known = t.session.facts.learn, t.session.breakpoints.known
        path = str(tmp_path / "count.py")

        async def learn_and_count(paths: Iterable[str]) -> None:
            learned.append(paths)
            await learn(paths)

        monkeypatch.setattr(t.session.facts, "learn", learn_and_count)
        made = [
            known.make(BreakpointKind.LINE, "tui", path=path, line=line)
            for line in range(1, MANY + 1)
        ]
        await t.session.breakpoints.adopt(made, origin="tui")
        await t.start()
        await t.until(lambda: len(parsed) == 2, "both looks at the file")
        assert f"setting {MANY:,} breakpoints" in [e.text for e in t.events(WaitingChanged)]
        assert not t.session.waiting
        assert {b.status for b in t.session.breakpoints.registry} == {BreakpointStatus.SET}
        assert len(learned) < 20, "not once for each breakpoint"
