"""The trace on the debugger's screen: its place, its tab, its keys, and that it costs nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.screens import Debugger, debugger, repaints, shown_rows, shown_text
from tests.support.sessions import until
from tuidbg.session.model.events import TraceProduced
from tuidbg.session.model.state import TraceRecord
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

WIDE, NARROW, SMALL = (140, 40), (80, 24), (60, 15)


def tell(bench: Debugger, *texts: str, breakpoint: int = 3) -> None:
    """Records as the core tells of them."""
    log = bench.session.trace
    for text in texts:
        number = log.new_number()
        log.append(
            TraceRecord(
                number=number,
                breakpoint=breakpoint,
                count=number,
                time=1_700_000_000 + number / 1000,
                thread="MainThread",
                text=text,
                path=str(Path(bench.session.plan.cwd) / "parcels.py"),
                line=20,
            )
        )
    bench.session.publish(TraceProduced(last=log.last_number), "program")


def rows(bench: Debugger) -> list[str]:
    assert bench.screen.trace is not None
    return [row for row in shown_rows(bench.screen.trace)[1:] if row]


@pytest.mark.full
@pytest.mark.parametrize("size", [WIDE, NARROW, SMALL])
async def test_a_key_shows_it_in_the_consoles_place(size: tuple[int, int], tmp_path: Path) -> None:
    async with debugger(tmp_path, size=size) as bench:
        assert bench.screen.trace is None
        tell(bench, "total is 5")
        await bench.press("5")
        place = bench.screen.console.region
        await bench.press("6")
        assert bench.screen.focused_pane == "trace"
        await bench.until(lambda: "total is 5" in rows(bench)[0])
        assert bench.screen.trace is not None and bench.screen.trace.region == place
        assert not bench.screen.console.display
        await bench.press("5")
        assert bench.screen.console.display and not bench.screen.trace.display


async def test_both_names_stand_in_the_title_and_clicks_change_them(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        title = bench.screen.body.shared_title
        assert shown_text(title) == " 5 Console  6 Trace"
        await bench.click(title, shown_text(title).index("Trace"), 0)
        assert bench.screen.focused_pane == "trace"
        assert shown_text(title) == " 5 Console ▌6 Trace"
        await bench.click(title, 3, 0)
        assert bench.screen.focused_pane == "console"
        assert shown_text(title) == "▌5 Console  6 Trace"
        await bench.click(title, shown_text(title).index("Trace"), 0, times=2)
        assert bench.screen.body.maximised == "trace"
        await bench.press("5")
        assert bench.screen.body.maximised == "console"


@pytest.mark.full
async def test_news_show_at_its_name_until_somebody_looks(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        title = bench.screen.body.shared_title
        tell(bench, "a")
        await bench.until(lambda: "6 Trace•" in shown_text(title))
        await bench.press("6")
        await bench.until(lambda: "•" not in shown_text(title))
        tell(bench, "b")
        await bench.until(lambda: len(rows(bench)) == 2)
        assert "•" not in shown_text(title)
    async with debugger(tmp_path, size=SMALL) as bench:
        tell(bench, "a")
        await bench.until(lambda: "6 Trace•" in shown_text(bench.screen.body.tabs))
        await bench.press("6")
        await bench.until(lambda: "▌6 Trace " in f"{shown_text(bench.screen.body.tabs)} ")


@pytest.mark.full
async def test_tab_goes_there_once_it_was_looked_at(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("5", "tab")
        assert bench.screen.focused_pane == "source"
        await bench.press("6", "1", "shift+tab")
        assert bench.screen.focused_pane == "trace"


@pytest.mark.full
async def test_it_can_be_maximised_and_made_larger(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("6", "z")
        assert {n for n, p in bench.screen.body.panes.items() if p.display} == {"trace"}
        await bench.press("z")
        assert bench.screen.trace is not None
        height = bench.screen.trace.size.height
        await bench.press("+")
        assert bench.screen.trace.size.height == height + 2
        await bench.press("5")
        assert bench.screen.console.size.height == height + 2


@pytest.mark.full
async def test_the_filter_follows_the_typing(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        tell(bench, "apple", "pear")
        tell(bench, "plum", breakpoint=4)
        await bench.press("6")
        await bench.until(lambda: len(rows(bench)) == 3)
        await bench.press("/", *"ap")
        await bench.until(lambda: len(rows(bench)) == 1)
        assert isinstance(bench.app.screen, PromptDialog)
        await bench.press("enter")
        assert "'ap': 1 of 3" in shown_rows(bench.screen.trace)[0]  # type: ignore[arg-type]
        await bench.press("/", "4", "enter")
        await bench.until(lambda: rows(bench)[0].endswith("plum"))
        await bench.press("/", *"pe", "escape")  # leaves it as it was
        await bench.until(lambda: rows(bench)[0].endswith("plum"))
        await bench.press("escape")  # in the pane: all again
        await bench.until(lambda: len(rows(bench)) == 3)
        await bench.press("/", *"pear", "enter", "escape")
        await bench.until(lambda: len(rows(bench)) == 3)
        await bench.press("1", "/", *"def")
        assert bench.screen.source.cursor_line > 1
        await bench.press("escape")


async def test_what_is_shown_is_written_to_a_file(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("6", "S")
        assert "there are no records" in bench.status
        tell(bench, "apple", "pear", "apple pie")
        await bench.until(lambda: len(rows(bench)) == 3)
        await bench.press("S", "enter")
        await bench.until(lambda: f"3 records written to {tmp_path}/trace.csv" in bench.status)
        assert (tmp_path / "trace.csv").read_text().count("\n") == 4
        await bench.press("/", *"apple", "enter", "S", *"apples.json", "enter")
        await bench.until(lambda: "2 records written" in bench.status)
        found = json.loads((tmp_path / "apples.json").read_text())
        assert [each["text"] for each in found] == ["apple", "apple pie"]


@pytest.mark.full
async def test_a_file_that_exists_is_written_over_at_the_second_enter_only(tmp_path: Path) -> None:
    (tmp_path / "trace.csv").write_text("mine")
    async with debugger(tmp_path) as bench:
        tell(bench, "apple")
        await bench.press("6")
        await bench.until(lambda: len(rows(bench)) == 1)
        await bench.press("S", "enter")
        assert isinstance(bench.app.screen, PromptDialog)
        assert "Enter again writes over it" in shown_text(bench.app.screen)
        assert (tmp_path / "trace.csv").read_text() == "mine"
        await bench.press("enter")
        await bench.until(lambda: "1 record written to" in bench.status)
        await until(lambda: "apple" in (tmp_path / "trace.csv").read_text())


async def test_names_that_make_no_sense_are_said(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        tell(bench, "apple")
        await bench.press("6")
        await bench.until(lambda: len(rows(bench)) == 1)
        await bench.press("S", *"trace.txt", "enter")
        assert "must end in .csv or .json" in shown_text(bench.app.screen)
        await bench.press("escape")


@pytest.mark.full
async def test_the_key_that_clears_the_console_clears_the_trace_there(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        tell(bench, "apple")
        await bench.press("6")
        await bench.until(lambda: len(rows(bench)) == 1)
        lines = len(list(bench.session.output))
        await bench.press("ctrl+l")
        assert len(bench.session.trace) == 0
        assert len(list(bench.session.output)) == lines


@pytest.mark.full
async def test_a_double_click_shows_where_a_record_came_from(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        tell(bench, "apple")
        await bench.press("6")
        await bench.until(lambda: len(rows(bench)) == 1)
        await bench.click(bench.screen.trace, 20, 1, times=2)  # type: ignore[arg-type]
        assert bench.screen.source.cursor_line == 20


@pytest.mark.full
async def test_the_programs_terminal_keeps_its_size(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        before = bench.session.terminal_io.size
        await bench.press("6", "5", "6")
        assert bench.session.terminal_io.size == before


@pytest.mark.full
async def test_records_cost_nothing_where_nobody_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with debugger(tmp_path) as bench:
        tell(bench, "a")
        await bench.pilot.pause()
        with repaints(bench.screen, monkeypatch) as regions:
            for number in range(100):
                tell(bench, str(number))
            await bench.pilot.pause()
        assert bench.screen.trace is None
        assert regions == []


@pytest.mark.full
@pytest.mark.real
def test_the_start_loads_neither_the_pane_nor_the_dialogs() -> None:
    late = "tuidbg.tui.panes.trace_pane tuidbg.tui.toolkit.dialogs.form "
    late += "tuidbg.tui.panes.breakpoints.breakpoint_dialog"
    code = f"import sys, tuidbg.tui.app.app; assert not {late.split()!r} & sys.modules.keys()"
    code = code.replace("[", "{").replace("]", "}")
    subprocess.run([sys.executable, "-c", code], check=True)
