"""The program's terminal among the panes: when it is shown, when it comes by itself and goes again.

A program that takes the screen, or reads keys, gets the whole place of the panes once it has run
for a moment; at a stop the panes are back as they were. A program that has asked for something
secret keeps the keys while it reads on, and for a moment after: the letters of somebody who types
must not become commands between two questions. The pane is made when it is first wanted: most
programs only print.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from tuidbg.session.events import Continued, Entry, StatusChanged, Stopped
from tuidbg.session.state import Status
from tuidbg.session.terminal.program_screen import Taken
from tuidbg.tui.console.pane import ConsoleInput
from tuidbg.tui.surface import Surface
from tuidbg.tui.wording import where_output_goes

if TYPE_CHECKING:
    from tuidbg.tui.terminal.pane import TerminalPane

COMES_AFTER = 0.3
"""Seconds that a program runs with the screen taken before it is shown: steps must not flicker."""

STAYS = 1.5
"""Seconds without a key, and without the program reading, after which its keys are given back."""

_GLANCE = 0.1
"""Seconds between two looks whether it reads."""

NAME = "terminal"

SECRET = "the program asks for something secret: it is not shown here"
"""Said while the person answers it in the console."""


class _Sight(NamedTuple):
    """The panes as they were before the terminal came."""

    maximised: str | None
    bottom: str
    tab: str
    focused: Widget | None


class ProgramTerminal:
    """Decides when its pane is shown, and who has the keys."""

    def __init__(self, ui: Surface) -> None:
        self._ui = ui
        self.shown: TerminalPane | None = None
        self._taken = Taken()
        self._sight: _Sight | None = None
        """Kept while the terminal stands in the place of all panes."""
        self._sent_away = False
        """The person did not want to see it this time."""
        self._coming: Timer | None = None
        self._came_for_secret = False
        self._staying: Timer | None = None
        self._needed = 0.0
        """When somebody typed to the program last, or it read."""
        self._keeps_size = False
        """It has been shown in full in this run: the program is not told of another size."""
        self._has_news = False

    def begin(self) -> None:
        """Follow the program and the session."""
        session = self._ui.session
        session.events.subscribers.add(self._note_event)
        session.program_screen.changed.append(self._note_program_screen)
        self._note_program_screen()

    def end(self) -> None:
        """Follow them no more."""
        session = self._ui.session
        session.events.subscribers.remove(self._note_event)
        session.program_screen.changed.remove(self._note_program_screen)
        session.program_screen.show(self._ui, False)

    # The pane

    def ready(self) -> TerminalPane:
        """The pane, made when it is wanted."""
        if self.shown is None:
            from tuidbg.tui.terminal.pane import TerminalPane

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
        """A pane is to have the keys: this one, or another which must be seen."""
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
        """Show it: in the place of all panes where the program has taken it, else among them."""
        if self._ui.session.program_screen.is_taken:
            self._bring_forward()
        else:
            self._ui.focus_pane(NAME)

    def leave(self) -> bool:
        """From the terminal back to the panes; False where it is not what is looked at."""
        if self.shown is None or self._ui.focused is not self.shown:
            return False
        if self._sight is not None:
            self._put_back()
            self._sent_away = self._ui.session.status is Status.RUNNING
        else:
            self._ui.focus_front("source")
        return True

    def _bring_forward(self) -> None:
        """The terminal in the place of all panes; the keys go to a program that runs."""
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
        """The panes as they were before the terminal came."""
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

    # What the program and the session do

    def _note_program_screen(self) -> None:
        """Something was drawn, or the program reads otherwise: called very often."""
        if not self._has_news:
            # Not at once: whoever calls may be older than the app, and timers need to know it.
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

    def _note_event(self, entry: Entry) -> None:
        if isinstance(entry.event, Stopped):
            self._ui.call_next(self._take_keys_back)
        if isinstance(entry.event, Stopped | Continued | StatusChanged):
            is_concerned = any(self._taken) or self._sight is not None
            self._ui.call_next(self._follow_program if is_concerned else self.show_state)

    def _take_keys_back(self) -> None:
        """The program stands: what is typed from now on would reach it later, and not tuidbg."""
        if self.typing is not None:
            self.typing.stop_typing()
            self._ui.status.show_hint("the program stands: the keys are tuidbg's again")

    def _follow_program(self) -> None:
        """See that the terminal comes, or goes."""
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
        """Tells whether it keeps the keys although it asks for nothing secret any more."""
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
        self._ui.status.show_hint(f"the program {what}: keys go to it, Ctrl+] takes them back")

    def _where_keys_go(self) -> str:
        if self._taken.secret and self._ui.focused is not None and self._ui.console.mode == "stdin":
            return SECRET
        key = self._ui.key_map.key_of("toggle_terminal")
        return f"the program waits for keys: {key} shows its terminal"

    def _is_busy_elsewhere(self) -> bool:
        """True in the middle of something that keys must not be taken from."""
        return self._ui.is_covered or isinstance(self._ui.focused, Input)

    # Its size, its title

    def room(self, at_console: tuple[int, int] | None) -> tuple[int, int] | None:
        """Columns and rows that the program has; what stands on it is not torn by a stop.

        As large as the pane, while that is shown; else what there is ``at_console``. None: as many
        as before.
        """
        pane, screen = self.shown, self._ui.session.program_screen
        self._keeps_size &= screen.is_alive
        is_torn = screen.is_taken and self._ui.session.status is Status.PAUSED
        if pane is None or not pane.display or not pane.size.width:
            is_kept = screen.is_taken or self._keeps_size
            return None if is_kept else at_console
        return None if is_torn else (max(20, pane.size.width), max(2, pane.size.height))

    def note_rearranged(self) -> None:
        """The pane may have come into sight."""
        if self.shown is not None:
            self.show_state()

    def show_state(self) -> None:
        """Say in the title above the pane who has the keys."""
        pane, title = self.shown, self._ui.body.shared_title
        if pane is None or self._ui.body.bottom != NAME:
            title.hint, title.hint_is_warning = "", False
            return
        if pane.is_typing:
            words = "Ctrl+] takes the keys back"
        elif self._ui.session.program_screen.is_alive:
            is_paused = self._ui.session.status is Status.PAUSED
            words = "it reads when it runs" if is_paused else "Enter types to the program"
            words += self._way_out()
        else:
            words = "there is no program on it" + self._way_out()
        title.hint = f"{words} · {pane.title}" if pane.title else words
        title.hint_is_warning = pane.is_typing

    def _way_out(self) -> str:
        key = self._ui.key_map.key_of("toggle_terminal")
        return f" · {key} goes back" if key else ""
