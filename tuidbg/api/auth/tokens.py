"""The tokens that programs show: who has one may do what its scopes say.

One token with all scopes is made for each server, for the person who started it and their own
commands. More can be made for agents: ``NAME:SCOPE[,SCOPE...][:redact|:secrets]``. Those are for
others, so that secrets are hidden from them by their names unless it is said otherwise.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Iterable, Iterator

import msgspec

from tuidbg.api.auth.callers import ALL_SCOPES, Scope
from tuidbg.session.redaction import Redaction

OWNER = "owner"
"""Whom the token in the file stands for."""


class Token(msgspec.Struct, frozen=True):
    """A secret, and what whoever shows it may do.

    ``redact``: how much of what may be a secret is not sent to them.
    """

    name: str
    scopes: frozenset[Scope]
    redact: Redaction = Redaction.NOTHING
    value: str = msgspec.field(default_factory=lambda: f"tuidbg_{secrets.token_urlsafe(24)}")


class Tokens:
    """Those of one server, the owner's first."""

    def __init__(self, more: Iterable[Token] = (), *, redact: bool = False) -> None:
        hidden = Redaction.TEXTS if redact else Redaction.NOTHING
        self.owner = Token(OWNER, ALL_SCOPES, hidden)
        self._all = (self.owner, *more)

    def __iter__(self) -> Iterator[Token]:
        return iter(self._all)

    def find(self, shown: bytes) -> Token | None:
        """Returns whose token this is; it takes as long for a wrong one as for a right one."""
        found = None
        for token in self._all:
            if hmac.compare_digest(token.value.encode(), shown):
                found = token
        return found


_FORM = re.compile(r"(?P<name>[\w.-]{1,40}):(?P<scopes>[a-z,]+)(?::(?P<hidden>redact|secrets))?")
_HIDDEN = {None: Redaction.NAMES, "redact": Redaction.TEXTS, "secrets": Redaction.NOTHING}


def read_token(text: str) -> Token:
    """A new token of ``NAME:SCOPES[:redact|:secrets]``.

    To read is always allowed; ``all`` is all of them.

    Raises ValueError with a sentence.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not of the form NAME:SCOPE[,SCOPE...][:redact|:secrets]")
    if found["name"] == OWNER:
        raise ValueError(f"the name {OWNER!r} is taken by your own token")
    words = set(found["scopes"].split(","))
    unknown = words - {"all", *Scope}
    if unknown:
        known = ", ".join([*Scope, "all"])
        raise ValueError(f"there is no scope {min(unknown)!r}; there are {known}")
    scopes = ALL_SCOPES if "all" in words else frozenset({Scope.READ, *map(Scope, words)})
    return Token(found["name"], scopes, _HIDDEN[found["hidden"]])
