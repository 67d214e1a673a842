"""Which widgets a repaint renders; that the picture is right, ``test_whole_picture`` shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Region
from textual.widget import Widget

from tests.support.screens import counting, debugger


async def _rendered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The ids of what is rendered where a line of the source and the status line have changed."""
    asked = set[str]()
    async with debugger(folder, counting(folder)) as bench:
        screen: Any = bench.app.screen
        render_lines = Widget.render_lines

        def note(self: Widget, crop: Region) -> object:
            asked.add(self.id or type(self).__name__)
            return render_lines(self, crop)

        with monkeypatch.context() as patched:
            patched.setattr(Widget, "render_lines", note)
            screen.source.refresh(Region(0, 3, 5, 1))
            screen.status.refresh()
            screen._compositor.update_widgets({screen.source, screen.status})
            screen._compositor.render_update()
    return asked


async def test_what_has_not_changed_is_not_rendered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await _rendered(tmp_path, monkeypatch) == {"source", "status", "PaneArea", "DebugScreen"}


async def test_where_textual_has_another_name_all_is_rendered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tuidbg.tui.toolkit.drivers.repaints._USED", ("gone",))
    asked = await _rendered(tmp_path, monkeypatch)
    assert asked > {"source", "status", "stack", "variables"}
