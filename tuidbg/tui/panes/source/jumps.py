"""The jump list: the places left by jumps, without consecutive duplicates."""

from __future__ import annotations

import os
import os.path
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tuidbg.tui.toolkit.text.document import DocumentError, SourceDocument

if TYPE_CHECKING:
    from tuidbg.tui.panes.context import Context

KEPT = 100


class JumpPlace(NamedTuple):
    """A line of a document, by the document's key."""

    path: str
    line: int


class Jumps:
    """The places before each jump."""

    def __init__(self) -> None:
        self._places: deque[JumpPlace] = deque(maxlen=KEPT)

    def leave(self, place: JumpPlace) -> None:
        """Add a place."""
        if not self._places or self._places[-1] != place:
            self._places.append(place)

    def back(self, here: JumpPlace | None) -> JumpPlace | None:
        """Pop the last place that is not ``here``; None if there is none."""
        while self._places:
            place = self._places.pop()
            if place != here:
                return place
        return None


def open_path(ui: Context, text: str) -> None:
    """Open a file by a typed path."""
    try:
        typed = Path(text.strip()).expanduser()
    except RuntimeError:
        ui.status.show_hint(f"there is no home folder for {text.strip()}", "error")
        return
    # Not resolved: a program may run through symbolic links, and breakpoints use its file names.
    go_to_place(ui, os.path.normpath(Path(ui.session.plan.cwd) / typed))


def go_to_place(ui: Context, path: str, line: int | None = None) -> bool:
    """Show a place of a file, and add the present one to the jump list; False on failure."""
    here = _here(ui)
    if not ui.view.open_document(path, line):
        return False
    if here is not None and here != _here(ui):
        ui.jumps.leave(here)
    ui.focus_pane("source")
    return True


def go_back(ui: Context) -> None:
    if (place := ui.jumps.back(_here(ui))) is None:
        ui.status.show_hint("there is nothing to go back to", "warning")
    elif ui.view.open_document(place.path, place.line):
        ui.focus_pane("source")


def _here(ui: Context) -> JumpPlace | None:
    document = ui.view.document
    return JumpPlace(document.key, ui.source.cursor_line) if document is not None else None


def _leave_place(ui: Context) -> None:
    if (here := _here(ui)) is not None:
        ui.jumps.leave(here)


def document_of(ui: Context, path: str) -> SourceDocument | None:
    shown = ui.view.document
    if shown is not None and shown.key == path:
        return shown
    try:
        return SourceDocument.load(path)
    except DocumentError:
        return None
