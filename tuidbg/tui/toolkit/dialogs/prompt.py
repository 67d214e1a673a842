"""An input line at the bottom of the screen: search, go to line, open a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol, TypeVar

from rich.cells import cell_len
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.suggester import Suggester
from textual.widgets import Input, Static

from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.keys.key_reader import CANCELS, Hint, Mode
from tuidbg.tui.toolkit.text.search import SearchInView
from tuidbg.tui.toolkit.widgets.input import OrderedInput
from tuidbg.tui.toolkit.widgets.rows import RowsPane

T = TypeVar("T")


_HELPING = ("up", "down", "tab")
"""Keys for history and completion."""


class DialogInput(OrderedInput):
    """The input line of a dialog."""

    async def _on_key(self, event: events.Key) -> None:
        dialog = self.screen
        if not isinstance(dialog, InputDialog):
            return
        if event.key == "enter":
            dialog.submit()
        elif event.key == "escape":
            dialog.dismiss(None)
        elif event.key not in _HELPING or not dialog.help_typing(event.key):
            return
        event.stop()
        event.prevent_default()


class InputDialog(Dialog[T]):
    """A dialog whose first input has the focus; the app queues keys until it is mounted."""

    HINTS: ClassVar[Sequence[Hint]] = (Hint("enter", "accept"), CANCELS)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    def __init__(self, focus: str = "Input") -> None:
        """``focus`` is the selector of the initial focus."""
        super().__init__()
        self._first = focus

    @property
    def key_mode(self) -> Mode:
        """The keys: letters are text."""
        return Mode("line", "text", self.HINTS)

    def submit(self) -> None:
        """Handle Enter in the line."""
        raise NotImplementedError

    def help_typing(self, key: str) -> bool:
        """Handle an arrow or Tab in the line; False if it does nothing."""
        return False

    def action_leave(self) -> None:
        """Close without a result."""
        self.dismiss(None)

    def _on_mount(self, event: events.Mount) -> None:
        super()._on_mount(event)
        for first in self.query(self._first):  # none once closed
            self.set_focus(first)
            break


_LEAST = 8
"""Minimum columns of a useful hint."""


class PromptDialog(InputDialog[str | None]):
    """A dialog for a line of text; the screen below stays visible. None on Esc."""

    DEFAULT_CSS = """
    PromptDialog #line { height: 1; width: 100%; background: $surface; }
    PromptDialog #label { width: auto; color: $primary; text-style: bold; padding: 0 1; }
    PromptDialog #hint {
        width: auto; max-width: 60%; color: $text-muted; padding: 0 1;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    PromptDialog Input {
        width: 1fr; height: 1; border: none; padding: 0; background: $surface;
    }
    PromptDialog Input:focus { border: none; }
    """

    def __init__(
        self,
        label: str,
        *,
        hint: str = "",
        value: str = "",
        suggester: Suggester | None = None,
        on_change: Callable[[str], str] | None = None,
        on_submit: Callable[[str], str] | None = None,
        history: Sequence[str] = (),
        is_begun: bool = False,
    ) -> None:
        """``on_change`` and ``on_submit`` get the text and return the hint.

        ``on_submit`` keeps the dialog open while it returns a hint; without it Enter closes the
        dialog. ``history`` is for the arrow keys, newest last. With ``is_begun`` the cursor starts
        after ``value``, else typing replaces it.
        """
        super().__init__()
        self._label = label
        self._hint = hint
        self._value = value
        self._suggester = suggester
        self._on_change = on_change
        self._on_submit = on_submit
        self._history = [*history, value]
        self._recalled = len(history)
        self._is_begun = is_begun

    def compose(self) -> ComposeResult:
        with Horizontal(id="line"):
            yield Static(self._label, id="label", markup=False)
            yield DialogInput(
                self._value, suggester=self._suggester, select_on_focus=not self._is_begun
            )
            yield Static(self._hint, id="hint", markup=False)

    def help_typing(self, key: str) -> bool:
        """Recall history with the arrows, accept the suggestion with Tab."""
        line = self.query_one(Input)
        if key == "tab":
            line.cursor_position = len(line.value)
            line.action_cursor_right()
        elif len(self._history) == 1:
            return False
        else:
            self._recall(line, -1 if key == "up" else 1)
        return True

    def _recall(self, line: Input, by: int) -> None:
        """Recall a history line; the present text is kept as the newest."""
        if self._recalled == len(self._history) - 1:
            self._history[-1] = line.value
        self._recalled = max(0, min(self._recalled + by, len(self._history) - 1))
        line.value = self._history[self._recalled]
        line.cursor_position = len(line.value)

    def on_resize(self) -> None:
        self._make_room()

    def _make_room(self, *, is_refused: bool = False) -> None:
        """Fit the hint beside the text; a refusal is always shown."""
        line, hint = self.query_one(Input), self.query_one("#hint", Static)
        most = self.size.width * 3 // 5
        left = self.size.width - cell_len(self._label) - 2 - cell_len(line.value) - 1
        hint.display = is_refused or left >= _LEAST
        hint.styles.max_width = most if is_refused else min(left, most)

    def on_input_changed(self) -> None:
        self._make_room()
        if self.is_active:  # typed before the end, and reported after it
            self._note_change()

    def _note_change(self) -> None:
        value = self.query_one(Input).value
        if self._on_change is not None and value != self._value:
            self._value = value
            self._show_hint(self._on_change(value))

    def submit(self) -> None:
        self._note_change()
        value = self.query_one(Input).value
        hint = self._on_submit(value) if self._on_submit is not None else ""
        if hint:
            self._show_hint(hint)
            self._make_room(is_refused=True)
        else:
            self.dismiss(value)

    def _show_hint(self, hint: str) -> None:
        self.query_one("#hint", Static).update(hint)


class Searching(Protocol):
    """The search of one text."""

    def begin(self) -> None:
        """Start an interactive search."""

    def follow(self, text: str) -> str:
        """Search the text typed so far; return the result in words."""

    def accept(self, text: str) -> str:
        """Search at Enter; return the result in words, empty if it is reported later."""

    def leave(self) -> None:
        """Cancel the search and restore the previous state."""

    def go_on(self, text: str, *, backwards: bool) -> str:
        """Go to the next or previous match; return the words as ``accept`` does."""


def ask_pattern(
    app: App[Any],
    searching: Searching,
    accept: Callable[[str], None],
    *,
    last: str = "",
    label: str = "/",
    hint: str = "",
) -> None:
    """Ask for a pattern and pass it to ``accept``; an empty one means the ``last`` one."""
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
    """The search of a dialog's text; ``tell`` reports its position."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", show=False),
        Binding("n,f3", "search_next(1)", show=False),
        Binding("N,shift+f3", "search_next(-1)", show=False),
    ]
    """For a dialog with letter keys."""

    def __init__(
        self, dialog: Dialog[Any], search: SearchInView, tell: Callable[[str], None]
    ) -> None:
        self._dialog = dialog
        self._search = search
        self._tell = tell
        self._last = ""

    @property
    def is_marked(self) -> bool:
        """Return whether matches are marked now."""
        return self._search.marked is not None

    def hints(self, key: str, otherwise: Hint) -> Sequence[Hint]:
        """Return key hints: ``key`` repeats the search; Esc clears the marks, or ``otherwise``."""
        if not self.is_marked:
            return (Hint("slash", "search"), otherwise)
        return (Hint(key, "next match"), Hint("escape", "clear marks"), Hint("slash", "search"))

    def ask(self) -> None:
        ask_pattern(self._dialog.app, self._search, self._accept, last=self._last)

    def _accept(self, text: str) -> None:
        self._last = text
        self._say(self._search.accept(text))

    def go_on(self, by: int) -> None:
        """Go to the next or previous match of the last search."""
        if self._last:
            self._say(self._search.go_on(self._last, backwards=by < 0))

    def clear(self) -> bool:
        """Clear the marks; False if there were none."""
        was_marked = self.is_marked
        self._search.clear()
        self._say("")
        return was_marked

    def _say(self, words: str) -> None:
        self._tell(words)
        self._dialog.refresh_bindings()


_MOVES = {"up", "down", "pageup", "pagedown"}


class ListInput(DialogInput):
    """An input above a list: movement keys go to the list."""

    async def _on_key(self, event: events.Key) -> None:
        if event.key in _MOVES and self.screen.is_active:
            event.stop()
            event.prevent_default()
            rows = self.screen.query_one(RowsPane)
            if event.key in ("up", "down"):
                rows.action_cursor(1 if event.key == "down" else -1)
            else:
                rows.action_page(1 if event.key == "pagedown" else -1)
            return
        await super()._on_key(event)
