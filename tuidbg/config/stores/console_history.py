"""Keeps what was typed at the console's prompt between runs: a file in the user's state folder.

Several tuidbg may run at once: each adds its own entries to what is there by then. The file is
replaced as a whole or not at all. Remembering is a comfort: where it fails, tuidbg works on and
says nothing. Only the person can read it, as it may hold what they would not show around.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from tuidbg.config.files import user_folder
from tuidbg.config.stores.shared_file import SharedFile, StoreError

MAX_ENTRIES = 1000
MAX_CHARACTERS = 10_000
"""Of one entry; a longer one is remembered for this run only."""


def history_file() -> Path:
    """Returns where it is kept."""
    return user_folder("state") / "console-history.json"


class ConsoleHistory:
    """The entries, oldest first, never twice the same in a row.

    With ``file`` None it is of this run only. The methods that read and write take a few
    milliseconds; they are for one thread at a time.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = SharedFile(file, "prompts") if file is not None else None
        self._entries: list[str] = []
        self._unsaved: list[str] = []

    @property
    def entries(self) -> list[str]:
        """A copy of them."""
        return list(self._entries)

    def add(self, text: str) -> None:
        """Remember an entry; ``save`` keeps it."""
        self._entries = _joined(self._entries, [text])
        if self._file is not None and len(text) <= MAX_CHARACTERS:
            self._unsaved.append(text)

    def load(self) -> None:
        """Read the file; what was added before comes after it."""
        self._entries = _joined(self._read(), self._entries)

    def save(self) -> bool:
        """Add to the file what was added here since the last time; whether that worked."""
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
