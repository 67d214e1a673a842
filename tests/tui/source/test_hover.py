"""The value of one name in the source: by key, by mouse, never by a call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests.support.fakes import Script
from tests.support.recording import frame, program
from tests.support.screens import Debugger, counting, debugger
from tuidbg.tui.panes.source.source_lines import gutter_width

SOURCE = """\
def bake(tray, heat):
    result = mix(tray.size, heat)  # heat is hot
    text = "heat"
    return result
bake(1, 2)
"""


def script(folder: Path, **more: Any) -> Script:
    path = folder / "bake.py"
    path.write_text(SOURCE)
    top = frame("bake", str(path), 2, tray=[1, 2], heat=180)
    return Script(program([{"frames": [top, frame("main", str(path), 5)]}]), **more)


def asked(bench: Debugger) -> list[object]:
    return [a["expression"] for a in bench.under_test.sent("evaluate")]


async def point(bench: Debugger, line: int, text: str) -> None:
    """Move the mouse over a text of a line, and wait until it has rested there."""
    source = bench.screen.source
    raw = SOURCE.splitlines()[line - 1]
    x = gutter_width(source.line_count) + cell_len(raw[: raw.index(text)])
    await bench.pilot.hover(source, offset=(x, line - 1 - source.scroll_offset.y))


async def test_i_goes_from_name_to_name(tmp_path: Path) -> None:
    async with debugger(tmp_path, script(tmp_path)) as bench:
        said = []
        for _ in range(6):
            await bench.press_and_wait("i")
            pointed = bench.screen.source.names.pointed
            assert pointed is not None
            said.append((pointed.expression, bench.status.partition("paused")[2].strip()))
        names, texts = zip(*said, strict=True)
        assert names == ("result", "mix", "tray", "tray.size", "heat", "result")
        assert texts[2] == "tray: list = [1, 2]"
        assert texts[4] == "heat: int = 180"
        assert "NameError" in texts[0]
        assert asked(bench) == ["result", "mix", "tray.size", "result"], "known ones: not asked"
        contexts = {a["context"] for a in bench.under_test.sent("evaluate")}
        assert contexts == {"hover"}


async def test_a_line_without_names_says_so(tmp_path: Path) -> None:
    async with debugger(tmp_path, script(tmp_path)) as bench:
        await bench.press_and_wait("i")
        bench.screen.source.move_cursor(3)
        await bench.press_and_wait("i", "i")
        pointed = bench.screen.source.names.pointed
        assert pointed is not None and pointed.expression == "text", "the string is none"
        assert asked(bench)[-1] == "text"


async def test_the_mouse_rests_on_a_name(tmp_path: Path) -> None:
    async with debugger(tmp_path, script(tmp_path)) as bench:
        await point(bench, 2, "heat")
        await bench.until(lambda: "heat: int = 180" in bench.status, "the value")
        await point(bench, 2, "size")
        await bench.until(lambda: "tray.size" in asked(bench), "the chain was looked up")
        before = asked(bench)
        await point(bench, 2, "# heat")
        await point(bench, 2, "(")
        await bench.pilot.pause(0.5)
        assert asked(bench) == before, "neither comments nor calls"


@pytest.mark.full
async def test_the_mark_goes_with_the_next_stop_and_i_types_elsewhere(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.press_and_wait("i")
        assert bench.screen.source.names.pointed is not None
        await bench.go("n")
        assert bench.screen.source.names.pointed is None
        await bench.press_and_wait("2", "i")
        assert bench.screen.focused_pane == "console"


async def test_while_it_runs_i_types_to_the_program(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path, 2)) as bench:
        await bench.go("c")
        await bench.press("i")
        assert "the program has ended" in bench.status
        assert not asked(bench)
