"""What an expression reads of a recording: variables, attributes, items, as they were at a moment.

It notes what it has read, so that one knows what has to change before there can be another result.
"""

from __future__ import annotations

import ast
import json
import weakref
from typing import Any, Protocol

from tuidbg.recording.leaving.secret_names import REDACTED
from tuidbg.recording.segment import ALL, INDEX, LENGTH, UNBOUND, UNKNOWN, ObjectRecord, Token
from tuidbg.recording.timeline import Timeline
from tuidbg.recording.values import ValuesAt, is_items, reference


class NotKnown(Exception):
    """What was asked for was not recorded, or can't be told from what was; the text says why."""


class PartValues(Protocol):
    """Tells the value of a part of an owner at the moment that is looked at."""

    def value(self, owner: int, key: int) -> Token:
        """``UNBOUND`` where it is not there."""


class Listing:
    """A list, a tuple or a set that an expression has made; ``kind`` as the recorder says it.

    It is whole unless ``length`` is more than there are items.
    """

    __slots__ = ("items", "kind", "length")

    def __init__(self, kind: str, items: list[Any], length: int | None = None) -> None:
        self.kind, self.items = kind, items
        self.length = len(items) if length is None else length

    @property
    def is_whole(self) -> bool:
        """Whether all items were recorded."""
        return self.length == len(self.items)


class MomentReader:
    """The values of a timeline at one moment, as a call sees them.

    ``state`` is asked first, where somebody keeps the values that are asked for most; then it is
    quiet, which makes no words of values for what can't be told.
    """

    def __init__(self, timeline: Timeline, state: PartValues | None = None) -> None:
        self.timeline = timeline
        self.when = self.owner = self.space = 0
        self.looks_ahead = False
        self.read: set[tuple[int, int]] = set()
        self._state = state
        self.is_quiet = state is not None
        self._records: dict[int, ObjectRecord | None] = {}

    def at(self, when: int, owner: int, space: int) -> MomentReader:
        """Look at another moment, or another call."""
        self.when, self.owner, self.space = when, owner, space
        self.read = set()
        self.looks_ahead = False
        return self

    def value(self, owner: int, key: int) -> Token:
        """The value of a part; ``UNBOUND`` where it is not there."""
        self.read.add((owner, key))
        if self._state is not None:
            return self._state.value(owner, key)
        return self.timeline.value(owner, key, self.when)

    def record(self, number: int) -> ObjectRecord | None:
        """What is known of an object."""
        if number not in self._records:
            self._records[number] = self.timeline.object(number)
        return self._records[number]

    def values(self) -> ValuesAt:
        """All values of the moment."""
        return ValuesAt(self.timeline, self.when)

    def name(self, name: str) -> Token:
        """A variable of the call, else of its module."""
        key = self.timeline.names.get(name)
        if key is not None:
            for owner in dict.fromkeys((self.owner, self.space)):
                token = self.value(owner, key)
                if token == UNBOUND and self.looks_ahead and owner != self.space:
                    token = self._first_after(owner, key)
                if token != UNBOUND:
                    return known(token)
        raise NotKnown(f"{name} has no recorded value here.")

    def _first_after(self, owner: int, key: int) -> Token:
        """The next value of what has none now."""
        later = (each for each in self.timeline.changes(owner, key) if each.when > self.when)
        return next((each.value for each in later if each.value != UNBOUND), UNBOUND)

    def attribute(self, token: Token, name: str) -> Token:
        """An attribute of an object, or a field of a tuple with names."""
        number = reference(token)
        if number is None:
            raise NotKnown(f"Nothing was recorded in {self.words(token)}: so there is no .{name}.")
        record = self.record(number)
        if record is not None and record.fields is not None and name in record.fields:
            return self.item(token, record.fields.index(name))
        key = self.timeline.names.get(name)
        is_module = record is not None and record.kind == "m"
        found = UNBOUND if key is None or is_module else self.value(number, key)
        if found == UNBOUND:
            raise NotKnown(
                f"{self.words(token)} has no recorded attribute {name}; what a property or a"
                " method gives is not recorded."
            )
        return known(found)

    def item(self, token: Token, index: Any) -> Token:
        """An item by its index or its key."""
        number = reference(token)
        record = None if number is None else self.record(number)
        if number is not None and record is not None and record.kind == "m":
            name = self.timeline.names.get(index) if isinstance(index, str) else None
            found = UNBOUND if name is None else self.value(number, name)
            if found == UNBOUND:
                raise NotKnown(f"The module has no recorded variable {_text(index)}.")
            return known(found)
        if number is not None and record is not None and record.kind == "d":
            for key in keys_of(self.timeline).get(spelled(index), ()):
                found = self.value(number, key)
                if found != UNBOUND:
                    return known(found)
            raise NotKnown(f"{self.words(token)} has no recorded item {_text(index)}.")
        if not isinstance(index, int):
            raise NotKnown(f"{self.words(token)} has no item {_text(index)}.")
        if number is None or record is None or record.kind not in ("l", "t", "q", "a"):
            return self._listed(self.listing(token), index, token)
        length = known(self.value(number, LENGTH))
        if not isinstance(length, int) or not -length <= index < length:
            raise NotKnown(f"{self.words(token)} has no item {index}.")
        return known(self._item(number, index + length if index < 0 else index))

    def _item(self, number: int, index: int) -> Token:
        self.read.update(((number, ALL), (number, INDEX + index)))
        if not {ALL, INDEX + index}.isdisjoint(self.timeline.unknown(number, self.when)):
            return UNKNOWN
        whole = self.timeline.change(number, ALL, self.when)
        one = self.timeline.change(number, INDEX + index, self.when)
        if one is not None and (whole is None or one.when >= whole.when):
            return one.value
        if whole is not None and is_items(whole.value) and index < len(whole.value[1]):
            return whole.value[1][index]
        return ["~"]

    def _listed(self, listing: Listing, index: int, token: Token) -> Token:
        if not listing.is_whole or not -len(listing.items) <= index < len(listing.items):
            raise NotKnown(f"{self.words(token)} has no recorded item {index}.")
        return known(listing.items[index])

    def listing(self, token: Token) -> Listing:
        """The items of what has items; the keys of a dict."""
        if isinstance(token, Listing):
            return token
        if is_items(token):
            return Listing("t", token[1])
        number = reference(token)
        record = None if number is None else self.record(number)
        if number is None or record is None or record.kind not in _WITH_ITEMS:
            raise NotKnown(f"{self.words(token)} has no recorded items.")
        length = known(self.value(number, LENGTH))
        parts = self.values().parts(token)
        self.read.add((number, ALL))
        self.read.update((part.owner, part.key) for part in parts)
        if record.kind == "d":
            keys = (self.timeline.keys.get(part.key) for part in parts)
            items = [key.key for key in keys if key is not None and key.letter == "k"]
        else:
            items = [part.value for part in parts if part.key >= INDEX]
            if UNKNOWN in items:
                known(UNKNOWN)
        return Listing(record.kind, items, length if isinstance(length, int) else None)

    def words(self, token: Token) -> str:
        """A value in a sentence."""
        if self.is_quiet:
            return "That"
        if isinstance(token, Listing):
            return "That value"
        text = self.values().text(token, 1)
        return text if len(text) <= 60 else text[:59] + "…"


def _text(index: Any) -> str:
    return repr(index) if not isinstance(index, list) else "like that"


def known(token: Token) -> Token:
    """A value that was recorded."""
    if token == UNKNOWN:
        raise NotKnown("That value is not known here: it was seen before and behind, not now.")
    if token in (["~"], UNBOUND):
        raise NotKnown("That value was not recorded, as there were too many at once.")
    return token


_Keys = dict[Any, list[int]]
_found: weakref.WeakKeyDictionary[Timeline, tuple[int, _Keys]] = weakref.WeakKeyDictionary()


def keys_of(timeline: Timeline) -> _Keys:
    """The keys of dicts by how they are spelled: of equal numbers there may be several."""
    count, found = _found.get(timeline, (0, {}))
    if count != len(timeline.keys):
        for record in list(timeline.keys.values())[count:]:
            if record.letter == "k":
                found.setdefault(spelled(record.key), []).append(record.number)
        _found[timeline] = len(timeline.keys), found
    return found


def spelled(key: Any) -> Any:
    """Keys that are equal are spelled so as well."""
    if isinstance(key, Listing):
        key = ["t", [each.items if isinstance(each, Listing) else each for each in key.items]]
    return json.dumps(key) if isinstance(key, list) else key


Scalar = bool | int | float | str | None

_WITH_ITEMS = ("l", "t", "q", "a", "s", "d")

_ALIKE_BY_TEXT = frozenset(
    {"bytes", "complex", "range", "ellipsis", "type", "function", "module", "EnumType"}
)
"""Types whose equal values have equal texts."""

_DEEPEST = 20


def is_true(reader: MomentReader, value: Token) -> bool:
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
        case ["b", str(name), str(text), *_] if name in _ALIKE_BY_TEXT:
            return text not in ("b''", "0j") and not text.startswith("range(")
    number = reference(value)
    record = None if number is None else reader.record(number)
    if record is not None and record.kind in _WITH_ITEMS:
        return reader.listing(value).length > 0
    raise NotKnown(
        f"Whether {reader.words(value)} is true is for its class to say: ask for a part of it, or"
        " whether it `is None`."
    )


def is_same(reader: MomentReader, one: Token, other: Token) -> bool:
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


def is_equal(reader: MomentReader, one: Token, other: Token, depth: int = _DEEPEST) -> bool:
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
    if "a" in letters:
        one, other = _as_numbers(one), _as_numbers(other)
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


def _as_numbers(value: Token) -> Token:
    """The items of bytes, as they are compared with those of a bytearray."""
    match value:
        case ["b", "bytes", str(text)]:
            return Listing("a", list(ast.literal_eval(text)))
    return value


def _letter(reader: MomentReader, value: Token) -> str:
    """The kind of a collection; empty for anything else."""
    if isinstance(value, Listing):
        return value.kind
    if is_items(value):
        return "t"
    number = reference(value)
    record = None if number is None else reader.record(number)
    return record.kind if record is not None and record.kind in _WITH_ITEMS else ""


def _alike(one: str, other: str) -> bool:
    return one == other


def _fixed(value: Token) -> tuple[str, str] | None:
    match value:
        case ["b", str(name), str(text)] if not text.endswith(")") or "… (" not in text:
            return name, text
    return None


def _is_long(value: Token) -> bool:
    return isinstance(value, list) and value[:1] == ["s"]


def _are_items_equal(reader: MomentReader, one: Token, other: Token, depth: int) -> bool:
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


def contains(reader: MomentReader, item: Token, whole: Token) -> bool:
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


def scalar(reader: MomentReader, value: Token) -> Any:
    """A number or a text, to be compared or reckoned with."""
    if isinstance(value, list | Listing):
        raise NotKnown(f"{reader.words(value)} is neither a number nor a text.")
    return value
