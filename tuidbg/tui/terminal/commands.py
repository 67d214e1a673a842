"""The program's terminal among the panes: when it is shown, when it comes by itself and goes again.

A program that takes the screen, or reads keys, gets the whole place of the panes once it has run
for a moment; at a stop the panes are back as they were. The pane is made when it is first wanted:
most programs only print.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from tuidbg.session.events import Continued, Entry, StatusChanged, Stopped
from tuidbg.session.session import Session
from tuidbg.session.state import Status
from tuidbg.session.terminal.program_screen import Taken
from tuidbg.tui.console.pane import ConsoleInput
from tuidbg.tui.frame.layout import Sizes
from tuidbg.tui.pane_screen import PaneScreen, TakesKeys

if TYPE_CHECKING:
    from tuidbg.tui.terminal.pane import TerminalPane

COMES_AFTER = 0.3
"""Seconds that a program runs with the screen taken before it is shown: steps must not flicker."""

_NAME = "terminal"


class _Sight(NamedTuple):
    """What was shown before the terminal came."""

    maximised: str | None
    bottom: str
    tab: str
    focused: Widget | None


class TerminalCommands(PaneScreen, is_part=True):
    """Adds the terminal of the program to the screen."""

    def __init__(self, session: Session, *, sizes: Sizes | None = None) -> None:
        super().__init__(session, sizes=sizes)
        self.program_pane: TerminalPane | None = None
        self._taken = Taken()
        self._sight: _Sight | None = None
        """Kept while the terminal stands in the place of all panes."""
        self._sent_away = False
        """The person did not want to see it this time."""
        self._coming: Timer | None = None
        self._came_for_secret = False
        self._keeps_size = False
        """It has been shown in full in this run: the program is not told of another size."""
        self._has_news = False

    def on_mount(self) -> None:
        self.session.events.subscribers.add(self._note_event)
        self.session.program_screen.changed.append(self._note_program_screen)
        self._note_program_screen()

    def on_unmount(self) -> None:
        self.session.events.subscribers.remove(self._note_event)
        self.session.program_screen.changed.remove(self._note_program_screen)
        self.session.program_screen.show(self, False)

    # The pane

    def ready_terminal(self) -> TerminalPane:
        """The pane, made when it is wanted."""
        if self.program_pane is None:
            from tuidbg.tui.terminal.pane import TerminalPane

            self.program_pane = pane = TerminalPane(
                self.session.program_screen,
                is_paused=lambda: self.session.status is Status.PAUSED,
                id=_NAME,
            )
            self.body.add_pane(pane)
        return self.program_pane

    @property
    def typing_pane(self) -> TakesKeys | None:
        """The pane, while all keys belong to the program."""
        pane = self.program_pane
        return pane if pane is not None and pane.is_typing and self.focused is pane else None

    def focus_pane(self, name: str) -> None:
        if name == _NAME:
            self.ready_terminal().empty = self._why_empty()
        elif self._sight is not None:
            self._put_back()
            self._sent_away = self.session.status is Status.RUNNING
        super().focus_pane(name)

    def _why_empty(self) -> str:
        session = self.session
        if session.program_place.elsewhere:
            return f"The program's terminal is {session.program_place.elsewhere}"
        if session.program_screen.is_alive:
            return ""
        return "No terminal: the program's output is in the console"

    def command_toggle_terminal(self) -> None:
        pane = self.program_pane
        if pane is not None and self.focused is pane:
            self.leave_terminal()
        elif self.session.program_screen.is_taken:
            self._bring_forward()
        else:
            self.focus_pane(_NAME)

    def leave_terminal(self) -> bool:
        """From the terminal back to the panes; False where it is not what is looked at."""
        if self.program_pane is None or self.focused is not self.program_pane:
            return False
        if self._sight is not None:
            self._put_back()
            self._sent_away = self.session.status is Status.RUNNING
        else:
            self.focus_front("source")
        return True

    def _bring_forward(self) -> None:
        """The terminal in the place of all panes; the keys go to a program that runs."""
        if self._sight is None:
            body = self.body
            self._sight = _Sight(body.maximised, body.bottom, body.tab, self.focused)
        self._came_for_secret = False
        self._keeps_size = True
        pane = self.ready_terminal()
        pane.empty = self._why_empty()
        self.show_news(_NAME, False)
        self.body.turn_to(maximised=_NAME, bottom=_NAME, tab=_NAME)
        self.set_focus(pane, scroll_visible=False)
        if self.session.status is Status.RUNNING:
            pane.action_type()

    def _put_back(self) -> None:
        """The panes as they were before the terminal came."""
        sight, self._sight = self._sight, None
        if sight is None:
            return
        had_keys = self.program_pane is not None and self.focused is self.program_pane
        if self.program_pane is not None:
            self.program_pane.stop_typing()
        self.status.clear_hint()
        self.body.turn_to(maximised=sight.maximised, bottom=sight.bottom, tab=sight.tab)
        if had_keys:
            self.set_focus(sight.focused or self.source, scroll_visible=False)

    # What the program and the session do

    def _note_program_screen(self) -> None:
        """Something was drawn, or the program reads otherwise: called very often."""
        if not self._has_news:
            # Not at once: whoever calls may be older than the app, and timers need to know it.
            self._has_news = True
            self.call_next(self._look_at_program_screen)

    def _look_at_program_screen(self) -> None:
        self._has_news = False
        if self.program_pane is not None:
            self.program_pane.screen_changed()
        taken = self.session.program_screen.taken
        if taken != self._taken:
            self._taken = taken
            self._follow_program()

    def _note_event(self, entry: Entry) -> None:
        is_concerned = any(self._taken) or self._sight is not None
        if is_concerned and isinstance(entry.event, Stopped | Continued | StatusChanged):
            self.call_next(self._follow_program)

    def _follow_program(self) -> None:
        """See that the terminal comes, or goes."""
        taken = any(self._taken)
        if self._sight is not None and not taken and not self._came_for_secret:
            taken = self.session.program_screen.is_alive  # it may only ask something in between
        self.query_one(ConsoleInput).set_secret(self._taken.secret)
        if not taken or self.session.status is not Status.RUNNING:
            self._sent_away = False
            self.show_news(_NAME, False)
            if self._coming is not None:
                self._coming.stop()
                self._coming = None
            self._put_back()
        elif self._sight is None and self._coming is None and not self._sent_away:
            self._coming = self.set_timer(COMES_AFTER, self._come)
        elif self._sight is not None:
            self._resize_terminal()

    def _come(self) -> None:
        self._coming = None
        if not any(self._taken) or self.session.status is not Status.RUNNING:
            return
        self.body.list_panes(_NAME)
        if self._is_busy_elsewhere():
            self.show_news(_NAME, True)
            self.status.show_hint(self._where_keys_go())
            return
        self._bring_forward()
        self._came_for_secret = not (self._taken.screen or self._taken.keys)
        what = "asks for something secret" if self._taken.secret else "has taken the screen"
        self.status.show_hint(f"the program {what}: keys go to it, Ctrl+] takes them back")

    def _where_keys_go(self) -> str:
        if self._taken.secret and self.focused is not None and self.console.mode == "stdin":
            return "the program asks for something secret: it is not shown here"
        key = self.key_map.key_of("toggle_terminal")
        return f"the program waits for keys: {key} shows its terminal"

    def _is_busy_elsewhere(self) -> bool:
        """Whether the person is in the middle of something that keys must not be taken from."""
        return self.app.screen is not self or isinstance(self.focused, Input)

    # Its size, its title

    def _terminal_room(self) -> tuple[int, int] | None:
        """As large as its pane, while that is shown; what stands on it is not torn by a stop."""
        pane, screen = self.program_pane, self.session.program_screen
        self._keeps_size &= screen.is_alive
        is_torn = screen.is_taken and self.session.status is Status.PAUSED
        if pane is None or not pane.display or not pane.size.width:
            is_kept = screen.is_taken or self._keeps_size
            return None if is_kept else super()._terminal_room()
        return None if is_torn else (max(20, pane.size.width), max(2, pane.size.height))

    def on_terminal_pane_resized(self) -> None:
        self._resize_terminal()
        self._show_terminal_state()

    def on_terminal_pane_changed(self) -> None:
        self._show_terminal_state()

    def on_body_rearranged(self) -> None:
        if self.program_pane is not None:
            self._show_terminal_state()

    def _show_terminal_state(self) -> None:
        """Say in the title above the pane who has the keys."""
        pane, title = self.program_pane, self.body.shared_title
        if pane is None or self.body.bottom != _NAME:
            title.hint, title.hint_is_warning = "", False
            return
        if pane.is_typing:
            words = "Ctrl+] takes the keys back"
        elif self.session.program_screen.is_alive:
            words = "Enter types to the program" + self._way_out()
        else:
            words = "there is no program on it" + self._way_out()
        title.hint = f"{words} · {pane.title}" if pane.title else words
        title.hint_is_warning = pane.is_typing

    def _way_out(self) -> str:
        key = self.key_map.key_of("toggle_terminal")
        return f" · {key} goes back" if key else ""

    def on_terminal_pane_refused(self, event: TerminalPane.Refused) -> None:
        """Say why a key was not passed on."""
        self.status.show_hint(event.why, "warning")
