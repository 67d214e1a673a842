"""Takes secrets out of a whole message, whichever front end has made it.

This is the last thing that is done with each message, and knows no front end: what stands under a
secret's name, beside it in fields that hold values, or in its column of a table, is withheld.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tuidbg.recording.leaving.secret_names import REDACTED, looks_secret, without_secrets

_OWN = frozenset({"session_id", "sessionId"})
"""Fields of messages whose names only look like those of secrets."""

_NAMES = frozenset({"name", "expression", "evaluateName", "evaluate_name", "expand", "function"})
"""Fields that say of what the values beside them are."""

_VALUES = frozenset(
    {"value", "result", "old", "new", "returned", "return_value", "other_value", "before", "after"}
)
_INSIDE = frozenset({"children", "attributes", "keys", "inside"})
"""Fields of what is in a value."""

_REFERENCES = frozenset(
    {"variablesReference", "variables_reference", "reference", "memoryReference"}
)
"""Fields by which more of a value can be asked for."""

Text = Callable[[str], str]


def without_secret_fields(told: Any, text: Text, *, is_named: bool = False) -> Any:
    """A message of plain values; ``text`` takes secrets out of a text.

    One that ``is_named`` is about a value that has a secret's name.
    """
    if isinstance(told, str):
        return text(told)
    if isinstance(told, dict):
        return _fields(told, text, is_named=is_named)
    if not isinstance(told, list | tuple):
        return told
    if told and all(isinstance(each, str) for each in told):
        return [text(each) for each in without_secrets(told)]
    return [without_secret_fields(each, text, is_named=is_named) for each in told]


def _fields(told: dict[Any, Any], text: Text, *, is_named: bool) -> dict[Any, Any]:
    is_named = is_named or any(_is_secret(told.get(name)) for name in _NAMES)
    found = {key: _field(key, value, text, is_named=is_named) for key, value in told.items()}
    if is_named and not _REFERENCES.isdisjoint(found) and not _VALUES.isdisjoint(found):
        found |= {key: _nothing(found[key]) for key in _REFERENCES & found.keys()}
    return _table(found)


def _field(key: Any, value: Any, text: Text, *, is_named: bool) -> Any:
    if key not in _OWN and _is_secret(key):
        return _withheld(value)
    if is_named and key in _VALUES:
        if isinstance(value, dict):
            return without_secret_fields(value, text, is_named=True)
        return _withheld(value)
    return without_secret_fields(value, text, is_named=is_named and key in _INSIDE)


def _table(told: dict[Any, Any]) -> dict[Any, Any]:
    """A table without the values of columns that have a secret's name."""
    columns, rows = told.get("columns"), told.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return told
    hidden = {place for place, column in enumerate(columns) if _is_secret(column)}
    if not hidden:
        return told
    kept = [
        [_withheld(each) if place in hidden else each for place, each in enumerate(row)]
        for row in rows
        if isinstance(row, list)
    ]
    return {**told, "rows": kept}


def _is_secret(name: Any) -> bool:
    return isinstance(name, str) and looks_secret(name)


def _withheld(value: Any) -> Any:
    """In the place of a value; that there is none, or a yes or no, is no secret."""
    if value is None or isinstance(value, bool) or value in ("", [], {}):
        return value
    if isinstance(value, dict):
        return {key: _withheld(each) for key, each in value.items()}
    return [_withheld(each) for each in value] if isinstance(value, list) else REDACTED


def _nothing(reference: Any) -> Any:
    return "" if isinstance(reference, str) else 0
