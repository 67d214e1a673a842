"""Hides values that look like secrets by their names from programs that need not see them.

This keeps passwords and tokens out of the logs and prompts of an agent that only looks. It is no
wall: whoever may evaluate can ask for the same value by another name.

Front ends call ``variable``, ``evaluated`` and ``result`` on all values they send; these do nothing
unless it is on for the call that is served (``hidden``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec

from tuidbg.session.state import Variable

REDACTED = "<redacted>"

_SECRET = (
    r"(?:pass(?:word|wd|phrase|code)|(?<![a-z])(?:pass|pwd|auth|jwt)(?![a-z])|secret|token"
    r"|(?:api|access|private)[_-]?key|credential|authorization|cookie|session_?id)"
)
_NAME = re.compile(_SECRET, re.IGNORECASE)

_PAIR = re.compile(
    rf"""(?P<name>{_SECRET}[\w.-]{{0,40}}+['"]?\s{{0,4}}[:=]\s{{0,4}})"""
    r"""(?:\\+["'].*?(?:\\["']|\Z)|[bruf]{0,2}'(?:[^'\\]|\\.)*+'?"""
    r"""|[bruf]{0,2}"(?:[^"\\]|\\.)*+"?"""
    r"""|[\[{(].*|(?:bearer |basic )?[^\s,;)}\]&'"]+)""",
    re.IGNORECASE | re.DOTALL,
)
"""A name and a value in a text: ``'password': 'x'``, ``token=x``, ``Cookie: x``."""

_on: ContextVar[bool] = ContextVar("redaction", default=False)


@contextmanager
def hidden(on: bool = True) -> Iterator[None]:
    """Redact, or not, what is sent within."""
    before = _on.set(on)
    try:
        yield
    finally:
        _on.reset(before)


def is_on() -> bool:
    """Whether the caller that is served just now gets no secrets."""
    return _on.get()


def looks_secret(name: str) -> bool:
    """Whether a value with this name, or what this expression gives, is likely a secret."""
    return _NAME.search(name) is not None


def text(shown: str) -> str:
    """A text without the values that stand behind secret names in it, whether it is on or not."""
    return _PAIR.sub(lambda found: f"{found['name']}{REDACTED}", shown)


def variable(found: Variable) -> Variable:
    """A variable as it may be sent. One that is hidden has no children either."""
    if not _on.get():
        return found
    if looks_secret(found.name) or looks_secret(found.evaluate_name):
        return _without_value(found)
    return msgspec.structs.replace(found, value=text(found.value))


def result(expression: str, value: str) -> str:
    """What an expression gave, as it may be sent."""
    if not _on.get():
        return value
    return REDACTED if looks_secret(expression) else text(value)


def evaluated(expression: str, found: Variable) -> Variable:
    """The same as a variable."""
    if _on.get() and looks_secret(expression):
        return _without_value(found)
    return variable(found)


def _without_value(found: Variable) -> Variable:
    return msgspec.structs.replace(found, value=REDACTED, reference=0, handle=0, size="", total=0)
