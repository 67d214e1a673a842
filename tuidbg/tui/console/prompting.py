"""The console's prompt: what was typed earlier, one answer after the other, and the way back.

Whoever goes to the line by a key, for one expression or for the program's input, gets the keys back
where they were: after the evaluation, when the program stands again or has ended, or by Esc. In a
line that was gone to by a click or from the console's lines, one stays.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from textual.widget import Widget
from textual.widgets import Input

from tuidbg.tui.console.pane import ConsolePane, Mode

if TYPE_CHECKING:
    from tuidbg.config.stores.console_history import ConsoleHistory


class HasConsole(Protocol):
    """A screen with a console, and panes from which one comes to it."""

    console: ConsolePane
    last_place: Widget | None

    @property
    def focused(self) -> Widget | None:
        """The widget that has the keys."""

    def focus_pane(self, name: str) -> None:
        """Show a pane and give it the keys."""

    def focus_front(self, name: str) -> None:
        """Give a pane the keys, or what stands in the place of the source."""

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Give a widget the keys. Textual's."""


class Prompting:
    """The prompt of one session."""

    def __init__(self, ui: HasConsole) -> None:
        self._ui = ui
        self.history: ConsoleHistory | None = None
        """Holds what was typed in earlier runs; read when the prompt is first used."""
        self.evaluating = asyncio.Lock()
        """Held by what is being worked out."""
        self.saving = asyncio.Lock()
        """Held while the history is written."""
        self.lines: list[str] = []
        """What was typed in the line of commands, the newest last."""
        self.lining = asyncio.Lock()
        """Held by the line that is being obeyed."""
        ui.console.line.give_back = self.give_back

    def go_to_line(self, mode: Mode) -> None:
        """Give the line the keys, until it has done what they were given for."""
        ui, line, came_from = self._ui, self._ui.console.line, self._ui.focused
        ui.console.mode = mode
        if came_from is not line:
            line.stays = False
            ui.focus_pane("console")
            ui.set_focus(line)
            ui.last_place = came_from

    def give_back(self, *, answered: bool) -> None:
        """Give the keys back to where the person was.

        Where that is not in sight any more it is shown again; but if there is an answer to be read
        (``answered``), the console's lines get the keys instead.
        """
        ui, place = self._ui, self._ui.last_place
        ui.console.line.stays = True
        if place is not None and _is_shown(place):
            ui.set_focus(place, scroll_visible=False)
        elif answered:
            ui.set_focus(ui.console.results, scroll_visible=False)
        elif place is not None and place.is_attached and place.id:
            ui.focus_pane(place.id)
        else:
            ui.focus_front("source")


def _is_shown(place: Widget) -> bool:
    inside = (node for node in place.ancestors_with_self if isinstance(node, Widget))
    return place.is_attached and all(node.display for node in inside)


def is_place(widget: Widget | None) -> bool:
    """Tells whether a person is at home there: anywhere but in a line to type on."""
    return widget is not None and not isinstance(widget, Input)
