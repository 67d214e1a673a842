"""Tells what the keys are in the console's input line, for the bar at the bottom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tuidbg.tui.console.entry import word_before
from tuidbg.tui.keys.modes import Hint
from tuidbg.tui.keys.modes import Mode as KeyMode

if TYPE_CHECKING:
    from tuidbg.tui.console.input import ConsoleInput

_BACK = Hint("escape", "back to the keys")

_STDIN = (
    Hint("enter", "sends the line"),
    _BACK,
    Hint("ctrl+d", "end of input"),
    Hint("ctrl+c", "interrupt"),
    Hint("ctrl+t", "evaluate"),
)
_NAMES = (Hint("enter", "takes it"), Hint("escape", "closes"), Hint("up down", "choose"))
_SEARCH = (Hint("enter", "takes it"), Hint("escape", "closes"), Hint("ctrl+r", "older"))
_BUSY = (Hint("ctrl+c", "stops it"), _BACK)


def line_mode(line: ConsoleInput) -> KeyMode:
    """The mode of the line: text for the program, or an expression; with its list, if one is up."""
    if line.aid.is_searching:
        return KeyMode("evaluate", "search", _SEARCH)
    if line.mode == "stdin":
        return KeyMode("program", "stdin", _STDIN)
    if line.aid.is_active:
        return KeyMode("evaluate", "evaluate", _NAMES)
    return KeyMode("evaluate", "evaluate", _BUSY if line.busy else tuple(_evaluating(line)))


def _evaluating(line: ConsoleInput) -> Iterator[Hint]:
    yield Hint("enter", "evaluates")
    yield _BACK
    if word_before(line.value, line.cursor_position):
        yield Hint("tab", "completes")
    if line.history:
        yield Hint("up", "earlier")
        yield Hint("ctrl+r", "search")
    yield Hint("alt+enter", "new line")
    yield Hint("ctrl+t", "program's input")
