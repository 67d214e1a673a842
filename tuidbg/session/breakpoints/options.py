"""Settings of a breakpoint beside its place, and the check that they make sense.

Pure, so that every front end can ask while somebody types: ``check_settings`` answers with a
sentence for each field that can't be taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from tuidbg.adapters.languages import Language
from tuidbg.session.breakpoints.predicates import check_condition, read_hit_condition
from tuidbg.session.errors import InvalidCondition, InvalidSetting
from tuidbg.session.hits.log_messages import check_log_message
from tuidbg.session.state import OnError


class BreakpointSettings(TypedDict, total=False):
    """The fields of ``Breakpoint`` that a person sets; those left out keep their value."""

    enabled: bool
    condition: str
    hit_condition: str
    ignore_count: int
    log_message: str
    trace: bool
    every: int
    at_most: int
    trigger: int | None
    temporary: bool
    commands: tuple[str, ...]
    on_error: OnError
    group: str
    column: int | None
    ranks: tuple[int, ...]


def check_settings(settings: BreakpointSettings, language: Language) -> dict[str, str]:
    """A sentence for each field that can't be taken; nothing where all can.

    ``language`` is that of the expressions.
    """
    problems: dict[str, str] = {}
    for name, value in settings.items():
        check = _CHECKS.get(name)
        if check is None:
            continue
        try:
            check(value, language)
        except (InvalidCondition, ValueError) as error:
            problems[name] = str(error)
    return problems


def refuse_settings(settings: BreakpointSettings, language: Language) -> None:
    """Raises InvalidCondition for a condition, InvalidSetting for another field."""
    for name, sentence in check_settings(settings, language).items():
        if name == "condition":
            raise InvalidCondition(sentence)
        raise InvalidSetting(name, sentence)


def tidy_settings(settings: BreakpointSettings) -> dict[str, Any]:
    """The same without blanks around what somebody typed."""
    tidy: dict[str, Any] = dict(settings)
    for name in ("condition", "hit_condition", "group"):
        if name in tidy:
            tidy[name] = tidy[name].strip()
    if "commands" in tidy:
        tidy["commands"] = tuple(c.strip() for c in tidy["commands"] if c.strip())
    return tidy


def _check_not_negative(value: int, _: Language) -> None:
    if value < 0:
        raise ValueError("it can't be negative")


def _check_column(value: int | None, _: Language) -> None:
    if value is not None and value < 1:
        raise ValueError("columns count from 1")


def _check_hit_condition(value: str, _: Language) -> None:
    read_hit_condition(value)


def _check_commands(value: tuple[str, ...], language: Language) -> None:
    for expression in value:
        try:
            check_condition(expression, language)
        except InvalidCondition as error:
            raise ValueError(f"{expression}: {error}") from None


_CHECKS: Mapping[str, Callable[[Any, Language], None]] = {
    "condition": check_condition,
    "hit_condition": _check_hit_condition,
    "ignore_count": _check_not_negative,
    "every": _check_not_negative,
    "at_most": _check_not_negative,
    "column": _check_column,
    "log_message": check_log_message,
    "commands": _check_commands,
}
