"""Recorded calls of functions, on the real debugpy: arguments, path, changes, what came back."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.sessions import SessionUnderTest, debugpy_session, until
from tests.support.waiting import PATIENCE
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.recording.calls.recorder import (
    CallRecordings,
    RecordingNotFound,
    RecordingUnderWay,
)
from tuidbg.session.features.recording.calls.types import (
    CallRecording,
    LineVisit,
    RecordingEnd,
    RecordingLimits,
)
from tuidbg.session.features.recording.calls.types import Path as Course
from tuidbg.session.features.recording.recorded_run import RecordedRun
from tuidbg.session.model.errors import InvalidSessionState, InvalidSetting
from tuidbg.session.model.events import Continued, RecordingChanged, Stopped
from tuidbg.session.model.state import Status, StopReason

pytestmark = pytest.mark.real

IS_READ = sys.version_info >= (3, 12)
"""A call is read in the recording of the run there; elsewhere its lines are stepped."""

PROGRAM = """\
import asyncio
import threading
import time

def mean(items, start=0):
    total = start
    for item in items:
        total += item
    result = total / len(items)
    return result

def fib(n):
    if n < 2:
        return n
    a = fib(n - 1)
    b = fib(n - 2)
    return a + b

def doubled(n):
    m = n * 2
    return m

def numbers(n):
    for i in range(n):
        yield i
    return "done"

def fails(n):
    m = n + 1
    raise ValueError(m)

def passes_on(n):
    fails(n)

async def slowly(n):
    total = 0
    for i in range(n):
        await asyncio.sleep(0.001)
        total += i
    return total

def endless(n):
    while True:
        n += 1

def sleeps():
    before = 1
    time.sleep(600)
    return before

def leaves(code):
    why = code
    raise SystemExit(why)

def shared(name):
    mine = name
    time.sleep(0.01)
    return mine

def in_threads():
    threads = [threading.Thread(target=shared, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

def grows(items, count):
    for n in range(count):
        items.append(n)
    return None

class Counter:
    def __init__(self, start):
        self.count = start
        self.last = None

def caught(function, *args):
    try:
        return function(*args)
    except ValueError as error:
        return str(error)

"""


@asynccontextmanager
async def standing(folder: Path, body: str) -> AsyncIterator[SessionUnderTest]:
    """A program with these last lines, at its first line."""
    path = folder / "program.py"
    path.write_text(PROGRAM + body + "\n")
    async with debugpy_session(folder, path, stop_on_entry=True) as under_test:
        await under_test.start()
        yield under_test


def line_of(under_test: SessionUnderTest, text: str) -> int:
    lines = Path(under_test.session.plan.first_source).read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.strip() == text)


async def record(
    under_test: SessionUnderTest, function: str = "", **limits: float
) -> CallRecording:
    found = await CallRecordings.of(under_test.session).record(
        function,
        limits=RecordingLimits(**limits),  # type: ignore[arg-type]
        origin="mcp",
    )
    await under_test.settled()
    assert under_test.session.stop_owner is None
    assert not list(under_test.session.breakpoints.registry), "nothing stays behind"
    return found


def changes(recording: CallRecording, line: int) -> dict[str, tuple[str, str, str, int]]:
    """Returns what a line did: kind, value before, last value, times."""
    return {
        change.name: (change.kind, change.before, change.last, change.times)
        for _, node in recording.course
        if isinstance(node, LineVisit) and node.line == line
        for change in node.changes
    }


@pytest.mark.full
async def test_a_plain_call(tmp_path: Path) -> None:
    async with standing(tmp_path, "mean([1, 2, 6], start=3)\nend = 1") as u:
        found = await record(u, "mean")
        assert [(a.name, a.value) for a in found.arguments] == [
            ("items", "[1, 2, 6]"),
            ("start", "3"),
        ]
        assert (found.ending, found.is_whole, found.steps) == (RecordingEnd.RETURNED, True, 10)
        assert found.returned is not None and found.returned.value == "4.0"
        assert found.course.describe() == "6 → (7 → 8) × 3 → 7 → 9 → 10"
        assert changes(found, 6) == {"total": ("new", "", "3", 1)}
        assert changes(found, 7) == {"item": ("new", "", "6", 3)}
        assert changes(found, 8) == {"total": ("changed", "3", "12", 3)}
        assert changes(found, 9) == {"result": ("new", "", "4.0", 1)}
        assert (u.reason, u.session.frames[0].name) == (StopReason.STEP, "<module>")


@pytest.mark.full
@pytest.mark.skipif(not IS_READ, reason="before Python 3.12 no run is recorded")
async def test_it_runs_at_its_own_pace_and_stays_in_the_recording(tmp_path: Path) -> None:
    """No line of it is stepped, and one steps back in it behind its end."""
    async with standing(tmp_path, "mean(range(100))\nend = 1") as u:
        found = await record(u, "mean", steps=500)
        assert found.course.describe() == "6 → (7 → 8) × 100 → 7 → 9 → 10"
        assert (len(u.sent("next")), len(u.sent("stepOut"))) == (0, 1)
        past = RecordedRun.of(u.session)
        assert not past.is_on, "recording stopped"
        (frame,) = u.session.frames[:1]
        end = past.timeline.last(0)
        assert end is not None and frame.name == "<module>"
        lines = [moment.line for moment in past.timeline.moments(0)]
        assert lines[:3] == [6, 7, 8] and 10 in lines[-3:]


@pytest.mark.full
@pytest.mark.skipif(not IS_READ, reason="before Python 3.12 no run is recorded")
async def test_in_a_run_that_is_recorded_it_is_read_and_that_goes_on(tmp_path: Path) -> None:
    async with standing(tmp_path, "before = [1]\nbefore.append(2)\nmean(before)\nend = 1") as u:
        await RecordedRun.of(u.session).begin("tui")
        found = await record(u, "mean")
        assert found.course.describe() == "6 → (7 → 8) × 2 → 7 → 9 → 10"
        assert RecordedRun.of(u.session).is_on


@pytest.mark.full
async def test_the_file_of_a_run_is_not_written_anew_by_a_call(tmp_path: Path) -> None:
    """Where the run is to be in a file, and is recorded no more."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + "mean([1, 2])\nend = 1\n")
    run = tmp_path / "run.tuidbg"
    run.write_bytes(b"of the run")
    async with debugpy_session(tmp_path, path, stop_on_entry=True, record_to=str(run)) as u:
        await u.start()
        found = await record(u, "mean")
        assert found.course.describe() == "6 → (7 → 8) × 2 → 7 → 9 → 10"
        assert not RecordedRun.of(u.session).is_on
    assert run.read_bytes() == b"of the run"


@pytest.mark.full
async def test_what_a_call_does_to_a_list_is_told(tmp_path: Path) -> None:
    """Also where no name of the call gets another value."""
    async with standing(tmp_path, "grows([1], 3)\nend = 1") as u:
        found = await record(u, "grows")
        line = line_of(u, "items.append(n)")
        assert changes(found, line) == {"items": ("changed", "[1]", "[1, 0, 1, 2]", 3)}


async def test_others_see_one_stop_and_how_far_it_is(tmp_path: Path) -> None:
    async with standing(tmp_path, "mean([1, 2, 6])\nend = 1") as u:
        before = len(u.events(Stopped)), len(u.events(Continued))
        stops = len(u.session.history)
        await record(u, "mean")
        assert (len(u.events(Stopped)), len(u.events(Continued))) == (before[0] + 1, before[1] + 1)
        assert len(u.session.history) == stops + 1
        told = u.events(RecordingChanged)
        assert [told[0].phase, told[1].phase, told[-1].phase] == ["waiting", "recording", "done"]
        assert (told[-1].function, told[-1].steps) == ("mean", 10)
        newest = CallRecordings.of(u.session).newest
        assert newest is not None and newest.number == told[-1].number
        assert CallRecordings.of(u.session).get(newest.number) is newest
        with pytest.raises(RecordingNotFound):
            CallRecordings.of(u.session).get(99)


async def test_a_recursion_is_one_call(tmp_path: Path) -> None:
    async with standing(tmp_path, "fib(4)\nend = 1") as u:
        found = await record(u, "fib")
        assert found.course.describe() == "13 → 15 → 16 → 17"
        assert found.returned is not None and found.returned.value == "3"
        assert changes(found, 15) == {
            "fib() returned": ("returned", "", "2", 1),
            "a": ("new", "", "2", 1),
        }


@pytest.mark.full
async def test_two_calls_on_one_line_are_two(tmp_path: Path) -> None:
    """The second is made where the first was in memory, and stands at its first line."""
    async with standing(tmp_path, "x = doubled(1) + doubled(2)\nend = 1") as u:
        first, second = await record(u, "doubled"), await record(u, "doubled")
        told = [(r.arguments[0].value, r.returned and r.returned.value) for r in (first, second)]
        assert told == [("1", "2"), ("2", "4")]
        assert first.course.describe() == second.course.describe() == "20 → 21"


@pytest.mark.full
async def test_a_loop_of_a_thousand(tmp_path: Path) -> None:
    async with standing(tmp_path, "mean(range(1000))\nend = 1") as u:
        found = await record(u, "mean", steps=2500, seconds=PATIENCE)
        assert found.course.describe() == "6 → (7 → 8) × 1,000 → 7 → 9 → 10"
        assert changes(found, 8) == {"total": ("changed", "0", "499500", 999)}
        assert found.returned is not None and found.returned.value == "499.5"
        assert not found.cut


async def test_more_steps_than_are_recorded(tmp_path: Path) -> None:
    async with standing(tmp_path, "mean(range(1000))\nend = 1") as u:
        found = await record(u, "mean", steps=7)
        assert found.course.describe().startswith("6 → (7 → 8) × 3")
        assert found.returned is not None and found.returned.value == "499.5"
        assert found.cut == [f"{'listed' if IS_READ else 'recorded'} the first 7 steps only"]
        assert u.session.frames[0].name == "<module>"


@pytest.mark.full
async def test_a_generator_is_one_call_over_its_yields(tmp_path: Path) -> None:
    async with standing(tmp_path, "for n in numbers(3):\n    print(n)\nend = 1") as u:
        found = await record(u, "numbers")
        assert (found.kind, found.ending) == ("generator", RecordingEnd.RETURNED)
        assert found.course.describe() == "24 → 25 → 24 → 25 → 24 → 25 → 24 → 26".replace(
            "24 → 25 → 24 → 25 → 24 → 25", "(24 → 25) × 3"
        )
        assert found.returned is not None and found.returned.value == "'done'"


@pytest.mark.full
async def test_a_generator_that_waits_for_ever(tmp_path: Path) -> None:
    async with standing(tmp_path, "it = numbers(3)\nnext(it)\nend = 1") as u:
        found = await record(u, "numbers")
        assert found.ending is RecordingEnd.ENDED
        assert "while the generator waited after line 25" in found.sentence


@pytest.mark.full
async def test_a_coroutine_over_its_awaits(tmp_path: Path) -> None:
    body = "async def main():\n    x = await slowly(3)\n    return x\nasyncio.run(main())\nend = 1"
    async with standing(tmp_path, body) as u:
        found = await record(u, "slowly")
        assert (found.kind, found.ending) == ("coroutine", RecordingEnd.RETURNED)
        assert found.course.describe() == "36 → (37 → 38 → 39) × 3 → 37 → 40"
        assert found.returned is not None and found.returned.value == "3"
        assert found.is_read is not IS_READ, "it is what the line of the return names, elsewhere"


@pytest.mark.sampled
@pytest.mark.parametrize(("function", "told"), [("fails", "ValueError: 3"), ("passes_on", "")])
async def test_left_by_an_exception(function: str, told: str, tmp_path: Path) -> None:
    async with standing(tmp_path, f"caught({function}, 2)\nend = 1") as u:
        found = await record(u, function)
        assert (found.ending, found.returned) == (RecordingEnd.RAISED, None)
        assert found.exception == (told or "ValueError: 3")
        assert u.session.frames[0].name == "caught"


async def test_an_exception_that_nobody_catches(tmp_path: Path) -> None:
    async with standing(tmp_path, "fails(2)") as u:
        found = await record(u, "fails")
        assert (found.ending, found.exception) == (RecordingEnd.RAISED, "ValueError: 3")
        assert u.reason is StopReason.EXCEPTION
        await u.until(lambda: u.session.stop is not None and u.session.stop.exception)


async def test_a_breakpoint_in_the_middle_stops_truly(tmp_path: Path) -> None:
    async with standing(tmp_path, "fib(4)\nend = 1") as u:
        session = u.session
        await session.breakpoints.set(
            session.plan.first_source, 16, condition="n == 2", origin="tui"
        )
        found = await CallRecordings.of(session).record("fib", origin="mcp")
        await u.settled()
        assert (found.ending, found.returned) == (RecordingEnd.STOPPED, None)
        assert found.sentence == (
            "breakpoint 1 stopped the program in fib at line 16 before the call was over;"
            " disable breakpoint 1 to record on"
        )
        assert (u.reason, u.hits, u.line) == (StopReason.BREAKPOINT, (1,), 16)
        locals_ = await u.locals()
        assert locals_["n"].value == "2"


@pytest.mark.full
async def test_tracepoints_in_the_middle_tell_and_go_on(tmp_path: Path) -> None:
    async with standing(tmp_path, "mean([1, 2, 6])\nend = 1") as u:
        session = u.session
        await session.breakpoints.set(
            session.plan.first_source, 8, trace=True, log_message="item {item}", origin="tui"
        )
        found = await CallRecordings.of(session).record("mean", origin="mcp")
        await u.settled()
        assert (found.ending, found.steps) == (RecordingEnd.RETURNED, 10)
        await until(lambda: len(list(session.trace)) == 3, "the records")
        assert [r.text for r in session.trace] == ["item 1", "item 2", "item 6"]


async def test_a_breakpoint_where_the_function_begins_is_its_beginning(tmp_path: Path) -> None:
    async with standing(tmp_path, "doubled(4)\nend = 1") as u:
        session = u.session
        await session.breakpoints.set(session.plan.first_source, 20, origin="tui")
        await session.breakpoints.set_function("doubled", origin="tui")
        found = await CallRecordings.of(session).record("doubled", origin="mcp")
        await u.settled()
        assert (found.ending, found.is_whole) == (RecordingEnd.RETURNED, True)
        kept = [(b.line, b.function, b.temporary) for b in session.breakpoints.registry]
        assert kept == [(20, "", False), (20, "doubled", False)]


@pytest.mark.full
async def test_the_call_in_which_it_stands(tmp_path: Path) -> None:
    async with standing(tmp_path, "mean([1, 2])\nend = 1") as u:
        await u.session.breakpoints.set(
            u.session.plan.first_source, 9, temporary=True, origin="tui"
        )
        await u.go(Resume.CONTINUE)
        found = await record(u)
        assert (found.is_whole, found.first_line) == (False, 9)
        assert [a.name for a in found.arguments] == ["items", "start"]
        assert [(o.name, o.value) for o in found.others] == [("total", "3"), ("item", "2")]
        assert found.course.describe() == "9 → 10"
        assert found.returned is not None and found.returned.value == "1.5"


async def test_cancelled_while_it_steps(tmp_path: Path) -> None:
    async with standing(tmp_path, "endless(0)") as u:
        session = u.session
        task = asyncio.create_task(CallRecordings.of(session).record("endless", origin="mcp"))
        await u.until(
            lambda: (n := CallRecordings.of(session).newest) and n.steps > 5, "some steps"
        )
        with pytest.raises(RecordingUnderWay):
            await CallRecordings.of(session).record("endless", origin="tui")
        with pytest.raises(InvalidSessionState):
            await session.execution.resume(Resume.STEP_OVER, queued=False, origin="tui")
        await session.execution.pause(origin="tui")
        found = await task
        assert found.ending is RecordingEnd.CANCELLED
        await u.settled()
        assert (session.status, session.frames[0].name) == (Status.PAUSED, "endless")
        await u.go(Resume.STEP_OVER)
        assert u.reason is StopReason.STEP, "nothing of it is left"


async def test_cancelled_while_a_line_runs(tmp_path: Path) -> None:
    """The caller is gone; the program pauses where it is."""
    async with standing(tmp_path, "endless(0)") as u:
        session = u.session
        limits = RecordingLimits(steps=1)
        task = asyncio.create_task(
            CallRecordings.of(session).record("endless", limits=limits, origin="mcp")
        )
        await u.until(lambda: (n := CallRecordings.of(session).newest) and n.cut, "the way out")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await u.settled(session.stop_id - 1)
        assert session.status is Status.PAUSED
        newest = CallRecordings.of(session).newest
        assert newest is not None and newest.ending is RecordingEnd.CANCELLED
        assert session.stop_owner is None


@pytest.mark.full
async def test_time_is_up(tmp_path: Path) -> None:
    async with standing(tmp_path, "endless(0)") as u:
        found = await record(u, "endless", seconds=1)
        assert (found.ending, u.session.status) == (RecordingEnd.TIME, Status.PAUSED)
        assert "the call was not over within 1 s" in found.sentence
        assert found.steps > 5


async def test_never_called(tmp_path: Path) -> None:
    async with standing(tmp_path, "while True:\n    n = 1") as u:
        found = await record(u, "fib", seconds=0.5)
        assert (
            found.ending is RecordingEnd.TIME
            and "fib was not called within 0.5 s" in found.sentence
        )
        assert u.session.status is Status.PAUSED, "as it was before"


async def test_never_called_by_a_program_that_runs(tmp_path: Path) -> None:
    async with standing(tmp_path, "while True:\n    n = 1") as u:
        await u.session.execution.resume(Resume.CONTINUE, origin="tui")
        limits = RecordingLimits(seconds=0.3)
        found = await CallRecordings.of(u.session).record("fib", limits=limits, origin="mcp")
        assert found.ending is RecordingEnd.TIME
        assert u.session.status is Status.RUNNING, "as it was before"


async def test_the_program_ends_in_it(tmp_path: Path) -> None:
    async with standing(tmp_path, "leaves(3)") as u:
        found = await record(u, "leaves")
        assert found.ending in (RecordingEnd.RAISED, RecordingEnd.ENDED)
        assert "3" in found.sentence


@pytest.mark.full
async def test_the_program_is_ended_in_it(tmp_path: Path) -> None:
    async with standing(tmp_path, "endless(0)") as u:
        task = asyncio.create_task(CallRecordings.of(u.session).record("endless", origin="mcp"))
        await u.until(
            lambda: (n := CallRecordings.of(u.session).newest) and n.steps > 3, "some steps"
        )
        await u.session.lifecycle.stop()
        found = await task
        assert found.ending is RecordingEnd.ENDED
        assert u.session.stop_owner is None


async def test_it_was_not_called_before_the_end(tmp_path: Path) -> None:
    async with standing(tmp_path, "end = 1") as u:
        found = await record(u, "fib")
        assert found.sentence == "the program ended before fib was called"
        with pytest.raises(InvalidSessionState):
            await CallRecordings.of(u.session).record("fib", origin="mcp")


async def test_there_is_no_such_function(tmp_path: Path) -> None:
    async with standing(tmp_path, "end = 1") as u:
        for name in ("nonsense", "no name"):
            with pytest.raises(InvalidSetting):
                await CallRecordings.of(u.session).record(name, origin="mcp")
        assert (u.session.status, u.line) == (Status.PAUSED, 1)
        assert not list(u.session.breakpoints.registry)


async def test_other_threads_go_through_the_same_function(tmp_path: Path) -> None:
    async with standing(tmp_path, "in_threads()\nend = 1") as u:
        found = await record(u, "shared")
        assert found.course.describe() == "56 → 57 → 58"
        assert found.sentence.startswith(("its thread ended after line 58", "the program ended"))
        assert found.returned is not None and found.is_read is not IS_READ
        assert found.returned.value == found.arguments[0].value


@pytest.mark.full
async def test_of_a_class(tmp_path: Path) -> None:
    async with standing(tmp_path, "Counter(7)\nend = 1") as u:
        found = await record(u, "Counter.__init__")
        assert [a.name for a in found.arguments] == ["self", "start"]
        assert found.ending is RecordingEnd.RETURNED


def test_paths_are_folded() -> None:
    course = Course()
    for outer in range(5):
        for line in (13, *(14, 15) * (outer + 2), 14):
            course.add(line)
    course.add(20)
    assert course.describe() == "(13 → (14 → 15) × 2-6 → 14) × 5 → 20"
    straight = Course()
    for line in range(1, 500):
        straight.add(line)
    told = straight.describe(most=60)
    assert told.startswith("1 → 2") and told.endswith("→ 498 → 499") and len(told) < 80
