"""Tells how an adapter is found, started and spoken to."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from tuidbg.adapters.discovery.packages import Packages
from tuidbg.dap.types import Capabilities

if TYPE_CHECKING:
    from tuidbg.adapters.client import AdapterClient
    from tuidbg.adapters.stand_in import StandIn
    from tuidbg.config.launch import Plan


class Line(StrEnum):
    """Tells how tuidbg and an adapter speak.

    ``streams``: by the adapter's stdin and stdout. ``calls_back``: it dials the address that its
    command names. ``listens``: it listens there, and is dialled as soon as it does.
    ``runs_already``: nothing is started, ``Start.address`` is dialled.
    """

    STREAMS = "streams"
    CALLS_BACK = "calls_back"
    LISTENS = "listens"
    RUNS_ALREADY = "runs_already"


class Start:
    """The adapter itself: its command, its version, its line."""

    line = Line.STREAMS
    """Tells how it is spoken to."""

    address: tuple[str, int] | None = None
    """Host and port of one that runs already; None for those that are started."""

    begins_again = False
    """True if the program is a second conversation at its port (``root_session.py``)."""

    is_included = False
    """True if it comes with tuidbg: nobody looks for it before the program is launched."""

    packages = Packages()
    """Names what brings it where it is missing."""

    version_words: tuple[str, ...] = ("--version",)
    """The arguments with which its command tells its version."""

    ignores_pipe = False
    """True if it must be started so that SIGPIPE does not end it."""

    announces = Capabilities()
    """Holds what it is known to announce, for those who ask before it runs."""

    def command(self, address: str = "") -> list[str]:
        """The command that starts the adapter; ``address`` (HOST:PORT) is where one dials us.

        Or where it shall listen. Raises AdapterNotStarted, with what to install, where it is not
        installed.
        """
        raise NotImplementedError

    def command_for(self, plan: Plan, address: str = "") -> list[str]:
        """The same for one program, which the command may name. Raises AdapterNotStarted."""
        return self.command(address)

    async def reach(self, client: AdapterClient) -> None:
        """Dial ``address``. Raises OSError, AdapterGone."""
        assert self.address is not None
        await client.over_tcp(*self.address)

    def locate(self) -> str:
        """Returns where it is, for people. Raises AdapterNotStarted where it is not installed."""
        return self.command()[0]

    def read_version(self) -> str:
        """Its version, empty where it does not tell. Blocks: perhaps a process is asked."""
        from tuidbg.adapters.discovery.versions import ask_version

        return ask_version([self.locate(), *self.version_words])

    def gaps(self, version: str) -> str:
        """Returns in a sentence what that version lacks and newer ones have, or "". Blocks."""
        return ""

    def environment(self) -> Mapping[str, str]:
        """Returns what its environment gets."""
        return {}

    def stand_in(self, told: Capabilities) -> StandIn | None:
        """Returns what answers some requests in its place, by what it can; None: it does all."""
        return None
