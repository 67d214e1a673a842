"""Resources, prompts and notifications of the MCP server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from urllib.parse import unquote

import msgspec

from tuidbg.api.auth.callers import Caller
from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.tool import Payload, ToolRefused
from tuidbg.api.mcp.tools.snapshot import name_process, take_snapshot, tell_listed, wire_id
from tuidbg.api.operations.views import (
    as_sent,
    make_time,
    shown_to,
    view_exception,
    view_record,
    view_source,
)
from tuidbg.config.files import LARGEST_SOURCE, read_file
from tuidbg.session.core.control import Control
from tuidbg.session.core.session import Session
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import HubSession, SessionAdded, SessionChosen, SessionRemoved
from tuidbg.session.model.events import (
    BreakpointsChanged,
    EventsLost,
    LogEntry,
    SessionEvent,
    StatusChanged,
    Stopped,
    ThreadsChanged,
    TraceProduced,
)
from tuidbg.session.model.state import Breakpoint, Stop, StopReason, TraceRecord

METHOD = "debugger/breakpointHit"
"""The notification method for a hit."""

SESSION, BREAKPOINTS, THREADS = (
    "debugger://session",
    "debugger://breakpoints",
    "debugger://threads",
)

Send = Callable[[Payload], Awaitable[None]]
Touch = Callable[[str], None]


class ResourceNotifier:
    """Notifications about all sessions of a hub for one client, until cancelled."""

    def __init__(self, hub: Hub, send: Send, touch: Touch, caller: Caller) -> None:
        """``send`` receives the parameters of each hit, ``touch`` the URI of a changed resource."""
        self._hub = hub
        self._send = send
        self._touch = touch
        self._caller = caller
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
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

    async def _tell_stop(self, session: Session, entry: LogEntry) -> None:
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
        """Return the process name, for child processes only."""
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
    """Return the resources that an event changes."""
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


SOURCE = "debugger://source/"

RESOURCES = {
    SESSION: "Where the program is, as debug_state",
    BREAKPOINTS: "All breakpoints",
    THREADS: "The program's threads",
}
"""Descriptions by URI; ``SOURCE`` and a path are the text of a source."""

LONGEST = 2_000_000
"""Maximum bytes of a source."""


async def read_resource(agent: Agent, uri: str) -> tuple[str, str]:
    """Return a resource's text and MIME type. Raises DebuggerError."""
    if uri.startswith(SOURCE):
        return await _read_source(agent.member, "/" + unquote(uri[len(SOURCE) :]).lstrip("/"))
    match uri:
        case str() if uri == SESSION:
            found = agent.found
            told: Payload = {"state": "not_attached"}
            if found is not None:
                told = await take_snapshot(agent, found)
        case str() if uri == BREAKPOINTS:
            registry = agent.member.session.breakpoints.registry
            told = {"breakpoints": [tell_listed(each) for each in registry]}
        case str() if uri == THREADS:
            threads = agent.member.session.threads
            told = {"threads": [{"id": t.id, "name": t.name} for t in threads]}
        case _:
            raise ToolRefused("UNKNOWN_RESOURCE", f"there is no resource {uri}")
    return msgspec.json.encode(as_sent(told)).decode(), "application/json"


async def _read_source(member: HubSession, path: str) -> tuple[str, str]:
    """Read a source of the program: a loaded one, or a file in its project."""
    session = member.session
    known = {frame.place.path for frame in session.frames if frame.place is not None}
    known |= set(session.breakpoints.registry.files())
    known |= {session.facts.target_path, session.plan.first_source}
    is_own = Path(path).resolve().is_relative_to(Path(member.config.project_root).resolve())
    if path not in known and not (is_own and path.endswith((".py", ".pyw", ".pyi"))):
        raise no_source(path)
    try:
        data = await asyncio.to_thread(read_file, path, limit=LARGEST_SOURCE)
    except OSError as error:
        raise ToolRefused("INVALID_FILE", f"{path}: {error.strerror}") from None
    return view_source(data[:LONGEST].decode("utf-8", "replace")), "text/x-python"


def no_source(path: str) -> ToolRefused:
    """Make the error for a path that is no source of the program."""
    return ToolRefused("INVALID_FILE", f"{path} is no source of the program")


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt. ``text`` has a ``{name}`` for each argument; ``arguments`` describe them."""

    name: str
    description: str
    arguments: dict[str, str] = {}
    text: str

    def fill(self, given: dict[str, str]) -> str:
        """Fill in the arguments; missing ones appear as ``<name>``."""
        known = {name: given.get(name) or f"<{name}>" for name in self.arguments}
        return self.text.format(**known)


PROMPTS = (
    Prompt(
        name="diagnose_exception",
        description="Find out why an exception is raised",
        arguments={"exception_type": "its name, such as ValueError"},
        text=(
            "Find the cause of {exception_type} in the program under the debugger.\n"
            "1. debug_state: is it at an exception already? Else breakpoint_set_exception for"
            " {exception_type}, debug_continue, breakpoint_wait.\n"
            "2. exception_get_context: read the chain, the throwing frame and its locals first.\n"
            "3. Go up the frames until you see where the wrong value came from; variables_get with"
            " `expand` shows the contents of one.\n"
            "4. Say which line is wrong, why, and what you saw that proves it. Change nothing in"
            " the program unless you are asked to."
        ),
    ),
    Prompt(
        name="trace_value",
        description="Find out where a value goes wrong",
        arguments={
            "expression": "the value, such as order.total",
            "file": "the source in which it is used",
        },
        text=(
            "Find out where {expression} gets its wrong value in {file}.\n"
            "1. Read debugger://source/ and its path; choose the lines where {expression} is set or"
            " used.\n"
            "2. tracepoint_set at each of them with the log_message `{{{expression}}}`; they never"
            " stop the program.\n"
            "3. debug_continue; the notifications debugger/breakpointHit report each passage. The"
            " first one with a wrong value is the place to look at.\n"
            "4. breakpoint_set there with a condition that holds for the wrong value only,"
            " breakpoint_wait, and look at the frames below.\n"
            "5. breakpoint_remove what you have set, and say what you found."
        ),
    ),
)
"""Prompts for single steps."""

_PROVE = (
    "\nName the guilty line and the wrong value, each from an answer. Change nothing unless you are"
    " asked to."
)

_PROGRAM = {"program": "the script, with its arguments"}

AGENT_PROMPTS = (
    Prompt(
        name="wrong_value",
        description="A value is wrong: which line made it so",
        arguments={**_PROGRAM, "expression": "the wrong value, such as order.total"},
        text=(
            "In a run of {program}, {expression} is wrong. Find the line that made it so.\n"
            "1. debug_run with record, a breakpoint where it is seen (FILE:TEXT of the statement)"
            " and {expression} in evaluate.\n"
            "2. why expression={expression}: its last changes, each with its line. Where that line"
            " only passes a wrong value on, why for what it read, with the moment of the answer.\n"
            "3. Where nothing was recorded: trace with places and expressions." + _PROVE
        ),
    ),
    Prompt(
        name="exception",
        description="An exception: where the value at fault came from",
        arguments={**_PROGRAM, "exception_type": "its name, such as KeyError"},
        text=(
            "{program} raises {exception_type}, or swallows it. Find the cause.\n"
            '1. debug_run with record and exceptions=["{exception_type}"]: it stops where that is'
            " raised, handled or not; debug_go goes to the next one.\n"
            "2. Read source, stack and locals; exception_get_context returns the chain of causes.\n"
            "3. why on the value at fault." + _PROVE
        ),
    ),
    Prompt(
        name="hang",
        description="It hangs: what waits for what",
        arguments=_PROGRAM,
        text=(
            "{program} does not end, or does not answer. Find what it waits for.\n"
            "1. debug_run timeout_ms=5000; of one that runs already with attach. Its waits say what"
            " each waits for, who holds it, deadlocks by name, and who is busy.\n"
            "2. threads returns all stacks to their ends.\n"
            "3. A busy thread: debug_go action=pause with the loop's variables in"
            " evaluate, then debug_go action=over." + _PROVE
        ),
    ),
    Prompt(
        name="race",
        description="Threads or tasks get into each other's way",
        arguments={**_PROGRAM, "expression": "what they share, such as self.count"},
        text=(
            "In {program} {expression} goes wrong when several threads or tasks run. Find the two"
            " places.\n"
            "1. trace at each statement that reads or writes it, with {expression} and"
            " threading.current_thread().name: look for a read that another one's write follows.\n"
            "2. With record, why returns each write with its thread and moment; step_back way=stay"
            " shows the rest.\n"
            "3. compare runs it twice and finds where the runs diverge." + _PROVE
        ),
    ),
    Prompt(
        name="slow_loop",
        description="A loop is slow, or has no end",
        arguments={**_PROGRAM, "function": "that is slow, such as find_pairs"},
        text=(
            "{function} in {program} takes too long. Find why.\n"
            "1. debug_run with record and timeout_ms=5000, then calls function={function}: how"
            " often, with which arguments.\n"
            "2. trace at the loop's statement with the variables that should come nearer to the"
            " end: one that does not change, or a size that grows, is the fault.\n"
            "3. debug_go action=pause says where it is just now." + _PROVE
        ),
    ),
    Prompt(
        name="failing_test",
        description="A test fails: from its assertion to the line",
        arguments={"test": "FILE::TEST"},
        text=(
            "{test} fails. Find the line that is at fault.\n"
            "1. run_test test={test}: the assertion, the values of its parts and who changed them"
            " last, frames, locals, output.\n"
            "2. why on the value that is wrong, at the moment of the answer; source NAME where a"
            " function is not shown." + _PROVE
        ),
    ),
    Prompt(
        name="flaky_test",
        description="A test fails only sometimes",
        arguments={"test": "FILE::TEST"},
        text=(
            "{test} fails only sometimes. Find what differs.\n"
            '1. compare module=pytest args=["-q", "-p", "no:randomly", "{test}"]: two runs and the'
            " first place where they part; again until one of them fails.\n"
            "2. What differs first is the cause or comes from it: time, random numbers, the order"
            " of a set, of threads or of tests. why and source for where it comes from.\n"
            "3. For the order of tests: run_test with the tests before it in args." + _PROVE
        ),
    ),
    Prompt(
        name="works_here_fails_there",
        description="It works in one environment and fails in another",
        arguments={**_PROGRAM, "difference": "what differs, such as TZ=UTC or another input"},
        text=(
            "{program} works, but not with {difference}. Find the first place where that"
            " matters.\n"
            "1. compare with other_env or other_args for {difference}: the moment where the second"
            " run parts from the first, with both values.\n"
            "2. step_back way=stay at that moment for stack and locals; why for where the value"
            " comes from." + _PROVE
        ),
    ),
)
"""Prompts of the agent tool set, by symptom."""


def prompts_of(tool_set: str) -> tuple[Prompt, ...]:
    """Return the prompts for a tool set."""
    return AGENT_PROMPTS if tool_set == "agent" else PROMPTS
