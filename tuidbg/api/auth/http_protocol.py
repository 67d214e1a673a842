"""HTTP on one connection, for people who mean no good: with little patience and little room.

Who has not shown yet that they may come in (``welcome``) is a stranger. Strangers get less time and
only a part of the room, and whoever waits longest makes place for the next: however many connect
and say nothing, those who have a token get in, and stay.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0
"""Seconds within which the headers of a request must have come, and the rest of a refused body."""

STRANGERS_PATIENCE = 5.0
"""The same for strangers, who also may not stay longer between two requests."""

MOST_CONNECTIONS = 300
"""Connections at once; more are closed as they come."""

MOST_STRANGERS = 200
"""Those of strangers among them; of more, the oldest is closed."""


class PatientProtocol(H11Protocol):
    """uvicorn's, which itself would wait for the end of the headers for ever."""

    patience = PATIENCE
    _deadline: asyncio.TimerHandle | None = None
    _is_stranger = True
    _arrived = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody connects."""
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
        """Whoever is there may come in: a request of theirs was found good."""
        if self._is_stranger:
            self._is_stranger = False
            self.timeout_keep_alive = self._patience_between

    def _make_room(self) -> None:
        """Close what is too much: of strangers the oldest, else the newest."""
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
        patience = min(self.patience, STRANGERS_PATIENCE) if self._is_stranger else self.patience
        self._deadline = self.loop.call_later(patience, self.transport.abort)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
