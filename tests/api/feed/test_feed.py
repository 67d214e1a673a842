"""Tests what programs read of a session: which events there are, in which words and which order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any, TypeVar

import msgspec
import pytest

from tests.support.fakes import FakeProfile, fake_plan
from tests.support.feeds import bodies, entries, feed_of, fields, follow, kinds, told
from tests.support.sessions import KeepingGuard, until, within
from tuidbg.api.feed import feed as feed_module
from tuidbg.api.feed import log as feed_log
from tuidbg.api.feed.events import (
    BreakpointBody,
    FeedBody,
    OutputFeedBody,
    StoppedFeedBody,
    TerminatedBody,
    ThreadFeedBody,
)
from tuidbg.session.core.session import Session
from tuidbg.session.model.events import (
    BreakpointsChanged,
    Continued,
    ExceptionDescribed,
    ProgramExited,
    StatusChanged,
    ThreadsChanged,
)
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    ExceptionState,
    ExitState,
    Status,
    Stop,
    StopReason,
    ThreadState,
)

PATH = "/demo/count.py"
BODY = TypeVar("BODY", bound=FeedBody)


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    """A session without a program, to which the test says what happens."""
    made = Session(fake_plan(PATH, "/"), FakeProfile(), KeepingGuard())
    follow(made)
    yield made
    await made.close()


def stop(reason: StopReason = StopReason.BREAKPOINT, **more: Any) -> Stop:
    return Stop(**{"id": 1, "reason": reason, "thread_id": 1, **more})


def begin_run(session: Session) -> None:
    for status in (Status.LAUNCHING, Status.RUNNING):
        session.move_to(status)


# What is told, field by field


async def test_a_stop(session: Session) -> None:
    session.note_stopped(stop(hit_breakpoints=(1, 12), all_threads_stopped=False))
    assert [fields(body) for body in bodies(session, StoppedFeedBody)] == [
        {
            "reason": "breakpoint",
            "description": "Paused on breakpoint",
            "thread_id": 1,
            "preserve_focus_hint": False,
            "text": None,
            "all_threads_stopped": False,
            "hit_breakpoint_ids": ("bp_1", "bp_12"),
        }
    ]


@pytest.mark.parametrize(
    ("reason", "adapter_reason", "told_reason"),
    [
        (StopReason.BREAKPOINT, "breakpoint", "breakpoint"),
        (StopReason.BREAKPOINT, "function breakpoint", "function breakpoint"),
        (StopReason.BREAKPOINT, "data breakpoint", "data breakpoint"),
        (StopReason.STEP, "step", "step"),
        (StopReason.STEP, "breakpoint", "step"),
        (StopReason.STEP, "goto", "goto"),
        (StopReason.PAUSE, "pause", "pause"),
        (StopReason.PAUSE, "an adapter's own", "pause"),
        (StopReason.ENTRY, "breakpoint", "entry"),
    ],
)
async def test_reasons(
    session: Session, reason: StopReason, adapter_reason: str, told_reason: str
) -> None:
    session.note_stopped(stop(reason, adapter_reason=adapter_reason))
    (body,) = bodies(session, StoppedFeedBody)
    assert (body.reason, body.description) == (told_reason, f"Paused on {told_reason}")


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (BreakpointKind.FUNCTION, "function breakpoint"),
        (BreakpointKind.DATA, "data breakpoint"),
        (BreakpointKind.LINE, "breakpoint"),
    ],
)
async def test_the_reason_is_that_of_the_breakpoint(
    session: Session, kind: BreakpointKind, reason: str
) -> None:
    session.breakpoints.registry.put(Breakpoint(number=4, kind=kind))
    session.note_stopped(stop(hit_breakpoints=(4,), adapter_reason="breakpoint"))
    assert bodies(session, StoppedFeedBody)[0].reason == reason


async def test_an_exception_is_told_when_it_is_known(session: Session) -> None:
    raised = stop(StopReason.EXCEPTION, text="ValueError", description="bad")
    session.note_stopped(raised)
    assert kinds(session) == []
    known = ExceptionState(
        type="ValueError", message="bad literal", break_mode="always", stack_trace="Traceback"
    )
    described = msgspec.structs.replace(raised, exception=known)
    session.publish(ExceptionDescribed(stop=described))
    (body,) = bodies(session, StoppedFeedBody)
    assert fields(body) == {
        "reason": "exception",
        "description": "Paused on exception",
        "thread_id": 1,
        "preserve_focus_hint": False,
        "text": "ValueError: bad literal",
        "all_threads_stopped": True,
        "hit_breakpoint_ids": (),
        "exception_info": {
            "exception_id": "ValueError",
            "description": "bad literal",
            "break_mode": "always",
            "details": {
                "type_name": "ValueError",
                "full_type_name": "builtins.ValueError",
                "message": "bad literal",
                "stack_trace": "Traceback",
            },
        },
    }
    session.publish(ExceptionDescribed(stop=described))
    session.publish(Continued())
    assert kinds(session) == ["stopped", "continued"]


@pytest.mark.parametrize(
    ("name", "seen", "full"),
    [
        ("Own", {"pkg.mod.Own", "ValueError"}, "pkg.mod.Own"),
        ("Own", {"a.Own", "b.Own"}, "Own"),
        ("Own", set(), "Own"),
        ("KeyError", {"KeyError"}, "builtins.KeyError"),
        ("pkg.Own", {"pkg.Own"}, "pkg.Own"),
    ],
)
async def test_the_full_name_of_a_type(
    session: Session, name: str, seen: set[str], full: str
) -> None:
    session.exceptions.note_seen(seen)
    session.note_stopped(
        stop(StopReason.EXCEPTION, exception=ExceptionState(type=name, message=""))
    )
    info = bodies(session, StoppedFeedBody)[0].exception_info
    assert isinstance(info, msgspec.Struct)
    assert (info.details.type_name, info.details.full_type_name) == (name, full)


@pytest.mark.parametrize("how", ["continued", "ended", "stopped again", "waited"])
async def test_an_exception_that_nobody_describes_is_told_all_the_same(
    session: Session, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "HELD_AT_MOST", 0.02 if how == "waited" else 600)
    begin_run(session)
    session.note_stopped(stop(StopReason.EXCEPTION, text="ValueError", description="bad"))
    match how:
        case "continued":
            session.publish(Continued())
        case "ended":
            session.move_to(Status.TERMINATED)
        case "stopped again":
            session.note_stopped(stop(StopReason.STEP, id=2))
    await until(lambda: bodies(session, StoppedFeedBody))
    first = bodies(session, StoppedFeedBody)[0]
    assert (first.reason, first.text) == ("exception", "ValueError: bad")
    assert "exception_info" not in fields(first)
    assert kinds(session)[0] == "stopped"


async def test_continued(session: Session) -> None:
    session.note_stopped(stop(thread_id=7))
    session.note_resumed(stepping=False, origin="adapter")
    session.note_resumed(stepping=True, origin="rest", thread_id=9)
    assert [(e.origin, fields(e.body)) for e in told(session)[1:]] == [
        ("adapter", {"thread_id": 7, "all_threads_continued": True}),
        ("rest", {"thread_id": 9, "all_threads_continued": True}),
    ]


@pytest.mark.parametrize(
    ("exit_state", "body"),
    [
        (ExitState(code=0), {"exit_code": 0, "restart": False}),
        (
            ExitState(code=1),
            {"exit_code": 1, "restart": False, "error": "Process exited with code 1"},
        ),
        (
            ExitState(code=-9, signal="SIGKILL"),
            {"exit_code": -9, "restart": False, "error": "Process was killed (SIGKILL)"},
        ),
        (None, {"exit_code": None, "restart": False}),
    ],
)
async def test_terminated(
    session: Session, exit_state: ExitState | None, body: dict[str, Any]
) -> None:
    begin_run(session)
    session.exit = exit_state
    session.move_to(Status.TERMINATED)
    session.publish(ProgramExited(exit=exit_state or ExitState()))
    assert [fields(each) for each in bodies(session, TerminatedBody)] == [body]


async def test_terminated_by_a_failure(session: Session) -> None:
    begin_run(session)
    session.move_to(Status.FAILED, "the debug adapter died")
    assert [fields(each) for each in bodies(session, TerminatedBody)] == [
        {"exit_code": None, "restart": False, "error": "the debug adapter died"}
    ]


async def test_terminated_once_a_run_and_the_log_goes_on(session: Session) -> None:
    begin_run(session)
    session.write_output("stdout", "first")
    session.status = Status.CREATED  # a restart tells of no end
    begin_run(session)
    session.write_output("stdout", "second")
    session.move_to(Status.TERMINATED)
    session.publish(StatusChanged(status=Status.TERMINATED))
    feed_of(session).close()
    assert kinds(session) == ["output", "terminated", "output", "terminated"]
    assert [e.seq for e in told(session)] == [1, 2, 3, 4]


async def test_what_the_terminal_kept_back_comes_before_the_end(session: Session) -> None:
    begin_run(session)
    session.write_output("terminal", "last words é".encode()[:-1])
    session.move_to(Status.TERMINATED)
    assert [e.output for e in entries(session)] == ["last words ", "\ufffd"]
    assert kinds(session) == ["output", "output", "terminated"]


@pytest.mark.parametrize(
    ("category", "event_category", "entry_category"),
    [
        ("stdout", "stdout", "stdout"),
        ("stderr", "stderr", "stderr"),
        ("terminal", "stdout", "stdout"),
        ("console", "console", "console"),
        ("important", "important", "console"),
        ("an adapter's own", "console", "console"),
    ],
)
async def test_categories(
    session: Session, category: str, event_category: str, entry_category: str
) -> None:
    session.write_output(category, "text\n")
    (body,) = bodies(session, OutputFeedBody)
    nowhere = {"source": None, "line": None, "column": None}
    assert fields(body) == {"category": event_category, "output": "text\n", **nowhere}
    (entry,) = entries(session)
    assert (entry.category, entry.output, entry.path) == (entry_category, "text\n", None)
    assert entries(session, entry_category) == [entry]


async def test_output_is_kept_as_it_came(session: Session) -> None:
    pieces = ["tab\tand \x1b[31mred\x1b[0m", " é\u2028\n\n", "no end", "\r\n", "half \ud83d", "\n"]
    for piece in pieces:
        session.write_output("stdout", piece)
    came = [e.output for e in entries(session)]
    assert came == [*pieces[:4], "half \ufffd", "\n"]
    msgspec.json.encode(came)  # which refuses what is no character


async def test_a_terminal_gives_the_line_ends_that_the_program_wrote(session: Session) -> None:
    data = "one\r\ntwo é\r\n50 %\r100 %\r\n".encode()
    for index in range(len(data)):
        session.write_output("terminal", data[index : index + 1])
    assert "".join(e.output for e in entries(session)) == "one\ntwo é\n50 %\r100 %\n"


async def test_breakpoints_of_any_surface(session: Session) -> None:
    found = Breakpoint(number=3, path=PATH, line=8)
    bound = msgspec.structs.replace(found, status=BreakpointStatus.SET)
    refused = msgspec.structs.replace(
        found, status=BreakpointStatus.REFUSED, message="nothing there"
    )
    for changed, origin in ((found, "tui"), (bound, "adapter"), (refused, "adapter")):
        session.publish(BreakpointsChanged(changed=(changed,)), origin)
    session.publish(BreakpointsChanged(removed=(3, 99)), "mcp")
    (new, *_) = told(session)
    assert fields(new.body) == {
        "reason": "new",
        "breakpoint": {"id": "bp_3", "verified": False, "line": 8, "message": None},
    }
    assert [
        (e.origin, e.body.reason, e.body.breakpoint.verified, e.body.breakpoint.message)
        for e in told(session)
        if isinstance(e.body, BreakpointBody)
    ] == [
        ("tui", "new", False, None),
        ("adapter", "changed", True, None),
        ("adapter", "changed", False, "nothing there"),
        ("mcp", "removed", False, "nothing there"),
    ]


async def test_hits_are_no_change_but_a_condition_is(session: Session) -> None:
    found = Breakpoint(number=1, path=PATH, line=8)
    for changes in ({}, {"hits": 1}, {"hits": 2, "misses": 5}, {"condition": "x"}, {"hits": 9}):
        changed = msgspec.structs.replace(found, **changes)
        if "condition" in changes:
            found = changed
        session.publish(BreakpointsChanged(changed=(msgspec.structs.replace(found, **changes),)))
    assert [body.reason for body in bodies(session, BreakpointBody)] == ["new", "changed"]


async def test_threads(session: Session) -> None:
    def threads(*ids: int) -> ThreadsChanged:
        return ThreadsChanged(threads=tuple(ThreadState(id=i, name=f"t{i}") for i in ids))

    for each in (threads(1), threads(1), threads(1, 3, 2), threads(1, 3)):
        session.publish(each)
    assert [(b.reason, b.thread_id) for b in bodies(session, ThreadFeedBody)] == [
        ("started", 1),
        ("started", 2),
        ("started", 3),
        ("exited", 2),
    ]


# Reading


async def test_numbers_without_gaps_and_times(session: Session) -> None:
    begun = time.time()
    for number in range(5):
        session.write_output("stdout", f"{number}\n")
    assert [e.seq for e in told(session)] == [1, 2, 3, 4, 5]
    assert [e.number for e in entries(session)] == [1, 2, 3, 4, 5]
    times = [begun, *(e.time for e in told(session)), time.time()]
    assert times == sorted(times)
    assert {e.origin for e in told(session)} == {"program"}


async def test_bounded(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_log, "MAX_EVENTS", 10)
    monkeypatch.setattr(feed_log, "MAX_OUTPUT_BYTES", 50_000)
    feed = follow(session)
    for number in range(100):
        session.write_output("stdout", f"{number}" + "x" * 1_000)
    assert (feed.events_dropped, feed.last_seq) == (90, 100)
    assert 50 < feed.output_dropped < 70
    page = feed.output_after(0, 1)
    assert page.missed == feed.output_dropped
    assert page.entries[0].output.startswith(f"{feed.output_dropped}x")


async def test_waiting(session: Session) -> None:
    feed = feed_of(session)
    assert not await feed.wait_for_events(0, 0)
    assert not await feed.wait_for_events(0, 0.01)
    waiting = [asyncio.create_task(feed.wait_for_events(0, 600)) for _ in range(30)]
    later = asyncio.create_task(feed.wait_for_events(1, 600))
    await asyncio.sleep(0)
    session.write_output("stdout", "news")
    await within(5, asyncio.gather(*waiting))
    assert all(task.result() for task in waiting)
    assert not later.done()
    assert await feed.wait_for_events(0, 0)
    feed.close()
    await within(5, later)
    assert not later.result()
    assert not await feed.wait_for_events(1, 600)
    assert not feed._waiters


async def test_closing_the_session_lets_go_who_waits(session: Session) -> None:
    feed = feed_of(session)
    waiting = asyncio.create_task(feed.wait_for_events(0, 600))
    await asyncio.sleep(0)
    await session.close()
    await within(5, waiting)
    session.write_output("stdout", "too late")
    assert (waiting.result(), feed.is_closed, feed.last_seq) == (False, True, 0)


async def test_many_readers_lose_nothing(session: Session) -> None:
    """A hundred events to each of 25 readers, every one on its own; each gets them all, at once."""
    feed, count = feed_of(session), 100
    delays: list[float] = []

    async def read() -> list[int]:
        found: list[int] = []
        while len(found) < count:
            assert await feed.wait_for_events(len(found), 60)
            page = feed.events_after(len(found), 7)
            delays.append(time.time() - page.entries[-1].time)
            found += [e.seq for e in page.entries]
        return found

    readers = [asyncio.create_task(read()) for _ in range(25)]
    for number in range(count):
        session.write_output("stdout", f"{number}")
        await asyncio.sleep(0)
    for found in await asyncio.gather(*readers):
        assert found == list(range(1, count + 1))
    delays.sort()
    assert delays[len(delays) // 2] < 0.05
