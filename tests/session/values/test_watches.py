"""Watches: one list, one question a stop, and nothing an expression does holds anybody up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes import Script
from tests.support.interpreters import SUPPORTED, name_of
from tests.support.recording import PROGRAMS, record
from tests.support.sessions import (
    FakeSession,
    SessionUnderTest,
    debugpy_session,
    fake_session,
    until,
    within,
)
from tuidbg.adapters.languages import PYTHON
from tuidbg.config.stores.watch_store import WatchStore
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.core.values.watches import (
    KeptWatches,
    WatchNotFound,
    WatchResult,
    check_expression,
)
from tuidbg.session.model.errors import InvalidSessionState, InvalidSetting, StaleReply
from tuidbg.session.model.events import WatchesChanged
from tuidbg.session.model.state import ValueProblem

SOURCE = """\
import threading, time
class Base:
    def __init__(self):
        self.__secret = 7
class Slow:
    def __repr__(self):
        while True:
            pass
class Broken(Exception):
    def __str__(self):
        raise ValueError("no")
class Child(Base):
    def work(self, n):
        items = [1, {"a": [3]}]
        for i in range(n):
            items.append(i)
        return items
def fail():
    raise Broken
def spin():
    while True:
        pass
counter = iter(range(100))
slow = Slow()
lone = "\\udc80[b]x[/b]\\x1b[31m"
Child().work(3)
Child().work(1)
"""
APPEND, RETURN, CALL = 16, 17, 26
VERSIONS = sorted({min(SUPPORTED), (3, 11), max(SUPPORTED)} & set(SUPPORTED))


@asynccontextmanager
async def stopped(
    folder: Path, line: int = APPEND, python: str | None = None
) -> AsyncIterator[SessionUnderTest]:
    """The program above at a line, on a real debugpy."""
    target = folder / "work.py"
    target.write_text(SOURCE, encoding="utf-8")
    changes: dict[str, Any] = {"python": python} if python else {}
    async with debugpy_session(folder, target, **changes) as under_test:
        await under_test.session.breakpoints.set(str(target), line, origin="tui")
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        yield under_test


@asynccontextmanager
async def on_fake(folder: Path) -> AsyncIterator[FakeSession]:
    """The post office on an adapter that can't be asked inside."""
    source = folder / "parcels.py"
    source.write_bytes((PROGRAMS / "parcels.py").read_bytes())
    async with fake_session(folder, Script(record(source))) as under_test:
        await under_test.start()
        yield under_test


def shown(results: tuple[WatchResult, ...]) -> dict[str, str]:
    return {
        r.watch.expression: r.variable.value if r.variable is not None else f"! {r.error}"
        for r in results
    }


# The list


async def test_the_list_and_its_events(tmp_path: Path) -> None:
    async with fake_session(tmp_path) as under_test:
        session, watches = under_test.session, under_test.session.watches
        after = session.events.last_seq
        first = watches.add(" total ", origin="mcp")
        assert watches.add("total", origin="tui") is first, "twice is once"
        second = watches.add("price * 2", pinned=True, origin="tui")
        changed = watches.update(second.number, "price", origin="tui")
        assert (changed.number, changed.expression, changed.pinned) == (2, "price", False)
        assert watches.update(changed.number, "total", origin="tui") is first, "two of one are one"
        watches.remove(first.number, origin="tui")
        assert len(watches) == 0
        third = watches.add("again", origin="tui")
        assert third.number == 3, "numbers are never used again"
        events = [e for e in session.events.since(after) if isinstance(e.event, WatchesChanged)]
        assert [e.origin for e in events] == ["mcp", "tui", "tui", "tui", "tui", "tui"]
        assert events[-1].event == WatchesChanged(watches=(third,))
        for work in (
            lambda: watches.remove(1, origin="tui"),
            lambda: watches.update(1, "x", origin="tui"),
        ):
            with pytest.raises(WatchNotFound, match="no watch 1"):
                work()


@pytest.mark.parametrize("text", ["", "  ", "1 +", "x = 1", "await x", "import os", "a b"])
async def test_what_is_no_expression_is_refused(text: str, tmp_path: Path) -> None:
    assert check_expression(text, PYTHON)
    async with fake_session(tmp_path) as under_test:
        with pytest.raises(InvalidSetting):
            under_test.session.watches.add(text, origin="tui")
        assert len(under_test.session.watches) == 0


async def test_they_need_a_stop(tmp_path: Path) -> None:
    async with fake_session(tmp_path) as under_test:
        under_test.session.watches.add("x", origin="tui")
        with pytest.raises(InvalidSessionState):
            await under_test.session.watches.evaluate()


# On adapters that can't be asked inside


@pytest.mark.real
async def test_one_evaluation_each_on_other_adapters(tmp_path: Path) -> None:
    async with on_fake(tmp_path) as under_test:
        watches = under_test.session.watches
        for expression in ("PRICES", "1 + 1", "nothing"):
            watches.add(expression, origin="tui")
        await under_test.session.breakpoints.set(under_test.session.plan.target, 27, origin="tui")
        await under_test.go(Resume.CONTINUE)
        frame = under_test.session.frames[0].id
        results = await watches.evaluate(wanted={"PRICES": ChildrenRequest()})
        assert shown(results)["1 + 1"] == "2"
        assert "NameError" in results[2].error and results[2].node is None
        asked = [a for a in under_test.sent("evaluate") if a.get("context") == "watch"]
        assert [a["expression"] for a in asked] == ["PRICES", "1 + 1", "nothing"]
        assert {a["frameId"] for a in asked} == {frame}
        prices = results[0].node
        assert prices is not None and prices.children is not None
        assert prices.children[0].variable.name


# On debugpy


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("version", VERSIONS, ids=name_of)
async def test_all_in_one_question(version: tuple[int, int], tmp_path: Path) -> None:
    async with stopped(tmp_path, python=SUPPORTED[version]) as under_test:
        watches = under_test.session.watches
        wanted = {
            "items": "[1, {'a': [3]}]",
            "self.__secret": "7",
            "[x for x in range(n) if x >= i]": "[0, 1, 2]",
            "next(counter)": "0",
            "(walrus := 5)": "5",
            "{}": "{}",
            "nope": "! NameError: name 'nope' is not defined",
            "1/0": "! ZeroDivisionError: division by zero",
            "fail()": "! Broken",
            "int('x')": "! ValueError: invalid literal for int() with base 10: 'x'",
            "__import__('sys').exit(3)": "! SystemExit: 3",
            "lone": "'\\udc80[b]x[/b]\\x1b[31m'",
        }
        for expression in wanted:
            watches.add(expression, origin="tui")
        before = len(under_test.sent("evaluate"))
        await watches.evaluate()
        installed = len(under_test.sent("evaluate"))
        results = await watches.evaluate()
        assert len(under_test.sent("evaluate")) == installed + 1
        assert installed - before <= 6, "the modules are put there once"
        found = shown(results)
        assert found.pop("next(counter)") == "1"
        del wanted["next(counter)"]
        assert found == wanted
        assert results[6].is_unknown and not results[7].is_unknown
        assert "walrus" not in await under_test.locals()


@pytest.mark.full
@pytest.mark.real
async def test_they_open_like_variables_and_are_not_evaluated_again(tmp_path: Path) -> None:
    async with stopped(tmp_path) as under_test:
        watches, values = under_test.session.watches, under_test.session.values
        watches.add("items", origin="tui")
        watches.add("[next(counter), items]", origin="tui")
        results = await watches.evaluate(
            wanted={"items": ChildrenRequest(children={"1": ChildrenRequest()})}
        )
        items, made = (result.node for result in results)
        assert items is not None and items.children is not None and made is not None
        assert [c.variable.value for c in items.children] == ["1", "{'a': [3]}"]
        (below,) = items.children[1].children or ()
        assert (below.variable.name, below.variable.value) == ("'a'", "[3]")
        assert below.variable.evaluate_name == "(items)[1]['a']"
        first, _ = await values.variables(made.variable.reference)
        assert first.value == "0"
        assert (await values.variables(made.variable.reference))[0].value == "0"
        assert shown(await watches.evaluate())["[next(counter), items]"].startswith("[1,")


@pytest.mark.full
@pytest.mark.real
async def test_what_changed_since_the_last_stop(tmp_path: Path) -> None:
    async with stopped(tmp_path) as under_test:
        watches = under_test.session.watches
        for expression in ("i", "n", "len(items)", "j"):
            watches.add(expression, origin="tui")
        assert [r.changed for r in await watches.evaluate()] == [False] * 4
        await under_test.go(Resume.CONTINUE)
        assert [r.changed for r in await watches.evaluate()] == [True, False, True, False]
        assert [r.changed for r in await watches.evaluate()] == [True, False, True, False]
        outer = under_test.session.frames[1].id
        results = await watches.evaluate(outer)
        assert all(r.is_unknown and not r.changed for r in results if r.watch.expression != "j")


@pytest.mark.full
@pytest.mark.real
async def test_a_slow_one_is_ended_and_left_out_unless_asked_for(tmp_path: Path) -> None:
    async with stopped(tmp_path) as under_test:
        watches = under_test.session.watches
        for expression in ("n", "spin()", "time.sleep(0.9) or 5", "i", "slow"):
            watches.add(expression, origin="tui")
        begun = time.monotonic()
        results = await watches.evaluate()
        assert time.monotonic() - begun < 5
        assert [r.is_slow for r in results] == [False, True, True, False, False]
        assert "takes more than" in results[1].error
        assert (shown(results)["n"], shown(results)["i"]) == ("3", "0")
        slow = results[4].variable
        assert slow is not None and slow.problem is ValueProblem.SLOW
        begun = time.monotonic()
        results = await watches.evaluate()
        assert time.monotonic() - begun < 1
        assert results[1].is_slow and results[2].is_slow
        results = await watches.evaluate(asked=3)
        assert shown(results)["time.sleep(0.9) or 5"] == "5" and results[1].is_slow


@pytest.mark.full
@pytest.mark.real
async def test_many_that_are_a_little_slow_take_no_long_time_together(tmp_path: Path) -> None:
    async with stopped(tmp_path) as under_test:
        watches = under_test.session.watches
        for number in range(20):
            watches.add(f"time.sleep(0.15) or {number}", origin="tui")
        begun = time.monotonic()
        results = await watches.evaluate()
        assert time.monotonic() - begun < 4
        assert not any(r.is_slow for r in results)
        assert results[0].variable is not None
        assert "the others took too long" in results[-1].error


@pytest.mark.full
@pytest.mark.real
async def test_an_answer_of_an_earlier_stop_is_refused(tmp_path: Path) -> None:
    async with stopped(tmp_path) as under_test:
        under_test.session.watches.add("time.sleep(0.2)", origin="tui")
        evaluating = asyncio.ensure_future(under_test.session.watches.evaluate())
        await until(lambda: under_test.session.inspection.evaluations, "it is asked")
        await under_test.go(Resume.CONTINUE)
        with pytest.raises(StaleReply):
            await evaluating


@pytest.mark.full
@pytest.mark.real
async def test_twenty_take_one_round_trip_and_little_time(tmp_path: Path) -> None:
    async with stopped(tmp_path) as under_test:
        watches = under_test.session.watches
        for number in range(20):
            watches.add(f"len(items) * {number} + i", origin="tui")
        await watches.evaluate()
        asked = len(under_test.sent("evaluate"))
        await within(1.0, watches.evaluate())
        assert len(under_test.sent("evaluate")) == asked + 1


# Kept for the next run


async def test_they_are_there_again_the_next_time(tmp_path: Path) -> None:
    file = tmp_path / "state" / "project.watches.json"
    for round_number in range(2):
        async with fake_session(tmp_path) as under_test:
            kept = KeptWatches(under_test.session, WatchStore(tmp_path, "app.py", file))
            await kept.restore()
            watches = under_test.session.watches
            if round_number == 0:
                watches.add("total", origin="tui")
                pinned = watches.add("self.name", pinned=True, origin="tui")
                await until(lambda: file.exists() and b"self.name" in file.read_bytes(), "saved")
                watches.update(pinned.number, "self.title", origin="tui")
                watches.add("last", pinned=True, origin="tui")
            else:
                assert [(w.number, w.expression, w.pinned) for w in watches] == [
                    (1, "total", False),
                    (2, "self.title", False),
                    (3, "last", True),
                ]
            assert await kept.close() == ""
            assert await kept.close() == ""


async def test_a_store_that_fails_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file" / "x.json"
    (tmp_path / "file").write_text("in the way")
    async with fake_session(tmp_path) as under_test:
        kept = KeptWatches(under_test.session, WatchStore(tmp_path, "app.py", file))
        await kept.restore()
        for expression in "ab":
            under_test.session.watches.add(expression, origin="tui")
        assert "can't be saved" in await kept.close()


async def test_without_watches_nothing_is_loaded_or_written(tmp_path: Path) -> None:
    async with fake_session(tmp_path) as under_test:
        kept = KeptWatches(
            under_test.session, WatchStore(tmp_path, "app.py", tmp_path / "s" / "x.json")
        )
        await kept.restore()
        assert await kept.close() == ""
        assert not (tmp_path / "s").exists()
        assert under_test.session.watches_in_use is None


@pytest.mark.full
@pytest.mark.real
async def test_who_takes_the_values_not_compared_leaves_the_marks_of_others_alone(
    tmp_path: Path,
) -> None:
    async with stopped(tmp_path) as under_test:
        watches = under_test.session.watches
        watches.add("len(items)", origin="tui")
        await watches.evaluate(under_test.session.frames[0].id)
        await under_test.go(Resume.CONTINUE)
        top, caller = (frame.id for frame in under_test.session.frames[:2])
        for frame in (caller, top):  # a program looks first, and elsewhere
            (seen,) = await watches.evaluate(frame, compared=False)
            assert not seen.changed
        (seen,) = await watches.evaluate(top)
        assert seen.changed
