"""Reads where a person wants to stop: ``12``, ``file.py:12``, ``function``, with a condition."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

_LINE = re.compile(r"(?:(?P<file>.+):)?\s*(?P<line>\d{1,9})\Z")
_IF = re.compile(r"\s*,\s*|\s+if\s+")


class Wish(msgspec.Struct, frozen=True):
    """A line of a file, or else a function; ``condition`` may be empty."""

    path: str = ""
    line: int = 0
    function: str = ""
    condition: str = ""


class NoPlace(Exception):
    """That names no place; ``str()`` is a sentence."""


def read_wish(text: str, current: str, folders: tuple[str, ...]) -> Wish:
    """Returns what ``text`` asks for; a bare line is one of file ``current``. Raises NoPlace."""
    place, *rest = _IF.split(text.strip(), maxsplit=1)
    condition = rest[0].strip() if rest else ""
    if not place:
        raise NoPlace("name a line, file:line or a function")
    found = _LINE.fullmatch(place)
    if found is None:
        return Wish(function=place, condition=condition)
    if found["file"]:
        path = find_file(found["file"].strip(), (str(Path(current).parent), *folders))
    elif current:
        path = current
    else:
        raise NoPlace(f"there is no current file; name that of line {found['line']}")
    return Wish(path=path, line=int(found["line"]), condition=condition)


def find_file(name: str, folders: tuple[str, ...]) -> str:
    """The file of that name, of that name with ``.py``, or of that module. Raises NoPlace."""
    names = [name, f"{name}.py"]
    if "/" not in name and not name.endswith(".py"):
        names.append(f"{name.replace('.', '/')}.py")
    for each in names:
        for folder in (".", *folders):
            path = Path(folder).joinpath(each).expanduser()
            if path.is_file():
                return str(path.resolve())
    raise NoPlace(f"there is no file {name}")
