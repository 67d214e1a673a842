"""From a configuration of launch.json for another language than Python to a session's plan."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from tuidbg.config.defaults import Defaults
from tuidbg.config.dotenv import DotenvError, read_dotenv
from tuidbg.config.launch import AttachPlan, Console, LaunchPlan, Plan, TargetKind
from tuidbg.config.launch_json.attributes import every_attribute, notes_on_common
from tuidbg.config.launch_json.reading import (
    CONSOLES,
    NOT_ASKED_YET,
    PORTS,
    PROCESSES,
    Attributes,
    absolute,
    is_open,
    read_arguments,
    read_variables,
)
from tuidbg.config.launch_json.types import OtherType, other_type

_CORES = ("coreFile", "coreDumpPath", "coreFilePath")
_STOPS = ("stopOnEntry", "stopAtEntry")
_TERMINALS = {
    "integrated": Console.TERMINAL,
    "external": Console.EXTERNAL,
    "console": Console.INTERNAL,
}
_GDB = (
    'its "MIMode" is gdb, which tuidbg has no debugger for; with "MIMode": "lldb" the program'
    " is debugged by lldb-dap"
)


def make_other_plan(attributes: Attributes, defaults: Defaults) -> Plan:
    """Returns the configuration's plan; what is left out goes to ``given.notes``.

    Raises ConfigurationError, and Unanswered where the person has to be asked first.
    """
    kind = other_type(attributes.configuration.type)
    assert kind is not None  # or there is an obstacle
    _refuse(attributes, kind)
    options = _options(attributes, kind)
    if core := next((key for key in _CORES if key in attributes), ""):
        return _core(attributes, kind, core, options)
    if attributes.configuration.request == "attach":
        return _attach(attributes, kind, options)
    return _launch(attributes, kind, options, defaults)


def _refuse(attributes: Attributes, kind: OtherType) -> None:
    for key, why in kind.refused.items():
        if attributes.raw(key):
            raise attributes.error(f'"{key}" is not supported: {why}', key)
    if attributes.configuration.type == "cppdbg" and attributes.text("MIMode", "gdb") != "lldb":
        raise attributes.error(_GDB, "MIMode")


def _options(attributes: Attributes, kind: OtherType) -> dict[str, Any]:
    """Returns what is handed on to the adapter; unknown attributes among it are told."""
    given, common = attributes.given, every_attribute()
    found: dict[str, Any] = {}
    for note in notes_on_common(attributes.configuration.attributes):
        given.note(note)
    for key in attributes.configuration.attributes:
        if key in kind.used or key in common or key in kind.refused:
            continue
        if why := kind.left_out.get(key):
            given.note(f'"{key}" is left out: {why}')
            continue
        if (value := attributes.raw(key)) is None:
            continue
        found[key] = value
        if key not in kind.passed and not kind.is_open:
            near = difflib.get_close_matches(key, kind.used | kind.passed, n=1, cutoff=0.75)
            meant = f'; is it "{near[0]}"?' if near else ""
            given.note(f'"{key}" goes to {kind.adapter} as it is{meant}')
    return found | _mapped(attributes)


def _mapped(attributes: Attributes) -> dict[str, Any]:
    """Returns those options that the adapter calls by another name."""
    found: dict[str, Any] = {}
    for key in ("sourceMap", "sourceFileMap"):
        if key in attributes:
            found["sourceMap"] = _source_map(attributes, key)
    if "processCreateCommands" in attributes:
        found["launchCommands"] = attributes.texts("processCreateCommands")
    for key in ("runtimeExecutable", "mode"):
        if key in attributes:
            found[key] = attributes.text(key)
    if "runtimeArgs" in attributes:
        found["runtimeArgs"] = attributes.texts("runtimeArgs")
    return found


def _source_map(attributes: Attributes, key: str) -> list[list[str]]:
    """Pairs of folders: there, and here."""
    raw = attributes.raw(key)
    pairs = list(raw.items()) if isinstance(raw, dict) else raw
    found: list[list[str]] = []
    for pair in pairs if isinstance(pairs, list) else [None]:
        there, here = pair if isinstance(pair, list | tuple) and len(pair) == 2 else ("", None)
        if isinstance(here, dict):  # as cppdbg has it
            here = here.get("editorPath")
        if not isinstance(there, str) or not isinstance(here, str):
            raise attributes.error(f'"{key}" must be pairs of folders: there, and here', key)
        found.append([there, str(absolute(here, attributes.given.folder))])
    return found


# Launching


def _launch(
    attributes: Attributes, kind: OtherType, options: dict[str, Any], defaults: Defaults
) -> LaunchPlan:
    given = attributes.given
    program = attributes.text("program", kind.program)
    if not program:
        raise attributes.error('it has no "program"', "")
    folder = absolute(attributes.text("cwd"), given.folder) if "cwd" in attributes else given.folder
    environment, unset = _environment(attributes)
    stop = next((attributes.flag(key) for key in _STOPS if key in attributes), None)
    if stop is None:
        stop = bool(defaults.stop_on_entry)
    return LaunchPlan(
        kind=TargetKind.SCRIPT,
        target=program if is_open(program) else str(absolute(program, folder)),
        args=tuple(read_arguments(attributes)),
        cwd=str(folder),
        env={**defaults.env, **environment},
        unset=tuple(unset),
        python=given.interpreter,
        stop_on_entry=stop,
        console=_console(attributes) or defaults.console or Console.TERMINAL,
        adapter=kind.adapter,
        options=options,
    )


def _console(attributes: Attributes) -> Console | None:
    if attributes.flag("externalConsole"):
        return Console.EXTERNAL
    for key, known in (("console", CONSOLES), ("terminal", _TERMINALS)):
        name = attributes.text(key)
        if name and name not in known:
            raise attributes.error(f'"{key}" must be one of {", ".join(known)}', key)
        if name:
            return known[name]
    return None


def _environment(attributes: Attributes) -> tuple[dict[str, str], list[str]]:
    """Returns what is added to the environment and what is taken out of it; some types list it."""
    given = attributes.given
    found: dict[str, str] = {}
    if "envFile" in attributes:
        path = absolute(attributes.text("envFile"), given.folder)
        try:
            found = read_dotenv(path, given.environment)
        except FileNotFoundError:
            given.note(f'"envFile": there is no file {path}; it is left out')
        except DotenvError as error:
            raise attributes.error(f'"envFile": {error}', "envFile") from None
    key = "environment" if "environment" in attributes else "env"
    return read_variables(attributes, key, _as_table(attributes, key), found)


def _as_table(attributes: Attributes, key: str) -> dict[str, Any]:
    """Variables as a table, from ``["A=1"]`` or ``[{"name": "A", "value": "1"}]``, too."""
    raw = attributes.raw(key)
    if not isinstance(raw, list):
        return attributes.object(key)
    found: dict[str, Any] = {}
    for each in raw:
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            found[each["name"]] = each.get("value", "")
        elif isinstance(each, str):
            name, _, found[name] = each.partition("=")
        else:
            raise attributes.error(f'"{key}" must be a table, or a list of NAME=VALUE', key)
    return found


# Attaching, and core files


def _core(attributes: Attributes, kind: OtherType, key: str, options: dict[str, Any]) -> AttachPlan:
    folder = attributes.given.folder
    program = attributes.text("program")
    return AttachPlan(
        core=str(absolute(attributes.text(key), folder)),
        program=str(absolute(program, folder)) if program else "",
        cwd=str(folder),
        python=attributes.given.interpreter,
        adapter=kind.adapter,
        options={name: value for name, value in options.items() if name != "mode"},
    )


def _attach(attributes: Attributes, kind: OtherType, options: dict[str, Any]) -> AttachPlan:
    given = attributes.given
    way = next((key for key in ("pid", "processId", "port") if key in attributes), "")
    if kind.no_attach:
        raise attributes.error(kind.no_attach, "request")
    if not way or (way == "port" and not kind.has_ports):
        raise attributes.error('it names no process ("pid" or "processId")', "request")
    raw, is_port = attributes.raw(way), way == "port"
    if given.is_preview and isinstance(raw, str) and is_open(raw):
        number = NOT_ASKED_YET
    else:
        what, most = ("the port", PORTS) if is_port else ("the process id", PROCESSES)
        number = attributes.number(raw, way, what, most)
    return AttachPlan(
        host=attributes.text("host", "127.0.0.1"),
        port=number if is_port else None,
        pid=None if is_port else number,
        cwd=str(Path(given.folder)),
        python=given.interpreter,
        adapter=kind.adapter,
        options=options,
    )
