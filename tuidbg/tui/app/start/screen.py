"""The start screen, shown for ``tuidbg`` without arguments.

The command line has the focus, and while it is empty the arrow keys move in the list below. Slow
suggestions (tests, launch.json) are added after the first paint.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from tuidbg import __version__
from tuidbg.config.launch_json.file import find_launch_file
from tuidbg.config.launch_json.jsonc import JsoncError
from tuidbg.config.stores.remembered import RecentProgram
from tuidbg.tui.app.start import commands
from tuidbg.tui.app.start.suggestions import Offers, Suggestion
from tuidbg.tui.toolkit.keys.key_reader import Hint, Mode
from tuidbg.tui.toolkit.widgets.input import OrderedInput, PathSuggester
from tuidbg.tui.toolkit.widgets.key_bar import KeyBar
from tuidbg.tui.toolkit.widgets.rows import ListRow, RowsPane
from tuidbg.tui.toolkit.widgets.safe_screens import LastingScreen

if TYPE_CHECKING:
    from tuidbg.config.launch_json.workspace import LaunchEntry, Workspace
    from tuidbg.config.project_programs import ProjectTests
    from tuidbg.tui.panes.bar_commands import Offered
    from tuidbg.tui.panes.context import Application, LaunchActions


class WalkedList(RowsPane, can_focus=False):
    """A list in which rows without a key are headings or text; the line above has the focus."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--heading"}
    DEFAULT_CSS = """
    WalkedList > .rows--heading { color: $foreground; text-style: bold; }
    WalkedList > .rows--cursor-blurred { background: $primary 35%; }
    WalkedList.-passive > .rows--cursor-blurred { background: $foreground 8%; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._is_walked = False

    def set_rows(self, rows: Sequence[ListRow]) -> None:
        """Set the rows; the cursor stays on its row, at its place on the screen if possible.

        Until it is moved, it stays on the first one.
        """
        before = self.cursor
        super().set_rows(rows)
        if not self._is_walked:
            self._move_cursor(0)
        elif self.cursor_key is None:
            self._move_cursor(self.cursor)
        elif self.scroll_offset.y:
            self._scroll_at_once(self.scroll_offset.y + self.cursor - before)

    def _move_cursor(self, index: int) -> None:
        """Move to the row, or on in the same direction to the next one with a key."""
        places = [place for place, row in enumerate(self.rows) if row.key is not None]
        if not places:
            return
        onward = [place for place in places if place >= index]
        backward = [place for place in places if place <= index]
        if index < self.cursor:
            self.cursor = backward[-1] if backward else places[0]
        else:
            self.cursor = onward[0] if onward else places[-1]

    def _scroll_to_cursor(self) -> None:
        """Scroll to the cursor, including the heading above the first row of a section."""
        super()._scroll_to_cursor()
        first = self.cursor
        while first > 0 and self.rows[first - 1].key is None:
            first -= 1
        if first < self.scroll_offset.y and self.cursor - first < self.size.height:
            self._scroll_at_once(first)

    def action_cursor(self, by: int) -> None:
        self._is_walked = True
        super().action_cursor(by)

    def action_page(self, by: int) -> None:
        self._is_walked = True
        super().action_page(by)

    def action_edge(self, end: int) -> None:
        self._is_walked = True
        super().action_edge(end)

    def on_click(self, event: events.Click) -> None:
        index = event.y + self.scroll_offset.y
        if index < len(self.rows) and self.rows[index].key is None:
            event.prevent_default()  # a heading: not a click on a row near it


class CommandLineInput(OrderedInput):
    """The command line.

    Empty, it passes movement keys to the list below, and Enter starts the row there. With text, Up
    and Down recall earlier commands; Tab and the right arrow accept the suggestion; Esc clears it.
    """

    DEFAULT_CSS = """
    CommandLineInput, CommandLineInput:focus {
        border: round $primary; height: 3; padding: 0 1; background: $background;
    }
    StartScreen.-low CommandLineInput, StartScreen.-low CommandLineInput:focus {
        border: none; height: 1; background: $panel; margin: 0 1;
    }
    """

    def __init__(self, cwd: str, history: Sequence[str], offers: WalkedList) -> None:
        """``history`` has the newest last."""
        super().__init__(
            placeholder="Script or -m module, then its arguments",
            suggester=PathSuggester(cwd),
            id="target",
            select_on_focus=False,
        )
        self._history = history
        self._offers = offers
        self._recalled = 0
        self._typed = ""

    async def _on_key(self, event: events.Key) -> None:
        if not (self._take_with_text(event.key) if self.value else self._take_empty(event.key)):
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()

    def _take_empty(self, key: str) -> bool:
        """Pass a key to the list or the screen; False for one that begins a command."""
        offers = self._offers
        match key:
            case "up" | "down":
                offers.action_cursor(1 if key == "down" else -1)
            case "pageup" | "pagedown":
                offers.action_page(1 if key == "pagedown" else -1)
            case "home" | "end":
                offers.action_edge(1 if key == "end" else 0)
            case "enter":
                offers.action_activate()
            case "question_mark":
                self.app.call_next(self.screen.run_action, "show_help")
            case "escape":
                self.app.call_next(self.screen.run_action, "leave")
            case "tab" | "colon" | "space":
                pass  # nothing to complete; no command begins with a colon or a blank
            case _:
                return False
        return True

    def _take_with_text(self, key: str) -> bool:
        match key:
            case "escape":
                self.value = ""
                self._recalled = 0
            case "tab":
                self.action_cursor_right()
            case "up" | "down":
                self._recall(1 if key == "up" else -1)
            case _:
                return False
        return True

    def _recall(self, by: int) -> None:
        if not self._recalled:
            self._typed = self.value
        self._recalled = max(0, min(self._recalled + by, len(self._history)))
        self.value = self._history[-self._recalled] if self._recalled else self._typed
        self.cursor_position = len(self.value)


_AIRY_FROM = 30
"""Screen rows from which sections are separated by blank rows."""

_LOW_BELOW = 20
"""Screen rows below which the line has no box."""
_WIDTH = 96

_LEAVING = frozenset(("q", "quit", "exit"))
"""Words that quit, unless there is a file of that name."""

_WITH_TEXT = (
    Hint("enter", "start"),
    Hint("escape", "clear"),
    Hint("tab", "complete"),
    Hint("up down", "earlier ones"),
)
_EMPTY = (
    Hint("enter", "start"),
    Hint("up down", "choose"),
    Hint("question_mark", "help"),
    Hint("ctrl+q", "quit"),
    Hint("ctrl+p", "commands"),
    Hint("f1", "manual"),
)


class StartScreen(LastingScreen[None]):
    """The screen that opens a recent program, a suggestion, the demo, or a typed command."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f7", "command('choose_key_map')", show=False),
        Binding("f8", "command('next_theme')", show=False),
        Binding("shift+f8", "command('show_settings')", show=False),
    ]
    DEFAULT_CSS = f"""
    StartScreen {{ layout: vertical; align-horizontal: center; padding: 0 1; }}
    StartScreen > * {{ max-width: {_WIDTH}; }}
    StartScreen > KeyBar {{ max-width: 100%; }}
    StartScreen #name {{ color: $foreground; text-style: bold; height: 1; padding: 0 2; }}
    StartScreen #problem {{ color: $text-error; height: auto; min-height: 1; padding: 0 2; }}
    StartScreen WalkedList {{ height: 1fr; padding: 0 1; }}
    """

    def __init__(
        self,
        recent: Sequence[RecentProgram],
        cwd: str,
        start: Callable[[list[str], str], str],
        back: Callable[[], None] | None = None,
    ) -> None:
        """``start`` gets command-line words and a folder, and returns an error or nothing.

        ``back`` returns to the previous session, if any.
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
        offers = WalkedList(id="start")
        yield Static(f"tuidbg {__version__} · What do you want to debug?", id="name")
        yield CommandLineInput(self._cwd, self._offers.history, offers)
        yield Static(self._note, id="problem", markup=False)
        yield offers
        yield KeyBar(is_docked=True)

    @property
    def list(self) -> WalkedList:
        """The list of suggestions."""
        return self.query_one(WalkedList)

    @property
    def line(self) -> CommandLineInput:
        """The command line."""
        return self.query_one(CommandLineInput)

    def on_mount(self) -> None:
        self.set_focus(self.line)
        self.call_after_refresh(self._begin_looking)

    def on_resize(self, event: events.Resize) -> None:
        height = event.size.height
        self.set_class(height < _LOW_BELOW, "-low")
        # Not centred: later suggestions would move everything.
        self.styles.padding = (height // 10 if height >= _LOW_BELOW else 0, 1, 0, 1)
        self._show()

    def _show(self) -> None:
        width = min(_WIDTH, self.size.width - 2) - 3
        self.list.set_rows(self._offers.rows(width, is_airy=self.size.height >= _AIRY_FROM))

    # Suggestions added later

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

    def _read_entries(self) -> tuple[Workspace | None, Sequence[LaunchEntry]]:
        workspace = self._launcher.look()
        return workspace, workspace.entries() if workspace is not None else ()

    @property
    def _launcher(self) -> LaunchActions:
        return cast("Application", self.app).launching

    # Starting

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        try:
            words = shlex.split(event.value)
        except ValueError as error:
            self.say(str(error))
            return
        if len(words) == 1 and words[0] in _LEAVING and not Path(self._cwd, words[0]).exists():
            self.app.call_later(self.app.run_action, "quit")
        elif words:
            self.say(self._start(words, self._cwd))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        self.list.set_class(bool(event.value), "-passive")
        self.list.refresh()
        self.refresh_bindings()

    @on(RowsPane.Activated)
    def _chosen(self, event: RowsPane.Activated) -> None:
        offer = event.key
        if not isinstance(offer, Suggestion):
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
        """Show an error or a message above the list."""
        self._note = text
        for shown in self.query("#problem").results(Static):
            shown.update(text)

    # Keys

    @property
    def key_mode(self) -> Mode:
        """The keys: letters are text; while there is none, arrows are the list's."""
        if self.is_mounted and self.line.value:
            return Mode("line", "start", _WITH_TEXT)
        hints = [*_EMPTY]
        if self._back is not None:
            hints.insert(1, Hint("escape", "back to the session"))
        return Mode("line", "start", hints)

    def action_leave(self) -> None:
        """Return to the previous session on Esc in an empty line."""
        if self._back is not None:
            self._back()
        else:
            self.say("Ctrl+Q quits")

    def offered(self) -> Sequence[Offered]:
        """Return the commands available here, for the palette."""
        return commands.offered(self._surroundings)

    def action_command(self, name: str) -> None:
        commands.give(self._surroundings, name)

    @property
    def _surroundings(self) -> commands.StartContext:
        tuidbg = cast("Application", self.app)
        return commands.StartContext(self.app, tuidbg, self.say, self.show_help, self._cwd)

    # Help

    def action_show_help(self) -> None:
        self.show_help()

    def show_help(self) -> None:
        """Show the keys and the list of manuals."""
        from tuidbg.tui.app.help.dialog import HelpDialog

        self.app.push_screen(HelpDialog(None))


def _find_programs(folder: Path) -> tuple[tuple[str, ...], ...]:
    from tuidbg.config.project_programs import find_programs

    return find_programs(folder)


def _find_tests(folder: Path) -> ProjectTests | None:
    from tuidbg.config.project_programs import find_tests

    return find_tests(folder)
