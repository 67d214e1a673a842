"""The errors between tuidbg and a debug adapter, one class per cause."""

from __future__ import annotations


class AdapterError(Exception):
    """The base of all of them; ``str()`` is a sentence for the user."""


class RequestFailed(AdapterError):
    """The adapter has answered with an error."""

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
    """The adapter has not announced this capability, so no request was sent."""

    def __init__(self, command: str) -> None:
        super().__init__(f"this debug adapter can't do '{command}'")
        self.command = command


class AdapterGone(AdapterError):
    """The adapter has ended or its stream broke; ``reason`` has the known details."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class AdapterLetGo(AdapterGone):
    """The conversation was closed on our side: the adapter is not needed any more."""


class ServerGone(AdapterGone):
    """The program's debug server has closed the connection: mostly the program has ended."""


class CallRefused(AdapterError):
    """A caller is rejected; ``str()`` is the reason, to follow the caller's name."""


class AdapterNotStarted(AdapterError):
    """The adapter could not be started."""


class TunnelFailed(AdapterError):
    """The connection to the program's machine failed or broke."""
