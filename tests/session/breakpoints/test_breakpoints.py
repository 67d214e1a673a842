"""Breakpoints: the intent is kept, the adapter's answer stands beside it, and none ever moves."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.fakes import CAPABILITIES, Script, lines_of, rule
from tests.support.recording import busy, count_up, moment, program
from tests.support.sessions import FakeSession, debugpy_session, fake_session
from tuidbg.adapters.languages import PYTHON
from tuidbg.adapters.traits import SourceFacts
from tuidbg.session.core.breakpoints.predicates import check_condition, nearest_line
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import BreakpointNotFound, InvalidCondition
from tuidbg.session.model.events import BreakpointsChanged
from tuidbg.session.model.state import Breakpoint, BreakpointStatus, Place, Status

PATH = "/demo/count.py"
OTHER = "/demo/other.py"
SET, REFUSED, PENDING = BreakpointStatus.SET, BreakpointStatus.REFUSED, BreakpointStatus.PENDING


def gaps(**more: Any) -> Script:
    """A program with code on lines 1, 2, 5 and 9 only, and another file with 1 and 2."""
    script = Script(program([moment(PATH, line, i=line) for line in (1, 2, 5, 9)]), **more)
    script.program["code_lines"][OTHER] = [1, 2]
    return script


def sent(under_test: FakeSession, path: str = PATH) -> list[list[int]]:
    """The lines of each list that was sent for a file."""
    return [
        lines_of(arguments["breakpoints"])
        for arguments in under_test.fake.arguments_of("setBreakpoints")
        if arguments["source"] == {"path": path}
    ]


def history(under_test: FakeSession, number: int) -> list[BreakpointStatus]:
    """Returns what a front end was told of a breakpoint, without repetitions."""
    told = [
        changed.status
        for event in under_test.events(BreakpointsChanged)
        for changed in event.changed
        if changed.number == number
    ]
    return [status for index, status in enumerate(told) if told[index - 1 : index] != [status]]


async def test_each_change_sends_the_files_whole_list(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps()) as under_test:
        await under_test.start()
        breakpoints = under_test.session.breakpoints
        await breakpoints.set(PATH, 5, origin="tui")
        await breakpoints.set(PATH, 2, origin="tui")
        await breakpoints.set(OTHER, 1, origin="tui")
        await breakpoints.toggle(PATH, 5, origin="tui")
        await breakpoints.toggle(PATH, 2, origin="tui")
        assert sent(under_test) == [[5], [2, 5], [2], []]
        assert sent(under_test, OTHER) == [[1]]


async def test_a_change_is_told_at_once_and_again_with_the_answer(tmp_path: Path) -> None:
    script = gaps(rules=[rule("setBreakpoints", "hold", nth=1)])
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        setting = asyncio.create_task(under_test.session.breakpoints.set(PATH, 5, origin="rest"))
        await under_test.fake.until_request("setBreakpoints")
        assert history(under_test, 1) == [PENDING]
        await under_test.fake.release("setBreakpoints")
        told = await setting
        assert (told.number, told.path, told.line, told.origin) == (1, PATH, 5, "rest")
        assert told.status is SET
        assert told.places == (Place(path=PATH, line=5),)
        assert history(under_test, 1) == [PENDING, SET]
        origins = [
            e.origin for e in under_test.session.events.since(0)
            if isinstance(e.event, BreakpointsChanged)
        ]  # fmt: skip
        assert origins == ["rest", "adapter"]


async def test_numbers_are_never_used_again(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps()) as under_test:
        breakpoints = under_test.session.breakpoints
        assert [(await breakpoints.set(PATH, line, origin="tui")).number for line in (1, 2)] == [
            1,
            2,
        ]
        await breakpoints.remove(2, origin="tui")
        assert (await breakpoints.set(PATH, 2, origin="tui")).number == 3
        with pytest.raises(BreakpointNotFound, match="there is no breakpoint 2"):
            await breakpoints.update(2, enabled=False, origin="tui")
        for attempt in (breakpoints.remove(2, origin="tui"), breakpoints.move(2, 1, origin="tui")):
            with pytest.raises(BreakpointNotFound):
                await attempt


async def test_setting_it_again_changes_it(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps()) as under_test:
        await under_test.start()
        breakpoints = under_test.session.breakpoints
        await breakpoints.set(PATH, 5, origin="tui")
        await breakpoints.set(PATH, 5, condition=" i == 5 ", origin="tui")
        found = under_test.breakpoint(5)
        assert (found.number, found.condition, found.status) == (1, "i == 5", SET)
        last = under_test.fake.arguments_of("setBreakpoints")[-1]
        assert last["breakpoints"] == [{"line": 5, "condition": "i == 5"}]
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == 5


# Never moved


@pytest.mark.parametrize("asked", [3, 4, 6, 50])
async def test_a_moved_one_is_taken_back_and_refused(asked: int, tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps(quirks={"breakpoints": "up"})) as under_test:
        await under_test.start()
        breakpoints = under_test.session.breakpoints
        await breakpoints.set(PATH, 1, origin="tui")
        found = await breakpoints.set(PATH, asked, origin="tui")
        offered = max(line for line in (1, 2, 5, 9) if line <= asked)
        assert (found.line, found.status, found.suggested_line) == (asked, REFUSED, offered)
        assert found.message == f"no executable code at line {asked}"
        assert sent(under_test) == [[1], [1, asked], [1]]
        assert SET not in history(under_test, found.number)
        moved = await breakpoints.move(found.number, offered if offered != 1 else 2, origin="tui")
        assert (moved.status, moved.message, moved.suggested_line) == (SET, "", None)
        assert moved.number == found.number


async def test_no_stop_near_a_refused_one(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps(quirks={"breakpoints": "up"})) as under_test:
        await under_test.session.breakpoints.set(PATH, 4, origin="tui")
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        assert under_test.ended


async def test_the_interpreter_knows_it_before_anything_runs(tmp_path: Path) -> None:
    source = tmp_path / "source.py"
    source.write_text("a = 1\n\n\nb = 2\n", encoding="utf-8")
    path = str(source)
    script = Script(program([moment(path, 1), moment(path, 4)], code_lines={path: [1, 4]}))
    async with fake_session(tmp_path, script, target=path) as under_test:
        under_test.profile.code_lines = {path: (1, 4)}
        breakpoints = under_test.session.breakpoints
        assert (await breakpoints.set(path, 4, origin="tui")).status is PENDING
        near = await breakpoints.set(path, 2, origin="tui")
        assert (near.status, near.suggested_line) == (REFUSED, 1)
        assert near.message == "no executable code at line 2"
        past = await breakpoints.set(path, 99, origin="tui")
        assert (past.status, past.suggested_line) == (REFUSED, 4)
        assert past.message == "line 99 is past the last line of code, 4"
        await under_test.start()
        assert sent(under_test, path) == [[4]]
        assert under_test.breakpoint(4).status is SET


async def test_an_edited_source_is_asked_about_again(tmp_path: Path) -> None:
    source = tmp_path / "source.py"
    source.write_text("a = 1\n\n", encoding="utf-8")
    path = str(source)
    script = Script(program([moment(path, 1)], code_lines={path: [1, 2]}))
    async with fake_session(tmp_path, script, target=path) as under_test:
        under_test.profile.code_lines = {path: (1,)}
        await under_test.start()
        breakpoints = under_test.session.breakpoints
        assert (await breakpoints.set(path, 2, origin="tui")).status is REFUSED
        under_test.profile.code_lines = {path: (1, 2)}
        source.write_text("a = 1\nb = 2\n", encoding="utf-8")
        await breakpoints.source_changed(path)
        assert under_test.breakpoint(2).status is REFUSED  # in what the program still runs
        await under_test.session.lifecycle.restart()
        assert under_test.breakpoint(2).status is SET


async def test_refused_with_the_adapters_words(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps(quirks={"refuse": {"5": "optimised away"}})) as s:
        await s.start()
        await s.session.breakpoints.set(PATH, 2, origin="tui")
        found = await s.session.breakpoints.set(PATH, 5, origin="tui")
        assert (found.status, found.message, found.suggested_line) == (
            REFUSED, "optimised away", None,
        )  # fmt: skip
        assert s.breakpoint(2).status is SET


async def test_a_refused_one_is_asked_for_again_when_it_is_changed(tmp_path: Path) -> None:
    """An adapter may have refused its condition (dlv)."""
    script = gaps(quirks={"refuse": {"5": "bad condition"}})
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        breakpoints = under_test.session.breakpoints
        found = await breakpoints.set(PATH, 5, condition="i == 99", origin="tui")
        assert found.status is REFUSED
        await breakpoints.update(found.number, condition="i == 5", origin="tui")
        assert history(under_test, 1) == [PENDING, REFUSED, PENDING, REFUSED]
        assert sent(under_test) == [[5], [5]]


async def test_a_refused_one_is_asked_for_again_by_a_restart(tmp_path: Path) -> None:
    script = gaps(quirks={"refuse": {"5": "not yet"}})
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        await under_test.session.breakpoints.set(PATH, 5, origin="tui")
        under_test.script.quirks.clear()
        await under_test.session.lifecycle.restart()
        assert under_test.breakpoint(5).status is SET


# Odd answers


async def test_a_reply_that_is_too_short(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps(quirks={"short_replies": 1})) as under_test:
        breakpoints = under_test.session.breakpoints
        for line in (1, 2, 5):
            await breakpoints.set(PATH, line, origin="tui")
        await under_test.start()
        found = {b.line: b.status for b in breakpoints.registry}
        assert found == {1: SET, 2: SET, 5: REFUSED}
        assert under_test.breakpoint(5).message == "the debug adapter gave no answer for it"


async def test_a_reply_without_ids_or_lines(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps(quirks={"no_ids": True, "no_lines": True})) as s:
        await s.session.breakpoints.set(PATH, 5, origin="tui")
        await s.start()
        assert s.breakpoint(5).status is SET
        await s.go(Resume.CONTINUE)
        assert (s.line, s.session.stop and s.session.stop.hit_breakpoints) == (5, (1,))


@pytest.mark.parametrize("body", [{}, {"breakpoints": None}, {"breakpoints": [5]}])
async def test_a_reply_that_makes_no_sense(body: dict[str, Any], tmp_path: Path) -> None:
    script = gaps(rules=[rule("setBreakpoints", "body", body=body)])
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        found = await under_test.session.breakpoints.set(PATH, 5, origin="tui")
        assert found.status is not SET
        assert found.message
        assert under_test.session.status is Status.PAUSED


async def test_a_request_that_the_adapter_refuses(tmp_path: Path) -> None:
    """Told on the breakpoint itself; it is kept and asked for again with the next change."""
    script = gaps(rules=[rule("setBreakpoints", "fail", nth=1, message="not now")])
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        breakpoints = under_test.session.breakpoints
        found = await breakpoints.set(PATH, 5, origin="tui")
        assert (found.status, found.message) == (PENDING, "not now")
        await breakpoints.set(PATH, 2, origin="tui")
        found = under_test.breakpoint(5)
        assert (found.status, found.message) == (SET, "")


async def test_no_condition_for_an_adapter_that_knows_none(tmp_path: Path) -> None:
    """It would stop at every pass."""
    known = {k: v for k, v in CAPABILITIES.items() if k != "supportsConditionalBreakpoints"}
    async with fake_session(tmp_path, gaps(capabilities=known)) as under_test:
        breakpoints = under_test.session.breakpoints
        await breakpoints.set(PATH, 5, condition="i == 99", origin="tui")
        await breakpoints.set(PATH, 9, origin="tui")
        await under_test.start()
        found = under_test.breakpoint(5)
        assert (found.status, found.condition) == (REFUSED, "i == 99")
        assert found.message == "this debug adapter knows no conditions"
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == 9
        assert (await breakpoints.update(1, condition="", origin="tui")).status is SET


async def test_changes_faster_than_the_adapter(tmp_path: Path) -> None:
    """Set, moved and deleted while the first list is on its way: the last word counts."""
    script = gaps(rules=[rule("setBreakpoints", "hold", nth=1)], quirks={"breakpoints": "up"})
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        breakpoints = under_test.session.breakpoints
        work: list[asyncio.Task[Any]] = [
            asyncio.create_task(breakpoints.set(PATH, 3, origin="tui"))
        ]
        await under_test.fake.until_request("setBreakpoints")
        number = under_test.breakpoint(3).number
        work.append(asyncio.create_task(breakpoints.move(number, 5, origin="tui")))
        work.append(asyncio.create_task(breakpoints.set(PATH, 4, origin="tui")))
        work.append(asyncio.create_task(breakpoints.set(PATH, 9, origin="tui")))
        await under_test.until(lambda: len(breakpoints.registry) == 3)
        work.append(asyncio.create_task(breakpoints.toggle(PATH, 9, origin="tui")))
        await under_test.until(lambda: len(breakpoints.registry) == 2)
        await under_test.fake.release("setBreakpoints")
        done, _ = await asyncio.wait(work, timeout=5)
        assert len(done) == len(work)
        assert {b.line: b.status for b in breakpoints.registry} == {5: SET, 4: REFUSED}
        assert sent(under_test)[-1] == [5]


async def test_a_move_while_the_reason_of_a_refusal_is_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with fake_session(tmp_path, gaps(quirks={"breakpoints": "up"})) as under_test:
        await under_test.start()
        breakpoints, facts = under_test.session.breakpoints, under_test.session.facts
        look_up, moving = facts.of, list[asyncio.Task[Any]]()

        async def move_meanwhile(path: str) -> SourceFacts:
            if sent(under_test) and not moving:
                moving.append(asyncio.create_task(breakpoints.move(1, 5, origin="tui")))
                await under_test.until(lambda: 5 in {b.line for b in breakpoints.registry})
            return await look_up(path)

        monkeypatch.setattr(facts, "of", move_meanwhile)
        await breakpoints.set(PATH, 3, origin="tui")
        await asyncio.gather(*moving)
        assert {b.line: b.status for b in breakpoints.registry} == {5: SET}


async def test_a_change_of_the_condition_while_the_answer_is_on_its_way(tmp_path: Path) -> None:
    script = gaps(rules=[rule("setBreakpoints", "hold", nth=1)])
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        breakpoints = under_test.session.breakpoints
        first = asyncio.create_task(breakpoints.set(PATH, 5, condition="i == 1", origin="tui"))
        await under_test.fake.until_request("setBreakpoints")
        second = asyncio.create_task(breakpoints.set(PATH, 5, condition="i == 5", origin="tui"))
        await under_test.until(lambda: under_test.breakpoint(5).condition == "i == 5")
        await under_test.fake.release("setBreakpoints")
        await asyncio.gather(first, second)
        assert under_test.breakpoint(5).status is SET
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == 5


# Enabling, undoing


@pytest.mark.full
async def test_a_disabled_one_is_not_sent(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps()) as under_test:
        breakpoints = under_test.session.breakpoints
        await breakpoints.set(PATH, 2, enabled=False, origin="tui")
        await breakpoints.set(PATH, 5, origin="tui")
        await under_test.start()
        assert sent(under_test) == [[5]]
        await breakpoints.update(1, enabled=True, origin="tui")
        await breakpoints.update(2, enabled=False, origin="tui")
        assert sent(under_test) == [[5], [2, 5], [2]]
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == 2
        await under_test.go(Resume.CONTINUE)
        assert under_test.ended
        assert [b.enabled for b in breakpoints.registry] == [True, False]


@pytest.mark.full
async def test_undo_brings_back_what_was_deleted_last(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps()) as under_test:
        await under_test.start()
        breakpoints = under_test.session.breakpoints
        assert await breakpoints.restore(origin="tui") is None
        await breakpoints.set(PATH, 2, condition="i == 2", origin="tui")
        await breakpoints.set(PATH, 5, enabled=False, origin="tui")
        await breakpoints.set(PATH, 7, origin="tui")
        refused = under_test.breakpoint(7)
        for number in (1, 2, 3):
            await breakpoints.remove(number, origin="tui")
        assert under_test.events(BreakpointsChanged)[-1] == BreakpointsChanged(removed=(3,))
        assert await breakpoints.restore(origin="tui") == refused
        assert (await breakpoints.restore(origin="tui")) is not None
        restored = await breakpoints.restore(origin="tui")
        assert restored is not None
        assert (restored.number, restored.condition, restored.status) == (1, "i == 2", SET)
        assert under_test.breakpoint(5).enabled is False
        assert await breakpoints.restore(origin="tui") is None


async def test_undo_does_not_double(tmp_path: Path) -> None:
    """Where another was set at its line meanwhile, the one deleted before it comes back."""
    async with fake_session(tmp_path, gaps()) as under_test:
        breakpoints = under_test.session.breakpoints
        for line in (2, 5):
            await breakpoints.set(PATH, line, origin="tui")
        await breakpoints.remove(1, origin="tui")
        await breakpoints.remove(2, origin="tui")
        await breakpoints.set(PATH, 5, origin="tui")
        restored = await breakpoints.restore(origin="tui")
        assert restored is not None
        assert (restored.number, restored.line) == (1, 2)
        assert len(breakpoints.registry) == 2


async def test_a_restored_one_forgets_what_was_said_of_it(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps()) as under_test:
        await under_test.start()
        breakpoints = under_test.session.breakpoints
        await breakpoints.set(PATH, 7, origin="tui")
        await breakpoints.remove(1, origin="tui")
        await under_test.session.close()
        restored = await breakpoints.restore(origin="tui")
        assert restored is not None
        assert (restored.status, restored.message) == (PENDING, "")


async def test_moving_onto_another_one_replaces_it(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps()) as under_test:
        await under_test.start()
        breakpoints = under_test.session.breakpoints
        await breakpoints.set(PATH, 2, origin="tui")
        await breakpoints.set(PATH, 5, origin="tui")
        await breakpoints.move(1, 5, origin="tui")
        assert [(b.number, b.line, b.status) for b in breakpoints.registry] == [(1, 5, SET)]
        await breakpoints.move(1, 5, origin="tui")
        assert len(breakpoints.registry) == 1


# What the adapter tells later


async def change(under_test: FakeSession, reason: str, **told: Any) -> Breakpoint:
    """Send a ``breakpoint`` event of the breakpoint at line 5 and wait for what it does."""
    before = under_test.session.events.last_seq
    await under_test.fake.send_event("breakpoint", {"reason": reason, "breakpoint": told})
    await under_test.until(lambda: under_test.session.events.last_seq > before)
    await under_test.until(lambda: not under_test.has_work)
    return under_test.breakpoint(5)


async def test_events_of_the_adapter_are_shown(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps()) as under_test:
        await under_test.start()
        await under_test.session.breakpoints.set(PATH, 5, origin="tui")
        found = await change(under_test, "changed", id=1, verified=False, message="unloaded")
        assert (found.status, found.message) == (REFUSED, "unloaded")
        found = await change(under_test, "changed", id=1, verified=True, line=5)
        assert (found.status, found.message) == (SET, "")
        found = await change(under_test, "changed", id=1, verified=False)
        assert (found.status, found.message) == (REFUSED, "the debug adapter took it back")
        found = await change(under_test, "changed", id=1, verified=True)
        assert found.status is SET
        found = await change(under_test, "removed", id=1, verified=True)
        assert (found.status, found.message) == (REFUSED, "the debug adapter removed it")
        assert under_test.session.events.since(0)[-1].origin == "adapter"


async def test_a_move_told_by_an_event_is_taken_back(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps()) as under_test:
        await under_test.start()
        await under_test.session.breakpoints.set(PATH, 5, origin="tui")
        found = await change(under_test, "changed", id=1, verified=True, line=9)
        assert (found.line, found.status, found.suggested_line) == (5, REFUSED, 9)
        assert found.message == "no executable code at line 5"
        assert sent(under_test) == [[5], []]


async def test_events_of_unknown_ones_are_passed_over(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps()) as under_test:
        await under_test.start()
        breakpoints = under_test.session.breakpoints
        await breakpoints.set(PATH, 5, origin="tui")
        await breakpoints.set(PATH, 2, origin="tui")
        await breakpoints.remove(2, origin="tui")
        for id in (2, 3, 77, None):
            told = {"id": id, "verified": False} if id is not None else {"verified": False}
            await under_test.fake.send_event(
                "breakpoint", {"reason": "changed", "breakpoint": told}
            )
        await under_test.session.inspection.threads()
        assert under_test.breakpoint(5).status in (SET, REFUSED)
        assert len(breakpoints.registry) == 1


# Where nothing runs


async def test_none_is_lost_without_an_adapter(tmp_path: Path) -> None:
    """Before the start, while it starts, while it runs, after its death and after its end."""
    script = Script(
        program([moment(PATH, 1), busy(PATH, 2), moment(PATH, 3), moment(PATH, 4)]),
        rules=[rule("launch", "hold", nth=1)],
    )
    async with fake_session(tmp_path, script) as under_test:
        session = under_test.session
        assert (await session.breakpoints.set(PATH, 1, origin="tui")).status is PENDING
        start = asyncio.create_task(session.lifecycle.start())
        await under_test.fake.until_request("launch")
        assert (await session.breakpoints.set(PATH, 2, origin="tui")).status is PENDING
        assert under_test.fake.count("setBreakpoints") == 0
        await under_test.fake.release("launch")
        await start
        await under_test.settled()
        assert sent(under_test) == [[1, 2]]
        await session.execution.resume(Resume.CONTINUE, origin="tui")
        assert (await session.breakpoints.set(PATH, 3, origin="tui")).status is SET
        await under_test.fake.die()
        await under_test.until(lambda: session.status is Status.FAILED)
        assert {b.status for b in session.breakpoints.registry} == {PENDING}
        assert (await session.breakpoints.set(PATH, 4, origin="tui")).status is PENDING
        under_test.script.rules.clear()
        await session.lifecycle.restart()
        await under_test.until(lambda: session.frames)
        assert [(b.line, b.status) for b in session.breakpoints.registry] == [
            (line, SET) for line in (1, 2, 3, 4)
        ]
        await session.execution.resume(Resume.CONTINUE, origin="tui")
        await under_test.fake.end_program()
        await under_test.until(lambda: session.status is Status.TERMINATED)
        assert (await session.breakpoints.toggle(PATH, 4, origin="tui")) is None
        assert [b.line for b in session.breakpoints.registry] == [1, 2, 3]


async def test_ids_of_an_earlier_adapter_mean_nothing(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps()) as under_test:
        session = under_test.session
        await session.breakpoints.set(PATH, 5, origin="tui")
        await session.breakpoints.set(PATH, 9, origin="tui")
        await under_test.start()
        await session.breakpoints.remove(1, origin="tui")
        await session.lifecycle.restart()
        await under_test.until(lambda: session.frames)
        await under_test.go(Resume.CONTINUE)
        assert session.stop is not None
        assert (under_test.line, session.stop.hit_breakpoints) == (9, (2,))


@pytest.mark.full
@pytest.mark.real
async def test_a_hit_before_the_adapter_has_told_its_id_is_known_all_the_same(
    tmp_path: Path,
) -> None:
    """Set while the program runs and hit at once: the stop overtakes the adapter's answer."""
    path = tmp_path / "loop.py"
    path.write_text("for i in range(9):\n    a = i\n    b = a\n")
    async with debugpy_session(tmp_path, path) as under_test:
        session = under_test.session
        await under_test.start()
        await session.breakpoints.set(str(path), 2, origin="tui")
        await session.breakpoints.set(str(path), 3, condition="i == 1", origin="tui")
        for expected in ((2, (1,)), (2, (1,)), (3, (2,))):
            session.breakpoints.binding.numbers.clear()  # as if it had not answered yet
            await under_test.go(Resume.CONTINUE)
            assert session.stop is not None
            assert (under_test.line, session.stop.hit_breakpoints) == expected
        await under_test.go(Resume.STEP_OVER)
        assert (under_test.line, session.stop and session.stop.hit_breakpoints) == (1, ())


async def test_two_on_the_way_to_a_stop(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script(count_up(PATH, 6))) as under_test:
        session = under_test.session
        await session.breakpoints.set(PATH, 3, origin="tui")
        await session.breakpoints.set(PATH, 5, condition="i > 4", origin="tui")
        await under_test.start()
        hits = []
        while not under_test.ended:
            await under_test.go(Resume.CONTINUE)
            if session.stop is not None:
                hits.append((under_test.line, session.stop.hit_breakpoints))
        assert hits == [(3, (1,)), (5, (2,))]


# Conditions and lines


@pytest.mark.parametrize(
    "condition", ["", "  ", "x", "x == 1 and y", "(a :=\n 1)", "f(x)[0]", "x is 1", "'\\d'"]
)
def test_good_conditions(condition: str, capfd: pytest.CaptureFixture[str]) -> None:
    check_condition(condition, PYTHON)
    assert capfd.readouterr().err == ""  # it would stand in the middle of the screen


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("x ==", "SyntaxError: invalid syntax"),
        ("x = 1", "SyntaxError: invalid syntax"),
        ("import os", "SyntaxError"),
        ("(", "SyntaxError: '(' was never closed (column 1)"),
        ("a\0b", "null bytes"),
        ("  )", "SyntaxError: unmatched ')'"),
        ("(" * 1000, "too many nested parentheses"),
        ("x y", "SyntaxError: invalid syntax"),
        ("-" * 100_000 + "1", "too complicated"),
    ],
    ids=lambda value: value[:12],
)
def test_bad_conditions_in_pythons_words(condition: str, words: str) -> None:
    with pytest.raises(InvalidCondition) as raised:
        check_condition(condition, PYTHON)
    assert words in str(raised.value)


async def test_a_bad_condition_changes_nothing(tmp_path: Path) -> None:
    async with fake_session(tmp_path, gaps()) as under_test:
        breakpoints = under_test.session.breakpoints
        with pytest.raises(InvalidCondition):
            await breakpoints.set(PATH, 5, condition="i ==", origin="tui")
        assert len(breakpoints.registry) == 0
        await breakpoints.set(PATH, 5, condition="i == 5", origin="tui")
        with pytest.raises(InvalidCondition):
            await breakpoints.update(1, condition="i ==", enabled=False, origin="tui")
        found = under_test.breakpoint(5)
        assert (found.condition, found.enabled) == ("i == 5", True)


@given(st.lists(st.integers(1, 60), min_size=1), st.integers(1, 80))
def test_the_nearest_line(lines: list[int], line: int) -> None:
    found = nearest_line(tuple(sorted(lines)), line)
    assert found in lines
    assert found is not None
    assert abs(found - line) == min(abs(other - line) for other in lines)


def test_of_two_as_near_the_one_below() -> None:
    assert nearest_line((2, 6), 4) == 6
    assert nearest_line((), 4) is None
