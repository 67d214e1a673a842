"""The console's lines: everything the program and the debugger said, bounded.

Output arrives as DAP ``output`` events (cut at 4,096 bytes, stdout and stderr interleaved) or as
bytes from the program's terminal. Each category is a stream of its own here, so that one can't tear
the lines of another; a line that is not complete yet is shown at once and completed in its place.

The buffer keeps the newest lines, at most so many lines and so many bytes, and counts what it
dropped. Lines have numbers that grow by one and are never used again: readers keep a number, and
the version they have seen, and ask what is new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tuidbg.session.state import OutputLine

if TYPE_CHECKING:
    from tuidbg.session.terminal.text import TextStream

MAX_LINES = 10_000
MAX_BYTES = 8 * 1024 * 1024

_REWRITES_KEPT = 64
"""Rewritten lines remembered one by one; a reader further behind is told to look at all."""


class OutputBuffer:
    """The lines of a session's console, oldest first.

    ``buffer[i]`` is the i-th line kept, ``line(number)`` the one with that number. ``max_bytes``
    counts the lines' text as UTF-8. One line at least is always kept.
    """

    def __init__(self, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> None:
        self.max_lines = max_lines
        self.max_bytes = max_bytes
        self.dropped = 0
        """Lines that were dropped because newer ones needed the room."""
        self.version = 0
        """Grows with every change: a reader that has seen this version has seen all."""
        self._first = 1
        self._texts: list[str] = []
        self._categories: list[str] = []
        self._bytes = 0
        self._streams: dict[str, TextStream] = {}
        self._open: dict[str, int] = {}
        self._secret: set[int] = set()
        self._rewrites: dict[int, int] = {}
        self._forgotten = 0

    # -- writing

    def feed(self, category: str, data: str | bytes, *, is_secret: bool = False) -> None:
        """Take a piece of output of ``category`` (see ``OutputLine``) that may end anywhere."""
        first = self._open.get(category) or self.last_number + 1
        stream = self._streams.get(category)
        if stream is None:
            from tuidbg.session.terminal.text import TextStream  # a start has nothing to read yet

            stream = self._streams[category] = TextStream()
        self._take(category, stream, stream.feed(data))
        if is_secret:
            self._secret.update(range(max(first, self._first), self.last_number + 1))

    def finish(self, category: str) -> None:
        """The stream of ``category`` ends: its open line is complete, its colours are reset."""
        stream = self._streams.pop(category, None)
        if stream is not None:
            self._take(category, stream, stream.finish())

    def add(self, category: str, text: str) -> None:
        """Take a whole message: ``text`` ends its last line, with a line end or without."""
        self.feed(category, text)
        self.finish(category)

    def clear(self) -> None:
        """Forget all lines; numbers and streams go on."""
        self._first += len(self._texts)
        self._texts.clear()
        self._categories.clear()
        self._bytes = self.dropped = 0
        self._open.clear()
        self._secret.clear()
        self.version += 1

    def _take(self, category: str, stream: TextStream, lines: list[str]) -> None:
        number = self._open.pop(category, 0)
        if number and lines:
            self._rewrite(number, lines[0], completed=True)
            self._append(category, lines[1:])
            number = 0
        else:
            self._append(category, lines)
        if stream.is_open:
            if number:
                self._rewrite(number, stream.rest)
            else:
                self._append(category, [stream.rest])
                number = self.last_number
            self._open[category] = number
        self._drop()
        self.version += 1

    def _append(self, category: str, lines: list[str]) -> None:
        self._texts += lines
        self._categories += [category] * len(lines)
        self._bytes += _size(lines)

    def _rewrite(self, number: int, text: str, *, completed: bool = False) -> None:
        index = number - self._first
        before = self._texts[index]
        if before == text and not completed:
            return
        self._bytes += _size([text]) - _size([before])
        self._texts[index] = text
        self._rewrites.pop(number, None)
        self._rewrites[number] = self.version + 1
        if len(self._rewrites) > _REWRITES_KEPT:
            oldest = next(iter(self._rewrites))
            self._forgotten = self._rewrites.pop(oldest)

    def _drop(self) -> None:
        count = max(0, len(self._texts) - self.max_lines)
        size = self._bytes - _size(self._texts[:count])
        while size > self.max_bytes and count < len(self._texts) - 1:
            size -= _size([self._texts[count]])
            count += 1
        if not count:
            return
        del self._texts[:count]
        del self._categories[:count]
        self._bytes = size
        self._first += count
        self.dropped += count
        if self._secret:
            self._secret = {number for number in self._secret if number >= self._first}
        # A line that was dropped while it was open goes on in a new one.
        for category in [name for name, number in self._open.items() if number < self._first]:
            del self._open[category]

    # -- reading

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[OutputLine]:
        return (self[index] for index in range(len(self._texts)))

    def __getitem__(self, index: int) -> OutputLine:
        category = self._categories[index]
        number = self._first + (index if index >= 0 else index + len(self._texts))
        complete = self._open.get(category) != number
        return OutputLine(
            number=number,
            category=category,
            text=self._texts[index],
            complete=complete,
            is_secret=number in self._secret,
        )

    @property
    def first_number(self) -> int:
        """The number of the oldest line kept; ``last_number + 1`` where there is none."""
        return self._first

    @property
    def last_number(self) -> int:
        """The number of the newest line; 0 before the first."""
        return self._first + len(self._texts) - 1

    def line(self, number: int) -> OutputLine:
        """The line with that number; KeyError where it was dropped or is yet to come."""
        if not self._first <= number <= self.last_number:
            raise KeyError(number)
        return self[number - self._first]

    def find(self, text: str, number: int) -> int | None:
        """The number of the first line from that one on which is this text; None if none is."""
        try:
            return self._first + self._texts.index(text, max(0, number - self._first))
        except ValueError:
            return None

    def rewritten_since(self, version: int) -> Sequence[int]:
        """The kept lines that were changed in place after ``version``, oldest first.

        Lines that were added are not among them: they are those above the ``last_number`` that the
        reader saw then. A reader too far behind is given every line.
        """
        if version < self._forgotten:
            return range(self._first, self.last_number + 1)
        changed = [number for number, at in self._rewrites.items() if at > version]
        return sorted(number for number in changed if number >= self._first)


def _size(lines: list[str]) -> int:
    return sum([len(line) if line.isascii() else len(line.encode()) for line in lines])
