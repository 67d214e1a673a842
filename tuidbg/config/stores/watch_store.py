"""The watches of a project's programs, beside its breakpoints in the user's state folder.

A JSON object ``{"version": 1, "project": PATH, "watches": [{"expression": ..., "pinned": ...,
"program": ...}]}``. Watches of one program rarely apply to another, so each has its own; an entry
without a program was written when that was not known, and belongs to all. Several tuidbg may run in
one project; each writes only its own additions and removals. Entries unreadable for this version
are preserved.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from tuidbg.config.project import watch_file
from tuidbg.config.stores.shared_file import SharedFile, StoreError

VERSION = 1


class SavedWatch(msgspec.Struct, frozen=True, omit_defaults=True):
    """A stored watch, identified by the expression within its program.

    ``program`` is the entry point's path in the project; empty if the watch belongs to all.
    """

    expression: str
    pinned: bool = False
    program: str = ""


class WatchStore:
    """The stored watches of one program of a project, as one process sees them.

    For use by one thread at a time; the methods read and write files.
    """

    def __init__(self, project: Path, program: str, file: Path | None = None) -> None:
        self._project = project
        self._program = program
        self._file = file
        self._base: dict[str, SavedWatch] = {}

    @property
    def file(self) -> Path:
        """The file's path. Raises StoreError without a home folder."""
        if self._file is None:
            try:
                self._file = watch_file(self._project)
            except (OSError, RuntimeError) as error:
                raise StoreError(f"there is no folder to keep watches in: {error}") from None
        return self._file

    def load(self) -> tuple[list[SavedWatch], str]:
        """Load the watches; return them and a sentence about unreadable ones, or "".

        Watches of all programs are loaded as pinned: they are silent where their names are unknown.
        A damaged file is left unchanged; ``save`` renames it.
        """
        try:
            data = self._shared.read()
            entries = [] if data is None else _read(data)[1]
        except StoreError as error:
            return [], str(error)
        except ValueError as error:
            return [], f"the saved watches can't be read ({error})"
        self._base = {}
        for entry in entries:
            if (watch := self._from_entry(entry)) is not None and (
                watch.program or watch.expression not in self._base
            ):
                self._base[watch.expression] = watch
        return list(self._base.values()), ""

    def save(self, watches: Iterable[SavedWatch]) -> str:
        """Write the changes since the last call; return a sentence about problems, or "".

        ``watches`` are all of this process. Raises StoreError; the changes are then written the
        next time.
        """
        ours = {watch.expression: self._owned(watch) for watch in watches}
        if list(ours.values()) == list(self._base.values()):
            return ""
        with self._shared.locked():
            fields, entries, problem = self._read_or_set_aside()
            merged = self._merge(ours, entries)
            fields |= {"version": VERSION, "project": str(self._project), "watches": merged}
            self._shared.write(msgspec.json.format(msgspec.json.encode(fields), indent=2) + b"\n")
        self._base = ours
        return problem

    def _read_or_set_aside(self) -> tuple[dict[str, Any], list[Any], str]:
        data = self._shared.read()
        if data is None:
            return {}, [msgspec.to_builtins(watch) for watch in self._base.values()], ""
        try:
            return *_read(data), ""
        except ValueError as error:
            aside = self._shared.set_aside()
            return {}, [], f"the saved watches can't be read ({error}); see {aside}"

    def _owned(self, watch: SavedWatch) -> SavedWatch:
        """Set the program of a watch; watches of all programs stay such."""
        known = self._base.get(watch.expression)
        program = self._program if known is None else known.program
        return msgspec.structs.replace(watch, program=program)

    def _from_entry(self, entry: Any) -> SavedWatch | None:
        """Read an entry; None for another program's or an invalid one."""
        try:
            watch = msgspec.convert(entry, SavedWatch)
        except msgspec.ValidationError:
            return None
        if not watch.expression or watch.program not in ("", self._program):
            return None
        return watch if watch.program else msgspec.structs.replace(watch, pinned=True)

    def _merge(self, ours: dict[str, SavedWatch], theirs: list[Any]) -> list[Any]:
        """Apply our removals, additions and changes to ``theirs``."""
        merged: list[Any] = []
        there: set[str] = set()
        for entry in theirs:
            known = self._from_entry(entry)
            if known is None:
                merged.append(entry)
                continue
            there.add(known.expression)
            mine, before = ours.get(known.expression), self._base.get(known.expression)
            if mine is None and before is not None:
                continue
            changed = mine is not None and mine != before
            merged.append({**entry, **msgspec.to_builtins(mine)} if changed else entry)
        new = (w for e, w in ours.items() if e not in there and self._base.get(e) != w)
        return [*merged, *map(msgspec.to_builtins, new)]

    @property
    def _shared(self) -> SharedFile:
        return SharedFile(self.file, "watches")


def _read(data: bytes) -> tuple[dict[str, Any], list[Any]]:
    """Return the fields of a file, and its entries. Raises ValueError."""
    try:
        fields = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"it is no JSON: {error}") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("watches"), list):
        raise ValueError('it is no JSON object with "watches"')
    return fields, fields["watches"]
