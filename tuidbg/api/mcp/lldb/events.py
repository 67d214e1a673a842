"""The events of a session as one client of the set ``lldb`` is told of them.

They come from the session's own log and from its output, which all readers share; a client has a
position in both, so that each of several clients is told everything once.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterable, Sequence

from tuidbg.api.feed.events import OutputEntry
from tuidbg.api.feed.feed import feed_of
from tuidbg.api.mcp.agent import ORIGIN, Limits
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.operations import table
from tuidbg.api.operations.events import view_entry
from tuidbg.api.operations.times import make_time
from tuidbg.api.operations.views import view_stop
from tuidbg.config.launch import AttachPlan
from tuidbg.session.events import (
    BreakpointsChanged,
    Continued,
    Entry,
    ProgramExited,
    ProgramStarted,
    StackChanged,
    StatusChanged,
    Stopped,
    TargetChosen,
)
from tuidbg.session.serving.members import Member
from tuidbg.session.state import (
    Breakpoint,
    BreakpointKind,
    DataAccess,
    Place,
    Status,
    Stop,
    StopReason,
)

KEPT = 5_000
"""Events that wait for a client; then the oldest are lost, which it is told."""

_PIECES = 20_000
"""Pieces of output that are looked at in one go."""

_END = 1 << 60
"""A position after all output."""

_NOT_BY_CODE = (BreakpointKind.DATA, BreakpointKind.EXCEPTION)

_STATES = {
    Status.RUNNING: "running",
    Status.TERMINATED: "exited",
    Status.FAILED: "exited",
}


class EventReader:
    """Knows what one client has been told of one session."""

    def __init__(self, member: Member, limits: Limits) -> None:
        """Begin with all that was, in a session of programs; else with the present stop."""
        self._member = member
        self._limits = limits
        self._waiting: deque[Payload] = deque()
        self._lost = 0
        self._known: set[int] = set()
        self._state = ""
        self._entry = self._output = 0
        session = member.session
        if member.origin != ORIGIN and session.status is not Status.CREATED:
            self._known = {each.number for each in session.breakpoints.registry}
            self._output = feed_of(member).output_after(_END, 1).next
            self._entry = session.events.last_seq
            if session.status is Status.PAUSED:
                stops = [e.seq for e in session.events.since(0) if isinstance(e.event, Stopped)]
                self._entry = stops[-1] - 1 if stops else self._entry

    async def take(self, limit: int) -> tuple[list[Payload], int]:
        """The oldest that it has not been told of, and how many more there are."""
        session = self._member.session
        if session.status is Status.PAUSED and session.stack_of != session.stop_id:
            await self._member.control.where()  # the place of a stop comes a moment after it
        self._collect()
        told: list[Payload] = []
        if self._lost:
            told.append({"type": "eventsLost", "count": self._lost})
            self._lost = 0
        while self._waiting and len(told) < limit:
            told.append(self._waiting.popleft())
        return told, len(self._waiting)

    def _collect(self) -> None:
        """Take in what is new, in the order in which it happened."""
        session = self._member.session
        entries = session.events.since(self._entry)
        if entries:
            self._lost += max(0, entries[0].seq - self._entry - 1)
            self._entry = entries[-1].seq
        page = table.READ_OUTPUT(feed_of(self._member), self._output, _PIECES)
        self._lost += page.missed
        self._output = page.next
        both: list[Entry | OutputEntry] = [*entries, *page.entries]
        both.sort(key=lambda each: each.time)
        places = _places(entries)
        for each in both:
            if isinstance(each, OutputEntry):
                self._note_output(each)
            else:
                for event in self._render(each, places):
                    self._put(event)

    def _put(self, event: Payload) -> None:
        self._waiting.append(event)
        if len(self._waiting) > KEPT:
            self._waiting.popleft()
            self._lost += 1

    def _note_output(self, entry: OutputEntry) -> None:
        """Pieces that follow each other are told together, up to a limit."""
        if entry.category not in ("stdout", "stderr"):
            return
        text, most = view_entry(entry).output, self._limits.output
        last = self._waiting[-1] if self._waiting else None
        if last is not None and last["type"] == entry.category:
            room = most - len(last["data"])
            last["data"], text = last["data"] + text[:room], text[room:]
        while text:
            self._put({"type": entry.category, "data": text[:most]})
            text = text[most:]

    def _render(self, entry: Entry, places: dict[int, Place]) -> Iterable[Payload]:
        event = entry.event
        match event:
            case TargetChosen():
                yield {"type": "targetCreated", "file": event.path}
            case ProgramStarted():
                attached = isinstance(self._member.session.plan, AttachPlan)
                yield {
                    "type": "processAttached" if attached else "processLaunched",
                    "pid": event.pid,
                }
            case StatusChanged():
                if event.status in _STATES:
                    yield from self._tell_state(entry, _STATES[event.status], event.reason)
                if event.status is Status.FAILED:  # nobody knows how it has ended
                    yield {"type": "processExited", "exitCode": None, "message": event.reason}
            case Continued():
                yield from self._tell_state(entry, "running")
            case Stopped():
                yield from self._tell_state(entry, "stopped", event.stop.reason.value)
                yield from self._tell_stop(event.stop, places.get(event.stop.id))
            case BreakpointsChanged():
                yield from self._tell_set(event.changed)
            case ProgramExited():
                told = {"type": "processExited", "exitCode": event.exit.code}
                yield told | ({"signal": event.exit.signal} if event.exit.signal else {})

    def _tell_state(self, entry: Entry, state: str, reason: str = "") -> Iterable[Payload]:
        if state != self._state or state == "stopped":
            self._state = state
            told = {"type": "processStateChanged", "state": state}
            if reason:
                told["reason"] = reason
            yield {**told, "timestamp": make_time(entry.time)}

    def _tell_set(self, changed: Sequence[Breakpoint]) -> Iterable[Payload]:
        for each in changed:
            if each.number not in self._known:
                self._known.add(each.number)
                if self._member.session.breakpoints.registry.look_up(each.number) is None:
                    continue  # it could not be set, and is gone again
                is_data = each.kind is BreakpointKind.DATA
                yield (
                    {"type": "watchpointSet", "watchpointId": each.number}
                    if is_data
                    else {"type": "breakpointSet", "breakpointId": each.number}
                )

    def _tell_stop(self, stop: Stop, place: Place | None) -> Iterable[Payload]:
        """Tell what a stop means; a breakpoint that did not stop the program is no hit."""
        if stop.signal:
            number = getattr(signal, stop.signal, None)
            yield {
                "type": "signal",
                "signalNumber": int(number) if number is not None else None,
                "signalName": stop.signal,
                "threadId": stop.thread_id,
            }
        if stop.reason is not StopReason.BREAKPOINT:
            return
        for number in stop.hit_breakpoints:
            found = self._member.session.breakpoints.registry.look_up(number)
            if found is not None and found.kind is BreakpointKind.DATA:
                yield _watchpoint_hit(found, stop, place)
            elif found is None or found.kind not in _NOT_BY_CODE:
                yield {
                    "type": "breakpointHit",
                    "breakpointId": number,
                    "threadId": stop.thread_id,
                    "location": _location(place, found),
                }


def _places(entries: Sequence[Entry]) -> dict[int, Place]:
    """Returns where the program stood, by the stops."""
    stacks = (e.event for e in entries if isinstance(e.event, StackChanged) and e.event.frames)
    found = ((stack.stop_id, stack.frames[0].place) for stack in stacks)
    return {stop_id: place for stop_id, place in found if place is not None}


def _location(place: Place | None, found: Breakpoint | None) -> Payload:
    if place is not None and not place.reference:
        return {"file": place.path, "line": place.line}
    if found is not None and found.path:
        return {"file": found.path, "line": found.line}
    if found is not None and found.address is not None:
        return {"address": f"{found.address:#x}"}
    return {"symbol": found.function} if found is not None and found.function else {}


def _watchpoint_hit(found: Breakpoint, stop: Stop, place: Place | None) -> Payload:
    return {
        "type": "watchpointHit",
        "watchpointId": found.number,
        "address": found.data.rpartition(":")[0] or found.data,
        "accessType": {DataAccess.WRITE: "write", DataAccess.READ: "read"}.get(
            found.access, "read_write"
        ),
        "threadId": stop.thread_id,
        "description": view_stop(stop).wording.description,
        "location": _location(place, None),
    }
