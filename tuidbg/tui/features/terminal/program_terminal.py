"""The program's terminal among the panes: when it appears and disappears automatically.

A program that uses the full screen, or reads keys, gets the place of all panes once it has run for
a moment; at a stop the panes return as they were. A program that has asked for a password keeps the
keys while it reads on, and for a moment after: letters typed by the user must not become commands
between two questions. The pane is created on demand: most programs only print.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from tuidbg.session.core.terminal.program_screen import Taken
from tuidbg.session.model.events import Continued, LogEntry, StatusChanged, Stopped
from tuidbg.session.model.state import Status
from tuidbg.tui.panes.console.console_pane import ConsoleInput
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import ScreenFeature
from tuidbg.tui.toolkit.wording import where_output_goes

if TYPE_CHECKING:
    from tuidbg.tui.features.terminal.pane import TerminalPane

COMES_AFTER = 0.3
"""Seconds in full-screen mode before the terminal is shown: steps must not flicker."""

STAYS = 1.5
"""Seconds without a key, and without a read by the program, before the focus is returned."""

_GLANCE = 0.1
"""Seconds between two checks whether it reads."""

NAME = "terminal"

SECRET = "the program asks for something secret: it is not shown here"
"""Shown while the user answers it in the console."""


class _Sight(NamedTuple):
    """The layout before the terminal appeared."""

    maximised: str | None
    bottom: str
    tab: str
    focused: Widget | None


class ProgramTerminal(ScreenFeature):
    """The logic of the terminal pane's visibility and focus."""

    def __init__(self, ui: Context) -> None:
        super().__init__(ui)
        self.shown: TerminalPane | None = None
        self._taken = Taken()
        self._sight: _Sight | None = None
        """The saved layout while the terminal replaces all panes."""
        self._sent_away = False
        """The user has hidden it this time."""
        self._coming: Timer | None = None
        self._came_for_secret = False
        self._staying: Timer | None = None
        self._needed = 0.0
        """When a key was last sent to the program, or it last read."""
        self._keeps_size = False
        """It has been shown in full size in this run: the program gets no other size."""
        self._has_news = False

    def begin(self) -> None:
        """Follow the program and the session."""
        session = self._ui.session
        session.events.subscribers.add(self._note_event)
        session.program_screen.changed.append(self._note_program_screen)
        self._note_program_screen()

    def end(self) -> None:
        """Stop following them."""
        session = self._ui.session
        session.events.subscribers.remove(self._note_event)
        session.program_screen.changed.remove(self._note_program_screen)
        session.program_screen.show(self._ui, False)

    # The pane

    def ready(self) -> TerminalPane:
        """Return the pane, created on demand."""
        if self.shown is None:
            from tuidbg.tui.features.terminal.pane import TerminalPane

            self.shown = pane = TerminalPane(
                self._ui.session.program_screen,
                is_paused=lambda: self._ui.session.status is Status.PAUSED,
                id=NAME,
            )
            self._ui.body.add_pane(pane)
        return self.shown

    @property
    def typing(self) -> TerminalPane | None:
        """The pane, while all keys belong to the program."""
        pane = self.shown
        return pane if pane is not None and pane.is_typing and self._ui.focused is pane else None

    def note_focus(self, name: str) -> None:
        """Handle a focus request for this pane, or for another one, which must be visible."""
        if name == NAME:
            self.ready().empty = self._why_empty()
        elif self._sight is not None:
            self._put_back()
            self._sent_away = self._ui.session.status is Status.RUNNING

    def _why_empty(self) -> str:
        session = self._ui.session
        place = where_output_goes(session, self._ui.key_map)
        if not place and session.program_screen.is_alive:
            return "Nothing is written here yet"
        place = place or "the program's output is in the console"
        return f"No terminal here: {place}"

    def come_or_focus(self) -> None:
        """Show it: in place of all panes if the program uses the full screen, else among them."""
        if self._ui.session.program_screen.is_taken:
            self._bring_forward()
        else:
            self._ui.focus_pane(NAME)

    def leave(self) -> bool:
        """Return from the terminal to the panes; False if the terminal is not shown."""
        if self.shown is None or self._ui.focused is not self.shown:
            return False
        if self._sight is not None:
            self._put_back()
            self._sent_away = self._ui.session.status is Status.RUNNING
        else:
            self._ui.focus_front("source")
        return True

    def _bring_forward(self) -> None:
        """Show the terminal in place of all panes; a running program gets the keys."""
        if self._sight is None:
            body = self._ui.body
            self._sight = _Sight(body.maximised, body.bottom, body.tab, self._ui.focused)
        self._came_for_secret = False
        self._keeps_size = True
        pane = self.ready()
        pane.empty = self._why_empty()
        self._ui.show_news(NAME, False)
        self._ui.body.turn_to(maximised=NAME, bottom=NAME, tab=NAME)
        self._ui.set_focus(pane, scroll_visible=False)
        if self._ui.session.status is Status.RUNNING:
            pane.action_type()

    def _put_back(self) -> None:
        """Restore the layout before the terminal appeared."""
        sight, self._sight = self._sight, None
        if self._staying is not None:
            self._staying.stop()
            self._staying = None
        if sight is None:
            return
        had_keys = self.shown is not None and self._ui.focused is self.shown
        if self.shown is not None:
            self.shown.stop_typing()
        self._ui.status.clear_hint()
        self._ui.body.turn_to(maximised=sight.maximised, bottom=sight.bottom, tab=sight.tab)
        if had_keys:
            self._ui.set_focus(sight.focused or self._ui.source, scroll_visible=False)

    # Events of the program and the session

    def _note_program_screen(self) -> None:
        """Handle output, or a change in reading: called very often."""
        if not self._has_news:
            # Not immediately: the caller may predate the app, and timers need its context.
            self._has_news = True
            self._ui.call_next(self._look_at_program_screen)

    def _look_at_program_screen(self) -> None:
        self._has_news = False
        if self.shown is not None:
            self.shown.screen_changed()
        taken = self._ui.session.program_screen.taken
        if taken != self._taken:
            self._taken = taken
            self._follow_program()

    def _note_event(self, entry: LogEntry) -> None:
        if isinstance(entry.event, Stopped):
            self._ui.call_next(self._take_keys_back)
        if isinstance(entry.event, Stopped | Continued | StatusChanged):
            is_concerned = any(self._taken) or self._sight is not None
            self._ui.call_next(self._follow_program if is_concerned else self.show_state)

    def _take_keys_back(self) -> None:
        """Return the focus at a stop: keys typed now would reach the program later, not tuidbg."""
        if self.typing is not None:
            self.typing.stop_typing()
            self._ui.status.show_hint("the program has stopped: keys go to tuidbg again")

    def _follow_program(self) -> None:
        """Show or hide the terminal as the program requires."""
        taken = any(self._taken)
        if self._sight is not None and not taken:
            if not self._came_for_secret:  # it may only ask something in between
                taken = self._ui.session.program_screen.is_alive
            else:
                taken = self._stays()
        self._ui.console.query_one(ConsoleInput).set_secret(self._taken.secret)
        if not self._taken.secret:
            self._ui.status.clear_hint(SECRET)
        if not taken or self._ui.session.status is not Status.RUNNING:
            self._sent_away = False
            self._ui.show_news(NAME, False)
            if self._coming is not None:
                self._coming.stop()
                self._coming = None
            was_asked = self._sight is not None and self._ui.session.status is Status.RUNNING
            self._put_back()
            if was_asked:
                self._ui.status.show_hint("the program reads no more: the keys are tuidbg's again")
        elif self._sight is None and self._coming is None and not self._sent_away:
            self._coming = self._ui.set_timer(COMES_AFTER, self._come)
        elif self._sight is not None:
            self._ui.fit_terminal()

    def _stays(self) -> bool:
        """Return whether it keeps the keys although the password prompt is over."""
        pane, session, now = self.shown, self._ui.session, monotonic()
        if pane is None or not pane.is_typing or session.status is not Status.RUNNING:
            return False
        if self._staying is None or session.terminal_io.is_awaited:
            self._needed = now
        if self._staying is not None:
            self._staying.stop()
        stays = now < max(self._needed, pane.typed_at) + STAYS
        if stays:
            self._staying = self._ui.set_timer(_GLANCE, self._follow_program)
        return stays

    def _come(self) -> None:
        self._coming = None
        if not any(self._taken) or self._ui.session.status is not Status.RUNNING:
            return
        self._ui.body.list_panes(NAME)
        if self._is_busy_elsewhere():
            self._ui.show_news(NAME, True)
            self._ui.status.show_hint(self._where_keys_go())
            return
        self._bring_forward()
        self._came_for_secret = not (self._taken.screen or self._taken.keys)
        what = "asks for something secret" if self._taken.secret else "has taken the screen"
        self._ui.status.show_hint(f"the program {what}: keys go to it, Ctrl+] back to tuidbg")

    def _where_keys_go(self) -> str:
        if self._taken.secret and self._ui.focused is not None and self._ui.console.mode == "stdin":
            return SECRET
        key = self._ui.key_map.key_of("toggle_terminal")
        return f"the program waits for keys: {key} shows its terminal"

    def _is_busy_elsewhere(self) -> bool:
        """Return whether the focused widget must keep the keys."""
        return self._ui.is_covered or isinstance(self._ui.focused, Input)

    # Size and title

    def room(self, at_console: tuple[int, int] | None) -> tuple[int, int] | None:
        """Return the program's columns and rows; a stop must not break its screen.

        The size of the pane while it is shown; else the size ``at_console``. None: unchanged.
        """
        pane, screen = self.shown, self._ui.session.program_screen
        self._keeps_size &= screen.is_alive
        is_torn = screen.is_taken and self._ui.session.status is Status.PAUSED
        if pane is None or not pane.display or not pane.size.width:
            is_kept = screen.is_taken or self._keeps_size
            return None if is_kept else at_console
        return None if is_torn else (max(20, pane.size.width), max(2, pane.size.height))

    def note_rearranged(self) -> None:
        """Update after a layout change, which may have shown the pane."""
        if self.shown is not None:
            self.show_state()

    def show_state(self) -> None:
        """Show in the pane's title where the keys go."""
        pane, title = self.shown, self._ui.body.shared_title
        if pane is None or self._ui.body.bottom != NAME:
            title.hint, title.hint_is_warning = "", False
            return
        if pane.is_typing:
            words = "Ctrl+] back to tuidbg"
        elif self._ui.session.program_screen.is_alive:
            is_paused = self._ui.session.status is Status.PAUSED
            words = "input is read once it runs" if is_paused else "Enter types to the program"
            words += self._way_out()
        else:
            words = "there is no program on it" + self._way_out()
        title.hint = f"{words} · {pane.title}" if pane.title else words
        title.hint_is_warning = pane.is_typing

    def _way_out(self) -> str:
        key = self._ui.key_map.key_of("toggle_terminal")
        return f" · {key} back" if key else ""
