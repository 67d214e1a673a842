"""The variables pane: what survives a step, what is marked as changed, and any text in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tests.support.screens import painted_cells, repaints, shown_rows
from tuidbg.session.core.values.types import VariableNode
from tuidbg.session.model.state import Variable, VariableKind
from tuidbg.tui.panes.variables.variables_pane import (
    CallIdentity,
    VariablesPane,
    ViewOptions,
    paths_of,
)


class Bench(App[None]):
    """The pane, and the nodes whose children it wanted."""

    def __init__(self) -> None:
        super().__init__()
        self.pane = VariablesPane(id="variables")
        self.opened: list[VariablesPane.Opened] = []
        self.stop = 0

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_variables_pane_opened(self, message: VariablesPane.Opened) -> None:
        self.opened.append(message)

    async def stop_with(self, *locals: VariableNode, call: CallIdentity | None = None) -> list[str]:
        """A new stop with these locals; the rows on the screen."""
        self.stop += 1
        return await self.look_at(*locals, call=call)

    async def look_at(self, *locals: VariableNode, call: CallIdentity | None = None) -> list[str]:
        """The same stop with these locals."""
        self.pane.show_variables(call or MAIN, tree(*locals), stop_id=self.stop)
        return await self.rows()

    async def rows(self) -> list[str]:
        pilot: Pilot[None] = Pilot(self)
        await pilot.pause()
        return [text for text in shown_rows(self.pane) if text]


MAIN = CallIdentity("main.py:main")


@asynccontextmanager
async def bench(
    size: tuple[int, int] = (40, 12),
) -> AsyncIterator[tuple[Bench, VariablesPane, Pilot[None]]]:
    app = Bench()
    async with app.run_test(size=size) as pilot:
        app.pane.focus()
        await pilot.pause()
        yield app, app.pane, pilot


def var(name: str, value: Any = "", *below: VariableNode, children: bool = False) -> VariableNode:
    """A variable; with ``children`` it has some that were not fetched."""
    reference = 7 if below or children else 0
    text = value if isinstance(value, str) else repr(value)
    return VariableNode(Variable(name=name, value=text, reference=reference), below or None)


def scope(name: str, *below: VariableNode, fetched: bool = True) -> VariableNode:
    return VariableNode(
        Variable(name=name, value="", reference=1), below if fetched else None, True
    )


def tree(*locals: VariableNode) -> list[VariableNode]:
    return [scope("Locals", *locals), scope("Globals", fetched=False)]


def place_of(pane: VariablesPane) -> object:
    """The path under the cursor."""
    return pane.cursor_key


def marked(rows: Sequence[str]) -> list[str]:
    """The names that carry the mark of a changed value."""
    heads = [row.split(" =")[0].replace("+", "*") for row in rows]
    return [head.split("*")[1] for head in heads if "*" in head]


# The tree


async def test_locals_are_open_and_globals_closed_and_not_fetched() -> None:
    async with bench() as (app, _, _):
        assert await app.stop_with(var("n", 3), var("things", "[1]", children=True)) == [
            "▾ Locals",
            "    n = 3",
            "  ▸ things = [1]",
            "▸ Globals",
        ]
        assert app.opened == []


async def test_no_locals_is_said() -> None:
    async with bench() as (app, _, _):
        assert (await app.stop_with())[:2] == ["▾ Locals", "    (nothing)"]


async def test_what_is_opened_is_asked_for_once() -> None:
    async with bench() as (app, pane, pilot):
        await app.stop_with(var("things", "[1]", children=True))
        await pilot.press("down", "enter")
        assert [(m.path, m.reference) for m in app.opened] == [(("Locals", "things"), 7)]
        assert "      fetching…" in await app.rows()
        pane.set_children(("Locals", "things"), [var("0", "1")])
        assert "      0 = 1" in await app.rows()
        await pilot.press("enter")
        assert "      0 = 1" not in await app.rows()
        await pilot.press("enter")
        assert "      0 = 1" in await app.rows()
        assert len(app.opened) == 1


async def test_an_empty_list_says_that_nothing_is_in_it() -> None:
    async with bench() as (app, pane, pilot):
        await app.stop_with(var("things", "[]", children=True))
        await pilot.press("down", "right")
        pane.set_children(("Locals", "things"), [])
        assert "      (nothing)" in await app.rows()


@pytest.mark.full
async def test_arrow_keys_open_close_and_climb() -> None:
    async with bench() as (app, pane, pilot):
        await app.stop_with(var("a", "[[1]]", var("0", "[1]", var("0", 1))), var("n", 3))
        await pilot.press("down", "right", "down", "right", "down")
        assert place_of(pane) == ("Locals", "a", "0", "0")
        await pilot.press("right", "left")
        assert place_of(pane) == ("Locals", "a", "0")
        await pilot.press("left")
        assert place_of(pane) == ("Locals", "a", "0")
        assert "        0 = 1" not in await app.rows()
        await pilot.press("left", "left", "left")
        assert place_of(pane) == ("Locals",)
        assert (await app.rows())[-1] == "▸ Globals"


async def test_a_click_opens_and_closes() -> None:
    async with bench() as (app, _, pilot):
        await app.stop_with(var("a", "[1]", var("0", 1)))
        await pilot.click("#variables", offset=(6, 1))
        assert "     0 = 1" in "\n".join(await app.rows())
        await pilot.click("#variables", offset=(6, 1))
        assert "0 = 1" not in "\n".join(await app.rows())


async def test_keys_on_what_can_not_be_opened_do_nothing() -> None:
    async with bench() as (app, pane, pilot):
        await pilot.press("enter", "left", "right")
        await app.stop_with(var("n", 3))
        before = await app.rows()
        await pilot.press("down", "enter", "right")
        assert await app.rows() == before
        assert place_of(pane) == ("Locals", "n")


async def test_what_was_open_and_is_a_number_now_can_be_left() -> None:
    async with bench() as (app, pane, pilot):
        await app.stop_with(var("a", "[1]", var("0", 1)))
        await pilot.press("down", "enter")
        await app.stop_with(var("a", 5))
        await pilot.press("left")
        assert place_of(pane) == ("Locals",)


async def test_twins_are_told_apart() -> None:
    """Two classes of a family may each have a private name; debuggers show both."""
    twins = [var("x", "[1]", var("0", 1)), var("x", "[2]", var("0", 2))]
    async with bench() as (app, pane, pilot):
        await app.stop_with(*twins)
        await pilot.press("down", "down", "enter")
        rows = await app.rows()
        assert rows[1:4] == ["  ▸ x = [1]", "  ▾ x = [2]", "      0 = 2"]
        pane.set_children(pane.cursor_key, [var("0", "3")])  # type: ignore[arg-type]
        assert (await app.rows())[3] == "      0 = 3"


async def test_a_name_that_looks_like_a_twin_is_none() -> None:
    paths = [path for path, _ in paths_of([var("x"), var("x#2"), var("x"), var("x")])]
    assert len(set(paths)) == 4


def returned(function: str, value: str, kind: str = "int", size: str = "") -> VariableNode:
    name = f"{function}() returned"
    return VariableNode(Variable(name, value, kind, size=size, kind=VariableKind.RETURNED))


async def test_what_calls_returned_stands_first_and_is_neither_new_nor_gone() -> None:
    async with bench() as (app, pane, _):
        await app.stop_with(var("n", 3))
        found = [var("n", 3), returned("_pack", "'box'", "str"), returned("add", "25")]
        frame = returned("load", "...", "DataFrame", "3 × 2")
        rows = await app.stop_with(*found, frame)
        assert rows == [
            "▾ Locals",
            "   ←_pack() returned 'box'",
            "   ←add() returned 25",
            "   ←load() returned DataFrame 3 × 2 ...",
            "    n = 3",
            "▸ Globals",
        ]
        pane.options = ViewOptions(private=False)
        assert await app.look_at(*found, frame) == rows, "a filter of names is not about it"
        assert await app.stop_with(var("n", 3)) == ["▾ Locals", "    n = 3", "▸ Globals"]


# What survives a step


def many(changed: int = 0) -> list[VariableNode]:
    """Thirty variables, the tenth with something inside."""
    inside = [var("deep", changed), var("deeper", "{}", children=True)]
    return [
        *(var(f"name{n:02}", n) for n in range(10)),
        var("object", "<object>", *inside),
        *(var(f"name{n:02}", n + changed) for n in range(11, 30)),
    ]


async def open_object(app: Bench, pane: VariablesPane, pilot: Pilot[None]) -> tuple[object, int]:
    """Open the tenth, scroll on, and put the cursor inside of it; cursor and scroll."""
    await app.stop_with(*many())
    pane.move_cursor_to(("Locals", "object"))
    await pilot.press("enter", "down", "down")
    pane.scroll_to(y=10, animate=False)
    await pilot.pause()
    return pane.cursor_key, pane.scroll_offset.y


async def test_expansion_cursor_and_scroll_survive_a_step() -> None:
    async with bench() as (app, pane, pilot):
        place = await open_object(app, pane, pilot)
        rows = await app.stop_with(*many(changed=1))
        assert (pane.cursor_key, pane.scroll_offset.y) == place
        assert "     *deep = 1" in rows


async def test_they_survive_a_step_that_takes_a_while() -> None:
    async with bench() as (app, pane, pilot):
        place = await open_object(app, pane, pilot)
        pane.show_nothing("the program is running")
        assert await app.rows() == [" the program is running"]
        rows = await app.stop_with(*many(changed=1))
        assert (pane.cursor_key, pane.scroll_offset.y) == place
        assert "     *deep = 1" in rows


async def test_they_survive_a_value_that_takes_a_while() -> None:
    async with bench() as (app, pane, pilot):
        place = await open_object(app, pane, pilot)
        app.stop += 1
        half = [scope("Locals", fetched=False), scope("Globals", fetched=False)]
        pane.show_variables(MAIN, half, stop_id=app.stop)
        assert "    fetching…" in await app.rows()
        await app.look_at(*many(changed=1))
        assert (pane.cursor_key, pane.scroll_offset.y) == place


async def test_who_moves_while_a_value_is_awaited_is_not_moved_back() -> None:
    async with bench() as (app, pane, pilot):
        await open_object(app, pane, pilot)
        app.stop += 1
        half = [scope("Locals", fetched=False), scope("Globals", fetched=False)]
        pane.show_variables(MAIN, half, stop_id=app.stop)
        await pilot.press("home")
        await app.look_at(*many(changed=1))
        assert place_of(pane) == ("Locals",)


@pytest.mark.full
async def test_each_function_has_its_own_place_and_expansion() -> None:
    other = CallIdentity("main.py:other", depth=2)
    async with bench() as (app, pane, pilot):
        place = await open_object(app, pane, pilot)
        rows = await app.stop_with(var("object", "[1]", var("0", 1)), call=other)
        assert (pane.cursor_key, pane.scroll_offset.y) == (("Locals",), 0)
        assert rows == ["▾ Locals", "  ▸ object = [1]", "▸ Globals"]
        await pilot.press("down", "enter")
        await app.stop_with(*many())
        assert (pane.cursor_key, pane.scroll_offset.y) == place
        rows = await app.stop_with(var("object", "[1]", var("0", 1)), call=other)
        assert place_of(pane) == ("Locals", "object")
        assert rows[1:3] == ["  ▾ object = [1]", "      0 = 1"]


async def test_a_local_that_is_gone_leaves_the_cursor_on_a_neighbour() -> None:
    async with bench() as (app, pane, pilot):
        await app.stop_with(var("a", 1), var("b", 2), var("c", 3))
        await pilot.press("down", "down")
        await app.stop_with(var("a", 1), var("c", 3))
        assert place_of(pane) == ("Locals", "c")
        await app.stop_with(var("a", 1), var("b", 2), var("c", 3))
        assert place_of(pane) == ("Locals", "c")


async def test_a_step_paints_the_values_that_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as (app, pane, _):
        await app.stop_with(var("i", 10), var("total", 45), var("name", "'x'"))
        with repaints(pane, monkeypatch) as regions:
            await app.stop_with(var("i", 11), var("total", 45), var("name", "'x'"))
        # From the mark to the last digit, as the value is another colour now.
        assert painted_cells(regions) == len("*i = 11")
        with repaints(pane, monkeypatch) as regions:
            await app.stop_with(var("i", 12), var("total", 45), var("name", "'x'"))
        assert painted_cells(regions) == 1


async def test_a_new_local_paints_no_more_than_the_rows_it_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bench() as (app, pane, _):
        await app.stop_with(var("i", 10))
        with repaints(pane, monkeypatch) as regions:
            await app.stop_with(var("i", 10), var("j", 20))
        assert painted_cells(regions) <= len("   *j = 20") + len("▸ Globals")


# What is marked


async def test_changed_and_new_values_are_marked_until_the_next_stop() -> None:
    async with bench() as (app, _, _):
        assert marked(await app.stop_with(var("a", 1), var("b", 2))) == []
        assert marked(await app.stop_with(var("a", 1), var("b", 3), var("c", 4))) == ["b", "c"]
        assert marked(await app.stop_with(var("a", 1), var("b", 3), var("c", 4))) == []


async def test_the_first_local_of_a_function_is_marked_too() -> None:
    async with bench() as (app, _, _):
        await app.stop_with()
        assert marked(await app.stop_with(var("a", 1))) == ["a"]


async def test_another_look_at_the_same_stop_keeps_the_marks() -> None:
    async with bench() as (app, _, _):
        await app.stop_with(var("a", 1), var("b", 2))
        await app.stop_with(var("a", 1), var("b", 3))
        assert marked(await app.look_at(var("a", 1), var("b", 3))) == ["b"]


async def test_what_an_evaluation_changed_is_marked_at_once() -> None:
    async with bench() as (app, _, _):
        await app.stop_with(var("a", 1), var("b", 2))
        await app.stop_with(var("a", 1), var("b", 3))
        assert marked(await app.look_at(var("a", 7), var("b", 3))) == ["a", "b"]
        assert marked(await app.stop_with(var("a", 7), var("b", 3))) == []


async def test_looking_at_a_caller_and_back_keeps_the_marks() -> None:
    caller, callee = CallIdentity("main.py:main", depth=1), CallIdentity("main.py:inner", depth=2)
    async with bench() as (app, _, _):
        await app.stop_with(var("x", 1), call=callee)
        await app.stop_with(var("x", 2), call=callee)
        assert marked(await app.look_at(var("x", 9), call=caller)) == []
        assert marked(await app.look_at(var("x", 2), call=callee)) == ["x"]


async def test_a_frame_of_another_function_has_no_marks() -> None:
    async with bench() as (app, _, _):
        await app.stop_with(var("n", 1))
        assert (
            marked(await app.stop_with(var("n", 2), call=CallIdentity("main.py:f", depth=2))) == []
        )


async def test_a_recursion_has_no_marks_until_something_changes() -> None:
    def fact(depth: int) -> CallIdentity:
        return CallIdentity("main.py:fact", depth=depth)

    async with bench() as (app, pane, _):
        await app.stop_with(var("n", 3), var("r", 0), call=fact(1))
        assert marked(await app.stop_with(var("n", 2), var("r", 0), call=fact(2))) == []
        assert marked(await app.stop_with(var("n", 1), var("r", 0), call=fact(3))) == []
        pane.changes.forget_above(0, 2, "main.py:fact")
        assert marked(await app.stop_with(var("n", 2), var("r", 1), call=fact(2))) == ["r"]
        # Called again: that is another frame, whatever the last one had there.
        assert marked(await app.stop_with(var("n", 0), var("r", 0), call=fact(3))) == []


async def test_the_same_function_in_another_thread_has_no_marks() -> None:
    async with bench() as (app, _, _):
        await app.stop_with(var("n", 1), call=CallIdentity("main.py:work", thread_id=1))
        rows = await app.stop_with(var("n", 2), call=CallIdentity("main.py:work", thread_id=2))
        assert marked(rows) == []
        rows = await app.stop_with(var("n", 5), call=CallIdentity("main.py:work", thread_id=1))
        assert marked(rows) == ["n"]


async def test_a_call_ends_with_its_frame_and_others_do_not() -> None:
    async with bench() as (app, pane, _):
        inner, other = (
            CallIdentity("main.py:inner", depth=2),
            CallIdentity("main.py:inner", 5, depth=2),
        )
        await app.stop_with(var("n", 1), call=inner)
        await app.stop_with(var("n", 1), call=other)
        pane.changes.forget_above(0, 1, "main.py:main")
        assert marked(await app.stop_with(var("n", 2), call=inner)) == []
        assert marked(await app.stop_with(var("n", 2), call=other)) == ["n"]
        pane.changes.forget_above(0, 2, "main.py:another")
        assert marked(await app.stop_with(var("n", 3), call=inner)) == []


async def test_another_run_has_no_marks() -> None:
    async with bench() as (app, pane, _):
        await app.stop_with(var("n", 1))
        pane.changes.forget_all()
        assert marked(await app.stop_with(var("n", 2))) == []


async def test_what_is_opened_for_the_first_time_is_not_new_for_that() -> None:
    async with bench() as (app, pane, pilot):
        await app.stop_with(var("a", "[1]", children=True))
        await app.stop_with(var("a", "[1]", children=True))
        await pilot.press("down", "enter")
        pane.set_children(("Locals", "a"), [var("0", "1")])
        assert marked(await app.rows()) == []
        rows = await app.stop_with(var("a", "[1, 2]", var("0", 1), var("1", 2)))
        assert marked(rows) == ["a", "1"]


async def test_scopes_and_groups_are_never_marked() -> None:
    async with bench() as (app, _, _):
        await app.stop_with(var("special variables", "1", children=True))
        rows = await app.stop_with(var("special variables", "2", children=True))
        assert rows[1] == "  ▸ special variables"


# Any text


async def test_text_of_the_program_is_shown_as_it_stands() -> None:
    async with bench(size=(60, 8)) as (app, _, _):
        rows = await app.stop_with(
            var("[bold]k[/]", "'[red]x[/red] [@click=app.bell]y[/]'"),
            var("esc", "'\x1b[31mred\x07'"),
            var("lines", "'a\nb c'"),
            var("wide", "'中文字🙂'"),
        )
        assert rows[1:5] == [
            "    [bold]k[/] = '[red]x[/red] [@click=app.bell]y[/]'",
            "    esc = '␛[31mred␇'",
            "    lines = 'a␊b c'",
            "    wide = '中文字🙂'",
        ]


async def test_huge_values_and_names_are_cut() -> None:
    async with bench(size=(30, 6)) as (app, _, _):
        rows = await app.stop_with(var("x" * 100_000, "y"), var("z", "y" * 100_000))
        assert rows[1] == "    " + "x" * 25 + "…"
        assert rows[2] == "    z = " + "y" * 21 + "…"


async def test_a_change_at_the_end_of_a_huge_value_is_marked() -> None:
    async with bench() as (app, _, _):
        await app.stop_with(var("x", "a" * 1000 + "1"))
        assert marked(await app.stop_with(var("x", "a" * 1000 + "2"))) == ["x"]


@pytest.mark.full
async def test_thousands_of_variables_are_shown_and_scrolled() -> None:
    async with bench() as (app, pane, pilot):
        await app.stop_with(*(var(f"n{n}", n) for n in range(5000)))
        await pilot.press("end")
        assert (await app.rows())[-2:] == ["    n4999 = 4999", "▸ Globals"]
        assert pane.cursor == 5001
