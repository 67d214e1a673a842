"""The dialog of one breakpoint: its condition and whether it is on."""

from __future__ import annotations

from typing import ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Checkbox, Input, Static

from tuidbg.session.errors import InvalidCondition
from tuidbg.session.predicates import check_condition
from tuidbg.tui.dialogs.input_dialog import DialogInput, InputDialog


class BreakpointAnswer(msgspec.Struct, frozen=True):
    """What was asked for; ``delete`` says that it is to go."""

    condition: str = ""
    enabled: bool = True
    delete: bool = False


class BreakpointDialog(InputDialog[BreakpointAnswer | None]):
    """Edits a breakpoint; a condition that does not compile is refused with Python's words."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", show=False),
    ]
    DEFAULT_CSS = """
    BreakpointDialog { align: center middle; background: $background 50%; }
    BreakpointDialog #box {
        width: 64; max-width: 96%; height: auto; max-height: 100%;
        padding: 0 2; background: $surface; border: round $primary;
        border-title-color: $primary;
    }
    BreakpointDialog #help { color: $text-muted; }
    BreakpointDialog #error { color: $text-error; height: auto; min-height: 1; }
    BreakpointDialog Input { border: none; height: 1; padding: 0 1; background: $background; }
    BreakpointDialog Input:focus { border: none; background: $panel; }
    BreakpointDialog Checkbox { border: none; padding: 0; background: $surface; height: 1; }
    BreakpointDialog Checkbox:focus { border: none; }
    BreakpointDialog #buttons { height: 1; }
    BreakpointDialog Button { min-width: 10; margin-right: 2; }
    """

    def __init__(
        self, place: str, *, condition: str = "", enabled: bool = True, is_new: bool = False
    ) -> None:
        super().__init__()
        self._place = place
        self._condition = condition
        self._enabled = enabled
        self._is_new = is_new

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = f"Breakpoint at {self._place}".replace("[", r"\[")
            yield Static("Stop only when this is true (empty: always)", id="help", markup=False)
            example = "i > 10 and name == 'x'"
            yield DialogInput(
                self._condition, placeholder=example, select_on_focus=False, id="condition"
            )
            yield Static("", id="error", markup=False)
            yield Checkbox("Enabled", self._enabled, id="enabled")
            with Horizontal(id="buttons"):
                yield Button("Save", id="save", variant="primary", compact=True)
                if not self._is_new:
                    yield Button("Delete", id="delete", variant="error", compact=True)
                yield Button("Cancel", id="cancel", compact=True)

    def _problem(self) -> str:
        try:
            check_condition(self.query_one("#condition", Input).value)
        except InvalidCondition as error:
            return str(error)
        return ""

    def on_input_changed(self) -> None:
        self.query_one("#error", Static).update(self._problem())

    def submit(self) -> None:
        self.action_save()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        match event.button.id:
            case "save":
                self.action_save()
            case "delete":
                self.dismiss(BreakpointAnswer(delete=True))
            case _:
                self.dismiss(None)

    def action_save(self) -> None:
        """Take it over, unless the condition does not compile."""
        if problem := self._problem():
            self.query_one("#error", Static).update(problem)
            self.query_one("#condition", Input).focus()
            return
        self.dismiss(
            BreakpointAnswer(
                self.query_one("#condition", Input).value.strip(),
                self.query_one("#enabled", Checkbox).value,
            )
        )
