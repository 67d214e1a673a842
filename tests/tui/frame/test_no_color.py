"""NO_COLOR: no colour is written, greys included, and what colours say is still told apart."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rich.segment import Segment
from rich.style import Style

from tests.support.pictures import Pictures, Stage, stop_in_loop


def segments(stage: Stage) -> Iterator[Segment]:
    """What is written: the screen's rows after the app's filters."""

    for strip in stage.app.screen._compositor.render_strips():
        yield from strip


def look_of(stage: Stage, words: str) -> Style:
    found = next((s for s in segments(stage) if words in s.text), None)
    assert found is not None and found.style is not None, words
    return found.style


@pytest.mark.parametrize("theme", ["tuidbg-dark", "tuidbg-ansi"])
async def test_nothing_has_a_colour(
    theme: str, pictures: Pictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stage = pictures.make_stage()
    async with stage.app.run_test(size=(100, 30)) as pilot:
        stage.app.theme = theme if theme in stage.app.available_themes else stage.app.theme
        await stage.start(pilot)
        await stop_in_loop(stage)
        assert look_of(stage, " paused ").reverse
        assert look_of(stage, "    while ").reverse, "where the program is"
        assert look_of(stage, " 2 Variables ").reverse, "the pane in view"
        await stage.press("f7")
        assert look_of(stage, "default").reverse, "the row under the cursor"
        assert not look_of(stage, "vscode").reverse
        await stage.press("escape")
        for keys in ((), ("2",), ("slash", *"parcel"), ("escape", "colon"), ("escape", "B")):
            for key in keys:
                await pilot.press(key)
            await pilot.pause()
            colors = {
                color
                for segment in segments(stage)
                if segment.style is not None
                for color in (segment.style.color, segment.style.bgcolor)
                if color is not None and not color.is_default
            }
            assert not colors, keys
