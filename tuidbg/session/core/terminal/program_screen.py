"""The screen of the program: whether it owns one, and its contents.

Most programs only print, some of them a great deal, and the console has their lines. So nothing is
emulated until a client views the screen or the program itself moves the cursor about, queries the
terminal, or uses the whole screen; until then the last of its bytes are kept to be processed later.
Then they are processed in small slices beside everything else. Output beyond what can be shown is
skipped, with a mark; a program that draws is made to wait instead, as a slow terminal would.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tuidbg.adapters.program.terminal import PseudoTerminal
    from tuidbg.session.core.terminal.emulator import Emulator, Modes

KEPT = 256 * 1024
"""Unprocessed bytes kept."""

SLICE = 0.004
"""Seconds of the loop for one turn of processing."""

_PAUSE = 0.012
"""Seconds between two turns while there is more than one turn to process."""

_PIECE = 2048
"""Bytes processed between two reads of the clock."""

LOOK_AFTER = 0.05
"""Seconds from output to a check of the input mode: the program may wait for a key by then."""

LOOK_AGAIN = 0.2
"""Seconds between two such checks while the program owns the screen."""

_TAIL = 24
"""Bytes at the end of a piece that may contain the beginning of a sequence."""

_SWITCH = re.compile(rb"\x1b\[\?[0-9;]*(?:47|1047|1049)(?:;[0-9;]*)?([hl])")
_DRAWS = re.compile(
    rb"\x1b\[(?:"
    rb"[0-9]*;[0-9]*[Hf]|[0-9]*[Hdf]"  # to a position on the screen
    rb"|[>?]?[0-9]*[cn]|\?[0-9]*\$p"  # queries
    rb"|\?(?:[0-9;]*;)?(?:25l|47h|1047h|1049h|100[0236]h)"
    rb"|[0-9]*[ABFJM]"
    rb")"
)
_ASKS = re.compile(rb"\x1b\[(?:[>?]?[0-9]*[cn]|\?[0-9]*\$p|\?(?:[0-9;]*;)?(?:1049|1047|47)h|18t)")
_MODES = re.compile(rb"\x1b\[\?[0-9;]+[hl]")


class Taken(NamedTuple):
    """The reasons why the program needs a visible terminal; all false if it only prints."""

    screen: bool = False
    """It shows the alternate screen."""
    keys: bool = False
    """It reads key by key and draws."""
    secret: bool = False
    """It reads a line without echo."""


class ProgramScreen:
    """The contents of the program's terminal; ``changed`` reports changes of it, or of the reason.

    All methods belong to the loop's thread.
    """

    def __init__(self) -> None:
        self.changed: list[Callable[[], None]] = []
        self.taken = Taken()
        self.size = (80, 24)
        self._viewers: set[object] = set()
        self._terminal: PseudoTerminal | None = None
        self._emulator: Emulator | None = None
        self._draws = False
        self._alternate = False
        self._tail = b""
        self._pending: deque[bytes] = deque()
        self._waiting = 0
        self._skipped = 0
        self._modes = bytearray()
        self._held = False
        self._turn: asyncio.TimerHandle | None = None
        self._look: asyncio.TimerHandle | None = None
        self._awake = False

    # State

    @property
    def is_taken(self) -> bool:
        """True if the program needs a terminal for display or input."""
        return any(self.taken)

    @property
    def is_alive(self) -> bool:
        """True if there is a program that accepts input."""
        return self._terminal is not None and self._terminal.is_open

    @property
    def emulator(self) -> Emulator:
        """Return the program's drawing; created on first use."""
        if self._emulator is None:
            from tuidbg.session.core.terminal.emulator import Emulator

            self._emulator = Emulator(*self.size, self._answer)
        return self._emulator

    @property
    def modes(self) -> Modes | None:
        """Return the program's input modes; None if nothing is emulated."""
        return self._emulator.modes if self._emulator is not None else None

    # Lifecycle

    def begin(self, terminal: PseudoTerminal) -> None:
        """Begin with a new program on this terminal: nothing of the last one stays."""
        self._terminal = terminal
        self._forget()
        if self._emulator is not None:
            self._emulator.clear()
        self._tell()

    def end(self) -> None:
        """Handle the program's end: its drawing stays visible."""
        if self._terminal is None:
            return
        self._terminal = None
        self._alternate = self._draws = False
        self._take(Taken())
        if self._emulator is not None and not self._waiting:
            self._emulator.let_go()
        self._tell()

    def _forget(self) -> None:
        self._pending.clear()
        self._waiting = self._skipped = 0
        self._modes.clear()
        self._tail = b""
        self._draws = self._alternate = self._awake = self._held = False
        self.taken = Taken()
        for timer in (self._turn, self._look):
            if timer is not None:
                timer.cancel()
        self._turn = self._look = None

    def resize(self, columns: int, rows: int) -> None:
        """Set the size of the terminal."""
        self.size = (columns, rows)
        if self._emulator is not None:
            self._play_all()
            self._emulator.resize(columns, rows)
            self._tell()

    def show(self, viewer: object, is_shown: bool) -> None:
        """Add or remove a viewer."""
        if not is_shown:
            self._viewers.discard(viewer)
        elif viewer not in self._viewers:
            self._viewers.add(viewer)
            if self._turn is None:
                self._play()

    @property
    def is_shown(self) -> bool:
        """True if there is a viewer."""
        return bool(self._viewers)

    def type(self, data: bytes) -> bool:
        """Send keys to the program; False if there is none."""
        return self._terminal is not None and self._terminal.write(data)

    def _answer(self, data: bytes) -> None:
        if self._terminal is not None:
            self._terminal.write(data)

    # Output

    def take(self, data: bytes) -> bytes:
        """Process the program's next bytes; return those for the console's lines.

        Drawing on the alternate screen makes no lines.
        """
        lines = data
        if b"\x1b" in data or self._tail:
            lines = self._read_sequences(data)
        if self._look is None:
            self._look = asyncio.get_running_loop().call_later(LOOK_AFTER, self._look_at_input)
        self._pending.append(data)
        self._waiting += len(data)
        if self._is_awake and self._turn is None:
            self._play()
        if self._waiting > KEPT:
            self._relieve()
        return lines

    @property
    def _is_awake(self) -> bool:
        return self.is_shown or self._awake or self._alternate

    def _read_sequences(self, data: bytes) -> bytes:
        """Check for drawing; return the data without parts for the alternate screen."""
        text = self._tail + data
        begun = text.rfind(b"\x1b", -_TAIL)
        offset = len(self._tail)
        self._tail = text[begun:] if begun >= 0 else b""
        if not self._draws and _DRAWS.search(text):
            self._draws = True
        if not self._awake and _ASKS.search(text):
            self._awake = True
        if not self._alternate and not _SWITCH.search(text):
            return data
        pieces: list[bytes] = []
        start = 0
        for match in _SWITCH.finditer(text):
            at = match.end() - offset
            if at <= 0:
                continue  # it was complete before
            if not self._alternate:
                pieces.append(data[start:at])
            self._alternate, start = match[1] == b"h", at
        if not self._alternate:
            pieces.append(data[start:])
        self._look_at_input()
        return b"".join(pieces)

    def _look_at_input(self) -> None:
        """Check the program's input mode: by key, without echo?"""
        if self._look is not None:
            self._look.cancel()
            self._look = None
        state = self._terminal.read_state() if self._terminal is not None else None
        if state is None:
            self._take(Taken())
            return
        if not state.by_key and not self._alternate:
            self._draws = False  # its drawing in line mode is no reason later
        keys = state.by_key and self._draws
        self._take(Taken(self._alternate, keys, not state.echoes and not state.by_key))
        if self.is_taken or state.by_key:
            loop = asyncio.get_running_loop()
            self._look = loop.call_later(LOOK_AGAIN, self._look_at_input)

    def _take(self, taken: Taken) -> None:
        if taken == self.taken:
            return
        self.taken = taken
        if taken.screen or taken.keys:
            self._awake = True
            if self._turn is None:
                self._play()
        self._tell()

    # Processing

    def _play(self) -> None:
        """Emulate as much of the pending output as there is time for."""
        self._turn = None
        if not self._is_awake:
            return
        emulator, until = self.emulator, time.monotonic() + SLICE
        if self._skipped or self._modes:
            self._play_mark()
        while self._pending and time.monotonic() < until:
            emulator.feed(self._next_piece())
        if self._pending:
            self._turn = asyncio.get_running_loop().call_later(_PAUSE, self._play)
        elif self._terminal is None:
            emulator.let_go()
        if self._held and self._waiting < KEPT // 4:
            self._hold(False)
        self._tell()

    def _next_piece(self) -> bytes:
        data = self._pending.popleft()
        if len(data) > _PIECE:
            self._pending.appendleft(data[_PIECE:])
            data = data[:_PIECE]
        self._waiting -= len(data)
        return data

    def _play_all(self) -> None:
        """Process output written for the previous size, if it is not much."""
        while self._pending and self._waiting < 16 * _PIECE:
            self.emulator.feed(self._next_piece())

    def _play_mark(self) -> None:
        mark = f"\r\n\x1b[0;2m… {self._skipped:,} lines passed over …\x1b[0m\r\n".encode()
        self.emulator.feed(bytes(self._modes) + (mark if self._skipped else b""))
        self._modes.clear()
        self._skipped = 0

    def _relieve(self) -> None:
        """Relieve the queue: make a program that draws wait, skip printed lines."""
        if self.taken.screen or self.taken.keys:
            self._hold(True)
            return
        if not self.is_shown:
            self._awake = False  # it only prints by now
        while self._waiting > KEPT // 2 and len(self._pending) > 1:
            data = self._pending.popleft()
            self._waiting -= len(data)
            self._skipped += data.count(b"\n")
            if b"\x1b[?" in data:
                self._modes += b"".join(_MODES.findall(data))
                del self._modes[:-_PIECE]
        # Continue at the beginning of a line.
        data = self._pending.popleft()
        cut = data.find(b"\n") + 1
        self._skipped += bool(cut)
        self._waiting -= cut
        self._pending.appendleft(data[cut:])

    def _hold(self, held: bool) -> None:
        self._held = held
        if self._terminal is not None:
            self._terminal.hold(held)

    def _tell(self) -> None:
        for changed in tuple(self.changed):
            changed()
