"""Tests what a session is made of, on every Python of this machine that debugpy supports.

None of them has debugpy installed: ours is used, and all that is run inside the program with it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, TOO_OLD, name_of
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.features.autopsy import Autopsy
from tuidbg.session.model.state import ExceptionRule, ExitState, Status, StopReason

pytestmark = pytest.mark.real

SHOP = """\
import asyncio

class Cake:
    def __init__(self, name, price):
        self.name = name
        self.price = price

def total(cakes):
    result = 0
    for cake in cakes:
        result += cake["price"]
    return result

def pay(amount):
    try:
        return 1 // (amount - amount)
    except ZeroDivisionError as error:
        raise ValueError("no money") from error

async def bake(name):
    await asyncio.sleep(0)
    return name

cakes = [{"name": "tart", "price": 3}, {"name": "bun", "price": 1}, {"name": "pie", "price": 2}]
best = Cake("tart", 3)
paid = total(cakes)
baked = asyncio.run(bake("loaf"))
try:
    pay(paid)
except ValueError as error:
    print("failed", error)
print("the end")
"""
ADD, RETURN, PAID, BAKED, RAISE, BAKE_END = 11, 12, 26, 27, 18, 22

PYTHONS = [pytest.param(path, id=name_of(version)) for version, path in SUPPORTED.items()]
if PYPY := shutil.which("pypy3"):
    PYTHONS.append(pytest.param(PYPY, id="pypy3"))

every_python = pytest.mark.parametrize("python", PYTHONS)


@pytest.mark.sampled
@every_python
async def test_the_core_of_a_session(python: str, tmp_path: Path) -> None:
    shop = tmp_path / "shop.py"
    shop.write_text(SHOP, encoding="utf-8")
    async with debugpy_session(tmp_path, shop, python=python) as t:
        breakpoints = t.session.breakpoints
        at_add = await breakpoints.set(str(shop), ADD, hit_condition="2", origin="tui")
        told = await breakpoints.set(str(shop), RETURN, log_message="sum {result:>3}", origin="tui")
        await breakpoints.set(str(shop), PAID, origin="tui")
        await t.start()
        assert (t.line, t.reason) == (1, StopReason.ENTRY)
        await t.go(Resume.CONTINUE)
        assert t.line == PAID
        await t.go(Resume.STEP_IN)
        assert t.session.frames[0].name == "total"
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits, t.breakpoint(ADD).hits) == (ADD, (at_add.number,), 2)
        await _looks_inside(t)
        await t.go(Resume.STEP_OUT)
        assert t.line in (PAID, BAKED)
        assert f"shop.py:{RETURN}: sum   6" in t.output("console")
        assert t.breakpoint(RETURN).hits == 1 and told.number == 2
        await _steps_over_an_await(t, shop)
        await _examines_an_exception(t)
        await t.to_end()
        assert t.session.exit == ExitState(code=0)
        assert t.output("stdout") == "failed no money\nthe end"


async def _looks_inside(t: SessionUnderTest) -> None:
    """Values with their pages, a watch, an evaluation, a value set, a table."""
    session, frame_id = t.session, t.session.frames[0].id
    (scope, *_) = await session.values.look(
        frame_id, {"Locals": ChildrenRequest(children={"cakes": ChildrenRequest()})}
    )
    locals_ = {node.variable.name: node for node in scope.children or ()}
    assert locals_["cake"].variable.value == "{'name': 'bun', 'price': 1}"
    assert len(locals_["cakes"].children or ()) == 3
    session.watches.add("result + cake['price']", origin="tui")
    (watch,) = await session.watches.evaluate(frame_id)
    assert watch.variable is not None and watch.variable.value == "4"
    assert (await session.inspection.evaluate("[c['name'] for c in cakes][1]", frame_id)).value == (
        "'bun'"
    )
    table = await session.values.tables.open("cakes", frame_id)
    page = await table.page(0, 3, 0, table.info.columns)
    assert [list(column.texts) for column in page.columns] == [
        ["tart", "bun", "pie"],
        ["3", "1", "2"],
    ]


async def _steps_over_an_await(t: SessionUnderTest, shop: Path) -> None:
    if t.line == PAID:
        await t.go(Resume.STEP_OVER)
    await t.session.breakpoints.set(str(shop), BAKE_END - 1, origin="tui")
    await t.go(Resume.CONTINUE)
    tree = await t.session.tasks.tree()
    assert "bake" in str(tree)
    await t.go(Resume.STEP_OVER)
    assert (t.line, t.session.frames[0].name) == (BAKE_END, "bake")


async def _examines_an_exception(t: SessionUnderTest) -> None:
    await t.session.breakpoints.set_exception(ExceptionRule(type="ValueError"), origin="tui")
    await t.go(Resume.CONTINUE)
    assert (t.line, t.reason) == (RAISE, StopReason.EXCEPTION)
    report = await Autopsy.of(t.session).examine()
    assert (report.exception.type, report.exception.message) == ("ValueError", "no money")
    assert [part.type for part in report.exception.inner] == ["ZeroDivisionError"]
    modules = {module.name for module in await t.session.modules.list()}
    assert {"__main__", "asyncio"} <= modules


@pytest.mark.full
@pytest.mark.parametrize("python", [PYTHONS[0], PYTHONS[len(SUPPORTED) - 1]])
async def test_options_of_the_interpreter(python: str, tmp_path: Path) -> None:
    """Isolated, without site-packages, optimised, with warnings as errors: debugpy copes."""
    program = tmp_path / "program.py"
    program.write_text("import sys\nflags = sys.flags\nprint('done')\n", encoding="utf-8")
    options = ("-I", "-S", "-OO", "-X", "dev", "-W", "error", "-bb", "-u")
    async with debugpy_session(tmp_path, program, python=python, python_args=options) as t:
        await t.session.breakpoints.set(
            str(program), 3, condition="flags.isolated == 1", origin="tui"
        )
        await t.start()
        await t.go(Resume.CONTINUE)
        assert t.line == 3
        told = await t.session.inspection.evaluate("flags.optimize", t.session.frames[0].id)
        assert told.value == "2"
        await t.to_end()
        assert (t.output("stdout"), t.output("stderr")) == ("done", "")


PRETENDED = {
    "too old": ('{"version": [3, 7, 16], "path": "x"}', "is Python 3.7.16; debugpy needs"),
    "no CPython": (
        '{"version": [3, 12, 0], "implementation": "graalpy", "path": "x"}',
        "is graalpy; debugpy needs CPython",
    ),
    "none at all": ("usage: cat", "is no Python interpreter"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("kind", [*PRETENDED, *map(name_of, TOO_OLD)])
async def test_nothing_is_started_by_what_can_not(kind: str, tmp_path: Path) -> None:
    """One sentence at once, where debugpy would keep silent for half a minute."""
    program = tmp_path / "program.py"
    program.write_text("open('ran', 'w')\n", encoding="utf-8")
    if kind in PRETENDED:
        answer, words = PRETENDED[kind]
        python = tmp_path / "python"
        python.write_text(f"#!/bin/sh\necho '{answer}'\n")
        python.chmod(0o755)
        interpreter = str(python)
    else:
        interpreter, words = {name_of(v): p for v, p in TOO_OLD.items()}[kind], "debugpy needs"
    async with debugpy_session(tmp_path, program, python=interpreter) as t:
        sentence = await t.fails_to_start()
        assert sentence.startswith(f"can't start program.py: {interpreter} is ")
        assert words in sentence
        assert t.session.status is Status.FAILED
        assert not t.sent("launch")
    assert not (tmp_path / "ran").exists()
