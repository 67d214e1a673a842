"""The box of a dialog: as wide as what is in it, up to the screen.

What is typed, found or fetched later makes it wider, never narrower: a box that jumps with each
letter can't be read, and each jump is paid for on a slow line.
"""

from __future__ import annotations

from math import ceil

from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Input

_INPUT_STEP = 20
"""Columns by which a box grows with what is typed into it."""

_INPUT_LEAST = 40
"""Columns of a line that is nearly empty."""

_TITLE_ENDS = 6
"""Columns of the corners, and of what stands between them and a title."""

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
    """A container that is as wide as its widest child, or its titles."""

    least = 0
    """The columns that it has at least, where the screen has them."""
    _columns = 0

    def fit_again(self) -> None:
        """Follow the content also where that is narrower now."""
        self._columns = 0
        self.refresh(layout=True)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Give what is typed its room."""
        line = event.input
        has_room = self.outer_size.width < self.screen.size.width
        if has_room and _leaf_width(line, self.size, self.size) > line.size.width:
            self.refresh(layout=True)

    @property
    def _has_relative_children_width(self) -> bool:
        return False  # Textual would make it as wide as the screen: they share what there is

    def get_content_width(self, container: Size, viewport: Size) -> int:
        titles = (self.border_title, self.border_subtitle)
        said = [Content.from_markup(str(title)).cell_length for title in titles if title]
        wanted = [length + _TITLE_ENDS - self.gutter.width for length in said]
        wanted.append(_natural_width(self, container, viewport) - self.gutter.width)
        self._columns = max(self._columns, self.least, *wanted)
        return self._columns


class Box(_Fitting, Vertical):
    """Holds the parts of a dialog below each other."""

    DEFAULT_CSS = _CSS.replace("BOX", "Box")


class ReadingBox(_Fitting, VerticalScroll):
    """A box of text that scrolls."""

    DEFAULT_CSS = _CSS.replace("BOX", "ReadingBox")


def _natural_width(widget: Widget, container: Size, viewport: Size) -> int:
    """The columns that a widget would like to have, its border and margin included."""
    styles = widget.styles
    if not widget.display or widget.has_class("problem"):
        return 0  # what is wrong wraps: nothing is to jump because of it
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
    # Those that share the room get the same of it.
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
