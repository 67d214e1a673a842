"""Who is at the other end of a connection of this machine: the same user, or somebody else.

debugpy's adapter opens ports at which it is enough to know a process id, or a token that stands in
the program's command line for everybody to read. Linux tells whose the other end is.
"""

from __future__ import annotations

import os
import pathlib
import socket

_ESTABLISHED = "01"
"""Of any other state Linux tells root as the owner, whoever it was."""

_LOOPBACK = ("127.", "::1", "::ffff:127.")

MARK = "TUIDBG_GUARDED"
"""In the environment of the adapter and of all that the program starts; secret to others."""


def is_trusted(line: socket.socket) -> bool:
    """Returns whether the other end is ours: this user's, root's, or our started program's.

    The last is for a program that root starts and that becomes another user. True as well where
    nobody can tell: for other machines, which a person has let in, and without Linux's tables.
    """
    try:
        here, there = line.getsockname(), line.getpeername()
    except OSError:
        return False
    if not isinstance(there, tuple) or not there[0].startswith(_LOOPBACK):
        return True
    table = _read_table(line)
    if table is None:
        return True
    # Of thousands of rows one is wanted: they are not taken to pieces.
    ends = " ".join(_write_address(line.family, end) for end in (there, here))
    _, found, rest = table.partition(f" {ends} {_ESTABLISHED} ")
    if not found:
        return False
    words = rest.split(maxsplit=6)
    return int(words[3]) in (0, os.getuid()) or _has_mark(words[5])


def _read_table(line: socket.socket) -> str | None:
    table = "tcp6" if line.family == socket.AF_INET6 else "tcp"
    try:
        return pathlib.Path("/proc/self/net", table).read_text()
    except OSError:
        return None


def _write_address(family: int, end: tuple[str, int]) -> str:
    """As Linux does: each four bytes of the address the other way round."""
    packed = socket.inet_pton(family, end[0])
    parts = [packed[at : at + 4][::-1] for at in range(0, len(packed), 4)]
    return f"{b''.join(parts).hex().upper()}:{end[1]:04X}"


def _has_mark(inode: str) -> bool:
    """Returns whether a process that we have started holds that socket; only root can look."""
    mark = os.environ.get(MARK)
    if not mark or os.getuid():
        return False
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if any(str(fd.readlink()) == f"socket:[{inode}]" for fd in (folder / "fd").iterdir()):
                return f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
    return False
