"""Joins a session's machine code to its pane: what is fetched, and where the program stands in it.

A step within what is there costs no question to the adapter.
"""

from __future__ import annotations

from collections.abc import Sequence

from tuidbg.session.breakpoints.store import lines_of
from tuidbg.session.errors import DebuggerError, NoInstructions
from tuidbg.session.native.disassembly import PAGE, Instruction, with_places
from tuidbg.session.session import Session
from tuidbg.session.state import Breakpoint, BreakpointKind, Frame
from tuidbg.tui.breakpoints.wording import mark_of
from tuidbg.tui.native.code import CodePane
from tuidbg.tui.widgets.marks import Mark

_ABOVE = 24
"""Instructions that are fetched above the one that matters, at first."""

KEPT = 2000
"""Instructions that are kept; beyond, those at the other end go."""


class CodeView:
    """Fills the pane with a session's machine code."""

    def __init__(self, session: Session, pane: CodePane) -> None:
        self._session = session
        self.pane = pane
        self._code: tuple[Instruction, ...] = ()
        self._run = 0

    async def show(self, address: int) -> None:
        """Show the code there, with the cursor on it. Raises DebuggerError."""
        if not self.pane.go_to(address):
            code = await self._session.native.disassembly.around(address, _ABOVE, _ABOVE + PAGE)
            self._put(code, address)

    async def follow(self, frames: Sequence[Frame], frame: Frame | None) -> None:
        """Mark where the program stands, and have that of ``frame`` in sight."""
        self.begin_run()
        top = frames[0].address if frames else None
        at = frame.address if frame is not None else None
        self.pane.set_execution(top, at)
        if at is None:
            if frame is not None:
                self.pane.show_message(f"nothing is known of the code of {frame.name}")
            return
        try:
            await self.show(at)
        except NoInstructions as error:
            self._code = ()
            self.pane.show_rows(())
            self.pane.show_message(str(error))
        self.show_marks()

    def begin_run(self) -> None:
        """Code of an earlier run may be somewhere else by now, and its sources be others."""
        if self._run != (pid := self._session.pid or 0):
            self._run = pid
            self._code = ()
            self._session.native.disassembly.forget_sources()
            self.pane.show_rows(())

    async def extend(self, direction: int) -> None:
        """Fetch what is above the first row, or below the last one."""
        if not self._code:
            return
        first, last, disassembly = self._code[0], self._code[-1], self._session.native.disassembly
        try:
            if direction < 0:
                more = await disassembly.before(first.address, PAGE)
            else:
                more = await disassembly.after(last, PAGE)
        except DebuggerError:
            return  # the program went on; whoever scrolls again asks again
        if not more or not self._code or (first, last) != (self._code[0], self._code[-1]):
            return
        if direction < 0:
            self._put((*more, *self._code)[:KEPT])
        else:
            self._put((*self._code, *more)[-KEPT:])

    def _put(self, code: Sequence[Instruction], address: int | None = None) -> None:
        self._code = with_places(code)
        self.pane.show_rows(self._session.native.disassembly.rows(self._code), address)

    def show_marks(self) -> None:
        """Draw the breakpoints, at instructions and at lines."""
        marks: dict[int, Mark] = {}
        line_marks: dict[tuple[str, int], Mark] = {}
        is_muted = self._session.breakpoints.muted
        # A line's own breakpoint is drawn over that of a function which begins there.
        for each in sorted(self._session.breakpoints.registry, key=_is_of_line):
            if each.kind is BreakpointKind.ADDRESS and each.address is not None:
                marks[each.address] = mark_of(each, is_muted=is_muted)
            elif each.path:
                for line in lines_of(each, each.path):
                    line_marks[each.path, line] = mark_of(each, is_muted=is_muted)
        self.pane.set_marks(marks, line_marks)


def _is_of_line(breakpoint: Breakpoint) -> bool:
    return breakpoint.kind is BreakpointKind.LINE
