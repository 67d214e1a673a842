"""Names of this server that a request may be addressed to.

A web page can make a browser call a server on this machine by a name of its own (DNS rebinding). So
only the exact addresses we listen on are valid, with their port, and only our own pages.
"""

from __future__ import annotations

import ipaddress
import socket

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class AllowedHosts:
    """The valid values of ``Host``; with ``http://`` in front, the valid origins."""

    def __init__(self, *values: str) -> None:
        self._values = {value.lower() for value in values}
        self._open_ports: set[int] = set()

    def listen(self, address: str, port: int) -> None:
        """Add a numeric address that we listen on."""
        ip = ipaddress.ip_address(address)
        if ip.is_unspecified:  # a host name can be anyone's, a numeric address can't
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
        """Allow any loopback name: no browser reaches a Unix socket."""
        self._values |= set(LOOPBACK)

    def admit(self, host: str) -> bool:
        """Whether a request with this ``Host`` is addressed to us."""
        return host.lower() in self._values or self._is_open(host)

    def admit_origin(self, origin: str) -> bool:
        """Whether an origin is one of our pages."""
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
