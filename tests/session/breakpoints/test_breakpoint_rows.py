"""Every row of the requirements that is about breakpoints: shown here, or why it is not.

The rows stand in the tests' ids. What concerns the adapter is shown on the fake one, what concerns
tuidbg on debugpy. Rows that are nothing but the form of a message are in ``WIRE_ONLY``.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.support.fake_program import Json
from tests.support.fake_replies import Replies
from tests.support.fakes import CAPABILITIES, Script, lines_of
from tests.support.marked import MarkedProgram
from tests.support.recording import count_up, moment, program
from tests.support.sessions import SessionUnderTest, debugpy_session, fake_session
from tuidbg.adapters.languages import PYTHON
from tuidbg.adapters.traits.sources import FunctionPlace
from tuidbg.session.breakpoints.options import BreakpointSettings, check_settings
from tuidbg.session.breakpoints.predicates import read_hit_condition
from tuidbg.session.errors import BreakpointNotFound, InvalidSetting
from tuidbg.session.events import Stopped, TraceProduced
from tuidbg.session.execution import Resume
from tuidbg.session.state import BreakpointKind, BreakpointStatus, ExceptionRule, Status, StopReason


def _range(seed: str, first: int, last: int, width: int = 2) -> list[str]:
    return [f"{seed}-{number:0{width}}" for number in range(first, last + 1)]


NAMED = {
    *_range("R001", 1, 31),
    *_range("R000", 11, 44),
    *_range("R003", 101, 126, 3),
    *_range("R004", 7, 71),
    *_range("R004", 89, 98),
}
"""The rows about breakpoints; the other forms of the same things come with their front ends."""

MCP, REST = "the MCP tools", "the REST interface"

WIRE_ONLY = {
    "R000-13": f"{MCP}: addresses are written as 0x and lower-case digits",
    "R000-19": f"{MCP}: a bare file name is looked up before anything is asked of the core",
    "R000-20": f"{MCP}: in which order error codes are decided",
    "R000-21": f"{MCP}: names and types of parameters",
    "R000-22": f"{MCP}: the exact reply of a deletion",
    "R000-24": f"{MCP}: code 1002",
    "R000-26": f"{MCP}: name and reply of the list",
    "R000-33": f"{MCP}: names and types of parameters",
    "R000-43": f"{MCP}: lldb_pollEvents; the log that it reads is the core's",
    "R003-101": f"{REST}: the body's fields",
    "R003-104": f"{REST}: results of a batch in the order of its entries",
    "R003-114": f"{REST}: when a batch is a success",
    "R003-118": f"{REST}: INVALID_REQUEST and its details",
    "R003-120": f"{REST}: 409 once the program has ended; the core takes breakpoints always",
    "R003-121": f"{REST}: filters of the list",
    "R003-123": f"{REST}: what `total` counts",
    "R004-07": f"{MCP}: names and types of parameters",
    "R004-08": f"{MCP}: a call with neither file nor function; the core has a method for each",
    "R004-10": f"{MCP}: a relative file is resolved before anything is asked of the core",
    "R004-21": f"{MCP}: names of parameters and fields",
    "R004-24": f"{MCP}: the spellings of ids",
    "R004-26": f"{MCP}: the reply's name",
    "R004-31": f"{MCP}: names and types of parameters",
    "R004-32": f"{MCP}: the reply's fields",
    "R004-45": f"{MCP}: names and types of parameters",
    "R004-54": f"{MCP}: the reply's fields",
    "R004-61": f"{MCP}: names, types and defaults of parameters",
    "R004-63": f"{MCP}: the reply of a time-out",
    "R004-89": f"{MCP}: the notification's name",
    "R004-91": f"{MCP}: the notification's fields",
    "R004-92": f"{MCP}: how a time is written",
    "R004-93": f"{MCP}: the words of `type`",
}
"""Rows that only say how a message looks, and where they will be shown."""

SHOWN: set[str] = set()

Test = TypeVar("Test", bound=Callable[..., Any])


def rows(*names: str) -> Callable[[Test], Test]:
    """Mark a test as showing these rows: they become its id."""
    SHOWN.update(names)
    return pytest.mark.parametrize("shown", ["+".join(names)], ids=["+".join(names)])


def test_every_row_is_shown_or_listed() -> None:
    assert sorted(NAMED - SHOWN - WIRE_ONLY.keys()) == []
    assert sorted((SHOWN | WIRE_ONLY.keys()) - NAMED) == []
    assert sorted(SHOWN & WIRE_ONLY.keys()) == []


SET, REFUSED, PENDING = BreakpointStatus.SET, BreakpointStatus.REFUSED, BreakpointStatus.PENDING

# Rules for adapters, on the fake one

PATH, OTHER = "/demo/count.py", "/demo/other.py"


class Adapter:
    """The fake adapter's answers, without a process."""

    def __init__(self, **quirks: Any) -> None:
        code = program([moment(PATH, line, i=line) for line in (1, 2, 5, 9)])
        code["code_lines"][OTHER] = [1, 2]
        self.replies = Replies(asdict(Script(code, quirks=quirks)))
        self.breakpoints = self.replies.program.breakpoints

    def ask(self, **arguments: Any) -> Json:
        """The only message that a ``setBreakpoints`` gives."""
        request = {"seq": 1, "command": "setBreakpoints", "arguments": arguments}
        (answer,) = self.replies.answer(request)
        return answer

    def set(self, *lines: int, path: str = PATH, **arguments: Any) -> list[Json]:
        """What is answered to a list of breakpoints."""
        wanted = [{"line": line} for line in lines]
        answer = self.ask(source={"path": path}, breakpoints=wanted, **arguments)
        assert answer["success"]
        found: list[Json] = answer["body"]["breakpoints"]
        return found

    def lines(self, path: str = PATH) -> list[int]:
        """Where it would stop."""
        return lines_of(self.breakpoints.get(path, []))


@rows("R001-02", "R001-03", "R001-04", "R001-05", "R001-06", "R001-07")
def test_a_list_replaces_that_of_its_source(shown: str) -> None:
    adapter = Adapter()
    adapter.set(1, 5)
    adapter.set(2, path=OTHER)
    failed = adapter.ask(breakpoints=[{"line": 2}])
    assert (failed["success"], adapter.lines()) == (False, [1, 5])
    assert [each["verified"] for each in adapter.set(5, 9, sourceModified=False)] == [True, True]
    assert (adapter.lines(), adapter.lines(OTHER)) == ([5, 9], [2])
    adapter.set()
    assert (adapter.lines(), adapter.lines(OTHER)) == ([], [2])
    adapter.set(1)
    adapter.ask(source={"path": PATH})
    assert adapter.lines() == []


@rows("R001-08", "R001-09", "R001-10", "R001-12")
def test_line_numbers_and_objects_are_the_same(shown: str) -> None:
    by_lines, by_objects = Adapter(), Adapter()
    answer = by_lines.ask(source={"path": PATH}, lines=[5, 3, 1])
    assert answer["body"]["breakpoints"] == by_objects.set(5, 3, 1)
    assert by_lines.breakpoints == by_objects.breakpoints
    by_lines.ask(source={"path": PATH}, lines=[1], breakpoints=[{"line": 9}])
    assert by_lines.lines() == [9]
    by_lines.ask(source={"path": PATH}, lines=[1], breakpoints=[])
    assert by_lines.lines() == []


@rows("R001-14")
def test_a_source_that_is_read_again_is_verified_again(shown: str) -> None:
    adapter = Adapter()
    assert [each["verified"] for each in adapter.set(3, 5)] == [False, True]
    adapter.replies.program.program["code_lines"][PATH] = [3]
    assert [each["verified"] for each in adapter.set(3, 5, sourceModified=True)] == [True, False]


@rows("R001-16", "R001-17", "R001-18", "R001-19", "R001-22", "R001-24", "R001-25", "R001-26",
      "R001-28", "R001-29")  # fmt: skip
def test_one_answer_for_each_in_their_order(shown: str) -> None:
    answers = Adapter().set(9, 3, 5, 5, 77, 1)
    assert [each["verified"] for each in answers] == [True, False, True, True, False, True]
    assert [each.get("line") for each in answers] == [9, None, 5, 5, None, 1]
    assert ["message" in each for each in answers] == [not each["verified"] for each in answers]
    assert answers[1]["message"] == "no code at line 3"
    known = {"id", "message", "source", "line", "column", "endLine", "endColumn"}
    assert all(each.keys() <= {"verified", *known} for each in answers)


@pytest.mark.real
@rows("R001-20", "R001-21")
async def test_ids_are_not_needed(shown: str, tmp_path: Path) -> None:
    assert "id" not in Adapter(no_ids=True).set(5)[0]
    script = Script(program([moment(PATH, line) for line in (1, 2, 5)]), quirks={"no_ids": True})
    async with fake_session(tmp_path, script) as t:
        await t.start()
        for line in (5, 3, 1):
            await t.session.breakpoints.set(PATH, line, origin="tui")
        found = {b.line: b.status for b in t.session.breakpoints.registry}
        assert found == {1: SET, 3: REFUSED, 5: SET}


# Rules for the client


@pytest.mark.real
@rows("R001-01", "R001-11", "R004-11")
async def test_what_an_adapter_announces_is_all_that_it_is_sent(shown: str, tmp_path: Path) -> None:
    script = Script(count_up(PATH, 5), capabilities={"supportsConfigurationDoneRequest": True})
    async with fake_session(tmp_path, script) as t:
        await t.start()
        breakpoints = t.session.breakpoints
        plain = await breakpoints.set(PATH, 2, origin="tui")
        there = await breakpoints.set(
            PATH, 4, column=7, hit_condition="1", log_message="", origin="tui"
        )
        condition = await breakpoints.set(PATH, 3, condition="i", origin="tui")
        sent = t.fake.arguments_of("setBreakpoints")[-1]["breakpoints"]
        assert sent == [{"line": 2}, {"line": 4, "column": 7}]
        assert (plain.status, condition.status) == (SET, REFUSED)
        assert (there.status, there.column) == (SET, 7)
        assert there.message == "this debug adapter stops at the line, not at column 7"
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (2, (1,))


@pytest.mark.real
@rows("R001-13", "R001-15")
async def test_an_edited_source_is_announced_and_a_refusal_is_told(
    shown: str, tmp_path: Path
) -> None:
    source = tmp_path / "source.py"
    source.write_text("a = 1\nb = 2\nc = 3\n", encoding="utf-8")
    path = str(source)
    script = Script(count_up(path, 3), quirks={"fixed_sources": True})
    async with fake_session(tmp_path, script, target=path) as t:
        await t.start()
        breakpoints = t.session.breakpoints
        await breakpoints.set(path, 2, origin="tui")
        source.write_text("a = 1\nb = 2\nc = 3\nd = 4\n", encoding="utf-8")
        await breakpoints.set(path, 3, origin="tui")
        assert t.fake.arguments_of("setBreakpoints")[-1]["sourceModified"] is True
        old, new = t.breakpoint(2), t.breakpoint(3)
        assert old.status is SET
        assert new.status is not SET
        assert "restart" in old.message
        assert "restart" in new.message
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (2, (1,))


@pytest.mark.real
@rows("R001-23", "R001-27", "R001-30", "R001-31", "R000-18")
async def test_what_the_adapter_says_is_shown(shown: str, tmp_path: Path) -> None:
    """In its words where it refuses or takes back; where it moves one, that is taken back."""
    moments = [moment(PATH, line, i=line) for line in (1, 2, 5, 9)]
    quirks = {"breakpoints": "up", "refuse": {"5": "there is no debug information"}}
    async with fake_session(tmp_path, Script(program(moments), quirks=quirks)) as t:
        await t.start()
        breakpoints = t.session.breakpoints
        refused = await breakpoints.set(PATH, 5, origin="tui")
        assert (refused.status, refused.message) == (REFUSED, "there is no debug information")
        moved = await breakpoints.set(PATH, 4, origin="tui")
        assert (moved.line, moved.status, moved.suggested_line) == (4, REFUSED, 2)
        assert moved.message == "no executable code at line 4"
        kept = await breakpoints.set(PATH, 9, origin="tui")
        (adapter_id,) = (i for i, n in breakpoints.binding.numbers.items() if kept.number in n)
        told = {"id": adapter_id, "verified": False, "message": "the module was unloaded"}
        await t.fake.send_event("breakpoint", {"reason": "changed", "breakpoint": told})
        await t.until(lambda: breakpoints.registry.get(kept.number).status is REFUSED)
        assert breakpoints.registry.get(kept.number).message == "the module was unloaded"
        await breakpoints.remove(kept.number, origin="tui")
        await t.go(Resume.CONTINUE)
        assert t.ended


# Kinds that only some adapters know


@pytest.mark.real
@rows("R000-17")
async def test_addresses_and_values(shown: str, tmp_path: Path) -> None:
    """Set exactly there, or not at all and why; an adapter that can't is not even asked."""
    known = {"supportsInstructionBreakpoints": True, "supportsDataBreakpoints": True}
    code = count_up(PATH, 9, addresses={"0x4010": [PATH, 4]}, data={"total": [6, 7]})
    script = Script(code, capabilities={**CAPABILITIES, **known})
    async with fake_session(tmp_path, script) as t:
        breakpoints = t.session.breakpoints
        early = await breakpoints.set_address(0x4010, origin="tui")
        assert (early.status, early.places) == (PENDING, ())
        await t.start()
        assert breakpoints.registry.get(1).status is SET
        nowhere = await breakpoints.set_address(0x9999, origin="tui")
        assert (nowhere.status, nowhere.message) == (REFUSED, "nothing is loaded at this address")
        watched = await breakpoints.set_data("total", origin="tui")
        missing = await breakpoints.set_data("nothing", origin="tui")
        assert (watched.status, missing.status) == (SET, REFUSED)
        assert missing.message == "no value nothing"
        stops = []
        while not t.ended:
            await t.go(Resume.CONTINUE)
            if not t.ended:
                stops.append((t.line, t.hits))
        assert stops == [(4, (1,)), (6, (3,)), (7, (3,))]
        counted = {b.number: b.hits for b in breakpoints.registry}
        assert counted == {1: 1, 2: 0, 3: 2, 4: 0}


@pytest.mark.real
@rows("R000-15", "R000-16")
async def test_one_name_with_several_places(shown: str, tmp_path: Path) -> None:
    """One breakpoint, hit and counted at each of them."""
    lines = (1, 3, 5, 3, 7)
    script = Script(program([moment(PATH, line, i=line) for line in lines]))
    async with fake_session(tmp_path, script) as t:
        t.profile.functions = {"draw": tuple(FunctionPlace(PATH, line, "draw") for line in (3, 7))}
        found = await t.session.breakpoints.set_function("draw", origin="tui")
        assert [(p.path, p.line) for p in found.places] == [(PATH, 3), (PATH, 7)]
        await t.start()
        stops = []
        while not t.ended:
            await t.go(Resume.CONTINUE)
            if not t.ended:
                stops.append((t.line, t.hits))
        assert stops == [(3, (1,)), (3, (1,)), (7, (1,))]
        assert t.session.breakpoints.registry.get(1).hits == 3


# Where the adapter has no probe, the session decides by the same rules


@pytest.mark.real
@rows("R000-16", "R000-38", "R000-39", "R000-44", "R003-108", "R004-46", "R004-49", "R004-51",
      "R004-55", "R004-57", "R004-58")  # fmt: skip
async def test_without_a_probe(shown: str, tmp_path: Path) -> None:
    passes = [moment(PATH, line, i=i) for i in range(12) for line in (2, 3, 4, 5, 6)]
    async with fake_session(tmp_path, Script(program([moment(PATH, 1), *passes]))) as t:
        breakpoints = t.session.breakpoints
        await breakpoints.set(PATH, 6, temporary=True, condition="i == 1", origin="tui")
        await breakpoints.set(PATH, 2, condition="i % 2 == 0", hit_condition=">= 5", origin="tui")
        await breakpoints.set(PATH, 3, ignore_count=9, origin="tui")
        await breakpoints.set(PATH, 4, trigger=1, condition="i < 4", origin="tui")
        await breakpoints.set(
            PATH, 5, trace=True, log_message="{{{i}}} {nope}", every=2, at_most=3, origin="tui"
        )
        assert [b.number for b in breakpoints.registry if not b.armed] == [4]
        await t.start()
        stops = []
        while not t.ended:
            await t.go(Resume.CONTINUE)
            if not t.ended:
                stops.append((t.hits, int(await value(t, "i"))))
        assert stops == [
            ((1,), 1), ((4,), 2), ((4,), 3), ((2,), 8), ((3,), 9), ((2,), 10), ((3,), 10),
            ((3,), 11),
        ]  # fmt: skip
        told = [(r.count, r.text) for r in t.session.trace]
        assert told == [(n, f"{{{n - 1}}} <error: NameError>") for n in (2, 4, 6)]
        found = {b.number: (b.hits, b.enabled) for b in breakpoints.registry}
        assert found == {2: (6, True), 3: (12, True), 4: (2, True), 5: (6, False)}


# On debugpy: setting, listing, changing, deleting


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


@pytest.mark.real
@rows("R000-11", "R000-12", "R000-14", "R000-27", "R000-28", "R000-29", "R000-30", "R000-31",
      "R003-102", "R003-103", "R003-105", "R003-106", "R003-112", "R003-119", "R004-17",
      "R004-20", "R004-27")  # fmt: skip
async def test_set_before_while_paused_and_while_running(shown: str, tmp_path: Path) -> None:
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


@pytest.mark.real
@rows("R000-32", "R000-34", "R000-35", "R000-36", "R000-37", "R000-38", "R000-39", "R000-40",
      "R000-42", "R000-44", "R003-107", "R003-108", "R003-122", "R004-13", "R004-14", "R004-15",
      "R004-34", "R004-98")  # fmt: skip
async def test_conditions_and_counts(shown: str, tmp_path: Path) -> None:
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


@pytest.mark.real
@rows("R000-23", "R000-25", "R000-41", "R003-124", "R003-125", "R003-126", "R004-22", "R004-23",
      "R004-25")  # fmt: skip
async def test_deleted(shown: str, tmp_path: Path) -> None:
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


@pytest.mark.real
@rows("R003-113", "R003-115", "R003-117", "R004-30")
async def test_places_that_are_impossible(shown: str, tmp_path: Path) -> None:
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


@rows("R003-109", "R003-116", "R004-09", "R004-53")
def test_settings_that_make_no_sense(shown: str) -> None:
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


@pytest.mark.real
@rows("R004-12", "R004-18", "R004-19", "R004-33")
async def test_functions_and_files_that_come_later(shown: str, tmp_path: Path) -> None:
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


# Log points and tracepoints


@pytest.mark.real
@rows("R003-110", "R003-111", "R004-16", "R004-28", "R004-35", "R004-46", "R004-47", "R004-48",
      "R004-49", "R004-50", "R004-51", "R004-52", "R004-55", "R004-56", "R004-57", "R004-58",
      "R004-59", "R004-60", "R004-95")  # fmt: skip
async def test_what_is_told_without_stopping(shown: str, tmp_path: Path) -> None:
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


@pytest.mark.real
@rows("R004-29", "R004-36", "R004-37", "R004-38", "R004-39", "R004-40", "R004-41", "R004-42",
      "R004-43", "R004-44", "R004-90", "R004-94", "R004-96")  # fmt: skip
async def test_exceptions(shown: str, tmp_path: Path) -> None:
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
            await session.wait_for(lambda: found() is not None or t.ended)
    except TimeoutError:
        return None
    return found()


@pytest.mark.real
@rows("R004-62", "R004-64", "R004-65", "R004-66", "R004-67", "R004-68", "R004-69", "R004-70",
      "R004-71", "R004-97")  # fmt: skip
async def test_waiting_for_a_hit(shown: str, tmp_path: Path) -> None:
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
