"""The view of one session: follows the session's events and updates the panes.

The session has the facts; the selection is in ``focus.py``. No key handler paints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from textual.timer import Timer

from tuidbg.session.core.session import Session
from tuidbg.session.core.stack.inspection import first_frame
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.model.events import (
    BreakpointsChanged,
    BreakpointsMuted,
    Continued,
    EventsLost,
    ExceptionDescribed,
    InputAwaited,
    LogEntry,
    MemoryChanged,
    NoticeGiven,
    OutputProduced,
    PastChanged,
    PauseRequested,
    ProcessJoined,
    ProgramExited,
    RecordingChanged,
    SessionEvent,
    SourcesChanged,
    StackChanged,
    StatusChanged,
    Stopped,
    ThreadsChanged,
    TraceProduced,
    ValuesChanged,
    WaitingChanged,
    WatchesChanged,
)
from tuidbg.session.model.state import Breakpoint, Frame, Status
from tuidbg.tui.panes.source.inline_values import InlineValues
from tuidbg.tui.panes.source.source_pane import NO_SOURCE
from tuidbg.tui.panes.variables.variables_pane import Path as VariablePath
from tuidbg.tui.panes.view.breakpoints import BreakpointsView
from tuidbg.tui.panes.view.past import PastView
from tuidbg.tui.panes.view.shown import PaneHost, ViewFocus
from tuidbg.tui.panes.view.source import SourceView
from tuidbg.tui.panes.view.stack import StackPanePresenter
from tuidbg.tui.panes.view.status import StatusView
from tuidbg.tui.panes.view.variables import VariablesView
from tuidbg.tui.toolkit.text.document import SourceDocument
from tuidbg.tui.toolkit.wording import why_nothing

RUNNING_AFTER = 0.15
"""Seconds that the program runs before the panes show it: a step must not flicker."""


class SessionPanes:
    """Connects a session to the panes of a screen."""

    def __init__(self, session: Session, shown: PaneHost) -> None:
        self.session = session
        self.shown = shown
        self.focus = focus = ViewFocus()
        self._stack = StackPanePresenter(session, focus, shown)
        self.module_of = self._stack.module_of
        """A frame's module name, if it says more than the file name."""
        self._variables = VariablesView(session, focus, shown)
        self._source = SourceView(session, focus, shown)
        self._breakpoints = BreakpointsView(session, self._source, shown)
        self._status = StatusView(session, focus, shown)
        self.past = PastView(session, focus, self.select_frame, self._show_present)
        self._running_timer: Timer | None = None
        shown.console.show(session.output)

    async def follow(self) -> None:
        """Update for the session's events, forever."""
        self._show_all()
        async for entry in self.session.events.follow():
            self.handle(entry)

    def handle(self, entry: LogEntry) -> None:
        """Update for one event."""
        self._status.note_event(entry)
        if isinstance(entry.event, ValuesChanged) and entry.origin != "tui":
            self._variables.refresh_in_background()  # a value set here is shown already
        reaction = _REACTIONS.get(type(entry.event))
        if reaction is not None:
            reaction(self, entry.event)

    def _show_all(self) -> None:
        self._breakpoints.show()
        self.shown.show_muted(self.session.breakpoints.muted)
        if len(self.session.trace):
            self.shown.note_trace()
        if self.session.family is not None:
            self.shown.note_processes()
        self._status.show()
        if self.session.waiting:
            self.shown.source.set_empty(f"{self.session.waiting}…")
        self._show_present()

    def _show_present(self) -> None:
        stop = self.session.stop
        if self.session.status is Status.PAUSED and stop is not None and self.session.frames:
            self._show_stack(stop.thread_id, self.session.frames, len(self.session.frames))
        elif self.session.status is not Status.PAUSED:
            self._show_no_stop()
            self._status.show()

    # Events

    def _on_status(self, event: StatusChanged) -> None:
        if event.status is Status.RUNNING:
            way = self.shown.key_map.tell("pause", "pauses the program")
            self.shown.source.set_empty(f"{NO_SOURCE}{way}")  # seen after attaching
            self._expect_running()
            return
        self._stop_timers()
        if event.status in (Status.TERMINATED, Status.FAILED):
            self.shown.console.note_stop(is_over=True)
        self._status.show()
        if event.status is Status.LAUNCHING:
            self.shown.variables.changes.forget_all()
            profile = self.session.profile  # another one after a launch of another program
            self.shown.console.speak(profile.language, profile.values.console_hint)
        if event.status is Status.FAILED:
            self._show_source_problem()
            self.shown.status.show_hint(event.reason, "error")
        else:
            self.shown.status.clear_hint()  # it was about the run before
        self._show_no_stop()

    def _on_stopped(self, event: Stopped) -> None:
        self._stop_timers()
        self.shown.console.note_stop(is_over=False)

    def _on_stack(self, event: StackChanged) -> None:
        if event.stop_id == self.session.stop_id:
            self._stop_timers()
            self._show_stack(event.thread_id, event.frames, event.total)

    def _on_exception(self, event: ExceptionDescribed) -> None:
        if event.stop.id == self.session.stop_id:
            self._status.show()
            self._source.show_exception()

    def _on_continued(self, event: Continued) -> None:
        self._expect_running()

    def _on_pause_requested(self, event: PauseRequested) -> None:
        self._status.expect_pause()

    def _on_threads(self, event: ThreadsChanged) -> None:
        if self.session.status is Status.PAUSED and self.focus.frames:
            self._stack.show()
            self._status.show()

    def _on_sources(self, event: SourcesChanged) -> None:
        if self.session.status is Status.PAUSED and self.focus.thread_id:
            self.shown.run_in_background("thread", self._follow_rules, not event.just_my_code)

    def _on_breakpoints(self, event: BreakpointsChanged) -> None:
        self._breakpoints.show()
        self._breakpoints.tell_refusals(event.changed)

    def _on_muted(self, event: BreakpointsMuted) -> None:
        self.shown.show_muted(event.muted)
        self._breakpoints.show()
        self._status.show()

    def _on_recording(self, event: RecordingChanged) -> None:
        self._status.show()
        self._status.tell_recording(event)

    def _on_past(self, event: PastChanged) -> None:
        self._status.show()

    def _on_trace(self, event: TraceProduced) -> None:
        self.shown.note_trace()

    def _on_process(self, event: ProcessJoined) -> None:
        self.shown.note_processes()

    def _on_output(self, event: OutputProduced) -> None:
        self.shown.console.output_changed()

    def _on_exited(self, event: ProgramExited) -> None:
        self._status.show()

    def _on_notice(self, event: NoticeGiven) -> None:
        self._status.show_notice(event)

    def _on_memory(self, event: MemoryChanged) -> None:
        self._variables.refresh_in_background()

    def _on_input_awaited(self, event: InputAwaited) -> None:
        self._status.show()

    def _on_waiting(self, event: WaitingChanged) -> None:
        self.shown.source.set_empty(f"{event.text}…" if event.text else "")
        self._status.show()
        self._show_no_stop()

    def _on_watches(self, event: WatchesChanged) -> None:
        self._variables.refresh_watches()

    def _on_lost(self, event: EventsLost) -> None:
        self._show_all()

    # Running and stopped

    def _expect_running(self) -> None:
        if self._running_timer is None:
            self._running_timer = self.shown.set_timer(RUNNING_AFTER, self._show_running)

    def _show_running(self) -> None:
        self._running_timer = None
        if self.session.status is not Status.PAUSED:
            self._show_first_source()
            self._status.show()
            self._show_no_stop()
            self._breakpoints.show()  # no longer mark the one of the stop

    def _show_first_source(self) -> None:
        """Show the source of a program started by another client as soon as it runs."""
        if self._source.document is None and (first := self.session.plan.first_source):
            self._source.open(first)

    def _show_source_problem(self) -> None:
        """Show the place of a program's syntax error."""
        problem = self.session.source_problem
        if problem is not None and problem.path and Path(problem.path).is_file():
            self._source.open(problem.path, problem.line)

    def _stop_timers(self) -> None:
        if self._running_timer is not None:
            self._running_timer.stop()
            self._running_timer = None
        self._status.forget_pause()

    def _show_no_stop(self) -> None:
        self.focus.forget_stack()
        why = why_nothing(self.session)
        self._source.show_nothing()
        self.shown.note_state()
        self._stack.show_nothing(why)
        self._variables.show_nothing(why)
        self.past.show_opened()

    def _show_stack(self, thread_id: int, frames: Sequence[Frame], total: int) -> None:
        self.focus.take_stack(thread_id, frames, total, stop_id=self.session.stop_id)
        if frames:
            call = self.focus.call_of(frames[0])
            self.shown.variables.changes.forget_above(thread_id, call.depth, call.function)
        self.select_frame(first_frame(self.session, frames, thread_id), follow=True)
        self._breakpoints.show()
        if not frames and self.session.sources.just_my_code:  # they are all in libraries
            self.shown.run_in_background("thread", self.show_whole_stack)

    # Selection

    @property
    def frame(self) -> Frame | None:
        """The selected frame."""
        return self.focus.frame

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The loaded frames of the selected thread."""
        return self.focus.frames

    @property
    def selected(self) -> int:
        """The index of the selected frame."""
        return self.focus.selected

    @property
    def stopped_thread(self) -> int | None:
        """The selected thread, if it is stopped at the present stop."""
        return self.focus.thread_at(self.session.stop_id)

    @property
    def top_frame(self) -> Frame | None:
        """The top frame of the selected thread."""
        return self.focus.top

    def select_frame(self, index: int, *, follow: bool = True) -> None:
        """Select a frame and show its source and variables."""
        self.focus.selected = index
        self._stack.show()
        self._status.show()
        frame = self.focus.frame
        if frame is None:
            return
        if follow:
            self._source.show_frame(frame)
        self.shown.note_state()
        self._variables.show_frame(frame)

    async def select_thread(self, thread_id: int) -> None:
        """Select another thread."""
        frames, total = await self.session.inspection.stack(thread_id)
        self._show_stack(thread_id, frames, total)

    async def fetch_more_frames(self, beside: int = 0, where: str = "") -> None:
        """Fetch more frames; or those omitted beside a frame."""
        if where:
            await self.show_whole_stack()
            self.shown.stack.unfold(beside, where)
        else:
            await self._stack.fetch_more()

    async def show_whole_stack(self) -> None:
        """Also show the frames that the debugger skips."""
        self.select_frame(**await self._stack.fetch_again(is_whole=True))

    async def _follow_rules(self, shows_libraries: bool) -> None:
        """Update the stack for changed skip rules."""
        self.select_frame(**await self._stack.fetch_again())
        if shows_libraries:
            self.shown.stack.unfold()

    # API for commands

    @property
    def document(self) -> SourceDocument | None:
        """The source shown."""
        return self._source.document

    def open_document(self, path: str, line: int | None = None) -> bool:
        """Show a file; False (and a hint) if it can't be read."""
        return self._source.open(path, line)

    async def check_document(self) -> None:
        """Read the shown file again if it has changed on disk."""
        await self._source.check()

    def show_title(self) -> None:
        """Update the source's title."""
        self._source.show_title()

    def shown_path(self, path: str) -> str:
        """Return a path relative to the program's working directory."""
        return self._source.shown_path(path)

    def breakpoint_at_cursor(self) -> Breakpoint | None:
        """Return the breakpoint on the source cursor's line."""
        return self._source.breakpoint_at_cursor()

    @property
    def inline_values(self) -> InlineValues:
        """The inline values of the source."""
        return self._variables.inline_values

    async def refresh_variables(self) -> None:
        """Fetch the variables again: an evaluation may have changed them."""
        await self._variables.refresh()

    def refresh_watches(self, asked: int | None = None) -> None:
        """Evaluate the watches again; ``asked`` is the number of one requested by the user."""
        self._variables.refresh_watches(asked)

    async def fetch_children(
        self, path: VariablePath, reference: int, wanted: ChildrenRequest | None = None
    ) -> None:
        """Fetch the children of an opened node, or another page of them."""
        await self._variables.fetch_children(path, reference, wanted)

    def refresh_status(self) -> None:
        """Update the status line for a change without an event."""
        self._status.show()


_REACTIONS: dict[type[SessionEvent], Callable[[SessionPanes, Any], None]] = {
    BreakpointsChanged: SessionPanes._on_breakpoints,
    BreakpointsMuted: SessionPanes._on_muted,
    Continued: SessionPanes._on_continued,
    EventsLost: SessionPanes._on_lost,
    ExceptionDescribed: SessionPanes._on_exception,
    InputAwaited: SessionPanes._on_input_awaited,
    MemoryChanged: SessionPanes._on_memory,
    NoticeGiven: SessionPanes._on_notice,
    OutputProduced: SessionPanes._on_output,
    PastChanged: SessionPanes._on_past,
    PauseRequested: SessionPanes._on_pause_requested,
    ProcessJoined: SessionPanes._on_process,
    ProgramExited: SessionPanes._on_exited,
    RecordingChanged: SessionPanes._on_recording,
    SourcesChanged: SessionPanes._on_sources,
    StackChanged: SessionPanes._on_stack,
    StatusChanged: SessionPanes._on_status,
    Stopped: SessionPanes._on_stopped,
    ThreadsChanged: SessionPanes._on_threads,
    TraceProduced: SessionPanes._on_trace,
    WaitingChanged: SessionPanes._on_waiting,
    WatchesChanged: SessionPanes._on_watches,
}
