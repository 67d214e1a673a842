"""Reads an adapter's text of a value: as a truth, a number, a part of a message. Pure."""

from __future__ import annotations

import re

from tuidbg.session.hits.log_messages import Part

_FALSE = frozenset({"", "false", "nil", "null", "none", "nullptr", "'\\0'"})
_STRING = re.compile(r"""(?:0x[0-9a-fA-F]+ )?("|')(?P<text>.*)\1""", re.DOTALL)
_INTEGER = re.compile(r"[+-]?(0[xXbBoO])?[0-9a-fA-F]+")


def is_true(text: str) -> bool:
    """True if a value, as the adapter writes it, makes a condition true."""
    if text.strip().lower() in _FALSE:
        return False
    number = read_number(text)
    return number is None or number != 0


def read_number(text: str) -> int | float | None:
    """The number that a text is; None where it is none."""
    text = text.strip()
    found = _INTEGER.fullmatch(text)
    try:
        return int(text, 0 if found and found[1] else 10) if found else float(text)
    except ValueError:
        return None


def fill_in(part: Part, text: str) -> str:
    """A value in a message: strings without their quotes, formats for what they fit."""
    if part.conversion not in ("r", "a") and (found := _STRING.fullmatch(text)):
        text = found["text"]
    if part.conversion == "a":
        text = ascii(text)[1:-1]
    if not part.format:
        return text
    number = None if part.conversion else read_number(text)
    try:
        return format(text if number is None else number, part.format)
    except ValueError:
        return f"<{text}: {part.format} is no format for this value>"
