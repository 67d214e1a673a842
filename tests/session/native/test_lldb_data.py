"""Data breakpoints of native programs, on the real lldb-dap."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.native import line_of, lldb_session, needs_cc, needs_lldb
from tests.support.sessions import SessionUnderTest
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import Breakpoint, BreakpointStatus, DataAccess, StopReason

pytestmark = [pytest.mark.real, needs_lldb, needs_cc]

SHOP = "parcel_shop.cpp"


def now(test: SessionUnderTest, found: Breakpoint) -> Breakpoint:
    return test.session.breakpoints.registry.get(found.number)


def described(test: SessionUnderTest) -> str:
    """Returns what the present stop says of itself."""
    assert test.session.stop is not None
    return test.session.stop.description


class TestGlobals:
    @pytest.mark.full
    async def test_a_change_stops_and_tells_both_values(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            await test.start()
            found = await test.session.breakpoints.set_data("counter", origin="tui")
            assert (found.status, found.message) == (BreakpointStatus.SET, "")
            for before, after in ((0, 1), (1, 3)):
                await test.go(Resume.CONTINUE)
                assert (test.reason, test.hits) == (StopReason.BREAKPOINT, (found.number,))
                assert described(test) == f"counter changed: {before} -> {after}"
            assert now(test, found).hits == 2
            assert "Watchpoint" not in test.console

    async def test_it_is_there_again_after_a_restart(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP, stop_on_entry=False) as test:
            found = await test.session.breakpoints.set_data("counter", origin="tui")
            await test.start()
            assert described(test) == "counter changed: 0 -> 1"
            await test.session.lifecycle.restart()
            await test.settled(test.session.stop_id - 1)
            assert (test.hits, described(test)) == ((found.number,), "counter changed: 0 -> 1")

    @pytest.mark.full
    async def test_a_condition_and_a_hit_count_hold(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            await test.start()
            await test.session.breakpoints.set_data("counter", hit_condition="2", origin="tui")
            await test.go(Resume.CONTINUE)
            assert described(test) == "counter changed: 1 -> 3"

    @pytest.mark.full
    async def test_expressions_and_addresses_can_be_watched(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            await test.start()
            for expression in ("*(numbers + 1)", "&numbers[1]:4", "numbers[1]"):
                found = await test.session.breakpoints.set_data(expression, origin="tui")
                assert (found.status, found.message) == (BreakpointStatus.SET, "")
                if expression != "numbers[1]":
                    await test.session.breakpoints.remove(found.number, origin="tui")
            sent = [each["breakpoints"] for each in test.sent("setDataBreakpoints")]
            watched = {each["dataId"] for group in sent for each in group}  # type: ignore[attr-defined]
            assert len(watched) == 1  # it is the same place each time
            await test.go(Resume.CONTINUE)
            assert described(test) == "numbers[1] changed: 2 -> 3"
            assert test.hits == (found.number,)

    async def test_reading_can_be_watched(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            await test.start()
            found = await test.session.breakpoints.set_data(
                "counter", access=DataAccess.READ_WRITE, origin="tui"
            )
            await test.go(Resume.CONTINUE)
            assert (test.hits, described(test)) == ((found.number,), "counter was accessed: 0")
            sent = test.sent("setDataBreakpoints")[-1]["breakpoints"]
            assert sent[0]["accessType"] == "readWrite"  # type: ignore[index]


class TestLocals:
    async def test_it_ends_where_its_function_returns(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            await test.start()
            await test.session.breakpoints.set(
                "parcel_shop.cpp", line_of(SHOP, "int before"), origin="tui"
            )
            await test.go(Resume.CONTINUE)
            found = await test.session.breakpoints.set_data("before", origin="tui")
            await test.go(Resume.STEP_OVER)
            await test.go(Resume.CONTINUE)
            assert described(test) == "before is gone: bump(int) has returned"
            assert now(test, found).status is BreakpointStatus.PENDING
            assert now(test, found).message == "waits for bump(int)"
            for _ in range(2):  # in the second call it gets the value that it has
                await test.go(Resume.CONTINUE)
                await test.until(lambda: now(test, found).status is BreakpointStatus.SET)
                await test.go(Resume.CONTINUE)
                if test.hits:
                    break
            assert test.hits == (found.number,)
            assert described(test) == "before changed: 0 -> 1"

    @pytest.mark.full
    async def test_after_a_restart_it_waits_for_its_function(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            await test.start()
            await test.session.breakpoints.set(
                "parcel_shop.cpp", line_of(SHOP, "int before"), origin="tui"
            )
            await test.go(Resume.CONTINUE)
            found = await test.session.breakpoints.set_data("before", origin="tui")
            await test.session.lifecycle.restart()
            await test.settled(test.session.stop_id - 1)
            assert now(test, found).status is BreakpointStatus.PENDING
            assert now(test, found).message == "waits for bump(int)"
            await test.go(Resume.CONTINUE)
            await test.until(lambda: now(test, found).status is BreakpointStatus.SET)


class TestRefusals:
    async def test_what_cant_be_watched_says_why(self, tmp_path: Path) -> None:
        sentences = {
            "nothing_here": "there is no nothing_here here",
            "total + 1": "total + 1 is no variable but a computed value",
            "$pc": "a register can't be watched",
            "numbers": "numbers takes 16 bytes, and at most four values of up to 8 bytes",
        }
        async with lldb_session(tmp_path, SHOP) as test:
            await test.start()
            for expression, sentence in sentences.items():
                found = await test.session.breakpoints.set_data(expression, origin="tui")
                assert found.status is BreakpointStatus.REFUSED
                assert found.message.startswith(sentence)

    async def test_the_fifth_finds_no_room(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            await test.start()
            names = ["counter", *(f"numbers[{index}]" for index in range(4))]
            found = [await test.session.breakpoints.set_data(name, origin="tui") for name in names]
            assert [now(test, b).status for b in found[:4]] == [BreakpointStatus.SET] * 4
            assert found[4].status is BreakpointStatus.REFUSED
            assert "at most four values" in found[4].message
