"""The start screen: what a person sees who has typed ``tuidbg`` and nothing else."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from tuidbg.config.launch_json.file import find_launch_file
from tuidbg.config.stores.remembered import RecentProgram
from tuidbg.tui.frame.help import HelpDialog
from tuidbg.tui.widgets.lasting import LastingScreen
from tuidbg.tui.widgets.ordered_input import OrderedInput
from tuidbg.tui.widgets.paths import PathSuggester
from tuidbg.tui.widgets.rows import Row, RowsPane, shorten, visible

if TYPE_CHECKING:
    from tuidbg.tui.surface import Launcher


class LaunchingApp(Protocol):
    """The app that can launch and attach by dialogs."""

    @property
    def launching(self) -> Launcher:
        """Begins further sessions."""


class RecentPane(RowsPane):
    """The programs that were debugged last."""

    EMPTY = "No programs yet. Type a path above, or start the demo below."


class StartScreen(LastingScreen[None]):
    """Open a file, a recent program or the demo."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,ctrl+q", "app.quit", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("escape", "leave_input", show=False),
        Binding("ctrl+o,o,slash", "open", show=False),
    ]
    DEFAULT_CSS = """
    StartScreen { align: center middle; }
    StartScreen #box { width: 76; max-width: 96%; height: auto; max-height: 100%; }
    StartScreen #name { color: $primary; text-style: bold; }
    StartScreen .faint { color: $text-muted; }
    StartScreen Input { border: none; height: 1; padding: 0 1; background: $surface; }
    StartScreen Input:focus { border: none; background: $panel; }
    StartScreen #problem { color: $text-error; height: auto; min-height: 1; }
    StartScreen RecentPane { height: 9; max-height: 40%; }
    """

    def __init__(
        self,
        recent: Sequence[RecentProgram],
        cwd: str,
        start: Callable[[list[str], str], str],
        back: Callable[[], None] | None = None,
    ) -> None:
        """``start`` gets command-line words and a folder, and says what is wrong, or nothing.

        ``back`` leads to the session that was shown before, where there was one.
        """
        super().__init__()
        self._recent = recent
        self._cwd = cwd
        self._start = start
        self._back = back
        self._note = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static("tuidbg", id="name")
            yield Static("A debugger for the terminal. What shall it run?", classes="faint")
            yield Static("")
            yield OrderedInput(
                placeholder="a script and its arguments, or -m module",
                suggester=PathSuggester(self._cwd),
                id="target",
            )
            yield Static(self._note, id="problem", markup=False)
            yield Static("Recent programs", classes="faint")
            yield RecentPane(id="recent")
            yield Static("")
            yield Static(
                Text(
                    "Enter starts · Tab: list and back · Esc goes back to the session"
                    if self._back is not None
                    else "Enter starts · Tab: list and back · ? help · q quits"
                ),
                classes="faint",
            )

    def on_mount(self) -> None:
        rows = [_recent_row(index, program) for index, program in enumerate(self._recent)]
        rows += self._more_rows()
        rows.append(Row("demo", (("  demo", "name"), ("  a small program to try it on", "faint"))))
        self.query_one(RecentPane).set_rows(rows)
        self.set_focus(self.query_one("#target"))

    def _more_rows(self) -> list[Row]:
        ways = [
            ("launch", "Launch…", "a program, with options"),
            ("attach", "Attach…", "to a program that runs"),
        ]
        if (file := find_launch_file(Path(self._cwd))) is not None:
            ways.insert(0, ("choose", "launch.json…", shorten(str(file.parent.parent), 40)))
        return [
            Row(key, ((f"  {title}", "name"), (f"  {visible(about)}", "faint")))
            for key, title, about in ways
        ]

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        try:
            words = shlex.split(event.value)
        except ValueError as error:
            self.say(str(error))
            return
        if words:
            self.say(self._start(words, self._cwd))

    @on(RowsPane.Activated)
    def _chosen(self, event: RowsPane.Activated) -> None:
        if event.key == "demo":
            self.say(self._start(["demo"], self._cwd))
        elif isinstance(event.key, str):
            launcher = cast("LaunchingApp", self.app).launching
            begin = {"launch": launcher.launch, "attach": launcher.attach}
            begin.get(event.key, launcher.choose)()
        elif isinstance(event.key, int):
            program = self._recent[event.key]
            self.say(self._start(program.words, program.cwd or self._cwd))

    def say(self, text: str) -> None:
        """Say what is wrong, or what has happened, below the line."""
        self._note = text
        for shown in self.query("#problem").results(Static):
            shown.update(text)

    def action_help(self) -> None:
        """Show the keys."""
        self.app.push_screen(HelpDialog(None))

    def action_leave_input(self) -> None:
        """From the input to the list, or to the session that was shown before."""
        if self._back is not None:
            self._back()
            return
        self.query_one(RecentPane).focus()

    def action_open(self) -> None:
        """To the input."""
        self.query_one("#target").focus()


def _recent_row(index: int, program: RecentProgram) -> Row:
    name = f"-m {program.target}" if program.kind == "module" else PurePath(program.target).name
    words = " ".join([name, *map(shlex.quote, program.args)])
    folder = program.cwd if program.kind == "module" else str(PurePath(program.target).parent)
    pieces = ((f"  {visible(words)}", "name"), (f"  {visible(shorten(folder, 40))}", "faint"))
    return Row(index, pieces)
