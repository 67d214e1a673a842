"""Texts of a program as answers hold them."""

from __future__ import annotations

import re

_SGR = re.compile(r"\x1b\[[0-9;:]*m")


def plain(text: str) -> str:
    """Without colours."""
    return _SGR.sub("", text)


def cut(text: str, most: int) -> str:
    """At most so many characters, and how many there were."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"
