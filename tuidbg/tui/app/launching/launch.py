"""The launch form, with recent programs and the configurations of launch.json beside it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from tuidbg.config.environments import Environment, find_environment
from tuidbg.config.launch import DEFAULT_ADAPTER, Console, LaunchPlan, TargetKind
from tuidbg.config.launch_json.plan import find_interpreter
from tuidbg.config.launch_json.workspace import LaunchEntry, Workspace, missing_target
from tuidbg.config.stores.remembered import RecentProgram
from tuidbg.session.core.connect.plans import ProgramRequest, make_plan
from tuidbg.tui.toolkit.dialogs.form import ChoiceField, FormDialog, Tick
from tuidbg.tui.toolkit.widgets.input import PathSuggester
from tuidbg.tui.toolkit.widgets.rows import ListRow, Piece, RowsPane, shorten, visible

P = TypeVar("P")

_ABOUT = {
    "program": "A script, or -m and a module; → completes a path",
    "args": "Arguments, split as in a shell (quotes keep words together)",
    "cwd": "Where it runs; left empty it is the current folder",
    "env": "Added to its environment: NAME=value OTHER='two words'",
    "python": "An interpreter or an environment's folder; left empty it is found",
    "adapter": "The debug adapter; left empty it is found (`tuidbg adapters` lists them)",
    "entry": "Stop at the first line",
    "mine": "Pass over libraries",
    "children": "Debug the processes that it starts, too",
    "console": "A terminal of its own; internal: stdout and stderr kept apart; external: elsewhere",
    "redirect": "Output as the debugger's messages: as the console wants it, always, or never",
    "django": "Breakpoints in Django's templates",
    "jinja": "Breakpoints in Jinja's templates",
    "recent": "Enter takes one into the fields",
    "offered": "Enter runs what launch.json describes",
}
_REDIRECTIONS = {"auto": None, "yes": True, "no": False}
_ROWS = 5
"""Maximum rows of each list beside the fields."""


class RecentPane(RowsPane):
    """The programs launched or attached to before."""

    EMPTY = "none yet"


class OfferedPane(RowsPane):
    """The configurations of launch.json; unsupported ones are grey."""

    EMPTY = "no launch.json here"


class ProgramForm(FormDialog[P]):
    """A form with lists beside its fields: recent programs and launch.json configurations.

    Choosing a configuration closes the form with its name as the result.
    """

    DEFAULT_CSS = """
    ProgramForm .heading { height: 1; }
    ProgramForm.-two .first { margin-top: 0; }
    ProgramForm RowsPane { margin-left: 1; }
    ProgramForm RowsPane > .rows--cursor-blurred { background: $surface; }
    ProgramForm Tick { margin-right: 2; }
    """

    def lists(self, heading: str) -> ComposeResult:
        """Compose the column of lists."""
        with Vertical(classes="column"):
            yield Static(heading, classes="heading first")
            yield RecentPane(id="recent")
            yield Static("launch.json", classes="heading")
            yield OfferedPane(id="offered")

    def show_lists(
        self, recent: Iterable[tuple[Piece, ...]], entries: Iterable[LaunchEntry]
    ) -> None:
        """Fill the lists; unsupported configurations are grey."""
        rows = [ListRow(index, pieces) for index, pieces in enumerate(recent)]
        self._fill(self.query_one(RecentPane), rows)
        offered = [
            ListRow(
                entry.name if not entry.obstacle else None,
                (
                    (f"{visible(entry.name)}  ", "faint" if entry.obstacle else "name"),
                    (visible(entry.obstacle or entry.target), "faint"),
                ),
            )
            for entry in entries
        ]
        self._fill(self.query_one(OfferedPane), offered)

    def _fill(self, pane: RowsPane, rows: list[ListRow]) -> None:
        pane.set_rows(rows)
        pane.styles.height = max(1, min(_ROWS, len(rows)))

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        if isinstance(event.key, int):
            self.load_recent(event.key)
        elif isinstance(event.key, str):
            self.give_offered(event.key)

    def load_recent(self, index: int) -> None:
        """Load a recent program into the fields for editing."""
        raise NotImplementedError

    def give_offered(self, name: str) -> None:
        """Close with the name of a configuration."""
        raise NotImplementedError


class LaunchDialog(ProgramForm[LaunchPlan | str | None]):
    """The launch form. Result: a plan, or the name of a configuration; None on Esc."""

    ABOUT = _ABOUT

    def __init__(
        self, recent: Sequence[RecentProgram], workspace: Workspace | None, cwd: str
    ) -> None:
        super().__init__("#program")
        self._recent = recent
        self._workspace = workspace
        self._cwd = cwd

    # Composing

    def compose(self) -> ComposeResult:
        yield from self.compose_form("Launch a program", does="Start")

    def fields(self) -> ComposeResult:
        suggester = PathSuggester(self._cwd)
        with Vertical(classes="column"):
            yield from self.line(
                "program", "Program", placeholder="app.py, or -m module", suggester=suggester
            )
            yield from self.line("args", "Arguments")
            yield from self.line("cwd", "Folder", placeholder=shorten(self._cwd, 40))
            yield from self.line("env", "Environment", placeholder="NAME=value …")
            yield from self.line("python", "Python", placeholder=self._found_python(self._cwd))
            yield from self.line("adapter", "Adapter", placeholder="found from the program")
            with Horizontal(classes="field"):
                yield Static("", classes="label")
                yield Tick("stop on entry", True, id="entry")
                yield Tick("just my code", True, id="mine")
            with Horizontal(classes="field"):
                yield Static("", classes="label")
                yield Tick("children", True, id="children")
                yield Tick("django", False, id="django")
                yield Tick("jinja", False, id="jinja")
            consoles = [console.value for console in Console]
            yield from self.choice("console", "Console", consoles, Console.TERMINAL.value)
            yield from self.choice("redirect", "Output events", list(_REDIRECTIONS), "auto")
        yield from self.lists("Recent programs")

    def _found_python(self, folder: str) -> str:
        return shorten(find_environment(folder).python, 40)

    def on_mount(self) -> None:
        entries = self._workspace.entries() if self._workspace is not None else ()
        self.show_lists(map(_words_of, self._recent), entries)

    def give_offered(self, name: str) -> None:
        self.dismiss(name)

    def load_recent(self, index: int) -> None:
        program = self._recent[index]
        is_module = program.kind == TargetKind.MODULE.value
        target = f"-m {program.target}" if is_module else shlex.quote(program.target)
        for name, value in (
            ("program", target),
            ("args", shlex.join(program.args)),
            ("cwd", program.cwd),
            ("adapter", program.adapter),
        ):
            self.query_one(f"#{name}", Input).value = value
        line = self.query_one("#program", Input)
        line.cursor_position = len(line.value)
        self.set_focus(line)

    # Validation

    def problems(self) -> dict[str, str]:
        problems: dict[str, str] = {}
        for name, read in (
            ("program", self._target),
            ("args", self._arguments),
            ("cwd", self._folder),
            ("env", self._environment),
            ("python", self._interpreter),
            ("adapter", self._adapter),
        ):
            if name == "adapter" and "program" in problems:
                continue  # it depends on that
            try:
                read()
            except ValueError as error:
                problems[name] = str(error)
        if not problems and (why := missing_target(self._plan())):
            problems["program"] = why
        return problems

    def _target(self) -> tuple[TargetKind, str]:
        words = _split(self.text("program"))
        if not words:
            raise ValueError("name a script, or -m and a module")
        if words[0] == "-m":
            if len(words) != 2:
                raise ValueError("write -m and one module; its arguments go below")
            return TargetKind.MODULE, words[1]
        if len(words) > 1:
            raise ValueError("write one script; its arguments go below")
        return TargetKind.SCRIPT, str(_absolute(words[0], self._cwd))

    def _adapter(self) -> str:
        """Return the program's adapter. Raises ValueError for an unknown or missing one."""
        from tuidbg.adapters.errors import AdapterNotStarted
        from tuidbg.adapters.table import choose_adapter, find_profile

        kind, target = self._target()
        asked = self.text("adapter")
        if kind is TargetKind.MODULE:
            if asked not in ("", DEFAULT_ADAPTER):
                raise ValueError(f"only {DEFAULT_ADAPTER} debugs a module of Python's")
            return DEFAULT_ADAPTER
        adapter, _ = choose_adapter(Path(target), asked)
        try:
            start = find_profile(adapter).start
            if not start.is_included:
                start.locate()
        except AdapterNotStarted as error:
            raise ValueError(str(error)) from None
        return adapter

    def _arguments(self) -> list[str]:
        return _split(self.text("args"))

    def _folder(self) -> str:
        if not self.text("cwd"):
            return self._cwd
        folder = _absolute(self.text("cwd"), self._cwd)
        if not folder.is_dir():
            raise ValueError(f"there is no folder {self.text('cwd')}")
        return str(folder)

    def _environment(self) -> dict[str, str]:
        found = {}
        for pair in _split(self.text("env")):
            name, equals, value = pair.partition("=")
            if not name or not equals:
                raise ValueError(f"{pair} is not of the form NAME=value")
            found[name] = value
        return found

    def _interpreter(self) -> Environment:
        name = self.text("python")
        if not name:
            return find_environment(self._cwd)
        found = find_interpreter(name, Path(self._cwd))
        if found is None:
            raise ValueError(f"there is no interpreter {name}")
        return Environment(found)

    # The result

    def _plan(self) -> LaunchPlan:
        kind, target = self._target()
        is_module = kind is TargetKind.MODULE
        environment, adapter = self._interpreter(), self._adapter()
        asked = ProgramRequest(
            program="" if is_module else target,
            module=target if is_module else None,
            args=tuple(self._arguments()),
            cwd=self._folder(),
            env=self._environment(),
            python=environment.python,
            python_from=environment.why if adapter == DEFAULT_ADAPTER else "",
            stop_on_entry=self.ticked("entry"),
            just_my_code=self.ticked("mine"),
            sub_process=self.ticked("children"),
            django=self.ticked("django"),
            jinja=self.ticked("jinja"),
            console=Console(self.query_one("#console", ChoiceField).value),
            redirect_output=_REDIRECTIONS[self.query_one("#redirect", ChoiceField).value],
            adapter=adapter,
        )
        return make_plan(asked)

    def save(self) -> None:
        self.dismiss(self._plan())


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        raise ValueError("a quote is not closed") from None


def _absolute(name: str, folder: str) -> Path:
    try:
        return Path(folder, Path(name).expanduser()).absolute()
    except RuntimeError:
        raise ValueError(f"there is no home for {name}") from None


def _words_of(program: RecentProgram) -> tuple[tuple[str, str], ...]:
    is_module = program.kind == TargetKind.MODULE.value
    name = f"-m {program.target}" if is_module else PurePath(program.target).name
    words = " ".join([name, *map(shlex.quote, program.args)])
    return (visible(words), "name"), (f"  {visible(shorten(program.cwd, 30))}", "faint")
