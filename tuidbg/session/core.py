"""Says what the parts of a session may take for granted, as Protocols: none needs all of it.

A part takes the narrowest of these that it can do with. What it needs of another part, it is given,
or says in a Protocol of its own beside the class: so no part imports the session, and each can be
read, and tested, alone.
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
    """The way to the debug adapter; ``AdapterLink`` goes it."""

    @property
    def profile(self) -> AdapterProfile:
        """The adapter's peculiarities."""

    @property
    def has_begun(self) -> bool:
        """True as soon as there was a conversation; before, nobody knows what the adapter can."""

    @property
    def capabilities(self) -> Capabilities:
        """The adapter's own word on what it can do; empty without an adapter."""

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
        """Ask the adapter. Raises AdapterError."""

    async def request_all(
        self, command: str, arguments: Sequence[object], *, into: type[T]
    ) -> list[T | RequestFailed]:
        """Send several requests of a kind in one piece; their answers, in their order."""


class HasProfile(Protocol):
    """A session whose adapter is known."""

    @property
    def profile(self) -> AdapterProfile:
        """The adapter's peculiarities."""


class HasAdapter(HasProfile, Protocol):
    """A session that talks with its adapter."""

    @property
    def adapter(self) -> Asks:
        """The way to the adapter."""


class Tells(Protocol):
    """The way to everybody who follows the session."""

    def publish(self, event: SessionEvent, origin: str = "session") -> None:
        """Append to the event log."""

    def notify(self, text: str, severity: str = "information", *, quotes: bool = False) -> None:
        """Tell the person something; it stands in the console as well."""

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
    """The debugged program, as far as is known just now."""

    @property
    def plan(self) -> Plan:
        """The plan by which it was, or will be, started."""

    @property
    def status(self) -> Status:
        """The state of the program."""

    @property
    def stop_id(self) -> int:
        """The number of the stop; an answer that belongs to an older one is stale."""

    @property
    def stop(self) -> Stop | None:
        """The stop at which it stands."""

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The stack of the thread that has stopped."""

    @property
    def threads(self) -> tuple[ThreadState, ...]:
        """The threads, as they were last told."""

    @property
    def exit(self) -> ExitState | None:
        """The way in which it has ended."""

    @property
    def pid(self) -> int | None:
        """The number of its process."""

    @property
    def is_still(self) -> bool:
        """True while the program stands, be it only between two steps of a recording."""

    @property
    def is_attached(self) -> bool:
        """True if its program was not started here: it outlives the session, and tuidbg."""

    @property
    def is_post_mortem(self) -> bool:
        """True if it is a core file that is looked at: nothing of it runs."""


class Works(Protocol):
    """Work of the session's own, beside whoever asks."""

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run something; a failure is told, never lost."""

    @property
    def events(self) -> EventLog:
        """Tells what happens in it, to follow or to wait for."""


class Core(HasAdapter, Tells, Program, Works, Protocol):
    """All four: for parts that ask the adapter about the program and tell what came of it."""
