"""Breakpoints whose condition an adapter would not take over: they are taken back first.

LLDB 22 goes on with the condition that it has evaluated first, whatever it is told afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tuidbg.dap.types import BreakpointsBody
from tuidbg.session.core import Asks

_KEYS = ("line", "name", "instructionReference", "dataId")


class Resend:
    """Remembers which conditions the adapter was sent last, and says what must be sent anew."""

    def __init__(self) -> None:
        self._conditions: dict[tuple[str, object], str] = {}

    def note(self, where: str, sent: Sequence[dict[str, Any]]) -> list[dict[str, Any]] | None:
        """Remember what is sent now; the list that must be sent before it, None where none must.

        ``where`` is the file, or the request of lists that belong to none.
        """
        fresh = {_key(where, each): str(each.get("condition") or "") for each in sent}
        stale = {
            key
            for key, condition in fresh.items()
            if self._conditions.get(key) and self._conditions[key] != condition
        }
        for key in [key for key in self._conditions if key[0] == where]:
            del self._conditions[key]
        self._conditions |= fresh
        return [each for each in sent if _key(where, each) not in stale] if stale else None

    def forget(self) -> None:
        """There is another adapter now."""
        self._conditions.clear()


def _key(where: str, sent: dict[str, Any]) -> tuple[str, object]:
    return where, next((sent[key] for key in _KEYS if key in sent), None)


async def take_back(
    adapter: Asks, resend: Resend, command: str, where: str, arguments: dict[str, Any]
) -> None:
    """Let the adapter forget those whose condition it would not change. Raises AdapterError."""
    if not adapter.profile.breakpoints.keeps_conditions:
        return
    first = resend.note(where, arguments["breakpoints"])
    if first is not None:
        changed = {**arguments, "breakpoints": first}
        await adapter.request(command, changed, into=BreakpointsBody)
