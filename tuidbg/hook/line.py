"""The program's side of a terminal that it shares with the debugger's screen.

The screen is a process of its own on the program's terminal. While it shows, what the program
prints goes to a pseudo-terminal instead, which the screen reads: into the console, and on to the
terminal when that is given back. A thread of this process does the turning; no tracing sees it.
Should the screen die, the thread puts the terminal right and what was held back on it.

The line, in words: ``hold``, ``give`` and ``bye on|end`` from the screen; ``held``, ``given``,
``end`` and ``open`` with JSON to it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import socket
import subprocess
import sys
import termios
import threading
from collections.abc import Callable

OPTION = "--hooked-program"
"""The hidden command of ``python -m tuidbg`` that shows the screen (``hook_command``)."""

LEAVE = (
    b"\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1015l\x1b[?1006l"
    b"\x1b[?1004l\x1b[<u\x1b[?1049l\x1b[?25h\x1b[0m"
)
"""Puts a terminal right that was left as the screen had it."""

PRINTED_THROUGH = {1, 2}
"""The file descriptors by which the program prints. pytest's capture turns these two itself, from
and to copies of its own, so the plug-in adds the copies."""

_PATIENCE = 4.0
"""Seconds that the program waits at its end for the screen to leave."""


def screen_command() -> list[str]:
    """Returns how to start the screen: the words before its options."""
    return [sys.executable, "-P", "-m", "tuidbg", OPTION]


def screen_environment() -> dict[str, str]:
    """The program's environment, with what the screen needs to find tuidbg."""
    environment = dict(os.environ)
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH120
    parent = os.path.dirname(package)  # noqa: PTH120
    if "site-packages" not in parent:
        known = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = f"{known}{os.pathsep}{parent}" if known else parent
    return environment


def undebugged() -> contextlib.AbstractContextManager[None]:
    """Keeps a child that is started meanwhile from being debugged, should pydevd be here."""
    pydevd = sys.modules.get("pydevd")
    if pydevd is None:
        return contextlib.nullcontext()
    skip: contextlib.AbstractContextManager[None] = pydevd.skip_subprocess_arg_patch()
    return skip


class ScreenLine:
    """Starts the screen on the terminal ``tty``, a file descriptor that this takes over.

    ``on_let_go`` is called in the thread when the person has let the program go, ``on_end`` when
    the screen is gone. Raises OSError and termios.error.
    """

    def __init__(self, tty: int, on_let_go: Callable[[], None], on_end: Callable[[], None]) -> None:
        self._tty = tty
        self._on_let_go = on_let_go
        self._on_end = on_end
        self._attributes = termios.tcgetattr(tty)
        self._master, self._slave = os.openpty()
        self._set_up_slave()
        self._held: dict[int, int] = {}
        self._is_shown = True
        self._farewell = ""
        self._socket, there = socket.socketpair()
        with there:
            self._process = self._start(there.fileno())
        self._thread = threading.Thread(target=self._serve, name="tuidbg", daemon=True)
        for mark in ("pydev_do_not_trace", "is_pydev_daemon_thread"):
            setattr(self._thread, mark, True)
        self._thread.start()

    def _start(self, line: int) -> subprocess.Popen[bytes]:
        command = [*screen_command(), "--line", str(line), "--output", str(self._master)]
        with undebugged():
            return subprocess.Popen(
                command,
                stdin=self._tty,
                stdout=self._tty,
                stderr=self._tty,
                env=screen_environment(),
                pass_fds=(line, self._master),
            )

    def _set_up_slave(self) -> None:
        """As the terminal is for the program, but bytes pass as they are: that finishes them."""
        attributes = list(self._attributes)
        attributes[1] &= ~termios.OPOST
        termios.tcsetattr(self._slave, termios.TCSANOW, attributes)
        self._copy_size()

    def _copy_size(self) -> None:
        with contextlib.suppress(OSError):
            size = fcntl.ioctl(self._tty, termios.TIOCGWINSZ, bytes(8))
            fcntl.ioctl(self._slave, termios.TIOCSWINSZ, size)

    def tell(self, word: str, **facts: object) -> None:
        """Say something to the screen; nothing where it is gone."""
        with contextlib.suppress(OSError):
            self._socket.sendall(f"{word} {json.dumps(facts)}\n".encode())

    def finish(self) -> None:
        """The program ends: let the screen leave, and wait for that."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        self.tell("end")
        self.wait()

    def wait(self) -> None:
        """Until the screen has left, a moment at most."""
        self._thread.join(_PATIENCE)

    # In the thread

    def _serve(self) -> None:
        rest = b""
        while True:
            try:
                data = self._socket.recv(4096)
            except OSError:
                data = b""
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._obey(line.decode())
        self._put_right()
        self._on_end()

    def _obey(self, line: str) -> None:
        match line.split():
            case ["hold"]:
                self._copy_size()
                self._hold()
                self._is_shown = True
                self.tell("held")
            case ["give"]:
                self._give()
                self._is_shown = False
                self.tell("given")
            case ["bye", farewell]:
                self._farewell = farewell
                if farewell == "on":
                    self._on_let_go()

    def _hold(self) -> None:
        """Sends what is printed on the terminal to the screen from now on."""
        for number in tuple(PRINTED_THROUGH):
            with contextlib.suppress(OSError):
                if number not in self._held and _is_own_terminal(number):
                    self._held[number] = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 10)
                    os.dup2(self._slave, number)

    def _give(self) -> None:
        """Sends what is printed to the terminal again."""
        for number in tuple(PRINTED_THROUGH):
            with contextlib.suppress(OSError):
                if self._is_held(number):
                    os.dup2(self._held.get(number, self._tty), number)
        for kept in self._held.values():
            os.close(kept)
        self._held.clear()

    def _is_held(self, number: int) -> bool:
        """Returns whether a descriptor leads to the screen; the program may have turned it."""
        return os.fstat(number).st_rdev == os.fstat(self._slave).st_rdev

    def _put_right(self) -> None:
        """The screen is gone. It said good-bye, or else it has left everything as it was."""
        self._give()
        if not self._farewell:
            with contextlib.suppress(OSError, termios.error):
                if self._is_shown:
                    os.write(self._tty, LEAVE)
                    termios.tcsetattr(self._tty, termios.TCSANOW, self._attributes)
        with contextlib.suppress(OSError):
            while select.select([self._master], [], [], 0)[0]:
                os.write(self._tty, os.read(self._master, 65536))
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._process.wait(1.0)
        for number in (self._tty, self._master, self._slave):
            os.close(number)
        self._socket.close()


def _is_own_terminal(number: int) -> bool:
    """Returns whether a file descriptor is the terminal whose keys and signals the program gets."""
    try:
        return os.tcgetpgrp(number) >= 0
    except OSError:
        return False
