"""The console's input line: what the keys of a prompt do in it, or of a terminal in stdin mode."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, Protocol

from textual import events
from textual.message import Message
from textual.widget import Widget

from tuidbg.adapters.languages import PYTHON
from tuidbg.tui.console.aid import ConsoleAid
from tuidbg.tui.console.entry import (
    INDENT,
    as_sent,
    help_question,
    is_complete,
    next_indent,
    word_before,
)
from tuidbg.tui.console.hints import line_mode
from tuidbg.tui.console.text import MultilineInput
from tuidbg.tui.keys.modes import Mode as KeyMode

Mode = Literal["evaluate", "stdin"]


class GivesBack(Protocol):
    """Gives the keys back; ``answered``: there is something to be read in the console."""

    def __call__(self, *, answered: bool) -> None: ...


_UNTYPABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

_LONGEST = 100_000
"""Characters that can be pasted to be evaluated; it would be no help to have a part of them."""


class ConsoleInput(MultilineInput):
    """The input line, with the keys of a prompt (or of a terminal, in stdin mode)."""

    DEFAULT_CSS = """
    ConsoleInput {
        width: 1fr;
        background: $surface;
        &:focus { background-tint: $foreground 0%; }
    }
    """

    class FirstUsed(Message):
        """It has the focus for the first time."""

    class EvaluateRequested(Message):
        """The person wants ``expression`` evaluated; ``typed`` is how it was typed."""

        def __init__(self, expression: str, typed: str) -> None:
            super().__init__()
            self.expression = expression
            self.typed = typed

    class HelpRequested(Message):
        """``obj?``: what is known of an object, with ``source`` (``obj??``) its source too."""

        def __init__(self, expression: str, source: bool, typed: str) -> None:
            super().__init__()
            self.expression = expression
            self.source = source
            self.typed = typed

    class CompletionRequested(Message):
        """Tab: what could stand before the cursor?"""

        def __init__(self, text: str, cursor: int) -> None:
            super().__init__()
            self.text = text
            self.cursor = cursor

    class InputSubmitted(Message):
        """The person typed ``text`` for the program: a line (or lines), without the last end."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class EndOfInputRequested(Message):
        """Ctrl+D: the program should read an end of file."""

    class InterruptRequested(Message):
        """Ctrl+C: the program, or the evaluation that is running, should be interrupted."""

    def __init__(self) -> None:
        super().__init__()
        self.aid = ConsoleAid(self)
        self.switch_mode: Callable[[], None] = lambda: None
        """At once, and not by a message, which would come after the keys that were typed ahead."""
        self.give_back: GivesBack = lambda *, answered: None
        """At once as well: gives the keys back to where the person was."""
        self.stays = True
        """Tells whether the keys stay here after an evaluation."""
        self.mode: Mode = "evaluate"
        self.language = PYTHON
        self.busy = False
        self._is_secret = False
        self._is_used = False
        self.history: list[str] = []
        self._is_history_read = False
        self._recalls_ahead = 0
        self._recalled = 0
        self._unsent = ""
        self._whole = ""
        """Holds what was pasted or recalled: as long as nobody has changed it, Enter sends it."""

    @property
    def column(self) -> int:
        """Returns where it begins in its row."""
        return self.region.x - self.parent.region.x if isinstance(self.parent, Widget) else 0

    def on_mouse_down(self) -> None:
        """Whoever clicks here wants to be here."""
        self.stays = True

    def on_focus(self) -> None:
        if not self._is_used:
            self._is_used = True
            self.post_message(self.FirstUsed())

    async def _on_key(self, event: events.Key) -> None:
        """Take the prompt's own keys in their turn, not after what was typed behind them."""
        if self.screen.focused is not self:  # typed behind what gave the keys back
            self.app.call_next(self.app.post_message, events.Key(event.key, event.character))
            event.stop()
            event.prevent_default()
        elif (self.aid.is_active and self._take_aid_key(event.key)) or self._take_key(event.key):
            event.stop()
            event.prevent_default()

    def _take_aid_key(self, key: str) -> bool:
        """A key that has another meaning while there is a list over the line."""
        match key:
            case "tab" | "down":
                self.aid.move(1)
            case "shift+tab" | "up":
                self.aid.move(-1)
            case "ctrl+r":
                self.aid.search()
            case "enter":
                self.aid.accept()
            case "ctrl+c":
                self.aid.close()
            case _:
                return False
        return True

    def _take_key(self, key: str) -> bool:
        match key:
            case "enter":
                self.action_submit()
            case "escape":
                self.action_leave()
            case "alt+enter" | "shift+enter" | "shift+\r" | "ctrl+j" if self.mode == "evaluate":
                self._break_line()
            case "up":
                self._go_up()
            case "down":
                self._go_down()
            case "tab":
                return self._complete()
            case "backspace":
                return self._take_back_indent()
            case "ctrl+r" if self.mode == "evaluate":
                self.aid.search()
            case "ctrl+d":
                self.action_end_of_input()
            case "ctrl+c":
                self.action_interrupt()
            case "ctrl+t":
                self.switch_mode()
            case _:
                return False
        return True

    @property
    def key_mode(self) -> KeyMode:
        """Letters are text: of an expression, or for the program."""
        return line_mode(self)

    def highlights(self) -> bool:
        return self.mode == "evaluate" and self.language is PYTHON

    def set_secret(self, secret: bool) -> None:
        """The program reads what shall not be seen: a line for it is not shown, or is again."""
        if secret != self._is_secret:
            self._is_secret = secret
            self.refresh()

    def shown_lines(self) -> list[str]:
        lines = super().shown_lines()
        if self._is_secret and self.mode == "stdin":
            return ["•" * len(line) for line in lines]
        return lines

    # -- lines and history

    def _go_up(self) -> None:
        if self.is_on_first_line:
            self.action_history(-1)
        else:
            self.action_line(-1)

    def _go_down(self) -> None:
        if self.is_on_last_line:
            self.action_history(1)
        else:
            self.action_line(1)

    def remember(self, text: str) -> None:
        """Put an evaluated text at the end of the history."""
        if not self.history or self.history[-1] != text:
            self.history.append(text)
        self._recalled = 0

    def take_history(self, entries: list[str]) -> None:
        """Have that history from now on; who has asked for it before it was read gets it now."""
        self.history = entries
        self._is_history_read = True
        ahead, self._recalls_ahead = self._recalls_ahead, 0
        if not self.value:
            for _ in range(ahead):
                self.action_history(-1)

    def recall(self, text: str) -> None:
        """Put in what was typed before."""
        self.put(text)
        self._whole = text

    def action_history(self, by: int) -> None:
        """Bring back an earlier line, or a later one again."""
        recalled = self._recalled - by
        if self.mode != "evaluate":
            return
        if not 0 <= recalled <= len(self.history):
            if not self._is_history_read:
                self._recalls_ahead = max(0, self._recalls_ahead - by)
            return
        if self._recalled == 0:
            self._unsent = self.value
        self._recalled = recalled
        if recalled:
            self.recall(self.history[-recalled])
        else:
            self.put(self._unsent)

    def _break_line(self) -> None:
        """Go on in a new line, indented as Python wants it."""
        before = self.value[: self.selection.start]
        self.replace("\n" + next_indent(before, self.language), *self.selection)

    def _take_back_indent(self) -> bool:
        """Backspace after nothing but an indentation takes a step of it back."""
        before = self.value[self.line_start : self.cursor_position]
        if self.mode != "evaluate" or not self.selection.is_empty or len(before) < len(INDENT):
            return False
        if before.strip(" "):
            return False
        step = len(before) % len(INDENT) or len(INDENT)
        self.delete(self.cursor_position - step, self.cursor_position)
        return True

    def _complete(self) -> bool:
        """Tab: complete a name; indent in a line that is empty yet; else it is not ours."""
        if self.mode != "evaluate":
            return False
        if word_before(self.value, self.cursor_position):
            self.post_message(self.CompletionRequested(self.value, self.cursor_position))
            return True
        before = self.value[self.line_start : self.cursor_position]
        if "\n" in self.value and not before.strip():
            self.replace(" " * (len(INDENT) - len(before) % len(INDENT)), *self.selection)
            return True
        return bool(self.value.strip())  # what stands there shall not be left by mistake

    # -- sending

    def action_submit(self) -> None:  # type: ignore[override]
        """Take the text at once, if it is complete: what is typed ahead belongs to the next one."""
        text = self.value
        if self.mode == "stdin":
            self.put("")
            self.post_message(self.InputSubmitted(text))
        elif not text.strip():
            self.put("")
        elif text == self._whole or (self.is_on_last_line and is_complete(text, self.language)):
            self.put("")
            self._send(text.rstrip())
        else:
            self._break_line()

    def _send(self, text: str) -> None:
        self._whole = ""
        self.remember(text)
        question = help_question(text, self.language)
        if question is not None:
            self.post_message(self.HelpRequested(*question, text))
        else:
            self.post_message(self.EvaluateRequested(as_sent(text), text))
        if not self.stays:
            self.give_back(answered=True)

    def action_end_of_input(self) -> None:
        """Ctrl+D: a terminal's end of file; on a line to evaluate it deletes a character."""
        if self.mode == "stdin":
            self.post_message(self.EndOfInputRequested())
        else:
            self.action_delete_right()

    def action_interrupt(self) -> None:
        """Ctrl+C: interrupt what runs; where nothing does, copy the selection."""
        if self.mode == "stdin" or self.busy:
            self.post_message(self.InterruptRequested())
        elif self.selected_text:
            self.action_copy()

    def action_leave(self) -> None:
        """Escape: the text stays, the focus goes."""
        if not self.aid.close():
            self.give_back(answered=False)

    def action_paste(self) -> None:
        self._paste(self.app.clipboard)

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._paste(event.text)

    def _paste(self, text: str) -> None:
        """Put text in: several lines are one input, which Enter sends as it is.

        For the program, the lines that are whole are sent at once, as pasting into a terminal does.
        """
        text = _UNTYPABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
        if self.mode == "evaluate":
            text = text.rstrip("\n")
            if len(text) > _LONGEST:
                self.notify(
                    f"{len(text):,} characters are too many to evaluate: the limit is"
                    f" {_LONGEST:,}. Put them into a file and import or read it.",
                    severity="warning",
                )
                return
        self.replace(text, *self.selection)
        if self.mode == "evaluate":
            self._whole = self.value if "\n" in text else ""
        elif "\n" in self.value:
            lines, _, rest = self.value.rpartition("\n")
            self.put(rest)
            self.post_message(self.InputSubmitted(lines))
