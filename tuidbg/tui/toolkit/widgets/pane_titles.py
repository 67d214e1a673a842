"""The widgets between the panes: titles, the tabs of a narrow screen, the divider.

All of them can be dragged to resize panes; see ``layout.py`` for their places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tuidbg.tui.toolkit.keys.key_map import KeyMap
from tuidbg.tui.toolkit.theme.lazy_styles import LazyStyles
from tuidbg.tui.toolkit.widgets.rows import fit, shorten

PANES = (
    "source",
    "variables",
    "stack",
    "breakpoints",
    "console",
    "trace",
    "activity",
    "log",
    "memory",
    "terminal",
)
"""The panes in the order of their keys; memory, which native programs have, has no key."""

LISTED = PANES[:6]
"""Panes that are always listed; the others appear with a server for other programs."""

BOTTOM = ("console", "trace", "activity", "log", "memory", "terminal")
"""The panes that share the place below the source on a wide screen."""

TITLES = {
    "source": "Source",
    "variables": "Variables",
    "stack": "Stack",
    "breakpoints": "Breakpoints",
    "console": "Console",
    "trace": "Trace",
    "activity": "Activity",
    "log": "Log",
    "memory": "Memory",
    "terminal": "Terminal",
}

_NO_KEYS: Mapping[str, str] = MappingProxyType({})

NEWS = "•"
"""Suffix of a hidden pane's name with new contents."""

_SHORT = {**TITLES, "variables": "Vars", "breakpoints": "Breaks", "terminal": "Term"}
_SHORTEST = {
    **_SHORT,
    "stack": "Stk",
    "breakpoints": "Brk",
    "console": "Con",
    "activity": "Act",
    "memory": "Mem",
}
_TAB_NAMES: tuple[Mapping[str, str], ...] = (TITLES, _SHORT, _SHORTEST)
"""The tab names, longest first; then the tabs go without keys."""

_LEAST_LABEL = 16
"""Cells that a title's label keeps beside a long hint: enough for most file names."""


def keys_of_panes(key_map: KeyMap) -> Mapping[str, str]:
    """Return the key of each pane in this map; memory has none."""
    commands = {pane: f"focus_{pane}" for pane in PANES} | {"terminal": "toggle_terminal"}
    return {pane: key_map.key_of(command) for pane, command in commands.items()}


def _label(pane: str, keys: Mapping[str, str], names: Mapping[str, str] = TITLES) -> str:
    """Return a pane's key, if it has one, and its name."""
    return f"{keys.get(pane, '')} {names[pane]}".lstrip()


def _tab_styles(keys: Mapping[str, str]) -> Iterator[tuple[Mapping[str, str], Mapping[str, str]]]:
    """Yield the tab name styles, longest first: keys and names."""
    yield from ((keys, names) for names in _TAB_NAMES)
    if any(len(key) > 1 for key in keys.values()):
        yield from ((_NO_KEYS, names) for names in _TAB_NAMES)


class PaneTitle(LazyStyles, Widget):
    """The row above a pane: its key and name, a hint, and a drag handle."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "title--focused",
        "title--hint",
        "title--warning",
        "title--count",
    }
    DEFAULT_CSS = """
    PaneTitle { height: 1; background: $panel; color: $text-muted; }
    PaneTitle > .title--focused { color: $primary; text-style: bold; }
    PaneTitle > .title--hint { color: $text-muted; }
    PaneTitle > .title--count { color: $text-muted; }
    PaneTitle > .title--warning { color: $text-warning; }
    """

    is_active: reactive[bool] = reactive(False)
    label: reactive[str] = reactive("")
    hint: reactive[str] = reactive("")
    count: reactive[str] = reactive("")
    keys: reactive[Mapping[str, str]] = reactive(_NO_KEYS)
    hint_is_warning: reactive[bool] = reactive(False)

    class Dragged(Message):
        """A drag of the title to a row of the screen."""

        def __init__(self, pane: str, screen_y: int) -> None:
            super().__init__()
            self.pane = pane
            self.screen_y = screen_y

    class Pressed(Message):
        """A click on the title (``twice``: a double click)."""

        def __init__(self, pane: str, *, twice: bool) -> None:
            super().__init__()
            self.pane = pane
            self.twice = twice

    def __init__(self, pane: str) -> None:
        super().__init__(id=f"title-{pane}")
        self.pane = pane
        self._drags = self._moved = False
        self.set_reactive(PaneTitle.label, TITLES[pane])

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        key = self.keys.get(self.pane, "")
        name = self.get_component_rich_style("title--focused") if self.is_active else base
        mark = "▌" if self.is_active else " "
        head = f"{mark}{key} " if key else mark
        count = f" {self.count}" if self.count else ""
        hint = f"  {self.hint}" if self.hint else ""
        room = self.size.width - len(head) - len(count)
        label = shorten(self.label, max(min(room, _LEAST_LABEL), room - cell_len(hint)))
        kind = "title--warning" if self.hint_is_warning else "title--hint"
        hint_style = self.get_component_rich_style(kind)
        faint = self.get_component_rich_style("title--count")
        segments = [
            *(Segment(head, name), Segment(label, name)),
            *(Segment(count, faint), Segment(hint, hint_style)),
        ]
        return fit(segments, self.size.width, base)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._drags, self._moved = True, False
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._drags and event.button:
            self._moved = True
            self.post_message(self.Dragged(self.pane, event.screen_y))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self._drags = False
        self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        if not self._moved:
            self.post_message(self.Pressed(self.pane, twice=event.chain == 2))


class SharedTitle(PaneTitle):
    """The row above the console and the trace: their names, the shown one marked like a tab."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"title--current"}
    DEFAULT_CSS = """
    SharedTitle > .title--current {
        color: $foreground; background: $background; text-style: bold;
    }
    SharedTitle > .title--focused { background: $background; }
    """

    current: reactive[str] = reactive("console")
    listed: reactive[tuple[str, ...]] = reactive(LISTED)
    news: reactive[frozenset[str]] = reactive(frozenset[str]())

    def __init__(self) -> None:
        super().__init__(BOTTOM[0])

    def _labels(self) -> list[tuple[str, str]]:
        """Return the panes with their labels."""
        return [
            (name, f" {_label(name, self.keys)}{NEWS if name in self.news else ' '}")
            for name in self.listed
            if name in BOTTOM
        ]

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        kind = "title--focused" if self.is_active else "title--current"
        current = self.get_component_rich_style(kind)
        segments: list[Segment] = []
        for name, label in self._labels():
            if name == self.current and self.is_active:
                label = "▌" + label[1:]
            segments.append(Segment(label, current if name == self.current else base))
        if self.hint:
            kind = "title--warning" if self.hint_is_warning else "title--hint"
            segments.append(Segment(f"  {self.hint}", self.get_component_rich_style(kind)))
        return fit(segments, self.size.width, base)

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()  # the handler of `PaneTitle`
        x, pressed = 0, self.current
        for name, label in self._labels():
            if x <= event.x < x + len(label):
                pressed = name
            x += len(label)
        if not self._moved:
            self.post_message(self.Pressed(pressed, twice=event.chain == 2))


class PaneTabs(LazyStyles, Widget):
    """The tabs of the panes that share one place on a narrow screen."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tabs--current", "tabs--focused"}
    DEFAULT_CSS = """
    PaneTabs { height: 1; background: $panel; color: $text-muted; }
    PaneTabs > .tabs--current { color: $foreground; background: $background; text-style: bold; }
    PaneTabs > .tabs--focused { color: $primary; background: $background; text-style: bold; }
    """
    current: reactive[str] = reactive("variables")
    is_active: reactive[bool] = reactive(False)
    listed: reactive[tuple[str, ...]] = reactive(LISTED)
    news: reactive[frozenset[str]] = reactive(frozenset[str]())
    keys: reactive[Mapping[str, str]] = reactive(_NO_KEYS)
    counts: reactive[Mapping[str, str]] = reactive(_NO_KEYS)
    """The number of items in a pane, by its name."""
    is_muted: reactive[bool] = reactive(False)
    """Breakpoints are muted: their tab shows it, however narrow it is."""

    class Chosen(Message):
        """A click on a tab."""

        def __init__(self, pane: str) -> None:
            super().__init__()
            self.pane = pane

    class Dragged(Message):
        """A drag of the tab row to a row of the screen."""

        def __init__(self, screen_y: int) -> None:
            super().__init__()
            self.screen_y = screen_y

    def __init__(self) -> None:
        super().__init__(id="pane-tabs")
        self._drags = self._moved = False

    def _labels(self) -> list[tuple[str, str]]:
        labels: list[tuple[str, str]] = []
        for keys, names in _tab_styles(self.keys):
            for counts in (self.counts, _NO_KEYS):
                labels = [
                    (name, f" {_label(name, keys, names)}{self._end(name, counts)}")
                    for name in self.listed[1:]
                ]
                if sum(len(label) for _, label in labels) <= self.size.width:
                    return labels
        return labels

    def _end(self, name: str, counts: Mapping[str, str]) -> str:
        count = f" {counts[name]}" if counts.get(name) else ""
        muted = " muted" if self.is_muted and name == "breakpoints" else ""
        return f"{count}{muted}{NEWS if name in self.news else ' '}"

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        kind = "tabs--focused" if self.is_active else "tabs--current"
        current = self.get_component_rich_style(kind)
        segments: list[Segment] = []
        for name, label in self._labels():
            if name == self.current and self.is_active:
                label = "▌" + label[1:]
            segments.append(Segment(label, current if name == self.current else base))
        return Strip(segments).adjust_cell_length(self.size.width, base)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._drags, self._moved = True, False
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._drags and event.button:
            self._moved = True
            self.post_message(self.Dragged(event.screen_y))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self._drags = False
        self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        x = 0
        for name, label in self._labels():
            if x <= event.x < x + len(label) and not self._moved:
                self.post_message(self.Chosen(name))
            x += len(label)


class Divider(Widget):
    """The draggable line between the two columns of a wide screen."""

    DEFAULT_CSS = "Divider { width: 1; background: $panel; color: $foreground 35%; }"

    class Dragged(Message):
        """A drag of the divider to a column of the screen."""

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
