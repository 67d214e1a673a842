"""The switch that opens the sessions of this process to programs, as a front end sees it.

Who serves and how is wired by the command line layer; whoever has the switch need not know.
"""

from __future__ import annotations

from typing import Protocol

from tuidbg.session.errors import DebuggerError
from tuidbg.session.hub import Hub
from tuidbg.session.project.build import Build
from tuidbg.session.state import Value


class ServingFailed(DebuggerError):
    """The server can't be opened; ``str()`` is a sentence that says why."""


class Served(Value, frozen=True):
    """Tells where the server is: a URL, or ``unix:`` and the path of a socket.

    ``token_file`` is the file that programs take the token from; empty where they need none.
    ``clients`` counts those that are connected just now.
    """

    address: str
    token_file: str = ""
    clients: int = 0


class Serving(Protocol):
    """Opens and closes the server. ``build`` runs the build command that was registered."""

    build: Build | None
    can_park: bool
    """Tells whether the process can go on without a terminal, so that a person may leave it so."""

    @property
    def status(self) -> Served | None:
        """Returns where the server is; None while there is none."""

    @property
    def joined_count(self) -> int:
        """The number of people who have joined from other terminals."""

    def make_hub(self) -> Hub:
        """The hub that is served, made at the first call."""

    async def start(self) -> Served:
        """Open the server. Raises ServingFailed."""

    async def stop(self) -> None:
        """Close it; the sessions go on."""
