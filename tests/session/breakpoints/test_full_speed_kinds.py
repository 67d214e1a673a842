"""All kinds of breakpoints on tuidbg's own engine, as on debugpy's: Python 3.12 and newer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.marked import MarkedProgram
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import ExceptionRule, StopReason

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(sys.version_info < (3, 12), reason="before 3.12 debugpy does it all"),
]

# Gives the numbers of those who are told of each line of a loop before the breakpoint.
HOT = """
import sys
def hot():
    total = 0
    for i in range(200):
        total += i
    where = sys.monitoring
    told = [n for n in range(6) if where.get_local_events(n, hot.__code__) & where.events.LINE]
    return told  #: behind
"""


@pytest.fixture(params=["", "debugpy"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """tuidbg's own breakpoints, or debugpy's alone."""
    monkeypatch.setenv("TUIDBG_ENGINE", request.param)
    return str(request.param)


async def begun(t: SessionUnderTest) -> None:
    await t.session.breakpoints.stop_at_exceptions(frozenset(), origin="tui")
    await t.start()


async def places_to_end(t: SessionUnderTest) -> list[tuple[str, int]]:
    """Function and line of all stops from here to the end."""
    places = []
    await t.go(Resume.CONTINUE)
    while not t.ended:
        places.append((t.session.frames[0].name, t.line))
        await t.go(Resume.CONTINUE)
    return places


FUNCTIONS = """
import asyncio, functools
def logged(function):
    @functools.wraps(function)
    def inner(*arguments):
        return function(*arguments)
    return inner
class Base:
    def method(self):
        return 1  #: base
    @classmethod
    def of_class(cls):
        return 2  #: of_class
    @staticmethod
    def static():
        return 3  #: static
    @property
    def room(self):
        return 4  #: room
class Below(Base):
    def method(self):
        return super().method()  #: below
@logged
def decorated(number):
    return number  #: decorated
async def fetch():
    await asyncio.sleep(0)  #: fetch
def numbers():
    yield 1  #: numbers
    yield 2
async def later():
    yield 1  #: later
    await asyncio.sleep(0)
    yield 2
def again():
    return 1  #: again
async def main():
    await fetch()
    async for _ in later():
        pass
below = Below()
below.method(), Base.of_class(), Base.static(), below.room, decorated(5)
asyncio.run(main())
list(numbers())
again()
def again():
    return 2  #: defined_again
again()
"""


@pytest.mark.full
async def test_functions_of_all_kinds(engine: str, tmp_path: Path) -> None:
    code = MarkedProgram(tmp_path, FUNCTIONS)
    once = ("of_class", "static", "room", "decorated", "fetch", "numbers", "later")
    counted = {**dict.fromkeys(once, 1), "method": 2, "again": 2}
    async with debugpy_session(tmp_path, code.file) as t:
        await begun(t)
        for name in counted:
            await t.session.breakpoints.set_function(name, origin="tui")
        places = await places_to_end(t)
        counts = {b.function: b.hits for b in t.session.breakpoints.registry}
    wanted = "below base of_class static room decorated fetch later numbers again defined_again"
    assert [line for _, line in places] == [code[mark] for mark in wanted.split()]
    assert counts == counted


@pytest.mark.full
@pytest.mark.parametrize("just_my_code", [True, False])
async def test_libraries(engine: str, just_my_code: bool, tmp_path: Path) -> None:
    """Where they are not passed over they stop, with the loop before at full speed."""
    library = MarkedProgram(tmp_path / "lib" / "site-packages", HOT, "faraway.py")
    text = "import faraway\ntold = faraway.hot()\nend = 1  #: end\n"
    code = MarkedProgram(tmp_path / "project", text)
    env = {"PYTHONPATH": str(library.file.parent)}
    async with debugpy_session(tmp_path, code.file, env=env, just_my_code=just_my_code) as t:
        await begun(t)
        await t.session.breakpoints.set(library.path, library["behind"], origin="tui")
        await t.session.breakpoints.set(code.path, code["end"], origin="tui")
        await t.go(Resume.CONTINUE)
        told = []
        if not just_my_code:
            assert t.line == library["behind"]
            told = [0] if engine else [4]
            assert (await t.locals())["told"].value == str(told)
            await t.go(Resume.CONTINUE)
        assert t.line == code["end"]
        assert (await t.locals())["told"].value == str(told)


@pytest.mark.full
async def test_templates_beside_it(engine: str, tmp_path: Path) -> None:
    text = """
from jinja2 import Environment, FileSystemLoader
told = hot()
folder = __file__.rpartition("/")[0]
Environment(loader=FileSystemLoader(folder)).get_template("page.html").render(items=[1, 2])
"""
    code = MarkedProgram(tmp_path, HOT + text)
    page = tmp_path / "page.html"
    page.write_text("<p>\n{% for item in items %}\n{{ item }}\n{% endfor %}\n</p>\n")
    async with debugpy_session(tmp_path, code.file) as t:
        await t.session.breakpoints.stop_at_exceptions(frozenset(), origin="tui")
        await t.session.breakpoints.set(str(page), 3, origin="tui")
        await t.session.breakpoints.set(code.path, code["behind"], origin="tui")
        await t.start()
        await t.go(Resume.CONTINUE)
        assert (await t.locals())["told"].value == ("[0]" if engine else "[4]")
        places = await places_to_end(t)
    assert places == [("template", 3), ("template", 3)]


RAISING = """
class Mine(Exception):
    pass
def thrower():
    yield 1  #: thrown
def work():
    for number in range(3):
        try:
            raise KeyError(number)  #: key
        except KeyError:
            pass
    generator = thrower()
    next(generator)
    try:
        generator.throw(Mine())
    except Mine:
        pass
    return hot()
work()
int("x")  #: end
"""


@pytest.mark.sampled
async def test_exception_rules_beside_it(engine: str, tmp_path: Path) -> None:
    code = MarkedProgram(tmp_path, HOT + RAISING)
    async with debugpy_session(tmp_path, code.file) as t:
        breakpoints = t.session.breakpoints
        await breakpoints.stop_at_exceptions(frozenset({"uncaught"}), origin="tui")
        await t.start()
        await breakpoints.set_exception(ExceptionRule("KeyError"), origin="tui")
        await breakpoints.set_exception(ExceptionRule("__main__.Mine"), origin="tui")
        await breakpoints.set(code.path, code["behind"], origin="tui")
        lines, reasons = [], []
        await t.go(Resume.CONTINUE)
        while not t.ended:
            lines.append(t.line)
            reasons.append(t.reason)
            if t.line == code["behind"]:
                assert (await t.locals())["told"].value == ("[0]" if engine else "[4]")
            await t.go(Resume.CONTINUE)
    assert lines == [code[mark] for mark in ("key", "key", "key", "thrown", "behind", "end")]
    assert [reason is StopReason.BREAKPOINT for reason in reasons] == [*[False] * 4, True, False]


DEEP = """
def at(left, deep):
    if left:
        return at(left - 1, deep)
    reached.append(deep)  #: reached
def find():
    for deep in range(900, 2000):
        try:
            at(deep, deep)
        except RecursionError:
            return deep
reached = []
without = find()
reached.clear()
found = find()  #: again
end = 1  #: end
"""


@pytest.mark.full
async def test_stops_at_the_end_of_recursion(tmp_path: Path) -> None:
    """It stops, or counts as failed; only where nothing can be called the program is told so."""
    code = MarkedProgram(tmp_path, DEEP)
    async with debugpy_session(tmp_path, code.file, stop_on_entry=False) as t:
        await t.session.breakpoints.stop_at_exceptions(frozenset(), origin="tui")
        for mark in ("again", "end"):
            await t.session.breakpoints.set(code.path, code[mark], origin="tui")
        await t.start()
        deepest = int((await t.locals())["without"].value)
        condition = f"deep >= {deepest - 20}"
        found = await t.session.breakpoints.set(
            code.path, code["reached"], condition=condition, origin="tui"
        )
        stops = 0
        await t.go(Resume.CONTINUE)
        while t.line == code["reached"]:
            stops += 1
            await t.go(Resume.CONTINUE)
        assert t.line == code["end"]
        reached = int((await t.locals())["found"].value) - (deepest - 20)
        assert reached >= 19
        number = found.number
        await t.until(lambda: t.session.breakpoints.registry.get(number).errors == reached - stops)
        assert stops >= 17


@pytest.mark.full
async def test_a_step_over_a_recursion_without_end(tmp_path: Path) -> None:
    text = "def deep(n):\n    return deep(n + 1)\ndef work():\n    try:\n        return deep(0)\n"
    text += "    except RecursionError:\n        return 3\n"
    code = MarkedProgram(tmp_path, text + "found = work()  #: call\nfound += 1  #: next\n")
    async with debugpy_session(tmp_path, code.file, stop_on_entry=False) as t:
        await t.session.breakpoints.set(code.path, code["call"], origin="tui")
        await t.start()
        await t.go(Resume.STEP_OVER)
        assert t.line == code["next"]
        assert (await t.locals())["found"].value == "3"
