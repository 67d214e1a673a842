"""Recorded values as the slow tracer tells them."""

from __future__ import annotations

from typing import Any

from tuidbg.recording.segment import INDEX, UNKNOWN, Token
from tuidbg.recording.timeline import RecordedFrame, Timeline
from tuidbg.recording.values import ValuesAt, is_items, reference

DEPTH = 5
DEFINITIONS = ("function", "module", "builtin_function_or_method")


class Copier:
    """Values as ``oracle.copied`` gives them."""

    def __init__(self, timeline: Timeline, when: int) -> None:
        self._timeline, self._values = timeline, ValuesAt(timeline, when)

    def frame(self, frame: RecordedFrame) -> list[Any]:
        parts = self._values.variables(frame.owner)
        if frame.name == "<module>":  # definitions are of no interest to the tracer
            parts = [p for p in parts if not self._is_definition(p.value)]
        return [
            frame.name.rpartition(".")[2],
            frame.line,
            {p.name: self.copied(p.value) for p in parts},
        ]

    def _is_definition(self, token: Token) -> bool:
        is_class = isinstance(token, list) and token[0] == "b" and token[2].startswith("<class ")
        return is_class or self._values.type_name(token) in DEFINITIONS

    def copied(self, token: Token, depth: int = DEPTH, around: tuple[int, ...] = ()) -> Any:
        if not isinstance(token, list):
            return token
        number, values = reference(token), self._values
        if number in around or depth == 0:
            return "…"
        name = values.type_name(token).rpartition(".")[2]
        if is_items(token):
            return [name, [self.copied(each, depth - 1, around) for each in token[1]]]
        if number is None:
            return [name] if token[0] in ("b", "o") else token
        record = values.kind(token)
        around = (*around, number)
        parts = values.parts(token)
        if any(part.value == UNKNOWN for part in parts):
            return UNKNOWN  # how many parts there are may not be known, either
        if record is not None and record.kind in ("l", "t", "q"):
            parts = [p for p in parts if p.key >= INDEX]
            return [name, [self.copied(p.value, depth - 1, around) for p in parts]]
        if record is not None and record.kind == "s":
            return [name, sorted(values.text(p.value) for p in parts)]
        if record is not None and record.kind == "d":
            parts = [p for p in parts if self._timeline.keys[p.key].letter == "k"]
            return [name, [[p.name, self.copied(p.value, depth - 1, around)] for p in parts]]
        return [name, sorted([p.name, self.copied(p.value, depth - 1, around)] for p in parts)]
