"""``.vscode/launch.json`` as written: configurations, compounds and inputs, all unresolved."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from tuidbg.config.launch_json.jsonc import Jsonc, JsoncError, line_of, read_jsonc

FOLDER = ".vscode"
NAME = "launch.json"

_SYSTEMS = {"linux": "linux", "darwin": "osx", "win32": "windows"}
SYSTEM_SECTIONS = ("linux", "osx", "windows")


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """One configuration; ``attributes`` are merged with its section for this system."""

    name: str
    type: str = ""
    request: str = ""
    attributes: dict[str, Any] = {}
    line: int = 0

    @property
    def is_hidden(self) -> bool:
        """Whether it is not offered, for example because it is only a part of compounds."""
        return _presentation(self.attributes).get("hidden") is True


class CompoundConfiguration(msgspec.Struct, frozen=True, kw_only=True):
    """Several configurations that start together; with ``stop_all`` they also end together."""

    name: str
    parts: tuple[str, ...] = ()
    stop_all: bool = False
    attributes: dict[str, Any] = {}
    line: int = 0

    @property
    def is_hidden(self) -> bool:
        """Whether it is not offered."""
        return _presentation(self.attributes).get("hidden") is True


Offered = Configuration | CompoundConfiguration
"""An entry the user can choose."""


class LaunchFile(msgspec.Struct, frozen=True, kw_only=True):
    """The file, and the folder of ``${workspaceFolder}``.

    ``inputs`` are entries by id; ``problems`` are sentences about ignored parts.
    """

    path: Path
    folder: Path
    text: str = ""
    configurations: tuple[Configuration, ...] = ()
    compounds: tuple[CompoundConfiguration, ...] = ()
    inputs: dict[str, dict[str, Any]] = {}
    problems: tuple[str, ...] = ()

    def place(self, name: str, key: str = "") -> str:
        """Return ``FILE:LINE`` of a configuration, or of one of its attributes."""
        line = line_of(self.text, name, key) or line_of(self.text, name)
        return f"{self.path}:{line}" if line else str(self.path)

    @property
    def whole(self) -> tuple[Offered, ...]:
        """All entries, also hidden ones, in the order of the file."""
        return (*self.configurations, *self.compounds)

    @property
    def offered(self) -> tuple[Offered, ...]:
        """All offered entries, in VS Code's order: groups first, then as in the file."""
        shown = [each for each in self.whole if not each.is_hidden]
        return tuple(sorted(shown, key=_order))


def find_launch_file(folder: Path) -> Path | None:
    """Find the nearest file upward of a folder."""
    for each in (folder, *folder.parents):
        path = each / FOLDER / NAME
        if path.is_file():
            return path
    return None


def read_launch_file(path: Path) -> LaunchFile:
    """Read a file. Raises JsoncError, FileNotFoundError."""
    path = path.absolute()
    read = read_jsonc(path)
    folder = path.parent.parent if path.parent.name == FOLDER else path.parent
    data = read.data
    if not isinstance(data, dict):
        raise JsoncError(path, 1, 'it must be an object with "configurations"')
    problems = [f"{path}: {name!r} is there twice; the last one counts." for name in read.twice]
    known = {"version", "configurations", "compounds", "inputs", "$schema"}
    problems += [
        f"{path}: tuidbg doesn't know {key!r}, and leaves it out." for key in data.keys() - known
    ]
    configurations = [
        _read_configuration(entry, read) for entry in _named(data, "configurations", read, problems)
    ]
    compounds = [
        _read_compound(entry, read, folder) for entry in _named(data, "compounds", read, problems)
    ]
    return LaunchFile(
        path=path,
        folder=folder,
        text=read.text,
        configurations=tuple(configurations),
        compounds=tuple(compounds),
        inputs=_read_inputs(data, path, problems),
        problems=tuple(problems),
    )


def _named(
    data: Mapping[str, Any], key: str, read: Jsonc, problems: list[str]
) -> Iterable[dict[str, Any]]:
    """Yield the named entries of a list, without duplicates."""
    entries = data.get(key, [])
    if not isinstance(entries, list):
        raise JsoncError(read.path, 0, f'"{key}" must be a list')
    seen: set[str] = set()
    for number, entry in enumerate(entries, 1):
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name:
            problems.append(f'{read.path}: number {number} of "{key}" has no name; it is left out.')
        elif name in seen:
            problems.append(f"{read.path}: there are several {name!r}; the first one counts.")
        else:
            seen.add(name)
            yield entry


def _read_configuration(entry: dict[str, Any], read: Jsonc) -> Configuration:
    attributes = dict(entry)
    sections = {system: attributes.pop(system, None) for system in SYSTEM_SECTIONS}
    own = sections.get(_SYSTEMS.get(sys.platform, "linux"))
    if isinstance(own, dict):
        attributes |= own
    return Configuration(
        name=entry["name"],
        type=str(attributes.get("type", "")),
        request=str(attributes.get("request", "")),
        attributes=attributes,
        line=line_of(read.text, entry["name"]),
    )


def _read_compound(entry: dict[str, Any], read: Jsonc, folder: Path) -> CompoundConfiguration:
    name = entry["name"]
    line = line_of(read.text, name)
    parts: list[str] = []
    listed = entry.get("configurations", [])
    for part in listed if isinstance(listed, list) else [None]:
        if isinstance(part, dict):  # in a workspace with several folders
            if part.get("folder", folder.name) != folder.name:
                raise JsoncError(
                    read.path,
                    line,
                    f"{name!r} wants a configuration of the folder"
                    f" {part['folder']!r}; tuidbg reads the one of {folder.name!r} only",
                )
            part = part.get("name")
        if not isinstance(part, str):
            raise JsoncError(
                read.path, line, f'"configurations" of {name!r} must be a list of names'
            )
        parts.append(part)
    return CompoundConfiguration(
        name=name,
        parts=tuple(parts),
        stop_all=entry.get("stopAll") is True,
        attributes=entry,
        line=line,
    )


def _read_inputs(
    data: Mapping[str, Any], path: Path, problems: list[str]
) -> dict[str, dict[str, Any]]:
    inputs = data.get("inputs", [])
    if not isinstance(inputs, list):
        raise JsoncError(path, 0, '"inputs" must be a list')
    found: dict[str, dict[str, Any]] = {}
    for number, entry in enumerate(inputs, 1):
        if isinstance(entry, dict) and isinstance(entry.get("id"), str):
            found.setdefault(entry["id"], entry)
        else:
            problems.append(f'{path}: number {number} of "inputs" has no id; it is left out.')
    return found


def _presentation(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    found = attributes.get("presentation", {})
    return found if isinstance(found, dict) else {}


def _order(offered: Offered) -> tuple[bool, str, float, bool]:
    """Sort groups first, by name, then by order; compounds after other entries."""
    shown = _presentation(offered.attributes)
    group, order = str(shown.get("group", "")), shown.get("order")
    place = float(order) if isinstance(order, int | float) else float("inf")
    return not group, group, place, isinstance(offered, CompoundConfiguration)
