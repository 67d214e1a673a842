"""Lets the program go on for a client, which knows of that by its own request."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType

from tuidbg.api.dap.client import Client


class Resuming(AbstractContextManager[None]):
    """The client lets the program go on: it is told of it only where somebody else was faster."""

    def __init__(self, client: Client) -> None:
        self._teller = client.teller

    def __enter__(self) -> None:
        if self._teller is not None:
            self._teller.begin_resume()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._teller is not None:
            self._teller.end_resume(succeeded=kind is None)
