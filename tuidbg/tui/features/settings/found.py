"""Reading of the settings: values and sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import fields

from tuidbg.config.files import read_text
from tuidbg.config.launch import LaunchPlan, Plan
from tuidbg.config.stores.remembered import Remembered, state_file
from tuidbg.config.user_config import (
    NAME,
    PYPROJECT,
    Defaults,
    UserConfig,
    load_user_config,
    read_project_defaults,
)
from tuidbg.lines import split_lines
from tuidbg.tui.panes.context import Begun
from tuidbg.tui.toolkit.external_editor import VARIABLES, find_editor
from tuidbg.tui.toolkit.theme.theme import DEFAULT_THEME, PREFIX, ThemeError, resolve_theme


class Home(Enum):
    """A place to set a setting permanently."""

    BOTH = "your config.toml, or the project's pyproject.toml"
    PERSON = "your config.toml"
    PROJECT = "the project's pyproject.toml"
    REMEMBERED = "remembered between runs"
    ENVIRONMENT = "the environment"


class Setting(NamedTuple):
    """A setting.

    ``example`` is its line in a file, or its shell command; ``option`` is the command-line option;
    ``command`` changes it while tuidbg runs, and ``verb`` is its label in the key bar.
    """

    name: str
    about: str
    home: Home
    example: str = ""
    option: str = ""
    command: str = ""
    verb: str = "change"


# One row a setting, as wide as it may be: it is read as a table.
# fmt: off
SETTINGS = (
    Setting("theme", "Colours of the screen.", Home.BOTH, 'theme = "light"', "--theme NAME",
            "choose_theme"),
    Setting("keys.map", "Key map: default, pdb, vscode or vim.", Home.PERSON, 'map = "vim"',
            "--keys NAME", "choose_key_map"),
    Setting("keys", "Keys of your own for single commands.", Home.PERSON,
            'step_over = ["n", "Ctrl+N"]'),
    Setting("console", "Input and output of the program: terminal (its own) or internal.",
            Home.BOTH, 'console = "internal"', "--console internal"),
    Setting("stop_on_entry", "Stop at the first line of the program.", Home.BOTH,
            "stop_on_entry = false", "--no-stop-on-entry"),
    Setting("just_my_code", "Pass over libraries while stepping.", Home.BOTH,
            "just_my_code = false", "--all-code", "toggle_just_my_code"),
    Setting("sub_process", "Debug the processes that the program starts, too.", Home.BOTH,
            "sub_process = false"),
    Setting("redirect_output", "Show output that does not pass the program's terminal.", Home.BOTH,
            "redirect_output = true"),
    Setting("django", "Breakpoints in the templates of Django.", Home.BOTH, "django = true"),
    Setting("jinja", "Breakpoints in the templates of Jinja.", Home.BOTH, "jinja = true"),
    Setting("cwd", "Working directory of the program.", Home.PROJECT, 'cwd = "src"', "--cwd DIR"),
    Setting("python", "Interpreter that runs the program.", Home.PERSON, 'python = "python3.13"',
            "--python PATH"),
    Setting("env", "Variables added to the program's environment.", Home.PERSON,
            'env = {DEBUG = "1"}', "--env NAME=VALUE"),
    Setting("adapters", "Debug adapters of your own for other languages.", Home.PERSON,
            'command = ["lua-dap"]', command="show_adapters", verb="list them"),
    Setting("layout", "Sizes of the panes, and which of them are shown.", Home.REMEMBERED,
            command="reset_layout", verb="reset"),
    Setting("follow_stops", "Show another process when it stops.", Home.REMEMBERED,
            command="follow_stops"),
    Setting("colors", "Colours that the terminal announces.", Home.ENVIRONMENT,
            "export COLORTERM=truecolor"),
    Setting("editor", "Editor that opens the line of the source.", Home.ENVIRONMENT,
            "export VISUAL=vim"),
)
# fmt: on


_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([\w.\-\"' ]+?)\s*=")


class SettingsFile:
    """A config file with its present text; ``root`` is the table of tuidbg's settings."""

    def __init__(self, path: Path, root: str = "") -> None:
        self.path = path
        self._root = root
        self.exists = True
        try:
            text = read_text(path)
        except (OSError, UnicodeError):
            text, self.exists = "", False
        self._lines = split_lines(text)

    @property
    def shown(self) -> str:
        """The path for display."""
        return short_path(self.path)

    def line_of(self, name: str) -> int:
        """Return the line that sets ``keys.map``, say, or has that table; 0 for none."""
        wanted, table = self._full(name), ""
        for number, line in enumerate(self._lines, 1):
            if header := _HEADER.match(line):
                table = _plain(header[1])
                if table == wanted:
                    return number
            elif (key := _KEY.match(line)) and _joined(table, _plain(key[1])) == wanted:
                return number
        table, _, _ = name.rpartition(".")  # it may be in an inline table: keys = {map = "vim"}
        found = self.line_of(table) if table else 0
        return found if found and not _HEADER.match(self._lines[found - 1]) else 0

    def how_to_set(self, name: str, example: str) -> str:
        """Return a sentence: the line to change, or the place to add ``example``."""
        if number := self.line_of(name):
            return f"Change line {number} of {self.shown}: {example}"
        table = self._full(name.rpartition(".")[0])
        if not table:
            return f"Add {example} as line {self._end_of_top()} of {self._shown_or_new}"
        if number := self._header(table):
            return f"Add {example} below line {number} of {self.shown}, [{table}]"
        return f"Add {example} under [{table}] at the end of {self._shown_or_new}"

    @property
    def _shown_or_new(self) -> str:
        return self.shown if self.exists else f"{self.shown} (a new file)"

    def _full(self, name: str) -> str:
        return _joined(self._root, name)

    def _header(self, table: str) -> int:
        found = (_HEADER.match(line) for line in self._lines)
        return next((n for n, h in enumerate(found, 1) if h and _plain(h[1]) == table), 0)

    def _end_of_top(self) -> int:
        """Return the line before the first table: after its header a key would belong to it."""
        headers = (n for n, line in enumerate(self._lines, 1) if line.lstrip().startswith("["))
        return next(headers, len(self._lines) + 1)


def short_path(path: Path) -> str:
    """Return the path with ``~`` for the home folder."""
    home = str(Path("~").expanduser())
    shown = str(path)
    return f"~{shown[len(home) :]}" if home != "/" and shown.startswith(f"{home}/") else shown


def _joined(*names: str) -> str:
    return ".".join(filter(None, names))


def _plain(name: str) -> str:
    """Return a dotted name without blanks and quotes."""
    return ".".join(part.strip().strip("\"'") for part in name.split("."))


BUILT_IN = "built in"
THIS_RUN = "this run"
REMEMBERED = "remembered"
COMMAND_LINE = "command line"

_SWITCHES = {"stop_on_entry", "just_my_code", "sub_process", "redirect_output", "django", "jinja"}
_OF_PLAN = frozenset({*_SWITCHES, "console", "cwd", "python", "env"})


class SettingSource(NamedTuple):
    """The source of a value: a word or two for the list, and a sentence."""

    word: str
    sentence: str


class SettingRow(NamedTuple):
    """A setting with its value; ``how`` describes how to set it permanently."""

    setting: Setting
    value: str
    source: SettingSource
    how: str


class Now(NamedTuple):
    """Facts of the running tuidbg. ``colors`` is the name of rich's colour system."""

    begun: Begun
    theme: str
    key_map: str
    plan: Plan
    is_first: bool
    just_my_code: bool
    has_own_layout: bool
    remembered: Remembered
    colors: str
    folder: Path
    config_folder: Path | None
    environment: Mapping[str, str]


def find_settings(now: Now) -> list[SettingRow]:
    """Return all settings, with the present files; blocks for a moment."""
    return list(_Finder(now).all())


class _Finder:
    def __init__(self, now: Now) -> None:
        self._now = now
        self._config: UserConfig = load_user_config(now.config_folder)
        self._person = SettingsFile((now.config_folder or Path("~/.config/tuidbg")) / NAME)
        files = (folder / PYPROJECT for folder in (now.folder, *now.folder.parents))
        path = next((each for each in files if each.is_file()), now.folder / PYPROJECT)
        self._project = SettingsFile(path, "tool.tuidbg")
        self._defaults, _ = read_project_defaults(now.folder)

    def all(self) -> Iterator[SettingRow]:
        for setting in SETTINGS:
            if setting.name == "keys" and self._config.keys:
                yield from self._own_keys(setting)
                continue
            value, source = self._find(setting.name)
            yield SettingRow(setting, value, source, self._how(setting))

    def _find(self, name: str) -> tuple[str, SettingSource]:
        if name in _OF_PLAN:
            return self._of_plan(name)
        now = self._now
        match name:
            case "theme":
                return now.theme.removeprefix(PREFIX), self._theme_source()
            case "keys.map":
                return now.key_map, self._key_map_source()
            case "adapters" if self._config.adapters:
                return ", ".join(self._config.adapters), self._in_file(self._person, name)
            case "layout":
                source = self._kept() if now.has_own_layout else _built_in()
                return "your own" if now.has_own_layout else "built in", source
            case "follow_stops":
                follows = now.remembered.follow_stops
                return _written(follows), self._kept() if follows else _built_in()
            case "colors":
                return self._colors()
            case "editor":
                return self._editor()
        return "none", _built_in()

    def _own_keys(self, setting: Setting) -> Iterator[SettingRow]:
        for command, keys in self._config.keys.items():
            name = f"keys.{command}"
            example = f"{command} = {_written(keys)}"
            own = setting._replace(name=name, about=f"Keys of the command {command}.")
            source = self._in_file(self._person, name)
            how = self._person.how_to_set(name, example)
            yield SettingRow(own, ", ".join(keys), source, how)

    # Sources

    def _in_file(self, file: SettingsFile, name: str) -> SettingSource:
        line = file.line_of(name)
        where = f"line {line} of {file.shown}" if line else file.shown
        return SettingSource(file.path.name, where)

    def _kept(self) -> SettingSource:
        try:
            return SettingSource(REMEMBERED, f"remembered from an earlier run in {_short_state()}")
        except OSError:
            return SettingSource(
                REMEMBERED, "remembered for this run only: there is no home folder"
            )

    def _on_command_line(self, name: str) -> SettingSource | None:
        option = self._now.begun.given.get(name, "")
        is_there = option and (self._now.is_first or name not in _OF_PLAN)
        return SettingSource(COMMAND_LINE, f"the command line: {option}") if is_there else None

    def _files(self, name: str) -> Iterator[tuple[SettingsFile, Any]]:
        """Yield the files that set it, by precedence."""
        settings: tuple[tuple[SettingsFile, Defaults], ...] = (
            (self._project, self._defaults),
            (self._person, self._config.defaults),
        )
        for file, defaults in settings:
            if (value := getattr(defaults, name)) not in (None, "", {}):
                yield file, value

    def _theme_source(self) -> SettingSource:
        now = self._now
        named = [(file, _resolved(value)) for file, value in self._files("theme")]
        if now.theme != now.begun.theme:
            sentence = "chosen in this run"
            if named:
                return SettingSource(
                    THIS_RUN, f"{sentence}; {named[0][0].shown} sets another at the start"
                )
            return SettingSource(THIS_RUN, f"{sentence}, and remembered for the next one")
        if source := self._on_command_line("theme"):
            return source
        for file, theme in named:
            if theme == now.theme:
                return self._in_file(file, "theme")
        if now.theme == _resolved(now.remembered.theme):
            return self._kept()
        return _built_in() if now.theme == DEFAULT_THEME else SettingSource(THIS_RUN, "this run")

    def _key_map_source(self) -> SettingSource:
        now, configured = self._now, self._config.key_map
        if now.key_map != now.begun.key_map:
            after = "; config.toml sets another at the start" if configured else ""
            return SettingSource(THIS_RUN, f"chosen in this run{after or ', and remembered'}")
        if source := self._on_command_line("keys.map"):
            return source
        if now.key_map == configured:
            return self._in_file(self._person, "keys.map")
        return self._kept() if now.key_map == now.remembered.key_map else _built_in()

    def _of_plan(self, name: str) -> tuple[str, SettingSource]:
        plan = self._now.plan
        value = getattr(plan, name, None)
        shown = _written(value)
        if name == "just_my_code" and self._now.just_my_code != value:
            return _written(self._now.just_my_code), SettingSource(THIS_RUN, "changed in this run")
        if name == "env" and not value:
            return "none", _built_in()
        if not hasattr(plan, name):
            return "none", SettingSource(BUILT_IN, "the program was not started by tuidbg")
        if source := self._on_command_line(name):
            return shown, source
        if name == "python":
            return shown or "automatic", self._python_source(plan)
        for file, wanted in self._files(name):
            if value == wanted or (name == "env" and wanted.items() <= plan.env.items()):
                return shown, self._in_file(file, name)
        if name == "cwd" and value == str(self._now.folder):
            return shown, SettingSource(BUILT_IN, "the folder in which tuidbg was started")
        if value == _DEFAULTS[name]:
            return shown, _built_in()
        return shown, SettingSource("launch", "the launch: launch.json, or the form for a program")

    def _python_source(self, plan: Plan) -> SettingSource:
        why = plan.python_from if isinstance(plan, LaunchPlan) else ""
        if why == NAME:
            return self._in_file(self._person, "python")
        return SettingSource("found", f"found: {why}" if why else "found at the start")

    def _colors(self) -> tuple[str, SettingSource]:
        environment = self._now.environment
        if "NO_COLOR" in environment:
            return "none", SettingSource("environment", "NO_COLOR is set")
        names = {"truecolor": "true colour", "256": "256", "standard": "16"}
        value = names.get(self._now.colors, "none")
        variable = "COLORTERM" if environment.get("COLORTERM") else "TERM"
        return value, SettingSource("environment", f"{variable}={environment.get(variable, '')}")

    def _editor(self) -> tuple[str, SettingSource]:
        environment = self._now.environment
        editor = find_editor(environment)
        for name in VARIABLES:
            if environment.get(name, "").strip():
                return editor, SettingSource("environment", f"{name}={editor}")
        return editor or "none", SettingSource(
            "found", "found in PATH" if editor else "none in PATH"
        )

    # How to set them

    def _how(self, setting: Setting) -> str:
        once = f"; for one run: tuidbg {setting.option}" if setting.option else ""
        match setting.home:
            case Home.ENVIRONMENT:
                return f"Type {setting.example} before you start tuidbg"
            case Home.REMEMBERED:
                return "Remembered between runs; no file sets it"
            case Home.PROJECT:
                return self._project.how_to_set(setting.name, setting.example) + once
        name = setting.name
        if name in ("keys", "adapters"):
            name = {"keys": "keys.step_over", "adapters": "adapters.lua.command"}[name]
        files = [self._person, self._project][: 2 if setting.home is Home.BOTH else 1]
        in_force = [file for file in files[1:] if file.line_of(name)] or files
        return in_force[0].how_to_set(name, setting.example) + once


_DEFAULTS: dict[str, Any] = {
    field.name: field.default for field in fields(LaunchPlan) if field.name in _OF_PLAN
}


def _built_in() -> SettingSource:
    return SettingSource(BUILT_IN, "the built-in value")


def _short_state() -> str:
    return short_path(state_file())


def _resolved(name: str) -> str:
    try:
        return resolve_theme(name) if name else ""
    except ThemeError:
        return ""


def _written(value: object) -> str:
    """Return a value as written in a file, or for display."""
    match value:
        case None:
            return "automatic"
        case bool():
            return str(value).lower()
        case dict():
            return ", ".join(map(str, value))  # names only: values may be secrets
        case tuple() | list():
            return "[" + ", ".join(f'"{each}"' for each in value) + "]"
    return str(value)
