"""The diagnosis dialog: why a breakpoint does not stop, and possible fixes."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from tuidbg.session.features.doctor.rules import Diagnosis, Mend
from tuidbg.tui.toolkit.dialogs.box import Box
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.keys.key_reader import CLOSES, Hint, Mode
from tuidbg.tui.toolkit.widgets.rows import ListRow, RowsPane, visible


class MendsPane(RowsPane):
    """The list of fixes; Enter selects the one under the cursor, initially the first."""


class DoctorDialog(Dialog[Mend | None]):
    """The diagnosis. Result: the chosen fix; None on Esc."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,y", "close", show=False),
        Binding("enter", "close", show=False),
    ]
    DEFAULT_CSS = """
    DoctorDialog #box { padding: 0 2; }
    DoctorDialog #said { height: auto; scrollbar-size-vertical: 1; }
    DoctorDialog .sentence { height: auto; margin-bottom: 1; }
    """

    def __init__(self, name: str, diagnosis: Diagnosis) -> None:
        """``name`` is the breakpoint's."""
        super().__init__()
        self._name = name
        self._diagnosis = diagnosis

    @property
    def key_mode(self) -> Mode:
        """The keys; a fix can be chosen if there is one."""
        hints = (Hint("enter", "apply"), CLOSES) if self._diagnosis.mends else (CLOSES,)
        return Mode("dialog", "dialog", hints)

    def compose(self) -> ComposeResult:
        mends = self._diagnosis.mends
        with Box(id="box") as box:
            box.border_title = visible(f"{self._name}: {self._diagnosis.title}").replace("[", r"\[")
            # Without fixes the arrow keys scroll the text.
            with VerticalScroll(id="said", can_focus=not mends):
                for sentence in self._diagnosis.sentences:
                    yield Static(sentence, classes="sentence prose", markup=False)
            if mends:
                yield MendsPane(id="mends")

    def on_mount(self) -> None:
        mends = self._diagnosis.mends
        if mends:
            pane = self.query_one(MendsPane)
            pane.set_rows(
                [
                    ListRow(index, ((f" {visible(m.title)}", "name"),))
                    for index, m in enumerate(mends)
                ]
            )
            pane.styles.height = min(6, len(mends))
            self.set_focus(pane)

    def on_resize(self) -> None:
        rows = min(6, len(self._diagnosis.mends))
        self.query_one("#said").styles.max_height = max(2, self.size.height - 3 - rows)

    @on(RowsPane.Activated)
    def _chosen(self, event: RowsPane.Activated) -> None:
        event.stop()
        if self.is_active and isinstance(event.key, int):
            self.dismiss(self._diagnosis.mends[event.key])

    def action_close(self) -> None:
        """Close without a result."""
        if self.is_active:
            self.dismiss(None)
