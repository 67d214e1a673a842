"""The commands of the console: evaluate, and type to the program."""

from __future__ import annotations

import asyncio

from textual import on

from tuidbg.session.errors import DebuggerError, StaleReply
from tuidbg.session.session import Session
from tuidbg.session.state import EvaluateResult, Status
from tuidbg.tui.layout import Sizes
from tuidbg.tui.pane_screen import PaneScreen
from tuidbg.tui.panes.console import ConsoleInput, ConsolePane


class ConsoleCommands(PaneScreen):
    """Adds the console's commands to the screen."""

    def __init__(self, session: Session, *, sizes: Sizes | None = None) -> None:
        super().__init__(session, sizes=sizes)
        self._evaluating = asyncio.Lock()
        self._evaluation: asyncio.Task[EvaluateResult] | None = None

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
        self.run_command(self._evaluate_expression, event.expression)

    async def _evaluate_expression(self, expression: str) -> None:
        async with self._evaluating:
            output, frame = self.session.output, self.view.frame
            output.add("input", expression)
            self.console.output_changed()
            self.console.set_busy(True, expression)
            frame_id = frame.id if frame is not None else None
            evaluating = self.session.inspection.evaluate(expression, frame_id)
            self._evaluation = asyncio.create_task(evaluating)
            try:
                result = await self._evaluation
                if result.value:
                    output.add("result", result.value)
                await self.view.refresh_variables()
            except StaleReply:
                output.add("error", "no result: the program went on meanwhile")
            except DebuggerError as error:
                output.add("error", str(error))
            except asyncio.CancelledError:
                if (task := asyncio.current_task()) is None or task.cancelling():
                    raise
                output.add("error", "not waited for any more; it may go on in the program")
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
            # debugpy can't call it off, and never answers one that raised SystemExit.
            if self._evaluation is not None:
                self._evaluation.cancel()
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
