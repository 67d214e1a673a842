"""What tuidbg knows of the languages of programs, without running any of them.

A condition or a watch is checked while a person types it. Where only the adapter can tell, an
expression is taken as it is, if its brackets and quotes are closed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import msgspec

_CLOSING = {")": "(", "]": "[", "}": "{"}


class Language(msgspec.Struct, frozen=True):
    """A language: its name for people, and what tells in a sentence why a text is no expression.

    ``check`` gives nothing for an expression.
    """

    name: str
    check: Callable[[str], str]


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
    quote, start, index = "", 0, 0
    while index < len(text):
        char = text[index]
        if quote:
            if char == "\\" and quote != "`":
                index += 1
            elif char == quote:
                quote = ""
        elif char in "\"'`":
            quote, start = char, index
        elif char in "([{":
            open_ones.append((char, index))
        elif char in _CLOSING:
            if not open_ones or open_ones[-1][0] != _CLOSING[char]:
                return f"the {char} at column {index + 1} closes nothing"
            open_ones.pop()
        index += 1
    if quote:
        return f"the {quote} at column {start + 1} is never closed"
    if open_ones:
        char, index = open_ones[-1]
        return f"the {char} at column {index + 1} is never closed"
    return ""


PYTHON = Language("Python", check_python)
PLAIN = Language("the program's language", check_brackets)
C_FAMILY = Language("C, C++ or Rust", check_brackets)
GO = Language("Go", check_brackets)
