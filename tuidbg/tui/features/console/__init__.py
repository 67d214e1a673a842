"""The console: output and prompt."""

from __future__ import annotations

from tuidbg.tui.features.console import commands as console
from tuidbg.tui.panes.console.console_pane import ConsoleInput
from tuidbg.tui.panes.console.console_results import ConsoleResults
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import ALIVE, PAUSED, ScreenHooks
from tuidbg.tui.panes.view.recorded_steps import is_in_past
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("evaluate", ("colon",), "Evaluate an expression", "Console", console.evaluate,
            "evaluate", PAUSED, despite=is_in_past),
    Command("switch_input", ("i",), "Send input to the program", "Console",
            console.switch_input, "send input", ALIVE),
    Command("clear_console", ("ctrl+l",), "Clear the console or the trace", "Console",
            console.clear_console),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
    hooks.handle(ConsoleInput.FirstUsed, console.begin_history)
    hooks.handle(ConsoleInput.EvaluateRequested, console.expression_entered)
    hooks.handle(ConsoleInput.HelpRequested, console.help_wanted)
    hooks.handle(ConsoleInput.CompletionRequested, console.completion_wanted)
    hooks.handle(ConsoleInput.InputSubmitted, console.input_entered)
    hooks.handle(ConsoleInput.EndOfInputRequested, console.input_ended)
    hooks.handle(ConsoleInput.InterruptRequested, console.interrupt_wanted)
    hooks.handle(ConsoleResults.ResultOpened, console.result_opened)
