"""One line of input at the bottom of the screen: search, go to line, open a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.suggester import Suggester
from textual.widgets import Input, Static

from tuidbg.tui.dialogs.input_dialog import DialogInput, InputDialog

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
