"""The terminal pane: the program's screen as a terminal shows it, and the keys that go to it.

While somebody types to the program every key is its own, but one (``LEAVE_KEY``). Otherwise the
pane is one like the others, for looking and scrolling back. It paints lines, and of those only the
ones that changed, at most so many times a second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from tuidbg.session.terminal.emulator import Row
from tuidbg.session.terminal.program_screen import ProgramScreen
from tuidbg.tui.frame.lazy_styles import LazyStyles
from tuidbg.tui.frame.legible import Legible
from tuidbg.tui.keys.modes import Hint, Mode, given
from tuidbg.tui.terminal.keys import WHEEL_DOWN, WHEEL_UP, encode_key, encode_paste
from tuidbg.tui.terminal.mouse import MouseReports
from tuidbg.tui.terminal.strips import RowStrips, selected_text, with_cursor
from tuidbg.tui.widgets.pacing import Pacing
from tuidbg.tui.widgets.strips import with_selection

if TYPE_CHECKING:
    from textual.filter import LineFilter

LEAVE_KEY = "ctrl+right_square_bracket"
"""As telnet has it: tmux passes it on, and few programs know it."""

FRAME = 1 / 60
"""Seconds between two paintings."""

_MIDWAY_LIMIT = 6
"""Paintings that a program may hold back in the middle of a change."""

_WHEEL_LINES = 3

_TYPING = "typing to the program"
_SIGNAL_KEYS = ("ctrl+c", "ctrl+backslash", "ctrl+z")


class TerminalPane(LazyStyles, ScrollView, can_focus=True):
    """The screen of a program and what has scrolled out of it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "type", show=False),
        Binding("i", "type(True)", show=False),
        Binding(LEAVE_KEY, "send_leave_key", show=False),
        Binding("up", "look(-1)", show=False),
        Binding("down", "look(1)", show=False),
        Binding("pageup", "look_page(-1)", show=False),
        Binding("pagedown", "look_page(1)", show=False),
        Binding("home", "look_first", show=False),
        Binding("end", "look_last", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"terminal--faint", "terminal--hint"}
    DEFAULT_CSS = """
    TerminalPane {
        overflow: hidden hidden;
        scrollbar-size: 0 0;
        background: $background;
        color: $foreground;
    }
    TerminalPane > .terminal--faint { color: $text-muted; }
    TerminalPane > .terminal--hint { background: $primary 40%; }
    """

    is_typing: reactive[bool] = reactive(False)
    """Tells whether the keys go to the program."""

    class Resized(Message):
        """The pane has another size now, or is shown, or no more."""

    class Changed(Message):
        """Tells that what is to be said of the pane has changed: title, typing or not."""

    class Refused(Message):
        """A key was not passed on; ``why`` is a sentence."""

        def __init__(self, why: str) -> None:
            super().__init__()
            self.why = why

    def __init__(
        self, screen: ProgramScreen, *, is_paused: Callable[[], bool], id: str | None = None
    ) -> None:
        """``is_paused`` tells whether the debugger holds the program."""
        super().__init__(id=id)
        self.program = screen
        self._is_paused = is_paused
        self.empty = ""
        """Holds what to say where nothing stands on it."""
        self.typed_at = 0.0
        """When somebody typed to the program last (``time.monotonic``)."""
        self._back = 0
        """Lines that the person has scrolled back."""
        self._hinted = False
        self._end = 0
        self._painted: dict[int, tuple[Row, int]] = {}
        self._strips = RowStrips()
        self._pacing = Pacing(self.set_timer, FRAME, self._update)
        self._midway = 0
        self._title = ""
        self._bells = 0
        self.mouse = MouseReports(screen)

    # What the screen uses

    @property
    def title(self) -> str:
        """Returns what the program calls its window."""
        return self._title

    def screen_changed(self) -> None:
        """The program has drawn. Cheap to call: paintings are put together when there are many."""
        self._pacing.ask()

    def _update(self) -> bool:
        if not (self.is_mounted and self.display and self.size):
            return False
        emulator = self.program.emulator
        if emulator.is_midway and self._midway < _MIDWAY_LIMIT:
            self._midway += 1
            self._pacing.ask_again()
            return True
        self._midway = 0
        if self._back:  # what the person reads stays where it is
            self._back += emulator.end_number - self._end
            self._back = max(0, min(self._back, self._most_back))
        self._end = emulator.end_number
        if emulator.title != self._title:
            self._title = emulator.title
            self.post_message(self.Changed())
        if emulator.bells != self._bells:
            self._bells = emulator.bells
            self.app.bell()
        self._repaint()
        return True

    def watch_is_typing(self) -> None:
        self._repaint()
        self.refresh_bindings()
        self.post_message(self.Changed())

    # Where things are

    @property
    def _top(self) -> int:
        """The number of the line at the top of the pane."""
        emulator = self.program.emulator
        rows = emulator.size[1]
        top = emulator.top_number
        if rows > self.size.height:  # smaller than the program thinks: where the cursor is
            cursor = emulator.cursor
            last = cursor[1] if cursor is not None else emulator.end_number - 1
            top = max(top, min(last, emulator.end_number - 1) - self.size.height + 1)
        return max(emulator.first_number, top - self._back)

    @property
    def _most_back(self) -> int:
        emulator = self.program.emulator
        return max(0, emulator.end_number - emulator.first_number - self.size.height)

    def _scroll_back(self, lines: int) -> None:
        self._back = max(0, min(lines, self._most_back))
        self._repaint()

    def action_look(self, lines: int) -> None:
        """Scroll by so many lines."""
        self._scroll_back(self._back - lines)

    def action_look_page(self, pages: int) -> None:
        """Scroll by a page."""
        self._scroll_back(self._back - pages * max(1, self.size.height - 1))

    def action_look_first(self) -> None:
        """To the oldest line."""
        self._scroll_back(self._most_back)

    def action_look_last(self) -> None:
        """To what the program shows now."""
        self._scroll_back(0)

    def on_resize(self) -> None:
        self._forget_painted()
        self.post_message(self.Resized())
        self.screen_changed()

    def on_show(self) -> None:
        self.program.show(self.screen, True)
        self._forget_painted()
        self.post_message(self.Resized())
        self.screen_changed()

    def on_hide(self) -> None:
        if not self.display:  # else it was so when it was made
            self.program.show(self.screen, False)
            self.is_typing = False

    # Painting

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()
        self._painted.clear()

    def selection_updated(self, selection: Selection | None) -> None:
        self._forget_painted()

    def _forget_painted(self) -> None:
        self._painted.clear()
        self.refresh()

    def _state_of(self, number: int) -> tuple[Row, int]:
        """All that the picture of a line depends on: its text, and the cursor's column or -1."""
        cursor = self.program.emulator.cursor
        at = cursor[0] if cursor is not None and cursor[1] == number else -1
        return self.program.emulator.line(number), at

    def _repaint(self) -> None:
        """Have those rows painted again that are not what they were."""
        if not self.is_mounted or not self.display or not self.size:
            return
        width, top = self.size.width, self._top
        regions = [
            Region(0, y, width, 1)
            for y in range(self.size.height)
            if self._painted.get(y) != self._state_of(top + y)
        ]
        hint_row = Region(0, self.size.height - 1, width, 1)
        if (self._back and hint_row not in regions) or (not self._back and self._hinted):
            regions.append(hint_row)
        if regions:
            self.refresh(*regions)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The program's colours are its own, whether they can be read or not."""
        return [one for one in super().get_line_filters() if not isinstance(one, Legible)]

    def render_line(self, y: int) -> Strip:
        base, width, number = self.rich_style, self.size.width, self._top + y
        state = self._painted[y] = self._state_of(number)
        row, cursor = state
        if not row and not self._has_anything and y == 0:
            faint = self.get_component_rich_style("terminal--faint")
            return Strip([Segment(f" {self.empty}", faint)]).adjust_cell_length(width, base)
        strip = self._strips.of(row, base, inverted=self.program.emulator.is_inverted)
        strip = with_selection(self, strip, number)
        strip = strip.adjust_cell_length(width, base)
        if 0 <= cursor < width and self.program.is_alive:
            strip = with_cursor(strip, cursor, is_block=self.is_typing)
        if self._back and y == self.size.height - 1:
            strip = self._with_hint(strip)
        if y == self.size.height - 1:
            self._hinted = bool(self._back)
        return strip.apply_offsets(0, number)

    @property
    def _has_anything(self) -> bool:
        emulator = self.program.emulator
        numbers = range(emulator.first_number, emulator.end_number)
        return self.is_typing or self.program.is_taken or any(map(emulator.line, numbers))

    def _with_hint(self, strip: Strip) -> Strip:
        text = f" {self._back:,} lines back · End "
        hint = Segment(text, self.get_component_rich_style("terminal--hint"))
        start = max(0, self.size.width - len(text))
        return Strip([*strip.crop(0, start), hint]).crop(0, self.size.width)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selected_text(self.program.emulator, selection)

    # Keys

    @property
    def key_mode(self) -> Mode:
        """All keys are the program's, but one; else those of a pane."""
        if self.is_typing:
            return Mode("program", _TYPING, (Hint(LEAVE_KEY, "takes the keys back"),))
        hints = [given("toggle_terminal", "back")]
        if self.program.is_alive:
            hints.insert(0, Hint("i", "type ahead") if self._is_paused() else Hint("enter", "type"))
        return Mode(hints=hints)

    def action_type(self, ahead: bool = False) -> None:
        """Give the keys to the program; to one that stands only who wants to type ``ahead``."""
        if not self.program.is_alive:
            self.post_message(self.Refused("there is no program to type to"))
        elif self._is_paused() and not ahead:
            self.post_message(self.Refused("the program stands, and reads nothing before it runs"))
        else:
            self._back = 0
            self.is_typing = True
            self._tell_focus(True)

    def stop_typing(self) -> None:
        """The keys are the debugger's again."""
        if self.is_typing:
            self._tell_focus(False)
        self.is_typing = False

    def action_send_leave_key(self) -> None:
        """The one key that can't be typed otherwise; a program that is paused reads none."""
        if not self._is_paused():
            self.action_type()
        if self.is_typing:
            self._send(b"\x1d")

    def type_key(self, event: events.Key) -> None:
        """A key that was pressed while the program has the keys."""
        if event.key == LEAVE_KEY:
            self.stop_typing()
            return
        if not self.program.is_alive:
            self.is_typing = False
            return
        if self._is_paused() and event.key in _SIGNAL_KEYS:
            # It would hit the debugger's own wait and end the program.
            self.post_message(self.Refused("the program is paused: such a key would end it"))
            return
        self._send(encode_key(event.key, event.character, self.program.modes))

    def _send(self, data: bytes) -> None:
        if data:
            if self._back:
                self._scroll_back(0)
            self.typed_at = monotonic()
            self.program.type(data)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if self.is_typing:
            self._send(encode_paste(event.text, self.program.modes))

    def on_focus(self) -> None:
        if self.is_typing:
            self._tell_focus(True)

    def on_blur(self) -> None:
        if self.app.app_focus:
            self.stop_typing()
        else:  # another window has the keys for now
            self._tell_focus(False)

    def _tell_focus(self, focused: bool) -> None:
        modes = self.program.modes
        if modes is not None and modes.focus:
            self.program.type(b"\x1b[I" if focused else b"\x1b[O")

    # The mouse

    @property
    def allow_select(self) -> bool:
        """A drag is a selection unless the program wants to know of it."""
        return not self.mouse.mode

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if not self.is_typing and self.mouse.mode:
            self.action_type()
        if self.is_typing and self.mouse.mode:
            self.capture_mouse()
            self.mouse.press(event, self._top)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self.mouse.is_pressed:
            self.release_mouse()
            self.mouse.release(event, self._top)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self.is_typing:
            self.mouse.move(event, self._top)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._turn_wheel(event, WHEEL_UP, 1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._turn_wheel(event, WHEEL_DOWN, -1)

    def _turn_wheel(self, event: events.MouseEvent, button: int, back: int) -> None:
        event.stop()
        event.prevent_default()
        if self.is_typing and self.mouse.mode:
            self.mouse.report(event, button, self._top)
        elif self.is_typing and self.program.emulator.is_alternate:
            key = "up" if back > 0 else "down"  # as xterm does for pagers
            self._send(encode_key(key, None, self.program.modes) * _WHEEL_LINES)
        else:
            self._scroll_back(self._back + back * _WHEEL_LINES)
