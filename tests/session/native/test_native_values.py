"""Values of C++ on the real lldb-dap: pages, pointers, unions, what is set and typed."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from tests.support.native import (
    PROGRAMS,
    is_older_lldb,
    line_of,
    lldb_session,
    needs_cc,
    needs_lldb,
)
from tests.support.sessions import SessionUnderTest
from tuidbg.session.core.evaluation.prompt import EvaluationContext, ask
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.model.errors import EvaluationFailed
from tuidbg.session.model.state import Variable

pytestmark = [pytest.mark.real, needs_lldb, needs_cc]

SOURCE = "values.cpp"


@pytest.fixture
async def looking(tmp_path: Path) -> AsyncIterator[SessionUnderTest]:
    """The program, stopped where everything has its value."""
    async with lldb_session(tmp_path, SOURCE, stop_on_entry=False) as test:
        await test.session.breakpoints.set(
            str(PROGRAMS / SOURCE), line_of(SOURCE, "// LOOK"), origin="tui"
        )
        await test.start()
        yield test


async def shown(test: SessionUnderTest, scope: str = "Locals") -> dict[str, Variable]:
    """The variables of a scope of the top frame, as front ends get them."""
    nodes = await test.session.values.look(test.session.frames[0].id, {scope: ChildrenRequest()})
    found = next(node for node in nodes if node.variable.name == scope)
    return {node.variable.name: node.variable for node in found.children or ()}


async def inside(test: SessionUnderTest, variable: Variable, start: int = 0) -> Sequence[Variable]:
    """A page of what is in it."""
    return await test.session.values.variables(variable.reference, start)


async def test_a_million_comes_in_pages(looking: SessionUnderTest) -> None:
    large = next(iter((await shown(looking, "Globals")).values()))
    assert large.total == 1_000_000
    begun = time.monotonic()
    page = await inside(looking, large, 500_000)
    assert time.monotonic() - begun < 5, "unpaged it holds the adapter for minutes"
    assert [v.value for v in page][:2] == ["500000", "500001"] and len(page) == 100
    nodes, start, total = await looking.session.values.children(
        large.reference, ChildrenRequest(start=2**40, count=1)
    )
    assert (nodes[0].variable.value, start, total) == ("999999", 999_999, 1_000_000)
    # What nobody has counted, a program may ask for all of.
    frame = looking.session.frames[0].id
    typed = await looking.session.evaluation.evaluate("large", frame)
    assert typed.openable
    opened = await looking.session.evaluation.page(typed.reference)
    assert len(opened.variables) == 100 and opened.total > 100
    assert len(await looking.session.inspection.variables(typed.reference)) == 1000


async def test_what_is_in_a_value(looking: SessionUnderTest) -> None:
    found = await shown(looking)
    assert "{value:1, next:0x" in found["first"].value
    head = {v.name: v for v in await inside(looking, found["head"])}
    assert head["value"].value == "1"
    last = {v.name: v for v in await inside(looking, head["next"])}
    assert (last["value"].value, last["value"].evaluate_name) == ("2", "head->next->value")
    flags = {v.name: v.value for v in await inside(looking, found["flags"])}
    assert flags == {"ready": "1", "level": "5"}
    either = {v.name: v for v in await inside(looking, found["either"])}
    assert either["whole"].value == "16909060"
    if not is_older_lldb():  # it reads `bytes` as an array without an end
        assert next(v.value for v in await inside(looking, either["bytes"])) == "'\\x04'"
    many = found["many"]
    assert many.total == 100_000
    element = (await inside(looking, many, 99_990))[5]
    assert (element.name, element.value, element.evaluate_name) == ("[99995]", "7", "many[99995]")
    frame = looking.session.frames[0].id
    again = await looking.session.inspection.evaluate(element.evaluate_name, frame, "watch")
    assert again.value == "7", "it can be watched"
    grid = await inside(looking, found["grid"])
    assert [v.value for v in await inside(looking, grid[1])] == ["4", "5", "6"]
    stock = await inside(looking, found["stock"])
    pair = {v.name: v.value for v in await inside(looking, stock[0])}
    assert pair == {"first": '"apple"', "second": "3"}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("count", "41", "41"),
        ("count", "count * 2 + shop::price(1)", "87"),
        ("ratio", "1.0 / 8", "0.125"),
        ("letter", "'z'", "'z'"),
        ("sure", "!sure", "false"),
        ("colour", "Colour::red", "red"),
    ],
)
async def test_values_are_set(name: str, text: str, value: str, looking: SessionUnderTest) -> None:
    before = (await shown(looking))[name]
    changes = looking.session.values.changes
    change = await changes.set(before, text)
    assert change.after.value == value
    assert (await shown(looking))[name].value == value
    if name != "colour":
        assert (await changes.undo() or change).after.value == before.value


async def test_pointers_and_bits_are_set(looking: SessionUnderTest) -> None:
    found, changes = await shown(looking), looking.session.values.changes
    before = found["head"].value
    assert (await changes.set(found["head"], "&last")).after.value != before
    undone = await changes.undo()
    assert undone is not None and undone.after.value.split()[0] == before.split()[0]
    flags = {v.name: v for v in await inside(looking, found["flags"])}
    assert (await changes.set(flags["level"], "3")).after.value == "3"
    with pytest.raises(EvaluationFailed, match="undeclared identifier 'nope'"):
        await changes.set(found["count"], "nope")
    assert (await shown(looking))["count"].value == found["count"].value


async def test_the_prompt(looking: SessionUnderTest) -> None:
    evaluate, frame = looking.session.evaluation.evaluate, looking.session.frames[0].id
    assert (await evaluate("count + 1", frame)).text == "43"
    assert (await evaluate("count = 7", frame)).text == "7"
    assert (await evaluate("shop::price(count)", frame)).text == "21"
    assert "frame #0" in (await evaluate("bt", frame)).text, "it takes LLDB's commands, too"
    with pytest.raises(EvaluationFailed) as raised:
        await evaluate("nope + 1", frame)
    assert str(raised.value).startswith("use of undeclared identifier 'nope'")
    text = await ask(looking.session, "head->next", frame, EvaluationContext.WATCH)
    assert text.reference and text.total == 2


@pytest.mark.full
async def test_watches_and_hovers(looking: SessionUnderTest) -> None:
    session, frame = looking.session, looking.session.frames[0].id
    for expression in ("count > 5 && sure", "many.size()", "head->value", "nope"):
        session.watches.add(expression, origin="tui")
    results = await session.watches.evaluate()
    values = [r.variable.value if r.variable else r.error.splitlines()[0] for r in results]
    assert values == ["true", "100000", "1", "use of undeclared identifier 'nope'"]
    hovered = await session.inspection.evaluate("head->next->value", frame, "hover")
    assert hovered.value == "2"
    await looking.go(Resume.STEP_OVER)
    await looking.go(Resume.STEP_OVER)
    assert [r.changed for r in await session.watches.evaluate()] == [False] * 4


async def test_completions(looking: SessionUnderTest) -> None:
    complete, frame = looking.session.evaluation.complete, looking.session.frames[0].id
    found = await complete("cou", 3, frame)
    assert (found.start, "count" in found.names) == (0, True)
    for text in ("head->", "1 + head->", "flags."):
        found = await complete(text, len(text), frame)
        wanted = {"level", "ready"} if "flags" in text else {"next", "value"}
        assert found.start == len(text) and wanted <= set(found.names), text
        assert all(name.isidentifier() for name in found.names)
    found = await complete("head->ne", 8, frame)
    assert (found.start, found.names) == (6, ("next",))


async def test_numbers_in_hexadecimal(looking: SessionUnderTest) -> None:
    session = looking.session
    session.values.set_hexadecimal(True)
    found = await shown(looking)
    assert found["count"].value == "0x0000002a"
    session.watches.add("count + 1", origin="tui")
    (watched,) = await session.watches.evaluate()
    assert watched.variable is not None and watched.variable.value == "0x0000002b"
    session.values.set_hexadecimal(False)
    assert (await shown(looking))["count"].value == "42"


async def test_copying(looking: SessionUnderTest) -> None:
    found = await shown(looking)
    full = await looking.session.values.contents.full(found["stock"])
    assert "apple" in full.text and "pear" in full.text
