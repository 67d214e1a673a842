"""Bearer tokens and their scopes.

Each server has one token with all scopes, for the user who started it and their own commands. More
can be made for agents: ``NAME:SCOPE[,SCOPE...][:redact|:secrets]``. Those are for others, so
secrets are hidden from them by name unless specified otherwise.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Iterable, Iterator

import msgspec

from tuidbg.api.auth.callers import ALL_SCOPES, TokenScope
from tuidbg.session.core.redaction import Redaction

OWNER = "owner"
"""Name of the token in the server file."""


class Token(msgspec.Struct, frozen=True):
    """A secret and the scopes it grants.

    ``redact`` says how much possible secret content is withheld.
    """

    name: str
    scopes: frozenset[TokenScope]
    redact: Redaction = Redaction.NOTHING
    value: str = msgspec.field(default_factory=lambda: f"tuidbg_{secrets.token_urlsafe(24)}")


class Tokens:
    """All tokens of one server, the owner's first."""

    def __init__(self, more: Iterable[Token] = (), *, redact: bool = False) -> None:
        hidden = Redaction.TEXTS if redact else Redaction.NOTHING
        self.owner = Token(OWNER, ALL_SCOPES, hidden)
        self._all = (self.owner, *more)

    def __iter__(self) -> Iterator[Token]:
        return iter(self._all)

    def find(self, shown: bytes) -> Token | None:
        """Find a token in constant time: wrong values take as long as right ones."""
        found = None
        for token in self._all:
            if hmac.compare_digest(token.value.encode(), shown):
                found = token
        return found


_FORM = re.compile(r"(?P<name>[\w.-]{1,40}):(?P<scopes>[a-z,]+)(?::(?P<hidden>redact|secrets))?")
_HIDDEN = {None: Redaction.NAMES, "redact": Redaction.TEXTS, "secrets": Redaction.NOTHING}


def read_token(text: str) -> Token:
    """Make a token from ``NAME:SCOPES[:redact|:secrets]``.

    READ is always included; ``all`` means every scope. Raises ValueError with a sentence.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not of the form NAME:SCOPE[,SCOPE...][:redact|:secrets]")
    if found["name"] == OWNER:
        raise ValueError(f"the name {OWNER!r} is taken by your own token")
    words = set(found["scopes"].split(","))
    unknown = words - {"all", *TokenScope}
    if unknown:
        known = ", ".join([*TokenScope, "all"])
        raise ValueError(f"there is no scope {min(unknown)!r}; there are {known}")
    scopes = ALL_SCOPES if "all" in words else frozenset({TokenScope.READ, *map(TokenScope, words)})
    return Token(found["name"], scopes, _HIDDEN[found["hidden"]])
