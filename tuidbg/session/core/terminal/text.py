"""From a stream of program output to lines of text, as a terminal in line mode shows them.

Output comes in pieces that end anywhere: in the middle of a character, of a control sequence, of a
line. A stream joins them again. It keeps SGR colours, supports progress bars (carriage return,
backspace, tabs, erasing in the line) and strips every other control sequence, so that a program's
output can't move the cursor of, or write into, the terminal tuidbg draws on.

Most output is plain, and there is a lot of it: plain chunks are handled by ``str.split``.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

SEQUENCE = re.compile(r"\x1b\[([0-9;:]{0,64})m")
"""One SGR sequence; the group contains its parameters."""

_FOREGROUND, _BACKGROUND = "foreground", "background"
_RESET = "reset"
_ON = {
    1: "bold",
    2: "dim",
    3: "italic",
    4: "underline",
    5: "blink",
    6: "blink",
    7: "reverse",
    8: "conceal",
    9: "strike",
    21: "underline",
    53: "overline",
}
_OFF = {
    22: ("bold", "dim"),
    23: ("italic",),
    24: ("underline",),
    25: ("blink",),
    27: ("reverse",),
    28: ("conceal",),
    29: ("strike",),
    39: (_FOREGROUND,),
    49: (_BACKGROUND,),
    55: ("overline",),
}


@lru_cache(maxsize=4096)
def apply_sgr(state: str, parameters: str) -> str:
    """Return the active attributes after a sequence with ``parameters``, from ``state`` before it.

    Both are parameter strings; the result is canonical: ``""`` means that none is active, and equal
    attributes give equal strings. Unknown parameters are ignored, as in terminals.
    """
    attributes = dict(sgr_attributes(state))
    for name, code in _changes(parameters):
        if name == _RESET:
            attributes.clear()
        elif code:
            attributes[name] = code
        else:
            attributes.pop(name, None)
    return ";".join(attributes[name] for name in sorted(attributes))


def sgr_attributes(state: str) -> list[tuple[str, str]]:
    """Return the attributes of a canonical ``state``: ``("foreground", "38;5;12")``."""
    return [change for change in _changes(state) if change[1]] if state else []


def _changes(parameters: str) -> Iterator[tuple[str, str]]:
    """Yield the effects of the parameters: a name with its new code, or ``""`` for off."""
    words = iter(parameters.split(";"))
    for word in words:
        if ":" in word:
            yield from _colon_form(word.split(":"))
            continue
        code = int(word or 0)
        if code in (38, 48):
            yield from _colour(code, _semicolon_colour(words))
        else:
            yield from _simple(code)


def _simple(code: int) -> Iterator[tuple[str, str]]:
    if code == 0:
        yield _RESET, ""
    elif code in _ON:
        yield _ON[code], str({6: 5, 21: 4}.get(code, code))
    elif code in _OFF:
        for name in _OFF[code]:
            yield name, ""
    elif 30 <= code <= 37 or 90 <= code <= 97:
        yield _FOREGROUND, str(code)
    elif 40 <= code <= 47 or 100 <= code <= 107:
        yield _BACKGROUND, str(code)


def _colour(code: int, numbers: list[int]) -> Iterator[tuple[str, str]]:
    """Yield the colour chosen by 38 (foreground) or 48: ``[5, n]`` or ``[2, r, g, b]``."""
    if numbers and all(number <= 255 for number in numbers):
        name = _FOREGROUND if code == 38 else _BACKGROUND
        yield name, ";".join(map(str, [code, *numbers]))


def _semicolon_colour(words: Iterator[str]) -> list[int]:
    kind = next(words, "")
    count = {"5": 1, "2": 3}.get(kind, 0)
    # `range` first: a zip reads one more item of its first argument than it uses.
    given = [word for _, word in zip(range(count), words, strict=False)]
    if not count or len(given) < count:
        return []
    return [int(kind), *(int(word) if word.isdigit() else 0 for word in given)]


def _colon_form(words: list[str]) -> Iterator[tuple[str, str]]:
    """Parse ``38:5:n``, ``38:2:r:g:b``, ``38:2:space:r:g:b``, underlines (``4:3``, ``4:0``)."""
    numbers = [int(word or 0) for word in words]
    if numbers[0] == 4:
        yield "underline", "4" if numbers[1] else ""
    elif numbers[0] in (38, 48):
        kind, rest = numbers[1], numbers[2:]
        if kind == 5 and rest:
            yield from _colour(numbers[0], [5, rest[0]])
        elif kind == 2 and len(rest) >= 3:
            rest = rest[:3] if len(rest) == 3 else rest[1:4]
            yield from _colour(numbers[0], [2, *rest])


LINE_LIMIT = 64 * 1024
"""Characters of one line; a longer one continues in the next line."""

_HELD_LIMIT = 8 * 1024
"""Characters of an unfinished control sequence kept back; then it is treated as text."""

_FARTHEST_COLUMN = 1024
"""The limit of cursor movements to the right: they must not make long blank lines."""

_SPECIAL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")

_KEPT = r"\[[0-9;:]{0,64}[mKCDG]"
# After the 8-bit forms have been rewritten. The string forms stop at any ESC, so that each sequence
# is scanned once whatever a program prints. OSC has to end on its line: titles and links do, and a
# missing end must not swallow the lines that follow.
_STRIPPED = re.compile(
    rf"""
      \x1b (?!{_KEPT}) (?:
          \[ [0-?]* [\ -/]* [@-~]                     # CSI
        | \] [^\x07\x1b\n]* (?: \x07 | \x1b\\ )       # OSC: titles, links, clipboard
        | [PX^_] [^\x1b]* \x1b\\                      # DCS, SOS, PM, APC
        | [\ -/]+ [0-~]                               # charsets and the like
        | [0-~]                                       # two characters, or a broken longer one
      )?
    | [\x00-\x07\x0e-\x1a\x1c-\x1f\x7f-\x9f]
    """,
    re.VERBOSE,
)
_UNFINISHED = re.compile(
    r"\x1b (?: \[ [0-?]* [\ -/]* | \] [^\x07\x1b\n]* \x1b? | [PX^_] [^\x1b]* \x1b? | [\ -/]* ) \Z",
    re.VERBOSE,
)
_STRING_STARTS = ("]", "P", "X", "^", "_")
_EDITING = re.compile(r"[\t\r\x08]|\x1b\[[0-9;:]*[KCDG]")
_TABBED = re.compile(r"[\t -~]*")
_TOKEN = re.compile(r"([^\x1b\t\r\x08]+)|(\t)|\r|\x08|\x1b\[([0-9;:]*)([mKCDG])|\x1b")

# The 8-bit controls that open or end sequences, as their 7-bit forms; other line separators.
_TRANSLATED = {
    0x0B: "\n",
    0x0C: "\n",
    0x84: "\n",
    0x85: "\n",
    0x90: "\x1bP",
    0x98: "\x1bX",
    0x9B: "\x1b[",
    0x9C: "\x1b\\",
    0x9D: "\x1b]",
    0x9E: "\x1b^",
    0x9F: "\x1b_",
}
_BREAKS_OR_C1 = re.compile("[\x0b\x0c\x84\x85\x90\x98\x9b-\x9f]")


class TextStream:
    """A stream of output, converted to lines.

    ``feed`` and ``finish`` return the lines that are complete now, without line ends; ``rest`` is
    the last, incomplete line (a prompt, a progress bar).
    """

    def __init__(self) -> None:
        self._decoder: codecs.IncrementalDecoder | None = None
        self._half = ""  # the first half of a character
        self._held = ""  # the first part of a control sequence
        self._sgr = ""
        self._line = _Line()

    @property
    def is_open(self) -> bool:
        """True if there is an incomplete line."""
        return self._line.started

    @property
    def rest(self) -> str:
        """Return the incomplete line."""
        return self._line.render()

    def feed(self, data: str | bytes) -> list[str]:
        """Process the next piece; bytes are decoded as UTF-8, invalid ones become U+FFFD."""
        text = self._held + self._decode(data)
        self._held = ""
        if "\r\n" in text:
            text = text.replace("\r\n", "\n")
        special = _SPECIAL.search(text) is not None
        if special:
            text = self._clean(text)
        if special or len(text) + self._line.length > LINE_LIMIT:
            return self._feed_special(text)
        # The fast path, for most output: lines need no further processing.
        first, *lines = text.split("\n")
        if lines and not (self._sgr or self._line.started or self._line.cursor):
            last = lines.pop()  # faster still: whole lines, and nothing before them
            self._line.write(last, "")
            return [first, *lines]
        self._line.write(first, self._sgr)
        if lines:
            last = lines.pop()
            if start := self._start:
                lines = [start + line for line in lines]
            lines.insert(0, self._end_line())
            self._line.write(last, self._sgr)
        return lines

    def finish(self) -> list[str]:
        """Complete the open line at the end of the stream (of a message, or of the program)."""
        # A string sequence without an end was perhaps none: its text is not lost.
        text, self._held = self._held[2:] if self._held[1:2] in _STRING_STARTS else "", ""
        text += self._decoder.decode(b"", True) if self._decoder is not None else ""
        lines = self.feed(text) if text else []
        if self._line.started:
            lines.append(self._end_line())
        self._decoder = None
        self._half = self._held = self._sgr = ""
        self._line = _Line()
        return lines

    def _decode(self, data: str | bytes) -> str:
        if isinstance(data, bytes):
            if self._decoder is None:
                self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
            return self._decoder.decode(data)
        if not self._half and (data.isascii() or not _SURROGATE.search(data)):
            return data
        # DAP's JSON may split a surrogate pair; a lone surrogate can't be written to any terminal.
        text, self._half = self._half + data, ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _clean(self, text: str) -> str:
        """Strip control sequences; keep back one that is cut by the end of the piece."""
        if _BREAKS_OR_C1.search(text):
            text = text.translate(_TRANSLATED)
        last = text.rfind("\x1b")
        for start in (text.rfind("\x1b", 0, max(last, 0)), last):
            if start < max(0, len(text) - _HELD_LIMIT):
                continue
            if _UNFINISHED.match(text, start):
                text, self._held = text[:start], text[start:]
                break
        return _STRIPPED.sub("", text)

    def _feed_special(self, text: str) -> list[str]:
        *whole, last = text.split("\n")
        lines: list[str] = []
        for piece in whole:
            if "\t" in piece and not self._line.started and _TABBED.fullmatch(piece):
                piece = piece.expandtabs(8)
            if self._line.started or len(piece) > LINE_LIMIT or _EDITING.search(piece):
                self._write(piece, lines)
                lines.append(self._end_line())
            else:
                lines.append(self._start + piece)
                for parameters in SEQUENCE.findall(piece):
                    self._sgr = apply_sgr(self._sgr, parameters)
        self._write(last, lines)
        return lines

    @property
    def _start(self) -> str:
        """Return the start of a new line: the active colours."""
        return f"\x1b[{self._sgr}m" if self._sgr else ""

    def _end_line(self) -> str:
        text = self._line.render()
        self._line = _Line()
        return text

    def _write(self, piece: str, lines: list[str]) -> None:
        """Write on the open line like a terminal; lines that get too long go to ``lines``."""
        for match in _TOKEN.finditer(piece):
            text, tab, parameters, final = match.groups()
            line = self._line
            if text:
                self._write_text(text, lines)
            elif tab:
                width = 8 - line.column % 8
                if line.cursor >= line.length:
                    self._write_text(" " * width, lines)
                else:
                    line.cursor += width
            elif final == "m":
                self._sgr = apply_sgr(self._sgr, parameters)
            elif final is not None:
                line.edit(final, int(parameters) if parameters.isdigit() else None)
            elif match[0] == "\r":
                line.cursor = 0
            elif match[0] == "\b":
                line.cursor = max(0, line.cursor - 1)

    def _write_text(self, text: str, lines: list[str]) -> None:
        while self._line.cursor + len(text) > LINE_LIMIT:
            room = max(0, LINE_LIMIT - self._line.cursor)
            self._line.write(text[:room], self._sgr)
            lines.append(self._end_line())
            text = text[room:]
        self._line.write(text, self._sgr)


class _Line:
    """A line being written: runs of text, each with its colours, and the cursor position.

    A character counts as one column here, wide ones too: good enough for self-overwriting output.
    """

    __slots__ = ("cursor", "length", "runs", "started")

    def __init__(self) -> None:
        self.runs: list[tuple[str, str]] = []
        self.length = 0
        self.cursor = 0
        self.started = False

    def write(self, text: str, sgr: str) -> None:
        """Write ``text`` at the cursor, overwriting the text there."""
        if not text:
            return
        self.started = True
        if self.cursor > self.length:
            self._append(" " * (self.cursor - self.length), "")
        if self.cursor == self.length:
            self._append(text, sgr)
        else:
            after = self._part(self.cursor + len(text), self.length)
            self.runs = [*self._part(0, self.cursor), (sgr, text), *after]
            self.length = max(self.length, self.cursor + len(text))
        self.cursor += len(text)

    def edit(self, final: str, number: int | None) -> None:
        """Erase in the line (``K``) or move the cursor in it (``C``, ``D``, ``G``)."""
        if final == "K":
            if not number:
                self.runs = self._part(0, self.cursor)
            elif number == 1:
                blank = min(self.cursor + 1, self.length)
                self.runs = [("", " " * blank), *self._part(blank, self.length)]
            else:
                self.runs = []
            self.length = sum(len(text) for _, text in self.runs)
            return
        distance = min(number or 1, _FARTHEST_COLUMN)
        target = {"C": self.cursor + distance, "D": self.cursor - distance, "G": distance - 1}[
            final
        ]
        self.cursor = max(0, min(target, max(self.cursor, self.length, _FARTHEST_COLUMN)))

    @property
    def column(self) -> int:
        """Return the cursor's cell, wide characters counted as two (for tabs)."""
        text = "".join(text for _, text in self._part(0, self.cursor))
        if text.isascii():
            return self.cursor
        return sum(map(_cells, text)) + max(0, self.cursor - len(text))

    def render(self) -> str:
        """Return the line with its colours; initially no attributes are active."""
        pieces: list[str] = []
        state = ""
        for sgr, text in self.runs:
            if sgr != state:
                pieces.append(f"\x1b[0;{sgr}m" if state and sgr else f"\x1b[{sgr or 0}m")
                state = sgr
            pieces.append(text)
        return "".join(pieces)

    def _append(self, text: str, sgr: str) -> None:
        if self.runs and self.runs[-1][0] == sgr:
            text_before = self.runs.pop()[1]
            self.runs.append((sgr, text_before + text))
        else:
            self.runs.append((sgr, text))
        self.length += len(text)

    def _part(self, start: int, stop: int) -> list[tuple[str, str]]:
        """Return the runs between two positions."""
        part: list[tuple[str, str]] = []
        position = 0
        for sgr, text in self.runs:
            if piece := text[max(0, start - position) : max(0, stop - position)]:
                part.append((sgr, piece))
            position += len(text)
        return part


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
