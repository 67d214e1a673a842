"""Breakpoints on the debugger's screen: keys, gutter, dialog, list, and what others change."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Checkbox, Input

from tests.support.fakes import Script, lines_of
from tests.support.screens import Debugger, counting, debugger, parcels, shown_rows, shown_text
from tuidbg.session.model.state import BreakpointStatus, Status
from tuidbg.tui.panes.breakpoints.breakpoint_dialog import BreakpointDialog

CODE = 20
"""A line of the post office that can break."""
NO_CODE = 24
"""One that can't; the nearest that can is 23."""


def asked(bench: Debugger) -> list[int]:
    """The lines of the list that the adapter got last."""
    return lines_of(bench.fake.arguments_of("setBreakpoints")[-1]["breakpoints"])


async def go_to(bench: Debugger, line: int) -> None:
    bench.screen.source.move_cursor(line)
    await bench.pilot.pause()


async def gutter_click(bench: Debugger, line: int, button: int = 1) -> None:
    source = bench.screen.source
    await bench.click(source, 1, line - 1 - source.scroll_offset.y, button=button)
    await bench.settled()


@pytest.mark.full
async def test_a_key_sets_and_deletes_it_at_the_cursor(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await go_to(bench, CODE)
        await bench.press_and_wait("b")
        assert bench.gutter(CODE) == "●"
        assert shown_rows(bench.screen.breakpoints)[0] == f" ● 1 parcels.py:{CODE}"
        assert asked(bench) == [CODE]
        await bench.press_and_wait("f9")
        assert bench.gutter(CODE) == " "
        assert "No breakpoints" in shown_text(bench.screen.breakpoints)
        assert asked(bench) == []


@pytest.mark.full
async def test_two_quick_presses_are_two_toggles(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await go_to(bench, CODE)
        await bench.press_and_wait("b", "b")
        assert list(bench.session.breakpoints.registry) == []
        await bench.press_and_wait("b", "b", "b")
        assert len(bench.session.breakpoints.registry) == 1


@pytest.mark.full
async def test_a_click_in_the_gutter_toggles_and_leaves_the_cursor(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await gutter_click(bench, CODE)
        assert bench.gutter(CODE) == "●"
        assert bench.screen.source.cursor_line == 1
        await gutter_click(bench, CODE)
        assert bench.gutter(CODE) == " "


@pytest.mark.full
async def test_before_the_program_runs_it_is_pending(tmp_path: Path) -> None:
    async with debugger(tmp_path, start=False) as bench:
        await go_to(bench, CODE)
        await bench.press("b")
        await bench.until(lambda: bench.gutter(CODE) == "○")
        await bench.under_test.start()
        await bench.settled()
        assert bench.gutter(CODE) == "●"


async def test_a_right_click_opens_the_dialog(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await gutter_click(bench, CODE, button=3)
        assert isinstance(bench.app.screen, BreakpointDialog)
        await bench.type_text("paid > 3")
        await bench.press_and_wait("enter")
        assert bench.gutter(CODE) == "◆"
        assert bench.fake.arguments_of("setBreakpoints")[-1]["breakpoints"] == [
            {"line": CODE, "condition": "paid > 3"}
        ]


@pytest.mark.full
async def test_the_dialog_changes_turns_off_and_deletes(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await go_to(bench, CODE)
        await bench.press_and_wait("B", *"paid", "enter")
        await bench.press_and_wait("B", *" > 1", "enter")
        (found,) = bench.session.breakpoints.registry
        assert (found.number, found.condition) == (1, "paid > 1")
        await bench.press("B")
        bench.app.screen.query_one("#enabled", Checkbox).value = False
        await bench.press_and_wait("ctrl+s")
        assert bench.gutter(CODE) == "◌"
        await bench.press("B")
        await bench.pilot.click("#delete")
        await bench.settled()
        assert list(bench.session.breakpoints.registry) == []


@pytest.mark.full
async def test_the_dialog_refuses_what_does_not_compile(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await go_to(bench, CODE)
        await bench.press("B", *"paid >", "enter")
        assert isinstance(bench.app.screen, BreakpointDialog)
        assert bench.app.screen.query_one("#condition", Input).value == "paid >"
        await bench.press_and_wait("escape")
        assert list(bench.session.breakpoints.registry) == []


@pytest.mark.full
async def test_the_dialog_from_the_list_is_for_the_one_under_its_cursor(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.session.breakpoints.set(str(tmp_path / "parcels.py"), CODE, origin="tui")
        await bench.session.breakpoints.set(str(tmp_path / "parcels.py"), CODE + 1, origin="tui")
        await bench.press_and_wait("4", "down", "B", *"x", "enter")
        conditions = {b.line: b.condition for b in bench.session.breakpoints.registry}
        assert conditions == {CODE: "", CODE + 1: "x"}


# Refused


@pytest.mark.full
async def test_where_it_can_not_break_it_says_why_and_enter_moves_it(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await go_to(bench, NO_CODE)
        await bench.press_and_wait("b")
        why = f"no executable code at line {NO_CODE}; Enter moves it to 23"
        assert bench.gutter(NO_CODE) == "✗"
        assert why in shown_text(bench.screen.source_title)
        assert why in bench.status
        assert why[:20] in shown_text(bench.screen.breakpoints)
        await bench.press_and_wait("enter")
        assert (bench.gutter(NO_CODE), bench.gutter(23)) == (" ", "●")
        assert bench.screen.source.cursor_line == 23
        assert "Enter moves" not in shown_text(bench.screen.source_title)
        assert [b.number for b in bench.session.breakpoints.registry] == [1]


@pytest.mark.full
async def test_enter_in_the_list_moves_it_too(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.session.breakpoints.set(str(tmp_path / "parcels.py"), NO_CODE, origin="tui")
        await bench.press_and_wait("4", "enter")
        assert bench.gutter(23) == "●"


@pytest.mark.full
async def test_enter_elsewhere_in_the_source_does_nothing(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await go_to(bench, CODE)
        await bench.press_and_wait("enter", "b", "enter")
        assert bench.gutter(CODE) == "●"
        assert bench.fake.count("setBreakpoints") == 1


@pytest.mark.full
async def test_the_title_tells_of_the_line_under_the_cursor_only(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await go_to(bench, NO_CODE)
        await bench.press_and_wait("b", "up")
        assert "Enter moves" not in shown_text(bench.screen.source_title)
        await bench.press("down")
        assert "Enter moves" in shown_text(bench.screen.source_title)


@pytest.mark.full
async def test_what_the_adapter_moves_is_refused_too(tmp_path: Path) -> None:
    script = parcels(tmp_path)
    script.quirks["breakpoints"] = "up"
    async with debugger(tmp_path, script) as bench:
        bench.under_test.profile.code_lines.clear()
        bench.session.facts._facts.clear()
        await go_to(bench, NO_CODE)
        await bench.press_and_wait("b")
        assert bench.gutter(NO_CODE) == "✗"
        assert asked(bench) == []
        assert "Enter moves it to 23" in bench.status


# The list


@pytest.mark.full
async def test_space_turns_it_off_and_on(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.session.breakpoints.set(str(tmp_path / "parcels.py"), CODE, origin="tui")
        await bench.press_and_wait("4", "space")
        assert bench.gutter(CODE) == "◌"
        assert asked(bench) == []
        await bench.press_and_wait("space")
        assert bench.gutter(CODE) == "●"
        assert asked(bench) == [CODE]


@pytest.mark.full
async def test_a_deletion_can_be_undone(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        path = str(tmp_path / "parcels.py")
        await bench.session.breakpoints.set(path, CODE, condition="x", origin="tui")
        await bench.session.breakpoints.set(path, 30, origin="tui")
        await bench.press_and_wait("4", "d")
        await bench.press_and_wait("d")
        assert asked(bench) == []
        await bench.press_and_wait("u")
        assert "breakpoint 2 is back at parcels.py:30" in bench.status
        await bench.press_and_wait("u")
        assert "breakpoint 1 is back at parcels.py:20" in bench.status
        assert bench.gutter(CODE) == "◆"
        await bench.press_and_wait("u")
        assert "no breakpoint was deleted" in bench.status


@pytest.mark.full
@pytest.mark.parametrize("then", ["space", "enter", "d", "B"])
async def test_keys_on_one_that_is_just_being_deleted_do_no_harm(then: str, tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.session.breakpoints.set(str(tmp_path / "parcels.py"), CODE, origin="tui")
        await bench.settled()
        await bench.press_and_wait("4", "d", then, "escape")
        assert list(bench.session.breakpoints.registry) == []


@pytest.mark.full
async def test_enter_shows_where_it_is(tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("x = 1\n" * 50)
    async with debugger(tmp_path) as bench:
        await bench.session.breakpoints.set(str(other), 40, origin="tui")
        await bench.press_and_wait("4", "enter")
        assert bench.screen.source.cursor_line == 40
        assert "other.py" in shown_text(bench.screen.source_title)
        assert bench.screen.focused_pane == "breakpoints"


@pytest.mark.full
async def test_one_in_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.session.breakpoints.set(str(tmp_path / "gone.py"), 3, origin="tui")
        await bench.press_and_wait("4", "enter")
        assert "There is no file" in bench.status


@pytest.mark.full
async def test_the_one_that_was_hit_is_marked(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.session.breakpoints.set(str(tmp_path / "parcels.py"), CODE, origin="tui")
        await bench.go("c")
        assert shown_rows(bench.screen.breakpoints)[0].startswith("▶● 1")
        assert "breakpoint 1" in bench.status
        await bench.go("n")
        assert shown_rows(bench.screen.breakpoints)[0].startswith(" ● 1")


# Others


@pytest.mark.full
async def test_what_an_agent_sets_appears_and_moves_nobody(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path, 200)) as bench:
        path = str(tmp_path / "count.py")
        await bench.session.breakpoints.set(path, 100, origin="tui")
        await bench.settled()
        await go_to(bench, 100)
        await bench.press("4")
        before = (
            bench.screen.source.cursor_line,
            bench.screen.source.scroll_offset,
            bench.screen.view.selected,
            bench.screen.breakpoints.cursor_number,
            bench.screen.focused,
        )
        await bench.session.breakpoints.set(path, 99, origin="rest")
        await bench.session.breakpoints.set(path, 101, condition="i", origin="mcp")
        await bench.settled()
        assert (bench.gutter(99), bench.gutter(100), bench.gutter(101)) == ("●", "●", "◆")
        assert [row[:4] for row in shown_rows(bench.screen.breakpoints)[:3]] == [
            " ● 2",
            " ● 1",
            " ◆ 3",
        ]
        assert before == (
            bench.screen.source.cursor_line,
            bench.screen.source.scroll_offset,
            bench.screen.view.selected,
            bench.screen.breakpoints.cursor_number,
            bench.screen.focused,
        )


@pytest.mark.full
async def test_the_dialog_of_one_that_an_agent_deletes_meanwhile(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        found = await bench.session.breakpoints.set(
            str(tmp_path / "parcels.py"), CODE, origin="tui"
        )
        await go_to(bench, CODE)
        await bench.press("B")
        await bench.session.breakpoints.remove(found.number, origin="mcp")
        await bench.pilot.click("#delete")
        await bench.settled()
        assert list(bench.session.breakpoints.registry) == []
        assert bench.session.status is Status.PAUSED


@pytest.mark.full
async def test_an_adapter_that_takes_one_back_is_believed(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.session.breakpoints.set(str(tmp_path / "parcels.py"), CODE, origin="tui")
        body = {"reason": "changed", "breakpoint": {"id": 1, "verified": False, "message": "no"}}
        await bench.fake.send_event("breakpoint", body)
        await bench.until(lambda: bench.gutter(CODE) == "✗")
        (found,) = bench.session.breakpoints.registry
        assert found.status is BreakpointStatus.REFUSED


# Where there is nothing to break in


@pytest.mark.full
@pytest.mark.parametrize("key", ["b", "B", "t"])
async def test_without_a_source_the_keys_say_so(key: str, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.py")
    script = Script({**parcels(tmp_path).program, "moments": [], "code_lines": {missing: [1]}})
    async with debugger(tmp_path, script, start=False) as bench:
        assert "There is no file" in bench.status
        await bench.press(key)
        expected = "Run to the cursor: no program" if key == "t" else "no source is shown"
        assert expected in bench.status
