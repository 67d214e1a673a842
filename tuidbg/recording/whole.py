"""All that was recorded of one value: as text to be read, and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from tuidbg.recording.segment import Token
from tuidbg.recording.values import Part, ValuesAt, is_items, reference

WIDTH = 76
"""Characters of a value that stands in one line."""

_DEEPEST = 20
_INDENT = "    "
_PLAIN = {"l": "list", "q": "", "t": "tuple", "s": "set", "d": "dict"}
_ROUND, _SQUARE, _CURLY = ("(", ")"), ("[", "]"), ("{", "}")
_BRACKETS = {"t": _ROUND, "l": _SQUARE, "q": _SQUARE, "s": _CURLY, "d": _CURLY}
_LEFT_OUT = "…"


class Whole:
    """Writes values, of ``limit`` characters at most; then not all of them ``is_whole``."""

    def __init__(self, values: ValuesAt, limit: int) -> None:
        self._values = values
        self._left = limit
        self.is_whole = True

    def text(self, token: Token) -> str:
        """As a person would read it, each part in a line of its own where it is long."""
        return "\n".join(self._lines(token, frozenset()))

    def _lines(self, token: Token, around: frozenset[int]) -> list[str]:
        values, number = self._values, reference(token)
        short = values.text(token)
        parts = self._parts(token)
        if not parts or (len(short) <= WIDTH and _LEFT_OUT not in short):
            self._left -= len(short)
            return [short]
        if number in around or len(around) >= _DEEPEST:
            self.is_whole = False
            return [_LEFT_OUT]
        if number is not None:
            around |= {number}
        begin, end, between = self._brackets(token)
        lines = [begin]
        for part in self._some(parts):
            first, *rest = self._lines(part.value, around)
            name = f"{part.name}{between}" if between else ""
            inner = [f"{name}{first}", *rest]
            inner[-1] += ","
            lines += [_INDENT + line for line in inner]
            self._left -= len(_INDENT) * len(inner)
        return [*lines, *self._left_out(token, parts), end]

    def _left_out(self, token: Token, parts: list[Part]) -> list[str]:
        length = self._values.length(token)
        if length is None or length <= len(parts):
            return []
        self.is_whole = False
        return [f"{_INDENT}{_LEFT_OUT} ({length:,} in all)"]

    def _parts(self, token: Token) -> list[Part]:
        has_parts = reference(token) is not None or is_items(token)
        return self._values.parts(token, max(1, self._left)) if has_parts else []

    def _brackets(self, token: Token) -> tuple[str, str, str]:
        """What stands before the parts and behind them, and between a name and its value."""
        kind, name = self._kind(token), self._values.type_name(token)
        if kind not in _BRACKETS:
            return f"{name}(", ")", "="
        begin, end = _BRACKETS[kind]
        between = ": " if kind == "d" else ""
        if name == _PLAIN[kind]:
            return begin, end, between
        return f"{name}({begin}", f"{end})", between

    def _kind(self, token: Token) -> str:
        """The letter of a collection; another, or none, where the parts have names."""
        record = self._values.kind(token)
        if record is None:
            return "t"
        return "" if record.fields else record.kind

    def json(self, token: Token) -> Any:
        """What JSON has values for; all else as the text that it is shown by."""
        return self._plain(token, frozenset())

    def _plain(self, token: Token, around: frozenset[int]) -> Any:
        values, number = self._values, reference(token)
        if not isinstance(token, list):
            self._left -= len(token) + 4 if isinstance(token, str) else 8
            is_odd = isinstance(token, float) and not math.isfinite(token)
            return repr(token) if is_odd else token
        if number is None and not is_items(token):
            text = values.text(token)
            self.is_whole = self.is_whole and _LEFT_OUT not in text
            self._left -= len(text)
            return text
        if number in around or len(around) >= _DEEPEST or self._left <= 0:
            self.is_whole = False
            return _LEFT_OUT
        if number is not None:
            around |= {number}
        parts, kind = self._parts(token), self._kind(token)
        length = values.length(token)
        if length is not None and length > len(parts):
            self.is_whole = False
        if not parts and kind not in _BRACKETS:
            return values.text(token)
        found = [(self._key(part), self._plain(part.value, around)) for part in self._some(parts)]
        return dict(found) if kind not in _BRACKETS or kind == "d" else [each for _, each in found]

    def _some(self, parts: list[Part]) -> Iterator[Part]:
        """As many as there is room for."""
        for part in parts:
            if self._left <= 0:
                self.is_whole = False
                return
            self._left -= len(part.name) + 4
            yield part

    def _key(self, part: Part) -> str:
        key = self._values.key(part.key)
        return key if isinstance(key, str) else part.name
