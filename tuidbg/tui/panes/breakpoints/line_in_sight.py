"""Keeping a breakpoint's line visible while a dialog edits it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from tuidbg.session.model.state import Breakpoint
from tuidbg.tui.toolkit.dialogs.dialog import ENOUGH, Dialog

if TYPE_CHECKING:
    from tuidbg.tui.panes.context import Context


def keep_line_in_sight(ui: Context, dialog: Dialog[Any], found: Breakpoint) -> Callable[[], None]:
    """Leave the breakpoint's line undimmed by the dialog; return a function that scrolls back.

    On a low screen the line is scrolled to the top, so that the dialog has room below it.
    """
    source, document = ui.source, ui.view.document
    if document is None or document.key != found.path or not found.line:
        return lambda: None
    before = int(source.scroll_offset.y)
    source.reveal(found.line)
    dialog.edited = partial(source.region_of, found.line)
    if dialog.rows_in(ui.app.size) < ENOUGH:
        source.scroll_to_line(found.line)
    after = int(source.scroll_offset.y)

    def scroll_back() -> None:
        if ui.view.document is document and source.scroll_offset.y == after != before:
            source.scroll_to(y=before, animate=False, force=True)

    return scroll_back
