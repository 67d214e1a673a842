"""Breakpoints with conditions, counts and messages on the real lldb-dap and Delve.

The same rules as on Python: ``passes`` comes to one line again and again, its ``i`` counts
from 0, and every pass is a hit.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.go import GO, built, go_session
from tests.support.native import PROGRAMS, lldb_session, needs_cc, needs_delve, needs_lldb
from tests.support.sessions import SessionUnderTest
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import InvalidCondition
from tuidbg.session.model.events import BreakpointsChanged, StackChanged, StatusChanged, Stopped
from tuidbg.session.model.state import Breakpoint, BreakpointStatus, OnError, Status, StopReason

pytestmark = pytest.mark.real

C_SOURCE, GO_SOURCE = PROGRAMS / "passes.c", GO / "passes" / "main.go"

on_both = pytest.mark.parametrize(
    "adapter",
    [
        pytest.param("lldb-dap", marks=[needs_lldb, needs_cc]),
        pytest.param("dlv", marks=needs_delve),
    ],
)


class Passes:
    """A session of the program, and its lines."""

    def __init__(self, test: SessionUnderTest, source: Path) -> None:
        self.test = test
        self.path = str(source)
        self.breakpoints = test.session.breakpoints
        self._lines = source.read_text().splitlines()

    def line(self, text: str) -> int:
        """The first line that holds that text, from 1."""
        return next(number for number, line in enumerate(self._lines, 1) if text in line)

    async def set(self, mark: str = "return both", **settings: Any) -> Breakpoint:
        """A breakpoint at the line with that mark."""
        return await self.breakpoints.set(self.path, self.line(mark), **settings, origin="tui")

    async def i(self, frame: int = 0) -> int:
        """Returns how many passes there were before this one."""
        frame_id = self.test.session.frames[frame].id
        return int((await self.test.session.inspection.evaluate("i", frame_id, "watch")).value)

    async def stops(self) -> list[int]:
        """Start it and go on at each stop: the passes at which it stopped."""
        found = []
        await self.test.start()
        while not self.test.ended:
            found.append(await self.i())
            await self.test.go(Resume.CONTINUE)
        return found

    def get(self, number: int) -> Breakpoint:
        """A breakpoint as it is now."""
        return self.breakpoints.registry.get(number)

    def told(self) -> list[tuple[int, str]]:
        """The counts and texts of the trace."""
        return [(record.count, record.text) for record in self.test.session.trace]


@asynccontextmanager
async def passing(adapter: str, folder: Path, *args: str) -> AsyncIterator[Passes]:
    """The program under an adapter; not started yet."""
    if adapter == "dlv":
        async with go_session(folder, built("passes"), *args, stop_on_entry=False) as test:
            yield Passes(test, GO_SOURCE)
    else:
        async with lldb_session(folder, "passes.c", *args, stop_on_entry=False) as test:
            yield Passes(test, C_SOURCE)


# Counts


@pytest.mark.full
@on_both
@pytest.mark.parametrize(
    ("settings", "stops"),
    [
        ({"hit_condition": "5"}, [4]),
        ({"hit_condition": ">17"}, [17, 18, 19]),
        ({"hit_condition": "%6"}, [5, 11, 17]),
        ({"hit_condition": "<= 2"}, [0, 1]),
        ({"ignore_count": 18}, [18, 19]),
        ({"condition": "i % 3 == 0 && total >= 0", "hit_condition": ">5"}, [15, 18]),
        ({"condition": "i > 9", "ignore_count": 8}, [18, 19]),
        ({"temporary": True, "hit_condition": "3"}, [2]),
    ],
    ids=lambda value: " ".join(map(str, value.values())) if isinstance(value, dict) else "",
)
async def test_c8_c9_counts(
    adapter: str, settings: dict[str, Any], stops: list[int], tmp_path: Path
) -> None:
    async with passing(adapter, tmp_path) as p:
        number = (await p.set(**settings)).number
        assert await p.stops() == stops
        if "temporary" in settings:
            assert p.breakpoints.registry.look_up(number) is None
        elif "condition" not in settings:
            assert p.get(number).hits == 20


@pytest.mark.full
@on_both
async def test_passes_that_do_not_stop_are_told_nowhere(adapter: str, tmp_path: Path) -> None:
    """A person's screen stands still meanwhile; the counts are told a few times a second."""
    async with passing(adapter, tmp_path, "120") as p:
        await p.set(hit_condition="100")
        await p.test.start()
        assert await p.i() == 99 and p.test.session.stop_id == 1
        assert len(p.test.events(Stopped)) == len(p.test.events(StackChanged)) == 1
        statuses = [event.status for event in p.test.events(StatusChanged)]
        assert statuses[-1] is Status.RUNNING
        told = [c.hits for e in p.test.events(BreakpointsChanged) for c in e.changed]
        assert told[-1] == 100 and len(told) < 60


@pytest.mark.sampled
@on_both
async def test_a_trigger_arms(adapter: str, tmp_path: Path) -> None:
    async with passing(adapter, tmp_path) as p:
        first = await p.set(
            "int zero" if adapter == "lldb-dap" else "zero := 1", condition="i == 5"
        )
        await p.set(trigger=first.number, hit_condition="<=2")
        assert await p.stops() == [5, 5, 6]
        assert p.get(2).hits == 15


@pytest.mark.full
@on_both
async def test_several_on_one_line_are_each_decided(adapter: str, tmp_path: Path) -> None:
    """The adapter takes one a line, so it knows none of their conditions."""
    async with passing(adapter, tmp_path) as p:
        line = p.line("return both")
        stopping = await p.set(condition="i == 3")
        other = Breakpoint(
            number=0, path=p.path, line=line, trace=True, log_message="{i}", condition="i < 5"
        )
        await p.breakpoints.adopt([other], origin="tui")
        assert await p.stops() == [3]
        assert (p.get(stopping.number).hits, p.get(stopping.number).misses) == (1, 19)
        assert p.told() == [(n + 1, str(n)) for n in range(5)]


@pytest.mark.sampled
@on_both
async def test_a_function_counts_too(adapter: str, tmp_path: Path) -> None:
    async with passing(adapter, tmp_path) as p:
        name = "main.pass" if adapter == "dlv" else "pass"
        found = await p.breakpoints.set_function(name, hit_condition="%8", origin="tui")
        assert await p.stops() == [7, 15]
        assert p.get(found.number).hits == 20


@needs_lldb
@needs_cc
async def test_all_threads_at_one_breakpoint_count(tmp_path: Path) -> None:
    """lldb-dap tells of each thread that has arrived at once with others."""
    async with passing("lldb-dap", tmp_path, "60", "4") as p:
        number = (await p.set(hit_condition=">238")).number
        stops = await p.stops()
        assert 1 <= len(stops) <= 2, "two may arrive at the same stop"
        assert p.get(number).hits == 240


# Conditions that fail


@pytest.mark.sampled
@on_both
async def test_a_condition_that_fails_stops_and_says_why(adapter: str, tmp_path: Path) -> None:
    async with passing(adapter, tmp_path) as p:
        number = (await p.set(condition="nope > 1")).number
        await p.test.start()
        stop = p.test.session.stop
        assert stop is not None and stop.reason is StopReason.BREAKPOINT
        assert stop.problem.endswith(f" (in the condition of breakpoint {number})")
        assert "nope" in stop.problem and stop.hit_breakpoints == (number,)
        found = p.get(number)
        assert (found.hits, found.errors) == (0, 1)
        assert found.message.endswith(" (in its condition)")
        await p.breakpoints.update(number, condition="i == 12", origin="tui")
        await p.test.go(Resume.CONTINUE)
        assert await p.i() == 12
        assert "error evaluating condition" not in p.test.console


@pytest.mark.sampled
@on_both
async def test_a_condition_that_fails_can_be_passed_over(adapter: str, tmp_path: Path) -> None:
    async with passing(adapter, tmp_path) as p:
        settings = {"condition": "10 / zero > i", "on_error": OnError.REPORT}
        if adapter == "lldb-dap":  # a division by zero is no error of the language
            settings["condition"] = "*(int *)(long)i > 10"
        number = (await p.set(**settings)).number
        await p.test.start()
        while not p.test.ended:
            await p.test.go(Resume.CONTINUE)
        assert p.get(number).errors == (20 if adapter == "lldb-dap" else 1)
        told = p.test.console.count("the program goes on")
        assert told == 1, p.test.console


@on_both
async def test_what_is_no_expression_is_refused(adapter: str, tmp_path: Path) -> None:
    async with passing(adapter, tmp_path) as p:
        for condition in ("(i > 1", 'total == "', "i]"):
            with pytest.raises(InvalidCondition):
                await p.set(condition=condition)
        assert len(p.breakpoints.registry) == 0


@needs_delve
async def test_delve_refuses_what_does_not_parse(tmp_path: Path) -> None:
    async with passing("dlv", tmp_path) as p:
        number = (await p.set(condition="i > ")).number
        await p.test.start()
        found = p.get(number)
        assert found.status is BreakpointStatus.REFUSED or p.test.ended
        assert "expected operand" in found.message


# Log points and tracepoints


@pytest.mark.full
@on_both
async def test_messages_are_exact(adapter: str, tmp_path: Path) -> None:
    async with passing(adapter, tmp_path, "12") as p:
        template = "{i} of {both.left + 1}: {{{i:03d}}} {total:x} {nope}"
        await p.set(log_message=template, trace=True)
        await p.test.start()
        await p.test.until(lambda: p.test.ended)
        totals = [sum(range(n)) for n in range(12)]
        told = p.told()
        assert [count for count, _ in told] == list(range(1, 13))
        for n, (_, text) in enumerate(told):
            head, _, error = text.partition(" <error: ")
            assert head == f"{n} of {n + 1}: {{{n:03d}}} {totals[n]:x}"
            assert "nope" in error and error.endswith(">")
        assert all(record.thread for record in p.test.session.trace)
        assert p.test.events(Stopped) == []


@pytest.mark.sampled
@on_both
async def test_every_so_many_and_at_most_so_often(adapter: str, tmp_path: Path) -> None:
    async with passing(adapter, tmp_path, "40") as p:
        number = (await p.set(trace=True, log_message="{i}", every=3, at_most=4)).number
        await p.test.start()
        await p.test.until(lambda: p.test.ended)
        assert p.told() == [(3, "2"), (6, "5"), (9, "8"), (12, "11")]
        assert not p.get(number).enabled


@pytest.mark.full
@on_both
async def test_none_is_lost_among_threads(adapter: str, tmp_path: Path) -> None:
    async with passing(adapter, tmp_path, "50", "4") as p:
        number = (await p.set(trace=True, log_message="{i}")).number
        await p.test.start()
        await p.test.until(lambda: p.test.ended, timeout=40)
        counts, texts = zip(*p.told(), strict=True)
        assert list(counts) == list(range(1, 201)) and p.get(number).hits == 200
        assert sorted(map(int, texts)) == sorted(list(range(50)) * 4)


@pytest.mark.full
@on_both
async def test_a_log_point_writes_to_the_console(adapter: str, tmp_path: Path) -> None:
    async with passing(adapter, tmp_path, "3") as p:
        await p.set(log_message="pass {i}")
        await p.test.start()
        await p.test.until(lambda: p.test.ended)
        name, line = Path(p.path).name, p.line("return both")
        lines = [f"{name}:{line}: pass {n}" for n in range(3)]
        assert p.test.output("console").splitlines()[-3:] == lines or all(
            line in p.test.output("console") for line in lines
        )


@pytest.mark.sampled
@on_both
async def test_commands_are_printed_where_it_stops(adapter: str, tmp_path: Path) -> None:
    async with passing(adapter, tmp_path) as p:
        await p.set(hit_condition="3", commands=("i", "total + 1"))
        await p.test.start()
        written = p.test.output("console")
        assert "i = 2" in written and "total + 1 = 2" in written


@pytest.mark.sampled
@on_both
async def test_a_step_over_a_tracepoint_ends_where_it_should(adapter: str, tmp_path: Path) -> None:
    async with passing(adapter, tmp_path) as p:
        call = await p.set("total = pass(i, total)")
        await p.set(trace=True, log_message="{i}")
        await p.test.start()
        await p.test.go(Resume.STEP_OVER)
        assert p.test.reason is StopReason.STEP
        assert p.test.session.frames[0].name.endswith("walk")
        assert p.told() == [(1, "0")]
        await p.test.go(Resume.CONTINUE)
        assert p.test.hits == (call.number,)


@pytest.mark.sampled
@on_both
async def test_a_pause_comes_between_two_hits(adapter: str, tmp_path: Path) -> None:
    """However fast these follow each other."""
    async with passing(adapter, tmp_path, "100000") as p:
        await p.set(trace=True, log_message="{i}", every=10)
        starting = asyncio.create_task(p.test.start())
        await p.test.until(lambda: len(p.test.session.trace) > 3)
        await p.test.session.execution.pause(origin="tui")
        await starting
        assert p.test.reason is StopReason.PAUSE
        told = len(p.test.session.trace)
        await p.breakpoints.update(1, enabled=False, origin="tui")
        await p.set("int zero" if adapter == "lldb-dap" else "zero := 1", hit_condition="5")
        await p.test.go(Resume.CONTINUE)
        assert p.test.hits == (2,) and len(p.test.session.trace) <= told + 1
