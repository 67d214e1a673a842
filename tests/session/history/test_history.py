"""Tests what each stop leaves behind: for nothing, bounded, comparable, and as a report."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes import Script
from tests.support.recording import PROGRAMS, frame, moment, program, record
from tests.support.sessions import FakeSession, debugpy_session, fake_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.stop_history.series import number_of, series_of, sparkline
from tuidbg.session.core.stop_history.timeline import History, PastStop, PastValue
from tuidbg.session.core.values.types import ChildrenRequest, VariableNode
from tuidbg.session.features.report import (
    StopDifference,
    build_report,
    command_line,
    compare,
    fence,
    plain,
    python_version,
    report_problem,
    span,
    write_report,
)
from tuidbg.session.model.state import StopReason, Variable, VariableKind

PATH = "/demo/loop.py"


def looping(values: list[Any], **more: Any) -> Script:
    """A function that stops at the same line with these values of ``total``."""
    return Script(
        program(
            [
                {
                    "frames": [
                        frame("add", PATH, 2, total=value),
                        frame("main", PATH, 9, who="x"),
                    ]
                }
                for value in values
            ],
            **more,
        )
    )


async def look(under_test: FakeSession, index: int = 0) -> None:
    """Fetch what the screen fetches at a stop."""
    inspection = under_test.session.inspection
    scopes = await inspection.scopes(under_test.session.frames[index].id)
    await inspection.variables(scopes[0].reference)


async def walk(under_test: FakeSession, stops: int) -> History:
    """Start, look, and step until there were so many stops."""
    await under_test.start()
    await look(under_test)
    for _ in range(stops - 1):
        await under_test.go(Resume.STEP_OVER)
        await look(under_test)
    return under_test.session.history


def values_of(past: PastStop) -> dict[str, str]:
    return {value.path[-1]: value.value for value in past.values.values()}


async def test_every_stop_leaves_what_was_seen_of_it(tmp_path: Path) -> None:
    source = PROGRAMS / "parcels.py"
    async with fake_session(tmp_path, Script(record(source))) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(source), 22, origin="tui")
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        await look(under_test)
        await under_test.until(lambda: session.threads)
        await under_test.go(Resume.STEP_OVER)
        await look(under_test)
        first, second, third = session.history
        assert [p.number for p in session.history] == [1, 2, 3]
        assert [p.stop.reason for p in session.history] == [
            StopReason.ENTRY,
            StopReason.BREAKPOINT,
            StopReason.STEP,
        ]
        assert first.values == {} and first.place is not None
        assert second.stop.hit_breakpoints == (1,)
        assert (second.function, second.place and second.place.line) == ("stamp", 22)
        assert [f.name for f in second.frames] == ["stamp", "send", "main", "<module>"]
        assert values_of(second)["price"] == "1"
        assert third.thread == "MainThread"
        assert second.time <= third.time
        assert third.output == session.output.last_number


async def test_it_asks_the_adapter_for_nothing(tmp_path: Path) -> None:
    async with fake_session(tmp_path, looping([1, 2, 3])) as under_test:
        await under_test.start()
        before = len(under_test.fake.requests)
        await under_test.go(Resume.STEP_OVER)
        await under_test.until(lambda: not under_test.has_work)
        asked = [r.command for r in under_test.fake.requests[before:]]
        assert sorted(set(asked)) in (["next", "stackTrace"], ["next", "stackTrace", "threads"])
        assert len(under_test.session.history) == 2


async def test_the_values_of_other_frames_and_what_is_opened(tmp_path: Path) -> None:
    async with fake_session(tmp_path, looping([{"a": [1, 2]}])) as under_test:
        session = under_test.session
        await under_test.start()
        await look(under_test, 1)
        scopes = await session.inspection.scopes(session.frames[0].id)
        (total,) = await session.inspection.variables(scopes[0].reference)
        (inner,) = await session.inspection.variables(total.reference)
        await session.inspection.variables(inner.reference)
        newest = session.history.newest
        assert newest is not None
        assert set(newest.values) == {
            (1, ("Locals", "who")),
            (0, ("Locals", "total")),
            (0, ("Locals", "total", inner.name)),
            (0, ("Locals", "total", inner.name, "0")),
            (0, ("Locals", "total", inner.name, "1")),
        }
        assert newest.values[0, ("Locals", "total", inner.name, "0")].name.startswith("total › ")


async def test_a_tree_that_was_fetched_at_once(tmp_path: Path) -> None:
    async with fake_session(tmp_path, looping([1])) as under_test:
        session = under_test.session
        await under_test.start()
        leaf = VariableNode(Variable(name="0", value="7", type="int"))
        node = VariableNode(Variable(name="items", value="[7]", reference=71), (leaf,))
        closed = VariableNode(Variable(name="more", value="{}", reference=72))
        scope = Variable(name="Locals", value="", reference=70)
        history = session.history
        history.note_tree(session.frames[0].id, [VariableNode(scope, (node, closed), True)])
        history.note_children(72, [leaf])
        history.note_children(999, [leaf])
        history.note_tree(12345, [VariableNode(scope, (node,), True)])
        assert history.newest is not None
        assert [path for _, path in history.newest.values] == [
            ("Locals", "items"),
            ("Locals", "items", "0"),
            ("Locals", "more"),
            ("Locals", "more", "0"),
        ]


async def test_of_a_module_what_the_program_made_comes_first(tmp_path: Path) -> None:
    told = [
        ("__loader__", VariableKind.SPECIAL),
        ("math", VariableKind.MODULE),
        ("main", VariableKind.CALLABLE),
        ("total", VariableKind.PLAIN),
        ("add() returned", VariableKind.RETURNED),
    ]
    nodes = tuple(VariableNode(Variable(name, "1", kind=kind)) for name, kind in told)
    async with fake_session(tmp_path, looping([1])) as under_test:
        session = under_test.session
        await under_test.start()
        scope = VariableNode(Variable("Locals", "", reference=70), nodes, True)
        session.history.note_tree(session.frames[0].id, [scope])
        assert session.history.newest is not None
        values = session.history.newest.values
        assert [path[-1] for _, path in values] == ["total", "add() returned", "main"]
        assert [value.path[-1] for value in values.values() if value.is_returned] == [
            "add() returned"
        ]
        assert "add() returned 1" in build_report(session)


async def test_what_belongs_to_an_older_stop_is_not_taken(tmp_path: Path) -> None:
    async with fake_session(tmp_path, looping([1, 2])) as under_test:
        session = under_test.session
        await under_test.start()
        scopes = await session.inspection.scopes(session.frames[0].id)
        await under_test.go(Resume.STEP_OVER)
        session.history.note_variables(scopes[0].reference, [Variable(name="total", value="9")])
        assert session.history.newest is not None and session.history.newest.values == {}


async def test_stops_that_nobody_saw_are_counted(tmp_path: Path) -> None:
    async with fake_session(tmp_path, looping([1, 2, 3, 4])) as under_test:
        session = under_test.session
        await under_test.start()
        before = session.stop_id
        for _ in range(3):
            await session.execution.resume(Resume.STEP_OVER, origin="tui")
        await under_test.settled(before + 2)
        assert [(p.number, p.passed) for p in session.history] == [(1, 0), (2, 2)]


async def test_the_oldest_give_way(tmp_path: Path) -> None:
    async with fake_session(tmp_path, looping(list(range(30)))) as under_test:
        session = under_test.session
        session.history = History(session, max_stops=10)
        history = await walk(under_test, 25)
        assert (len(history), history.dropped) == (10, 15)
        assert [p.number for p in history] == list(range(16, 26))
        assert history.get(15) is None and history.get(26) is None
        past = history.get(16)
        assert past is not None and past.number == 16
        assert [p.number for p in history.since(23)] == [24, 25]
        assert len(history.since(0)) == 10


async def test_bytes_are_bounded_and_equal_values_kept_once(tmp_path: Path) -> None:
    big = "x" * 5000
    async with fake_session(tmp_path, looping([f"{n}{big}" for n in range(30)])) as under_test:
        session = under_test.session
        session.history = History(session, max_bytes=20_000)
        history = await walk(under_test, 30)
        assert 5 < len(history) < 20
        assert history._bytes <= 20_000
        assert history._bytes == sum(p.bytes for p in history)
        assert all(len(v.value) <= 1000 for p in history for v in p.values.values())
    async with fake_session(tmp_path, looping([big] * 30)) as under_test:
        history = await walk(under_test, 30)
        assert len(history) == 30
        assert len({id(v) for p in history for v in p.values.values()}) == 1
        assert len({id(p.frames[1]) for p in history}) == 1


async def test_another_run_begins(tmp_path: Path) -> None:
    async with fake_session(tmp_path, looping([1, 2])) as under_test:
        history = await walk(under_test, 2)
        await under_test.session.lifecycle.restart()
        await under_test.settled(2)
        assert [p.run for p in history] == [1, 1, 2]
        assert [p.number for p in history] == [1, 2, 3]


async def test_an_exception_is_added_when_it_is_known(tmp_path: Path) -> None:
    source = PROGRAMS / "parcels.py"
    async with fake_session(tmp_path, Script(record(source))) as under_test:
        session = under_test.session
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        await under_test.until(lambda: session.stop and session.stop.exception)
        assert session.history.newest is not None
        exception = session.history.newest.stop.exception
        assert exception is not None and exception.type == "KeyError"


# Comparing


def difference(found: list[StopDifference], name: str) -> tuple[str, str | None, str | None]:
    (one,) = (d for d in found if d.path[-1] == name)
    before, now = (value.value if value is not None else None for value in (one.before, one.now))
    return one.kind, before, now


async def test_two_stops_are_compared_within_a_call(tmp_path: Path) -> None:
    moments = [
        moment(PATH, 1, name="f", a=1, b=2, gone=3),
        moment(PATH, 2, name="f", a=1, b=5, fresh=4),
        moment(PATH, 9, name="g", a=7),
    ]
    async with fake_session(tmp_path, Script(program(moments))) as under_test:
        first, second, third = await walk(under_test, 3)
        found = compare(first, second)
        assert difference(found, "a") == ("same", "1", "1")
        assert difference(found, "b") == ("changed", "2", "5")
        assert difference(found, "fresh") == ("new", None, "4")
        assert difference(found, "gone") == ("gone", "3", None)
        assert difference(compare(second, first), "b") == ("changed", "5", "2")
        assert difference(compare(first, third), "a") == ("", None, "7")
        assert difference(compare(None, third), "a") == ("", None, "7")
        assert {d.kind for d in compare(first, first)} == {"same"}


async def test_how_a_variable_changed(tmp_path: Path) -> None:
    async with fake_session(tmp_path, looping([3, 1, 4, 1, 5])) as under_test:
        history = await walk(under_test, 5)
        newest = history.newest
        assert newest is not None
        points = series_of(history, newest.frames[0].function, ("Locals", "total"))
        assert [(p.number, p.value.value) for p in points] == [
            (1, "3"), (2, "1"), (3, "4"), (4, "1"), (5, "5"),
        ]  # fmt: skip
        assert points[0].place is not None and points[0].place.line == 2
        assert series_of(history, newest.frames[0].function, ("Locals", "other")) == []
        assert series_of(history, "nowhere:add", ("Locals", "total")) == []


@pytest.mark.parametrize(
    ("text", "kind", "number"),
    [
        ("3", "int", 3.0),
        ("-1_000", "int", -1000.0),
        ("1.5e3", "float", 1500.0),
        (".5", "float", 0.5),
        ("True", "bool", 1.0),
        ("np.float64(2.5)", "numpy.float64", 2.5),
        ("Decimal('7')", "Decimal", 7.0),
        ("'3'", "str", None),
        ("3", "str", None),
        ("nan", "float", None),
        ("inf", "float", None),
        ("1e999", "float", None),
        ("[1]", "list", None),
        ("", "int", None),
        ("9" * 60, "int", None),
    ],
)
def test_numbers(text: str, kind: str, number: float | None) -> None:
    assert number_of(PastValue(path=("Locals", "x"), value=text, type=kind)) == number


def test_sparklines() -> None:
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7], 20) == "▁▂▃▄▅▆▇█"
    assert sparkline([5, 5, 5], 20) == "▁▁▁"
    assert sparkline([], 20) == sparkline([1], 0) == ""
    assert sparkline([1e308, -1e308], 20) == "█▁"
    many = [0.0] * 1000
    many[337] = 9.0
    assert len(sparkline(many, 40)) == 40
    assert "█" in sparkline(many, 40)


# The report


@pytest.mark.full
@pytest.mark.real
async def test_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "parcels.py"
    source.write_bytes((PROGRAMS / "parcels.py").read_bytes())
    monkeypatch.setenv("HOME", str(tmp_path))
    async with fake_session(tmp_path, Script(record(source)), target=str(source)) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(source), 22, origin="tui")
        await under_test.start()
        for _ in range(3):
            await under_test.go(Resume.CONTINUE)
            await look(under_test)
        await session.breakpoints.remove(1, origin="tui")
        await under_test.to_end()
        path = tmp_path / "report.md"
        await write_report(session, path)
        text = path.read_text(encoding="utf-8")
        assert str(tmp_path) not in text and "~/parcels.py" in text
        for words in (
            "# Debug session: `parcels.py`",
            "- Command line: `",
            "- tuidbg: `",
            "- Python: `3.",
            "The program has ended with exit code 1.",
            "KeyError",
            "-- run 1 --",
            "breakpoint 1",
            "value = 1",
            "(was ",
            "->",
            "postcard: 1",
            "## Console",
        ):
            assert words in text, words


async def test_nothing_of_the_program_is_markup(tmp_path: Path) -> None:
    evil = "```\n# Hello <img src=x> [a](b) \x1b[31m\u202e````"
    async with fake_session(tmp_path, looping([evil], exit=1)) as under_test:
        session = under_test.session
        await walk(under_test, 1)
        session.output.add("stdout", evil)
        session.failure = evil
        report = build_report(session)
        assert "\x1b" not in report and "\u202e" not in report
        fences = 0
        for line in outside_of_fences(report):
            fences += 1
            assert "Hello" not in line and "<img" not in line
        assert fences


def outside_of_fences(text: str) -> list[str]:
    """The lines that a Markdown reader does not take for code (CommonMark 4.5)."""
    outside, closing = [], ""
    for line in text.splitlines():
        found = re.match("`{3,}", line)
        if closing:
            if re.fullmatch(f"{closing}`*", line):
                closing = ""
        elif found:
            closing = found[0]
        else:
            outside.append(line)
    assert not closing
    return outside


def test_code_spans_and_blocks() -> None:
    assert span("a") == "`a`"
    assert span("a `b` c") == "``a `b` c``"
    assert span("`") == "`` ` ``"
    assert span("a\nb") == "`a b`"
    assert span("") == "` `"
    assert fence("a```b").splitlines() == ["````text", "a```b", "````"]
    assert plain("a\x1b[1mb\x1b[0m\x00\x7f\ud800é") == "ab␀��é"


def test_where_a_report_can_go(tmp_path: Path) -> None:
    assert report_problem(tmp_path / "a.md") == ""
    assert "ends in .md" in report_problem(tmp_path / "a.txt")
    assert "no folder" in report_problem(tmp_path / "no" / "a.md")
    (tmp_path / "b.md").mkdir()
    assert "that is a folder" in report_problem(tmp_path / "b.md")


@pytest.mark.real
async def test_an_interpreter_that_says_nothing(tmp_path: Path) -> None:
    assert await python_version(str(tmp_path / "nothing")) == ""
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    assert await python_version(str(broken)) == ""


@pytest.mark.real
async def test_on_debugpy(tmp_path: Path) -> None:
    """Stops, values and an exception, whichever way the variables come."""
    source = tmp_path / "sums.py"
    source.write_text(
        "def add(items):\n    total = 0\n    for item in items:\n        total += item\n"
        "    return total / 0\nadd([1, 2, 3])\n"
    )
    async with debugpy_session(tmp_path, source, "one argument") as under_test:
        session = under_test.session
        await session.breakpoints.set(str(source), 4, origin="tui")
        await under_test.start()
        for _ in range(3):
            await under_test.go(Resume.CONTINUE)
            await session.values.look(session.frames[0].id, {"Locals": ChildrenRequest()})
        await session.breakpoints.remove(1, origin="tui")
        await under_test.go(Resume.CONTINUE)
        await under_test.until(lambda: session.stop and session.stop.exception)
        await under_test.locals()
        history = session.history
        past = history.get(2)
        assert past is not None
        points = series_of(history, past.frames[0].function, ("Locals", "total"))
        assert [p.value.value for p in points] == ["0", "1", "3", "6"]
        assert history.newest is not None and history.newest.total == 2
        report = build_report(session)
        assert "ZeroDivisionError" in report and "'one argument'" in report
        assert command_line(session.plan, session.profile.launch).endswith("'one argument'")
