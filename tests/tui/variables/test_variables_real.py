"""The variables pane on the real debugpy: pages, hostile values, search, set, copy, display."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input, Static

from tests.support.recording import PROGRAMS
from tests.support.screens import (
    painted_cells,
    repaints,
    screen_rows,
    shown_rows,
    shown_text,
)
from tests.tui.real_bench import RealDebugger, real_debugger
from tuidbg.session.core.values.types import FullText
from tuidbg.tui.features.variables import commands as variables
from tuidbg.tui.features.variables.commands import SetValueDialog, delete_watch
from tuidbg.tui.panes.context import Context
from tuidbg.tui.toolkit.dialogs.pager import PagerDialog
from tuidbg.tui.toolkit.drivers import clipboard

HOSTILE = (PROGRAMS / "hostile.py").read_text(encoding="utf-8")

SMALL = """
    import json

    class Box:
        kind = "box"

        def __init__(self):
            self.width, self._secret = 3, 4

        @property
        def area(self):
            return self.width ** 2

    def main():
        box, things, extra = Box(), [1, 2, 3], {"a": 1}
        numbers = [3, 1, 2]
        count = 0
        count += 1  #: here
        late = [count]
        things.append(count)
        del extra
        return late, things

    main()
"""


def goes_to(bench: RealDebugger, *path: str) -> Callable[[], Awaitable[None]]:
    async def wait() -> None:
        await bench.until(lambda: bench.screen.variables.cursor_key == path, f"the cursor {path}")

    return wait


@pytest.mark.real
async def test_a_list_of_a_million_page_by_page(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, HOSTILE) as bench:
        pane = bench.screen.variables
        await bench.cursor_on("Locals", "big")
        await bench.press_and_wait("enter")
        assert bench.row("0 = 0")
        keys = [row.key for row in pane.rows]
        assert ("Locals", "big", "99") in keys and ("Locals", "big", "100") not in keys
        await bench.cursor_on("Locals", "big", "\0below")
        assert pane.cursor_row is not None
        assert pane.cursor_row.pieces[0][0] == "  ⋯ 999,900 more"
        await bench.press_and_wait("enter")
        assert ("Locals", "big", "199") in [row.key for row in pane.rows]
        # An index, from the end; the window survives a step.
        await bench.press("g")
        await bench.type_text("-2")
        await bench.press_and_wait("enter")
        await goes_to(bench, "Locals", "big", "999998")()
        await bench.go("n")
        await goes_to(bench, "Locals", "big", "999998")()
        await bench.cursor_on("Locals", "big", "\0above")
        await bench.press_and_wait("enter")
        assert ("Locals", "big", "999800") in [row.key for row in pane.rows]
        await bench.press("g")
        await bench.type_text("12 ** 12")
        await bench.press_and_wait("enter")
        assert "there is no 12 ** 12 in big" in bench.status


@pytest.mark.real
async def test_search_goes_through_all_pages(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, HOSTILE) as bench:
        await bench.cursor_on("Locals", "keyed")
        await bench.press_and_wait("enter")
        await bench.press("slash")
        await bench.type_text("k99")
        await bench.until(lambda: "1 here" in "\n".join(screen_rows(bench.app)))
        await bench.press_and_wait("enter")
        assert "match 1 of 111" in bench.status
        assert "keyed: 10,000 of 10,000 searched" in bench.status
        await goes_to(bench, "Locals", "keyed", "'k99'")()
        for name in ("'k990'", "'k991'"):
            await bench.press_and_wait("f3")
            await goes_to(bench, "Locals", "keyed", name)()
        await bench.press_and_wait("shift+f3", "shift+f3", "shift+f3")
        await goes_to(bench, "Locals", "keyed", "'k9999'")()
        assert "match 111 of 111" in bench.status
        await bench.press("escape")
        await bench.press_and_wait("f3")  # the same again, from its beginning
        assert "match 1 of 111" in bench.status


@pytest.mark.full
@pytest.mark.real
async def test_search_finds_values_of_what_is_there(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SMALL) as bench:
        await bench.cursor_on("Locals")
        await bench.press("slash")
        await bench.type_text("[3, 1")
        await goes_to(bench, "Locals", "numbers")()
        await bench.press_and_wait("enter")
        assert "match 1 of 1" in bench.status


@pytest.mark.real
async def test_slow_and_lazy_values_wait_for_enter(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, HOSTILE) as bench:
        await bench.go("n")
        await bench.press("z")
        await bench.press("2", "z")
        await bench.cursor_on("Locals", "sleeper")
        await bench.go("n")
        row = "<Sleeper: slow to show> Enter waits for it  (its repr takes more than 0.05 s)"
        assert row in bench.row("sleeper")
        await bench.cursor_on("Locals", "properties")
        await bench.press_and_wait("enter")
        await bench.cursor_on("Locals", "properties", "computed properties")
        await bench.press_and_wait("enter")
        await bench.cursor_on("Locals", "properties", "computed properties", "counted")
        assert bench.row("counted") == "counted = <property> Enter evaluates it"
        await bench.press_and_wait("enter")
        assert bench.row("counted") == "counted = 1"
        await bench.cursor_on("Locals", "properties", "computed properties", "failing")
        await bench.press_and_wait("enter")
        assert "KeyError: nothing here" in bench.status
        assert bench.row("failing") == "failing = <raised KeyError: nothing here>"
        await bench.go("n")
        assert "<property>" in bench.row("counted")


@pytest.mark.full
@pytest.mark.real
async def test_new_changed_and_vanished_are_marked(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SMALL) as bench:
        await bench.go("n")
        assert bench.row("count") == "*count = 1"
        await bench.go("n")
        assert bench.row("count") == "count = 1"
        assert bench.row("late") == "▸+late: list[1] = [1]"
        await bench.go("n")
        assert bench.row("late") == "▸ late: list[1] = [1]"
        assert bench.row("things") == "▸*things: list[4] = [1, 2, 3, 1]"
        await bench.go("n")
        assert bench.row("extra") == "-extra was {'a': 1}"
        await bench.press("2")
        assert bench.row("things") == "▸ things: list[4] = [1, 2, 3, 1]"


@pytest.mark.full
@pytest.mark.real
async def test_what_is_displayed_otherwise_has_not_changed(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SMALL) as bench:
        await bench.go("n")
        await bench.cursor_on("Locals", "things")
        for text, row in (("len", "= 3"), ("{}[:1]", "= [1]")):
            await bench.press("d")
            await bench.press(*["backspace"] * 10)
            await bench.type_text(text)
            await bench.press_and_wait("enter")
            await bench.until_row("things", row)
            assert "*" not in bench.row("things")


@pytest.mark.real
async def test_hints_name_the_keys_of_the_key_map(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SMALL) as bench:
        bench.app.set_key_map("vscode")
        screen, key_of = bench.screen, bench.app.key_map.key_of
        await bench.cursor_on("Locals")
        variables.set_variable(screen)
        assert "there is no variable in this row" in screen.status.text
        screen.focus_pane("source")
        hints: dict[Callable[[Context], None], str] = {
            variables.go_to_item: f"{key_of('go_to_line')} goes to an index or a key",
            variables.set_variable: f"{key_of('focus_variables')} goes there",
            delete_watch: f"{key_of('add_watch')} adds one",
            variables.next_match: f"{key_of('search')} searches",
        }
        for command, hint in hints.items():
            command(screen)
            assert hint in screen.status.text, hint
        assert key_of("go_to_line") == "Ctrl+G"
        await bench.session.breakpoints.remove(1, origin="tui")
        await bench.settled()
        assert shown_rows(screen.breakpoints)[0].strip().startswith("No breakpoints: F9 sets one")
        screen.focus_pane("trace")
        assert screen.trace is not None
        await bench.until(lambda: "Shift+F9 sets one" in shown_text(screen.trace), "an empty trace")


@pytest.mark.real
async def test_setting_says_what_python_says_and_is_undone(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SMALL) as bench:
        await bench.cursor_on("Locals", "count")
        await bench.press("r")
        await bench.until(lambda: isinstance(bench.app.screen, SetValueDialog), "the dialog")
        await bench.pilot.pause()
        assert bench.app.screen.query_one(Input).value == "0"
        await bench.type_text("coun + 1")
        await bench.press("enter")
        problem = bench.app.screen.query_one("#problem", Static)
        await bench.until(lambda: problem.display, "Python's error")
        assert "NameError: name 'coun' is not defined" in "\n".join(screen_rows(bench.app))
        await bench.press("home", *["delete"] * 8)
        await bench.type_text("len(things) * 7")
        await bench.press("enter")
        await bench.until(lambda: not isinstance(bench.app.screen, SetValueDialog), "it closes")
        await bench.settled()
        assert bench.row("count") == "count = 21"
        assert "count is 21; U undoes it until the program resumes" in bench.status
        await bench.press_and_wait("u")
        assert bench.row("count") == "count = 0"
        await bench.press_and_wait("u")
        assert "no value was set at this stop" in bench.status


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Returns what was put on the clipboard."""
    texts: list[str] = []

    async def copy(text: str, by_terminal: Any, environment: Any = None) -> str:
        texts.append(text)
        return ""

    monkeypatch.setattr(clipboard, "copy_text", copy)
    return texts


@pytest.mark.full
@pytest.mark.real
async def test_copying_value_expression_and_json(tmp_path: Path, copied: list[str]) -> None:
    async with real_debugger(tmp_path, SMALL) as bench:
        await bench.cursor_on("Locals", "things")
        await bench.press_and_wait("right")
        await bench.press_and_wait("down")
        for number, key in enumerate(("v", "e", "j"), 1):
            await bench.press("y")
            await bench.press_and_wait(key)
            await bench.until(lambda: len(copied) == number, f"what {key} copies")  # noqa: B023
        assert copied == ["1", "things[0]", "1"]
        assert "copied 1 character" in bench.status
        await bench.cursor_on("Locals", "extra")
        await bench.press("Y", "down", "down")
        await bench.press_and_wait("enter")
        await bench.until(lambda: len(copied) == 4, "the JSON")
        assert copied[-1] == '{\n  "a": 1\n}'


@pytest.mark.real
async def test_the_pager(tmp_path: Path, copied: list[str]) -> None:
    async with real_debugger(tmp_path, HOSTILE) as bench:

        async def open_pager(name: str) -> PagerDialog:
            await bench.cursor_on("Locals", name)
            await bench.press("space")
            await bench.until(lambda: isinstance(bench.app.screen, PagerDialog), "the pager")
            dialog = bench.app.screen
            assert isinstance(dialog, PagerDialog)
            await bench.until(lambda: dialog._full is not None, "its text")
            await bench.pilot.pause()
            return dialog

        def screen() -> str:
            return "\n".join(screen_rows(bench.app))

        pager = await open_pager("text")
        assert "text: str · first 1,000,000 of 100,000,000 characters" in screen()
        await bench.press("escape")
        pager = await open_pager("data")
        assert "00000060  60 61 62 63" in screen() and "`abcdefg" in screen()
        await bench.press("r")
        await bench.until(lambda: "x60abc" in screen() or "`abcdefg" in screen(), "the repr")
        await bench.press("escape")
        pager = await open_pager("nested")
        assert "{'a': [{'b': [1, 2, {'c': 3}]}]}" in screen()
        await bench.press("y")
        await bench.until(lambda: bool(copied), "the copy")
        assert copied == ["{'a': [{'b': [1, 2, {'c': 3}]}]}"]
        await bench.press("escape")
        pager = await open_pager("big")
        await bench.press("slash")
        await bench.type_text("5555,")
        await bench.press("enter")
        line = pager.view.cursor_line
        assert line > 1
        await bench.press("n")
        assert pager.view.cursor_line > line
        await bench.press("w")
        assert pager.view.line_count == 1
        await bench.press("escape")
        assert pager.view.search.marked is None and bench.app.screen is pager
        await bench.press("escape")
        assert not isinstance(bench.app.screen, PagerDialog)


@pytest.mark.real
async def test_another_display(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SMALL) as bench:
        await bench.cursor_on("Locals", "numbers")
        await bench.press("d")
        await bench.type_text("sorted({})")
        await bench.press_and_wait("enter")
        assert bench.row("numbers").endswith("= [1, 2, 3]")
        await bench.go("n")
        assert bench.row("numbers").endswith("= [1, 2, 3]")
        await bench.press("d", "ctrl+u", "delete")
        await bench.press("backspace")
        await bench.press_and_wait("enter")
        assert bench.row("numbers").endswith("= [3, 1, 2]")


@pytest.mark.real
async def test_filters_and_order(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SMALL) as bench:
        await bench.cursor_on("Locals", "box")
        await bench.press_and_wait("enter")
        assert bench.row("_secret") and bench.row("class attributes")
        await bench.press("F")
        await bench.press_and_wait("p")
        await bench.press_and_wait("o", "o")
        await bench.press("escape")
        await bench.settled()
        assert not any("_secret" in row for row in bench.rows())
        names = [row.split()[0].strip("▸▾") or row.split()[1] for row in bench.rows()]
        assert names.index("extra:") < names.index("count")  # by type: dict, int
        assert "no private · by type" in "\n".join(screen_rows(bench.app))
        await bench.go("n")
        assert bench.row("width") == "width = 3"  # no new one, though what is around it changed


@pytest.mark.full
@pytest.mark.real
async def test_a_step_with_thirty_rows_open_paints_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["class Box: pass", "box = Box()", "things = list(range(100))", "a = 0"]
    lines += [f"box.a{n} = {n}" for n in range(30)]
    lines += ["a += 1  #: here", *["a += 1"] * 5]
    async with real_debugger(tmp_path, "\n".join(lines)) as bench:
        await bench.cursor_on("Locals", "box")
        await bench.press_and_wait("enter")
        await bench.go("n")
        pane = bench.screen.variables
        before = len(bench.under_test.sent("evaluate"))
        with repaints(pane, monkeypatch) as regions:
            await bench.go("n")
        assert 0 < painted_cells(regions) < 20
        asked = bench.under_test.sent("evaluate")[before:]
        assert not [a for a in asked if "look" in str(a)]  # they have come with the stop
        assert not bench.under_test.sent("variables")


def test_the_pager_names_its_limit() -> None:
    pager = PagerDialog("x", "bytes", lambda how: None, lambda text: None)  # type: ignore[arg-type,return-value]
    assert pager._describe(FullText("00" * 10, 10)) == "10 bytes"
    assert pager._describe(FullText("00" * 10, 99)) == "first 10 of 99 bytes"
