"""A value that takes debugpy more than three seconds: nothing has moved, whatever it tells."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from tests.support.sessions import debugpy_session
from tuidbg.session.core.evaluation import implicit_resume
from tuidbg.session.core.evaluation.implicit_resume import ImplicitResume
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import Status, StopReason

SLOW = """\
import time


class Slow:
    def __repr__(self):
        time.sleep(3.2)
        return "slow"


def main():
    slow = Slow()
    fast = 1
    fast = 2
    fast = 3


main()
"""


@pytest.mark.full
@pytest.mark.real
async def test_a_slow_value_is_no_new_stop(tmp_path: Path) -> None:
    program = tmp_path / "slow.py"
    program.write_text(SLOW, encoding="utf-8")
    async with debugpy_session(tmp_path, program, stop_on_entry=False) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(program), 13, origin="tui")
        await under_test.start()
        await under_test.settled()
        stop_id = session.stop_id
        frame_id = session.frames[0].id
        scopes = await session.inspection.scopes(frame_id)
        values = {v.name: v.value for v in await session.inspection.variables(scopes[0].reference)}
        assert values == {"fast": "1", "slow": "slow"}
        # debugpy tells of its resumption and its stop before it answers anything else.
        assert (await session.inspection.evaluate("fast", frame_id)).value == "1"
        assert (session.status, session.stop_id) == (Status.PAUSED, stop_id)
        await under_test.go(Resume.STEP_OVER)
        assert session.stop is not None
        assert session.stop.reason is StopReason.STEP
        assert session.stop_id == stop_id + 1


def test_quick_answers_are_followed_by_real_events() -> None:
    moment = ImplicitResume(after=3.0)
    moment.end(moment.begin())
    assert not moment.enter()
    assert not moment.leave()


def test_a_slow_answer_explains_one_pair_of_events(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    moment = ImplicitResume(after=3.0)
    asked = moment.begin()
    assert not moment.enter(), "the adapter has not lost its patience yet"
    now += 3.0
    assert moment.enter(), "while the answer is on its way"
    assert moment.leave()
    assert not moment.leave(), "the next stop is a real one"
    moment.end(asked)
    assert moment.enter(), "right after the answer"
    assert moment.leave()
    now += 1.0
    assert not moment.enter()


async def test_steps_wait_for_a_slow_answer() -> None:
    moment = ImplicitResume(after=0.001)
    await asyncio.wait_for(moment.over(), 1)
    asked = moment.begin()
    waiting = asyncio.create_task(moment.over())
    await asyncio.sleep(0)
    assert waiting.done(), "a young question holds nothing back"
    moment.end(asked)
    moment._asked.append(asked - implicit_resume.HELD_BACK)
    waiting = asyncio.create_task(moment.over())
    await asyncio.sleep(0)
    assert not waiting.done()
    moment.end(moment._asked[0])
    assert moment.enter() and moment.leave()
    await asyncio.wait_for(waiting, 2)
