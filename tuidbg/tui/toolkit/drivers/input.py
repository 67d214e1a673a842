"""Terminal input: bytes in, Textual's messages out, without errors that could end the app.

Textual's own parser decodes strictly, fails on numbers that are no character, interprets an unknown
sequence as keys (which are commands here), and a sequence in a paste as its end. Here bytes are
first split into keys, reports and pastes; Textual's tables then map a sequence to its key. Unknown
or invalid sequences are dropped.
"""

from __future__ import annotations

import os
import re
import select
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from time import monotonic

from textual import constants, events
from textual.keys import Keys
from textual.message import Message
from textual.messages import TerminalSupportsSynchronizedOutput

from tuidbg.tui.toolkit.keys.key_map import key_of_character
from tuidbg.tui.toolkit.textual_private import ANSI_SEQUENCES_KEYS, XTermParser

_STOP_PATIENCE = 1.0
"""Seconds until it must have ended, unless another reader consumed the wake-up byte."""


class TerminalReader:
    """A thread that passes input of ``fileno`` to ``take``, with the time of its arrival.

    Empty bytes at the end mean that the terminal is gone. ``take`` may raise RuntimeError when its
    loop is closed.
    """

    def __init__(self, fileno: int, take: Callable[[bytes, float], None]) -> None:
        self._fileno = fileno
        self._take = take
        self._woken, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._run, name="terminal-input", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop reading: later input is for other readers."""
        os.close(self._wake)
        self._thread.join(_STOP_PATIENCE)

    def _run(self) -> None:
        ready = select.poll()
        ready.register(self._fileno, select.POLLIN)
        ready.register(self._woken, select.POLLIN)
        try:
            while not any(number == self._woken for number, _ in ready.poll()):
                came = monotonic()
                try:
                    data = os.read(self._fileno, 65536)
                except BlockingIOError:
                    continue
                except OSError:
                    data = b""
                self._take(data, came)
                if not data:
                    return
        except RuntimeError:
            return
        finally:
            os.close(self._woken)


LARGEST = 1000
"""Maximum columns or rows of a terminal; larger reports are invalid."""

LARGEST_PASTE = 8 << 20
"""Maximum bytes of a paste; the rest is dropped."""

_PASTE_PATIENCE = 1.0
"""Seconds of silence after which an incomplete paste is delivered."""

_PATIENCE = 0.5
"""Seconds in which the rest of a sequence must arrive."""

_LONGEST = 128
"""Maximum bytes of a meaningful sequence."""

_UNFINISHED_LIMIT = 1 << 16

_PASTE_BEGIN, _PASTE_END = b"\x1b[200~", b"\x1b[201~"

_CONTROL = re.compile(
    rb"\x1b\[(?:M[\x00-\xff]{3}"  # mouse reports of the oldest protocol: not requested
    rb"|\[[A-E]"  # function keys of the Linux console
    rb"|[0-9]{1,2}\$(?=[^y]|\Z)"  # function keys of rxvt
    rb"|[0-?]*[ -/]*[@-LN-Z\\-~]|[0-?]+[ -/]*M)"
)
_CONTROL_BEGUN = re.compile(rb"\x1b\[(?:\[|M[\x00-\xff]{0,2}|[0-?]*[ -/]*)\Z")
_CONTROL_BROKEN = re.compile(rb"\x1b\[[0-?]*[ -/]*")
_STRING = re.compile(rb"\x1b(?:\][0-9]|P[0-9>!+$|]|_G)")
_STRING_END = re.compile(rb"\x07|\x1b\\|\x1b(?=[^\\])")
_MAY_GO_ON = (b"\x1b", b"\x1b[", b"\x1bO", b"\x1b]", b"\x1bP", b"\x1b_")
_REPORTS = re.compile(rb"(?:\x1b\[(?:<[0-9;-]*[Mm]|M[\x00-\xff]{3}|[IO]))+")
"""Reports that arrive unrequested without typing: mouse, focus."""

_MODE = re.compile(r"\x1b\[\?2026;([1-9])\$y")
_STATUS = ("\x1b[0n", "\x1b[3n")
_PLACE = re.compile(r"\x1b\[2;(\d+)R")
"""The cursor position after a character repeated three times in the second row; no key is encoded
so.
"""

_PRESS = re.compile(r"(\x1b\[\d*;\d*):(\d)")
"""After the modifiers: whether a key was pressed, repeats, or was released."""

_IN_TEXT = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[]P_X^][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)


def _with_alt(character: str) -> str:
    if not character.isalnum():
        return f"alt+{key_of_character(character)}"
    return f"alt+shift+{character.lower()}" if character.isupper() else f"alt+{character}"


_WITH_ALT = {character: _with_alt(character) for character in map(chr, range(0x21, 0x7F))}
"""Alt combinations, which most terminals encode as Esc and the key. Textual reads some as
characters typed on a Mac so (``™``) or as their meaning there (a word to the left).
"""


def clean_paste(text: str) -> str:
    """Remove terminal colours and commands from the text; newlines and tabs stay."""
    return _IN_TEXT.sub("", text)


class TerminalAnswered(Message):
    """The answer to a status query (DSR): the terminal has processed all earlier output."""


class TerminalRepeats(Message):
    """The result of the REP test: the terminal repeats characters."""


class TerminalInput:
    """The input parser of one terminal."""

    def __init__(self) -> None:
        self._tables = XTermParser()
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._rest = b""
        self._paste: bytearray | None = None
        self._has_paused = False
        self._deadline = 0.0

    @property
    def patience(self) -> float | None:
        """Seconds after which :meth:`tick` may have messages; None if nothing is pending."""
        return max(self._deadline - monotonic(), 0.0) if self._deadline else None

    def feed(self, data: bytes, came: float | None = None) -> Iterator[Message]:
        """Parse input received at ``came`` (``time.monotonic()``), or just now."""
        came = monotonic() if came is None else came
        yield from self.tick(came)
        if self._paste is not None and self._has_paused:
            if _REPORTS.fullmatch(data):
                return  # they don't belong to it
            if _is_lone_key(data):
                self._paste = None  # its end never came, and the user is waiting
        if self._paste is not None:
            yield from self._feed_paste(data)
        else:
            self._rest += data
        while self._rest and self._paste is None:
            before = len(self._rest)
            yield from self._read_next()
            if len(self._rest) == before:
                break
        self._set_deadline(came)

    def tick(self, now: float | None = None) -> Iterator[Message]:
        """Yield messages that are certain now because nothing has followed."""
        if not self._deadline or (monotonic() if now is None else now) < self._deadline:
            return
        self._deadline = 0.0
        if self._paste is not None:
            self._has_paused = True
            begun, self._paste = bytes(self._paste), bytearray()
            yield from self._pasted(begun, is_end=False)
            return
        rest, self._rest = self._rest, b""
        if rest == b"\x1b":
            yield events.Key("escape", "\x1b")
        elif rest in _MAY_GO_ON:
            yield from self._with_alt(rest[1:].decode())

    def _set_deadline(self, came: float) -> None:
        if self._paste is not None:
            self._deadline = 0.0 if self._has_paused else came + _PASTE_PATIENCE
        elif self._rest:
            is_key = self._rest in _MAY_GO_ON
            self._deadline = came + (constants.ESCAPE_DELAY if is_key else _PATIENCE)
        else:
            self._deadline = 0.0

    # Pastes

    def _feed_paste(self, data: bytes) -> Iterator[Message]:
        paste = self._paste
        assert paste is not None
        self._has_paused = False
        searched = max(len(paste) - len(_PASTE_END) + 1, 0)
        paste += data
        end = paste.find(_PASTE_END, searched)
        if end < 0:
            del paste[LARGEST_PASTE : 1 - len(_PASTE_END)]
            return
        self._rest = bytes(paste[end + len(_PASTE_END) :])
        self._paste = None
        yield from self._pasted(bytes(paste[:end]), is_end=True)

    def _pasted(self, data: bytes, *, is_end: bool) -> Iterator[Message]:
        if text := clean_paste(self._decode(data, is_end)):
            yield events.Paste(text)

    # Keys and reports

    def _read_next(self) -> Iterator[Message]:
        """Parse text or one sequence from the buffer; yield nothing if it is incomplete."""
        escape = self._rest.find(b"\x1b")
        if escape:
            text, self._rest = _split(self._rest, escape)
            for character in self._decode(text, escape > 0):
                yield from self._keys(character)
            return
        follower = self._rest[1:2]
        if self._rest.startswith(_PASTE_BEGIN):
            self._paste, data = bytearray(), self._rest[len(_PASTE_BEGIN) :]
            self._rest = b""
            yield from self._feed_paste(data)
        elif follower == b"\x1b":
            self._rest = self._rest[1:]
            yield events.Key("escape", "\x1b")
        elif follower == b"[":
            yield from self._read_control()
        elif _STRING.match(self._rest):
            self._skip_string()
        elif self._rest not in _MAY_GO_ON:
            yield from self._read_pair()

    def _read_control(self) -> Iterator[Message]:
        found = _CONTROL.match(self._rest)
        if found is not None:
            self._rest = self._rest[found.end() :]
            if found.end() <= _LONGEST:
                yield from self._translate(found[0].decode("ascii", "replace"))
        elif _CONTROL_BEGUN.match(self._rest) is None:
            broken = _CONTROL_BROKEN.match(self._rest)
            self._rest = self._rest[broken.end() if broken is not None else 1 :]
        elif len(self._rest) > _UNFINISHED_LIMIT:
            self._rest = b"\x1b[0"  # its end is still to come

    def _skip_string(self) -> None:
        """Skip the answer to another program's query."""
        end = _STRING_END.search(self._rest, 2)
        if end is not None:
            self._rest = self._rest[end.start() if end[0] == b"\x1b" else end.end() :]
        elif len(self._rest) > _UNFINISHED_LIMIT:
            self._rest = self._rest[:3]

    def _read_pair(self) -> Iterator[Message]:
        """Parse Alt and a key, or Esc O and a letter."""
        if self._rest.startswith(b"\x1bO"):
            sequence = self._rest[:3].decode("ascii", "replace")
            if sequence in ANSI_SEQUENCES_KEYS:
                self._rest = self._rest[3:]
                yield from self._translate(sequence)
                return
        length = _length_of_character(self._rest[1])
        if len(self._rest) <= length:
            return  # the rest of the character is still to come
        character = self._rest[1 : 1 + length].decode("utf-8", "replace")[0]
        self._rest = self._rest[2 if character == "\ufffd" else 1 + length :]
        if f"\x1b{character}" in ANSI_SEQUENCES_KEYS and character not in _WITH_ALT:
            yield from self._translate(f"\x1b{character}")
        else:
            yield from self._with_alt(character)

    def _with_alt(self, character: str) -> Iterator[Message]:
        if character in _WITH_ALT:
            yield events.Key(_WITH_ALT[character], character)
        else:
            yield from self._keys(character, alt=True)

    def _translate(self, sequence: str) -> Iterator[Message]:
        """Yield the messages of a complete sequence."""
        if sequence == "\x1b[I":
            yield events.AppFocus()
        elif sequence == "\x1b[O":
            yield events.AppBlur()
        elif _MODE.fullmatch(sequence):
            yield TerminalSupportsSynchronizedOutput()
        elif sequence in _STATUS:
            yield TerminalAnswered()
        elif place := _PLACE.fullmatch(sequence):
            if place[1] == "4":
                yield TerminalRepeats()
        elif sequence.startswith("\x1b[<"):
            yield from self._mouse(sequence)
        else:
            pressed = _PRESS.match(sequence)
            if pressed is None:
                yield from self._keys(sequence)
            elif pressed[2] != "3":  # not released
                yield from self._keys(pressed[1] + sequence[pressed.end() :])

    def _mouse(self, sequence: str) -> Iterator[Message]:
        try:
            message = self._tables.parse_mouse_code(sequence)
        except (ValueError, ArithmeticError):
            return
        if isinstance(message, events.MouseEvent) and max(message.x, message.y) < LARGEST:
            yield message

    def _keys(self, sequence: str, alt: bool = False) -> Iterator[Message]:
        """Yield the keys of a character or sequence."""
        try:
            keys = list(self._tables._sequence_to_key_events(sequence, alt))
        except (ValueError, ArithmeticError):  # a number that is no character
            return
        for key in keys:
            if key.key != Keys.Ignore and _is_typable(key.character):
                yield key


def _split(data: bytes, index: int) -> tuple[bytes, bytes]:
    """Split in two; all in the first where ``index`` is negative."""
    return (data, b"") if index < 0 else (data[:index], data[index:])


def _length_of_character(first: int) -> int:
    """Return the UTF-8 length of a character by its first byte."""
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def _is_typable(character: str | None) -> bool:
    """Return whether a key can have this character: no broken bytes, no lone surrogates."""
    if character is None or len(character) != 1:
        return True
    number = ord(character)
    return not (0x80 <= number < 0xA0 or 0xD800 <= number < 0xE000 or character == "\ufffd")


def _is_lone_key(data: bytes) -> bool:
    """Return whether this is a single key as typed by the user."""
    if len(data) > _LONGEST or data.startswith((_PASTE_BEGIN, _PASTE_END)):
        return False
    found = _CONTROL.match(data)
    if found is not None:
        return found.end() == len(data)
    text = data.removeprefix(b"\x1b").decode("utf-8", "replace")
    return len(text) <= 1 or (data[:2] == b"\x1bO" and len(data) == 3)
