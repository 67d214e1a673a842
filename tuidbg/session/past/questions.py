"""What one asks of a recorded run: values, who changed them, when something became true."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from tuidbg.recording.asking.changes import Changed, last_change_of
from tuidbg.recording.asking.expressions import Expression
from tuidbg.recording.asking.reader import NotKnown
from tuidbg.recording.asking.sweep import codes_of
from tuidbg.recording.asking.when import Hit, first_time, last_time
from tuidbg.recording.segment import UNBOUND
from tuidbg.recording.timeline import Moment, PastFrame, Timeline
from tuidbg.recording.values import ValuesAt
from tuidbg.session.errors import EvaluationFailed


class HasTimeline(Protocol):
    """What was recorded so far."""

    timeline: Timeline


class Questions:
    """Answers from the recording; nothing of the program runs for them.

    All raise EvaluationFailed with a sentence where it can't be told.
    """

    def __init__(self, past: HasTimeline) -> None:
        self._past = past

    def last_change(self, text: str, frame: PastFrame, when: int) -> Changed | None:
        """Where the value of a variable, or of a path as ``self.items[3]``, was last changed."""
        try:
            return last_change_of(self._past.timeline, Expression(text), frame, when)
        except NotKnown as error:
            raise EvaluationFailed(str(error)) from None

    def describe(self, text: str, found: Changed) -> str:
        """What a line has changed, in words: ``total was 9, and becomes 12``."""
        timeline = self._past.timeline
        after = ValuesAt(timeline, found.when)
        name = text.strip()
        if not name.endswith((part := after.name_of(found.key), f"[{part}]")):
            name = part  # something on the way to it
        new = after.text(found.new)
        if found.new == UNBOUND:
            return f"{name} is deleted"
        if found.old == UNBOUND:
            return f"{name} becomes {new}"
        return f"{name} was {ValuesAt(timeline, found.when - 1).text(found.old)}, and becomes {new}"

    def first_time(self, text: str, codes: Collection[int], after: int = 0) -> Hit | None:
        """When an expression became true in some functions, behind a moment."""
        try:
            return first_time(self._past.timeline, Expression(text), codes, after)
        except NotKnown as error:
            raise EvaluationFailed(str(error)) from None

    def last_time(self, text: str, codes: Collection[int], before: int) -> Hit | None:
        """When an expression became true in some functions, before a moment."""
        try:
            return last_time(self._past.timeline, Expression(text), codes, before)
        except NotKnown as error:
            raise EvaluationFailed(str(error)) from None

    def functions_at(self, moment: Moment) -> frozenset[int]:
        """The function that a moment stands in, for the questions about all of its calls."""
        record = self._past.timeline.frame(moment.frame)
        return frozenset({record.code} if record is not None else ())

    def functions_named(self, name: str) -> frozenset[int]:
        """The functions of a name, as ``work`` or ``Cart.add``."""

        def is_it(path: str, function: str, line: int) -> bool:
            return function == name or function.endswith(f".{name}")

        return codes_of(self._past.timeline, is_it)
