"""Resolved locations of breakpoints in native code.

Overloads, templates and inlined copies make several places of one, and libraries loaded later add
more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.native import CodePlace
from tuidbg.session.core.breakpoints.store import KnownBreakpoints
from tuidbg.session.model.state import Breakpoint, BreakpointKind, BreakpointStatus, Place

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


_SETTLE = 0.02
"""Seconds to wait after a ``breakpoint`` event: an adapter sends one for each place."""

_WITH_PLACES = (BreakpointKind.LINE, BreakpointKind.FUNCTION, BreakpointKind.ADDRESS)


class NativePlaces:
    """The adapter's values of ``Breakpoint.places``."""

    def __init__(
        self,
        session: Session,
        known: KnownBreakpoints,
        numbers: Mapping[int, tuple[int, ...]],
    ) -> None:
        """``numbers`` are ours by the adapter's ids."""
        self._session = session
        self._known = known
        self._numbers = numbers
        self._is_due = False

    def note_changed(self) -> None:
        """Schedule one query for many events: the adapter has set or moved something."""
        if self._session.profile.native is not None and not self._is_due:
            self._is_due = True
            self._session.spawn(self._refresh_soon())

    async def _refresh_soon(self) -> None:
        await asyncio.sleep(_SETTLE)
        self._is_due = False
        await self.refresh()

    async def refresh(self) -> None:
        """Query the locations of all breakpoints, and publish the changed ones."""
        session = self._session
        native = session.profile.native
        if native is None or not session.adapter.is_configurable:
            return
        try:
            found = await native.find_places(session.adapter.request)
        except AdapterError:
            return  # the adapter's replies so far count
        by_number: dict[int, list[CodePlace]] = {}
        for adapter_id, numbers in self._numbers.items():
            for number in numbers:
                by_number.setdefault(number, []).extend(found.get(adapter_id, ()))
        changed = [
            new
            for number, places in by_number.items()
            if (known := self._known.registry.look_up(number)) is not None
            and (new := _with_places(known, places)) != known
        ]
        self._known.publish_all(changed, origin="adapter")


def _with_places(known: Breakpoint, found: Sequence[CodePlace]) -> Breakpoint:
    is_function = known.kind is BreakpointKind.FUNCTION
    is_refused = known.status is BreakpointStatus.REFUSED and not is_function
    if known.kind not in _WITH_PLACES or not found or is_refused:
        return known
    by_address = sorted(found, key=lambda place: (place.path, place.line, place.address))
    places = tuple(dict.fromkeys(_as_place(place) for place in by_address))
    if is_function and known.status is not BreakpointStatus.SET:  # a library contains it
        known = msgspec.structs.replace(known, status=BreakpointStatus.SET, message="")
    first = next((place for place in places if place.path), None)
    if known.kind is not BreakpointKind.LINE and first is not None:
        known = msgspec.structs.replace(known, path=first.path, line=first.line)
    return msgspec.structs.replace(known, places=places)


def _as_place(found: CodePlace) -> Place:
    return Place(path=found.path, line=found.line, column=found.column or 1, address=found.address)
