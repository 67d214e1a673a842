"""All that a breakpoint can be, on the debugger's screen: dialogs, groups, muting, the doctor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input, Static

from tests.support.screens import Debugger, debugger, shown_rows, shown_text
from tests.tui.real_bench import real_debugger
from tuidbg.session.features.doctor.doctor import Doctor
from tuidbg.session.features.doctor.rules import Diagnosis, Mend
from tuidbg.session.model.state import Breakpoint, BreakpointKind, ExceptionRule
from tuidbg.tui.features.breakpoints.doctor_dialog import DoctorDialog
from tuidbg.tui.features.breakpoints.exceptions_dialog import ExceptionsDialog
from tuidbg.tui.panes.breakpoints.breakpoint_dialog import BreakpointDialog
from tuidbg.tui.toolkit.dialogs.form import ChoiceField

CODE = 20
"""A line of the post office that can break."""

CAUGHT_BY_A_LIBRARY = """
import asyncio, time

loop = asyncio.new_event_loop()  #: here
def view():
    raise KeyError("nobody")

loop.call_soon(view)
loop.call_soon(loop.stop)
loop.run_forever()
while True:
    time.sleep(0.01)
"""


def points(bench: Debugger) -> list[Breakpoint]:
    return list(bench.session.breakpoints.registry)


def by_line(bench: Debugger) -> dict[int, Breakpoint]:
    return {b.line: b for b in points(bench)}


async def set_at(bench: Debugger, *lines: int, **settings: Any) -> None:
    for line in lines:
        path = str(Path(bench.session.plan.cwd) / "parcels.py")
        await bench.session.breakpoints.set(path, line, **settings, origin="tui")
    await bench.settled()


def fill(bench: Debugger, **values: str) -> None:
    for name, value in values.items():
        bench.app.screen.query_one(f"#{name}", Input).value = value


# One dialog for all of it


@pytest.mark.full
async def test_the_dialog_sets_what_it_says(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        bench.screen.source.move_cursor(CODE)
        await bench.press("B")
        fill(bench, condition="paid > 3", hit_condition=">5", group="net", log_message="{paid}")
        await bench.press_and_wait("ctrl+s")
        (found,) = points(bench)
        assert (found.path, found.line) == (str(tmp_path / "parcels.py"), CODE)
        assert (found.condition, found.hit_condition) == ("paid > 3", ">5")
        assert (found.group, found.log_message) == ("net", "{paid}")
        assert bench.gutter(CODE) in "■□✗"


@pytest.mark.full
async def test_one_at_a_function_can_go_to_another(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        found = await bench.session.breakpoints.set_function("stamp", origin="tui")
        await bench.press_and_wait("4", "B")
        fill(bench, place="send", condition="1")
        await bench.press_and_wait("ctrl+s")
        (changed,) = points(bench)
        assert (changed.number, changed.function) == (found.number, "send")
        assert changed.condition == "1"


@pytest.mark.full
async def test_a_new_one_can_go_to_another_place(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("x = 1\n" * 9)
    async with debugger(tmp_path) as bench:
        bench.screen.source.move_cursor(CODE)
        await bench.press("B")
        assert bench.app.screen.query_one("#place", Input).value == f"parcels.py:{CODE}"
        fill(bench, place="other.py:7")
        await bench.press_and_wait("ctrl+s")
        await bench.press("B")
        fill(bench, place="22")
        await bench.press_and_wait("ctrl+s")
        places = {(Path(b.path).name, b.line) for b in points(bench)}
        assert places == {("other.py", 7), ("parcels.py", 22)}


@pytest.mark.full
async def test_an_existing_one_is_moved_with_all_it_has(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await set_at(bench, CODE, condition="paid")
        bench.screen.source.move_cursor(CODE)
        await bench.press("B")
        fill(bench, place="22", hit_condition="2")
        await bench.press_and_wait("ctrl+s")
        (found,) = points(bench)
        assert (found.number, found.line) == (1, 22)
        assert (found.condition, found.hit_condition) == ("paid", "2")


@pytest.mark.full
async def test_saving_without_a_change_changes_nothing(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await set_at(bench, CODE, ignore_count=3)
        before, asked = points(bench), bench.fake.count("setBreakpoints")
        bench.screen.source.move_cursor(CODE)
        await bench.press_and_wait("B", "enter")
        assert points(bench)[0].ignore_count == before[0].ignore_count
        assert points(bench)[0].number == before[0].number
        assert bench.fake.count("setBreakpoints") - asked <= 1


@pytest.mark.full
async def test_one_at_a_function(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("f")
        dialog = bench.app.screen
        assert isinstance(dialog, BreakpointDialog)
        assert dialog.query_one("#kind", ChoiceField).value == "function"
        await bench.press_and_wait(*"stamp", "enter")
        (found,) = points(bench)
        assert (found.kind, found.function) == (BreakpointKind.FUNCTION, "stamp")
        assert "ƒ stamp" in shown_text(bench.screen.breakpoints)


@pytest.mark.full
@pytest.mark.parametrize(
    ("kind", "typed", "shown"), [("address", "0x401000", "@ 0x401000"), ("data", "paid", "D paid")]
)
async def test_what_the_adapter_can_not_do_says_so(
    kind: str, typed: str, shown: str, tmp_path: Path
) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("B")
        bench.app.screen.query_one("#kind", ChoiceField).value = kind
        await bench.pilot.pause()
        fill(bench, place=typed)
        await bench.press_and_wait("ctrl+s")
        (found,) = points(bench)
        assert str(found.kind) == kind
        row = shown_rows(bench.screen.breakpoints)[0]
        assert f"✗ 1 {shown}" in row and len(row) > len(f"✗ 1 {shown}") + 5
        assert shown in bench.status


# Exceptions


@pytest.mark.full
async def test_an_exception_breakpoint_from_the_keyboard(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press_and_wait("x", *"ValueError", "enter")
        (found,) = points(bench)
        assert found.exception == ExceptionRule("ValueError")
        assert "E ValueError" in shown_text(bench.screen.breakpoints)


@pytest.mark.full
async def test_the_switches_for_any_exception(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        assert bench.session.breakpoints.exception_filters == {"uncaught"}
        await bench.press("x")
        bench.app.screen.query_one("#any-raised").focus()
        await bench.press_and_wait("space", "ctrl+s")
        assert bench.session.breakpoints.exception_filters == {"raised", "uncaught"}


@pytest.mark.real
async def test_the_notice_of_a_caught_exception_names_the_key_that_opens_there(
    tmp_path: Path,
) -> None:
    async with real_debugger(tmp_path, CAUGHT_BY_A_LIBRARY) as bench:
        await bench.press("c")
        way = "program.py:5; x lets it stop there"
        await bench.until(lambda: bench.status.endswith(way))
        await bench.press("x")
        assert bench.app.focused is bench.app.screen.query_one("#any-user_uncaught")
        await bench.press("space", "enter")
        filters = {"uncaught", "user_uncaught"}
        await bench.until(lambda: bench.session.breakpoints.exception_filters == filters)
        await bench.press("x")
        assert bench.app.focused is bench.app.screen.query_one("#type"), "it was done"
        await bench.press("escape")


async def test_a_log_point_says_where_its_text_goes(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        bench.screen.source.move_cursor(CODE)
        await bench.press("B")
        bench.app.screen.query_one("#log_message").focus()
        await bench.pilot.pause()
        help_line = bench.app.screen.query_one("#help", Static)
        assert "Goes to the console (5)" in str(help_line.render())
        await bench.press_and_wait(*"seen", "enter")
        assert "goes to the console; 5 shows it" in bench.status


async def test_rules_are_changed_switched_and_deleted(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        for name in ("KeyError", "ValueError", "OSError"):
            await bench.session.breakpoints.set_exception(ExceptionRule(name), origin="tui")
        await bench.settled()
        await bench.press("x")
        bench.app.screen.query_one("#rules").focus()
        await bench.press("space", "down", "d", "down", "enter")
        await bench.pilot.pause()
        await bench.press("ctrl+u", *"IOError")
        await bench.press_and_wait("enter")
        found = {b.number: (b.exception.type, b.enabled) for b in points(bench) if b.exception}
        assert found == {1: ("KeyError", False), 3: ("IOError", True)}


async def test_enter_on_one_in_the_list_opens_its_dialog(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.session.breakpoints.set_exception(ExceptionRule("KeyError"), origin="tui")
        await bench.press("4", "enter")
        await bench.pilot.pause()
        assert isinstance(bench.app.screen, ExceptionsDialog)
        await bench.press("escape", "B")
        await bench.pilot.pause()
        assert isinstance(bench.app.screen, BreakpointDialog)
        await bench.press_and_wait(*"True", "enter")
        assert points(bench)[0].condition == "True"


# All of them, and groups


async def test_a_group_is_switched_and_deleted_as_one(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await set_at(bench, 19, CODE, group="net")
        await set_at(bench, 22)
        await bench.press_and_wait("4", "E")
        enabled = {line: b.enabled for line, b in by_line(bench).items()}
        assert enabled == {19: False, CODE: False, 22: True}
        await bench.press_and_wait("E")
        assert all(b.enabled for b in points(bench))
        await bench.press_and_wait("D")
        assert list(by_line(bench)) == [22]
        assert "group net is deleted (2); u brings it back" in bench.status
        await bench.press_and_wait("E")
        assert "breakpoint 3 has no group (B sets one)" in bench.status
        assert by_line(bench)[22].enabled


async def test_all_are_disabled_and_enabled(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("X")
        assert "there are no breakpoints" in bench.status
        await set_at(bench, 19, CODE)
        await bench.press_and_wait("X")
        assert not any(b.enabled for b in points(bench))
        assert bench.gutter(CODE) == "◌"
        await bench.press_and_wait("A")
        assert all(b.enabled for b in points(bench))


@pytest.mark.full
@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 15)])
async def test_muted_says_so_everywhere(size: tuple[int, int], tmp_path: Path) -> None:
    async with debugger(tmp_path, size=size) as bench:
        await set_at(bench, CODE)
        await bench.press_and_wait("m")
        assert bench.session.breakpoints.muted
        assert "muted" in bench.status
        bench.screen.status.clear_hint()
        await bench.pilot.pause()
        assert " muted " in bench.status
        if size[0] == 140:
            title = shown_text(bench.screen.body.titles["breakpoints"])
            assert title.endswith("4 Breakpoints 1  muted: nothing stops")
            assert bench.gutter(CODE) == "○"
            assert shown_rows(bench.screen.breakpoints)[0].startswith(" ○ 1")
        else:
            name = "Breakpoints" if size[0] == 80 else "Breaks"
            assert f"4 {name} 1 muted" in shown_text(bench.screen.body.tabs)
        await bench.press_and_wait("m")
        assert size[0] != 140 or bench.gutter(CODE) == "●"
        bench.screen.status.clear_hint()
        await bench.pilot.pause()
        assert "muted" not in bench.status
        assert "muted" not in shown_text(bench.screen)


@pytest.mark.full
async def test_what_an_agent_mutes_is_seen(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.session.breakpoints.mute(True, origin="mcp")
        await bench.until(lambda: "muted" in bench.status)


# The doctor


async def test_the_doctor_explains_and_mends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mend, mended = Mend("Delete the condition", "x"), []
    diagnosis = Diagnosis("its condition is never true", ("It was false 42 times.",), (mend,))

    async def diagnose(number: int) -> Diagnosis:
        return diagnosis

    async def apply(number: int, chosen: Mend, *, origin: str) -> None:
        mended.append((number, chosen))

    async with debugger(tmp_path) as bench:
        await set_at(bench, CODE)
        monkeypatch.setattr(Doctor.of(bench.session), "diagnose", diagnose)
        monkeypatch.setattr(Doctor.of(bench.session), "apply", apply)
        await bench.press("y")
        assert "no breakpoint at the cursor" in bench.status
        bench.screen.source.move_cursor(CODE)
        await bench.press("y")
        await bench.until(lambda: isinstance(bench.app.screen, DoctorDialog))
        await bench.pilot.pause()
        await bench.press("enter")
        await bench.until(lambda: mended == [(1, mend)])
        await bench.press("4", "y")
        await bench.until(lambda: isinstance(bench.app.screen, DoctorDialog))
        await bench.pilot.pause()
        await bench.press("escape")
        await bench.settled()
        assert len(mended) == 1


@pytest.mark.full
async def test_the_real_doctor_has_an_answer(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await set_at(bench, CODE, enabled=False)
        await bench.press("4", "y")
        await bench.until(lambda: isinstance(bench.app.screen, DoctorDialog))
        await bench.pilot.pause()
        await bench.press_and_wait("enter")
        assert points(bench)[0].enabled
