"""The pseudo-terminal the program runs on.

A program under debug should see the same as without a debugger: a terminal on all three standard
streams, with a controlling terminal, job control signals and colours. debugpy leaves the starting
of the program to its client (DAP ``runInTerminal``), so tuidbg opens a pseudo-terminal, starts the
program on it as leader of a session of its own and reads the other end. The output then does not
travel as tens of thousands of DAP events either.

All of it runs on the asyncio loop of the screen, so nothing here blocks, and one turn of the loop
never handles more than ``CHUNK`` bytes: keys are handled during a flood of output.
"""

from __future__ import annotations

import asyncio
import errno
import os
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import NamedTuple

from tuidbg.adapters.program.started import (
    ProgramPipes,
    StartedProgram,
    can_run,
    claiming_command,
    program_environment,
)


class InputState(NamedTuple):
    """How a program reads from its terminal."""

    by_key: bool
    """Character by character, not by line."""
    echoes: bool
    """Whether input is echoed."""


def has_unread_input(name: str) -> bool:
    """Return whether the terminal has unread input; ``name`` is the program's side."""
    with suppress(OSError):
        slave = os.open(name, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            return bool(select.select([slave], [], [], 0)[0])
        finally:
            os.close(slave)
    return True  # unknown: leave it alone


def discard_unread_input(name: str) -> None:
    with suppress(OSError, termios.error):
        slave = os.open(name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            termios.tcflush(slave, termios.TCIFLUSH)
        finally:
            os.close(slave)


def control_character(master: int, index: int, needed_flag: int) -> bytes:
    """Return a control character of the terminal, empty if its mode disables it."""
    try:
        attributes = termios.tcgetattr(master)
    except termios.error:
        return b""
    character = attributes[6][index]
    if not attributes[3] & needed_flag or not isinstance(character, bytes):
        return b""
    return b"" if character in (b"\0", b"\xff") else character


def set_size(terminal: int, columns: int, rows: int) -> None:
    """Set the size; 80 by 24 if unknown."""
    size = (rows if rows > 0 else 24, columns if columns > 0 else 80)
    termios.tcsetwinsize(terminal, size)


CHUNK = 65536
"""Maximum bytes read in one turn of the loop; also the kernel's buffer for a slow reader."""

PAUSE = 0.002
"""Seconds between two reads of a flood. Without them each printed line would wake the loop."""

PENDING_LIMIT = 16 * 1024 * 1024
"""Maximum bytes of input kept for a program that does not read."""

LINE_LIMIT = 4000 if sys.platform == "linux" else 1000
"""Bytes of an input line that the terminal driver accepts (Linux has 4,095, macOS 1,024)."""

_QUIET = 0.1
"""Seconds without output after which ``drain`` assumes that a held terminal has no more."""


class PseudoTerminal:
    """A pseudo-terminal and the process started on it.

    ``on_output`` gets the program's output, in order and undecoded; ``on_closed`` is called once
    when no process has the terminal open any more (not after ``close``). Both are called on the
    loop that ``start`` was called on.
    """

    def __init__(
        self, on_output: Callable[[bytes], None], on_closed: Callable[[], None] | None = None
    ) -> None:
        self._on_output = on_output
        self._on_closed = on_closed
        self._loop: asyncio.AbstractEventLoop | None = None
        self.program: StartedProgram | None = None
        """The process started on it."""
        self._master = -1
        self._slave = -1
        self._slave_name = ""
        self._pause: asyncio.TimerHandle | None = None
        self._pending = bytearray()
        self._writing = False
        self._held = False
        self._line_length = 0
        self._is_at_end = False
        self.owner: int | None = None
        """The process that is sent key signals directly, if this is not its controlling terminal:
        the kernel sends none then.
        """
        self._news = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Return whether the terminal can still be read and written."""
        return self._master >= 0

    @property
    def exit_code(self) -> int | None:
        """The exit code of the started process (-N: by signal N), ``None`` while it runs."""
        return None if self.program is None else self.program.exit_code

    def start(
        self,
        args: Sequence[str],
        cwd: str | None,
        env: Mapping[str, str | None] | None = None,
        *,
        columns: int = 80,
        rows: int = 24,
        pipes: ProgramPipes | None = None,
    ) -> int:
        """Start ``args`` on a new terminal and return its process id (DAP ``runInTerminal``).

        Its output goes to the ``pipes``, if given.

        ``env`` is merged into tuidbg's own environment; a value of ``None`` unsets the name. The
        process leads a session and a process group of its own, both numbered like itself. Raises
        OSError if the program or ``cwd`` can't be used.
        """
        if self._loop is not None:
            raise RuntimeError("this terminal has been started already")
        environment = program_environment(env or {})
        if not can_run(args[0], cwd, environment):
            raise FileNotFoundError(errno.ENOENT, "no such program", args[0])
        command, own_session = claiming_command(args, environment)
        slave = self.open(columns=columns, rows=rows)
        try:
            with pipes.writing_ends() if pipes else nullcontext((slave, slave)) as (out, err):
                popen = subprocess.Popen(
                    command,
                    stdin=slave,
                    stdout=out,
                    stderr=err,
                    cwd=cwd or None,
                    env=environment,
                    start_new_session=own_session,
                )
        except BaseException:
            self._release()
            raise
        finally:
            self.let_go()
        self.program = StartedProgram(popen, pipes)
        return self.program.pid

    async def wait(self) -> int:
        """Wait for the started process to end and return its exit code (-N: by signal N)."""
        assert self.program is not None
        return await self.program.wait()

    def open(self, *, columns: int = 80, rows: int = 24) -> int:
        """Open the terminal for a program started elsewhere; return its side's descriptor.

        That is held until ``let_go``: a terminal that no process has open counts as closed.
        """
        if self._loop is not None:
            raise RuntimeError("this terminal has been started already")
        master, slave = os.openpty()
        self._loop = asyncio.get_running_loop()
        self._slave = slave
        self._slave_name = os.ttyname(slave)
        set_size(master, columns, rows)
        os.set_blocking(master, False)
        self._master = master
        self._loop.add_reader(master, self._read)
        return slave

    @property
    def path(self) -> str:
        """The name of the program's side, as ``tty`` prints it."""
        return self._slave_name

    def let_go(self) -> None:
        """Close our descriptor of the program's side, or its end would go unseen.

        To be called when the program has it open.
        """
        if self._slave >= 0:
            os.close(self._slave)
            self._slave = -1

    # -- output

    def _read(self) -> None:
        """Pass on available output, at most a chunk; pause when there is no more."""
        assert self._loop is not None
        pieces: list[bytes] = []
        size = 0
        ended = caught_up = False
        while size < CHUNK:
            try:
                # The kernel returns 4 KiB at a time, whatever is requested.
                piece = os.read(self._master, CHUNK - size)
            except BlockingIOError:
                caught_up = True
                break
            except OSError:  # EIO: Linux's report that the other side is closed
                piece = b""
            if not piece:
                ended = True
                break
            pieces.append(piece)
            size += len(piece)
        if caught_up and pieces and self._pause is None and not self._held:
            self._loop.remove_reader(self._master)
            self._pause = self._loop.call_later(PAUSE, self._resume)
        if ended:
            self._release()
        self._news.set()
        if pieces:
            self._on_output(b"".join(pieces))
        if ended and self._on_closed is not None:
            self._on_closed()

    def _resume(self) -> None:
        self._pause = None
        if self.is_open and self._loop is not None and not self._held:
            self._loop.add_reader(self._master, self._read)

    def hold(self, held: bool) -> None:
        """Hold the program's output (its writes block), or release it."""
        if held == self._held or not self.is_open or self._loop is None:
            return
        self._held = held
        if held:
            self._loop.remove_reader(self._master)
        elif self._pause is None:
            self._loop.add_reader(self._master, self._read)

    def catch_up(self) -> None:
        """Pass on all output so far immediately, even during a pause."""
        if self.is_open:
            self._read()

    async def drain(self, limit: float = 1.0) -> bool:
        """Wait until all output of the ended program has gone to ``on_output``.

        Gives up after ``limit`` seconds, or sooner when there is no more output though another
        process still holds the terminal. Returns whether the end of the output was seen.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + limit
        while self.is_open:
            self._news.clear()
            wait = min(_QUIET, deadline - loop.time())
            if wait <= 0:
                return False
            try:
                await asyncio.wait_for(self._news.wait(), wait)
            except TimeoutError:
                return False
        return True

    # -- input

    def write(self, data: bytes) -> bool:
        """Type ``data`` into the terminal, without ever blocking.

        Input that the program does not accept yet is kept and sent later; ``False`` means that too
        much is pending already (or the terminal is closed) and nothing was accepted. The terminal
        driver truncates lines at about 4,096 bytes; a longer line is pushed through in pieces, as a
        user could do with Ctrl+D in the middle of a line.
        """
        if not self.is_open or len(self._pending) + len(data) > PENDING_LIMIT:
            return False
        if b"\x03" in data:
            self._interrupt_owner()
        if self._is_at_end:
            self._is_at_end = False
            discard_unread_input(self._slave_name)  # only the obsolete end of file
        self._pending += self._in_pieces(data)
        self._flush()
        return True

    def send_eof(self) -> bool:
        """Act as Ctrl+D: at the start of a line the program reads an end of file."""
        if not self.is_open:
            return False
        self._pending += control_character(self._master, termios.VEOF, termios.ICANON) or b"\x04"
        self._line_length = 0
        self._flush()
        return True

    def stay_at_end(self) -> None:
        """Keep the program's input at its end until something is typed; to be called repeatedly.

        An end of file is queued while there is no other input: a terminal has no permanent one.
        """
        if self.is_open and not self._pending and not has_unread_input(self._slave_name):
            self._is_at_end = self.send_eof()

    def send_interrupt(self) -> bool:
        """Act as Ctrl+C: send SIGINT to the foreground group and drop unread input.

        A program that switched the signal off (raw mode) reads the character instead.
        """
        if not self.is_open:
            return False
        character = control_character(self._master, termios.VINTR, termios.ISIG)
        self._interrupt_owner()
        if character:
            # The driver drops unread input when it sees the character. If its buffers are full it
            # would never see it, so they are emptied first.
            self._pending.clear()
            self._line_length = 0
            discard_unread_input(self._slave_name)
        self._pending += character or b"\x03"
        self._flush()
        return True

    def _interrupt_owner(self) -> None:
        if self.owner is not None and control_character(self._master, termios.VINTR, termios.ISIG):
            self._signal_owner(signal.SIGINT)

    def _signal_owner(self, number: signal.Signals) -> None:
        if self.owner is not None:
            with suppress(OSError):
                os.kill(self.owner, number)

    def _in_pieces(self, data: bytes) -> bytes:
        """Insert the driver's "push" character into lines that are too long for it."""
        if self._line_length + len(data) <= LINE_LIMIT:
            ended = data.rfind(b"\n") + 1
            self._line_length = len(data) - ended + (0 if ended else self._line_length)
            return data
        push = control_character(self._master, termios.VEOF, termios.ICANON)
        pieces: list[bytes] = []
        for line in data.splitlines(keepends=True):
            start = 0
            while push and self._line_length + len(line) - start > LINE_LIMIT:
                # Never a push without a character before it: that would be an end of file.
                stop = start + max(LINE_LIMIT - self._line_length, 1)
                pieces += line[start:stop], push
                start, self._line_length = stop, 0
            pieces.append(line[start:])
            whole = line.endswith((b"\n", b"\r")) or not push
            self._line_length = 0 if whole else self._line_length + len(line) - start
        return b"".join(pieces)

    def _flush(self) -> None:
        """Write as much as the terminal accepts now; continue when it accepts more."""
        assert self._loop is not None
        while self._pending and self.is_open:
            try:
                written = os.write(self._master, self._pending[:CHUNK])
            except BlockingIOError:
                break
            except OSError:  # the reader will see the end too
                self._pending.clear()
                break
            if not written:
                break
            del self._pending[:written]
        wanted = bool(self._pending) and self.is_open
        if wanted and not self._writing:
            self._loop.add_writer(self._master, self._flush)
        elif self._writing and not wanted:
            self._loop.remove_writer(self._master)
        self._writing = wanted

    def read_state(self) -> InputState | None:
        """Return how the program reads now; None if unknown."""
        try:
            flags = termios.tcgetattr(self._master)[3] if self.is_open else None
        except termios.error:
            flags = None
        if flags is None:
            return None
        return InputState(not flags & termios.ICANON, bool(flags & termios.ECHO))

    # -- size and end

    def resize(self, columns: int, rows: int) -> None:
        """Set the size in cells (the foreground group gets SIGWINCH)."""
        if self.is_open:
            with suppress(termios.error):
                set_size(self._master, columns, rows)
                self._signal_owner(signal.SIGWINCH)

    def close(self) -> None:
        """Hang up: the program gets SIGHUP, as when a terminal window is closed."""
        self._release()

    def _release(self) -> None:
        self.let_go()
        if not self.is_open or self._loop is None:
            return
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
        self._loop.remove_reader(self._master)
        if self._writing:
            self._loop.remove_writer(self._master)
            self._writing = False
        self._pending.clear()
        os.close(self._master)
        self._master = -1
        self._news.set()
