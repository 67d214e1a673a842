"""The events of all sessions, as lines of a log.

API calls, and the program's output, are included only for readers that may see them
(``redaction``). Every reader follows independently. One that is too slow loses the oldest unread
lines and is informed of their number; it never blocks a session or another reader.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime
from pathlib import PurePath

from tuidbg.lines import split_everywhere
from tuidbg.session.core import redaction
from tuidbg.session.core.run.ending import describe_exit
from tuidbg.session.core.stack.stop_wording import word_stop
from tuidbg.session.hub.api_call_log import CallNoted
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import AgentsHeld, SessionAdded, SessionChosen, SessionRemoved
from tuidbg.session.model.events import (
    BreakpointsChanged,
    EventLog,
    EventsLost,
    LogEntry,
    NoticeGiven,
    ProgramExited,
    SessionEvent,
    StatusChanged,
    Stopped,
)
from tuidbg.session.model.state import Breakpoint, BreakpointStatus, StateValue, Status

EARLIER = 200
"""Earlier lines that a new reader gets first."""

AHEAD = 1_024
"""Lines that wait for a slow reader; then the oldest are dropped."""

_LEVELS = {"information": "INFO", "warning": "WARN", "error": "ERROR"}


class DiagnosticLine(StateValue, frozen=True):
    """One line. ``time`` is seconds since 1970; ``component`` a session's id, or the source."""

    time: float
    level: str
    component: str
    text: str

    def __str__(self) -> str:
        """Return ``[TIMESTAMP] [LEVEL] [COMPONENT] text``, in one line for any text."""
        when = datetime.fromtimestamp(self.time, UTC).isoformat(timespec="milliseconds")
        text = " | ".join(split_everywhere(self.text))
        return f"[{when.replace('+00:00', 'Z')}] [{self.level}] [{self.component}] {text}"


class Diagnostics:
    """The lines of a hub and of its sessions, for any number of readers."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._readers: set[_LogReader] = set()
        self._is_closed = False

    async def follow(self, *, earlier: int = EARLIER) -> AsyncGenerator[DiagnosticLine]:
        """Yield the last lines and then each new one, until ``close``."""
        if self._is_closed:
            return
        reader = _LogReader(self._hub, earlier)
        self._readers.add(reader)
        try:
            while (line := await reader.next_line()) is not None:
                yield line
        finally:
            self._readers.discard(reader)
            reader.close()

    def close(self) -> None:
        """End all readers."""
        self._is_closed = True
        for reader in self._readers:
            reader.close()


class _LogReader:
    """One reader's own view of the logs."""

    def __init__(self, hub: Hub, earlier: int) -> None:
        self._hub = hub
        self._lines: deque[DiagnosticLine] = deque()
        self._dropped = 0
        self._is_closed = False
        self._news = asyncio.Event()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        past: list[DiagnosticLine] = []
        logs = {"": hub.events, "calls": hub.activity.events}
        logs |= {member.id: member.session.events for member in hub}
        for name, log in logs.items():
            past += [line for entry in log.since(0) if (line := _describe(entry, name)) is not None]
            self._follow(name, log, log.last_seq)
        past.sort(key=lambda line: line.time)
        self._lines.extend(past[-earlier:] if earlier else ())

    def _follow(self, name: str, log: EventLog, after: int) -> None:
        self._tasks[name] = asyncio.create_task(self._pump(name, log, after))

    async def _pump(self, name: str, log: EventLog, after: int) -> None:
        async for entry in log.follow(after):
            event = entry.event
            if isinstance(event, SessionAdded):
                member = next((member for member in self._hub if member.id == event.id), None)
                if member is not None and event.id not in self._tasks:
                    self._follow(member.id, member.session.events, 0)
            elif isinstance(event, SessionRemoved) and event.id in self._tasks:
                self._tasks.pop(event.id).cancel()
            if (line := _describe(entry, name)) is not None:
                self._put(line)

    def _put(self, line: DiagnosticLine) -> None:
        if len(self._lines) >= AHEAD:
            self._lines.popleft()
            self._dropped += 1
        self._lines.append(line)
        self._news.set()

    async def next_line(self) -> DiagnosticLine | None:
        """Return the next one; None at the end."""
        while not self._lines:
            if self._is_closed:
                return None
            self._news.clear()
            await self._news.wait()
        if self._dropped:
            count, self._dropped = self._dropped, 0
            text = f"{count} lines were dropped here: they were not read fast enough"
            return DiagnosticLine(
                time=self._lines[0].time, level="WARN", component="logs", text=text
            )
        return self._lines.popleft()

    def close(self) -> None:
        self._is_closed = True
        self._lines.clear()
        self._news.set()
        for task in self._tasks.values():
            task.cancel()


def _describe(entry: LogEntry, component: str) -> DiagnosticLine | None:
    """Return the line of an event, if it is worth one."""
    if (told := _tell(entry.event)) is None:
        return None
    level, text = told
    if isinstance(entry.event, CallNoted):
        component = entry.event.call.origin
    return DiagnosticLine(time=entry.time, level=level, component=component or "hub", text=text)


def _tell(event: SessionEvent) -> tuple[str, str] | None:
    """Return level and text."""
    describe = _DESCRIPTIONS.get(type(event))
    return describe(event) if describe is not None else None


def _status(event: StatusChanged) -> tuple[str, str]:
    why = f": {event.reason}" if event.reason else ""
    return ("ERROR" if event.status is Status.FAILED else "INFO"), f"status {event.status}{why}"


def _stop(event: Stopped) -> tuple[str, str]:
    stop = event.stop
    told = redaction.words(word_stop(stop).note)
    why = f": {told}" if told else ""
    return "INFO", f"stopped, {stop.reason}, thread {stop.thread_id}{why}"


def _notice(event: NoticeGiven) -> tuple[str, str]:
    told = redaction.words(event.text) if event.quotes else event.text
    return _LEVELS.get(event.severity, "INFO"), told


def _exit(event: ProgramExited) -> tuple[str, str]:
    return "INFO", describe_exit(event.exit)


def _breakpoints(event: BreakpointsChanged) -> tuple[str, str] | None:
    refused = [b for b in event.changed if b.status is BreakpointStatus.REFUSED]
    return ("WARN", "\n".join(map(_unbound, refused))) if refused else None


def _unbound(breakpoint: Breakpoint) -> str:
    where = f"{PurePath(breakpoint.path).name}:{breakpoint.line}" if breakpoint.path else ""
    told = redaction.words(breakpoint.message) if breakpoint.errors else breakpoint.message
    why = f": {told}" if told else ""
    place = where or breakpoint.function or breakpoint.data or "an exception"
    return f"breakpoint {breakpoint.number} ({place}) can't be bound{why}"


def _call(event: CallNoted) -> tuple[str, str] | None:
    call = event.call
    if call.seconds is None:
        arguments = redaction.call(call.actor, call.arguments)
        return "DEBUG", f"{call.actor} calls {call.action} {arguments}".rstrip()
    outcome, told = "failed" if call.failed else "done", redaction.call(call.actor, call.result)
    result = f": {told}" if told else ""
    text = f"{call.action} {outcome}{result} ({call.seconds * 1000:.0f} ms)"
    return ("WARN" if call.failed else "INFO"), text


def _held(event: AgentsHeld) -> tuple[str, str]:
    if not event.held:
        return "INFO", "a person has handed the controls back"
    return "INFO", f"a person has paused the agents{': ' + event.reason if event.reason else ''}"


def _lost(event: EventsLost) -> tuple[str, str]:
    return "WARN", f"{event.count} events were too many to read"


_DESCRIPTIONS: dict[type[SessionEvent], Callable[..., tuple[str, str] | None]] = {
    StatusChanged: _status,
    Stopped: _stop,
    NoticeGiven: _notice,
    ProgramExited: _exit,
    BreakpointsChanged: _breakpoints,
    CallNoted: _call,
    AgentsHeld: _held,
    EventsLost: _lost,
    SessionAdded: lambda event: ("INFO", f"session {event.id} is there"),
    SessionRemoved: lambda event: (
        "INFO",
        f"session {event.id} {'has expired' if event.expired else 'is gone'}",
    ),
    SessionChosen: lambda event: ("INFO", f"session {event.id or 'none'} is the current one"),
}
