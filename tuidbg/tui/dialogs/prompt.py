"""One line of input at the bottom of the screen: search, go to line, open a file."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.suggester import Suggester
from textual.widgets import Input, Static

from tuidbg.tui.dialogs.input_dialog import DialogInput, InputDialog


class PromptDialog(InputDialog[str | None]):
    """Asks for a line of text; the screen below stays visible. Esc gives None."""

    DEFAULT_CSS = """
    PromptDialog { align: left bottom; background: transparent; }
    PromptDialog #line { height: 1; width: 100%; background: $surface; }
    PromptDialog #label { width: auto; color: $primary; text-style: bold; padding: 0 1; }
    PromptDialog #hint { width: auto; max-width: 60%; color: $text-muted; padding: 0 1; }
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
    ) -> None:
        """``on_change`` and ``on_submit`` get the text and give the hint.

        ``on_submit`` keeps the dialog open as long as it gives a hint; without it Enter ends it.
        """
        super().__init__()
        self._label = label
        self._hint = hint
        self._value = value
        self._suggester = suggester
        self._on_change = on_change
        self._on_submit = on_submit

    def compose(self) -> ComposeResult:
        with Horizontal(id="line"):
            yield Static(self._label, id="label", markup=False)
            yield DialogInput(self._value, suggester=self._suggester, select_on_focus=True)
            yield Static(self._hint, id="hint", markup=False)

    def on_input_changed(self) -> None:
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
        else:
            self.dismiss(value)

    def _show_hint(self, hint: str) -> None:
        self.query_one("#hint", Static).update(hint)
