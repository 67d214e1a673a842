"""Search in a pane, the same in all panes: ``/`` asks, Enter accepts, and a key repeats.

As in less, vim and helix the prompt closes at Enter and the matches stay marked; Esc in the prompt
restores the previous state, a later Esc clears the marks. The last search can be repeated in any
other pane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tuidbg.tui.panes.variables.variables_search import VariableSearch
from tuidbg.tui.toolkit.dialogs.prompt import Searching, ask_pattern
from tuidbg.tui.toolkit.text.search import SearchInView, search_of

if TYPE_CHECKING:
    from tuidbg.tui.panes.context import Context


def search(ui: Context) -> None:
    """Search the focused pane; the source if it has no text of its own."""
    ask(ui, _search_of(ui))


def search_next(ui: Context) -> None:
    go_on(ui, _search_of(ui), backwards=False)


def search_previous(ui: Context) -> None:
    go_on(ui, _search_of(ui), backwards=True)


def search_for(ui: Context, text: str) -> None:
    """Search for a text from the cursor on, without asking."""
    ui.searched.text = text
    go_on(ui, _search_of(ui), backwards=False)


def _search_of(ui: Context) -> SearchInView:
    return search_of(ui.focused) or ui.source.search


def ask(ui: Context, searching: Searching, label: str = "/", hint: str = "") -> None:
    """Ask for a pattern; an empty one means the last one."""

    def accept(text: str) -> None:
        ui.searched.text = text
        tell(ui, searching.accept(text))

    ask_pattern(ui.app, searching, accept, last=ui.searched.text, label=label, hint=hint)


def go_on(ui: Context, searching: Searching, *, backwards: bool) -> None:
    """Go to the next or previous match of the last search of any pane."""
    if text := ui.searched.text:
        tell(ui, searching.go_on(text, backwards=backwards))
    else:
        way_out = ui.key_map.tell("search", "searches")
        ui.status.show_hint(f"no search yet{way_out}", "warning")


def tell(ui: Context, words: str, notes: Sequence[str] = ()) -> None:
    """Show the search result and the keys to repeat it; nothing if it is reported later."""
    if not words:
        return
    if words.endswith("not found"):
        ui.status.show_hint(" · ".join([words, *notes]), "warning")
        return
    keys = ui.key_map.key_of
    ways = f"{keys('search_next')} next, {keys('search_previous')} back, Esc clear"
    ui.status.show_hint(" · ".join([words, *notes, ways]))


def clear_marks(ui: Context) -> None:
    """Clear the marks of all panes."""
    ui.source.search.clear()
    for widget in (*ui.body.panes.values(), ui.console.results):
        if (found := search_of(widget)) is not None:
            found.clear()


@dataclass
class Searched:
    """The searches of one session, each of which can be repeated."""

    text: str = ""
    """The last pattern in any pane; a key repeats it."""
    files: str = ""
    variables: VariableSearch | None = None
