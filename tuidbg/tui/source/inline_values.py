"""The values of the names on a line, behind it: those of the function that is looked at.

They are what the variables pane has fetched anyway; nothing is asked for them. Only lines that may
have run in this call have values: from the beginning of the function to the current one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from tuidbg.session.state import EvaluateResult, Frame, ValueProblem, Variable, VariableKind
from tuidbg.tui.source.names import Name
from tuidbg.tui.source.pane import SourcePane
from tuidbg.tui.widgets.rows import visible

LONGEST_VALUE = 40
LONGEST_NOTE = 120
"""Characters of one value, and of all behind one line."""

_MOST_LINES = 300
"""Lines above the current one that are looked at."""

_SHOWN_KINDS = frozenset({VariableKind.PLAIN, VariableKind.PROPERTY})
_SAYS_NOTHING = re.compile(r"<.* at 0x[0-9a-fA-F]+>$|<(function|module|class|built-in|bound) ")
_DEFINITION = re.compile(r"(\s*)(?:async\s+def|def|class)\s+(\w+)")


class InlineValues:
    """Keeps them behind the lines of the source pane while they are wanted."""

    def __init__(self, source: SourcePane) -> None:
        self._source = source
        self._shown: tuple[Frame, Sequence[Variable]] | None = None
        self.is_on = True

    def toggle(self) -> bool:
        """Show them, or no more; whether they are shown."""
        self.is_on = not self.is_on
        self._show()
        return self.is_on

    def known(self, name: str) -> EvaluateResult | None:
        """The value of a variable of the frame that is looked at, where it was fetched."""
        variables = self._shown[1] if self._shown is not None else ()
        for variable in variables:
            if variable.name == name and not variable.problem:
                return EvaluateResult(value=variable.value, type=variable.type)
        return None

    def show(self, frame: Frame, variables: Sequence[Variable]) -> None:
        """The variables of the frame that is looked at are known."""
        self._shown = (frame, variables)
        self._show()

    def clear(self) -> None:
        """There is no such frame."""
        self._shown = None
        self._show()

    def _show(self) -> None:
        self._source.names.mark(None)
        self._source.set_notes(self._notes())

    def _notes(self) -> Callable[[int], str] | None:
        """Returns what gives the note behind each line; None where nothing is."""
        if self._shown is None or not self.is_on:
            return None
        (frame, variables), document = self._shown, self._source.document
        if document is None or frame.place is None or frame.place.path != document.key:
            return None
        values = values_of(variables)
        lines = frozenset(lines_of_call(document.lines, frame.name, frame.place.line))
        made: dict[int, str] = {}

        def note(line: int) -> str:
            if line not in lines or not values:
                return ""
            if line not in made:
                names = self._source.names.on_line(line)
                if not names:
                    return ""  # perhaps not yet
                made[line] = note_of(names, values)
            return made[line]

        return note


def values_of(variables: Iterable[Variable]) -> dict[str, str]:
    """The values worth showing, by name."""
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
    """Returns what stands behind a line with these names: ``total = 12  price = 3``."""
    wanted = dict.fromkeys(name.expression for name in names if name.expression in values)
    return "  ".join(f"{name} = {values[name]}" for name in wanted)[:LONGEST_NOTE]


def lines_of_call(lines: Sequence[str], function: str, current: int) -> list[int]:
    """The lines of a function up to ``current`` (1-based), without those of functions in it.

    Only the current one where its beginning is not found: a lambda's, another language's.
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
