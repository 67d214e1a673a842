"""Asks what a configuration of launch.json wants: a text, a file, or one of a few values."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from tuidbg.config.launch_json.variables import Question
from tuidbg.tui.dialogs.box import Box
from tuidbg.tui.dialogs.dialog import Dialog
from tuidbg.tui.dialogs.input_dialog import DialogInput, InputDialog
from tuidbg.tui.keys.modes import CANCELS, CHOOSES, Hint
from tuidbg.tui.widgets.paths import PathSuggester
from tuidbg.tui.widgets.rows import Row, RowsPane, visible


class QuestionDialog(InputDialog[str | None]):
    """Gives what was typed; Esc gives None."""

    DEFAULT_CSS = """
    QuestionDialog #problem { height: auto; color: $text-error; padding: 0 1; }
    """

    def __init__(self, question: Question, cwd: str) -> None:
        super().__init__()
        self._question = question
        self._cwd = cwd

    def compose(self) -> ComposeResult:
        question = self._question
        with Box(id="box") as box:
            box.border_title = visible(question.text).replace("[", r"\[")
            yield DialogInput(
                question.default,
                password=question.secret,
                suggester=PathSuggester(self._cwd) if question.kind == "file" else None,
                select_on_focus=True,
            )
            yield Static("", id="problem", classes="problem", markup=False)

    def submit(self) -> None:
        value = self.query_one(Input).value
        if self._question.kind == "file" and not PathSuggester(self._cwd).is_file(value):
            self.query_one("#problem", Static).update(f"there is no file {visible(value)}")
        else:
            self.dismiss(value)


class OptionsPane(RowsPane):
    """The values."""


class OptionsDialog(Dialog[str | None]):
    """Gives the value that was chosen; Esc gives None."""

    HINTS = (Hint("enter", "select"), CANCELS, CHOOSES)

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", show=False)]

    def __init__(self, question: Question) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = visible(self._question.text).replace("[", r"\[")
            yield OptionsPane(id="options")

    def on_mount(self) -> None:
        pane = self.query_one(OptionsPane)
        options = self._question.options
        pane.set_rows([Row(value, ((f" {visible(label)}", "name"),)) for value, label in options])
        pane.styles.height = max(1, min(len(options), self.app.size.height - 3))
        pane.move_cursor_to(self._question.default)
        self.set_focus(pane)

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        if self.is_active and isinstance(event.key, str):
            self.dismiss(event.key)

    def action_close(self) -> None:
        """Answer nothing."""
        if self.is_active:
            self.dismiss(None)
