"""Knows what of a recording is behind the names of secrets, and leaves it out.

An object that such a name has held is hidden with all that is in it, however else it is reached:
its attributes and items, and the keys of its dicts; but for names that only hide plain values.
What is hidden keeps its type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tuidbg.recording.leaving.secret_names import REDACTED, Secrecy
from tuidbg.recording.numbers import ALL, BORN, INDEX, RETURNED, SPAN, Token

HIDDEN: Token = ["b", "str", REDACTED]
_OF_BYTES = ("bytearray", "memoryview")
"""Plain values as well, though their items are recorded one by one."""


class Secrets:
    """First it has to ``learn`` all names, then ``read`` all changes, and ``close``; from then on
    it tells. Where there are ``owners``, it has to ``see`` all changes before keys are told. The
    types of objects are learned unless ``type_of`` finds them.
    """

    def __init__(
        self, is_secret: Callable[[str], int], type_of: Callable[[int], str] | None = None
    ) -> None:
        self._is_secret, self._find_type = is_secret, type_of
        self.keys: dict[int, int] = {}
        self.codes: dict[int, int] = {}
        self.givers: dict[int, int] = {}
        self.owners: set[int] = set()
        self.fields: dict[int, dict[int, int]] = {}
        """Of tuples with named fields: the keys of those with a secret's name."""
        self._types: dict[int, str] = {}
        self.hidden_key = 0
        """Stands for all keys of the dicts that are hidden."""
        self._of_dicts: set[int] = set()
        self._inner: dict[int, set[int]] = {}
        self._told: set[int] = set()
        self._untold: set[int] = set()

    def learn(
        self, keys: Iterable[tuple[int, str, Token]], codes: Iterable[tuple[int, str]]
    ) -> None:
        """Names and keys with their numbers and letters, and functions."""
        for number, letter, key in keys:
            self.hidden_key = max(self.hidden_key, number + 1)
            if letter == "k":
                self._of_dicts.add(number)
            if isinstance(key, str) and (hidden := self._is_secret(key)):
                self.keys[number] = hidden
        for number, name in codes:
            if hidden := self._is_secret(name.rpartition(".")[2]):
                self.codes[number] = hidden

    def learn_objects(self, objects: Iterable[tuple[int, str, Sequence[str] | None]]) -> None:
        """Values that can be looked into: their types, and the names of their fields."""
        for number, kind, fields in objects:
            if self._find_type is None:
                self._types[number] = kind
            secret = {INDEX + i: self._is_secret(name) for i, name in enumerate(fields or ())}
            if found := {key: hidden for key, hidden in secret.items() if hidden}:
                self.fields[number] = found

    @property
    def may_hide(self) -> bool:
        """False where no name is that of a secret."""
        return bool(self.keys or self.codes or self.fields)

    def read_calls(self, calls: Iterable[tuple[int, int]]) -> None:
        """Calls and their functions."""
        self.givers.update(
            (number, self.codes[code]) for number, code in calls if code in self.codes
        )

    def read(self, owners: Iterable[int], keys: Iterable[int], values: Iterable[Token]) -> None:
        """Changes."""
        for owner, key, value in zip(owners, keys, values, strict=True):
            if type(value) is list and (found := set(references(value))):
                secrecy = self._secrecy(owner, key)
                if secrecy == Secrecy.WHOLE:
                    self.owners |= found
                elif secrecy == Secrecy.PLAIN:
                    self.owners.update(filter(self._is_of_bytes, found))
                elif key == ALL:
                    for each in self._hidden_items(owner, value):
                        self.owners.update(references(each) if type(each) is list else ())
                self._inner.setdefault(owner, set()).update(found)

    def close(self) -> None:
        """All has been read."""
        wanted, self.owners = set(self.owners), set()
        while wanted:
            number = wanted.pop()
            self.owners.add(number)
            wanted |= self._inner.get(number, set()) - self.owners

    def see(self, owners: Iterable[int], keys: Iterable[int]) -> None:
        """Which keys of dicts stand in what is hidden, and which elsewhere."""
        for owner, key in zip(owners, keys, strict=True):
            if key < INDEX and key in self._of_dicts:
                (self._untold if owner in self.owners else self._told).add(key)

    def _secrecy(self, owner: int, key: int) -> int:
        """What is hidden of a value by its name."""
        if key == RETURNED:
            return self.givers.get(owner, Secrecy.NONE)
        found = self.keys.get(key, Secrecy.NONE)
        if owner in self.fields and found != Secrecy.WHOLE:
            return self.fields[owner].get(key, found)
        return found

    def _hidden_items(self, owner: int, whole: Token) -> Iterator[object]:
        """The items of a tuple that was recorded at once whose fields have a secret's name."""
        if owner in self.fields and type(whole) is list and len(whole) == 2:
            items = whole[1] if type(whole[1]) is list else ()
            for i, each in enumerate(items):
                if self.fields[owner].get(INDEX + i) == Secrecy.WHOLE:
                    yield each

    def value(self, owner: int, key: int, value: Token) -> Token:
        """What is told of a value."""
        if key in (SPAN, BORN):
            return value
        if owner in self.owners:
            return self._hidden(value, Secrecy.WHOLE)
        if hidden := self._secrecy(owner, key):
            return self._hidden(value, hidden)
        fields = self.fields.get(owner) if key == ALL else None
        if fields is None:
            return value
        if type(value) is not list or len(value) != 2 or type(value[1]) is not list:
            return HIDDEN
        items = enumerate(value[1])
        return [
            value[0],
            [self._hidden(each, fields.get(INDEX + i, Secrecy.NONE)) for i, each in items],
        ]

    def _hidden(self, value: Token, secrecy: int) -> Token:
        """The same, of which nothing is told but its type; nothing at all and truth values stay."""
        if secrecy == Secrecy.NONE or value is None or type(value) is bool:
            return value
        if type(value) is not list:
            return ["b", type(value).__name__, REDACTED]
        if value[0] in ("-", "~", "?"):
            return value
        if value[0] == "s":
            return HIDDEN
        is_plain = value[0] == "b" and value[1] in ("bytes", "int", "complex")
        is_plain = is_plain or (len(value) == 1 and self._is_of_bytes(value[0]))
        if secrecy == Secrecy.PLAIN and not is_plain:
            return value
        return ["b", self._type_of(value), REDACTED]

    def _type_of(self, value: Token) -> str:
        if value[0] == "t":
            return "tuple"
        if value[0] in ("b", "o"):
            return str(value[1])
        return self._type_numbered(value[0])

    def _type_numbered(self, number: int) -> str:
        if self._find_type is not None:
            return self._find_type(number)
        return self._types.get(number, "object")

    def _is_of_bytes(self, number: int) -> bool:
        return self._type_numbered(number) in _OF_BYTES

    def key(self, owner: int, key: int) -> int:
        """Under which key it is told."""
        return self.hidden_key if owner in self.owners and key in self._of_dicts else key

    def hidden(
        self, owners: Sequence[int], keys: Sequence[int], values: Sequence[Token]
    ) -> tuple[list[int], list[Token]]:
        """Keys and values as they are told."""
        rows = list(zip(owners, keys, values, strict=True))
        told = [self.key(owner, key) for owner, key, _ in rows]
        return told, [
            HIDDEN if new == self.hidden_key else self.value(owner, key, value)
            for new, (owner, key, value) in zip(told, rows, strict=True)
        ]

    def key_token(self, number: int, key: Token) -> Token:
        """What is told of a key itself: nothing where it stands in what is hidden only."""
        return HIDDEN if number in self._untold and number not in self._told else key


def references(token: Sequence[object]) -> Iterator[int]:
    """The numbers of the objects that stand in a token."""
    if len(token) == 1 and isinstance(token[0], int):
        yield token[0]
    elif len(token) == 2 and isinstance(token[1], list):
        for each in token[1]:
            if type(each) is list:
                yield from references(each)
