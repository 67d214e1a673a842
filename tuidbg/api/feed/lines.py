"""Output in whole lines, however a program's ``print`` hands it over.

debugpy tells each argument of a ``print`` by itself, and a terminal gives what is there just now.
What a program writes is told line by line; a line that stays open is told after a moment, and
before anything is told that came after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from tuidbg.session.state import Place

OPEN_LINE = 0.2
"""Seconds after which a line is told that nobody has ended, a prompt for one."""

LONGEST = 64_000
"""Characters of an open line that are kept back at most."""

Tell = Callable[[str, str, Place | None], None]


class _Open(NamedTuple):
    text: str
    place: Place | None
    flush: asyncio.TimerHandle


class Lines:
    """The open lines of a program's streams; ``tell`` gets category, text and place of the rest."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._open: dict[str, _Open] = {}

    def feed(self, category: str, text: str, place: Place | None = None) -> None:
        """A piece of what was written to a stream."""
        if category in self._open and self._open[category].place != place:
            self._flush(category)
        begun = self._open.get(category)
        if begun is not None:
            text = begun.text + text
        end = len(text) if len(text) > LONGEST else text.rfind("\n") + 1
        if end:
            self._drop(category)
            self._tell(category, text[:end], place)
        if rest := text[end:]:
            if (open_line := self._open.get(category)) is not None:
                timer = open_line.flush
            else:
                timer = asyncio.get_running_loop().call_later(OPEN_LINE, self._flush, category)
            self._open[category] = _Open(rest, place, timer)

    def flush(self) -> None:
        """Tell the open lines now: something comes after them."""
        for category in tuple(self._open):
            self._flush(category)

    def _flush(self, category: str) -> None:
        if (found := self._drop(category)) is not None:
            self._tell(category, found.text, found.place)

    def _drop(self, category: str) -> _Open | None:
        found = self._open.pop(category, None)
        if found is not None:
            found.flush.cancel()
        return found
