"""Hides values that look like secrets by their names from programs that need not see them.

This keeps passwords and tokens out of the logs and prompts of an agent that only looks. It is no
wall: whoever may evaluate can ask for the same value by another name.

Front ends call ``variable`` and ``result`` on all values they send; both do nothing unless it is
on for the call that is served (``hidden``).
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
    r"pass(?:word|wd|phrase|code)|(?<![a-z])pwd|secret|token|api_?-?key|access_?-?key|private_?-?key"
    r"|credential|authorization|(?<![a-z])auth(?![a-z])|cookie|session_?-?id|jwt(?![a-z])"
)
_NAME = re.compile(_SECRET, re.IGNORECASE)

_PAIR = re.compile(
    rf"""(?P<name>(?P<q>['"]?)[\w.-]*(?:{_SECRET})[\w.-]*(?P=q)\s*[:=]\s*)"""
    r"""(?P<value>[bruf]{0,2}(?:'(?:[^'\\]|\\.)*+'?|"(?:[^"\\]|\\.)*+"?)|(?:bearer |basic )?[^\s,;)}\]&]+)""",
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
        return msgspec.structs.replace(
            found, value=REDACTED, reference=0, handle=0, size="", total=0
        )
    return msgspec.structs.replace(found, value=text(found.value))


def result(expression: str, value: str) -> str:
    """What an expression gave, as it may be sent."""
    if not _on.get():
        return value
    return REDACTED if looks_secret(expression) else text(value)


def has_children(expression: str) -> bool:
    """Whether the children of what an expression gave may be sent."""
    return not (_on.get() and looks_secret(expression))
