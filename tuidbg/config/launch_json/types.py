"""Lists what configurations of launch.json for other languages than Python may hold.

The types are those of VS Code's debuggers for native code, Go and JavaScript. Each comes down to an
adapter of ours: an attribute is used, handed on to the adapter, left out or refused with a
sentence. One that stands nowhere here is handed on as well, and told.
"""

from __future__ import annotations

from typing import NamedTuple


class OtherType(NamedTuple):
    """One type: its adapter and its attributes besides those that all types have."""

    adapter: str
    used: frozenset[str]
    passed: frozenset[str] = frozenset()
    left_out: dict[str, str] = {}
    refused: dict[str, str] = {}
    is_open: bool = False
    """Tells whether nobody here knows what it may hold."""
    program: str = ""
    """The program where the configuration names none; "" where it must."""
    has_ports: bool = True
    """True if it attaches by a port as well."""
    no_attach: str = ""
    """Why it attaches to nothing, in a sentence; "" where it does."""


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
        "relativePathBase": "lldb-dap takes paths as they stand; sourceMap changes them",
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
        "logging": "--dap-log FILE writes what is said to the adapter",
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
        "showLog": "--dap-log FILE writes what is said to Delve",
        "logOutput": "--dap-log FILE writes what is said to Delve",
        "logDest": "--dap-log FILE writes what is said to Delve",
        "trace": "--dap-log FILE writes what is said to Delve",
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
        "trace": "--dap-log FILE writes what is said to js-debug",
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
"""By the names that configurations give them."""


def other_type(kind: str) -> OtherType | None:
    """The type of that name; a person's own adapters are types by their names (``config.toml``)."""
    if kind in OTHER_TYPES:
        return OTHER_TYPES[kind]
    from tuidbg.config.user_config import config_folder, load_user_config

    if kind not in load_user_config(config_folder()).adapters:
        return None
    return OtherType(kind, _COMMON | {"pid", "processId", "host", "port"}, is_open=True)
