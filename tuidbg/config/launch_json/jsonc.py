"""JSON with comments, trailing commas and a byte order mark, as in settings files.

The values are parsed by json5; it reports no positions of valid values, so ``line_of`` searches the
text for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from tuidbg.config.files import LARGEST, read_text

MAX_CHARACTERS = 500_000
"""Maximum length of a file; parsing a larger one would take many seconds."""

_PLACE = re.compile(
    r"^<string>:(?P<line>\d+) (?P<why>.*?)(?: at column (?P<column>\d+))?$", re.DOTALL
)
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|[{}\[\]]', re.DOTALL)


class JsoncError(Exception):
    """An unreadable file; ``str()`` is a sentence with file and line."""

    def __init__(self, path: Path, line: int, why: str) -> None:
        super().__init__(f"{path}:{line}: {why}" if line else f"{path}: {why}")
        self.path = path
        self.line = line


class Jsonc(msgspec.Struct, frozen=True):
    """A parsed file. ``twice`` are duplicate keys of an object."""

    path: Path
    data: Any
    text: str
    twice: tuple[str, ...] = ()


def read_jsonc(path: Path) -> Jsonc:
    """Read a file. Raises JsoncError, FileNotFoundError."""
    try:
        text = read_text(path, "utf-8-sig", limit=LARGEST)
    except FileNotFoundError:
        raise
    except UnicodeError:
        raise JsoncError(path, 0, "it is no text in UTF-8") from None
    except OSError as error:
        raise JsoncError(path, 0, f"it can't be read: {error.strerror or error}") from None
    return parse_jsonc(text, path)


def parse_jsonc(text: str, path: Path) -> Jsonc:
    """Parse the text of a file. Raises JsoncError."""
    if len(text) > MAX_CHARACTERS:
        raise JsoncError(path, 0, f"it is too large ({len(text):,} characters)")
    if not _TOKEN.sub(lambda found: "" if found[0].startswith("/") else found[0], text).strip():
        raise JsoncError(path, 1, "it is empty")
    import json5

    twice: list[str] = []

    def take(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        taken: dict[str, Any] = {}
        for name, value in pairs:
            if name in taken:
                twice.append(name)
            taken[name] = value
        return taken

    try:
        data = json5.loads(text, object_pairs_hook=take)
    except RecursionError:
        raise JsoncError(path, 0, "it is nested too deeply") from None
    except ValueError as error:
        raise _explain(str(error), text, path) from None
    return Jsonc(path, data, text, tuple(twice))


def _explain(message: str, text: str, path: Path) -> JsoncError:
    found = _PLACE.match(message)
    if found is None:
        return JsoncError(path, 0, message)
    why = found["why"]
    line = min(int(found["line"]), text.count("\n") + 1)
    if why.startswith("Unexpected end of input"):
        return JsoncError(path, line, "it ends in the midst; is a bracket or a quote not closed?")
    unexpected = why.removeprefix("Unexpected ").strip()
    shown = "the end of the line" if unexpected == '"\n"' else unexpected
    return JsoncError(path, line, f"unexpected {shown} in column {found['column']}")


def line_of(text: str, name: str, key: str = "") -> int:
    """Find the line of the object with ``"name": NAME``, or of its own ``key``; 0 without one.

    Comments and nested objects are ignored.
    """
    for start, end in _objects(text):
        inside = _own_text(text, start, end)
        named = re.search(r'"name"\s*:\s*("(?:[^"\\\n]|\\.)*")', inside)
        if named is None or _unquote(named[1]) != name:
            continue
        found = re.search(rf'"{re.escape(key)}"\s*:', inside) if key else named
        return text.count("\n", 0, start + (found or named).start()) + 1
    return 0


def _objects(text: str) -> list[tuple[int, int]]:
    """Return start and end of each object, inner ones first."""
    found: list[tuple[int, int]] = []
    opened: list[int] = []
    for token in _TOKEN.finditer(text):
        if token[0] == "{":
            opened.append(token.start())
        elif token[0] == "}" and opened:
            found.append((opened.pop(), token.end()))
    return found


def _own_text(text: str, start: int, end: int) -> str:
    """Return the object's text with comments and nested parts blanked out."""
    kept, depth, last = [], 0, start
    for token in _TOKEN.finditer(text, start, end):
        between = text[last : token.start()]
        kept.append(between if depth <= 1 else " " * len(between))
        shown = depth == 1 and token[0].startswith('"')
        kept.append(token[0] if shown else " " * len(token[0]))
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        last = token.end()
    return "".join(kept)


def _unquote(quoted: str) -> str:
    try:
        return str(msgspec.json.decode(quoted))
    except msgspec.DecodeError:
        return ""
