"""The console pane: what the program and the debugger said, and a line to answer on.

The line has two modes that one key switches: it evaluates in the selected frame, or it is the
program's standard input. The pane only asks for either by a message; what comes of it comes back
as lines in the ``OutputBuffer`` that the app gives the pane.
"""

from __future__ import annotations

import re
from textwrap import dedent
from typing import ClassVar, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Static

from tuidbg.session.output import OutputBuffer
from tuidbg.tui.ordered_input import OrderedInput
from tuidbg.tui.panes.console_log import ConsoleLog

Mode = Literal["evaluate", "stdin"]

REPAINT_INTERVAL = 0.05
"""Seconds between two repaints while output floods in."""

LINE_END = "⏎"
"""How a line end is shown, and kept, in the one line of the input."""

_PROMPTS: dict[Mode, str] = {"evaluate": ">>> ", "stdin": "stdin> "}
_PLACEHOLDERS: dict[Mode, str] = {
    "evaluate": "expression or statement · ^T program's input",
    "stdin": "a line for the program · ^D end · ^C interrupt",
}
_UNTYPABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class ConsolePane(Widget):
    """The console's lines above, its input line below."""

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
        height: 1;
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
    """What Enter in the input does: evaluate the line, or send it to the program."""

    class EvaluateRequested(Message):
        """The person wants ``expression`` evaluated; it may have several lines."""

        def __init__(self, expression: str) -> None:
            super().__init__()
            self.expression = expression

    class InputSubmitted(Message):
        """The person typed ``text`` for the program: a line (or lines), without the last end."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class EndOfInputRequested(Message):
        """Ctrl+D: the program should read an end of file."""

    class InterruptRequested(Message):
        """Ctrl+C: the program, or the evaluation that is running, should be interrupted."""

    class Resized(Message):
        """The pane has another size now."""

    class InputLeft(Message):
        """Escape: the person has done with the input."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._log = ConsoleLog()
        self._prompt = Static(_PROMPTS["evaluate"], classes="console--prompt", markup=False)
        self._input = ConsoleInput()
        self._buffer: OutputBuffer | None = None
        self._busy = False
        self._busy_text = ""
        self._timer: Timer | None = None
        self._stale = False

    def compose(self) -> ComposeResult:
        yield self._log
        with Horizontal(classes="console--row"):
            yield self._prompt
            yield self._input

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    # -- what the app uses

    @property
    def history(self) -> list[str]:
        """What was evaluated, oldest first; Up and Down in the input go through it."""
        return self._input.history

    @history.setter
    def history(self, entries: list[str]) -> None:
        self._input.history = list(entries)

    @property
    def is_busy(self) -> bool:
        """Whether an evaluation is running."""
        return self._busy

    def show(self, buffer: OutputBuffer) -> None:
        """Show the lines of ``buffer`` from now on."""
        self._buffer = buffer
        self._log.show(buffer)

    def output_changed(self) -> None:
        """The buffer has changed. Cheap to call: repaints are put together when there are many."""
        if self._timer is not None:
            self._stale = True
        elif self.is_mounted:
            self._log.update_lines()
            self._timer = self.set_timer(REPAINT_INTERVAL, self._repaint_again)

    def _repaint_again(self) -> None:
        self._timer = None
        if self._stale:
            self._stale = False
            self.output_changed()

    def set_busy(self, busy: bool, text: str = "") -> None:
        """An evaluation runs (``text`` says so in the input line), or has ended."""
        self._busy, self._busy_text = busy, text
        self._input.busy = busy
        self.set_class(busy, "-busy")
        self._show_mode()

    def clear(self) -> None:
        """Forget the lines so far."""
        if self._buffer is not None:
            self._buffer.clear()
            self._log.show(self._buffer)

    def focus_input(self) -> None:
        """Put the focus on the input line."""
        self._input.focus()

    def focus_log(self) -> None:
        """Put the focus on the lines, to scroll them."""
        self._log.focus()

    # -- the input line

    def watch_mode(self, mode: Mode) -> None:
        self._input.mode = mode
        self.set_class(mode == "evaluate", "-evaluate")
        self.set_class(mode == "stdin", "-stdin")
        self._prompt.update(_PROMPTS[mode])
        self._show_mode()

    def _show_mode(self) -> None:
        placeholder = _PLACEHOLDERS[self.mode]
        if self._busy and self.mode == "evaluate":
            placeholder = self._busy_text or "evaluating … ^C stops it"
        self._input.placeholder = placeholder

    def action_switch_mode(self) -> None:
        """Let Enter do the other thing."""
        self.mode = "stdin" if self.mode == "evaluate" else "evaluate"

    def action_focus_input(self) -> None:
        """Go to the input line."""
        self.focus_input()

    def action_scroll_log(self, pages: int) -> None:
        """Scroll the lines by a page, from the input line."""
        if pages < 0:
            self._log.action_page_up()
        else:
            self._log.action_page_down()

    @on(Input.Changed)
    @on(Input.Blurred)
    def _keep(self, event: Message) -> None:
        event.stop()  # nobody else's business


class ConsoleInput(OrderedInput):
    """The input line, with the keys of a prompt (or of a terminal, in stdin mode)."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
    ]
    DEFAULT_CSS = """
    ConsoleInput {
        width: 1fr;
        background: $surface;
        &:focus { background-tint: $foreground 0%; }
    }
    """

    def __init__(self) -> None:
        # Blinking would write to the terminal twice a second for as long as nobody types.
        super().__init__(compact=True, select_on_focus=False)
        self.cursor_blink = False
        self.mode: Mode = "evaluate"
        self.busy = False
        self.history: list[str] = []
        self._recalled = 0
        self._unsent = ""

    async def _on_key(self, event: events.Key) -> None:
        """Take the prompt's own keys in their turn, not after what was typed behind them."""
        actions = {
            "enter": self.action_submit,
            "up": lambda: self.action_history(-1),
            "down": lambda: self.action_history(1),
            "ctrl+d": self.action_end_of_input,
            "ctrl+c": self.action_interrupt,
            "ctrl+t": self.query_ancestor(ConsolePane).action_switch_mode,
        }
        action = actions.get(event.key)
        if action is not None:
            event.stop()
            event.prevent_default()
            action()

    def remember(self, text: str) -> None:
        """Put an evaluated text at the end of the history."""
        if not self.history or self.history[-1] != text:
            self.history.append(text)
        self._recalled = 0

    def action_history(self, by: int) -> None:
        """Bring back an earlier line, or a later one again."""
        recalled = self._recalled - by
        if self.mode != "evaluate" or not 0 <= recalled <= len(self.history):
            return
        if self._recalled == 0:
            self._unsent = self.value
        self._recalled = recalled
        text = self.history[-recalled] if recalled else self._unsent
        self.value = text.replace("\n", LINE_END)
        self.cursor_position = len(self.value)

    def action_submit(self) -> None:  # type: ignore[override]
        """Take the line at once: what is typed ahead belongs to the next one."""
        text, self.value = self.value.replace(LINE_END, "\n"), ""
        if self.mode == "stdin":
            self.post_message(ConsolePane.InputSubmitted(text))
        elif text.strip():
            self.remember(text)
            expression = dedent(text) if "\n" in text else text
            self.post_message(ConsolePane.EvaluateRequested(expression))

    def action_end_of_input(self) -> None:
        """Ctrl+D: a terminal's end of file; on a line to evaluate it deletes a character."""
        if self.mode == "stdin":
            self.post_message(ConsolePane.EndOfInputRequested())
        else:
            self.action_delete_right()

    def action_interrupt(self) -> None:
        """Ctrl+C: interrupt what runs; where nothing does, copy the selection."""
        if self.mode == "stdin" or self.busy:
            self.post_message(ConsolePane.InterruptRequested())
        elif self.selected_text:
            self.action_copy()

    def action_leave(self) -> None:
        """Escape: the text stays, the focus goes."""
        self.post_message(ConsolePane.InputLeft())

    def action_paste(self) -> None:
        self._paste(self.app.clipboard)

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._paste(event.text)

    def _paste(self, text: str) -> None:
        """Put text in. Nothing of it is lost: several lines are kept as one with marks between.

        For the program, the lines that are whole are sent at once, as pasting into a terminal does.
        """
        text = _UNTYPABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
        if self.mode == "evaluate":
            text = text.rstrip("\n")
        self.replace(text.replace("\n", LINE_END), *self.selection)
        if self.mode == "stdin" and LINE_END in self.value:
            lines, _, rest = self.value.rpartition(LINE_END)
            self.value = rest
            self.cursor_position = len(rest)
            self.post_message(ConsolePane.InputSubmitted(lines.replace(LINE_END, "\n")))
