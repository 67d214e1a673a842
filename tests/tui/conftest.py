"""Fixtures and settings of all tests of the screen."""

from __future__ import annotations

from typing import Any

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from tests.support.pictures import pictures

__all__ = ["pictures"]

_parse_rules = Stylesheet._parse_rules
_parsed: dict[tuple[Any, ...], list[RuleSet]] = {}


def _parse_once(
    self: Stylesheet,
    css: str,
    read_from: Any,
    is_default_rules: bool = False,
    tie_breaker: int = 0,
    scope: str = "",
) -> list[RuleSet]:
    """Parse the styles of a widget once for all apps of this process: a fifth of a test's time."""
    variables = frozenset(self._variables.items())
    key = (variables, css, read_from, is_default_rules, tie_breaker, scope)
    if key not in _parsed:
        _parsed[key] = _parse_rules(self, css, read_from, is_default_rules, tie_breaker, scope)
    return _parsed[key]


Stylesheet._parse_rules = _parse_once  # type: ignore[method-assign]
