"""The output of all ranks in one console, that of the session that listens: who wrote it, and what.

Each rank keeps its own console as it is. A line is told when it is whole, so that none tears
another one's.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from tuidbg.session.events import Entry, ProgramExited
from tuidbg.session.family.family import Kin, Relative
from tuidbg.session.output.stream import OutputStream, Piece
from tuidbg.session.terminal.text import TextStream

STREAMS = ("stdout", "stderr")


class Speaks(Kin, Protocol):
    """A session whose program writes."""

    @property
    def output_stream(self) -> OutputStream:
        """The way of its output."""


S = TypeVar("S", bound=Speaks)


class MergedOutput(Generic[S]):
    """Writes the lines of one process into another one's console, its name before each."""

    def __init__(self, relative: Relative[S], into: OutputStream) -> None:
        self._relative, self._into = relative, into
        self._streams = {category: TextStream() for category in STREAMS}
        session = relative.session
        session.output_stream.pieces.add(self._take)
        session.events.subscribers.add(self._note)

    def _take(self, piece: Piece) -> None:
        stream = self._streams.get(piece.category)
        if stream is not None:
            self._write(piece.category, stream.feed(piece.text))

    def _note(self, entry: Entry) -> None:
        if isinstance(entry.event, ProgramExited):
            for category, stream in self._streams.items():
                self._write(category, stream.finish())

    def _write(self, category: str, lines: list[str]) -> None:
        if lines:
            begin = f"{self.name} │ "
            self._into.write(category, "".join(f"{begin}{line}\n" for line in lines))

    @property
    def name(self) -> str:
        """Returns its rank or its worker's name; before it has told that, what it is called."""
        identity = self._relative.identity
        return (identity.label if identity is not None else "") or self._relative.name
