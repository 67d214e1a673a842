"""The profile of an adapter described in the user's ``config.toml``."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import PurePath
from typing import Any

import msgspec

from tuidbg.adapters.discovery.packages import Packages, ask_version
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.languages import PLAIN
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.adapters.traits import (
    Attach,
    Exceptions,
    Launch,
    Line,
    SourceFacts,
    Sources,
    Start,
    TerminalWay,
    Values,
)
from tuidbg.config.adapter_settings import AdapterSettings, Transport
from tuidbg.config.launch import AttachPlan, LaunchPlan, Plan

LAUNCH = {
    "program": "${program}",
    "args": "${args}",
    "cwd": "${cwd}",
    "env": "${env}",
    "stopOnEntry": "${stopOnEntry}",
}
"""The default launch arguments."""

_LINES = {
    Transport.STDIO: Line.STREAMS,
    Transport.LISTENS: Line.LISTENS,
    Transport.CALLS_BACK: Line.CALLS_BACK,
    Transport.CONNECT: Line.RUNS_ALREADY,
}
_TERMINALS = {
    "asked for": TerminalWay.ASKED_FOR,
    "named": TerminalWay.NAMED,
    "shared": TerminalWay.SHARED,
}
_VARIABLE = re.compile(r"\$\{(\w+)\}")


class GenericStart(Start):
    """The command, or the address, from the config."""

    def __init__(self, settings: AdapterSettings) -> None:
        self._settings = settings
        self.line = _LINES[settings.transport]
        self.packages = Packages(otherwise=settings.install)
        if settings.port:
            self.address = settings.host, settings.port

    def command(self, address: str = "") -> list[str]:
        program = self.locate()
        port = address.rpartition(":")[2]
        words = self._settings.command[1:]
        return [program, *(w.replace("{address}", address).replace("{port}", port) for w in words)]

    def command_for(self, plan: Plan, address: str = "") -> list[str]:
        program, *words = self.command(address)
        values: dict[str, Any] = {"program": "", "args": [], "cwd": plan.cwd}
        if isinstance(plan, LaunchPlan):
            values |= {"program": plan.target, "args": list(plan.args)}
        return [program, *_fill_list(words, values)]

    def locate(self) -> str:
        if self.address is not None:
            return f"{self.address[0]}:{self.address[1]}"
        first = os.path.expanduser(self._settings.command[0])  # noqa: PTH111
        if found := shutil.which(first):
            return found
        install = f"; {self._settings.install}" if self._settings.install else ""
        raise AdapterNotStarted(
            f"{self._settings.name} is not installed: there is no {first}{install}"
        )

    def read_version(self) -> str:
        return ask_version(self._settings.version) if self._settings.version else ""


class GenericLaunch(Launch):
    """The ``launch`` request from the config."""

    def __init__(self, settings: AdapterSettings) -> None:
        self._settings = settings
        self.terminal = _TERMINALS[settings.terminal]

    def arguments(self, plan: LaunchPlan, target: SourceFacts, tty: str = "") -> dict[str, Any]:
        values: dict[str, Any] = {
            "program": plan.target,
            "args": list(plan.args),
            "cwd": plan.cwd,
            "env": dict(plan.env) or None,
            "environment": _environment(plan),
            "stopOnEntry": plan.stop_on_entry and not self._settings.entry,
            "tty": tty,
        }
        wanted = LAUNCH if self._settings.launch is None else self._settings.launch
        return {"name": "tuidbg", "request": "launch"} | _fill(wanted, values) | plan.options

    def entry_function(self, plan: LaunchPlan) -> str:
        return self._settings.entry if plan.stop_on_entry else ""


class GenericAttach(Attach):
    """The ``attach`` request from the config."""

    def __init__(self, settings: AdapterSettings) -> None:
        self._settings = settings

    def arguments(self, plan: AttachPlan) -> dict[str, Any]:
        if plan.configuration:
            return plan.configuration
        values = {"pid": plan.pid, "host": plan.host, "port": plan.port, "cwd": plan.cwd}
        wanted = self._settings.attach
        if wanted is None:
            wanted = {} if plan.pid is None else {"pid": "${pid}", "processId": "${pid}"}
        return {"name": "tuidbg", "request": "attach"} | _fill(wanted, values) | plan.options


class GenericValues(Values):
    """The evaluation context from the config."""

    def __init__(self, settings: AdapterSettings) -> None:
        self.prompt_context = settings.prompt


class GenericSources(Sources):
    """Sources, of which only the configured name patterns are known."""

    finds_functions = False

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = patterns

    def takes(self, path: str) -> bool:
        name = PurePath(path).name
        return not self._patterns or any(fnmatch(name, pattern) for pattern in self._patterns)


class GenericExceptions(Exceptions):
    """The exception filters from the config."""

    def __init__(self, settings: AdapterSettings) -> None:
        self.filter_names = settings.exceptions
        self.moments = ("uncaught",) if "uncaught" in settings.exceptions else ()


class GenericProfile(AdapterProfile):
    """The profile of any adapter that follows the protocol."""

    def __init__(self, settings: AdapterSettings) -> None:
        self.name = settings.name
        if settings.language:
            self.language = msgspec.structs.replace(PLAIN, name=settings.language)
        self.sources = GenericSources(settings.sources)
        self.start = GenericStart(settings)
        self.launch = GenericLaunch(settings)
        self.attach = GenericAttach(settings)
        self.exceptions = GenericExceptions(settings)
        self.values = GenericValues(settings)


def _fill(wanted: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """Return the table with its variables replaced.

    Unknown ones are environment variables; those missing there stay unchanged. Keys without a value
    are omitted: gdb empties the environment for an ``env`` without entries.
    """
    filled = {key: _fill_value(value, values) for key, value in wanted.items()}
    return {key: value for key, value in filled.items() if value is not None}


def _environment(plan: LaunchPlan) -> dict[str, str] | None:
    """Return the program's complete environment; None if the adapter's own is right."""
    if not plan.env and not plan.unset:
        return None
    whole = {**os.environ, **plan.env}
    return {name: value for name, value in whole.items() if name not in plan.unset}


def _fill_value(value: Any, values: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        return _fill(value, values)
    if isinstance(value, list):
        return _fill_list(value, values)
    if not isinstance(value, str):
        return value
    whole = _VARIABLE.fullmatch(value)
    if whole is not None and whole[1] in values:
        return values[whole[1]]
    return _VARIABLE.sub(_as_text(values), value)


def _fill_list(items: list[Any], values: dict[str, Any]) -> list[Any]:
    """Replace variables in a list; ``${args}`` expands to any number of items."""
    filled: list[Any] = []
    for item in items:
        found = _fill_value(item, values)
        filled += found if isinstance(found, list) and isinstance(item, str) else [found]
    return filled


def _as_text(values: dict[str, Any]) -> Callable[[re.Match[str]], str]:
    def text(found: re.Match[str]) -> str:
        if found[1] not in values:
            return os.environ.get(found[1], found[0])
        value = values[found[1]]
        if value is None:
            return ""
        return shlex.join(value) if isinstance(value, list) else str(value)

    return text
