"""HTTP on one connection, for people who mean no good: with little patience and little room."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0
"""Seconds within which the headers of a request must have come, and the rest of a refused body."""

MOST_CONNECTIONS = 300
"""Connections at once; more are closed as they come."""


class PatientProtocol(H11Protocol):
    """uvicorn's, which itself would wait for the end of the headers for ever."""

    patience = PATIENCE
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody connects."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._set_deadline()

    def data_received(self, data: bytes) -> None:
        """They send something."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """They have their answer."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """They are gone."""
        self._clear_deadline()
        super().connection_lost(exc)

    def _look(self) -> None:
        """The deadline runs while a part of a request is there whose rest is to come."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._clear_deadline()
        elif self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
            if self.cycle is not None:  # between two requests uvicorn has a time of its own
                self._clear_deadline()
        elif self._deadline is None:
            self._set_deadline()

    def _set_deadline(self) -> None:
        self._deadline = self.loop.call_later(self.patience, self.transport.abort)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
