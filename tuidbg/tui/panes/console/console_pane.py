"""The console pane: output of the program and the debugger, and an input line.

One key switches the line's mode: it evaluates in the selected frame, or is the program's stdin. The
pane only posts messages for both; results arrive as lines of the app's ``OutputBuffer``.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Static

from tuidbg.adapters.languages import PYTHON, Language
from tuidbg.session.core.output import OutputBuffer
from tuidbg.tui.panes.console.console_input import ConsoleInput, ConsolePopup, Mode
from tuidbg.tui.panes.console.console_log import GUTTER
from tuidbg.tui.panes.console.console_results import ConsoleResults
from tuidbg.tui.panes.console.console_text import MultilineInput
from tuidbg.tui.toolkit.keys.key_reader import Hint, given
from tuidbg.tui.toolkit.keys.key_reader import Mode as KeyMode
from tuidbg.tui.toolkit.widgets.pacing import RateLimit

if TYPE_CHECKING:
    from tuidbg.config.stores.console_history import ConsoleHistory

__all__ = ["ConsoleInput", "ConsolePane", "Mode"]

REPAINT_INTERVAL = 0.05
"""Seconds between two repaints during a flood of output."""

ELAPSED_INTERVAL = 1.0
"""Seconds between two updates of an evaluation's elapsed time."""

MAX_ROWS = 10
"""Maximum rows of the prompt, if the pane is high enough."""

_STDIN = "stdin> "
_CONTINUED = "... "
_SEARCH = "search> "
_STDIN_HINT = "a line for the program"


class ConsolePane(Widget):
    """The console's log above its input line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+t", "switch_mode", "Evaluate / stdin"),
        Binding("enter,i", "focus_input", show=False),
        Binding("pageup", "scroll_log(-1)", show=False),
        Binding("pagedown", "scroll_log(1)", show=False),
    ]
    DEFAULT_CSS = """
    ConsolePane {
        layout: vertical;
        width: 1fr;
        height: 1fr;
        background: $background;
    }
    ConsolePane > .console--row {
        height: auto;
        background: $surface;
    }
    ConsolePane .console--prompt {
        width: auto;
        color: $text-primary;
        text-style: bold;
    }
    ConsolePane.-stdin .console--prompt { color: $text-warning; }
    ConsolePane.-busy.-evaluate .console--prompt { color: $text-muted; }
    """

    mode: reactive[Mode] = reactive("evaluate")
    """The effect of Enter: evaluate the line, or send it to the program."""

    class Resized(Message):
        """A change of the pane's size."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._log = ConsoleResults()
        self._language = PYTHON
        self._hint = "expression or statement"
        self._prompt = Static(self._language.prompt, classes="console--prompt", markup=False)
        self._input = ConsoleInput()
        self._aid = self._input.aid
        self._aid.search_changed = self._show_mode
        self._input.switch_mode = self.action_switch_mode
        self._shown_prompt = self._language.prompt
        self._buffer: OutputBuffer | None = None
        self._busy = False
        self._busy_text = ""
        self._busy_since = 0.0
        self._busy_timer: Timer | None = None
        self._pacing = RateLimit(self.set_timer, REPAINT_INTERVAL, self._update)

    def compose(self) -> ComposeResult:
        yield self._log
        with Horizontal(classes="console--row"):
            yield self._prompt
            yield self._input
        yield self._aid.popup

    def on_resize(self) -> None:
        self._input.max_rows = min(MAX_ROWS, self.size.height // 2)
        self.post_message(self.Resized())

    # -- API for the app

    def speak(self, language: Language, hint: str) -> None:
        """Set the language; ``hint`` describes the valid input."""
        if (language, hint) != (self._language, self._hint):
            self._language = self._input.language = language
            self._hint = hint
            self._show_mode()

    @property
    def history(self) -> list[str]:
        """Evaluated texts, oldest first; Up and Down in the input go through them."""
        return self._input.history

    @history.setter
    def history(self, entries: list[str]) -> None:
        self._input.take_history(list(entries))

    @property
    def is_busy(self) -> bool:
        """Return whether an evaluation is running."""
        return self._busy

    def show(self, buffer: OutputBuffer) -> None:
        """Show the lines of ``buffer``."""
        self._buffer = buffer
        self._log.show(buffer)

    def set_empty(self, text: str) -> None:
        """Set the placeholder of an empty log."""
        self._log.set_empty(text)

    def output_changed(self) -> None:
        """Schedule a repaint. Cheap to call: many repaints are merged."""
        self._pacing.ask()

    def _update(self) -> bool:
        if self.is_mounted:
            self._log.update_lines()
        return self.is_mounted

    def set_busy(self, busy: bool, text: str = "") -> None:
        """Mark an evaluation as running (``text`` describes it in the input line) or ended."""
        self._busy = busy
        self._busy_text = f"{text.partition(chr(10))[0] or 'evaluating …'} · ^C stops"
        self._input.busy = busy
        self.set_class(busy, "-busy")
        if self._busy_timer is not None:
            self._busy_timer.stop()
            self._busy_timer = None
        if busy:
            self._busy_since = time.monotonic()
            self._busy_timer = self.set_interval(ELAPSED_INTERVAL, self._show_mode)
        self._show_mode()

    def say_busy(self, text: str) -> None:
        """Change the description of the running evaluation."""
        self._busy_text = text
        self._show_mode()

    @property
    def margin(self) -> int:
        """Cells of a row not available for output: gutter and scrollbar."""
        return GUTTER + self._log.styles.scrollbar_size_vertical

    @property
    def results(self) -> ConsoleResults:
        """The log, with results that can be opened."""
        return self._log

    def clear(self) -> None:
        """Remove all lines."""
        if self._buffer is not None:
            self._buffer.clear()
            self._log.show(self._buffer)

    @property
    def line(self) -> ConsoleInput:
        return self._input

    def focus_input(self) -> None:
        """Focus the input line for good."""
        self._input.stays = True
        self.screen.set_focus(self._input, scroll_visible=False)  # for keys typed ahead

    def note_stop(self, *, is_over: bool) -> None:
        """Return the keys when the program stops or ends: it reads no more.

        Not in the middle of a line: further letters would run commands.
        """
        line = self._input
        if line.value or line.aid.is_active:
            return
        if is_over or (self.mode == "stdin" and not line.stays):
            if self.screen.focused is line:
                line.give_back(answered=True)
            self.mode = "evaluate"

    def focus_log(self) -> None:
        """Focus the log for scrolling."""
        self._log.focus()

    # -- the input line

    @property
    def key_mode(self) -> KeyMode:
        """The keys while the log has the focus."""
        does = Hint("enter", "type to the program", "switch_input")
        if self.mode == "evaluate":
            does = Hint("enter", "evaluate", "evaluate")
        hints = [does]
        if self._log.has_results:
            hints.append(Hint("space", "open, close"))
        return KeyMode(hints=(*hints, given("clear_console", "clear")))

    def watch_mode(self, mode: Mode) -> None:
        self._input.mode = mode
        self.set_class(mode == "evaluate", "-evaluate")
        self.set_class(mode == "stdin", "-stdin")
        self._show_mode()

    def _show_mode(self) -> None:
        placeholder, prompt = _STDIN_HINT, _STDIN
        if self.mode == "evaluate":
            placeholder = self._hint
            prompt = self._language.prompt
        if self._aid.is_searching:
            placeholder, prompt = "part of an earlier input", _SEARCH
        elif self._busy and self.mode == "evaluate":
            placeholder = self._busy_text
            if seconds := int(time.monotonic() - self._busy_since):
                prompt = f"{seconds}s> "
        self._input.placeholder = placeholder
        self.refresh_bindings()
        continued = _CONTINUED[-max(len(prompt), 2) :]
        first = prompt if not self._input.scroll_offset.y else continued
        shown = "\n".join([first, *[continued] * (self._input.rows - 1)])
        if shown != self._shown_prompt:
            self._shown_prompt = shown
            self._prompt.update(shown)

    @on(MultilineInput.RowsChanged)
    def _show_prompts(self, event: Message) -> None:
        event.stop()
        self._show_mode()

    def action_switch_mode(self) -> None:
        """Switch the mode of Enter."""
        self.mode = "stdin" if self.mode == "evaluate" else "evaluate"

    def action_focus_input(self) -> None:
        self.focus_input()

    def action_scroll_log(self, pages: int) -> None:
        """Scroll the log by a page, from the input line."""
        if pages < 0:
            self._log.action_page_up()
        else:
            self._log.action_page_down()

    def show_names(self, text: str, start: int, names: Sequence[str]) -> bool:
        """Offer completions from ``start`` on; False if none matches.

        ``text`` is the input line when they were requested.
        """
        return self._aid.show_names(text, start, names)

    @on(ConsolePopup.Chosen)
    def _take_choice(self, event: Message) -> None:
        event.stop()
        self._aid.accept()

    @on(Input.Changed)
    def _follow_typing(self, event: Message) -> None:
        event.stop()
        self._aid.follow_typing()
        self.refresh_bindings()

    @on(Input.Blurred)
    def _leave_aid(self, event: Message) -> None:
        event.stop()
        self._aid.close()


class HasConsole(Protocol):
    """A screen with a console and other panes."""

    console: ConsolePane
    last_place: Widget | None

    @property
    def focused(self) -> Widget | None:
        """The focused widget."""

    def focus_pane(self, name: str) -> None: ...

    def focus_front(self, name: str) -> None:
        """Focus a pane, or the one shown in place of the source."""

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Focus a widget. Textual's."""


class Prompting:
    """The prompt of one session."""

    def __init__(self, ui: HasConsole) -> None:
        self._ui = ui
        self.history: ConsoleHistory | None = None
        """The history of earlier runs; read when the prompt is first used."""
        self.evaluating = asyncio.Lock()
        """Held during an evaluation."""
        self.saving = asyncio.Lock()
        """Held while the history is written."""
        self.lines: list[str] = []
        """History of the command line, newest last."""
        self.lining = asyncio.Lock()
        """Held while a command line runs."""
        ui.console.line.give_back = self.give_back

    def go_to_line(self, mode: Mode) -> None:
        """Focus the line until its purpose is done."""
        ui, line, came_from = self._ui, self._ui.console.line, self._ui.focused
        ui.console.mode = mode
        if came_from is not line:
            line.stays = False
            ui.focus_pane("console")
            ui.set_focus(line)
            ui.last_place = came_from

    def give_back(self, *, answered: bool) -> None:
        """Return the focus to its previous place.

        Show the place again if it is hidden; but with a result to read (``answered``) the log gets
        the focus instead.
        """
        ui, place = self._ui, self._ui.last_place
        ui.console.line.stays = True
        if place is not None and _is_shown(place):
            ui.set_focus(place, scroll_visible=False)
        elif answered:
            ui.set_focus(ui.console.results, scroll_visible=False)
        elif place is not None and place.is_attached and place.id:
            ui.focus_pane(place.id)
        else:
            ui.focus_front("source")


def _is_shown(place: Widget) -> bool:
    inside = (node for node in place.ancestors_with_self if isinstance(node, Widget))
    return place.is_attached and all(node.display for node in inside)


def is_place(widget: Widget | None) -> bool:
    """Return whether a widget is a place to return to: any but an input line."""
    return widget is not None and not isinstance(widget, Input)
