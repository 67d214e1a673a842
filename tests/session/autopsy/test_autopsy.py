"""The autopsy of an exception, on the oldest and the newest Python."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes import Script
from tests.support.interpreters import SUPPORTED, Version, name_of
from tests.support.recording import PROGRAMS, record
from tests.support.sessions import SessionUnderTest, debugpy_session, fake_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.autopsy import Autopsy, AutopsyReport, AutopsyVariable, NoException
from tuidbg.session.model.errors import InvalidSessionState, InvalidSetting
from tuidbg.session.model.state import Status, StopReason

VERSIONS = sorted({min(SUPPORTED), max(SUPPORTED)})

CHAIN = """\
import json
class BakingError(Exception):
    def __init__(self, message, tray):
        super().__init__(message)
        self.tray = tray
class Broken:
    def __repr__(self):
        raise ValueError("no")
class Endless:
    def __repr__(self):
        while True:
            pass
class Lying:
    __class__ = dict
    __slots__ = ("one", "two")
def read(text, *rest, strict=True, **more):
    broken = Broken()
    endless = Endless()
    nested = {"a": [1, 2], "b": ()}
    lying = Lying()
    number = 7
    try:
        return json.loads(text)
    except ValueError as error:
        failure = BakingError("no [b]bread[/b]", 3)
        failure.__notes__ = ["first note \\udc80", "second"]
        raise failure from error
def bake(count):
    try:
        read("{flour", 1, salt=2)
    except BakingError:
        {}["missing" + str(count)]
bake(3)
"""
RAISE, CALL, KEY, TOP = 27, 30, 32, 33

HOSTILE = """\
import sys
class Mute(Exception):
    def __str__(self):
        raise ValueError("no")
class Slow(Exception):
    def __str__(self):
        while True:
            pass
class Loud(Exception):
    @property
    def __notes__(self):
        raise RuntimeError("never")
def circle():
    one, other = Mute("one"), Slow("other")
    one.__context__, other.__context__ = other, one
    raise one
def hidden():
    try:
        1 / 0
    except ZeroDivisionError:
        raise Loud("visible") from None
def long():
    error = None
    for number in range(30):
        following = KeyError(number)
        following.__cause__ = error
        error = following
    raise error
def many():
    for number in range(300):
        exec("v%d = %d" % (number, number), globals())
    lots = {"name%d" % number: number for number in range(300)}
    exec("def full(%s): raise OSError(2, 'gone', 'file')" % ", ".join(lots), globals())
    full(**lots)
def deep(number):
    if not number:
        raise ArithmeticError("bottom")
    deep(number - 1)
def group():
    inner = ExceptionGroup("inner", [KeyError("k"), ValueError("v")])
    inner.exceptions[0].__cause__ = TypeError("why")
    raise ExceptionGroup("outer", [inner, OSError("o")])
for name in sys.argv[1:]:
    try:
        exec(name.replace("'", '"'))
    except Exception:
        pass
x = 1
"""


class Examined:
    """Holds what was seen of one program on one Python."""

    def __init__(self) -> None:
        self.reports: dict[str, AutopsyReport] = {}
        self.took = 0.0

    def __getitem__(self, name: str) -> AutopsyReport:
        return self.reports[name]


async def _examine_chain(version: Version, folder: Path) -> Examined:
    program = folder / "bakery.py"
    program.write_text(CHAIN, encoding="utf-8")
    examined = Examined()
    python = SUPPORTED[version]
    async with debugpy_session(folder, program, python=python, stop_on_entry=False) as under_test:
        session = under_test.session
        await session.exceptions.stop_at(frozenset({"raised", "uncaught"}), origin="tui")
        await under_test.start()
        autopsy = Autopsy.of(session)
        examined.reports["decoding"] = await autopsy.examine()
        examined.reports["external"] = await autopsy.examine(include_variables_for_frames=2)
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == RAISE
        begun = time.monotonic()
        examined.reports["raised"] = await autopsy.examine(
            max_frames=100, include_variables_for_frames=10, max_inner_exceptions=20
        )
        examined.took = time.monotonic() - begun
        await under_test.go(Resume.CONTINUE)
        examined.reports["key"] = await autopsy.examine()
        examined.reports["short"] = await autopsy.examine(max_frames=1, max_inner_exceptions=1)
        examined.reports["bare"] = await autopsy.examine(
            include_variables_for_frames=0, max_inner_exceptions=0
        )
        await under_test.go(Resume.CONTINUE)
        assert session.stop is not None
        examined.reports["uncaught"] = await autopsy.examine(include_variables_for_frames=1)
        frame = examined["uncaught"].frames[1]
        assert frame.variables is None
        assert (await autopsy.variables(frame)).variables is not None
        await under_test.to_end()
        assert "KeyError: 'missing3'" in under_test.output("stderr")
    return examined


@pytest.fixture(scope="module", params=VERSIONS, ids=name_of)
def examined(request: pytest.FixtureRequest) -> Iterator[Examined]:
    """The chain's reports; the program was run once for all tests."""
    with tempfile.TemporaryDirectory() as folder:
        yield asyncio.run(_examine_chain(request.param, Path(folder)))


def variables_of(report: AutopsyReport, frame: int = 0) -> dict[str, AutopsyVariable]:
    found = report.frames[frame]
    assert found.arguments is not None and found.variables is not None
    return {v.name: v for v in (*found.arguments, *found.variables.locals)}


def limits(e: Examined) -> None:
    assert len(e["short"].frames) == 1 and len(e["key"].frames) == 2
    assert len(e["short"].inner_exceptions) == 1


def fields(e: Examined) -> None:
    report = e["key"]
    assert report.thread_id == 1
    assert report.exception.type == "KeyError"
    assert len(report.inner_exceptions) == 2 and not report.inner_exceptions_truncated
    assert (report.total_frames, report.throwing_frame_index) == (2, 0)


def head(e: Examined) -> None:
    report = e["key"]
    assert (report.exception.type, report.exception.message) == ("KeyError", "'missing3'")
    assert report.is_first_chance and not e["uncaught"].is_first_chance
    assert "KeyError: 'missing3'" in report.stack_trace


def inner(e: Examined) -> None:
    assert [(i.type, i.depth) for i in e["key"].inner_exceptions] == [
        ("__main__.BakingError", 1),
        ("json.decoder.JSONDecodeError", 2),
    ]
    assert e["key"].inner_exceptions[1].message.startswith("Expecting property name")


def chain(e: Examined) -> None:
    assert [(p.type, p.link) for p in e["key"].exception.inner] == [
        ("__main__.BakingError", "context"),
        ("json.decoder.JSONDecodeError", "cause"),
    ]


def truncated(e: Examined) -> None:
    assert e["short"].inner_exceptions_truncated
    assert e["bare"].inner_exceptions == ()
    assert not e["key"].inner_exceptions_truncated


def frames(e: Examined) -> None:
    first, last = e["key"].frames
    assert (first.index, first.line.function, first.module) == (0, "bake", "__main__")
    assert first.location is not None
    assert Path(first.location.place.path).name == "bakery.py"
    assert (first.location.place.line, last.line.place.line) == (KEY, TOP)
    assert first.line.source == '        {}["missing" + str(count)]'
    assert first.line.column in (0, 9) and first.line.end_column in (0, 35)


def external(e: Examined) -> None:
    report = e["decoding"]
    assert [(f.is_external, f.location is None) for f in report.frames[:3]] == [(True, True)] * 3
    assert report.frames[0].module == "json.decoder"
    assert not report.frames[3].is_external
    assert report.frames[3].line.function == "read"


def values(e: Examined) -> None:
    found = variables_of(e["raised"])
    assert (found["text"].value, found["text"].type) == ("'{flour'", "str")
    assert [n for n, v in found.items() if v.scope == "Argument"] == [
        "text", "strict", "rest", "more",
    ]  # fmt: skip
    assert (found["nested"].children_count, found["nested"].has_children) == (2, True)
    assert (found["number"].children_count, found["number"].has_children) == (None, False)
    assert found["lying"].type == "__main__.Lying" and found["lying"].children_count == 2
    assert "__exception__" not in found


def top_frames(e: Examined) -> None:
    assert [f.variables is None for f in e["bare"].frames] == [True, True]
    assert [f.arguments is None for f in e["key"].frames] == [False, True]
    assert [f.variables is None for f in e["raised"].frames] == [False] * 3


def external_count(e: Examined) -> None:
    assert [f.variables is None for f in e["external"].frames[:4]] == [False, False, True, True]


def errors(e: Examined) -> None:
    found = e["raised"].frames[0].variables
    assert found is not None and found.errors is not None
    assert {(p.name, p.problem) for p in found.errors} == {
        ("broken", "repr raised ValueError"),
        ("endless", "repr takes more than 0.3 s"),
    }
    other = e["raised"].frames[1].variables
    assert other is not None and other.errors is None
    assert e.took < 2


def totals(e: Examined) -> None:
    report = e["short"]
    assert (len(report.frames), report.total_frames) == (1, 2)
    assert e["decoding"].throwing_frame_index == 0
    assert e["decoding"].frames[0].is_throwing and not e["decoding"].frames[1].is_throwing


def both(e: Examined) -> None:
    assert e["raised"].exception.message == "no [b]bread[/b]"
    assert e["uncaught"].exception.type == "KeyError"
    assert [f.line.place.line for f in e["uncaught"].frames] == [KEY, TOP]


CHECKS: list[Callable[[Examined], None]] = [
    limits,
    fields,
    head,
    inner,
    chain,
    truncated,
    frames,
    external,
    values,
    top_frames,
    external_count,
    errors,
    totals,
    both,
]


@pytest.mark.real
@pytest.mark.sampled(4)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_report(check: Callable[[Examined], None], examined: Examined) -> None:
    check(examined)


@pytest.mark.real
def test_what_the_exception_carries(examined: Examined) -> None:
    part = examined["raised"].exception
    assert part.notes == ("first note \\udc80", "second")
    assert [(a.name, a.value) for a in part.attributes] == [("tray", "3")]
    assert part.raised_at is not None and part.raised_at.place.line == RAISE
    assert part.inner[0].raised_at is not None
    assert "JSONDecodeError" in part.inner[0].type


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("max_frames", 0),
        ("max_frames", 101),
        ("include_variables_for_frames", -1),
        ("include_variables_for_frames", 11),
        ("max_inner_exceptions", -1),
        ("max_inner_exceptions", 21),
    ],
    ids=str,
)
async def test_numbers_out_of_range(name: str, number: int, tmp_path: Path) -> None:
    async with fake_session(tmp_path) as under_test:
        with pytest.raises(InvalidSetting, match=f"{name} is a number from") as raised:
            await Autopsy.of(under_test.session).examine(**{name: number})
        assert raised.value.field == name


@pytest.mark.full
@pytest.mark.real
async def test_no_exception(tmp_path: Path) -> None:
    program = tmp_path / "plain.py"
    program.write_text("x = 1\nx = 2\n")
    async with debugpy_session(tmp_path, program) as under_test:
        autopsy = Autopsy.of(under_test.session)
        assert autopsy.why_not() == "the program is not paused at an exception"
        with pytest.raises(InvalidSessionState):
            await autopsy.examine()
        await under_test.start()
        assert autopsy.why_not() == "the program did not stop at an exception"
        with pytest.raises(NoException):
            await autopsy.examine()
        assert under_test.sent("evaluate") == [] or all(
            "autopsy" not in str(each) for each in under_test.sent("evaluate")
        )


@pytest.mark.full
@pytest.mark.real
async def test_one_question(tmp_path: Path) -> None:
    """And the next stop is not held up by it."""
    program = tmp_path / "bakery.py"
    program.write_text(CHAIN, encoding="utf-8")
    async with debugpy_session(tmp_path, program, stop_on_entry=False) as under_test:
        session = under_test.session
        await under_test.start()
        await under_test.until(lambda: session.stop and session.stop.exception)
        await Autopsy.of(session).examine()
        before = len(under_test.sent("evaluate"))
        kinds = ("stackTrace", "scopes", "variables", "exceptionInfo")
        others = [len(under_test.sent(kind)) for kind in kinds]
        await Autopsy.of(session).examine()
        assert len(under_test.sent("evaluate")) == before + 1
        assert others == [len(under_test.sent(kind)) for kind in kinds]
        await under_test.to_end()
        assert session.status is Status.TERMINATED


async def test_an_adapter_that_knows_no_more(tmp_path: Path) -> None:
    """DAP itself tells type and message, the frames, their locals."""
    source = PROGRAMS / "parcels.py"
    async with fake_session(tmp_path, Script(record(source))) as under_test:
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        assert under_test.reason is StopReason.EXCEPTION
        autopsy = Autopsy.of(under_test.session)
        assert autopsy.why_not() == ""
        report = await autopsy.examine()
        assert report.exception.type == "KeyError"
        top, below = report.frames[:2]
        assert top.line.place == under_test.session.frames[0].place
        assert top.line.source == source.read_text().splitlines()[top.line.place.line - 1]
        assert top.variables is not None
        shown = {v.name: v.value for v in top.variables.locals}
        assert shown == {v.name: v.value for v in (await under_test.locals()).values()}
        assert below.variables is None
        loaded = await autopsy.variables(below)
        assert loaded.variables is not None
        assert {v.name for v in loaded.variables.locals} == set(await under_test.locals(1))


# Exceptions that make it difficult


async def _hostile(
    folder: Path, version: Version, call: str, skip: int = 0, **limits: Any
) -> tuple[AutopsyReport, float]:
    program = folder / "hostile.py"
    program.write_text(HOSTILE, encoding="utf-8")
    python = SUPPORTED[version]
    async with debugpy_session(
        folder, program, call, python=python, stop_on_entry=False
    ) as under_test:
        await under_test.session.exceptions.stop_at(frozenset({"raised"}), origin="tui")
        await under_test.start()
        for _ in range(skip):
            await under_test.go(Resume.CONTINUE)
        begun = time.monotonic()
        report = await Autopsy.of(under_test.session).examine(**limits)
        took = time.monotonic() - begun
        await _goes_on(under_test)
        return report, took


async def _goes_on(under_test: SessionUnderTest) -> None:
    await under_test.session.exceptions.stop_at(frozenset(), origin="tui")
    await under_test.to_end()
    assert under_test.session.exit is not None and under_test.session.exit.code == 0
    assert under_test.output("stdout") == ""


on_both = pytest.mark.parametrize("version", VERSIONS, ids=name_of)


@pytest.mark.real
@pytest.mark.sampled
@on_both
async def test_a_circle_ends_the_chain(version: Version, tmp_path: Path) -> None:
    report, took = await _hostile(tmp_path, version, "circle()")
    assert [(p.type, p.problem) for p in (report.exception, *report.exception.inner)] == [
        ("__main__.Mute", "its __str__ raised ValueError"),
        ("__main__.Slow", "its message takes too long"),
    ]
    assert not report.inner_exceptions_truncated
    assert took < 2


@pytest.mark.full
@pytest.mark.real
@on_both
async def test_what_is_suppressed_is_named(version: Version, tmp_path: Path) -> None:
    report, _ = await _hostile(tmp_path, version, "hidden()", skip=1)
    part = report.exception
    assert (part.type, part.inner, part.suppressed) == ("__main__.Loud", (), "ZeroDivisionError")
    assert part.notes == ()


@pytest.mark.full
@pytest.mark.real
@on_both
async def test_a_long_chain_is_cut(version: Version, tmp_path: Path) -> None:
    report, _ = await _hostile(tmp_path, version, "long()")
    assert [i.message for i in report.inner_exceptions] == ["28", "27", "26", "25", "24"]
    assert report.inner_exceptions_truncated
    report, _ = await _hostile(tmp_path, version, "long()", max_inner_exceptions=20)
    assert len(report.inner_exceptions) == 20 and report.inner_exceptions_truncated


@pytest.mark.full
@pytest.mark.real
@on_both
async def test_many_variables_are_cut(version: Version, tmp_path: Path) -> None:
    report, _ = await _hostile(tmp_path, version, "many()", include_variables_for_frames=10)
    found = report.frames[0]
    assert found.arguments is not None and found.variables is not None
    assert len(found.arguments) == 100 and found.variables.left_out == 200
    assert found.line.source == "" and found.line.place.path.startswith("<")


@pytest.mark.full
@pytest.mark.real
@on_both
async def test_many_frames(version: Version, tmp_path: Path) -> None:
    report, _ = await _hostile(tmp_path, version, "deep(300)", max_frames=100)
    assert len(report.frames) == 100 and report.total_frames == 303
    assert [f.index for f in report.frames] == list(range(100))


@pytest.mark.full
@pytest.mark.real
@pytest.mark.skipif(VERSIONS[-1] < (3, 11), reason="no Python here has exception groups")
async def test_a_group_is_a_tree(tmp_path: Path) -> None:
    report, _ = await _hostile(tmp_path, VERSIONS[-1], "group()")
    outer = report.exception
    assert (outer.message, outer.members_total) == ("outer (2 sub-exceptions)", 2)
    inner, other = outer.members
    assert (inner.link, other.link) == ("member", "member")
    assert (inner.type, other.type) == ("ExceptionGroup", "OSError")
    assert [p.type for p in inner.members] == ["KeyError", "ValueError"]
    assert [(p.type, p.link) for p in inner.members[0].inner] == [("TypeError", "cause")]
