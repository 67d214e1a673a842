"""Breakpoints at many lines in one go."""

from __future__ import annotations

from pathlib import Path

from tests.support.screens import counting
from tests.support.sessions import fake_session
from tuidbg.session.breakpoints.batch import WantedLine, set_lines
from tuidbg.session.state import BreakpointStatus


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
