"""The variables on the real debugpy: pages, hostile values, finding, setting, showing otherwise."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.support.fakes import Script, rule
from tests.support.interpreters import SUPPORTED, name_of
from tests.support.marked import MarkedProgram
from tests.support.recording import PROGRAMS, record
from tests.support.sessions import SessionUnderTest, debugpy_session, fake_session, until
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.values.types import ChildrenRequest, DisplayFormat, How, VariableNode
from tuidbg.session.model.errors import (
    AdapterFailed,
    DebuggerError,
    EvaluationFailed,
    UnsupportedByAdapter,
)
from tuidbg.session.model.state import ValueProblem, Variable, VariableKind

HOSTILE = (PROGRAMS / "hostile.py").read_text(encoding="utf-8")
OLDEST_AND_NEWEST = [min(SUPPORTED), max(SUPPORTED)]


@asynccontextmanager
async def stopped(
    folder: Path, program: str, mark: str = "here", **plan: Any
) -> AsyncIterator[SessionUnderTest]:
    """A program stopped at the line with that mark."""
    marked = MarkedProgram(folder, program)
    async with debugpy_session(folder, marked.path, **plan) as under_test:
        await under_test.session.breakpoints.set(marked.path, marked[mark], origin="tui")
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == marked[mark], under_test.describe()
        yield under_test


async def look(
    under_test: SessionUnderTest, *, frame: int = 0, scope: str = "Locals", **below: ChildrenRequest
) -> dict[str, VariableNode]:
    """The nodes of a scope by name, with what is wanted below."""
    session = under_test.session
    wanted = {scope: ChildrenRequest(children=dict(below))}
    roots = await session.values.look(session.frames[frame].id, wanted)
    found = next(root for root in roots if root.variable.name == scope)
    return {node.variable.name: node for node in found.children or ()}


async def variables(under_test: SessionUnderTest, **options: Any) -> dict[str, Variable]:
    """The variables of a scope by name."""
    return {name: node.variable for name, node in (await look(under_test, **options)).items()}


async def inside(under_test: SessionUnderTest, variable: Variable) -> dict[str, Variable]:
    """The first page of what is in a variable, by name."""
    nodes, _, _ = await under_test.session.values.children(variable.reference)
    return {node.variable.name: node.variable for node in nodes}


async def value_of(under_test: SessionUnderTest, expression: str, frame: int = 0) -> str:
    session = under_test.session
    return (await session.inspection.evaluate(expression, session.frames[frame].id)).value


# Hostile values


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("version", OLDEST_AND_NEWEST, ids=name_of)
async def test_values_that_do_their_worst(tmp_path: Path, version: tuple[int, int]) -> None:
    async with stopped(tmp_path, HOSTILE, python=SUPPORTED[version]) as under_test:
        for _ in range(4):  # each time the slow ones that it has learned of are left out
            begun = time.monotonic()
            found = await variables(under_test)
            taken = time.monotonic() - begun
            assert taken < 2, f"{taken} s"
        for name in ("sleeper", "endless", "huge", "sleepers"):
            assert found[name].problem is ValueProblem.SLOW, found[name]
        assert found["sleeper"].remark == "its repr takes more than 0.05 s"
        assert found["huge"].remark == "its repr has more than 1,000,000 characters"
        assert found["huge"].value == "<Huge: too long to show>"
        assert found["sleepers"].value == "[1, <Sleeper: slow to show>, 2]"
        raised = {
            "raiser": "<raised ValueError: no [bold]repr[/] today>",
            "exiter": "<raised SystemExit: 3>",
        }
        for name, value in raised.items():
            assert (found[name].problem, found[name].value) == (ValueProblem.RAISED, value)
        assert found["recurser"].value.startswith("<raised RecursionError")
        assert (found["printer"].value, found["printer"].remark) == ("Printer()", "its repr prints")
        assert found["liar"].type == "Liar"
        assert found["liar"].value.startswith("<__main__.Liar object at 0x")
        assert found["cyclic"].value == "[1, [...]]"
        assert found["surrogates"].value == r"'a\udcffb'"
        assert found["escapes"].value == r"'\x1b[31mred\x07'"
        assert found["markup"].value == "'[red]x[/red]'"
        assert found["bidi"].value == r"'x\u202etxt.exe'"
        assert found["wide"].value == "'中文🙂'"
        assert (found["text"].size, len(found["text"].value)) == ("100,000,000", 300)
        assert found["number"].value.startswith("0xe054e092d5b1")
        begun = time.monotonic()
        await under_test.go(Resume.STEP_OVER)
        await variables(under_test)
        assert time.monotonic() - begun < 1
        assert await value_of(under_test, "Watcher.looks, properties.worked_out") == "(0, 0)"
        assert "printed by a repr" not in under_test.console


ZONES = """\
import datetime, time, types
class Bad(datetime.tzinfo):
    def __repr__(self): raise ValueError("no zone")
    def utcoffset(self, when): return None
class Slow(datetime.tzinfo):
    def __repr__(self): time.sleep(60)
class Asked:
    def __call__(self): pass
    def __getattr__(self, name):
        if name == "__qualname__": time.sleep(60)
        raise AttributeError(name)
def work():
    bad = datetime.datetime(2024, 1, 2, tzinfo=Bad())
    slow = datetime.datetime(2024, 1, 2, tzinfo=Slow())
    utc = datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc)
    method = types.MethodType(Asked(), 1)
    by_time = {bad: 1}
    return 1  #: here
work()
"""


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("version", OLDEST_AND_NEWEST, ids=name_of)
async def test_what_builtins_ask_the_program_for(version: tuple[int, int], tmp_path: Path) -> None:
    async with stopped(tmp_path, ZONES, python=SUPPORTED[version]) as under_test:
        begun = time.monotonic()
        found = await variables(under_test)
        assert time.monotonic() - begun < 5
        assert found["bad"].value == "<raised ValueError: no zone>"
        assert found["by_time"].value == "{<raised ValueError: no zone>: 1}"
        assert found["slow"].problem is ValueProblem.SLOW
        assert found["utc"].value.endswith("tzinfo=datetime.timezone.utc)")
        assert found["method"].value == "<bound method of a Asked>"
        assert all(variable.handle for variable in found.values()), "debugpy was not asked instead"


QUERY = """\
import django
from django.conf import settings
settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEBUG=True,
)
django.setup()
from django.db import connection, models
class Book(models.Model):
    class Meta:
        app_label = "shop"
with connection.schema_editor() as editor:
    editor.create_model(Book)
Book.objects.create()
def work():
    books, fetched = Book.objects.all(), Book.objects.all()
    both = [books, len(fetched)]
    asked = len(connection.queries)
    return 1  #: here
work()
"""


@pytest.mark.full
@pytest.mark.real
async def test_a_query_is_run_on_request_only_and_in_its_own_thread(tmp_path: Path) -> None:
    async with stopped(tmp_path, QUERY) as under_test:
        found = await variables(under_test)
        books = found["books"]
        assert (books.value, books.problem) == ("<QuerySet: query not run>", ValueProblem.LAZY)
        assert found["both"].value == "[<QuerySet: query not run>, 1]"
        assert found["fetched"].value == "<QuerySet [<Book: Book object (1)>]>"
        assert await value_of(under_test, "len(connection.queries) - asked") == "0"
        # Another thread would have a connection of its own, to an empty database.
        loaded = await under_test.session.values.load(books)
        assert loaded.value == "<QuerySet [<Book: Book object (1)>]>"
        assert await value_of(under_test, "len(connection.queries) - asked") == "1"


@pytest.mark.full
@pytest.mark.real
async def test_what_was_cut_says_so(tmp_path: Path) -> None:
    text = """\
    class Plain:
        def __repr__(self): return "p" * 1000
    def work():
        long_text, text = "t" * 1000, "t"
        many, few = list(range(1000)), [1, "a"]
        long_bytes, array = b"b" * 1000, bytearray(1000)
        number, deep = 1 << 99_999, [[[[[1]]]]]
        plain, cyclic = Plain(), []
        cyclic.append(cyclic)
        return 1  #: here
    work()
    """
    async with stopped(tmp_path, dedent(text)) as under_test:
        found = await variables(under_test)
        assert {name for name, variable in found.items() if variable.truncated} == {
            *("long_text", "many", "long_bytes", "array", "number", "deep", "plain"),
        }
        assert (await under_test.session.values.load(found["plain"])).truncated


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("version", OLDEST_AND_NEWEST, ids=name_of)
async def test_what_was_put_off_is_worked_out_on_demand(
    tmp_path: Path, version: tuple[int, int]
) -> None:
    async with stopped(tmp_path, HOSTILE, python=SUPPORTED[version]) as under_test:
        values = under_test.session.values
        found = await variables(under_test)
        properties = await inside(under_test, found["properties"])
        assert [p.kind for p in properties.values()] == [
            *[VariableKind.PLAIN] * 2,
            VariableKind.SHARED,
            *[VariableKind.PROPERTY] * 4,
        ]
        slow = properties["slow"]
        assert (slow.value, slow.problem) == ("<property>", ValueProblem.LAZY)
        loading = asyncio.create_task(values.load(slow))
        # Nothing else waits for it.
        begun = time.monotonic()
        assert await value_of(under_test, "count") == "0"
        assert time.monotonic() - begun < 0.9
        loaded = await loading
        assert (loaded.name, loaded.value, loaded.problem) == ("slow", "['slowly']", "")
        assert [v.value for v in await values.variables(loaded.reference)] == ["'slowly'"]
        counted = await values.load(properties["counted"])
        assert counted.value == "1"
        # It is kept for this stop, and not worked out again for a second look.
        again = await inside(under_test, (await variables(under_test))["properties"])
        assert again["counted"].value == "1"
        assert await value_of(under_test, "properties.worked_out") == "1"
        with pytest.raises(EvaluationFailed, match="KeyError: nothing here"):
            await values.load(properties["failing"])
        again = await inside(under_test, (await variables(under_test))["properties"])
        failed = "<raised KeyError: nothing here>"
        assert (again["failing"].value, again["failing"].problem) == (failed, ValueProblem.RAISED)
        with pytest.raises(EvaluationFailed, match=r"ValueError: no \[bold\]repr"):
            await values.load(found["raiser"])
        assert (await values.load(found["sleeper"])).value == "at last"


@pytest.mark.full
@pytest.mark.real
async def test_a_step_kills_what_is_being_worked_out(tmp_path: Path) -> None:
    async with stopped(tmp_path, HOSTILE) as under_test:
        found = await variables(under_test)
        loading = asyncio.create_task(under_test.session.values.load(found["endless"]))
        await asyncio.sleep(0)
        begun = time.monotonic()
        await under_test.go(Resume.STEP_OVER)
        assert time.monotonic() - begun < 2
        with pytest.raises(DebuggerError):
            await loading
        await variables(under_test)
        with pytest.raises(AdapterFailed, match="earlier stop"):
            await under_test.session.values.load(found["endless"])


@pytest.mark.full
@pytest.mark.real
async def test_all_kinds_of_things(tmp_path: Path) -> None:
    async with stopped(tmp_path, HOSTILE) as under_test:
        found = await variables(under_test)
        names = {
            "odd_keys": ["Key(1)", "Colour.RED", "(1, 'a')", "5", "'{}'"],
            "point": ["x", "y"],
            "some": ["0", "1", "2"],
            "queue": ["0", "1", "2", "3", "4"],
            "counts": ["'a'", "'b'", "'r'", "'c'", "'d'"],
            "slots": ["left"],
            "watcher": ["name"],
            "liar": [],
        }
        expressions: dict[str, str] = {}
        for name, expected in names.items():
            children = await inside(under_test, found[name])
            shown = {n: v for n, v in children.items() if v.kind is VariableKind.PLAIN}
            assert list(shown) == expected
            expressions |= {v.evaluate_name: v.value for v in shown.values()}
        assert {"odd_keys['{}']", "point.x", "list(some)[2]", "slots.left"} <= expressions.keys()
        for expression, value in expressions.items():
            assert await value_of(under_test, expression) == value, expression
        cyclic = found["cyclic"]
        for _ in range(5):
            cyclic = (await inside(under_test, cyclic))["1"]
        assert cyclic.evaluate_name == "cyclic" + "[1]" * 5
        assert await under_test.session.values.of_expression(
            under_test.session.frames[0].id, "nested['a'][0]"
        )


# Pages


@pytest.mark.real
async def test_what_has_gone_meanwhile_is_told_in_words(tmp_path: Path) -> None:
    text = "def work():\n    things = [[1], [2]]\n    return things  #: here\nwork()\n"
    async with stopped(tmp_path, text) as under_test:
        things = (await variables(under_test))["things"]
        last = (await inside(under_test, things))["1"]
        await value_of(under_test, "things.pop()")
        session = under_test.session
        for asked in (
            session.values.children(last.reference),
            session.values.contents.full(last),
            session.values.load(last),
        ):
            with pytest.raises(EvaluationFailed, match=r"^it is not there any more$"):
                await asked


@pytest.mark.full
@pytest.mark.real
async def test_pages_of_a_list_of_a_million(tmp_path: Path) -> None:
    async with stopped(tmp_path, HOSTILE) as under_test:
        values = under_test.session.values
        big = (await variables(under_test))["big"]
        assert (big.type, big.size, big.total) == ("list", "1,000,000", 1_000_000)
        begun = time.monotonic()
        nodes, start, total = await values.children(big.reference)
        assert time.monotonic() - begun < 0.1
        assert (len(nodes), start, total) == (100, 0, 1_000_000)
        page = await values.variables(big.reference, 100, 100)
        assert [v.name for v in page] == [str(n) for n in range(100, 200)]
        last = await values.variables(big.reference, 999_990, 100)
        assert [v.value for v in last] == [str(n) for n in range(999_990, 1_000_000)]
        opened = await look(
            under_test, big=ChildrenRequest(500_000, 3), keyed=ChildrenRequest(9_999)
        )
        assert [n.variable.name for n in opened["big"].children or ()] == [
            "500000", "500001", "500002"
        ]  # fmt: skip
        assert [n.variable.evaluate_name for n in opened["keyed"].children or ()] == [
            "keyed['k9999']"
        ]


@pytest.mark.full
@pytest.mark.real
async def test_finding_and_going_to(tmp_path: Path) -> None:
    async with stopped(tmp_path, HOSTILE) as under_test:
        contents = under_test.session.values.contents
        found = await variables(under_test)
        by_name = await contents.find(found["keyed"], "K999")
        assert by_name.found == ()
        by_name = await contents.find(found["keyed"], "k999")
        assert [name for _, name in by_name.found] == ["'k999'", *(f"'k999{n}'" for n in range(10))]
        assert (by_name.seen, by_name.total) == (10_000, 10_000)
        by_value = await contents.find(found["odd_keys"], "PAIR")
        assert by_value.found == ()
        assert (await contents.find(found["odd_keys"], "pair")).found == ((2, "(1, 'a')"),)
        assert (await contents.find(found["odd_keys"], "Key(")).found == ((0, "Key(1)"),)
        many = await contents.find(found["big"], "7")
        assert len(many.found) == 200 and many.seen < many.total
        for key, expected in {"-1": (999_999, "999999"), "5 * 5": (25, "25")}.items():
            assert await contents.position(found["big"], key) == expected
        for key in ("'k77'", "k77", "'k' + str(count + 77)"):
            assert await contents.position(found["keyed"], key) == (77, "'k77'")
        assert await contents.position(found["odd_keys"], "(1, 'a')") == (2, "(1, 'a')")
        assert await contents.position(found["odd_keys"], "Key(1)") == (0, "Key(1)"), "as shown"
        for key in ("1000000", "nonsense"):
            with pytest.raises(EvaluationFailed, match=f"no {key} in big"):
                await contents.position(found["big"], key)


@pytest.mark.full
@pytest.mark.real
async def test_the_whole_text(tmp_path: Path) -> None:
    async with stopped(tmp_path, HOSTILE) as under_test:
        contents = under_test.session.values.contents
        found = await variables(under_test)
        text = await contents.full(found["text"])
        assert (len(text.text), text.total, text.kind) == (1_000_000, 100_000_000, "str")
        huge = await contents.full(found["huge"])
        assert (len(huge.text), huge.total) == (1_000_000, 100_000_000)
        assert (await contents.full(found["wide"])).text == "中文🙂"
        assert (await contents.full(found["wide"], "repr")).text == "'中文🙂'"
        assert (await contents.full(found["surrogates"])).text == r"a\udcffb"
        data = await contents.full(found["data"], "bytes")
        assert bytes.fromhex(data.text) == bytes(range(256))
        with pytest.raises(EvaluationFailed, match="ValueError: no"):
            await contents.full(found["raiser"])
        nested = await contents.as_json(found["nested"])
        assert json.loads(nested.text) == {"a": [{"b": [1, 2, {"c": 3}]}]}
        assert json.loads((await contents.as_json(found["cyclic"])).text) == [1, "<cyclic>"]
        odd = json.loads((await contents.as_json(found["odd_keys"])).text)
        assert odd["Colour.RED"] == "red" and odd["Key(1)"] == "one"
        assert not (await contents.as_json(found["big"])).is_whole


# Setting

SETTING = """
    import dataclasses

    SHARED = 1

    @dataclasses.dataclass
    class Point:
        x: int = 1

        @property
        def double(self):
            return self.x * 2

        @double.setter
        def double(self, value):
            self.x = int(value) // 2

    def outer():
        here, point, pair = 1, Point(), (1, 2)
        things, keyed, some = [1, 2, 3], {"a": 1, (1, 2): "t"}, {1, 2}
        def inner(argument):
            captured = [here, things]
            return captured  #: here
        result = inner("x")
        return here, result, point, pair, keyed, some  #: back

    print(outer(), SHARED)
"""


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("version", OLDEST_AND_NEWEST, ids=name_of)
async def test_setting_and_undoing(tmp_path: Path, version: tuple[int, int]) -> None:
    async with stopped(tmp_path, SETTING, python=SUPPORTED[version]) as under_test:
        session = under_test.session
        changes = session.values.changes

        async def names(frame: int = 1) -> dict[str, Variable]:
            return await variables(under_test, frame=frame)

        own = await names(0)
        change = await changes.set(own["argument"], "argument * 2 + str(SHARED)")
        assert (change.before.value, change.after.value) == ("'x'", "'xx1'")
        assert await value_of(under_test, "argument") == "'xx1'"
        # Of a caller, by an expression of its own names.
        caller = await names()
        assert (await changes.set(caller["here"], "len(things) + 40")).after.value == "43"
        things = await inside(under_test, caller["things"])
        assert (await changes.set(things["1"], "{'new': here}")).after.value == "{'new': 43}"
        keyed = await inside(under_test, caller["keyed"])
        assert (await changes.set(keyed["(1, 2)"], "None")).after.value == "None"
        point = await inside(under_test, caller["point"])
        assert (await changes.set(point["x"], "21")).after.value == "21"
        assert (await changes.set(point["double"], "11")).after.value == "10"  # as it is then
        scope = await variables(under_test, scope="Globals")
        assert (await changes.set(scope["SHARED"], "'global'")).after.value == "'global'"
        now = "here, things[1], keyed[1, 2], point.x, SHARED"
        assert await value_of(under_test, now, 1) == "(43, {'new': 43}, None, 5, 'global')"

        refused = {
            "coun": "NameError: name 'coun' is not defined",
            "1 +": "SyntaxError: ",
            "x = 5": "SyntaxError:",
            "1 / 0": "ZeroDivisionError: division by zero",
            "  ": "an expression, please",
        }
        for text, why in refused.items():
            with pytest.raises(EvaluationFailed, match=why.replace("+", r"\+")):
                await changes.set(caller["here"], text)
        with pytest.raises(EvaluationFailed, match="a tuple can't be changed"):
            await changes.set((await inside(under_test, caller["pair"]))["0"], "5")
        with pytest.raises(EvaluationFailed, match="elements of a set can't be changed"):
            await changes.set((await inside(under_test, caller["some"]))["0"], "5")
        with pytest.raises(EvaluationFailed, match="ValueError: invalid literal"):
            await changes.set(point["double"], "'no number'")
        assert await value_of(under_test, "here", 1) == "43"

        undone = []
        while (change := await changes.undo()) is not None:  # type: ignore[assignment]
            undone.append((change.after.name, change.after.value))
        assert undone == [
            ("SHARED", "1"), ("double", "42"), ("x", "1"), ("(1, 2)", "'t'"), ("1", "2"),
            ("here", "1"), ("argument", "'x'"),
        ]  # fmt: skip
        assert await value_of(under_test, now, 1) == "(1, 2, 't', 1, 1)"
        await changes.set((await names())["here"], "99")
        await under_test.go(Resume.STEP_OVER)
        assert changes.last is None and await changes.undo() is None
        await under_test.to_end()
        assert "(99, [1, [1, 2, 3]]" in under_test.console  # it was really set
        assert "Error" not in under_test.output("stderr")


# Displays and tables


@pytest.mark.full
@pytest.mark.real
async def test_displays_are_kept_by_expression(tmp_path: Path) -> None:
    async with stopped(tmp_path, SETTING) as under_test:
        values = under_test.session.values
        caller = await variables(under_test, frame=1)
        shown = {
            "{} + ['more']": "[1, 2, 3, 'more']",
            "len": "3",
            "type": "list",
            "str": "[1, 2, 3]",
            "sum(it) + here": "7",
            "it.nothing": "<raised AttributeError: 'list' object has no attribute 'nothing'>",
        }
        for text, expected in shown.items():
            values.set_display(caller["things"], DisplayFormat.read(text))
            assert (await variables(under_test, frame=1))["things"].value == expected
        assert str(DisplayFormat.read("{} + 1")) == "it + 1"
        assert DisplayFormat.read(" len ").how is How.LEN
        await under_test.go(Resume.STEP_OVER)
        caller = await variables(under_test)
        assert caller["things"].problem is ValueProblem.RAISED
        values.set_display(caller["things"], None)
        assert (await variables(under_test))["things"].value == "[1, 2, 3]"


TABLES = """
    import numpy, pandas, polars

    array = numpy.arange(6_000_000, dtype="float64").reshape(2_000_000, 3)
    small = numpy.array([1, 2, 3])
    grid = numpy.arange(40).reshape(4, 10)
    wide = numpy.arange(3000).reshape(3, 1000)
    deep = numpy.arange(80).reshape(20, 2, 2)
    memory = memoryview(bytes(range(6))).cast("B", (2, 3))
    released = memoryview(b"")
    released.release()
    nothing = numpy.array(5)
    frame = pandas.DataFrame({"a": range(1000), "b": "x"})
    column = frame["a"]
    other = polars.DataFrame({"x": [1, 2], "y": ["p", "q"]})
    print("ready")  #: here
"""


@pytest.mark.full
@pytest.mark.real
async def test_arrays_and_frames_tell_their_shape(tmp_path: Path) -> None:
    async with stopped(tmp_path, TABLES) as under_test:
        found = await variables(under_test)
        shown = {n: (v.type, v.size, v.total) for n, v in found.items() if n[:2] != "__"}
        assert shown["array"] == ("ndarray", "(2000000, 3) float64", 2_000_000)
        assert shown["small"] == ("ndarray", "(3,) int64", 3)
        assert shown["nothing"] == ("ndarray", "() int64", 0)
        assert shown["frame"][:2] == ("DataFrame", "1,000 × 2")
        assert shown["column"][:2] == ("Series", "1,000 int64")
        assert shown["other"][:2] == ("DataFrame", "2 × 2")
        assert found["array"].value.startswith("[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], ")
        assert found["array"].value.endswith(", [27.0, 28.0, 29.0], ...] shape=(2000000, 3)")
        tens = [", ".join(map(str, range(start, start + 10))) for start in (0, 10, 20)]
        grid = "".join(f"[{row}], " for row in tens)
        assert found["grid"].value == f"[{grid}...] shape=(4, 10)"
        assert found["wide"].value == f"[[{', '.join(tens)}, ...], ...] shape=(3, 1000)"
        assert found["deep"].value.startswith("[[[0, 1], [2, 3]], [[4, 5], ")
        assert found["memory"].value == "<memory [[0, 1, 2], [3, 4, 5]] shape=(2, 3)>"
        assert found["memory"].size == "(2, 3) B"
        assert found["released"].value.startswith("<released memory")
        assert found["frame"].value.startswith("<a: int64, b: ")
        assert found["small"].value == "array([1, 2, 3])"
        rows = await under_test.session.values.variables(found["array"].reference, 1_999_999)
        assert [(v.name, v.evaluate_name) for v in rows] == [("1999999", "array[1999999]")]
        columns = await inside(under_test, found["other"])
        assert columns["y"].evaluate_name == "other.to_series(1)"
        assert [v.value for v in (await inside(under_test, columns["y"])).values()] == [
            "'p'",
            "'q'",
        ]
        assert list(await inside(under_test, found["frame"])) == ["a", "b"]


NEWEST = """\
from string.templatelib import Template
def work():
    frozen = frozendict(pie=7, rest=[1, 2])
    missing = sentinel("MISSING")
    name = "Ann"
    template = t"hi {name!r:>10} there"
    print("ready")  #: here
work()
"""


@pytest.mark.real
@pytest.mark.skipif(max(SUPPORTED) < (3, 15), reason="needs Python 3.15")
async def test_the_kinds_of_python_3_15(tmp_path: Path) -> None:
    python = SUPPORTED[max(SUPPORTED)]
    async with stopped(tmp_path, NEWEST, python=python) as under_test:
        found = await variables(under_test)
        frozen = await inside(under_test, found["frozen"])
        shown = {name: (v.value, v.evaluate_name) for name, v in frozen.items()}
        assert shown["'pie'"] == ("7", "frozen['pie']")
        assert shown["'rest'"] == ("[1, 2]", "frozen['rest']")
        assert found["frozen"].size == "2"
        deeper = await inside(under_test, frozen["'rest'"])
        assert [v.value for v in deeper.values()] == ["1", "2"]
        template = await inside(under_test, found["template"])
        assert template["strings"].value == "('hi ', ' there')"
        [hole] = (await inside(under_test, template["interpolations"])).values()
        names = {n: v.value for n, v in (await inside(under_test, hole)).items()}
        expected = {"value": "'Ann'", "expression": "'name'", "conversion": "'r'"}
        assert expected.items() <= names.items()
        sentinel = await inside(under_test, found["missing"])
        assert sentinel["__name__"].value == "'MISSING'"


# What is shared by front ends


@pytest.mark.full
@pytest.mark.real
async def test_references_and_their_end(tmp_path: Path) -> None:
    async with stopped(tmp_path, SETTING) as under_test:
        session = under_test.session
        roots = await session.values.look(session.frames[1].id, {})
        assert [(r.variable.name, r.children, r.is_scope) for r in roots] == [
            ("Locals", None, True), ("Globals", None, True)
        ]  # fmt: skip
        names = [v.name for v in await session.values.variables(roots[0].variable.reference)]
        assert {"here", "things", "inner"} <= set(names)
        old = roots[0].variable.reference
        await under_test.go(Resume.STEP_OVER)
        with pytest.raises(AdapterFailed, match="earlier stop"):
            await session.values.variables(old)


@pytest.mark.full
@pytest.mark.real
async def test_one_question_for_all_that_is_open(tmp_path: Path) -> None:
    async with stopped(tmp_path, HOSTILE) as under_test:
        await look(under_test)
        before = len(under_test.messages())
        nested = ChildrenRequest(
            children={"'a'": ChildrenRequest(children={"0": ChildrenRequest()})}
        )
        found = await look(under_test, big=ChildrenRequest(), nested=nested)
        await until(lambda: len(under_test.messages()) >= before + 2)
        requests = [m for m in under_test.messages()[before:] if m.sent]
        assert [m.message["command"] for m in requests] == ["evaluate"]
        (a,) = found["nested"].children or ()
        (first,) = a.children or ()
        assert [n.variable.name for n in first.children or ()] == ["'b'"]


# Other adapters


async def test_an_adapter_that_can_not_be_asked_inside(tmp_path: Path) -> None:
    source = PROGRAMS / "parcels.py"
    async with fake_session(tmp_path, Script(record(source))) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(source), 18, origin="tui")
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        found = await look(under_test, parcel=ChildrenRequest())
        assert [n.variable.name for n in found["parcel"].children or ()] == [
            "name", "kind", "weight", "stamps"
        ]  # fmt: skip
        parcel = found["parcel"].variable
        assert parcel.handle and await session.values.variables(parcel.reference)
        for refused in (
            session.values.load(parcel),
            session.values.contents.find(parcel, "x"),
            session.values.contents.as_json(parcel),
        ):
            with pytest.raises(UnsupportedByAdapter):
                await refused
        with pytest.raises(UnsupportedByAdapter):
            session.values.set_display(parcel, DisplayFormat(How.LEN))
        assert (await session.values.contents.full(found["price"].variable)).text == "1"


async def test_an_adapter_that_lies_about_what_it_set(tmp_path: Path) -> None:
    source = PROGRAMS / "parcels.py"
    lie = rule("setVariable", "body", body={"value": "1"})
    script = Script(record(source), rules=[lie])
    script.capabilities["supportsSetVariable"] = True
    async with fake_session(tmp_path, script) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(source), 18, origin="tui")
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        price = (await variables(under_test))["price"]
        with pytest.raises(EvaluationFailed, match="it is 1 still"):
            await session.values.changes.set(price, "77")
        assert session.values.changes.last is None
