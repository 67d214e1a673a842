"""Listening sockets: TCP addresses, and Unix sockets for their owner alone."""

from __future__ import annotations

import errno
import ipaddress
import socket
import stat
from pathlib import Path

from tuidbg.session.hub.switch import ServingFailed

BACKLOG = 256


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address. Raises ServingFailed."""
    return ipaddress.ip_address(_resolve(host, 0)[1]).is_loopback


def open_tcp(host: str, port: int) -> socket.socket:
    """Open a listening TCP socket. Raises ServingFailed."""
    family, address = _resolve(host, port)
    # With IPPROTO_TCP, asyncio sets TCP_NODELAY; otherwise answers come 40 ms late.
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((address, port))
        opened.listen(BACKLOG)
        opened.setblocking(False)
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise ServingFailed(
                f"port {port} of {host} is taken, by another tuidbg perhaps; choose one with"
                " --port, 0 for any"
            ) from None
        raise ServingFailed(f"can't serve at {host}:{port}: {error.strerror}") from None
    return opened


def _resolve(host: str, port: int) -> tuple[socket.AddressFamily, str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "that is no name of a machine"
        raise ServingFailed(f"--host: {host}: {why}") from None
    # `localhost` has IPv4 and IPv6 addresses; clients try IPv4 first or second.
    found.sort(key=lambda each: each[0] != socket.AF_INET)
    family, _, _, _, address = found[0]
    return family, str(address[0])


def open_unix(path: Path) -> socket.socket:
    """Open a listening Unix socket for its owner alone. Raises ServingFailed.

    A stale socket file is replaced; one with a live server is not.
    """
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _remove_left(path)
        opened.bind(str(path))
        path.chmod(0o600)  # no client can connect before `listen`
        opened.listen(BACKLOG)
        opened.setblocking(False)
    except OSError as error:
        opened.close()
        why = error.strerror or str(error)  # the latter for a path that is too long
        raise ServingFailed(f"can't serve at {path}: {why}") from None
    except BaseException:
        opened.close()
        raise
    return opened


def _remove_left(path: Path) -> None:
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise ServingFailed(f"can't serve at {path}: there is a file of that name")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(1.0)
        try:
            asking.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
        else:
            raise ServingFailed(f"can't serve at {path}: another server answers there")
