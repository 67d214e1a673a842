"""All attributes of a configuration in launch.json, and their treatment.

The schema is that of VS Code's Python debugger (type ``debugpy``, formerly ``python``), with the
attributes of all VS Code configurations, and those of debugpy itself and of older versions. No
attribute is ignored silently: ignored, refused and unknown ones are reported before the run.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple


class OtherType(NamedTuple):
    """A configuration type: its adapter and its attributes beside those of all types."""

    adapter: str
    used: frozenset[str]
    passed: frozenset[str] = frozenset()
    left_out: dict[str, str] = {}
    refused: dict[str, str] = {}
    is_open: bool = False
    """Whether it may have further, unknown attributes."""
    program: str = ""
    """The default program; "" where the configuration must name one."""
    has_ports: bool = True
    """Whether it can attach by a port, too."""
    no_attach: str = ""
    """Why it can't attach, in a sentence; "" where it can."""


_COMMON = frozenset(["program", "args", "cwd", "env", "envFile", "stopOnEntry", "console"])

_LLDB_COMMANDS = frozenset(
    [
        *("initCommands", "preRunCommands", "postRunCommands", "stopCommands", "exitCommands"),
        *("terminateCommands", "launchCommands", "attachCommands", "sourcePath", "debuggerRoot"),
        *("disableASLR", "disableSTDIO", "detachOnError", "timeout", "commandEscapePrefix"),
        *("enableAutoVariableSummaries", "displayExtendedBacktrace", "customFrameFormat"),
        *("enableSyntheticChildDebugging", "customThreadFormat", "waitFor", "shellExpandArguments"),
    ]
)
_TERMINAL = "the program has a terminal of tuidbg's; --console says otherwise"
_REMOTE = "tuidbg reaches programs of this machine by lldb; a server by `lldb-server` is not known"
_BUILD = "tuidbg builds nothing by cargo; build it before, and name the program"

_LLDB_DAP = OtherType(
    "lldb-dap",
    _COMMON | {"pid", "coreFile", "sourceMap"},
    _LLDB_COMMANDS,
    {
        "runInTerminal": _TERMINAL,
        "debugAdapterExecutable": "`tuidbg adapters` says which lldb-dap is taken",
        "debugAdapterExecutablePath": "`tuidbg adapters` says which lldb-dap is taken",
        "debugAdapterHostname": "tuidbg starts lldb-dap itself",
        "debugAdapterPort": "tuidbg starts lldb-dap itself",
        "debugAdapterArgs": "tuidbg starts lldb-dap itself",
    },
    {"gdb-remote-port": _REMOTE, "gdb-remote-hostname": _REMOTE},
    has_ports=False,
)
_CODELLDB = OtherType(
    "lldb-dap",
    _COMMON | {"pid", "coreFile", "sourceMap", "terminal", "processCreateCommands"},
    _LLDB_COMMANDS,
    {
        "targetCreateCommands": "lldb-dap makes the target itself",
        "expressions": "expressions are lldb's own",
        "sourceLanguages": "lldb knows the language itself",
        "relativePathBase": "lldb-dap takes paths as written; sourceMap changes them",
        "breakpointMode": "breakpoints are those of the path",
    },
    {"cargo": _BUILD},
    has_ports=False,
)
_CPPDBG = OtherType(
    "lldb-dap",
    frozenset(
        [
            *("program", "args", "cwd", "environment", "envFile", "stopAtEntry", "processId"),
            *("coreDumpPath", "sourceFileMap", "MIMode", "externalConsole"),
        ]
    ),
    frozenset(),
    {
        "setupCommands": "they are gdb's; initCommands are lldb's",
        "postRemoteConnectCommands": "they are gdb's; initCommands are lldb's",
        "customLaunchSetupCommands": "they are gdb's; initCommands are lldb's",
        "launchCompleteCommand": "lldb-dap runs the program itself",
        "miDebuggerPath": "`tuidbg adapters` says which lldb-dap is taken",
        "miDebuggerArgs": "lldb-dap takes none of them",
        "visualizerFile": "lldb shows values by its own formatters",
        "showDisplayString": "lldb shows values by its own formatters",
        "logging": "--dap-log FILE logs the messages to the adapter",
        "additionalSOLibSearchPath": "lldb finds symbols itself",
        "symbolLoadInfo": "lldb finds symbols itself",
        "symbolSearchPath": "lldb finds symbols itself",
        "avoidWindowsConsoleRedirection": "this is no Windows",
        "internalConsoleOptions": "it is about the windows of VS Code",
        "filterStdout": "lldb-dap is ready when it says so",
        "filterStderr": "lldb-dap is ready when it says so",
        "serverLaunchTimeout": "tuidbg has a patience of its own",
    },
    {
        "pipeTransport": _REMOTE,
        "miDebuggerServerAddress": _REMOTE,
        "debugServerPath": _REMOTE,
    },
    has_ports=False,
)
_GO = OtherType(
    "dlv",
    _COMMON | {"mode", "processId", "host", "port", "coreFilePath"},
    frozenset(
        [
            *("buildFlags", "output", "backend", "substitutePath", "stackTraceDepth", "init"),
            *("showGlobalVariables", "showRegisters", "hideSystemGoroutines", "traceDirPath"),
            *("showPprofLabels", "goroutineFilters", "followExec", "followExecRegex"),
        ]
    ),
    {
        "dlvFlags": "tuidbg starts Delve itself",
        "dlvToolPath": "`tuidbg adapters` says which dlv is taken",
        "debugAdapter": "tuidbg speaks `dlv dap`",
        "apiVersion": "tuidbg speaks `dlv dap`",
        "dlvLoadConfig": "values are fetched as they are looked at",
        "showLog": "--dap-log FILE logs the messages to Delve",
        "logOutput": "--dap-log FILE logs the messages to Delve",
        "logDest": "--dap-log FILE logs the messages to Delve",
        "trace": "--dap-log FILE logs the messages to Delve",
        "buildTags": '"buildFlags": "-tags=..." says it',
    },
    {"asRoot": "start tuidbg itself with sudo where that is wanted"},
    program=".",
)
_NODE = OtherType(
    "js-debug",
    _COMMON | {"runtimeExecutable", "runtimeArgs"},
    frozenset(
        [
            *("runtimeVersion", "skipFiles", "smartStep", "sourceMaps", "outFiles", "timeout"),
            *("resolveSourceMapLocations", "sourceMapPathOverrides", "pauseForSourceMap"),
            *("autoAttachChildProcesses", "attachSimplePort", "localRoot", "remoteRoot"),
            *("enableContentValidation", "profileStartup", "nodeVersionHint", "killBehavior"),
            *(
                "showAsyncStacks",
                "outputCapture",
                "customDescriptionGenerator",
                "cascadeTerminateToConfigurations",
            ),
        ]
    ),
    {
        "trace": "--dap-log FILE logs the messages to js-debug",
        "restart": "R restarts, and keeps everything",
        "protocol": "there is one protocol only today",
    },
    {"noDebug": "run the program without tuidbg"},
    no_attach="tuidbg starts Node's programs; it can't attach to one",
)

OTHER_TYPES: dict[str, OtherType] = {
    "lldb-dap": _LLDB_DAP,
    "lldb-vscode": _LLDB_DAP,
    "lldb": _CODELLDB,
    "codelldb": _CODELLDB,
    "cppdbg": _CPPDBG,
    "go": _GO,
    "node": _NODE,
    "pwa-node": _NODE,
}
"""Other types, by their names in configurations."""


def other_type(kind: str) -> OtherType | None:
    """Find a type by name; the user's own adapters are types by their names (``config.toml``)."""
    if kind in OTHER_TYPES:
        return OTHER_TYPES[kind]
    from tuidbg.config.user_config import config_folder, load_user_config

    if kind not in load_user_config(config_folder()).adapters:
        return None
    return OtherType(kind, _COMMON | {"pid", "processId", "host", "port"}, is_open=True)


class Treatment(Enum):
    """The treatment of an attribute."""

    USED = "used"
    LEFT_OUT = "left out"
    WINDOWS = "left out: it is about the windows of VS Code"
    TASK = "left out: tuidbg runs no tasks"
    REFUSED = "refused"


class Attribute(NamedTuple):
    """One attribute. ``why`` is for ignored ones, and for differences to VS Code.

    An attribute at its ``default`` has no effect and is not reported. Tasks are reported with their
    commands (``workspace.py``).
    """

    treatment: Treatment
    why: str = ""
    default: Any = False


_USED = Attribute(Treatment.USED)
_WINDOWS = Attribute(Treatment.WINDOWS)
_TASK = Attribute(Treatment.TASK)


def _left_out(why: str, default: Any = False) -> Attribute:
    return Attribute(Treatment.LEFT_OUT, why, default)


def _refused(why: str) -> Attribute:
    return Attribute(Treatment.REFUSED, why)


_EVERYWHERE: dict[str, Attribute] = {
    "name": _USED,
    "type": _USED,
    "request": _USED,
    "presentation": _USED,
    "linux": _USED,
    "osx": _USED,
    "windows": _USED,
    "preLaunchTask": _TASK,
    "postDebugTask": _TASK,
    "serverReadyAction": _left_out("tuidbg opens no browser", None),
    "internalConsoleOptions": _WINDOWS,
    "suppressMultipleSessionWarning": _WINDOWS,
    "consoleName": _WINDOWS,
    "consoleTitle": _WINDOWS,
    "debugServer": _left_out("tuidbg starts debugpy itself", None),
    "debugAdapterPath": _left_out("tuidbg has a debugpy of its own", ""),
    "debugLauncherPath": _left_out("tuidbg has a debugpy of its own", ""),
    "debugLauncherPython": _left_out("tuidbg has a debugpy of its own", ""),
    "justMyCode": _USED,
    "debugStdLib": _USED,
    "debugOptions": _USED,
    "django": _USED,
    "jinja": _USED,
    "flask": _USED,
    "pyramid": _USED,
    "pathMappings": _USED,
    "redirectOutput": _USED,
    "subProcess": _USED,
    "cwd": _USED,
    "logToFile": _left_out("--dap-log FILE logs the messages to debugpy"),
    "showReturnValue": _left_out("return values are always shown", True),
    "variablePresentation": _left_out("tuidbg has an order of its own", None),
    "rules": _left_out("L includes and passes over libraries", None),
    "steppingResumesAllThreads": _left_out("O steps one thread or all", True),
    "maxExceptionStackFrames": _left_out("tuidbg fetches frames as they are looked at", None),
    "breakOnSystemExitZero": _left_out("SystemExit can be chosen with x"),
    "stopAll": _left_out("only compounds have it"),
}

_LAUNCH: dict[str, Attribute] = {
    "program": _USED,
    "module": _USED,
    "code": _USED,
    "args": _USED,
    "env": _USED,
    "envFile": _USED,
    "console": _USED,
    "python": _USED,
    "pythonPath": _USED,
    "pythonArgs": _USED,
    "stopOnEntry": _USED,
    "gevent": _USED,
    "record": _USED,
    "purpose": _USED,
    "autoReload": _left_out("R restarts, and keeps everything", None),
    "autoStartBrowser": _left_out("tuidbg opens no browser"),
    "guiEventLoop": _left_out("the console runs no event loop of a GUI", "matplotlib"),
    "onTerminate": _left_out("tuidbg ends the program itself", ""),
    "sudo": _refused("start tuidbg itself with sudo where that is wanted"),
    "noDebug": _refused("run the program without tuidbg"),
}

_ATTACH: dict[str, Attribute] = {
    "connect": _USED,
    "host": _USED,
    "port": _USED,
    "listen": _USED,
    "processId": _USED,
    "localRoot": _USED,
    "remoteRoot": _USED,
    "restart": _USED,
    "timeout": _left_out("tuidbg has a patience of its own", None),
    "debugpyArgs": _left_out("tuidbg has none for debugpy", None),
    "linuxAttachPreferLldb": _left_out("debugpy takes gdb"),
    "subProcessId": _refused("debugpy itself sets it for children"),
}

_OF_PYTHON = (
    *("consoleName", "consoleTitle", "debugServer", "debugAdapterPath", "debugLauncherPath"),
    *("debugLauncherPython", "justMyCode", "debugStdLib", "debugOptions", "django", "jinja"),
    *("flask", "pyramid", "pathMappings", "redirectOutput", "subProcess", "cwd", "logToFile"),
    *("showReturnValue", "variablePresentation", "rules", "steppingResumesAllThreads"),
    *("maxExceptionStackFrames", "breakOnSystemExitZero"),
)
"""The attributes that only Python configurations have."""

_BY_REQUEST = {"launch": _LAUNCH, "attach": _ATTACH}


def every_attribute() -> frozenset[str]:
    """Return the attributes of all types."""
    return frozenset(name for name in _EVERYWHERE if name not in _OF_PYTHON)


def notes_on_common(attributes: Mapping[str, Any]) -> Iterator[str]:
    """Yield the notes on attributes of all types, as ``notes_on``."""
    common = every_attribute()
    known = {name: value for name, value in attributes.items() if name in common}
    yield from notes_on("launch", known)


def known_attributes(request: str) -> Mapping[str, Attribute]:
    """Return the attributes of ``launch`` or ``attach`` configurations."""
    return {**_EVERYWHERE, **_BY_REQUEST[request]}


def notes_on(request: str, attributes: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence without a full stop for each ignored attribute."""
    known = known_attributes(request)
    windows = [name for name in attributes if name in known and known[name] == _WINDOWS]
    if windows:
        yield f"left out, as they are about windows of VS Code: {', '.join(windows)}"
    for name, value in attributes.items():
        attribute = known.get(name)
        if attribute is None:
            yield _unknown(name, request, known)
        elif attribute.treatment is Treatment.LEFT_OUT and not _says_nothing(value, attribute):
            yield f'"{name}" is left out: {attribute.why}'


def refusals_of(request: str, attributes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each unsupported attribute that prevents the run, with the reason."""
    known = known_attributes(request)
    for name, value in attributes.items():
        attribute = known.get(name)
        if attribute is not None and attribute.treatment is Treatment.REFUSED and value:
            yield name, f'"{name}" is not supported: {attribute.why}'


def _says_nothing(value: Any, attribute: Attribute) -> bool:
    return value == attribute.default or value in (None, "", [], {})


def _unknown(name: str, request: str, known: Iterable[str]) -> str:
    other = "attach" if request == "launch" else "launch"
    if name in _BY_REQUEST[other]:
        return f'"{name}" is left out: only configurations that {other} have it'
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
    meant = f'; is it "{near[0]}"?' if near else ""
    return f'"{name}" is left out: tuidbg doesn\'t know it{meant}'


# Types


_NOT_YET = {
    "swift-lldb": "Swift",
    "cppvsdbg": "C and C++ on Windows",
    "gdb": "C and C++",
    "node-terminal": "JavaScript",
    "chrome": "JavaScript in a browser",
    "pwa-chrome": "JavaScript in a browser",
    "msedge": "JavaScript in a browser",
    "pwa-msedge": "JavaScript in a browser",
    "bashdb": "shell scripts",
    "rdbg": "Ruby",
    "ruby": "Ruby",
    "java": "Java",
    "coreclr": ".NET",
}

PYTHON_TYPES = ("debugpy", "python")


def type_obstacle(kind: str) -> str:
    """Return why configurations of a type can't be run; empty if they can."""
    if kind in PYTHON_TYPES:
        return ""
    if not kind:
        return 'it has no "type"'
    if other_type(kind) is not None:
        return ""
    if kind in _NOT_YET:
        return f'"{kind}" is for {_NOT_YET[kind]}, which tuidbg can\'t debug yet'
    near = difflib.get_close_matches(kind, (*PYTHON_TYPES, *OTHER_TYPES), n=1)
    meant = f'; is it "{near[0]}"?' if near else ""
    return f'tuidbg has no debugger for the type "{kind}"{meant}'
