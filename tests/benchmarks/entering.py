"""A step in programs that the session came to in different ways: launched, attached, a child.

Told by the session, without a screen: from the wish to the stack and the locals of the new line.
The steps of the three are taken in turns, so that a drift of the machine meets all alike.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from tests.benchmarks import figures as f
from tests.support.attachable import attached_session, listening
from tests.support.processes import Processes
from tests.support.sessions import debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.session import Session
from tuidbg.session.model.state import Status

LOOP = """\
import os, sys
def walk():
    n = 0
    while True:
        n += 1
        n += 1
if "alone" not in sys.argv and os.fork() == 0:
    walk()
walk()
"""
LINE = 5

_MEASURES = (f.LAUNCHED_STEP, f.ATTACHED_STEP, f.CHILD_STEP)


def measure_ways(figures: f.Figures, runs: int) -> None:
    """Steps of all three."""
    with tempfile.TemporaryDirectory(prefix="tuidbg-ways-") as folder:
        asyncio.run(_measure(Path(folder), figures, runs))


async def _measure(folder: Path, figures: f.Figures, runs: int) -> None:
    own, other = folder / "launched", folder / "attached"
    own.mkdir()
    other.mkdir()
    path = own / "walking.py"
    path.write_text(LOOP, encoding="utf-8")
    source = LOOP.replace('"alone" not in sys.argv', "False")
    async with (
        debugpy_session(own, path, stop_on_entry=False) as launched,
        listening(other, "--wait-for-client", source=source) as (program, port),
        attached_session(other, port=port) as attached,
    ):
        processes = Processes(launched)
        for under_test, file in ((launched, str(path)), (attached, program.path)):
            await under_test.session.breakpoints.set(file, LINE, origin="tui")
            await under_test.session.lifecycle.start()
        await launched.until(lambda: processes.standing and _stands(launched.session))
        await attached.until(lambda: _stands(attached.session))
        for under_test in (launched, attached):  # what a step hits is no part of it
            await under_test.session.breakpoints.remove(1, origin="tui")
        sessions = (launched.session, attached.session, processes.standing[0].session)
        for run in range(runs + 5):
            for measure, session in zip(_MEASURES, sessions, strict=True):
                taken = await _step(session)
                if run >= 5:  # the first ones load what later ones have
                    figures.add(measure, f.TUIDBG, taken)


def _stands(session: Session) -> bool:
    return session.status is Status.PAUSED and session.stack_of == session.stop_id


async def _step(session: Session) -> float:
    """Milliseconds from the wish to the locals of the new line."""
    before, begun = session.stop_id, time.monotonic()
    await session.execution.resume(Resume.STEP_OVER, origin="tui")
    await session.events.wait_for(lambda: session.stop_id > before and _stands(session))
    scopes = await session.inspection.scopes(session.frames[0].id)
    await session.inspection.variables(scopes[0].reference)
    return (time.monotonic() - begun) * 1000
