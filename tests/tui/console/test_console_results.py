"""Results in the console's lines that are opened like variables."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.geometry import Offset
from textual.selection import Selection

from tests.tui.console.test_console import Bench, console
from tuidbg.session.core.evaluation.prompt import Evaluated
from tuidbg.session.model.state import ValueProblem, Variable
from tuidbg.tui.panes.console.console_results import ConsoleResults, Path, ResultTree

THINGS = (
    Variable(name="'a'", value="[1, 2]", reference=5),
    Variable(name="[b]x[/b]", value="\x1b[31m漢字"),
)
DEEP = (Variable(name="0", value="1"), Variable(name="1", value="2"))


class Opened:
    """A console with a result in it, and what was asked to be fetched."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.log = bench.app.pane.query_one(ConsoleResults)
        self.asked: list[tuple[int, Path]] = []
        post = self.log.post_message

        def watch(message: object) -> bool:
            if isinstance(message, ConsoleResults.ResultOpened):
                self.asked.append((message.number, message.path))
                return True
            return post(message)  # type: ignore[arg-type]

        self.log.post_message = watch  # type: ignore[method-assign]

    async def result(self, text: str, *, openable: bool = True) -> tuple[int, ResultTree]:
        await self.bench.say("result", text + "\n")
        number = self.bench.app.buffer.last_number
        tree = ResultTree(Evaluated(number=1, text=text, openable=openable))
        if openable:
            self.log.attach(number, tree)
        return number, tree

    def give(
        self, number: int, tree: ResultTree, path: Path, *children: Variable, total: int = 0
    ) -> None:
        tree.set_children(path, children, 1, total)
        self.log.tree_changed(number, tree)

    @property
    def shown(self) -> list[str]:
        rows = self.bench.app.shown
        while rows and not rows[-1]:
            rows.pop()
        return rows

    @property
    def cursor_row(self) -> str:
        """The row with the cursor."""
        mark = self.log.get_component_rich_style("console-log--cursor").bgcolor
        for y in range(self.log.size.height):
            strip = self.log.render_line(y)
            if any(s.style and s.style.bgcolor == mark for s in strip):
                return strip.text.rstrip()
        return ""


@asynccontextmanager
async def opened(width: int = 40, height: int = 12) -> AsyncIterator[Opened]:
    async with console(width, height) as bench:
        at = Opened(bench)
        at.bench.app.pane.focus_log()
        await at.bench.pilot.pause()
        yield at


@pytest.mark.full
async def test_a_result_is_opened_and_closed() -> None:
    async with opened() as at:
        await at.result("5", openable=False)
        number, tree = await at.result("{'a': [1, 2]}")
        await at.bench.say("terminal", "after\n")
        assert at.shown == ["= 5", "▸ {'a': [1, 2]}", "  after"]
        await at.bench.press("space")
        assert at.asked == [(number, ())]
        assert at.shown[1:] == ["▾ {'a': [1, 2]}", "    fetching…", "  after"]
        at.give(number, tree, (), *THINGS)
        assert at.shown[1:] == [
            "▾ {'a': [1, 2]}",
            "  ▸ 'a' = [1, 2]",
            "    [b]x[/b] = ␛[31m漢字",
            "  after",
        ]
        assert at.cursor_row == "▾ {'a': [1, 2]}"
        await at.bench.press("down", "right")
        assert at.asked[-1] == (number, (0,))
        at.give(number, tree, (0,), *DEEP)
        assert at.shown[2:5] == ["  ▾ 'a' = [1, 2]", "      0 = 1", "      1 = 2"]
        await at.bench.press("down", "down", "space", "right")
        assert len(at.asked) == 2, "there is nothing inside"
        assert at.cursor_row == "      1 = 2"
        await at.bench.press("left")
        assert at.cursor_row == "  ▾ 'a' = [1, 2]"
        await at.bench.press("left", "left")
        assert at.cursor_row == "▾ {'a': [1, 2]}"
        await at.bench.press("left")
        assert at.shown[1:] == ["▸ {'a': [1, 2]}", "  after"]
        await at.bench.press("space", "down")
        assert len(at.asked) == 2, "it is known"
        assert at.cursor_row == "  ▸ 'a' = [1, 2]"


async def test_pages_sizes_and_values_that_nobody_has_worked_out() -> None:
    size = Variable(name="rows", value="[0, 1, ...]", type="list", size="250", reference=7)
    lazy = Variable("late", "<property>", handle=8, problem=ValueProblem.LAZY)
    async with opened(60) as at:
        number, tree = await at.result("<things>")
        await at.bench.press("right")
        at.give(number, tree, (), size, lazy, total=250)
        assert at.shown == [
            "▾ <things>",
            "  ▸ rows: list[250] = [0, 1, ...]",
            "    late = <property> Enter evaluates it",
            "    ⋯ 248 more  Right shows the next",
        ]
        await at.bench.press("down", "down", "right")
        assert at.asked[-1] == (number, (1,))
        assert not tree.is_open_at((1,)), "it is worked out, there is nothing to open"
        tree.set_variable((1,), Variable(name="late", value="5"))
        at.log.tree_changed(number, tree)
        assert at.shown[2] == "    late = 5"
        await at.bench.press("down", "right")
        assert at.asked[-1] == (number, (2,))
        at.give(number, tree, (), size, lazy, *DEEP, total=4)
        assert [row.strip() for row in at.shown[3:]] == ["0 = 1", "1 = 2"]
        assert at.cursor_row.strip() == "0 = 1", "the first of those that came"


async def test_what_opens_stays_in_sight() -> None:
    async with opened(height=8) as at:
        number, tree = await at.result("<list>")
        await at.bench.press("right")
        at.give(number, tree, (), *(Variable(name=str(n), value="x") for n in range(100)))
        assert at.cursor_row == "▾ <list>"
        assert at.shown[1:3] == ["    0 = x", "    1 = x"]


async def test_nothing_inside() -> None:
    async with opened() as at:
        number, tree = await at.result("<object>")
        await at.bench.press("right")
        at.give(number, tree, ())
        assert at.shown == ["▾ <object>", "    (nothing)"]


@pytest.mark.full
async def test_arrow_keys_scroll_until_there_is_a_cursor_and_after_escape() -> None:
    async with opened(height=6) as at:
        for n in range(10):
            await at.result(f"[{n}]")
        await at.bench.press("up")
        assert at.shown[0] == "▸ [4]"
        assert at.cursor_row == ""
        await at.bench.press("right")
        assert at.cursor_row == "▾ [8]", "the lowest in view"
        await at.bench.press("up", "up", "up", "up", "up")
        assert (at.cursor_row, at.shown[0]) == ("▸ [3]", "▸ [3]")
        await at.bench.press("escape", "up")
        assert (at.cursor_row, at.shown[0]) == ("", "▸ [2]")


async def test_where_there_is_no_result_the_keys_are_others() -> None:
    async with opened() as at:
        await at.bench.say("terminal", "line\n" * 30)
        await at.bench.press("space", "left", "right", "escape", "up")
        assert not at.bench.app.log_view.following


async def test_the_mouse_opens() -> None:
    async with opened() as at:
        number, tree = await at.result("things " * 10)
        await at.bench.pilot.click(ConsoleResults, offset=(5, 0))
        assert at.asked == [], "there one selects"
        await at.bench.pilot.click(ConsoleResults, offset=(0, 0))
        await at.bench.pilot.pause()
        assert at.asked == [(number, ())]
        at.give(number, tree, (), *THINGS)
        await at.bench.pilot.click(ConsoleResults, offset=(12, 2))
        await at.bench.pilot.pause()
        assert at.asked[-1] == (number, (0,))
        at.give(number, tree, (0,), *DEEP)
        assert at.shown[2:4] == ["  ▾ 'a' = [1, 2]", "      0 = 1"]


async def test_trees_go_with_their_lines_and_widths() -> None:
    async with opened(width=30) as at:
        number, tree = await at.result("x" * 40)
        await at.bench.press("space")
        at.give(number, tree, (), Variable(name="n", value="v" * 100))
        await at.bench.say("terminal", "after\n")
        assert at.shown[-2] == "    n = " + "v" * 20 + "…"
        await at.bench.pilot.resize_terminal(50, 12)
        await at.bench.pilot.pause()
        assert at.shown == ["▾ " + "x" * 40, "    n = " + "v" * 40 + "…", "  after"]
        await at.bench.say("terminal", "more\n" * 1000)
        assert not at.log._trees
        await at.bench.press("down", "up", "home", "end")
        assert at.shown[-1] == "  more"
        number, tree = await at.result("again")
        await at.bench.press("space")
        at.bench.app.pane.clear()
        at.give(number, tree, (), *THINGS)
        assert at.shown == []


async def test_what_is_open_is_selected_as_lines() -> None:
    async with opened() as at:
        number, tree = await at.result("{'a': [1, 2]}")
        await at.bench.press("space")
        at.give(number, tree, (), *DEEP)
        selected = at.log.get_selection(Selection(Offset(0, 0), Offset(40, 2)))
        assert selected is not None
        assert [row.strip() for row in selected[0].split("\n")] == [
            "{'a': [1, 2]}",
            "0 = 1",
            "1 = 2",
        ]


@pytest.mark.sampled
@pytest.mark.parametrize(("width", "height"), [(10, 3), (3, 1)])
async def test_any_size(width: int, height: int) -> None:
    async with opened(width, height) as at:
        number, tree = await at.result("things")
        await at.bench.press("space")
        at.give(number, tree, (), *THINGS)
        await at.bench.press("down", "down", "left", "up", "left")
        assert not tree.is_open
