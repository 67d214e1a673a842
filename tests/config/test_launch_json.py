"""launch.json after its documented forms: each configuration, and the plan it comes to.

The forms are those of VS Code's documentation of launch.json (variables, inputs, compounds,
sections per system), of its Python debugger (the attributes) and of debugpy.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tuidbg.config.launch import AttachPlan, Console, LaunchPlan, Plan, TargetKind
from tuidbg.config.launch_json.jsonc import JsoncError
from tuidbg.config.launch_json.trust import Trust
from tuidbg.config.launch_json.variables import Unanswered, VariableQuestion
from tuidbg.config.launch_json.workspace import (
    ConfigurationError,
    NoSuchConfiguration,
    Prepared,
    Workspace,
)
from tuidbg.config.user_config import Defaults

INTERPRETER = "/usr/bin/the-python"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace, with what the configurations below speak of."""
    project = tmp_path / "shop"
    (project / ".vscode").mkdir(parents=True)
    (project / "src").mkdir()
    (project / "app.py").write_text("print(1)\n")
    (project / "src" / "main.py").write_text("print(2)\n")
    (project / "venv" / "bin").mkdir(parents=True)
    (project / "venv" / "bin" / "python").symlink_to(sys.executable)
    (project / ".env").write_text("FROM_DOT_ENV=1\n")
    (project / "dev.env").write_text("export A=1\nB='two words'\nC=${A}${HOME_OF_TEST}\n")
    (project / "bad.env").write_text("A=1\nno sense\n")
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("HOME_OF_TEST", "/there")
    monkeypatch.setenv("PORT", "8000")
    monkeypatch.delenv("NOT_SET", raising=False)
    for kind in ("DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    return project


def workspace(folder: Path, text: str, **options: Any) -> Workspace:
    path = folder / ".vscode" / "launch.json"
    path.write_text(text, encoding="utf-8")
    return Workspace.read(path, cwd=folder, interpreter=INTERPRETER, **options)


def of_one(folder: Path, attributes: str, *, rest: str = "", **options: Any) -> Workspace:
    """A file with one configuration, ``A``; ``rest`` stands beside the list."""
    text = f'{{"version": "0.2.0", "configurations": [{{"name": "A", {attributes}}}]{rest}}}'
    return workspace(folder, text, **options)


def prepare(space: Workspace, name: str = "A", **answers: str) -> Prepared:
    return space.prepare(name, {key.replace("__", ":"): value for key, value in answers.items()})


def only(prepared: Prepared) -> Plan:
    (plan,) = prepared.plans
    return plan


def launched(folder: Path, **changes: Any) -> LaunchPlan:
    """The plan of ``"program": "app.py"`` and nothing else, with changes."""
    plan = LaunchPlan(
        kind=TargetKind.SCRIPT,
        target=str(folder / "app.py"),
        cwd=str(folder),
        python=INTERPRETER,
        stop_on_entry=False,
        env={"FROM_DOT_ENV": "1"},
    )
    return msgspec.structs.replace(plan, **changes)


LAUNCH = '"type": "debugpy", "request": "launch"'
PROGRAM = f'{LAUNCH}, "program": "${{workspaceFolder}}/app.py"'
DOT = {"FROM_DOT_ENV": "1"}

LAUNCHED: dict[str, tuple[str, dict[str, Any]]] = {
    "program": (PROGRAM, {}),
    "the old type": (PROGRAM.replace("debugpy", "python"), {}),
    "a relative program": (f'{LAUNCH}, "program": "app.py"', {}),
    "a program below the cwd": (
        f'{LAUNCH}, "program": "main.py", "cwd": "${{workspaceFolder}}/src"',
        {"target": "{folder}/src/main.py", "cwd": "{folder}/src"},
    ),
    "a relative cwd": (f'{PROGRAM}, "cwd": "src"', {"cwd": "{folder}/src"}),
    "an empty cwd is the program's folder": (
        f'{LAUNCH}, "program": "src/main.py", "cwd": ""',
        {"target": "{folder}/src/main.py", "cwd": "{folder}/src"},
    ),
    "a module": (
        f'{LAUNCH}, "module": "flask", "args": ["run", "--no-debugger"]',
        {"kind": TargetKind.MODULE, "target": "flask", "args": ("run", "--no-debugger")},
    ),
    "args as a list": (
        f'{PROGRAM}, "args": ["--port", "1 2", 3]',
        {"args": ("--port", "1 2", "3")},
    ),
    "args as a text": (
        f'{PROGRAM}, "args": "--port ${{env:PORT}} \'a b\'"',
        {"args": ("--port", "8000", "a b")},
    ),
    "env": (f'{PROGRAM}, "env": {{"X": "1", "N": 2}}', {"env": {**DOT, "X": "1", "N": "2"}}),
    "env with null": (f'{PROGRAM}, "env": {{"LANG": null}}', {"unset": ("LANG",)}),
    "null takes out what the file has": (
        f'{PROGRAM}, "env": {{"FROM_DOT_ENV": null}}',
        {"env": {}, "unset": ("FROM_DOT_ENV",)},
    ),
    "envFile": (
        f'{PROGRAM}, "envFile": "${{workspaceFolder}}/dev.env"',
        {"env": {"A": "1", "B": "two words", "C": "1/there"}},
    ),
    "env goes over envFile": (
        f'{PROGRAM}, "envFile": "dev.env", "env": {{"A": "9"}}',
        {"env": {"B": "two words", "C": "1/there", "A": "9"}},
    ),
    "no envFile": (f'{PROGRAM}, "envFile": ""', {"env": {}}),
    "python": (
        f'{PROGRAM}, "python": "${{workspaceFolder}}/venv/bin/python"',
        {"python": "{folder}/venv/bin/python"},
    ),
    "the folder of an environment": (
        f'{PROGRAM}, "python": "venv"',
        {"python": "{folder}/venv/bin/python"},
    ),
    "the old pythonPath": (
        f'{PROGRAM}, "pythonPath": "venv/bin/python"',
        {"python": "{folder}/venv/bin/python"},
    ),
    "python as VS Code writes it": (
        f'{PROGRAM}, "python": "${{command:python.interpreterPath}}"',
        {},
    ),
    "python as a list": (
        f'{PROGRAM}, "python": ["venv/bin/python", "-E"], "pythonArgs": ["-X", "dev"]',
        {"python": "{folder}/venv/bin/python", "python_args": ("-E", "-X", "dev")},
    ),
    "pythonArgs": (f'{PROGRAM}, "pythonArgs": ["-W", "error"]', {"python_args": ("-W", "error")}),
    "stopOnEntry": (f'{PROGRAM}, "stopOnEntry": true', {"stop_on_entry": True}),
    "justMyCode": (f'{PROGRAM}, "justMyCode": false', {"just_my_code": False}),
    "the older debugStdLib": (f'{PROGRAM}, "debugStdLib": true', {"just_my_code": False}),
    "subProcess": (f'{PROGRAM}, "subProcess": false', {"sub_process": False}),
    "django": (f'{PROGRAM}, "django": true', {"django": True}),
    "jinja": (f'{PROGRAM}, "jinja": true', {"jinja": True}),
    "jinja is null": (f'{PROGRAM}, "jinja": null', {}),
    "flask": (f'{PROGRAM}, "flask": true', {"jinja": True}),
    "pyramid": (f'{PROGRAM}, "pyramid": true', {"jinja": True}),
    "gevent": (f'{PROGRAM}, "gevent": true', {"env": {**DOT, "GEVENT_SUPPORT": "True"}}),
    "record": (f'{PROGRAM}, "record": true', {"record": True}),
    "redirectOutput": (f'{PROGRAM}, "redirectOutput": true', {"redirect_output": True}),
    "no redirectOutput": (f'{PROGRAM}, "redirectOutput": false', {"redirect_output": False}),
    "integratedTerminal": (f'{PROGRAM}, "console": "integratedTerminal"', {}),
    "internalConsole": (f'{PROGRAM}, "console": "internalConsole"', {"console": Console.INTERNAL}),
    "externalTerminal": (
        f'{PROGRAM}, "console": "externalTerminal"',
        {"console": Console.EXTERNAL},
    ),
    "pathMappings": (
        f'{PROGRAM}, "pathMappings":'
        ' [{"localRoot": "${workspaceFolder}", "remoteRoot": "/srv"}]',
        {"path_mappings": {"{folder}": "/srv"}},
    ),
    "the older debugOptions": (
        f'{PROGRAM}, "debugOptions": ["RedirectOutput", "Jinja", "DebugStdLib", "StopOnEntry"]',
        {"redirect_output": True, "jinja": True, "just_my_code": False, "stop_on_entry": True},
    ),
    "an own switch goes over debugOptions": (
        f'{PROGRAM}, "debugOptions": ["DebugStdLib"], "justMyCode": true',
        {},
    ),
    "purpose": (f'{PROGRAM}, "purpose": ["debug-in-terminal"]', {}),
    "linux": (f'{PROGRAM}, "linux": {{"args": ["l"]}}, "osx": {{"args": ["o"]}}', {"args": ("l",)}),
    "windows is not here": (f'{PROGRAM}, "windows": {{"program": "x.exe"}}', {}),
    "a section goes over the rest": (
        f'{PROGRAM}, "env": {{"A": "1"}}, "linux": {{"env": {{"B": "2"}}}}',
        {"env": {**DOT, "B": "2"}},
    ),
    "comments and trailing commas": (
        f'// the program\n{PROGRAM}, /* what it gets */ "args": ["a", /* b */ "//c",],',
        {"args": ("a", "//c")},
    ),
}


@pytest.mark.skipif(sys.platform != "linux", reason="the sections are those of Linux")
@pytest.mark.parametrize(("attributes", "changes"), LAUNCHED.values(), ids=LAUNCHED)
def test_launch(folder: Path, attributes: str, changes: dict[str, Any]) -> None:
    found = only(prepare(of_one(folder, attributes)))
    assert found == launched(folder, **_placed(changes, folder))


def _placed(value: Any, folder: Path) -> Any:
    if isinstance(value, str):
        return value.replace("{folder}", str(folder)) if not isinstance(value, Console) else value
    if isinstance(value, dict):
        return {_placed(key, folder): _placed(each, folder) for key, each in value.items()}
    return value


ATTACH = '"type": "debugpy", "request": "attach"'

ATTACHED: dict[str, tuple[str, dict[str, Any]]] = {
    "connect": (
        '"connect": {"host": "db.example", "port": 5678}',
        {"host": "db.example", "port": 5678},
    ),
    "connect without a host": ('"connect": {"port": 5678}', {"port": 5678}),
    "a port as a text": ('"connect": {"port": "${env:PORT}"}', {"port": 8000}),
    "the older host and port": ('"host": "there", "port": 5678', {"host": "there", "port": 5678}),
    "listen": (
        '"listen": {"host": "0.0.0.0", "port": 5678}',
        {"host": "0.0.0.0", "port": 5678, "listen": True},
    ),
    "processId": ('"processId": 4711', {"pid": 4711}),
    "processId as a text": ('"processId": "4711"', {"pid": 4711}),
    "pathMappings": (
        '"connect": {"port": 1234},'
        ' "pathMappings": [{"localRoot": "src", "remoteRoot": "/app"},'
        ' {"localRoot": "/lib", "remoteRoot": "/usr/lib"}]',
        {"port": 1234, "path_mappings": {"{folder}/src": "/app", "/lib": "/usr/lib"}},
    ),
    "the older localRoot and remoteRoot": (
        '"port": 1234, "localRoot": "${workspaceFolder}", "remoteRoot": "/app"',
        {"port": 1234, "path_mappings": {"{folder}": "/app"}},
    ),
    "switches": (
        '"connect": {"port": 1234}, "justMyCode": false, "subProcess": false, "django": true,'
        ' "jinja": true, "redirectOutput": false',
        {
            "port": 1234,
            "just_my_code": False,
            "sub_process": False,
            "django": True,
            "jinja": True,
            "redirect_output": False,
        },
    ),
    "restart": ('"connect": {"port": 1234}, "restart": true', {"port": 1234, "reconnect": True}),
}


@pytest.mark.parametrize(("attributes", "changes"), ATTACHED.values(), ids=ATTACHED)
def test_attach(folder: Path, attributes: str, changes: dict[str, Any]) -> None:
    fields = {"host": "127.0.0.1", **_placed(changes, folder)}
    wanted = AttachPlan(cwd=str(folder), python=INTERPRETER, **fields)
    assert only(prepare(of_one(folder, f"{ATTACH}, {attributes}"))) == wanted


# Variables

VARIABLES = {
    "${workspaceFolder}": "{folder}",
    "${workspaceRoot}": "{folder}",
    "${workspaceFolderBasename}": "shop",
    "${workspaceFolder:shop}": "{folder}",
    "${file}": "{folder}/src/cart.test.py",
    "${fileWorkspaceFolder}": "{folder}",
    "${fileWorkspaceFolderBasename}": "shop",
    "${relativeFile}": "src/cart.test.py",
    "${relativeFileDirname}": "src",
    "${fileBasename}": "cart.test.py",
    "${fileBasenameNoExtension}": "cart.test",
    "${fileExtname}": ".py",
    "${fileDirname}": "{folder}/src",
    "${fileDirnameBasename}": "src",
    "${env:PORT}": "8000",
    "${env:NOT_SET}": "",
    "${userHome}": "/home/me",
    "${cwd}": "{folder}",
    "${pathSeparator}": "/",
    "a${/}b": "a/b",
    "${config:python.defaultInterpreterPath}": INTERPRETER,
    "${config:shop.port}": "81",
    "${config:shop.debug}": "true",
    "${config:shop.folder}": "{folder}/x",
    "${command:python.interpreterPath}": INTERPRETER,
    "--at=${env:PORT}:${workspaceFolderBasename}": "--at=8000:shop",
    "${nonsense}": "${nonsense}",
}


@pytest.mark.parametrize(("written", "wanted"), VARIABLES.items(), ids=VARIABLES)
def test_variables(folder: Path, written: str, wanted: str) -> None:
    (folder / ".vscode" / "settings.json").write_text(
        '{"shop": {"port": 81, "debug": true}, "shop.folder": "${workspaceFolder}/x", }'
    )
    space = of_one(
        folder,
        f'{PROGRAM}, "args": [{json.dumps(written)}]',
        current_file=folder / "src" / "cart.test.py",
    )
    plan = only(prepare(space))
    assert plan.args == (wanted.replace("{folder}", str(folder)),)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("${workspaceFolder:other}", "is another folder of a workspace; tuidbg knows shop"),
        ("${lineNumber}", "is the line of VS Code's cursor; tuidbg has none"),
        ("${selectedText}", "is the selection in VS Code; tuidbg has none"),
        ("${config:editor.fontSize}", "is no text in .vscode/settings.json"),
        ("${command:extension.other}", "is a command of VS Code that tuidbg doesn't have"),
        ("${input:absent}", 'there is no such entry in "inputs"'),
        ("${input:odd}", "is of type 'slider'; it must be promptString, pickString or command"),
        ("${input:foreign}", "is a command of VS Code that tuidbg doesn't have"),
        ("${input:empty}", "has no options to choose from"),
    ],
)
def test_variables_without_a_value_are_refused(folder: Path, written: str, why: str) -> None:
    rest = (
        ', "inputs": [{"id": "odd", "type": "slider"},'
        ' {"id": "foreign", "type": "command", "command": "x.y"},'
        ' {"id": "empty", "type": "pickString"}]'
    )
    space = of_one(folder, f'{PROGRAM},\n"args": ["{written}"]', rest=rest)
    with pytest.raises(ConfigurationError) as raised:
        prepare(space)
    assert why in str(raised.value)
    assert str(raised.value).startswith(f"{space.file.path}:2: ")


INPUTS = """, "inputs": [
    {"id": "who", "type": "promptString", "description": "Whom to greet?",
     "default": "${env:PORT}"},
    {"id": "word", "type": "promptString", "password": true},
    {"id": "size", "type": "pickString", "description": "Size", "default": "m",
     "options": ["s", "m", {"label": "Large", "value": "l"}]},
    {"id": "pid", "type": "command", "command": "pickProcess"},
    {"id": "python", "type": "command", "command": "python.interpreterPath"}
]"""

QUESTIONS = {
    "${input:who}": VariableQuestion(
        id="input:who", kind="text", text="Whom to greet?", default="8000"
    ),
    "${input:word}": VariableQuestion(id="input:word", kind="text", text="word", secret=True),
    "${input:size}": VariableQuestion(
        id="input:size",
        kind="choice",
        text="Size",
        default="m",
        options=(("s", "s"), ("m", "m"), ("l", "Large")),
    ),
    "${input:pid}": VariableQuestion(
        id="command:pickProcess", kind="process", text="the process to attach to"
    ),
    "${command:pickArgs}": VariableQuestion(
        id="command:pickArgs", kind="text", text="the arguments of the program"
    ),
    "${fileBasename}": VariableQuestion(
        id="file", kind="file", text="Value for ${file}", preview="a file"
    ),
}


@pytest.mark.parametrize(("written", "question"), QUESTIONS.items(), ids=QUESTIONS)
def test_what_only_the_person_knows_is_asked(
    folder: Path, written: str, question: VariableQuestion
) -> None:
    space = of_one(folder, f'{PROGRAM}, "args": ["x{written}"]', rest=INPUTS)
    with pytest.raises(Unanswered) as raised:
        prepare(space)
    assert raised.value.question == question
    answered = space.prepare("A", {question.id: "an answer"})
    assert only(answered).args == ("xan answer",)
    shown = question.preview or question.text.rstrip("?")
    assert space.preview("A").lines[0][1].endswith(f"'x<{shown}>'")


def test_an_input_that_a_command_answers(folder: Path) -> None:
    space = of_one(folder, f'{PROGRAM}, "args": ["${{input:python}}"]', rest=INPUTS)
    assert only(prepare(space)).args == (INTERPRETER,)


def test_a_process_is_picked(folder: Path) -> None:
    space = of_one(folder, f'{ATTACH}, "processId": "${{command:pickProcess}}"')
    assert space.preview("A").lines == (("attach to", "a process that you choose"),)
    plan = space.prepare("A", {"command:pickProcess": "4711"}).plans[0]
    assert isinstance(plan, AttachPlan) and plan.pid == 4711


def test_arguments_that_are_typed_are_split(folder: Path) -> None:
    space = of_one(folder, f'{PROGRAM}, "args": "${{command:pickArgs}}"')
    assert only(space.prepare("A", {"command:pickArgs": "a 'b c'"})).args == ("a", "b c")


def test_code_is_written_to_a_file(folder: Path) -> None:
    prepared = prepare(of_one(folder, f'{LAUNCH}, "code": ["import app", "print(2)"]'))
    plan = only(prepared)
    assert Path(plan.target).read_text() == "import app\nprint(2)"
    assert plan.env["PYTHONPATH"].split(os.pathsep)[0] == str(folder)
    assert f'"code" is run as the file {plan.target}' in prepared.notes


# What can't be run

REFUSED = {
    "a value that is an object": (f'{PROGRAM}, "stopOnEntry": {{}}', '"stopOnEntry" must be true'),
    "sudo": (f'{PROGRAM}, "sudo": true', '"sudo" is not supported: start tuidbg itself with sudo'),
    "noDebug": (f'{PROGRAM}, "noDebug": true', '"noDebug" is not supported'),
    "nothing to run": (LAUNCH, 'it has neither "program", "module" nor "code"'),
    "for tests only": (f'{LAUNCH}, "purpose": ["debug-test"]', "`tuidbg -m pytest` debugs a run"),
    "two programs": (f'{PROGRAM}, "module": "x"', 'it has "program" and "module"'),
    "args that are no list": (f'{PROGRAM}, "args": 3', '"args" must be a list of texts'),
    "an open quote": (f'{PROGRAM}, "args": "a \'b"', 'a quote in "args" is not closed'),
    "env that is no object": (f'{PROGRAM}, "env": []', '"env" must be an object'),
    "env that is no text": (f'{PROGRAM}, "env": {{"A": []}}', "A must be a text, or null"),
    "a bad name in env": (f'{PROGRAM}, "env": {{"A=B": "1"}}', "'A=B' is no name of a variable"),
    "a bad envFile": (f'{PROGRAM}, "envFile": "bad.env"', "bad.env:2: it is not of the form NAME="),
    "a bad console": (
        f'{PROGRAM}, "console": "none"',
        '"console" must be one of integratedTerminal',
    ),
    "a bad switch": (f'{PROGRAM}, "justMyCode": "no"', '"justMyCode" must be true or false'),
    "no interpreter": (
        f'{PROGRAM}, "python": "/nowhere/python"',
        "there is no interpreter /nowhere",
    ),
    "a bad program": (f'{LAUNCH}, "program": ["x"]', '"program" must be a text'),
    "bad mappings": (f'{PROGRAM}, "pathMappings": {{}}', '"pathMappings" must be a list of'),
    "bad request": (
        '"type": "debugpy", "request": "run"',
        '"request" must be "launch" or "attach"',
    ),
    "no type": ('"request": "launch"', 'it has no "type"'),
    "a typo in the type": ('"type": "debupgy", "request": "launch"', 'is it "debugpy"?'),
    "an unknown type": ('"type": "cobol", "request": "launch"', 'no debugger for the type "cobol"'),
    "nothing to attach to": (ATTACH, 'it has neither "connect", "listen" nor "processId"'),
    "two things to attach to": (
        f'{ATTACH}, "connect": {{"port": 1}}, "processId": 3',
        'it has "connect" and "processId"; one of them is wanted',
    ),
    "a bad port": (f'{ATTACH}, "connect": {{"port": 70000}}', "must be a number from 1 to 65535"),
    "no port": (f'{ATTACH}, "connect": {{"host": "x"}}', 'the port in "connect" must be a number'),
    "a bad host": (f'{ATTACH}, "connect": {{"host": 1, "port": 1}}', "the host in"),
    "a bad process": (f'{ATTACH}, "processId": "x"', 'the process id in "processId" must be a num'),
}


@pytest.mark.parametrize(("attributes", "why"), REFUSED.values(), ids=REFUSED)
def test_what_can_not_be_run_is_refused_in_words(folder: Path, attributes: str, why: str) -> None:
    space = of_one(folder, attributes)
    with pytest.raises(ConfigurationError) as raised:
        prepare(space)
    assert str(raised.value).startswith(f"{space.file.path}:1: ")
    assert why in str(raised.value)
    (entry,) = space.entries()
    assert why in entry.obstacle


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        (f'{LAUNCH}, "program": "nowhere.py"', "there is no file {folder}/nowhere.py"),
        (f'{LAUNCH}, "program": "src"', "{folder}/src is no Python program"),
        (f'{PROGRAM}, "cwd": "nowhere"', "there is no folder {folder}/nowhere"),
    ],
)
def test_what_is_not_there_is_told_when_it_is_run(folder: Path, attributes: str, why: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        prepare(of_one(folder, attributes))
    assert str(raised.value).endswith(f"launch.json:1: {why.format(folder=folder)}")


@pytest.mark.parametrize(
    "kind",
    ["cppvsdbg", "swift-lldb", "chrome", "java", "coreclr"],
)
def test_other_languages_are_named_as_not_there_yet(folder: Path, kind: str) -> None:
    space = of_one(folder, f'"type": "{kind}", "request": "launch", "program": "x", "cargo": {{}}')
    (entry,) = space.entries()
    assert (entry.name, entry.type, entry.request) == ("A", kind, "launch")
    assert entry.obstacle.startswith(f'"{kind}" is for ') and "can't debug yet" in entry.obstacle


NOTED = {
    '"preLaunchTask": "build"': '"preLaunchTask" is not run; run `make -j 2` yourself before',
    '"preLaunchTask": "other"': "is not run; run the task 'other' yourself before",
    '"postDebugTask": "build"': '"postDebugTask" is not run; run `make -j 2` yourself afterwards',
    '"logToFile": true': '"logToFile" is left out: --dap-log FILE logs',
    '"showReturnValue": false': '"showReturnValue" is left out: return values are always shown',
    '"autoReload": {"enable": true}': '"autoReload" is left out',
    '"guiEventLoop": "qt"': '"guiEventLoop" is left out',
    '"serverReadyAction": {"action": "openExternally"}': "opens no browser",
    '"consoleName": "X"': "left out, as they are about windows of VS Code: consoleName",
    '"internalConsoleOptions": "neverOpen"': "windows of VS Code: internalConsoleOptions",
    '"debugAdapterPath": "/x"': "tuidbg has a debugpy of its own",
    '"connect": {"port": 1}': '"connect" is left out: only configurations that attach have it',
    '"justMyCod": true': '"justMyCod" is left out: tuidbg doesn\'t know it; is it "justMyCode"?',
    '"zzz": 1': '"zzz" is left out: tuidbg doesn\'t know it',
    '"args": "$HOME"': 'no shell reads "args"',
    '"envFile": "nowhere.env"': '"envFile": there is no file',
    '"args": ["${env:NOT_SET}"]': "${env:NOT_SET} is not set; it is taken as empty",
    '"args": ["${foo}"]': "${foo} is no variable that tuidbg knows; it is left as it is",
    '"debugOptions": ["WaitOnNormalExit"]': '"WaitOnNormalExit" in "debugOptions" is left out',
}


@pytest.mark.parametrize(("attribute", "told"), NOTED.items(), ids=NOTED)
def test_nothing_is_left_out_silently(folder: Path, attribute: str, told: str) -> None:
    (folder / ".vscode" / "tasks.json").write_text(
        '{"tasks": [{"label": "build", "type": "shell", "command": "make", "args": ["-j", "2"]}]}'
    )
    prepared = prepare(of_one(folder, f"{PROGRAM}, {attribute}"))
    assert any(told in note for note in prepared.notes), prepared.notes
    assert only(prepared).target == str(folder / "app.py")


def test_what_says_nothing_is_not_spoken_of(folder: Path) -> None:
    quiet = '"logToFile": false, "showReturnValue": true, "sudo": false, "preLaunchTask": ""'
    assert prepare(of_one(folder, f"{PROGRAM}, {quiet}")).notes == ()


# Files


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", ":1: it is empty"),
        ("// nothing\n", ":1: it is empty"),
        ('{\n"configurations": [,]\n}', ':2: unexpected "," in column 20'),
        ('{\n"configurations": [\n', ":3: it ends in the midst"),
        ("[]", ':1: it must be an object with "configurations"'),
        ('{"configurations": {}}', '"configurations" must be a list'),
        ('{"inputs": {}}', '"inputs" must be a list'),
        ("[" * 5000, "it is nested too deeply"),
    ],
)
def test_files_that_make_no_sense(folder: Path, text: str, why: str) -> None:
    with pytest.raises(JsoncError) as raised:
        workspace(folder, text)
    assert str(raised.value).startswith(str(folder / ".vscode" / "launch.json"))
    assert why in str(raised.value)


def test_a_file_that_is_no_text(folder: Path) -> None:
    path = folder / ".vscode" / "launch.json"
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(JsoncError, match="it is no text in UTF-8"):
        Workspace.read(path, cwd=folder, interpreter=INTERPRETER)


def test_a_byte_order_mark_is_passed_over(folder: Path) -> None:
    space = workspace(folder, f'\ufeff{{"configurations": [{{"name": "A", {PROGRAM}}}]}}')
    assert only(prepare(space)) == launched(folder)


def test_oddities_of_the_file_are_told(folder: Path) -> None:
    space = workspace(
        folder,
        '{"extra": 1, "configurations": [{"name": "A"}, {"type": "x"}, {"name": "A"},'
        ' {"name": "B", "args": [], "args": ["x"]}], "inputs": [{}]}',
    )
    told = " ".join(space.file.problems)
    for words in (
        "'extra'",
        "number 2",
        "several 'A'",
        "'args' is there twice",
        '"inputs" has no id',
    ):
        assert words in told


def test_the_nearest_file_upward_counts(folder: Path) -> None:
    deep = folder / "src" / "deep"
    deep.mkdir()
    of_one(folder, PROGRAM)
    space = Workspace.find(cwd=deep, interpreter=INTERPRETER)
    assert space is not None and space.file.folder == folder
    assert Workspace.find(cwd=folder.parent, interpreter=INTERPRETER) is None


# Names, groups, compounds

SEVERAL = """{"configurations": [
    {"name": "Server", "type": "debugpy", "request": "launch", "program": "app.py", "args": ["s"],
     "presentation": {"group": "2", "order": 1}},
    {"name": "Client: fast", "type": "debugpy", "request": "launch", "program": "app.py",
     "presentation": {"group": "1", "order": 2}},
    {"name": "Client: slow", "type": "debugpy", "request": "launch", "program": "app.py",
     "presentation": {"group": "1", "order": 1}},
    {"name": "Worker", "type": "debugpy", "request": "launch", "module": "worker",
     "presentation": {"hidden": true}},
    {"name": "Native", "type": "java", "request": "launch", "program": "."}
], "compounds": [
    {"name": "Both", "configurations": ["Server", "Worker"], "stopAll": true,
     "preLaunchTask": "up"},
    {"name": "Lost", "configurations": ["Server", "Nobody"]},
    {"name": "Mixed", "configurations": ["Server", "Native"]},
    {"name": "None", "configurations": []}
]}"""


def test_the_list_has_groups_orders_and_obstacles(folder: Path) -> None:
    entries = workspace(folder, SEVERAL).entries()
    assert [entry.name for entry in entries] == [
        "Client: slow",
        "Client: fast",
        "Server",
        "Native",
        "Both",
        "Lost",
        "Mixed",
        "None",
    ]
    by_name = {entry.name: entry for entry in entries}
    assert by_name["Server"].target == "app.py s"
    assert by_name["Both"].target == "Server, Worker" and by_name["Both"].type == "compound"
    assert "Java" in by_name["Native"].obstacle and "Java" in by_name["Mixed"].obstacle
    assert by_name["Lost"].obstacle == "there is no configuration 'Nobody'"
    assert by_name["None"].obstacle == "it has no configurations"


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("Server", "Server"),
        ("server", "Server"),
        ("SER", "Server"),
        ("fast", "Client: fast"),
        ("wor", "Worker"),
        ("client: s", "Client: slow"),
    ],
)
def test_names_are_found_by_a_part(folder: Path, wanted: str, found: str) -> None:
    assert workspace(folder, SEVERAL).match(wanted) == found


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("client", "'client' may be 'Client: fast' or 'Client: slow'"),
        ("Srever", "there is no configuration 'Srever'; did you mean 'Server'?"),
        ("zzz", "there is no configuration 'zzz'; there are 'Server', 'Client: fast'"),
    ],
)
def test_names_that_mean_nothing(folder: Path, wanted: str, told: str) -> None:
    with pytest.raises(NoSuchConfiguration) as raised:
        workspace(folder, SEVERAL).match(wanted)
    assert told in str(raised.value)


def test_a_compound_comes_to_several_plans(folder: Path) -> None:
    prepared = prepare(workspace(folder, SEVERAL), "Both")
    assert prepared.names == ("Server", "Worker") and prepared.stop_all
    assert prepared.plans == (
        launched(folder, args=("s",)),
        launched(folder, kind=TargetKind.MODULE, target="worker"),
    )
    assert any("the task 'up'" in note for note in prepared.notes)


# Defaults below, the command line above


def test_defaults_hold_where_the_file_says_nothing(folder: Path) -> None:
    defaults = Defaults(
        console=Console.INTERNAL,
        just_my_code=False,
        stop_on_entry=True,
        sub_process=False,
        jinja=True,
        cwd=str(folder / "src"),
        env={"D": "1", "A": "0"},
    )
    space = of_one(folder, f'{PROGRAM}, "jinja": false, "env": {{"A": "1"}}', defaults=defaults)
    assert only(prepare(space)) == launched(
        folder,
        console=Console.INTERNAL,
        just_my_code=False,
        stop_on_entry=True,
        sub_process=False,
        cwd=str(folder / "src"),
        env={"D": "1", "A": "1", **DOT},
    )


def test_settings_of_the_workspace_choose_the_interpreter(folder: Path) -> None:
    settings = folder / ".vscode" / "settings.json"
    settings.write_text(
        '{"python.defaultInterpreterPath": "${workspaceFolder}/venv/bin/python",'
        ' "python.envFile": "${workspaceFolder}/dev.env", "debugpy.debugJustMyCode": false}'
    )
    assert only(prepare(of_one(folder, PROGRAM))) == launched(
        folder,
        python=str(folder / "venv" / "bin" / "python"),
        env={"A": "1", "B": "two words", "C": "1/there"},
        just_my_code=False,
    )


def test_settings_that_can_not_be_read_are_told(folder: Path) -> None:
    (folder / ".vscode" / "settings.json").write_text("{,")
    with pytest.raises(JsoncError, match=r"settings\.json:1"):
        of_one(folder, PROGRAM)


def test_the_command_line_is_laid_over_it(folder: Path) -> None:
    space = of_one(
        folder, PROGRAM, change=lambda plan: msgspec.structs.replace(plan, args=("over",))
    )
    assert only(prepare(space)).args == ("over",)
    assert space.preview("A").lines[0] == ("run", f"{INTERPRETER} {folder}/app.py over")


def test_a_preview_names_variables_but_no_values(folder: Path) -> None:
    space = of_one(folder, f'{PROGRAM}, "env": {{"TOKEN": "secret", "LANG": null}}')
    assert space.preview("A").lines == (
        ("run", f"{INTERPRETER} {folder}/app.py"),
        ("in", str(folder)),
        ("environment", "FROM_DOT_ENV, TOKEN, without LANG"),
    )


def test_trust_is_not_given_unasked(folder: Path) -> None:
    assert not of_one(folder, PROGRAM, trust=Trust()).is_agreed("A")
