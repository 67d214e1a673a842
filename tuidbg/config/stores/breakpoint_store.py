"""Tells where the breakpoints of a project are kept: a file in the user's state folder.

Not in the project: nothing is written into somebody's repository unasked (``tuidbg breakpoints
export`` does it when asked). Several tuidbg may run in one project; each writes only its own
changes into what is there (see ``saved.merge_entries``), as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from tuidbg.config.project import store_file
from tuidbg.config.stores.breakpoint_file import (
    Document,
    DocumentDamaged,
    Entries,
    SavedBreakpoint,
    merge_entries,
    to_entry,
)
from tuidbg.config.stores.shared_file import SharedFile, StoreError

__all__ = ["ProjectStore", "StoreError", "store_file"]


class ProjectStore:
    """The saved breakpoints of one project, as one process sees them.

    For use by one thread at a time; the methods read and write files.
    """

    def __init__(self, project: Path, file: Path | None = None) -> None:
        self.project = project
        self._file = file
        self._base: Entries = {}

    @property
    def file(self) -> Path:
        """Returns where they are kept. Raises StoreError where there is no home to keep them in."""
        if self._file is None:
            try:
                self._file = store_file(self.project)
            except (OSError, RuntimeError) as error:
                raise StoreError(f"there is no folder to keep breakpoints in: {error}") from None
        return self._file

    @property
    def exists(self) -> bool:
        """Tells whether anything has been saved."""
        try:
            return self.file.exists()
        except (OSError, StoreError):
            return False

    def load(self) -> tuple[list[SavedBreakpoint], str]:
        """The saved breakpoints, and a sentence about what could not be read, or nothing.

        A damaged file is set aside, never overwritten.
        """
        try:
            document, problem = self.read()
        except StoreError as error:
            return [], str(error)
        found = document.saved(self.project)
        self._base = {saved.uuid: to_entry(saved, self.project) for saved in found}
        return found, problem

    def read(self) -> tuple[Document, str]:
        """The whole file, and what ``load`` says. Raises StoreError."""
        try:
            return self._read() or Document(), ""
        except DocumentDamaged:
            with self._shared.locked():
                return self._read_or_set_aside() or (Document(), "")

    def save(self, breakpoints: Iterable[SavedBreakpoint]) -> str:
        """Write what has changed since the last time; a sentence where there is something to say.

        ``breakpoints`` are all that this process has. Raises StoreError; the changes are then
        written the next time.
        """
        ours = {saved.uuid: to_entry(saved, self.project) for saved in breakpoints}
        if ours == self._base:
            return ""

        def change(document: Document, is_new: bool) -> None:
            theirs = self._base if is_new else document.entries
            document.entries = merge_entries(self._base, ours, theirs)

        problem = self._change(change)
        self._base = ours
        return problem

    def add(self, entries: Entries) -> str:
        """Put these in, over those of the same uuid; as ``save``. Raises StoreError."""
        return self._change(lambda document, _: document.entries.update(entries))

    def _change(self, change: Callable[[Document, bool], object]) -> str:
        """``change`` gets the document, and whether there was nothing that could be read."""
        with self._shared.locked():
            found = self._read_or_set_aside()
            document, problem = found or (Document(), "")
            change(document, found is None or bool(problem))
            document.fields["project"] = str(self.project)
            self._shared.write(document.encode())
        return problem

    def _read(self) -> Document | None:
        data = self._shared.read()
        return None if data is None else Document.parse(data)

    def _read_or_set_aside(self) -> tuple[Document, str] | None:
        try:
            document = self._read()
            return None if document is None else (document, "")
        except DocumentDamaged as error:
            aside = self._shared.set_aside()
            return Document(), f"the saved breakpoints can't be read ({error}); see {aside}"

    @property
    def _shared(self) -> SharedFile:
        return SharedFile(self.file, "breakpoints")
