"""A small file that several tuidbg may write: one at a time, and as a whole or not at all."""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tuidbg.config.files import read_file

_LOCK_PATIENCE = 0.5
"""Seconds to wait for another tuidbg that writes; it takes a few milliseconds."""

_LOCK = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
"""Tells how the lock is opened: what is no file there holds nobody up."""


class StoreError(Exception):
    """Says why what is kept can't be read or written now; ``str()`` is a sentence."""


class SharedFile:
    """One such file. ``things`` is the plural of what it holds, for the sentences."""

    def __init__(self, path: Path, things: str) -> None:
        self.path = path
        self._things = things

    def read(self) -> bytes | None:
        """Returns what the file holds; None where there is none. Raises StoreError."""
        try:
            return read_file(self.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = error.strerror or error
            raise StoreError(f"the saved {self._things} can't be read: {reason}") from None

    def write(self, data: bytes) -> None:
        """Put this in its place. Raises StoreError."""
        try:
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self._things}")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                Path(name).replace(self.path)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise self._not_saved(error) from None

    def set_aside(self) -> Path:
        """Give it another name, and return that. Raises StoreError."""
        aside, number = self.path.with_name(f"{self.path.name}.damaged"), 1
        while aside.exists():
            number += 1
            aside = self.path.with_name(f"{self.path.name}.damaged-{number}")
        try:
            self.path.rename(aside)
        except OSError as error:
            raise self._not_saved(error) from None
        return aside

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else writes meanwhile. The lock is on a file of its own: the other is replaced.

        Raises StoreError.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            name = self.path.with_name(f"{self.path.name}.lock")
            lock = os.fdopen(os.open(name, _LOCK, 0o666), "ab")
        except OSError as error:
            raise self._not_saved(error) from None
        with lock:
            self._lock(lock.fileno())
            yield

    def _lock(self, descriptor: int) -> None:
        deadline = time.monotonic() + _LOCK_PATIENCE
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise StoreError(
                        f"another tuidbg is writing this project's {self._things}; not saved yet"
                    ) from None
                time.sleep(0.005)
            except OSError:
                return  # a file system without locks; the file is still replaced as a whole

    def _not_saved(self, error: OSError) -> StoreError:
        return StoreError(f"the {self._things} can't be saved: {error.strerror or error}")
