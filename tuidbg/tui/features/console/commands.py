"""Console commands: evaluate, explain, complete, open results, write to the program's stdin."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from tuidbg.process.input_state import standard_input
from tuidbg.session.model.errors import DebuggerError, EvaluationCancelled, StaleReply
from tuidbg.session.model.events import ValuesChanged
from tuidbg.session.model.state import Status
from tuidbg.tui.panes.console.console_input import (
    local_attributes,
    local_names,
    split_word,
    word_before,
)
from tuidbg.tui.panes.console.console_pane import ConsoleInput
from tuidbg.tui.panes.console.console_results import ConsoleResults, Path, ResultTree
from tuidbg.tui.panes.context import Context

if TYPE_CHECKING:
    from tuidbg.config.stores.console_history import ConsoleHistory
    from tuidbg.session.core.evaluation.prompt import Help
    from tuidbg.session.core.session import Session

_CUT = 20_000
"""Characters at which the debuggee truncates a result (``inside/console/interrupting.py``)."""


def evaluate(ui: Context) -> None:
    ui.prompting.go_to_line("evaluate")


def switch_input(ui: Context) -> None:
    is_back = ui.focused is ui.console.line and ui.console.mode == "stdin"
    ui.prompting.go_to_line("evaluate" if is_back else "stdin")


def clear_console(ui: Context) -> None:
    ui.console.clear()


def _frame_id(ui: Context) -> int | None:
    return ui.view.frame.id if ui.view.frame is not None else None


# Input history


def begin_history(ui: Context, event: ConsoleInput.FirstUsed) -> None:
    event.stop()
    if ui.prompting.history is not None:
        ui.run_in_background("history", _load_history, ui, ui.prompting.history)


async def _load_history(ui: Context, history: ConsoleHistory) -> None:
    await asyncio.to_thread(history.load)
    ui.console.history = history.entries


def _remember(ui: Context, typed: str) -> None:
    if ui.prompting.history is not None:
        ui.prompting.history.add(typed)
        ui.run_command(_save_history, ui, ui.prompting.history)


async def _save_history(ui: Context, history: ConsoleHistory) -> None:
    async with ui.prompting.saving:
        await asyncio.to_thread(history.save)


# Evaluating


def expression_entered(ui: Context, event: ConsoleInput.EvaluateRequested) -> None:
    event.stop()
    _remember(ui, event.typed)
    work = partial(_show_result, ui, event.expression)
    ui.run_command(_answer, ui, event.expression, work)


def help_wanted(ui: Context, event: ConsoleInput.HelpRequested) -> None:
    event.stop()
    _remember(ui, event.typed)
    work = partial(_show_help, ui, event.expression, event.source)
    ui.run_command(_answer, ui, event.typed, work)


async def _answer(ui: Context, typed: str, work: Callable[[], Awaitable[None]]) -> None:
    """Print the input and then its result, one evaluation after the other."""
    async with ui.prompting.evaluating:
        output = ui.session.output
        ui.console.results.action_scroll_end()  # the user wants to see the answer
        output.add("input", typed)
        ui.console.output_changed()
        ui.console.set_busy(True, typed)
        try:
            await work()
        except StaleReply:
            output.add("error", "no result: the program went on meanwhile")
        except EvaluationCancelled:
            output.add("error", "interrupted; the program is paused as before")
        except DebuggerError as error:
            output.add("error", str(error))
        finally:
            ui.console.set_busy(False)
            ui.console.output_changed()


async def _show_result(ui: Context, expression: str) -> None:
    result = await ui.session.evaluation.evaluate(expression, _frame_id(ui))
    ui.session.publish(ValuesChanged(), "tui")
    output = ui.session.output
    if result.text:
        output.add("result", result.text)
    if result.openable:
        ui.console.results.attach(output.last_number, ResultTree(result))
    if len(result.text) >= _CUT:
        output.add("console", f"cut after {_CUT:,} characters; _ is all of it")
    await ui.view.refresh_variables()


async def _show_help(ui: Context, expression: str, source: bool) -> None:
    evaluation = ui.session.evaluation
    found = await evaluation.describe(expression, _frame_id(ui), source=source)
    ui.session.output.add("help", help_text(expression, found, source=source))


# Names


def completion_wanted(ui: Context, event: ConsoleInput.CompletionRequested) -> None:
    event.stop()
    ui.run_in_background("completion", _offer_names, ui, event.text, event.cursor)


async def _offer_names(ui: Context, text: str, cursor: int) -> None:
    start, names = await _names(ui, text, cursor)
    if not ui.console.show_names(text, start, names):
        ui.status.show_hint("no name to complete here")


async def _names(ui: Context, text: str, cursor: int) -> tuple[int, tuple[str, ...]]:
    """Return names from the adapter if it can answer now, else from local knowledge."""
    word = word_before(text, cursor)
    owner, part = split_word(word)
    names = await _adapter_names(ui, text, cursor)
    if not owner:
        known = [] if names else _variable_names(ui)
        typed = [] if names else ui.console.history
        names |= local_names(known, typed, ui.session.profile.language)
    elif not names:
        names = local_attributes(owner, ui.console.history)
    return cursor - len(part), tuple(names)


async def _adapter_names(ui: Context, text: str, cursor: int) -> set[str]:
    frame_id = _frame_id(ui)
    if ui.session.status is not Status.PAUSED or frame_id is None or ui.console.is_busy:
        return set()
    try:
        return set((await ui.session.evaluation.complete(text, cursor, frame_id)).names)
    except DebuggerError:
        return set()


def _variable_names(ui: Context) -> list[str]:
    scopes = ui.variables.roots
    return [node.variable.name for scope in scopes for node in scope.children or ()]


# Results


def result_opened(ui: Context, event: ConsoleResults.ResultOpened) -> None:
    event.stop()
    ui.run_command(_fetch_children, ui, event)


async def _fetch_children(ui: Context, event: ConsoleResults.ResultOpened) -> None:
    tree, path = event.tree, event.path
    try:
        await _fetch_into(ui, tree, path)
    except DebuggerError as error:
        if tree.is_open_at(path):
            tree.toggle(path)
        ui.status.show_hint(str(error), "warning")
    ui.console.results.tree_changed(event.number, tree)


async def _fetch_into(ui: Context, tree: ResultTree, path: Path) -> None:
    """Fetch a node's children, their next page, or a value not computed yet."""
    frame_id, stop_id = _frame_id(ui), ui.session.stop_id
    if frame_id is None or (path and tree.stop_of(path) != stop_id):
        raise DebuggerError("the program went on since; evaluate it again to look inside")
    if tree.is_unknown(path):
        tree.set_variable(path, await ui.session.values.load(tree.variable(path)))
        return
    at = path[:-1] if tree.is_more(path) else path
    known, evaluation = tree.children(at), ui.session.evaluation
    if at:
        reference = tree.variable(at).reference
    else:
        reference = evaluation.reference(tree.result, frame_id)
    found = await evaluation.page(reference, len(known))
    tree.set_children(at, (*known, *found.variables), stop_id, found.total)


# The program's input, and interrupts


def input_entered(ui: Context, event: ConsoleInput.InputSubmitted) -> None:
    event.stop()
    if _shares_stdin(ui):
        root = _root_of(ui)
        root.terminal_io.send_input(event.text + "\n")
        ui.status.show_hint(f"typed on the terminal that it shares with {root.plan.title}")
    elif _has_stdin(ui):
        ui.session.terminal_io.send_input(event.text + "\n")


def input_ended(ui: Context) -> None:
    if _shares_stdin(ui):
        _root_of(ui).terminal_io.send_end_of_input()
    elif _has_stdin(ui):
        ui.session.terminal_io.send_end_of_input()


def _root_of(ui: Context) -> Session:
    """Return the session of the program that started the process, or itself."""
    return ui.session.family.root.session if ui.session.family is not None else ui.session


def _shares_stdin(ui: Context) -> bool:
    """Return whether the session's process, started by the program, reads from its terminal."""
    pid, terminal = ui.session.pid, _root_of(ui).terminal
    if ui.session.terminal is not None or terminal is None or pid is None:
        return False
    return standard_input(pid) == terminal.path


def interrupt_evaluation(ui: Context) -> None:
    """Stop the last evaluation; the program stays paused."""
    ui.console.say_busy("stopping it … (^C again: it is not waited for)")
    ui.run_command(ui.session.evaluation.cancel)


def interrupt_wanted(ui: Context) -> None:
    if ui.console.is_busy:
        interrupt_evaluation(ui)
    elif ui.session.status is Status.PAUSED:
        # It would interrupt the debugger's own wait and end the program.
        way_out = ui.key_map.tell("resume", "lets it run, then ^C reaches it")
        ui.status.show_hint(f"the program is paused{way_out}")
    elif _has_stdin(ui):
        ui.session.terminal_io.send_interrupt()


def _has_stdin(ui: Context) -> bool:
    if ui.session.terminal is not None:
        return True
    elsewhere = ui.session.program_place.elsewhere
    why = f"the program reads from {elsewhere}" if elsewhere else "the program takes no input now"
    ui.status.show_hint(why, "warning")
    return False


def help_text(expression: str, found: Help, *, source: bool) -> str:
    """Return all help on an object as text. Its documentation comes from the program."""
    lines = [f"{expression}{found.signature}"]
    if found.type:
        lines.append(f"type: {found.type}")
    if found.file:
        lines.append(f"file: {found.file}{f':{found.line}' if found.line else ''}")
    if source:
        lines += ["", found.source.rstrip() or "(there is no source to be read)"]
    else:
        lines += ["", found.doc or "(no documentation)"]
        if found.init_doc and found.init_doc != found.doc:
            lines += ["", found.init_doc]
    return "\n".join(lines)
