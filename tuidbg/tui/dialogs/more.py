"""A row of a form that hides the fields which few people need, and shows them."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class More(Widget, can_focus=True):
    """Says what is behind it, and whether that is in sight."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "switch", show=False),
        Binding("right", "open(True)", show=False),
        Binding("left", "open(False)", show=False),
    ]
    DEFAULT_CSS = """
    More { width: 1fr; height: 1; color: $foreground; }
    More:focus { background: $block-cursor-background; color: $block-cursor-foreground; }
    """

    is_open: reactive[bool] = reactive(False)

    class Toggled(Message):
        """It was opened or closed."""

    def __init__(self, key: str, behind: str, is_open: bool, *, id: str) -> None:
        """``key`` toggles it from every field of the form, ``behind`` names what it hides."""
        super().__init__(id=id)
        self._key = key
        self._behind = behind
        self.set_reactive(More.is_open, is_open)

    def render(self) -> Content:
        if self.is_open:
            return Content(f"▾ more ({self._key} hides it)")
        return Content(f"▸ more ({self._key}): {self._behind}")

    def watch_is_open(self) -> None:
        self.post_message(self.Toggled())

    def action_switch(self) -> None:
        """Open or close it."""
        self.is_open = not self.is_open

    def action_open(self, is_open: bool) -> None:
        """Have it open, or not."""
        self.is_open = is_open

    def on_click(self) -> None:
        self.action_switch()
