"""The terminal pane: the program's screen in a terminal emulator, and its keyboard input.

While the user types to the program every key is its own, but one (``LEAVE_KEY``). Otherwise the
pane is for viewing and scrolling back. It paints only changed lines, at a limited rate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from tuidbg.session.core.terminal.emulator import Modes, Row
from tuidbg.session.core.terminal.program_screen import ProgramScreen
from tuidbg.tui.toolkit.keys.key_map import key_of_character
from tuidbg.tui.toolkit.keys.key_reader import Hint, Mode, given
from tuidbg.tui.toolkit.theme.lazy_styles import LazyStyles
from tuidbg.tui.toolkit.theme.legible import Legible
from tuidbg.tui.toolkit.widgets.log_view import sgr_style
from tuidbg.tui.toolkit.widgets.pacing import RateLimit
from tuidbg.tui.toolkit.widgets.rows import with_selection

if TYPE_CHECKING:
    from textual.filter import LineFilter

    from tuidbg.session.core.terminal.emulator import Emulator

_FIXED = {
    "enter": "\r",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "escape": "\x1b",
    "space": " ",
    "backspace": "\x7f",
    "ctrl+backspace": "\x08",
    "ctrl+@": "\x00",
    "ctrl+space": "\x00",
    "ctrl+slash": "\x1f",
    "ctrl+question_mark": "\x7f",
    "ctrl+enter": "\r",
    "shift+enter": "\r",
    "shift+\r": "\r",
}
_LETTERED = {
    "up": "A",
    "down": "B",
    "right": "C",
    "left": "D",
    "end": "F",
    "home": "H",
    "f1": "P",
    "f2": "Q",
    "f3": "R",
    "f4": "S",
}
_NUMBERED = {
    "insert": 2,
    "delete": 3,
    "pageup": 5,
    "pagedown": 6,
    **dict(zip([f"f{n}" for n in range(5, 13)], (15, 17, 18, 19, 20, 21, 23, 24), strict=True)),
    **dict(zip([f"f{n}" for n in range(13, 21)], (25, 26, 28, 29, 31, 32, 33, 34), strict=True)),
}
_MODIFIERS = {"shift": 1, "alt": 2, "ctrl": 4}
_CONTROL_DIGITS = {"2": "\x00", "3": "\x1b", "4": "\x1c", "5": "\x1d", "6": "\x1e", "7": "\x1f"}

PASTE_BEGIN, PASTE_END = "\x1b[200~", "\x1b[201~"


def encode_key(key: str, character: str | None, modes: Modes | None) -> bytes:
    """Return the bytes of a key by its Textual name; empty for one that a terminal can't send."""
    return _encode(key, character, modes is not None and modes.application_cursor).encode()


def _encode(key: str, character: str | None, application: bool) -> str:
    if key in _FIXED:
        return _FIXED[key]
    *held, base = key.split("+")
    if "alt" in held and (rest := key.replace("alt+", "", 1)) in _FIXED:
        return "\x1b" + _FIXED[rest]
    modifier = 1 + sum(_MODIFIERS.get(name, 0) for name in set(held))
    if base in _LETTERED:
        return _lettered(_LETTERED[base], modifier, base[0] == "f" or application)
    if base in _NUMBERED:
        number = _NUMBERED[base]
        return f"\x1b[{number}~" if modifier == 1 else f"\x1b[{number};{modifier}~"
    escape = "\x1b" if "alt" in held else ""
    if "ctrl" in held:
        control = _control(base)
        return escape + control if control else ""
    plain = character if character and character.isprintable() and not held else _character_of(base)
    if "shift" in held and len(plain) == 1:
        plain = plain.upper()
    return escape + plain if plain else ""


def _lettered(letter: str, modifier: int, application: bool) -> str:
    if modifier != 1:
        return f"\x1b[1;{modifier}{letter}"
    return f"\x1bO{letter}" if application else f"\x1b[{letter}"


def _control(base: str) -> str:
    """Return the control character of a key pressed with Ctrl."""
    if base in _CONTROL_DIGITS:
        return _CONTROL_DIGITS[base]
    character = _character_of(base)
    return chr(ord(character.upper()) & 0x1F) if "?" < character.upper() <= "_" else ""


def _character_of(base: str) -> str:
    """Return the character of a key name: itself, or that of ``exclamation_mark``."""
    return base if len(base) == 1 else _named_characters().get(base, "")


@cache
def _named_characters() -> Mapping[str, str]:
    return {key_of_character(character): character for character in map(chr, range(0x20, 0x7F))}


def encode_paste(text: str, modes: Modes | None) -> bytes:
    """Return the bytes of a paste, bracketed if the program has requested that."""
    text = text.replace("\r\n", "\r").replace("\n", "\r").replace("\x1b", "")
    if modes is not None and modes.bracketed_paste:
        text = PASTE_BEGIN + text + PASTE_END
    return text.encode("utf-8", "replace")


# The mouse

WHEEL_UP, WHEEL_DOWN = 64, 65
RELEASED = 3
MOVED = 32


def encode_mouse(
    button: int, column: int, row: int, modes: Modes, *, released: bool = False, held: int = 0
) -> bytes:
    """Return the bytes of a mouse event at a cell, counted from 0.

    ``button``: 0 left, 1 middle, 2 right, or a wheel. ``held`` are the modifiers in the protocol's
    bits (4 shift, 8 alt, 16 ctrl), and ``MOVED``.
    """
    if modes.mouse_by_sgr:
        end = "m" if released else "M"
        return f"\x1b[<{button | held};{column + 1};{row + 1}{end}".encode()
    if column > 222 or row > 222:
        return b""  # the old protocol can't encode that
    code = (RELEASED if released else button) | held
    return b"\x1b[M" + bytes((32 + code, 33 + column, 33 + row))


_NOTHING_HELD = 3
"""The button of a movement without one."""


class MouseReports:
    """Mouse reports to a program.

    ``top`` is always the number of the line at the top of the visible part.
    """

    def __init__(self, program: ProgramScreen) -> None:
        self._program = program
        self._button = 0
        self._at = (-1, -1)

    @property
    def mode(self) -> int:
        """The program's requested mouse mode (see ``Modes.mouse``); 0 if there is none."""
        modes = self._program.modes
        return modes.mouse if modes is not None and self._program.is_alive else 0

    @property
    def is_pressed(self) -> bool:
        """Whether a button is held whose press was reported."""
        return self._button > 0

    def press(self, event: events.MouseDown, top: int) -> None:
        """Report a button press."""
        self._button = event.button
        self.report(event, event.button - 1, top)

    def release(self, event: events.MouseUp, top: int) -> None:
        """Report a button release."""
        button, self._button = self._button, 0
        if self.mode > 9:
            self.report(event, button - 1, top, released=True)

    def move(self, event: events.MouseMove, top: int) -> None:
        """Report a movement."""
        if self._button and self.mode >= 1002:
            self.report(event, self._button - 1, top, moved=True)
        elif self.mode == 1003:
            self.report(event, _NOTHING_HELD, top, moved=True)

    def report(
        self,
        event: events.MouseEvent,
        button: int,
        top: int,
        *,
        released: bool = False,
        moved: bool = False,
    ) -> None:
        """Report a button, counted from 0, or the wheel; movements only to other cells."""
        modes, emulator = self._program.modes, self._program.emulator
        if modes is None:
            return
        event.stop()
        columns, rows = emulator.size
        column = max(0, min(int(event.x), columns - 1))
        row = max(0, min(int(event.y) + top - emulator.top_number, rows - 1))
        if moved and (column, row) == self._at:
            return
        self._at = (column, row)
        held = 4 * event.shift + 8 * event.meta + 16 * event.ctrl + MOVED * moved
        self._program.type(encode_mouse(button, column, row, modes, released=released, held=held))


_KEPT = 512


class RowStrips:
    """Cached strips of rows."""

    def __init__(self) -> None:
        self._made: dict[Row, Strip] = {}

    def clear(self) -> None:
        """Clear the cache: the style has changed."""
        self._made.clear()

    def of(self, row: Row, base: Style, *, inverted: bool) -> Strip:
        """Return the strip of a row, over ``base``; ``inverted``: all in reverse."""
        strip = self._made.get(row)
        if strip is None:
            segments = [Segment(text, base + sgr_style(sgr) if sgr else base) for text, sgr in row]
            if inverted:
                segments = list(Segment.apply_style(segments, post_style=Style(reverse=True)))
            if len(self._made) > _KEPT:
                self._made.clear()
            strip = self._made[row] = Strip(segments)
        return strip


def with_cursor(strip: Strip, column: int, *, is_block: bool) -> Strip:
    """Return the strip with the cursor on it: a block, else a line below the character."""
    look = Style(reverse=True) if is_block else Style(underline=True, bold=True)
    before, under, behind = strip.divide([column, column + 1, strip.cell_length])
    if not under.cell_length:  # the second half of a wide character
        return strip
    return Strip.join([before, under.apply_style(look), behind])


def selected_text(emulator: Emulator, selection: Selection) -> tuple[str, str] | None:
    """Return the selected text, and its line ending; None if nothing is selected."""
    parts: list[str] = []
    for number in range(emulator.first_number, emulator.end_number):
        if (span := selection.get_span(number)) is not None:
            text = "".join(piece for piece, _ in emulator.line(number))
            parts.append(text[span[0] : None if span[1] < 0 else span[1]].rstrip())
    return ("\n".join(parts), "\n") if parts else None


LEAVE_KEY = "ctrl+right_square_bracket"
"""As in telnet: tmux passes it on, and few programs use it."""

FRAME = 1 / 60
"""Seconds between two repaints."""

_MIDWAY_LIMIT = 6
"""Maximum repaints that a program may delay in the middle of a change."""

_WHEEL_LINES = 3

_TYPING = "typing to the program"
_SIGNAL_KEYS = ("ctrl+c", "ctrl+backslash", "ctrl+z")


class TerminalPane(LazyStyles, ScrollView, can_focus=True):
    """A program's screen and its scrollback."""

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
    """Whether the keys go to the program."""

    class Resized(Message):
        """A change of the pane's size or visibility."""

    class Changed(Message):
        """A change of the pane's description: title, or typing."""

    class Refused(Message):
        """A key was not sent; ``why`` is a sentence."""

        def __init__(self, why: str) -> None:
            super().__init__()
            self.why = why

    def __init__(
        self, screen: ProgramScreen, *, is_paused: Callable[[], bool], id: str | None = None
    ) -> None:
        """``is_paused`` returns whether the program is stopped by the debugger."""
        super().__init__(id=id)
        self.program = screen
        self._is_paused = is_paused
        self.empty = ""
        """The placeholder of an empty screen."""
        self.typed_at = 0.0
        """When a key was last sent to the program (``time.monotonic``)."""
        self._back = 0
        """Number of lines scrolled back."""
        self._hinted = False
        self._end = 0
        self._painted: dict[int, tuple[Row, int]] = {}
        self._strips = RowStrips()
        self._pacing = RateLimit(self.set_timer, FRAME, self._update)
        self._midway = 0
        self._title = ""
        self._bells = 0
        self.mouse = MouseReports(screen)

    # API for the screen

    @property
    def title(self) -> str:
        """The window title set by the program."""
        return self._title

    def screen_changed(self) -> None:
        """Schedule a repaint for new output. Cheap to call: many repaints are merged."""
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
        if self._back:  # the text being read stays in place
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

    # Positions

    @property
    def _top(self) -> int:
        """Return the number of the line at the top of the pane."""
        emulator = self.program.emulator
        rows = emulator.size[1]
        top = emulator.top_number
        if rows > self.size.height:  # smaller than the program's screen: follow the cursor
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
        """Scroll by some lines."""
        self._scroll_back(self._back - lines)

    def action_look_page(self, pages: int) -> None:
        self._scroll_back(self._back - pages * max(1, self.size.height - 1))

    def action_look_first(self) -> None:
        """Scroll to the oldest line."""
        self._scroll_back(self._most_back)

    def action_look_last(self) -> None:
        """Scroll to the program's present screen."""
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
        if not self.display:  # otherwise it was so when it was created
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
        """Return what a line's display depends on: its text, and the cursor's column or -1."""
        cursor = self.program.emulator.cursor
        at = cursor[0] if cursor is not None and cursor[1] == number else -1
        return self.program.emulator.line(number), at

    def _repaint(self) -> None:
        """Repaint changed rows."""
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
        """Disable the legibility filter: the program's colours are its own."""
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
        """The keys: while typing, all but one are the program's; else those of a pane."""
        if self.is_typing:
            return Mode("program", _TYPING, (Hint(LEAVE_KEY, "back to tuidbg"),))
        hints = [given("toggle_terminal", "back")]
        if self.program.is_alive:
            hints.insert(0, Hint("i", "type ahead") if self._is_paused() else Hint("enter", "type"))
        return Mode(hints=hints)

    def action_type(self, ahead: bool = False) -> None:
        """Focus the program's input; for a stopped program only if typing ``ahead``."""
        if not self.program.is_alive:
            self.post_message(self.Refused("there is no program to type to"))
        elif self._is_paused() and not ahead:
            self.post_message(self.Refused("the program is stopped: it reads input when it runs"))
        else:
            self._back = 0
            self.is_typing = True
            self._tell_focus(True)

    def stop_typing(self) -> None:
        """Return the keys to the debugger."""
        if self.is_typing:
            self._tell_focus(False)
        self.is_typing = False

    def action_send_leave_key(self) -> None:
        """Send the one key that can't be typed otherwise; a paused program reads none."""
        if not self._is_paused():
            self.action_type()
        if self.is_typing:
            self._send(b"\x1d")

    def type_key(self, event: events.Key) -> None:
        """Handle a key while typing to the program."""
        if event.key == LEAVE_KEY:
            self.stop_typing()
            return
        if not self.program.is_alive:
            self.is_typing = False
            return
        if self._is_paused() and event.key in _SIGNAL_KEYS:
            # It would interrupt the debugger's own wait and end the program.
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
        else:  # another window has the focus for now
            self._tell_focus(False)

    def _tell_focus(self, focused: bool) -> None:
        modes = self.program.modes
        if modes is not None and modes.focus:
            self.program.type(b"\x1b[I" if focused else b"\x1b[O")

    # The mouse

    @property
    def allow_select(self) -> bool:
        """Whether dragging selects text: unless the program wants mouse reports."""
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
