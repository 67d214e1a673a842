"""A short list over the prompt: completions, or what was typed before.

It never has the focus: the prompt keeps the keys, and moves the list's cursor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tuidbg.tui.frame.lazy_styles import LazyStyles
from tuidbg.tui.widgets.strips import fit

MAX_ROWS = 8
_MAX_WIDTH = 60
_LINE_END = "⏎"


class ConsolePopup(LazyStyles, Widget):
    """Some texts of which one is selected."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"console-popup--selected", "console-popup--more"}
    DEFAULT_CSS = """
    ConsolePopup {
        overlay: screen;
        constrain: inside inside;
        display: none;
        width: auto;
        height: auto;
        background: $panel;
        color: $foreground;
    }
    ConsolePopup > .console-popup--selected { background: $primary 60%; text-style: bold; }
    ConsolePopup > .console-popup--more { color: $text-muted; }
    """

    class Chosen(Message):
        """An item was clicked; it is selected."""

    def __init__(self) -> None:
        super().__init__()
        self.items: tuple[str, ...] = ()
        self.selected = 0

    @property
    def choice(self) -> str:
        """The selected text."""
        return self.items[self.selected]

    def show(self, items: Sequence[str], *, column: int, below: int) -> None:
        """Show these, the first selected, their text at a cell of the parent.

        ``below`` are the rows under the list: those of the prompt.
        """
        self.items = tuple(items)
        self.selected = 0
        height = len(self._window()) + self._has_more
        width = max(cell_len(_shown(item)) for item in self.items)
        if self._has_more:
            width = max(width, len(self._count(len(self.items))))
        self.styles.width = min(_MAX_WIDTH, width + 2)
        self.styles.height = height
        self.styles.offset = (column - 1, -below - height)
        self.display = True
        self.refresh()

    def close(self) -> None:
        """Take it away."""
        self.display = False
        self.items = ()

    def move(self, by: int) -> None:
        """Select another; behind the last comes the first."""
        self.selected = (self.selected + by) % len(self.items)
        self.refresh()

    @property
    def _has_more(self) -> bool:
        return len(self.items) > MAX_ROWS

    def _window(self) -> range:
        first = max(0, min(self.selected - MAX_ROWS // 2, len(self.items) - MAX_ROWS))
        return range(first, min(first + MAX_ROWS, len(self.items)))

    def render_line(self, y: int) -> Strip:
        base, window = self.rich_style, self._window()
        if y < len(window):
            index = window[y]
            selected = index == self.selected
            style = base
            if selected:
                style = base + self.get_component_rich_style("console-popup--selected")
            return fit([Segment(f" {_shown(self.items[index])}", style)], self.size.width, style)
        more = base + self.get_component_rich_style("console-popup--more")
        text = f" {self._count(self.selected + 1)}"
        return fit([Segment(text, more)], self.size.width, more)

    def _count(self, number: int) -> str:
        return f"{number} of {len(self.items)}"

    def on_click(self, event: events.Click) -> None:
        window = self._window()
        if event.y < len(window):
            self.selected = window[event.y]
            self.post_message(self.Chosen())


def _shown(text: str) -> str:
    """A text of several lines in one."""
    return text.replace("\n", _LINE_END).replace("\t", " ")
