"""Tells agents unasked of hits of breakpoints and tracepoints, and changed resources.

A reader of its own follows each session's event log, which is bounded, and sends as fast as its
client takes it: a slow client loses what the log drops meanwhile, and is told so; the program is
never held up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from tuidbg.api.gate.caller import Caller
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.mcp.tools.breakpoint_rendering import wire_id
from tuidbg.api.mcp.tools.processes import name_process
from tuidbg.api.operations.times import make_time
from tuidbg.api.operations.views import as_sent, shown_to, view_exception, view_record
from tuidbg.session.control import Control
from tuidbg.session.events import (
    BreakpointsChanged,
    Entry,
    EventsLost,
    SessionEvent,
    StatusChanged,
    Stopped,
    ThreadsChanged,
    TraceProduced,
)
from tuidbg.session.hub import Hub
from tuidbg.session.serving.members import SessionAdded, SessionChosen, SessionRemoved
from tuidbg.session.session import Session
from tuidbg.session.state import Breakpoint, Stop, StopReason, TraceRecord

METHOD = "debugger/breakpointHit"
"""The notification of a hit."""

SESSION, BREAKPOINTS, THREADS = (
    "debugger://session",
    "debugger://breakpoints",
    "debugger://threads",
)

Send = Callable[[Payload], Awaitable[None]]
Touch = Callable[[str], None]


class Follower:
    """Follows all sessions of a hub for one client, until it is cancelled."""

    def __init__(self, hub: Hub, send: Send, touch: Touch, caller: Caller) -> None:
        """``send`` gets the parameters of each hit, ``touch`` the URI of what has changed."""
        self._hub = hub
        self._send = send
        self._touch = touch
        self._caller = caller
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Follow them."""
        after = self._hub.events.last_seq
        for member in self._hub:
            self._begin(member.id, member.session)
        try:
            async for entry in self._hub.events.follow(after):
                event = entry.event
                if isinstance(event, SessionAdded | EventsLost):
                    for member in self._hub:
                        self._begin(member.id, member.session)
                elif isinstance(event, SessionRemoved) and event.id in self._tasks:
                    self._tasks.pop(event.id).cancel()
                if isinstance(event, SessionAdded | SessionRemoved | SessionChosen):
                    for uri in (SESSION, BREAKPOINTS, THREADS):
                        self._touch(uri)
        finally:
            for task in self._tasks.values():
                task.cancel()

    def _begin(self, session_id: str, session: Session) -> None:
        if session_id not in self._tasks:
            self._tasks[session_id] = asyncio.create_task(self._follow(session))

    async def _follow(self, session: Session) -> None:
        last_trace = session.trace.last_number
        async with aclosing(session.events.follow()) as entries:
            async for entry in entries:
                for uri in _touched(entry.event):
                    self._touch(uri)
                with shown_to(self._caller):
                    if isinstance(entry.event, Stopped):
                        await self._tell_stop(session, entry)
                    elif isinstance(entry.event, TraceProduced):
                        last_trace = await self._tell_trace(session, last_trace)

    async def _tell(self, params: Payload) -> None:
        await self._send(as_sent(params))

    async def _tell_stop(self, session: Session, entry: Entry) -> None:
        assert isinstance(entry.event, Stopped)
        stop = entry.event.stop
        if not stop.hit_breakpoints and stop.reason is not StopReason.EXCEPTION:
            return
        outcome = await Control(session).where()
        if outcome.stop is not None and outcome.stop.id == stop.id:
            stop = outcome.stop
        place = outcome.frame if outcome.stop is stop else None
        found = [session.breakpoints.registry.look_up(n) for n in stop.hit_breakpoints]
        for breakpoint in found or [None]:
            location = None
            if place is not None and place.place is not None:
                location = {
                    "file": place.place.path,
                    "line": place.place.line,
                    "column": place.place.column,
                    "functionName": place.name,
                    "moduleName": place.module or None,
                }
            elif breakpoint is not None and breakpoint.path:
                location = _location(session, breakpoint.path, breakpoint.line)
            await self._tell(
                {
                    "breakpointId": wire_id(breakpoint) if breakpoint is not None else None,
                    "type": "blocking",
                    "location": location,
                    "threadId": stop.thread_id,
                    "timestamp": make_time(entry.time),
                    "hitCount": breakpoint.hits if breakpoint is not None else 1,
                    "logMessage": None,
                    "exceptionInfo": _exception_info(stop),
                    **self._name(session),
                }
            )

    def _name(self, session: Session) -> Payload:
        """Returns which process it was, where that is none that somebody launched."""
        member = self._hub.find(session)
        if member is None or not member.parent_id:
            return {}
        return {"process": name_process(member)}

    async def _tell_trace(self, session: Session, after: int) -> int:
        threads = {thread.name: thread.id for thread in session.threads}
        for record in session.trace.since(after):
            if record.number > after + 1:
                await self._tell({"type": "dropped", "count": record.number - after - 1})
            after = record.number
            breakpoint = session.breakpoints.registry.look_up(record.breakpoint)
            if breakpoint is None or breakpoint.trace:  # log points write to the console
                thread_id = threads.get(record.thread, 0)
                params = _trace_params(session, record, breakpoint, thread_id)
                await self._tell({**params, **self._name(session)})
        return after


def _touched(event: SessionEvent) -> tuple[str, ...]:
    """The resources that an event changes."""
    match event:
        case BreakpointsChanged():
            return (BREAKPOINTS,)
        case ThreadsChanged():
            return (THREADS,)
        case StatusChanged() | Stopped():
            return (SESSION, THREADS)
        case EventsLost():
            return (SESSION, BREAKPOINTS, THREADS)
    return ()


def _trace_params(
    session: Session, record: TraceRecord, found: Breakpoint | None, thread_id: int
) -> Payload:
    path, line = record.path, record.line
    if not path and found is not None:
        path, line = found.path, found.line
    return {
        "breakpointId": wire_id(found) if found is not None else record.breakpoint,
        "type": "tracepoint",
        "location": _location(session, path, line),
        "threadId": thread_id,
        "timestamp": make_time(record.time),
        "hitCount": record.count,
        "logMessage": view_record(record).text or None,
        "exceptionInfo": None,
    }


def _location(session: Session, path: str, line: int) -> Payload:
    return {
        "file": path,
        "line": line,
        "column": None,
        "functionName": None,
        "moduleName": session.sources.runs_as(path) or None,
    }


def _exception_info(stop: Stop) -> Payload | None:
    if stop.exception is None:
        return None
    seen = view_exception(stop.exception)
    return {
        "type": seen.type,
        "message": seen.message,
        "isFirstChance": seen.break_mode == "always",
        "stackTrace": seen.trace,
    }
