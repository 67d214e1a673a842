"""The panes of the debugger's screen: focus, tabs, sizes, maximising, by keys and by mouse."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from textual.geometry import Region

from tests.support.screens import Debugger, debugger, screen_rows, shown_text
from tuidbg.tui.app.keys.commands import DEFAULT_MAP
from tuidbg.tui.panes.layout_memory import take_layout
from tuidbg.tui.toolkit.widgets.pane_titles import BOTTOM, PANES, keys_of_panes

WIDE, NARROW, SMALL = (140, 40), (80, 24), (60, 15)
KEYS = {key: pane for pane, key in keys_of_panes(DEFAULT_MAP).items() if key}
AT_FIRST = PANES[:5]
"""All but those that are made when somebody wants to see them."""


def region(bench: Debugger, pane: str) -> Region:
    return bench.screen.body.panes[pane].region


def shown(bench: Debugger) -> set[str]:
    return {name for name, pane in bench.screen.body.panes.items() if pane.display}


# Focus


@pytest.mark.full
@pytest.mark.parametrize("size", [WIDE, NARROW, SMALL])
async def test_each_number_reaches_its_pane(size: tuple[int, int], tmp_path: Path) -> None:
    async with debugger(tmp_path, size=size) as bench:
        there = list(KEYS.items())
        for key, pane in [*there, *reversed(there[:-1])]:  # the last one twice goes back again
            await bench.press(key)
            assert bench.screen.focused_pane == pane
            assert bench.screen.focused is not None and bench.screen.focused.display
            assert region(bench, pane).height >= 3
            assert region(bench, pane).width >= 20


@pytest.mark.full
@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_tab_goes_round_and_back(size: tuple[int, int], tmp_path: Path) -> None:
    async with debugger(tmp_path, size=size) as bench:
        seen = []
        for _ in range(6):
            seen.append(bench.screen.focused_pane)
            await bench.press("tab")
        assert seen == [*AT_FIRST, "source"]
        await bench.press("shift+tab", "shift+tab", "shift+tab")
        assert bench.screen.focused_pane == "breakpoints"


@pytest.mark.full
async def test_the_focus_shows_in_the_title(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        for key, pane in KEYS.items():
            await bench.press(key)
            marked = [
                name for name, title in bench.screen.body.titles.items() if "▌" in shown_text(title)
            ]
            assert marked == ["console" if pane in BOTTOM else pane]
    async with debugger(tmp_path, size=SMALL) as bench:
        await bench.press("3")
        assert "▌3 Stack" in shown_text(bench.screen.body.tabs)
        await bench.press("1")
        assert "▌" not in shown_text(bench.screen.body.tabs)


@pytest.mark.full
async def test_a_click_into_a_pane_gives_it_the_focus(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        for pane in ("variables", "breakpoints", "stack", "source"):
            await bench.click(bench.screen.body.panes[pane], 20, 6)
            assert bench.screen.focused_pane == pane
        await bench.click(bench.screen.body.titles["console"], 4, 0)
        assert bench.screen.focused_pane == "console"


@pytest.mark.full
async def test_clicks_that_mean_nothing_leave_the_focus(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("2")
        await bench.click(bench.screen.status, 30, 0)
        await bench.click(bench.screen.keys, 138, 0)
        assert bench.screen.focused_pane == "variables"
        await bench.press("down")
        assert bench.screen.variables.cursor == 1


# Tabs


@pytest.mark.sampled
@pytest.mark.parametrize("size", [NARROW, SMALL])
async def test_a_click_on_a_tab_shows_its_pane(size: tuple[int, int], tmp_path: Path) -> None:
    async with debugger(tmp_path, size=size) as bench:
        for pane, word in (("console", "Console"), ("stack", "Stack"), ("variables", "Variables")):
            tabs = bench.screen.body.tabs
            await bench.click(tabs, shown_text(tabs).index(word), 0)
            assert shown(bench) == {"source", pane}
            assert bench.screen.focused_pane == pane


@pytest.mark.full
async def test_the_tab_stays_when_the_source_has_the_focus(tmp_path: Path) -> None:
    async with debugger(tmp_path, size=NARROW) as bench:
        await bench.press("4", "1")
        assert shown(bench) == {"source", "breakpoints"}


@pytest.mark.full
@pytest.mark.parametrize("by_mouse", [False, True])
async def test_a_smaller_screen_keeps_the_pane_with_the_focus(
    by_mouse: bool, tmp_path: Path
) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("2")
        if by_mouse:
            await bench.click(bench.screen.stack, 20, 6)
        else:
            await bench.press("3")
        await bench.pilot.resize_terminal(*NARROW)
        await bench.pilot.pause()
        assert shown(bench) == {"source", "stack"}
        assert bench.screen.focused_pane == "stack"
        await bench.pilot.resize_terminal(*WIDE)
        await bench.pilot.pause()
        assert shown(bench) == set(AT_FIRST)
        assert bench.screen.focused_pane == "stack"


@pytest.mark.full
async def test_every_size_can_be_come_to_and_gone_from(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        for size in (SMALL, (20, 6), WIDE, (400, 120), NARROW, (1, 1), WIDE):
            await bench.pilot.resize_terminal(*size)
            await bench.pilot.pause()
            assert [len(row) for row in screen_rows(bench.app)] == [size[0]] * size[1]
        assert shown(bench) == set(AT_FIRST)


# Maximising


@pytest.mark.full
@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_any_pane_can_be_maximised_and_back(size: tuple[int, int], tmp_path: Path) -> None:
    async with debugger(tmp_path, size=size) as bench:
        for key, pane in KEYS.items():
            await bench.press(key, "z")
            assert shown(bench) == {pane}
            assert region(bench, pane).size == (size[0], size[1] - 3)
            await bench.press("z")
            assert len(shown(bench)) > 1
            assert bench.screen.focused_pane == pane


@pytest.mark.full
async def test_escape_and_another_pane_end_it(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("2", "z", "escape")
        assert shown(bench) == set(AT_FIRST)
        await bench.press("z", "3")
        assert shown(bench) == {"stack"}
        await bench.press("z", "1", "z", "4")
        assert shown(bench) == set(AT_FIRST)


@pytest.mark.full
async def test_a_double_click_on_a_title_maximises_its_pane(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.click(bench.screen.body.titles["stack"], 5, 0, times=2)
        assert shown(bench) == {"stack"}
        await bench.click(bench.screen.body.titles["stack"], 5, 0, times=2)
        assert shown(bench) == set(AT_FIRST)


@pytest.mark.full
async def test_the_program_goes_on_while_a_pane_is_maximised(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("2", "z")
        await bench.go("n")
        assert shown(bench) == {"variables"}
        await bench.press("z")
        assert "▶" in bench.source_row


# Sizes


@pytest.mark.full
async def test_keys_change_the_sizes_and_the_app_remembers(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        before = region(bench, "variables")
        await bench.press("2", ">")
        assert region(bench, "variables").width == before.width + 4
        await bench.press("+", "+")
        assert region(bench, "variables").height == before.height + 4
        await bench.press("<", "-", "-")
        assert region(bench, "variables") == before
        await bench.press("<")
        assert bench.app.remembered.sizes["side"] == pytest.approx(45 / 140, abs=0.01)


async def test_what_was_typed_for_a_closed_line_changes_no_size_of_the_next_run(
    tmp_path: Path,
) -> None:
    """``1 + 2`` has a key that makes the pane taller."""
    async with debugger(tmp_path) as bench:
        body, sizes = bench.screen.body, bench.screen.body.sizes
        await bench.press("1", "space", "+", "+", "space", "2")
        assert body.sizes != sizes and body.lasting_sizes == sizes
        assert take_layout(bench.screen).sizes == msgspec.structs.asdict(sizes)
        assert bench.app.remembered.sizes == msgspec.structs.asdict(sizes)
        await bench.press("2", "+", "down")
        assert body.lasting_sizes == body.sizes, "that was meant"
        assert bench.app.remembered.sizes == msgspec.structs.asdict(body.sizes)


async def test_where_there_is_nothing_beside_it_the_keys_say_so(tmp_path: Path) -> None:
    async with debugger(tmp_path, size=NARROW) as bench:
        sizes = bench.screen.body.sizes
        await bench.press("2", ">")
        assert "as wide as the screen" in bench.status
        await bench.press("<")
        assert bench.screen.body.sizes == sizes
        await bench.press("z", "+")
        assert "z shows the others" in bench.status
        assert bench.screen.body.sizes == sizes
        await bench.press("z", "+")
        assert bench.screen.body.sizes != sizes


@pytest.mark.full
async def test_the_divider_is_dragged(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        x = bench.screen.body.divider.region.x
        await bench.drag((x, 10), (x - 5, 10), (70, 12))
        assert bench.screen.body.divider.region.x == 70
        assert region(bench, "source").right == 70
        assert bench.app.mouse_captured is None


@pytest.mark.sampled
@pytest.mark.parametrize("pane", ["console", "stack", "breakpoints"])
async def test_titles_are_dragged(pane: str, tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        title = bench.screen.body.titles[pane].region
        focused = bench.screen.focused
        await bench.drag((title.x + 5, title.y), (title.x + 5, title.y - 1), (title.x, title.y - 4))
        assert bench.screen.body.titles[pane].region.y == title.y - 4
        assert bench.app.mouse_captured is None
        assert bench.screen.focused is focused


@pytest.mark.full
@pytest.mark.parametrize(
    ("width", "row"),
    [
        (80, " 2 Vars  3 Stack 1  4 Breaks  5 Console  6 Trace  7 Activity  9 Log  0 Term"),
        (60, " 2 Vars  3 Stk  4 Brk  5 Con  6 Trace  7 Act  9 Log  0 Term"),
    ],
)
async def test_many_tabs_have_short_names(width: int, row: str, tmp_path: Path) -> None:
    async with debugger(tmp_path, size=(width, 24)) as bench:
        bench.screen.body.list_panes("activity", "log", "terminal")
        await bench.until(lambda: shown_text(bench.screen.body.tabs) == row, row)


async def test_the_tabs_are_dragged(tmp_path: Path) -> None:
    async with debugger(tmp_path, size=NARROW) as bench:
        y = bench.screen.body.tabs.region.y
        await bench.drag((70, y), (70, y - 3))
        assert bench.screen.body.tabs.region.y == y - 3
        assert bench.app.mouse_captured is None


@pytest.mark.full
async def test_titles_at_the_top_are_no_handles(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        sizes = bench.screen.body.sizes
        await bench.drag((10, 0), (10, 9))
        x = bench.screen.variables.region.x
        await bench.drag((x + 5, 0), (x + 5, 9))
        assert bench.screen.body.sizes == sizes
        await bench.pilot.resize_terminal(*NARROW)
        await bench.drag((10, 0), (10, 5))
        assert bench.screen.body.sizes == sizes


@pytest.mark.full
async def test_the_programs_terminal_is_as_large_as_the_console(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with debugger(tmp_path) as bench:
        asked: list[tuple[int, int]] = []
        resize = bench.session.terminal_io.resize

        def resized(columns: int, rows: int) -> None:
            asked.append((columns, rows))
            resize(columns, rows)

        monkeypatch.setattr(bench.session.terminal_io, "resize", resized)
        width, height = region(bench, "console").size
        assert bench.session.terminal_io.size == (width - 3, height - 1)
        await bench.press("5", "+")
        await bench.until(lambda: asked)
        assert asked == [(width - 3, height + 1)]
        await bench.press("2")
        await bench.pilot.resize_terminal(*NARROW)
        # Nobody sees the console now: only the width can be told.
        await bench.until(lambda: asked[-1] == (77, height + 1))
        await bench.press("3", "1", "4")
        assert asked[-1] == (77, height + 1)
        await bench.press("5")
        await bench.until(lambda: asked[-1] == (77, region(bench, "console").height - 1))


# The titles


@pytest.mark.full
async def test_a_long_path_leaves_room_for_what_is_to_be_said(tmp_path: Path) -> None:
    async with debugger(tmp_path, size=SMALL) as bench:
        title = bench.screen.source_title
        title.label = "a/very/long/path/" * 10 + "end.py"
        title.hint, title.hint_is_warning = "no code at line 7; Enter moves it to 8", True
        await bench.pilot.pause()
        row = shown_text(title)
        assert "end.py" in row
        assert row.endswith("no code at line 7; Enter moves it to 8")
        title.hint = "x" * 100
        await bench.pilot.pause()
        assert "end.py" in shown_text(title) and shown_text(title).endswith("…")
