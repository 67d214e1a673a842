"""Replacement of requests that an adapter does not support, or answers wrongly.

The session uses DAP and does not notice it (``adapters/lldb/older.py`` answers for lldb-dap 19 with
LLDB's commands).
"""

from __future__ import annotations

from typing import Any, Protocol

from tuidbg.adapters.native import Ask
from tuidbg.dap.types import Capabilities


class StandIn(Protocol):
    """Answers some DAP requests in place of one adapter."""

    @property
    def commands(self) -> frozenset[str]:
        """The requests that it answers; all others go to the adapter unchanged."""

    def capabilities(self, told: Capabilities) -> Capabilities:
        """Return the capabilities including its own, from the adapter's."""

    async def answer(self, ask: Ask, command: str, arguments: dict[str, Any]) -> object:
        """Return the response body to one of ``commands``; ``ask`` sends requests to the adapter.

        Raises AdapterError.
        """
