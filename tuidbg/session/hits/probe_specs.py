"""A breakpoint as the probe of a Python program takes it: plain values, as a Python literal."""

from __future__ import annotations

from typing import Any

from tuidbg.adapters.languages import Language
from tuidbg.session.breakpoints.predicates import read_hit_condition
from tuidbg.session.hits.log_messages import split_log_message
from tuidbg.session.state import Breakpoint, ExceptionRule


def make_spec(
    breakpoint: Breakpoint, ignore_set: int, budget_set: int, *, language: Language
) -> dict[str, Any]:
    """``ignore_set`` and ``budget_set`` change when the ignore count or the budget begin anew."""
    b = breakpoint
    operator, value = read_hit_condition(b.hit_condition) or ("", 0)
    parts = [
        (part.text, part.expression, part.conversion, part.format)
        for part in split_log_message(b.log_message, language)
    ]
    return {
        "number": b.number,
        "kind": "stop" if b.stops else "trace" if b.trace else "log",
        "condition": b.condition,
        "on_error": str(b.on_error),
        "operator": operator,
        "value": value,
        "ignore": b.ignore_count,
        "ignore_set": ignore_set,
        "every": b.every,
        "at_most": b.at_most,
        "budget_set": budget_set,
        "parts": parts,
        "commands": list(b.commands),
        "trigger": b.trigger or 0,
        "temporary": b.temporary,
    }


def make_rule(number: int, rule: ExceptionRule) -> dict[str, Any]:
    """An exception rule; number 0 is that of any exception, which is no breakpoint."""
    return {
        "number": number,
        "type": rule.type,
        "raised": rule.raised,
        "uncaught": rule.uncaught,
        "user_uncaught": rule.user_uncaught,
        "subtypes": rule.subtypes,
        "ignored": list(rule.ignored),
        "modules": list(rule.modules),
    }
