"""The list of debug adapters in the palette."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.screens import debugger, screen_rows
from tests.tui.dialog_bench import SIZES, bench
from tuidbg.adapters.discovery.listing import ListedAdapter
from tuidbg.tui.features.sessions.adapters_dialog import AdaptersDialog

FOUND = [
    ListedAdapter(
        name="debugpy", language="Python", files=("*.py",), where="/x/debugpy", version="1.8"
    ),
    ListedAdapter(
        name="dlv",
        language="Go",
        files=("*.go",),
        problem="dlv is not installed; `sudo apt install delve` brings it",
        install="sudo apt install delve",
    ),
    ListedAdapter(name="lua[red]", language="Lua", files=(), where="127.0.0.1:4711", own=True),
]


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
async def test_what_is_there_and_what_brings_the_others(size: tuple[int, int]) -> None:
    async with bench(AdaptersDialog("debugpy", lambda: FOUND), size) as (app, pilot):
        await app.workers.wait_for_complete()
        await pilot.pause()
        said = "\n".join(screen_rows(app))
        assert "debugpy 1.8  Python, *.py  this session's" in said and "/x/debugpy" in said
        assert "dlv  Go, *.go" in said and "`sudo apt install delve`" in said
        assert "lua[red]  Lua  yours" in said
        await pilot.press("escape")
        await pilot.pause()
        assert app.answer is None


@pytest.mark.real
async def test_its_command_shows_it(tmp_path: Path) -> None:
    async with debugger(tmp_path) as d:
        d.screen.action_command("show_adapters")
        await d.pilot.pause()
        await d.until(lambda: "debugpy 1." in "\n".join(screen_rows(d.app)))
