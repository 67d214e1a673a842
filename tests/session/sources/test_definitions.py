"""Tests where names are defined: by the source alone, and by what the stopped program knows."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tests.support.sessions import debugpy_session, fake_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.sources.definitions import (
    Definition,
    Definitions,
    find_in_source,
    share_function,
)
from tuidbg.session.core.sources.name_scopes import DefinitionKind

SHOP = """\
import os.path
import shelf as boards
from orders import Order, make_order as new_order
from orders import prices
from stars import *
from . import sister

LIMIT = 3


class Base:
    colour = "red"

    def paint(self):
        return self.colour


class Shop(Base):
    def __init__(self, owner: "Owner"):
        self.owner = owner
        self.till = Till()

    @property
    def name(self):
        return self.owner.name

    def sell(self, order, count=LIMIT):
        def wrap(parcel):
            return parcel
        till = Till()
        total = order.price * count
        for item in order.items:
            total += wrap(item)
        self.till.put(total)
        till.put(total)
        self.paint()
        return new_order(total)


class Till:
    def put(self, money):
        self.money = money


class Owner:
    name = "Ada"


def main():
    shop = Shop(Owner())
    shop.sell(Order())
    boards.clean()
    boards.deep.scrub()
    os.path.join("a")
    sparkle()
    prices.cheap()
    with open("f") as handle:
        handle.read()
    lambda order: order
    print(LIMIT)
"""

FILES = {
    "shop.py": SHOP,
    "shelf/__init__.py": "from .wood import clean\n",
    "shelf/wood.py": "x = 1\n\ndef clean():\n    pass\n",
    "shelf/deep.py": "\n\ndef scrub():\n    pass\n",
    "orders.py": "class Order:\n    price = 3\n\n\ndef make_order(total):\n    pass\n",
    "stars.py": "def sparkle():\n    pass\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def line_of(text: str, source: str = SHOP) -> int:
    """The first line with that text."""
    return next(n for n, line in enumerate(source.splitlines(), 1) if text in line)


def find(folder: Path, at: str, name: str) -> list[tuple[str, int, DefinitionKind]]:
    path = str(folder / "shop.py")
    found = find_in_source(path, SHOP, line_of(at), name.split("."))
    return [(str(Path(each.path).relative_to(folder)), each.line, each.kind) for each in found]


@pytest.mark.parametrize(
    ("at", "name", "place"),
    [
        ("print(LIMIT)", "LIMIT", ("shop.py", "LIMIT = 3", DefinitionKind.VARIABLE)),
        ("total = order", "order", ("shop.py", "def sell", DefinitionKind.PARAMETER)),
        ("total += wrap", "total", ("shop.py", "total = order", DefinitionKind.VARIABLE)),
        ("total += wrap", "wrap", ("shop.py", "def wrap", DefinitionKind.FUNCTION)),
        ("total += wrap", "item", ("shop.py", "for item", DefinitionKind.VARIABLE)),
        ("return parcel", "parcel", ("shop.py", "def wrap", DefinitionKind.PARAMETER)),
        ("self.paint()", "self.paint", ("shop.py", "def paint", DefinitionKind.FUNCTION)),
        ("return self.colour", "self.colour", ("shop.py", "colour =", DefinitionKind.VARIABLE)),
        ("self.till.put", "self.till", ("shop.py", "self.till = ", DefinitionKind.VARIABLE)),
        ("self.till.put", "self.till.put", ("shop.py", "def put", DefinitionKind.FUNCTION)),
        ("    till.put", "till.put", ("shop.py", "def put", DefinitionKind.FUNCTION)),
        (
            "return self.owner.name",
            "self.owner.name",
            ("shop.py", 'name = "Ada"', DefinitionKind.VARIABLE),
        ),
        ("def __init__", "owner", ("shop.py", "def __init__", DefinitionKind.PARAMETER)),
        ("self.owner = owner", "owner.name", ("shop.py", 'name = "Ada"', DefinitionKind.VARIABLE)),
        ("shop.sell(", "shop", ("shop.py", "shop = Shop", DefinitionKind.VARIABLE)),
        ("shop.sell(", "shop.sell", ("shop.py", "def sell", DefinitionKind.FUNCTION)),
        ("shop.sell(", "shop.name", ("shop.py", "def name", DefinitionKind.FUNCTION)),
        ("shop.sell(", "shop.paint", ("shop.py", "def paint", DefinitionKind.FUNCTION)),
        ("shop.sell(", "shop.nothing", None),
        ("shop = Shop", "Shop", ("shop.py", "class Shop", DefinitionKind.CLASS)),
        ("class Shop", "Base", ("shop.py", "class Base", DefinitionKind.CLASS)),
        ("shop.sell(", "Order", ("orders.py", "class Order", DefinitionKind.CLASS)),
        ("shop.sell(", "Order.price", ("orders.py", "price = 3", DefinitionKind.VARIABLE)),
        ("return new_order", "new_order", ("orders.py", "def make_order", DefinitionKind.FUNCTION)),
        ("boards.clean", "boards", ("shelf/__init__.py", "from .wood", DefinitionKind.MODULE)),
        ("boards.clean", "boards.clean", ("shelf/wood.py", "def clean", DefinitionKind.FUNCTION)),
        (
            "boards.deep",
            "boards.deep.scrub",
            ("shelf/deep.py", "def scrub", DefinitionKind.FUNCTION),
        ),
        ("import shelf", "boards", ("shelf/__init__.py", "from .wood", DefinitionKind.MODULE)),
        ("sparkle()", "sparkle", ("stars.py", "def sparkle", DefinitionKind.FUNCTION)),
        ("prices.cheap", "prices", ("shop.py", "import prices", DefinitionKind.IMPORT)),
        ("handle.read", "handle", ("shop.py", "as handle", DefinitionKind.VARIABLE)),
        ("os.path.join", "os", ("shop.py", "import os.path", DefinitionKind.IMPORT)),
        ("print(LIMIT)", "print", None),
        ("print(LIMIT)", "unknown", None),
    ],
)
def test_names_of_a_source(
    folder: Path, at: str, name: str, place: tuple[str, str, DefinitionKind] | None
) -> None:
    expected = [] if place is None else [(place[0], line_of(place[1], FILES[place[0]]), place[2])]
    assert find(folder, at, name) == expected


def test_what_is_no_python_has_no_definitions(tmp_path: Path) -> None:
    path = str(tmp_path / "x.py")
    assert find_in_source(path, "def (", 1, ["x"]) == []
    assert find_in_source(path, "x = 1\0", 1, ["x"]) == []


def test_circles_end(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("from two import name\n")
    (tmp_path / "two.py").write_text("from one import name\n")
    text = "from one import name\nclass A(B): pass\nclass B(A): pass\nx = x()\nname\nA.y\nx.y\n"
    path = str(tmp_path / "main.py")
    assert find_in_source(path, text, 5, ["name"])  # some import of the circle
    assert find_in_source(path, text, 6, ["A", "y"]) == []
    assert find_in_source(path, text, 7, ["x", "y"]) == []


def test_which_lines_share_a_function() -> None:
    assert share_function(SHOP, line_of("for item"), line_of("total = order"))
    assert not share_function(SHOP, line_of("return parcel"), line_of("total = order"))
    assert not share_function("def (", 1, 1)


# What the program knows

PLUGINS = """\
import functools
import handlers

def noisy(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)
    return inner

@noisy
def greet():
    return 1

class Field:
    def __get__(self, obj, kind):
        raise RuntimeError("never asked")

class Plugin:
    tricky = Field()

    @property
    def size(self):
        raise RuntimeError("never asked")

    @staticmethod
    def helper():
        return 2

    def run(self):
        return 3

def use(callback, plugin, bound, partial, kind, lazy):
    value = 5
    return value  # here

use(
    handlers.TABLE["save"], Plugin(), Plugin().run,
    functools.partial(handlers.load, 1), Plugin, handlers,
)
"""
HANDLERS = """\
def save():
    pass

def load(number):
    pass

class Late:
    def later(self):
        pass

TABLE = {"save": save}
"""

PYTHONS = [pytest.param(path, id=name_of(version)) for version, path in SUPPORTED.items()]


@pytest.mark.sampled
@pytest.mark.real
@pytest.mark.parametrize("python", PYTHONS)
async def test_what_a_name_stands_for(tmp_path: Path, python: str) -> None:
    script = tmp_path / "plugins.py"
    script.write_text(PLUGINS)
    (tmp_path / "handlers.py").write_text(HANDLERS)
    async with debugpy_session(tmp_path, script, python=python) as under_test:
        session = under_test.session
        here = line_of("# here", PLUGINS)
        await session.breakpoints.set(str(script), here, origin="tui")
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        frame = session.frames[0]

        async def places(name: str) -> list[tuple[str, int]]:
            found = await Definitions(session).find(str(script), PLUGINS, here, name, frame)
            return [(Path(each.path).name, each.line) for each in found]

        def own(text: str) -> tuple[str, int]:
            return "plugins.py", line_of(text, PLUGINS)

        def other(text: str) -> tuple[str, int]:
            return "handlers.py", line_of(text, HANDLERS)

        parameter = own("def use")
        assert await places("callback") == [other("def save"), parameter]
        assert await places("bound") == [own("def run"), parameter]
        assert await places("partial") == [other("def load"), parameter]
        assert await places("kind") == [own("class Plugin"), parameter]
        assert await places("plugin.size") == [own("def size")]
        assert await places("plugin.helper") == [own("def helper")]
        assert await places("plugin.run") == [own("def run")]
        assert await places("plugin.tricky") == []
        assert await places("lazy.Late.later") == [other("def later")]
        assert await places("lazy") == [("handlers.py", 1), parameter]
        assert await places("greet") == [own("def greet")]
        assert await places("value") == [own("value = 5")]
        assert await places("nothing.at.all") == []

        # Of another function the program knows what its module has, not the frame's locals.
        elsewhere = line_of("return 3", PLUGINS)
        found = await Definitions(session).find(str(script), PLUGINS, elsewhere, "callback", frame)
        assert found == ()


@pytest.mark.full
@pytest.mark.real
async def test_the_library_is_found_where_the_program_has_it(tmp_path: Path) -> None:
    script = tmp_path / "tool.py"
    script.write_text("import json\njson.dumps(1)\njson.JSONDecodeError\n")
    async with debugpy_session(tmp_path, script) as under_test:
        await under_test.start()
        await under_test.go(Resume.STEP_OVER)
        session = under_test.session
        text = script.read_text()
        (found,) = await Definitions(session).find(str(script), text, 2, "json.dumps")
        assert found.path.endswith("json/__init__.py") and found.kind is DefinitionKind.FUNCTION
        (found,) = await Definitions(session).find(str(script), text, 3, "json.JSONDecodeError")
        assert found.path.endswith("json/decoder.py") and found.kind is DefinitionKind.CLASS


async def test_without_a_program_the_source_is_enough(folder: Path) -> None:
    async with fake_session(folder) as under_test:
        path = str(folder / "shop.py")
        line = line_of("boards.clean")
        found = await Definitions(under_test.session).find(path, SHOP, line, "boards.clean")
        assert found == (
            Definition(
                "boards.clean", str(folder / "shelf" / "wood.py"), 3, DefinitionKind.FUNCTION
            ),
        )


def test_the_sample_is_a_program() -> None:
    compile(dedent(SHOP), "shop.py", "exec")
