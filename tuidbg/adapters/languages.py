"""The programs' languages, without running any program.

A condition or a watch is checked while it is typed. If only the adapter can check the grammar, an
expression is accepted if its brackets and quotes are closed.
"""

from __future__ import annotations

import builtins
import keyword
import re
import warnings
from collections.abc import Callable
from pathlib import PurePath

import msgspec

CLOSING = {")": "(", "]": "[", "}": "{"}
"""Opening brackets by closing ones."""

_NUMBER_BEFORE = re.compile(r"(?<!\w)[0-9][0-9a-fA-F'x]*$")


class Language(msgspec.Struct, frozen=True):
    """A language: its display name, and a check of expressions that returns a sentence.

    ``check`` returns an empty text for a valid expression. ``is_exact``: it knows the grammar; else
    it checks only brackets and quotes. ``prompt`` precedes the input, ``example`` is a sample
    condition. ``names`` are its builtins. ``nothing`` is the value of a statement and its type, if
    the adapter reports none.
    """

    name: str
    check: Callable[[str], str]
    is_exact: bool = False
    prompt: str = "> "
    example: str = "i > 10 && count == 3"
    names: frozenset[str] = frozenset()
    nothing: tuple[str, str] = ("", "")


def check_python(text: str) -> str:
    """Return Python's own error for a text that does not compile as an expression."""
    if not text.strip():
        return ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `x is 1` would write to the terminal
            compile(text.strip(), "<condition>", "eval")
    except SyntaxError as error:
        place = f" (column {error.offset})" if error.offset else ""
        return f"{type(error).__name__}: {error.msg}{place}"
    except (MemoryError, RecursionError):
        return "the condition is too complicated"
    except (ValueError, OverflowError) as error:
        return str(error)
    return ""


def check_brackets(text: str) -> str:
    """Return the error of an unbalanced bracket or quote."""
    open_ones: list[tuple[str, int]] = []
    index = 0
    while index < len(text):
        char = text[index]
        if begins_quote(text, index):
            end = end_of_quote(text, index)
            if end is None:
                return f"the {char} at column {index + 1} is never closed"
            index = end
            continue
        if char in "([{":
            open_ones.append((char, index))
        elif char in CLOSING:
            if not open_ones or open_ones[-1][0] != CLOSING[char]:
                return f"the {char} at column {index + 1} closes nothing"
            open_ones.pop()
        index += 1
    if open_ones:
        char, index = open_ones[-1]
        return f"the {char} at column {index + 1} is never closed"
    return ""


def begins_quote(text: str, index: int) -> bool:
    """Return whether a string or character literal begins there; not so in C++'s 1'000."""
    char = text[index]
    return char in '"`' or (char == "'" and _NUMBER_BEFORE.search(text[:index]) is None)


def end_of_quote(text: str, start: int) -> int | None:
    """Return the index after the literal whose quote is at ``start``; None if unclosed."""
    quote, index = text[start], start + 1
    while index < len(text):
        if text[index] == "\\" and quote != "`":
            index += 1
        elif text[index] == quote:
            return index + 1
        index += 1
    return None


PYTHON = Language(
    "Python",
    check_python,
    is_exact=True,
    prompt=">>> ",
    example="i > 10 and name == 'x'",
    names=frozenset([*keyword.kwlist, *dir(builtins)]),
    nothing=("None", "NoneType"),
)
PLAIN = Language("the program's language", check_brackets)
C_FAMILY = Language("C, C++ or Rust", check_brackets)
GO = Language("Go", check_brackets)


_BY_SUFFIX = {
    **dict.fromkeys((".py", ".pyw", ".pyi"), PYTHON),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".rs"), C_FAMILY),
    ".go": GO,
}


def language_of(path: str, otherwise: Language) -> Language:
    """Return the language of a source by its file name, if known."""
    return _BY_SUFFIX.get(PurePath(path).suffix.lower(), otherwise)
