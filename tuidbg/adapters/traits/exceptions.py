"""The exceptions at which an adapter stops, and what it tells of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


class Exceptions:
    """Exception breakpoints by their moments, and an exception's words."""

    moments: tuple[str, ...] = ()
    """Tells when any exception stops the program by default (``breakpoints/exceptions.py``)."""

    filter_names: Mapping[str, str] = MappingProxyType({})
    """DAP's filters of this adapter by those moments."""

    labels: Mapping[str, str] = MappingProxyType({})
    """The moments that can be chosen, with words for people, where it knows no others."""

    fixed = ""
    """At which exceptions it stops, in a sentence, where nobody can choose them; else ""."""

    def read_trace(self, text: str, message: str) -> tuple[str, str]:
        """An exception's traceback as its language prints it, and its message, as they are told."""
        return text, message

    def text(self, text: str) -> str:
        """Returns what an exception says, as it is shown to people."""
        return text
