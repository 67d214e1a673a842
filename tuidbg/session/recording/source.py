"""A call as its source has it: the names of its parameters, the value a ``return`` names.

By the text alone, so that it serves every language whose functions look like ``name(parameters)``.
"""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Sequence

from tuidbg.config.files import read_text
from tuidbg.lines import split_lines
from tuidbg.session.sources.name_scopes import scopes_at
from tuidbg.session.state import Value

HEADER_LINES = 40
"""Lines above the first line of a function in which its name stands."""

_LONGEST_HEADER = 4_000
_NAME = re.compile(r"[^\W\d]\w*")
_RETURN = re.compile(r"\s*return\b\s*(?P<value>[^;]*?)\s*;?\s*(?:(?:#|//|/\*).*)?$")
_PLAIN = re.compile(
    r"[^\W\d]\w*|-?\d+(?:\.\d+)?|'[^'\\]*'|\"[^\"\\]*\"|None|True|False|nil|true|false"
)
_HEADING = re.compile(
    r"[^#/=]*?(?P<name>[^\W\d][\w:]*)\s*(?:\[[^]]*\])?\((?![^)]*\)\s*[^\W\d]\w*\()"
)
_OPENING, _CLOSING = "([{", ")]}"


class SourceText:
    """The lines of one source; none where there is no such file."""

    def __init__(self, lines: Sequence[str] = ()) -> None:
        self._lines = lines

    @classmethod
    async def load(cls, path: str) -> SourceText:
        """Of a file; it is read in a thread."""
        try:
            text = await asyncio.to_thread(read_text, path, "utf-8", "replace")
        except (OSError, ValueError):
            return cls()
        return cls(split_lines(text))

    def line(self, number: int) -> str:
        """One line; empty where there is none."""
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""

    def parameters(self, function: str, line: int) -> tuple[str, ...]:
        """The names between the brackets behind the function's name, at or above a line of it.

        With them are the names of types; whoever asks knows which variables there are.
        """
        name = bare_name(function)
        if not name.isidentifier():
            return ()
        heading = re.compile(rf"(?<![\w.]){re.escape(name)}\s*(?:\[[^]]*\]|<[^>]*>)?\s*\(")
        for number in range(min(line, len(self._lines)), max(0, line - HEADER_LINES), -1):
            found = heading.search(self._lines[number - 1])
            if found is not None and not _is_call(self._lines[number - 1], found.start()):
                text = self._lines[number - 1]
                rest = text[found.end() :], *self._lines[number:line]
                _, bracket, receiver = text[: found.start()].partition("(")
                names = _names(receiver) if bracket else ()
                return (*names, *_names("\n".join(rest)[:_LONGEST_HEADER]))
        return ()

    def returns(self, line: int) -> str | None:
        """The text behind the ``return`` on a line; None where there is none."""
        found = _RETURN.match(self.line(line))
        return found["value"] if found is not None else None

    def assigns(self, line: int, name: str) -> bool:
        """True if a line sets a variable, as it is written."""
        return re.search(rf"(?<![\w.]){re.escape(name)}\s*:?=(?!=)", self.line(line)) is not None

    def returned_name(self, line: int) -> str:
        """The name or the constant that the ``return`` on a line gives; nothing else is sure."""
        value = self.returns(line) or ""
        return value if _PLAIN.fullmatch(value) else ""


class NamedFunction(Value, frozen=True):
    """A function by its name, and its first line where that is known (else 0)."""

    name: str
    line: int = 0


def function_at(text: str, line: int) -> NamedFunction | None:
    """The function that a line of a source is in."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _function_above(split_lines(text), line)
    scopes = scopes_at(tree, line)
    inner = next((s for s in reversed(scopes) if not isinstance(s, ast.ClassDef)), None)
    if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    first = inner.body[0]
    if (
        len(inner.body) > 1
        and isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
    ):
        first = inner.body[1]
    outer = scopes[1 : scopes.index(inner) + 1]
    return NamedFunction(
        name=".".join(s.name for s in outer if hasattr(s, "name")), line=_begin(first)
    )


def _begin(statement: ast.stmt) -> int:
    """Returns where a statement begins: a definition by its first decorator."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _function_above(lines: Sequence[str], line: int) -> NamedFunction | None:
    """In a language that begins its functions at the left edge."""
    for text in reversed(lines[:line]):
        if text[:1].strip() and not text.rstrip().endswith(";") and (found := _HEADING.match(text)):
            return NamedFunction(name=found["name"])
    return None


def bare_name(function: str) -> str:
    """The last part of a function's name: ``move`` of ``main.(*point).move``, ``a::move(int)``."""
    return re.split(r"[.:\s]+", re.sub(r"\([^()]*\)$", "", function))[-1]


def _is_call(text: str, start: int) -> bool:
    """True if a name with brackets is rather used there than defined."""
    before = text[:start].rstrip()
    return before.endswith(("=", "(", ",", "return", "+", "-", "/", "%", "<", ">", "!", "await"))


def _names(text: str) -> tuple[str, ...]:
    """The names of a list of parameters, up to the bracket that closes it."""
    depth, names, is_value = 0, list[str](), False
    for part in re.finditer(r"[^\W\d]\w*|[(){}\[\]=,]", text):
        token = part[0]
        if token in _OPENING:
            depth += 1
        elif token in _CLOSING:
            depth -= 1
            if depth < 0:
                break
        elif token == "=":
            is_value = is_value or depth == 0
        elif token == ",":
            is_value = is_value and depth > 0
        elif not is_value and depth == 0:
            names.append(token)
    return tuple(dict.fromkeys(names))
