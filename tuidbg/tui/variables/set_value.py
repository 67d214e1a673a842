"""Setting a variable: an expression, and what Python says of it where it is wrong."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.geometry import Region
from textual.widgets import Input, Static

from tuidbg.session.state import Variable
from tuidbg.tui.dialogs.box import Box
from tuidbg.tui.dialogs.input_dialog import DialogInput, InputDialog
from tuidbg.tui.keys.modes import CANCELS, Hint
from tuidbg.tui.widgets.rows import RowsPane, visible

LONGEST = 10_000
"""Characters of a value that stand in the line to be changed; a longer one is typed anew."""


class SetValueDialog(InputDialog[None]):
    """Asks for the new value; stays until it is set, or Esc.

    ``on_submit`` begins the setting; whoever does it calls ``refuse`` or ``dismiss``.
    ``undo_words`` say how it is taken back, with a semicolon before.
    """

    HINTS = (Hint("enter", "set"), CANCELS)

    DEFAULT_CSS = """
    SetValueDialog #box { padding: 0 2; }
    SetValueDialog Input {
        height: 1; border: none; padding: 0; background: $surface; margin-bottom: 1;
    }
    SetValueDialog #problem { height: auto; color: $text-error; }
    SetValueDialog #hint { height: auto; color: $text-muted; }
    """

    def __init__(
        self,
        variable: Variable,
        on_submit: Callable[[SetValueDialog, str], None],
        undo_words: str = "",
    ) -> None:
        super().__init__()
        self._undo_words = undo_words
        self._variable = variable
        self._on_submit = on_submit
        self._is_busy = False

    def compose(self) -> ComposeResult:
        variable = self._variable
        name = variable.evaluate_name or variable.name
        with Box(id="box") as box:
            box.border_title = visible(f"Set {name}").replace("[", r"\[")
            # What can't stand in one line of text as it is would be set to something else.
            text = variable.value if _can_be_typed(variable) else ""
            yield DialogInput(text, select_on_focus=True, placeholder="an expression")
            yield Static("", id="problem", classes="problem", markup=False)
            is_ = f"of type {variable.type} now" if variable.type else "it has no value yet"
            hint = f"Evaluated in this frame; {is_}{self._undo_words}."
            yield Static(hint, id="hint", markup=False)

    def on_mount(self) -> None:
        self.query_one("#problem").display = False

    def submit(self) -> None:
        if not self._is_busy:
            self._is_busy = True
            self._on_submit(self, self.query_one(Input).value)

    def refuse(self, why: str) -> None:
        """It could not be set."""
        self._is_busy = False
        problem = self.query_one("#problem", Static)
        problem.update(visible(why, 500))
        problem.display = True


def cursor_region(pane: RowsPane) -> Region | None:
    """The region of the row under the cursor on the screen; None where it is not in sight."""
    x, y, width, height = pane.region
    row = pane.cursor - int(pane.scroll_offset.y)
    return Region(x, y + row, width, 1) if pane.display and 0 <= row < height else None


def _can_be_typed(variable: Variable) -> bool:
    value = variable.value
    if variable.problem or len(value) > LONGEST or value.startswith("<"):
        return False
    return value.isprintable() and not value.endswith("...") and "..." not in value[-20:]
