"""Tells by its name what is likely a secret."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

SECRET = (
    r"(?:pass(?:word|wd|phrase|code)|(?<![a-z])(?:pass|pwd|auth|jwt)(?![a-z])|secret|token"
    r"|(?:api|access|private)[_-]?key|credential|authorization|cookie|session_?id)"
)
REDACTED = "<redacted>"

_NAME = re.compile(SECRET, re.IGNORECASE)
_PAIR = re.compile(r"(?P<name>[\w.-]+)=.", re.DOTALL)


def looks_secret(name: str) -> bool:
    """Tell whether a value with this name, or what this expression gives, is likely a secret."""
    return _NAME.search(name) is not None


def without_secrets(command: Iterable[str]) -> Iterator[str]:
    """The words of a command, but for what stands behind the name of a secret in it."""
    is_value = False
    for word in command:
        pair = _PAIR.match(word)
        if is_value and not word.startswith("-"):
            yield REDACTED
        elif pair is not None and looks_secret(pair["name"]):
            yield f"{pair['name']}={REDACTED}"
        else:
            yield word
        is_value = pair is None and word.startswith("-") and looks_secret(word)
