"""The jump list: the places left by jumps, without consecutive duplicates."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

KEPT = 100


class JumpPlace(NamedTuple):
    """A line of a document, by the document's key."""

    path: str
    line: int


class Jumps:
    """The places before each jump."""

    def __init__(self) -> None:
        self._places: deque[JumpPlace] = deque(maxlen=KEPT)

    def leave(self, place: JumpPlace) -> None:
        """Add a place."""
        if not self._places or self._places[-1] != place:
            self._places.append(place)

    def back(self, here: JumpPlace | None) -> JumpPlace | None:
        """Pop the last place that is not ``here``; None if there is none."""
        while self._places:
            place = self._places.pop()
            if place != here:
                return place
        return None
