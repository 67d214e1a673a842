"""Steps and pauses that answer: where they end, and who is refused."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.sessions import SessionUnderTest, debugpy_session, within
from tuidbg.session.core.control import Control
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import (
    AdapterTimedOut,
    FrameNotFound,
    InvalidSessionState,
    ThreadNotFound,
)
from tuidbg.session.model.state import Status, StopReason

pytestmark = pytest.mark.real

PROGRAM = """\
import time


def double(n):
    return n * 2


def main():
    a = double(2)
    b = double(a)
    time.sleep(0.4)
    while b:
        time.sleep(0.01)


main()
"""


@pytest.fixture
async def bench(tmp_path: Path):  # type: ignore[no-untyped-def]
    path = tmp_path / "main.py"
    path.write_text(PROGRAM)
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        await under_test.session.breakpoints.set(str(path), 9, origin="tui")
        await under_test.start()
        yield under_test


async def test_steps_tell_where_they_end(bench: SessionUnderTest) -> None:
    control = Control(bench.session)
    outcome = await control.step(Resume.STEP_IN, origin="rest")
    assert outcome.frame is not None and outcome.frame.name == "double"
    assert outcome.stop is not None and outcome.stop.reason is StopReason.STEP
    out, returned = await control.step_out(origin="rest")
    assert out.frame is not None and out.frame.name == "main"
    assert returned is not None and (returned.type, returned.value) == ("int", "4")


@pytest.mark.full
async def test_of_two_steps_at_once_one_is_refused(bench: SessionUnderTest) -> None:
    control = Control(bench.session)
    stops = bench.session.stop_id
    results = await asyncio.gather(
        *(control.step(Resume.STEP_OVER, origin=o) for o in ("rest", "bridge")),
        return_exceptions=True,
    )
    assert sorted(type(r).__name__ for r in results) == ["InvalidSessionState", "StepResult"]
    assert bench.session.stop_id == stops + 1


@pytest.mark.full
async def test_a_step_after_which_somebody_else_goes_on_tells_no_place(
    bench: SessionUnderTest,
) -> None:
    control, session = Control(bench.session), bench.session

    async def go_on_at_once() -> None:
        stops = session.stop_id
        await session.events.wait_for(lambda: session.stop_id > stops)
        await session.execution.resume(Resume.CONTINUE, origin="bridge")

    other = asyncio.create_task(go_on_at_once())
    outcome = await control.step(Resume.STEP_OVER, origin="rest")
    await within(10, other)
    assert (outcome.status, outcome.stop, outcome.frame) == (Status.RUNNING, None, None)


@pytest.mark.full
async def test_a_step_that_lasts_times_out_and_the_session_stays_usable(
    bench: SessionUnderTest,
) -> None:
    control = Control(bench.session)
    await control.step(Resume.STEP_OVER, origin="rest")
    await control.step(Resume.STEP_OVER, origin="rest")
    with pytest.raises(AdapterTimedOut):
        await control.step(Resume.STEP_OVER, timeout=0.05, origin="rest")
    assert bench.session.status is Status.RUNNING
    assert (await control.wait_for_stop()).status is Status.PAUSED


@pytest.mark.full
async def test_pause_waits_for_the_stop(bench: SessionUnderTest) -> None:
    control = Control(bench.session)
    with pytest.raises(InvalidSessionState):
        await control.pause(origin="rest")
    await control.go_on(origin="rest")
    with pytest.raises(ThreadNotFound):
        await control.pause(thread_id=99, origin="rest")
    outcome = await control.pause(origin="rest")
    assert outcome.status is Status.PAUSED and outcome.frame is not None
    assert outcome.stop is not None and outcome.stop.reason is StopReason.PAUSE


@pytest.mark.full
async def test_frames_by_index(bench: SessionUnderTest) -> None:
    control = Control(bench.session)
    assert [(await control.frame(i)).name for i in (0, 1)] == ["main", "<module>"]
    with pytest.raises(FrameNotFound) as error:
        await control.frame(2)
    assert (error.value.index, error.value.total) == (2, 2)
    with pytest.raises(ThreadNotFound):
        await control.frame(thread_id=99)
    assert await control.thread(None) == bench.session.stop.thread_id  # type: ignore[union-attr]


@pytest.mark.full
async def test_what_needs_a_stop_is_refused_without_one(bench: SessionUnderTest) -> None:
    control = Control(bench.session)
    await control.go_on(origin="rest")
    for call in (
        control.step(Resume.STEP_OVER, origin="rest"),
        control.step_out(origin="rest"),
        control.go_on(origin="rest"),
        control.frame(),
        control.thread(None),
    ):
        with pytest.raises(InvalidSessionState):
            await call
    assert [thread.name for thread in await control.threads()] == ["MainThread"]


@pytest.mark.full
async def test_where_of_an_exception_has_it(tmp_path: Path) -> None:
    path = tmp_path / "boom.py"
    path.write_text("def f():\n    raise ValueError('no')\n\n\nf()\n")
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        await under_test.session.lifecycle.start()
        control = Control(under_test.session)
        outcome = await control.wait_for_stop()
        assert outcome.stop is not None and outcome.stop.exception is not None
        assert outcome.stop.exception.type == "ValueError"
        await within(5, control.go_on(origin="rest"))
