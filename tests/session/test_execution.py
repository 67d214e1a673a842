"""Continue, step, pause, run to a line: in order, as fast as the adapter, and no further."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.fakes import Script, lines_of, rule
from tests.support.recording import busy, count_up, frame, moment, program
from tests.support.sessions import FakeSession, fake_session, until, within
from tuidbg.adapters.debugpy.profile import DebugpyStops
from tuidbg.session.core import execution
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import AdapterFailed, DebuggerError, InvalidSessionState
from tuidbg.session.model.events import (
    Continued,
    NoticeGiven,
    PauseRequested,
    StackChanged,
    Stopped,
    ThreadsChanged,
)
from tuidbg.session.model.state import BreakpointStatus, Status, StopReason

PATH = "/demo/count.py"


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that wait are never too old, however slow the machine is."""
    monkeypatch.setattr(execution, "TYPE_AHEAD", 60.0)


def calls() -> Script:
    """A program with a call: line 2 calls lines 11 and 12, then comes line 3."""
    inner = [{"frames": [frame("inner", PATH, n), frame("main", PATH, 2)]} for n in (11, 12)]
    return Script(program([moment(PATH, 1), moment(PATH, 2), *inner, moment(PATH, 3)]))


async def step(under_test: FakeSession, how: Resume = Resume.STEP_OVER) -> None:
    await under_test.session.execution.resume(how, origin="tui")


@pytest.mark.full
@pytest.mark.parametrize(
    ("ways", "line", "depth"),
    [
        ([Resume.STEP_OVER], 2, 1),
        ([Resume.STEP_OVER, Resume.STEP_OVER], 3, 1),
        ([Resume.STEP_OVER, Resume.STEP_IN], 11, 2),
        ([Resume.STEP_OVER, Resume.STEP_IN, Resume.STEP_OVER], 12, 2),
        ([Resume.STEP_OVER, Resume.STEP_IN, Resume.STEP_OUT], 3, 1),
    ],
)
async def test_the_ways_to_step(ways: list[Resume], line: int, depth: int, tmp_path: Path) -> None:
    async with fake_session(tmp_path, calls()) as under_test:
        await under_test.start()
        for how in ways:
            await under_test.go(how)
        assert (under_test.line, len(under_test.session.frames)) == (line, depth)
        stop = under_test.session.stop
        assert stop is not None
        assert (stop.reason, stop.id) == (StopReason.STEP, len(ways) + 1)
        assert [r.command for r in under_test.fake.requests if r.command in list(Resume)] == ways


async def test_a_resume_is_told_before_the_adapter_has_answered(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script(rules=[rule("next", "hold")])) as under_test:
        await under_test.start()
        resumed = asyncio.create_task(step(under_test))
        await under_test.fake.until_request("next")
        assert under_test.session.status is Status.RUNNING
        assert under_test.events(Continued) == [
            Continued(stepping=True, how="step over", thread_id=1)
        ]
        assert not resumed.done()
        await under_test.fake.release("next")
        await within(5, resumed)
        await under_test.settled(1)


@pytest.mark.parametrize("quirks", [{"continued": "before"}, {"continued": "after"}, {}])
async def test_the_adapters_own_continued_is_told_once(
    quirks: dict[str, str], tmp_path: Path
) -> None:
    async with fake_session(tmp_path, Script(quirks=dict(quirks))) as under_test:
        await under_test.start()
        for _ in range(3):
            await under_test.go(Resume.STEP_OVER)
        assert len(under_test.events(Continued)) == 3
        assert under_test.session.status is Status.PAUSED


async def test_the_stop_comes_before_the_answer(tmp_path: Path) -> None:
    rules = [rule("next", "reverse"), rule("stepIn", "reverse")]
    async with fake_session(tmp_path, Script(rules=rules)) as under_test:
        await under_test.start()
        await under_test.go(Resume.STEP_OVER)
        await under_test.go(Resume.STEP_IN)
        assert under_test.session.status is Status.PAUSED
        assert under_test.session.stop_id == 3


async def test_continued_comes_late(tmp_path: Path) -> None:
    """The stop first, then the answer, then ``continued``: the program stands all the same."""
    continued = {"type": "event", "event": "continued", "body": {"threadId": 1}}
    rules = [rule("next", "reverse"), rule("next", "after", messages=[continued])]
    async with fake_session(tmp_path, Script(rules=rules)) as under_test:
        await under_test.start()
        for _ in range(2):
            await under_test.go(Resume.STEP_OVER)
            await within(5, under_test.session.inspection.threads())  # all of it has come by then
            assert under_test.session.status is Status.PAUSED
        await under_test.fake.send_event("continued", {"threadId": 1})
        await under_test.until(lambda: under_test.session.status is Status.RUNNING)


async def test_another_thread_goes_on_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """debugpy: it wakes up only when the first one stands again, and everything with that."""
    async with fake_session(tmp_path) as under_test:
        monkeypatch.setattr(under_test.profile, "stops", DebugpyStops())
        await under_test.start()
        await under_test.fake.send_event("continued", {"threadId": 2, "allThreadsContinued": True})
        await within(5, under_test.session.inspection.threads())  # it has come by then
        assert under_test.session.status is Status.PAUSED
        assert under_test.events(Continued) == []
        await under_test.fake.send_event("continued", {"threadId": 1, "allThreadsContinued": True})
        await under_test.until(lambda: under_test.session.status is Status.RUNNING)


async def test_the_answer_comes_twice_or_never(tmp_path: Path) -> None:
    rules = [rule("next", "twice", nth=1), rule("next", "drop_reply", nth=2)]
    async with fake_session(tmp_path, Script(rules=rules)) as under_test:
        await under_test.start()
        await under_test.go(Resume.STEP_OVER)
        waiting = asyncio.create_task(step(under_test))
        await under_test.settled(2)
        assert under_test.session.status is Status.PAUSED
        await under_test.go(Resume.STEP_OVER)
        assert under_test.session.stop_id == 4
        waiting.cancel()


async def test_a_failed_resume_puts_the_stop_back(tmp_path: Path) -> None:
    rules = [rule("next", "fail", nth=1, message="the thread is busy")]
    async with fake_session(tmp_path, Script(rules=rules)) as under_test:
        await under_test.start()
        session = under_test.session
        stop = session.stop
        with pytest.raises(AdapterFailed, match="can't step over: the thread is busy"):
            await step(under_test)
        assert session.status is Status.PAUSED
        assert session.stop == stop
        assert under_test.events(Stopped)[-1].stop == stop
        await under_test.until(lambda: len(under_test.events(StackChanged)) == 2)
        assert await session.inspection.scopes(session.frames[0].id)
        await under_test.go(Resume.STEP_OVER)
        assert session.stop_id == 2


async def test_a_failed_resume_after_its_stop_does_no_harm(tmp_path: Path) -> None:
    """The program has gone on in truth: the new stop stands."""
    rules = [
        rule("next", "drop_reply", nth=1),
        rule("stackTrace", "before", nth=2, messages=[
            {"type": "response", "request_seq": 6, "command": "next", "success": False}
        ]),
    ]  # fmt: skip
    async with fake_session(tmp_path, Script(rules=rules)) as under_test:
        await under_test.start()
        waiting = asyncio.create_task(step(under_test))
        await under_test.settled(1)
        assert under_test.session.status is Status.PAUSED
        assert under_test.session.stop_id == 2
        waiting.cancel()


@pytest.mark.usefixtures("patient")
async def test_commands_wait_for_the_step_under_way(tmp_path: Path) -> None:
    script = Script(count_up(PATH, 10), rules=[rule("next", "hold", nth=1)])
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        first = asyncio.create_task(step(under_test))
        await under_test.fake.until_request("next")
        for _ in range(3):
            await within(1, step(under_test))
        assert under_test.fake.count("next") == 1
        await under_test.fake.release("next")
        await first
        await under_test.until(lambda: under_test.session.stop_id == 5 and not under_test.has_work)
        assert under_test.line == 5
        assert under_test.fake.count("next") == 4
        # Only the last stop is looked at.
        assert [e.stop_id for e in under_test.events(StackChanged)] == [1, 5]


@pytest.mark.usefixtures("patient")
async def test_different_commands_keep_their_order(tmp_path: Path) -> None:
    script = calls()
    script.rules = [rule("next", "hold", nth=1)]
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        first = asyncio.create_task(step(under_test))
        await under_test.fake.until_request("next")
        for how in (Resume.STEP_IN, Resume.STEP_OUT):
            await step(under_test, how)
        await under_test.fake.release("next")
        await first
        await under_test.until(lambda: under_test.session.stop_id == 4 and not under_test.has_work)
        assert under_test.line == 3


async def test_commands_that_waited_too_long_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(count_up(PATH, 10), rules=[rule("next", "hold", nth=1)])
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        monkeypatch.setattr(execution, "TYPE_AHEAD", 0.0)
        first = asyncio.create_task(step(under_test))
        await under_test.fake.until_request("next")
        for _ in range(3):
            await step(under_test)
        await under_test.fake.release("next")
        await first
        await under_test.settled(1)
        await under_test.until(lambda: not under_test.has_work)
        assert under_test.line == 2
        assert under_test.fake.count("next") == 1


@pytest.mark.usefixtures("patient")
async def test_a_stop_for_another_reason_drops_what_waits(tmp_path: Path) -> None:
    script = Script(count_up(PATH, 10), rules=[rule("next", "hold", nth=1)])
    async with fake_session(tmp_path, script) as under_test:
        await under_test.session.breakpoints.set(PATH, 2, origin="tui")
        await under_test.start()
        first = asyncio.create_task(step(under_test))
        await under_test.fake.until_request("next")
        await step(under_test)
        await under_test.fake.release("next")
        await first
        await under_test.settled(1)
        await under_test.until(lambda: not under_test.has_work)
        assert under_test.line == 2
        stop = under_test.session.stop
        assert stop is not None
        assert (stop.reason, stop.hit_breakpoints) == (StopReason.BREAKPOINT, (1,))


@pytest.mark.usefixtures("patient")
async def test_what_waits_is_dropped_when_the_step_fails(tmp_path: Path) -> None:
    script = Script(count_up(PATH, 10), rules=[rule("next", "drop", nth=1)])
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        first = asyncio.create_task(step(under_test))
        await under_test.fake.until_request("next")
        await step(under_test)
        number = next(
            m.message["seq"]
            for m in under_test.messages()
            if m.sent and m.message.get("command") == "next"
        )
        await under_test.fake.send(
            {
                "type": "response",
                "request_seq": number,
                "command": "next",
                "success": False,
                "message": "no",
            }
        )
        with pytest.raises(AdapterFailed, match="no"):
            await first
        await under_test.until(lambda: not under_test.has_work)
        assert under_test.session.status is Status.PAUSED
        assert under_test.fake.count("next") == 1


@pytest.mark.usefixtures("patient")
async def test_a_pause_drops_what_waits(tmp_path: Path) -> None:
    script = Script(program([moment(PATH, 1), busy(PATH, 2), moment(PATH, 3)]))
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        await step(under_test)
        await step(under_test)  # waits: the step does not end
        await under_test.session.execution.pause(origin="tui")
        await under_test.settled(1)
        await under_test.until(lambda: not under_test.has_work)
        assert (under_test.session.stop_id, under_test.line) == (2, 2)


async def test_a_continue_that_runs_on_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "TYPE_AHEAD", 0.0)
    script = Script(program([moment(PATH, 1), busy(PATH, 2), moment(PATH, 3)]))
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        await step(under_test, Resume.CONTINUE)
        for how in Resume:
            with pytest.raises(InvalidSessionState, match="while the program runs"):
                await step(under_test, how)


async def test_pause(tmp_path: Path) -> None:
    script = Script(program([moment(PATH, 1), busy(PATH, 2), moment(PATH, 3)]))
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        await step(under_test, Resume.CONTINUE)
        await under_test.session.execution.pause(origin="tui")
        await under_test.settled(1)
        stop = under_test.session.stop
        assert stop is not None
        assert (stop.reason, under_test.line) == (StopReason.PAUSE, 2)
        assert under_test.events(PauseRequested) == [PauseRequested()]


async def test_a_pause_that_must_wait(tmp_path: Path) -> None:
    """As in ``input()``: it comes when Python code runs again."""
    script = Script(program([moment(PATH, 1), busy(PATH, 2, waiting=True), moment(PATH, 3)]))
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        await step(under_test, Resume.CONTINUE)
        await under_test.session.execution.pause(origin="tui")
        assert under_test.session.status is Status.RUNNING
        assert under_test.events(PauseRequested) == [PauseRequested()]
        await under_test.fake.wake()
        await under_test.settled(1)
        assert under_test.session.stop is not None
        assert under_test.session.stop.reason is StopReason.PAUSE


async def test_commands_in_the_wrong_state_say_why(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script(count_up(PATH, 1))) as under_test:
        work = under_test.session.execution
        with pytest.raises(InvalidSessionState, match="no program has been started yet"):
            await work.resume(Resume.CONTINUE, origin="tui")
        with pytest.raises(InvalidSessionState, match="no program has been started yet"):
            await work.pause(origin="tui")
        await under_test.start()
        with pytest.raises(InvalidSessionState, match="paused already"):
            await work.pause(origin="tui")
        await under_test.go(Resume.CONTINUE)
        for attempt in (
            work.resume(Resume.STEP_IN, origin="tui"),
            work.pause(origin="tui"),
            work.run_to(PATH, 1, origin="tui"),
        ):
            with pytest.raises(InvalidSessionState, match="has ended; restart it first"):
                await attempt


async def test_run_to_leaves_nothing_behind(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script(count_up(PATH, 9))) as under_test:
        session = under_test.session
        await session.breakpoints.set(PATH, 7, origin="tui")
        await under_test.start()
        await session.execution.run_to(PATH, 4, origin="tui")
        await under_test.settled(1)
        assert under_test.line == 4
        assert session.stop is not None
        assert session.stop.reason is StopReason.STEP
        assert session.stop.description == "reached the cursor"
        assert session.stop.hit_breakpoints == ()
        await under_test.until(lambda: not under_test.has_work)
        sent = [lines_of(a["breakpoints"]) for a in under_test.fake.arguments_of("setBreakpoints")]
        assert sent == [[7], [7, 4], [7]]
        assert [b.line for b in session.breakpoints.registry] == [7]


async def test_run_to_is_forgotten_at_another_stop_however_fast_one_goes_on(tmp_path: Path) -> None:
    """The list without it goes out before anything that a person could send."""
    rules = [rule("stackTrace", "hold", nth=2)]
    async with fake_session(tmp_path, Script(count_up(PATH, 9), rules=rules)) as under_test:
        session = under_test.session
        await session.breakpoints.set(PATH, 3, origin="tui")
        await under_test.start()
        await session.execution.run_to(PATH, 5, origin="tui")
        await under_test.fake.until_request("stackTrace", 2)
        assert session.stop is not None
        assert session.stop.hit_breakpoints == (1,)
        await session.execution.resume(Resume.CONTINUE, origin="tui")
        await under_test.until(lambda: under_test.ended)
        assert len(under_test.events(Stopped)) == 2


async def test_run_to_passes_over_a_condition_on_its_line(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script(count_up(PATH, 9))) as under_test:
        session = under_test.session
        await session.breakpoints.set(PATH, 4, condition="i == 99", origin="tui")
        await under_test.start()
        await session.execution.run_to(PATH, 4, origin="tui")
        await under_test.settled(1)
        assert under_test.line == 4
        await under_test.until(lambda: not under_test.has_work)
        last = under_test.fake.arguments_of("setBreakpoints")[-1]
        assert last["breakpoints"] == [{"line": 4, "condition": "i == 99"}]


@pytest.mark.parametrize("style", ["exact", "up"])
async def test_run_to_a_line_that_can_not_break(style: str, tmp_path: Path) -> None:
    lines = program([moment(PATH, 1), moment(PATH, 2), moment(PATH, 5)])
    async with fake_session(tmp_path, Script(lines, quirks={"breakpoints": style})) as under_test:
        session = under_test.session
        await under_test.start()
        with pytest.raises(DebuggerError, match="can't run to line 4: line 4 can't break"):
            await session.execution.run_to(PATH, 4, origin="tui")
        assert session.status is Status.PAUSED
        last = under_test.fake.arguments_of("setBreakpoints")[-1]
        assert last["breakpoints"] in ([], [{"line": 4}])
        await under_test.go(Resume.CONTINUE)
        assert under_test.ended


async def test_a_run_to_that_the_adapter_refuses_is_forgotten(tmp_path: Path) -> None:
    rules = [rule("continue", "fail", nth=1, message="no")]
    async with fake_session(tmp_path, Script(count_up(PATH, 9), rules=rules)) as under_test:
        session = under_test.session
        await under_test.start()
        with pytest.raises(AdapterFailed):
            await session.execution.run_to(PATH, 5, origin="tui")
        await under_test.until(lambda: not under_test.has_work)
        assert under_test.fake.arguments_of("setBreakpoints")[-1]["breakpoints"] == []
        await under_test.go(Resume.CONTINUE)
        assert under_test.ended


async def test_an_uncaught_exception_stops_with_its_words(tmp_path: Path) -> None:
    async with fake_session(tmp_path) as under_test:
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        session = under_test.session
        await under_test.until(lambda: session.stop and session.stop.exception)
        assert session.stop is not None
        assert session.stop.exception is not None
        assert session.stop.reason is StopReason.EXCEPTION
        assert (session.stop.exception.type, session.stop.exception.message) == (
            "KeyError",
            "'coach'",
        )
        assert [f.name for f in session.frames] == ["send", "main", "<module>"]
        await under_test.go(Resume.CONTINUE)
        assert session.exit is not None
        assert session.exit.code == 1


@pytest.mark.full
@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("function breakpoint", StopReason.BREAKPOINT),
        ("data breakpoint", StopReason.BREAKPOINT),
        ("instruction breakpoint", StopReason.BREAKPOINT),
        ("goto", StopReason.STEP),
        ("entry", StopReason.ENTRY),
        ("signal SIGUSR1", StopReason.PAUSE),
        ("", StopReason.PAUSE),
    ],
)
async def test_every_reason_is_one_of_five(told: str, reason: StopReason, tmp_path: Path) -> None:
    script = Script(program([moment(PATH, 1), busy(PATH, 2)]))
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        await step(under_test, Resume.CONTINUE)
        await under_test.fake.stop(told)
        await under_test.settled(1)
        assert under_test.session.stop is not None
        assert under_test.session.stop.reason is reason


async def test_all_seqs_are_zero(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script(quirks={"seq_zero": True})) as under_test:
        await under_test.start()
        await under_test.go(Resume.STEP_OVER)
        assert under_test.session.status is Status.PAUSED


async def test_a_stop_without_a_thread(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script(quirks={"stopped_without_thread": True})) as session:
        await session.start()
        await session.go(Resume.STEP_OVER)
        assert session.session.frames


async def test_several_stops_in_a_row(tmp_path: Path) -> None:
    """Each thread may stop at the same breakpoint; the last word counts."""
    script = Script(program([moment(PATH, 1), busy(PATH, 2)]))
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        await step(under_test, Resume.CONTINUE)
        stopped = {"type": "event", "event": "stopped", "body": {"reason": "pause", "threadId": 1}}
        await under_test.fake.stop("pause")
        await under_test.fake.send(stopped, stopped)
        await under_test.settled(3)
        assert under_test.session.status is Status.PAUSED
        assert [e.stop.id for e in under_test.events(Stopped)] == [1, 2, 3, 4]


async def test_threads_come_and_go(tmp_path: Path) -> None:
    script = Script()
    script.program["threads"] = [[1, "MainThread"], [2, "oven"]]
    script.program["other_stacks"] = {"2": [frame("bake", PATH, 7)]}
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        session = under_test.session
        await under_test.until(lambda: len(session.threads) == 2)
        assert [t.name for t in session.threads] == ["MainThread", "oven"]
        frames, total = await session.inspection.stack(2)
        assert ([f.name for f in frames], total) == (["bake"], 1)
        await under_test.fake.send_event("thread", {"reason": "exited", "threadId": 2})
        await under_test.until(lambda: len(session.threads) == 1)
        await under_test.fake.send_event("thread", {"reason": "started", "threadId": 3})
        await under_test.until(lambda: len(session.threads) == 2)
        assert under_test.events(ThreadsChanged)[-1].threads == session.threads


async def test_odd_events_are_passed_over(tmp_path: Path) -> None:
    async with fake_session(tmp_path) as under_test:
        await under_test.start()
        for event in ("module", "loadedSource", "progressStart", "debugpySockets", "no such"):
            await under_test.fake.send_event(event, {"anything": [1, 2]})
        await under_test.fake.send_event("output", {"category": "telemetry", "output": "secret"})
        await under_test.fake.send_event("breakpoint", {"reason": "changed", "breakpoint": {}})
        await under_test.fake.send_event("output", {"output": "no category\n"})
        await under_test.until(lambda: "no category" in under_test.output("console"))
        assert "secret" not in under_test.console
        assert under_test.session.status is Status.PAUSED
        assert not under_test.events(NoticeGiven)


async def test_a_stop_that_can_not_be_looked_at(tmp_path: Path) -> None:
    """The stack of the last stop must not stay on the screen (dlv at its entry)."""
    rules = [rule("stackTrace", "fail", nth=2, message="unknown goroutine")]
    async with fake_session(tmp_path, Script(rules=rules)) as under_test:
        await under_test.start()
        await under_test.go(Resume.STEP_OVER)
        assert under_test.session.status is Status.PAUSED
        assert under_test.session.frames == ()
        await until(lambda: "unknown goroutine" in under_test.output("important"))
        await under_test.go(Resume.STEP_OVER)
        assert under_test.session.frames


async def test_breakpoints_are_set_while_it_runs(tmp_path: Path) -> None:
    script = Script(program([moment(PATH, 1), busy(PATH, 2), moment(PATH, 3), moment(PATH, 4)]))
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        await step(under_test, Resume.CONTINUE)
        found = await under_test.session.breakpoints.set(PATH, 4, origin="tui")
        assert found.status is BreakpointStatus.SET
        await under_test.fake.wake()
        await under_test.settled(1)
        assert under_test.line == 4
