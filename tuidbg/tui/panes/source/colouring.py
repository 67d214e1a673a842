"""Syntax colours computed after the first paint: the text is shown before Pygments is loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.widget import Widget

from tuidbg.tui.panes.source.visits import Visits
from tuidbg.tui.toolkit.text.document import SourceDocument
from tuidbg.tui.toolkit.text.highlight import Highlighter, is_loaded, preload

_GROUP = "highlight"


class Colouring:
    """The background computation of a document's colours, a slice per turn of the loop."""

    def __init__(
        self, widget: Widget, visits: Visits, repaint: Callable[[list[int] | None], None]
    ) -> None:
        """``repaint`` gets the changed lines; None stands for all."""
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
