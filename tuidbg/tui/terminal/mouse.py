"""The mouse as a program on the terminal hears of it, as far as it wants to know."""

from __future__ import annotations

from textual import events

from tuidbg.session.terminal.program_screen import ProgramScreen
from tuidbg.tui.terminal.keys import MOVED, encode_mouse

_NOTHING_HELD = 3
"""The button of a movement without one."""


class MouseReports:
    """Tells a program what is done with the mouse over its screen.

    ``top`` is always the number of the line at the top of what is seen of the screen.
    """

    def __init__(self, program: ProgramScreen) -> None:
        self._program = program
        self._button = 0
        self._at = (-1, -1)

    @property
    def mode(self) -> int:
        """Tells what the program wants to know (see ``Modes.mouse``); 0 where there is none."""
        modes = self._program.modes
        return modes.mouse if modes is not None and self._program.is_alive else 0

    @property
    def is_pressed(self) -> bool:
        """Tells whether a button is held that the program was told of."""
        return self._button > 0

    def press(self, event: events.MouseDown, top: int) -> None:
        """A button goes down."""
        self._button = event.button
        self.report(event, event.button - 1, top)

    def release(self, event: events.MouseUp, top: int) -> None:
        """The button goes up."""
        button, self._button = self._button, 0
        if self.mode > 9:
            self.report(event, button - 1, top, released=True)

    def move(self, event: events.MouseMove, top: int) -> None:
        """The mouse is elsewhere."""
        if self._button and self.mode >= 1002:
            self.report(event, self._button - 1, top, moved=True)
        elif self.mode == 1003:
            self.report(event, _NOTHING_HELD, top, moved=True)

    def report(
        self,
        event: events.MouseEvent,
        button: int,
        top: int,
        *,
        released: bool = False,
        moved: bool = False,
    ) -> None:
        """Tell of a button, counted from 0, or of the wheel; of movements only to other cells."""
        modes, emulator = self._program.modes, self._program.emulator
        if modes is None:
            return
        event.stop()
        columns, rows = emulator.size
        column = max(0, min(int(event.x), columns - 1))
        row = max(0, min(int(event.y) + top - emulator.top_number, rows - 1))
        if moved and (column, row) == self._at:
            return
        self._at = (column, row)
        held = 4 * event.shift + 8 * event.meta + 16 * event.ctrl + MOVED * moved
        self._program.type(encode_mouse(button, column, row, modes, released=released, held=held))
