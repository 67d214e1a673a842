"""Reads the attributes of one configuration of launch.json, each by its kind, with its place."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import Any

from tuidbg.config.launch import Console
from tuidbg.config.launch_json.file import Configuration, LaunchFile
from tuidbg.config.launch_json.variables import Given, VariableError, expand_all, find_setting


class ConfigurationError(Exception):
    """A configuration that can't be run; ``str()`` is a sentence with file and line."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"{place}: {why}" if place else why)
        self.why = why


class Attributes:
    """The attributes, their variables replaced when they are read."""

    def __init__(self, file: LaunchFile, configuration: Configuration, given: Given) -> None:
        self.configuration = configuration
        self.given = given
        self._file = file

    def __contains__(self, key: str) -> bool:
        return self.configuration.attributes.get(key) is not None

    def error(self, why: str, key: str = "") -> ConfigurationError:
        """That it can't be run, at the line of an attribute."""
        return ConfigurationError(self._file.place(self.configuration.name, key), why)

    def raw(self, key: str) -> Any:
        """As it stands, None where it is not there. Raises ConfigurationError, Unanswered."""
        try:
            return expand_all(self.configuration.attributes.get(key), self.given)
        except VariableError as error:
            raise self.error(str(error), key) from None

    def text(self, key: str, default: str = "") -> str:
        """A text."""
        value = self.raw(key)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self.error(f'"{key}" must be a text', key)
        return value

    def flag(self, key: str) -> bool | None:
        """True or false; None where it is left out."""
        value = self.raw(key)
        if value is None or isinstance(value, bool):
            return value
        if value in ("true", "false"):  # as a variable gives it
            return bool(value == "true")
        raise self.error(f'"{key}" must be true or false', key)

    def texts(self, key: str) -> list[str]:
        """A list of texts; numbers are taken as such."""
        value = self.raw(key)
        if value is None:
            return []
        if isinstance(value, list) and all(_is_word(each) for each in value):
            return [str(each) for each in value]
        raise self.error(f'"{key}" must be a list of texts', key)

    def object(self, key: str) -> dict[str, Any]:
        """An object."""
        value = self.raw(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.error(f'"{key}" must be an object', key)
        return value

    def number(self, value: Any, key: str, what: str, most: int) -> int:
        """A whole number from 1 on, which may be written as a text."""
        try:
            number = 0 if isinstance(value, bool | float) else int(value)
        except (TypeError, ValueError):
            number = 0
        if not 0 < number <= most:
            raise self.error(f'{what} in "{key}" must be a number from 1 to {most}', key)
        return number


def _is_word(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


CONSOLES = {
    "integratedTerminal": Console.TERMINAL,
    "internalConsole": Console.INTERNAL,
    "externalTerminal": Console.EXTERNAL,
}


_SHELL = set("$`*?~<>|&;()#")


NOT_ASKED_YET = 1
"""The port or process id of a preview that the person has not been asked for yet."""


PORTS = 65_535


PROCESSES = 2**31 - 1


def absolute(name: str, folder: Path | None) -> Path:
    """A path from the root on; ``~`` is the home."""
    return Path(os.path.abspath(Path(folder or ".", os.path.expanduser(name))))  # noqa: PTH111


def is_open(text: str) -> bool:
    """Tells whether it stands for something that has not been asked yet (``Given.is_preview``)."""
    return text.startswith("<")


def read_arguments(attributes: Attributes) -> list[str]:
    """A list as it stands; a text is split as a shell does, which does nothing else with it."""
    raw = attributes.raw("args")
    if not isinstance(raw, str):
        return attributes.texts("args")
    if attributes.given.is_preview and is_open(raw):
        return [raw]
    if not _SHELL.isdisjoint(raw):
        attributes.given.note('no shell reads "args": $NAME, *, < and the like stay as they are')
    try:
        return shlex.split(raw)
    except ValueError:
        raise attributes.error('a quote in "args" is not closed', "args") from None


def find_interpreter(name: str, folder: Path) -> str | None:
    """An interpreter by its path, that of its environment, or a name of the PATH."""
    expanded = os.path.expanduser(name)  # noqa: PTH111
    if "/" not in expanded and not (folder / expanded).is_dir():
        return shutil.which(expanded)
    path = Path(os.path.abspath(folder / expanded))
    if path.is_dir():
        path = path / "bin" / "python"
    return str(path) if os.access(path, os.X_OK) and path.is_file() else None


def read_variables(
    attributes: Attributes, key: str, table: dict[str, Any], found: dict[str, str]
) -> tuple[dict[str, str], list[str]]:
    """``found`` with the variables of a table on top, and those that it takes out."""
    unset: list[str] = []
    for name, value in table.items():
        if not name or "=" in name:
            raise attributes.error(f'"{key}": {name!r} is no name of a variable', key)
        found.pop(name, None)
        if value is None:
            unset.append(name)
        elif isinstance(value, bool | list | dict):
            raise attributes.error(f'"{key}": {name} must be a text, or null to take it out', key)
        else:
            found[name] = str(value)
    return found, unset


def env_file(attributes: Attributes) -> Path | None:
    """The file of environment variables: ``envFile``, the setting for it, or ``.env``."""
    given = attributes.given
    if "envFile" in attributes:
        text = attributes.text("envFile")
        return absolute(text, given.folder) if text else None
    setting = find_setting(given.settings, "python.envFile")
    if isinstance(setting, str) and setting:
        text = setting.replace("${workspaceFolder}", str(given.folder))
        return absolute(text, given.folder)
    return given.folder / ".env"
