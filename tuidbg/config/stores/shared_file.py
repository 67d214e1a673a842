"""A small file for several tuidbg, written one at a time and atomically."""

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
"""Seconds to wait for another writer; writing takes a few milliseconds."""

_LOCK = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
"""Open flags of the lock: a pipe or device in its place blocks nothing."""


class StoreError(Exception):
    """A failed read or write of stored data; ``str()`` is a sentence."""


class SharedFile:
    """One shared file. ``things`` is the plural noun of its contents, for messages."""

    def __init__(self, path: Path, things: str) -> None:
        self.path = path
        self._things = things

    def read(self) -> bytes | None:
        """Read the file; None without one. Raises StoreError."""
        try:
            return read_file(self.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = error.strerror or error
            raise StoreError(f"the saved {self._things} can't be read: {reason}") from None

    def write(self, data: bytes) -> None:
        """Replace the file. Raises StoreError."""
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
        """Rename the file and return its new path. Raises StoreError."""
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
        """Hold the lock, which is on a separate file: the file itself is replaced.

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
                return  # a file system without locks; the file is still replaced atomically

    def _not_saved(self, error: OSError) -> StoreError:
        return StoreError(f"the {self._things} can't be saved: {error.strerror or error}")
