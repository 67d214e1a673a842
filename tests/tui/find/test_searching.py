"""Searching the panes: one way in all of them, in every map."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.screens import Debugger, debugger, shown_text
from tuidbg.tui.toolkit.dialogs.pager import PagerDialog
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog


async def accept(bench: Debugger, text: str) -> None:
    """Search for a text; the keys are the pane's again."""
    await bench.press("slash", *text, "enter")
    assert not isinstance(bench.app.screen, PromptDialog)


async def test_the_breakpoints_are_searched_and_gone_on_in(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        document = bench.screen.source.document
        assert document is not None
        for line in (19, 21, 22):
            await bench.session.breakpoints.set(document.key, line, origin="tui")
        await bench.press_and_wait("4")
        pane = bench.screen.breakpoints
        await accept(bench, ":2")
        rows = ["".join(text for text, _ in row.pieces) for row in pane.rows]
        found = [index for index, row in enumerate(rows) if ":2" in row]
        assert len(found) == 2 and pane.cursor == found[0]
        await bench.press("f3")
        assert pane.cursor == found[1]
        assert "match 2 of 2 · F3 next, Shift+F3 back, Esc clear" in bench.status
        await bench.press("f3", "shift+f3")
        assert pane.cursor == found[1]
        await bench.press("escape")
        assert pane.search.marked is None


@pytest.mark.full
async def test_the_console_is_searched_and_brings_its_lines_into_sight(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        output = bench.session.output
        for number in range(300):
            output.add("console", f"line {number}")
        bench.screen.console.output_changed()
        await bench.press_and_wait("5")
        await bench.until(lambda: "line 299" in shown_text(bench.screen.console))
        await accept(bench, "line 20")  # 20, and 200 to 209
        await bench.until(lambda: "line 20" in shown_text(bench.screen.console))
        assert "of 11" in bench.status
        await bench.press("shift+f3")
        assert "of 11" in bench.status
        await bench.press("escape", "escape")
        assert bench.screen.console.results.search.marked is None


@pytest.mark.full
async def test_what_was_searched_in_one_pane_goes_on_in_another(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        bench.app.set_key_map("vim")
        bench.session.output.add("console", "a parcel came")
        bench.screen.console.output_changed()
        await accept(bench, "parcel")
        line = bench.screen.source.cursor_line
        await bench.press("n")
        assert bench.screen.source.cursor_line != line
        await bench.press_and_wait("alt+5", "n")
        assert "line 1 · match 1 of 1 · n next, N back" in bench.status


@pytest.mark.full
async def test_a_step_key_is_a_step_key_after_a_search(tmp_path: Path) -> None:
    """In the maps in which n steps it does so after a search, too; F3 goes on."""
    async with debugger(tmp_path) as bench:
        await accept(bench, "parcel")
        await bench.go("n")
        assert bench.screen.source.search.marked is not None


async def test_the_terminal_is_searched_in_the_console(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        bench.session.output.add("console", "a parcel came")
        bench.screen.console.output_changed()
        await bench.press_and_wait("0")
        await accept(bench, "parcel c")
        assert bench.screen.focused is bench.screen.console.results
        assert "match 1 of 1" in bench.status


async def test_a_value_that_is_read_is_searched_alike(tmp_path: Path) -> None:
    from tuidbg.session.core.values.types import FullText

    text = "\n".join(f"row {number}" for number in range(100))

    async def fetch(how: str) -> FullText:
        return FullText(text, len(text))

    async with debugger(tmp_path) as bench:
        bench.app.set_key_map("vim")
        dialog = PagerDialog("value", "str", fetch, lambda copied: None)
        bench.app.push_screen(dialog)
        await bench.until(lambda: dialog.is_mounted and dialog.view.line_count == 100)
        await bench.press("slash")
        await bench.press(*"row 5", "escape")
        assert (dialog.view.cursor_line, dialog.view.search.marked) == (1, None)
        await bench.press("slash")
        await bench.press(*"row 5", "enter")
        await bench.press("n")
        assert dialog.view.cursor_line == 51
        await bench.press("N")
        assert dialog.view.cursor_line == 6
        await bench.press("1", "2", "j")  # the map's own keys move about in what is read
        assert dialog.view.cursor_line == 18
        await bench.press("G", "g", "g")
        assert dialog.view.cursor_line == 1
