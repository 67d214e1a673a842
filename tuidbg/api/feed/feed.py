"""The feed of a session: its events in DAP's terms, and its output, piece by piece.

Each is a bounded list that any number of readers follow independently: a reader keeps a position,
and reading again from it returns the same entries. Nothing is recorded twice: events come from
``Session.publish``, output from ``Session.write_output``.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
import sys
from typing import TYPE_CHECKING

import msgspec

from tuidbg.api.feed.events import (
    BreakpointBody,
    ContinuedFeedBody,
    ModuleBody,
    OutputFeedBody,
    ThreadFeedBody,
    render_breakpoint,
    render_end,
    render_module,
    render_stop,
)
from tuidbg.api.feed.log import FeedLog, OutputLines, TerminalText, whole_text
from tuidbg.session.core.output import Piece
from tuidbg.session.model.errors import InvalidCursor
from tuidbg.session.model.events import (
    BreakpointsChanged,
    Continued,
    ExceptionDescribed,
    ExceptionUnknown,
    LogEntry,
    ProgramExited,
    SessionClosed,
    StatusChanged,
    Stopped,
    ThreadsChanged,
)
from tuidbg.session.model.state import Breakpoint, ExitState, Place, Status, Stop, StopReason

if TYPE_CHECKING:
    from tuidbg.dap.types import Module
    from tuidbg.session.core.session import Session
    from tuidbg.session.hub.members import HubSession

_LONGEST = 1_000
"""Maximum length in characters; our cursors have about a hundred."""

_BASE64 = re.compile(r"[A-Za-z0-9_-]+=*")


class _Cursor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    session: str
    stream: str
    after: int


def encode_cursor(session_id: str, stream: str, position: int) -> str:
    """Encode a position in a stream of a session as a URL-safe text."""
    content = msgspec.json.encode(_Cursor(session_id, stream, position))
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def decode_cursor(cursor: str, session_id: str, stream: str) -> int:
    """Decode a cursor to its position.

    Raises InvalidCursor for malformed text, and for a cursor of another session or stream.
    """
    if len(cursor) > _LONGEST or not _BASE64.fullmatch(cursor):
        raise InvalidCursor(f"this is no cursor of the {stream}")
    padded = cursor.rstrip("=")
    padded += "=" * (-len(padded) % 4)
    try:
        content = base64.b64decode(padded, altchars=b"-_")
        found = msgspec.json.decode(content, type=_Cursor)
    except (binascii.Error, ValueError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidCursor(f"this is no cursor of the {stream}") from error
    if found.session != session_id:
        raise InvalidCursor("this cursor belongs to another session")
    if found.stream != stream:
        raise InvalidCursor(f"this cursor is not one of the {stream}")
    if found.after < 0:
        raise InvalidCursor(f"this is no cursor of the {stream}")
    return found.after


HELD_AT_MOST = 2.0
"""Maximum delay of a stop's event, in seconds, until its exception is described."""

_ENTRY_CATEGORIES = {
    "stdout": "stdout",
    "stderr": "stderr",
    "terminal": "stdout",
    "console": "console",
    "important": "console",
    "telemetry": "",
}
"""Public category of each output category; the default is ``console``.

Telemetry becomes an event only. On a pseudo-terminal stdout and stderr are one stream.
"""

_PROGRAM_CATEGORIES = ("stdout", "stderr", "terminal")
"""Categories of the program's own output."""

_TOLD_CATEGORIES = ("important", "telemetry")
"""Categories that only events have, not output entries."""

_PROMPT_CATEGORIES = ("input", "result", "help", "error", "private")
"""Console lines with the user's own input and its results."""

_OVER = (Status.TERMINATED, Status.FAILED)


class Feed(FeedLog):
    """The feed of one session. All methods belong to the loop's thread.

    The feed of a session that is already running begins with the session's current state.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._is_live = False
        self._breakpoints: dict[int, Breakpoint] = {}
        self._threads: set[int] = set()
        self._thread_id = 1
        self._all_stopped = True
        self._held: tuple[Stop, str] | None = None
        self._release_timer: asyncio.TimerHandle | None = None
        self._terminal = TerminalText()
        self._lines = OutputLines(self._add_output)
        self._begin()
        session.events.subscribers.add(self.note, first=True)
        session.output_stream.pieces.add(self.note_piece)
        session.adapter.new_modules.add(self.note_module)

    def close(self) -> None:
        """Close the feed and wake all readers. Everything in it stays readable."""
        if not self._is_closed:
            self._lines.flush()
            self._end("session", self._session.exit or ExitState())
            super().close()
            self._session.events.subscribers.remove(self.note)
            self._session.output_stream.pieces.remove(self.note_piece)
            self._session.adapter.new_modules.remove(self.note_module)

    # Session events

    def note(self, entry: LogEntry) -> None:
        """Handle an event that the session published."""
        if self._is_closed:
            return
        event, origin = entry.event, entry.origin
        match event:
            case Stopped():
                self._note_stopped(event.stop, origin)
            case ExceptionDescribed():
                self._note_described(event.stop)
            case Continued():
                self._note_continued(event, origin)
            case BreakpointsChanged():
                self._note_breakpoints(event, origin)
            case ThreadsChanged():
                self._note_threads({thread.id for thread in event.threads})
            case StatusChanged():
                self._note_status(event, origin)
            case ProgramExited():
                self._end(origin, event.exit)
            case ExceptionUnknown():
                if self._held is not None and self._held[0].id == event.stop_id:
                    self.release_stop()
            case SessionClosed():
                self.close()

    def note_piece(self, piece: Piece) -> None:
        """Handle a piece of output."""
        if piece.is_piece and not piece.is_secret:
            self.note_written(piece.category, piece.text, piece.place)
        else:
            self.note_output(piece.category, piece.text, piece.place, is_secret=piece.is_secret)

    def note_output(
        self,
        category: str,
        text: str | bytes,
        place: Place | None = None,
        *,
        is_secret: bool = False,
    ) -> None:
        """Add output of the session's ``category`` (see ``OutputLine``), or telemetry."""
        if self._is_closed:
            return
        if category != "telemetry":
            self._lines.flush()
        self._add_output(category, self._text_of(category, text), place, is_secret=is_secret)

    def note_written(self, category: str, text: str | bytes, place: Place | None = None) -> None:
        """Add output of the program; it is delivered in whole lines (``OutputLines``)."""
        if self._is_closed:
            return
        if category in _PROGRAM_CATEGORIES:
            self._lines.feed(category, self._text_of(category, text), place)
        else:
            self.note_output(category, text, place)

    def _text_of(self, category: str, text: str | bytes) -> str:
        return self._terminal.feed(text) if category == "terminal" else whole_text(text)

    def note_module(self, module: Module) -> None:
        """Handle a new module reported by the adapter."""
        if not self._is_closed:
            told = render_module(self._session, module)
            self._tell(ModuleBody(reason="new", module=told), "adapter")

    def release_stop(self) -> None:
        """Publish the held stop: nothing more will be known of its exception."""
        held, self._held = self._held, None
        if self._release_timer is not None:
            self._release_timer.cancel()
            self._release_timer = None
        if held is not None:
            stop, origin = held
            trace = stop.exception.stack_trace if stop.exception is not None else ""
            self._tell(render_stop(self._session, stop), origin, sys.getsizeof(trace))

    def _note_stopped(self, stop: Stop, origin: str) -> None:
        self.release_stop()
        self._lines.flush()
        self._thread_id, self._all_stopped = stop.thread_id, stop.all_threads_stopped
        self._held = stop, origin
        if stop.reason is not StopReason.EXCEPTION or stop.exception is not None:
            self.release_stop()
        else:
            loop = asyncio.get_running_loop()
            self._release_timer = loop.call_later(HELD_AT_MOST, self.release_stop)

    def _note_described(self, stop: Stop) -> None:
        if self._held is not None and self._held[0].id == stop.id:
            self._held = stop, self._held[1]
            self.release_stop()

    def _note_continued(self, event: Continued, origin: str) -> None:
        self.release_stop()
        self._lines.flush()
        resumed = event.thread_id if origin != "adapter" else None
        alone = event.stepping and event.alone
        body = ContinuedFeedBody(
            thread_id=resumed if resumed is not None else self._thread_id,
            all_threads_continued=self._all_stopped and not alone,
        )
        self._tell(body, origin)

    def _note_breakpoints(self, event: BreakpointsChanged, origin: str) -> None:
        for found in event.changed:
            # A hit count is no change: otherwise a log point in a loop would flood the feed.
            asked = msgspec.structs.replace(found, hits=0, misses=0, errors=0)
            known = self._breakpoints.get(found.number)
            if asked != known:
                self._breakpoints[found.number] = asked
                self._tell_breakpoint("changed" if known is not None else "new", asked, origin)
        for number in event.removed:
            gone = self._breakpoints.pop(number, None)
            if gone is not None:
                self._tell_breakpoint("removed", gone, origin)

    def _tell_breakpoint(self, reason: str, found: Breakpoint, origin: str) -> None:
        self._tell(BreakpointBody(reason=reason, breakpoint=render_breakpoint(found)), origin)

    def _note_threads(self, threads: set[int]) -> None:
        for thread in sorted(threads - self._threads):
            self._tell(ThreadFeedBody(reason="started", thread_id=thread), "program")
        for thread in sorted(self._threads - threads):
            self._tell(ThreadFeedBody(reason="exited", thread_id=thread), "program")
        self._threads = threads

    def _note_status(self, event: StatusChanged, origin: str) -> None:
        if event.status in _OVER:
            self._end(origin, self._session.exit or ExitState(), event.reason)
            return
        if event.status is Status.LAUNCHING:
            self._end(origin, ExitState())  # end of the previous run, if this is a restart
        self._is_live = event.status is not Status.CREATED  # after a refused start

    def _end(self, origin: str, exit_state: ExitState, failure: str = "") -> None:
        """Publish the end of a run once, after all its output."""
        self.release_stop()
        if not self._is_live:
            return
        self._is_live = False
        self._lines.flush()
        self._add_output("terminal", self._terminal.finish())
        self._threads = set()
        self._tell(render_end(exit_state, failure), origin)

    def _begin(self) -> None:
        """Begin with the session's current state."""
        session = self._session
        for line in session.output:
            if line.category not in _PROMPT_CATEGORIES:
                text = whole_text(line.text) + ("\n" if line.complete else "")
                category = _ENTRY_CATEGORIES.get(line.category, "console")
                self._add_entry(category, text, is_secret=line.is_secret)
        for found in session.breakpoints.registry:
            self._note_breakpoints(BreakpointsChanged(changed=(found,)), found.origin)
        self._is_live = session.status is not Status.CREATED
        self._note_threads({thread.id for thread in session.threads})
        if session.stop is not None and session.status is Status.PAUSED:
            self._note_stopped(session.stop, "adapter")
        if session.status in _OVER:
            self._end("session", session.exit or ExitState(), session.failure)

    def _add_output(
        self, category: str, text: str, place: Place | None = None, *, is_secret: bool = False
    ) -> None:
        if not text:
            return
        path, line = (place.path, place.line) if place is not None else (None, None)
        served = _ENTRY_CATEGORIES.get(category, "console")
        if served:
            self._add_entry(served, text, path, line, is_secret=is_secret)
        body = OutputFeedBody(
            category=category if category in _TOLD_CATEGORIES else served,
            output=text,
            source=path,
            line=line,
            column=place.column if place is not None else None,
        )
        self._tell(body, _origin_of(category), sys.getsizeof(text), is_secret=is_secret)


def feed_of(member: HubSession) -> Feed:
    """Return the feed of a session whose hub was made with ``follow=Feed``."""
    assert isinstance(member.follower, Feed)
    return member.follower


def _origin_of(category: str) -> str:
    if category in _PROGRAM_CATEGORIES:
        return "program"
    return "adapter" if category == "telemetry" else "session"
