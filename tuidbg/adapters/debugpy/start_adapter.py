"""Runs debugpy's adapter with quick acknowledgements on its sockets to the debuggee.

Run as a script. The debuggee writes each message's header and body in two sends without
TCP_NODELAY; the kernel holds the second back until the first is acknowledged, and delays that
acknowledgement by 40 ms. Acknowledging at once on our side of the socket takes that delay out of
the whole launch (TCP_QUICKACK is Linux's; elsewhere only the buffering below has an effect).
Reading through a buffer instead of a byte at a time makes each message cheaper as well. And what a
program had said before it ended is read to the end (``hear_out``).
"""

import io
import socket
import sys
import time
from typing import Any

SILENCE = 1.5
"""Seconds without a word after which a program that has ended has said all."""

LAST_WORDS = 10.0
"""Seconds that its last words may take."""


class _Heard:
    """When something was read last."""

    at = 0.0


class _QuickReader(io.RawIOBase):
    """Reads from a socket and acknowledges at once what came."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._sock.recv_into(buffer)
        _Heard.at = time.monotonic()
        if hasattr(socket, "TCP_QUICKACK"):
            try:
                self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            except OSError:
                pass  # not TCP, or closed meanwhile
        return count


class _BufferedReader(io.BufferedReader):
    """Can be closed while another thread reads: the read is ended first, or close() would wait."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(_QuickReader(sock), 65536)
        self._sock = sock

    def close(self) -> None:
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        super().close()


def quicken() -> None:
    """Make debugpy's socket streams quick; leaves them as they are where debugpy has changed."""
    from debugpy.common import messaging

    streams: Any = messaging.JsonIOStream
    original = streams.from_socket.__func__

    def from_socket(cls: Any, sock: socket.socket, name: str | None = None) -> Any:
        stream = original(cls, sock, name)
        hear_out()  # now that debugpy has imported what it wants, in its own order
        if getattr(stream, "_reader", None) is not None:
            try:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if hasattr(socket, "TCP_QUICKACK"):
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            except OSError:
                pass
            stream._reader = _BufferedReader(sock)
        return stream

    streams.from_socket = classmethod(from_socket)


def hear_out() -> None:
    """Read all that a program had said before it ended.

    debugpy lets go of the program as soon as the launcher tells that it is gone. What is still on
    its way then is lost, on a busy machine thousands of records.
    """
    session: Any = getattr(sys.modules.get("debugpy.adapter.sessions"), "Session", None)
    finalize = getattr(session, "_finalize", None)
    if finalize is None or finalize.__name__ == "finalize_later":
        return

    def finalize_later(self: Any, *args: Any) -> None:
        server, launcher = self.server, self.launcher
        if server and launcher and launcher.exit_code is not None:  # false where there is none
            since = _Heard.at = time.monotonic()
            while server.is_connected:
                now = time.monotonic()
                if now - _Heard.at > SILENCE or now - since > LAST_WORDS:
                    break
                self.wait_for(lambda: not server.is_connected, timeout=0.05)
        finalize(self, *args)

    session._finalize = finalize_later


if __name__ == "__main__":
    # The folder of this script is no place to import from.
    sys.path.pop(0)
    try:
        quicken()
    except (ImportError, AttributeError):
        pass  # an unknown debugpy: slower, but right
    import locale

    from debugpy.adapter import __main__ as adapter

    try:
        locale.setlocale(locale.LC_ALL, "")  # as the adapter's own start does
    except locale.Error:
        pass
    run: Any = adapter.main
    run()
