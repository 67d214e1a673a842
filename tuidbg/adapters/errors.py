"""Names what can go wrong between tuidbg and a debug adapter, one class per cause."""

from __future__ import annotations


class AdapterError(Exception):
    """Base of all of them; ``str()`` is a sentence for a person."""


class RequestFailed(AdapterError):
    """The adapter answered, and the answer was no."""

    def __init__(self, command: str, reason: str) -> None:
        super().__init__(reason)
        self.command = command
        self.reason = reason


class RequestTimedOut(AdapterError):
    """The adapter has not answered in time; it may still be alive."""

    def __init__(self, command: str, seconds: float) -> None:
        super().__init__(f"the debug adapter has not answered '{command}' within {seconds:g} s")
        self.command = command


class RequestUnsupported(AdapterError):
    """The adapter has not announced that it can do this, so it was not asked."""

    def __init__(self, command: str) -> None:
        super().__init__(f"this debug adapter can't do '{command}'")
        self.command = command


class AdapterGone(AdapterError):
    """The adapter has ended or its stream broke; ``reason`` says how, as far as it is known."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class AdapterLetGo(AdapterGone):
    """The conversation was ended from our side: nobody needs the adapter any more."""


class ServerGone(AdapterGone):
    """The program's debug server has closed the connection: mostly the program has ended."""


class CallRefused(AdapterError):
    """Whoever has called is not taken in; ``str()`` says why, behind the words for who it is."""


class AdapterNotStarted(AdapterError):
    """The adapter could not be started at all."""


class TunnelFailed(AdapterError):
    """The way to the machine of the program could not be made, or broke."""
