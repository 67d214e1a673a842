"""Functions of a recorded run by their names, and changes in words; see ``tables`` for the rest."""

from __future__ import annotations

from tuidbg.recording.asking.changes import Changed
from tuidbg.recording.asking.filling import words_of
from tuidbg.recording.asking.sweep import codes_of
from tuidbg.recording.segment import ALL, RAISED, RETURNED, UNBOUND
from tuidbg.recording.values import ValuesAt
from tuidbg.session.past.beside import HasTimeline


class Questions:
    """Answers that take no time; nothing of the program runs for them."""

    def __init__(self, past: HasTimeline) -> None:
        self._past = past

    def describe(self, text: str, found: Changed) -> str:
        """What a line has changed, in words: ``total was 9, and becomes 12``.

        Of a container also who wrote into it, and between which lines it was, if that is all there
        is to be told.
        """
        told = [self._change(text, found)]
        if found.begin is not None and found.place is not None:
            told.append(f"between line {found.begin.line:,} and line {found.place.line:,}")
        if found.filled is not None and (words := words_of(found.filled)):
            told.append(f"{text.strip()} was {words}")
        return "; ".join(told)

    def _change(self, text: str, found: Changed) -> str:
        timeline = self._past.timeline
        after = ValuesAt(timeline, found.when)
        if found.key in (RETURNED, RAISED):
            verb = "gives" if found.key == RETURNED else "raises"
            return f"{text.strip()} {verb} {after.text(found.new)}"
        name = self.name_of(text, found)
        new = after.text(found.new)
        if found.new == UNBOUND:
            return f"{name} is deleted"
        if found.old == UNBOUND:
            return f"{name} becomes {new}"
        return f"{name} was {ValuesAt(timeline, found.when - 1).text(found.old)}, and becomes {new}"

    def name_of(self, text: str, found: Changed) -> str:
        """What has changed: what was asked for, an item of it, or something on the way to it."""
        name, part = text.strip(), ValuesAt(self._past.timeline, found.when).name_of(found.key)
        if found.filled is not None and found.owner == found.filled.number:
            return name if found.key == ALL else f"{name}[{part}]"
        return name if name.endswith((part, f"[{part}]")) else part

    def functions_named(self, name: str) -> frozenset[int]:
        """The functions of a name, as ``work`` or ``Cart.add``."""

        def is_it(path: str, function: str, line: int) -> bool:
            return function == name or function.endswith(f".{name}")

        return codes_of(self._past.timeline, is_it)
