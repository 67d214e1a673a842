"""Values as they were at a moment: their texts, and what is in them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from tuidbg.recording.segment import (
    ALL,
    FIRST_KEY,
    INDEX,
    LENGTH,
    RAISED,
    UNBOUND,
    UNKNOWN,
    UNWIND,
    ObjectRecord,
    Token,
)
from tuidbg.recording.timeline import Moment, RecordedChange, Timeline

LONGEST = 200
"""Characters of a text."""

NOT_KNOWN = "not known here"
"""What is told of a value that may be another already, or was not seen."""

_BRACKETS = {"l": "[]", "t": "()", "s": "{}", "q": "[]", "a": "[]"}
_DEPTH = 3
_CONTENT_OF_TEXT = "(str)"
"""The name of the part that is the text of a value whose class is below ``str``."""


class RecordedPart(msgspec.Struct, frozen=True):
    """One thing in another: a variable, an attribute, an item. ``owner`` and ``key`` name it.

    ``name`` is as a person would write it; an item of a whole that was recorded at once has the
    moment of that.
    """

    name: str
    value: Token
    owner: int
    key: int
    when: int


class ValuesAt:
    """The values of a timeline at one moment."""

    def __init__(self, timeline: Timeline, when: int) -> None:
        self._timeline = timeline
        self.when = when

    def variables(self, owner: int) -> list[RecordedPart]:
        """The variables of a call, or of a module: those that were there."""
        return self._by_key(owner, self._timeline.state(owner, self.when))

    def parts(self, token: Token, most: int | None = None) -> list[RecordedPart]:
        """What is in a value; nothing where it has no parts, or was not looked into.

        Of very many items the first ``most``.
        """
        number = reference(token)
        if number is None:
            items = token[1][:most] if is_items(token) else ()
            return [
                RecordedPart(name=str(i), value=each, owner=0, key=INDEX + i, when=self.when)
                for i, each in enumerate(items)
            ]
        record = self._timeline.object(number)
        fields = record.fields if record is not None and record.fields else None
        state = self._timeline.state(number, self.when)
        parts = self._items(number, state, most)
        if fields is not None and len(fields) == len(parts):
            return [
                msgspec.structs.replace(part, name=name)
                for part, name in zip(parts, fields, strict=True)
            ]
        return parts + self._by_key(number, state)

    def count(self, token: Token) -> int:
        """How many parts a value has."""
        number = reference(token)
        if number is None:
            return len(token[1]) if is_items(token) else 0
        state = self._timeline.state(number, self.when)
        whole, length = state.get(ALL), state.get(LENGTH)
        if UNKNOWN in (each.value for each in (whole, length) if each is not None):
            return len(self.parts(token))
        size = len(whole.value[1]) if whole is not None and is_items(whole.value) else 0
        most = length.value if length is not None and isinstance(length.value, int) else 0
        single = sum(size <= key - INDEX < most for key in state if key >= INDEX)
        return min(size, most) + single + len(self._by_key(number, state))

    def _items(
        self, number: int, state: dict[int, RecordedChange], most: int | None
    ) -> list[RecordedPart]:
        """The items of a list, a tuple or a set."""
        whole, length = state.get(ALL), state.get(LENGTH)
        items: dict[int, tuple[Token, int]] = {}
        if whole is not None and is_items(whole.value):
            items = {i: (each, whole.when) for i, each in enumerate(whole.value[1][:most])}
        limit = 1 << 62 if most is None else INDEX + most
        for key, change in state.items():
            if INDEX <= key < limit:
                items[key - INDEX] = change.value, change.when
        count = length.value if length is not None and isinstance(length.value, int) else 0
        is_open = length is not None and length.value == UNKNOWN
        if is_open:
            count = self._fewest(number)
        if whole is not None and whole.value == UNKNOWN:
            items, count, is_open = {}, 0, True
        found = [
            RecordedPart(name=str(i), value=value, owner=number, key=INDEX + i, when=when)
            for i, (value, when) in sorted(items.items())
            if i < count
        ]
        if is_open:
            found.append(RecordedPart("…", UNKNOWN, 0, INDEX + count, self.when))
        return found

    def _fewest(self, number: int) -> int:
        """How many items there are at least, where a change of that is under way."""
        before = self._timeline.change(number, LENGTH, self.when)
        after = self._timeline.unknown(number, self.when).get(LENGTH)
        known = (before.value if before is not None else 0, after)
        return min((each for each in known if isinstance(each, int)), default=0)

    def _by_key(self, owner: int, state: dict[int, RecordedChange]) -> list[RecordedPart]:
        """Variables, attributes and items by key."""
        found = [
            RecordedPart(
                name=self.name_of(key), value=change.value, owner=owner, key=key, when=change.when
            )
            for key, change in state.items()
            if key >= FIRST_KEY and key < INDEX and change.value != UNBOUND
        ]
        found.sort(key=lambda part: part.key)
        keys = self._timeline.keys
        dicts = [part.key for part in found if part.key in keys and keys[part.key].letter == "k"]
        if not dicts:
            return found
        order = {key: i for i, key in enumerate(self._timeline.in_order(owner, dicts, self.when))}
        found.sort(key=lambda part: order.get(part.key, -1))
        return found

    def data(self, token: Token) -> bytes | None:
        """The bytes of a bytearray that were recorded; None for anything else."""
        record = self.kind(token)
        return None if record is None else _bytes_of(record, self.parts(token))

    def length(self, token: Token) -> int | None:
        """How many are in it; None for what has no length."""
        if isinstance(token, str):
            return len(token)
        if is_items(token):
            return len(token[1])
        match token:
            case ["s", str(), int(length)] | ["b", _, _, int(length)]:
                return length
            case ["b", "bytes" | "range" as name, str(text)]:
                return _length_in(name, text)
        number = reference(token)
        if number is None:
            return None
        found = self._timeline.value(number, LENGTH, self.when)
        if found is None and (key := self._timeline.names.get(_CONTENT_OF_TEXT)) is not None:
            content = self._timeline.value(number, key, self.when)
            return self.length(content) if isinstance(content, str | list) else None
        return found if isinstance(found, int) else None

    def kind(self, token: Token) -> ObjectRecord | None:
        """What is known of an object."""
        number = reference(token)
        return None if number is None else self._timeline.object(number)

    def type_name(self, token: Token) -> str:
        """The name of its class."""
        if token is None:
            return "NoneType"
        if not isinstance(token, list):
            return type(token).__name__
        match token:
            case ["t", _]:
                return "tuple"
            case ["s", _, _]:
                return "str"
            case ["b" | "o", str(name), *_]:
                return name
            case ["?"]:
                return ""
        record = self.kind(token)
        if record is not None and record.kind == "m":
            return "dict"
        return record.type if record is not None else ""

    def text(self, token: Token, depth: int = _DEPTH) -> str:
        """The value as a person would read it; what was not recorded is an ellipsis."""
        return _cut(self._text(token, depth, set()))

    def _text(self, token: Token, depth: int, around: set[int]) -> str:
        if not isinstance(token, list):
            return repr(token[: 2 * LONGEST] if isinstance(token, str) else token)
        match token:
            case ["s", str(beginning), int(length)]:
                return f"{beginning!r}… ({length:,} characters)"
            case ["b", str(), str(text), *_]:
                return text
            case ["o", str(name), int(identity)]:
                return f"<{name} #{identity}>"
            case ["t", list(items)]:
                texts = (self._text(each, depth, around) for each in items)
                return _group("()", list(_some(texts)), len(items))
            case ["-"]:
                return "not there"
            case ["?"]:
                return NOT_KNOWN
        number = reference(token)
        record = self.kind(token)
        if number is None or record is None:
            return "…"
        if number in around or depth <= 0:
            return "…"
        return self._text_of_object(record, token, depth - 1, around | {number})

    def _text_of_object(
        self, record: ObjectRecord, token: Token, depth: int, around: set[int]
    ) -> str:
        def inner(value: Token) -> str:
            return self._text(value, depth, around)

        parts = self.parts(token, LONGEST)
        texts = (
            inner(part.value) if part.name[:1] == "(" else f"{part.name}={inner(part.value)}"
            for part in parts
        )
        if record.kind in ("i", "x") or record.fields:
            return f"{record.type}({', '.join(_some(texts))})"
        if record.kind == "m":
            pairs = (f"{part.name!r}: {inner(part.value)}" for part in parts)
            return "{" + ", ".join(_some(pairs)) + "}"
        length = self.length(token) or 0
        if not parts and (hidden := self._hidden_length(record.number)):
            return hidden
        if (data := _bytes_of(record, parts)) is not None:
            return f"bytearray({_shown(data, length)})"
        if record.kind == "d":
            pairs = (f"{part.name}: {inner(part.value)}" for part in parts)
            text = "{" + ", ".join(_some(pairs, length)) + "}"
            plain = "dict"
        else:
            text = _group(
                _BRACKETS.get(record.kind, "[]"),
                list(_some((inner(part.value) for part in parts), length)),
                length,
                is_tuple=record.kind == "t",
            )
            plain = {"l": "list", "t": "tuple", "s": "set"}.get(record.kind, "")
            if record.kind == "s" and not length:
                text = "set()"
        return text if record.type == plain else f"{record.type}({text})"

    def _hidden_length(self, number: int) -> str:
        """The text in the place of a length that was left out of a file; empty for others."""
        match self._timeline.value(number, LENGTH, self.when):
            case ["b", _, str(hidden)]:
                return hidden
        return ""

    def key(self, key: int) -> Token:
        """A key of a dict or a name, as it was recorded; None for an index."""
        record = self._timeline.keys.get(key)
        return record.key if record is not None else None

    def name_of(self, key: int) -> str:
        """The name of a variable or an attribute, or an index or a key as one would write it."""
        if key >= INDEX:
            return str(key - INDEX)
        record = self._timeline.keys.get(key)
        if record is None:
            return "?"  # the part in which it was told is lost
        return str(record.key) if record.letter == "n" else self.text(record.key, 1)


def _bytes_of(record: ObjectRecord, parts: list[RecordedPart]) -> bytes | None:
    """The items of a bytearray; None where one is not known, and for anything else."""
    items = [part.value for part in parts]
    if record.type != "bytearray" or not all(type(i) is int and 0 <= i < 256 for i in items):
        return None
    return bytes(items)


def _shown(data: bytes, length: int) -> str:
    """Bytes as one writes them, of very many the first."""
    if len(repr(data)) > LONGEST:
        data = data[: LONGEST // 4]
    return repr(data) if len(data) == length else f"{data!r}… ({length:,} bytes)"


def _length_in(name: str, text: str) -> int | None:
    """The length of a value that is shown by its whole text."""
    try:
        value = ast.literal_eval(text.removeprefix("range") if name == "range" else text)
        return len(range(*value)) if name == "range" else len(value)
    except (SyntaxError, ValueError, TypeError, OverflowError):
        return None  # it is hidden, or too large


def failure_of(timeline: Timeline, moment: Moment | None) -> str:
    """The exception that left all functions at a moment, or its exit code; empty for success."""
    frame = timeline.frame(moment.frame) if moment is not None else None
    if moment is None or moment.kind != UNWIND or frame is None or frame.parent:
        return ""
    values = ValuesAt(timeline, moment.when)
    error = timeline.value(moment.frame, RAISED, moment.when)
    name = values.type_name(error)
    if name == "KeyboardInterrupt":
        return f"exit code {_INTERRUPTED}"
    if name != "SystemExit":
        return name or "exception"
    found = (part.value for part in values.parts(error) if part.name == "args")
    match next(found, None):
        case ["t", [None | 0 | False]] | ["t", []] | None:
            return ""
        case ["t", [int(code)]]:
            return f"exit code {code}"
    return "exit code 1"


_INTERRUPTED = 130


def failure_at_end(timeline: Timeline) -> str:
    """How the program failed, as its main thread's last moment has it; empty if it did not."""
    names = timeline.threads
    main = next((each for each in timeline.chunks.of_thread if names.get(each) == MAIN_THREAD), 0)
    return failure_of(timeline, timeline.last(main))


MAIN_THREAD = "MainThread"


def reference(token: Token) -> int | None:
    """The number of the object that a token stands for."""
    if isinstance(token, list) and len(token) == 1 and isinstance(token[0], int):
        return token[0]
    return None


def is_items(token: Token) -> bool:
    return (
        isinstance(token, list)
        and len(token) == 2
        and token[0] == "t"
        and isinstance(token[1], list)
    )


def _some(texts: Iterator[str], total: int | None = None) -> Iterator[str]:
    """As many as one reads, and an ellipsis for the others."""
    size = shown = 0
    for text in texts:
        if size > LONGEST:
            yield "…"
            return
        size += len(text) + 2
        shown += 1
        yield text
    if total is not None and shown < total:
        yield f"… ({total:,} in all)"


def _group(brackets: str, texts: list[str], length: int, *, is_tuple: bool | None = None) -> str:
    is_tuple = brackets == "()" if is_tuple is None else is_tuple
    comma = "," if is_tuple and length == 1 else ""
    return f"{brackets[0]}{', '.join(texts)}{comma}{brackets[1]}"


def _cut(text: str) -> str:
    return text if len(text) <= 2 * LONGEST else text[: 2 * LONGEST - 1] + "…"


Reader = Callable[[int], Token]


WIDTH = 76
"""Characters of a value that stands in one line."""

_DEEPEST = 20
_INDENT = "    "
_PLAIN = {"l": "list", "q": "", "a": "", "t": "tuple", "s": "set", "d": "dict"}
_ROUND, _SQUARE, _CURLY = ("(", ")"), ("[", "]"), ("{", "}")
_PAIRS = {"t": _ROUND, "l": _SQUARE, "q": _SQUARE, "a": _SQUARE, "s": _CURLY, "d": _CURLY}
_LEFT_OUT = "…"


class Whole:
    """Writes values, of ``limit`` characters at most; then not all of them ``is_whole``."""

    def __init__(self, values: ValuesAt, limit: int) -> None:
        self._values = values
        self._left = limit
        self.is_whole = True

    def text(self, token: Token) -> str:
        """As a person would read it, each part in a line of its own where it is long."""
        return "\n".join(self._lines(token, frozenset()))

    def _lines(self, token: Token, around: frozenset[int]) -> list[str]:
        values, number = self._values, reference(token)
        short = values.text(token)
        parts = self._parts(token)
        if not parts or (len(short) <= WIDTH and _LEFT_OUT not in short):
            self._left -= len(short)
            return [short]
        if number in around or len(around) >= _DEEPEST:
            self.is_whole = False
            return [_LEFT_OUT]
        if number is not None:
            around |= {number}
        begin, end, between = self._brackets(token)
        lines = [begin]
        for part in self._some(parts):
            first, *rest = self._lines(part.value, around)
            name = f"{part.name}{between}" if between else ""
            inner = [f"{name}{first}", *rest]
            inner[-1] += ","
            lines += [_INDENT + line for line in inner]
            self._left -= len(_INDENT) * len(inner)
        return [*lines, *self._left_out(token, parts), end]

    def _left_out(self, token: Token, parts: list[RecordedPart]) -> list[str]:
        length = self._values.length(token)
        if length is None or length <= len(parts):
            return []
        self.is_whole = False
        return [f"{_INDENT}{_LEFT_OUT} ({length:,} in all)"]

    def _parts(self, token: Token) -> list[RecordedPart]:
        has_parts = reference(token) is not None or is_items(token)
        return self._values.parts(token, max(1, self._left)) if has_parts else []

    def _brackets(self, token: Token) -> tuple[str, str, str]:
        """What stands before the parts and behind them, and between a name and its value."""
        kind, name = self._kind(token), self._values.type_name(token)
        if kind not in _PAIRS:
            return f"{name}(", ")", "="
        begin, end = _PAIRS[kind]
        between = ": " if kind == "d" else ""
        if name == _PLAIN[kind]:
            return begin, end, between
        return f"{name}({begin}", f"{end})", between

    def _kind(self, token: Token) -> str:
        """The letter of a collection; another, or none, where the parts have names."""
        record = self._values.kind(token)
        if record is None:
            return "t"
        return "" if record.fields else record.kind

    def json(self, token: Token) -> Any:
        """What JSON has values for; all else as the text that it is shown by."""
        return self._plain(token, frozenset())

    def _plain(self, token: Token, around: frozenset[int]) -> Any:
        values, number = self._values, reference(token)
        if not isinstance(token, list):
            self._left -= len(token) + 4 if isinstance(token, str) else 8
            is_odd = isinstance(token, float) and not math.isfinite(token)
            return repr(token) if is_odd else token
        if number is None and not is_items(token):
            text = values.text(token)
            self.is_whole = self.is_whole and _LEFT_OUT not in text
            self._left -= len(text)
            return text
        if number in around or len(around) >= _DEEPEST or self._left <= 0:
            self.is_whole = False
            return _LEFT_OUT
        if number is not None:
            around |= {number}
        parts, kind = self._parts(token), self._kind(token)
        length = values.length(token)
        if length is not None and length > len(parts):
            self.is_whole = False
        if not parts and kind not in _PAIRS:
            return values.text(token)
        found = [(self._key(part), self._plain(part.value, around)) for part in self._some(parts)]
        return dict(found) if kind not in _PAIRS or kind == "d" else [each for _, each in found]

    def _some(self, parts: list[RecordedPart]) -> Iterator[RecordedPart]:
        """As many as there is room for."""
        for part in parts:
            if self._left <= 0:
                self.is_whole = False
                return
            self._left -= len(part.name) + 4
            yield part

    def _key(self, part: RecordedPart) -> str:
        key = self._values.key(part.key)
        return key if isinstance(key, str) else part.name
