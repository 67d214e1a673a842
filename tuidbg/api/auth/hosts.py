"""Tells which names of this server a request may be addressed to.

A web page can make a browser call a server on this machine by a name of its own (DNS rebinding).
So only the very addresses that we listen on count, with their port, and of pages only our own.
"""

from __future__ import annotations

import ipaddress
import socket

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class Hosts:
    """The values of ``Host`` that are ours; ``http://`` before one is an origin that is ours."""

    def __init__(self, *values: str) -> None:
        self._values = {value.lower() for value in values}
        self._open_ports: set[int] = set()

    def listen(self, address: str, port: int) -> None:
        """We listen on this numeric address, too."""
        ip = ipaddress.ip_address(address)
        if ip.is_unspecified:  # a name that leads here can be anyone's, a number can't
            self._open_ports.add(port)
            names = [*LOOPBACK, socket.gethostname()]
        elif ip.is_loopback:
            names = [*LOOPBACK, _bracketed(ip)]
        else:
            names = [_bracketed(ip)]
        self._values |= {f"{name.lower()}:{port}" for name in names}
        if port == 80:
            self._values |= {name.lower() for name in names}

    def listen_locally(self) -> None:
        """We listen on a Unix socket, which no browser reaches: any name of this machine does."""
        self._values |= set(LOOPBACK)

    def admit(self, host: str) -> bool:
        """Tell whether a request with this ``Host`` is meant for us."""
        return host.lower() in self._values or self._is_open(host)

    def admit_origin(self, origin: str) -> bool:
        """Tell whether a page of this origin is one of ours."""
        scheme, _, host = origin.partition("://")
        return scheme.lower() == "http" and self.admit(host)

    def _is_open(self, host: str) -> bool:
        name, _, port = host.rpartition(":")
        if not (port.isascii() and port.isdigit() and int(port) in self._open_ports):
            return False
        try:
            ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True


def _bracketed(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    return f"[{ip}]" if ip.version == 6 else str(ip)
