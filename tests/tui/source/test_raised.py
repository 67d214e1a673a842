"""What was raised is in a row below its line, on the debugger's screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.screens import Debugger, debugger, shown_rows
from tests.tui.real_bench import real_debugger

pytestmark = pytest.mark.full


def told(bench: Debugger, words: str) -> list[str]:
    """The rows of the source that say it."""
    return [row for row in shown_rows(bench.screen.source) if words in row]


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (140, 40)])
async def test_it_is_said_until_the_program_goes_on(size: tuple[int, int], tmp_path: Path) -> None:
    async with debugger(tmp_path, size=size) as bench:
        await bench.go("c")
        shown = shown_rows(bench.screen.source)
        at = next(i for i, row in enumerate(shown) if row.strip() == "KeyError: 'coach'")
        assert "▶" in shown[at - 1] and "price = PRICES[" in shown[at - 1]
        await bench.press_and_wait("3", "down", "enter")  # the caller is in the same file
        assert len(told(bench, "KeyError: 'coach'")) <= 1
        await bench.go("c")
        assert not told(bench, "KeyError")


LIBRARY = """\
import json

def load(text):
    return json.loads(text)  # bad

try:
    load("{no")  #: here
except ValueError:
    print("caught")
"""


@pytest.mark.real
async def test_in_a_library_it_is_said_there_and_at_the_callers_line(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, LIBRARY) as bench:
        await bench.session.breakpoints.stop_at_exceptions(frozenset({"raised"}), origin="tui")
        await bench.go("c")
        assert told(bench, "JSONDecodeError: Expecting property name")
