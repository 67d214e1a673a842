"""Launch plans from the arguments of ``launch`` and ``attach``, which are those of launch.json."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from tuidbg.adapters.table import (
    ADAPTERS,
    GO_ADAPTER,
    adapter_of_process,
    choose_adapter,
    own_adapters,
)
from tuidbg.api.dap.references import BadRequest
from tuidbg.config.environments import find_environment
from tuidbg.config.launch import DEFAULT_ADAPTER, Console, LaunchPlan, Plan
from tuidbg.config.launch_json.attributes import OTHER_TYPES, PYTHON_TYPES
from tuidbg.config.launch_json.file import Configuration, LaunchFile
from tuidbg.config.launch_json.plan import ConfigurationError, make_plan
from tuidbg.config.launch_json.variables import PlaceholderValues, Unanswered
from tuidbg.config.user_config import find_defaults

_OF_CLIENTS = frozenset(
    {
        *(
            "name",
            "type",
            "request",
            "adapter",
            "label",
            "debugServer",
            "noDebug",
            "session",
            "tuidbgSocket",
        ),
        *("clientOS", "workspaceFolder", "debugLauncherPath", "tcp_connection", "restart"),
        *("preLaunchTask", "postDebugTask", "presentation", "internalConsoleOptions"),
    }
)
"""Arguments that editors add for themselves, or for tuidbg's own server."""

_TYPES = {GO_ADAPTER: "go", "js-debug": "node"}
"""Configuration types by adapter name, where they differ."""

_WAYS_TO_ATTACH = (
    *("connect", "listen", "port", "processId", "pid", "coreFile", "coreDumpPath", "coreFilePath"),
)

_IN_TERMINAL = ("integratedTerminal", "externalTerminal")


class PlanWithNotes(msgspec.Struct, frozen=True):
    """A plan, and notes about ignored parts of the configuration."""

    plan: Plan
    notes: tuple[str, ...]
    in_terminal: str = ""
    """The kind of client terminal for the program; "" for none."""
    is_debugged: bool = True
    is_recorded: bool = False
    """Whether an attached process is recorded from then on."""


def names_a_process(asked: dict[str, Any]) -> bool:
    """Whether the arguments of ``attach`` name a target."""
    return any(key in asked for key in _WAYS_TO_ATTACH)


def read_plan(
    request: str, asked: dict[str, Any], cwd: str, *, has_terminals: bool
) -> PlanWithNotes:
    """Make a plan from the arguments. Raises BadRequest for invalid ones."""
    folder = _folder(asked, cwd)
    defaults, problems = find_defaults(folder)
    attributes = {
        key: value
        for key, value in asked.items()
        if key not in _OF_CLIENTS and not key.startswith("__")
    }
    if request == "attach":
        attributes.pop("record", None)
    if request == "attach" and "restart" in asked:
        attributes["restart"] = asked["restart"]
    in_terminal = attributes.get("console") if has_terminals else ""
    if in_terminal not in _IN_TERMINAL:
        in_terminal = ""
    configuration = Configuration(
        name=str(asked.get("name") or "the configuration"),
        type=_type(request, asked, folder),
        request=request,
        attributes=attributes,
    )
    given = PlaceholderValues(
        folder=folder,
        cwd=folder,
        environment=os.environ,
        interpreter=find_environment(str(folder)).python,
        keeps_environment=True,
        notes=[],
    )
    file = LaunchFile(path=Path("launch.json"), folder=folder)
    try:
        plan = make_plan(file, configuration, given, defaults)
    except ConfigurationError as error:
        raise BadRequest(error.why) from None
    except Unanswered as error:
        raise BadRequest(f"the editor has left a variable as it is: {error}") from None
    if isinstance(plan, LaunchPlan) and "console" not in attributes and defaults.console is None:
        plan = msgspec.structs.replace(plan, console=Console.INTERNAL)
    is_debugged = asked.get("noDebug") is not True
    is_recorded = request == "attach" and asked.get("record") is True
    return PlanWithNotes(plan, (*problems, *given.notes), in_terminal, is_debugged, is_recorded)


def _folder(asked: dict[str, Any], cwd: str) -> Path:
    for name in ("cwd", "workspaceFolder"):
        found = asked.get(name)
        if isinstance(found, str) and Path(found).is_absolute():
            return Path(found)
    return Path(cwd)


def _type(request: str, asked: dict[str, Any], folder: Path) -> str:
    """Return the type: the named one, otherwise the program's."""
    for name in (asked.get("type"), asked.get("adapter")):
        if isinstance(name, str):
            if name in PYTHON_TYPES or name in OTHER_TYPES:
                return name
            if name in ADAPTERS or name in own_adapters():
                return _TYPES.get(name, name)
    adapter = DEFAULT_ADAPTER
    program, process = asked.get("program"), asked.get("processId", asked.get("pid"))
    if request == "attach" and isinstance(process, int):
        adapter = adapter_of_process(process)
    elif isinstance(program, str) and program:
        adapter, _ = choose_adapter(Path(folder, program))
    return _TYPES.get(adapter, adapter)
