"""The trace pane: what it shows of each record, how it follows, filters, and keeps its size."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot

from tests.support.keyed import KeyedScreen
from tests.support.screens import painted_cells, repaints, shown_rows
from tests.support.sessions import until
from tuidbg.session.core.hits.trace import TraceLog
from tuidbg.session.model.state import TraceRecord
from tuidbg.tui.features.trace.export import COLUMNS, export_problem, write_trace
from tuidbg.tui.panes.trace_pane import TraceFilter, TracePane, show_time

NOON = time.mktime((2024, 5, 1, 12, 0, 0, 0, 0, -1))


class Bench(App[None]):
    """The pane on a log, and what the pane asked for."""

    def __init__(self, limit: int = 50_000) -> None:
        super().__init__()
        self.log_of_records = TraceLog(limit)
        self.pane = TracePane(id="trace")
        self.asked: list[Message] = []

    def get_default_screen(self) -> KeyedScreen:
        return KeyedScreen()

    def compose(self) -> ComposeResult:
        yield self.pane

    @on(TracePane.PlaceChosen)
    def keep(self, message: Message) -> None:
        self.asked.append(message)

    def tell(self, *texts: str, breakpoint: int = 3, thread: str = "MainThread") -> None:
        """New records, and the event that tells of them."""
        log = self.log_of_records
        for text in texts:
            number = log.new_number()
            log.append(
                TraceRecord(
                    number=number,
                    breakpoint=breakpoint,
                    count=number,
                    time=NOON + number / 1000,
                    thread=thread,
                    text=text,
                    path="/src/main.py",
                    line=10,
                )
            )
        self.pane.trace_changed()

    async def shows(self, *expected: str) -> None:
        """Wait until the pane shows these texts, one a row, and no others."""
        await until(lambda: texts(self.pane) == list(expected), f"the texts {expected}")


@asynccontextmanager
async def bench(
    size: tuple[int, int] = (70, 6), limit: int = 50_000
) -> AsyncIterator[tuple[Bench, TracePane, Pilot[None]]]:
    app = Bench(limit)
    async with app.run_test(size=size) as pilot:
        app.pane.focus()
        app.pane.show(app.log_of_records)
        await pilot.pause()
        yield app, app.pane, pilot


def texts(pane: TracePane) -> list[str]:
    """The texts of the records in view."""
    rows = [row.ljust(pane.size.width)[: pane.size.width - 1] for row in shown_rows(pane)[1:]]
    return [row.split("  ", 4)[-1].strip() for row in rows if row.strip()]


# Rows


async def test_each_record_has_time_breakpoint_count_thread_and_text() -> None:
    async with bench() as (app, pane, _):
        app.tell("total is 5", "total is 6")
        await app.shows("total is 5", "total is 6")
        assert shown_rows(pane)[:3] == [
            " Time          #   ×  Thread      Text",
            " 12:00:00.001  3  ×1  MainThread  total is 5",
            " 12:00:00.002  3  ×2  MainThread  total is 6",
        ]


async def test_columns_grow_with_what_is_in_them() -> None:
    async with bench((80, 6)) as (app, pane, pilot):
        app.tell(*["x"] * 3, thread="T")
        app.tell("y", breakpoint=120, thread="a-thread-with-a-very-long-name")
        await until(lambda: "120" in shown_rows(pane)[4])
        assert shown_rows(pane)[1] == " 12:00:00.001    3  ×1  T                 x"
        assert shown_rows(pane)[4] == " 12:00:00.004  120  ×4  a-thread-with-a…  y"
        await pilot.resize_terminal(60, 6)
        await until(lambda: shown_rows(pane)[4].endswith("×4  a-thread-…  y"))


async def test_nothing_says_what_writes_here() -> None:
    async with bench() as (_, pane, _):
        said = "No records yet: log points and tracepoints write here (B sets one)"
        assert shown_rows(pane)[1].strip() == said


async def test_text_is_shown_as_it_stands() -> None:
    async with bench((70, 6)) as (app, pane, _):
        app.tell("[red]x\x1b[0m[/red]", "中" * 500)
        await until(lambda: "中" in shown_rows(pane)[2])
        assert shown_rows(pane)[1].endswith("[red]x␛[0m[/red]")
        assert shown_rows(pane)[2].endswith("…")


async def test_long_texts_are_read_by_the_arrow_keys() -> None:
    async with bench((50, 4)) as (app, pane, pilot):
        app.tell("0123456789" * 5)
        await until(lambda: "0123" in shown_rows(pane)[1])
        await pilot.press("right")
        assert shown_rows(pane)[1].startswith(" 12:00:00.001  3  ×1  MainThread  89012")
        await pilot.press("left", "left")
        assert shown_rows(pane)[1].startswith(" 12:00:00.001  3  ×1  MainThread  01234")


def test_times_of_day_to_the_millisecond() -> None:
    assert show_time(NOON + 0.25) == "12:00:00.250"


# Following


async def test_the_newest_stays_in_view_until_the_person_scrolls_up() -> None:
    async with bench() as (app, pane, pilot):
        app.tell(*map(str, range(20)))
        await app.shows("15", "16", "17", "18", "19")
        await pilot.press("up", "up")
        assert not pane.following
        app.tell("20", "21")
        await until(lambda: pane.unseen == 2)
        await pilot.pause()
        assert texts(pane)[:4] == ["13", "14", "15", "16"]
        assert "2 new records · End" in shown_rows(pane)[-1]
        await pilot.press("end")
        await app.shows("17", "18", "19", "20", "21")
        assert pane.following


async def test_pages_and_the_beginning() -> None:
    async with bench() as (app, _, pilot):
        app.tell(*map(str, range(20)))
        await app.shows("15", "16", "17", "18", "19")
        await pilot.press("pageup")
        assert texts(app.pane)[0] == "11"
        await pilot.press("home")
        assert texts(app.pane)[0] == "0"
        await pilot.press("pagedown")
        assert texts(app.pane)[0] == "4"


async def test_the_oldest_give_way_and_what_is_read_stays() -> None:
    async with bench(limit=10) as (app, pane, pilot):
        app.tell(*map(str, range(10)))
        await app.shows("5", "6", "7", "8", "9")
        await pilot.press("up", "up")
        app.tell("10", "11")
        await until(lambda: pane.unseen == 2)
        await pilot.pause()
        assert (pane.total, texts(pane)[:4]) == (10, ["3", "4", "5", "6"])
        app.tell(*map(str, range(12, 40)))
        await until(lambda: pane.unseen == 30)
        assert [record.text for record in pane.shown] == list(map(str, range(30, 40)))


async def test_clearing_forgets_all() -> None:
    async with bench() as (app, pane, _):
        app.tell("a", "b")
        await app.shows("a", "b")
        pane.clear()
        await until(lambda: "No records yet" in shown_rows(pane)[1])
        assert len(app.log_of_records) == 0
        app.tell("c")
        await app.shows("c")


# The filter


async def test_the_filter_leaves_what_fits() -> None:
    async with bench() as (app, pane, _):
        app.tell("apple", "Pear", "apple pie")
        app.tell("plum", breakpoint=4)
        assert pane.set_filter("apple") == 2
        await app.shows("apple", "apple pie")
        assert shown_rows(pane)[0].rstrip().endswith("'apple': 2 of 4")
        app.tell("apple again", "pear again")
        await app.shows("apple", "apple pie", "apple again")
        assert pane.set_filter("4") == 1
        await app.shows("plum")
        assert "breakpoint 4: 1 of 6" in shown_rows(pane)[0]
        assert pane.set_filter("nothing") == 0
        await until(lambda: "Nothing of 6 records fits" in shown_rows(pane)[1])
        assert pane.set_filter("") == 6


async def test_records_that_give_way_leave_the_filtered_ones_too() -> None:
    async with bench(limit=10) as (app, pane, _):
        pane.set_filter("x")
        app.tell(*["x 1", "y", "x 2", "y", "x 3"])
        await app.shows("x 1", "x 2", "x 3")
        app.tell(*["y"] * 6)
        await app.shows("x 2", "x 3")
        app.tell(*["y"] * 20)
        await until(lambda: "Nothing of 10" in shown_rows(pane)[1])


@pytest.mark.parametrize(
    ("wanted", "takes"),
    [
        ("", [True, True, True]),
        ("3", [True, False, True]),
        ("#3", [True, False, True]),
        ("'3'", [False, True, False]),
        ("total", [True, True, False]),
        ("Total", [False, True, False]),
        ("worker", [False, False, True]),
    ],
)
def test_what_a_filter_takes(wanted: str, takes: list[bool]) -> None:
    records = [record(3, "total is 5"), record(4, "Total is 3"), record(3, "x", "worker-1")]
    found = TraceFilter(wanted)
    assert [found.takes(each) for each in records] == takes


def record(breakpoint: int, text: str, thread: str = "MainThread", number: int = 1) -> TraceRecord:
    return TraceRecord(
        number=number,
        breakpoint=breakpoint,
        count=1,
        time=NOON,
        thread=thread,
        text=text,
        path="/src/main.py",
        line=7,
    )


# Cost


async def test_a_record_paints_its_own_row(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench((70, 12)) as (app, pane, _):
        app.tell("a", "b", "c")
        await app.shows("a", "b", "c")
        await until(lambda: not pane.pacing.is_resting)
        with repaints(pane, monkeypatch) as regions:
            app.tell("d")
            await app.shows("a", "b", "c", "d")
        assert {region.y for region in regions} == {4}
        assert painted_cells(regions) <= 70


async def test_many_records_are_put_together_and_a_hidden_pane_does_nothing() -> None:
    """1,000 hits a second: neither as many repaints nor one that takes long."""
    async with bench((100, 30)) as (app, pane, pilot):
        takes = 0
        take_over = pane.take_over

        def counted() -> None:
            nonlocal takes
            takes += 1
            take_over()

        pane.take_over = counted  # type: ignore[method-assign]
        for number in range(1_000):
            app.tell(f"hit {number}")
        await until(lambda: pane.total == 1_000)
        assert takes <= 20
        pane.display = False
        await until(lambda: not pane.is_on_screen)
        takes = 0
        app.tell(*map(str, range(1_000)))
        await pilot.pause()
        assert takes == 0
        pane.display = True
        await until(lambda: pane.total == 2_000)


async def test_fifty_thousand_records_are_taken_over_quickly() -> None:
    async with bench((100, 30)) as (app, pane, _):
        started = time.process_time()
        app.tell(*(f"hit {number}" for number in range(50_000)))
        made = time.process_time()
        pane.trace_changed()
        await until(lambda: pane.total == 50_000)
        app.tell("one more")
        await until(lambda: texts(pane)[-1] == "one more")
        assert time.process_time() - made < max(2.0, made - started)


# Keys and mouse


async def test_a_double_click_asks_for_the_place() -> None:
    async with bench() as (app, _, pilot):
        app.tell("a")
        await app.shows("a")
        await pilot.click("#trace", offset=(20, 1), times=2)
        await pilot.click("#trace", offset=(20, 4), times=2)
        (chosen,) = app.asked
        assert isinstance(chosen, TracePane.PlaceChosen)
        assert (chosen.path, chosen.line) == ("/src/main.py", 10)


# Files


RECORDS = [
    record(3, 'a, "b"\nc', number=1),
    record(4, "\ud800 中", "worker", number=2),
]


def test_a_csv_file_has_a_row_for_each(tmp_path: Path) -> None:
    write_trace(tmp_path / "trace.csv", RECORDS)
    with (tmp_path / "trace.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    assert (rows[0]["text"], rows[0]["breakpoint"], rows[0]["line"]) == ('a, "b"\nc', "3", "7")
    assert rows[0]["time"].startswith("2024-05-01T12:00:00.000000")
    assert rows[1]["text"] == "\\ud800 中"


def test_a_json_file_is_a_list_of_objects(tmp_path: Path) -> None:
    write_trace(tmp_path / "trace.JSON", RECORDS)
    found: list[dict[str, Any]] = json.loads((tmp_path / "trace.JSON").read_text("utf-8"))
    assert [tuple(each) for each in found] == [COLUMNS, COLUMNS]
    assert (found[0]["number"], found[1]["thread"]) == (1, "worker")


def test_names_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    assert export_problem(tmp_path / "trace.csv") == ""
    assert "must end in .csv or .json" in export_problem(tmp_path / "trace.txt")
    assert "that is a folder" in export_problem(tmp_path / "folder.csv")
    assert "there is no folder" in export_problem(tmp_path / "none" / "trace.csv")
