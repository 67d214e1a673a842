"""The whole of a long string: Delve shows 4,096 bytes of one at most, so the rest is sliced."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

_QUOTED = re.compile(r'"(?P<text>.*)"\Z', re.DOTALL)
_CUT = re.compile(r"(?P<text>.*)\.\.\.\+(?P<more>\d+) more\Z", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))", re.DOTALL)
_SHORT = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def is_string(shown: str) -> bool:
    """Returns whether a value is shown as a string is."""
    return _QUOTED.match(shown) is not None


async def read_string(
    evaluate: Callable[[str], Awaitable[str]], expression: str, shown: str, limit: int
) -> tuple[str, int]:
    """The text of a string, ``limit`` bytes at most, and its length (where cut: in bytes).

    ``shown`` is what is known of it. Raises what ``evaluate`` raises.
    """
    text, more = _read(shown)
    if not more:
        whole = text.decode("utf-8", "replace")
        return whole[:limit], len(whole)
    total = int(await evaluate(f"len({expression})"))
    parts, offset = [text], total - more
    while more and offset < limit:
        part, more = _read(await evaluate(f"{expression}[{offset}:{total}]"))
        if not part:
            break
        parts.append(part)
        offset = total - more
    read = b"".join(parts)[:limit].decode("utf-8", "replace")
    return read, total if total > limit else len(read)


def _read(shown: str) -> tuple[bytes, int]:
    """The bytes in a string as Delve shows it, and how many more there are."""
    found = _QUOTED.match(shown)
    text = found["text"] if found is not None else shown
    more = 0
    if (cut := _CUT.match(text)) is not None:
        text, more = cut["text"], int(cut["more"])
    return b"".join(_pieces(text)), more


def _pieces(text: str) -> list[bytes]:
    """The text without the escapes of ``strconv.Quote``."""
    pieces, begin = [], 0
    for found in _ESCAPE.finditer(text):
        pieces.append(text[begin : found.start()].encode("utf-8", "surrogatepass"))
        byte, short, long, char = found.groups()
        if byte:
            pieces.append(bytes([int(byte, 16)]))
        else:
            code = short or long
            pieces.append((chr(int(code, 16)) if code else _SHORT.get(char, char)).encode())
        begin = found.end()
    return [*pieces, text[begin:].encode("utf-8", "surrogatepass")]
