"""Frames that debugpy leaves out of the stack, on the debugger's screen: announced, and shown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.screens import shown_rows, shown_text
from tests.tui.real_bench import RealDebugger, real_debugger
from tuidbg.session.core.execution import Resume
from tuidbg.tui.features.autopsy.dialog import AutopsyDialog

pytestmark = pytest.mark.real

LIBRARY = """\
def call(function):
    kept = "by the library"
    return inner(function)
def inner(function):
    return function()
"""

PROGRAM = """\
import lib
def mine():
    x = 1  #: here
    return x
lib.call(mine)
lib.call(mine)
"""

SHORT = [
    "▶ mine  program.py:3",
    "  ▸ 2 frames of libraries · J shows them",
    "  <module>  program.py:5",
]
OPEN = [
    "▶ mine  program.py:3",
    "  ▾ 2 frames of libraries",
    "    inner  lib.py:5",
    "    call  lib.py:3",
    "  <module>  program.py:5",
]


@asynccontextmanager
async def in_library(folder: Path, program: str = PROGRAM) -> AsyncIterator[RealDebugger]:
    """The app at a line of its own that a library has called."""
    library = folder / "site-packages" / "lib.py"
    library.parent.mkdir()
    library.write_text(LIBRARY, encoding="utf-8")
    env = {"PYTHONPATH": str(library.parent)}
    async with real_debugger(folder, program, env=env) as bench:
        yield bench


def stack(bench: RealDebugger) -> list[str]:
    return [row for row in shown_rows(bench.screen.stack) if row]


@pytest.mark.full
async def test_a_row_says_that_frames_are_left_out_and_enter_shows_them(tmp_path: Path) -> None:
    async with in_library(tmp_path) as bench:
        assert stack(bench) == SHORT
        await bench.press("3", "home", "down", "enter")
        await bench.until(lambda: stack(bench) == OPEN, "the frames of the library")
        assert bench.session.sources.just_my_code
        await bench.press("down", "down", "enter")
        await bench.until(lambda: "kept = 'by the library'" in "\n".join(bench.rows()))
        assert stack(bench)[:4] == ["▶ mine  program.py:3", *OPEN[1:3], "  ▷ call  lib.py:3"]
        assert "lib.py" in shown_text(bench.screen.source_title)


async def test_the_stack_that_is_copied_says_so_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    async with in_library(tmp_path) as bench:
        await bench.press("3", "y")
        await bench.until(lambda: "the stack is copied" in bench.status)
        first, *middle, last = bench.app.clipboard.splitlines()[1:]
        assert first.startswith("#0 mine") and last.startswith("#1 <module>")
        assert middle == ["... 2 frames of libraries"]


async def test_a_step_leaves_them_out_again(tmp_path: Path) -> None:
    async with in_library(tmp_path) as bench:
        await bench.press("3", "home", "down", "right")
        await bench.until(lambda: stack(bench) == OPEN, "the frames of the library")
        assert bench.screen.view.frame == bench.screen.view.top_frame
        await bench.under_test.go(Resume.STEP_OVER)
        await bench.until(lambda: stack(bench)[0] == "▶ mine  program.py:4")
        assert stack(bench)[1:2] == SHORT[1:2]


async def test_j_shows_them_at_once_and_leaves_them_out_again(tmp_path: Path) -> None:
    async with in_library(tmp_path) as bench:
        await bench.press("J")
        await bench.until(lambda: stack(bench) == OPEN, "the frames of the library")
        await bench.press("J")
        await bench.until(lambda: stack(bench) == SHORT, "the stack without them")


@pytest.mark.full
async def test_brackets_pass_over_them(tmp_path: Path) -> None:
    async with in_library(tmp_path) as bench:
        await bench.press("[")
        await bench.until(lambda: stack(bench)[2] == "▷ <module>  program.py:5")


@pytest.mark.full
async def test_a_thread_that_is_all_in_libraries_is_shown(tmp_path: Path) -> None:
    program = (
        "import threading\nwaits = threading.Event()\n"
        "thread = threading.Thread(target=waits.wait, daemon=True)\nthread.start()\n"
        "x = 1  #: here\nwaits.set()\n"
    )
    async with in_library(tmp_path, program) as bench:
        (other,) = (t for t in bench.session.threads if t.name != "MainThread")
        await bench.screen.view.select_thread(other.id)
        await bench.until(lambda: any("frames of libraries" in row for row in stack(bench)))
        assert any("threading.py" in row and ("▶" in row or "▷" in row) for row in stack(bench))


async def test_the_autopsy_leads_to_a_frame_that_is_left_out(tmp_path: Path) -> None:
    program = "import lib\nx = 1  #: here\nlib.call(lambda: 1 / 0)\n"
    async with in_library(tmp_path, program) as bench:
        await bench.go("c")
        await bench.press("e")
        await bench.until(lambda: isinstance(bench.app.screen, AutopsyDialog))
        dialog = bench.app.screen
        assert isinstance(dialog, AutopsyDialog)
        await bench.until(
            lambda: dialog.query("#parts") and dialog.parts.move_cursor_to(("library", 1))
        )
        await bench.press("enter")
        await bench.until(lambda: any("inner" in row for row in shown_rows(dialog.parts)))
        await bench.press("down", "down", "enter")
        await bench.until(lambda: "kept = 'by the library'" in "\n".join(bench.rows()))
        assert any(row.startswith("▷ call") for row in stack(bench))
