"""``tuidbg join``: this terminal on a session of another tuidbg.

A thin terminal: it forwards bytes both ways (see :mod:`tuidbg.sharing.host`) and knows nothing of
debugging. It uses the standard library only, for a fast start.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import struct
import sys
import termios
import tty
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tuidbg.process.terminals import RESTORE

_HEADER = struct.Struct(">cI")

_REFUSED = 2
"""The exit status without a session: that tuidbg is not running, or has no such session."""

_UNPAINTED = 8 << 20
"""Maximum unwritten bytes for a slow terminal; beyond it the client exits."""

_PIECE = 4096
"""Bytes of one write: a writable terminal accepts that many without blocking."""

_LAST_PATIENCE = 0.3
"""Seconds for a hanging terminal to accept the sequences that restore it."""


def join(
    path: Path,
    session: str = "",
    *others: Path,
    tell_terminal: Callable[[bool], None] = lambda is_taken: None,
) -> int:
    """Show a session on this terminal until the user leaves; return the exit status.

    ``path`` is the socket of the tuidbg with the session, ``others`` are tried next.
    ``tell_terminal`` is called when the terminal is taken and restored, in case this process is
    killed.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("tuidbg: join needs a terminal", file=sys.stderr)
        return 2
    before = termios.tcgetattr(sys.stdin)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in (signal.SIGWINCH, signal.SIGCONT):
        signal.signal(number, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _raise_exit)
    text, status = "", _REFUSED
    try:
        tell_terminal(True)
        tty.setraw(sys.stdin)
        for each in (path, *others):
            text, status = _visit(each, session, woken)
            if status != _REFUSED:
                break
    finally:
        _give_back(before)
        tell_terminal(False)
    if text:
        print(text, file=sys.stderr if status else sys.stdout)
    return status


def _visit(path: Path, session: str, woken: int) -> tuple[str, int]:
    """Show a session of one tuidbg, if it has it; return its last message and the exit status."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        try:
            line.connect(str(path))
        except OSError as error:
            return f"tuidbg: can't reach {path}: {error.strerror}", _REFUSED
        columns, rows = shutil.get_terminal_size()
        hello = _as_json(
            session=session,
            columns=columns,
            rows=rows,
            environment=_environment(),
            tells_painted=True,
        )
        try:
            _send(line, b"h", hello)
            return _carry(line, woken)
        except OSError:
            return "The connection broke off; the session may go on.", 1


def _carry(line: socket.socket, woken: int) -> tuple[str, int]:
    """Forward bytes until the host says goodbye; return its message and the exit status.

    A terminal that does not read does not block the input.
    """
    received, unpainted = b"", bytearray()
    while True:
        waiting = [sys.stdout] if unpainted else []
        ready, paintable, _ = select.select([line, sys.stdin, woken], waiting, [])
        if woken in ready:
            if signal.SIGCONT in os.read(woken, 4096):  # a shell may have changed the terminal
                tty.setraw(sys.stdin, termios.TCSANOW)
            columns, rows = shutil.get_terminal_size()
            _tell(line, b"r", _as_json(columns=columns, rows=rows))
        if sys.stdin in ready:
            typed = os.read(sys.stdin.fileno(), 65536)
            if not typed:
                return "", 1
            _tell(line, b"i", typed)
        if paintable and (count := _write_some(unpainted)):
            _tell(line, b"p", _as_json(count=count))  # a slow terminal receives fewer updates
        if line in ready:
            data = line.recv(1 << 18)
            if not data:
                raise ConnectionResetError
            received += data
            while len(received) >= _HEADER.size:
                kind, length = _HEADER.unpack_from(received)
                end = _HEADER.size + length
                if len(received) < end:
                    break
                body, received = received[_HEADER.size : end], received[end:]
                if kind == b"g":
                    _write_while_taken(unpainted)
                    goodbye = json.loads(body)
                    return str(goodbye["text"]), int(goodbye["status"])
                unpainted += body
            if len(unpainted) > _UNPAINTED:
                return "This terminal takes nothing any more; the session goes on.", 1


def _environment() -> dict[str, str]:
    """Return the variables that describe the terminal's colours and characters."""
    names = ("TERM", "COLORTERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG")
    return {name: os.environ[name] for name in names if name in os.environ}


def _send(line: socket.socket, kind: bytes, data: bytes) -> None:
    line.sendall(_HEADER.pack(kind, len(data)) + data)


def _tell(line: socket.socket, kind: bytes, data: bytes) -> None:
    """Send to a host that may be gone: its last message is still to be read."""
    with suppress(OSError):
        _send(line, kind, data)


def _as_json(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def _give_back(before: list[Any]) -> None:
    """Restore the terminal; a hanging one reads the sequences when it resumes."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    data = bytearray(RESTORE)
    with suppress(OSError):
        _write_while_taken(data)
        if data:
            termios.tcflush(sys.stdout, termios.TCOFLUSH)
            data[:] = RESTORE
            _write_while_taken(data)
    with suppress(termios.error):
        termios.tcsetattr(sys.stdin, termios.TCSANOW, before)


def _write_some(data: bytearray) -> int:
    """Write as much as the terminal accepts now and return the number of bytes."""
    try:
        count = os.write(sys.stdout.fileno(), data[:_PIECE])
    except BlockingIOError:
        return 0
    del data[:count]
    return count


def _write_while_taken(data: bytearray) -> None:
    """Write all, unless the terminal stops accepting it."""
    while data and select.select([], [sys.stdout], [], _LAST_PATIENCE)[1]:
        _write_some(data)


def _raise_exit(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)
