"""A session's end of the line to its debug adapter: what is asked of it, and what it can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from tuidbg.adapters.client import DEFAULT_TIMEOUT, AdapterClient
from tuidbg.adapters.errors import AdapterGone, RequestFailed
from tuidbg.adapters.traits import TerminalWay
from tuidbg.dap.messages import Request
from tuidbg.dap.types import Capabilities, Module, Nothing
from tuidbg.session.events import Subscribers

if TYPE_CHECKING:
    from tuidbg.adapters.client import DapLog
    from tuidbg.adapters.process import AdapterProcess
    from tuidbg.adapters.profile import AdapterProfile
    from tuidbg.dap.messages import Event
    from tuidbg.session.connect.parent_session import RootLine
    from tuidbg.session.connect.tunnel import Tunnel


class _Places(Protocol):
    def run(self, request: Request, client: AdapterClient) -> None:
        """Start the program on a terminal."""


class _TakesIn(Protocol):
    def take_in(self, request: Request, client: AdapterClient) -> None:
        """Take a process in that the program starts."""


class _Life(Protocol):
    def note_gone(self, reason: str) -> None:
        """The conversation with the adapter broke off."""


class Hears(Protocol):
    """A session, as far as its adapter turns to it."""

    @property
    def program_place(self) -> _Places:
        """Finds the program a terminal."""

    @property
    def children(self) -> _TakesIn:
        """Takes in the processes that the program starts."""

    @property
    def lifecycle(self) -> _Life:
        """Starts and ends the program."""

    def take_event(self, event: Event) -> None:
        """The adapter tells something."""


def answer(session: Hears, client: AdapterClient, request: Request) -> None:
    """Do as the adapter asks in that conversation; the answer may come later."""
    match request.command:
        case "runInTerminal":
            session.program_place.run(request, client)
        case "startDebugging":
            session.children.take_in(request, client)
        case _:
            client.respond(request, error=f"tuidbg can't do '{request.command}'")


T = TypeVar("T")

_NOT_STARTED = "no program has been started yet"


class Linked(Hears, Protocol):
    """The session at this end."""

    def write_output(self, category: str, text: str | bytes) -> None:
        """Add output."""


class AdapterLink:
    """The conversation of one session with its adapter, through all starts of the program."""

    def __init__(self, session: Linked, profile: AdapterProfile, log: DapLog | None) -> None:
        self._session = session
        self._missing = _NOT_STARTED
        self.profile = profile
        """The adapter's peculiarities."""
        self.log = log
        """Keeps all messages, where that is wanted."""
        self.client: AdapterClient | None = None
        """The conversation itself; None before the first start."""
        self.root_line: RootLine | None = None
        """The conversation behind that of the program, with an adapter that has one."""
        self.tunnel: Tunnel | None = None
        """The way to an adapter on another machine."""
        self.is_configurable = False
        """True from the adapter's ``initialized`` on until the program has ended."""
        self.new_modules: Subscribers[Module] = Subscribers()
        """Told of each module that the adapter says is new."""

    def change(self, profile: AdapterProfile) -> None:
        """Speak with another adapter from the next start on."""
        self.profile = profile
        self.root_line = None

    def connect(self, kind: type[AdapterClient] = AdapterClient) -> AdapterClient:
        """Begin a conversation, not yet connected to anything."""
        session = self._session
        self.client = kind(
            on_event=session.take_event,
            on_request=self._on_request,
            on_closed=self._on_closed,
            log=self.log,
        )
        if self.profile.launch.terminal is TerminalWay.SHARED:
            self.client.on_print = session.write_output
        return self.client

    @property
    def has_begun(self) -> bool:
        """True as soon as there was a conversation; before, nobody knows what the adapter can."""
        return self.client is not None

    @property
    def process(self) -> AdapterProcess | None:
        """The adapter's process, if it was started here."""
        return self.client.process if self.client is not None else None

    async def request(
        self,
        command: str,
        arguments: object = None,
        *,
        into: type[T] = Nothing,  # type: ignore[assignment]
        timeout: float | None = None,
    ) -> T:
        """Ask the adapter. Raises AdapterError."""
        if self.client is None:
            raise AdapterGone(self._missing)
        return await self.client.request(
            command, arguments, into=into, timeout=timeout or DEFAULT_TIMEOUT
        )

    async def request_all(
        self, command: str, arguments: Sequence[object], *, into: type[T]
    ) -> list[T | RequestFailed]:
        """Send several requests of a kind in one piece; their answers, in their order.

        Raises AdapterError.
        """
        if self.client is None:
            raise AdapterGone(self._missing)
        return await self.client.request_all(command, arguments, into=into)

    @property
    def capabilities(self) -> Capabilities:
        """The adapter's own word on what it can do, so far; empty without an adapter."""
        return self.client.connection.capabilities if self.client is not None else Capabilities()

    def add_capabilities(self, capabilities: Capabilities) -> None:
        """Take over what the adapter announced, now or later."""
        assert self.client is not None
        known = msgspec.structs.asdict(self.client.connection.capabilities)
        told = msgspec.structs.asdict(capabilities)
        known.update({name: value for name, value in told.items() if value is not None})
        self.client.connection.capabilities = Capabilities(**known)

    def lose(self, reason: str) -> None:
        """There is no conversation any more, though the program may run on."""
        self.close()
        self.client, self._missing = None, reason

    def _on_request(self, request: Request) -> None:
        assert self.client is not None
        answer(self._session, self.client, request)

    def _on_closed(self, reason: str) -> None:
        self._session.lifecycle.note_gone(reason)

    def close(self) -> None:
        """End the conversation at once."""
        if self.client is not None:
            self.client.close()
