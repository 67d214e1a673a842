"""A terminal shown by another application: another window, a tmux pane.

The program is started on it as on one of our own, but its input and output bypass tuidbg. Its
session can have the terminal as its controlling one if no other session has it; if a shell has it,
the program can still read and write there, but Ctrl+C goes to the shell's own processes.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tuidbg.adapters.program.started import can_run, claiming_command, program_environment

_TMUX_TIMEOUT = 5.0
_FREE_WITHIN = 3.0
"""Seconds within which a new pane's terminal should become available."""

_TITLE = "the program under tuidbg"
"""The title of a pane that is ready."""

# The command in our pane: it gives the terminal up, so that the program can have it, and keeps it
# open, with its last output, as long as tuidbg and the pane exist.
HOLD = """\
import fcntl, os, signal, sys, termios, time
for name in ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTSTP", "SIGTTIN", "SIGTTOU"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
fcntl.ioctl(0, termios.TIOCNOTTY)
sys.stdout.write("\\033]2;" + sys.argv[2] + "\\033\\\\")
sys.stdout.flush()
while True:
    try:
        os.kill(int(sys.argv[1]), 0)
        termios.tcgetattr(0)
    except PermissionError:
        pass
    except (OSError, termios.error):
        break
    time.sleep(1)
"""


class NoTerminal(Exception):
    """No such terminal, or none is available; ``str()`` is a sentence."""


def check_terminal(path: str) -> None:
    """Raise NoTerminal if a program can't be started on the terminal at ``path``."""
    try:
        if not stat.S_ISCHR(os.stat(path).st_mode):  # noqa: PTH116
            raise NoTerminal(f"{path} is no terminal; `tty` in another window prints its path")
        terminal = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError as error:
        raise NoTerminal(f"{path} can't be opened: {error.strerror}") from None
    try:
        if not os.isatty(terminal):
            raise NoTerminal(f"{path} is no terminal; `tty` in another window prints its path")
    finally:
        os.close(terminal)


def is_controlled(path: str) -> bool:
    """Return whether it is a session's controlling terminal; True if unknown."""
    if sys.platform != "linux":
        return True
    device = os.stat(path).st_rdev  # noqa: PTH116
    wanted = (os.major(device), os.minor(device))
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                fields = (process / "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue
            number = int(fields[4])
            if (
                number
                and ((number >> 8) & 0xFFF, (number & 0xFF) | (number >> 12 & 0xFFF00)) == wanted
            ):
                return True
    return False


def start_on(
    path: str, args: Sequence[str], cwd: str | None, env: Mapping[str, str | None]
) -> tuple[subprocess.Popen[bytes], bool]:
    """Start ``args`` on the terminal at ``path``; return the process, and whether it controls it.

    Raises OSError if the program, ``cwd`` or the terminal can't be used.
    """
    environment = program_environment(env)
    if not can_run(args[0], cwd, environment):
        raise FileNotFoundError(2, "no such program", args[0])
    controls = not is_controlled(path)
    command, own_session = list(args), True
    if controls:
        command, own_session = claiming_command(args, environment)
    terminal = os.open(path, os.O_RDWR | os.O_NOCTTY)
    try:
        process = subprocess.Popen(
            command,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            cwd=cwd or None,
            env=environment,
            start_new_session=own_session,
        )
    finally:
        os.close(terminal)
    return process, controls


class TmuxPane:
    """A pane beside ours, for a program's terminal. Blocking: not for the loop's thread."""

    def __init__(self, pane: str, path: str) -> None:
        self._pane = pane
        self.path = path

    @staticmethod
    def is_possible() -> bool:
        """Return whether tuidbg runs in a tmux that can be used."""
        return bool(os.environ.get("TMUX")) and shutil.which("tmux") is not None

    @classmethod
    def open(cls) -> TmuxPane:
        """Open a pane. Raises NoTerminal."""
        if not cls.is_possible():
            raise NoTerminal("there is no tmux here to open a pane in")
        target = os.environ.get("TMUX_PANE", "")
        wide = _tmux("display-message", "-p", *_at(target), "#{pane_width}").strip()
        side = "-h" if wide.isdigit() and int(wide) >= 160 else "-v"
        told = _tmux(
            *("split-window", "-d", side, *_at(target), "-P", "-F", "#{pane_id} #{pane_tty}"),
            *("--", sys.executable, "-I", "-S", "-c", HOLD, str(os.getpid()), _TITLE),
        )
        pane, _, path = told.strip().partition(" ")
        deadline = time.monotonic() + _FREE_WITHIN
        while _tmux("display-message", "-p", "-t", pane, "#{pane_title}").strip() != _TITLE:
            if time.monotonic() > deadline:
                break  # without job control then
            time.sleep(0.02)
        return cls(pane, path)

    @property
    def is_open(self) -> bool:
        """Return whether the pane still exists."""
        try:
            return self._pane in _tmux("list-panes", "-a", "-F", "#{pane_id}").split()
        except NoTerminal:
            return False

    def clear(self) -> None:
        """Clear it for another program."""
        _tmux("send-keys", "-R", "-t", self._pane, ";", "clear-history", "-t", self._pane)

    def close(self) -> None:
        try:
            _tmux("kill-pane", "-t", self._pane)
        except NoTerminal:
            pass  # another process has closed it


def _at(pane: str) -> tuple[str, ...]:
    return ("-t", pane) if pane else ()


def _tmux(*args: str) -> str:
    """Run tmux and return its output. Raises NoTerminal."""
    try:
        done = subprocess.run(
            ["tmux", *args],
            capture_output=True,
            text=True,
            timeout=_TMUX_TIMEOUT,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoTerminal(f"tmux does not answer: {error}") from None
    if done.returncode:
        raise NoTerminal(f"tmux opens no pane: {done.stderr.strip() or done.returncode}")
    return done.stdout
