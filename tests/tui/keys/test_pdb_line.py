"""The line of pdb's map, on the real debugpy: words, Python, the same again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.screens import screen_rows
from tests.tui.real_bench import RealDebugger, real_debugger
from tuidbg.plain.commands.table import BY_NAME
from tuidbg.tui.app.keys.commands import DEFAULT_MAP
from tuidbg.tui.app.keys.pdb_line import ON_SCREEN
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

PROGRAM = """
    def mean(values):
        total = sum(values)
        count = len(values)
        return total / count

    names = ["ann", "bob"]  #: here
    first = mean([1, 2, 3])
    second = mean([4, 5, 6])
    third = 3
    fourth = 4
"""


@asynccontextmanager
async def line_debugger(folder: Path) -> AsyncIterator[RealDebugger]:
    async with real_debugger(folder, PROGRAM) as bench:
        bench.app.set_key_map("pdb")
        yield bench


async def go_line(bench: RealDebugger, word: str) -> None:
    """A line that lets the program run, until it has stopped."""
    before = bench.session.stop_id
    await bench.press(word, "enter")
    await bench.until(lambda: bench.session.stop_id > before, f"a stop after {word}")
    await bench.settled()


def bottom(bench: RealDebugger) -> str:
    """The row of the line."""
    return screen_rows(bench.app)[-2]


def told(bench: RealDebugger) -> str:
    """What stands in the console."""
    output = bench.session.output
    numbers = range(output.first_number, output.last_number + 1)
    return "\n".join(output.line(number).text for number in numbers)


def test_words_of_the_screen_are_words_of_the_line_mode() -> None:
    assert all(BY_NAME[word].names[0] == word for word in ON_SCREEN)
    assert set(ON_SCREEN.values()) <= DEFAULT_MAP.keys.keys()


@pytest.mark.full
@pytest.mark.real
async def test_a_letter_opens_the_line_and_is_its_first(tmp_path: Path) -> None:
    async with line_debugger(tmp_path) as bench:
        await bench.press("t")
        assert isinstance(bench.app.screen, PromptDialog)
        assert bottom(bench).startswith(" (Pdb) t")
        await bench.press(*"break")
        assert "one that stops once" in bottom(bench)
        await bench.press("escape")
        assert not isinstance(bench.app.screen, PromptDialog)
        assert len(list(bench.session.breakpoints.registry)) == 1


@pytest.mark.full
@pytest.mark.real
async def test_steps_frames_and_the_same_again(tmp_path: Path) -> None:
    async with line_debugger(tmp_path) as bench:
        line = bench.screen.source.cursor_line
        await go_line(bench, "n")
        assert bench.screen.source.cursor_line == line + 1
        before = bench.session.stop_id
        await bench.press("enter")  # in the source: as an empty line at pdb's prompt
        await bench.until(lambda: bench.session.stop_id > before, "a step")
        await bench.settled()
        assert bench.screen.source.cursor_line == line + 2
        await go_line(bench, "s")
        assert bench.screen.view.frame is not None and bench.screen.view.frame.name == "mean"
        await bench.press(*"up", "enter")
        await bench.until(lambda: bench.screen.view.selected == 1, "the caller")
        await bench.press("d", "enter", *"where", "enter")
        await bench.until(lambda: bench.screen.view.selected == 0, "the frame itself")
        await bench.until(lambda: bench.screen.focused is bench.screen.stack, "the stack")


@pytest.mark.real
async def test_lines_are_obeyed_one_after_the_other(tmp_path: Path) -> None:
    """Typed ahead, in one packet: the breakpoint is there before the program goes on."""
    async with line_debugger(tmp_path) as bench:
        before = bench.session.stop_id
        await bench.press(*"tbreak mean", "enter", "c", "enter")
        await bench.until(lambda: bench.session.stop_id > before, "the breakpoint")
        await bench.settled()
        assert bench.screen.view.frame is not None and bench.screen.view.frame.name == "mean"
        await bench.press(*"p values", "enter", *"values[0] + 41", "enter")
        await bench.until(lambda: "42" in told(bench), "the value")
        await bench.press(*"whatis values", "enter", "a", "enter")
        await bench.until(lambda: "values = [1, 2, 3]" in told(bench), "the arguments")
        assert "<class 'list'>" in told(bench)


@pytest.mark.real
async def test_what_is_wrong_is_said_and_keeps_no_keys(tmp_path: Path) -> None:
    async with line_debugger(tmp_path) as bench:
        await bench.press(*"tbreak 999", "enter")
        await bench.until(lambda: "past the last line" in bench.status, "the reason")
        await bench.press(*"undefined_name", "enter")
        await bench.until(lambda: "NameError" in told(bench), "Python's answer")
        await bench.press(*"commands", "enter")
        await bench.until(lambda: "--plain" in bench.status, "where there are some")
        await bench.press("d", "backspace", *":fly", "enter")
        await bench.until(lambda: "there is no command 'fly'" in bench.status, "no such command")
        assert not isinstance(bench.app.screen, PromptDialog)


@pytest.mark.real
async def test_breakpoints_by_words(tmp_path: Path) -> None:
    async with line_debugger(tmp_path) as bench:
        registry = bench.session.breakpoints.registry
        await bench.press(*"cl", "enter")
        await bench.until(lambda: not list(registry), "all are deleted")
        await bench.press(*"b mean, len(values) > 2", "enter")
        await bench.until(lambda: [b.condition for b in registry] == ["len(values) > 2"], "one")
        await bench.press(*"disable", "enter")
        await bench.until(lambda: not any(b.enabled for b in registry), "it is disabled")
        await bench.press("b", "enter")
        await bench.until(lambda: "disabled, stop only if" in told(bench), "the list")


@pytest.mark.full
@pytest.mark.real
async def test_what_was_typed_comes_back_and_words_are_completed(tmp_path: Path) -> None:
    async with line_debugger(tmp_path) as bench:
        await bench.press(*"p names", "enter")
        await bench.until(lambda: "NameError" in told(bench), "the answer")
        await bench.press("x", "up")
        assert bottom(bench).startswith(" (Pdb) p names")
        await bench.press("down")
        assert bottom(bench).startswith(" (Pdb) x ")
        await bench.press("backspace", *"disab")
        await bench.until(lambda: "disable" in bottom(bench), "a suggestion")
        await bench.press("tab")
        assert bottom(bench).startswith(" (Pdb) disable")
