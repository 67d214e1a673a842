"""A program is recorded, and its past is looked at as if it stood there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, Version, name_of
from tests.support.marked import MarkedProgram
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.config.launch import DEMO
from tuidbg.recording import texts
from tuidbg.recording.stepping import StepDirection
from tuidbg.recording.timeline import Moment
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.features.recording.recorded_run import (
    CannotRecord,
    NothingRecorded,
    RecordedRun,
)
from tuidbg.session.model.errors import StaleReply

pytestmark = pytest.mark.real

RECORDED = [version for version in SUPPORTED if version >= (3, 12)]
each_python = pytest.mark.parametrize("version", RECORDED, ids=name_of)
NEWEST = max(RECORDED, default=(3, 13))

SHOP = """
class Cart:
    def __init__(self):
        self.items = []
        self.total = 0

    def add(self, price):
        self.items.append(price)
        self.total += price  #: total
        return self.total

def main():
    cart = Cart()
    for price in (2, 7, 3):
        paid = cart.add(price)  #: add
    left = 20 - cart.total
    print("left", left)  #: stop
    return left  #: end

main()
print("over")  #: over
"""

WITHOUT_GIL = """
import sys
sys._is_gil_enabled = lambda: False
print("ready")  #: here
"""

Values = dict[str, str]


async def values_at(session: SessionUnderTest, moment: Moment, frame: int = 0) -> Values:
    """The variables of a call at a moment, as they are shown."""
    frames = RecordedRun.of(session.session).values.frames(moment)
    roots = await session.session.values.look(frames[frame].id, {"Locals": ChildrenRequest()})
    return {node.variable.name: node.variable.value for node in roots[0].children or ()}


async def present(under_test: SessionUnderTest) -> Moment:
    return await RecordedRun.of(under_test.session).present(under_test.session.frames[0].id)


def line_of(under_test: SessionUnderTest, moment: Moment) -> tuple[str, int]:
    frame = RecordedRun.of(under_test.session).timeline.stack(moment)[0]
    return frame.name, frame.line


@pytest.mark.full
@each_python
async def test_lines_that_ran_before_are_gone_back_over(tmp_path: Path, version: Version) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    async with debugpy_session(tmp_path, marked.path, python=SUPPORTED[version]) as under_test:
        session = under_test.session
        await session.breakpoints.set(marked.path, marked["stop"], origin="tui")
        await under_test.start()
        await RecordedRun.of(session).begin("tui")
        await under_test.go(Resume.CONTINUE)
        now = await present(under_test)
        assert line_of(under_test, now) == ("main", marked["stop"])
        assert (await values_at(under_test, now))["left"] == "8"
        before = RecordedRun.of(session).back(now, StepDirection.OVER)
        assert before is not None and line_of(under_test, before)[1] == marked["stop"] - 1
        assert "left" not in await values_at(under_test, before)
        inside = RecordedRun.of(session).back(
            before, StepDirection.OVER
        )  # the loop's head, at its end
        inside = (
            RecordedRun.of(session).back(inside, StepDirection.INTO) if inside is not None else None
        )
        assert inside is not None and line_of(under_test, inside)[0] == "Cart.add"
        assert await values_at(under_test, inside) == {
            "self": "Cart(items=[2, 7, 3], total=12)",
            "price": "3",
        }
        caller = await values_at(under_test, inside, frame=1)
        assert (caller["price"], caller["paid"]) == ("3", "9")
        out = RecordedRun.of(session).back(inside, StepDirection.OUT)
        assert out is not None and line_of(under_test, out) == ("main", marked["add"])
        again = RecordedRun.of(session).forth(out, StepDirection.OVER)
        assert again is not None and (await values_at(under_test, again))["paid"] == "12"


@pytest.mark.skipif(not RECORDED, reason="there is no Python 3.12 or newer")
async def test_the_demo_is_recorded_though_it_lies_in_tuidbg(tmp_path: Path) -> None:
    python = SUPPORTED[NEWEST]
    async with debugpy_session(tmp_path, DEMO, python=python, record=True) as under_test:
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        now = await present(under_test)
        assert line_of(under_test, now)[0] == "Counter.sell"
        assert (await values_at(under_test, now))["left"] == "-1"


@pytest.mark.full
@each_python
async def test_a_breakpoint_before_is_gone_back_to(tmp_path: Path, version: Version) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    async with debugpy_session(tmp_path, marked.path, python=SUPPORTED[version]) as under_test:
        session = under_test.session
        await session.breakpoints.set(marked.path, marked["stop"], origin="tui")
        await under_test.start()
        await RecordedRun.of(session).begin("tui")
        await under_test.go(Resume.CONTINUE)
        await session.breakpoints.toggle(marked.path, marked["stop"], origin="tui")
        await session.breakpoints.set(marked.path, marked["total"], origin="tui")
        moment, totals = await present(under_test), []
        while (found := RecordedRun.of(session).back(moment, StepDirection.BREAKPOINT)) is not None:
            moment = found
            totals.append((await values_at(under_test, moment))["self"])
        assert totals == [
            "Cart(items=[2, 7, 3], total=9)",
            "Cart(items=[2, 7], total=2)",
            "Cart(items=[2], total=0)",
        ]
        assert RecordedRun.of(session).forth(moment, StepDirection.BREAKPOINT) is not None


@pytest.mark.full
async def test_what_the_person_does_at_a_stop_is_seen_and_not_recorded_as_lines(
    tmp_path: Path,
) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    async with debugpy_session(tmp_path, marked.path, python=SUPPORTED[NEWEST]) as under_test:
        session = under_test.session
        for mark in ("stop", "end"):
            await session.breakpoints.set(marked.path, marked[mark], origin="tui")
        await under_test.start()
        await RecordedRun.of(session).begin("tui")
        await under_test.go(Resume.CONTINUE)
        before = await present(under_test)
        frame = session.frames[0].id
        await session.inspection.evaluate("Cart().add(5)", frame, "repl")
        await session.inspection.evaluate("cart.total = 1000", frame, "repl")
        assert await present(under_test) == before
        await under_test.go(Resume.CONTINUE)
        now = await present(under_test)
        assert line_of(under_test, now) == ("main", marked["end"])
        assert (await values_at(under_test, now))["cart"] == "Cart(items=[2, 7, 3], total=1000)"
        assert (await values_at(under_test, before))["cart"] == "Cart(items=[2, 7, 3], total=12)"


@pytest.mark.full
@each_python
async def test_the_whole_run_of_an_ended_program(tmp_path: Path, version: Version) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    async with debugpy_session(
        tmp_path, marked.path, python=SUPPORTED[version], record=True, stop_on_entry=False
    ) as under_test:
        session = under_test.session
        await under_test.start()
        assert under_test.ended and "over" in under_test.console
        await under_test.until(
            lambda: not RecordedRun.of(session).is_on, "the end of the recording"
        )
        last = await RecordedRun.of(session).present(None)
        assert line_of(under_test, last) == ("<module>", marked["over"])
        first = last
        while (found := RecordedRun.of(session).timeline.before(first)) is not None:
            first = found
        assert line_of(under_test, first)[0] == "<module>"
        folders = RecordedRun.of(session).values.frames(first)
        assert len(folders) == 1, "nothing of what starts the program is recorded"


async def test_what_can_be_opened_is_opened(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    async with debugpy_session(tmp_path, marked.path, python=SUPPORTED[NEWEST]) as under_test:
        session = under_test.session
        await session.breakpoints.set(marked.path, marked["stop"], origin="tui")
        await under_test.start()
        await RecordedRun.of(session).begin("tui")
        await under_test.go(Resume.CONTINUE)
        frames = RecordedRun.of(session).values.frames(await present(under_test))
        wanted = {
            "Locals": ChildrenRequest(
                children={"cart": ChildrenRequest(children={"items": ChildrenRequest()})}
            )
        }
        roots = await session.values.look(frames[0].id, wanted)
        cart = next(n for n in roots[0].children or () if n.variable.name == "cart")
        assert [n.variable.name for n in cart.children or ()] == ["items", "total"]
        items = (cart.children or ())[0]
        assert [n.variable.value for n in items.children or ()] == ["2", "7", "3"]
        nodes, start, total = await session.values.children(
            items.variable.reference, ChildrenRequest(start=1, count=1)
        )
        assert ([n.variable.value for n in nodes], start, total) == (["7"], 1, 3)
        with pytest.raises(StaleReply):
            await session.values.look(-10_000, {})


@pytest.mark.full
@pytest.mark.skipif((3, 11) not in SUPPORTED, reason="there is no Python 3.11")
async def test_older_pythons_are_refused_in_words(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    async with debugpy_session(tmp_path, marked.path, python=SUPPORTED[3, 11]) as under_test:
        await under_test.start()
        with pytest.raises(CannotRecord, match=r"needs Python 3\.12 or newer"):
            await RecordedRun.of(under_test.session).begin("tui")
        with pytest.raises(NothingRecorded, match="nothing is recorded"):
            await present(under_test)


@pytest.mark.skipif(not RECORDED, reason="there is no Python 3.12 or newer")
async def test_a_python_without_the_gil_is_refused_in_words(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, WITHOUT_GIL)
    async with debugpy_session(
        tmp_path, marked.path, python=SUPPORTED[NEWEST], record=True, stop_on_entry=False
    ) as under_test:
        past = RecordedRun.of(under_test.session)
        await under_test.session.breakpoints.set(marked.path, marked["here"], origin="tui")
        await under_test.start()
        assert past.is_on and not past.obstacle, "it has a GIL as it begins"
        await past.end("tui")
        with pytest.raises(CannotRecord, match=r"needs the GIL, .* PYTHON_GIL=1"):
            await past.begin("tui")
        assert not past.is_on


BEFORE_ENDS_ARE_TOLD = max((each for each in RECORDED if each < (3, 14)), default=None)


@pytest.mark.skipif(BEFORE_ENDS_ARE_TOLD is None, reason="there is no Python 3.12 or 3.13")
async def test_why_the_compiled_recorder_is_not_used_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert BEFORE_ENDS_ARE_TOLD is not None
    monkeypatch.setenv("TUIDBG_RECORDER", "compiled")
    monkeypatch.setattr(texts, "_INSTALLED", Path(__file__))  # it is not even loaded
    python = SUPPORTED[BEFORE_ENDS_ARE_TOLD]
    marked = MarkedProgram(tmp_path, SHOP)
    async with debugpy_session(tmp_path, marked.path, python=python, record=True) as under_test:
        past = RecordedRun.of(under_test.session)
        await under_test.session.breakpoints.set(marked.path, marked["stop"], origin="tui")
        await under_test.start()
        await present(under_test)
        assert past.recorder == "python"
        assert past.why_slower == "CPython before 3.14 does not report the end of each object"


async def test_who_asks_again_at_once_gets_the_same_answer(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    async with debugpy_session(tmp_path, marked.path, python=SUPPORTED[3, 11]) as under_test:
        past = RecordedRun.of(under_test.session)
        await under_test.start()
        asked = [past.begin("tui"), past.begin("tui"), past.finish()]
        first, second, none = await asyncio.gather(*asked, return_exceptions=True)
        assert isinstance(first, CannotRecord) and isinstance(second, CannotRecord)
        assert none is None and not past.is_on


@pytest.mark.full
async def test_a_recording_that_is_asked_for_twice_begins_once(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    async with debugpy_session(tmp_path, marked.path, python=SUPPORTED[NEWEST]) as under_test:
        past = RecordedRun.of(under_test.session)
        await under_test.start()
        await asyncio.gather(past.begin("tui"), past.begin("rest"), past.begin("tui"))
        assert past.is_on and past.number == 1
        await under_test.go(Resume.CONTINUE)
        await under_test.until(lambda: not past.is_on, "the end of the recording")
        assert not past.is_empty


@pytest.mark.full
async def test_what_was_recorded_stays_when_the_recording_ends(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    async with debugpy_session(tmp_path, marked.path, python=SUPPORTED[NEWEST]) as under_test:
        session = under_test.session
        for mark in ("add", "stop"):
            await session.breakpoints.set(marked.path, marked[mark], origin="tui")
        await under_test.start()
        await RecordedRun.of(session).begin("tui")
        await under_test.go(Resume.CONTINUE)
        await RecordedRun.of(session).end("tui")
        assert not RecordedRun.of(session).is_on and not RecordedRun.of(session).is_empty
        await under_test.go(Resume.CONTINUE)
        last = await RecordedRun.of(session).present(None)
        assert line_of(under_test, last) == ("main", marked["add"])
        await RecordedRun.of(session).begin("tui")
        await under_test.go(Resume.CONTINUE)
        assert (await present(under_test)).when > 0
