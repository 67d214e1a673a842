"""A caller's own thread: chosen, kept over steps, and let go of with the thread."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.stack.focus import CallerFocus
from tuidbg.session.model.errors import InvalidSessionState, ThreadNotFound

pytestmark = pytest.mark.real

PROGRAM = """\
import threading

def work(gate):
    ready.set()
    gate.wait()
    return 1

gate, ready = threading.Event(), threading.Event()
other = threading.Thread(target=work, args=(gate,), name="other")
other.start()
ready.wait()
print("both")
gate.set()
other.join()
print("one")
"""
BOTH, ONE = 12, 15


@asynccontextmanager
async def two_threads(folder: Path) -> AsyncIterator[SessionUnderTest]:
    """The program above where both threads live, stopped in the main one."""
    target = folder / "threads.py"
    target.write_text(PROGRAM)
    async with debugpy_session(folder, target) as under_test:
        for line in (BOTH, ONE):
            await under_test.session.breakpoints.set(str(target), line, origin="tui")
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == BOTH
        yield under_test


async def other_thread(under_test: SessionUnderTest) -> int:
    """The id of the other thread."""
    threads = await under_test.session.inspection.threads()
    return next(thread.id for thread in threads if thread.name == "other")


@pytest.mark.full
async def test_without_a_choice_it_is_the_thread_that_stopped(tmp_path: Path) -> None:
    async with two_threads(tmp_path) as under_test:
        focus = CallerFocus(under_test.session)
        stop = under_test.session.stop
        assert stop is not None and focus.thread_id == stop.thread_id
        assert (await focus.frame()).name == "<module>"


@pytest.mark.full
async def test_a_choice_is_each_ones_own_and_lasts_until_the_thread_ends(tmp_path: Path) -> None:
    async with two_threads(tmp_path) as under_test:
        mine, yours = CallerFocus(under_test.session), CallerFocus(under_test.session)
        other = await other_thread(under_test)
        await mine.select(other)
        frames, total = await mine.stack()
        assert "work" in [frame.name for frame in frames] and total == len(frames)
        assert mine.thread_id == other != yours.thread_id
        assert (await yours.frame()).name == "<module>"
        await under_test.go(Resume.STEP_OVER)
        assert mine.thread_id == other  # it stopped elsewhere again
        await under_test.go(Resume.CONTINUE)
        await under_test.until(lambda: mine.chosen is None, "the thread has ended")
        assert mine.thread_id == yours.thread_id


async def test_an_unknown_thread_is_refused_and_the_choice_stays(tmp_path: Path) -> None:
    async with two_threads(tmp_path) as under_test:
        focus = CallerFocus(under_test.session)
        other = await other_thread(under_test)
        await focus.select(other)
        with pytest.raises(ThreadNotFound, match="there is no thread 987654"):
            await focus.select(987654)
        assert focus.chosen == other


@pytest.mark.full
async def test_another_run_begins_without_a_choice(tmp_path: Path) -> None:
    async with two_threads(tmp_path) as under_test:
        focus = CallerFocus(under_test.session)
        await focus.select(await other_thread(under_test))
        await under_test.session.lifecycle.restart()
        assert focus.chosen is None


async def test_without_a_stop_there_is_nothing_to_look_at(tmp_path: Path) -> None:
    target = tmp_path / "short.py"
    target.write_text("print(1)\n")
    async with debugpy_session(tmp_path, target) as under_test:
        focus = CallerFocus(under_test.session)
        with pytest.raises(InvalidSessionState, match="no program has been started"):
            _ = focus.thread_id
        with pytest.raises(InvalidSessionState, match="no program has been started"):
            await focus.select(1)
