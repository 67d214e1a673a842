"""SGR: the colour sequences (``ESC [ ... m``), the one kind of control sequence that output keeps.

A colour opened on one line of output goes on in the next, so somebody has to know which attributes
are in force. Here they are a canonical parameter string (``"1;31"``): small, comparable and cheap
to fold over the sequences of a text. ECMA-48 8.3.117, and xterm's 16, 256 and 24-bit colours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

SEQUENCE = re.compile(r"\x1b\[([0-9;:]{0,64})m")
"""One SGR sequence; the group holds its parameters."""

_FOREGROUND, _BACKGROUND = "foreground", "background"
_RESET = "reset"
_ON = {
    1: "bold",
    2: "dim",
    3: "italic",
    4: "underline",
    5: "blink",
    6: "blink",
    7: "reverse",
    8: "conceal",
    9: "strike",
    21: "underline",
    53: "overline",
}
_OFF = {
    22: ("bold", "dim"),
    23: ("italic",),
    24: ("underline",),
    25: ("blink",),
    27: ("reverse",),
    28: ("conceal",),
    29: ("strike",),
    39: (_FOREGROUND,),
    49: (_BACKGROUND,),
    55: ("overline",),
}


@lru_cache(maxsize=4096)
def apply_sgr(state: str, parameters: str) -> str:
    """The attributes in force after a sequence with ``parameters``, when ``state`` was before it.

    Both are parameter strings; the result is canonical: ``""`` means that nothing is in force, and
    equal attributes give equal strings. Unknown parameters are passed over, as terminals do.
    """
    attributes = dict(sgr_attributes(state))
    for name, code in _changes(parameters):
        if name == _RESET:
            attributes.clear()
        elif code:
            attributes[name] = code
        else:
            attributes.pop(name, None)
    return ";".join(attributes[name] for name in sorted(attributes))


def sgr_attributes(state: str) -> list[tuple[str, str]]:
    """The attributes of a canonical ``state`` with their codes: ``("foreground", "38;5;12")``."""
    return [change for change in _changes(state) if change[1]] if state else []


def _changes(parameters: str) -> Iterator[tuple[str, str]]:
    """Yields what the parameters do, one by one: a name with its new code, or ``""`` for off."""
    words = iter(parameters.split(";"))
    for word in words:
        if ":" in word:
            yield from _colon_form(word.split(":"))
            continue
        code = int(word or 0)
        if code in (38, 48):
            yield from _colour(code, _semicolon_colour(words))
        else:
            yield from _simple(code)


def _simple(code: int) -> Iterator[tuple[str, str]]:
    if code == 0:
        yield _RESET, ""
    elif code in _ON:
        yield _ON[code], str({6: 5, 21: 4}.get(code, code))
    elif code in _OFF:
        for name in _OFF[code]:
            yield name, ""
    elif 30 <= code <= 37 or 90 <= code <= 97:
        yield _FOREGROUND, str(code)
    elif 40 <= code <= 47 or 100 <= code <= 107:
        yield _BACKGROUND, str(code)


def _colour(code: int, numbers: list[int]) -> Iterator[tuple[str, str]]:
    """The colour chosen by 38 (foreground) or 48: ``[5, n]`` or ``[2, r, g, b]``."""
    if numbers and all(number <= 255 for number in numbers):
        name = _FOREGROUND if code == 38 else _BACKGROUND
        yield name, ";".join(map(str, [code, *numbers]))


def _semicolon_colour(words: Iterator[str]) -> list[int]:
    kind = next(words, "")
    count = {"5": 1, "2": 3}.get(kind, 0)
    # `range` first: a zip asks its first part once more than it uses.
    given = [word for _, word in zip(range(count), words, strict=False)]
    if not count or len(given) < count:
        return []
    return [int(kind), *(int(word) if word.isdigit() else 0 for word in given)]


def _colon_form(words: list[str]) -> Iterator[tuple[str, str]]:
    """``38:5:n``, ``38:2:r:g:b``, ``38:2:space:r:g:b`` and underline styles (``4:3``, ``4:0``)."""
    numbers = [int(word or 0) for word in words]
    if numbers[0] == 4:
        yield "underline", "4" if numbers[1] else ""
    elif numbers[0] in (38, 48):
        kind, rest = numbers[1], numbers[2:]
        if kind == 5 and rest:
            yield from _colour(numbers[0], [5, rest[0]])
        elif kind == 2 and len(rest) >= 3:
            rest = rest[:3] if len(rest) == 3 else rest[1:4]
            yield from _colour(numbers[0], [2, *rest])
