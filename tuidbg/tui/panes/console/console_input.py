"""The console's input line: the keys of a prompt, or of a terminal in stdin mode."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from os.path import commonprefix
from textwrap import dedent
from typing import ClassVar, Literal, NamedTuple, Protocol

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tuidbg.adapters.languages import PYTHON, Language
from tuidbg.tui.panes.console.console_text import MultilineInput
from tuidbg.tui.toolkit.keys.key_reader import Hint
from tuidbg.tui.toolkit.keys.key_reader import Mode as KeyMode
from tuidbg.tui.toolkit.theme.lazy_styles import LazyStyles
from tuidbg.tui.toolkit.widgets.rows import fit

INDENT = "    "

_HELP = re.compile(r"\s*(?:(\?{1,2})\s*([^?]+?)|([^?#]+?)\s*(\?{1,2}))\s*")
_NAME = re.compile(r"[^\W\d]\w*")
_WORD = re.compile(r"(?:[\w.]|->|::)*$")
_LAST = re.compile(r"(?P<owner>.*?)(?:\.|->|::|^)(?P<part>\w*)$")
_OPENS = re.compile(r":\s*(#.*)?$")
_LEAVES = re.compile(r"\s*(return|raise|pass|break|continue)\b")


class HelpQuestion(NamedTuple):
    """``obj?`` (with ``source``: ``obj??``), or the same with leading question marks."""

    expression: str
    source: bool


def help_question(text: str, language: Language = PYTHON) -> HelpQuestion | None:
    """Parse a help question; None for code."""
    if not language.is_exact:
        return None
    match = _HELP.fullmatch(text)
    if match is None or "\n" in text.strip():
        return None
    before, after_marks, expression, marks = match.groups()
    expression, marks = (after_marks, before) if before else (expression, marks)
    return HelpQuestion(expression.strip(), len(marks) == 2)


def as_sent(text: str) -> str:
    """Remove the common indentation of pasted lines."""
    return dedent(text) if "\n" in text else text


def is_complete(text: str, language: Language = PYTHON) -> bool:
    """Return whether Enter submits; else it continues in a new line.

    Invalid code is submitted too: Python explains the error better. As in the REPL, an empty line
    ends a block.
    """
    text = as_sent(text)
    if not language.is_exact:
        return not language.check(text).endswith("is never closed") or text.endswith("\n")
    if not text.strip() or help_question(text) is not None:
        return True
    *_, last = text.split("\n")
    if text.startswith("%%"):  # a cell magic of IPython
        return "\n" in text and not last.strip()
    if _is_unfinished(text):
        return False
    return not _is_block(text) or not last.strip()


def _is_unfinished(text: str) -> bool:
    """Return whether more text could complete it, with the method of ``codeop``."""
    import codeop

    compiler = codeop.CommandCompiler()
    compiler.compiler.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return compiler(text, symbol="exec") is None
        except (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError):
            return False


def _is_block(text: str) -> bool:
    """Return whether its last statement has a body on other lines than its first."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    if not body or not (hasattr(body[-1], "body") or isinstance(body[-1], ast.Match)):
        return False
    return (body[-1].end_lineno or 0) > body[-1].lineno


def next_indent(text: str, language: Language = PYTHON) -> str:
    """Return the indentation of the next line."""
    *_, last = text.split("\n")
    own = last[: len(last) - len(last.lstrip())]
    if not language.is_exact:
        return own
    if _OPENS.search(last):
        return own + INDENT
    if _LEAVES.match(last):
        return own[: -len(INDENT)]
    return own


def word_before(text: str, cursor: int) -> str:
    """Return the dotted name that ends at the cursor."""
    found = _WORD.search(text[:cursor])
    return found[0] if found is not None else ""


def split_word(word: str) -> tuple[str, str]:
    """Split at the last dot (or arrow): the owner, and the partial name after it."""
    found = _LAST.match(word)
    return (found["owner"], found["part"]) if found is not None else ("", word)


def local_names(
    variables: Iterable[str], history: Iterable[str], language: Language = PYTHON
) -> set[str]:
    """Return names for completion known without asking the program."""
    names = set(language.names)
    names |= {name for name in variables if name.isidentifier()}
    for text in history:
        names |= {name for name in _NAME.findall(text) if len(name) > 2}
    return names


def local_attributes(owner: str, history: Iterable[str]) -> set[str]:
    """Return attributes of ``owner`` typed before."""
    pattern = re.compile(rf"(?<![\w.]){re.escape(owner)}\.([^\W\d]\w*)")
    return {name for text in history for name in pattern.findall(text)}


_BACK = Hint("escape", "back to the keys")

_STDIN = (
    Hint("enter", "send the line"),
    _BACK,
    Hint("ctrl+d", "end of input"),
    Hint("ctrl+c", "interrupt"),
    Hint("ctrl+t", "evaluate"),
)
_NAMES = (Hint("enter", "select"), Hint("escape", "close"), Hint("up down", "choose"))
_SEARCH = (Hint("enter", "select"), Hint("escape", "close"), Hint("ctrl+r", "older"))
_BUSY = (Hint("ctrl+c", "stop"), _BACK)


def line_mode(line: ConsoleInput) -> KeyMode:
    """Return the mode of the line: stdin text or an expression; with its list, if one is open."""
    if line.aid.is_searching:
        return KeyMode("evaluate", "search", _SEARCH)
    if line.mode == "stdin":
        return KeyMode("program", "stdin", _STDIN)
    if line.aid.is_active:
        return KeyMode("evaluate", "evaluate", _NAMES)
    return KeyMode("evaluate", "evaluate", _BUSY if line.busy else tuple(_evaluating(line)))


def _evaluating(line: ConsoleInput) -> Iterator[Hint]:
    yield Hint("enter", "evaluate")
    yield _BACK
    if word_before(line.value, line.cursor_position):
        yield Hint("tab", "complete")
    if line.history:
        yield Hint("up", "earlier")
        yield Hint("ctrl+r", "search")
    yield Hint("alt+enter", "new line")
    yield Hint("ctrl+t", "program's input")


MAX_ROWS = 8
_MAX_WIDTH = 60
_LINE_END = "⏎"


class ConsolePopup(LazyStyles, Widget):
    """A popup list with a selected text."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"console-popup--selected", "console-popup--more"}
    DEFAULT_CSS = """
    ConsolePopup {
        overlay: screen;
        constrain: inside inside;
        display: none;
        width: auto;
        height: auto;
        background: $panel;
        color: $foreground;
    }
    ConsolePopup > .console-popup--selected { background: $primary 60%; text-style: bold; }
    ConsolePopup > .console-popup--more { color: $text-muted; }
    """

    class Chosen(Message):
        """A click on an item; it is selected."""

    def __init__(self) -> None:
        super().__init__()
        self.items: tuple[str, ...] = ()
        self.selected = 0

    @property
    def choice(self) -> str:
        """The selected text."""
        return self.items[self.selected]

    def show(self, items: Sequence[str], *, column: int, below: int) -> None:
        """Show items, the first selected, with their text at a column of the parent.

        ``below`` is the number of rows under the list: those of the prompt.
        """
        self.items = tuple(items)
        self.selected = 0
        height = len(self._window()) + self._has_more
        width = max(cell_len(_shown(item)) for item in self.items)
        if self._has_more:
            width = max(width, len(self._count(len(self.items))))
        self.styles.width = min(_MAX_WIDTH, width + 2)
        self.styles.height = height
        self.styles.offset = (column - 1, -below - height)
        self.display = True
        self.refresh()

    def close(self) -> None:
        """Hide the list."""
        self.display = False
        self.items = ()

    def move(self, by: int) -> None:
        """Move the selection, wrapping at the ends."""
        self.selected = (self.selected + by) % len(self.items)
        self.refresh()

    @property
    def _has_more(self) -> bool:
        return len(self.items) > MAX_ROWS

    def _window(self) -> range:
        first = max(0, min(self.selected - MAX_ROWS // 2, len(self.items) - MAX_ROWS))
        return range(first, min(first + MAX_ROWS, len(self.items)))

    def render_line(self, y: int) -> Strip:
        base, window = self.rich_style, self._window()
        if y < len(window):
            index = window[y]
            selected = index == self.selected
            style = base
            if selected:
                style = base + self.get_component_rich_style("console-popup--selected")
            return fit([Segment(f" {_shown(self.items[index])}", style)], self.size.width, style)
        more = base + self.get_component_rich_style("console-popup--more")
        text = f" {self._count(self.selected + 1)}"
        return fit([Segment(text, more)], self.size.width, more)

    def _count(self, number: int) -> str:
        return f"{number} of {len(self.items)}"

    def on_click(self, event: events.Click) -> None:
        window = self._window()
        if event.y < len(window):
            self.selected = window[event.y]
            self.post_message(self.Chosen())


def _shown(text: str) -> str:
    """Return a text of several lines as one."""
    return text.replace("\n", _LINE_END).replace("\t", " ")


class ConsoleAid:
    """Completion and history search of a ``ConsoleInput``.

    ``search_changed`` is called when a search begins or ends.
    """

    def __init__(self, line: ConsoleInput) -> None:
        self.popup = ConsolePopup()
        self.search_changed: Callable[[], None] = lambda: None
        self._input = line
        self._names: tuple[str, ...] = ()
        self._names_start = 0
        self._unsearched: str | None = None

    @property
    def is_active(self) -> bool:
        """Return whether a list or a search is open."""
        return self.popup.display or self.is_searching

    @property
    def is_searching(self) -> bool:
        """Return whether the typed text searches the history."""
        return self._unsearched is not None

    def close(self) -> bool:
        """Close the list and cancel a search; return whether one was open."""
        if not self.is_active:
            return False
        self._end_list()
        if self._unsearched is not None:
            text, self._unsearched = self._unsearched, None
            self._input.put(text)
            self.search_changed()
        return True

    def _end_list(self) -> None:
        self.popup.close()
        self._names = ()

    def move(self, by: int) -> None:
        """Move the selection of the list."""
        if self.popup.items:
            self.popup.move(by)

    def accept(self) -> None:
        """Insert the selection."""
        choice = self.popup.choice if self.popup.items else None
        if choice is None or self.is_searching:
            self.close()
            if choice is not None:
                self._input.recall(choice)
            return
        self._end_list()
        self._input.replace(choice, self._names_start, self._input.cursor_position)

    def search(self) -> None:
        """Begin a search in the input history; again: find the next older match."""
        if self.is_searching:
            self.move(1)
            return
        self.close()
        self._unsearched = self._input.value
        self._input.put("")
        self.search_changed()
        self._find()

    def _find(self) -> None:
        query = self._input.value.lower()
        newest_first = dict.fromkeys(reversed(self._input.history))
        self._show([text for text in newest_first if query in text.lower()], 0)

    def show_names(self, text: str, start: int, names: Sequence[str]) -> bool:
        """Offer completions from ``start`` on, for ``text`` as it was when requested.

        A common prefix, or the only one, is inserted immediately. False if none matches the current
        text.
        """
        line = self._input
        self._names, self._names_start = tuple(names), start
        fitting = self._fitting()
        if self.is_searching or line.value[:start] != text[:start] or not fitting:
            self._names = ()
            return False
        word = line.value[start : line.cursor_position]
        common = commonprefix([n for n in fitting if n.startswith(word)])  # noqa: RUF071
        if len(fitting) == 1:
            self._end_list()
            line.replace(fitting[0], start, line.cursor_position)
            return True
        if len(common) > len(word):
            line.replace(common, start, line.cursor_position)
        self._show(self._fitting(), start)
        return True

    def _fitting(self) -> tuple[str, ...]:
        """Return the names that match the current text."""
        cursor = self._input.cursor_position
        word = self._input.value[self._names_start : cursor]
        if cursor < self._names_start or (word and not word.isidentifier()):
            return ()
        from tuidbg.session.core.evaluation.prompt import rank_names

        return rank_names(self._names, word)

    def follow_typing(self) -> None:
        """Update the list or the search after a change of the text."""
        if self.is_searching:
            self._find()
        elif self.popup.display:
            self._show(self._fitting(), self._names_start)

    def _show(self, items: Sequence[str], at: int) -> None:
        if not items:
            self._end_list()
            return
        cell = self._input.cell_of(at)
        self.popup.show(items, column=self._input.column + cell, below=self._input.rows)


Mode = Literal["evaluate", "stdin"]


class GivesBack(Protocol):
    """Request to return the focus; ``answered``: the console has a result to read."""

    def __call__(self, *, answered: bool) -> None: ...


_UNTYPABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

_LONGEST = 100_000
"""Maximum characters of a paste to evaluate; a part of a longer one would be useless."""


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
        """The first focus of the line."""

    class EvaluateRequested(Message):
        """Request to evaluate ``expression``, entered as ``typed``."""

        def __init__(self, expression: str, typed: str) -> None:
            super().__init__()
            self.expression = expression
            self.typed = typed

    class HelpRequested(Message):
        """Request for help on an object (``obj?``), with ``source`` (``obj??``) its source too."""

        def __init__(self, expression: str, source: bool, typed: str) -> None:
            super().__init__()
            self.expression = expression
            self.source = source
            self.typed = typed

    class CompletionRequested(Message):
        """Request for completions at the cursor (Tab)."""

        def __init__(self, text: str, cursor: int) -> None:
            super().__init__()
            self.text = text
            self.cursor = cursor

    class InputSubmitted(Message):
        """``text`` for the program's stdin: one or more lines, without the last newline."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class EndOfInputRequested(Message):
        """Ctrl+D: an end of file for the program."""

    class InterruptRequested(Message):
        """Ctrl+C: an interrupt for the program or the running evaluation."""

    def __init__(self) -> None:
        super().__init__()
        self.aid = ConsoleAid(self)
        self.switch_mode: Callable[[], None] = lambda: None
        """Called directly: a message would come after the keys typed ahead."""
        self.give_back: GivesBack = lambda *, answered: None
        """Called directly: returns the focus to its previous place."""
        self.stays = True
        """Whether the focus stays here after an evaluation."""
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
        """The pasted or recalled text: while unchanged, Enter submits it."""

    @property
    def column(self) -> int:
        """The column where it begins in its row."""
        return self.region.x - self.parent.region.x if isinstance(self.parent, Widget) else 0

    def on_mouse_down(self) -> None:
        """Focus the line for good: a click here is deliberate."""
        self.stays = True

    def on_focus(self) -> None:
        if not self._is_used:
            self._is_used = True
            self.post_message(self.FirstUsed())

    async def _on_key(self, event: events.Key) -> None:
        """Handle the prompt's own keys in order, not after keys typed later."""
        if self.screen.focused is not self:  # typed after the key that returned the focus
            self.app.call_next(self.app.post_message, events.Key(event.key, event.character))
            event.stop()
            event.prevent_default()
        elif (self.aid.is_active and self._take_aid_key(event.key)) or self._take_key(event.key):
            event.stop()
            event.prevent_default()

    def _take_aid_key(self, key: str) -> bool:
        """Handle a key that has another meaning while a list is open."""
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
        """The keys: letters are text, of an expression or for the program."""
        return line_mode(self)

    def highlights(self) -> bool:
        return self.mode == "evaluate" and self.language is PYTHON

    def set_secret(self, secret: bool) -> None:
        """Hide the stdin line, or show it again: the program reads a password."""
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
        """Add an evaluated text to the history."""
        if not self.history or self.history[-1] != text:
            self.history.append(text)
        self._recalled = 0

    def take_history(self, entries: list[str]) -> None:
        """Set the history; answer a recall that was requested before it was loaded."""
        self.history = entries
        self._is_history_read = True
        ahead, self._recalls_ahead = self._recalls_ahead, 0
        if not self.value:
            for _ in range(ahead):
                self.action_history(-1)

    def recall(self, text: str) -> None:
        """Insert a text of the history."""
        self.put(text)
        self._whole = text

    def action_history(self, by: int) -> None:
        """Recall an earlier or later line."""
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
        """Insert a newline with Python's indentation."""
        before = self.value[: self.selection.start]
        self.replace("\n" + next_indent(before, self.language), *self.selection)

    def _take_back_indent(self) -> bool:
        """Remove one step of indentation on Backspace after nothing but indentation."""
        before = self.value[self.line_start : self.cursor_position]
        if self.mode != "evaluate" or not self.selection.is_empty or len(before) < len(INDENT):
            return False
        if before.strip(" "):
            return False
        step = len(before) % len(INDENT) or len(INDENT)
        self.delete(self.cursor_position - step, self.cursor_position)
        return True

    def _complete(self) -> bool:
        """Complete a name on Tab; indent in an empty line; else leave the key alone."""
        if self.mode != "evaluate":
            return False
        if word_before(self.value, self.cursor_position):
            self.post_message(self.CompletionRequested(self.value, self.cursor_position))
            return True
        before = self.value[self.line_start : self.cursor_position]
        if "\n" in self.value and not before.strip():
            self.replace(" " * (len(INDENT) - len(before) % len(INDENT)), *self.selection)
            return True
        return bool(self.value.strip())  # the text must not be left by mistake

    # -- sending

    def action_submit(self) -> None:  # type: ignore[override]
        """Submit a complete text immediately: text typed ahead belongs to the next one."""
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
        """Send an end of file on Ctrl+D; in evaluate mode, delete a character."""
        if self.mode == "stdin":
            self.post_message(self.EndOfInputRequested())
        else:
            self.action_delete_right()

    def action_interrupt(self) -> None:
        """Interrupt the running evaluation or program; if none runs, copy the selection."""
        if self.mode == "stdin" or self.busy:
            self.post_message(self.InterruptRequested())
        elif self.selected_text:
            self.action_copy()

    def action_leave(self) -> None:
        """Leave the line on Escape; the text stays."""
        if not self.aid.close():
            self.give_back(answered=False)

    def action_paste(self) -> None:
        self._paste(self.app.clipboard)

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._paste(event.text)

    def _paste(self, text: str) -> None:
        """Insert a paste: several lines are one input, which Enter submits unchanged.

        In stdin mode complete lines are sent immediately, as in a terminal.
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
