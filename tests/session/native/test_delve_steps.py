"""Go while it runs and at its stops: steps, goroutines, breakpoints, panics."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.go import CRASH, CROWD, TOUR, go_session, line_of
from tests.support.native import needs_delve
from tuidbg.session.core.control import Control
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.session import Session
from tuidbg.session.core.stack.inspection import first_frame
from tuidbg.session.features.autopsy import Autopsy
from tuidbg.session.model.events import ThreadsChanged
from tuidbg.session.model.state import BreakpointStatus, Status, StopReason

pytestmark = [pytest.mark.real, needs_delve]


async def remove_all(session: Session) -> None:
    for found in list(session.breakpoints.registry):
        await session.breakpoints.remove(found.number, origin="tui")


ADD = line_of(TOUR, "sum := a + b")


async def test_steps(tmp_path: Path) -> None:
    """Over, into and out, into a deferred function, and what each of them costs."""
    async with go_session(tmp_path, TOUR) as under_test:
        session = under_test.session
        await session.breakpoints.set(
            str(TOUR), line_of(TOUR, "total = add(total, i)"), origin="tui"
        )
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        await under_test.go(Resume.STEP_IN)
        assert (under_test.reason, session.frames[0].name) == (StopReason.STEP, "main.add")
        sent = len(under_test.messages())
        await under_test.go(Resume.STEP_OVER)
        assert under_test.line == ADD
        asked = [m.message.get("command") for m in under_test.messages()[sent:] if m.sent]
        assert asked == ["next", "stackTrace"]
        assert {"a", "b"} <= set(await under_test.locals())
        await under_test.go(Resume.STEP_OUT)
        assert session.frames[0].name == "main.work"
        await remove_all(session)
        await session.execution.run_to(str(TOUR), line_of(TOUR, "return total"), origin="tui")
        await under_test.until(lambda: session.stop is not None and bool(session.frames))
        await under_test.until(lambda: under_test.line == line_of(TOUR, "return total"))
        await under_test.go(Resume.STEP_IN)
        assert session.frames[0].name == "main.leave"  # deferred, at the function's end
        await under_test.go(Resume.STEP_OUT)
        assert session.frames[0].name == "main.work"


FUNCTIONS = {
    "main.add": ("main.go", "func add"),
    "(*box).grow": ("main.go", "func (b *box) grow"),
    "box.grow": ("main.go", "func (b *box) grow"),
    "counting.add": ("counting.go", "func add"),
}

REFUSED = {
    "add": "name one with its package, like counting.add, main.add",
    "main.nothing": "there is no function main.nothing",
    "nothing": "name it with its package, like main.nothing",
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [*FUNCTIONS, *REFUSED])
async def test_a_function(name: str, tmp_path: Path) -> None:
    async with go_session(tmp_path, TOUR) as under_test:
        found = await under_test.session.breakpoints.set_function(name, origin="tui")
        await under_test.start()
        assert under_test.reason is StopReason.ENTRY
        found = under_test.session.breakpoints.registry.get(found.number)
        if name in REFUSED:
            assert found.status is BreakpointStatus.REFUSED
            assert REFUSED[name] in found.message
            return
        file, text = FUNCTIONS[name]
        await under_test.go(Resume.CONTINUE)
        assert under_test.hits == (found.number,)
        (place,) = under_test.session.breakpoints.registry.get(found.number).places
        assert Path(place.path).name == file
        assert place.line == line_of(Path(place.path), text)


async def test_a_line_without_code(tmp_path: Path) -> None:
    async with go_session(tmp_path, TOUR) as under_test:
        line = line_of(TOUR, "type shape")
        await under_test.session.breakpoints.set(str(TOUR), line, origin="tui")
        await under_test.start()
        found = under_test.breakpoint(line)
        assert found.status is BreakpointStatus.REFUSED
        assert found.message == f"no executable code at line {line}"


async def test_a_breakpoint_where_it_begins(tmp_path: Path) -> None:
    """Delve has one for a place: that one is the stop on entry, too."""
    async with go_session(tmp_path, TOUR) as under_test:
        line = line_of(TOUR, "func main()")
        found = await under_test.session.breakpoints.set(str(TOUR), line, origin="tui")
        await under_test.start()
        assert under_test.hits == (found.number,)
        assert "can't stop" not in under_test.console
        await under_test.go(Resume.CONTINUE)
        assert under_test.ended


@pytest.mark.full
async def test_while_it_runs(tmp_path: Path) -> None:
    """A breakpoint that is set then stops it; a pause is shown where the program's own code is."""
    async with go_session(tmp_path, CRASH, "loop", stop_on_entry=False) as under_test:
        session = under_test.session
        await session.lifecycle.start()
        assert await session.inspection.threads() == ()
        assert session.status is Status.RUNNING
        found = await session.breakpoints.set(
            str(CRASH), line_of(CRASH, "return i * 2"), origin="tui"
        )
        await under_test.settled()
        assert under_test.hits == (found.number,)
        await under_test.until(lambda: session.threads)
        assert [thread.name for thread in session.threads] == ["[Go 1] main.turn"]
        await remove_all(session)
        before = session.stop_id
        await session.execution.resume(Resume.CONTINUE, origin="tui")
        await session.execution.pause(origin="tui")
        await under_test.settled(before)
        assert under_test.reason is StopReason.PAUSE
        index = first_frame(session, session.frames, session.stop.thread_id if session.stop else 1)
        assert session.frames[index].name in ("main.main", "main.turn")


@pytest.mark.full
async def test_a_crowd_of_goroutines(tmp_path: Path) -> None:
    """They are threads, fetched once they are wanted; nobody is asked for its stack."""
    async with go_session(tmp_path, CROWD, "3000", stop_on_entry=False) as under_test:
        session = under_test.session
        await session.breakpoints.set(
            str(CROWD), line_of(CROWD, "return some.speak()"), origin="tui"
        )
        await under_test.start()
        await under_test.until(lambda: under_test.events(ThreadsChanged))
        assert 1000 < len(session.threads) < 1100
        assert (session.threads[0].id, session.threads[0].name) == (1, "[Go 1] main.look")
        assert {thread.name.partition("] ")[2] for thread in session.threads[1:]} == {"main.wait"}
        assert len(under_test.sent("stackTrace")) == 1
        assert len(under_test.sent("threads")) == 1
        other = session.threads[-1].id
        frames, _ = await session.inspection.stack(other)
        assert frames[first_frame(session, frames, other)].name == "main.wait"
        assert "Too many" not in under_test.console


@pytest.mark.full
async def test_steps_stay_in_their_goroutine(tmp_path: Path) -> None:
    async with go_session(tmp_path, CROWD, "20", stop_on_entry=False) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(CROWD), line_of(CROWD, "ready.Done()"), origin="tui")
        await under_test.start()
        assert session.stop is not None
        thread = session.stop.thread_id
        assert thread != 1
        await remove_all(session)
        await under_test.go(Resume.STEP_OVER)
        assert session.stop.thread_id == thread
        assert under_test.line == line_of(CROWD, "<-done")


PANICS = {
    "index": ("panic", "runtime error: index out of range [6] with length 3", "main.index"),
    "nil": (
        "panic",
        "runtime error: invalid memory address or nil pointer dereference",
        "main.main",
    ),
    "error": ("panic", "out of paper", "main.main"),
    "map": ("panic", "assignment to entry in nil map", "main.main"),
    "deadlock": ("fatal error", "all goroutines are asleep - deadlock!", "main.main"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("how", PANICS)
async def test_a_panic(how: str, tmp_path: Path) -> None:
    """It stops there, in plain words, at the line that led to it; then the program ends by it."""
    kind, message, function = PANICS[how]
    async with go_session(tmp_path, CRASH, how, stop_on_entry=False) as under_test:
        session = under_test.session
        await session.lifecycle.start()
        outcome = await Control(session).wait_for_stop()
        assert outcome.stop is not None
        assert outcome.frame is not None
        assert outcome.stop.reason is StopReason.EXCEPTION
        exception = outcome.stop.exception
        assert exception is not None
        assert (exception.type, exception.message) == (kind, message)
        assert outcome.frame.name == function
        report = await Autopsy.of(session).examine()
        assert (report.exception.type, report.exception.message) == (kind, message)
        assert report.frames[0].function == function
        assert report.frames[0].line.place == outcome.frame.place
        assert report.frames[0].variables is not None
        assert not report.is_first_chance
        await under_test.go(Resume.CONTINUE)
        assert session.exit is not None
        assert session.exit.code == 2
        assert not under_test.output("important")
