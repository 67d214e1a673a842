"""Recording a call from the screen, on the real debugpy: asking, watching, stopping, looking."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from textual.widgets import Input

from tests.support.screens import Debugger, shown_text
from tests.tui.real_bench import RealDebugger, real_debugger
from tuidbg.session.features.recording.calls.recorder import CallRecordings
from tuidbg.session.features.recording.calls.types import CallRecording, RecordingEnd
from tuidbg.session.model.state import Status
from tuidbg.tui.features.recorded_calls.commands import show_recordings
from tuidbg.tui.features.recorded_calls.dialog import LifetimeDialog
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

pytestmark = pytest.mark.real

PROGRAM = """\
    import threading

    class Till:
        def sum(self, items):
            total = 0
            for item in items:
                total += item
            return total

    def endless(n):
        while True:
            n += 1

    start = 1  #: here
    Till().sum(range(20))
    end = 1
    while True:
        endless(0)
"""


async def ask(bench: Debugger, line: int = 0) -> PromptDialog:
    """Press the key with the cursor on a line."""
    if line:
        bench.screen.source.move_cursor(line)
        bench.screen.focus_pane("source")
    await bench.press("comma")
    await bench.until(lambda: isinstance(bench.app.screen, PromptDialog), "the question")
    dialog = bench.app.screen
    assert isinstance(dialog, PromptDialog)
    return dialog


async def shown(bench: Debugger) -> LifetimeDialog:
    await bench.until(lambda: isinstance(bench.app.screen, LifetimeDialog), "the dialog")
    dialog = bench.app.screen
    assert isinstance(dialog, LifetimeDialog)
    return dialog


async def finished(bench: Debugger, dialog: LifetimeDialog) -> None:
    await bench.until(
        lambda: (r := dialog.recording) is not None and r.is_over and bool(dialog.path.rows),
        "a recording",
    )
    await bench.pilot.pause()


@pytest.mark.sampled
@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 15)])
async def test_a_call_of_the_function_under_the_cursor(
    size: tuple[int, int], tmp_path: Path
) -> None:
    async with real_debugger(tmp_path, PROGRAM, size=size) as bench:
        question = await ask(bench, 7)
        assert question.query_one(Input).value == "Till.sum"
        await bench.press("enter")
        dialog = await shown(bench)
        await finished(bench, dialog)
        text = shown_text(dialog)
        assert "Recorded call 1: sum" in text and "→ 190" in text
        assert "self = " in text and ("items = range(0, 20)" in text or size == (60, 15))
        assert "20 passes" in text and "total: 0 → 1 → 3" in text
        await bench.press("c")
        assert "return total" not in shown_text(dialog)
        await bench.press("home", "down", "down", "down")
        assert "executed 20×" in shown_text(dialog)
        await bench.press("enter")
        await bench.until(lambda: bench.app.screen is bench.screen, "the source")
        assert bench.screen.source.cursor_line == 7
        assert bench.session.status is Status.PAUSED
        await bench.press("comma", "ctrl+u")
        await bench.press("escape")


async def test_stopped_by_esc(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, PROGRAM) as bench:
        question = await ask(bench)
        question.query_one(Input).value = "endless"
        await bench.press("enter")
        dialog = await shown(bench)
        await bench.until(lambda: (r := dialog.recording) and r.steps > 5, "some steps")
        assert "Esc stop" in shown_text(dialog)
        await bench.press("escape")
        await finished(bench, dialog)
        recording = dialog.recording
        assert recording is not None and recording.ending is RecordingEnd.CANCELLED
        assert "cancelled; the program is still at the same place" in shown_text(dialog)
        await bench.press("escape")
        await bench.until(lambda: bench.app.screen is bench.screen, "the source")
        await bench.settled()
        assert bench.session.frames[0].name == "endless"


@pytest.mark.full
async def test_what_never_came_is_said(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, PROGRAM) as bench:
        question = await ask(bench)
        question.query_one(Input).value = "nonsense"
        await bench.press("enter")
        hint = "there is no function named nonsense"
        await bench.until(lambda: hint in shown_text(bench.screen), "the hint")
        assert bench.app.screen is bench.screen
        assert bench.session.status is Status.PAUSED


@pytest.mark.full
async def test_a_person_watches_an_agent_record(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, PROGRAM) as bench:
        lifetimes = CallRecordings.of(bench.session)
        task = asyncio.create_task(lifetimes.record("endless", origin="mcp"))
        await bench.until(lambda: "records endless: " in shown_text(bench.screen), "the status")
        assert "mcp: continue" in shown_text(bench.screen)
        await bench.press("comma")
        dialog = await shown(bench)
        await bench.until(lambda: "↻" in shown_text(dialog), "its path")
        await bench.press("b")
        await bench.until(lambda: bench.app.screen is bench.screen, "the source")
        assert bench.session.stop_owner is not None, "it goes on"
        await bench.press("p")
        recording = await task
        assert recording.ending is RecordingEnd.CANCELLED
        await bench.until(lambda: "key , shows it" in shown_text(bench.screen), "the hint")


@pytest.mark.full
async def test_one_and_the_other(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, PROGRAM) as bench:
        show_recordings(bench.screen)
        await bench.until(lambda: "no call of a function" in shown_text(bench.screen), "why not")
        await record(bench, "Till.sum")
        CallRecordings.of(bench.session)._kept.append(make_second(bench))
        show_recordings(bench.screen)
        dialog = await shown(bench)
        await bench.pilot.pause()
        assert "Recorded call 2" in shown_text(dialog)
        await bench.press("left")
        assert "Recorded call 1" in shown_text(dialog) and "20 passes" in shown_text(dialog)
        await bench.press("right", "right")
        assert "Recorded call 2" in shown_text(dialog)


async def record(bench: RealDebugger, function: str) -> None:
    await CallRecordings.of(bench.session).record(function, origin="tui")
    await bench.settled()


def make_second(bench: RealDebugger) -> CallRecording:
    first = CallRecordings.of(bench.session).get(1)
    return msgspec.structs.replace(first, number=2)
