"""The console's lines: all output of the program and the debugger, bounded."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from tuidbg.session.model.events import (
    ExceptionFiltersChanged,
    LogEntry,
    OutputProduced,
    SessionEvent,
    StatusChanged,
    Stopped,
    Subscribers,
)
from tuidbg.session.model.state import OutputLine, Place, Status, StopReason

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session
    from tuidbg.session.core.terminal.text import TextStream

MAX_LINES = 10_000
MAX_BYTES = 8 * 1024 * 1024

_REWRITES_KEPT = 64
"""Rewritten lines remembered one by one; a reader further behind has to read all."""


class OutputBuffer:
    """The lines of a session's console, oldest first.

    ``buffer[i]`` is the i-th line kept, ``line(number)`` the one with that number. ``max_bytes``
    counts the lines' text as UTF-8. One line at least is always kept.
    """

    def __init__(self, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> None:
        self.max_lines = max_lines
        self.max_bytes = max_bytes
        self.dropped = 0
        """Lines dropped because newer ones needed the space."""
        self.version = 0
        """Increases with every change: a reader that has seen this version has seen all."""
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
        """Add a piece of output of ``category`` (see ``OutputLine``) that may end anywhere."""
        first = self._open.get(category) or self.last_number + 1
        stream = self._streams.get(category)
        if stream is None:
            from tuidbg.session.core.terminal.text import TextStream  # not needed yet at the start

            stream = self._streams[category] = TextStream()
        self._take(category, stream, stream.feed(data))
        if is_secret:
            self._secret.update(range(max(first, self._first), self.last_number + 1))

    def finish(self, category: str) -> None:
        """End the stream of ``category``: its open line is complete, its colours are reset."""
        stream = self._streams.pop(category, None)
        if stream is not None:
            self._take(category, stream, stream.finish())

    def add(self, category: str, text: str) -> None:
        """Add a complete message: ``text`` ends its last line, with or without a line end."""
        self.feed(category, text)
        self.finish(category)

    def clear(self) -> None:
        """Delete all lines; numbers and streams continue."""
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
        # An open line that was dropped continues in a new one.
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
        """Return the number of the oldest line kept; ``last_number + 1`` if there is none."""
        return self._first

    @property
    def last_number(self) -> int:
        """Return the number of the newest line; 0 before the first."""
        return self._first + len(self._texts) - 1

    def line(self, number: int) -> OutputLine:
        """Return the line with that number; KeyError if it was dropped or does not exist yet."""
        if not self._first <= number <= self.last_number:
            raise KeyError(number)
        return self[number - self._first]

    def find(self, text: str, number: int) -> int | None:
        """Return the number of the first line from that one on that contains the text, if any."""
        try:
            return self._first + self._texts.index(text, max(0, number - self._first))
        except ValueError:
            return None

    def rewritten_since(self, version: int) -> Sequence[int]:
        """Return the kept lines changed in place after ``version``, oldest first.

        Added lines are not included: they are those above the ``last_number`` that the reader saw
        then. A reader too far behind gets every line.
        """
        if version < self._forgotten:
            return range(self._first, self.last_number + 1)
        changed = [number for number, at in self._rewrites.items() if at > version]
        return sorted(number for number in changed if number >= self._first)


def _size(lines: list[str]) -> int:
    return sum([len(line) if line.isascii() else len(line.encode()) for line in lines])


_HEADLINE = "Traceback (most recent call last):"
_FRAME = re.compile(r'  File "(?P<path>[^"]+)", line (?P<line>[0-9]+)')
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")

_RUNS = (Status.LAUNCHING, Status.RUNNING)
"""A quick program writes before its adapter reports that it runs."""

_LONGEST = 1000
"""Maximum lines of a traceback that are examined."""


class PassedExceptions:
    """The detection of a run's first user exception that a library caught, by its traceback."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._next = 1
        self._is_over = False
        """It was reported, or the user has seen an exception stop the program."""
        self.told = ""
        """The notice of this run, until it is acted on."""
        session.events.subscribers.add(self._note)

    def _note(self, entry: LogEntry) -> None:
        event = entry.event
        if isinstance(event, StatusChanged) and event.status is Status.LAUNCHING:
            self._is_over, self._next = False, self._session.output.last_number + 1
            self.told = ""
        elif isinstance(event, Stopped) and event.stop.reason is StopReason.EXCEPTION:
            self._is_over = True
        elif isinstance(event, ExceptionFiltersChanged):
            self.told = ""
        elif isinstance(event, OutputProduced) and not self._is_over:
            self._look()

    def _look(self) -> None:
        output = self._session.output
        while (found := output.find(_HEADLINE, self._next)) is not None:
            frames, end = self._read(found)
            if not end:  # the rest comes next
                self._next = found
                return
            self._next = end
            if frames and self._tell(frames):
                self._is_over = True
                return
        self._next = max(1, output.last_number)  # that line may be open

    def _read(self, headline: int) -> tuple[list[tuple[str, int]], int]:
        """Return a traceback's places, and the number of its last line; 0 if still to come."""
        output = self._session.output
        category = output.line(headline).category
        frames: list[tuple[str, int]] = []
        for number in range(headline + 1, min(output.last_number, headline + _LONGEST) + 1):
            line = output.line(number)
            if line.category != category:
                continue
            text = _COLOUR.sub("", line.text)
            if found := _FRAME.match(text):
                frames.append((found["path"], int(found["line"])))
            elif not text.startswith(" ") and line.complete:
                return frames, number
        is_cut = output.last_number >= headline + _LONGEST
        return ([], headline + 1) if is_cut else (frames, 0)

    def _tell(self, frames: list[tuple[str, int]]) -> bool:
        session = self._session
        own = [place for place in frames if not session.sources.is_hidden(place[0])]
        if not own or own[0] == frames[0] or session.status not in _RUNS:
            return False
        if not session.exceptions.leaves_are_stopped_at():
            path, line = own[0]
            self.told = (
                f"A library caught an exception from {PurePath(path).name}:{line};"
                ' "leaving your code" of "Exceptions to stop at" stops there.'
            )
            session.notify(self.told)
        return True


INTERVAL = 0.03
"""Seconds between two events for new output; the buffer itself is always up to date."""


class Piece(NamedTuple):
    """A piece of raw output, telemetry included."""

    category: str
    text: str | bytes
    place: Place | None = None
    """Where it was written, if known."""
    is_piece: bool = False
    """It may be part of a line whose rest comes next."""
    is_secret: bool = False
    """It contains the value of a secret."""


class Pulse:
    """A rate limiter: calls ``tell`` soon after changes, at most once an interval.

    ``at_once``: the first change after a pause is reported without delay.
    """

    def __init__(self, tell: Callable[[], None], *, at_once: bool) -> None:
        self._tell = tell
        self._at_once = at_once
        self._told = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def tell_soon(self) -> None:
        """Schedule a call of ``tell``."""
        if self._timer is None:
            wait = self._told + INTERVAL - time.monotonic() if self._at_once else INTERVAL
            self._timer = asyncio.get_running_loop().call_later(max(wait, 0.0), self._beat)

    def _beat(self) -> None:
        self._timer = None
        self._told = time.monotonic()
        self._tell()

    def close(self) -> None:
        """Stop all calls."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class OutputStream:
    """The output of one session; ``publish`` is called soon after there are new lines."""

    def __init__(self, publish: Callable[[SessionEvent, str], None]) -> None:
        self.buffer = OutputBuffer()
        self.pieces: Subscribers[Piece] = Subscribers()
        """Called with each piece as it comes."""
        self._publish = publish
        self._pulse = Pulse(self._tell, at_once=True)

    def _tell(self) -> None:
        self._publish(OutputProduced(last=self.buffer.last_number), "adapter")

    def write(
        self,
        category: str,
        text: str | bytes,
        place: Place | None = None,
        *,
        is_piece: bool = False,
        is_secret: bool = False,
    ) -> None:
        """Add output; see ``Piece``."""
        self.buffer.feed(category, text, is_secret=is_secret)
        self.pass_on(category, text, place, is_piece=is_piece, is_secret=is_secret)
        self._pulse.tell_soon()

    def write_private(self, line: str) -> None:
        """Show the user a line that API clients must not read: a token, for example."""
        self.buffer.add("private", line)
        self._pulse.tell_soon()

    def write_terminal(self, data: bytes, lines: bytes) -> None:
        """Add the program's terminal output; ``lines`` is the part that consists of lines."""
        if lines:
            self.buffer.feed("terminal", lines)
        self.pass_on("terminal", data, is_piece=True)
        if lines or self.pieces:
            self._pulse.tell_soon()

    def pass_on(
        self,
        category: str,
        text: str | bytes,
        place: Place | None = None,
        *,
        is_piece: bool = False,
        is_secret: bool = False,
    ) -> None:
        """Pass output to the subscribers, without adding it to the console."""
        if self.pieces:
            self.pieces.tell(Piece(category, text, place, is_piece, is_secret))

    def finish(self) -> None:
        """Complete the open lines, as the program has ended."""
        for category in ("terminal", "stdout", "stderr"):
            self.buffer.finish(category)

    def close(self) -> None:
        """Stop all events."""
        self._pulse.close()
