"""The commands that begin another session: by a form, or by what launch.json describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tuidbg.tui.pane_screen import PaneScreen

if TYPE_CHECKING:
    from tuidbg.tui.app import TuidbgApp


class LaunchCommands(PaneScreen, is_part=True):
    """Adds them to the screen; all that they need is imported when it is wanted."""

    def command_launch(self) -> None:
        cast("TuidbgApp", self.app).launching.launch()

    def command_attach(self) -> None:
        cast("TuidbgApp", self.app).launching.attach()

    def command_run_configuration(self) -> None:
        cast("TuidbgApp", self.app).launching.choose()
