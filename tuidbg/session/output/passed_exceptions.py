"""Says where to stop when an exception leaves the person's code and a library takes it in.

A web framework answers with an error page and writes a traceback: the program goes on, and nothing
stops. It is found by that traceback, which begins in a library and comes by the person's own code;
nothing is asked of the program for it.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Protocol

from tuidbg.session.core import Core
from tuidbg.session.events import (
    Entry,
    ExceptionFiltersChanged,
    OutputProduced,
    StatusChanged,
    Stopped,
)
from tuidbg.session.output.buffer import OutputBuffer
from tuidbg.session.state import Status, StopReason

_HEADLINE = "Traceback (most recent call last):"
_FRAME = re.compile(r'  File "(?P<path>[^"]+)", line (?P<line>[0-9]+)')
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")

_RUNS = (Status.LAUNCHING, Status.RUNNING)
"""A quick program writes before its adapter says that it runs."""

_LONGEST = 1000
"""Lines of a traceback that is looked at."""


class _Sources(Protocol):
    def is_hidden(self, path: str, module: str = "") -> bool:
        """True if the debugger never stops there."""


class _Exceptions(Protocol):
    def leaves_are_stopped_at(self) -> bool:
        """True if some rule stops where an exception leaves the person's code, or before."""


class WrittenSession(Core, Protocol):
    """The session whose output is looked at."""

    @property
    def output(self) -> OutputBuffer:
        """Its lines."""

    @property
    def sources(self) -> _Sources:
        """Which files are the person's own."""

    @property
    def exceptions(self) -> _Exceptions:
        """At which it stops."""


class PassedExceptions:
    """Reads one session's output, up to the first such traceback of a run."""

    def __init__(self, session: WrittenSession) -> None:
        self._session = session
        self._next = 1
        self._is_over = False
        """It is told, or the person has seen an exception stop the program."""
        self.told = ""
        """The notice of this run, while nothing was done about it."""
        session.events.subscribers.add(self._note)

    def _note(self, entry: Entry) -> None:
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
        """The places of a traceback, and the number of its last line; 0 where that is to come."""
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
