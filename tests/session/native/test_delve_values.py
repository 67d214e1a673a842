"""Values of Go: what is shown of them, a million in pages, set, and calls at the prompt."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.go import CROWD, TOUR, go_session, line_of
from tests.support.native import needs_delve
from tests.support.sessions import SessionUnderTest
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.model.errors import DebuggerError, EvaluationFailed
from tuidbg.session.model.state import Variable

pytestmark = [pytest.mark.real, needs_delve]


@asynccontextmanager
async def at_the_values(folder: Path) -> AsyncIterator[SessionUnderTest]:
    async with go_session(folder, CROWD, "2", stop_on_entry=False) as under_test:
        line = line_of(CROWD, "return some.speak()")
        await under_test.session.breakpoints.set(str(CROWD), line, origin="tui")
        await under_test.start()
        yield under_test


async def shown(under_test: SessionUnderTest) -> dict[str, Variable]:
    """The locals by name, as a front end has them."""
    frame = under_test.session.frames[0]
    (scope,) = await under_test.session.values.look(frame.id, {"Locals": ChildrenRequest()})
    return {node.variable.name: node.variable for node in scope.children or ()}


@pytest.mark.full
async def test_what_is_shown(tmp_path: Path) -> None:
    async with at_the_values(tmp_path) as under_test:
        found = await shown(under_test)
        assert found["nobody"].value == "*main.dog nil"
        assert found["nobody"].reference == 0
        assert found["nothing"].value == "main.speaker nil"
        assert found["some"].value == 'main.speaker(main.dog) {name: "Rex"}'
        assert found["pipe"].value == "chan int 1/3"
        values = under_test.session.values
        inner = {v.name: v for v in await values.variables(found["some"].reference)}
        (dog,) = inner.values()
        (name,) = await values.variables(dog.reference)
        assert (name.name, name.value) == ("name", '"Rex"')


async def test_a_long_string(tmp_path: Path) -> None:
    async with at_the_values(tmp_path) as under_test:
        long = (await shown(under_test))["long"]
        full = await under_test.session.values.contents.full(long)
        assert (full.text, full.total) == ("0123456789" * 1000, 10_000)


@pytest.mark.full
async def test_a_million(tmp_path: Path) -> None:
    """A page in the middle comes at once."""
    async with at_the_values(tmp_path) as under_test:
        values = under_test.session.values
        numbers = (await shown(under_test))["numbers"]
        page, start, total = await values.children(numbers.reference, ChildrenRequest(500_000, 20))
        assert total == 1_000_000
        at = [node.variable for node in page][500_000 - start :][:20]
        assert [(v.name, v.value) for v in at[:2]] == [
            ("[500000]", "1000000"),
            ("[500001]", "1000002"),
        ]
        names = (await shown(under_test))["names"]
        page, start, total = await values.children(names.reference, ChildrenRequest(4_000, 20))
        assert total >= 5_000
        assert len(page) >= 20


async def test_setting_a_value(tmp_path: Path) -> None:
    async with go_session(tmp_path, TOUR, stop_on_entry=False) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(TOUR), line_of(TOUR, "sum := a + b"), origin="tui")
        await under_test.start()
        before = (await shown(under_test))["b"]
        changed = await session.values.changes.set(before, "41")
        assert (changed.before.value, changed.after.value) == ("0", "41")
        assert (await shown(under_test))["b"].value == "41"
        with pytest.raises(DebuggerError, match="nothing"):
            await session.values.changes.set(changed.after, "nothing")
        assert (await shown(under_test))["b"].value == "41"
        undone = await session.values.changes.undo()
        assert undone is not None
        assert (await shown(under_test))["b"].value == "0"


@pytest.mark.full
async def test_at_the_prompt(tmp_path: Path) -> None:
    """Expressions, functions that are called, and what can't be, in plain words."""
    async with at_the_values(tmp_path) as under_test:
        session, frame = under_test.session, under_test.session.frames[0]

        async def value(text: str) -> str:
            return (await session.inspection.evaluate(text, frame.id)).value

        assert await value("numbers[3] + len(names)") == "5006"
        assert await value("some.(main.dog).name") == '"Rex"'
        assert await value("call some.speak()") == '"Rex barks"'
        assert await value("numbers[5:8]") == "[]int len: 3, cap: 3, [10,12,14]"
        with pytest.raises(EvaluationFailed, match=r"\Acould not find symbol value for nosuch"):
            await value("nosuch")
        with pytest.raises(EvaluationFailed, match="call"):
            await value("some.speak()")
        assert under_test.reason is not None  # it stands there still
