"""The file of a project's breakpoints, stored between runs; it can be committed, too.

A JSON object ``{"version": 1, "project": PATH, "breakpoints": [{...}]}``. Each breakpoint has a
``uuid`` and those fields of ``SavedBreakpoint`` that differ from their default; paths in the
project are relative to it. Fields unknown to this version are preserved, and so is a breakpoint
that it can't read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from tuidbg.config.project import store_file
from tuidbg.config.stores.shared_file import SharedFile, StoreError

VERSION = 1

Entry = dict[str, Any]
"""One breakpoint as in the file."""

Entries = dict[str, Entry]
"""Breakpoints by uuid, in order."""


class DocumentDamaged(ValueError):
    """A file without valid breakpoints; ``str()`` is a sentence."""


class SavedBreakpoint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stored breakpoint: the user's settings, and its anchor.

    The fields are those of the session's ``Breakpoint``, with these differences: ``trigger`` is the
    uuid of the breakpoint that must be hit first, and ``anchor`` locates its line of code again.
    ``path`` is absolute in memory, and relative to the project in a file.
    """

    uuid: str
    kind: Literal["line", "function", "address", "exception", "data"] = "line"
    path: str = ""
    line: int = 0
    column: int | None = None
    function: str = ""
    address: int | None = None
    data: str = ""
    access: Literal["write", "read", "readWrite"] = "write"
    exception: dict[str, Any] | None = None
    enabled: bool = True
    condition: str = ""
    hit_condition: str = ""
    ignore_count: int = 0
    log_message: str = ""
    trace: bool = False
    every: int = 0
    at_most: int = 0
    trigger: str = ""
    commands: tuple[str, ...] = ()
    on_error: Literal["stop", "report"] = "stop"
    group: str = ""
    ranks: tuple[int, ...] = ()
    origin: str = "tui"
    anchor: dict[str, Any] | None = None

    @property
    def place(self) -> tuple[Any, ...]:
        """The identity for the user: there is one breakpoint per place."""
        type_name = (self.exception or {}).get("type", "") if self.kind == "exception" else None
        return self.kind, self.path, self.line, self.function, self.address, self.data, type_name


def to_entry(saved: SavedBreakpoint, project: Path) -> Entry:
    """Return the form in a project's file."""
    entry: Entry = msgspec.json.decode(msgspec.json.encode(saved))
    if saved.path:
        entry["path"] = relative_path(saved.path, project)
    return entry


def from_entry(entry: Mapping[str, Any], project: Path) -> SavedBreakpoint | None:
    """Read a breakpoint; None if this version can't."""
    try:
        saved = msgspec.convert(entry, SavedBreakpoint)
    except msgspec.ValidationError:
        return None
    if not saved.path or saved.path.startswith("<"):  # `<string>` is no file
        return saved
    return msgspec.structs.replace(saved, path=os.path.normpath(project / saved.path))


def relative_path(path: str, project: Path) -> str:
    """Return a path in the project as relative, also through symbolic links; others unchanged."""
    if not Path(path).is_absolute():
        return path
    for own, folder in ((Path(path), project), (Path(path).resolve(), project.resolve())):
        if own.is_relative_to(folder):
            return own.relative_to(folder).as_posix()
    return path


class BreakpointFile:
    """A file of breakpoints, including parts unknown to this version."""

    def __init__(self, entries: Iterable[Entry] = (), **fields: Any) -> None:
        self.fields = {"version": VERSION, **fields}
        self.entries: Entries = {entry["uuid"]: entry for entry in entries}
        self.unknown: list[Any] = []

    @classmethod
    def parse(cls, data: bytes) -> BreakpointFile:
        """Parse a file. Raises DocumentDamaged."""
        try:
            fields = msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise DocumentDamaged(f"it is no JSON: {error}") from None
        if not isinstance(fields, dict) or not isinstance(fields.get("version"), int):
            raise DocumentDamaged('it is no JSON object with a "version"')
        breakpoints = fields.pop("breakpoints", [])
        if not isinstance(breakpoints, list):
            raise DocumentDamaged('its "breakpoints" are no list')
        document = cls(**fields)
        for entry in breakpoints:
            if isinstance(entry, dict) and isinstance(entry.get("uuid"), str):
                document.entries[entry["uuid"]] = entry
            else:
                document.unknown.append(entry)
        return document

    def encode(self) -> bytes:
        """Return the file's bytes, with one field per line."""
        breakpoints = [*self.entries.values(), *self.unknown]
        encoded = msgspec.json.encode({**self.fields, "breakpoints": breakpoints})
        return msgspec.json.format(encoded, indent=2) + b"\n"

    def saved(self, project: Path) -> list[SavedBreakpoint]:
        """Return the breakpoints that this version can read."""
        found = (from_entry(entry, project) for entry in self.entries.values())
        return [saved for saved in found if saved is not None]


def merge_entries(base: Entries, ours: Entries, theirs: Entries) -> Entries:
    """Merge the changes from ``base`` to ``ours`` into ``theirs``, field by field.

    A breakpoint deleted on one side is removed if the other side has not changed it. If both have
    changed a field, ours takes precedence.
    """
    merged: Entries = {}
    for uuid in dict.fromkeys((*theirs, *ours)):
        old, our, their = base.get(uuid), ours.get(uuid), theirs.get(uuid)
        if our is None:
            if their is not None and (old is None or _changed(old, their)):
                merged[uuid] = their
        elif their is None:
            if old is None or old != our:
                merged[uuid] = our
        else:
            merged[uuid] = _merge_fields(old or {}, our, their)
    return merged


def _changed(old: Entry, their: Entry) -> bool:
    """Whether a field known to this version has changed."""
    known = SavedBreakpoint.__struct_fields__
    return any(old.get(name) != their.get(name) for name in known)


def _merge_fields(old: Entry, our: Entry, their: Entry) -> Entry:
    merged = dict(their)
    for name in {**old, **our}:
        if old.get(name) == our.get(name):
            continue
        if name in our:
            merged[name] = our[name]
        else:
            merged.pop(name, None)
    return merged


__all__ = ["ProjectStore", "StoreError", "store_file"]


class ProjectStore:
    """The stored breakpoints of one project, as one process sees them.

    For use by one thread at a time; the methods read and write files.
    """

    def __init__(self, project: Path, file: Path | None = None) -> None:
        self.project = project
        self._file = file
        self._base: Entries = {}

    @property
    def file(self) -> Path:
        """The file's path. Raises StoreError without a home folder."""
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
        """Load the breakpoints; return them and a sentence about unreadable ones, or "".

        A damaged file is renamed, never overwritten.
        """
        try:
            document, problem = self.read()
        except StoreError as error:
            return [], str(error)
        found = document.saved(self.project)
        self._base = {saved.uuid: to_entry(saved, self.project) for saved in found}
        return found, problem

    def read(self) -> tuple[BreakpointFile, str]:
        """Read the whole file, with the sentence of ``load``. Raises StoreError."""
        try:
            return self._read() or BreakpointFile(), ""
        except DocumentDamaged:
            with self._shared.locked():
                return self._read_or_set_aside() or (BreakpointFile(), "")

    def save(self, breakpoints: Iterable[SavedBreakpoint]) -> str:
        """Write the changes since the last call; return a sentence about problems, or "".

        ``breakpoints`` are all of this process. Raises StoreError; the changes are then written the
        next time.
        """
        ours = {saved.uuid: to_entry(saved, self.project) for saved in breakpoints}
        if ours == self._base:
            return ""

        def change(document: BreakpointFile, is_new: bool) -> None:
            theirs = self._base if is_new else document.entries
            document.entries = merge_entries(self._base, ours, theirs)

        problem = self._change(change)
        self._base = ours
        return problem

    def add(self, entries: Entries) -> str:
        """Add entries, replacing those of the same uuid, like ``save``. Raises StoreError."""
        return self._change(lambda document, _: document.entries.update(entries))

    def _change(self, change: Callable[[BreakpointFile, bool], object]) -> str:
        """``change`` receives the document, and whether there was none to read."""
        with self._shared.locked():
            found = self._read_or_set_aside()
            document, problem = found or (BreakpointFile(), "")
            change(document, found is None or bool(problem))
            document.fields["project"] = str(self.project)
            self._shared.write(document.encode())
        return problem

    def _read(self) -> BreakpointFile | None:
        data = self._shared.read()
        return None if data is None else BreakpointFile.parse(data)

    def _read_or_set_aside(self) -> tuple[BreakpointFile, str] | None:
        try:
            document = self._read()
            return None if document is None else (document, "")
        except DocumentDamaged as error:
            aside = self._shared.set_aside()
            return BreakpointFile(), f"the saved breakpoints can't be read ({error}); see {aside}"

    @property
    def _shared(self) -> SharedFile:
        return SharedFile(self.file, "breakpoints")
