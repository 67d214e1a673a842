"""The switch that opens the sessions of this process to API clients, as seen by a front end.

The command line layer connects the server; the owner of the switch need not know it.
"""

from __future__ import annotations

from typing import Protocol

from tuidbg.session.features.build import ProjectBuild
from tuidbg.session.hub.hub import Hub
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import StateValue


class ServingFailed(DebuggerError):
    """The server can't be opened; ``str()`` is a sentence with the reason."""


class Served(StateValue, frozen=True):
    """The server's address: a URL, or ``unix:`` and the path of a socket.

    ``token_file`` is the file with the token for clients; empty if they need none. ``clients``
    counts those currently connected.
    """

    address: str
    token_file: str = ""
    clients: int = 0


class Serving(Protocol):
    """The control of the server. ``build`` runs the registered build command."""

    build: ProjectBuild | None
    can_park: bool
    """True if the process can continue without a terminal, so that the user may close it."""

    @property
    def status(self) -> Served | None:
        """Return the server's address; None while there is none."""

    @property
    def joined_count(self) -> int:
        """Return the number of people who have joined from other terminals."""

    def make_hub(self) -> Hub:
        """Return the served hub, created at the first call."""

    async def start(self) -> Served:
        """Open the server. Raises ServingFailed."""

    async def stop(self) -> None:
        """Close it; the sessions continue."""
