"""A step over a comprehension is one step, and what very many calls returned is not shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tests.support.marked import MarkedProgram
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import VariableKind

pytestmark = [
    pytest.mark.real,
    pytest.mark.parametrize(
        "python", [pytest.param(path, id=name_of(version)) for version, path in SUPPORTED.items()]
    ),
]

PROGRAM = """
def g(number):
    return number + 1
def main(few, many):
    found = g(1)  #: call
    found = [g(each) for each in few if each]  #: list
    found = {  #: dict
        each: [g(one) for one in few]  #: element
        for each in few  #: over
    }
    found = {g(each) for each in few for each in few}  #: set
    found = len([g(each) for each in many])  #: many
    found = sum(g(each) for each in many)  #: generator
    found = sorted(many, key=lambda each: -each)[:3]  #: lambda
    for each in few: found = [g(one) for one in few]  #: loop
    return found  #: end
main(range(3), range(2000))
done = True  #: done
"""


async def _stand_at(t: SessionUnderTest, code: MarkedProgram, mark: str) -> None:
    found = await t.session.breakpoints.set(code.path, code[mark], origin="tui")
    await t.start()
    await t.until(lambda: t.line)
    if t.line != code[mark]:
        await t.go(Resume.CONTINUE)
    await t.session.breakpoints.remove(found.number, origin="tui")


async def _returned(t: SessionUnderTest) -> list[str]:
    found = (await t.locals()).values()
    return [each.name for each in found if each.kind is VariableKind.RETURNED]


@pytest.mark.sampled
async def test_a_step_goes_over_all_of_it(tmp_path: Path, python: str) -> None:
    code = MarkedProgram(tmp_path, PROGRAM)
    async with debugpy_session(tmp_path, code.file, python=python) as t:
        await _stand_at(t, code, "call")
        lines: list[int] = []
        returned: dict[int, list[str]] = {}
        while t.line != code["done"] and len(lines) < 40:
            await t.go(Resume.STEP_OVER)
            lines.append(t.line)
            if t.line in (code["list"], code["dict"], code["generator"], code["lambda"]):
                returned.setdefault(t.line, await _returned(t))
    plain = ("list", "set", "many", "generator", "lambda", "end")
    assert [lines.count(code[mark]) for mark in plain] == [1] * len(plain), lines
    assert lines.count(code["element"]) <= 1 and lines.count(code["over"]) <= 1, lines
    assert 1 <= lines.count(code["dict"]) <= 2, lines
    assert lines.count(code["loop"]) >= 1
    assert returned[code["list"]] == ["g() returned"]
    is_new = python in [path for version, path in SUPPORTED.items() if version >= (3, 12)]
    if is_new:
        assert returned[code["dict"]] == ["g() returned"], "the calls of few elements are"
        assert returned[code["generator"]] == [], "there were too many"
        assert returned[code["lambda"]] == ["<genexpr>() returned"]


@pytest.mark.full
async def test_from_within_it_goes_on_within(tmp_path: Path, python: str) -> None:
    code = MarkedProgram(tmp_path, PROGRAM)
    async with debugpy_session(tmp_path, code.file, python=python) as t:
        await _stand_at(t, code, "element")
        lines = []
        for _ in range(2):
            await t.go(Resume.STEP_OVER)
            lines.append(t.line)
        assert set(lines) <= {code["dict"], code["element"], code["over"]}, "as of any loop"
