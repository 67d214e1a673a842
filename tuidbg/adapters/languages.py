"""Knows the languages of programs, without running any of them.

A condition or a watch is checked while a person types it. Where only the adapter can tell, an
expression is taken as it is, if its brackets and quotes are closed.
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
"""Brackets by what closes them."""

_NUMBER_BEFORE = re.compile(r"(?<!\w)[0-9][0-9a-fA-F'x]*$")


class Language(msgspec.Struct, frozen=True):
    """A language: its name for people, and what tells in a sentence why a text is no expression.

    ``check`` gives nothing for an expression. ``is_exact``: it knows the grammar; else it looks at
    brackets and quotes only. ``prompt`` is what stands before what is typed, ``example`` a
    condition for people who have not written one yet. ``names`` are those that it has itself.
    ``nothing`` is what a statement gives, and the type of that, where the adapter tells none.
    """

    name: str
    check: Callable[[str], str]
    is_exact: bool = False
    prompt: str = "> "
    example: str = "i > 10 && count == 3"
    names: frozenset[str] = frozenset()
    nothing: tuple[str, str] = ("", "")


def check_python(text: str) -> str:
    """Python's own words for what does not compile as an expression."""
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
    """That a bracket or a quote is never closed, or closes nothing."""
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
    """Tells whether a string or a character begins there; the quotes in C++'s 1'000 begin none."""
    char = text[index]
    return char in '"`' or (char == "'" and _NUMBER_BEFORE.search(text[:index]) is None)


def end_of_quote(text: str, start: int) -> int | None:
    """The index behind what the quote at ``start`` opens; None where it is never closed."""
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
    """The language of a source by its name, where that tells."""
    return _BY_SUFFIX.get(PurePath(path).suffix.lower(), otherwise)
