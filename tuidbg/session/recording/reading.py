"""A call that is read in the recording of the run, and so is not stepped: it runs at its own pace.

That is possible where the run can be recorded (``session.past``) and the call is of code that is.
What it did stays in that recording as well: one can step back in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Protocol

import msgspec

from tuidbg.recording.segment import LINE, RETURN, RETURNED, UNWIND, Token, where_of
from tuidbg.recording.timeline import Moment
from tuidbg.recording.values import ValuesAt
from tuidbg.session.errors import DebuggerError
from tuidbg.session.events import EventLog
from tuidbg.session.past.frames import kind_of
from tuidbg.session.past.past import Past
from tuidbg.session.recording.look import MOST_LOCALS, UNTOLD, Look, cut_value, is_group
from tuidbg.session.recording.source import bare_name
from tuidbg.session.recording.types import Local
from tuidbg.session.state import Frame, Status

READ_EVERY = 0.3
"""Seconds between two looks at how far it is."""

AT_ONCE = 25
"""Lines that are read before others get their turn."""

_ENDS = frozenset({RETURN, UNWIND})


END_WITHIN = 3.0
"""Seconds in which a program ends whose main thread has ended."""

_ALIVE = (Status.RUNNING, Status.PAUSED)


class HasPast(Protocol):
    """A session whose run can be recorded."""

    @property
    def events(self) -> EventLog:
        """Tells of its end."""

    @property
    def status(self) -> Status:
        """The state of the program."""

    @property
    def past(self) -> Past:
        """The recording of its run."""


class Step(msgspec.Struct, frozen=True):
    """A line was done: what is seen behind it, and the line that comes next; 0 at the end."""

    look: Look
    next_line: int


class Reading:
    """Reads one call, from the moment on at which the program stands in it."""

    def __init__(self, session: HasPast, at: Moment, *, is_ours: bool) -> None:
        """``is_ours``: the run is recorded for this alone."""
        self._session, self._past = session, session.past
        past = self._past
        self._timeline = past.timeline
        self._at = at
        self._is_ours = is_ours
        stack = self._timeline.stack(at, 1)
        self._owner = stack[0].owner if stack else 0
        self.has_ended = False
        """True if its end was read."""

    @classmethod
    async def begin(cls, session: HasPast, frame: Frame, origin: str) -> Reading | None:
        """Record the run from where it stands in that frame; None where that can't be done."""
        past = session.past
        is_ours = not past.is_on
        if is_ours and past.file is not None:
            return None  # at its end the file of the run would be written anew
        try:
            await past.begin(origin)
            at = await past.present(frame.id, quietly=True)
        except DebuggerError:
            pass
        else:
            here, place = past.timeline.stack(at, 1), frame.place
            if here and place and (here[0].path, here[0].line) == (place.path, place.line):
                return cls(session, at, is_ours=is_ours)
        if is_ours:
            await _end(past, origin)
        return None

    async def end(self, origin: str) -> None:
        """The run is recorded no more, unless it was before."""
        if self._is_ours:
            await _end(self._past, origin)

    def look(self) -> Look:
        """The locals as far as it was read."""
        values, look = ValuesAt(self._timeline, self._at.when), Look({}, {})
        parts = values.variables(self._owner)
        for part in parts[:MOST_LOCALS]:
            if kind_of(values, part.value) not in UNTOLD and not is_group(part.name, ""):
                look.locals[part.name] = _local(values, part.name, part.value)
        look.more = max(0, len(parts) - MOST_LOCALS)
        return look

    async def steps(self, patience: float | None = None) -> AsyncIterator[Step]:
        """What it has done since it was read last, as far as that was written.

        Of a program that runs more may come than can be read: after ``patience`` seconds what is
        there is told.
        """
        try:
            async with asyncio.timeout(patience):
                await self._past.catch_up(None)
        except TimeoutError:
            pass
        except DebuggerError:  # the program is gone, or about to go
            await self._take_rest()
        count = 0
        while not self.has_ended and (behind := self._next()) is not None:
            given = self._given(self._at, behind)
            self._at = behind
            self.has_ended = behind.kind in _ENDS
            look = self.look()
            look.returned = given
            yield Step(look, 0 if self.has_ended else behind.line)
            count += 1
            if not count % AT_ONCE:
                await asyncio.sleep(0)

    async def _take_rest(self) -> None:
        """What a program writes at its end."""
        session = self._session
        try:
            async with asyncio.timeout(END_WITHIN):
                await session.events.wait_for(lambda: session.status not in _ALIVE)
        except TimeoutError:
            return
        await self._past.finish()

    def returned(self) -> Local | None:
        """The value that it gave, as far as it was written; None where it gave none."""
        last = self._timeline.last_of(self._at)
        return self._result(last) if last.kind == RETURN else None

    def _next(self) -> Moment | None:
        """The next line of it that runs, or its end."""
        frame = self._at.frame

        def is_wanted(where: int) -> bool:
            number, kind, _ = where_of(where)
            return number == frame and (kind == LINE or kind in _ENDS)

        return self._timeline.forth(self._at, is_wanted, lambda chunk: chunk.may_pass(frame))

    def _given(self, since: Moment, until: Moment) -> dict[str, Local]:
        """What the calls gave that it made between two of its moments, by their names."""
        frame, found = since.frame, dict[str, Local]()

        def is_wanted(where: int) -> bool:
            number, kind, _ = where_of(where)
            if number == frame:
                return True
            record = self._timeline.frame(number) if kind in _ENDS else None
            return record is not None and record.parent == frame

        moment = until
        while (end := self._timeline.back(moment, is_wanted, lambda _: True)) is not None:
            if end.frame == frame:
                break
            if end.kind == RETURN:
                given = self._result(end)
                found.setdefault(given.name, given)
            record = self._timeline.frame(end.frame)  # what it called itself lies between
            moment = end if record is None else msgspec.structs.replace(end, when=record.begin)
        return dict(reversed(found.items()))

    def _result(self, end: Moment) -> Local:
        stack = self._timeline.stack(end, 1)
        name = bare_name(stack[0].name) if stack else "the call"
        token = self._timeline.value(end.frame, RETURNED, end.when)
        return _local(ValuesAt(self._timeline, end.when), f"{name}() returned", token)


def _local(values: ValuesAt, name: str, token: Token) -> Local:
    length = values.length(token)
    return Local(
        name=name,
        value=cut_value(values.text(token)),
        type=values.type_name(token),
        size=f"{length:,}" if length is not None else "",
    )


async def _end(past: Past, origin: str) -> None:
    try:
        await past.end(origin)
    except DebuggerError:
        pass  # the program has ended just now, and the recording with it
