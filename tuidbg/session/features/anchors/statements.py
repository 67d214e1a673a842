"""The statements of a Python source, separated without parsing it.

Anchors must find a statement again in a file that is being edited, so nothing here requires that it
compiles: lines are joined by brackets, strings and backslashes alone, and an unclosed bracket or
string ends at the next line that can only begin a statement.
"""

from __future__ import annotations

import bisect
import builtins
import functools
import keyword
import re
from collections.abc import Sequence

from tuidbg.lines import split_lines

Key = tuple[str, ...]

_TOKEN = re.compile(
    r'''(?P<string>(?P<prefix>[A-Za-z]{0,2})(?P<body>"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\''''
    r"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))"""
    r"""|(?P<name>[^\W\d]\w*)|(?P<number>\.?\d(?:[\w.]|(?<=[eE])[+-])*)"""
    r"""|(?P<operator>\*\*=?|//=?|>>=?|<<=?|->|:=|\.\.\.|[-+*/%@&|^=!<>]=|\S)""",
    re.DOTALL,
)
_NOT_WORDS = re.compile(r"\W+")

_ASSIGNS = ("=", "+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=", ">>=", "<<=", "**=", "@=")
_OPERAND_WORDS = ("return", "if", "elif", "while", "assert", "in", "raise", "del")
_OPERAND_BEGINS = frozenset([*"([{,", *_ASSIGNS, *_OPERAND_WORDS])
_OPERAND_ENDS = frozenset([*"=:)]},;", ""])
_NO_NAMES = frozenset([*keyword.kwlist, "match", "case", "_", "self", "cls", *dir(builtins)])
"""Names that are never renamed."""


def squeeze(code: str) -> str:
    """Return only the letters and digits: quick to compare, and unaffected by formatting."""
    return _NOT_WORDS.sub("", code)


def squeeze_key(key: Key) -> str:
    """Return the result of ``squeeze`` for a statement with that key."""
    return squeeze("".join(token.removeprefix("'") for token in key))


@functools.lru_cache(maxsize=512)
def make_key(code: str) -> Key:
    """Return the tokens of a statement, without matters of style.

    Strings appear as ``'prefix:text`` whatever their quotes; adjacent ones are joined.
    """
    tokens: list[str] = []
    for found in _TOKEN.finditer(code):
        if found["string"] is None:
            token = found[0]
            if token not in ("\\", ";"):
                tokens.append(token)
            continue
        prefix, text = _read_string(found["prefix"], found["body"])
        if tokens and tokens[-1].startswith(f"'{prefix}:"):
            tokens[-1] += text
        else:
            tokens.append(f"'{prefix}:{text}")
    return tuple(_without_brackets(_without_commas(tokens)))


def _read_string(prefix: str, body: str) -> tuple[str, str]:
    prefix = "".join(sorted(prefix.lower())).replace("u", "")
    text = body[3:-3] if body[:3] in ('"""', "'''") else body[1:-1]
    if "r" not in prefix:
        text = text.replace('\\"', '"').replace("\\'", "'")
    return prefix, text


def _without_commas(tokens: list[str]) -> list[str]:
    """Remove commas before a closing bracket, unless they make a tuple."""
    kept: list[str] = []
    commas: list[int] = []
    makes_tuple: list[bool] = []
    for token in tokens:
        if token in ("(", "[", "{"):
            called = bool(kept) and _ends_operand(kept[-1])
            makes_tuple.append((token == "(") != called and token != "{")
            commas.append(0)
        elif token == "," and commas:
            commas[-1] += 1
        elif token in (")", "]", "}") and commas:
            single, count = makes_tuple.pop(), commas.pop()
            if kept[-1] == "," and (count > 1 or not single):
                kept.pop()
        kept.append(token)
    return kept


def _without_brackets(tokens: list[str]) -> list[str]:
    """Remove parentheses around a whole operand, which formatters add to wrap a line."""
    while True:
        pair = next(filter(None, (_superfluous(tokens, i) for i in range(len(tokens)))), None)
        if pair is None:
            return tokens
        first, last = pair
        tokens = tokens[:first] + tokens[first + 1 : last] + tokens[last + 1 :]


def _superfluous(tokens: list[str], first: int) -> tuple[int, int] | None:
    before = tokens[first - 1] if first else ""
    if tokens[first] != "(" or (before and before not in _OPERAND_BEGINS):
        return None
    depth = 0
    for index in range(first, len(tokens)):
        token = tokens[index]
        depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
        if depth == 1 and token in (",", ":=", "yield", "for", "*", "**"):
            # Only a `*` before a name matters; a product just keeps its brackets.
            return None
        if depth == 0:
            after = tokens[index + 1] if index + 1 < len(tokens) else ""
            whole = index > first + 1 and after in _OPERAND_ENDS
            return (first, index) if whole else None
    return None


def _ends_operand(token: str) -> bool:
    if token in (")", "]", "}") or token.startswith("'"):
        return True
    return token.isidentifier() and not keyword.iskeyword(token)


def names_of(key: Key) -> dict[int, str]:
    """Return the positions of renameable names in a key; ``.name`` is an attribute of ``self``.

    Keywords, builtins, keyword arguments, and attributes of other objects are None.
    """
    found: dict[int, str] = {}
    depth = 0
    for index, token in enumerate(key):
        depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
        if not token.isidentifier() or token in _NO_NAMES:
            continue
        before = key[index - 1] if index else ""
        after = key[index + 1] if index + 1 < len(key) else ""
        if before == "." and (index < 2 or key[index - 2] not in ("self", "cls")):
            continue
        if depth and after == "=" and before in ("(", ","):
            continue
        found[index] = f".{token}" if before == "." else token
    return found


def is_name(token: str) -> bool:
    """True if a token is a user-defined name: no keyword, builtin or dunder."""
    return token.isidentifier() and token not in _NO_NAMES and not token.startswith("__")


_SIMPLE_STRING = re.compile(r"""(?<!["'])(?:"[^"'#\\]+"|'[^"'#\\]+')(?!["'])""")
_WHOLE = re.compile(
    r"""[^"'#\\()\[\]{}]*(?:(?:\([^"'#\\()\[\]{}]*\)|"[^"'#\\]+"(?!"))[^"'#\\()\[\]{}]*)*$"""
)
"""Lines that leave nothing open: most of them, and quick to recognise."""

_DIFFICULT = re.compile(r"""["'#\\]""")
_PIECE = re.compile(
    r'''(?P<quote>"""|\'\'\')|(?P<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)'''
    r"""|(?P<comment>#.*)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<continued>\\$)"""
)
_ENDS = {
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*?"""', re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*?'''", re.DOTALL),
}
_BEGINS = re.compile(
    r"\s*(?:(?:async\s+)?def\s+\w|class\s+\w+\s*[:(]|(?:return|import|raise|with|while|del|assert"
    r"|global|nonlocal)\s+\w|(?:try|pass)\b\s*(?::|$))"
)
"""Lines that are no part of an expression: a bracket still open before them is an error."""

_HEADER = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")


class Statements:
    """The statements of one text in their order; lines are counted from 0 here.

    A statement is a logical line: ended by NEWLINE in Python's tokenizer. A compound one is its
    header alone (``if x:``).
    """

    def __init__(self, text: str) -> None:
        self.lines = split_lines(text)
        self.starts: list[int] = []
        self.ends: list[int] = []
        self._split()
        self._keys: dict[int, Key] = {}

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, line: int) -> int | None:
        """Return the statement on that line; None for blank lines and comments between them."""
        index = bisect.bisect_right(self.starts, line) - 1
        return index if index >= 0 and line <= self.ends[index] else None

    def code(self, index: int) -> str:
        """Return a statement's source without comments, each line without blanks around it."""
        first, last = self.starts[index], self.ends[index]
        lines = self.lines[first : last + 1]
        if first == last and "#" not in lines[0]:
            return lines[0].strip()
        return _without_comments(lines)

    def key(self, index: int) -> Key:
        """Return the key of its code, which is the same for any formatting."""
        found = self._keys.get(index)
        if found is None:
            found = self._keys[index] = make_key(self.code(index))
        return found

    def indent(self, index: int) -> int:
        return _indent(self.lines[self.starts[index]])

    def holding(self, word: str) -> list[int]:
        """Return the statements whose lines contain ``word``."""
        if not word:
            return list(range(len(self)))
        found = (self.at(i) for i, line in enumerate(self.lines) if word in line)
        return list(dict.fromkeys(index for index in found if index is not None))

    def equal_to(self, key: Key) -> list[int]:
        words = squeeze_key(key)
        names = [token for token in key if token.isidentifier()]
        return [
            index
            for index in self.holding(max(names, key=len, default=""))
            if squeeze(self.code(index)) == words and self.key(index) == key
        ]

    def header(self, index: int) -> int | None:
        """Return the ``def`` or ``class`` directly around a statement; None at module level."""
        indent = self.indent(index)
        for other in range(index - 1, -1, -1):
            if not indent:
                return None
            its = self.indent(other)
            if its < indent:
                indent = its
                if self.is_header(other):
                    return other
        return None

    def is_header(self, index: int) -> bool:
        return _HEADER.match(self.lines[self.starts[index]].lstrip()) is not None

    def scope(self, index: int) -> str:
        """Return the qualified name of its scope: ``Class.method``, empty for a module."""
        names: list[str] = []
        header = self.header(index)
        while header is not None:
            found = _HEADER.match(self.lines[self.starts[header]].lstrip())
            assert found is not None
            names.insert(0, found[1])
            header = self.header(header)
        return ".".join(names)

    def scope_span(self, index: int) -> range:
        """Return the statements of the surrounding function or class, its header included."""
        header = self.header(index)
        if header is None:
            return range(len(self))
        indent = self.indent(header)
        last = header + 1
        while last < len(self) and self.indent(last) > indent:
            last += 1
        return range(header, last)

    def holds(self, index: int, word: str) -> bool:
        """True if the word occurs in the lines of a statement."""
        return any(word in line for line in self.lines[self.starts[index] : self.ends[index] + 1])

    def _split(self) -> None:
        starts, ends = self.starts, self.ends
        quote, depth, continued = "", 0, False
        for number, line in enumerate(self.lines):
            if quote or depth or continued:
                if depth and not quote and not continued and _BEGINS.match(line):
                    depth = 0
                    starts.append(number)
                    ends.append(number)
                else:
                    ends[-1] = number
            elif (rest := line.lstrip()) and rest[0] != "#":
                starts.append(number)
                ends.append(number)
            else:
                continue
            if not quote:
                if _WHOLE.match(line):
                    continued = False
                    continue
                plain = _SIMPLE_STRING.sub("", line) if '"' in line or "'" in line else line
                if _DIFFICULT.search(plain) is None:
                    # Most of the other lines; the long way below takes four times as long.
                    opened = plain.count("(") + plain.count("[") + plain.count("{")
                    closed = plain.count(")") + plain.count("]") + plain.count("}")
                    depth = max(0, depth + opened - closed)
                    continued = False
                    continue
            quote, depth, continued, _ = _walk(line, quote, depth)


def _walk(line: str, quote: str, depth: int) -> tuple[str, int, bool, int]:
    """Return the quotes and brackets a line leaves open, a backslash, and the end of its code."""
    position = 0
    if quote:
        end = _ENDS[quote].match(line)
        if end is None:
            return quote, depth, False, len(line)
        position = end.end()
    while found := _PIECE.search(line, position):
        position = found.end()
        match found.lastgroup:
            case "quote":
                end = _ENDS[found[0]].match(line, position)
                if end is None:
                    return found[0], depth, False, len(line)
                position = end.end()
            case "open":
                depth += 1
            case "close":
                depth = max(0, depth - 1)
            case "continued":
                return "", depth, True, len(line)
            case "comment":
                return "", depth, False, found.start()
    return "", depth, False, len(line)


def _without_comments(lines: Sequence[str]) -> str:
    quote, kept = "", []
    for line in lines:
        quote, _, _, end = _walk(line, quote, 0)
        kept.append(line[:end].strip())
    return "\n".join(line for line in kept if line)


def read_scope(lines: Sequence[str], place: int) -> str:
    """Return ``Statements.scope`` of a line that begins a statement, from the lines alone.

    Avoids reading the whole file; text like code in a long string can mislead it.
    """
    names: list[str] = []
    indent = _indent(lines[place])
    for line in reversed(lines[:place]):
        if not indent:
            break
        if line.isspace() or not line or line.lstrip().startswith("#"):
            continue
        its = _indent(line)
        if its < indent:
            indent = its
            if found := _HEADER.match(line.lstrip()):
                names.insert(0, found[1])
    return ".".join(names)


def _indent(line: str) -> int:
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())
