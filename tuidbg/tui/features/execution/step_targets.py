"""The choice of a call on the line to step into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tuidbg.session.core.stepping import StepTarget
from tuidbg.tui.toolkit.dialogs.box import Box
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.keys.key_reader import CHOOSES, CLOSES, Hint
from tuidbg.tui.toolkit.widgets.rows import ListRow, RowsPane, visible


class StepTargetsDialog(Dialog[StepTarget | None]):
    """The calls. Result: the one chosen by Enter, click or number; None on Esc."""

    HINTS = (Hint("enter", "step into"), CLOSES, CHOOSES, Hint("1", "or its number"))

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", show=False)]

    def __init__(self, targets: Sequence[StepTarget]) -> None:
        super().__init__()
        self._targets = targets
        self._rows = RowsPane()

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = "Step into which call?"
            yield self._rows

    def on_mount(self) -> None:
        self._rows.set_rows(
            [
                ListRow(number, ((f"{number:>2} ", "faint"), (_label(target), "name")))
                for number, target in enumerate(self._targets, 1)
            ]
        )
        self._rows.styles.height = min(15, len(self._targets))
        self.set_focus(self._rows)

    @on(RowsPane.Activated)
    def _chosen(self, event: RowsPane.Activated) -> None:
        event.stop()
        if isinstance(event.key, int):
            self._choose(event.key)

    def on_key(self, event: events.Key) -> None:
        if event.key.isdigit():
            event.stop()
            self._choose(int(event.key))

    def _choose(self, number: int) -> None:
        if self.is_active and 1 <= number <= len(self._targets):
            self.dismiss(self._targets[number - 1])

    def action_close(self) -> None:
        if self.is_active:
            self.dismiss(None)


def _label(target: StepTarget) -> str:
    """Return a call's source on one line."""
    return visible(" ".join(target.label.split()))
