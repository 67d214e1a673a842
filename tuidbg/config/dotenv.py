"""Files of environment variables (``.env``): ``NAME=value`` on each line.

The same syntax as python-dotenv and VS Code's Python extension: ``export`` before a name, comments,
literal single quotes, double quotes with escapes and several lines, and ``${NAME}``,
``${env:NAME}`` or ``${NAME:-default}`` outside of single quotes, from the lines above or the
environment. Without quotes ``#`` begins a comment only after a space.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tuidbg.config.files import LARGEST, read_text

_LINE = re.compile(
    r"""[ \t]*(?:export[ \t]+)?
    (?P<name>[A-Za-z_][\w.-]*)[ \t]*=[ \t]*
    (?:(?:'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)")[ \t]*(?:\#[^\n]*)?
    |(?P<plain>[^\n]*?))
    [ \t]*\r?(?:\n|\Z)""",
    re.VERBOSE | re.DOTALL,
)
_REST = re.compile(r"[^\n]*(?:\n|\Z)")
_VARIABLE = re.compile(r"\\\$|\$\{(?:env:)?(?P<name>[A-Za-z_]\w*)(?::-(?P<default>[^}]*))?\}")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


class DotenvError(Exception):
    """An invalid file; ``str()`` is a sentence with file and line."""


def read_dotenv(path: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Read the variables of a file. Raises DotenvError, FileNotFoundError."""
    try:
        text = read_text(path, "utf-8-sig", limit=LARGEST)
    except FileNotFoundError:
        raise
    except UnicodeError:
        raise DotenvError(f"{path}: it is no text in UTF-8") from None
    except OSError as error:
        raise DotenvError(f"{path}: it can't be read: {error.strerror or error}") from None
    return parse_dotenv(text, environment, path)


def parse_dotenv(text: str, environment: Mapping[str, str], path: Path) -> dict[str, str]:
    """Parse the text of a file. Raises DotenvError."""
    found: dict[str, str] = {}
    place = 0
    while place < len(text):
        rest = _REST.match(text, place)
        assert rest is not None
        if not rest[0].strip() or rest[0].lstrip().startswith("#"):
            place = rest.end()
            continue
        line = _LINE.match(text, place)
        if line is None:
            number = text.count("\n", 0, place) + 1
            raise DotenvError(f"{path}:{number}: it is not of the form NAME=value")
        found[line["name"]] = _value(line, {**environment, **found})
        place = line.end()
    return found


def _value(line: re.Match[str], known: Mapping[str, str]) -> str:
    if line["single"] is not None:
        return line["single"]
    if line["double"] is not None:
        expanded = _expand(line["double"], known)
        return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), expanded)
    return _expand(re.sub(r"(^|\s+)#.*", "", line["plain"]).rstrip(), known)


def _expand(text: str, known: Mapping[str, str]) -> str:
    def put(found: re.Match[str]) -> str:
        if found["name"] is None:
            return "$"
        return known.get(found["name"]) or found["default"] or ""

    return _VARIABLE.sub(put, text)
