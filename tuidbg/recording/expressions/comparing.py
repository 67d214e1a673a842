"""Whether recorded values are equal, true, or in another: where that can be told without asking.

What a class of the program's own would say to ``==`` or ``bool()`` is not known, and not guessed.
"""

from __future__ import annotations

from typing import Any

from tuidbg.recording.expressions.reader import Listing, NotKnown, Reader
from tuidbg.recording.leaving.secret_names import REDACTED
from tuidbg.recording.segment import Token
from tuidbg.recording.values import is_items, reference

Scalar = bool | int | float | str | None

_ALIKE_BY_TEXT = frozenset(
    {"bytes", "complex", "range", "ellipsis", "type", "function", "module", "EnumType"}
)
"""Types whose equal values have equal texts."""

_DEEPEST = 20


def is_true(reader: Reader, value: Token) -> bool:
    """What ``bool`` would say."""
    if not isinstance(value, list | Listing):
        return bool(value)
    if isinstance(value, Listing):
        return value.length > 0
    match value:
        case ["t", list(items)]:
            return bool(items)
        case ["s", _, _]:
            return True
        case ["b", str(name), str(text)] if name in _ALIKE_BY_TEXT:
            return text not in ("b''", "0j") and not text.startswith("range(")
    number = reference(value)
    record = None if number is None else reader.record(number)
    if record is not None and record.kind in ("l", "t", "q", "s", "d"):
        return reader.listing(value).length > 0
    raise NotKnown(
        f"Whether {reader.words(value)} is true is for its class to say: ask for a part of it, or"
        " whether it `is None`."
    )


def is_same(reader: Reader, one: Token, other: Token) -> bool:
    """What ``is`` would say."""
    numbers = _identity(one), _identity(other)
    if None not in numbers:
        return numbers[0] == numbers[1]
    single = (None, True, False)
    for each in (one, other):
        if not isinstance(each, list | Listing) and any(each is known for known in single):
            return one is other
    if numbers != (None, None):
        return False
    raise NotKnown("Whether two equal values are the same object was not recorded: use ==.")


def _identity(value: Token) -> int | None:
    if isinstance(value, list) and len(value) == 3 and value[0] == "o":
        number = value[2]
        return number if isinstance(number, int) else None
    return reference(value)


def is_equal(reader: Reader, one: Token, other: Token, depth: int = _DEEPEST) -> bool:
    """What ``==`` would say."""
    if not isinstance(one, list | Listing) and not isinstance(other, list | Listing):
        return bool(one == other)
    if one is None or other is None:
        return False
    number = _identity(one)
    if number is not None and number == _identity(other):
        return True
    if depth == 0:
        raise NotKnown("The values are too deep to compare them.")
    letters = _letter(reader, one), _letter(reader, other)
    if "" not in letters:
        return _are_items_equal(reader, one, other, depth) if _alike(*letters) else False
    if _is_hidden(one) or _is_hidden(other):
        raise NotKnown("What has a secret's name was left out of the file.")
    texts = _fixed(one), _fixed(other)
    if None not in texts and texts[0] == texts[1]:
        return True
    if all(text is not None and text[0] in _ALIKE_BY_TEXT for text in texts):
        return False
    plain = (isinstance(one, str), isinstance(other, str))
    if True in plain and (letters != ("", "") or any(_is_long(each) for each in (one, other))):
        return False
    raise NotKnown(
        f"Whether {reader.words(one)} equals {reader.words(other)} is for their classes to say."
    )


def _is_hidden(value: Token) -> bool:
    return isinstance(value, list) and len(value) == 3 and value[2] == REDACTED


def _letter(reader: Reader, value: Token) -> str:
    """The kind of a collection; empty for anything else."""
    if isinstance(value, Listing):
        return value.kind
    if is_items(value):
        return "t"
    number = reference(value)
    record = None if number is None else reader.record(number)
    return record.kind if record is not None and record.kind in "ltqsd" else ""


def _alike(one: str, other: str) -> bool:
    return one == other


def _fixed(value: Token) -> tuple[str, str] | None:
    match value:
        case ["b", str(name), str(text)] if not text.endswith(")") or "… (" not in text:
            return name, text
    return None


def _is_long(value: Token) -> bool:
    return isinstance(value, list) and value[:1] == ["s"]


def _are_items_equal(reader: Reader, one: Token, other: Token, depth: int) -> bool:
    first, second = reader.listing(one), reader.listing(other)
    if first.length != second.length:
        return False
    if not first.is_whole or not second.is_whole:
        raise NotKnown("Not all items of the values were recorded.")
    if first.kind == "d":
        return all(
            contains(reader, key, second)
            and is_equal(reader, reader.item(one, key), reader.item(other, key), depth - 1)
            for key in first.items
        )
    if first.kind == "s":
        return all(contains(reader, item, second) for item in first.items)
    pairs = zip(first.items, second.items, strict=True)
    return all(is_equal(reader, a, b, depth - 1) for a, b in pairs)


def contains(reader: Reader, item: Token, whole: Token) -> bool:
    """What ``in`` would say."""
    if isinstance(whole, str) or _is_long(whole):
        if not isinstance(item, str):
            raise NotKnown(f"{reader.words(item)} can't be searched for in a text.")
        if isinstance(whole, str):
            return item in whole
        if item in whole[1]:
            return True
        raise NotKnown("Only the beginning of the text was recorded, and it is not in that.")
    listing = reader.listing(whole)
    problem: NotKnown | None = None
    for each in listing.items:
        try:
            if is_equal(reader, item, each):
                return True
        except NotKnown as error:
            problem = error
    if problem is not None:
        raise problem
    if not listing.is_whole:
        raise NotKnown("Not all items were recorded, and it is not among those that were.")
    return False


def scalar(reader: Reader, value: Token) -> Any:
    """A number or a text, to be compared or reckoned with."""
    if isinstance(value, list | Listing):
        raise NotKnown(f"{reader.words(value)} is neither a number nor a text.")
    return value
