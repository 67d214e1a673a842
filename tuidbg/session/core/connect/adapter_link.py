"""A session's connection to its debug adapter: requests and capabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from tuidbg.adapters.client import DEFAULT_TIMEOUT, AdapterClient
from tuidbg.adapters.errors import AdapterGone, RequestFailed
from tuidbg.adapters.traits import TerminalWay
from tuidbg.dap.messages import Request
from tuidbg.dap.types import Capabilities, Module, Nothing
from tuidbg.session.model.events import Subscribers

if TYPE_CHECKING:
    from tuidbg.adapters.client import DapLog
    from tuidbg.adapters.process import AdapterProcess
    from tuidbg.adapters.profile import AdapterProfile
    from tuidbg.session.core.connect.parent_session import RootLine
    from tuidbg.session.core.connect.tunnel import Tunnel
    from tuidbg.session.core.session import Session


def answer(session: Session, client: AdapterClient, request: Request) -> None:
    """Handle a reverse request of the adapter; the response may come later."""
    match request.command:
        case "runInTerminal":
            session.program_place.run(request, client)
        case "startDebugging":
            session.children.take_in(request, client)
        case _:
            client.respond(request, error=f"tuidbg can't do '{request.command}'")


T = TypeVar("T")

_NOT_STARTED = "no program has been started yet"


class AdapterLink:
    """The connection of one session to its adapter, across all starts of the program."""

    def __init__(self, session: Session, profile: AdapterProfile, log: DapLog | None) -> None:
        self._session = session
        self._missing = _NOT_STARTED
        self.profile = profile
        """The adapter's peculiarities."""
        self.log = log
        """Records all messages, if requested."""
        self.client: AdapterClient | None = None
        """The connection itself; None before the first start."""
        self.root_line: RootLine | None = None
        """The parent connection of an adapter that has one, behind the program's."""
        self.tunnel: Tunnel | None = None
        """The tunnel to an adapter on another machine."""
        self.is_configurable = False
        """True from the adapter's ``initialized`` on until the program has ended."""
        self.new_modules: Subscribers[Module] = Subscribers()
        """Called with each module that the adapter reports as new."""

    def change(self, profile: AdapterProfile) -> None:
        """Use another adapter from the next start on."""
        self.profile = profile
        self.root_line = None

    def connect(self, kind: type[AdapterClient] = AdapterClient) -> AdapterClient:
        """Create a client, not yet connected to anything."""
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
        """True once a connection was begun; before, the capabilities are unknown."""
        return self.client is not None

    @property
    def process(self) -> AdapterProcess | None:
        """Return the adapter's process, if it was started here."""
        return self.client.process if self.client is not None else None

    async def request(
        self,
        command: str,
        arguments: object = None,
        *,
        into: type[T] = Nothing,  # type: ignore[assignment]
        timeout: float | None = None,
    ) -> T:
        """Send a request to the adapter. Raises AdapterError."""
        if self.client is None:
            raise AdapterGone(self._missing)
        return await self.client.request(
            command, arguments, into=into, timeout=timeout or DEFAULT_TIMEOUT
        )

    async def request_all(
        self, command: str, arguments: Sequence[object], *, into: type[T]
    ) -> list[T | RequestFailed]:
        """Send several requests of a kind in one write; return their responses, in their order.

        Raises AdapterError.
        """
        if self.client is None:
            raise AdapterGone(self._missing)
        return await self.client.request_all(command, arguments, into=into)

    @property
    def capabilities(self) -> Capabilities:
        """Return the adapter's capabilities so far; empty without an adapter."""
        return self.client.connection.capabilities if self.client is not None else Capabilities()

    def add_capabilities(self, capabilities: Capabilities) -> None:
        """Merge the capabilities the adapter announced, now or later."""
        assert self.client is not None
        known = msgspec.structs.asdict(self.client.connection.capabilities)
        told = msgspec.structs.asdict(capabilities)
        known.update({name: value for name, value in told.items() if value is not None})
        self.client.connection.capabilities = Capabilities(**known)

    def lose(self, reason: str) -> None:
        """Drop the connection, though the program may still run."""
        self.close()
        self.client, self._missing = None, reason

    def _on_request(self, request: Request) -> None:
        assert self.client is not None
        answer(self._session, self.client, request)

    def _on_closed(self, reason: str) -> None:
        self._session.lifecycle.note_gone(reason)

    def close(self) -> None:
        """Close the connection at once."""
        if self.client is not None:
            self.client.close()
