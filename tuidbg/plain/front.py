"""The line mode's main loop: the prompt in the main thread, the session on a loop in another.

Ctrl+C arrives in the main thread, and readline works there; the session goes on meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, Protocol, TypeVar

from tuidbg.adapters.traits import SourceProblem
from tuidbg.plain.commands.table import BY_NAME
from tuidbg.plain.context import CommandContext
from tuidbg.plain.mode import LineMode
from tuidbg.plain.printer import Printer
from tuidbg.plain.reader import Signals, StdinReader
from tuidbg.session.core.run.ending import CORE_CLOSED
from tuidbg.session.core.session import Session
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Status

T = TypeVar("T")

_COMPLETION = 2.0
"""Seconds to wait for completions."""

_LAST_MOMENT = 1.0
"""Seconds for cancelled tasks to finish at exit."""


def describe_leaving(count: int) -> str:
    """Say that connected programs run on."""
    who = "One program runs" if count == 1 else f"{count} programs run"
    return f"{who} on without the debugger."


class SessionFactory(Protocol):
    """A factory for the session, which also starts and ends it.

    ``problem``: why its source can't be run, known after an attempt to start.
    """

    problem: SourceProblem | None

    def make(self) -> Session:
        """Make the session, not started yet."""

    async def start(self) -> None:
        """Start the session; report a failure."""

    async def close(self) -> None:
        """End the session, and store its state."""


class Background:
    """A loop in its own thread; a context manager."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.loop.set_debug(False)
        self._thread = threading.Thread(target=self.loop.run_forever, name="session", daemon=True)

    def __enter__(self) -> Background:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.submit(_call_off_the_rest()).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine on the loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)


async def _call_off_the_rest() -> None:
    """Cancel all tasks when a signal ends the process."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    if rest:
        await asyncio.wait(rest, timeout=_LAST_MOMENT)


def run(opening: SessionFactory) -> int:
    """Debug by lines until the user exits; return the program's exit status, if it has ended."""
    printer, signals = Printer(), Signals()
    with signals.taken(), Background() as background:
        front = _Front(opening, printer, background, signals)
        try:
            front.run()
            with signals.raised():
                front.say_goodbye()
            status = front.status  # a program that is killed now has no status of its own
        finally:  # the shutdown takes under a second, and is not interrupted
            background.submit(opening.close()).result()
            front.reader.save_history()
    return status


PIPE_LIMIT = 30.0
"""Seconds for an evaluation when commands come from a pipe: Ctrl+C can't end it there."""


class _Front:
    """The prompt of the line mode."""

    def __init__(
        self, opening: SessionFactory, printer: Printer, background: Background, signals: Signals
    ) -> None:
        self._opening = opening
        self._printer = printer
        self._background = background
        self.reader = StdinReader(printer, signals)
        self._session: Session
        self._mode: LineMode

    @property
    def status(self) -> int:
        """The program's exit status for the shell; 0 until it has ended."""
        session = self._session
        if session.status is Status.FAILED:
            return 1
        ended = session.exit
        if ended is None:
            return 0
        if ended.signal:
            return 128 + getattr(signal, ended.signal, 0)
        return ended.code or 0

    def run(self) -> None:
        """Start the session, then read and execute lines."""
        self._background.submit(self._make()).result()
        if not self._wait(self._begin()):
            return
        self.reader.edit_with(self)
        while not self._printer.is_broken:
            try:
                line = self.reader.read(self._mode.prompt)
            except KeyboardInterrupt:
                self.reader.throw_away()
                continue
            if line is None or not self._wait(self._mode.execute(line)):
                return

    def say_goodbye(self) -> None:
        """Say that programs not started here run on."""
        session = self._session
        if session.is_post_mortem:
            self._printer.say(CORE_CLOSED)
        elif session.family is not None and self._mode.context.listens:
            living = len(session.family.living_children(session))
            if living:
                self._printer.say(describe_leaving(living))
        elif session.is_attached and session.status in (Status.RUNNING, Status.PAUSED):
            self._printer.say("The program runs on without the debugger.")

    async def _make(self) -> None:
        self._session = session = self._opening.make()
        if not self.reader.is_terminal:
            session.evaluation.limit = PIPE_LIMIT
        self._mode = LineMode(CommandContext(session, self._printer))
        session.terminal_io.is_shown_outside = True
        session.output_stream.pieces.add(
            lambda piece: self._printer.write_program(piece.category, piece.text)
        )
        self._printer.on_broken = lambda: self._from_outside(self._mode.leave)
        self._take_size()

    def _take_size(self) -> None:
        """Resize the program's terminal to ours, each time it resumes."""
        columns, rows = shutil.get_terminal_size()
        self._session.terminal_io.resize(columns, rows)

    async def _begin(self) -> bool:
        starting = asyncio.ensure_future(self._opening.start())
        leaving = asyncio.ensure_future(self._mode.context.leaving.wait())
        await asyncio.wait((starting, leaving), return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if not starting.done():  # cancelled: the session ends what was begun
            return False
        await starting
        if self._opening.problem is not None or self._mode.context.leaving.is_set():
            return False
        await self._mode.begin()
        return self._session.status is not Status.FAILED

    def _wait(self, work: Coroutine[Any, Any, bool]) -> bool:
        """Wait for work, interrupted by Ctrl+C; return whether there is more to come."""
        self._from_outside(self._take_size)
        future = self._background.submit(work)
        session = self._session
        while True:
            try:
                self.reader.wait(
                    future,
                    lambda text: self._from_outside(lambda: self._hand_on(text)),
                    lambda: self._from_outside(session.terminal_io.send_end_of_input),
                    lambda: self._from_outside(self._keep_at_end),
                )
                return future.result()
            except KeyboardInterrupt:
                self._from_outside(self._mode.interrupt)

    @property
    def _is_at_work(self) -> bool:
        return self._session.status is Status.RUNNING or bool(self._session.evaluation.running)

    def _keep_at_end(self) -> None:
        """Keep the program's input at its end: no more can come."""
        if self._is_at_work:
            self._session.terminal_io.keep_input_at_end()

    def _hand_on(self, text: str) -> None:
        """Send text to the program, unless it has just stopped."""
        session = self._session
        if self._is_at_work and session.terminal is not None:
            session.terminal_io.send_input(text)
        else:
            self.reader.keep(text)

    def _from_outside(self, call: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed at the end
            self._background.loop.call_soon_threadsafe(call)

    # Completion for readline

    def complete(self, line: str, cursor: int) -> tuple[int, tuple[str, ...]]:
        """Complete commands at the beginning of a line, the program's names elsewhere."""
        word = line[:cursor]
        found: list[str] = []
        if word.isalpha():
            commands = {name: f"{name} " if each.takes else name for name, each in BY_NAME.items()}
            found = [text for name, text in commands.items() if name.startswith(word)]
        future = self._background.submit(self._mode.complete(line, cursor))
        try:
            start, names = future.result(_COMPLETION)
        except (TimeoutError, DebuggerError):
            start, names = cursor, ()
        if found and not names:
            start = 0
        return start, (*found, *names)
