"""The breakpoints as they are known now, and the one way to change them: each change is told."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from tuidbg.config.files import file_stamp
from tuidbg.session.breakpoints.registry import BreakpointRegistry
from tuidbg.session.core import Tells
from tuidbg.session.events import BreakpointsChanged
from tuidbg.session.state import Breakpoint, BreakpointKind


class KnownBreakpoints:
    """The registry of one session, whose changes are published."""

    def __init__(self, session: Tells) -> None:
        self._session = session
        self.registry = BreakpointRegistry()
        self.muted = False
        """While it is set nothing stops, counts or logs, and nothing is sent."""
        self.rank: int | None = None
        """The rank that the process has in its job, as soon as it is known."""
        self.stamps: dict[str, tuple[int, int] | None] = {}
        """The stamps of files as their lines are meant."""

    def is_wanted(self, breakpoint: Breakpoint) -> bool:
        """Tell whether it is to be there in this process, as things stand."""
        is_meant = not breakpoint.ranks or self.rank in breakpoint.ranks
        return breakpoint.enabled and is_meant and not self.muted

    def make(self, kind: BreakpointKind, origin: str, **where: Any) -> Breakpoint:
        """A new one, which nobody knows of yet."""
        number = self.registry.new_number()
        return Breakpoint(number=number, uuid=new_uuid(), kind=kind, origin=origin, **where)

    def publish(self, breakpoint: Breakpoint, *, origin: str) -> None:
        """Keep it and tell."""
        self.publish_all([breakpoint], origin=origin)

    def publish_all(self, breakpoints: Sequence[Breakpoint], *, origin: str) -> None:
        """Keep them and tell, in one event."""
        for each in breakpoints:
            self.registry.put(each)
            if each.path and each.path not in self.stamps:
                self.stamps[each.path] = file_stamp(each.path)
        if breakpoints:
            self._session.publish(BreakpointsChanged(changed=tuple(breakpoints)), origin)

    def remove_all(self, gone: Sequence[Breakpoint], *, origin: str) -> None:
        """Forget them and tell, in one event."""
        for each in gone:
            self.registry.remove(each.number)
        numbers = tuple(each.number for each in gone)
        self._session.publish(BreakpointsChanged(removed=numbers), origin)


def new_uuid() -> str:
    """An identifier that no other breakpoint has; made here, as importing ``uuid`` takes time."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"
