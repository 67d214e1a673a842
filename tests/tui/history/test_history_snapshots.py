"""Pictures of the timeline, at the sizes that people have."""

from __future__ import annotations

import os

import pytest

from tests.support.pictures import NAMES, SIZES, Pictures, Size, Stage
from tests.support.sessions import until
from tuidbg.tui.features.history.dialog import HistoryDialog, SeriesDialog

pytestmark = pytest.mark.full

NOON = 1_700_000_000.0


async def walked(stage: Stage) -> None:
    """Eight stops in a loop and the exception at the end, at times that are always the same."""
    breakpoints = stage.session.breakpoints
    await breakpoints.set(str(stage.source), 22, origin="tui")
    for key in ("c", "n", "c", "n", "c", "n"):
        await stage.go(key)
    await breakpoints.remove(1, origin="tui")
    await stage.go_to_exception()
    for past in stage.session.history:
        past.time = NOON + past.number


SCENES = {
    "newest": (),
    "compared": ("left", "left", "left", "left", "space", "right", "right"),
    "series": ("left", "tab"),
}


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("scene", SCENES)
def test_history(scene: str, size: Size, pictures: Pictures) -> None:
    async def timeline(stage: Stage) -> None:
        await walked(stage)
        await stage.pilot.press("h")
        await stage.until_dialog()
        await stage.pilot.press(*SCENES[scene])
        await stage.pilot.pause()
        if scene == "series":
            dialog = stage.app.screen
            assert isinstance(dialog, HistoryDialog)
            dialog.details.move_cursor_to(("value", 0, ("Locals", "paid")))
            await stage.pilot.press("enter")
            await until(lambda: isinstance(stage.app.screen, SeriesDialog))
            await stage.pilot.pause()

    stage = pictures.make_stage()
    os.utime(stage.source, (NOON - 1000, NOON - 1000))
    pictures.compare_scene(timeline, size, stage)
