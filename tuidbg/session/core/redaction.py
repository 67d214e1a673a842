"""Redaction of secrets for API clients that don't need them.

This keeps passwords and tokens out of the logs and prompts of a read-only agent. It is no security
boundary: a client that may evaluate can request the same value by another name.

A value is hidden by its name, and wherever it follows such a name in a text (``Redaction.NAMES``).
Where a secret has no name any more, in the program's output, in the message of an exception, in a
line of source, in the calls of others, the whole text is withheld as well from clients configured
for that (``Redaction.TEXTS``).

The views of ``api/operations`` call ``variable`` and ``evaluated`` on all values, ``words``,
``trace`` and ``code`` on all text that is the program's or another caller's. Each front end calls
``sent`` on every message at its exit (``redacting/messages``), whatever the views did. These do
nothing unless something is hidden from the current caller (``hidden``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from typing import Any

import msgspec

from tuidbg.lines import split_lines
from tuidbg.recording.leaving.secret_names import REDACTED as REDACTED
from tuidbg.recording.leaving.secret_names import SECRET, without_secrets
from tuidbg.recording.leaving.secret_names import looks_secret as looks_secret
from tuidbg.session.core.hits.log_messages import BETWEEN
from tuidbg.session.core.values.types import VariableNode
from tuidbg.session.model.state import Variable


def mark_secrets(
    nodes: Sequence[VariableNode], before: Sequence[VariableNode] = ()
) -> tuple[VariableNode, ...]:
    """Mark secrets in nodes; ``before`` are siblings outside of them: the first and the last."""
    variables = mark_siblings([each.variable for each in nodes], [each.variable for each in before])
    return tuple(
        msgspec.structs.replace(
            node,
            variable=variable,
            children=mark_secrets(node.children) if node.children is not None else None,
        )
        for node, variable in zip(nodes, variables, strict=True)
    )


def mark_siblings(
    variables: Sequence[Variable], before: Sequence[Variable] = ()
) -> tuple[Variable, ...]:
    """Mark secrets in variables without their children."""
    known = [*before, *variables]
    secret = {each.value for each in known if looks_secret(each.name) and each.value}
    marked = []
    previous = before[-1] if before else None
    for variable in variables:
        is_item = variable.name.strip("[]").isdecimal()
        if is_item and (variable.value in secret or _names_next(previous)):
            marked.append(msgspec.structs.replace(variable, is_secret=True))
        else:
            marked.append(variable)
        previous = variable
    return tuple(marked)


def _names_next(previous: Variable | None) -> bool:
    """True if it is an option of a command whose value comes next."""
    if previous is None:
        return False
    word = previous.value.strip("'\"b")
    return word.startswith("-") and "=" not in word and looks_secret(word)


_OWN = frozenset({"session_id", "sessionId"})
"""Fields of messages whose names only look like those of secrets."""

_NAMES = frozenset({"name", "expression", "evaluateName", "evaluate_name", "expand", "function"})
"""Fields with the name of the values beside them."""

_VALUES = frozenset(
    {"value", "result", "old", "new", "returned", "return_value", "other_value", "before", "after"}
)
_INSIDE = frozenset({"children", "attributes", "keys", "inside"})
"""Fields with the contents of a value."""

_REFERENCES = frozenset(
    {"variablesReference", "variables_reference", "reference", "memoryReference"}
)
"""Fields by which more of a value can be fetched."""

Text = Callable[[str], str]


def without_secret_fields(told: Any, text: Text, *, is_named: bool = False) -> Any:
    """Return a message of plain values without secrets; ``text`` removes them from a text.

    One that ``is_named`` is about a value that has a secret's name.
    """
    if isinstance(told, str):
        return text(told)
    if isinstance(told, dict):
        return _fields(told, text, is_named=is_named)
    if not isinstance(told, list | tuple):
        return told
    if told and all(isinstance(each, str) for each in told):
        return [text(each) for each in without_secrets(told)]
    return [without_secret_fields(each, text, is_named=is_named) for each in told]


def _fields(told: dict[Any, Any], text: Text, *, is_named: bool) -> dict[Any, Any]:
    is_named = is_named or any(_is_secret(told.get(name)) for name in _NAMES)
    found = {key: _field(key, value, text, is_named=is_named) for key, value in told.items()}
    if is_named and not _REFERENCES.isdisjoint(found) and not _VALUES.isdisjoint(found):
        found |= {key: _nothing(found[key]) for key in _REFERENCES & found.keys()}
    return _table(found)


def _field(key: Any, value: Any, text: Text, *, is_named: bool) -> Any:
    if key not in _OWN and _is_secret(key):
        return _withheld(value)
    if is_named and key in _VALUES:
        if isinstance(value, dict):
            return without_secret_fields(value, text, is_named=True)
        return _withheld(value)
    return without_secret_fields(value, text, is_named=is_named and key in _INSIDE)


def _table(told: dict[Any, Any]) -> dict[Any, Any]:
    """Return a table without the values of columns that have a secret's name."""
    columns, rows = told.get("columns"), told.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return told
    hidden = {place for place, column in enumerate(columns) if _is_secret(column)}
    if not hidden:
        return told
    kept = [
        [_withheld(each) if place in hidden else each for place, each in enumerate(row)]
        for row in rows
        if isinstance(row, list)
    ]
    return {**told, "rows": kept}


def _is_secret(name: Any) -> bool:
    return isinstance(name, str) and looks_secret(name)


def _withheld(value: Any) -> Any:
    """Return the replacement of a value; a missing value, or a boolean, is no secret."""
    if value is None or isinstance(value, bool) or value in ("", [], {}):
        return value
    if isinstance(value, dict):
        return {key: _withheld(each) for key, each in value.items()}
    return [_withheld(each) for each in value] if isinstance(value, list) else REDACTED


def _nothing(reference: Any) -> Any:
    return "" if isinstance(reference, str) else 0


_PAIR = re.compile(
    rf"""(?P<name>{SECRET}[\w.-]{{0,40}}+['"]?\s{{0,4}}(?:[:=]=?|!=)\s{{0,4}}"""
    rf"""|--[\w-]{{0,40}}?{SECRET}[\w-]{{0,40}}+['"]?(?:,\s{{0,4}}|\s{{1,4}}))"""
    r"""(?:\\+["'].*?(?:\\["']|\Z)|[bruf]{0,2}'(?:[^'\\]|\\.)*+'?"""
    r"""|[bruf]{0,2}"(?:[^"\\]|\\.)*+"?"""
    r"""|[\[{(].*|(?:bearer |basic )?[^\s,;)}\]&'"]+)""",
    re.IGNORECASE | re.DOTALL,
)
"""A name and a value in a text: ``'password': 'x'``, ``token=x``, ``Cookie: x``, ``--token x``."""

_LITERAL = re.compile(
    r"""[rbfu]{0,2}(?:\'{3}.*?(?:\'{3}|\Z)|"{3}.*?(?:"{3}|\Z)"""
    r"""|'(?:[^'\\]|\\.)*+(?:'|\Z)|"(?:[^"\\]|\\.)*+(?:"|\Z))""",
    re.IGNORECASE | re.DOTALL,
)
"""A string in a piece of code."""

_COURSE = re.compile(
    r"""|Traceback \(most recent call last\):|  File "[^"]*", line [0-9]+, in [\w.<>]+"""
    r"""|  \[Previous line repeated [0-9]+ more times?\]"""
    r"""|The above exception was the direct cause of the following exception:"""
    r"""|During handling of the above exception, another exception occurred:"""
)
"""A line of a traceback with a location, and no data."""

_EXCEPTION = re.compile(r"(?:Error|Exception|ExceptionGroup|Warning|Interrupt|Exit)$")
"""The name of a type that is probably an exception's: its value is its message."""

_REPR = re.compile(
    r"""\b(?P<exception>[\w.]*(?:Error|Exception|ExceptionGroup|Warning|Interrupt|Exit))\((?!\))"""
    r"""|\b(?P<name>[A-Za-z_][\w.]*)\((?!\s*(?:[A-Za-z_]\w*=|\)))"""
    r"""|<[\w.]*(?:Error|Exception|ExceptionGroup|Warning|Interrupt|Exit)\b"""
)
"""A value in another one's text that may be an exception's: its message comes next.

A class does not show its base in a ``repr``: any may be one that has a value without a name.
"""

_DATA = frozenset(
    {"set", "frozenset", "deque", "dict_keys", "dict_values", "dict_items", "odict_keys", "range"}
    | {"odict_values", "odict_items", "OrderedDict", "defaultdict", "Counter", "ChainMap", "slice"}
    | {"mappingproxy", "array", "bytearray", "memoryview", "date", "datetime", "time", "timedelta"}
    | {"timezone", "Decimal", "Fraction", "UUID", "ZoneInfo", "tensor", "float32", "float64"}
    | {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool_", "dtype"}
    | {"PosixPath", "PurePosixPath", "WindowsPath", "PureWindowsPath", "Timestamp", "Timedelta"}
)
"""Types of data, which are never exceptions."""

_HOLDERS = frozenset({"__exception__", "argv", "orig_argv", "environ", "environb"})

_OWN_WORDS = frozenset(
    {"NameError", "UnboundLocalError", "AttributeError", "SyntaxError", "IndentationError"}
)
"""Exceptions whose message is Python's own, about the requested expression."""


class Redaction(IntEnum):
    """The level of redaction for a caller."""

    NOTHING = 0
    """They see all that the user sees."""
    NAMES = 1
    """No value with a secret's name, in variables and in texts."""
    TEXTS = 2
    """Nor any text that may contain a secret without its name."""


_level: ContextVar[Redaction] = ContextVar("redaction", default=Redaction.NOTHING)
_reader: ContextVar[str] = ContextVar("reader", default="")


@contextmanager
def hidden(level: Redaction = Redaction.TEXTS, reader: str = "") -> Iterator[None]:
    """Apply that level to everything sent within; ``reader`` is the name of the recipient."""
    before, reader_before = _level.set(level), _reader.set(reader)
    try:
        yield
    finally:
        _level.reset(before)
        _reader.reset(reader_before)


def withholds_texts() -> bool:
    """True if the current caller gets no text of the program's at all."""
    return _level.get() is Redaction.TEXTS


def hides_names() -> bool:
    """True if secrets are hidden from the current caller."""
    return _level.get() is not Redaction.NOTHING


def text(shown: str) -> str:
    """Return a text without the values after secret names in it, at any level."""
    return _PAIR.sub(lambda found: f"{found['name']}{REDACTED}", shown)


def words(shown: str, *, is_secret: bool = False) -> str:
    """Return text of the program or another caller, in which secrets can't be recognised.

    One that ``is_secret`` is known to contain the value of a secret. Withheld text keeps its line
    end.
    """
    is_withheld = withholds_texts() or (is_secret and hides_names())
    if not is_withheld or not shown.strip():
        return _named(shown)
    return f"{REDACTED}\n" if shown.endswith("\n") else REDACTED


def call(actor: str, shown: str) -> str:
    """Return arguments or result of a call, as secrets to all but its own caller."""
    return words(shown, is_secret=actor != _reader.get())


def values(shown: str, *, are_secret: tuple[bool, ...] | None) -> str:
    """Return the text of a hit; ``are_secret`` has a flag for each separated value."""
    if are_secret is not None and not any(are_secret):
        return words(shown)
    parts = shown.split(BETWEEN)
    if are_secret is None or withholds_texts() or len(parts) != len(are_secret):
        return words(shown, is_secret=True)
    pairs = zip(parts, are_secret, strict=True)
    return BETWEEN.join(words(part, is_secret=is_secret) for part, is_secret in pairs)


def value(shown: str) -> str:
    """Return the text of a value, without messages of exceptions in it and the text after them."""
    if withholds_texts():
        for found in _REPR.finditer(shown):
            if found["name"] is None or found["name"].rpartition(".")[2] not in _DATA:
                shown = f"{shown[: found.end()]}{REDACTED}"
                break
    return _named(shown)


def _named(shown: str) -> str:
    return text(shown) if hides_names() else shown


def code(shown: str) -> str:
    """Return an expression of another client, without its strings."""
    return text(_LITERAL.sub(REDACTED, shown)) if withholds_texts() else _named(shown)


def trace(shown: str) -> str:
    """Return a traceback's locations, without source and messages."""
    if not withholds_texts():
        return _named(shown)
    lines: list[str] = []
    for line in split_lines(shown):
        if _COURSE.fullmatch(line):
            lines.append(line)
        elif not lines or lines[-1] != REDACTED:
            lines.append(REDACTED)
    return "\n".join(lines) + ("\n" if shown.endswith("\n") else "")


def raised(shown: str) -> str:
    """Reduce a text that ends with ``Type: message``, raised by an expression, to the type.

    If the message is Python's own, about the expression itself, it stays.
    """
    if not withholds_texts():
        return _named(shown)
    found = re.search(r"^(?P<name>[A-Za-z_][\w.]*): ", shown, re.MULTILINE)
    if found is None:
        return words(shown) if "\n" in shown.strip() else text(shown)
    if found["name"] in _OWN_WORDS:
        return text(shown[found.start() :])
    return f"{found['name']}: {REDACTED}"


def arguments(given: Sequence[str]) -> tuple[str, ...]:
    """Return only the option names of a program's arguments."""
    if withholds_texts():
        return tuple(_argument(each) for each in given)
    return tuple(without_secrets(given)) if hides_names() else tuple(given)


def _argument(given: str) -> str:
    option = re.fullmatch(r"(?P<name>--[A-Za-z][\w-]*)(?P<value>=.*)?|-[A-Za-z]", given, re.DOTALL)
    if option is None:
        return REDACTED
    return f"{option['name']}={REDACTED}" if option["value"] else given


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """Return only the names of environment variables."""
    if withholds_texts() or not hides_names():
        return {name: words(value) if value else value for name, value in given.items()}
    return {
        name: REDACTED if value and looks_secret(name) else text(value)
        for name, value in given.items()
    }


def sent(told: Any) -> Any:
    """Return a message as it may be sent: without values after secret names."""
    return without_secret_fields(msgspec.to_builtins(told), text) if hides_names() else told


def holds_words(name: str, type_name: str) -> bool:
    """True if a value, by its name or type, shows data that is withheld elsewhere.

    An exception shows its message, the arguments and the environment of the program their values.
    """
    if not withholds_texts():
        return False
    is_exception = _EXCEPTION.search(type_name.rpartition(".")[2]) is not None
    return is_exception or name.rpartition(".")[2] in _HOLDERS


def variable(found: Variable) -> Variable:
    """Return a variable as it may be sent. A hidden one has no children either."""
    if not hides_names():
        return found
    if found.is_secret or looks_secret(found.name) or looks_secret(found.evaluate_name):
        return _without_value(found)
    if holds_words(found.name, found.type):
        return _without_value(found)
    shown = value(found.value)
    if shown != found.value and _REPR.match(found.value):  # all of it may be an exception
        found = _without_value(found)
    return msgspec.structs.replace(found, value=shown)


def result(expression: str, given: str) -> str:
    """Return an expression's value as it may be sent."""
    if not hides_names():
        return given
    return REDACTED if looks_secret(expression) else value(given)


def evaluated(expression: str, found: Variable) -> Variable:
    """Return the same as a variable."""
    if hides_names() and (looks_secret(expression) or holds_words(expression, found.type)):
        return _without_value(found)
    return variable(found)


def _without_value(found: Variable) -> Variable:
    return msgspec.structs.replace(
        found, value=REDACTED, reference=0, handle=0, size="", total=0, memory_reference=""
    )
