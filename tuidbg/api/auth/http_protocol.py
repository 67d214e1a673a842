"""The HTTP protocol of one connection, hardened with short deadlines and connection limits.

A connection is a stranger until it has sent a good request (``welcome``). Strangers get less time
and only part of the connections, and the oldest one makes room for the next: however many connect
and send nothing, clients with a token get in, and stay.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0
"""Seconds for the headers of a request to arrive, and for the rest of a refused body."""

STRANGERS_PATIENCE = 5.0
"""The same for strangers; also their limit between two requests."""

MOST_CONNECTIONS = 300
"""Maximum number of connections; further ones are closed on arrival."""

MOST_STRANGERS = 200
"""Maximum number of strangers among them; beyond it, the oldest is closed."""


class PatientProtocol(H11Protocol):
    """The protocol of uvicorn, which by itself would wait for the end of the headers forever."""

    patience = PATIENCE
    _deadline: asyncio.TimerHandle | None = None
    _is_stranger = True
    _arrived = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the stranger's deadline and enforce the connection limits."""
        super().connection_made(transport)
        self._arrived = self.loop.time()
        self._patience_between = self.timeout_keep_alive
        shorter = min(self.timeout_keep_alive, STRANGERS_PATIENCE)
        self.timeout_keep_alive = shorter  # type: ignore[assignment] # seconds, whole or not
        self.app_state = {**self.app_state, "welcome": self.welcome}
        self._make_room()
        if not transport.is_closing():
            self._set_deadline()

    def welcome(self) -> None:
        """Mark the connection as authorized after a good request."""
        if self._is_stranger:
            self._is_stranger = False
            self.timeout_keep_alive = self._patience_between

    def _make_room(self) -> None:
        """Close one connection over a limit: the oldest stranger, otherwise the new one."""
        there = [
            each
            for each in self.connections
            if isinstance(each, PatientProtocol) and not each.transport.is_closing()
        ]
        strangers = [each for each in there if each._is_stranger]
        if len(strangers) > MOST_STRANGERS or len(there) > MOST_CONNECTIONS:
            oldest = min(strangers, key=lambda each: each._arrived)
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Parse the data and update the deadline."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Finish the response and update the deadline."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline."""
        self._clear_deadline()
        super().connection_lost(exc)

    def _look(self) -> None:
        """Run the deadline only while a request is incomplete."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._clear_deadline()
        elif self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
            if self.cycle is not None:  # between two requests uvicorn has a timeout of its own
                self._clear_deadline()
        elif self._deadline is None:
            self._set_deadline()

    def _set_deadline(self) -> None:
        patience = min(self.patience, STRANGERS_PATIENCE) if self._is_stranger else self.patience
        self._deadline = self.loop.call_later(patience, self.transport.abort)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
