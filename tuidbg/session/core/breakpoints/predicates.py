"""Checks of a breakpoint's conditions and place; pure, so that every front end can use them."""

from __future__ import annotations

import re

from tuidbg.adapters.languages import Language
from tuidbg.session.model.errors import InvalidCondition


def check_condition(condition: str, language: Language) -> None:
    """Raise InvalidCondition with a sentence if it is no expression of the language."""
    if problem := language.check(condition):
        raise InvalidCondition(problem)


_HIT_CONDITION = re.compile(r"(==|>=|<=|>|<|%)?\s*([0-9]+)")


def read_hit_condition(hit_condition: str) -> tuple[str, int] | None:
    """Return the operator and the number of ``>5``, ``%3`` or ``7``; None if empty.

    A bare number is ``==``. Raises ValueError with a sentence for anything else.
    """
    text = hit_condition.strip()
    if not text:
        return None
    found = _HIT_CONDITION.fullmatch(text)
    if found is None:
        raise ValueError("write a number, or one after >, >=, ==, <, <= or %, such as >5 or %10")
    operator, number = found[1] or "==", int(found[2])
    if operator == "%" and number == 0:
        raise ValueError("%0 would never stop; the number after % counts from 1")
    return operator, number


def nearest_line(lines: tuple[int, ...], line: int) -> int | None:
    """Return the line of ``lines`` nearest to ``line``, the later one of two equally near."""
    return min(lines, key=lambda other: (abs(other - line), other < line), default=None)
