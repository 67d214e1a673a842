"""The user's own debug adapters: the tables ``[adapters.NAME]`` of their ``config.toml``.

Files of a repository are not read here: an adapter is a command that is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

import msgspec


class Transport(StrEnum):
    """The transport of an adapter; ``connect`` is one that is already running."""

    STDIO = "stdio"
    LISTENS = "listens"
    CALLS_BACK = "calls back"
    CONNECT = "connect"


class AdapterSettings(msgspec.Struct, frozen=True, kw_only=True):
    """One adapter as in the file. ``launch`` and ``attach`` still contain ``${...}``."""

    name: str
    command: tuple[str, ...] = ()
    host: str = ""
    port: int = 0
    transport: Transport = Transport.STDIO
    launch: dict[str, Any] | None = None
    attach: dict[str, Any] | None = None
    patterns: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    language: str = ""
    terminal: str = "asked for"
    entry: str = ""
    prompt: str = "watch"
    exceptions: dict[str, str] = {}
    version: tuple[str, ...] = ()
    install: str = ""


TERMINALS = ("asked for", "named", "shared")
PROMPTS = ("watch", "repl")
MOMENTS = ("raised", "uncaught", "user_uncaught")
PLACEHOLDERS = ("{port}", "{address}")

_NAME = re.compile(r"[A-Za-z0-9][\w.+-]*\Z")
_PLACE = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]:|(?P<host>[^:\s]+):)?(?P<port>\d{1,5})\Z")


class _Wrong(Exception):
    """An invalid table; ``str()`` is the reason."""


def read_adapters(table: object, place: str) -> tuple[dict[str, AdapterSettings], list[str]]:
    """Parse ``[adapters]`` to the adapters, and a sentence after ``place`` for each error."""
    if not isinstance(table, Mapping):
        return {}, [f"{place}[adapters] must be a table."]
    found: dict[str, AdapterSettings] = {}
    wrong: list[str] = []
    for name, value in table.items():
        try:
            found[name] = _read(name, value)
        except _Wrong as error:
            wrong.append(f"{place}[adapters.{name}] {error}.")
    return found, wrong


def _read(name: str, table: object) -> AdapterSettings:
    if not _NAME.match(name):
        raise _Wrong("must have a name of letters, digits and hyphens")
    if not isinstance(table, Mapping):
        raise _Wrong("must be a table")
    fields: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _CHECKS:
            raise _Wrong(f"has no setting {key!r}{_meant(key)}")
        check, must = _CHECKS[key]
        if not check(value):
            raise _Wrong(f"{key} must be {must}")
        fields[key] = tuple(value) if isinstance(value, list) else value
    return _make(name, fields)


def _make(name: str, fields: dict[str, Any]) -> AdapterSettings:
    connect = fields.pop("connect", None)
    if (connect is None) == ("command" not in fields):
        raise _Wrong("needs either command or connect")
    transport = fields.get("transport")
    if connect is not None:
        if transport is not None:
            raise _Wrong("transport is for one with a command; connect says it all")
        found = _PLACE.match(connect)
        assert found is not None
        fields["host"] = found["v6"] or found["host"] or "127.0.0.1"
        fields["port"] = int(found["port"])
        fields["transport"] = Transport.CONNECT
        return AdapterSettings(name=name, **fields)
    has_place = any(mark in word for word in fields["command"] for mark in PLACEHOLDERS)
    chosen = transport or (Transport.LISTENS if has_place else Transport.STDIO)
    if chosen != Transport.STDIO and not has_place:
        raise _Wrong(f"command must hold {{port}} or {{address}}, as it {chosen}")
    if chosen == Transport.STDIO and has_place:
        raise _Wrong("command holds {port} or {address}, which one on stdio has no use for")
    if fields.get("terminal") == "shared" and chosen == Transport.STDIO:
        raise _Wrong('terminal can\'t be "shared" where stdio is for the debugger')
    return AdapterSettings(name=name, **{**fields, "transport": Transport(chosen)})


def _meant(key: str) -> str:
    import difflib

    near = difflib.get_close_matches(key, _CHECKS, n=1)
    return f"; {near[0]} is one" if near else f"; there are {', '.join(_CHECKS)}"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _is_words(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _is_place(value: object) -> bool:
    found = _PLACE.match(value) if isinstance(value, str) else None
    return found is not None and 0 < int(found["port"]) < 65_536


def _is_exceptions(value: object) -> bool:
    return isinstance(value, dict) and all(
        key in MOMENTS and _is_text(each) for key, each in value.items()
    )


def _one_of(*values: str) -> tuple[Callable[[object], bool], str]:
    return lambda value: value in values, " or ".join(f'"{each}"' for each in values)


_CHECKS: dict[str, tuple[Callable[[object], bool], str]] = {
    "command": (_is_words, 'a list of words, like ["lua-dap", "--port", "{port}"]'),
    "connect": (_is_place, 'where it listens, like "127.0.0.1:4711"'),
    "transport": _one_of("stdio", "listens", "calls back"),
    "launch": (_is_table, 'a table of launch arguments, like {program = "${program}"}'),
    "attach": (_is_table, 'a table of attach arguments, like {pid = "${pid}"}'),
    "patterns": (_is_words, 'a list of patterns, like ["*.lua"]'),
    "sources": (_is_words, 'a list of patterns, like ["*.lua"]'),
    "interpreters": (_is_words, 'a list of names in a script\'s first line, like ["lua"]'),
    "language": (_is_text, "the language's name"),
    "terminal": _one_of(*TERMINALS),
    "entry": (_is_text, "the name of the function to stop at on entry"),
    "prompt": _one_of(*PROMPTS),
    "exceptions": (_is_exceptions, 'a table of the adapter\'s filters, like {uncaught = "error"}'),
    "version": (_is_words, 'the command that prints its version, like ["lua-dap", "-v"]'),
    "install": (_is_text, "what to type to install it"),
}
"""Valid keys, with their check and the words for a valid value."""
