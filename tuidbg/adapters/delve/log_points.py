"""Delve's log points: the only complete report if several goroutines hit a breakpoint at once.

A message begins and ends with characters that no value has, as Go's strings are quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tuidbg.adapters.log_points import LoggedHit
from tuidbg.dap.types import OutputBody

_BEGIN, _NEXT, _END = "\x1e", "\x1f", "\x1e"
_LOGGED = re.compile(rf"> \[(?P<thread>[^\]]*)\]: {_BEGIN}(?P<number>\d+)(?P<values>.*){_END}\s*")
_FAILED = re.compile(r"\{eval err: (?:&\{%!e\(string=)?(?P<why>.*?)(?:\)\})?\}", re.DOTALL)


class DelveLogPoints:
    """``LogPoints`` of Delve 1.20 and later."""

    def message(self, number: int, expressions: Sequence[str]) -> str:
        if not all(map(_has_pairs, expressions)):
            return ""
        values = "".join(f"{_NEXT}{{{expression}}}" for expression in expressions)
        return f"{_BEGIN}{number}{values}{_END}"

    def read(self, output: OutputBody) -> LoggedHit | None:
        if _BEGIN not in output.output:
            return None
        found = _LOGGED.fullmatch(output.output)
        if found is None:
            return None
        values = found["values"].split(_NEXT)[1:]
        return LoggedHit(int(found["number"]), found["thread"], tuple(map(_value, values)))


def _has_pairs(expression: str) -> bool:
    """Return whether its braces are balanced, including those in strings: Delve's own check."""
    depth = 0
    for char in expression:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0


def _value(text: str) -> str | ValueError:
    failed = _FAILED.fullmatch(text)
    return ValueError(failed["why"]) if failed is not None else text
