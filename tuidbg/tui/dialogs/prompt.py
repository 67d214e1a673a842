"""One line of input at the bottom of the screen: search, go to line, open a file."""

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

from tuidbg.tui.dialogs.dialog import Dialog
from tuidbg.tui.keys.key_reader import CANCELS, Hint, Mode
from tuidbg.tui.source.search import SearchInView
from tuidbg.tui.widgets.input import OrderedInput

T = TypeVar("T")


_HELPING = ("up", "down", "tab")
"""Keys that may bring back what was typed before, or complete it."""


class DialogInput(OrderedInput):
    """The line of a dialog."""

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
    """Its first input has the focus; the app keeps what is typed until the line is there."""

    HINTS: ClassVar[Sequence[Hint]] = (Hint("enter", "accept"), CANCELS)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    def __init__(self, focus: str = "Input") -> None:
        """``focus`` selects what has the focus at the beginning."""
        super().__init__()
        self._first = focus

    @property
    def key_mode(self) -> Mode:
        """Letters are text."""
        return Mode("line", "text", self.HINTS)

    def submit(self) -> None:
        """Enter in the line."""
        raise NotImplementedError

    def help_typing(self, key: str) -> bool:
        """Do what an arrow or Tab does in the line; False where that is nothing."""
        return False

    def action_leave(self) -> None:
        """Leave everything as it was."""
        self.dismiss(None)

    def _on_mount(self, event: events.Mount) -> None:
        super()._on_mount(event)
        for first in self.query(self._first):  # none where it is closed by now
            self.set_focus(first)
            break


_LEAST = 8
"""Columns of a hint; what is shorter says nothing."""


class PromptDialog(InputDialog[str | None]):
    """Asks for a line of text; the screen below stays visible. Esc gives None."""

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
        """``on_change`` and ``on_submit`` get the text and give the hint.

        ``on_submit`` keeps the dialog open as long as it gives a hint; without it Enter ends it.
        ``history`` is what the arrows bring back, the newest last. With ``is_begun`` the person
        types on behind ``value``, else over it.
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
        """The arrows bring back what was typed earlier, Tab takes the suggestion."""
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
        """What stands there is kept as the newest."""
        if self._recalled == len(self._history) - 1:
            self._history[-1] = line.value
        self._recalled = max(0, min(self._recalled + by, len(self._history) - 1))
        line.value = self._history[self._recalled]
        line.cursor_position = len(line.value)

    def on_resize(self) -> None:
        self._make_room()

    def _make_room(self, *, is_refused: bool = False) -> None:
        """The hint has what the typed text leaves; why that is refused is told in any case."""
        line, hint = self.query_one(Input), self.query_one("#hint", Static)
        most = self.size.width * 3 // 5
        left = self.size.width - cell_len(self._label) - 2 - cell_len(line.value) - 1
        hint.display = is_refused or left >= _LEAST
        hint.styles.max_width = most if is_refused else min(left, most)

    def on_input_changed(self) -> None:
        self._make_room()
        if self.is_active:  # it was typed before the end, and is told behind it
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
