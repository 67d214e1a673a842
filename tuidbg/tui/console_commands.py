"""The commands of the console: evaluate, and type to the program."""

from __future__ import annotations

import asyncio

from textual import on

from tuidbg.session.errors import DebuggerError
from tuidbg.session.session import Session
from tuidbg.session.state import Status
from tuidbg.tui.layout import Sizes
from tuidbg.tui.pane_screen import PaneScreen
from tuidbg.tui.panes.console import ConsoleInput, ConsolePane


class ConsoleCommands(PaneScreen):
    """Adds the console's commands to the screen."""

    def __init__(self, session: Session, *, sizes: Sizes | None = None) -> None:
        super().__init__(session, sizes=sizes)
        self._evaluating = asyncio.Lock()

    def command_evaluate(self) -> None:
        self.focus_pane("console")
        self.console.mode = "evaluate"
        self.set_focus(self.query_one(ConsoleInput))

    def command_switch_input(self) -> None:
        self.focus_pane("console")
        self.console.mode = "stdin" if self.console.mode == "evaluate" else "evaluate"
        self.set_focus(self.query_one(ConsoleInput))

    def command_clear_console(self) -> None:
        self.console.clear()

    @on(ConsolePane.EvaluateRequested)
    def _evaluate(self, event: ConsolePane.EvaluateRequested) -> None:
        event.stop()
        self.run_command(self._evaluate_expression(event.expression))

    async def _evaluate_expression(self, expression: str) -> None:
        async with self._evaluating:
            output, frame = self.session.output, self.view.frame
            output.add("input", expression)
            self.console.output_changed()
            self.console.set_busy(True, expression)
            try:
                result = await self.session.inspection.evaluate(
                    expression, frame.id if frame is not None else None
                )
                if result.value:
                    output.add("result", result.value)
                await self.view.refresh_variables()
            except DebuggerError as error:
                output.add("error", str(error))
            finally:
                self.console.set_busy(False)
                self.console.output_changed()

    @on(ConsolePane.InputSubmitted)
    def _send_input(self, event: ConsolePane.InputSubmitted) -> None:
        event.stop()
        if not self._has_stdin():
            return
        self.session.send_input(event.text + "\n")

    @on(ConsolePane.EndOfInputRequested)
    def _send_end_of_input(self) -> None:
        if self._has_stdin():
            self.session.send_end_of_input()

    @on(ConsolePane.InterruptRequested)
    def _send_interrupt(self) -> None:
        if self.console.is_busy:
            self.status.show_hint("the evaluation goes on; R restarts the program", "warning")
        elif self.session.status is Status.PAUSED:
            # It would hit the debugger's own wait and end the program.
            self.status.show_hint("the program is paused; c lets it run, then ^C reaches it")
        elif self._has_stdin():
            self.session.send_interrupt()

    def _has_stdin(self) -> bool:
        if self.session.terminal is not None:
            return True
        self.status.show_hint("the program takes no input now", "warning")
        return False

    @on(ConsolePane.InputLeft)
    def _leave_input(self) -> None:
        self.focus_pane("source")
