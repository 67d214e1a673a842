"""Tells by its name what is likely a secret."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum

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


class Secrecy(IntEnum):
    """What a recording's file hides of a value by its name: nothing, all of it, or a plain value.

    A bare token is a plain value: the tokens of a parser, and objects that are called so, are no
    secret; of an ``api_token`` all is hidden.
    """

    NONE = 0
    WHOLE = 1
    PLAIN = 2


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_WHOLE = re.compile(
    r"\w*(?:pass(?:word|wd|phrase|code)|secret|credential|(?:api|access|private)key|sessionid)s?"
    r"|pass|pwd|auth|jwt|authorization|cookies?|(?:access|api|auth|bearer|csrf|refresh)tokens?"
)
_TOKEN = re.compile(r"\w*token")
_KEYS = {("api", "key"), ("access", "key"), ("private", "key"), ("session", "id")}
_OF_TOKENS = {"access", "api", "auth", "bearer", "csrf", "id", "refresh", "session"}


def secrecy(name: str) -> Secrecy:
    """What is hidden of a value with this name, by the whole words in it."""
    words = [each.lower() for each in _WORD.findall(name)]
    for word, before in zip(words, ("", *words), strict=False):
        single = word.removesuffix("s")
        if _WHOLE.fullmatch(word) or (before, single) in _KEYS:
            return Secrecy.WHOLE
        if single == "token" and before in _OF_TOKENS:
            return Secrecy.WHOLE
    return Secrecy.PLAIN if any(map(_TOKEN.fullmatch, words)) else Secrecy.NONE


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
