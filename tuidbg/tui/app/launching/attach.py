"""The attach form: a debug server, a process, or a program that connects to us."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from tuidbg.config.environments import find_environment
from tuidbg.config.launch import AttachPlan
from tuidbg.config.launch_json.workspace import Workspace
from tuidbg.config.stores.remembered import RecentAttachment
from tuidbg.process.listing import PythonProcess, describe_age, list_processes, match_processes
from tuidbg.session.core.connect.plans import ProcessRequest, make_plan
from tuidbg.tui.app.launching.launch import ProgramForm
from tuidbg.tui.toolkit.dialogs.box import Box
from tuidbg.tui.toolkit.dialogs.form import ChoiceField, Tick
from tuidbg.tui.toolkit.dialogs.prompt import InputDialog, ListInput
from tuidbg.tui.toolkit.keys.key_reader import CHOOSES, CLOSES, Hint
from tuidbg.tui.toolkit.theme.theme import register_themes
from tuidbg.tui.toolkit.widgets.following import cell
from tuidbg.tui.toolkit.widgets.rows import ListRow, Piece, RowsPane, visible

LOOK_EVERY = 2.0
"""Seconds between two reads of the process list."""

_NONE = "No program runs here that could be attached to"


class ProcessesPane(RowsPane):
    """The filtered programs; those that can't be attached to are last and grey."""


class ProcessesDialog(InputDialog[PythonProcess | None]):
    """The process list. Result: the chosen program; None on Esc."""

    HINTS = (Hint("enter", "attach"), CLOSES, CHOOSES)

    DEFAULT_CSS = """
    ProcessesDialog #about { height: 1; color: $text-muted; padding: 0 1; }
    ProcessesDialog #box ProcessesPane { height: 1fr; }
    ProcessesDialog ProcessesPane > .rows--cursor-blurred { background: $primary 35%; }
    """

    def __init__(self, find_obstacle: Callable[[int], str], *, value: str = "") -> None:
        """``find_obstacle`` is the adapter profile's; ``value`` is the initial filter."""
        super().__init__()
        self._find_obstacle = find_obstacle
        self._value = value
        self._found: Sequence[PythonProcess] = ()
        self._shown: Sequence[PythonProcess] = ()
        self._has_looked = False

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = "Attach to a program"
            yield ListInput(
                self._value, placeholder="a part of the name, the command line, the pid"
            )
            yield Static("", id="about", markup=False)
            yield ProcessesPane(id="processes")

    def on_mount(self) -> None:
        self._look()
        self.set_interval(LOOK_EVERY, self._look)

    def _look(self) -> None:
        self.run_worker(self._list(), group="processes", exclusive=True)

    async def _list(self) -> None:
        self._found = await asyncio.to_thread(list_processes, self._find_obstacle)
        self._has_looked = True
        self._show()

    @on(Input.Changed)
    def _changed(self) -> None:
        if self._has_looked:
            self._show()
            self.query_one(ProcessesPane).action_edge(0)

    def on_resize(self) -> None:
        if self._has_looked:
            self._show()

    def _show(self) -> None:
        wanted = self.query_one(Input).value
        self._shown = match_processes(self._found, wanted)
        pane = self.query_one(ProcessesPane)
        pane.set_empty("No program fits" if self._found else _NONE)
        width = self.app.size.width - 5
        pane.set_rows([make_row(process, width) for process in self._shown])
        self._say(f"{len(self._shown):,} of {len(self._found):,}")

    def _say(self, text: str) -> None:
        self.query_one("#about", Static).update(text)

    def submit(self) -> None:
        """Choose the program under the cursor on Enter."""
        if self._has_looked:
            self._show()  # more may have been typed in the same packet
            self._choose(self.query_one(ProcessesPane).cursor_key)

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        self._choose(event.key)

    def _choose(self, pid: object) -> None:
        chosen = next((process for process in self._shown if process.pid == pid), None)
        if chosen is None:
            return
        if chosen.obstacle:
            self._say(f"can't attach to process {chosen.pid}: {chosen.obstacle}")
        else:
            self.dismiss(chosen)


def make_row(process: PythonProcess, width: int) -> ListRow:
    """Return a program as a row of ``width`` cells; a long command is truncated."""
    wide = width >= 90
    pid = cell(str(process.pid), 8, right=True) + "  "
    user = cell(process.user, 10) + "  " if width >= 70 else ""
    name = cell(process.name, 24 if wide else 18) + "  "
    age = cell(describe_age(process.age), 7, right=True) + "  "
    about = process.obstacle or process.command
    off = bool(process.obstacle)
    pieces: list[Piece] = [
        (pid, "faint" if off else "value"),
        (user, "faint"),
        (name, "faint" if off else "strong"),
        (age, "faint"),
        (visible(about), "warning" if off else "name"),
    ]
    return ListRow(process.pid, tuple(pieces))


class ProcessPicker(App[PythonProcess]):
    """An app that exits with the chosen program, or None."""

    TITLE = "tuidbg attach"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q,ctrl+c", "quit", show=False, priority=True)
    ]

    def __init__(self, find_obstacle: Callable[[int], str], theme: str) -> None:
        """``find_obstacle`` is the adapter profile's."""
        super().__init__()
        self.animation_level = "none"
        self._find_obstacle = find_obstacle
        register_themes(self, {theme})
        self.theme = theme

    def on_mount(self) -> None:
        self.push_screen(ProcessesDialog(self._find_obstacle), self.exit)


def pick_process(find_obstacle: Callable[[int], str], theme: str) -> PythonProcess | None:
    """Let the user choose a process; None on Esc."""
    return ProcessPicker(find_obstacle, theme).run()


_ABOUT = {
    "way": "Its debug server's port · its process · or wait here until it connects",
    "host": "Where it runs; the machine's own name is localhost",
    "port": "Port given to debugpy --listen or --connect",
    "pid": "The process id; F2 shows the Python programs that run",
    "ssh": "The machine from which host and port are reached, through a tunnel by ssh",
    "maps": "Folders here and there: src=/app; lib=/usr/lib",
    "mine": "Pass over libraries",
    "children": "Debug the processes that it starts, too",
    "wait": "Wait for a server that is not up yet, and attach again after a restart",
    "recent": "Enter takes one into the fields",
    "offered": "Enter runs what launch.json describes",
}
_WAYS = ("port", "process", "listen")
_MOST = 2**31 - 1


class AttachDialog(ProgramForm[AttachPlan | str | None]):
    """The form. Result: the plan, or the name of a configuration; None on Esc."""

    ABOUT = _ABOUT
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f2", "pick", show=False)]

    def __init__(
        self, recent: Sequence[RecentAttachment], workspace: Workspace | None, cwd: str
    ) -> None:
        super().__init__("#port")
        self._recent = recent
        self._workspace = workspace
        self._cwd = cwd

    # Composing

    def compose(self) -> ComposeResult:
        yield from self.compose_form("Attach to a program", does="Attach")

    def fields(self) -> ComposeResult:
        with Vertical(classes="column"):
            yield from self.choice("way", "By its", _WAYS, "port")
            yield from self.line("host", "Host", placeholder="localhost")
            yield from self.line("port", "Port", placeholder="5678")
            yield from self.line("pid", "Process id", placeholder="F2 lists processes")
            yield from self.line("ssh", "Through ssh", placeholder="[user@]host")
            yield from self.line("maps", "Path mappings", placeholder="src=/app", lines=True)
            yield from self.tick("wait", "Retry until up", True)
            with Horizontal(classes="field"):
                yield Static("", classes="label")
                yield Tick("just my code", True, id="mine")
                yield Tick("children", True, id="children")
        yield from self.lists("Recent")

    def on_mount(self) -> None:
        recent = (
            ((visible(each.title), "name"), (f"  {_mapped(each)}", "faint"))
            for each in self._recent
        )
        entries = self._workspace.entries() if self._workspace is not None else ()
        self.show_lists(recent, (entry for entry in entries if entry.request == "attach"))

    def give_offered(self, name: str) -> None:
        self.dismiss(name)

    def load_recent(self, index: int) -> None:
        recent = self._recent[index]
        self.query_one("#way", ChoiceField).value = "listen" if recent.listen else "port"
        for name, value in (
            ("host", recent.host),
            ("port", str(recent.port)),
            ("ssh", recent.ssh),
            ("maps", "; ".join(f"{here}={there}" for here, there in recent.path_mappings)),
        ):
            self.query_one(f"#{name}", Input).value = value
        self.set_focus(self.query_one("#port", Input))

    def action_pick(self) -> None:
        """Choose from the running processes."""
        from tuidbg.adapters.table import attach_obstacle

        def take(process: PythonProcess | None) -> None:
            if process is not None:
                self.query_one("#way", ChoiceField).value = "process"
                self.query_one("#pid", Input).value = str(process.pid)
                self.set_focus(self.query_one("#pid", Input))

        self.app.push_screen(ProcessesDialog(attach_obstacle), take)

    # Validation

    @property
    def _way(self) -> str:
        return self.query_one("#way", ChoiceField).value

    def problems(self) -> dict[str, str]:
        problems: dict[str, str] = {}
        if self._way == "process":
            if not 0 < _number(self.text("pid")) <= _MOST:
                problems["pid"] = "write a process id; F2 lists processes"
            elif why := _obstacle(_number(self.text("pid"))):
                problems["pid"] = why
        elif not 0 < _number(self.text("port")) < 65_536:
            problems["port"] = "write a port, 1 to 65535"
        if self.text("ssh") and (self._way != "port" or self.text("ssh").startswith("-")):
            problems["ssh"] = "only a port is reached through ssh, by [user@]host"
        try:
            self._mappings()
        except ValueError as error:
            problems["maps"] = str(error)
        return problems

    def _mappings(self) -> dict[str, str]:
        found = {}
        for pair in filter(None, (each.strip() for each in self.text("maps").split(";"))):
            here, equals, there = (part.strip() for part in pair.partition("="))
            if not here or not equals or not there:
                raise ValueError(f"{pair} is not of the form HERE=THERE")
            folder = Path(self._cwd, here).absolute()
            if not folder.is_dir():
                raise ValueError(f"there is no folder {here}")
            found[str(folder)] = there
        return found

    # The result

    def save(self) -> None:
        is_process, waits = self._way == "process", self.ticked("wait")
        by_port = self._way == "port"
        self.dismiss(
            make_plan(
                ProcessRequest(
                    host=self.text("host") or "localhost",
                    port=None if is_process else _number(self.text("port")),
                    pid=_number(self.text("pid")) if is_process else None,
                    listen=self._way == "listen",
                    cwd=self._cwd,
                    python=find_environment(self._cwd).python,
                    just_my_code=self.ticked("mine"),
                    sub_process=self.ticked("children"),
                    path_mappings=self._mappings(),
                    wait=math.inf if by_port and waits else None,
                    reconnect=by_port and waits,
                    ssh=self.text("ssh"),
                )
            )
        )


def _obstacle(pid: int) -> str:
    from tuidbg.adapters.table import attach_obstacle

    return attach_obstacle(pid)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else 0


def _mapped(recent: RecentAttachment) -> str:
    return visible("; ".join(f"{here}={there}" for here, there in recent.path_mappings))
