"""``tuidbg join``: this terminal on a session that another tuidbg holds.

A thin terminal: it carries bytes both ways (see :mod:`tuidbg.sharing.host`) and knows nothing of
debugging. Only the standard library, so that it is there at once.
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
"""The status where nothing was shown: that tuidbg is not there, or has no such session."""

_UNPAINTED = 8 << 20
"""Bytes that may wait for a slow terminal; then it is let go, for it would never catch up."""

_PIECE = 4096
"""Bytes of one write: as many as a terminal takes without a wait once it takes any."""

_LAST_PATIENCE = 0.3
"""Seconds in which a terminal that hangs takes what gives it back."""


def join(
    path: Path,
    session: str = "",
    *others: Path,
    tell_terminal: Callable[[bool], None] = lambda is_taken: None,
) -> int:
    """Show a session on this terminal until the person leaves; the exit status.

    ``path`` is the socket of the tuidbg that holds it, or else one of ``others``.
    ``tell_terminal`` hears whether the terminal is taken, for the case that this is killed.
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
    """Be shown a session by one tuidbg, if it holds it: its last words and the exit status."""
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
    """Carry bytes until the other side says goodbye: its words and the exit status.

    A terminal that does not read is not waited for: what is typed is carried all the same.
    """
    received, unpainted = b"", bytearray()
    while True:
        waiting = [sys.stdout] if unpainted else []
        ready, paintable, _ = select.select([line, sys.stdin, woken], waiting, [])
        if woken in ready:
            if signal.SIGCONT in os.read(woken, 4096):  # a shell may have had the terminal
                tty.setraw(sys.stdin, termios.TCSANOW)
            columns, rows = shutil.get_terminal_size()
            _tell(line, b"r", _as_json(columns=columns, rows=rows))
        if sys.stdin in ready:
            typed = os.read(sys.stdin.fileno(), 65536)
            if not typed:
                return "", 1
            _tell(line, b"i", typed)
        if paintable and (count := _write_some(unpainted)):
            _tell(line, b"p", _as_json(count=count))  # who is behind gets fewer pictures
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
    """What the terminal can show: its colours and characters."""
    names = ("TERM", "COLORTERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG")
    return {name: os.environ[name] for name in names if name in os.environ}


def _send(line: socket.socket, kind: bytes, data: bytes) -> None:
    line.sendall(_HEADER.pack(kind, len(data)) + data)


def _tell(line: socket.socket, kind: bytes, data: bytes) -> None:
    """Send it to who may have gone already: what that has said last is still to be read."""
    with suppress(OSError):
        _send(line, kind, data)


def _as_json(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def _give_back(before: list[Any]) -> None:
    """Leave the terminal as it was found; one that hangs finds that when it reads again."""
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
    """Write as much as the terminal takes now; returns how much that was."""
    try:
        count = os.write(sys.stdout.fileno(), data[:_PIECE])
    except BlockingIOError:
        return 0
    del data[:count]
    return count


def _write_while_taken(data: bytearray) -> None:
    """All of it, unless the terminal stops to take it."""
    while data and select.select([], [sys.stdout], [], _LAST_PATIENCE)[1]:
        _write_some(data)


def _raise_exit(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)
