"""The texts of a session's sources as they are shown: as the program runs them."""

from __future__ import annotations

from pathlib import Path

from tuidbg.config.launch import is_in_zip
from tuidbg.session.session import Session
from tuidbg.session.stack.inspection import BYTECODE
from tuidbg.session.state import Frame, Place
from tuidbg.tui.source.document import Document

NO_TEXT = """\
# The text of this code is nowhere to be read:
# it lies in no file, and nobody has kept it.
"""
"""Stands where the source of code would: it was compiled from a text while the program ran."""


class Documents:
    """The documents of one session, each read once; files that were edited since stay as run."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._documents: dict[str, Document] = {}
        self._told_older: set[str] = set()
        self._without_text: set[str] = set()

    def has(self, path: str) -> bool:
        """True where the text of that source was read."""
        return path in self._documents

    def open(self, path: str) -> Document:
        """The file as the program runs it; raises DocumentError where it can't be read."""
        document = self._documents.get(path)
        if document is None:
            document = self._documents[path] = self._load(path)
        return document

    async def fetch(self, place: Place) -> None:
        """Fetch a source that is not here from the program. Raises DebuggerError."""
        path = place.path
        self._without_text.discard(path)
        if place.reference:
            source = await self._session.inspection.source(place.reference, path)
            text = source.content
            if source.mime_type == BYTECODE:
                self._without_text.add(path)
                text = NO_TEXT + "\n" * place.line  # so that it has the line, too
        else:
            text = await self._session.remote.text(path)
        self._documents[path] = Document.from_text(path, text)

    def must_be_fetched(self, place: Place) -> bool:
        """True where the text of a place is only where the program runs, and not fetched yet."""
        known = self._documents.get(place.path)
        if known is not None:
            return place.path in self._without_text and place.line > len(known.lines)
        if place.reference:
            return not is_in_zip(place.path)
        if self._session.running_sources.kept(place.path) is not None:
            return False
        return self._session.is_attached and self._session.remote.is_elsewhere(place.path)

    def is_missing(self, frame: Frame) -> bool:
        """True where there is no source: none is known, or native code has only a made up one."""
        place = frame.place
        if place is None:
            return True
        if frame.address is None or self.has(place.path):
            return False
        return bool(place.reference) or not Path(place.path).is_file()

    def is_older(self, document: Document) -> bool:
        """True where the program runs another text than the file has now."""
        self._session.running_sources.take(document.key)
        if self._session.running_sources.is_older(document.key):
            return True
        self._told_older.discard(document.key)
        return False

    def take_telling(self, document: Document) -> bool:
        """Note that the older text was told of; true where it had not been before."""
        is_new = document.key not in self._told_older
        self._told_older.add(document.key)
        return is_new

    def _load(self, path: str) -> Document:
        """The file as the program runs it; raises DocumentError where it can't be read."""
        running = self._session.running_sources
        if (kept := running.kept(path)) is not None:
            return Document.from_text(path, kept)
        document = Document.load(path)
        running.take(path)
        if running.is_older(path) and (text := running.text(path)) is not None:
            document.show_older(text)
            self._told_older.add(path)
        return document
