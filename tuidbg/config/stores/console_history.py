"""The history of the console's prompt, in a file of the user's state folder.

Several tuidbg may run at once: each adds its entries to the present file, which is replaced
atomically. Failures are silent: the history is no necessity. Only the user can read the file, as it
may contain private text.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from tuidbg.config.files import user_folder
from tuidbg.config.stores.shared_file import SharedFile, StoreError

MAX_ENTRIES = 1000
MAX_CHARACTERS = 10_000
"""Maximum length of a stored entry; a longer one lasts for this run only."""


def history_file() -> Path:
    return user_folder("state") / "console-history.json"


class ConsoleHistory:
    """The entries, oldest first, without consecutive duplicates.

    With ``file`` None it is for this run only. Reading and writing take a few milliseconds; for use
    by one thread at a time.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = SharedFile(file, "prompts") if file is not None else None
        self._entries: list[str] = []
        self._unsaved: list[str] = []

    @property
    def entries(self) -> list[str]:
        return list(self._entries)

    def add(self, text: str) -> None:
        """Add an entry; ``save`` stores it."""
        self._entries = _joined(self._entries, [text])
        if self._file is not None and len(text) <= MAX_CHARACTERS:
            self._unsaved.append(text)

    def load(self) -> None:
        """Read the file and put its entries before those already added."""
        self._entries = _joined(self._read(), self._entries)

    def save(self) -> bool:
        """Append the entries added since the last call to the file; return whether that worked."""
        unsaved, self._unsaved = self._unsaved, []
        if self._file is None or not unsaved:
            return True
        try:
            with self._file.locked():
                self._file.write(msgspec.json.encode(_joined(self._read(), unsaved)))
        except StoreError:
            self._unsaved = unsaved + self._unsaved
            return False
        return True

    def _read(self) -> list[str]:
        try:
            data = self._file.read() if self._file is not None else None
            return msgspec.json.decode(data, type=list[str]) if data else []
        except (StoreError, msgspec.MsgspecError, ValueError):
            return []


def _joined(older: Iterable[str], newer: Iterable[str]) -> list[str]:
    joined: list[str] = []
    for text in (*older, *newer):
        if not joined or joined[-1] != text:
            joined.append(text)
    return joined[-MAX_ENTRIES:]
