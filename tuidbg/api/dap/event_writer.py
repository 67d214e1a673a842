"""DAP events for one client: stops, output, breakpoints and progress."""

from __future__ import annotations

import asyncio
import codecs
import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from tuidbg.api.auth.callers import Caller
from tuidbg.api.dap.arguments import InitializeArguments
from tuidbg.api.dap.references import ClientReferences
from tuidbg.api.dap.wire import Wire
from tuidbg.api.operations.views import shown_to, view_breakpoint, view_output, view_stop
from tuidbg.config.launch import AttachPlan
from tuidbg.dap import types as dap
from tuidbg.session.core.output import Piece
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import AgentsHeld, HubSession
from tuidbg.session.model.events import (
    BreakpointsChanged,
    Continued,
    LogEntry,
    MemoryChanged,
    NoticeGiven,
    PastChanged,
    ProcessJoined,
    ProgramExited,
    ProgramStarted,
    SessionClosed,
    SourcesChanged,
    StackChanged,
    StatusChanged,
    Stopped,
    ThreadsChanged,
    ValuesChanged,
    WaitingChanged,
)
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    OutputLine,
    Place,
    Status,
    Stop,
    StopReason,
    ThreadState,
)

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


class Told(Protocol):
    """A receiver of events."""

    wire: Wire
    caller: Caller
    traits: InitializeArguments
    references: ClientReferences

    @property
    def hub(self) -> Hub:
        """All sessions."""

    def line_out(self, line: int) -> int:
        """Convert a line to the client's numbering."""

    def column_out(self, column: int) -> int:
        """Convert a column to the client's numbering."""

    def path_out(self, path: str) -> str:
        """Convert a path to the client's form."""


Json = dict[str, Any]

GRACE = 0.3
"""Seconds after which a client has surely read an event."""

_SHOWN = (
    BreakpointKind.LINE,
    BreakpointKind.FUNCTION,
    BreakpointKind.ADDRESS,
    BreakpointKind.DATA,
)


class Asked(msgspec.Struct, frozen=True):
    """The client's own settings of a breakpoint; empty for one it only knows from events."""

    condition: str = ""
    hit_condition: str = ""
    log_message: str = ""
    column: int | None = None
    access: str = ""


class KnownToClient:
    """The breakpoints that one client knows, by number."""

    def __init__(self, client: Told, session: Session) -> None:
        self._client = client
        self._session = session
        self._registry = session.breakpoints.registry
        self.asked: dict[int, Asked] = {}
        self._told: dict[int, Json] = {}
        self._told_at: dict[int, float] = {}
        self._changed: set[int] | None = None
        self.is_told = False
        """Whether it receives events about others' breakpoints."""

    def may_replace(self, number: int) -> bool:
        """Whether a list of the client's that omits this breakpoint deletes it."""
        if number in self.asked:
            return True
        told_at = self._told_at.get(number)
        return told_at is not None and asyncio.get_running_loop().time() - told_at > GRACE

    def note(self, event: BreakpointsChanged) -> None:
        """Report changed breakpoints, unless the client is changing them itself."""
        numbers = [*event.removed, *(each.number for each in event.changed)]
        if self._changed is not None:
            self._changed.update(numbers)
        else:
            self.tell(numbers)

    @contextmanager
    def changing(self, own: set[int]) -> Iterator[None]:
        """Hold events during own changes; the response reports ``own``, filled meanwhile."""
        self._changed = set()
        try:
            yield
        finally:
            changed, self._changed = self._changed, None
            self.tell(changed - own)

    def tell(self, numbers: Iterable[int]) -> None:
        """Report the current state of these breakpoints."""
        for number in sorted(numbers):
            found = self._registry.look_up(number)
            if found is None:
                self._tell_gone(number)
            elif found.kind in _SHOWN and (self.is_told or number in self._told):
                self._tell_one(found)

    def _tell_gone(self, number: int) -> None:
        self.asked.pop(number, None)
        self._told_at.pop(number, None)
        if self._told.pop(number, None) is not None:
            body = {"reason": "removed", "breakpoint": {"id": number, "verified": False}}
            self._client.wire.event("breakpoint", body)

    def _tell_one(self, found: Breakpoint) -> None:
        before = self._told.get(found.number)
        body = self.describe(found)
        is_over = not self._session.adapter.is_configurable
        if before == body or (before is not None and is_over):
            return  # the end of a program changes no settings
        if before is None:
            self._told_at[found.number] = asyncio.get_running_loop().time()
        reason = "new" if before is None else "changed"
        self._told[found.number] = body
        self._client.wire.event("breakpoint", {"reason": reason, "breakpoint": body})

    def answer(self, found: Breakpoint, asked: Asked) -> Json:
        """Describe a breakpoint for a response; it is the client's own from now on."""
        body = self._told[found.number] = self.describe(found)
        self.asked[found.number] = asked
        return body

    def forget(self, number: int) -> None:
        """Forget a breakpoint that the client itself deleted."""
        self.asked.pop(number, None)
        self._told.pop(number, None)
        self._told_at.pop(number, None)

    @property
    def _starts_later(self) -> bool:
        return not self._session.adapter.is_configurable

    def describe(self, found: Breakpoint) -> Json:
        """Render a breakpoint: verified without a message, or the reason why not."""
        with shown_to(self._client.caller):
            view = view_breakpoint(found)
        client = self._client
        body: Json = {"id": found.number, "verified": view.is_set and view.enabled}
        if not body["verified"]:
            body["message"] = why_not_verified(found, view.message, self._starts_later)
        place = found.places[0] if found.places else None
        path, line = (place.path, place.line) if place is not None else (found.path, found.line)
        if path:
            body["source"] = {"name": path.rpartition("/")[2], "path": client.path_out(path)}
        if line and found.status is not BreakpointStatus.REFUSED:
            body["line"] = client.line_out(line)
        if found.column is not None and place is not None and place.column == found.column:
            body["column"] = client.column_out(found.column)
        if found.address is not None:
            body["instructionReference"] = hex(found.address)
        return body


def why_not_verified(found: Breakpoint, message: str, starts_later: bool) -> str:
    """Return the reason as a sentence for the user."""
    if not found.enabled:
        return "it is disabled"
    if found.suggested_line is not None:
        return f"{message}; line {found.suggested_line} is the nearest that has some"
    if message:
        return message
    if found.status is not BreakpointStatus.PENDING:
        return "it could not be set"
    return "it is set when the program starts" if starts_later else "it is being set"


TOLD_BEFORE = 500
"""Lines of earlier output that a late client receives."""

_SOON = 0.005
"""Seconds that a piece of output waits for the next one."""

_LARGEST = 1 << 16
"""Approximate maximum characters of one event."""

_CATEGORIES = {
    "stdout": "stdout",
    "stderr": "stderr",
    "terminal": "stdout",
    "console": "console",
    "important": "important",
}


class OutputTeller:
    """The output events of one session for one client."""

    def __init__(self, client: Told, session: Session) -> None:
        self._client = client
        self._session = session
        self._category = ""
        self._place: Place | None = None
        self._is_secret = False
        self._texts: list[str] = []
        self._size = 0
        self._timer: asyncio.TimerHandle | None = None
        self._left_out = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        session.output_stream.pieces.add(self._take)

    def close(self) -> None:
        """Stop sending events."""
        self._session.output_stream.pieces.remove(self._take)
        if self._timer is not None:
            self._timer.cancel()

    def _take(self, piece: Piece) -> None:
        category = _CATEGORIES.get(piece.category)
        if category is None:
            return
        text = piece.text
        if isinstance(text, bytes):
            text = self._decoder.decode(text)
        if piece.category == "terminal":
            text = text.replace("\r\n", "\n")
        is_secret = piece.is_secret
        if (category, piece.place, is_secret) != (self._category, self._place, self._is_secret):
            self.flush()
            self._category, self._place, self._is_secret = category, piece.place, is_secret
        self._texts.append(text)
        self._size += len(text)
        if self._size > _LARGEST:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_SOON, self.flush)

    def flush(self) -> None:
        """Send the buffered output now, before the next event."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._texts:
            return
        text = "".join(self._texts)
        self._texts.clear()
        self._size = 0
        if self._client.wire.is_full:
            self._left_out += len(text)
            return
        self.tell_left_out()
        self._tell(self._category, text, self._place, is_secret=self._is_secret)

    def tell_left_out(self) -> None:
        """Report how much output the client missed, if any."""
        if self._left_out:
            self._tell("important", f"({self._left_out} characters were left out here)\n", None)
            self._left_out = 0

    def _tell(
        self,
        category: str,
        text: str,
        place: Place | None,
        group: str = "",
        *,
        is_secret: bool = False,
    ) -> None:
        with shown_to(self._client.caller):
            shown = view_output(text, is_secret=is_secret)
        body: dict[str, object] = {"category": category, "output": shown}
        if group:
            body["group"] = group
        if place is not None:
            body["source"] = {"path": self._client.path_out(place.path)}
            body["line"] = self._client.line_out(place.line)
        self._client.wire.event("output", body)

    def tell_before(self) -> None:
        """Send the earlier output as a group."""
        output = self._session.output
        first = max(output.first_number, output.last_number - TOLD_BEFORE + 1)
        lines = [output.line(number) for number in range(first, output.last_number + 1)]
        told = [line for line in lines if line.category in _CATEGORIES]
        if not told:
            return
        self._tell("console", "Output so far\n", None, "start")
        for line in told:
            self._tell_line(line)
        self._tell("console", "", None, "end")

    def _tell_line(self, line: OutputLine) -> None:
        text = line.text + "\n" * line.complete
        self._tell(_CATEGORIES[line.category], text, None, is_secret=line.is_secret)


PATIENCE = 0.5
"""Seconds until the progress of a request is reported."""

_OF_REQUEST = "request-"

_MOST_DIGITS = 100

_SETTING = "Setting breakpoints"
"""Title of a request that can't be cancelled midway."""

_TITLES = {
    "completions": "Completing",
    "dataBreakpointInfo": "Reading values",
    "disassemble": "Reading machine code",
    "evaluate": "Evaluating",
    "exceptionInfo": "Looking at the exception",
    "loadedSources": "Listing sources",
    "modules": "Listing modules",
    "readMemory": "Reading memory",
    "scopes": "Reading values",
    "setBreakpoints": _SETTING,
    "setExpression": "Setting a value",
    "setVariable": "Setting a value",
    "stackTrace": "Reading the stack",
    "variables": "Reading values",
}
"""Progress titles of potentially slow requests."""

_numbers = itertools.count(1)


class Progress:
    """The progress of one request or task; not reported if it ends soon or is unsupported.

    ``request`` is the number of the client's request; a ``cancellable`` one can be cancelled by the
    progress as well.
    """

    def __init__(
        self, client: Told, title: str, *, request: int = 0, cancellable: bool = False
    ) -> None:
        self._client = client
        self._id = f"{_OF_REQUEST}{request}" if request else str(next(_numbers))
        self._request, self._cancellable = request, cancellable
        self._title = title
        self._is_told = False
        self._timer: asyncio.TimerHandle | None = None
        if client.traits.supports_progress_reporting:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(PATIENCE, self._begin)

    def _begin(self) -> None:
        self._timer, self._is_told = None, True
        body: dict[str, Any] = {"progressId": self._id, "title": self._title}
        body["cancellable"] = self._cancellable
        if self._request:
            body["requestId"] = self._request
        self._client.wire.event("progressStart", body)

    def update(self, text: str) -> None:
        """Update the progress text."""
        if self._is_told:
            body = {"progressId": self._id, "message": text}
            self._client.wire.event("progressUpdate", body)
        else:
            self._title = text

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._is_told:
            self._is_told = False
            self._client.wire.event("progressEnd", {"progressId": self._id})


@contextmanager
def taking_long(client: Told, command: str, request: int) -> Iterator[None]:
    """Report progress while a request is served, if its command can be slow."""
    if command not in _TITLES:
        yield
        return
    title = _TITLES[command]
    progress = Progress(client, title, request=request, cancellable=title != _SETTING)
    try:
        yield
    finally:
        progress.end()


def request_of(progress_id: str) -> int | None:
    """Return the request number of a progress id, if it is of a request."""
    number = progress_id.removeprefix(_OF_REQUEST)
    is_one = number != progress_id and number.isdecimal() and len(number) <= _MOST_DIGITS
    return int(number) if is_one else None


_ADAPTERS_REASONS = frozenset(
    {"goto", "function breakpoint", "data breakpoint", "instruction breakpoint"}
)
"""The adapter's stop reasons that are more specific than ours, and that DAP defines."""

_BY_KIND = {
    BreakpointKind.FUNCTION: "function breakpoint",
    BreakpointKind.ADDRESS: "instruction breakpoint",
    BreakpointKind.DATA: "data breakpoint",
}

_OVER = (Status.TERMINATED, Status.FAILED)


class Teller:
    """The events of one session for one client."""

    def __init__(self, client: Told, member: HubSession, *, is_live: bool) -> None:
        """``is_live``: it was there from the start; otherwise ``tell_state`` comes first."""
        self._client = client
        self._member = member
        self._session = member.session
        self._is_live = is_live
        self.output = OutputTeller(client, member.session)
        self.known = KnownToClient(client, member.session)
        self.total_frames = 0
        """Depth of the stopped thread's stack, once known."""
        self._threads: dict[int, str] = {}
        self._own_resumes = 0
        self._kept_back: Continued | None = None
        self.expects_run = False
        """Whether the client has resumed the program and no stop was reported since."""
        self.on_process: Callable[[HubSession], None] = lambda member: None
        """Called for each further process of the program."""
        self.on_past: Callable[[], None] = lambda: None
        """Called when a recording begins or ends: that changes the capabilities."""
        self.own_changes = 0
        """Number of pending requests in which the client itself changes values."""
        self._has_ended = False
        self._progress: Progress | None = None
        self._session.events.subscribers.add(self._note)
        self._session.adapter.new_modules.add(self._note_module)
        client.hub.events.subscribers.add(self._note_hub)

    def close(self) -> None:
        """Stop sending events."""
        self._session.events.subscribers.remove(self._note)
        self._session.adapter.new_modules.remove(self._note_module)
        self._client.hub.events.subscribers.remove(self._note_hub)
        self.output.close()
        self._end_progress()

    def tell(self, name: str, body: object = None) -> None:
        """Send an event after all output so far, and after the note about omitted output."""
        self.output.flush()
        self.output.tell_left_out()
        if name == "stopped":
            self.expects_run = False
        self._client.wire.event(name, body)

    # Current state

    def tell_state(self) -> None:
        """Send the state that a late client has missed."""
        session = self._session
        self._is_live = True
        if session.pid is not None:
            self._tell_process(session.pid)
        self._take_threads(session.threads)
        self.output.tell_before()
        self.known.is_told = True
        self.known.tell(each.number for each in session.breakpoints.registry)
        for member in self._client.hub.children(self._member):
            if member.parent_id == self._member.id and member.session.status not in _OVER:
                self.on_process(member)
        if session.status in _OVER:
            self._tell_end()
        elif session.status is Status.PAUSED and session.stop is not None:
            self.tell_stop(session.stop)

    # Session events

    def _note(self, entry: LogEntry) -> None:
        reaction = _REACTIONS.get(type(entry.event))
        if reaction is not None and self._is_live:
            reaction(self, entry.event)
        elif isinstance(entry.event, Continued):
            self._client.references.forget()
        elif isinstance(entry.event, ValuesChanged | MemoryChanged):
            self._client.references.values_changed()

    def _on_stopped(self, event: Stopped) -> None:
        self._client.references.forget()
        self.total_frames = 0
        self.tell_stop(event.stop)

    def tell_stop(self, stop: Stop) -> None:
        """Send a stopped event."""
        with shown_to(self._client.caller):
            view = view_stop(stop)
        body: Json = {
            "reason": self._reason(stop),
            "threadId": stop.thread_id,
            "allThreadsStopped": stop.all_threads_stopped,
        }
        if said := view.wording.description:
            body["description"] = said
        if text := view.wording.problem or view.wording.text:
            body["text"] = text
        if stop.reason is StopReason.EXCEPTION and "description" not in body:
            body["description"] = "Paused on exception"
        if stop.hit_breakpoints:
            body["hitBreakpointIds"] = list(stop.hit_breakpoints)
        self._take_threads((*self._session.threads, ThreadState(id=stop.thread_id, name="")))
        self.tell("stopped", body)

    def repeat_stop(self) -> None:
        """Report again where the program is stopped, if it is."""
        session, place = self._session, self._client.references.recorded
        if session.status is not Status.PAUSED or session.stop is None:
            return
        if place is not None:
            self.tell("stopped", place.stopped)
        else:
            self.tell_stop(session.stop)

    def correct_state(self) -> None:
        """Repeat the stop after a refused resume: nvim-dap assumes the program runs."""
        if self.expects_run:
            self.repeat_stop()

    def _reason(self, stop: Stop) -> str:
        if stop.other_reason:
            return stop.other_reason
        if stop.adapter_reason in _ADAPTERS_REASONS:
            return stop.adapter_reason
        registry = self._session.breakpoints.registry
        hit = (registry.look_up(number) for number in stop.hit_breakpoints)
        kinds = {each.kind for each in hit if each is not None}
        if stop.reason is StopReason.BREAKPOINT and len(kinds) == 1:
            return _BY_KIND.get(kinds.pop(), stop.reason.value)
        return stop.reason.value

    def _on_stack(self, event: StackChanged) -> None:
        self.total_frames = event.total

    def _on_continued(self, event: Continued) -> None:
        self._client.references.forget()
        if self._own_resumes and self._kept_back is None:
            self._kept_back = event
        else:
            self._tell_continued(event)

    def _tell_continued(self, event: Continued) -> None:
        thread, stop = event.thread_id, self._session.stop
        if thread is None and stop is not None:
            thread = stop.thread_id
        self.tell("continued", {"threadId": thread or 0, "allThreadsContinued": not event.alone})

    def begin_resume(self) -> None:
        """Hold the continued event: the response to the client's own request reports it."""
        self._own_resumes += 1

    def end_resume(self, *, succeeded: bool) -> None:
        """Send the held event if another client was faster."""
        self._own_resumes -= 1
        if not self._own_resumes:
            if self._kept_back is not None and not succeeded:
                self._tell_continued(self._kept_back)
            self._kept_back = None

    def _on_threads(self, event: ThreadsChanged) -> None:
        self._take_threads(event.threads)

    def _take_threads(self, threads: tuple[ThreadState, ...]) -> None:
        now = {thread.id: thread.name for thread in threads}
        for number in [n for n in self._threads if n not in now]:
            self.tell("thread", {"reason": "exited", "threadId": number})
        for number in [n for n in now if n not in self._threads]:
            self.tell("thread", {"reason": "started", "threadId": number})
        self._threads = now

    def _on_breakpoints(self, event: BreakpointsChanged) -> None:
        self.known.note(event)

    def _on_status(self, event: StatusChanged) -> None:
        self._client.references.forget()
        if event.status is Status.LAUNCHING:
            self._has_ended = False
            self._take_threads(())
        elif event.status is Status.FAILED:
            self._tell_end()

    def _on_started(self, event: ProgramStarted) -> None:
        self._tell_process(event.pid)

    def _tell_process(self, pid: int) -> None:
        is_attached = isinstance(self._session.plan, AttachPlan)
        body = {
            "name": self._session.plan.target or self._session.plan.title,
            "systemProcessId": pid,
            "isLocalProcess": True,
            "startMethod": "attach" if is_attached else "launch",
        }
        self.tell("process", body)

    def _on_exited(self, event: ProgramExited) -> None:
        self._tell_end()

    def _on_closed(self, event: SessionClosed) -> None:
        self._tell_end()

    def _tell_end(self) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        self._end_progress()
        exit_state = self._session.exit
        if exit_state is not None and exit_state.code is not None:
            self.tell("exited", {"exitCode": exit_state.code})
        self.tell("terminated")
        self._threads = {}

    def _on_process(self, event: ProcessJoined) -> None:
        family = self._session.family
        relative = family.get(event.number) if family is not None else None
        member = self._client.hub.find(relative.session) if relative is not None else None
        if member is not None:
            self.on_process(member)

    def _on_values(self, event: ValuesChanged) -> None:
        self._client.references.values_changed()
        self._invalidate("variables")

    def _on_memory(self, event: MemoryChanged) -> None:
        self._client.references.values_changed()
        if self.own_changes:
            return
        if event.size and self._client.traits.supports_memory_event:
            body = {"memoryReference": hex(event.address), "offset": 0, "count": event.size}
            self.tell("memory", body)
        self._invalidate("variables")

    def _on_past(self, event: PastChanged) -> None:
        self.on_past()

    def _on_notice(self, event: NoticeGiven) -> None:
        if event.severity != "information" and not event.quotes:
            self.tell("output", {"category": "console", "output": event.text + "\n"})

    def _on_sources(self, event: SourcesChanged) -> None:
        self._invalidate("stacks")

    def _invalidate(self, area: str) -> None:
        if not self.own_changes and self._client.traits.supports_invalidated_event:
            self.tell("invalidated", {"areas": [area]})

    def _note_module(self, module: dap.Module) -> None:
        if self._is_live:
            told: Json = {"id": module.id, "name": module.name}
            told |= {"path": module.path} if module.path else {}
            self.tell("module", {"reason": "new", "module": told})

    def _note_hub(self, entry: LogEntry) -> None:
        event = entry.event
        if isinstance(event, AgentsHeld):
            why = f": {event.reason}" if event.reason else ""
            held = f"A person has taken the controls{why}. You can look, and not act."
            text = held if event.held else "The person has handed the controls back."
            self.tell("output", {"category": "important", "output": text + "\n"})
            if not event.held and self._is_live:
                self.repeat_stop()

    # Progress

    def _on_waiting(self, event: WaitingChanged) -> None:
        if not event.text:
            self._end_progress()
        elif self._progress is not None:
            self._progress.update(event.text)
        else:
            self._progress = Progress(self._client, event.text)

    def _end_progress(self) -> None:
        if self._progress is not None:
            self._progress.end()
            self._progress = None


_REACTIONS: dict[type, Callable[[Teller, Any], None]] = {
    BreakpointsChanged: Teller._on_breakpoints,
    Continued: Teller._on_continued,
    MemoryChanged: Teller._on_memory,
    NoticeGiven: Teller._on_notice,
    PastChanged: Teller._on_past,
    ProcessJoined: Teller._on_process,
    ProgramExited: Teller._on_exited,
    ProgramStarted: Teller._on_started,
    SessionClosed: Teller._on_closed,
    SourcesChanged: Teller._on_sources,
    StackChanged: Teller._on_stack,
    StatusChanged: Teller._on_status,
    Stopped: Teller._on_stopped,
    ThreadsChanged: Teller._on_threads,
    ValuesChanged: Teller._on_values,
    WaitingChanged: Teller._on_waiting,
}
