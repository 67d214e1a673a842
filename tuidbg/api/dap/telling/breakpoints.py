"""Keeps what one client knows of the session's breakpoints, and is told of them.

A client's list replaces what it has set itself or was told of. What it has not been told yet, or
only this moment, it can't mean to delete. Changes of its own are told by the answers to its
requests, those of all others by ``breakpoint`` events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.api.dap.telling.told import Told
from tuidbg.api.operations.views import shown_to, view_breakpoint
from tuidbg.session.events import BreakpointsChanged
from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus

if TYPE_CHECKING:
    from tuidbg.session.session import Session

Json = dict[str, Any]

GRACE = 0.3
"""Seconds after which a client has read what it was told."""

_SHOWN = (
    BreakpointKind.LINE,
    BreakpointKind.FUNCTION,
    BreakpointKind.ADDRESS,
    BreakpointKind.DATA,
)


class Asked(msgspec.Struct, frozen=True):
    """Holds what the client has asked for at a breakpoint; nothing where it was only told of it."""

    condition: str = ""
    hit_condition: str = ""
    log_message: str = ""
    column: int | None = None
    access: str = ""


class KnownToClient:
    """The breakpoints that one client knows of, by their numbers."""

    def __init__(self, client: Told, session: Session) -> None:
        self._client = client
        self._session = session
        self._registry = session.breakpoints.registry
        self.asked: dict[int, Asked] = {}
        self._told: dict[int, Json] = {}
        self._told_at: dict[int, float] = {}
        self._changed: set[int] | None = None
        self.is_told = False
        """True as soon as it hears of the breakpoints of others."""

    def may_replace(self, number: int) -> bool:
        """True for one that a list of the client's, in which it is missing, deletes."""
        if number in self.asked:
            return True
        told_at = self._told_at.get(number)
        return told_at is not None and asyncio.get_running_loop().time() - told_at > GRACE

    def note(self, event: BreakpointsChanged) -> None:
        """Somebody has changed breakpoints: tell the client, unless it is doing so itself."""
        numbers = [*event.removed, *(each.number for each in event.changed)]
        if self._changed is not None:
            self._changed.update(numbers)
        else:
            self.tell(numbers)

    @contextmanager
    def changing(self, own: set[int]) -> Iterator[None]:
        """The client changes breakpoints: of ``own``, filled meanwhile, its answer tells."""
        self._changed = set()
        try:
            yield
        finally:
            changed, self._changed = self._changed, None
            self.tell(changed - own)

    def tell(self, numbers: Iterable[int]) -> None:
        """Tell what has become of these."""
        for number in sorted(numbers):
            found = self._registry.look_up(number)
            if found is None:
                self._tell_gone(number)
            elif found.kind in _SHOWN and (self.is_told or number in self._told):
                self._tell_one(found)

    def _tell_gone(self, number: int) -> None:
        self.asked.pop(number, None)
        self._told_at.pop(number, None)
        if self._told.pop(number, None) is not None:
            body = {"reason": "removed", "breakpoint": {"id": number, "verified": False}}
            self._client.wire.event("breakpoint", body)

    def _tell_one(self, found: Breakpoint) -> None:
        before = self._told.get(found.number)
        body = self.describe(found)
        is_over = not self._session.adapter.is_configurable
        if before == body or (before is not None and is_over):
            return  # that a program ends changes nothing of what was asked for
        if before is None:
            self._told_at[found.number] = asyncio.get_running_loop().time()
        reason = "new" if before is None else "changed"
        self._told[found.number] = body
        self._client.wire.event("breakpoint", {"reason": reason, "breakpoint": body})

    def answer(self, found: Breakpoint, asked: Asked) -> Json:
        """Tells what the client's request is answered for one; it is one of its own from now on."""
        body = self._told[found.number] = self.describe(found)
        self.asked[found.number] = asked
        return body

    def forget(self, number: int) -> None:
        """The client has deleted it itself."""
        self.asked.pop(number, None)
        self._told.pop(number, None)
        self._told_at.pop(number, None)

    @property
    def _starts_later(self) -> bool:
        return not self._session.adapter.is_configurable

    def describe(self, found: Breakpoint) -> Json:
        """A breakpoint in DAP's words: verified without a message, or why it is not."""
        with shown_to(self._client.caller):
            view = view_breakpoint(found)
        client = self._client
        body: Json = {"id": found.number, "verified": view.is_set and view.enabled}
        if not body["verified"]:
            body["message"] = why_not_verified(found, view.message, self._starts_later)
        place = found.places[0] if found.places else None
        path, line = (place.path, place.line) if place is not None else (found.path, found.line)
        if path:
            body["source"] = {"name": path.rpartition("/")[2], "path": client.path_out(path)}
        if line and found.status is not BreakpointStatus.REFUSED:
            body["line"] = client.line_out(line)
        if found.column is not None and place is not None and place.column == found.column:
            body["column"] = client.column_out(found.column)
        if found.address is not None:
            body["instructionReference"] = hex(found.address)
        return body


def why_not_verified(found: Breakpoint, message: str, starts_later: bool) -> str:
    """A sentence for a person."""
    if not found.enabled:
        return "it is disabled"
    if found.suggested_line is not None:
        return f"{message}; line {found.suggested_line} is the nearest that has some"
    if message:
        return message
    if found.status is not BreakpointStatus.PENDING:
        return "it could not be set"
    return "it is set when the program starts" if starts_later else "it is being set"
