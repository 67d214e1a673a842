"""Tells a client of what takes long: that it is under way, how far it is, and that it is over."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tuidbg.api.dap.telling.told import Told

PATIENCE = 0.5
"""Seconds that something may take before its progress is told."""

_OF_REQUEST = "request-"

_MOST_DIGITS = 100

_SETTING = "Setting breakpoints"
"""Isn't called off in the middle."""

_TITLES = {
    "completions": "Completing",
    "dataBreakpointInfo": "Reading values",
    "disassemble": "Reading machine code",
    "evaluate": "Evaluating",
    "exceptionInfo": "Looking at the exception",
    "loadedSources": "Listing sources",
    "modules": "Listing modules",
    "readMemory": "Reading memory",
    "scopes": "Reading values",
    "setBreakpoints": _SETTING,
    "setExpression": "Setting a value",
    "setVariable": "Setting a value",
    "stackTrace": "Reading the stack",
    "variables": "Reading values",
}
"""What is said of the requests that may take long."""

_numbers = itertools.count(1)


class Progress:
    """One thing under way; nothing is told of what is over soon, or to who wants no progress.

    ``request`` is the number of the client's request that takes so long; a ``cancellable`` one can
    be cancelled by the progress as well.
    """

    def __init__(
        self, client: Told, title: str, *, request: int = 0, cancellable: bool = False
    ) -> None:
        self._client = client
        self._id = f"{_OF_REQUEST}{request}" if request else str(next(_numbers))
        self._request, self._cancellable = request, cancellable
        self._title = title
        self._is_told = False
        self._timer: asyncio.TimerHandle | None = None
        if client.traits.supports_progress_reporting:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(PATIENCE, self._begin)

    def _begin(self) -> None:
        self._timer, self._is_told = None, True
        body: dict[str, Any] = {"progressId": self._id, "title": self._title}
        body["cancellable"] = self._cancellable
        if self._request:
            body["requestId"] = self._request
        self._client.wire.event("progressStart", body)

    def update(self, text: str) -> None:
        """It has come on, or is something else now."""
        if self._is_told:
            body = {"progressId": self._id, "message": text}
            self._client.wire.event("progressUpdate", body)
        else:
            self._title = text

    def end(self) -> None:
        """It is over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._is_told:
            self._is_told = False
            self._client.wire.event("progressEnd", {"progressId": self._id})


@contextmanager
def taking_long(client: Told, command: str, request: int) -> Iterator[None]:
    """A request of that command is being served, which may take long."""
    if command not in _TITLES:
        yield
        return
    title = _TITLES[command]
    progress = Progress(client, title, request=request, cancellable=title != _SETTING)
    try:
        yield
    finally:
        progress.end()


def request_of(progress_id: str) -> int | None:
    """The number of the request that a progress is of; None for those that are of none."""
    number = progress_id.removeprefix(_OF_REQUEST)
    is_one = number != progress_id and number.isdecimal() and len(number) <= _MOST_DIGITS
    return int(number) if is_one else None
