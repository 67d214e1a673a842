"""The layout of the panes: one pure function from a size to regions, and its widgets.

A wide screen has the source and the console (or the trace, in the same place) on the left and the
other panes stacked on the right. A narrow one has the source above and one shared place below,
where the other panes are tabs. One pane can be maximised in either. All panes stay children of one
body, so nothing is remounted when the screen is resized.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from textual.geometry import Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from tuidbg.tui.toolkit.keys.key_map import KeyMap
from tuidbg.tui.toolkit.widgets.pane_titles import (
    BOTTOM,
    PANES,
    Divider,
    PaneTabs,
    PaneTitle,
    SharedTitle,
    keys_of_panes,
)

_RIGHT = ("variables", "stack", "breakpoints")
WIDE = (120, 20)
"""The size (columns, rows) from which the panes are side by side."""
_LEAST = 4
"""Minimum rows of a pane with its title when dragged."""
_LEAST_SIDE = 24
"""Minimum columns of the side panes."""


class Sizes(msgspec.Struct, frozen=True):
    """The shares of the screen as set by the user; each in 0..1."""

    side: float = 0.36
    console: float = 0.27
    variables: float = 0.5
    stack: float = 0.25
    tabs: float = 0.42


class Arrangement(msgspec.Struct, frozen=True):
    """Regions of panes and of their titles; missing ones are hidden."""

    panes: dict[str, Region]
    titles: dict[str, Region]
    tabs: Region | None = None
    divider: Region | None = None


def is_wide(size: Size) -> bool:
    """Return whether the side panes are beside the source at that size."""
    return size.width >= WIDE[0] and size.height >= WIDE[1]


def _share(total: int, share: float, least: int) -> int:
    """Return ``share`` of ``total``, leaving ``least`` for it and for the rest if possible."""
    wanted = round(total * share)
    return max(min(least, total // 2), min(wanted, total - min(least, total // 2)))


def arrange_panes(
    size: Size,
    sizes: Sizes,
    *,
    tab: str = "variables",
    bottom: str = "console",
    maximised: str | None = None,
) -> Arrangement:
    """Return the regions of all panes in ``size``; ``bottom`` is the one of ``BOTTOM`` shown."""
    width, height = size
    if maximised is not None:
        return _stacked({maximised: Region(0, 0, width, height)})
    if is_wide(size):
        return _arrange_wide(width, height, sizes, bottom)
    below = _share(height, sizes.tabs, _LEAST)
    above = height - below
    arrangement = _stacked({"source": Region(0, 0, width, above)})
    arrangement.panes[tab] = Region(0, above + 1, width, max(0, below - 1))
    return msgspec.structs.replace(arrangement, tabs=Region(0, above, width, min(1, below)))


def _arrange_wide(width: int, height: int, sizes: Sizes, bottom: str) -> Arrangement:
    side = _share(width, sizes.side, _LEAST_SIDE)
    left = width - side - 1
    console = _share(height, sizes.console, _LEAST)
    regions = {
        "source": Region(0, 0, left, height - console),
        bottom: Region(0, height - console, left, console),
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
    """Add a title of one row above each pane."""
    titles = {name: Region(r.x, r.y, r.width, min(1, r.height)) for name, r in regions.items()}
    panes = {
        name: Region(r.x, r.y + 1, r.width, max(0, r.height - 1)) for name, r in regions.items()
    }
    return Arrangement(panes=panes, titles=titles)


class _PaneLayout(Layout):
    """Textual layout that applies ``PaneArea.arrangement``."""

    name = "panes"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        assert isinstance(parent, PaneArea)
        regions = parent.regions(size)
        return [
            WidgetPlacement(regions[child], child.offset, Spacing(), child)
            for child in children
            if child in regions
        ]


class PaneArea(Widget):
    """The container of the panes, their titles, the tabs and the divider."""

    DEFAULT_CSS = "PaneArea { height: 1fr; width: 1fr; }"

    sizes: reactive[Sizes] = reactive(Sizes(), repaint=False)
    tab: reactive[str] = reactive("variables", repaint=False)
    bottom: reactive[str] = reactive("console", repaint=False)
    maximised: reactive[str | None] = reactive[str | None](None, repaint=False)
    upper: reactive[str] = reactive("source", repaint=False)
    """The pane in the place of the source."""

    class Rearranged(Message):
        """A change of visible panes or of their places."""

    def __init__(self, panes: Iterable[Widget]) -> None:
        self.panes = {pane.id: pane for pane in panes if pane.id}
        self.shared_title = SharedTitle()
        self.titles = {name: PaneTitle(name) for name in PANES if name not in BOTTOM}
        self.titles |= {BOTTOM[0]: self.shared_title}
        self.tabs = PaneTabs()
        self.divider = Divider()
        super().__init__(*self.titles.values(), self.tabs, self.divider, *self.panes.values())
        self._pane_layout = _PaneLayout()
        self._sizes_before: Sizes | None = None
        """The sizes before keys changed them that were meant for an input line."""

    @property
    def lasting_sizes(self) -> Sizes:
        """Return the sizes to save for the next run."""
        return self._sizes_before or self.sizes

    @property
    def is_changed(self) -> bool:
        """Return whether the user has changed the built-in layout."""
        return self.lasting_sizes != Sizes() or self.maximised is not None

    def reset(self) -> None:
        """Restore the built-in sizes and places."""
        self._sizes_before = None
        self.turn_to(maximised=None, bottom=BOTTOM[0], tab="variables")
        self.sizes = Sizes()

    def go_back_to(self, sizes: Sizes) -> None:
        """Save these sizes for the next run: later changes were accidental."""
        self._sizes_before = sizes

    @property
    def layout(self) -> Layout:
        return self._pane_layout

    def add_pane(self, pane: Widget) -> None:
        """Add a pane created on demand; it is not shown yet."""
        assert pane.id is not None
        self.panes[pane.id] = pane
        pane.display = False
        if self.is_attached:
            self.mount(pane)
        else:  # too early: it is mounted with the others
            self._add_children(pane)
        self.list_panes(pane.id)

    def list_panes(self, *names: str) -> None:
        shown = {*self.tabs.listed, *names}
        self.tabs.listed = self.shared_title.listed = tuple(n for n in PANES if n in shown)

    def name_keys(self, key_map: KeyMap) -> None:
        """Show the keys of this map before the pane names."""
        self.tabs.keys = keys = keys_of_panes(key_map)
        for title in self.titles.values():
            title.keys = keys

    def title_of(self, pane: str) -> PaneTitle:
        """Return the title above a pane."""
        return self.titles[BOTTOM[0] if pane in BOTTOM else pane]

    def regions(self, size: Size) -> dict[Widget, Region]:
        """Return the regions of all visible children."""
        arrangement = arrange_panes(
            size, self.sizes, tab=self.tab, bottom=self.bottom, maximised=self.maximised
        )
        regions: dict[Widget, Region] = {
            self.panes[self.upper if name == "source" else name]: region
            for name, region in arrangement.panes.items()
        }
        regions |= {self.title_of(name): region for name, region in arrangement.titles.items()}
        if arrangement.tabs is not None:
            regions[self.tabs] = arrangement.tabs
        if arrangement.divider is not None:
            regions[self.divider] = arrangement.divider
        return regions

    def rearrange(self) -> None:
        """Show the panes of the present layout; a hidden one can't have the focus."""
        shown = self.regions(self.size)
        for child in self.children:
            child.display = child in shown
        self.tabs.current = self.tab
        self.shared_title.current = self.bottom
        # Requested by a child: Textual keeps the last arrangement as long as no child requests one.
        next(iter(shown)).refresh(layout=True)
        self.post_message(self.Rearranged())

    def on_resize(self) -> None:
        self.rearrange()

    def watch_sizes(self) -> None:
        self.rearrange()

    def watch_tab(self) -> None:
        self.rearrange()

    def watch_bottom(self) -> None:
        self.rearrange()

    def watch_upper(self) -> None:
        self.rearrange()

    def watch_maximised(self) -> None:
        self.rearrange()

    def turn_to(self, *, maximised: str | None, bottom: str, tab: str) -> None:
        """Change several of these at once."""
        self.set_reactive(PaneArea.maximised, maximised)
        self.set_reactive(PaneArea.bottom, bottom)
        self.set_reactive(PaneArea.tab, tab)
        self.rearrange()

    def reveal(self, pane: str) -> None:
        """Make a pane visible."""
        if self.maximised is not None and self.maximised != pane:
            self.maximised = None if self.maximised == "source" else pane
        if pane in BOTTOM:
            self.bottom = pane
        if pane != "source":
            self.tab = pane

    def drag_column(self, x: int) -> None:
        """Move the divider to column ``x``."""
        self._set(side=(self.size.width - 1 - x) / max(1, self.size.width))

    def drag_row(self, pane: str, y: int) -> None:
        """Move the title of ``pane`` (or of the tabs) to row ``y``."""
        height = max(1, self.size.height)
        below = (height - y) / height
        if not is_wide(self.size):
            if pane == "tabs":
                self._set(tabs=below)
        elif pane in BOTTOM:
            self._set(console=below)
        elif pane == "stack":
            real = self._real_sizes()
            self._set(variables=y / height, stack=real.variables + real.stack - y / height)
        elif pane == "breakpoints":
            self._set(stack=y / height - self._real_sizes().variables)

    def grow(self, pane: str, *, columns: int = 0, rows: int = 0) -> None:
        """Resize a pane by columns or rows, if others are beside it."""
        real, (width, height) = self._real_sizes(), self.size
        if not is_wide(self.size):
            self._set(tabs=real.tabs + (-rows if pane == "source" else rows) / max(1, height))
            return
        if columns:
            self._set(side=real.side + (columns if pane in _RIGHT else -columns) / width)
        if not rows:
            return
        if pane == "source" or pane in BOTTOM:
            self._set(console=real.console + (-rows if pane == "source" else rows) / height)
        elif pane == "variables":
            self._set(variables=real.variables + rows / height)
        else:
            self._set(stack=real.stack + (rows if pane == "stack" else -rows) / height)

    def _set(self, **shares: float) -> None:
        self._sizes_before = None
        clamped = {name: max(0.05, min(0.9, share)) for name, share in shares.items()}
        self.sizes = msgspec.structs.replace(self.sizes, **clamped)

    def _real_sizes(self) -> Sizes:
        """Return the actual shares: unavailable growth must not pile up key by key."""
        (width, height), shown = self.size, arrange_panes(self.size, self.sizes, tab=self.tab)
        if shown.divider is None:
            rows = shown.tabs.height + shown.panes[self.tab].height if shown.tabs else 0
            return msgspec.structs.replace(self.sizes, tabs=rows / max(1, height))
        rows_of = {name: region.height + 1 for name, region in shown.panes.items()}
        return msgspec.structs.replace(
            self.sizes,
            side=(width - 1 - shown.divider.x) / width,
            console=rows_of["console"] / height,
            variables=rows_of["variables"] / height,
            stack=rows_of["stack"] / height,
        )
