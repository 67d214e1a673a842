"""Inline values: variables of the selected frame's function, shown after source lines.

They are the values that the variables pane has fetched anyway; there is no extra request. Only
lines that may have run in this call have values: those from the start of the function to the
current one, and those of a loop that were stepped through in earlier iterations. Each name has its
value once, on the last executed line as far as is known: a step changes few rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from tuidbg.session.model.state import (
    EvaluateResult,
    Frame,
    Stop,
    StopReason,
    ValueProblem,
    Variable,
    VariableKind,
)
from tuidbg.tui.panes.source.names import Name
from tuidbg.tui.panes.source.source_pane import SourcePane
from tuidbg.tui.panes.variables.variables_pane import CallIdentity
from tuidbg.tui.toolkit.text.highlight import is_loaded
from tuidbg.tui.toolkit.widgets.rows import visible

RunLines = Callable[[Sequence[int]], Sequence[int]]
"""Sorts the lines of a call in the order of execution; see :meth:`SteppedLines.at`."""

LONGEST_VALUE = 40
LONGEST_NOTE = 120
"""Maximum characters of one value, and of all after one line."""

_MOST_LINES = 300
"""Maximum lines above the current one."""

_SHOWN_KINDS = frozenset({VariableKind.PLAIN, VariableKind.PROPERTY})
_SAYS_NOTHING = re.compile(r"<.* at 0x[0-9a-fA-F]+>$|<(function|module|class|built-in|bound) ")
_DEFINITION = re.compile(r"(\s*)(?:async\s+def|def|class)\s+(\w+)")


class InlineValues:
    """The inline values of a source pane, while enabled."""

    def __init__(self, source: SourcePane) -> None:
        self._source = source
        self._shown: tuple[Frame, Sequence[Variable], RunLines] | None = None
        self._stepped = SteppedLines()
        self.is_on = True

    def toggle(self) -> bool:
        """Turn them on or off; return whether they are on."""
        self.is_on = not self.is_on
        self._show()
        return self.is_on

    def known(self, name: str) -> EvaluateResult | None:
        """Return the value of a variable of the selected frame, if it was fetched."""
        variables = self._shown[1] if self._shown is not None else ()
        for variable in variables:
            if variable.name == name and not variable.problem:
                return EvaluateResult(value=variable.value, type=variable.type)
        return None

    def show(
        self, frame: Frame, variables: Sequence[Variable], call: CallIdentity, stop: Stop
    ) -> None:
        """Set the variables of the selected frame, which belongs to that call."""
        self._shown = (frame, variables, partial(self._stepped.at, call, stop))
        self._show()

    def clear(self) -> None:
        """Clear the values: no frame is selected."""
        self._shown = None
        self._show()

    def _show(self) -> None:
        self._source.names.mark(None)
        self._source.set_notes(self._notes())

    def _notes(self) -> Callable[[int], str] | None:
        """Return the function for the note after each line; None without values."""
        if self._shown is None or not self.is_on:
            return None
        (frame, variables, run_lines), document = self._shown, self._source.document
        if document is None or frame.place is None or frame.place.path != document.key:
            return None
        values = values_of(variables)
        lines = lines_of_call(document.lines, frame.name, frame.place.line)
        return LatestValues(run_lines(lines), self._source.names.on_line, values).note


class _Stepped(NamedTuple):
    stop_id: int
    call: CallIdentity
    current: int
    lines: Sequence[int]


class SteppedLines:
    """The execution order of the lines of each call on the stack, as known from steps.

    Execution between other stops is unknown: after those a call starts over.
    """

    def __init__(self) -> None:
        self._by_depth: dict[int, _Stepped] = {}

    def at(self, call: CallIdentity, stop: Stop, lines: Sequence[int]) -> Sequence[int]:
        """Return the lines of a call that may have run at a stop, the last executed one last.

        ``lines`` are those from the start of its function to the current one.
        """
        if not lines:
            return ()
        known, current = self._by_depth.get(call.depth), lines[-1]
        if stop.reason is not StopReason.STEP and (known is None or known.stop_id != stop.id):
            self._by_depth.clear()
            known = None
        if known is not None and known.call == call:
            run = [line for line in lines if line > known.current] or [current]
            if known.stop_id == stop.id and known.current == current:
                run = []  # it is only shown again
            again = set(run)
            lines = [*(line for line in known.lines if line not in again), *run]
        for deeper in [depth for depth in self._by_depth if depth > call.depth]:
            del self._by_depth[deeper]  # they have returned; or their caller is selected
        self._by_depth[call.depth] = _Stepped(stop.id, call, current, lines)
        return lines


class LatestValues:
    """The notes after the lines of a call: each name on its last executed line.

    Lines are processed from the end, as far as requested.
    """

    def __init__(
        self,
        lines: Sequence[int],
        names_on: Callable[[int], Sequence[Name]],
        values: Mapping[str, str],
    ) -> None:
        """``lines`` in the order of execution; ``names_on`` returns the names of one."""
        self._lines = list(lines) if values else []
        self._ahead = set(self._lines)
        self._names_on = names_on
        self._values = values
        self._seen: set[str] = set()
        self._notes: dict[int, str] = {}

    def note(self, line: int) -> str:
        """Return the note after a line."""
        while line in self._ahead and is_loaded():
            self._look_at(self._lines.pop())
        return self._notes.get(line, "")

    def _look_at(self, line: int) -> None:
        self._ahead.discard(line)
        names = [name for name in self._names_on(line) if name.expression not in self._seen]
        self._notes[line] = note_of(names, self._values)
        self._seen.update(name.expression for name in names)


def values_of(variables: Iterable[Variable]) -> dict[str, str]:
    """Return the values worth showing, by name."""
    found: dict[str, str] = {}
    for variable in variables:
        if variable.problem is not ValueProblem.NONE or variable.kind not in _SHOWN_KINDS:
            continue
        value = visible(variable.value, LONGEST_VALUE + 1)
        if _SAYS_NOTHING.match(variable.value) or not value:
            continue
        if len(value) > LONGEST_VALUE:
            value = value[: LONGEST_VALUE - 1] + "…"
        found[variable.name] = value
    return found


def note_of(names: Iterable[Name], values: Mapping[str, str]) -> str:
    """Return the note after a line with these names: ``total = 12  price = 3``."""
    wanted = dict.fromkeys(name.expression for name in names if name.expression in values)
    return "  ".join(f"{name} = {values[name]}" for name in wanted)[:LONGEST_NOTE]


def lines_of_call(lines: Sequence[str], function: str, current: int) -> list[int]:
    """Return a function's lines up to ``current`` (1-based), without nested functions.

    Only the current one if its start is not found: a lambda's, another language's.
    """
    if not 1 <= current <= len(lines):
        return []
    start = _beginning(lines, function.rpartition(".")[2], current)
    if start is None:
        return [current]
    found: list[int] = []
    inner: int | None = None
    for number in range(start, current + 1):
        line = lines[number - 1]
        indent = len(line) - len(line.lstrip())
        if not line.strip() or (inner is not None and indent > inner and number != current):
            continue
        inner = None
        found.append(number)
        if number != start and (definition := _DEFINITION.match(line)) is not None:
            inner = len(definition[1])
            found.pop()
    return found if found and found[-1] == current else [*found, current]


def _beginning(lines: Sequence[str], function: str, current: int) -> int | None:
    first = max(1, current - _MOST_LINES)
    if function == "<module>":
        for number in range(first, current + 1):
            if lines[number - 1][:1].strip() and not _DEFINITION.match(lines[number - 1]):
                return number
        return None
    text = lines[current - 1]
    indent = len(text) - len(text.lstrip())
    for number in range(current, 0, -1):
        definition = _DEFINITION.match(lines[number - 1])
        if definition is None or definition[2] != function:
            continue
        if number == current or len(definition[1]) < indent:
            return number
    return None
