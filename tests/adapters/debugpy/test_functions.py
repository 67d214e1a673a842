"""Functions are found by the names that people give them, in the program's own Python."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, TOO_OLD, Version, name_of
from tests.support.sessions import debugpy_session
from tuidbg.adapters.debugpy.sources.examine import examine, examine_function
from tuidbg.adapters.traits import FunctionFacts
from tuidbg.config.launch import LaunchPlan, TargetKind
from tuidbg.session.core.execution import Resume

pytestmark = pytest.mark.real

MAIN = '''\
"""The program."""
import functools
import pkg.shop as shop
from pkg import Oven, bake as heat
from pkg.kinds import *
print("started")
def plain(number):
    """A docstring
    of two lines."""

    # a comment
    return number + 1
def one_line(): return 2
def documented():
    """Only this."""
def logged(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)
    return inner
@logged
@functools.lru_cache(
    maxsize=None
)
def decorated(
    number,
    other=3,
):
    def deeper():
        return number
    return deeper()
async def fetch():
    return 4
def numbers():
    yield 5
double = lambda number: (
    number * 2
)
same = plain
class Base:
    def inherited(self):
        return 6
class Tray(Base, list):
    """A class."""
    size = 7
    def __init__(self):
        super().__init__()
    @property
    def room(self):
        return self.size
    @room.setter
    def room(self, value):
        self.size = value
    @staticmethod
    def fixed():
        while True:
            return 8
    half = lambda self: self.size / 2
    class Rack:
        @classmethod
        def build(cls):
            return cls()
if len(__name__) > 2:
    def chosen():
        return 9
else:
    def chosen():
        return 10
def long_call():
    return plain(
        one_line() +
        one_line(),
    )
def outer():
    global started
    @logged
    def inside():
        return 11
    return inside
def loops():
    for number in range(3): print(number)
if __name__ == "__main__":
    decorated(1), Tray().room, Tray.fixed(), double(1), outer()(), Oven().open(), heat()
    Tray().inherited(), loops(), documented(), long_call(), list(numbers())
'''

PACKAGE = {
    "pkg/__init__.py": """\
from .bread import Oven, bake_bread as bake
from . import bread
import pkg.bread as loaves
from pkg.nowhere import missing
def in_init():
    return 'in init'
raise SystemExit("the package was imported")
""",
    "pkg/bread.py": """\
from typing import overload
class Oven:
    def open(self):
        return 'open'
    def close(self):
        return 'closed'
@overload
def bake_bread(grams: int) -> int: ...
@overload
def bake_bread(grams: str) -> str: ...
def bake_bread(grams=1):
    return grams
def again():
    return 'first'
def again():
    return 'second'
""",
    "pkg/shop/__init__.py": "from ..bread import *\nfrom .till import open_till\n",
    "pkg/shop/till.py": "def open_till():\n    return 'till'\n",
    "pkg/kinds.py": "def rye():\n    return 'rye'\n",
    "pkg/broken.py": "def broken(:\n    pass\n",
    "pkg/circle.py": "from pkg.circle import around\n",
    "far/away/tool.py": "class Saw:\n    def cut(self):\n        return 'cut'\n",
}

ENDS: Sequence[Version] = sorted({min(SUPPORTED), max(SUPPORTED)})


@pytest.fixture
def program(tmp_path: Path) -> Path:
    for name, text in {"main.py": MAIN, **PACKAGE}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "main.py"


def plan_of(program: Path, python: str, **changes: object) -> LaunchPlan:
    fields: dict[str, object] = {
        "kind": TargetKind.SCRIPT,
        "target": str(program),
        "cwd": str(program.parent.parent),
        "python": python,
        **changes,
    }
    return LaunchPlan(**fields)  # type: ignore[arg-type]


def shown(facts: FunctionFacts, program: Path) -> list[str]:
    """The places as ``Oven.open: return 1``, the line's text; the problem where there are none."""
    assert bool(facts.places) != bool(facts.problem)
    shown = [facts.problem.replace(f"{program.parent}/", "")] if facts.problem else []
    for place in facts.places:
        text = Path(place.path).read_text(encoding="utf-8").splitlines()[place.line - 1]
        shown.append(f"{place.name}: {text.strip()}")
    return shown


FOUND = {
    "plain": ["plain: return number + 1"],
    "plain()": ["plain: return number + 1"],
    "__main__.plain": ["plain: return number + 1"],
    "main.plain": ["plain: return number + 1"],
    "one_line": ["one_line: def one_line(): return 2"],
    "decorated": ["decorated: def deeper():"],
    "decorated.<locals>.deeper": ["decorated.deeper: return number"],
    "decorated.deeper": ["decorated.deeper: return number"],
    "deeper": ["decorated.deeper: return number"],
    "fetch": ["fetch: return 4"],
    "numbers": ["numbers: yield 5"],
    "double": ["double: number * 2"],
    "same": ["plain: return number + 1"],
    "Tray": ["Tray.__init__: super().__init__()"],
    "Tray.room": ["Tray.room: return self.size", "Tray.room: self.size = value"],
    "Tray.half": ["Tray.half: half = lambda self: self.size / 2"],
    "Tray.Rack.build": ["Tray.Rack.build: return cls()"],
    "build": ["Tray.Rack.build: return cls()"],
    "Tray.inherited": ["Base.inherited: return 6"],
    "chosen": ["chosen: return 9", "chosen: return 10"],
    "long_call": ["long_call: return plain("],
    "outer": ["outer: @logged"],
    "outer.inside": ["outer.inside: return 11"],
    "loops": ["loops: for number in range(3): print(number)"],
    "Oven.open": ["Oven.open: return 'open'"],
    "heat": ["bake_bread: return grams"],
    "rye": ["rye: return 'rye'"],
    "shop.open_till": ["open_till: return 'till'"],
    "pkg.in_init": ["in_init: return 'in init'"],
    "pkg:in_init": ["in_init: return 'in init'"],
    "pkg.bake": ["bake_bread: return grams"],
    "pkg.Oven.close": ["Oven.close: return 'closed'"],
    "pkg.bread.Oven.close": ["Oven.close: return 'closed'"],
    "pkg.loaves.Oven.close": ["Oven.close: return 'closed'"],
    "pkg.bread.again": ["again: return 'first'", "again: return 'second'"],
    "pkg.shop.open_till": ["open_till: return 'till'"],
    "pkg.shop.till.open_till": ["open_till: return 'till'"],
    "pkg.shop.again": ["again: return 'first'", "again: return 'second'"],
    "cut": ["Saw.cut: return 'cut'"],
    "tool.Saw.cut": ["Saw.cut: return 'cut'"],
    "away.tool.Saw.cut": ["Saw.cut: return 'cut'"],
}

OLD_AND_NEW = {
    "documented": ('documented: """Only this."""', "documented: def documented():"),
    "Tray.fixed": ("Tray.fixed: return 8", "Tray.fixed: while True:"),
}
"""Holds what the first and the last Python compile otherwise."""

PROBLEMS = {
    "plan": "there is no function named plan in main.py and the other files looked at; "
    "did you mean plain?",
    "Tray.rom": "there is no function named Tray.rom in main.py and the other files looked at; "
    "did you mean Tray.room?",
    "Tray.Rack": "Tray.Rack is a class without an __init__ of its own; "
    "name a method, such as Tray.Rack.build",
    "pkg.bread.bake_bred": "pkg.bread has no function named bake_bred; did you mean bake_bread?",
    "pkg.missing": "pkg has no function named missing",
    "pkg.circle.around": "pkg.circle has no function named around",
    "pkg.broken.broken": "pkg/broken.py does not compile: invalid syntax (line 1)",
    "nowhere.func": "there is no module and no class named nowhere",
    "math.sqrt": "math has no Python source to stop in",
    "far.near.func": "there is no module named far.near",
    "a b": "write the name of a function: func, Class.method or pkg.module.func",
    "": "write the name of a function: func, Class.method or pkg.module.func",
    "f(1)": "write the name of a function: func, Class.method or pkg.module.func",
}


@pytest.mark.full
@pytest.mark.parametrize("version", ENDS, ids=name_of)
async def test_names_lead_to_the_first_line_of_the_body(program: Path, version: Version) -> None:
    plan = plan_of(program, SUPPORTED[version])
    known: dict[str, tuple[int, ...]] = {}
    wrong = []
    differing = {n: [lines[version >= (3, 10)]] for n, lines in OLD_AND_NEW.items()}
    expected = FOUND | differing | {n: [p] for n, p in PROBLEMS.items()}
    for name, wanted in expected.items():
        facts = await examine_function(plan, name, [str(program.parent / "far/away/tool.py")])
        if shown(facts, program) != wanted:
            wrong.append(f"{name}: {shown(facts, program)}, not {wanted}")
        for place in facts.places:
            if place.path not in known:
                known[place.path] = (await examine(plan, "file", place.path)).code_lines
            assert place.line in known[place.path]
    assert not wrong, "\n".join(wrong)


STOPPED_IN = {
    "decorated": "decorated",
    "Tray.room": "room",
    "Tray.fixed": "fixed",
    "double": "<lambda>",
    "outer": "outer",
    "outer.inside": "inside",
    "Oven.open": "open",
    "heat": "bake_bread",
    "Tray.inherited": "inherited",
    "documented": "documented",
    "long_call": "long_call",
    "plain": "plain",
    "numbers": "numbers",
}
"""Functions in the order in which the program calls them, and what their frames are called."""


@pytest.mark.full
@pytest.mark.parametrize("version", ENDS, ids=name_of)
async def test_the_program_stops_on_those_lines(program: Path, version: Version) -> None:
    init = program.parent / "pkg/__init__.py"
    init.write_text("from .bread import Oven, bake_bread as bake\n", encoding="utf-8")
    async with debugpy_session(
        program.parent, program, python=SUPPORTED[version], stop_on_entry=False
    ) as under_test:
        session = under_test.session
        await session.breakpoints.set(
            str(program), MAIN.splitlines().index('print("started")') + 1, origin="tui"
        )
        await under_test.start()
        wanted = []
        for name, frame in STOPPED_IN.items():
            place = (await session.profile.sources.find_function(session.plan, name)).places[0]
            await session.breakpoints.set(place.path, place.line, origin="tui")
            wanted.append((frame, place.line))
        met = []
        await under_test.go(Resume.CONTINUE)
        while not under_test.ended:
            met.append((session.frames[0].name, under_test.line))
            await under_test.go(Resume.CONTINUE)
        # A line may be come to twice in one call, before and after what it calls.
        assert list(dict.fromkeys(stop for stop in met if stop[0] != "<module>")) == wanted


@pytest.mark.full
async def test_a_module_is_searched_as_the_program(program: Path) -> None:
    """The folder that it is started in comes first, as under ``python -m``."""
    folder = str(program.parent)
    module = {"kind": TargetKind.MODULE, "target": "pkg.bread", "cwd": folder}
    plan = plan_of(program, sys.executable, **module)
    assert shown(await examine_function(plan, "Oven.open"), program) == ["Oven.open: return 'open'"]
    assert shown(await examine_function(plan, "pkg.kinds.rye"), program) == ["rye: return 'rye'"]
    (sentence,) = shown(await examine_function(plan, "kinds.rye"), program)
    assert sentence.startswith("there is no module and no class named kinds")


@pytest.mark.full
async def test_installed_and_standard_modules_are_searched(program: Path) -> None:
    facts = await examine_function(plan_of(program, sys.executable), "json.decoder.JSONDecoder")
    assert [place.name for place in facts.places] == ["JSONDecoder.__init__"]
    facts = await examine_function(plan_of(program, sys.executable), "json.dumps")
    assert [(Path(place.path).parent.name, place.name) for place in facts.places] == [
        ("json", "dumps")
    ]


@pytest.mark.full
async def test_whether_it_can_never_be_found(program: Path) -> None:
    """Where it may come later the breakpoint waits for it."""
    plan = plan_of(program, sys.executable)
    never = ("pkg.bread.no", "Tray.no", "Tray.Rack", "math.sqrt", "pkg.broken.f", "a b")
    later = ("no", "nowhere.func", "far.near.func", "plain")
    final = {name: (await examine_function(plan, name)).is_final for name in (*never, *later)}
    assert final == dict.fromkeys(never, True) | dict.fromkeys(later, False)


async def test_why_nobody_can_be_asked(program: Path) -> None:
    facts = await examine_function(plan_of(program, "/nowhere/python"), "plain")
    assert facts.problem.startswith("can't run the interpreter /nowhere/python")
    for version, python in TOO_OLD.items():
        facts = await examine_function(plan_of(program, python), "plain")
        assert f"is Python {version[0]}.{version[1]}." in facts.problem
    program.write_text("def plain(:", encoding="utf-8")
    facts = await examine_function(plan_of(program, sys.executable), "plain")
    assert "main.py does not compile: invalid syntax" in facts.problem


@pytest.mark.full
@pytest.mark.parametrize("version", ENDS, ids=name_of)
async def test_files_beside_the_program_stand_for_no_module_of_python(
    program: Path, version: Version
) -> None:
    for name in ("dis", "opcode", "zipfile", "difflib"):
        program.with_name(f"{name}.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    # With a variable of Python the file is not compiled in the process of the tests.
    changes = {"env": {"PYTHONUNBUFFERED": "1"}, "cwd": str(program.parent)}
    plan = plan_of(program, SUPPORTED[version], **changes)
    assert (await examine(plan, "file", str(program))).problem is None
    assert (await examine_function(plan, "plain")).places
    assert "did you mean plain?" in (await examine_function(plan, "plan")).problem
