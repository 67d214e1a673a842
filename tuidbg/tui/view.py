"""One session as a person looks at it: the selected thread and frame, and what the panes show.

The session knows what is true; this class knows where the person looks (an agent that inspects
another frame must not move it). It follows the session's event log and repaints the panes from
it; no key handler paints anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, ParamSpec, Protocol

from textual.timer import Timer

from tuidbg.adapters.languages import PYTHON
from tuidbg.session.breakpoints.registry import lines_of
from tuidbg.session.errors import DebuggerError, StaleReply
from tuidbg.session.events import (
    BreakpointsChanged,
    BreakpointsMuted,
    Continued,
    Entry,
    EventsLost,
    ExceptionDescribed,
    MemoryChanged,
    NoticeGiven,
    OutputProduced,
    PauseRequested,
    ProcessJoined,
    ProgramExited,
    RecordingChanged,
    SessionEvent,
    StackChanged,
    StatusChanged,
    Stopped,
    ThreadsChanged,
    TraceProduced,
    WaitingChanged,
    WatchesChanged,
)
from tuidbg.session.session import Session
from tuidbg.session.stack.first_frame import first_frame
from tuidbg.session.state import Breakpoint, BreakpointKind, Frame, Place, Status
from tuidbg.session.values.types import Wanted
from tuidbg.tui.breakpoints.pane import BreakpointsPane
from tuidbg.tui.breakpoints.wording import explain_refusal, full_name_of, mark_of
from tuidbg.tui.console.pane import ConsolePane
from tuidbg.tui.frame.status import KeyBar, StatusLine
from tuidbg.tui.frame.titles import PaneTitle
from tuidbg.tui.keys.key_map import KeyMap
from tuidbg.tui.source.document import Document, DocumentError
from tuidbg.tui.source.inline_values import InlineValues
from tuidbg.tui.source.pane import SourcePane
from tuidbg.tui.stack.pane import StackPane
from tuidbg.tui.variables.pane import Call, VariableNode, VariablesPane
from tuidbg.tui.variables.pane import Path as VariablePath
from tuidbg.tui.variables.watch_view import WatchView
from tuidbg.tui.widgets.rows import Piece, visible
from tuidbg.tui.wording import BADGES, NO_STOP, PROGRAMS, describe_state

P = ParamSpec("P")

RUNNING_AFTER = 0.15
"""Seconds that the program runs before the panes say so: a step must not flicker."""

FETCHING_AFTER = 0.12
"""Seconds after which what is known of the variables is shown without the rest."""

PAUSE_PATIENCE = 0.6
"""Seconds after which a pause that has not happened is explained."""


class Shown(Protocol):
    """What the view needs of the screen: its widgets, and work done beside the keys."""

    source: SourcePane
    variables: VariablesPane
    stack: StackPane
    breakpoints: BreakpointsPane
    console: ConsolePane
    status: StatusLine
    keys: KeyBar
    source_title: PaneTitle
    key_map: KeyMap

    @property
    def common_pieces(self) -> Sequence[Piece]:
        """What the status line says of those who share the session."""

    def run_in_background(
        self,
        group: str,
        work: Callable[P, Coroutine[Any, Any, None]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Run it; a newer one of the same group takes its place."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Textual's."""

    def show_muted(self, muted: bool) -> None:
        """Say that no breakpoint stops, or take it back."""

    def note_trace(self) -> None:
        """There are new records in the session's trace."""

    def note_processes(self) -> None:
        """The program has started another process."""

    @property
    def shows_code(self) -> bool:
        """Whether machine code stands in the place of the source."""

    @property
    def code_title(self) -> tuple[str, str]:
        """What the title above machine code says: a label, and a hint."""

    def show_code_instead(self, why: str) -> bool:
        """There is no source to show: show machine code; False where that can't be had."""

    def show_source_again(self) -> None:
        """There is source again."""

    def mark_code(self) -> None:
        """The breakpoints are others."""

    def follow_native(self) -> None:
        """The program stands elsewhere, or something in it was set: memory and machine code."""


class SessionView:
    """Joins a session to the panes of a screen."""

    def __init__(self, session: Session, shown: Shown) -> None:
        self.session = session
        self.shown = shown
        self.frames: tuple[Frame, ...] = ()
        self.total_frames = 0
        self.selected = 0
        self.thread_id = 0
        self._stack_of_stop = 0
        self.document: Document | None = None
        self._documents: dict[str, Document] = {}
        self._told_older: set[str] = set()
        self._modules: dict[str, str] = {}
        self._running_timer: Timer | None = None
        self._pause_timer: Timer | None = None
        self._pause_explained = False
        self._asked_by = ""
        self.watches = WatchView(session, shown.variables)
        self.inline_values = InlineValues(shown.source)
        shown.console.show(session.output)

    async def follow(self) -> None:
        """Repaint from the session's events, for ever."""
        self._show_all()
        async for entry in self.session.events.follow():
            self.handle(entry)

    def handle(self, entry: Entry) -> None:
        """Repaint what one event changed."""
        event = entry.event
        if isinstance(event, Continued | PauseRequested | StatusChanged):
            self._note_origin(entry.origin, event)
        reaction = _REACTIONS.get(type(event))
        if reaction is not None:
            reaction(self, event)

    def _note_origin(self, origin: str, event: SessionEvent) -> None:
        """Remember which program let the debugged one go on or paused it."""
        if isinstance(event, StatusChanged):
            self._asked_by = ""
        elif isinstance(event, PauseRequested):
            self._asked_by = f"{origin}: pause" if origin in PROGRAMS else ""
        elif isinstance(event, Continued) and (event.how or not self._asked_by):
            self._asked_by = f"{origin}: {event.how}" if origin in PROGRAMS else ""

    def _show_all(self) -> None:
        self._show_breakpoints()
        self.shown.show_muted(self.session.breakpoints.muted)
        if len(self.session.trace):
            self.shown.note_trace()
        if self.session.family is not None:
            self.shown.note_processes()
        self._show_status()
        if self.session.waiting:
            self.shown.source.set_empty(f"{self.session.waiting}…")
        stop = self.session.stop
        if self.session.status is Status.PAUSED and stop is not None and self.session.frames:
            self._show_stack(stop.thread_id, self.session.frames, len(self.session.frames))
        elif self.session.status is not Status.PAUSED:
            self._show_no_stop()

    # Events

    def _on_status(self, event: StatusChanged) -> None:
        if event.status is Status.RUNNING:
            self._expect_running()
            return
        self._stop_timers()
        self._show_status()
        if event.status is Status.LAUNCHING:
            self.shown.variables.forget_all_calls()
            profile = self.session.profile  # another one, where another program is launched
            self.shown.console.speak(profile.language, profile.console_hint)
        if event.status is Status.FAILED:
            self._show_source_problem()
            self.shown.status.show_hint(event.reason, "error")
        else:
            self.shown.status.clear_hint()  # it was about the run before
        self._show_no_stop()

    def _on_stopped(self, event: Stopped) -> None:
        self._stop_timers()

    def _on_stack(self, event: StackChanged) -> None:
        if event.stop_id == self.session.stop_id:
            self._stop_timers()
            self._show_stack(event.thread_id, event.frames, event.total)

    def _on_exception(self, event: ExceptionDescribed) -> None:
        if event.stop.id == self.session.stop_id:
            self._show_status()

    def _on_continued(self, event: Continued) -> None:
        self._expect_running()

    def _on_pause_requested(self, event: PauseRequested) -> None:
        if self._pause_timer is not None:
            self._pause_timer.stop()
        self._pause_timer = self.shown.set_timer(PAUSE_PATIENCE, self._explain_pause)

    def _explain_pause(self) -> None:
        if self.session.status is Status.RUNNING:
            why = "the program has not stopped yet"
            if self.session.profile.language is PYTHON:
                why = (
                    "it waits until Python code runs"
                    " (the program may be in input() or in a long C call)"
                )
            self.shown.status.show_hint(f"pausing… {why}", "warning")
            self._pause_explained = True

    def _on_threads(self, event: ThreadsChanged) -> None:
        if self.session.status is Status.PAUSED and self.frames:
            self._show_stack_rows()
            self._show_status()

    def _on_breakpoints(self, event: BreakpointsChanged) -> None:
        self._show_breakpoints()
        for changed in event.changed:
            if why := explain_refusal(changed):
                self.shown.status.show_hint(f"{full_name_of(changed)}: {why}", "warning")

    def _on_muted(self, event: BreakpointsMuted) -> None:
        self.shown.show_muted(event.muted)
        self._show_status()

    def _on_recording(self, event: RecordingChanged) -> None:
        self._show_status()
        of_programs = (r.number for r in self.session.lifetimes if r.origin in PROGRAMS)
        if event.phase == "done" and event.number in of_programs:
            key = self.shown.key_map.key_of("record_call")
            way = f" (key {key} shows it)" if key else ""
            self.shown.status.show_hint(f"a call of {event.function} was recorded{way}")

    def _on_trace(self, event: TraceProduced) -> None:
        self.shown.note_trace()

    def _on_process(self, event: ProcessJoined) -> None:
        self.shown.note_processes()

    def _on_output(self, event: OutputProduced) -> None:
        self.shown.console.output_changed()

    def _on_exited(self, event: ProgramExited) -> None:
        self._show_status()

    def _on_notice(self, event: NoticeGiven) -> None:
        severity = "hint" if event.severity == "information" else event.severity
        self.shown.status.show_hint(event.text, severity)

    def _on_memory(self, event: MemoryChanged) -> None:
        self.shown.run_in_background("variables", self.refresh_variables)

    def _on_waiting(self, event: WaitingChanged) -> None:
        self.shown.source.set_empty(f"{event.text}…" if event.text else "")
        self._show_status()
        self._show_no_stop()

    def _on_lost(self, event: EventsLost) -> None:
        self._show_all()

    # Running and standing still

    def _expect_running(self) -> None:
        if self._running_timer is None:
            self._running_timer = self.shown.set_timer(RUNNING_AFTER, self._show_running)

    def _show_running(self) -> None:
        self._running_timer = None
        if self.session.status is not Status.PAUSED:
            self._show_first_source()
            self._show_status()
            self._show_no_stop()
            self._show_breakpoints()  # none is the one that it stands at

    def _show_first_source(self) -> None:
        """A program that was started from elsewhere is shown as soon as it runs."""
        if self.document is None and (first := self.session.plan.first_source):
            self.open_document(first)

    def _show_source_problem(self) -> None:
        """A program that does not compile is shown where it does not."""
        problem = self.session.source_problem
        if problem is not None and problem.path and Path(problem.path).is_file():
            self.open_document(problem.path, problem.line)

    def _stop_timers(self) -> None:
        for timer in (self._running_timer, self._pause_timer):
            if timer is not None:
                timer.stop()
        self._running_timer = self._pause_timer = None
        if self._pause_explained:
            self._pause_explained = False
            self.shown.status.clear_hint()

    def _show_no_stop(self) -> None:
        self.frames = ()
        status = self.session.status
        why = self.session.waiting or NO_STOP[status]
        self.shown.source.set_execution(None, None)
        self.shown.follow_native()
        self.inline_values.clear()
        threads = self.session.threads if status is Status.RUNNING else ()
        self.shown.stack.show_nothing(f"No stack: {why}", threads, status)
        self.shown.variables.show_nothing(f"No variables: {why}")

    def _show_stack(self, thread_id: int, frames: Sequence[Frame], total: int) -> None:
        self.thread_id = thread_id
        self._stack_of_stop = self.session.stop_id
        self.frames = tuple(frames)
        self.total_frames = total
        if frames:
            call = self._call_of(frames[0])
            self.shown.variables.forget_calls(thread_id, call.depth, call.function)
        self.select_frame(first_frame(self.session, frames, thread_id), follow=True)
        self._show_breakpoints()

    # What the person looks at

    @property
    def frame(self) -> Frame | None:
        """The frame that is looked at."""
        return self.frames[self.selected] if self.selected < len(self.frames) else None

    @property
    def stopped_thread(self) -> int | None:
        """The thread that is looked at, where it stands at the present stop."""
        return self.thread_id if self._stack_of_stop == self.session.stop_id else None

    def select_frame(self, index: int, *, follow: bool = True) -> None:
        """Look at a frame: its source, its variables."""
        self.selected = index
        self._show_stack_rows()
        self._show_status()
        frame = self.frame
        if frame is None:
            return
        if follow:
            self._show_place(frame)
        self.shown.follow_native()
        self.shown.run_in_background("variables", self._fetch_variables, frame)

    async def select_thread(self, thread_id: int) -> None:
        """Look at another thread."""
        frames, total = await self.session.inspection.stack(thread_id)
        self._show_stack(thread_id, frames, total)

    async def fetch_more_frames(self) -> None:
        """Fetch the frames that are not there yet."""
        start = len(self.frames)
        more, total = await self.session.inspection.stack(
            self.thread_id, start, self.total_frames - start
        )
        self.frames += more
        self.total_frames = total
        self._show_stack_rows()

    def _show_stack_rows(self) -> None:
        self.shown.stack.show_stack(
            self.session.threads,
            self.thread_id,
            self.frames,
            self.total_frames,
            self.selected,
            stop=self.session.stop,
            is_library=self._is_library,
            module_of=self.module_of,
        )

    def _is_library(self, frame: Frame) -> bool:
        """Whether a frame is a library's, which nobody asked to stop in."""
        if frame.place is None:
            return frame.subtle
        rule = self.session.sources.rule_for(frame.place.path)
        if rule is not None:
            return not rule.include
        path, sources = frame.place.path, self.session.sources
        return frame.subtle or (path != sources.target and sources.is_library(path))

    def module_of(self, frame: Frame) -> str:
        """The name of a frame's module, where it says more than the name of the file does."""
        path = frame.place.path if frame.place is not None else ""
        name = self._modules.get(path)
        if name is None:
            known = self.session.sources.module_of(path) if path.startswith("/") else ""
            tells = "." in known or path.endswith("/__init__.py")
            name = self._modules[path] = known if tells else ""
        return name

    def _show_place(self, frame: Frame) -> None:
        place = frame.place
        if place is None or self._is_missing(frame, place):
            why = f"there is no source for {frame.name}"
            if self.shown.show_code_instead(why):
                return
            if place is None:
                self.shown.status.show_hint(why, "warning")
                return
        if place.reference and place.path not in self._documents:
            reference = place.reference
            self.shown.run_in_background("source", self._fetch_source, reference, place.path, frame)
            return
        if place.path not in self._documents and self._is_elsewhere(place.path):
            self.shown.run_in_background("source", self._fetch_source, 0, place.path, frame)
            return
        if self.open_document(place.path):
            self._show_execution()
            self.shown.show_source_again()

    def _is_missing(self, frame: Frame, place: Place) -> bool:
        """Whether native code has no source here: no file, or only what the adapter made up."""
        if frame.address is None or place.path in self._documents:
            return False
        return bool(place.reference) or not Path(place.path).is_file()

    def _is_elsewhere(self, path: str) -> bool:
        """Whether a source is only where the program runs."""
        return self.session.is_attached and self.session.remote.is_elsewhere(path)

    def _show_execution(self) -> None:
        """Mark the current line and the selected frame's, where they are in this document."""
        key = self.document.key if self.document is not None else ""
        top, frame = (self.frames[0] if self.frames else None), self.frame
        current = top.place.line if top and top.place and top.place.path == key else None
        selected = frame.place.line if frame and frame.place and frame.place.path == key else None
        self.shown.source.set_execution(current, selected, follow=True)

    async def _fetch_source(self, reference: int, path: str, frame: Frame) -> None:
        if reference:
            text = await self.session.inspection.source_text(reference, path)
        else:
            text = await self.session.remote.text(path)
        self._documents[path] = Document.from_text(path, text)
        if self.frame is frame:
            self._show_place(frame)

    def open_document(self, path: str, line: int | None = None) -> bool:
        """Show a file; False (and a hint) where it can't be read."""
        document = self._documents.get(path)
        if document is None:
            try:
                document = self._load(path)
            except DocumentError as error:
                self.shown.status.show_hint(str(error), "error")
                return False
            self._documents[path] = document
        if document is not self.document:
            self.document = document
            self.shown.source.show(document, line=line)
            self.show_marks()
            self._show_execution_elsewhere()
        elif line is not None:
            self.shown.source.show(document, line=line)
        self.show_title()
        return True

    def _show_execution_elsewhere(self) -> None:
        key = self.document.key if self.document is not None else ""
        if not any(f.place and f.place.path == key for f in self.frames):
            self.shown.source.set_execution(None, None)

    def _load(self, path: str) -> Document:
        """The file as the program runs it; raises DocumentError where it can't be read."""
        running = self.session.running_sources
        document = Document.load(path)
        running.take(path)
        if running.is_older(path) and (text := running.text(path)) is not None:
            document.show_older(text)
            self._told_older.add(path)
        return document

    async def check_document(self) -> None:
        """Read the shown file again if it has changed on disk, unless the program runs it older."""
        document = self.document
        if document is None:
            return
        running = self.session.running_sources
        running.take(document.key)
        if running.is_older(document.key):
            self._tell_older(document)
            return
        self._told_older.discard(document.key)
        if not document.has_changed_on_disk():
            return
        try:
            document.reload()
        except DocumentError as error:
            self.shown.status.show_hint(str(error), "warning")
            return
        self.shown.source.refresh_document()
        await self.session.breakpoints.source_changed(document.key)

    def _tell_older(self, document: Document) -> None:
        """Once for each file; the title says it as long as it is so."""
        if document.key in self._told_older:
            return
        self._told_older.add(document.key)
        self.show_title()
        if self.session.restarts_on_change:
            return  # which says so
        key = self.shown.key_map.key_of("restart")
        self.session.notify(
            f"{document.name} has changed on disk; the program still runs the older code, which is"
            f" shown{f' ({key} restarts it)' if key else ''}",
            "warning",
        )

    # Breakpoints

    def _show_breakpoints(self) -> None:
        stop = self.session.stop
        hit = stop.hit_breakpoints if stop and self.session.status is Status.PAUSED else ()
        self.shown.breakpoints.show_breakpoints(list(self.session.breakpoints.registry), hit)
        self.show_marks()
        self.shown.mark_code()
        self.show_title()

    def show_marks(self) -> None:
        """Draw the breakpoints of the shown document."""
        if self.document is not None:
            registry = self.session.breakpoints.registry
            key = self.document.key
            # A line's own breakpoint is drawn over that of a function which begins there.
            found = sorted(registry.of_file(key), key=lambda b: b.kind is BreakpointKind.LINE)
            marks = {line: mark_of(b) for b in found for line in lines_of(b, key)}
            self.shown.source.set_marks(marks)

    def breakpoint_at_cursor(self) -> Breakpoint | None:
        """The breakpoint on the source pane's cursor line."""
        if self.document is None:
            return None
        line = self.shown.source.cursor_line
        return self.session.breakpoints.registry.find(self.document.key, line)

    def show_title(self) -> None:
        """The source's title: its path, and what is to be said of the line under the cursor."""
        title, document = self.shown.source_title, self.document
        if self.shown.shows_code:
            title.label, title.hint = map(visible, self.shown.code_title)
            title.hint_is_warning = False
            return
        if document is None:
            return
        title.label = visible(self.shown_path(document.key))
        found = self.breakpoint_at_cursor()
        title.hint = explain_refusal(found) if found is not None else ""
        title.hint_is_warning = bool(title.hint)
        if not title.hint and document.path is None and document.key.startswith("/"):
            way_out = self.shown.key_map.tell("map_source", "looks for it here")
            title.hint = f"from the program, to read only{way_out}"
        if not title.hint and self.session.running_sources.is_older(document.key):
            way_out = self.shown.key_map.tell("restart", "runs the new one")
            title.hint = f"older code: the file has changed since{way_out}"
            title.hint_is_warning = True
        if not title.hint and self.session.sources.is_hidden(document.key):
            way_out = self.shown.key_map.tell("include_library", "stops here too")
            title.hint = f"a library: passed over{way_out}"

    def shown_path(self, path: str) -> str:
        """A path as a person would give it: from the program's working directory."""
        base = self.session.plan.cwd.rstrip("/") + "/"
        return path.removeprefix(base) if base != "/" else path

    # Variables

    async def refresh_variables(self) -> None:
        """Fetch the variables again: an evaluation may have changed them."""
        if self.frame is not None:
            self.shown.follow_native()
            await self._fetch_variables(self.frame)

    async def _fetch_variables(self, frame: Frame) -> None:
        call, known = self._call_of(frame), list[tuple[VariableNode, ...]]()
        wanted = self.shown.variables.wanted(call.function)
        fetching = asyncio.create_task(self.session.values.look(frame.id, wanted, known.append))
        self.watches.begin(frame.id, wanted)
        shown = 0
        try:
            while not fetching.done():
                await asyncio.wait({fetching}, timeout=FETCHING_AFTER)
                if not fetching.done() and len(known) > shown:
                    self._show_variables(call, known[-1])  # a slow value: the rest meanwhile
                    shown = len(known)
            roots = await fetching
            are_there = await self.watches.soon()
        except StaleReply:
            return
        except DebuggerError as error:
            self.shown.variables.show_nothing(str(error))
            return
        finally:
            fetching.cancel()
        self._show_variables(call, roots)
        if not are_there:
            await self.watches.finish()

    def refresh_watches(self, asked: int | None = None) -> None:
        """Evaluate the watches again; ``asked`` is the number of one that a person waits for."""
        if self.frame is not None:
            self.shown.run_in_background("watches", self._fetch_watches, self.frame, asked)

    async def _fetch_watches(self, frame: Frame, asked: int | None) -> None:
        self.watches.begin(
            frame.id, self.shown.variables.wanted(self._call_of(frame).function), asked
        )
        await self.watches.finish()

    def _on_watches(self, event: WatchesChanged) -> None:
        self.refresh_watches()

    def _call_of(self, frame: Frame) -> Call:
        function = f"{frame.place.path if frame.place else ''}:{frame.name}"
        return Call(function, self.thread_id, self.total_frames - frame.index)

    def _show_variables(self, call: Call, roots: Sequence[VariableNode]) -> None:
        self.shown.variables.show_variables(call, roots, stop_id=self.session.stop_id)
        self._show_inline_values(roots)

    def _show_inline_values(self, roots: Sequence[VariableNode]) -> None:
        scope = next((root for root in roots if root.is_scope and root.children is not None), None)
        if self.frame is None or scope is None or scope.children is None:
            self.inline_values.clear()
        else:
            self.inline_values.show(self.frame, [node.variable for node in scope.children])

    async def fetch_children(
        self, path: VariablePath, reference: int, wanted: Wanted | None = None
    ) -> None:
        """Fetch the children of a node that was opened, or another page of them."""
        call = self.shown.variables.call
        children, start, total = await self.session.values.children(reference, wanted)
        if self.shown.variables.call == call:  # else the person looks at another frame by now
            self.shown.variables.set_children(path, children, start, total)

    # The status line

    def refresh_status(self) -> None:
        """Something that it tells of was switched, and no event says so."""
        self._show_status()

    def _show_status(self) -> None:
        badge, style = BADGES[self.session.status]
        if self.session.waiting and self.session.status is Status.LAUNCHING:
            badge = self.session.waiting.partition(" ")[0]
        pieces = describe_state(
            self.session, self.frame, self.thread_id, self.shown.key_map, self._asked_by
        )
        self.shown.status.show_state(badge, style, [*self.shown.common_pieces, *pieces])
        self.shown.keys.show_status(self.session.status)


_REACTIONS: dict[type[SessionEvent], Callable[[SessionView, Any], None]] = {
    BreakpointsChanged: SessionView._on_breakpoints,
    BreakpointsMuted: SessionView._on_muted,
    Continued: SessionView._on_continued,
    EventsLost: SessionView._on_lost,
    ExceptionDescribed: SessionView._on_exception,
    MemoryChanged: SessionView._on_memory,
    NoticeGiven: SessionView._on_notice,
    OutputProduced: SessionView._on_output,
    PauseRequested: SessionView._on_pause_requested,
    ProcessJoined: SessionView._on_process,
    ProgramExited: SessionView._on_exited,
    RecordingChanged: SessionView._on_recording,
    StackChanged: SessionView._on_stack,
    StatusChanged: SessionView._on_status,
    Stopped: SessionView._on_stopped,
    ThreadsChanged: SessionView._on_threads,
    TraceProduced: SessionView._on_trace,
    WaitingChanged: SessionView._on_waiting,
    WatchesChanged: SessionView._on_watches,
}
