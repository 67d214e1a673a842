"""A log message: text with ``{expression}`` parts.

``{{`` and ``}}`` are braces. ``!r``, ``!s``, ``!a``, a format after ``:`` and ``=`` after the
expression have their f-string meaning, whatever language the expressions are in. An unmatched brace
is refused: a wrong message is worse than none.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from tuidbg.adapters.languages import CLOSING, Language, begins_quote, end_of_quote
from tuidbg.recording.leaving.secret_names import looks_secret
from tuidbg.session.core.breakpoints.predicates import check_condition
from tuidbg.session.model.errors import InvalidCondition

BETWEEN = "\x1f"
"""Separates two values of a hit: the unit separator, which is rare in values."""


class MessagePart(msgspec.Struct, frozen=True):
    """A piece of a message: literal text, or an expression with its conversion and format."""

    text: str = ""
    expression: str = ""
    conversion: str = ""
    format: str = ""


def check_log_message(message: str, language: Language) -> None:
    """Raise ValueError with a sentence if it is invalid."""
    split_log_message(message, language)


def split_log_message(message: str, language: Language) -> tuple[MessagePart, ...]:
    """Return the parts of a message. Raises ValueError with a sentence."""
    parts: list[MessagePart] = []
    literal: list[str] = []
    index = 0
    while index < len(message):
        char = message[index]
        if message[index : index + 2] in ("{{", "}}"):
            literal.append(char)
            index += 2
        elif char == "}":
            raise ValueError(f"the }} at column {index + 1} closes nothing; }}}} writes one")
        elif char == "{":
            if literal:
                parts.append(MessagePart(text="".join(literal)))
                literal = []
            found, index = _read_part(message, index, language)
            parts += found
        else:
            literal.append(char)
            index += 1
    if literal:
        parts.append(MessagePart(text="".join(literal)))
    return tuple(parts)


@lru_cache(maxsize=256)
def find_secrets(message: str, language: Language) -> tuple[bool, ...] | None:
    """Return for each separated piece whether it has a secret's name; None for no message."""
    try:
        parts = split_log_message(message, language)
    except ValueError:
        return None
    found = [False]
    for part in parts:
        found[-1] = found[-1] or looks_secret(part.expression)
        found += [False] * part.text.count(BETWEEN)
    return tuple(found)


def _read_part(message: str, start: int, language: Language) -> tuple[list[MessagePart], int]:
    """Return the part at the brace at ``start``, and the start of the text after it.

    An expression may contain braces, colons and quotes of its own, so the shortest text that
    compiles is used: up to each ``}``, ``:`` or ``!`` in turn. Where the grammar is unknown, only
    those outside brackets and quotes of the expression count.
    """
    problem = ""
    ends = _exact_ends if language.is_exact else _plain_ends
    for end in ends(message, start):
        written = message[start + 1 : end]
        expression, equals = written.strip(), ""
        if expression.endswith("="):
            expression, equals = expression[:-1].rstrip(), written
        if message[end : end + 2] == "!=" or not expression:
            continue
        try:
            check_condition(f"({expression}\n)", language)
        except InvalidCondition as error:
            problem = problem or _shift(error)
            continue
        if (tail := _read_tail(message, end)) is not None:
            conversion, form, after = tail
            if equals and not form:
                conversion = conversion or "r"
            part = MessagePart(expression=expression, conversion=conversion, format=form)
            return ([MessagePart(text=equals)] if equals else []) + [part], after
    if "}" not in message[start:]:
        raise ValueError(f"the {{ at column {start + 1} is never closed; {{{{ writes one")
    shown = message[start : message.index("}", start) + 1]
    if shown.strip("{} ") == "":
        raise ValueError(f"there is nothing between the braces at column {start + 1}")
    problem = problem or language.check(shown[1:-1]) or "this is no expression"
    raise ValueError(f"{shown}: {problem}")


def _exact_ends(message: str, start: int) -> Iterator[int]:
    return (end for end in range(start + 1, len(message)) if message[end] in "}:!")


def _plain_ends(message: str, start: int) -> Iterator[int]:
    """Yield possible ends; not the colons of ``ns::name``, ``a ? b : c``, nor nested braces."""
    depth = questions = 0
    index = start + 1
    while index < len(message):
        char = message[index]
        if begins_quote(message, index):
            after = end_of_quote(message, index)
            if after is None:
                return
            index = after
            continue
        if message[index : index + 2] == "::":
            index += 2
            continue
        if char in "([{":
            depth += 1
        elif depth and char in CLOSING:
            depth -= 1
        elif not depth and char == "?":
            questions += 1
        elif not depth and char == ":" and questions:
            questions -= 1
        elif not depth and char in "}:!":
            yield index
            if char == "}":
                return
        index += 1


def _shift(error: InvalidCondition) -> str:
    return str(error).partition(" (column")[0]


def _read_tail(message: str, end: int) -> tuple[str, str, int] | None:
    """Return conversion, format and next index, from an expression's end; None if invalid."""
    conversion = ""
    if message[end] == "!":
        conversion = message[end + 1 : end + 2]
        end += 2
        if conversion not in ("r", "s", "a") or message[end : end + 1] not in ("}", ":"):
            return None
    if message[end] == "}":
        return conversion, "", end + 1
    close = message.find("}", end)
    if close < 0:
        return None
    form = message[end + 1 : close]
    if "{" in form or not _is_format(form):
        return None
    return conversion, form, close + 1


def _is_format(form: str) -> bool:
    """True if some kind of value accepts it: numbers, strings, or (with a %) dates."""
    if "%" in form:
        return True
    for value in (1, 1.5, ""):
        try:
            format(value, form)
        except ValueError:
            continue
        return True
    return bool(form) and not set(form) - set(string.printable)


_FALSE = frozenset({"", "false", "nil", "null", "none", "nullptr", "'\\0'"})
_STRING = re.compile(r"""(?:0x[0-9a-fA-F]+ )?("|')(?P<text>.*)\1""", re.DOTALL)
_INTEGER = re.compile(r"[+-]?(0[xXbBoO])?[0-9a-fA-F]+")


def is_true(text: str) -> bool:
    """True if a value, in the adapter's format, makes a condition true."""
    if text.strip().lower() in _FALSE:
        return False
    number = read_number(text)
    return number is None or number != 0


def read_number(text: str) -> int | float | None:
    """Return the number a text represents, if any."""
    text = text.strip()
    found = _INTEGER.fullmatch(text)
    try:
        return int(text, 0 if found and found[1] else 10) if found else float(text)
    except ValueError:
        return None


def fill_in(part: MessagePart, text: str) -> str:
    """Return a value for a message: strings unquoted, formats applied where they fit."""
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
