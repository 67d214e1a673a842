"""To the cursor where the program stands on it: until it is reached again, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.real_bench import real_debugger
from tuidbg.session.model.state import Status

pytestmark = [pytest.mark.real, pytest.mark.full]

PROGRAM = """\
total = 0
for size in range(3):
    total += size  #: here
print(total)
"""


async def test_it_is_reached_again_in_a_loop_and_refused_outside(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, PROGRAM) as bench:
        for found in list(bench.session.breakpoints.registry):
            await bench.session.breakpoints.remove(found.number, origin="tui")
        assert bench.row("size") == "size = 0"
        await bench.go("t")
        assert bench.row("size").endswith("= 1")
        assert "reached the cursor" in bench.status
        stop = bench.session.stop_id
        await bench.press("g", "1", "enter", "t")
        await bench.until(lambda: "can't run to line 1" in bench.status, "the refusal")
        assert "the program does not come there any more" in bench.status
        assert bench.session.status is Status.PAUSED and bench.session.stop_id == stop
