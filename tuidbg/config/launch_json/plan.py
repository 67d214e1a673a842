"""Plans of sessions from configurations of launch.json.

Defaults come from the workspace's settings, then from the project and the user, then from VS Code.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import Any

from tuidbg.config.dotenv import DotenvError, read_dotenv
from tuidbg.config.files import read_file, user_folder
from tuidbg.config.launch import AttachPlan, Console, LaunchPlan, Plan, TargetKind
from tuidbg.config.launch_json.attributes import (
    PYTHON_TYPES,
    OtherType,
    every_attribute,
    notes_on,
    notes_on_common,
    other_type,
    refusals_of,
    type_obstacle,
)
from tuidbg.config.launch_json.file import Configuration, LaunchFile
from tuidbg.config.launch_json.variables import (
    PlaceholderValues,
    VariableError,
    expand_all,
    find_setting,
)
from tuidbg.config.user_config import Defaults


class ConfigurationError(Exception):
    """A configuration that can't be run; ``str()`` is a sentence with file and line."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"{place}: {why}" if place else why)
        self.why = why


class Attributes:
    """The attributes of a configuration, with variables expanded on access."""

    def __init__(
        self, file: LaunchFile, configuration: Configuration, given: PlaceholderValues
    ) -> None:
        self.configuration = configuration
        self.given = given
        self._file = file

    def __contains__(self, key: str) -> bool:
        return self.configuration.attributes.get(key) is not None

    def error(self, why: str, key: str = "") -> ConfigurationError:
        """Make an error at the line of an attribute."""
        return ConfigurationError(self._file.place(self.configuration.name, key), why)

    def raw(self, key: str) -> Any:
        """Return the expanded value; None without one. Raises ConfigurationError, Unanswered."""
        try:
            return expand_all(self.configuration.attributes.get(key), self.given)
        except VariableError as error:
            raise self.error(str(error), key) from None

    def text(self, key: str, default: str = "") -> str:
        value = self.raw(key)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self.error(f'"{key}" must be a text', key)
        return value

    def flag(self, key: str) -> bool | None:
        """Return true or false; None without a value."""
        value = self.raw(key)
        if value is None or isinstance(value, bool):
            return value
        if value in ("true", "false"):  # the value of a variable
            return bool(value == "true")
        raise self.error(f'"{key}" must be true or false', key)

    def texts(self, key: str) -> list[str]:
        """Return a list of texts; numbers are converted."""
        value = self.raw(key)
        if value is None:
            return []
        if isinstance(value, list) and all(_is_word(each) for each in value):
            return [str(each) for each in value]
        raise self.error(f'"{key}" must be a list of texts', key)

    def object(self, key: str) -> dict[str, Any]:
        value = self.raw(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.error(f'"{key}" must be an object', key)
        return value

    def number(self, value: Any, key: str, what: str, most: int) -> int:
        """Parse a whole number from 1 to ``most``, possibly written as text."""
        try:
            number = 0 if isinstance(value, bool | float) else int(value)
        except (TypeError, ValueError):
            number = 0
        if not 0 < number <= most:
            raise self.error(f'{what} in "{key}" must be a number from 1 to {most}', key)
        return number


def _is_word(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


CONSOLES = {
    "integratedTerminal": Console.TERMINAL,
    "internalConsole": Console.INTERNAL,
    "externalTerminal": Console.EXTERNAL,
}


_SHELL = set("$`*?~<>|&;()#")


NOT_ASKED_YET = 1
"""Placeholder for the port or process id in a preview."""


PORTS = 65_535


PROCESSES = 2**31 - 1


def absolute(name: str, folder: Path | None) -> Path:
    """Return an absolute path; ``~`` is expanded."""
    return Path(os.path.abspath(Path(folder or ".", os.path.expanduser(name))))  # noqa: PTH111


def is_open(text: str) -> bool:
    """Whether it is an unanswered placeholder (``PlaceholderValues.is_preview``)."""
    return text.startswith("<")


def read_arguments(attributes: Attributes) -> list[str]:
    """Return the arguments; a text is split as by a shell, without expansions."""
    raw = attributes.raw("args")
    if not isinstance(raw, str):
        return attributes.texts("args")
    if attributes.given.is_preview and is_open(raw):
        return [raw]
    if not _SHELL.isdisjoint(raw):
        attributes.given.note('no shell reads "args": $NAME, *, < and the like stay as they are')
    try:
        return shlex.split(raw)
    except ValueError:
        raise attributes.error('a quote in "args" is not closed', "args") from None


def find_interpreter(name: str, folder: Path) -> str | None:
    """Find an interpreter by its path, by its environment's folder, or on the PATH."""
    expanded = os.path.expanduser(name)  # noqa: PTH111
    if "/" not in expanded and not (folder / expanded).is_dir():
        return shutil.which(expanded)
    path = Path(os.path.abspath(folder / expanded))
    if path.is_dir():
        path = path / "bin" / "python"
    return str(path) if os.access(path, os.X_OK) and path.is_file() else None


def read_variables(
    attributes: Attributes, key: str, table: dict[str, Any], found: dict[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Merge a table of variables into ``found``; return it and the removed names."""
    unset: list[str] = []
    for name, value in table.items():
        if not name or "=" in name:
            raise attributes.error(f'"{key}": {name!r} is no name of a variable', key)
        found.pop(name, None)
        if value is None:
            unset.append(name)
        elif isinstance(value, bool | list | dict):
            raise attributes.error(f'"{key}": {name} must be a text, or null to take it out', key)
        else:
            found[name] = str(value)
    return found, unset


def env_file(attributes: Attributes) -> Path | None:
    """Return the file of environment variables: ``envFile``, its setting, or ``.env``."""
    given = attributes.given
    if "envFile" in attributes:
        text = attributes.text("envFile")
        return absolute(text, given.folder) if text else None
    setting = find_setting(given.settings, "python.envFile")
    if isinstance(setting, str) and setting:
        text = setting.replace("${workspaceFolder}", str(given.folder))
        return absolute(text, given.folder)
    return given.folder / ".env"


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
    """Make the plan of a configuration; notes about ignored parts go to ``given.notes``.

    Raises ConfigurationError, and Unanswered with a question for the user.
    """
    kind = other_type(attributes.configuration.type)
    assert kind is not None  # type_obstacle has checked it
    _refuse(attributes, kind)
    options = _options(attributes, kind)
    if core := next((key for key in _CORES if key in attributes), ""):
        return _core(attributes, kind, core, options)
    if attributes.configuration.request == "attach":
        return _attach_native(attributes, kind, options)
    return _launch_native(attributes, kind, options, defaults)


def _refuse(attributes: Attributes, kind: OtherType) -> None:
    for key, why in kind.refused.items():
        if attributes.raw(key):
            raise attributes.error(f'"{key}" is not supported: {why}', key)
    if attributes.configuration.type == "cppdbg" and attributes.text("MIMode", "gdb") != "lldb":
        raise attributes.error(_GDB, "MIMode")


def _options(attributes: Attributes, kind: OtherType) -> dict[str, Any]:
    """Return the options for the adapter; unknown attributes are passed on and noted."""
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
    """Return the options that the adapter has under another name."""
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
    """Return pairs of folders: remote, local."""
    raw = attributes.raw(key)
    pairs = list(raw.items()) if isinstance(raw, dict) else raw
    found: list[list[str]] = []
    for pair in pairs if isinstance(pairs, list) else [None]:
        there, here = pair if isinstance(pair, list | tuple) and len(pair) == 2 else ("", None)
        if isinstance(here, dict):  # as in cppdbg
            here = here.get("editorPath")
        if not isinstance(there, str) or not isinstance(here, str):
            raise attributes.error(f'"{key}" must be pairs of folders: there, and here', key)
        found.append([there, str(absolute(here, attributes.given.folder))])
    return found


# Launch


def _launch_native(
    attributes: Attributes, kind: OtherType, options: dict[str, Any], defaults: Defaults
) -> LaunchPlan:
    given = attributes.given
    program = attributes.text("program", kind.program)
    if not program:
        raise attributes.error('it has no "program"', "")
    folder = absolute(attributes.text("cwd"), given.folder) if "cwd" in attributes else given.folder
    environment, unset = _native_environment(attributes)
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


def _native_environment(attributes: Attributes) -> tuple[dict[str, str], list[str]]:
    """Return the variables to add and to remove; some types have them as a list."""
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
    """Return variables as a table, also from ``["A=1"]`` or ``[{"name": "A", "value": "1"}]``."""
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


# Attach and core files


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


def _attach_native(attributes: Attributes, kind: OtherType, options: dict[str, Any]) -> AttachPlan:
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


class CodeNotWritten(Exception):
    """A failed write of the file; ``str()`` is a sentence without a full stop."""


def write_code(code: str) -> Path:
    """Write a program to a file, the same for the same text. Raises CodeNotWritten."""
    data = code.encode("utf-8", "surrogateescape")
    try:
        folder = user_folder("cache") / "code"
        file = folder / f"code-{hashlib.blake2b(data, digest_size=6).hexdigest()}.py"
        if file.exists() and read_file(file) == data:
            return file
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, prefix=".code")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(name).replace(file)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CodeNotWritten(
            f'"code" can\'t be written to a file: {error.strerror or error}'
        ) from None
    return file


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
    file: LaunchFile, configuration: Configuration, given: PlaceholderValues, defaults: Defaults
) -> Plan:
    """Make the plan of a configuration; notes about ignored parts go to ``given.notes``.

    Raises ConfigurationError, and Unanswered with a question for the user.
    """
    attributes = Attributes(file, configuration, given)
    if why := type_obstacle(configuration.type):
        raise attributes.error(why, "type")
    if configuration.request not in ("launch", "attach"):
        raise attributes.error('"request" must be "launch" or "attach"', "request")
    if configuration.type not in PYTHON_TYPES:
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
    """The switches of a configuration: its own, older forms, settings, then defaults."""

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
        """Return the output redirection; None: the console decides."""
        own = self._attributes.flag("redirectOutput")
        found = (own, self._options.get("redirectOutput"), defaults.redirect_output)
        return next((value for value in found if value is not None), None)

    def _library_setting(self) -> bool | None:
        libraries = self._attributes.flag("debugStdLib")
        if libraries is not None:
            return not libraries
        found = find_setting(self._attributes.given.settings, "debugpy.debugJustMyCode")
        return found if isinstance(found, bool) else None


# Launch


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
    """Return the working directory; None for the program's own folder."""
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
    """Return the interpreter and the arguments that follow it in ``python``."""
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
    """Return the variables to add and to remove."""
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
    """Remove variables that the environment or "env" sets otherwise, and note that."""
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


# Attach


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
    """Return host and port, or the process id; ``NOT_ASKED_YET`` before the question."""
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
    # For debugpy "." is the program's start folder; here it can only be the workspace's.
    return str(absolute(local, attributes.given.folder)), remote
