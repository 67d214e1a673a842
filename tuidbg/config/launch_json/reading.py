"""Reads the attributes of one configuration of launch.json, each by its kind, with its place."""

from __future__ import annotations

from typing import Any

from tuidbg.config.launch_json.file import Configuration, LaunchFile
from tuidbg.config.launch_json.variables import Given, VariableError, expand_all


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
