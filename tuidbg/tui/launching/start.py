"""The start screen: what a person sees who has typed ``tuidbg`` and nothing else.

A list to walk through; a letter that is typed opens the line for a command, and Esc gives the list
back. What takes a while to be found (tests, launch.json) is put in after the first picture.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from tuidbg import __version__
from tuidbg.config.launch_json.file import find_launch_file
from tuidbg.config.launch_json.jsonc import JsoncError
from tuidbg.config.stores.remembered import RecentProgram
from tuidbg.tui.frame.key_bar import KeyBar
from tuidbg.tui.keys.modes import CHOOSES, Hint, Mode
from tuidbg.tui.launching.command_line import CommandLineInput
from tuidbg.tui.launching.offers import Offer, Offers
from tuidbg.tui.launching.walked_list import WalkedList
from tuidbg.tui.widgets.lasting import LastingScreen
from tuidbg.tui.widgets.rows import RowsPane

if TYPE_CHECKING:
    from tuidbg.config.launch_json.workspace import Entry, Workspace
    from tuidbg.config.project_tests import ProjectTests
    from tuidbg.tui.surface import Launcher

_AIRY_FROM = 30
"""Rows of a screen from which on there are blank ones between the sections."""

_KEYS = frozenset("jkq? ")
"""Characters that are keys while the list has the focus; all others open the line."""
_OPENING = frozenset(("colon", "tab", "ctrl+o"))
"""Keys that open it empty, for what begins with one of those."""

_OF_LINE = (
    Hint("enter", "starts"),
    Hint("escape", "to the list"),
    Hint("tab", "completes"),
    Hint("up down", "what was started before"),
)


class LaunchingApp(Protocol):
    """The app that can launch and attach by dialogs."""

    @property
    def launching(self) -> Launcher:
        """Begins further sessions."""


class StartScreen(LastingScreen[None]):
    """Open a recent program, what the project offers, the demo, or what is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,ctrl+q", "app.quit", show=False),
        Binding("question_mark", "show_help", show=False),
        Binding("escape", "leave", show=False),
    ]
    DEFAULT_CSS = """
    StartScreen { layout: vertical; align-horizontal: center; padding: 0 1; }
    StartScreen.-tall { padding: 1 2; }
    StartScreen > * { max-width: 110; }
    StartScreen > KeyBar { max-width: 100%; }
    StartScreen #name { color: $foreground; text-style: bold; height: 1; padding: 0 1; }
    StartScreen #hint { color: $text-muted; background: $panel; height: 1; padding: 0 1; }
    StartScreen #problem { color: $text-error; height: auto; min-height: 1; padding: 0 1; }
    StartScreen WalkedList { height: 1fr; }
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
        self._cwd = cwd
        self._start = start
        self._back = back
        self._note = ""
        self._workspace: Workspace | None = None
        has_launch_file = find_launch_file(Path(cwd)) is not None
        self._has_launch_file = has_launch_file
        self._offers = Offers(recent, cwd, has_launch_file=has_launch_file)

    def compose(self) -> ComposeResult:
        yield Static(f"tuidbg {__version__} · What do you want to debug?", id="name")
        yield Static("Script or -m module, then its arguments", id="hint")
        yield CommandLineInput(self._cwd, self._offers.history)
        yield Static(self._note, id="problem", markup=False)
        yield WalkedList(self._take_typed, id="start")
        yield KeyBar(is_docked=True)

    @property
    def list(self) -> WalkedList:
        """Tells what there is to start."""
        return self.query_one(WalkedList)

    @property
    def line(self) -> CommandLineInput:
        """The command line; it is shown while something is typed."""
        return self.query_one(CommandLineInput)

    def on_mount(self) -> None:
        self.line.display = False
        self.set_focus(self.list)
        self.call_after_refresh(self._begin_looking)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height >= _AIRY_FROM, "-tall")
        self._show()

    def _show(self) -> None:
        is_tall = self.size.height >= _AIRY_FROM
        width = min(110, self.size.width - (4 if is_tall else 2)) - 1
        self.list.set_rows(self._offers.rows(width, is_airy=is_tall))

    # What is found later

    def _begin_looking(self) -> None:
        self.run_worker(self._look_for_tests(), group="tests", exclusive=True)
        if self._has_launch_file:
            self.run_worker(self._look_for_entries(), group="entries", exclusive=True)

    async def _look_for_tests(self) -> None:
        self._offers.programs = await asyncio.to_thread(_find_programs, Path(self._cwd))
        self._show()
        self._offers.tests = await asyncio.to_thread(_find_tests, Path(self._cwd))
        self._show()

    async def _look_for_entries(self) -> None:
        try:
            self._workspace, entries = await asyncio.to_thread(self._read_entries)
        except (OSError, JsoncError) as error:
            self._offers.take_entries((), str(error))
        else:
            self._offers.take_entries(entries)
        self._show()

    def _read_entries(self) -> tuple[Workspace | None, Sequence[Entry]]:
        workspace = self._launcher.look()
        return workspace, workspace.entries() if workspace is not None else ()

    @property
    def _launcher(self) -> Launcher:
        return cast("LaunchingApp", self.app).launching

    # Starting

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
        offer = event.key
        if not isinstance(offer, Offer):
            return
        self.say(f"{offer.name}: {offer.refused}" if offer.refused else "")
        if offer.words:
            self.say(self._start(list(offer.words), offer.cwd or self._cwd))
        elif offer.way == "configuration" and not offer.refused:
            if self._workspace is not None:
                self._launcher.run(self._workspace, offer.name)
        elif not offer.refused:
            ways = {"launch": self._launcher.launch, "attach": self._launcher.attach}
            ways.get(offer.way, self._launcher.choose)()

    def say(self, text: str) -> None:
        """Say what is wrong, or what has happened, above the list."""
        self._note = text
        for shown in self.query("#problem").results(Static):
            shown.update(text)

    # The line, and the list

    def _take_typed(self, event: events.Event) -> bool:
        """Open the line with a letter or what was pasted; False for a key of the list's."""
        if isinstance(event, events.Paste):
            self.open_line()
            self.line._forward_event(event)
            return True
        if not isinstance(event, events.Key):
            return False
        letter = event.character if event.is_printable else None
        opens_empty = event.key in _OPENING
        if opens_empty or (letter is not None and letter not in _KEYS):
            self.open_line("" if opens_empty else letter or "")
            return True
        return False

    def open_line(self, text: str = "") -> None:
        """Show the line, with the beginning of what is typed, and give it the keys."""
        self.query_one("#hint").display = False
        self.line.open(text)
        self.set_focus(self.line)

    @on(CommandLineInput.Left)
    def leave_line(self) -> None:
        """Give the list back; what was typed is let go."""
        self.line.display = False
        self.query_one("#hint").display = True
        self.set_focus(self.list)
        self.say("")

    def on_click(self, event: events.Click) -> None:
        if event.widget is not None and event.widget.id == "hint":
            self.open_line()

    @property
    def key_mode(self) -> Mode:
        """Letters are text in the line; in the list all but a few open it."""
        if self.is_mounted and self.line.display:
            return Mode("line", "start", _OF_LINE)
        hints = [Hint("enter", "starts"), Hint("colon", "type a command")]
        if self._back is not None:
            hints.append(Hint("escape", "back to the session"))
        more = (Hint("question_mark", "help"), Hint("q", "quit"), CHOOSES, Hint("f1", "manual"))
        return Mode("dialog", "", (*hints, *more))

    def action_leave(self) -> None:
        """Esc in the list: to the session that was shown before."""
        if self._back is not None:
            self._back()

    # Help

    def action_show_help(self) -> None:
        """Show the keys."""
        self.show_help()

    def show_help(self) -> None:
        """Show the keys and what there is to read."""
        from tuidbg.tui.help.dialog import HelpDialog

        self.app.push_screen(HelpDialog(None))


def _find_programs(folder: Path) -> tuple[tuple[str, ...], ...]:
    from tuidbg.config.project_programs import find_programs

    return find_programs(folder)


def _find_tests(folder: Path) -> ProjectTests | None:
    from tuidbg.config.project_tests import find_tests

    return find_tests(folder)
