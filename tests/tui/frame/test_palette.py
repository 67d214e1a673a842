"""The command palette: what it lists, and keys that come faster than a search takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input, Static

from tests.support.screens import SIZES, Debugger, counting, debugger, screen_rows, send_keys
from tuidbg.tui.app import palette
from tuidbg.tui.app.keys.commands import COMMANDS
from tuidbg.tui.app.palette import CommandsPalette, CommandsPane


def dialog(bench: Debugger) -> CommandsPalette:
    assert isinstance(bench.app.screen, CommandsPalette)
    return bench.app.screen


def rows(bench: Debugger) -> list[list[str]]:
    listed = dialog(bench).query_one(CommandsPane).rows
    return [[text.strip() for text, _ in row.pieces if text.strip()] for row in listed]


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
async def test_each_command_has_one_row_with_its_keys(
    size: tuple[int, int], tmp_path: Path
) -> None:
    async with debugger(tmp_path, counting(tmp_path), size=size) as bench:
        await bench.press("ctrl+p")
        listed = rows(bench)
        assert len(listed) == sum(command.palette for command in COMMANDS)
        assert [row[0] for row in listed if row[0].endswith("…")] == []
        assert [(row[0], row[-1]) for row in listed[:2]] == [
            ("Continue", "c, F5"),
            ("Step over", "n, F10"),
        ]
        pane = dialog(bench).query_one(CommandsPane)
        pane.move_cursor_to("pause")
        await bench.pilot.pause()
        why = dialog(bench).query_one("#why", Static)
        assert str(why.render()) == "Not now: the program is paused already"
        pane.move_cursor_to("help")
        await bench.pilot.pause()
        assert str(why.render()) == ""
        if size == SIZES["wide"]:
            await bench.click(dialog(bench), 0, 0)  # beside it
        else:
            await bench.press("escape")
        assert bench.app.screen is bench.screen


async def test_many_keys_at_once_are_one_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a terminal without bracketed paste sends them; Enter selects what was searched last."""
    searched: list[str] = []
    find = CommandsPalette.find

    def note(self: CommandsPalette, text: str) -> object:
        searched.append(text)
        return find(self, text)

    async with debugger(tmp_path, counting(tmp_path)) as bench:
        send_keys(bench.app, "ctrl+p")
        await bench.until(lambda: isinstance(bench.app.screen, CommandsPalette))
        await bench.pilot.pause()
        monkeypatch.setattr(CommandsPalette, "find", note)
        monkeypatch.setattr(palette, "QUIET", 0.3)
        text = "step over " * 30
        send_keys(bench.app, *["space" if key == " " else key for key in text])
        await bench.until(lambda: bench.app.screen.query_one(Input).value == text)
        await bench.until(lambda: bool(searched))
        assert searched == [text]
        bench.app.screen.query_one(Input).value = ""
        searched.clear()
        monkeypatch.setattr(palette, "QUIET", 600.0)
        send_keys(bench.app, *"Quit", "enter")
        await bench.until(lambda: searched == ["Quit"], "Enter does not wait for the timer")
        await bench.until(
            lambda: not bench.app.is_running or "Quit" in "".join(screen_rows(bench.app))
        )
