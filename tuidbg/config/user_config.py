"""Reads what a person has set once and for all, in a file of their own: ``config.toml``.

It lies in the user's config folder (``~/.config/tuidbg`` on Linux), which may also hold themes.
Whatever is wrong in it is told in a sentence, and tuidbg works without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.config.defaults import Defaults, read_project_defaults, read_table
from tuidbg.config.folders import NoHome, user_folder
from tuidbg.config.regular_file import LARGEST, read_text

if TYPE_CHECKING:
    from tuidbg.config.adapter_settings import AdapterSettings

NAME = "config.toml"
_MAP = "map"


class UserConfig(msgspec.Struct, frozen=True):
    """Holds what the file says. ``keys`` are those of commands by name, as people write keys.

    ``defaults`` are the options' (``defaults.py``), ``adapters`` debug adapters of the person's own
    by their names, ``problems`` are sentences about what was left out.
    """

    key_map: str = ""
    keys: dict[str, tuple[str, ...]] = {}
    defaults: Defaults = Defaults()
    adapters: dict[str, AdapterSettings] = {}
    problems: tuple[str, ...] = ()


def config_folder() -> Path | None:
    """The user's folder for tuidbg; None without a home."""
    try:
        return user_folder("config")
    except NoHome:
        return None


def load_user_config(folder: Path | None) -> UserConfig:
    """Returns what ``config.toml`` in that folder says; nothing where there is none."""
    if folder is None:
        return UserConfig()
    file = folder / NAME
    try:
        text = read_text(file, limit=LARGEST)
    except FileNotFoundError:
        return UserConfig()
    except OSError as error:
        return _broken(file, f"it can't be read: {error.strerror or error}")
    except UnicodeError as error:
        return _broken(file, f"it can't be read: {error}")
    import tomllib

    try:
        return _read(tomllib.loads(text), file)
    except tomllib.TOMLDecodeError as error:
        return _broken(file, f"not valid TOML: {error}")


def _broken(file: Path, why: str) -> UserConfig:
    return UserConfig(problems=(f"{file}: {why}.",))


def _read(data: Mapping[str, Any], file: Path) -> UserConfig:
    others = {key: value for key, value in data.items() if key not in ("keys", "adapters")}
    defaults, problems = read_table(others, f"{file}: ")
    if defaults.cwd:
        problems.append(f"{file}: cwd is a project's to set, in [tool.tuidbg] of pyproject.toml.")
        defaults = msgspec.structs.replace(defaults, cwd="")
    table = data.get("keys", {})
    if not isinstance(table, dict):
        problems.append(f"{file}: [keys] must be a table.")
        table = {}
    keys: dict[str, tuple[str, ...]] = {}
    key_map = ""
    for name, value in table.items():
        if name == _MAP and isinstance(value, str):
            key_map = value
        elif name != _MAP and isinstance(value, str):
            keys[name] = (value,)
        elif name != _MAP and _is_list_of_texts(value):
            keys[name] = tuple(value)
        else:
            what = "a name" if name == _MAP else 'a list of keys, like ["n", "F10"]'
            problems.append(f"{file}: [keys] {name} must be {what}.")
    adapters: dict[str, AdapterSettings] = {}
    if "adapters" in data:
        from tuidbg.config.adapter_settings import read_adapters

        adapters, wrong = read_adapters(data["adapters"], f"{file}: ")
        problems += wrong
    return UserConfig(
        key_map=key_map,
        keys=keys,
        defaults=defaults,
        adapters=adapters,
        problems=tuple(problems),
    )


def find_defaults(folder: Path) -> tuple[Defaults, tuple[str, ...]]:
    """Returns what holds for programs of that folder: the project's settings over the person's.

    Also sentences about what is wrong in the project's; ``load_user_config`` has the others.
    """
    project, problems = read_project_defaults(folder)
    return project.over(load_user_config(config_folder()).defaults), problems


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
