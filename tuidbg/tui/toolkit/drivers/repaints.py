"""Repaints limited to the widgets they concern."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.geometry import Region
    from textual.screen import Screen

_USED = ("render_partial_update", "_get_renders", "visible_widgets", "_dirty_regions")
"""The private parts of Textual's compositor used here."""


def narrow_repaints(screen: Screen[Any]) -> None:
    """Limit a screen's repaints to the widgets they concern.

    Textual renders everything in the bounding rectangle of the changes: for a source line and the
    status line that is every pane, at each step.
    """
    compositor: Any = getattr(screen, "_compositor", None)
    if not all(hasattr(compositor, name) for name in _USED):
        return
    render_partial_update, get_renders = compositor.render_partial_update, compositor._get_renders
    changed: list[Region] = []

    def render_narrowly() -> object:
        changed[:] = compositor._dirty_regions
        try:
            return render_partial_update()
        finally:
            changed.clear()

    def get_concerned(crop: Region | None = None) -> Iterable[object]:
        return get_changed() if changed else get_renders(crop)

    def get_changed() -> Iterator[object]:
        for widget, (region, clip) in compositor.visible_widgets.items():
            shown = region.intersection(clip)
            if shown and any(map(shown.overlaps, changed)):
                yield region, clip, widget.render_lines(shown.translate(-region.offset))

    compositor.render_partial_update = render_narrowly
    compositor._get_renders = get_concerned
