"""Tells what a text at the prompt is: complete or to be gone on with, code or a question.

Whether a statement is complete is decided by tuidbg's own Python, as the REPL would. What an older
or newer one thinks of its syntax, the program's Python says when it is sent. Of other languages
only the brackets are known, and there is no help to be asked for.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable
from textwrap import dedent
from typing import NamedTuple

from tuidbg.adapters.languages import PYTHON, Language

INDENT = "    "

_HELP = re.compile(r"\s*(?:(\?{1,2})\s*([^?]+?)|([^?#]+?)\s*(\?{1,2}))\s*")
_NAME = re.compile(r"[^\W\d]\w*")
_WORD = re.compile(r"(?:[\w.]|->|::)*$")
_LAST = re.compile(r"(?P<owner>.*?)(?:\.|->|::|^)(?P<part>\w*)$")
_OPENS = re.compile(r":\s*(#.*)?$")
_LEAVES = re.compile(r"\s*(return|raise|pass|break|continue)\b")


class HelpQuestion(NamedTuple):
    """``obj?`` (with ``source``: ``obj??``), or the same with the marks before it."""

    expression: str
    source: bool


def help_question(text: str, language: Language = PYTHON) -> HelpQuestion | None:
    """Returns what a text asks help on; None for a text that is code."""
    if not language.is_exact:
        return None
    match = _HELP.fullmatch(text)
    if match is None or "\n" in text.strip():
        return None
    before, after_marks, expression, marks = match.groups()
    expression, marks = (after_marks, before) if before else (expression, marks)
    return HelpQuestion(expression.strip(), len(marks) == 2)


def as_sent(text: str) -> str:
    """Pasted lines without the indentation that all of them have."""
    return dedent(text) if "\n" in text else text


def is_complete(text: str, language: Language = PYTHON) -> bool:
    """Returns whether Enter sends it; else it goes on in a new line.

    A text with a mistake is sent too: Python explains it better. As in the REPL a block is ended by
    an empty line.
    """
    text = as_sent(text)
    if not language.is_exact:
        return not language.check(text).endswith("is never closed") or text.endswith("\n")
    if not text.strip() or help_question(text) is not None:
        return True
    *_, last = text.split("\n")
    if text.startswith("%%"):  # a cell of IPython's
        return "\n" in text and not last.strip()
    if _is_unfinished(text):
        return False
    return not _is_block(text) or not last.strip()


def _is_unfinished(text: str) -> bool:
    """Returns whether more text could mend it (``codeop`` does it so)."""
    import codeop

    compiler = codeop.CommandCompiler()
    compiler.compiler.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return compiler(text, symbol="exec") is None
        except (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError):
            return False


def _is_block(text: str) -> bool:
    """Returns whether its last statement has a body, on other lines than its first."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    if not body or not (hasattr(body[-1], "body") or isinstance(body[-1], ast.Match)):
        return False
    return (body[-1].end_lineno or 0) > body[-1].lineno


def next_indent(text: str, language: Language = PYTHON) -> str:
    """The indentation of a line that comes after these."""
    *_, last = text.split("\n")
    own = last[: len(last) - len(last.lstrip())]
    if not language.is_exact:
        return own
    if _OPENS.search(last):
        return own + INDENT
    if _LEAVES.match(last):
        return own[: -len(INDENT)]
    return own


def word_before(text: str, cursor: int) -> str:
    """The dotted name that ends at the cursor."""
    found = _WORD.search(text[:cursor])
    return found[0] if found is not None else ""


def split_word(word: str) -> tuple[str, str]:
    """Returns what stands before a word's last dot (or arrow), and the part of a name after it."""
    found = _LAST.match(word)
    return (found["owner"], found["part"]) if found is not None else ("", word)


def local_names(
    variables: Iterable[str], history: Iterable[str], language: Language = PYTHON
) -> set[str]:
    """Names that can be offered without asking the program."""
    names = set(language.names)
    names |= {name for name in variables if name.isidentifier()}
    for text in history:
        names |= {name for name in _NAME.findall(text) if len(name) > 2}
    return names


def local_attributes(owner: str, history: Iterable[str]) -> set[str]:
    """Attributes of ``owner`` that were typed before."""
    pattern = re.compile(rf"(?<![\w.]){re.escape(owner)}\.([^\W\d]\w*)")
    return {name for text in history for name in pattern.findall(text)}
