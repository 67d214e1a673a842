"""The merged output of all ranks in the console of the listening session, with the writers' names.

Each rank keeps its own console unchanged. A line is written when it is complete, so that none
breaks another one's; the lines of a moment are written at once, as a thousand ranks have very many.
A process's output waits until its rank is known.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from tuidbg.session.core.output import INTERVAL, OutputStream, Piece
from tuidbg.session.core.process_tree.family import ProcessInfo
from tuidbg.session.core.terminal.text import TextStream
from tuidbg.session.model.events import LogEntry, StatusChanged
from tuidbg.session.model.state import Status

if TYPE_CHECKING:
    pass


STREAMS = ("stdout", "stderr")

UNNAMED = 3.0
"""Seconds from a process's connection in which its lines wait for its rank."""

_OVER = (Status.TERMINATED, Status.FAILED)


_Keep = Callable[[str, list[str]], None]


class _Lines(NamedTuple):
    relative: ProcessInfo
    category: str
    lines: list[str]
    until: float

    @property
    def is_early(self) -> bool:
        """True while the rank of the writer may still become known."""
        is_unknown = self.relative.identity is None and not self.relative.is_over
        return is_unknown and time.monotonic() < self.until

    @property
    def text(self) -> str:
        begin = f"{name_of(self.relative)} │ "
        return "".join([f"{begin}{line}\n" for line in self.lines])


class MergedOutput:
    """The lines of many processes in one console, each after its process's name."""

    def __init__(self, into: OutputStream) -> None:
        self._into = into
        self._waiting: list[_Lines] = []
        self._timer: asyncio.TimerHandle | None = None

    def follow(self, relative: ProcessInfo) -> None:
        """Write that process's output from now on."""
        streams = {category: TextStream() for category in STREAMS}
        session, keep = relative.session, partial(self._keep, relative, time.monotonic() + UNNAMED)
        session.output_stream.pieces.add(partial(self._take, keep, streams))
        session.events.subscribers.add(partial(self._note, keep, streams))

    def _take(self, keep: _Keep, streams: dict[str, TextStream], piece: Piece) -> None:
        stream = streams.get(piece.category)
        if stream is not None:
            keep(piece.category, stream.feed(piece.text))

    def _note(self, keep: _Keep, streams: dict[str, TextStream], entry: LogEntry) -> None:
        if isinstance(entry.event, StatusChanged) and entry.event.status in _OVER:
            for category, stream in streams.items():
                keep(category, stream.finish())

    def _keep(self, relative: ProcessInfo, until: float, category: str, lines: list[str]) -> None:
        if not lines:
            return
        self._waiting.append(_Lines(relative, category, lines, until))
        self._write_soon()

    def _write_soon(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(INTERVAL, self._write_known)

    def _write_known(self) -> None:
        self._timer = None
        early: list[_Lines] = []
        known: list[_Lines] = []
        for each in self._waiting:
            (early if each.is_early else known).append(each)
        self._waiting = early
        self._write(known)
        if early:
            self._write_soon()

    def _write(self, waiting: list[_Lines]) -> None:
        for category, group in groupby(waiting, attrgetter("category")):
            self._into.write(category, "".join(each.text for each in group))

    def close(self) -> None:
        """Write the remaining lines, and nothing more."""
        if self._timer is not None:
            self._timer.cancel()
            self._write(self._waiting)


def name_of(relative: ProcessInfo) -> str:
    """Return its rank or its worker's name; before these are known, its name."""
    identity = relative.identity
    return (identity.label if identity is not None else "") or relative.name
