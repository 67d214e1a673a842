"""The stack and the values that come with a step's stop, and the cases that are asked for."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes import Script
from tests.support.interpreters import SUPPORTED, name_of
from tests.support.recording import PROGRAMS, moment, program
from tests.support.sessions import SessionUnderTest, debugpy_session, fake_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.values.types import ChildrenRequest, VariableNode
from tuidbg.session.model.errors import ProgramEnded
from tuidbg.session.model.state import Status

SOURCE = """\
shown = []
class Shy:
    def __repr__(self):
        shown.append(1)
        return "Shy()"
def count():
    shown.append(2)
    return len(shown)
def inner(x):
    y = x + 1
    return y
def walk(shy):
    names = ["a"]
    total = 0
    total = 1
    total = 2
    names.append("b")
    total = inner(total)
    total = 4
    total = 5
walk({argument})
"""
FIRST = 14
WANTED = {"Locals": ChildrenRequest(children={"names": ChildrenRequest()})}
ASKED = ("stackTrace", "evaluate", "scopes", "variables")


@asynccontextmanager
async def in_walk(
    folder: Path, argument: str = "1", **plan: Any
) -> AsyncIterator[SessionUnderTest]:
    """The program at the first line of ``walk``, looked at."""
    script = folder / "walk.py"
    script.write_text(SOURCE.replace("{argument}", argument))
    async with debugpy_session(folder, script, stop_on_entry=False, **plan) as t:
        await t.session.breakpoints.set(str(script), FIRST, origin="tui")
        await t.start()
        await look(t)
        yield t


async def look(t: SessionUnderTest) -> dict[str, VariableNode]:
    roots = await t.session.values.look(t.session.frames[0].id, WANTED)
    return {node.variable.name: node for node in roots[0].children or ()}


def asked(t: SessionUnderTest, after: int) -> list[str]:
    """The requests about a stop that were sent since."""
    sent = [m.message.get("command") for m in t.messages()[after:] if m.sent]
    return [command for command in sent if command in ASKED]


async def step(t: SessionUnderTest, how: Resume = Resume.STEP_OVER) -> int:
    """Step; the number of messages before."""
    before = len(t.messages())
    await t.go(how)
    return before


@pytest.mark.real
@pytest.mark.parametrize("python", SUPPORTED.values(), ids=map(name_of, SUPPORTED))
async def test_a_step_and_its_stop_are_one_message_each_way(tmp_path: Path, python: str) -> None:
    async with in_walk(tmp_path, python=python) as t:
        for text in ("total", "names[0]"):
            t.session.watches.add(text, origin="tui")
        await t.session.watches.evaluate()
        before = await step(t)
        found = await look(t)
        results = await t.session.watches.evaluate()
        said = [(m.sent, m.message.get("command") or m.message["event"]) for m in t.messages()]
        kinds = [each for each in said[before:] if each[1] not in ("output", "continued")]
        assert kinds == [(True, "next"), (False, "next"), (False, "stopped")]
        assert t.line == FIRST + 1
        assert found["total"].variable.value == "0"
        assert [n.variable.value for n in found["names"].children or ()] == ["'a'"]
        assert [r.variable and r.variable.value for r in results] == ["0", "'a'"]
        again = await look(t)  # asked for: whatever may have changed since
        assert [(n.variable.name, n.variable.value) for n in again.values()] == [
            (n.variable.name, n.variable.value) for n in found.values()
        ]
        assert asked(t, before) == ["evaluate"]


@pytest.mark.real
async def test_values_and_watches_follow_each_step(tmp_path: Path) -> None:
    async with in_walk(tmp_path) as t:
        t.session.watches.add("total", origin="tui")
        await t.session.watches.evaluate()
        for value, changed in (("0", False), ("1", True), ("2", True), ("2", False)):
            await step(t)
            assert (await look(t))["total"].variable.value == value
            (result,) = await t.session.watches.evaluate()
            assert result.variable is not None and result.variable.value == value
            assert result.changed is changed
        names = (await look(t))["names"]
        assert [n.variable.value for n in names.children or ()] == ["'a'", "'b'"]
        opened = await t.session.values.children(names.variable.reference)
        assert [n.variable.value for n in opened[0]] == ["'a'", "'b'"]


@pytest.mark.real
async def test_code_of_the_program_runs_only_for_a_request(tmp_path: Path) -> None:
    async with in_walk(tmp_path, "Shy()") as t:
        t.session.watches.add("count()", origin="tui")
        await t.session.watches.evaluate()
        top = t.session.frames[0].id
        shown = (await t.session.inspection.evaluate("list(shown)", top)).value
        await step(t)
        await step(t)
        top = t.session.frames[0].id
        assert (await t.session.inspection.evaluate("list(shown)", top)).value == shown
        assert (await look(t))["shy"].variable.value == "Shy()"
        (result,) = await t.session.watches.evaluate()
        assert result.variable is not None and result.variable.value != ""


@pytest.mark.real
async def test_another_function_is_asked_for(tmp_path: Path) -> None:
    async with in_walk(tmp_path) as t:
        for _ in range(4):
            await step(t)
            await look(t)
        before = await step(t, Resume.STEP_IN)
        assert t.session.frames[0].name == "inner"
        assert (await look(t))["x"].variable.value == "2"
        assert asked(t, before) == ["evaluate"]
        before = await step(t, Resume.STEP_OVER)
        assert (await look(t))["y"].variable.value == "3"
        assert asked(t, before) == []
        await step(t, Resume.STEP_OUT)
        assert "inner() returned" in await look(t)


@pytest.mark.real
async def test_other_questions_are_asked(tmp_path: Path) -> None:
    async with in_walk(tmp_path) as t:
        before = await step(t)
        roots = await t.session.values.look(
            t.session.frames[0].id, {"Locals": ChildrenRequest(), "Globals": ChildrenRequest()}
        )
        assert roots[1].children
        assert asked(t, before) == ["evaluate"]


@pytest.mark.real
async def test_a_value_set_at_the_stop_is_read_again(tmp_path: Path) -> None:
    async with in_walk(tmp_path) as t:
        await step(t)
        await t.session.inspection.evaluate("total = 77", t.session.frames[0].id)
        assert (await look(t))["total"].variable.value == "77"


@pytest.mark.real
async def test_a_program_that_ends_in_a_step(tmp_path: Path) -> None:
    script = tmp_path / "end.py"
    script.write_text("import os\nx = 1\nx = 2\nos._exit(3)\n")
    async with debugpy_session(tmp_path, script, stop_on_entry=True) as t:
        await t.start()
        for line in (2, 3, 4):
            await look(t)
            await step(t)
            assert t.line == line
        with contextlib.suppress(ProgramEnded):
            await t.session.execution.resume(Resume.STEP_OVER, origin="tui")
        await t.until(lambda: t.ended)
        assert t.session.status is Status.TERMINATED


async def test_other_adapters_get_no_such_argument(tmp_path: Path) -> None:
    path = str(PROGRAMS / "none.py")
    script = Script(program([moment(path, 1), moment(path, 2)]))
    async with fake_session(tmp_path, script, target=path) as t:
        await t.start()
        await t.go(Resume.STEP_OVER)
        assert [list(each) for each in t.fake.arguments_of("next")] == [["threadId"]]
