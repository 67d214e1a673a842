"""All that a breakpoint can be and do, on the real debugpy: set, changed, deleted, hit, told."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.marked import MarkedProgram
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.adapters.languages import PYTHON
from tuidbg.session.core.breakpoints.predicates import read_hit_condition
from tuidbg.session.core.breakpoints.store import BreakpointSettings, check_settings
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import BreakpointNotFound, InvalidSetting
from tuidbg.session.model.events import Stopped, TraceProduced
from tuidbg.session.model.state import (
    BreakpointKind,
    BreakpointStatus,
    ExceptionRule,
    Status,
    StopReason,
)

SET, REFUSED, PENDING = BreakpointStatus.SET, BreakpointStatus.REFUSED, BreakpointStatus.PENDING


# Setting, listing, changing, deleting


@contextlib.asynccontextmanager
async def started(
    program: MarkedProgram, *, wait: bool = True, **changes: Any
) -> AsyncIterator[SessionUnderTest]:
    """A session of a program that stopped on entry."""
    async with debugpy_session(program.file.parent, program.file, **changes) as t:
        await t.session.breakpoints.stop_at_exceptions(frozenset(), origin="tui")
        if wait:
            await t.start()
        yield t


async def value(t: SessionUnderTest, name: str) -> str:
    """A local of the top frame."""
    return (await t.locals())[name].value


LOOP = """
import time
def work(i):
    value = i  #: first

    other = i  #: second
    return value  #: third
i = 0
while i < 60:
    work(i)
    i += 1  #: loop
done = True  #: done
"""


@pytest.mark.full
@pytest.mark.real
async def test_set_before_while_paused_and_while_running(tmp_path: Path) -> None:
    other = MarkedProgram(tmp_path, "def helper():\n    return 1  #: there\n", "other.py")
    code = MarkedProgram(
        tmp_path,
        """
        import os, time
        import other
        def work(i):
            value = i  #: first
            return value  #: second
        work(0)
        while not os.path.exists("go"):
            time.sleep(0.005)  #: waiting
        work(1)
        other.helper()
        """,
    )
    async with started(code, wait=False) as t:
        breakpoints = t.session.breakpoints
        assert list(breakpoints.registry) == []
        with pytest.raises(InvalidSetting):
            await breakpoints.set(code.path, 0, origin="tui")
        first = await breakpoints.set(code.path, code["first"], origin="tui")
        shown_now = (first.number, first.path, first.line, first.enabled, first.status)
        assert shown_now == (1, code.path, code["first"], True, PENDING)
        untouched = (first.condition, first.hit_condition, first.ignore_count, first.hits)
        assert untouched == ("", "", 0, 0)
        await t.start()
        there = breakpoints.registry.get(1)
        assert there.status is SET
        assert [(p.path, p.line) for p in there.places] == [(code.path, code["first"])]
        second = await breakpoints.set(
            code.path, code["second"], condition="i > 0", hit_condition="> 0", log_message="",
            enabled=False, origin="tui",
        )  # fmt: skip
        assert (second.number, second.enabled, second.condition) == (2, False, "i > 0")
        again = await breakpoints.set(code.path, code["first"], ignore_count=1, origin="tui")
        assert (again.number, again.ignore_count, again.uuid) == (1, 1, first.uuid)
        assert len({b.uuid for b in breakpoints.registry}) == len(breakpoints.registry) == 2
        await t.session.execution.resume(Resume.CONTINUE, origin="tui")
        await t.until(lambda: breakpoints.registry.get(1).hits == 1)
        third = await breakpoints.set(other.path, other["there"], origin="tui")  # while it runs
        assert third.number == 3
        assert t.session.status is Status.RUNNING
        (tmp_path / "go").touch()
        await t.settled(1)
        assert (t.line, t.hits) == (code["first"], (1,))
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (other["there"], (3,))
        assert breakpoints.registry.get(3).status is SET
        kept = breakpoints.registry.get(2)
        assert (kept.enabled, kept.condition, kept.hits) == (False, "i > 0", 0)


@pytest.mark.full
@pytest.mark.real
async def test_conditions_and_counts(tmp_path: Path) -> None:
    code = MarkedProgram(tmp_path, LOOP)
    async with started(code) as t:
        breakpoints = t.session.breakpoints
        await breakpoints.set(code.path, code["first"], condition="i % 2 == 0", origin="tui")
        for expected in ("0", "2", "4"):
            await t.go(Resume.CONTINUE)
            assert await value(t, "i") == expected
        assert t.session.stop is not None
        assert (t.hits, t.session.stop.thread_id > 0, t.line) == ((1,), True, code["first"])
        assert breakpoints.registry.get(1).hits == 3

        # Skip two hits with a true condition from now on; the condition stays as it is.
        changed = await breakpoints.update(1, ignore_count=2, origin="tui")
        assert (changed.condition, changed.ignore_count, changed.hits) == ("i % 2 == 0", 2, 3)
        await t.go(Resume.CONTINUE)
        assert await value(t, "i") == "10"
        assert breakpoints.registry.get(1).hits == 6

        # Switched off and on again, all is as it was.
        await breakpoints.set(code.path, code["second"], condition="i == 20", origin="tui")
        await breakpoints.update(1, enabled=False, origin="tui")
        await t.go(Resume.CONTINUE)
        assert (t.hits, await value(t, "i")) == ((2,), "20")
        found = await breakpoints.update(1, enabled=True, origin="tui")
        assert (found.condition, found.ignore_count, found.hits) == ("i % 2 == 0", 2, 6)
        await t.go(Resume.CONTINUE)
        assert (t.hits, await value(t, "i")) == ((1,), "22")

        # No condition any more.
        assert (
            await breakpoints.update(1, condition="", ignore_count=0, origin="tui")
        ).condition == ""
        await t.go(Resume.CONTINUE)
        assert await value(t, "i") == "23"
        with pytest.raises(InvalidSetting):
            await breakpoints.update(1, ignore_count=-1, origin="tui")

        # "After N hits" from the N-th on, beside an ignore count, from the one after it on.
        await breakpoints.remove(1, origin="tui")
        await breakpoints.set(code.path, code["first"], hit_condition=">= 3", origin="tui")
        await breakpoints.set(code.path, code["third"], ignore_count=3, origin="tui")
        await breakpoints.set(code.path, code["loop"], hit_condition="== 5 ", origin="tui")
        stops = []
        for _ in range(6):
            await t.go(Resume.CONTINUE)
            stops.append((t.line, await value(t, "i")))
        first, third, loop = (code[mark] for mark in ("first", "third", "loop"))
        assert stops == [
            (first, "26"), (third, "26"), (first, "27"), (third, "27"), (loop, "27"), (first, "28"),
        ]  # fmt: skip
        # What was skipped is told nowhere.
        assert len(t.events(Stopped)) == t.session.stop_id


@pytest.mark.full
@pytest.mark.real
async def test_deleted(tmp_path: Path) -> None:
    """Also tracepoints and exceptions; the rest stays, and no number comes again."""
    code = MarkedProgram(tmp_path, LOOP + "try:\n    {}[1]\nexcept KeyError:\n    pass\n")
    async with started(code) as t:
        breakpoints = t.session.breakpoints
        await breakpoints.set(code.path, code["first"], origin="tui")
        await breakpoints.set(code.path, code["second"], origin="tui")
        await breakpoints.set(code.path, code["third"], trace=True, origin="tui")
        await breakpoints.set_exception(ExceptionRule(type="KeyError"), origin="tui")
        await t.go(Resume.CONTINUE)
        assert t.hits == (1,)
        for number in (1, 3, 4):
            await breakpoints.remove(number, origin="tui")
        assert [b.number for b in breakpoints.registry] == [2]
        await t.go(Resume.CONTINUE)
        assert (t.hits, await value(t, "i")) == ((2,), "0")
        await t.go(Resume.CONTINUE)
        assert (t.hits, await value(t, "i")) == ((2,), "1")
        for number in (1, 77):
            with pytest.raises(BreakpointNotFound):
                await breakpoints.remove(number, origin="tui")
            with pytest.raises(BreakpointNotFound):
                await breakpoints.update(number, enabled=False, origin="tui")
        assert (await breakpoints.set(code.path, code["done"], origin="tui")).number == 5
        await breakpoints.remove(2, origin="tui")
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (code["done"], (5,))
        assert len(t.session.trace) == 0
        await t.go(Resume.CONTINUE)
        assert t.ended


@pytest.mark.full
@pytest.mark.real
async def test_places_that_are_impossible(tmp_path: Path) -> None:
    code = MarkedProgram(tmp_path, LOOP)
    async with started(code) as t:
        breakpoints = t.session.breakpoints
        blank = await breakpoints.set(code.path, code["first"] + 1, origin="tui")
        assert (blank.status, blank.suggested_line) == (REFUSED, code["second"])
        assert blank.message == f"no executable code at line {code['first'] + 1}"
        past = await breakpoints.set(code.path, 999, origin="tui")
        assert (past.status, past.suggested_line) == (REFUSED, code["done"])
        missing = await breakpoints.set(str(tmp_path / "missing.py"), 1, origin="tui")
        assert (missing.status, missing.message) == (REFUSED, "this file does not exist")
        assert {b.number for b in breakpoints.registry if b.status is REFUSED} == {1, 2, 3}
        await t.go(Resume.CONTINUE)
        assert t.ended


def test_settings_that_make_no_sense() -> None:
    for text, expected in (
        (">5", (">", 5)), (" == 50 ", ("==", 50)), ("<= 2", ("<=", 2)), ("%10", ("%", 10)),
        ("7", ("==", 7)), (">=1", (">=", 1)), ("<3", ("<", 3)), ("", None),
    ):  # fmt: skip
        assert read_hit_condition(text) == expected
    wrong: list[tuple[str, BreakpointSettings]] = [
        ("hit_condition", {"hit_condition": "=5"}), ("hit_condition", {"hit_condition": "> -1"}),
        ("hit_condition", {"hit_condition": "!= 3"}), ("hit_condition", {"hit_condition": "%0"}),
        ("hit_condition", {"hit_condition": "i > 5"}), ("hit_condition", {"hit_condition": "5.5"}),
        ("condition", {"condition": "i =="}), ("column", {"column": 0}),
        ("every", {"every": -1}), ("at_most", {"at_most": -1}),
        ("ignore_count", {"ignore_count": -1}), ("log_message", {"log_message": "{i"}),
    ]  # fmt: skip
    for name, settings in wrong:
        (problem,) = check_settings(settings, PYTHON).items()
        assert problem[0] == name
        assert problem[1]
    right: BreakpointSettings = {"condition": "i == 5", "hit_condition": ">5", "column": 1}
    assert check_settings(right, PYTHON) == {}


@pytest.mark.full
@pytest.mark.real
async def test_functions_and_files_that_come_later(tmp_path: Path) -> None:
    shop = MarkedProgram(
        tmp_path,
        """
        class Till:
            def open(self):
                amount = 1  #: body
                return amount
        def close():
            return 2  #: close
        """,
        "pkg/shop.py",
    )
    MarkedProgram(tmp_path, "", "pkg/__init__.py")
    code = MarkedProgram(
        tmp_path,
        """
        ready = 1  #: ready
        import pkg.shop
        pkg.shop.Till().open()
        pkg.shop.close()
        """,
    )
    async with started(code) as t:
        breakpoints = t.session.breakpoints
        found = await breakpoints.set_function("pkg.shop.Till.open", origin="tui")
        assert (found.path, found.line, found.status) == (shop.path, shop["body"], PENDING)
        later = await breakpoints.set(shop.path, shop["close"], origin="tui")
        assert (later.status, later.message) == (
            PENDING, "waits until the program imports this file",
        )  # fmt: skip
        unknown = await breakpoints.set_function("pkg.shop.Till.close", origin="tui")
        assert unknown.status is not SET
        assert unknown.message
        with pytest.raises(InvalidSetting):
            await breakpoints.set_function("no name", origin="tui")
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (shop["body"], (1,))
        assert {b.number: b.status for b in breakpoints.registry if b.path == shop.path} == {
            1: SET, 2: SET,
        }  # fmt: skip
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (shop["close"], (2,))
        disabled = await breakpoints.update(2, enabled=False, origin="tui")
        assert (disabled.enabled, disabled.status) == (False, SET)


@pytest.mark.real
async def test_another_function_for_the_same_breakpoint(tmp_path: Path) -> None:
    code = MarkedProgram(
        tmp_path,
        """
        def first():
            return 1
        def second():
            return 2  #: second
        first() + second() + second()  #: calls
        """,
    )
    async with started(code) as t:
        breakpoints = t.session.breakpoints
        found = await breakpoints.set_function("first", hit_condition="2", origin="tui")
        await breakpoints.set_function("second", origin="tui")
        told = await breakpoints.changing.rename(found, "second", "tui")
        assert (told.number, told.line, told.hit_condition) == (1, code["second"], "2")
        assert list(breakpoints.registry) == [told]
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (code["second"], (1,))
        assert breakpoints.registry.get(1).hits == 2


# Log points and tracepoints


@pytest.mark.real
async def test_what_is_told_without_stopping(tmp_path: Path) -> None:
    code = MarkedProgram(
        tmp_path,
        """
        class Item:
            name = "ORD-12345"
        def work(i, item, total=1.5):
            one = i  #: log
            two = i  #: trace
            three = i  #: plain
            four = i  #: stop
        for i in range(30):
            work(i, Item)
        """,
    )
    async with started(code) as t:
        breakpoints = t.session.breakpoints
        message = "Processing item: {item.name} {total} {{x}} {nope} {i + 1} {item.name!r}"
        told = "Processing item: ORD-12345 1.5 {x} <error: NameError> %d 'ORD-12345'"
        await breakpoints.set(
            code.path, code["log"], log_message=message, condition="i < 2", origin="tui"
        )
        await breakpoints.set(
            code.path,
            code["trace"],
            trace=True,
            log_message=message,
            every=2,
            at_most=3,
            origin="tui",
        )
        await breakpoints.set(
            code.path, code["plain"], trace=True, condition="i in (0, 19)", origin="tui"
        )
        await breakpoints.set(code.path, code["stop"], condition="i in (9, 19)", origin="tui")
        await t.go(Resume.CONTINUE)
        assert (t.hits, await value(t, "i")) == ((4,), "9")
        place = f"program.py:{code['log']}: "
        lines = [line for line in t.output("console").splitlines() if line.startswith(place)]
        assert lines == [place + told % (i + 1) for i in range(2)]
        traced = [r for r in t.session.trace if r.breakpoint == 2]
        assert [(r.count, r.text) for r in traced] == [(n, told % n) for n in (2, 4, 6)]
        assert {(r.path, r.line, r.thread) for r in traced} == {
            (code.path, code["trace"], "MainThread")
        }
        plain = [(r.count, r.text) for r in t.session.trace if r.breakpoint == 3]
        assert plain == [(1, "")]
        listed = {b.number: (b.trace, b.stops, b.enabled, b.hits) for b in breakpoints.registry}
        assert listed == {
            1: (False, False, True, 2), 2: (True, False, False, 6), 3: (True, False, True, 1),
            4: (False, True, True, 1),
        }  # fmt: skip
        await breakpoints.update(2, enabled=True, origin="tui")
        await breakpoints.update(3, enabled=False, origin="tui")
        await t.go(Resume.CONTINUE)
        traced = [r for r in t.session.trace if r.breakpoint == 2]
        assert [r.count for r in traced] == [2, 4, 6, 8, 10, 12]
        assert not breakpoints.registry.get(2).enabled
        assert len([r for r in t.session.trace if r.breakpoint == 3]) == 1
        assert len(t.events(Stopped)) == t.session.stop_id == 3


# Exceptions


@pytest.mark.full
@pytest.mark.real
async def test_exceptions(tmp_path: Path) -> None:
    code = MarkedProgram(
        tmp_path,
        """
        class MyError(ValueError): pass
        def inner(kind):
            raise kind("boom")  #: raised
        def outer(kind):
            inner(kind)
        caught = 0
        for kind in (KeyError, ValueError, MyError):
            try:
                outer(kind)
            except Exception:
                caught += 1
        outer(MyError)
        """,
    )
    async with started(code) as t:
        breakpoints = t.session.breakpoints
        rule = ExceptionRule(type="builtins.ValueError")
        assert (rule.raised, rule.uncaught, rule.subtypes) == (True, True, True)
        with pytest.raises(InvalidSetting):
            await breakpoints.set_exception(
                ExceptionRule(type="ValueError", raised=False, uncaught=False), origin="tui"
            )
        one = await breakpoints.set_exception(rule, origin="tui")
        exactly = ExceptionRule(type="__main__.MyError", subtypes=False, uncaught=False)
        await breakpoints.set_exception(exactly, origin="tui")
        assert (one.kind, one.hits, one.enabled) == (BreakpointKind.EXCEPTION, 0, True)
        assert [b.number for b in breakpoints.registry] == [1, 2]
        assert breakpoints.registry.get(1).status is SET
        stops = []
        while not t.ended:
            await t.go(Resume.CONTINUE)
            if t.ended:
                break
            await t.until(lambda: t.session.stop and t.session.stop.exception)
            stop = t.session.stop
            assert stop is not None
            assert stop.exception is not None
            assert stop.reason is StopReason.EXCEPTION
            assert stop.exception.message == "boom"
            assert "outer" in stop.exception.stack_trace
            mode = stop.exception.break_mode
            stops.append((stop.exception.type.rpartition(".")[2], mode, t.hits))
            if mode == "always":
                assert t.line == code["raised"]
        assert stops == [
            ("ValueError", "always", (1,)),
            ("MyError", "always", (1, 2)),
            ("MyError", "always", (1, 2)),
            ("MyError", "unhandled", (1,)),
        ]
        assert {b.number: b.hits for b in breakpoints.registry} == {1: 4, 2: 2}


# Waiting for a hit


async def hit_of(t: SessionUnderTest, after: int, number: int | None, timeout: float) -> Any:
    """The first hit in the log after an entry, of one breakpoint or of any; as a front end waits.

    None when the time is over or the program has ended.
    """
    session = t.session

    def found() -> Stopped | None:
        for entry in session.events.since(after):
            event = entry.event
            hit = event.stop.hit_breakpoints if isinstance(event, Stopped) else ()
            if isinstance(event, Stopped) and hit and (number is None or number in hit):
                return event
        return None

    try:
        async with asyncio.timeout(timeout):
            await session.events.wait_for(lambda: found() is not None or t.ended)
    except TimeoutError:
        return None
    return found()


@pytest.mark.full
@pytest.mark.real
async def test_waiting_for_a_hit(tmp_path: Path) -> None:
    code = MarkedProgram(
        tmp_path,
        """
        def work(i):
            traced = i  #: trace
            value = i  #: first
            return value  #: second
        for i in range(3):
            work(i)  #: loop
        try:
            {}[1]  #: error
        except KeyError:
            pass
        """,
    )
    async with started(code) as t:
        session, breakpoints = t.session, t.session.breakpoints
        await breakpoints.set(code.path, code["first"], origin="tui")
        await breakpoints.set(code.path, code["second"], condition="i == 1", origin="tui")
        await breakpoints.set(code.path, code["trace"], trace=True, origin="tui")
        await breakpoints.set_exception(
            ExceptionRule(type="KeyError", uncaught=False), origin="tui"
        )
        before = session.events.last_seq

        # Nothing comes: the time is over, and nothing has changed.
        begun = asyncio.get_running_loop().time()
        assert await hit_of(t, before, None, 0.2) is None
        assert 0.1 < asyncio.get_running_loop().time() - begun < 0.4
        assert (session.status, session.events.last_seq) == (Status.PAUSED, before)

        # Called while it is paused; a step and a tracepoint do not end it.
        waiting = asyncio.create_task(hit_of(t, before, None, 10))
        await t.go(Resume.STEP_OVER)
        assert (t.reason, waiting.done()) == (StopReason.STEP, False)
        await t.go(Resume.CONTINUE)
        first = (await waiting).stop
        assert (first.hit_breakpoints, first.thread_id > 0) == ((1,), True)
        assert len(session.trace) == 1
        assert breakpoints.registry.get(1).hits == 1

        # For one breakpoint: the hits of others go by, and other work goes on meanwhile.
        waiting = asyncio.create_task(hit_of(t, session.events.last_seq, 2, 10))
        await t.go(Resume.CONTINUE)
        assert (t.hits, waiting.done()) == ((1,), False)
        assert await value(t, "i") == "1"
        await t.go(Resume.CONTINUE)
        assert (await waiting).stop.hit_breakpoints == (2,)

        # A hit that came before anybody waited is not lost, and the next wait does not get it.
        before = session.events.last_seq
        await t.go(Resume.CONTINUE)
        hit = await hit_of(t, before, None, 10)
        assert hit is not None
        assert hit.stop.hit_breakpoints == (1,)
        assert await hit_of(t, session.events.last_seq, None, 0.05) is None

        # Exceptions count as well; the end ends the wait.
        waiting = asyncio.create_task(hit_of(t, session.events.last_seq, None, 10))
        await t.go(Resume.CONTINUE)
        assert (await waiting).stop.hit_breakpoints == (4,)
        waiting = asyncio.create_task(hit_of(t, session.events.last_seq, None, 10))
        await t.go(Resume.CONTINUE)
        assert (t.ended, await waiting) == (True, None)
        assert t.events(TraceProduced)
