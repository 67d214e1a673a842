"""The list of Python programs on a screen of its own: before there is a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from tuidbg.process.listing import PythonProcess
from tuidbg.tui.frame.theme import register_themes
from tuidbg.tui.launching.processes import ProcessesDialog


class ProcessPicker(App[PythonProcess]):
    """Ends with the program that was chosen, or with None."""

    TITLE = "tuidbg attach"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q,ctrl+c", "quit", show=False, priority=True)
    ]

    def __init__(self, find_obstacle: Callable[[int], str], theme: str) -> None:
        """``find_obstacle`` is the adapter profile's."""
        super().__init__()
        self.animation_level = "none"
        self._find_obstacle = find_obstacle
        register_themes(self, {theme})
        self.theme = theme

    def on_mount(self) -> None:
        self.push_screen(ProcessesDialog(self._find_obstacle), self.exit)


def pick_process(find_obstacle: Callable[[int], str], theme: str) -> PythonProcess | None:
    """Let the person choose; None where they would rather not."""
    return ProcessPicker(find_obstacle, theme).run()
