"""Stands in for requests that an adapter does not know, or answers wrongly.

The session asks in DAP's terms and never learns of it (``adapters/lldb/older.py`` answers for
lldb-dap 19 by commands of LLDB's).
"""

from __future__ import annotations

from typing import Any, Protocol

from tuidbg.adapters.native import Ask
from tuidbg.dap.types import Capabilities


class StandIn(Protocol):
    """Answers some of DAP's requests in the place of one adapter."""

    @property
    def commands(self) -> frozenset[str]:
        """The requests that it answers; all others go to the adapter as they are."""

    def capabilities(self, told: Capabilities) -> Capabilities:
        """Returns what the adapter can do with it, of what it can do by itself."""

    async def answer(self, ask: Ask, command: str, arguments: dict[str, Any]) -> object:
        """The answer's body to one of ``commands``; ``ask`` puts requests to the adapter itself.

        Raises AdapterError.
        """
