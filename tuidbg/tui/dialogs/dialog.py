"""A screen above the others, in one of the shapes of :mod:`tuidbg.tui.dialogs.shapes`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

from rich.console import RenderableType
from textual import events, on
from textual.geometry import Region, Size, Spacing
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen
from textual.widget import Widget

from tuidbg.tui.dialogs.dimmed import DimmedScreen
from tuidbg.tui.dialogs.shapes import SHAPES_CSS, Shape, shape_of
from tuidbg.tui.frame.layout import is_wide
from tuidbg.tui.keys.modes import CLOSES, Hint, Mode
from tuidbg.tui.widgets.lasting import Lasting

T = TypeVar("T")

_BAR = 1
"""Rows of the key bar."""
ENOUGH = 14
"""Rows below the edited line that are enough for a short form."""


@runtime_checkable
class HasSource(Protocol):
    """A screen with a source pane."""

    @property
    def source(self) -> Widget:
        """The pane."""


class Dialog(Lasting, ModalScreen[T]):
    """A screen above the others, which asks something or shows it; its bar names its own keys.

    The rest of the screen is dimmed, but for the line that it edits and for the source beside a
    dock.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"dialog--dimmed"}
    DEFAULT_CSS = SHAPES_CSS

    HINTS: ClassVar[Sequence[Hint]] = (CLOSES,)

    edited: Callable[[], Region | None] | None = None
    """Returns the region of the line that it edits, where that is on the screen."""

    def __init__(self) -> None:
        super().__init__()
        self.shape = shape_of(type(self).__name__)
        self.add_class(self.shape)

    @property
    def key_mode(self) -> Mode:
        """The keys while something in the dialog has them; see ``tuidbg/tui/keys/modes.py``."""
        return Mode("dialog", "dialog", self.HINTS)

    # Its place

    def _on_mount(self, event: events.Mount) -> None:
        super()._on_mount(event)
        self._arrange_box(self.app.size)  # at once: laying it all out twice would be felt

    @on(events.Resize)
    def _resized(self, event: events.Resize) -> None:
        self._arrange_box(event.size)
        self.call_after_refresh(self._arrange_box, event.size)  # the line is elsewhere by then

    def rows_in(self, size: Size) -> int:
        """The rows that its box may have on a screen of that size: the edited line is visible."""
        region = self._edited
        if region is None:
            return size.height - _BAR
        return max(region.y, size.height - _BAR - region.bottom)

    def _arrange_box(self, size: Size) -> None:
        """At the right where that is wide; below the line that it edits, or above it."""
        self.set_class(is_wide(size), "-wide")
        region = self._edited
        if region is None:
            return
        above, below = region.y, size.height - _BAR - region.bottom
        is_below = below >= min(above, ENOUGH)
        self.styles.align_vertical = "top" if is_below else "bottom"
        margin = Spacing(top=region.bottom) if is_below else Spacing(bottom=below + region.height)
        for box in self.query("#box"):
            box.styles.margin = margin

    @property
    def _edited(self) -> Region | None:
        return self.edited() if self.edited is not None else None

    # What is below it

    def render(self) -> RenderableType:
        rendered = super().render()
        if not isinstance(rendered, BackgroundScreen) or self.shape is Shape.LINE:
            return rendered
        style = self.get_component_rich_style("dialog--dimmed")
        return DimmedScreen(rendered.screen, style, self._bright)

    @property
    def _bright(self) -> Region | None:
        if self.shape is not Shape.DOCK:
            return self._edited
        screens = (screen for screen in self.app.screen_stack if isinstance(screen, HasSource))
        return next((screen.source.region for screen in screens if screen.source.display), None)
