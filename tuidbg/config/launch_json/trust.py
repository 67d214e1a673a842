"""The user's agreements to launch.json files: a repository's file runs only after one.

An agreement is for the content of all files that decide what is run (``files_that_count``), by a
hash; any change in one of them asks again. It is kept in the user's data folder, which no
repository can write to. Sentences about a configuration that were read once are kept, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from tuidbg.config.files import read_file, user_folder
from tuidbg.config.stores.shared_file import SharedFile, StoreError

MAX_KEPT = 2_000
"""Maximum number of agreements; the oldest are dropped first."""

SETTINGS = "settings.json"
TASKS = "tasks.json"


class _TrustFile(msgspec.Struct):
    """The file: hashes, oldest first, with descriptions for human readers."""

    agreed: dict[str, str] = {}
    read: dict[str, str] = {}


def files_that_count(launch_file: Path, env_files: Iterable[Path] = ()) -> list[Path]:
    """Return all files whose content decides what a launch.json runs, existing or not."""
    return [launch_file, launch_file.with_name(SETTINGS), *dict.fromkeys(env_files)]


def digest_of(files: Iterable[Path]) -> str:
    """Hash names and contents. Raises OSError if an existing one can't be read."""
    whole = hashlib.blake2b(digest_size=20)
    for file in files:
        try:
            content = read_file(file)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            content = b""
        name = str(file.absolute()).encode("utf-8", "surrogateescape")
        for part in (name, content):
            whole.update(len(part).to_bytes(8, "big"))
            whole.update(part)
    return whole.hexdigest()


def digest_of_text(*parts: str) -> str:
    whole = hashlib.blake2b(digest_size=20)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        whole.update(len(data).to_bytes(8, "big"))
        whole.update(data)
    return whole.hexdigest()


class Trust:
    """The store of agreements. If it can't be written, they hold for this run, with a sentence."""

    def __init__(self, file: Path | None = None) -> None:
        self._path = file
        self._now: set[str] = set()

    def knows(self, digest: str) -> bool:
        """Whether there is an agreement, from now or an earlier run."""
        return digest in self._now or digest in self._read().agreed

    def agree(self, digest: str, what: str) -> str:
        """Store an agreement; return a sentence if it can't be kept."""
        self._now.add(digest)
        return self._keep("agreed", digest, what, "your agreement can't be kept")

    def has_read(self, digest: str) -> bool:
        """Whether the sentences with that hash were read, now or in an earlier run."""
        return digest in self._now or digest in self._read().read

    def note_read(self, digest: str, what: str) -> str:
        """Store that they were read; return a sentence if it can't be kept."""
        self._now.add(digest)
        return self._keep("read", digest, what, "that you have read this can't be kept")

    def _shared(self) -> SharedFile:
        path = self._path or user_folder("data") / "trusted.json"
        return SharedFile(path, "agreements")

    def _read(self) -> _TrustFile:
        try:
            data = self._shared().read()
            return msgspec.json.decode(data, type=_TrustFile) if data else _TrustFile()
        except (OSError, StoreError, msgspec.MsgspecError):
            return _TrustFile()  # the user is asked again

    def _keep(self, where: str, digest: str, what: str, problem: str) -> str:
        try:
            shared = self._shared()
            with shared.locked():
                kept = self._read()
                entries: dict[str, str] = getattr(kept, where)
                entries.pop(digest, None)
                entries[digest] = what
                while len(entries) > MAX_KEPT:
                    del entries[next(iter(entries))]
                shared.write(msgspec.json.format(msgspec.json.encode(kept), indent=2))
        except (OSError, StoreError) as error:
            reason = str(error).rpartition(": ")[2]
            return f"{problem}: {reason}; tuidbg will ask again."
        return ""
