"""Execution of input lines like pdb: commands by name, all others as Python."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

from tuidbg.plain.commands import inspection as looking
from tuidbg.plain.commands.execution import NoPlace
from tuidbg.plain.commands.table import BY_NAME, LineCommand, describe, list_commands
from tuidbg.plain.context import ORIGIN, CommandContext, CommandError
from tuidbg.session.model.errors import (
    DebuggerError,
    EvaluationCancelled,
    InvalidSessionState,
    StaleReply,
)
from tuidbg.session.model.state import Status

_PATIENCE = 1.0
"""Seconds after which a delayed pause is explained."""

PROMPT = "(tuidbg) "
_PROMPT_OF_COMMANDS = "(com) "

_WORD = re.compile(r"(?P<name>[A-Za-z_]\w*|[!?])(?P<rest>.*)", re.DOTALL)
_OPERATOR = re.compile(r"\s*(=(?!=)|[-+*/%&|^@]=|//=|\*\*=|>>=|<<=)")
_RUNNING = ("s", "n", "unt", "r", "c", "to", "j", "run", "q")


class LineMode:
    """The line mode of one session. All belongs to the thread of the session's loop."""

    def __init__(self, context: CommandContext) -> None:
        self.context = context
        self._last = ""
        self._script: tuple[int, list[str]] | None = None
        self._is_pausing = False

    @property
    def prompt(self) -> str:
        return PROMPT if self._script is None else _PROMPT_OF_COMMANDS

    async def begin(self) -> None:
        """Wait for the first stop and show it."""
        await self._attempt(self.context.begin())
        await self._run_scripts()

    async def execute(self, line: str) -> bool:
        """Execute a line; return whether there is more to come."""
        if self._script is not None:
            self._take_script_line(line)
            return True
        line = line.strip() or self._last
        self._last = line
        for part in filter(None, parts(line)):
            await self._attempt(self._do(part))
            await self._run_scripts()
            if self.context.leaving.is_set():
                return False
        return True

    async def _attempt(self, work: object) -> None:
        context = self.context
        self._is_pausing = False
        try:
            await work  # type: ignore[misc]
        except (CommandError, NoPlace, EvaluationCancelled) as error:
            context.complain(str(error))
        except StaleReply:
            context.complain("no answer: the program went on meanwhile")
        except DebuggerError as error:
            await context.catch_up()
            is_state = isinstance(error, InvalidSessionState)
            why = context.session.lifecycle.why_no_program() if is_state else ""
            context.complain(why or str(error))
        if context.frame is None and context.session.status is Status.PAUSED:
            await self._stand_again()

    async def _stand_again(self) -> None:
        """Restore the frame if the program did not resume after all."""
        try:
            self.context.frame = await self.context.control.frame()
        except DebuggerError:
            pass  # the next command reports the problem

    async def _do(self, line: str) -> None:
        if self.context.frame is None and self.context.session.status is Status.PAUSED:
            await self.context.arrive()  # it stopped without a command waiting for it
        name, words = split_word(line)
        if name in ("?", "h", "help") and not _is_python(None, words):
            self._help(words)
        elif name == "!":
            await self.evaluate(words)
        elif name == "commands" and not _is_python(None, words):
            self._begin_script(words)
        elif name in ("interact", "alias", "unalias", "debug"):
            raise CommandError(
                f"there is no {name} here; any statement can be typed at this prompt"
            )
        elif (command := command_of(line)) is None:
            await self.evaluate(line)
        else:
            await command.do(self.context, words)
            if command.names[0] == "l":
                self._last = "l"  # the next empty line continues the listing

    async def evaluate(self, text: str) -> None:
        """Run a statement, or print the value of an expression."""
        await looking.evaluate(self.context, text)

    def _help(self, name: str) -> None:
        told = describe(name) if name else "\n".join(list_commands())
        if not told:
            raise CommandError(f"there is no command {name}; `h` lists all")
        self.context.say(told)

    # Breakpoint commands

    def _begin_script(self, words: str) -> None:
        registry = self.context.session.breakpoints.registry
        numbers = [each.number for each in registry]
        if not numbers or (words and not words.isdecimal()):
            raise CommandError("name the number of a breakpoint; `b` lists them")
        number = registry.get(int(words)).number if words else max(numbers)
        self._script = (number, [])

    def _take_script_line(self, line: str) -> None:
        assert self._script is not None
        number, lines = self._script
        if line.strip() not in ("end", "EOF"):
            lines.append(line.strip())
            if _WORD.match(line.strip()) is None or line.strip().split()[0] not in _ENDING:
                return
        self.context.scripts[number] = [each for each in lines if each not in ("", "silent")]
        self._script = None

    async def _run_scripts(self) -> None:
        """Run the commands of the hit breakpoints; one that resumes the program is the last.

        A stop that follows has its own commands.
        """
        context = self.context
        while context.due and not context.leaving.is_set():
            due, context.due = context.due, []
            for line in due:
                await self._attempt(self._do(line))
                if context.due or line.split()[0] in _ENDING:
                    break

    # Interrupts

    def interrupt(self) -> None:
        """Handle Ctrl+C during work: stop an evaluation, pause a program.

        A second one exits from a program that does not pause, as it runs no Python code.
        """
        session = self.context.session
        if session.status is Status.RUNNING and not self._is_pausing:
            self._is_pausing = True
            session.spawn(self._pause())
        elif session.status is Status.PAUSED and session.evaluation.running:
            session.spawn(session.evaluation.cancel())
        elif self.context.listens:
            if not self.context.call_off():
                self.leave()
        elif session.status is Status.LAUNCHING:
            rest = "; the program runs on as before" if session.is_attached else ""
            self.context.say(f"The start was cancelled{rest}.")
            self.leave()
        elif session.status is Status.RUNNING:
            runs_on = session.is_attached
            self.context.complain(f"it has not paused; it {'runs on' if runs_on else 'is ended'}")
            self.leave()

    async def _pause(self) -> None:
        """Explain a delayed pause."""
        session = self.context.session
        await session.execution.pause(origin=ORIGIN)
        before = session.stop_id
        await asyncio.sleep(_PATIENCE)
        if session.status is Status.RUNNING and session.stop_id == before:
            end = "leaves it" if session.is_attached else "ends it"
            self.context.say(f"Pausing when it runs Python code again; Ctrl+C once more {end}.")

    def leave(self) -> None:
        """Exit, also during work."""
        self.context.leaving.set()

    # Completion

    async def complete(self, text: str, cursor: int) -> tuple[int, tuple[str, ...]]:
        """Return the completions before the cursor, and where they begin."""
        context = self.context
        if context.frame is None or context.session.status is not Status.PAUSED:
            return cursor, ()
        try:
            found = await context.session.evaluation.complete(text, cursor, context.frame.id)
        except DebuggerError:
            return cursor, ()
        return found.start, found.names


_ENDING = {name for short in _RUNNING for name in BY_NAME[short].names}


def split_word(line: str) -> tuple[str, str]:
    """Split a line into its first word, "" without one, and the rest."""
    found = _WORD.fullmatch(line.strip())
    return (found["name"], found["rest"].strip()) if found is not None else ("", line.strip())


def command_of(line: str) -> LineCommand | None:
    """Find the command of a line; None for Python and the line mode's own commands."""
    found = _WORD.fullmatch(line.strip())
    command = BY_NAME.get(found["name"]) if found is not None else None
    return None if found is None or _is_python(command, found["rest"]) else command


def _is_python(command: LineCommand | None, rest: str) -> bool:
    """Whether a line with a command's name is Python: ``c = 3``, ``n + 1``, ``a[0]``."""
    if _OPERATOR.match(rest) or rest.startswith((".", "[")):
        return True
    if rest.startswith("("):
        return command is None or command.names[0] not in ("p", "pp", "whatis")
    return command is not None and not command.takes and bool(rest.strip())


def parts(line: str) -> Iterator[str]:
    """Split a line at ``;;`` outside of strings."""
    begin, quote, index = 0, "", 0
    while index < len(line):
        character = line[index]
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif line.startswith(";;", index):
            yield line[begin:index].strip()
            begin = index = index + 2
            continue
        index += 1
    yield line[begin:].strip()
