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
import sys
import termios
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Protocol

from tuidbg.plain.printer import Printer

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
    """The commands in a pipe or file: read line by line, and looked at for its end meanwhile."""

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

    def read_line(self) -> str:
        """The next line with its end; nothing at the end of all."""
        while b"\n" not in self._read and not self.is_over:
            self.take()
        line, end, self._read = self._read.partition(b"\n")
        return (line + end).decode(errors="replace")


class Reader:
    """Reads lines from our stdin."""

    def __init__(self, printer: Printer) -> None:
        self._printer = printer
        self.is_terminal = bool(sys.stdin and sys.stdin.isatty())
        self._piped = Piped(0) if sys.stdin and not self.is_terminal else None
        self._readline: Any = None
        self._history: Path | None = None
        self._names: tuple[str, ...] = ()
        self._ended, self._tell = os.pipe()
        self._work: Future[Any] | None = None
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
            start, names = editing.complete(line[:end], end)
            self._names = tuple(line[begin:start] + name for name in names)
        return self._names[state] if state < len(self._names) else None

    def read(self, prompt: str) -> str | None:
        """The next line; None at the end. Raises KeyboardInterrupt."""
        begun, self._kept = self._kept, ""
        line, is_whole, rest = begun.partition("\n")
        if is_whole:
            self._kept = rest
            self._printer.say(prompt + line)
            return line
        if self._readline is not None:
            return self._read_edited(prompt, begun)
        self._printer.ask(prompt + begun)
        if self.is_terminal:
            line = sys.stdin.readline()
        else:
            line = self._piped.read_line() if self._piped is not None else ""
        if not self.is_terminal or not line:
            self._printer.say(line.rstrip("\n"))
        return begun + line.rstrip("\n") if line else None

    def _read_edited(self, prompt: str, begun: str) -> str | None:
        self._printer.begin_line()
        self._readline.set_startup_hook(lambda: self._readline.insert_text(begun))
        try:
            return input(prompt)
        except EOFError:
            self._printer.say("")
            return None

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

        ``end_input`` is called where the terminal is gone, ``stay_at_end`` again and again where a
        pipe has ended: nothing can come for the program any more.
        """
        if work is not self._work:  # else it is waited for again, after an interrupt
            self._work = work
            work.add_done_callback(lambda _: os.write(self._tell, b"."))
        if not self.is_terminal:
            self._wait_beside_pipe(stay_at_end)
        elif not select.select([self._ended], [], [], TYPE_AHEAD)[0]:
            with keys_as_they_come(sys.stdin.fileno()):
                self._carry(hand_on, end_input)
        os.read(self._ended, 1)

    def _wait_beside_pipe(self, stay_at_end: Callable[[], None]) -> None:
        piped = self._piped
        while True:
            watched = [self._ended] if piped is None or piped.is_over else [self._ended, piped.file]
            patience = END_AGAIN if len(watched) == 1 else None
            ready = select.select(watched, [], [], patience)[0]
            if self._ended in ready:
                return
            if ready and piped is not None:
                piped.take()
            else:
                stay_at_end()

    def _carry(self, hand_on: Callable[[str], None], end_input: Callable[[], None]) -> None:
        decode = getincrementaldecoder("utf-8")("replace").decode
        watched = [self._ended, sys.stdin.fileno()]
        while True:
            ready, _, _ = select.select(watched, [], [])
            if self._ended in ready:
                return
            data = os.read(sys.stdin.fileno(), _READ)
            if not data:  # the terminal is gone
                watched.pop()
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
