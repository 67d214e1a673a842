"""Tells one client what happens in its session, whoever has caused it, in DAP's events.

One who comes late is told first how things stand. Nothing here waits: what a client does not take,
its wire keeps, or leaves out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tuidbg.api.dap.telling.breakpoints import KnownToClient
from tuidbg.api.dap.telling.output import OutputTeller
from tuidbg.api.dap.telling.progress import Progress
from tuidbg.api.dap.telling.told import Told
from tuidbg.api.operations.views import shown_to, view_stop
from tuidbg.config.launch import AttachPlan
from tuidbg.dap import types as dap
from tuidbg.session.events import (
    BreakpointsChanged,
    Continued,
    Entry,
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
from tuidbg.session.serving.members import AgentsHeld, Member
from tuidbg.session.state import BreakpointKind, Status, Stop, StopReason, ThreadState

Json = dict[str, Any]

_ADAPTERS_REASONS = frozenset(
    {"goto", "function breakpoint", "data breakpoint", "instruction breakpoint"}
)
"""Words of adapters for a stop that say more than ours, and that DAP knows."""

_BY_KIND = {
    BreakpointKind.FUNCTION: "function breakpoint",
    BreakpointKind.ADDRESS: "instruction breakpoint",
    BreakpointKind.DATA: "data breakpoint",
}

_OVER = (Status.TERMINATED, Status.FAILED)


class Teller:
    """Follows one session for one client."""

    def __init__(self, client: Told, member: Member, *, is_live: bool) -> None:
        """``is_live``: it was there from the beginning; else ``tell_state`` comes first."""
        self._client = client
        self._member = member
        self._session = member.session
        self._is_live = is_live
        self.output = OutputTeller(client, member.session)
        self.known = KnownToClient(client, member.session)
        self.total_frames = 0
        """The depth of the stopped thread's stack, once it is known."""
        self._threads: dict[int, str] = {}
        self._own_resumes = 0
        self._kept_back = False
        self.expects_run = False
        """True from a request that lets the program go on, to the next stop that is reported."""
        self.on_process: Callable[[Member], None] = lambda member: None
        """Told of each further process of the program's."""
        self.on_past: Callable[[], None] = lambda: None
        """Told when a recording begins or ends: it decides what can be done."""
        self.own_changes = 0
        """Counts the requests under way in which the client itself changes values."""
        self._has_ended = False
        self._progress: Progress | None = None
        self._session.events.subscribers.add(self._note)
        self._session.adapter.new_modules.add(self._note_module)
        client.hub.events.subscribers.add(self._note_hub)

    def close(self) -> None:
        """Tell nothing more."""
        self._session.events.subscribers.remove(self._note)
        self._session.adapter.new_modules.remove(self._note_module)
        self._client.hub.events.subscribers.remove(self._note_hub)
        self.output.close()
        self._end_progress()

    def tell(self, name: str, body: object = None) -> None:
        """Tell an event, behind all output so far; and what was left out of that."""
        self.output.flush()
        self.output.tell_left_out()
        if name == "stopped":
            self.expects_run = False
        self._client.wire.event(name, body)

    # How things stand

    def tell_state(self) -> None:
        """Tell all that one who comes now has missed."""
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

    # What happens

    def _note(self, entry: Entry) -> None:
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
        """Tell where the program stands."""
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
        """Report again where the program is stopped for the client, if it is."""
        session, place = self._session, self._client.references.recorded
        if session.status is not Status.PAUSED or session.stop is None:
            return
        if place is not None:
            self.tell("stopped", place.stopped)
        else:
            self.tell_stop(session.stop)

    def correct_state(self) -> None:
        """A refused client may take the program for running: nvim-dap does from its request on."""
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
        if self._own_resumes and not self._kept_back:
            self._kept_back = True
        else:
            self._tell_continued()

    def _tell_continued(self) -> None:
        thread, stop = self._session.execution.resumed_thread, self._session.stop
        if thread is None and stop is not None:
            thread = stop.thread_id
        alone = self._session.stepping.is_alone
        self.tell("continued", {"threadId": thread or 0, "allThreadsContinued": not alone})

    def begin_resume(self) -> None:
        """The client itself lets the program go on: its answer says so, no event."""
        self._own_resumes += 1

    def end_resume(self, *, succeeded: bool) -> None:
        """It has, or somebody else was faster: then it is told of that."""
        self._own_resumes -= 1
        if not self._own_resumes:
            if self._kept_back and not succeeded:
                self._tell_continued()
            self._kept_back = False

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

    def _note_hub(self, entry: Entry) -> None:
        event = entry.event
        if isinstance(event, AgentsHeld):
            why = f": {event.reason}" if event.reason else ""
            held = f"A person has taken the controls{why}. You can look, and not act."
            text = held if event.held else "The person has handed the controls back."
            self.tell("output", {"category": "important", "output": text + "\n"})
            if not event.held and self._is_live:
                self.repeat_stop()

    # What takes long

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
