"""The names on a line of a source, of which one may be a table."""

from __future__ import annotations

import io
import keyword
import re
import tokenize

_DOTTED = re.compile(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*")


def names_of(line: str) -> list[str]:
    """The dotted names of a line of Python in their order, each before what it begins with.

    ``df.price.mean()`` has ``df.price.mean``, ``df.price`` and ``df``. Text in strings and comments
    is none.
    """
    names: dict[str, None] = {}
    for found in _DOTTED.finditer(_code_of(line)):
        parts = [part.strip() for part in found[0].split(".")]
        if not keyword.iskeyword(parts[0]):
            for length in range(len(parts), 0, -1):
                names[".".join(parts[:length])] = None
    return list(names)


def _code_of(line: str) -> str:
    """The line without its strings and comments; it may be only a part of a statement."""
    kept = list(line)
    try:
        for token in tokenize.generate_tokens(io.StringIO(line.lstrip()).readline):
            if token.type in (tokenize.STRING, tokenize.COMMENT) and token.start[0] == 1:
                indent = len(line) - len(line.lstrip())
                first, last = token.start[1] + indent, token.end[1] + indent
                kept[first:last] = " " * (last - first)
    except (tokenize.TokenError, SyntaxError):
        pass  # the statement goes on in the next line
    return "".join(kept)
