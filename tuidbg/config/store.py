"""Where the breakpoints of a project are kept: a file in the user's state folder.

Not in the project: nothing is written into somebody's repository unasked (``tuidbg breakpoints
export`` does it when asked). Several tuidbg may run in one project; each writes only its own
changes into what is there (see ``saved.merge_entries``), as a whole or not at all.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tuidbg.config.saved import (
    Document,
    DocumentDamaged,
    Entries,
    SavedBreakpoint,
    merge_entries,
    to_entry,
)

_LOCK_PATIENCE = 0.5
"""Seconds to wait for another tuidbg that writes; it takes a few milliseconds."""


class StoreError(Exception):
    """The breakpoints can't be read or written now; ``str()`` is a sentence."""


def store_file(project: Path) -> Path:
    """The file of a project: its name for people, and a hash of its path for telling it apart."""
    import platformdirs

    path = project.resolve()
    readable = re.sub(r"[^\w.-]+", "-", path.name)[:40] or "root"
    digest = hashlib.blake2b(os.fsencode(path), digest_size=8).hexdigest()
    folder = Path(platformdirs.user_state_dir("tuidbg")) / "breakpoints"
    return folder / f"{readable}-{digest}.json"


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
        """Where they are kept. Raises StoreError where there is no home to keep them in."""
        if self._file is None:
            try:
                self._file = store_file(self.project)
            except (OSError, RuntimeError) as error:
                raise StoreError(f"there is no folder to keep breakpoints in: {error}") from None
        return self._file

    @property
    def exists(self) -> bool:
        """Whether anything has been saved."""
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
            with self._locked():
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
        with self._locked():
            found = self._read_or_set_aside()
            document, problem = found or (Document(), "")
            change(document, found is None or bool(problem))
            document.fields["project"] = str(self.project)
            try:
                self._write(document.encode())
            except OSError as error:
                raise _not_saved(error) from None
        return problem

    def _read(self) -> Document | None:
        try:
            return Document.parse(self.file.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = error.strerror or error
            raise StoreError(f"the saved breakpoints can't be read: {reason}") from None

    def _read_or_set_aside(self) -> tuple[Document, str] | None:
        try:
            document = self._read()
            return None if document is None else (document, "")
        except DocumentDamaged as error:
            aside = self._set_aside()
            return Document(), f"the saved breakpoints can't be read ({error}); see {aside}"

    def _set_aside(self) -> Path:
        aside, number = self.file.with_name(f"{self.file.name}.damaged"), 1
        while aside.exists():
            number += 1
            aside = self.file.with_name(f"{self.file.name}.damaged-{number}")
        try:
            self.file.rename(aside)
        except OSError as error:
            raise _not_saved(error) from None
        return aside

    def _write(self, data: bytes) -> None:
        handle, name = tempfile.mkstemp(dir=self.file.parent, prefix=".breakpoints")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).replace(self.file)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Nobody else writes meanwhile. The lock is on a file of its own: the other is replaced."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            lock = open(self.file.with_name(f"{self.file.name}.lock"), "ab")  # noqa: SIM115
        except OSError as error:
            raise _not_saved(error) from None
        with lock:
            _lock(lock.fileno())
            yield


def _lock(descriptor: int) -> None:
    deadline = time.monotonic() + _LOCK_PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise StoreError(
                    "another tuidbg is writing this project's breakpoints; not saved yet"
                ) from None
            time.sleep(0.005)
        except OSError:
            return  # a file system without locks; the file is still replaced as a whole


def _not_saved(error: OSError) -> StoreError:
    return StoreError(f"the breakpoints can't be saved: {error.strerror or error}")
