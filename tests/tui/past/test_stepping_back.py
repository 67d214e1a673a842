"""Steps backwards on the screen: source, stack and variables as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED
from tests.support.recordings import opened
from tests.support.screens import shown_rows
from tests.tui.real_bench import RealDebugger, real_debugger
from tuidbg.session.features.recording.calls.recorder import CallRecordings
from tuidbg.session.features.recording.recorded_run import RecordedRun
from tuidbg.tui.panes.console.console_log import ConsoleLog
from tuidbg.tui.toolkit.dialogs.prompt import DialogInput

RECORDED = [path for version, path in SUPPORTED.items() if version >= (3, 12)]

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not RECORDED, reason="there is no Python 3.12 or newer"),
]

SHOP = """
class Cart:
    def __init__(self):
        self.items = []
        self.total = 0

    def add(self, price):
        self.items.append(price)
        self.total += price  #: total

def main():
    cart = Cart()
    for price in (2, 7, 3):
        cart.add(price)  #: add
    left = 20 - cart.total  #: here
    return left  #: end

main()
"""
ADD, HERE = 13, 14


def python() -> str:
    return RECORDED[-1]


def line(bench: RealDebugger) -> int:
    """The line that is looked at."""
    frame = bench.screen.view.frame
    return frame.place.line if frame is not None and frame.place is not None else 0


async def press_to(bench: RealDebugger, key: str, line_number: int) -> None:
    await bench.press(key)
    await bench.until(lambda: line(bench) == line_number, f"line {line_number} by {key}")
    await bench.settled()


def console_rows(bench: RealDebugger) -> list[str]:
    """The rows of the console, without the blanks at their beginnings."""
    return [row.strip() for row in shown_rows(bench.screen.console.query_one(ConsoleLog))]


async def recorded(bench: RealDebugger) -> None:
    """Begin the program again, recorded, up to where it stands."""
    await bench.press("ctrl+r")
    await bench.until(lambda: RecordedRun.of(bench.session).is_on, "a recording")
    await bench.press("n")
    await bench.until(lambda: line(bench) == HERE + 1, "the line behind")
    await bench.settled()


@pytest.mark.full
async def test_a_moment_is_told_from_the_present(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        await press_to(bench, "(", ADD - 1)
        assert "recorded" in bench.status and ". jumps to now" in bench.status
        rows = shown_rows(bench.screen.source)
        assert any("◀" in row for row in rows) and not any("▶" in row for row in rows)
        assert bench.row("price").endswith("= 3")
        await bench.press(".")
        await bench.until(lambda: line(bench) == HERE)
        assert bench.status.split()[0] == "paused"
        assert any("▶" in row for row in shown_rows(bench.screen.source))


@pytest.mark.full
async def test_into_a_call_that_was_made_and_out_again(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        await press_to(bench, "(", ADD - 1)
        await press_to(bench, "{", 8)
        assert "has returned" in bench.status
        assert "total=12" in bench.row("self")
        await bench.press("{")
        await bench.until(lambda: "has returned" not in bench.status)
        await bench.settled()
        assert "total=9" in bench.row("self")
        await press_to(bench, "}", ADD)
        await press_to(bench, "n", ADD - 1)
        await press_to(bench, "o", HERE)
        assert bench.status.split()[0] == "paused", "its end is the present"


@pytest.mark.full
async def test_the_frames_of_a_moment_can_be_looked_at(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        await press_to(bench, "(", ADD - 1)
        await press_to(bench, "{", 8)
        await press_to(bench, "[", ADD)
        assert bench.row("price").endswith("= 3") and bench.row("cart")
        await press_to(bench, "]", 8)


@pytest.mark.full
async def test_a_breakpoint_that_was_passed(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        path = str(bench.screen.view.document.key)  # type: ignore[union-attr]
        await bench.session.breakpoints.set(path, 8, origin="tui")
        totals = []
        for expected in (9, 2, 0):
            await bench.press("\\")
            await bench.until_row("self", f"total={expected})")
            totals.append(line(bench))
        assert totals == [8, 8, 8]
        await bench.press("\\")
        await bench.until(lambda: "the recording begins here" in bench.status)
        await bench.press("c")
        await bench.until_row("self", "total=2)")


async def test_who_changed_a_value(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        await bench.cursor_on("Locals", "cart")
        await bench.press_and_wait("right")
        await bench.cursor_on("Locals", "cart", "total")
        await bench.press("#")
        await bench.until(lambda: "cart.total was 9, and becomes 12" in bench.status)
        assert line(bench) == 8
        await bench.press("#")
        await bench.until(lambda: "cart.total was 2, and becomes 9" in bench.status)
        await bench.press("#")
        await bench.until(lambda: "cart.total was 0, and becomes 2" in bench.status)


async def test_expressions_are_read_out_of_the_recording(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        bench.session.watches.add("cart.total + price", origin="tui")
        await press_to(bench, "(", ADD - 1)
        assert bench.row("cart.total + price").endswith("= 15")
        await bench.press(":", *"cart.items[1]", "enter")
        await bench.until(lambda: "= 7" in console_rows(bench), "the value in the console")
        await bench.press(":", *"main()", "enter")
        await bench.until(lambda: any("no code runs" in row for row in console_rows(bench)))
        assert RecordedRun.of(bench.session).timeline.threads, "nothing has run"


@pytest.mark.full
async def test_after_its_end_the_whole_run_is_there(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        await bench.press("c")
        await bench.until(lambda: "exit code 0" in bench.status)
        await bench.until(
            lambda: not RecordedRun.of(bench.session).is_on, "the end of the recording"
        )
        await press_to(bench, "(", 17)
        assert "recorded" in bench.status and "the last step" in bench.status
        await press_to(bench, "{", HERE + 1)
        assert bench.row("left").endswith("= 8")
        offered = {named.command for named in bench.screen.keys.named}
        assert {"show_execution", "step_back", "step_over"} <= offered


@pytest.mark.full
async def test_without_a_recording_it_says_how_to_have_one(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python()) as bench:
        for key in ("(", "{", "}", "\\", "#"):
            bench.screen.status.clear_hint()
            await bench.press(key)
            await bench.until(lambda: "nothing is recorded (Ctrl+R" in bench.status, key)
        assert RecordedRun.of(bench.session).is_empty
        await recorded(bench)
        await press_to(bench, "(", HERE)


async def test_the_recording_is_written_to_a_file_by_its_name(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        bench.screen.action_command("write_recording")
        await bench.until(lambda: bool(bench.app.screen.query(DialogInput)), "the question")
        offered = bench.app.screen.query_one(DialogInput)
        assert offered.value.endswith(".tuidbg")
        offered.value = str(tmp_path / "a.tuidbg")
        await bench.press("enter")
        await bench.until(lambda: "the recording so far is in" in bench.status, "the file")
        with opened(tmp_path / "a.tuidbg") as file:
            assert file.values("main")["price"] == "3"


@pytest.mark.full
async def test_one_steps_back_into_a_call_that_was_recorded_alone(tmp_path: Path) -> None:
    """The function that stands was not recorded before it: the hint names the key that leads in."""
    async with real_debugger(tmp_path, SHOP, python=python(), mark="add") as bench:
        found = await CallRecordings.of(bench.session).record("Cart.add", origin="tui")
        assert found.returned is not None
        await bench.settled()
        await bench.press("(")
        words = "the recording begins here for this function; { steps back into calls"
        await bench.until(lambda: words in bench.status)
        await press_to(bench, "{", 8)
        assert "total=2" in bench.row("self")
