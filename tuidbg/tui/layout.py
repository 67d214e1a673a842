"""Where the panes are: one pure function from a size to regions, and the widgets that use it.

A wide screen has the source and the console on the left and the other panes stacked on the right.
A narrow one has the source above and one shared place below, where the other panes are tabs. One
pane can be maximised in either. All panes stay children of one body, so nothing is remounted when
the screen changes its size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

import msgspec
from rich.segment import Segment
from textual import events
from textual.geometry import Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tuidbg.tui.rows import shorten

PANES = ("source", "variables", "stack", "breakpoints", "console")
"""The panes in the order of their number keys."""

TITLES = {
    "source": "Source",
    "variables": "Variables",
    "stack": "Stack",
    "breakpoints": "Breakpoints",
    "console": "Console",
}
_RIGHT = ("variables", "stack", "breakpoints")
WIDE = (100, 20)
"""From this size on (columns, rows) the panes stand beside each other."""
_LEAST = 3
"""Rows that a pane with its title keeps whatever the person drags."""


class Sizes(msgspec.Struct, frozen=True):
    """The shares of the screen, as a person has set them; each in 0..1."""

    side: float = 0.36
    console: float = 0.27
    variables: float = 0.5
    stack: float = 0.25
    tabs: float = 0.42


class Arrangement(msgspec.Struct, frozen=True):
    """Regions of panes and of their titles; what is missing is not shown."""

    panes: dict[str, Region]
    titles: dict[str, Region]
    tabs: Region | None = None
    divider: Region | None = None


def is_wide(size: Size) -> bool:
    """Whether the panes of the side stand beside the source in that size."""
    return size.width >= WIDE[0] and size.height >= WIDE[1]


def _share(total: int, share: float, least: int) -> int:
    """``share`` of ``total``, with ``least`` left for it and for the rest where there is room."""
    wanted = round(total * share)
    return max(min(least, total // 2), min(wanted, total - min(least, total // 2)))


def arrange_panes(
    size: Size, sizes: Sizes, *, tab: str = "variables", maximised: str | None = None
) -> Arrangement:
    """The regions of all panes in ``size``."""
    width, height = size
    if maximised is not None:
        return _stacked({maximised: Region(0, 0, width, height)})
    if is_wide(size):
        return _arrange_wide(width, height, sizes)
    below = _share(height, sizes.tabs, _LEAST)
    above = height - below
    arrangement = _stacked({"source": Region(0, 0, width, above)})
    arrangement.panes[tab] = Region(0, above + 1, width, max(0, below - 1))
    return msgspec.structs.replace(arrangement, tabs=Region(0, above, width, min(1, below)))


def _arrange_wide(width: int, height: int, sizes: Sizes) -> Arrangement:
    side = _share(width, sizes.side, 24)
    left = width - side - 1
    console = _share(height, sizes.console, _LEAST)
    regions = {
        "source": Region(0, 0, left, height - console),
        "console": Region(0, height - console, left, console),
    }
    variables = _share(height, sizes.variables, _LEAST)
    stack = _share(height, sizes.stack, _LEAST)
    stack = max(_LEAST, min(stack, height - variables - _LEAST))
    variables = min(variables, height - stack - _LEAST)
    y = 0
    for name, rows in (
        ("variables", variables),
        ("stack", stack),
        ("breakpoints", height - variables - stack),
    ):
        regions[name] = Region(left + 1, y, side, rows)
        y += rows
    arrangement = _stacked(regions)
    return msgspec.structs.replace(arrangement, divider=Region(left, 0, 1, height))


def _stacked(regions: Mapping[str, Region]) -> Arrangement:
    """A title of one row above each pane."""
    titles = {name: Region(r.x, r.y, r.width, min(1, r.height)) for name, r in regions.items()}
    panes = {
        name: Region(r.x, r.y + 1, r.width, max(0, r.height - 1)) for name, r in regions.items()
    }
    return Arrangement(panes=panes, titles=titles)


class PaneTitle(Widget):
    """The row above a pane: its number and name, a hint, and a handle to drag."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"title--focused", "title--hint", "title--warning"}
    DEFAULT_CSS = """
    PaneTitle { height: 1; background: $panel; color: $text-muted; }
    PaneTitle > .title--focused { color: $primary; text-style: bold; }
    PaneTitle > .title--hint { color: $text-muted; }
    PaneTitle > .title--warning { color: $text-warning; }
    """

    is_active: reactive[bool] = reactive(False)
    label: reactive[str] = reactive("")
    hint: reactive[str] = reactive("")
    hint_is_warning: reactive[bool] = reactive(False)

    class Dragged(Message):
        """The title was dragged to a row of the screen."""

        def __init__(self, pane: str, screen_y: int) -> None:
            super().__init__()
            self.pane = pane
            self.screen_y = screen_y

    class Pressed(Message):
        """The title was clicked (``twice``: a double click)."""

        def __init__(self, pane: str, *, twice: bool) -> None:
            super().__init__()
            self.pane = pane
            self.twice = twice

    def __init__(self, pane: str) -> None:
        super().__init__(id=f"title-{pane}")
        self.pane = pane
        self._drags = False
        self.set_reactive(PaneTitle.label, TITLES[pane])

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        number = PANES.index(self.pane) + 1
        name = self.get_component_rich_style("title--focused") if self.is_active else base
        mark = "▌" if self.is_active else " "
        head = f"{mark}{number} "
        label = shorten(self.label, max(4, self.size.width - len(head) - 1))
        segments = [Segment(head, name), Segment(label, name)]
        if self.hint:
            kind = "title--warning" if self.hint_is_warning else "title--hint"
            segments.append(Segment(f"  {self.hint}", self.get_component_rich_style(kind)))
        return Strip(segments).adjust_cell_length(self.size.width, base)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._drags = True
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._drags and event.button:
            self.post_message(self.Dragged(self.pane, event.screen_y))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self._drags = False
        self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.Pressed(self.pane, twice=event.chain == 2))


class PaneTabs(Widget):
    """The tabs of the panes that share one place on a narrow screen."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tabs--current", "tabs--focused"}
    DEFAULT_CSS = """
    PaneTabs { height: 1; background: $panel; color: $text-muted; }
    PaneTabs > .tabs--current { color: $foreground; background: $background; text-style: bold; }
    PaneTabs > .tabs--focused { color: $primary; background: $background; text-style: bold; }
    """
    current: reactive[str] = reactive("variables")
    is_active: reactive[bool] = reactive(False)
    hint: reactive[str] = reactive("")

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, pane: str) -> None:
            super().__init__()
            self.pane = pane

    class Dragged(Message):
        """The row of tabs was dragged to a row of the screen."""

        def __init__(self, screen_y: int) -> None:
            super().__init__()
            self.screen_y = screen_y

    def __init__(self) -> None:
        super().__init__(id="pane-tabs")
        self._drags = False

    def _labels(self) -> list[tuple[str, str]]:
        names = PANES[1:]
        labels = [(name, f" {PANES.index(name) + 1} {TITLES[name]} ") for name in names]
        if sum(len(label) for _, label in labels) > self.size.width:
            labels = [(name, f" {PANES.index(name) + 1} {TITLES[name][:6]} ") for name in names]
        return labels

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        kind = "tabs--focused" if self.is_active else "tabs--current"
        current = self.get_component_rich_style(kind)
        segments: list[Segment] = []
        for name, label in self._labels():
            if name == self.current and self.is_active:
                label = "▌" + label[1:]
            segments.append(Segment(label, current if name == self.current else base))
        if self.hint:
            segments.append(Segment(f" {self.hint}", base))
        return Strip(segments).adjust_cell_length(self.size.width, base)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._drags = True
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._drags and event.button:
            self.post_message(self.Dragged(event.screen_y))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self._drags = False
        self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        x = 0
        for name, label in self._labels():
            if x <= event.x < x + len(label):
                self.post_message(self.Chosen(name))
            x += len(label)


class Divider(Widget):
    """The line between the two columns of a wide screen; it can be dragged."""

    DEFAULT_CSS = "Divider { width: 1; background: $panel; color: $text-muted; }"

    class Dragged(Message):
        """The divider was dragged to a column of the screen."""

        def __init__(self, screen_x: int) -> None:
            super().__init__()
            self.screen_x = screen_x

    def render_line(self, y: int) -> Strip:
        return Strip([Segment("│", self.rich_style)])

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if event.button and self.app.mouse_captured is self:
            self.post_message(self.Dragged(event.screen_x))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self.release_mouse()


class _PaneLayout(Layout):
    """Puts the children of the body where ``Body.arrangement`` says."""

    name = "panes"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        assert isinstance(parent, Body)
        regions = parent.regions(size)
        return [
            WidgetPlacement(regions[child], child.offset, Spacing(), child)
            for child in children
            if child in regions
        ]


class Body(Widget):
    """Holds the panes, their titles, the tabs and the divider."""

    DEFAULT_CSS = "Body { height: 1fr; width: 1fr; }"

    sizes: reactive[Sizes] = reactive(Sizes(), repaint=False)
    tab: reactive[str] = reactive("variables", repaint=False)
    maximised: reactive[str | None] = reactive[str | None](None, repaint=False)

    def __init__(self, panes: Iterable[Widget]) -> None:
        self.panes = {pane.id: pane for pane in panes if pane.id}
        self.titles = {name: PaneTitle(name) for name in PANES}
        self.tabs = PaneTabs()
        self.divider = Divider()
        super().__init__(*self.titles.values(), self.tabs, self.divider, *self.panes.values())
        self._pane_layout = _PaneLayout()

    @property
    def layout(self) -> Layout:
        return self._pane_layout

    def regions(self, size: Size) -> dict[Widget, Region]:
        """The region of every child that is shown."""
        arrangement = arrange_panes(size, self.sizes, tab=self.tab, maximised=self.maximised)
        regions: dict[Widget, Region] = {
            self.panes[name]: region for name, region in arrangement.panes.items()
        }
        regions |= {self.titles[name]: region for name, region in arrangement.titles.items()}
        if arrangement.tabs is not None:
            regions[self.tabs] = arrangement.tabs
        if arrangement.divider is not None:
            regions[self.divider] = arrangement.divider
        return regions

    def rearrange(self) -> None:
        """Show what belongs on the screen now; what is not shown can't have the focus."""
        shown = self.regions(self.size)
        for child in self.children:
            child.display = child in shown
        self.tabs.current = self.tab
        self.refresh(layout=True)

    def on_resize(self) -> None:
        self.rearrange()

    def watch_sizes(self) -> None:
        self.rearrange()

    def watch_tab(self) -> None:
        self.rearrange()

    def watch_maximised(self) -> None:
        self.rearrange()

    def reveal(self, pane: str) -> None:
        """See that a pane is on the screen."""
        if self.maximised is not None and self.maximised != pane:
            self.maximised = None if self.maximised == "source" else pane
        if pane != "source":
            self.tab = pane

    def drag_column(self, x: int) -> None:
        """The divider stands at column ``x`` now."""
        share = (self.size.width - 1 - x) / max(1, self.size.width)
        self.sizes = msgspec.structs.replace(self.sizes, side=_clamp(share))

    def drag_row(self, pane: str, y: int) -> None:
        """The title of ``pane`` (or of the tabs) stands at row ``y`` now."""
        height = max(1, self.size.height)
        if not is_wide(self.size):
            self.sizes = msgspec.structs.replace(self.sizes, tabs=_clamp((height - y) / height))
        elif pane == "console":
            self.sizes = msgspec.structs.replace(self.sizes, console=_clamp((height - y) / height))
        elif pane == "stack":
            moved = _clamp(y / height)
            stack = self.sizes.variables + self.sizes.stack - moved
            self.sizes = msgspec.structs.replace(self.sizes, variables=moved, stack=_clamp(stack))
        elif pane == "breakpoints":
            stack = y / height - self.sizes.variables
            self.sizes = msgspec.structs.replace(self.sizes, stack=_clamp(stack))

    def grow(self, pane: str, *, columns: int = 0, rows: int = 0) -> None:
        """Make a pane larger or smaller by a few columns or rows."""
        sizes, width, height = self.sizes, max(1, self.size.width), max(1, self.size.height)
        if columns:
            sign = 1 if pane in _RIGHT else -1
            sizes = msgspec.structs.replace(sizes, side=_clamp(sizes.side + sign * columns / width))
        if rows and not is_wide(self.size):
            sign = -1 if pane == "source" else 1
            sizes = msgspec.structs.replace(sizes, tabs=_clamp(sizes.tabs + sign * rows / height))
        elif rows and pane in ("source", "console"):
            sign = 1 if pane == "console" else -1
            sizes = msgspec.structs.replace(
                sizes, console=_clamp(sizes.console + sign * rows / height)
            )
        elif rows and pane == "variables":
            sizes = msgspec.structs.replace(
                sizes, variables=_clamp(sizes.variables + rows / height)
            )
        elif rows:
            sign = 1 if pane == "stack" else -1
            sizes = msgspec.structs.replace(sizes, stack=_clamp(sizes.stack + sign * rows / height))
        self.sizes = sizes


def _clamp(share: float) -> float:
    return max(0.05, min(0.9, share))
