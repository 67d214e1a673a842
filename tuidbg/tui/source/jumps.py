"""The places that were left by a jump, to go back to: the last ones, each once in a row."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

KEPT = 100


class JumpPlace(NamedTuple):
    """A line of a document, by the document's key."""

    path: str
    line: int


class Jumps:
    """Tells where the person was before each jump."""

    def __init__(self) -> None:
        self._places: deque[JumpPlace] = deque(maxlen=KEPT)

    def leave(self, place: JumpPlace) -> None:
        """Remember the place that is left now."""
        if not self._places or self._places[-1] != place:
            self._places.append(place)

    def back(self, here: JumpPlace | None) -> JumpPlace | None:
        """The last place that is not ``here``, which is forgotten with it; None where none is."""
        while self._places:
            place = self._places.pop()
            if place != here:
                return place
        return None
