"""The command palette: keys that come faster than a search takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from tests.support.screens import counting, debugger, screen_rows, send_keys
from tuidbg.tui.frame import palette
from tuidbg.tui.frame.palette import CommandsPalette, CommandsProvider


async def test_many_keys_at_once_are_one_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a terminal without bracketed paste sends them; Enter selects what was searched last."""
    searched: list[str] = []
    search = CommandsProvider.search

    def note(self: CommandsProvider, query: str) -> object:
        searched.append(query)
        return search(self, query)

    monkeypatch.setattr(CommandsProvider, "search", note)
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        send_keys(bench.app, "ctrl+p")
        await bench.until(lambda: isinstance(bench.app.screen, CommandsPalette))
        monkeypatch.setattr(palette, "QUIET", 0.3)
        text = "step over " * 30
        send_keys(bench.app, *["space" if key == " " else key for key in text])
        await bench.until(lambda: bench.app.screen.query_one(Input).value == text)
        await bench.until(lambda: bool(searched))
        assert searched == [text.strip()]
        bench.app.screen.query_one(Input).value = ""
        searched.clear()
        monkeypatch.setattr(palette, "QUIET", 600.0)
        send_keys(bench.app, *"Quit", "enter")
        await bench.until(lambda: searched == ["Quit"], "Enter does not wait for the timer")
        await bench.until(
            lambda: not bench.app.is_running or "Quit" in "".join(screen_rows(bench.app))
        )
