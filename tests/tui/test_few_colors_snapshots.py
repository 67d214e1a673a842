"""Pictures of main states on terminals with fewer colours, as they are written there."""

from __future__ import annotations

import pytest
from rich.color import ColorSystem

from tests.support.few_colors import DARK, LIGHT, draw_with
from tests.support.pictures import Pictures, Stage
from tests.tui.test_snapshots import SCENES
from tuidbg.tui.toolkit.theme.theme import register_themes


@pytest.mark.parametrize(
    ("state", "colors"),
    [("edit_breakpoint", ColorSystem.EIGHT_BIT), ("kinds", ColorSystem.STANDARD)],
    ids=["256", "16"],
)
def test_few_colors(state: str, colors: ColorSystem, pictures: Pictures) -> None:
    stage = pictures.make_stage()
    draw_with(stage.app, colors, DARK)
    pictures.compare_scene(SCENES[state], (80, 24), stage)


def test_own_colors_of_a_light_terminal(pictures: Pictures) -> None:
    stage = pictures.make_stage()
    draw_with(stage.app, ColorSystem.STANDARD, LIGHT)

    async def scene(stage: Stage) -> None:
        register_themes(stage.app)
        stage.app.theme = "tuidbg-ansi-light"
        await SCENES["kinds"](stage)

    pictures.compare_scene(scene, (80, 24), stage)
