"""Pictures of the timeline, at the sizes that people have."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.support.sessions import until
from tests.tui.test_snapshots import NAMES, SIZES, Stage, same_everywhere, stages
from tuidbg.tui.history.dialog import HistoryDialog
from tuidbg.tui.history.series import SeriesDialog

pytestmark = pytest.mark.real

__all__ = ["same_everywhere", "stages"]

NOON = 1_700_000_000.0


async def walked(stage: Stage) -> None:
    """Eight stops in a loop and the exception at the end, at times that are always the same."""
    breakpoints = stage.session.breakpoints
    await breakpoints.set(str(stage.source), 22, origin="tui")
    for key in ("c", "n", "c", "n", "c", "n"):
        await stage.go(key)
    await breakpoints.remove(1, origin="tui")
    await stage.go("c")
    await until(lambda: stage.session.stop is not None and bool(stage.session.stop.exception))
    await stage.settle()
    for past in stage.session.history:
        past.time = NOON + past.number


SCENES = {
    "newest": (),
    "compared": ("left", "left", "left", "left", "space", "right", "right"),
    "series": ("left", "tab"),
}


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("scene", SCENES)
def test_history(
    scene: str,
    size: tuple[int, int],
    stages: Callable[..., Stage],
    snap_compare: Callable[..., bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    stage = stages()
    os.utime(stage.source, (NOON - 1000, NOON - 1000))

    async def act(pilot: Pilot[int]) -> None:
        await stage.start(pilot)
        await walked(stage)
        await pilot.press("h")
        await until(lambda: len(stage.app.screen_stack) > 1)
        await pilot.pause()
        await pilot.press(*SCENES[scene])
        await pilot.pause()
        if scene == "series":
            dialog = stage.app.screen
            assert isinstance(dialog, HistoryDialog)
            dialog.details.move_cursor_to(("value", 0, ("Locals", "paid")))
            await pilot.press("enter")
            await until(lambda: isinstance(stage.app.screen, SeriesDialog))
            await pilot.pause()

    try:
        assert snap_compare(stage.app, terminal_size=size, run_before=act)
    finally:
        monkeypatch.undo()
        time.tzset()
