"""Tells where the line mode's lines come from: a person at a terminal, or a pipe.

At a terminal that can do more than print, lines are edited by readline, with history and
completion. Elsewhere the prompt and what was read are written out, so that what a script has done
can be read. While the program runs, what is typed goes to the program: keys are then handed on one
by one to its own terminal, which echoes and edits them as it was told to.
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
    """Raises KeyboardInterrupt for Ctrl+C, SystemExit for what ends us; of the main thread."""

    def __init__(self) -> None:
        self._is_open = False
        self._kept: BaseException | None = None

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Take them until this ends; what comes while nobody waits any more is dropped."""
        before = {each: signal.signal(each, self._take) for each in (signal.SIGINT, *_ENDS)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextlib.contextmanager
    def raised(self) -> Iterator[None]:
        """Raise here what has come before, and what comes."""
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
        """Inside of ``raised``, where nothing can be raised: what ends us is raised later.

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
            self._is_open = False  # what is raised once is dealt with first
            raise came
        if is_end or self._kept is None:
            self._kept = came


TYPE_AHEAD = 0.3
"""Seconds after which what is typed is for the program; until then it is the next command."""

HISTORY = 1000
"""Lines that are remembered."""

END_AGAIN = 0.05
"""Seconds after which a program whose input has ended may need to be told so again."""

_READ = 4096


class Editing(Protocol):
    """Provides what a person at a terminal needs: names to complete."""

    def complete(self, line: str, cursor: int) -> tuple[int, tuple[str, ...]]:
        """The names that could stand before the cursor, and where they begin."""


class Piped:
    """The commands in a pipe or file: taken as they come, and looked at for their end meanwhile."""

    def __init__(self, file: int) -> None:
        self.file = file
        self.is_over = False
        self._read = b""

    def take(self) -> None:
        """Read what is there, or wait for it."""
        try:
            data = os.read(self.file, _READ)
        except OSError:  # it is gone, or can't be read
            data = b""
        self._read += data
        self.is_over = not data

    @property
    def has_line(self) -> bool:
        """Returns whether a line need not be waited for."""
        return b"\n" in self._read or self.is_over

    def pop_line(self) -> str:
        """The next line with its end; nothing at the end of all."""
        line, end, self._read = self._read.partition(b"\n")
        return (line + end).decode(errors="replace")


class Reader:
    """Reads lines from our stdin; made in the main thread, which takes the signals."""

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
        signal.set_wakeup_fd(self._wake)  # one that comes just before we wait is not missed
        self._kept = ""

    def edit_with(self, editing: Editing) -> None:
        """Let a person edit, where the terminal can do that."""
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
            with self._signals.kept():  # readline forgets what is raised here
                start, names = editing.complete(line[:end], end)
            self._names = tuple(line[begin:start] + name for name in names)
        return self._names[state] if state < len(self._names) else None

    def read(self, prompt: str) -> str | None:
        """The next line; None at the end. Raises KeyboardInterrupt."""
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
        """The next line with its end; nothing at the end of all."""
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
        with self._signals.raised():  # whoever reads us may be slow
            self._printer.say(text)

    def throw_away(self) -> None:
        """Leave the line that is being typed, as pdb does at Ctrl+C."""
        with contextlib.suppress(KeyboardInterrupt):  # once more changes nothing
            self._say("")

    def keep(self, typed: str) -> None:
        """That was typed just when the program had stopped: it belongs to the next line."""
        self._kept += typed.replace("\r", "\n")

    # While the program runs

    def wait(
        self,
        work: Future[Any],
        hand_on: Callable[[str], None],
        end_input: Callable[[], None],
        stay_at_end: Callable[[], None],
    ) -> None:
        """Until ``work`` is done; what is typed meanwhile is handed on. Raises KeyboardInterrupt.

        It can be waited for again then. ``end_input`` is called where the terminal is gone,
        ``stay_at_end`` again and again where a pipe has ended: nothing can come for the program
        any more.
        """
        work.add_done_callback(lambda _: os.write(self._wake, b"."))
        if not self.is_terminal:
            self._wait_beside_pipe(work, stay_at_end)
        elif not self._is_done_soon(work):
            with keys_as_they_come(sys.stdin.fileno()):
                self._carry(work, hand_on, end_input)

    def _wait_for(self, files: Sequence[int], patience: float | None = None) -> list[int]:
        """The files that can be read; none where we were woken, or the patience is over.

        Who wakes us says no more by that: the caller looks what has become of its work.
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

    # What was typed before

    def _load_history(self) -> None:
        import platformdirs

        with contextlib.suppress(OSError, RuntimeError):
            self._history = Path(platformdirs.user_state_dir("tuidbg")) / "plain-history"
            self._readline.set_history_length(HISTORY)
            self._readline.read_history_file(self._history)

    def save_history(self) -> None:
        """Keep what was typed; remembering is a comfort, and may fail."""
        if self._readline is None or self._history is None:
            return
        with contextlib.suppress(OSError):
            self._history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._history.touch(mode=0o600)
            self._readline.write_history_file(self._history)


@contextlib.contextmanager
def keys_as_they_come(terminal: int) -> Iterator[None]:
    """Neither echo nor edit what is typed: the program's own terminal does. Ctrl+C stays ours."""
    before = termios.tcgetattr(terminal)
    changed = termios.tcgetattr(terminal)
    changed[0] &= ~termios.ICRNL
    changed[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
    termios.tcsetattr(terminal, termios.TCSANOW, changed)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
