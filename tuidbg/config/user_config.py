"""Defaults for options that neither the command line nor launch.json sets, of project and user.

A user's own ``config.toml`` may set all of them. ``[tool.tuidbg]`` in a project's pyproject.toml
may set neither programs to run (``python``, ``env``) nor keys: viewing a repository must not run
its code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.config.files import LARGEST, NoHome, read_file, read_text, user_folder
from tuidbg.config.launch import Console

if TYPE_CHECKING:
    from tuidbg.config.adapter_settings import AdapterSettings

PYPROJECT = "pyproject.toml"

_TABLE = rb"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*[\"']?tuidbg\b"
_INSIDE = rb"^[ \t]*\[[ \t]*tool[ \t]*\]"


class Defaults(msgspec.Struct, frozen=True, kw_only=True):
    """The options that were set; None or empty: not set. ``python`` is as written by the user."""

    theme: str = ""
    console: Console | None = None
    just_my_code: bool | None = None
    stop_on_entry: bool | None = None
    sub_process: bool | None = None
    redirect_output: bool | None = None
    django: bool | None = None
    jinja: bool | None = None
    cwd: str = ""
    python: str = ""
    env: dict[str, str] = {}

    def over(self, other: Defaults) -> Defaults:
        """Fill unset options from ``other``; environments are merged."""
        mine = {
            name: value
            for name, value in msgspec.structs.asdict(self).items()
            if value is not None and value != "" and name != "env"
        }
        return msgspec.structs.replace(other, **mine, env={**other.env, **self.env})


_FLAGS = ("just_my_code", "stop_on_entry", "sub_process", "redirect_output", "django", "jinja")
_CONSOLES = (Console.TERMINAL, Console.INTERNAL)

_PERSONAL = {
    "python": "the interpreter",
    "env": "the environment",
    "keys": "the keys",
}
"""Settings that a project may not have."""


def read_project_defaults(folder: Path) -> tuple[Defaults, tuple[str, ...]]:
    """Read ``[tool.tuidbg]`` of the nearest pyproject.toml upward, with sentences about errors.

    Without the table it costs a few file system calls.
    """
    for each in (folder, *folder.parents):
        file = each / PYPROJECT
        try:
            data = read_file(file)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            return Defaults(), (f"{file}: it can't be read: {error.strerror or error}.",)
        return _read_pyproject(data, file) if _may_have_table(data) else (Defaults(), ())
    return Defaults(), ()


def _may_have_table(data: bytes) -> bool:
    """Search for the table's header: most files have none, and tomllib is slow to import."""
    if b"tuidbg" not in data:
        return False
    return any(re.search(form, data, re.MULTILINE) for form in (_TABLE, _INSIDE))


def _read_pyproject(data: bytes, file: Path) -> tuple[Defaults, tuple[str, ...]]:
    import tomllib

    try:
        table = tomllib.loads(data.decode("utf-8")).get("tool", {}).get("tuidbg", {})
    except (tomllib.TOMLDecodeError, UnicodeError) as error:
        return Defaults(), (f"{file}: not valid TOML: {error}.",)
    if not isinstance(table, dict):
        return Defaults(), (f"{file}: [tool.tuidbg] must be a table.",)
    problems = [
        f"{file}: [tool.tuidbg] {name}: {what} can't be chosen by a project; set it in your own"
        " config.toml, or on the command line."
        for name, what in _PERSONAL.items()
        if name in table
    ]
    allowed = {name: value for name, value in table.items() if name not in _PERSONAL}
    defaults, wrong = read_table(allowed, f"{file}: [tool.tuidbg] ")
    if defaults.cwd:
        folder = (file.parent / defaults.cwd).resolve()
        if folder.is_dir() and folder.is_relative_to(file.parent.resolve()):
            defaults = msgspec.structs.replace(defaults, cwd=str(folder))
        else:
            wrong.append(f"{file}: [tool.tuidbg] cwd must be a folder in the project.")
            defaults = msgspec.structs.replace(defaults, cwd="")
    return defaults, (*problems, *wrong)


def read_table(table: Mapping[str, Any], place: str) -> tuple[Defaults, list[str]]:
    """Parse a table; return the defaults, and a sentence after ``place`` for each invalid key."""
    good: dict[str, Any] = {}
    wrong: list[str] = []
    for name, value in table.items():
        if name not in _CHECKS:
            wrong.append(f"{place}there is no setting {name!r}{_meant(name)}.")
            continue
        check, must = _CHECKS[name]
        if check(value):
            good[name] = Console(value) if name == "console" else value
        else:
            wrong.append(f"{place}{name} must be {must}.")
    return Defaults(**good), wrong


def _meant(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, _CHECKS, n=1)
    return f"; {near[0]} is one" if near else ""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_console(value: object) -> bool:
    return value in tuple(console.value for console in _CONSOLES)


def _is_environment(value: object) -> bool:
    return isinstance(value, dict) and all(
        name and "=" not in name and isinstance(each, str) for name, each in value.items()
    )


_CHECKS: dict[str, tuple[Callable[[object], bool], str]] = {
    "theme": (_is_text, "a name"),
    "console": (_is_console, " or ".join(f'"{c.value}"' for c in _CONSOLES)),
    "cwd": (_is_text, "a folder"),
    "python": (_is_text, "a path or a name"),
    "env": (_is_environment, 'a table of texts, like {NAME = "value"}'),
    **dict.fromkeys(_FLAGS, (_is_flag, "true or false")),
}


NAME = "config.toml"
_MAP = "map"


class UserConfig(msgspec.Struct, frozen=True):
    """The contents of the file. ``keys`` are by command name, as users write keys.

    ``defaults`` are the options', ``adapters`` the user's own debug adapters by name, ``problems``
    sentences about ignored parts.
    """

    key_map: str = ""
    keys: dict[str, tuple[str, ...]] = {}
    defaults: Defaults = Defaults()
    adapters: dict[str, AdapterSettings] = {}
    problems: tuple[str, ...] = ()


def config_folder() -> Path | None:
    """Return the user's folder for tuidbg; None without a home."""
    try:
        return user_folder("config")
    except NoHome:
        return None


def load_user_config(folder: Path | None) -> UserConfig:
    """Read ``config.toml`` of a folder; the defaults without one."""
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
    """Return the defaults for programs of a folder: the project's settings over the user's.

    Also sentences about errors in the project's; ``load_user_config`` has the others.
    """
    project, problems = read_project_defaults(folder)
    return project.over(load_user_config(config_folder()).defaults), problems


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
