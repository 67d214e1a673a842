"""The timeline on the screen: scrubbing, comparing, one variable's values, the report."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.fakes import Script
from tests.support.recording import frame, program
from tests.support.screens import Debugger, debugger, repaints, shown_rows, shown_text
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.stop_history.timeline import PastStop, StopFrame
from tuidbg.session.model.state import Place, Stop, StopReason
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.app.help.dialog import HelpDialog
from tuidbg.tui.features.history.dialog import HistoryDialog, SeriesDialog, stack_rows
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog
from tuidbg.tui.toolkit.drivers.input import TerminalInput

VALUES = [3, 1, 4, 1, 5, 9, 2, 6]


def adding(folder: Path) -> Script:
    """A loop in which ``total`` has these values, and ``step`` is a text."""
    path = folder / "sums.py"
    path.write_text("def add():\n    for step in many:\n        total += step\nadd()\n")
    moments = [
        {
            "frames": [
                frame("add", str(path), 2 + n % 2, total=value, step=f"[b]{value}[/b]"),
                frame("<module>", str(path), 4),
            ],
            "output": [["stdout", f"line {n}\n"]],
        }
        for n, value in enumerate(VALUES)
    ]
    return Script(program(moments))


@asynccontextmanager
async def walked(
    folder: Path, size: tuple[int, int] = (140, 40), stops: int = 8
) -> AsyncIterator[tuple[Debugger, HistoryDialog]]:
    """The timeline after so many stops."""
    async with debugger(folder, adding(folder), size=size) as bench:
        for _ in range(stops - 1):
            await bench.go("n")
        yield bench, await open_it(bench)


async def open_it(bench: Debugger) -> HistoryDialog:
    await bench.press("h")
    await bench.until(lambda: isinstance(bench.app.screen, HistoryDialog))
    await bench.pilot.pause()
    dialog = bench.app.screen
    assert isinstance(dialog, HistoryDialog)
    return dialog


def current(dialog: HistoryDialog) -> int:
    assert dialog.current is not None
    return dialog.current.number


def details(dialog: HistoryDialog) -> str:
    return "\n".join("".join(t for t, _ in row.pieces) for row in dialog.details.rows)


@pytest.mark.full
@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 15)])
async def test_it_says_what_it_is(size: tuple[int, int], tmp_path: Path) -> None:
    async with walked(tmp_path, size) as (_, dialog):
        assert "read-only" in shown_text(dialog)
        assert "8 of 8" in shown_rows(dialog)[0]


@pytest.mark.full
async def test_keys_scrub(tmp_path: Path) -> None:
    async with walked(tmp_path) as (bench, dialog):
        assert current(dialog) == 8
        for key, number in (
            ("left", 7),
            ("left", 6),
            ("right", 7),
            ("home", 1),
            ("left", 1),
            ("down", 2),
            ("end", 8),
            ("right", 8),
            ("shift+left", 1),
            ("shift+right", 8),
        ):
            await bench.press(key)
            assert current(dialog) == number, key
        await bench.press("tab")
        await bench.press("home")
        assert current(dialog) == 1  # also while the details have the keys
        assert "total = 3" in details(dialog)
        assert shown_rows(dialog)[0].lstrip().startswith("●")


@pytest.mark.full
async def test_what_is_shown_of_a_stop(tmp_path: Path) -> None:
    async with walked(tmp_path) as (bench, dialog):
        await bench.press("left")
        shown = details(dialog)
        assert "compared with the stop before, 6: sums.py:3 add" in shown
        assert " ▷    2      for step in many:" in shown
        assert "≠ total = 2   was 9" in shown
        assert "step = '[b]2[/b]'" in shown
        assert "≠ add  sums.py:2" in shown and "   <module>  sums.py:4" in shown
        assert "Output in between: 1 line" in shown
        await bench.press("home")
        assert "compared with" not in details(dialog)


@pytest.mark.full
async def test_any_two_stops_are_compared(tmp_path: Path) -> None:
    async with walked(tmp_path) as (bench, dialog):
        await bench.press("home", "space")
        await bench.press("end")
        shown = details(dialog)
        assert "compared with the marked stop, 1: sums.py:2 add" in shown
        assert "≠ total = 6   was 3" in shown
        assert "Output in between: 7 lines" in shown
        assert "◆" in shown_rows(dialog)[0]
        await bench.press("right", "left", "left")
        await bench.press("space")
        assert current(dialog) == 6 and "≠" not in details(dialog)
        await bench.press("space")
        assert "compared with the stop before, 5" in details(dialog)


@pytest.mark.full
async def test_a_later_stop_to_compare_with_is_told_as_later(tmp_path: Path) -> None:
    async with walked(tmp_path) as (bench, dialog):
        await bench.press("space", "home")
        shown = details(dialog)
        assert "compared with the marked stop, 8" in shown
        assert "≠ total = 3   later 6" in shown and "was" not in shown


def test_the_same_line_at_another_column_is_the_same() -> None:
    def stop(number: int, column: int, line: int = 3) -> PastStop:
        place = Place("/a.py", line, column)
        frames = (StopFrame(name="run", place=place), StopFrame(name="main", place=None))
        why = Stop(id=number, thread_id=1, reason=StopReason.STEP)
        return PastStop(number, 1, why, 0.0, "MainThread", frames, total=2, output=0)

    def marks(past: PastStop) -> list[str]:
        return [row.pieces[0][0].strip() for row in stack_rows(past, stop(1, 1))][1:]

    assert marks(stop(2, 9)) == ["", ""]
    assert marks(stop(3, 1, line=4)) == ["≠", ""]


async def to_variable(bench: Debugger, dialog: HistoryDialog, name: str) -> None:
    """The cursor of the details on a variable."""
    await bench.press("tab")
    dialog.details.move_cursor_to(("value", 0, ("Locals", name)))
    await bench.press("enter")
    await bench.until(lambda: isinstance(bench.app.screen, SeriesDialog))
    await bench.pilot.pause()


async def test_how_a_number_changed(tmp_path: Path) -> None:
    async with walked(tmp_path) as (bench, dialog):
        await to_variable(bench, dialog, "total")
        shown = shown_text(bench.app.screen)
        assert "total in add" in shown and "8 values at 8 stops" in shown
        assert "▃▁▄▁▅█▂▅" in shown
        assert "min 1, max 9, last 6" in shown
        await bench.press("up", "up", "enter")
        await bench.until(lambda: bench.app.screen is dialog)
        assert current(dialog) == 6


async def test_how_a_text_changed(tmp_path: Path) -> None:
    async with walked(tmp_path, (60, 15)) as (bench, dialog):
        await to_variable(bench, dialog, "step")
        rows = shown_rows(bench.app.screen)
        assert any("8 values at 8 stops" in row for row in rows)
        assert any("'[b]6[/b]'" in row for row in rows)
        assert not any("least" in row for row in rows)
        await bench.press("escape")
        assert bench.app.screen is dialog and current(dialog) == 8


async def test_escape_and_a_key_that_come_as_alt_close_it_and_are_obeyed(tmp_path: Path) -> None:
    """tmux and ssh send a quick `Esc ?` in one piece, as a terminal sends Alt and the key."""
    async with walked(tmp_path) as (bench, _):
        [key] = TerminalInput().feed(b"\x1b?")
        bench.app.post_message(key)
        await bench.until(lambda: isinstance(bench.app.screen, HelpDialog))
        assert not any(isinstance(each, HistoryDialog) for each in bench.app.screen_stack)


@pytest.mark.full
async def test_enter_shows_the_line_and_the_program_stays(tmp_path: Path) -> None:
    async with walked(tmp_path) as (bench, _):
        await bench.press("left", "enter")
        await bench.until(lambda: isinstance(bench.app.screen, DebugScreen))
        assert bench.screen.source.cursor_line == 2
        assert bench.session.stop_id == 8 and bench.under_test.line == 3


@pytest.mark.full
async def test_a_stop_that_comes_meanwhile_is_added(tmp_path: Path) -> None:
    async with walked(tmp_path, stops=3) as (bench, dialog):
        await bench.under_test.go(Resume.STEP_OVER)
        await bench.until(lambda: current(dialog) == 4)
        await bench.press("left")
        await bench.under_test.go(Resume.STEP_OVER)
        await bench.until(lambda: "3 of 5" in shown_rows(dialog)[0])
        assert current(dialog) == 3


@pytest.mark.full
async def test_before_the_first_stop(tmp_path: Path) -> None:
    async with debugger(tmp_path, start=False) as bench:
        await bench.press("h")
        assert "the program has not stopped yet" in bench.status


@pytest.mark.full
async def test_after_the_end(tmp_path: Path) -> None:
    async with debugger(tmp_path, adding(tmp_path)) as bench:
        await bench.go("n")
        await bench.press("c")
        await bench.until(lambda: bench.under_test.ended)
        dialog = await open_it(bench)
        assert current(dialog) == 2


@pytest.mark.full
@pytest.mark.parametrize("key", ["escape", "q", "h"])
async def test_it_can_be_left(key: str, tmp_path: Path) -> None:
    async with walked(tmp_path, stops=2) as (bench, _):
        await bench.press(key)
        assert isinstance(bench.app.screen, DebugScreen)


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("keys", [("escape", "H"), ("w",)], ids=["key", "from the timeline"])
async def test_the_report_is_written(keys: tuple[str, ...], tmp_path: Path) -> None:
    async with walked(tmp_path) as (bench, _):
        for key in keys:
            await bench.press(key)
        await bench.until(lambda: isinstance(bench.app.screen, PromptDialog))
        assert "values and output of the program" in shown_text(bench.app.screen)
        await bench.press("enter")
        await bench.until(lambda: "the report was written to" in bench.status)
        text = (tmp_path / "tuidbg-report.md").read_text(encoding="utf-8")
        assert "total = 6    (was 2)" in text and "line 3" in text


@pytest.mark.full
async def test_names_that_make_no_sense_are_said(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("mine")
    async with debugger(tmp_path, adding(tmp_path)) as bench:
        await bench.press("H", *"report.txt", "enter")
        await bench.until(lambda: "ends in .md" in shown_text(bench.app.screen))
        await bench.press("escape")
        await bench.until(lambda: bench.app.screen is bench.screen, "the dialog is gone")
        await bench.press("H", *"mine.md", "enter")
        await bench.until(lambda: "Enter again writes over it" in shown_text(bench.app.screen))
        assert (tmp_path / "mine.md").read_text() == "mine"


@pytest.mark.full
async def test_a_step_paints_nothing_more_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with debugger(tmp_path, adding(tmp_path)) as bench:
        await bench.go("n")
        before = len(bench.fake.requests)
        with repaints(bench.screen, monkeypatch) as regions:
            await bench.go("n")
        assert regions == []
        asked = [r.command for r in bench.fake.requests[before:]]
        assert len(asked) == len(set(asked))
        assert set(asked) <= {"next", "stackTrace", "scopes", "variables", "threads"}
