"""A short list to choose from, each by its letter, or by the arrow keys and Enter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tuidbg.tui.dialogs.box import Box
from tuidbg.tui.dialogs.dialog import Dialog
from tuidbg.tui.keys.modes import CHOOSES, CLOSES, Hint
from tuidbg.tui.widgets.rows import Row, RowsPane, visible


class Choice(NamedTuple):
    """One thing to choose: its letter, what it is, and what it is at now."""

    letter: str
    title: str
    state: str = ""


class ChoicesPane(RowsPane):
    """The list of a dialog."""


class ChoiceDialog(Dialog[str | None]):
    """Gives the letter of what was chosen; Esc gives None.

    With ``on_choice`` it stays open: that is told each choice, and gives the list as it is then.
    """

    HINTS = (Hint("enter", "select, or type its key"), CLOSES, CHOOSES)

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", show=False)]

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        *,
        on_choice: Callable[[str], Sequence[Choice]] | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._choices = tuple(choices)
        self._on_choice = on_choice

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = visible(self._title).replace("[", r"\[")
            yield ChoicesPane(id="choices")

    def on_mount(self) -> None:
        pane = self.query_one(ChoicesPane)
        pane.styles.height = len(self._choices)
        self._show()
        self.set_focus(pane)

    def _show(self) -> None:
        width = max(len(choice.title) for choice in self._choices)
        rows = [
            Row(
                choice.letter,
                (
                    (f" {choice.letter}  ", "strong"),
                    (choice.title.ljust(width) if choice.state else choice.title, "name"),
                    (f"  {visible(choice.state)}" if choice.state else "", "value"),
                ),
            )
            for choice in self._choices
        ]
        self.query_one(ChoicesPane).set_rows(rows)

    def on_key(self, event: events.Key) -> None:
        if any(choice.letter == event.character for choice in self._choices):
            event.stop()
            self._choose(str(event.character))

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        if isinstance(event.key, str):
            self._choose(event.key)

    def _choose(self, letter: str) -> None:
        if self._on_choice is not None:
            self._choices = tuple(self._on_choice(letter))
            self._show()
        elif self.is_active:
            self.dismiss(letter)

    def action_close(self) -> None:
        """Leave everything as it is."""
        if self.is_active:
            self.dismiss(None)
