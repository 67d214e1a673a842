"""The feeds of whole sessions, on the fake adapter and on the real debugpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes import Script, rule
from tests.support.feeds import bodies, entries, fields, follow, kinds, told
from tests.support.recording import busy, count_up, moment, program
from tests.support.sessions import FakeSession, SessionUnderTest, debugpy_session, fake_session
from tuidbg.api.feed import feed as feed_module
from tuidbg.api.feed.events import (
    BreakpointBody,
    ContinuedFeedBody,
    ModuleBody,
    OutputFeedBody,
    StoppedFeedBody,
    TerminatedBody,
    ThreadFeedBody,
)
from tuidbg.config.launch import Console
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.session import Session

PATH = "/demo/count.py"


# A feed that begins late


async def test_a_late_feed_begins_with_what_is_known(tmp_path: Path) -> None:
    script = Script(count_up(PATH, 5, sources={}))
    script.program["moments"][0]["output"] = [["stdout", "line 1\nhalf"]]
    async with fake_session(tmp_path, script) as under_test:
        session = under_test.session
        await session.breakpoints.set(PATH, 3, origin="mcp")
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        session.output.add("input", "what a person typed")
        follow(session)
        assert kinds(session) == ["breakpoint", "thread", "stopped"]
        assert bodies(session, StoppedFeedBody)[0].hit_breakpoint_ids == ("bp_1",)
        assert [(e.category, e.output) for e in entries(session)] == [
            ("stdout", "line 1\n"),
            ("stdout", "half"),
        ]
        await under_test.to_end()
        assert kinds(session)[3] == "continued"
        assert kinds(session)[-1] == "terminated"
        follow(session)
        assert kinds(session) == ["breakpoint", "terminated"]
        assert entries(session)[-1].category == "console"


# On the fake adapter


async def start(under_test: FakeSession) -> Session:
    follow(under_test.session)
    await under_test.start()
    return under_test.session


def failing() -> dict[str, Any]:
    moments = [moment(PATH, 1), {**moment(PATH, 2), "exception": {"type": "E", "message": "no"}}]
    return program(moments)


@pytest.mark.parametrize("answer", ["fails", "unsupported", "comes late", "comes"])
async def test_an_adapter_and_its_exceptions(
    tmp_path: Path, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "HELD_AT_MOST", 600)
    script = Script(failing())
    if answer == "fails":
        script.rules = [rule("exceptionInfo", "fail", message="not now")]
    elif answer == "comes late":
        script.rules = [rule("exceptionInfo", "hold")]
    elif answer == "unsupported":
        script.capabilities["supportsExceptionInfoRequest"] = False
    async with fake_session(tmp_path, script) as under_test:
        session = await start(under_test)
        await under_test.go(Resume.CONTINUE)
        if answer == "comes late":
            await under_test.fake.until_request("exceptionInfo")
            assert len(bodies(session, StoppedFeedBody)) == 1
            await under_test.fake.release("exceptionInfo")
        await under_test.until(lambda: len(bodies(session, StoppedFeedBody)) == 2)
        body = bodies(session, StoppedFeedBody)[1]
        assert body.reason == "exception"
        # Where the adapter can't say it, what the stop itself has told is taken.
        assert ("exception_info" in fields(body)) is (answer != "unsupported")
        assert body.text is not None


async def test_a_run_step_by_step_and_again(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script(count_up(PATH, 4))) as under_test:
        session = await start(under_test)
        await under_test.go(Resume.STEP_OVER)
        await under_test.to_end()
        first = ["thread", "stopped", "continued", "stopped", "continued", "output", "terminated"]
        assert kinds(session) == first
        assert [b.reason for b in bodies(session, StoppedFeedBody)] == ["entry", "step"]
        assert {e.origin for e in told(session) if isinstance(e.body, ContinuedFeedBody)} == {"tui"}
        before = session.stop_id
        await session.lifecycle.restart()
        await under_test.settled(before)
        await session.lifecycle.restart()  # while it stands
        await under_test.settled(session.stop_id - 1)
        assert kinds(session)[len(first) :] == [
            "thread",
            "stopped",
            "terminated",
            "thread",
            "stopped",
        ]
        assert [e.seq for e in told(session)] == list(range(1, len(first) + 6))


async def test_the_thread_that_was_asked_to_go_on(tmp_path: Path) -> None:
    script = Script(count_up(PATH, 4, threads=[[1, "MainThread"], [2, "worker"]]))
    async with fake_session(tmp_path, script) as under_test:
        session = await start(under_test)
        await session.execution.resume(Resume.STEP_OVER, thread_id=2, origin="rest")
        await under_test.settled(1)
        (continued,) = (e for e in told(session) if isinstance(e.body, ContinuedFeedBody))
        assert continued.origin == "rest"
        assert fields(continued.body) == {"thread_id": 2, "all_threads_continued": True}


async def test_stops_that_are_only_means_are_not_told(tmp_path: Path) -> None:
    """A log point may be a stop and a resume, and the cursor's line is a breakpoint."""
    script = Script(count_up(PATH, 6))
    async with fake_session(tmp_path, script) as under_test:
        session = await start(under_test)
        await session.breakpoints.set(PATH, 2, log_message="i is {i}", origin="rest")
        await session.execution.run_to(PATH, 4, origin="tui")
        await under_test.settled(1)
        stops = bodies(session, StoppedFeedBody)
        assert [(b.reason, b.description) for b in stops] == [
            ("entry", "Paused on entry"),
            ("step", "reached the cursor"),
        ]
        assert stops[1].hit_breakpoint_ids == ()
        (entry,) = entries(session, "console")
        assert (entry.output, entry.path, entry.line) == ("count.py:2: i is 2\n", PATH, 2)
        (body,) = bodies(session, OutputFeedBody)
        assert (body.category, body.source, body.line) == ("console", PATH, 2)


async def test_what_the_adapter_tells(tmp_path: Path) -> None:
    script = Script(program([moment(PATH, 1), busy(PATH, 2)]))
    async with fake_session(tmp_path, script) as under_test:
        session = await start(under_test)
        before = len(told(session))
        source = {"path": PATH}
        for name, body in (
            ("output", {"category": "telemetry", "output": "t", "data": {"a": 1}}),
            ("output", {"category": "important", "output": "look\n"}),
            (
                "output",
                {"category": "stderr", "output": "e\n", "source": source, "line": 2, "column": 3},
            ),
            ("module", {"reason": "new", "module": {"id": 1, "name": "main", "path": PATH}}),
            ("module", {"reason": "removed", "module": {"id": 1, "name": "main"}}),
            ("thread", {"reason": "started", "threadId": 2}),
            ("thread", {"reason": "exited", "threadId": 2}),
        ):
            await under_test.fake.send_event(name, body)
        await under_test.until(lambda: kinds(session)[-2:] == ["thread", "thread"])
        new = told(session)[before:]
        assert [(e.type, e.origin) for e in new] == [
            ("output", "adapter"),
            ("output", "session"),
            ("output", "program"),
            ("module", "adapter"),
            ("thread", "program"),
            ("thread", "program"),
        ]
        assert fields(new[2].body) == {
            "category": "stderr",
            "output": "e\n",
            "source": PATH,
            "line": 2,
            "column": 3,
        }
        assert [e.output for e in entries(session)] == ["look\n", "e\n"]
        (module,) = bodies(session, ModuleBody)
        assert fields(module) == {
            "reason": "new",
            "module": {
                "id": 1,
                "name": "main",
                "path": PATH,
                "is_optimized": False,
                "is_user_code": True,
                "version": None,
            },
        }


async def test_the_adapter_dies(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script(count_up(PATH, 4))) as under_test:
        session = await start(under_test)
        await under_test.fake.die(signal=9)
        await under_test.until(lambda: under_test.ended)
        (body,) = bodies(session, TerminatedBody)
        assert body.error == session.failure
        assert kinds(session)[-1] == "terminated"


# On the real debugpy

HELPER = """\
class Refused(ValueError):
    pass


def check(number):
    return number
"""

PROGRAM = """\
import sys
import threading

import helper


def work():
    helper.check(1)


thread = threading.Thread(target=work)
thread.start()
thread.join()
for i in range(3):
    print("héllo", i)
print("to stderr", file=sys.stderr)
raise helper.Refused("no more")
"""
CHECK, WORK, PRINT = 6, 7, 15


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A program with a module of its own."""
    (tmp_path / "helper.py").write_text(HELPER, encoding="utf-8")
    target = tmp_path / "program.py"
    target.write_text(PROGRAM, encoding="utf-8")
    return target


async def to_exception(under_test: SessionUnderTest, target: Path) -> Session:
    """Run it over its breakpoints to where it fails."""
    session = under_test.session
    follow(session)
    await session.breakpoints.set(str(target.with_name("helper.py")), CHECK, origin="rest")
    await session.breakpoints.set(str(target), PRINT, log_message="i is {i}", origin="mcp")
    await session.breakpoints.set_function("work", origin="bridge")
    await under_test.start()
    for _ in range(3):
        await under_test.go(Resume.CONTINUE)
    await under_test.until(lambda: kinds(session).count("stopped") == 4)
    return session


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("console", [Console.INTERNAL, Console.TERMINAL])
async def test_a_whole_run(target: Path, tmp_path: Path, console: Console) -> None:
    async with debugpy_session(tmp_path, target, console=console) as under_test:
        session = await to_exception(under_test, target)
        stops = bodies(session, StoppedFeedBody)
        assert [(b.reason, b.hit_breakpoint_ids) for b in stops] == [
            ("entry", ()),
            ("function breakpoint", ("bp_3",)),
            ("breakpoint", ("bp_1",)),
            ("exception", ()),
        ]
        assert stops[1].thread_id == stops[2].thread_id != stops[0].thread_id
        _is_the_exception(fields(stops[3]), target)
        await under_test.to_end()
        assert kinds(session).count("continued") == 4
        assert [b.thread_id for b in bodies(session, ContinuedFeedBody)] == [
            b.thread_id for b in stops
        ]
        _are_the_threads_and_modules(session, target)
        _is_the_output(session, target, console)
        changes = [(e.origin, b) for e in told(session) if isinstance(b := e.body, BreakpointBody)]
        new = [(origin, b.breakpoint.id) for origin, b in changes if b.reason == "new"]
        assert new == [("rest", "bp_1"), ("mcp", "bp_2"), ("bridge", "bp_3")]
        assert {b.breakpoint.id for _, b in changes if b.breakpoint.verified} == {
            "bp_1",
            "bp_2",
            "bp_3",
        }
        assert [e.seq for e in told(session)] == list(range(1, len(told(session)) + 1))


def _is_the_exception(body: dict[str, Any], target: Path) -> None:
    info = body["exception_info"]
    trace = info["details"].pop("stack_trace")
    assert "helper.Refused" in trace
    assert str(target) in trace
    assert body["text"] == "Refused: no more"
    assert info == {
        "exception_id": "Refused",
        "description": "no more",
        "break_mode": "unhandled",
        "details": {
            "type_name": "Refused",
            "full_type_name": "helper.Refused",
            "message": "no more",
        },
    }


def _are_the_threads_and_modules(session: Session, target: Path) -> None:
    stops = bodies(session, StoppedFeedBody)
    assert [(b.reason, b.thread_id) for b in bodies(session, ThreadFeedBody)][:3] == [
        ("started", stops[0].thread_id),
        ("started", stops[1].thread_id),
        ("exited", stops[1].thread_id),
    ]
    modules = {b.module.name: b.module for b in bodies(session, ModuleBody)}
    assert modules["helper"].path == str(target.with_name("helper.py"))
    assert (modules["helper"].is_user_code, modules["threading"].is_user_code) == (True, False)


def _is_the_output(session: Session, target: Path, console: Console) -> None:
    def text(category: str) -> str:
        return "".join(e.output for e in entries(session, category))

    printed = "héllo 0\nhéllo 1\nhéllo 2\n"
    if console is Console.INTERNAL:
        assert text("stdout") == printed
        assert text("stderr").startswith("to stderr\nTraceback")
    else:
        assert text("stdout").startswith(f"{printed}to stderr\nTraceback")
        assert text("stderr") == ""
    log = [e for e in entries(session, "console") if e.line is not None]
    assert [(e.output, e.path, e.line) for e in log] == [
        (f"program.py:{PRINT}: i is {i}\n", str(target), PRINT) for i in range(3)
    ]
    told_output = [b for b in bodies(session, OutputFeedBody) if b.category != "telemetry"]
    assert [b.output for b in told_output] == [e.output for e in entries(session)]
    assert kinds(session)[-1] == "terminated"
    assert [fields(b) for b in bodies(session, TerminatedBody)] == [
        {"exit_code": 1, "restart": False, "error": "Process exited with code 1"}
    ]


@pytest.mark.full
@pytest.mark.real
async def test_every_line_of_a_flood_before_the_end(tmp_path: Path) -> None:
    target = tmp_path / "flood.py"
    target.write_text("for i in range(20_000):\n    print('line', i)\n", encoding="utf-8")
    async with debugpy_session(
        tmp_path, target, console=Console.TERMINAL, stop_on_entry=False
    ) as under_test:
        session = under_test.session
        follow(session)
        await under_test.start()
        lines = "".join(e.output for e in entries(session, "stdout"))
        assert lines == "".join(f"line {i}\n" for i in range(20_000))
        assert kinds(session)[-1] == "terminated"
