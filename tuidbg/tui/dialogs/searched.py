"""Searching a text: one way in all panes, and in the dialogs that are read.

``/`` asks for a pattern, which is followed while it is typed; Enter accepts it and gives the keys
back, Esc leaves all as it was. The pattern then stays marked until another Esc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol

from textual.app import App
from textual.binding import Binding, BindingType

from tuidbg.tui.dialogs.dialog import Dialog
from tuidbg.tui.dialogs.prompt import PromptDialog
from tuidbg.tui.keys.modes import Hint
from tuidbg.tui.source.search import SearchInView


class Searching(Protocol):
    """The search of one text."""

    def begin(self) -> None:
        """Somebody begins to type."""

    def follow(self, text: str) -> str:
        """The text as it has been typed so far; what came of it, in words."""

    def accept(self, text: str) -> str:
        """The text at Enter; what came of it, in words: none where that is told later."""

    def leave(self) -> None:
        """Nobody wants to search after all: all is as it was before."""

    def go_on(self, text: str, *, backwards: bool) -> str:
        """Go to the next match, or the one before; the words as for ``accept``."""


def ask_pattern(
    app: App[Any],
    searching: Searching,
    accept: Callable[[str], None],
    *,
    last: str = "",
    label: str = "/",
    hint: str = "",
) -> None:
    """Ask for a text, and give it to ``accept``; nothing typed means the ``last`` one."""
    again = f"Enter: {last!r} again" if last else ""
    hint = hint or again
    searching.begin()

    def follow(text: str) -> str:
        words = searching.follow(text)
        return words or hint

    def take(text: str | None) -> None:
        if not (wanted := text or last) or text is None:
            searching.leave()
        else:
            accept(wanted)

    app.push_screen(PromptDialog(label, hint=hint, on_change=follow), take)


class DialogSearch:
    """The search of a dialog's text; where it stands is told by ``tell``."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", show=False),
        Binding("n,f3", "search_next(1)", show=False),
        Binding("N,shift+f3", "search_next(-1)", show=False),
    ]
    """For a dialog whose letters are keys."""

    def __init__(
        self, dialog: Dialog[Any], search: SearchInView, tell: Callable[[str], None]
    ) -> None:
        self._dialog = dialog
        self._search = search
        self._tell = tell
        self._last = ""

    @property
    def is_marked(self) -> bool:
        """Tells whether matches are marked just now."""
        return self._search.marked is not None

    def hints(self, key: str, otherwise: Hint) -> Sequence[Hint]:
        """Names the keys: ``key`` goes on where there is something; Esc unmarks, or else."""
        if not self.is_marked:
            return (Hint("slash", "search"), otherwise)
        return (Hint(key, "next match"), Hint("escape", "clear marks"), Hint("slash", "search"))

    def ask(self) -> None:
        """Ask for a pattern."""
        ask_pattern(self._dialog.app, self._search, self._accept, last=self._last)

    def _accept(self, text: str) -> None:
        self._last = text
        self._say(self._search.accept(text))

    def go_on(self, by: int) -> None:
        """Go to the next match of what was searched last, or to the one before."""
        if self._last:
            self._say(self._search.go_on(self._last, backwards=by < 0))

    def clear(self) -> bool:
        """Mark nothing any longer; False where nothing was marked."""
        was_marked = self.is_marked
        self._search.clear()
        self._say("")
        return was_marked

    def _say(self, words: str) -> None:
        self._tell(words)
        self._dialog.refresh_bindings()
