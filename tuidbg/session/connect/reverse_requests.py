"""Adapters speak of their own accord, too: by events, by DAP's reverse requests, by hanging up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tuidbg.adapters.client import AdapterClient
    from tuidbg.dap.messages import Event, Request


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
