"""The command line of the pdb map: the commands of the line mode, on the screen.

The command table is the line mode's (``plain/commands/table.py``). Commands that the screen does
better than a prompt (steps, frames, the source) call the screen's own command; all others run as in
line mode, with output to the console. Anything else is Python.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.suggester import Suggester

from tuidbg.lines import split_lines
from tuidbg.plain.commands.table import BY_NAME, describe
from tuidbg.plain.context import CommandContext
from tuidbg.plain.mode import LineMode, command_of, parts, split_word
from tuidbg.recording.timeline import Moment
from tuidbg.session.features.recording import run_of
from tuidbg.session.model.state import Frame, Status
from tuidbg.tui.features.execution.commands import move_frame
from tuidbg.tui.panes.console.console_input import ConsoleInput
from tuidbg.tui.panes.context import Context

if TYPE_CHECKING:
    from tuidbg.plain.commands.table import LineCommand

ON_SCREEN = {
    "s": "step_into",
    "n": "step_over",
    "r": "step_out",
    "c": "resume",
    "u": "frame_up",
    "d": "frame_down",
    "w": "focus_stack",
    "l": "show_execution",
    "ll": "show_execution",
    "run": "restart",
    "rec": "record_run",
    "back": "step_back",
    "rstep": "step_back_into",
    "rout": "step_back_out",
    "rcont": "back_to_breakpoint",
    "now": "show_execution",
    "why": "show_last_change",
    "changes": "show_changes",
    "when": "show_first_time",
    "whenlast": "show_last_time",
    "passes": "show_passes",
    "calls": "show_calls",
    "q": "quit",
}
"""The screen's commands for line mode commands without arguments."""


SOON = 0.5
"""Seconds in which a step usually ends."""

_GLANCE = 0.02
"""Seconds between two checks."""


class ScreenContext(CommandContext):
    """A line mode context for the screen's selected frame; output goes to the console."""

    def __init__(self, ui: Context) -> None:
        super().__init__(ui.session, self)
        self._ui = ui
        self.has_said = False
        self.look()

    @property
    def moment(self) -> Moment | None:
        """The recorded moment shown on the screen."""
        return self._ui.view.past.moment

    @moment.setter
    def moment(self, moment: Moment | None) -> None:
        if moment is not None:
            self._ui.view.past.show(moment)

    @property
    def marked(self) -> Moment | None:
        """The recorded moment marked on the screen."""
        return self._ui.view.past.marked

    @marked.setter
    def marked(self, moment: Moment | None) -> None:
        if moment is not None:
            past = self._ui.view.past
            past.marked, past.marked_in = moment, run_of(self.session).timeline

    @property
    def table(self) -> list[Moment | None]:
        """The targets of the last table's rows; kept on the screen: each line has a new context."""
        return self._ui.view.past.listed

    @table.setter
    def table(self, rows: list[Moment | None]) -> None:
        if rows:
            self._ui.view.past.listed = rows

    def look(self) -> None:
        """Select the frame and moment shown on the screen."""
        self.frame = self._ui.view.frame
        self.thread_id = self._ui.view.stopped_thread or 0

    async def until_there(self) -> None:
        """Wait briefly for a program that stops soon: text typed after a step is for its stop.

        A program that keeps running is not waited for: breakpoints can be set meanwhile.
        """
        over = time.monotonic() + SOON
        alive = (Status.RUNNING, Status.PAUSED)
        while self.frame is None and self.session.status in alive and time.monotonic() < over:
            await asyncio.sleep(_GLANCE)
            self.look()

    @property
    def path(self) -> str:
        document = self._ui.view.document
        return document.key if document is not None else super().path

    def say(self, text: str) -> None:
        self._write("result", split_lines(text) or [""])

    def complain(self, text: str) -> None:
        lines = split_lines(text.rstrip(".").strip()) or ["that did not work"]
        self._write("error", lines)
        self._ui.status.show_hint(lines[0], "error")

    def _write(self, category: str, lines: Iterable[str]) -> None:
        for line in lines:
            self.session.output.add(category, line)
        self.has_said = True
        self._ui.console.output_changed()

    async def show_frame(self, frame: Frame, mark: str = "> ") -> None:
        """Do nothing: the screen shows it."""

    async def until_still(self, before: int) -> None:
        """Return immediately: the screen shows the next stop."""

    async def arrive(self) -> None:
        self.look()

    async def begin(self) -> None:
        self.tell_refused()

    async def catch_up(self) -> None:
        """Do nothing: the console shows the program's output as it comes."""


class ScreenLines(LineMode):
    """The interpreter of command lines, which prefers the screen's commands."""

    context: ScreenContext

    def __init__(self, ui: Context) -> None:
        super().__init__(ScreenContext(ui))
        self._ui = ui

    async def _do(self, line: str) -> None:
        name, words = split_word(line)
        command = command_of(line)
        if line.startswith(":"):
            from tuidbg.tui.app.keys.command_line import obey, read_typed

            try:
                obey(self._ui, read_typed(line, self._ui.key_map))
            except ValueError as error:
                self.context.complain(str(error))
        elif name in ("h", "help", "?") and not words:
            self._ui.show_help()
        elif name == "commands":
            self.context.complain("commands of breakpoints are for the line mode (--plain)")
        elif command is not None and (given := _on_screen(command, words)):
            if words.isdecimal():
                await move_frame(self._ui, int(words) * (1 if given == "frame_up" else -1))
            else:
                self._ui.action_command(given)
        elif command is not None and command.names[0] == "p":
            await self.evaluate(words)
        else:
            await self.context.until_there()
            await super()._do(line)
            if command is not None and command.names[0] == "thread" and words:
                await self._ui.view.select_thread(self.context.thread_id)

    async def evaluate(self, text: str) -> None:
        self._ui.body.reveal("console")
        self._ui.post_message(ConsoleInput.EvaluateRequested(text, text))


def _on_screen(command: LineCommand, words: str) -> str:
    """Return the screen's equivalent of a command; empty if its argument is unsupported."""
    name = command.names[0]
    is_plain = not words or (name in ("u", "d") and words.isdecimal()) or words == "."
    return ON_SCREEN.get(name, "") if is_plain else ""


def open_line(ui: Context, begun: str) -> None:
    """Open the line with the letter that opened it."""
    from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

    def take(text: str | None) -> None:
        if text is not None and (text.strip() or ui.prompting.lines):
            do_line(ui, text.strip() or ui.prompting.lines[-1])

    prompt = PromptDialog(
        "(Pdb)",
        hint=_usage(begun),
        value=begun,
        suggester=WordSuggester(ui),
        history=ui.prompting.lines,
        on_change=_usage,
        is_begun=bool(begun),
    )
    ui.app.push_screen(prompt, take)


def do_line(ui: Context, line: str) -> None:
    """Run a line after the earlier ones."""
    if not ui.prompting.lines or ui.prompting.lines[-1] != line:
        ui.prompting.lines.append(line)
    ui.run_command(_do, ui, line)


async def _do(ui: Context, line: str) -> None:
    async with ui.prompting.lining:
        mode = ScreenLines(ui)
        if not all(_is_shown(part) for part in parts(line)):
            ui.session.output.add("input", line)
            ui.console.output_changed()
        await mode.execute(line)
        if mode.context.has_said:
            ui.body.reveal("console")
            ui.console.results.action_scroll_end()


def _is_shown(line: str) -> bool:
    """Return whether the screen or console shows the result of a line by itself."""
    command, words = command_of(line), split_word(line)[1]
    if line.startswith(":") or command is None:
        return True
    return command.names[0] == "p" or bool(_on_screen(command, words))


def _usage(text: str) -> str:
    """Return the usage of the command at the start of a line."""
    name, words = split_word(text)
    told = describe(name) if name and (not words or command_of(text) is not None) else ""
    return told or ("Python, in this frame" if text.strip() else "a word of pdb's, or Python")


class WordSuggester(Suggester):
    """Completion of commands, and of names shown by the variables pane."""

    def __init__(self, ui: Context) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        scopes = ui.variables.roots
        self._names = [node.variable.name for scope in scopes for node in scope.children or ()]
        self._lines = ui.prompting.lines

    async def get_suggestion(self, value: str) -> str | None:
        head, space, last = value.rpartition(" ")
        known = self._names if space else [*(n for n in BY_NAME if len(n) > 2), *self._names]
        if not last or last in known or last in BY_NAME:
            return None
        return next((head + space + name for name in known if name.startswith(last)), None)
