"""A statement as a key: all of its code but what is a matter of style.

Whitespace, line breaks, comments, quotes, trailing commas and superfluous brackets go: two
statements with one key are the same code, so a formatter can't tear a breakpoint off its line.
Done on tokens rather than on a syntax tree: half-written code has keys too, and Python prints no
warnings about it.
"""

from __future__ import annotations

import builtins
import functools
import keyword
import re

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
    """The letters and digits alone: quick to compare, and no reformatting changes them."""
    return _NOT_WORDS.sub("", code)


def squeeze_key(key: Key) -> str:
    """The result of ``squeeze`` for a statement with that key."""
    return squeeze("".join(token.removeprefix("'") for token in key))


@functools.lru_cache(maxsize=512)
def make_key(code: str) -> Key:
    """The tokens of a statement without what is a matter of style.

    Strings stand in it as ``'prefix:text`` whatever their quotes; neighbours are joined.
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
    """Without those before a closing bracket, where they don't make a tuple."""
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
    """Without parentheses around a whole operand, as formatters put them to wrap a line."""
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
            # Of `*` only the one in front of a name matters; a product just keeps its brackets.
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
    """Tells where in a key names stand that a person could rename; ``.name`` is one of ``self``.

    None are keywords, builtins, keyword arguments, and attributes of something else.
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
    """True if a token is a name that somebody has chosen: no keyword, builtin or dunder."""
    return token.isidentifier() and token not in _NO_NAMES and not token.startswith("__")
