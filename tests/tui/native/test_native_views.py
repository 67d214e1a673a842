"""Memory and machine code on the screen, of a C program on the real lldb-dap."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.native import PROGRAMS, line_of, needs_cc, needs_lldb
from tests.support.screens import Debugger, shown_rows, shown_text
from tests.tui.native.native_bench import c_debugger
from tuidbg.session.features.native.views import NativeViews
from tuidbg.session.model.state import BreakpointKind, BreakpointStatus
from tuidbg.tui.features.native.disassembly_pane import CodePane, target_of
from tuidbg.tui.features.native.machine_code import MachineCode
from tuidbg.tui.features.native.memory import MemoryPane, ProgramMemory
from tuidbg.tui.toolkit.theme.theme import palette_for

CELLS = PROGRAMS / "cells.c"

pytestmark = [pytest.mark.real, needs_lldb, needs_cc]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Debugger]:
    """The program before it fills its buffer for the first time."""
    async with c_debugger(tmp_path) as bench:
        await bench.session.breakpoints.set(
            str(CELLS), line_of("cells.c", "sum += fill"), origin="tui"
        )
        await bench.go("c")
        yield bench


async def show_code(bench: Debugger) -> CodePane:
    await bench.press_and_wait("alt+d")
    shown = MachineCode.of(bench.screen).shown
    assert shown is not None
    return shown.pane


async def show_memory(bench: Debugger, expression: str) -> MemoryPane:
    await bench.press_and_wait("alt+m")
    await bench.press("g")
    await bench.press(*expression, "enter")
    pane = ProgramMemory.of(bench.screen).shown
    assert pane is not None
    at = await NativeViews.of(bench.session).memory.find(expression, bench.session.frames[0].id)
    await bench.until(lambda: pane.address == at, "the memory was found")
    await bench.settled()
    return pane


def current_row(pane: CodePane) -> str:
    (row,) = (row for row in shown_rows(pane) if "▶" in row)
    return row


def cursor_row(pane: MemoryPane) -> str:
    return shown_rows(pane)[(pane.address - pane.top) // pane.per_row]


# Machine code


@pytest.mark.full
async def test_the_next_instruction_has_a_tint_over_its_whole_row(bench: Debugger) -> None:
    pane = await show_code(bench)
    looks = palette_for(bench.app.current_theme).lines
    tints = {name: looks[name].bgcolor for name in ("current", "cursor")}

    def tinted(name: str) -> list[str]:
        strips = [pane.render_line(y) for y in range(pane.size.height)]
        return [
            strip.text
            for strip in strips
            if all((s.style and s.style.bgcolor == tints[name]) or "▶" in s.text for s in strip)
        ]

    address = bench.session.frames[0].address
    (current,) = tinted("current")
    assert f"{address:x} ▶" in current
    bench.screen.focus_pane("source")
    await bench.press_and_wait("alt+d")
    pane.move_by(2)
    assert [f"{address:x} ▶" in row for row in tinted("current")] == [True]
    await bench.press_and_wait("2")
    assert len(tinted("cursor")) == 1


@pytest.mark.full
async def test_it_stands_between_its_source_and_follows_steps(bench: Debugger) -> None:
    pane = await show_code(bench)
    assert bench.screen.focused is pane and not bench.screen.source.display
    above = shown_text(pane).split("▶")[0]
    assert "sum += fill(buffer, 16 * round, 16);" in above
    assert shown_text(bench.screen.keys).startswith(" Enter show line  g go to  Alt+D source ")
    away = next(n for n, row in enumerate(pane.rows) if target_of(row) is not None) - pane.cursor
    pane.move_by(away)
    assert shown_text(bench.screen.keys).startswith(" Enter follow ")
    pane.move_by(-away)
    address = bench.session.frames[0].address
    assert address is not None and f"{address:x}" in current_row(pane)
    line = bench.session.frames[0].place.line  # type: ignore[union-attr]
    await bench.go("n")
    now = bench.session.frames[0]
    assert now.address != address and now.place.line == line  # type: ignore[union-attr]
    assert f"{now.address:x}" in current_row(pane)
    await bench.press_and_wait("1")
    assert bench.screen.source.display and not pane.display
    await bench.go("n")
    assert bench.session.frames[0].place.line != line


async def test_breakpoints_stand_at_instructions(bench: Debugger) -> None:
    pane = await show_code(bench)
    await bench.press("down", "down", "b")
    registry = bench.session.breakpoints.registry
    await bench.until(lambda: registry.of_kind(BreakpointKind.ADDRESS), "one was set")
    (found,) = registry.of_kind(BreakpointKind.ADDRESS)
    await bench.until(lambda: registry.get(found.number).status is BreakpointStatus.SET)
    await bench.settled()
    (row,) = (row for row in shown_rows(pane) if f"{found.address:x}" in row[:20])
    assert row.startswith("●")
    assert f"@ {found.address:#x}  cells.c:" in shown_text(bench.screen.breakpoints)
    await bench.go("c")
    assert bench.session.frames[0].address == found.address
    y = next(n for n, row in enumerate(shown_rows(pane)) if f"{found.address:x} ▶" in row)
    await bench.click(pane, 0, y)
    await bench.until(lambda: not registry.of_kind(BreakpointKind.ADDRESS), "a click deletes it")


@pytest.mark.full
async def test_it_goes_on_in_both_directions_and_follows_calls(bench: Debugger) -> None:
    pane = await show_code(bench)
    for key in ("pageup", "pagedown"):
        seen = set()
        for _ in range(12):
            await bench.press_and_wait(key)
            seen.update(shown_rows(pane))
        assert len(seen) > 200, key
    await bench.press("g")
    await bench.press(*"fill", "enter")
    await bench.until(lambda: "fill:" in shown_text(pane), "the function is shown")
    await bench.settled()
    await bench.press("backspace")
    await bench.until(lambda: "fill:" not in shown_text(pane), "back again")
    await bench.press_and_wait("full_stop")
    assert "▶" in shown_text(pane)


@pytest.mark.full
async def test_where_there_is_no_source_it_comes_by_itself(tmp_path: Path) -> None:
    async with c_debugger(tmp_path, "chain.c") as bench:
        await bench.go("c")
        own = next(f.index for f in bench.session.frames if f.name == "main")
        bench.screen.view.select_frame(own)
        await bench.settled()
        assert not bench.screen.shows_code and "abort();" in bench.source_row
        await bench.press_and_wait("right_square_bracket")
        assert MachineCode.of(bench.screen).shown is not None and bench.screen.shows_code
        assert bench.screen.focused is MachineCode.of(bench.screen).shown.pane
        assert "▷" in shown_text(MachineCode.of(bench.screen).shown.pane)
        await bench.press_and_wait("left_square_bracket")
        assert not bench.screen.shows_code and bench.screen.focused is bench.screen.source
        assert "abort();" in bench.source_row


@pytest.mark.full
async def test_all_steps_may_go_by_instructions(bench: Debugger) -> None:
    before = bench.session.frames[0]
    await bench.press("alt+g")
    await bench.press("i")
    await bench.until(lambda: "stepping by instruction" in bench.status)
    await bench.go("n")
    now = bench.session.frames[0]
    assert now.place.line == before.place.line and now.address != before.address  # type: ignore[union-attr]
    assert "by instruction" in bench.status


# Memory


async def test_memory_is_followed_from_a_variable_through_a_pointer(bench: Debugger) -> None:
    await bench.press("2")
    variables = bench.screen.variables
    await bench.press("home", *["down"] * 3)
    assert variables.cursor_variable is not None and variables.cursor_variable[1].name == "head"
    await bench.press_and_wait("alt+m")
    pane = ProgramMemory.of(bench.screen).shown
    assert pane is not None and bench.screen.focused is pane
    assert "first" in shown_rows(pane)[1]
    await bench.press_and_wait(*["right"] * 8, "enter")
    last = await NativeViews.of(bench.session).memory.find("&last", bench.session.frames[0].id)
    assert pane.address == last
    await bench.press_and_wait("backspace")
    frame = bench.session.frames[0].id
    assert pane.address == await NativeViews.of(bench.session).memory.find("&first.next", frame)


@pytest.mark.full
async def test_changed_bytes_are_marked(bench: Debugger) -> None:
    pane = await show_memory(bench, "buffer")
    start = pane.address
    await bench.go("n")
    assert pane._changed == set(range(start + 1, start + 16)), "the first one is 0 again"
    assert "00 01 02 03" in shown_rows(pane)[0]
    await bench.go("n")
    assert not pane._changed


async def test_bytes_are_typed_over_and_brought_back(bench: Debugger) -> None:
    pane = await show_memory(bench, "&sum")
    await bench.press("r")
    await bench.press("0", "5", "0", "1", "enter")
    await bench.until(lambda: "2 bytes at" in bench.status, "they are written")
    await bench.settled()
    assert " 05 01 00 00 " in cursor_row(pane)
    assert "sum = 261" in shown_text(bench.screen.variables)
    await bench.press("U")
    await bench.until(lambda: "is as it was before" in bench.status, "they are back")
    await bench.settled()
    assert "sum = 0" in shown_text(bench.screen.variables)
    await bench.press("r", "7", "escape")
    assert not pane.is_typing and " 00 00 00 00 " in cursor_row(pane)


@pytest.mark.full
async def test_what_can_not_be_had_is_said(bench: Debugger) -> None:
    pane = await show_memory(bench, "&sum")
    await bench.press("g")
    await bench.press(*"0x10", "enter")
    await bench.until(lambda: "?? ??" in shown_text(pane), "it can't be read")
    await bench.press("r")
    await bench.until(lambda: "can't even be read" in bench.status)
    await bench.press("g")
    await bench.press(*"nowhere", "enter")
    await bench.until(lambda: "nowhere" in bench.status)
    code = bench.session.frames[0].address
    await bench.press("g")
    await bench.press(*f"{code:#x}", "enter")
    await bench.until(lambda: pane.address == code)
    await bench.settled()
    await bench.press("r", "9", "0", "enter")
    await bench.until(lambda: "can't write to memory" in bench.status)


@pytest.mark.full
@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 15)])
async def test_rows_are_as_long_as_there_is_room(size: tuple[int, int], tmp_path: Path) -> None:
    async with c_debugger(tmp_path, size=size) as bench:
        pane = await show_memory(bench, "buffer")
        rows = shown_rows(pane)
        assert pane.per_row == (16 if size[0] == 140 else 8)
        assert rows[1].split()[0] == f"{pane.top + pane.per_row:x}"
        assert all(len(row) <= size[0] for row in rows) and "…" not in "".join(rows)
