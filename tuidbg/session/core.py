"""The common requirements of session parts, as Protocols: no part needs all of them.

A part declares the narrowest of these that suffices. It is given what it needs of another part, or
declares that in a Protocol of its own beside the class: so no part imports the session, and each
can be read, and tested, alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tuidbg.dap.types import Capabilities, Nothing
from tuidbg.session.state import ExitState, Frame, Place, Status, Stop, ThreadState

if TYPE_CHECKING:
    from tuidbg.adapters.errors import RequestFailed
    from tuidbg.adapters.profile import AdapterProfile
    from tuidbg.config.launch import Plan
    from tuidbg.session.events import EventLog, SessionEvent

T = TypeVar("T")


class Asks(Protocol):
    """The connection to the debug adapter; implemented by ``AdapterLink``."""

    @property
    def profile(self) -> AdapterProfile:
        """Return the adapter's peculiarities."""

    @property
    def has_begun(self) -> bool:
        """True once a connection was begun; before, the capabilities are unknown."""

    @property
    def capabilities(self) -> Capabilities:
        """Return the adapter's capabilities; empty without an adapter."""

    @property
    def is_configurable(self) -> bool:
        """True from the adapter's ``initialized`` on until the program has ended."""

    async def request(
        self,
        command: str,
        arguments: object = None,
        *,
        into: type[T] = Nothing,  # type: ignore[assignment]
        timeout: float | None = None,
    ) -> T:
        """Send a request to the adapter. Raises AdapterError."""

    async def request_all(
        self, command: str, arguments: Sequence[object], *, into: type[T]
    ) -> list[T | RequestFailed]:
        """Send several requests of a kind in one write; return their responses, in their order."""


class HasProfile(Protocol):
    """A session whose adapter is known."""

    @property
    def profile(self) -> AdapterProfile:
        """Return the adapter's peculiarities."""


class HasAdapter(HasProfile, Protocol):
    """A session connected to its adapter."""

    @property
    def adapter(self) -> Asks:
        """Return the connection to the adapter."""


class Tells(Protocol):
    """The publication of events and messages to all followers of the session."""

    def publish(self, event: SessionEvent, origin: str = "session") -> None:
        """Append to the event log."""

    def notify(self, text: str, severity: str = "information", *, quotes: bool = False) -> None:
        """Show the user a message; it is in the console as well."""

    def write_output(
        self,
        category: str,
        text: str | bytes,
        place: Place | None = None,
        *,
        is_piece: bool = False,
        is_secret: bool = False,
    ) -> None:
        """Add output."""


class Program(Protocol):
    """The debugged program, as far as currently known."""

    @property
    def plan(self) -> Plan:
        """Return the plan of its start."""

    @property
    def status(self) -> Status:
        """Return the state of the program."""

    @property
    def stop_id(self) -> int:
        """Return the number of the stop; a reply for an older one is stale."""

    @property
    def stop(self) -> Stop | None:
        """Return the current stop."""

    @property
    def frames(self) -> tuple[Frame, ...]:
        """Return the stack of the stopped thread."""

    @property
    def threads(self) -> tuple[ThreadState, ...]:
        """Return the threads as last reported."""

    @property
    def exit(self) -> ExitState | None:
        """Return the exit state."""

    @property
    def pid(self) -> int | None:
        """Return its process id."""

    @property
    def is_still(self) -> bool:
        """True while the program is stopped, even if only between two steps of a recording."""

    @property
    def is_attached(self) -> bool:
        """True if its program was not started here: it outlives the session, and tuidbg."""

    @property
    def is_post_mortem(self) -> bool:
        """True for a core file: nothing of it runs."""


class Works(Protocol):
    """Background work of the session, independent of the caller."""

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a task; a failure is reported, never lost."""

    @property
    def events(self) -> EventLog:
        """Return the event log, to follow or to wait on."""


class Core(HasAdapter, Tells, Program, Works, Protocol):
    """All four: for parts that query the adapter about the program and publish the result."""
