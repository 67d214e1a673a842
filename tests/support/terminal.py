"""A real command on a real pseudo-terminal, with a screen that tests and benchmarks can read.

Everything here is synchronous: a test sends keys and waits for what the screen shows, as a person
would. The command gets a session and a controlling terminal of its own, so that job control,
signals and the restoring of the terminal can be tested for what they are.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import subprocess
import termios
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from tests.support.crowd import Crowd
from tests.support.emulator import Emulator
from tests.support.keyboard import MouseButton, key_sequence, mouse_sequence
from tests.support.remains import Remains, find_remains
from tests.support.waiting import PATIENCE

MARK = "TERMINAL_UNDER_TEST"
"""The environment variable by which processes are known that a command left behind."""

_RAW_LIMIT = 8 * 1024 * 1024
_ENDED_QUIET = 0.3
"""Seconds of silence after which an ended command is taken to say no more."""

_CHOSEN_ENVIRONMENT: dict[str, str | None] = {
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "LC_ALL": "C.UTF-8",
    "COLUMNS": None,
    "LINES": None,
    "NO_COLOR": None,
    "TERM_PROGRAM": None,
}


class Terminal:
    """Starts ``command`` on a pseudo-terminal of ``columns`` x ``rows``; a context manager.

    ``env`` is laid over the environment of the tests, None removes a variable. With ``emulate``
    off nothing is shown until ``show_pending`` is called: for programs which print more than an
    emulator could follow, and for times which shall not contain the emulator's own.

    Columns and rows are counted from 0, times are ``time.perf_counter()`` seconds.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        columns: int = 140,
        rows: int = 40,
        cwd: str | Path | None = None,
        env: Mapping[str, str | None] | None = None,
        emulate: bool = True,
    ) -> None:
        self.emulate = emulate
        self.emulator = Emulator(columns, rows)
        self.bytes_written = 0
        self.last_output_at = 0.0  # when the last bytes were read
        self.last_shown_at = 0.0  # when the emulator had put them on the screen
        self._raw = bytearray()
        self._pending = bytearray()
        self._mark = uuid.uuid4().hex
        self._master, self._slave = os.openpty()
        os.set_blocking(self._master, False)
        self._set_size(columns, rows)
        self.attributes_at_start = self.attributes()
        self.started_at = time.perf_counter()
        self.process = self._spawn([str(part) for part in command], cwd, env or {})

    def _spawn(
        self, command: list[str], cwd: str | Path | None, env: Mapping[str, str | None]
    ) -> subprocess.Popen[bytes]:
        environment: dict[str, str | None] = {**os.environ, **_CHOSEN_ENVIRONMENT, **env}
        return subprocess.Popen(
            command,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            cwd=cwd,
            env={MARK: self._mark, **{k: v for k, v in environment.items() if v is not None}},
            start_new_session=True,
            preexec_fn=_take_controlling_terminal,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def send(self, text: str | bytes) -> None:
        """Types ``text`` as it is. Output is read meanwhile, so that neither side blocks."""
        data = text.encode() if isinstance(text, str) else text
        while data:
            try:
                data = data[os.write(self._master, data) :]
            except BlockingIOError:
                self.pump(0.01)

    def key(self, *names: str) -> None:
        """Presses keys by their names: ``n``, ``f10``, ``ctrl+z``, ``shift+tab``."""
        for name in names:
            self.send(key_sequence(name))

    def click(self, column: int, row: int, button: MouseButton = "left") -> None:
        """Presses and releases a mouse button, or turns the wheel by one notch."""
        self.send(mouse_sequence(button, column, row))

    def right_click(self, column: int, row: int) -> None:
        """A click of the right mouse button."""
        self.click(column, row, "right")

    def resize(self, columns: int, rows: int) -> None:
        """Changes the size; the kernel tells the foreground group by SIGWINCH."""
        self.emulator.resize(columns, rows)
        self._set_size(columns, rows)

    @property
    def text(self) -> str:
        """The whole screen as of the last reading."""
        return self.emulator.text

    def line(self, row: int) -> str:
        """One line of the screen; negative rows count from the bottom."""
        return self.emulator.lines[row]

    def find(self, text: str) -> tuple[int, int]:
        """Column and row of the first place where ``text`` stands; AssertionError if nowhere."""
        for row, line in enumerate(self.emulator.lines):
            if (column := line.find(text)) >= 0:
                return column, row
        raise AssertionError(self._report(f"{text!r} is not on the screen"))

    @property
    def raw(self) -> bytes:
        """The last bytes written to the terminal, 8 MiB of them at most."""
        return bytes(self._raw)

    def attributes(self) -> list[Any]:
        """The terminal's settings (``termios.tcgetattr``), also after the command has ended."""
        return termios.tcgetattr(self._slave)

    def pump(self, timeout: float = 0.0) -> bool:
        """Reads what there is, waiting ``timeout`` seconds for the first byte; False if nothing."""
        readable, _, _ = select.select([self._master], [], [], timeout)
        if not readable:
            return False
        data = bytearray()
        with suppress(OSError):  # nothing more now (EAGAIN), or all is closed (EIO)
            while len(data) < 256 * 1024 and (chunk := os.read(self._master, 65536)):
                data += chunk
        if data:
            self._take(bytes(data))
        return bool(data)

    def _take(self, data: bytes) -> None:
        self.last_output_at = time.perf_counter()
        self.bytes_written += len(data)
        self._raw += data
        del self._raw[:-_RAW_LIMIT]
        if self.emulate:
            self.emulator.feed(data)
            self.last_shown_at = time.perf_counter()
        else:
            self._pending += data
            del self._pending[:-_RAW_LIMIT]

    def show_pending(self) -> None:
        """Shows what was read while ``emulate`` was off."""
        self.emulator.feed(bytes(self._pending))
        self._pending.clear()

    def wait_for(self, condition: str | Callable[[str], bool], timeout: float = PATIENCE) -> float:
        """Waits until a text, or what a function wants of the text, is on the screen.

        Returns the seconds waited. Raises AssertionError with the screen in it when the time is
        over, or as soon as the command has ended without it.
        """
        expected = _name(condition)
        started = time.perf_counter()
        ended = None
        while not self._holds(condition):
            now = time.perf_counter()
            if now - started > timeout:
                raise AssertionError(self._report(f"{timeout:g} s without {expected}"))
            if self.pump(0.02):
                ended = None
            elif self.process.poll() is not None:
                ended = ended or now
                if now - ended > _ENDED_QUIET:
                    raise AssertionError(self._report(f"the command ended without {expected}"))
        return time.perf_counter() - started

    def wait_held_back(
        self,
        condition: str | Callable[[str], bool],
        timeout: float = PATIENCE,
        *,
        quiet: float = 0.3,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        """As ``wait_for`` while ``emulate`` is off: the screen is only made up, and looked at, when
        nothing has come for ``quiet`` seconds. ``last_output_at`` tells when the last byte came.
        ``meanwhile`` is called after each reading.
        """
        deadline = time.perf_counter() + timeout
        while True:
            if not self.pump(quiet):
                self.show_pending()
                if self._holds(condition):
                    return
            if time.perf_counter() > deadline:
                self.show_pending()
                raise AssertionError(self._report(f"{timeout:g} s without {_name(condition)}"))
            meanwhile()

    def _holds(self, condition: str | Callable[[str], bool]) -> bool:
        return condition in self.text if isinstance(condition, str) else condition(self.text)

    def settle(self, quiet: float = 0.2, timeout: float = 10.0) -> bool:
        """Reads until nothing has come for ``quiet`` seconds; False if that never happened."""
        deadline = time.perf_counter() + timeout
        while time.perf_counter() < deadline:
            if not self.pump(quiet):
                return True
        return False

    def wait_exit(self, timeout: float = PATIENCE) -> int:
        """Waits for the end and reads what is left; the status, negative for a signal."""
        self._wait_end(timeout, lambda: self.pump(0.02))
        while self.pump(0.02):
            pass
        return self.process.returncode

    def wait_exit_unread(self, timeout: float) -> int:
        """The same while nobody reads what it writes."""
        self._wait_end(timeout, lambda: time.sleep(0.01))
        return self.process.returncode

    def _wait_end(self, timeout: float, meanwhile: Callable[[], object]) -> None:
        """Waits ``timeout`` seconds, and those in which it had no core to run on."""
        begun = time.perf_counter()
        crowd = Crowd({self.pid, *self.remains()})
        while self.process.poll() is None:
            if time.perf_counter() - begun > timeout + crowd.seconds():
                raise AssertionError(self._report(f"{timeout:g} s and the command has not ended"))
            meanwhile()

    @property
    def pid(self) -> int:
        """The process of the command itself, leader of the terminal's session."""
        return self.process.pid

    @property
    def foreground_group(self) -> int:
        """The process group that the terminal's keys and signals go to."""
        return os.tcgetpgrp(self._master)

    def send_signal(self, number: signal.Signals) -> None:
        """Sends a signal to the command's own process only."""
        self.process.send_signal(number)

    def remains(self) -> Remains:
        """Returns what still lives of all that the command started, whatever session it went to."""
        return find_remains(MARK, self._mark)

    def close(self) -> None:
        """Ends everything that is left, by SIGKILL, and closes the terminal. Harmless twice."""
        self.process.kill()
        self.process.wait()
        deadline = time.monotonic() + PATIENCE
        # Whoever was just being started is found in the next round; who is killed takes a moment.
        while (left := self.remains()) and time.monotonic() < deadline:
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)
        self.hang_up()

    def hang_up(self) -> None:
        """Closes the terminal only, as when its window is closed: the command gets SIGHUP."""
        if self._master >= 0:
            os.close(self._master)
            os.close(self._slave)
            self._master = self._slave = -1

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _report(self, problem: str) -> str:
        status = self.process.poll()
        state = "still runs" if status is None else f"ended with status {status}"
        screen = "\n".join(f"|{line}" for line in self.emulator.lines)
        return f"{problem} (the command {state}; {self.bytes_written} bytes written)\n{screen}"


def _name(condition: str | Callable[[str], bool]) -> str:
    return repr(condition) if isinstance(condition, str) else condition.__name__


def _take_controlling_terminal() -> None:
    """Runs in the child, which already leads a new session."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
