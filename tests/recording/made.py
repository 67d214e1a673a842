"""Recordings that are made by hand, moment by moment."""

from __future__ import annotations

from array import array
from typing import Any

from tuidbg.recording.chunks import chunk_of
from tuidbg.recording.segment import (
    FIRST_KEY,
    INDEX,
    LENGTH,
    LINE,
    RETURN,
    RETURNED,
    CodeRecord,
    FrameRecord,
    KeyRecord,
    News,
    ObjectRecord,
    Segment,
    Token,
    read_segment,
    write_segment,
)
from tuidbg.recording.timeline import Moment, RecordedFrame, Timeline

PATH = "/made/program.py"
SPACE = 1


class Made:
    """A recording that is made; ``cut`` ends a segment."""

    def __init__(self, limit: int = 1 << 28) -> None:
        self.timeline = Timeline(limit)
        self.now = 0
        self._numbers = SPACE
        self._keys: dict[Any, int] = {}
        self._codes: dict[str, int] = {}
        self._begin()
        self.news.objects.append(ObjectRecord(SPACE, "m", "program"))

    def _begin(self) -> None:
        self.news = News(0, 0, 0, [(0, "MainThread")], [], [], [], [])
        self.columns: list[array[int]] = [array("Q") for _ in range(5)]
        self.values: list[Token] = []

    def key(self, name: Any, letter: str = "n") -> int:
        """The number of a name, or of a key of a dict."""
        if (letter, name) not in self._keys:
            number = self._keys[letter, name] = FIRST_KEY + len(self._keys)
            self.news.keys.append(KeyRecord(number, letter, name))
        return self._keys[letter, name]

    def code(self, name: str) -> int:
        if name not in self._codes:
            number = self._codes[name] = len(self._codes) + 1
            self.news.codes.append(CodeRecord(number, PATH, name, 1, SPACE))
        return self._codes[name]

    def _next(self) -> int:
        self._numbers += 1
        return self._numbers

    def call(self, name: str, line: int, parent: int = 0, **variables: Token) -> int:
        """A call begins at a line; its first line is about to run."""
        number = self._next()
        code = self.code(name)
        self.news.frames.append(
            FrameRecord(number, code, parent, line - 1, 0, self.now + 1, number)
        )
        self.at(number, line, **variables)
        return number

    def object(
        self,
        kind: str,
        type_name: str,
        items: list[Token] | None = None,
        fields: list[str] | None = None,
    ) -> int:
        """A value that can change; seen from the next moment on."""
        number = self._next()
        self.news.objects.append(ObjectRecord(number, kind, type_name, fields))
        for index, item in enumerate(items or ()):
            self.change(number, INDEX + index, item)
        if items is not None:
            self.change(number, LENGTH, len(items))
        return number

    def change(self, owner: int, key: int, value: Token) -> None:
        """Something changes: seen from the next moment on."""
        for column, each in zip(self.columns[2:], (self.now + 1, owner, key), strict=True):
            column.append(each)
        self.values.append(value)

    def at(self, frame: int, line: int, kind: int = LINE, **variables: Token) -> Moment:
        """A moment, at which these variables have become others."""
        for name, value in variables.items():
            self.change(frame, self.key(name), value)
        self.now += 1
        self.columns[0].append(self.now)
        self.columns[1].append(frame << 24 | kind << 20 | line)
        return Moment(when=self.now, thread=0, frame=frame, kind=kind, line=line)

    def leave(self, frame: int, line: int, value: Token = None) -> Moment:
        """A call returns."""
        self.change(frame, RETURNED, value)
        return self.at(frame, line, RETURN)

    def cut(self) -> Timeline:
        """End the segment."""
        self.news.now = self.now
        times, wheres, whens, owners, keys = self.columns
        segment = Segment(self.news, times, wheres, whens, owners, keys, self.values)
        data = write_segment(segment)
        self.timeline.add(read_segment(data), chunk_of(segment, data))
        self._begin()
        return self.timeline

    def frame(self, moment: Moment) -> RecordedFrame:
        """The innermost call at a moment."""
        return self.timeline.stack(moment)[0]


def counted(rounds: int, length: int = 50, limit: int = 1 << 28) -> Made:
    """``main`` calls ``add`` with each number, which adds it to the total of an object.

    ``main``: 11 ``for n``, 12 ``last = add(counter, n)``; ``add``: 22 ``counter.total += n``.
    """
    made = Made(limit)
    made.change(SPACE, made.key("limit"), 3)
    main = made.call("main", 10)
    counter = made.object("i", "Counter")
    items = made.object("d", "dict", [])
    made.change(counter, made.key("total"), 0)
    made.change(counter, made.key("seen"), [items])
    made.at(main, 11, counter=[counter])
    total = 0
    for n in range(rounds):
        made.at(main, 12, n=n)
        add = made.call("add", 22, main, counter=[counter], n=n)
        total += n
        made.change(counter, made.key("total"), total)
        made.change(items, made.key(n % 7, "k"), n)
        made.change(items, LENGTH, min(n + 1, 7))
        made.at(add, 23)
        made.leave(add, 23, total)
        made.at(main, 11, last=total)
        if n % length == length - 1:
            made.cut()
    made.leave(main, 13)
    made.cut()
    return made
