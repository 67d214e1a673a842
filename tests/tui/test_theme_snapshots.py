"""Pictures of the main states in each theme but the dark one, which all other pictures have."""

from __future__ import annotations

import pytest

from tests.support.pictures import SIZES, Pictures, Stage
from tests.tui.test_snapshots import SCENES
from tuidbg.tui.toolkit.theme.theme import PREFIX, register_themes

pytestmark = pytest.mark.full

THEMES = ("light", "high-contrast", "ansi")
STATES = (
    *("stopped", "exception", "terminated", "failed", "console", "edit_breakpoint"),
    *("exceptions", "help", "search", "kinds", "trace"),
)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("theme", THEMES)
def test_theme(theme: str, state: str, pictures: Pictures) -> None:
    async def scene(stage: Stage) -> None:
        register_themes(stage.app)
        stage.app.theme = f"{PREFIX}{theme}"
        await SCENES[state](stage)

    pictures.compare_scene(scene, SIZES[1])
