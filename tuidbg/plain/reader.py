"""The line mode's input: a user at a terminal, or a pipe.

At a capable terminal, lines are edited by readline, with history and completion. Elsewhere the
prompt and the input are printed, so that the log of a script is readable. While the program runs,
the input belongs to it: keys are passed on one by one to its own terminal, which echoes and edits
them in its own mode.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Protocol

from tuidbg.plain.printer import Printer

_ENDS = (signal.SIGTERM, signal.SIGHUP)


class Signals:
    """Signals of the main thread: KeyboardInterrupt for Ctrl+C, SystemExit for termination."""

    def __init__(self) -> None:
        self._is_open = False
        self._kept: BaseException | None = None

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Handle the signals within the block; one that is still pending at its end is dropped."""
        before = {each: signal.signal(each, self._take) for each in (signal.SIGINT, *_ENDS)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextlib.contextmanager
    def raised(self) -> Iterator[None]:
        """Raise pending and new signals within the block."""
        self._is_open = True
        try:
            kept, self._kept = self._kept, None
            if kept is not None:
                raise kept
            yield
        finally:
            self._is_open = False

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Defer termination within ``raised``, where an exception would be lost.

        Ctrl+C is dropped; later it would interrupt something else.
        """
        self._is_open = False
        try:
            yield
        finally:
            if isinstance(self._kept, KeyboardInterrupt):
                self._kept = None
            self._is_open = True

    def _take(self, number: int, _frame: object) -> None:
        is_end = number in _ENDS
        came = SystemExit(128 + number) if is_end else KeyboardInterrupt()
        if self._is_open:
            self._is_open = False  # the first exception is handled first
            raise came
        if is_end or self._kept is None:
            self._kept = came


TYPE_AHEAD = 0.3
"""Seconds after which input is the program's; before that it is the next command."""

HISTORY = 1000
"""Maximum lines of history."""

END_AGAIN = 0.05
"""Seconds after which a program's end of input may need to be sent again."""

_READ = 4096


class Editing(Protocol):
    """A provider of completions."""

    def complete(self, line: str, cursor: int) -> tuple[int, tuple[str, ...]]:
        """Return the completions before the cursor, and where they begin."""


class Piped:
    """Commands from a pipe or file, which is also polled for its end."""

    def __init__(self, file: int) -> None:
        self.file = file
        self.is_over = False
        self._read = b""

    def take(self) -> None:
        """Read the available input, or wait for it."""
        try:
            data = os.read(self.file, _READ)
        except OSError:  # it is closed or unreadable
            data = b""
        self._read += data
        self.is_over = not data

    @property
    def has_line(self) -> bool:
        """Whether a line is available without waiting."""
        return b"\n" in self._read or self.is_over

    def pop_line(self) -> str:
        """Return the next line with its end; "" at the end of input."""
        line, end, self._read = self._read.partition(b"\n")
        return (line + end).decode(errors="replace")


class StdinReader:
    """The reader of our stdin; made in the main thread, which handles the signals."""

    def __init__(self, printer: Printer, signals: Signals) -> None:
        self._printer = printer
        self._signals = signals
        self.is_terminal = bool(sys.stdin and sys.stdin.isatty())
        self._piped = Piped(0) if sys.stdin and not self.is_terminal else None
        self._readline: Any = None
        self._history: Path | None = None
        self._names: tuple[str, ...] = ()
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        signal.set_wakeup_fd(self._wake)  # a signal just before a wait is not missed
        self._kept = ""

    def edit_with(self, editing: Editing) -> None:
        """Enable line editing, if the terminal supports it."""
        is_dumb = os.environ.get("TERM", "dumb") in ("", "dumb")
        if not self.is_terminal or is_dumb or not sys.stdout.isatty():
            return
        try:
            import readline
        except ImportError:
            return
        self._readline = readline
        readline.parse_and_bind("set enable-bracketed-paste off")  # it moves the cursor
        is_libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
        readline.set_completer_delims(" \t\n`~!@#$%^&*()-=+[{]}\\|;:'\",<>?")
        readline.set_completer(lambda text, state: self._complete(editing, text, state))
        self._load_history()

    def _complete(self, editing: Editing, text: str, state: int) -> str | None:
        if state == 0:
            line = self._readline.get_line_buffer()
            begin, end = self._readline.get_begidx(), self._readline.get_endidx()
            with self._signals.kept():  # readline swallows exceptions raised here
                start, names = editing.complete(line[:end], end)
            self._names = tuple(line[begin:start] + name for name in names)
        return self._names[state] if state < len(self._names) else None

    def read(self, prompt: str) -> str | None:
        """Return the next line; None at the end. Raises KeyboardInterrupt."""
        begun, self._kept = self._kept, ""
        line, is_whole, rest = begun.partition("\n")
        if is_whole:
            self._kept = rest
            self._say(prompt + line)
            return line
        if self._readline is not None:
            return self._read_edited(prompt, begun)
        with self._signals.raised():
            self._printer.ask(prompt + begun)
        line = self._read_line()
        if not self.is_terminal or not line:
            self._say(line.rstrip("\n"))
        return begun + line.rstrip("\n") if line else None

    def _read_line(self) -> str:
        """Return the next line with its end; "" at the end of input."""
        if self.is_terminal:
            with self._signals.raised():
                return sys.stdin.readline()
        if self._piped is None:
            return ""
        while not self._piped.has_line:
            if self._wait_for([self._piped.file]):
                self._piped.take()
        return self._piped.pop_line()

    def _read_edited(self, prompt: str, begun: str) -> str | None:
        with self._signals.raised():
            self._printer.begin_line()
        self._readline.set_startup_hook(lambda: self._readline.insert_text(begun))
        try:
            with self._signals.raised():
                return input(prompt)
        except EOFError:
            self._say("")
            return None

    def _say(self, text: str) -> None:
        with self._signals.raised():  # our output may be read slowly
            self._printer.say(text)

    def throw_away(self) -> None:
        """Drop the line being typed, like pdb at Ctrl+C."""
        with contextlib.suppress(KeyboardInterrupt):  # a second one changes nothing
            self._say("")

    def keep(self, typed: str) -> None:
        """Keep input for the next line: it was typed just when the program stopped."""
        self._kept += typed.replace("\r", "\n")

    # Input of the running program

    def wait(
        self,
        work: Future[Any],
        hand_on: Callable[[str], None],
        end_input: Callable[[], None],
        stay_at_end: Callable[[], None],
    ) -> None:
        """Wait for ``work`` and pass on the input meanwhile. Raises KeyboardInterrupt.

        It can be waited for again then. ``end_input`` is called when the terminal is gone,
        ``stay_at_end`` repeatedly after the end of a pipe: no more input can come for the program.
        """
        work.add_done_callback(lambda _: os.write(self._wake, b"."))
        if not self.is_terminal:
            self._wait_beside_pipe(work, stay_at_end)
        elif not self._is_done_soon(work):
            with keys_as_they_come(sys.stdin.fileno()):
                self._carry(work, hand_on, end_input)

    def _wait_for(self, files: Sequence[int], patience: float | None = None) -> list[int]:
        """Return the readable files; empty after a wake-up or the timeout.

        A wake-up has no further meaning: the caller checks the state of its work.
        """
        with self._signals.raised():
            ready = select.select([self._woken, *files], [], [], patience)[0]
        if self._woken in ready:
            ready.remove(self._woken)
            os.read(self._woken, _READ)
        return ready

    def _is_done_soon(self, work: Future[Any]) -> bool:
        over = time.monotonic() + TYPE_AHEAD
        while not work.done() and (rest := over - time.monotonic()) > 0:
            self._wait_for([], rest)
        return work.done()

    def _wait_beside_pipe(self, work: Future[Any], stay_at_end: Callable[[], None]) -> None:
        piped = self._piped
        while not work.done():
            watched = [] if piped is None or piped.is_over else [piped.file]
            ready = self._wait_for(watched, None if watched else END_AGAIN)
            if ready and piped is not None:
                piped.take()
            elif not watched:
                stay_at_end()

    def _carry(
        self, work: Future[Any], hand_on: Callable[[str], None], end_input: Callable[[], None]
    ) -> None:
        decode = getincrementaldecoder("utf-8")("replace").decode
        watched = [sys.stdin.fileno()]
        while not work.done():
            if not self._wait_for(watched):
                continue
            data = os.read(sys.stdin.fileno(), _READ)
            if not data:  # the terminal is gone
                watched.clear()
                end_input()
            elif text := decode(data):
                hand_on(text)

    # History

    def _load_history(self) -> None:
        import platformdirs

        with contextlib.suppress(OSError, RuntimeError):
            self._history = Path(platformdirs.user_state_dir("tuidbg")) / "plain-history"
            self._readline.set_history_length(HISTORY)
            self._readline.read_history_file(self._history)

    def save_history(self) -> None:
        """Save the history; a failure is ignored, as it is no necessity."""
        if self._readline is None or self._history is None:
            return
        with contextlib.suppress(OSError):
            self._history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._history.touch(mode=0o600)
            self._readline.write_history_file(self._history)


@contextlib.contextmanager
def keys_as_they_come(terminal: int) -> Iterator[None]:
    """Disable echo and line editing: the program's own terminal does both. Ctrl+C stays ours."""
    before = termios.tcgetattr(terminal)
    changed = termios.tcgetattr(terminal)
    changed[0] &= ~termios.ICRNL
    changed[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
    termios.tcsetattr(terminal, termios.TCSANOW, changed)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
