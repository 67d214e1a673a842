"""The box of a dialog: as wide as its contents, up to the screen.

Later contents (typed, found, fetched) make it wider, never narrower: a box that jumps with each
letter can't be read, and each jump is expensive on a slow connection.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import ceil
from typing import ClassVar, NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.keys.key_reader import CHOOSES, CLOSES, Hint
from tuidbg.tui.toolkit.widgets.rows import ListRow, RowsPane, visible

_INPUT_STEP = 20
"""Columns by which a box grows with typed text."""

_INPUT_LEAST = 40
"""Columns of a nearly empty input line."""

_TITLE_ENDS = 6
"""Columns of the corners and their gaps to a title."""

_CSS = """
BOX {
    width: auto; max-width: 100%; height: auto; max-height: 100%;
    padding: 0 1; background: $surface; border: round $primary;
    border-title-color: $primary; border-subtitle-color: $text-muted;
    scrollbar-size-vertical: 1;
    RowsPane {
        width: auto; min-width: 100%; max-width: 100%; height: auto; min-height: 1;
        background: $surface;
    }
    .prose { max-width: 96; }
    Input { height: 1; border: none; padding: 0 1; background: $background; }
    Input:focus { border: none; }
}
"""


class _Fitting(Widget):
    """A container as wide as its widest child, or its titles."""

    least = 0
    """Minimum columns, if the screen has them."""
    _columns = 0

    def fit_again(self) -> None:
        """Fit the content again, also to a smaller width."""
        self._columns = 0
        self.refresh(layout=True)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Widen the box for typed text."""
        line = event.input
        has_room = self.outer_size.width < self.screen.size.width
        if has_room and _leaf_width(line, self.size, self.size) > line.size.width:
            self.refresh(layout=True)

    @property
    def _has_relative_children_width(self) -> bool:
        return False  # Textual would make it as wide as the screen: such widgets share the width

    def get_content_width(self, container: Size, viewport: Size) -> int:
        titles = (self.border_title, self.border_subtitle)
        said = [Content.from_markup(str(title)).cell_length for title in titles if title]
        wanted = [length + _TITLE_ENDS - self.gutter.width for length in said]
        wanted.append(_natural_width(self, container, viewport) - self.gutter.width)
        self._columns = max(self._columns, self.least, *wanted)
        return self._columns


class Box(_Fitting, Vertical):
    """The parts of a dialog, stacked vertically."""

    DEFAULT_CSS = _CSS.replace("BOX", "Box")


class ReadingBox(_Fitting, VerticalScroll):
    """A scrolling text box."""

    DEFAULT_CSS = _CSS.replace("BOX", "ReadingBox")


def _natural_width(widget: Widget, container: Size, viewport: Size) -> int:
    """Return the columns that a widget needs, with its border and margin."""
    styles = widget.styles
    if not widget.display or widget.has_class("problem"):
        return 0  # problem texts wrap: they must not make the box jump
    around = styles.margin.width
    if styles.width is not None and styles.width.is_cells:
        return int(styles.width.value) + around
    if widget.children:
        wanted = _children_width(widget, container, viewport)
    else:
        wanted = _leaf_width(widget, container, viewport)
    wanted += widget.gutter.width
    if styles.min_width is not None and styles.min_width.is_cells:
        wanted = max(wanted, int(styles.min_width.value))
    if styles.max_width is not None and styles.max_width.is_cells:
        wanted = min(wanted, int(styles.max_width.value))
    return wanted + around


def _children_width(widget: Widget, container: Size, viewport: Size) -> int:
    scrollbar = widget.styles.scrollbar_size_vertical if widget.styles.overflow_y == "auto" else 0
    widths = [_natural_width(child, container, viewport) for child in widget.children]
    layout = widget.styles.layout
    if layout is None or layout.name != "horizontal":
        return max(widths) + scrollbar
    # Widgets that share the width get equal parts of it.
    sharing = [w for w, child in zip(widths, widget.children, strict=True) if _shares(child)]
    return sum(widths) - sum(sharing) + len(sharing) * max(sharing, default=0) + scrollbar


def _shares(widget: Widget) -> bool:
    width = widget.styles.width
    return widget.display and (width is None or width.is_fraction)


def _leaf_width(widget: Widget, container: Size, viewport: Size) -> int:
    wanted = widget.get_content_width(container, viewport)
    if isinstance(widget, Input):
        return max(_INPUT_LEAST, ceil(wanted / _INPUT_STEP) * _INPUT_STEP)
    return wanted


class FollowedPane(RowsPane):
    """A list that reports cursor moves."""

    class Moved(Message):
        """A move of the cursor to another row."""

        def __init__(self, pane: FollowedPane, key: Hashable) -> None:
            super().__init__()
            self.pane = pane
            self.key = key

        @property
        def control(self) -> FollowedPane:
            return self.pane

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        self.post_message(self.Moved(self, self.cursor_key))

    def on_click(self, event: events.Click) -> None:
        """Select a row on one click, activate it on two."""
        event.prevent_default()
        index = event.y + self.scroll_offset.y
        if event.button == 1 and index < len(self.rows):
            self._move_cursor(index)
            if event.chain > 1:
                self.action_activate()


class BoxChoice(NamedTuple):
    """An option: its letter, label and present value."""

    letter: str
    title: str
    state: str = ""


class ChoicesPane(RowsPane):
    """The list of options."""


class ChoiceDialog(Dialog[str | None]):
    """The choice dialog. Result: the letter of the chosen option; None on Esc.

    With ``on_choice`` it stays open: the function gets each choice and returns the new list.
    """

    HINTS = (Hint("enter", "select, or type its key"), CLOSES, CHOOSES)

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", show=False)]

    def __init__(
        self,
        title: str,
        choices: Sequence[BoxChoice],
        *,
        on_choice: Callable[[str], Sequence[BoxChoice]] | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._choices = tuple(choices)
        self._on_choice = on_choice

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = visible(self._title).replace("[", r"\[")
            yield ChoicesPane(id="choices")

    def on_mount(self) -> None:
        pane = self.query_one(ChoicesPane)
        pane.styles.height = len(self._choices)
        self._show()
        self.set_focus(pane)

    def _show(self) -> None:
        width = max(len(choice.title) for choice in self._choices)
        rows = [
            ListRow(
                choice.letter,
                (
                    (f" {choice.letter}  ", "strong"),
                    (choice.title.ljust(width) if choice.state else choice.title, "name"),
                    (f"  {visible(choice.state)}" if choice.state else "", "value"),
                ),
            )
            for choice in self._choices
        ]
        self.query_one(ChoicesPane).set_rows(rows)

    def on_key(self, event: events.Key) -> None:
        if any(choice.letter == event.character for choice in self._choices):
            event.stop()
            self._choose(str(event.character))

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        if isinstance(event.key, str):
            self._choose(event.key)

    def _choose(self, letter: str) -> None:
        if self._on_choice is not None:
            self._choices = tuple(self._on_choice(letter))
            self._show()
        elif self.is_active:
            self.dismiss(letter)

    def action_close(self) -> None:
        """Close without a result."""
        if self.is_active:
            self.dismiss(None)
