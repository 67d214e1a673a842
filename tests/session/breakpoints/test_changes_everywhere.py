"""Stops when a value changes, whoever changes it: on Python 3.12 and newer."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.attachable import attached_session, listening
from tests.support.marked import MarkedProgram
from tests.support.sessions import SessionUnderTest, debugpy_session, until
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import Status, StopReason

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(sys.version_info < (3, 12), reason="before 3.12 only its function is seen"),
    pytest.mark.full,
]


@asynccontextmanager
async def watching(
    folder: Path, text: str, *expressions: str
) -> AsyncIterator[tuple[MarkedProgram, SessionUnderTest, list[str]]]:
    """A program that stands at its line ``here``, with stops when these change; their limits."""
    code = MarkedProgram(folder, text)
    async with debugpy_session(folder, code.file) as t:
        await t.session.breakpoints.stop_at_exceptions(frozenset(), origin="tui")
        await t.start()
        here = await t.session.breakpoints.set(code.path, code["here"], origin="tui")
        await t.go(Resume.CONTINUE)
        assert t.line == code["here"]
        await t.session.breakpoints.remove(here.number, origin="tui")
        yield code, t, [await watch(t, each) for each in expressions]


async def watch(t: SessionUnderTest, expression: str) -> str:
    found = await t.session.changes.watch(expression, t.session.frames[0].id, origin="tui")
    assert found is not None
    return found.limits


async def changes_to_end(t: SessionUnderTest) -> list[int]:
    """The lines at which it stops to the end; at each something is told to have changed."""
    lines, known = [], 0
    await t.go(Resume.CONTINUE)
    while not t.ended:
        lines.append(t.line)
        assert t.reason is StopReason.BREAKPOINT
        await tells_more(t, known)
        known = len(told(t))
        await t.go(Resume.CONTINUE)
    return lines


async def tells_more(t: SessionUnderTest, known: int) -> None:
    await until(lambda: len(told(t)) > known, "it is told what has changed")


def told(t: SessionUnderTest) -> list[str]:
    return re.findall(r"(\S+ changed: .*)", t.output("console"))


ELSEWHERE = """
import threading, asyncio
class Box:
    __slots__ = "slot"
    shared = 0
    def grow(self): self.slot += 1  #: one_line
class Sized:
    pass
box, sized, items, mapping, count = Box(), Sized(), [0, [1]], {"a": 1}, 0
box.slot = sized.size = 0
def change_attributes():
    box.grow()
    sized.size = 5  #: after_slot
    Box.shared = 7  #: after_size
def change_items():
    items[1].append(2)
    mapping["a"] = 2  #: after_item
    return 1  #: after_key
def change_global():
    global count
    for count in range(2): pass  #: loop
    return count
def change_in_generator():
    items[1] = 3
    yield  #: after_generator
async def change_in_task():
    await asyncio.sleep(0)
    mapping["a"] = 8
    return 1  #: after_task
print("begins")  #: here
change_attributes()
change_items()  #: after_shared
change_global()
thread = threading.Thread(target=change_global)
thread.start(); thread.join()
next(change_in_generator())
asyncio.run(change_in_task())
exec("mapping['a'] = 9\\nend = 1")
"""


async def test_attributes_items_and_globals(tmp_path: Path) -> None:
    """The stop is at the line after the one that changed it, in whichever function and thread."""
    expressions = ("box.slot", "sized.size", "Box.shared", "items[1]", "mapping['a']", "count")
    async with watching(tmp_path, ELSEWHERE, *expressions) as (code, t, limits):
        assert all("all your code" in each for each in limits)
        lines = await changes_to_end(t)
    assert told(t) == [
        "box.slot changed: 0 → 1",
        "sized.size changed: 0 → 5",
        "Box.shared changed: 0 → 7",
        "items[1] changed: [1] → [1, 2]",
        "mapping['a'] changed: 1 → 2",
        "count changed: 0 → 1",
        "count changed: 1 → 0",
        "count changed: 0 → 1",
        "items[1] changed: [1, 2] → 3",
        "mapping['a'] changed: 2 → 8",
        "mapping['a'] changed: 8 → 9",
    ]
    marks = {line: mark for mark, line in code.marks.items()}
    assert [marks.get(line) for line in lines[:5]] == [
        "after_slot",
        "after_size",
        "after_shared",
        "after_item",
        "after_key",
    ]
    assert {code["loop"], code["after_generator"], code["after_task"]} < set(lines)


LOCALS = """
import weakref
class Box:
    pass
def fill(box, rows):
    box.size = 1
    rows.append(2)  #: after_size
def work(depth):
    box, rows, shared = Box(), [], 0
    def share():  #: bound
        nonlocal shared
        shared = 4
        return 1  #: after_shared
    if depth:
        return work(depth - 1)
    print("begins")  #: here
    fill(box, rows)
    share()  #: after_rows
    return weakref.ref(box)
def other():
    box = Box()
    box.size = 9
    return box
work(2)
other()
print(work(0)())
"""


async def test_locals_that_others_change(tmp_path: Path) -> None:
    """Objects and variables of the call that they belong to; when it has returned, no more."""
    async with watching(tmp_path, LOCALS, "box.size", "rows", "shared") as (code, t, limits):
        assert all("all your code" in each for each in limits)
        lines = await changes_to_end(t)
        marks = ["after_size", "after_rows", "after_shared"]
        assert lines == [code[mark] for mark in [*marks, "bound", *marks]]
        changed = [
            "box.size changed: nothing → 1",
            "rows changed: [] → [2]",
            "shared changed: 0 → 4",
        ]
        bound = ["rows changed: nothing → []", "shared changed: nothing → 0"]
        assert told(t) == [*changed, *bound, *changed]
        assert t.output("stdout").endswith("None"), "objects go with their functions"


ASKED = """
import threading
class Account:
    def __init__(self):
        self.lock, self.asked = threading.Lock(), []
    @property
    def total(self):
        with self.lock:
            self.asked.append(1)
            return 5
    def __getattr__(self, name):
        self.asked.append(name)
        raise AttributeError(name)
def work():
    with account.lock:
        a = 1
        b = 2
    return len(account.asked)
account = Account()
print("begins")  #: here
before = work(); print("asked", work() - before)
"""


@pytest.mark.parametrize("expression", ["account.total", "account.missing"])
async def test_no_code_of_the_program_runs_at_lines_elsewhere(
    expression: str, tmp_path: Path
) -> None:
    async with watching(tmp_path, ASKED, expression) as (_, t, (limits,)):
        assert "elsewhere are not seen" in limits
        await t.to_end()
        assert t.output("stdout").split("\n")[-1] == "asked 0"


HOT = """
import json, sys
def hot():
    return told(hot)
def told(function):
    where = sys.monitoring
    return any(where.get_local_events(n, function.__code__) & where.events.LINE for n in (3, 4, 5))
def work():
    total = 0
    print(hot(), told(work))  #: here
    total = [1]
    print(hot(), told(json.loads))
    total.append(2)
    return 1  #: seen
json.loads("1")
work()
"""


async def test_a_plain_variable_costs_others_nothing(tmp_path: Path) -> None:
    """Only its function can set it; once it holds what others can change, they are looked at."""
    async with watching(tmp_path, HOT, "total") as (code, t, (limits,)):
        assert limits == "stops when total changes, as seen at the lines of work()"
        await t.go(Resume.CONTINUE)
        assert t.line == code["here"] + 2
        await t.go(Resume.CONTINUE)
        assert t.line == code["seen"]
        assert t.output("stdout").split("\n") == ["False True", "True False"]


async def test_when_nothing_is_watched_any_more_all_is_fast_again(tmp_path: Path) -> None:
    async with watching(tmp_path, HOT, "hot.__name__", "json") as (_, t, _):
        await t.session.changes.ignore("hot.__name__")
        await t.session.changes.ignore("json")
        await t.to_end()
        assert t.output("stdout").split("\n") == ["False False", "False False"]


STEPPED = """
def change():
    items.append(1)
    a = 1  #: changed
    return a
items = []
print("begins")  #: here
change()  #: call
b = 2  #: after
"""


async def test_a_step_over_stops_where_it_changes(tmp_path: Path) -> None:
    async with watching(tmp_path, STEPPED, "items") as (code, t, _):
        lines, reasons = [], []
        for how in (Resume.STEP_OVER, Resume.STEP_OVER, Resume.STEP_OUT, Resume.STEP_OVER):
            await t.go(how)
            lines.append(t.line)
            reasons.append(t.reason)
    assert lines[:2] == [code["call"], code["changed"]]
    assert lines[-1] == code["after"]
    assert reasons[:2] == [StopReason.STEP, StopReason.BREAKPOINT]


async def test_whoever_attaches_next_is_not_stopped_by_it(tmp_path: Path) -> None:
    async with listening(tmp_path) as (program, port):
        async with attached_session(tmp_path, port=port) as t:
            await t.session.breakpoints.set(program.path, 4, origin="tui")
            await t.session.lifecycle.start()
            await t.settled(0)
            await t.session.changes.watch("number", t.session.frames[1].id, origin="tui")
            await t.close()
        async with attached_session(tmp_path, port=port) as t:
            await t.session.lifecycle.start()
            await program.goes_on()
            assert t.session.status is Status.RUNNING
