"""The commands of the console: evaluate, explain, complete, open results, type to the program."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from textual import on

from tuidbg.session.errors import DebuggerError, EvaluationCancelled, StaleReply
from tuidbg.session.session import Session
from tuidbg.session.state import Status
from tuidbg.tui.console.entry import local_attributes, local_names, split_word, word_before
from tuidbg.tui.console.pane import ConsoleInput
from tuidbg.tui.console.results import ConsoleResults
from tuidbg.tui.console.tree import Path, ResultTree
from tuidbg.tui.frame.layout import Sizes
from tuidbg.tui.pane_screen import PaneScreen

if TYPE_CHECKING:
    from tuidbg.config.stores.console_history import ConsoleHistory
    from tuidbg.session.evaluation.prompt import Help

_CUT = 20_000
"""Characters at which the program cuts a result (``TEXT_LIMIT`` in ``inside/console.py``)."""


class ConsoleCommands(PaneScreen, is_part=True):
    """Adds the console's commands to the screen."""

    def __init__(self, session: Session, *, sizes: Sizes | None = None) -> None:
        super().__init__(session, sizes=sizes)
        self._evaluating = asyncio.Lock()
        self.console_history: ConsoleHistory | None = None
        """What was typed in earlier runs; read when the prompt is first used."""
        self._saving = asyncio.Lock()
        self.console.speak(session.profile.language, session.profile.values.console_hint)

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

    @property
    def _frame_id(self) -> int | None:
        return self.view.frame.id if self.view.frame is not None else None

    # What was typed before

    @on(ConsoleInput.FirstUsed)
    def _begin_history(self, event: ConsoleInput.FirstUsed) -> None:
        event.stop()
        if self.console_history is not None:
            self.run_in_background("history", self._load_history, self.console_history)

    async def _load_history(self, history: ConsoleHistory) -> None:
        await asyncio.to_thread(history.load)
        self.console.history = history.entries

    def _remember(self, typed: str) -> None:
        if self.console_history is not None:
            self.console_history.add(typed)
            self.run_command(self._save_history, self.console_history)

    async def _save_history(self, history: ConsoleHistory) -> None:
        async with self._saving:
            await asyncio.to_thread(history.save)

    # Evaluating

    @on(ConsoleInput.EvaluateRequested)
    def _evaluate(self, event: ConsoleInput.EvaluateRequested) -> None:
        event.stop()
        self._remember(event.typed)
        work = partial(self._show_result, event.expression)
        self.run_command(self._answer, event.expression, work)

    @on(ConsoleInput.HelpRequested)
    def _help(self, event: ConsoleInput.HelpRequested) -> None:
        event.stop()
        self._remember(event.typed)
        work = partial(self._show_help, event.expression, event.source)
        self.run_command(self._answer, event.typed, work)

    async def _answer(self, typed: str, work: Callable[[], Awaitable[None]]) -> None:
        """One after the other: what was typed, then what comes of it."""
        async with self._evaluating:
            output = self.session.output
            self.console.results.action_scroll_end()  # whoever asks wants to see the answer
            output.add("input", typed)
            self.console.output_changed()
            self.console.set_busy(True, typed)
            try:
                await work()
            except StaleReply:
                output.add("error", "no result: the program went on meanwhile")
            except EvaluationCancelled:
                output.add("error", "interrupted; the program is paused as before")
            except DebuggerError as error:
                output.add("error", str(error))
            finally:
                self.console.set_busy(False)
                self.console.output_changed()

    async def _show_result(self, expression: str) -> None:
        result = await self.session.evaluation.evaluate(expression, self._frame_id)
        output = self.session.output
        if result.text:
            output.add("result", result.text)
        if result.openable:
            self.console.results.attach(output.last_number, ResultTree(result))
        if len(result.text) >= _CUT:
            output.add("console", f"cut after {_CUT:,} characters; _ is all of it")
        await self.view.refresh_variables()

    async def _show_help(self, expression: str, source: bool) -> None:
        evaluation = self.session.evaluation
        found = await evaluation.describe(expression, self._frame_id, source=source)
        self.session.output.add("help", help_text(expression, found, source=source))

    # Names

    @on(ConsoleInput.CompletionRequested)
    def _complete(self, event: ConsoleInput.CompletionRequested) -> None:
        event.stop()
        self.run_in_background("completion", self._offer_names, event.text, event.cursor)

    async def _offer_names(self, text: str, cursor: int) -> None:
        start, names = await self._names(text, cursor)
        if not self.console.show_names(text, start, names):
            self.status.show_hint("no name to complete here")

    async def _names(self, text: str, cursor: int) -> tuple[int, tuple[str, ...]]:
        """From the adapter where it can tell now, else from what is known without it."""
        word = word_before(text, cursor)
        owner, part = split_word(word)
        names = await self._adapter_names(text, cursor)
        if not owner:
            known = [] if names else self._variable_names()
            typed = [] if names else self.console.history
            names |= local_names(known, typed, self.session.profile.language)
        elif not names:
            names = local_attributes(owner, self.console.history)
        return cursor - len(part), tuple(names)

    async def _adapter_names(self, text: str, cursor: int) -> set[str]:
        frame_id = self._frame_id
        if self.session.status is not Status.PAUSED or frame_id is None or self.console.is_busy:
            return set()
        try:
            return set((await self.session.evaluation.complete(text, cursor, frame_id)).names)
        except DebuggerError:
            return set()

    def _variable_names(self) -> list[str]:
        scopes = self.variables.roots
        return [node.variable.name for scope in scopes for node in scope.children or ()]

    # Results

    @on(ConsoleResults.ResultOpened)
    def _open_result(self, event: ConsoleResults.ResultOpened) -> None:
        event.stop()
        self.run_command(self._fetch_children, event)

    async def _fetch_children(self, event: ConsoleResults.ResultOpened) -> None:
        tree, path = event.tree, event.path
        try:
            await self._fetch_into(tree, path)
        except DebuggerError as error:
            if tree.is_open_at(path):
                tree.toggle(path)
            self.status.show_hint(str(error), "warning")
        self.console.results.tree_changed(event.number, tree)

    async def _fetch_into(self, tree: ResultTree, path: Path) -> None:
        """What is inside a node, the next page of it, or a value that nobody has worked out."""
        frame_id, stop_id = self._frame_id, self.session.stop_id
        if frame_id is None or (path and tree.stop_of(path) != stop_id):
            raise DebuggerError("the program went on since; evaluate it again to look inside")
        if tree.is_unknown(path):
            tree.set_variable(path, await self.session.values.load(tree.variable(path)))
            return
        at = path[:-1] if tree.is_more(path) else path
        known, evaluation = tree.children(at), self.session.evaluation
        if at:
            reference = tree.variable(at).reference
        else:
            reference = evaluation.reference(tree.result, frame_id)
        found = await evaluation.page(reference, len(known))
        tree.set_children(at, (*known, *found.variables), stop_id, found.total)

    # The program's input, and interrupts

    @on(ConsoleInput.InputSubmitted)
    def _send_input(self, event: ConsoleInput.InputSubmitted) -> None:
        event.stop()
        if self._has_stdin():
            self.session.terminal_io.send_input(event.text + "\n")

    @on(ConsoleInput.EndOfInputRequested)
    def _send_end_of_input(self) -> None:
        if self._has_stdin():
            self.session.terminal_io.send_end_of_input()

    def interrupt_evaluation(self) -> None:
        """Have what was typed last stop; the program stays paused."""
        self.console.say_busy("stopping it … (^C again: it is not waited for)")
        self.run_command(self.session.evaluation.cancel)

    @on(ConsoleInput.InterruptRequested)
    def _send_interrupt(self) -> None:
        if self.console.is_busy:
            self.interrupt_evaluation()
        elif self.session.status is Status.PAUSED:
            # It would hit the debugger's own wait and end the program.
            way_out = self.key_map.tell("resume", "lets it run, then ^C reaches it")
            self.status.show_hint(f"the program is paused{way_out}")
        elif self._has_stdin():
            self.session.terminal_io.send_interrupt()

    def _has_stdin(self) -> bool:
        if self.session.terminal is not None:
            return True
        elsewhere = self.session.program_place.elsewhere
        why = (
            f"the program reads from {elsewhere}" if elsewhere else "the program takes no input now"
        )
        self.status.show_hint(why, "warning")
        return False

    @on(ConsoleInput.InputLeft)
    def _leave_input(self) -> None:
        self.focus_pane("source")


def help_text(expression: str, found: Help, *, source: bool) -> str:
    """What is known of an object, for reading. Its documentation comes from the program."""
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
