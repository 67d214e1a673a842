"""The state in words, in status line, key bar and console: who acted, why a pause is delayed."""

from __future__ import annotations

from textual.timer import Timer

from tuidbg.session.core.session import Session
from tuidbg.session.features.recording import calls_of
from tuidbg.session.features.recording.reverse_execution import past_of
from tuidbg.session.model.events import (
    Continued,
    LogEntry,
    NoticeGiven,
    PauseRequested,
    RecordingChanged,
    StatusChanged,
)
from tuidbg.session.model.state import Status
from tuidbg.tui.panes.view.moment_texts import describe_moment
from tuidbg.tui.panes.view.shown import PaneHost, ViewFocus
from tuidbg.tui.toolkit.widgets.rows import Piece
from tuidbg.tui.toolkit.wording import BADGES, PROGRAMS, describe_state, where_output_goes

PAUSE_PATIENCE = 0.6
"""Seconds after which a delayed pause is explained."""


class StatusView:
    """The session's state in the status line."""

    def __init__(self, session: Session, focus: ViewFocus, shown: PaneHost) -> None:
        self._session = session
        self._focus = focus
        self._shown = shown
        self._pause_timer: Timer | None = None
        self._pause_explained = False
        self._asked_by = ""
        self._step = ""
        """The running step, if the user requested one."""

    def show(self) -> None:
        """Show the state, the available keys, and where the output is."""
        badge, style = BADGES[self._session.status]
        if self._session.waiting and self._session.status is Status.LAUNCHING:
            badge = self._session.waiting.partition(" ")[0]
        stop = self._session.stop
        if self._session.status is Status.PAUSED and stop is not None and stop.exception:
            badge, style = "exception", "failed"
        if self._focus.moment is not None:
            badge, style = "recorded", "past"
        focus, key_map = self._focus, self._shown.key_map
        if focus.moment is not None:
            pieces = describe_moment(self._session, focus.moment, focus.frame, key_map)
        else:
            pieces = describe_state(
                self._session, focus.frame, focus.thread_id, key_map, self._asked_by
            )
            past = past_of(self._session)
            if past is not None and past.is_on:
                pieces = [("recording  ", "hint"), *pieces]
            pieces += self._where_it_says_why()
            if self._step and self._session.status is Status.RUNNING:
                pieces.append((f"  the {self._step} goes on", "faint"))
        self._shown.status.show_state(badge, style, [*self._shown.common_pieces, *pieces])
        self._shown.keys.show_status(self._session.status)
        self._shown.console.set_empty(where_output_goes(self._session, key_map))

    def _where_it_says_why(self) -> list[Piece]:
        """Return the console's key, if a program has failed and the console is hidden."""
        exit, key = self._session.exit, self._shown.key_map.key_of("focus_console")
        has_failed = self._session.status is Status.TERMINATED and exit is not None and exit.code
        is_seen = self._shown.console.display or not key
        return [] if is_seen or not has_failed else [(f"  {key} shows the output", "faint")]

    def note_event(self, entry: LogEntry) -> None:
        """Record which client resumed or paused the program, and how.

        Notices about an earlier state are removed.
        """
        self._shown.status.enter_state(self._session.status)
        event, origin = entry.event, entry.origin
        if isinstance(event, StatusChanged):
            self._asked_by = self._step = ""
        elif isinstance(event, PauseRequested):
            self._asked_by = f"{origin}: pause" if origin in PROGRAMS else ""
        elif isinstance(event, Continued) and (event.how or not self._asked_by):
            self._asked_by = f"{origin}: {event.how}" if origin in PROGRAMS else ""
            self._step = event.how if event.stepping and not self._asked_by else ""

    def show_notice(self, event: NoticeGiven) -> None:
        """Show a notice of the session with its key; the console has the full text."""
        text = event.text
        if text == self._session.exceptions.passed.told:
            way = self._shown.key_map.tell("edit_exceptions", "lets it stop there")
            text = text.partition(";")[0] + way if way else text
        severity = "hint" if event.severity == "information" else event.severity
        self._shown.status.show_hint(text, severity)
        if severity != "hint":  # the next hint replaces it
            self._shown.note_problem()

    def tell_recording(self, event: RecordingChanged) -> None:
        """Report that a program has recorded a call."""
        of_programs = (r.number for r in calls_of(self._session) if r.origin in PROGRAMS)
        if event.phase == "done" and event.number in of_programs:
            key = self._shown.key_map.key_of("record_call")
            way = f" (key {key} shows it)" if key else ""
            self._shown.status.show_hint(f"a call of {event.function} was recorded{way}")

    # Delayed pauses

    def expect_pause(self) -> None:
        """Explain a requested pause if it does not happen soon."""
        if self._pause_timer is not None:
            self._pause_timer.stop()
        self._pause_timer = self._shown.set_timer(PAUSE_PATIENCE, self._explain_pause)

    def _explain_pause(self) -> None:
        if self._session.status is Status.RUNNING:
            stops = self._session.profile.stops
            why = "the program has not stopped yet"
            if stops.pauses_need:
                why = f"it waits until {stops.pauses_need} runs ({stops.pauses_wait_in})"
            self._shown.status.show_hint(f"pausing… {why}", "warning")
            self._pause_explained = True

    def forget_pause(self) -> None:
        """Cancel the explanation: the pause has happened, or will not."""
        if self._pause_timer is not None:
            self._pause_timer.stop()
            self._pause_timer = None
        if self._pause_explained:
            self._pause_explained = False
            self._shown.status.clear_hint()
