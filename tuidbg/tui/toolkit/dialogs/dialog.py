"""The base of all dialogs: a screen above the others, in one of a few shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.color import Color
from textual.geometry import Region, Size, Spacing
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from textual.strip import Strip

from tuidbg.tui.toolkit.keys.key_reader import CLOSES, Hint, Mode
from tuidbg.tui.toolkit.theme.legible import make_legible
from tuidbg.tui.toolkit.widgets.line_view import LineView
from tuidbg.tui.toolkit.widgets.pane_layout import is_wide
from tuidbg.tui.toolkit.widgets.safe_screens import Lasting


class Shape(StrEnum):
    """The shape of a dialog; its value is the CSS class of the screen."""

    BOX = "-box"
    DOCK = "-dock"
    FULL = "-full"
    LINE = "-line"


SHAPES: Mapping[str, Shape] = {
    # A question, a short form, a few choices
    "AboutDialog": Shape.BOX,
    "AdaptersDialog": Shape.BOX,
    "AgreementDialog": Shape.BOX,
    "AttachDialog": Shape.BOX,
    "BreakpointDialog": Shape.BOX,
    "CellDialog": Shape.BOX,
    "ChoiceDialog": Shape.BOX,
    "CommandsPalette": Shape.BOX,
    "DoctorDialog": Shape.BOX,
    "ExceptionsDialog": Shape.BOX,
    "LaunchDialog": Shape.BOX,
    "NotesDialog": Shape.BOX,
    "OptionsDialog": Shape.BOX,
    "QuestionDialog": Shape.BOX,
    "SeriesDialog": Shape.BOX,
    "SessionsDialog": Shape.BOX,
    "SetValueDialog": Shape.BOX,
    "StepTargetsDialog": Shape.BOX,
    "TableKeysDialog": Shape.BOX,
    # Beside the source
    "AutopsyDialog": Shape.DOCK,
    "MomentsDialog": Shape.DOCK,
    "PagerDialog": Shape.DOCK,
    "TasksDialog": Shape.DOCK,
    # In place of the panes
    "ConfigurationsDialog": Shape.FULL,
    "FindDialog": Shape.FULL,
    "HelpDialog": Shape.FULL,
    "HistoryDialog": Shape.FULL,
    "JobDialog": Shape.FULL,
    "LifetimeDialog": Shape.FULL,
    "ManualDialog": Shape.FULL,
    "ModulesDialog": Shape.FULL,
    "PageDialog": Shape.FULL,
    "ProcessesDialog": Shape.FULL,
    "SettingsDialog": Shape.FULL,
    "TableDialog": Shape.FULL,
    # At the bottom
    "PromptDialog": Shape.LINE,
}
"""The shape of each dialog, by the name of its class."""

_DOCK_HEIGHT = 66
"""Percentage of the rows that a dock at the bottom has."""

SHAPES_CSS = f"""
Dialog {{ align: center middle; background: transparent; }}
Dialog > .dialog--dimmed {{ color: $foreground 45%; background: $background; }}
Dialog #box {{
    background: $surface; border: round $primary;
    border-title-color: $primary; border-subtitle-color: $text-muted;
}}
Dialog.-full {{ background: $background; }}
Dialog.-full #box {{ width: 100%; height: 1fr; max-height: 100%; }}
Dialog.-dock {{ align: right bottom; }}
Dialog.-dock #box {{ width: 100%; height: {_DOCK_HEIGHT}%; }}
Dialog.-dock.-wide #box {{ width: 50%; height: 100%; margin-bottom: 1; }}
Dialog.-line {{ align: left bottom; }}
"""


def shape_of(name: str) -> Shape:
    """Return the shape of a dialog class; by default a box."""
    return SHAPES.get(name, Shape.BOX)


_ALIKE = 32
"""The difference of red, green and blue, summed, that is too small to see."""


class DimmedScreen:
    """A renderable of a screen in one style, except for a region that stays as it is."""

    def __init__(self, screen: Screen[Any], style: Style, bright: Region | None) -> None:
        self._screen = screen
        self._style = style
        self._painted = _legible(style)
        self._known: dict[Style, Style] = {}
        self._bright = bright or Region()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        segments = console.render(self._screen._compositor, options)
        for y, row in enumerate(Segment.split_lines(segments)):
            if y:
                yield Segment.line()
            yield from self._row(y, row)

    def _row(self, y: int, row: list[Segment]) -> Iterator[Segment]:
        bright = self._bright
        if bright.y <= y < bright.bottom and bright.width:
            strip = Strip(row)
            before, rest = strip.crop(0, bright.x), strip.crop(bright.x)
            yield from self._dim(before)
            yield from _without_links(rest.crop(0, bright.width))
            yield from self._dim(rest.crop(bright.width))
        else:
            yield from self._dim(row)

    def _dim(self, segments: Iterable[Segment]) -> Iterator[Segment]:
        for text, style, control in segments:
            is_scrollbar = style is not None and "@mouse.down" in style.meta
            shown = " " * cell_len(text) if is_scrollbar else text
            yield Segment(shown, self._style if style is None else self._dimmed(style), control)

    def _dimmed(self, style: Style) -> Style:
        """Return the dimmed style, or this one if it looks like that: it is not written again."""
        if style not in self._known:
            plain = style.clear_meta_and_links()
            own, dim = (each.color and each.color.triplet for each in (plain, self._painted))
            is_alike = (
                own is not None
                and dim is not None
                and sum(abs(one - other) for one, other in zip(own, dim, strict=True)) < _ALIKE
                and plain == Style(color=plain.color, bgcolor=self._style.bgcolor)
            )
            self._known[style] = plain if is_alike else self._style
        return self._known[style]


def _legible(style: Style) -> Style:
    """Return the style as it will be painted."""
    color, ground = style.color, style.bgcolor
    if color is None or ground is None or color.triplet is None or ground.triplet is None:
        return style
    below = Color.from_rich_color(ground)
    return style + Style(color=make_legible(Color.from_rich_color(color), [below]).rich_color)


def _without_links(segments: Iterable[Segment]) -> Iterator[Segment]:
    for text, style, control in segments:
        yield Segment(text, style.clear_meta_and_links() if style else style, control)


T = TypeVar("T")

_BAR = 1
"""Rows of the key bar."""
ENOUGH = 14
"""Rows below the edited line that suffice for a short form."""


@runtime_checkable
class HasSource(Protocol):
    """A screen with a source pane."""

    @property
    def source(self) -> LineView:
        """The pane."""


class Dialog(Lasting, ModalScreen[T]):
    """A screen above the others that asks or shows something; its bar names its own keys.

    The rest of the screen is dimmed, except for the line being edited and the source beside a dock.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"dialog--dimmed"}
    DEFAULT_CSS = SHAPES_CSS

    HINTS: ClassVar[Sequence[Hint]] = (CLOSES,)

    edited: Callable[[], Region | None] | None = None
    """Returns the region of the edited line, if it is on the screen."""

    def __init__(self) -> None:
        super().__init__()
        self.shape = shape_of(type(self).__name__)
        self.add_class(self.shape)

    @property
    def key_mode(self) -> Mode:
        """The keys inside the dialog; see ``tui/keys/key_reader.py``."""
        return Mode("dialog", "dialog", self.HINTS)

    # Position

    def _on_mount(self, event: events.Mount) -> None:
        super()._on_mount(event)
        self._arrange_box(self.app.size)  # immediately: a second full layout would be noticeable

    @on(events.Resize)
    def _resized(self, event: events.Resize) -> None:
        self._arrange_box(event.size)
        self.call_after_refresh(self._arrange_box, event.size)  # the line will have moved by then

    def rows_in(self, size: Size) -> int:
        """Return the rows available to its box on such a screen: the edited line stays visible."""
        region = self._edited
        if region is None:
            return size.height - _BAR
        return max(region.y, size.height - _BAR - region.bottom)

    def _arrange_box(self, size: Size) -> None:
        """Place the box: at the right on a wide screen; below the edited line, or above it."""
        self.set_class(is_wide(size), "-wide")
        self._reserve_rows(size)
        region = self._edited
        if region is None:
            return
        above, below = region.y, size.height - _BAR - region.bottom
        is_below = below >= min(above, ENOUGH)
        self.styles.align_vertical = "top" if is_below else "bottom"
        margin = Spacing(top=region.bottom) if is_below else Spacing(bottom=below + region.height)
        for box in self.query("#box"):
            box.styles.margin = margin

    def _reserve_rows(self, size: Size) -> None:
        """Have the source show its line above a dock at the bottom."""
        source = self._source if self.shape is Shape.DOCK else None
        if source is not None:
            top = size.height - _BAR - size.height * _DOCK_HEIGHT // 100
            rows = 0 if is_wide(size) else max(0, source.region.bottom - top)
            source.reserve(rows)

    @on(events.Unmount)
    def _release_rows(self) -> None:
        if self.shape is Shape.DOCK and (source := self._source) is not None:
            source.reserve(0)

    @property
    def _source(self) -> LineView | None:
        screens = (screen for screen in self.app.screen_stack if isinstance(screen, HasSource))
        return next((screen.source for screen in screens if screen.source.display), None)

    @property
    def _edited(self) -> Region | None:
        return self.edited() if self.edited is not None else None

    # The screen below

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
        source = self._source
        return source.region if source is not None else None
