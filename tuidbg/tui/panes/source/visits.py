"""The documents that the source pane has shown.

Stepping goes back and forth between files: each reappears with its cursor and scroll, and the last
few with their colours already computed.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from textual.widget import Widget

from tuidbg.tui.toolkit.text.document import SourceDocument
from tuidbg.tui.toolkit.text.highlight import Highlighter, is_loaded, preload

_PLACES_KEPT = 200
_HIGHLIGHTERS_KEPT = 8


class CursorPlace(NamedTuple):
    """The cursor and scroll in a document."""

    cursor: int = 1
    scroll_x: int = 0
    scroll_y: int = 0


class _Coloured(NamedTuple):
    """A highlighter and the text it was made for."""

    document: SourceDocument
    revision: int
    highlighter: Highlighter


class Visits:
    """Places and highlighters by document key; the oldest are dropped."""

    def __init__(self) -> None:
        self._places: OrderedDict[str, CursorPlace] = OrderedDict()
        self._coloured: OrderedDict[str, _Coloured] = OrderedDict()

    def leave(self, document: SourceDocument, place: CursorPlace) -> None:
        """Save the place in a document that is left."""
        self.remember(document.key, place)

    def places(self) -> Iterable[tuple[str, CursorPlace]]:
        """Yield the place in each document by key, the latest last."""
        return self._places.items()

    def remember(self, key: str, place: CursorPlace) -> None:
        """Save a place as ``leave`` does, for a document that need not exist."""
        self._places[key] = place
        self._places.move_to_end(key)
        if len(self._places) > _PLACES_KEPT:
            self._places.popitem(last=False)

    def place(self, document: SourceDocument) -> CursorPlace:
        """Return the saved place; by default the start."""
        return self._places.get(document.key, CursorPlace())

    def highlighter(self, document: SourceDocument) -> Highlighter:
        """Return the highlighter of the document's present text, colourless until Pygments is
        loaded.
        """
        if not is_loaded():
            return Highlighter(document, colourless=True)
        coloured = self._coloured.get(document.key)
        if (
            coloured is None
            or coloured.document is not document
            or coloured.revision != document.revision
        ):
            coloured = _Coloured(document, document.revision, Highlighter(document))
            self._coloured[document.key] = coloured
        self._coloured.move_to_end(document.key)
        if len(self._coloured) > _HIGHLIGHTERS_KEPT:
            self._coloured.popitem(last=False)
        return coloured.highlighter


_GROUP = "highlight"


class Colouring:
    """The background computation of a document's colours, a slice per turn of the loop."""

    def __init__(
        self, widget: Widget, visits: Visits, repaint: Callable[[list[int] | None], None]
    ) -> None:
        """``repaint`` gets the changed lines; None: all."""
        self._widget = widget
        self._visits = visits
        self._repaint = repaint

    def begin(self, document: SourceDocument) -> None:
        """Compute this document's colours, and no other's."""
        if not is_loaded():
            self._widget.run_worker(self._load(document), group=_GROUP, exclusive=True)
            return
        highlighter = self._visits.highlighter(document)
        if highlighter.complete:
            self._widget.workers.cancel_group(self._widget, _GROUP)
        else:
            self._widget.run_worker(self._settle(highlighter), group=_GROUP, exclusive=True)

    async def _load(self, document: SourceDocument) -> None:
        await asyncio.to_thread(preload)
        self._repaint(None)
        self.begin(document)

    async def _settle(self, highlighter: Highlighter) -> None:
        """Let the highlighter replace its guesses, and repaint lines that were wrong."""
        while not highlighter.complete:
            highlighter.advance()
            self._repaint(highlighter.settle())
            await asyncio.sleep(0)
