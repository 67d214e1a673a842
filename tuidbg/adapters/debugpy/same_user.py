"""Who is at the other end of a connection of this machine: the same user, or somebody else.

A port of 127.0.0.1 is open to every user of the machine. Linux tells whose the other end is.
"""

from __future__ import annotations

import errno
import os
import pathlib
import socket
import struct

_ESTABLISHED = "01"
"""Of any other state Linux tells root as the owner, whoever it was."""

_End = tuple[str, int]
"""An address and a port; IPv6 has more behind them."""

_NETLINK, _SOCK_DIAG, _BY_FAMILY, _REQUEST, _ERROR = 16, 4, 20, 1, 2
"""Numbers of Linux's: a kind of socket, its protocol, a question, that it is one, no answer."""

_HEADER, _ANY = 16, 0xFFFFFFFF

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
    try:
        found = _find_other_end(line.family, here, there)
    except OSError:
        return True
    if found is None:
        return False
    user, inode = found
    return user in (0, os.getuid()) or _has_mark(inode)


def find_inode(line: socket.socket) -> int:
    """Returns the inode of the other end of a connection of this machine; 0 where it has none."""
    try:
        here, there = line.getsockname(), line.getpeername()
        if not isinstance(there, tuple) or not there[0].startswith(_LOOPBACK):
            return 0
        found = _find_other_end(line.family, here, there)
    except OSError:
        return 0
    return found[1] if found is not None else 0


def holds(pid: int, inode: int) -> bool:
    """Whether a process has that socket open; false where its descriptors can't be read."""
    try:
        descriptors = [*pathlib.Path("/proc", str(pid), "fd").iterdir()]
    except OSError:
        return False
    for each in descriptors:
        try:
            if str(each.readlink()) == f"socket:[{inode}]":
                return True
        except OSError:
            continue  # it was closed just now
    return False


def _find_other_end(family: int, here: _End, there: _End) -> tuple[int, int] | None:
    """Raises OSError on systems without a table of connections."""
    try:
        return _ask_kernel(family, here, there)
    except (OSError, struct.error):  # no Linux, or one that does not answer that
        return _find_in(_read_table(family), family, here, there)


def _ask_kernel(family: int, here: _End, there: _End) -> tuple[int, int] | None:
    """The user and the inode of the connection's other end, if it stands (``sock_diag(7)``).

    It takes 20 microseconds; to read the table of thousands of connections takes milliseconds, for
    each that calls. Raises OSError, struct.error.
    """
    ends = struct.pack("!HH", there[1], here[1])
    ends += b"".join(socket.inet_pton(family, end[0]).ljust(16, b"\0") for end in (there, here))
    asked = struct.pack("=BBBBI", family, socket.IPPROTO_TCP, 0, 0, _ANY)
    asked += ends + struct.pack("=III", 0, _ANY, _ANY)
    header = struct.pack("=IHHII", _HEADER + len(asked), _BY_FAMILY, _REQUEST, 1, 0)
    with socket.socket(_NETLINK, socket.SOCK_DGRAM, _SOCK_DIAG) as kernel:
        kernel.settimeout(1.0)
        kernel.sendto(header + asked, (0, 0))
        answer = kernel.recv(4096)
    (kind,) = struct.unpack_from("=4xH", answer)
    if kind == _ERROR:
        (number,) = struct.unpack_from("=i", answer, _HEADER)
        if number == -errno.ENOENT:
            return None
        raise OSError(-number, os.strerror(-number))
    state, user, inode = struct.unpack_from("=xB62xII", answer, _HEADER)
    return (user, inode) if state == int(_ESTABLISHED) else None


def _read_table(family: int) -> str:
    table = "tcp6" if family == socket.AF_INET6 else "tcp"
    return pathlib.Path("/proc/self/net", table).read_text()


def _find_in(table: str, family: int, here: _End, there: _End) -> tuple[int, int] | None:
    """The same by a table. Of thousands of rows one is wanted: they are not taken to pieces."""
    ends = " ".join(_write_address(family, end) for end in (there, here))
    _, found, rest = table.partition(f" {ends} {_ESTABLISHED} ")
    if not found:
        return None
    words = rest.split(maxsplit=6)
    return int(words[3]), int(words[5])


def _write_address(family: int, end: _End) -> str:
    """As Linux does: each four bytes of the address the other way round."""
    packed = socket.inet_pton(family, end[0])
    parts = [packed[at : at + 4][::-1] for at in range(0, len(packed), 4)]
    return f"{b''.join(parts).hex().upper()}:{end[1]:04X}"


def _has_mark(inode: int) -> bool:
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
