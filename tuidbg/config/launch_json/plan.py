"""From a configuration of launch.json to the plan of a session.

What launch.json leaves open is taken from the workspace's settings, then from the project's and the
person's defaults, then from VS Code's own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tuidbg.config.defaults import Defaults
from tuidbg.config.dotenv import DotenvError, read_dotenv
from tuidbg.config.launch import AttachPlan, Console, LaunchPlan, Plan, TargetKind
from tuidbg.config.launch_json.attributes import PYTHON_TYPES, notes_on, refusals_of, type_obstacle
from tuidbg.config.launch_json.file import Configuration, LaunchFile
from tuidbg.config.launch_json.reading import (
    CONSOLES,
    NOT_ASKED_YET,
    PORTS,
    PROCESSES,
    Attributes,
    ConfigurationError,
    absolute,
    env_file,
    find_interpreter,
    is_open,
    read_arguments,
    read_variables,
)
from tuidbg.config.launch_json.variables import Given, find_setting
from tuidbg.config.launch_json.written_code import CodeNotWritten, write_code

__all__ = ["ConfigurationError", "make_plan"]

_OPTIONS = {
    "RedirectOutput": ("redirectOutput", True),
    "Django": ("django", True),
    "Jinja": ("jinja", True),
    "Flask": ("jinja", True),
    "Pyramid": ("jinja", True),
    "DebugStdLib": ("justMyCode", False),
    "StopOnEntry": ("stopOnEntry", True),
    "SubProcess": ("subProcess", True),
}


def make_plan(
    file: LaunchFile, configuration: Configuration, given: Given, defaults: Defaults
) -> Plan:
    """Returns the configuration's plan; what is left out of it goes to ``given.notes``.

    Raises ConfigurationError, and Unanswered where the person has to be asked first.
    """
    attributes = Attributes(file, configuration, given)
    if why := type_obstacle(configuration.type):
        raise attributes.error(why, "type")
    if configuration.request not in ("launch", "attach"):
        raise attributes.error('"request" must be "launch" or "attach"', "request")
    if configuration.type not in PYTHON_TYPES:
        from tuidbg.config.launch_json.native import make_other_plan

        return make_other_plan(attributes, defaults)
    for key, why in refusals_of(configuration.request, configuration.attributes):
        raise attributes.error(why, key)
    for note in notes_on(configuration.request, configuration.attributes):
        given.note(note)
    switches = _Switches(attributes, defaults)
    if configuration.request == "attach":
        return _attach(attributes, switches)
    return _launch(attributes, switches, defaults)


class _Switches:
    """Finds what is on or off, by launch.json, older forms of it, the settings and the defaults."""

    def __init__(self, attributes: Attributes, defaults: Defaults) -> None:
        self._attributes = attributes
        self._options: dict[str, bool] = {}
        for option in attributes.texts("debugOptions"):
            if option in _OPTIONS:
                name, value = _OPTIONS[option]
                self._options[name] = value
            else:
                attributes.given.note(f'"{option}" in "debugOptions" is left out')
        self.just_my_code = self._find("justMyCode", self._library_setting(), defaults.just_my_code)
        self.sub_process = self._find("subProcess", defaults.sub_process)
        self.django = self._find("django", defaults.django, otherwise=False)
        frameworks = attributes.flag("flask") or attributes.flag("pyramid") or None
        self.jinja = self._find("jinja", frameworks, defaults.jinja, otherwise=False)
        self.stop_on_entry = self._find("stopOnEntry", defaults.stop_on_entry, otherwise=False)
        self.redirect_output = self.redirection(defaults)

    def _find(self, key: str, *others: bool | None, otherwise: bool = True) -> bool:
        own = self._attributes.flag(key)
        for value in (own, self._options.get(key), *others):
            if value is not None:
                return value
        return otherwise

    def redirection(self, defaults: Defaults) -> bool | None:
        """None where nobody has said anything: then the console decides."""
        own = self._attributes.flag("redirectOutput")
        found = (own, self._options.get("redirectOutput"), defaults.redirect_output)
        return next((value for value in found if value is not None), None)

    def _library_setting(self) -> bool | None:
        libraries = self._attributes.flag("debugStdLib")
        if libraries is not None:
            return not libraries
        found = find_setting(self._attributes.given.settings, "debugpy.debugJustMyCode")
        return found if isinstance(found, bool) else None


# Launching


def _launch(attributes: Attributes, switches: _Switches, defaults: Defaults) -> LaunchPlan:
    given = attributes.given
    ways = [key for key in ("program", "module", "code") if attributes.raw(key)]
    if len(ways) != 1:
        why = " and ".join(f'"{way}"' for way in ways) or 'neither "program", "module" nor "code"'
        if not ways and "purpose" in attributes:
            why = f"{why}: it is for VS Code's tests; `tuidbg -m pytest` debugs a run of them"
        raise attributes.error(f"it has {why}; one of them is wanted", ways[0] if ways else "")
    cwd = _folder(attributes, defaults)
    environment, unset = _environment(attributes)
    kind = TargetKind.SCRIPT
    match ways[0]:
        case "module":
            kind, target = TargetKind.MODULE, attributes.text("module")
        case "code":
            target = _write_code(attributes)
            paths = (str(cwd), environment.get("PYTHONPATH", given.environment.get("PYTHONPATH")))
            environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
            given.note(f'"code" is run as the file {target}')
        case _:
            program = attributes.text("program")
            target = program if is_open(program) else str(absolute(program, cwd))
            cwd = cwd or Path(target).parent
    if attributes.flag("gevent"):
        environment["GEVENT_SUPPORT"] = "True"
    console = attributes.text("console")
    if console and console not in CONSOLES:
        raise attributes.error(f'"console" must be one of {", ".join(CONSOLES)}', "console")
    python, *before = _interpreter(attributes)
    return LaunchPlan(
        kind=kind,
        target=target,
        args=tuple(read_arguments(attributes)),
        cwd=str(cwd or given.folder),
        env={**defaults.env, **environment},
        unset=tuple(unset),
        python=python,
        python_args=(*before, *attributes.texts("pythonArgs")),
        stop_on_entry=switches.stop_on_entry,
        just_my_code=switches.just_my_code,
        console=CONSOLES.get(console) or defaults.console or Console.TERMINAL,
        sub_process=switches.sub_process,
        django=switches.django,
        jinja=switches.jinja,
        redirect_output=switches.redirect_output,
        path_mappings=_path_mappings(attributes),
        record=attributes.flag("record") is True,
    )


def _folder(attributes: Attributes, defaults: Defaults) -> Path | None:
    """The working directory; None where it shall be the program's own folder."""
    folder = attributes.given.folder
    if "cwd" not in attributes:
        return Path(defaults.cwd) if defaults.cwd else folder
    cwd = attributes.text("cwd")
    return absolute(cwd, folder) if cwd else None


def _write_code(attributes: Attributes) -> str:
    raw = attributes.raw("code")
    code = "\n".join(attributes.texts("code")) if isinstance(raw, list) else attributes.text("code")
    if attributes.given.is_preview:
        return "<the code of launch.json>"
    try:
        return str(write_code(code))
    except CodeNotWritten as error:
        raise attributes.error(str(error), "code") from None


def _interpreter(attributes: Attributes) -> list[str]:
    """The interpreter and what ``python`` has behind it."""
    given = attributes.given
    key = "python" if "python" in attributes else "pythonPath"
    raw = attributes.raw(key)
    words = attributes.texts(key) if isinstance(raw, list) else [attributes.text(key)]
    if not words or words[0] in ("", given.interpreter):
        return [given.interpreter, *words[1:]]
    found = find_interpreter(words[0], given.folder)
    if found is None:
        raise attributes.error(f"there is no interpreter {words[0]}", key)
    return [found, *words[1:]]


def _environment(attributes: Attributes) -> tuple[dict[str, str], list[str]]:
    """Returns what is added to the environment, and what is taken out of it."""
    given = attributes.given
    found: dict[str, str] = {}
    path = env_file(attributes)
    if path is not None:
        try:
            found = read_dotenv(path, given.environment)
        except FileNotFoundError:
            if "envFile" in attributes and not given.is_preview:
                given.note(f'"envFile": there is no file {path}; it is left out')
        except DotenvError as error:
            raise attributes.error(f'"envFile": {error}', "envFile") from None
        if given.keeps_environment and "envFile" not in attributes:
            _keep_environment(found, path, attributes)
    return read_variables(attributes, "env", attributes.object("env"), found)


def _keep_environment(found: dict[str, str], path: Path, attributes: Attributes) -> None:
    """Take out of ``found`` what the environment, or "env", says otherwise, and report it."""
    given, asked = attributes.given, attributes.object("env")
    known = {**given.environment, **{name: str(value) for name, value in asked.items()}}
    kept = sorted(name for name, value in found.items() if known.get(name, value) != value)
    for name in kept:
        del found[name]
    if kept:
        given.note(
            f"{path} sets {', '.join(kept)} to another value than the editor: the editor's is used;"
            ' with "envFile" in the configuration the file replaces the editor\'s own environment'
        )


# Attaching


def _attach(attributes: Attributes, switches: _Switches) -> AttachPlan:
    given = attributes.given
    ways = [key for key in ("connect", "listen", "port", "processId") if key in attributes]
    if len(ways) != 1:
        found = " and ".join(f'"{way}"' for way in ways) or 'neither "connect", "listen" nor'
        why = f"it has {found}" if ways else f'it has {found} "processId"'
        raise attributes.error(f"{why}; one of them is wanted", ways[0] if ways else "")
    host, port, pid = _address(attributes, ways[0])
    cwd = absolute(attributes.text("cwd"), given.folder) if "cwd" in attributes else given.folder
    return AttachPlan(
        host=host,
        port=port,
        pid=pid,
        listen=ways[0] == "listen",
        reconnect=attributes.flag("restart") is True,
        cwd=str(cwd),
        python=given.interpreter,
        just_my_code=switches.just_my_code,
        path_mappings=_path_mappings(attributes),
        sub_process=switches.sub_process,
        django=switches.django,
        jinja=switches.jinja,
        redirect_output=switches.redirect_output is not False,
    )


def _address(attributes: Attributes, way: str) -> tuple[str, int | None, int | None]:
    """Host and port, or the process id; one that is to be asked for is ``NOT_ASKED_YET``."""
    is_preview = attributes.given.is_preview
    if way == "processId":
        raw = attributes.raw("processId")
        if is_preview and isinstance(raw, str) and is_open(raw):
            return "127.0.0.1", None, NOT_ASKED_YET
        return "127.0.0.1", None, attributes.number(raw, way, "the process id", PROCESSES)
    place = attributes.object(way) if way != "port" else {}
    raw = place.get("port") if way != "port" else attributes.raw("port")
    host = place.get("host") if way != "port" else attributes.raw("host")
    if host is not None and not isinstance(host, str):
        raise attributes.error(f'the host in "{way}" must be a text', way)
    if is_preview and isinstance(raw, str) and is_open(raw):
        return host or "127.0.0.1", NOT_ASKED_YET, None
    return host or "127.0.0.1", attributes.number(raw, way, "the port", PORTS), None


def _path_mappings(attributes: Attributes) -> dict[str, str]:
    listed = attributes.raw("pathMappings") if "pathMappings" in attributes else []
    entries: list[Any] = listed if isinstance(listed, list) else [None]
    roots = {key: attributes.raw(key) for key in ("localRoot", "remoteRoot")}
    if roots["remoteRoot"]:
        roots["localRoot"] = roots["localRoot"] or str(attributes.given.folder)
        entries = [*entries, roots]
    return dict(_mapping(entry, attributes) for entry in entries)


def _mapping(entry: Any, attributes: Attributes) -> tuple[str, str]:
    local, remote = (
        (entry.get("localRoot"), entry.get("remoteRoot"))
        if isinstance(entry, dict)
        else (None, None)
    )
    if not isinstance(local, str) or not isinstance(remote, str) or not local or not remote:
        why = '"pathMappings" must be a list of {"localRoot": FOLDER, "remoteRoot": FOLDER}'
        raise attributes.error(why, "pathMappings")
    # debugpy takes "." there as where the program was started; here it can only be a folder.
    return str(absolute(local, attributes.given.folder)), remote
