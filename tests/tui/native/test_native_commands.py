"""Every command about the program on native ones: none fails, and none speaks of Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.screen import ModalScreen

from tests.support.go import TOUR, go_session
from tests.support.native import needs_cc, needs_delve, needs_lldb
from tests.support.screens import Debugger, screen_rows
from tests.tui.native.native_bench import c_debugger, shown
from tuidbg.session.model.state import Status
from tuidbg.tui.app.keys.commands import COMMANDS

pytestmark = pytest.mark.real

RUNS = {"resume", "step_over", "step_into", "step_out", "run_to_cursor", "step_into_call"}
LEAVES = {"quit", "suspend", "restart", "stop", "serve", "edit_source", "toggle_autorestart"}
OTHERS = {
    "launch": "starts programs of any language",
    "attach": "finds programs of any language",
}


async def walk(bench: Debugger) -> dict[str, str]:
    """Returns what the screen said to each command; dialogs are closed again."""
    said = {}
    for command in COMMANDS:
        is_about_panes = command.group in ("Panes", "Processes", "Programs", "tuidbg")
        if is_about_panes or command.name in RUNS | LEAVES | OTHERS.keys():
            continue
        bench.screen.focus_pane("variables" if command.group == "Values" else "source")
        if command.group == "Values":
            await bench.press("home", "down")
        bench.screen.status.clear_hint()
        bench.screen.action_command(command.name)
        await bench.until(lambda: bench._is_settled or _is_asked(bench), command.name)
        await bench.pilot.pause()
        rows = screen_rows(bench.app)
        if _is_asked(bench):
            said[command.name] = "\n".join(rows)
            await bench.press("escape")
            await bench.until(lambda: not _is_asked(bench), command.name)
        else:
            said[command.name] = bench.status
        assert bench.session.status is Status.PAUSED, command.name
    return said


def _is_asked(bench: Debugger) -> bool:
    return isinstance(bench.app.screen, ModalScreen)


def check(said: dict[str, str], console: str) -> None:
    for name, text in said.items():
        assert "Python" not in text and "internal error" not in text, (name, text)
    assert "internal error" not in console and "Traceback" not in console
    assert "asyncio" in said["show_tasks"] or "no tasks" in said["show_tasks"]
    assert "can't show tables" in said["open_table"]
    assert "whose source is known" in said["toggle_just_my_code"]
    assert "its own way" in said["display_variable"] or "hexadecimal" in said["display_variable"]


@needs_lldb
@needs_cc
async def test_on_c(tmp_path: Path) -> None:
    async with c_debugger(tmp_path) as bench:
        await bench.go("n")
        said = await walk(bench)
        check(said, bench.under_test.console)
        assert "symbols" in said["show_modules"] and "cells" in said["show_modules"]


@pytest.mark.full
@needs_delve
async def test_on_go(tmp_path: Path) -> None:
    async with go_session(tmp_path, TOUR) as under_test, shown(under_test) as bench:
        await bench.go("n")
        said = await walk(bench)
        check(said, bench.under_test.console)
        assert "dlv does not show the program's memory" in said["show_memory"]
        assert "this adapter knows no modules" in said["show_modules"]


@pytest.mark.full
@needs_delve
@pytest.mark.parametrize("size", [(140, 40), (60, 15)])
async def test_go_stands_in_its_machine_code(size: tuple[int, int], tmp_path: Path) -> None:
    async with go_session(tmp_path, TOUR) as under_test, shown(under_test, size) as bench:
        await bench.press_and_wait("alt+d")
        address = bench.session.frames[0].address
        rows = screen_rows(bench.app)
        assert any(f"{address:x} ▶" in row for row in rows)
        await bench.go("n")
        now = bench.session.frames[0].address
        assert now != address and any(f"{now:x} ▶" in row for row in screen_rows(bench.app))
