"""The variables of launch.json: ``${workspaceFolder}``, ``${env:X}``, ``${input:ID}`` and others.

Values that only the user has (the current file, an input, a process) are requested: ``expand``
raises ``Unanswered`` with the question, and is called again with ``PlaceholderValues.answers``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

import msgspec

_VARIABLE = re.compile(r"\$\{([^{}]*)\}")

CURRENT_FILE = "file"
"""Id of the question for the current file."""

PROCESS = "command:pickProcess"
ARGUMENTS = "command:pickArgs"

_COMMANDS = {
    "pickProcess": PROCESS,
    "debugpy.pickLocalProcess": PROCESS,
    "extension.pickNativeProcess": PROCESS,
    "extension.pickProcess": PROCESS,
    "python.pickLocalProcess": PROCESS,
    "pickArgs": ARGUMENTS,
    "debugpy.pickArgs": ARGUMENTS,
}
_INTERPRETER = ("python.interpreterPath", "python.interpreter.path")

_OF_FILE = {
    "file",
    "fileWorkspaceFolder",
    "fileWorkspaceFolderBasename",
    "relativeFile",
    "relativeFileDirname",
    "fileBasename",
    "fileBasenameNoExtension",
    "fileExtname",
    "fileDirname",
    "fileDirnameBasename",
}
_OF_EDITOR = {
    "lineNumber": "the line of VS Code's cursor",
    "columnNumber": "the column of VS Code's cursor",
    "selectedText": "the selection in VS Code",
    "execPath": "VS Code's own program",
    "defaultBuildTask": "a task of VS Code",
    "extensionInstallFolder": "a folder of VS Code",
}


class VariableQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question for the user. ``kind`` is ``text``, ``choice``, ``file`` or ``process``.

    ``options`` are values with their labels. The answer to a ``secret`` one is not shown.
    """

    id: str
    kind: str
    text: str
    default: str = ""
    options: tuple[tuple[str, str], ...] = ()
    secret: bool = False
    preview: str = ""
    """Placeholder for the answer; by default the text."""


class Unanswered(Exception):
    """A question that the user must answer first."""

    def __init__(self, question: VariableQuestion) -> None:
        super().__init__(question.text)
        self.question = question


class VariableError(Exception):
    """A variable without a value; ``str()`` is a sentence without a full stop."""


class PlaceholderValues(msgspec.Struct, kw_only=True):
    """The values of the variables.

    ``file`` is the current file, absolute; None: the user is asked. ``answers`` are by question id;
    with ``is_preview`` nothing is asked: a placeholder stands for unknown values. ``notes``
    collects sentences for the user. With ``keeps_environment`` a file of variables that the
    configuration does not name overrides no variable of ``environment``.
    """

    folder: Path
    cwd: Path
    environment: Mapping[str, str]
    file: Path | None = None
    settings: Mapping[str, Any] = {}
    inputs: Mapping[str, Mapping[str, Any]] = {}
    answers: dict[str, str] = {}
    interpreter: str = ""
    is_preview: bool = False
    keeps_environment: bool = False
    notes: list[str] = []

    def answer(self, question: VariableQuestion) -> str:
        """Return the user's answer. Raises Unanswered."""
        if question.id in self.answers:
            return self.answers[question.id]
        if self.is_preview:
            return f"<{question.preview or question.text.rstrip(':?')}>"
        raise Unanswered(question)

    def note(self, sentence: str) -> None:
        """Add a sentence for the user, once."""
        if sentence not in self.notes:
            self.notes.append(sentence)


def expand(text: str, given: PlaceholderValues) -> str:
    """Expand the variables of a text. Raises Unanswered, VariableError."""
    return _VARIABLE.sub(lambda found: _value(found[1], given, found[0]), text)


def expand_all(value: Any, given: PlaceholderValues) -> Any:
    """Expand all texts in a JSON value; not the keys."""
    if isinstance(value, str):
        return expand(value, given)
    if isinstance(value, list):
        return [expand_all(each, given) for each in value]
    if isinstance(value, dict):
        return {key: expand_all(each, given) for key, each in value.items()}
    return value


def _value(name: str, given: PlaceholderValues, written: str) -> str:
    kind, colon, argument = name.partition(":")
    if colon:
        match kind:
            case "env":
                return _environment(argument, given)
            case "config":
                return _setting(argument, given)
            case "input":
                return _input(argument, given)
            case "command":
                return _command(argument, given)
            case "workspaceFolder" | "workspaceFolderBasename":
                return _other_folder(kind, argument, given)
            case "extensionInstallFolder":
                raise VariableError(f"{written} is {_OF_EDITOR[kind]}; tuidbg has none")
    elif name in _OF_FILE:
        return _of_file(name, given)
    elif name in _OF_EDITOR:
        raise VariableError(f"{written} is {_OF_EDITOR[name]}; tuidbg has none")
    elif (found := _plain(name, given)) is not None:
        return found
    given.note(f"{written} is no variable that tuidbg knows; it is left as it is")
    return written


def _plain(name: str, given: PlaceholderValues) -> str | None:
    match name:
        case "workspaceFolder" | "workspaceRoot":
            return str(given.folder)
        case "workspaceFolderBasename" | "workspaceRootFolderName":
            return given.folder.name
        case "cwd":
            return str(given.cwd)
        case "userHome":
            home = os.path.expanduser("~")  # noqa: PTH111 - `Path.home` raises where there is none
            if not Path(home).is_absolute():
                raise VariableError("${userHome}: there is no home folder; set HOME")
            return home
        case "pathSeparator" | "/":
            return os.sep
    return None


def _environment(name: str, given: PlaceholderValues) -> str:
    if name not in given.environment:
        given.note(f"${{env:{name}}} is not set; it is taken as empty")
    return given.environment.get(name, "")


def _other_folder(kind: str, name: str, given: PlaceholderValues) -> str:
    if name != given.folder.name:
        raise VariableError(
            f"${{{kind}:{name}}} is another folder of a workspace; tuidbg knows {given.folder.name}"
        )
    return str(given.folder) if kind == "workspaceFolder" else name


def _setting(name: str, given: PlaceholderValues) -> str:
    found = find_setting(given.settings, name)
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, int | float):
        return str(found)
    if isinstance(found, str):
        # A setting may contain variables, but not settings: it could refer to itself.
        return expand(found.replace("${config:", "${config "), given)
    if name in ("python.defaultInterpreterPath", "python.pythonPath") and given.interpreter:
        return given.interpreter
    raise VariableError(
        f"${{config:{name}}} is no text in .vscode/settings.json; tuidbg reads no other settings"
    )


def find_setting(settings: Mapping[str, Any], name: str) -> Any:
    """Find a setting by its dotted name, as one key or as nested objects; None without one."""
    if name in settings:
        return settings[name]
    first, dot, rest = name.partition(".")
    inner = settings.get(first)
    return find_setting(inner, rest) if dot and isinstance(inner, dict) else None


def _command(name: str, given: PlaceholderValues) -> str:
    if name in _INTERPRETER:
        return given.interpreter
    match _COMMANDS.get(name):
        case "command:pickProcess":
            return given.answer(
                VariableQuestion(id=PROCESS, kind="process", text="the process to attach to")
            )
        case "command:pickArgs":
            return given.answer(
                VariableQuestion(id=ARGUMENTS, kind="text", text="the arguments of the program")
            )
    raise VariableError(f"${{command:{name}}} is a command of VS Code that tuidbg doesn't have")


def _input(name: str, given: PlaceholderValues) -> str:
    entry = given.inputs.get(name)
    if entry is None:
        raise VariableError(f'${{input:{name}}}: there is no such entry in "inputs"')
    text = str(entry.get("description") or name)
    default = entry.get("default", "")
    default = default if isinstance(default, str) else str(default)
    match entry.get("type"):
        case "promptString":
            question = VariableQuestion(
                id=f"input:{name}",
                kind="text",
                text=text,
                default=expand(default, given) if "${input:" not in default else default,
                secret=entry.get("password") is True,
            )
        case "pickString":
            options = tuple(_options(entry.get("options"), given))
            if not options:
                raise VariableError(f"${{input:{name}}} has no options to choose from")
            question = VariableQuestion(
                id=f"input:{name}", kind="choice", text=text, default=default, options=options
            )
        case "command":
            return _command(str(entry.get("command", "")), given)
        case other:
            raise VariableError(
                f"${{input:{name}}} is of type {other!r}; it must be promptString, pickString or"
                " command"
            )
    return given.answer(question)


def _options(listed: object, given: PlaceholderValues) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for option in listed if isinstance(listed, list) else []:
        if isinstance(option, str):
            value = expand(option, given)
            found.append((value, value))
        elif isinstance(option, dict) and isinstance(option.get("value"), str):
            value = expand(option["value"], given)
            found.append((value, str(option.get("label") or value)))
    return found


def _of_file(name: str, given: PlaceholderValues) -> str:
    file = given.file
    if file is None:
        answer = given.answer(
            VariableQuestion(
                id=CURRENT_FILE,
                kind="file",
                text="Value for ${file}",
                preview="a file",
            )
        )
        if given.is_preview and CURRENT_FILE not in given.answers:
            return answer
        file = Path(os.path.abspath(given.cwd / os.path.expanduser(answer)))  # noqa: PTH111
    relative = PurePath(os.path.relpath(file, given.folder))
    values = {
        "file": file,
        "fileWorkspaceFolder": given.folder,
        "fileWorkspaceFolderBasename": given.folder.name,
        "relativeFile": relative,
        "relativeFileDirname": relative.parent,
        "fileBasename": file.name,
        "fileBasenameNoExtension": file.stem,
        "fileExtname": file.suffix,
        "fileDirname": file.parent,
        "fileDirnameBasename": file.parent.name,
    }
    return str(values[name])
