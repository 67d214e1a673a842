"""launch.json for other languages: each type comes to the plan of its adapter, or says why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tuidbg.config.launch import AttachPlan, Console, LaunchPlan, Plan
from tuidbg.config.launch_json.workspace import ConfigurationError, Prepared, Workspace


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "shop"
    (project / ".vscode").mkdir(parents=True)
    (project / "build").mkdir()
    (project / "build" / "app").write_bytes(b"\x7fELF")
    (project / "app.js").touch()
    (project / "main.go").touch()
    (project / "count.lua").touch()
    (project / "core.1").touch()
    (project / "my.env").write_text("A=1\nB=2\n")
    monkeypatch.chdir(project)
    for kind in ("DATA", "CACHE", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    return project


def prepare(folder: Path, attributes: str) -> Prepared:
    path = folder / ".vscode" / "launch.json"
    path.write_text(f'{{"configurations": [{{"name": "A", {attributes}}}]}}', encoding="utf-8")
    return Workspace.read(path, cwd=folder, interpreter="/py").prepare("A", {})


def plan_of(folder: Path, attributes: str) -> Plan:
    (plan,) = prepare(folder, attributes).plans
    return plan


APP = '"request": "launch", "program": "${workspaceFolder}/build/app"'

LAUNCHED = {
    "lldb-dap": (
        f'"type": "lldb-dap", {APP}, "args": ["a b"], "env": ["X=1"], "stopOnEntry": true,'
        '"sourceMap": [["/src", "build"]], "initCommands": ["settings list"]',
        {
            "args": ("a b",),
            "env": {"X": "1"},
            "stop_on_entry": True,
            "options": {
                "initCommands": ["settings list"],
                "sourceMap": [["/src", "{folder}/build"]],
            },
        },
    ),
    "CodeLLDB": (
        f'"type": "lldb", {APP}, "env": {{"A": "9", "B": null}}, "envFile": "my.env",'
        '"sourceMap": {"/src": "${workspaceFolder}"}, "terminal": "console"',
        {
            "env": {"A": "9"},
            "unset": ("B",),
            "console": Console.INTERNAL,
            "options": {"sourceMap": [["/src", "{folder}"]]},
        },
    ),
    "cppdbg": (
        f'"type": "cppdbg", {APP}, "MIMode": "lldb", "stopAtEntry": true, "externalConsole": true,'
        '"environment": [{"name": "X", "value": "1"}],'
        '"sourceFileMap": {"/src": {"editorPath": "build", "useForBreakpoints": true}}',
        {
            "env": {"X": "1"},
            "stop_on_entry": True,
            "console": Console.EXTERNAL,
            "options": {"sourceMap": [["/src", "{folder}/build"]]},
        },
    ),
    "go": (
        '"type": "go", "request": "launch", "mode": "test", "program": "${workspaceFolder}",'
        '"args": ["-test.v"], "buildFlags": "-tags=x", "cwd": "build"',
        {
            "target": "{folder}",
            "args": ("-test.v",),
            "cwd": "{folder}/build",
            "adapter": "dlv",
            "options": {"mode": "test", "buildFlags": "-tags=x"},
        },
    ),
    "node": (
        '"type": "node", "request": "launch", "program": "app.js", "runtimeArgs": ["--inspect"],'
        '"skipFiles": ["<node_internals>/**"], "console": "integratedTerminal"',
        {
            "target": "{folder}/app.js",
            "adapter": "js-debug",
            "options": {"runtimeArgs": ["--inspect"], "skipFiles": ["<node_internals>/**"]},
        },
    ),
}


def filled(value: Any, folder: Path) -> Any:
    """With the workspace's folder in its place."""
    if isinstance(value, dict):
        return {key: filled(each, folder) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, folder) for each in value]
    return value.replace("{folder}", str(folder)) if isinstance(value, str) else value


@pytest.mark.parametrize("name", LAUNCHED)
def test_what_is_launched(folder: Path, name: str) -> None:
    attributes, wanted = LAUNCHED[name]
    plan = plan_of(folder, attributes)
    assert isinstance(plan, LaunchPlan)
    usual = {
        "target": str(folder / "build" / "app"),
        "args": (),
        "cwd": str(folder),
        "env": {},
        "unset": (),
        "stop_on_entry": False,
        "console": Console.TERMINAL,
        "adapter": "lldb-dap",
        "options": {},
    }
    found = {key: getattr(plan, key) for key in usual}
    assert found == {**usual, **filled(wanted, folder)}
    assert prepare(folder, attributes).notes == ()


ATTACHED = {
    '"type": "lldb-dap", "request": "attach", "pid": 77': {"pid": 77, "adapter": "lldb-dap"},
    '"type": "lldb", "request": "attach", "pid": "77"': {"pid": 77, "adapter": "lldb-dap"},
    '"type": "cppdbg", "MIMode": "lldb", "request": "attach", "processId": "77"': {"pid": 77},
    '"type": "go", "request": "attach", "mode": "local", "processId": 77': {
        "pid": 77,
        "adapter": "dlv",
        "options": {"mode": "local"},
    },
    '"type": "go", "request": "attach", "mode": "remote", "host": "h", "port": 2345': {
        "host": "h",
        "port": 2345,
        "adapter": "dlv",
        "options": {"mode": "remote"},
    },
    '"type": "lldb-dap", "request": "attach", "coreFile": "core.1", "program": "build/app"': {
        "core": "{folder}/core.1",
        "program": "{folder}/build/app",
        "adapter": "lldb-dap",
    },
    f'"type": "cppdbg", "MIMode": "lldb", {APP}, "coreDumpPath": "core.1"': {
        "core": "{folder}/core.1"
    },
}


@pytest.mark.parametrize(("attributes", "wanted"), ATTACHED.items())
def test_what_is_attached_to(folder: Path, attributes: str, wanted: dict[str, Any]) -> None:
    plan = plan_of(folder, attributes)
    assert isinstance(plan, AttachPlan)
    assert {key: getattr(plan, key) for key in wanted} == filled(wanted, folder)


REFUSED = {
    f'"type": "cppdbg", {APP}, "MIMode": "gdb"': 'its "MIMode" is gdb, which tuidbg has no',
    f'"type": "cppdbg", {APP}': 'with "MIMode": "lldb" the program is debugged by lldb-dap',
    f'"type": "cppdbg", {APP}, "MIMode": "lldb", "miDebuggerServerAddress": "h:1"': "not supported",
    '"type": "lldb", "request": "launch", "cargo": {"args": ["build"]}': "builds nothing by cargo",
    '"type": "lldb", "request": "launch"': 'it has no "program"',
    '"type": "lldb", "request": "attach"': "names no process",
    f'"type": "lldb", {APP}, "sourceMap": 3': "must be pairs of folders",
    f'"type": "lldb", {APP}, "env": [3]': '"env" must be a table, or a list of NAME=VALUE',
    f'"type": "lldb", {APP}, "terminal": "x"': '"terminal" must be one of integrated, external',
    '"type": "node", "request": "attach", "port": 9229': "it can't attach to one",
    '"type": "lua", "request": "launch"': 'tuidbg has no debugger for the type "lua"',
    '"type": "lldbb", "request": "launch"': 'is it "lldb"?',
}


@pytest.mark.parametrize(("attributes", "why"), REFUSED.items())
def test_what_can_not_be_run_is_refused_in_words(folder: Path, attributes: str, why: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        prepare(folder, attributes)
    assert why in str(raised.value) and "launch.json:1: " in str(raised.value)


NOTED = {
    f'"type": "lldb", {APP}, "zzz": 1': '"zzz" goes to lldb-dap as it is',
    f'"type": "lldb", {APP}, "initCommand": []': 'as it is; is it "initCommands"?',
    f'"type": "lldb", {APP}, "expressions": "simple"': '"expressions" is left out: expressions are',
    f'"type": "lldb", {APP}, "preLaunchTask": "make"': "is not run; run",
    f'"type": "lldb", {APP}, "internalConsoleOptions": "x"': "they are about windows of VS Code",
    f'"type": "lldb", {APP}, "justMyCode": true': '"justMyCode" goes to lldb-dap as it is',
    f'"type": "cppdbg", {APP}, "MIMode": "lldb", "setupCommands": [{{}}]': "they are gdb's",
    '"type": "go", "request": "launch", "dlvFlags": ["--x"]': "tuidbg starts Delve itself",
}


@pytest.mark.parametrize(("attributes", "told"), NOTED.items())
def test_nothing_is_left_out_silently(folder: Path, attributes: str, told: str) -> None:
    prepared = prepare(folder, attributes)
    assert any(told in note for note in prepared.notes), prepared.notes


def test_unknown_attributes_reach_the_adapter(folder: Path) -> None:
    plan = plan_of(folder, f'"type": "lldb", {APP}, "zzz": {{"a": "${{workspaceFolder}}"}}')
    assert plan.options == {"zzz": {"a": str(folder)}}


def test_an_adapter_of_ones_own_is_a_type(folder: Path) -> None:
    config = folder.parent / "config" / "tuidbg"
    config.mkdir(parents=True)
    (config / "config.toml").write_text('[adapters.lua]\ncommand = ["lua-dap"]\n')
    plan = plan_of(
        folder, '"type": "lua", "request": "launch", "program": "count.lua", "luaVersion": "5.4"'
    )
    assert (plan.adapter, plan.target) == ("lua", str(folder / "count.lua"))
    assert plan.options == {"luaVersion": "5.4"}
