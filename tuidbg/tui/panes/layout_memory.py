"""Saving and restoring a project's screen layout."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

import msgspec

from tuidbg.config.stores.layout_store import SavedLayout, SavedPlace
from tuidbg.tui.panes.source.jumps import JumpPlace
from tuidbg.tui.panes.source.visits import CursorPlace
from tuidbg.tui.toolkit.widgets.pane_layout import PaneArea, Sizes

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session
    from tuidbg.tui.panes.source.jumps import Jumps
    from tuidbg.tui.panes.source.source_pane import SourcePane
    from tuidbg.tui.panes.variables.variables_pane import VariablesPane

_TABS = ("variables", "stack", "breakpoints", "console")
"""Panes that exist from the start."""

_LONGEST = 500
"""Maximum characters of the names in the path of an open variable."""


class LayoutSource(Protocol):
    """The screen of one session, as far as its layout is concerned."""

    session: Session
    body: PaneArea
    source: SourcePane
    variables: VariablesPane


class LaidOut(LayoutSource, Protocol):
    """The screen of one session."""

    jumps: Jumps

    @property
    def is_mounted(self) -> bool:
        """Textual's."""


class LayoutMemory(Protocol):
    """Storage of project layouts."""

    def load(self, session: Session) -> SavedLayout | None:
        """Return the saved layout of a session's project; None if there is none."""

    def save(self, session: Session, layout: SavedLayout) -> None: ...


def save_layouts(layouts: LayoutMemory, screens: Iterable[LaidOut]) -> None:
    """Save the layouts of mounted screens; the last one wins."""
    for screen in screens:
        if screen.is_mounted:
            layouts.save(screen.session, take_layout(screen))


def take_layout(screen: LayoutSource) -> SavedLayout:
    """Return the screen's present layout."""
    body, source = screen.body, screen.source
    document = source.document
    places = {
        path: SavedPlace(place.cursor, place.scroll_x, place.scroll_y)
        for path, place in source.places()
        if path.startswith("/")
    }
    return SavedLayout(
        sizes=msgspec.structs.asdict(body.lasting_sizes),
        tab=body.tab,
        bottom=body.bottom,
        maximised=body.maximised or "",
        target=screen.session.plan.target,
        source=document.key if document is not None and document.key in places else "",
        places=places,
        opened={
            function: sorted(path for path in paths if sum(map(len, path)) <= _LONGEST)
            for function, paths in screen.variables.opened().items()
        },
    )


def put_layout(screen: LaidOut, saved: SavedLayout) -> None:
    """Apply a layout to a screen that is not shown yet."""
    body = screen.body
    if saved.sizes:
        body.set_reactive(PaneArea.sizes, _sizes(saved.sizes))
    if saved.tab in _TABS:
        body.set_reactive(PaneArea.tab, saved.tab)
    if saved.maximised in ("source", *_TABS):
        body.set_reactive(PaneArea.maximised, saved.maximised)
    for path, place in saved.places.items():
        screen.source.remember_place(path, CursorPlace(place.line, place.scroll_x, place.scroll_y))
        screen.jumps.leave(JumpPlace(path, place.line))
    screen.variables.open_again({f: set(paths) for f, paths in saved.opened.items()})


def _sizes(saved: dict[str, float]) -> Sizes:
    """Return the saved shares; invalid ones get their defaults."""
    known = msgspec.structs.asdict(Sizes())
    good = {name: share for name, share in saved.items() if name in known and 0.02 <= share <= 0.95}
    return Sizes(**{**known, **good})
