"""The text of one source, as the source pane shows it.

Programs are decoded as Python does it (PEP 263, Python's own line ends), so that the pane's line 12
is the debugger's line 12. Unlike Python, a document never refuses bytes: a broken file must be
viewable, too.
"""

from __future__ import annotations

import codecs
import io
import os
import stat
import tokenize
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len, get_character_cell_size

from tuidbg.config.launch import archive_of, read_zipped
from tuidbg.lines import split_lines

TAB_SIZE = 4
"""Cells between tab stops. Four, not eight: a source pane is narrow, and Python indents by four."""

LONGEST_SHOWN = 16_384
"""Maximum characters shown of a line; the rest is counted. Farther scrolling is useless."""

LARGEST_FILE = 256 * 1024 * 1024
"""Maximum bytes. A larger file is refused rather than read into memory."""

_REPLACEMENT = "\ufffd"
# Invisible joiners: dropped after a symbol (an emoji keeps one width in every terminal), shown as
# the replacement character where they hide in ordinary text.
_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")


class DocumentError(Exception):
    """A source can't be shown; the message is one sentence for the user."""


class ShownLine(NamedTuple):
    """A line that is safe to write to a terminal.

    ``offsets`` maps each index into the raw line and its end to an index into ``text``; ``None`` if
    both are the same.
    """

    text: str
    offsets: Sequence[int] | None

    def position_of(self, raw: int) -> int:
        """Return the index into ``text`` of the raw line's character ``raw`` (0-based)."""
        if self.offsets is None:
            return min(raw, len(self.text))
        return self.offsets[min(raw, len(self.offsets) - 1)]

    def cells(self, first: int, end: int) -> tuple[int, int]:
        """Return the cells of the raw line's characters from ``first`` to ``end`` (exclusive)."""
        start = cell_len(self.text[: self.position_of(first)])
        return start, cell_len(self.text[: self.position_of(end)])


class _Fingerprint(NamedTuple):
    """The identity of a file's version, without reading it."""

    modified: int
    size: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> _Fingerprint:
        return cls(status.st_mtime_ns, status.st_size, status.st_ino)


class SourceDocument:
    """The lines of one source: a file, or a text from the adapter.

    ``key`` identifies documents (the path, or the name if there is no file). ``lines`` are raw,
    without line ends; index 0 is line 1. ``revision`` grows by one with each ``reload``.
    """

    def __init__(self, key: str, name: str, path: Path | None) -> None:
        self.key = key
        self.name = name
        self.path = path
        self.lines: list[str] = []
        self.encoding = "utf-8"
        self.revision = 0
        self._fingerprint: _Fingerprint | None = None
        self._width: int | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SourceDocument:
        """Read a file. Raises ``DocumentError`` if it is unreadable."""
        if archive_of(os.fspath(path)) is not None:
            return cls._load_zipped(os.fspath(path))
        document = cls(os.fspath(path), Path(path).name, Path(path))
        document._read(Path(path))
        return document

    @classmethod
    def _load_zipped(cls, path: str) -> SourceDocument:
        """Read a member of a zip file, which is a source without a file."""
        try:
            text, encoding = decode_source(read_zipped(path))
        except OSError as error:
            raise DocumentError(f"{path} can't be read: {error.strerror}.") from None
        document = cls(path, Path(path).name, None)
        document.lines, document.encoding = split_lines(text), encoding
        return document

    @classmethod
    def from_text(cls, name: str, text: str) -> SourceDocument:
        """Create a source without a file (DAP ``source`` request)."""
        document = cls(name, name, None)
        document.lines = split_lines(text)
        return document

    @property
    def width(self) -> int:
        """Cells that the widest line may need: exact for ASCII, else an upper bound."""
        if self._width is None:
            self._width = _widest(self.lines)
        return self._width

    def shown(self, line: int) -> ShownLine:
        """Return line ``line`` (1-based), safe to write to a terminal."""
        return show_line(self.lines[line - 1])

    def has_changed_on_disk(self) -> bool:
        """Return whether the file has changed since it was read: one ``stat``, no reading.

        A deleted file counts as unchanged: editors replace files, and the old text is the best
        available.
        """
        if self.path is None:
            return False
        try:
            return _Fingerprint.of(self.path.stat()) != self._fingerprint
        except OSError:
            return False

    def show_older(self, text: str) -> None:
        """Set an older text than the file's; the next ``reload`` is due immediately."""
        self.lines = split_lines(text)
        self._fingerprint = None
        self._width = None

    def reload(self) -> None:
        """Read the file again. On a ``DocumentError`` the old text stays."""
        if self.path is not None:
            self._read(self.path)
            self.revision += 1

    def _read(self, path: Path) -> None:
        data, fingerprint = _read_bytes(path)
        text, self.encoding = decode_source(data)
        self.lines = split_lines(text)
        self._fingerprint = fingerprint
        self._width = None


def _read_bytes(path: Path) -> tuple[bytes, _Fingerprint]:
    try:
        # A pipe or a device would block or never end, so look before opening.
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise DocumentError(f"{path} is a directory, not a source file.")
        if not stat.S_ISREG(status.st_mode):
            raise DocumentError(f"{path} is not a regular file.")
        if status.st_size > LARGEST_FILE:
            raise DocumentError(f"{path} is too large to show ({status.st_size:,} bytes).")
        with path.open("rb") as file:
            fingerprint = _Fingerprint.of(os.fstat(file.fileno()))
            return file.read(), fingerprint
    except FileNotFoundError:
        raise DocumentError(f"There is no file {path}.") from None
    except PermissionError:
        raise DocumentError(f"{path} can't be read: permission denied.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise DocumentError(f"{path} can't be read: {reason}.") from None


def decode_source(data: bytes) -> tuple[str, str]:
    """Decode a source as Python would (PEP 263), then by guesses that can't fail.

    Returns the text without a byte order mark, and the name of the encoding used.
    """
    try:
        declared, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except (SyntaxError, LookupError, ValueError):
        declared = "utf-8"  # an unknown encoding, or one that contradicts the byte order mark
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
        declared = "utf-8"
    for encoding in (declared, "utf-8"):
        try:
            return data.decode(encoding), encoding
        except (UnicodeError, LookupError, ValueError):
            continue
    return data.decode("latin-1"), "latin-1"


def show_line(raw: str) -> ShownLine:
    """Make a raw line safe to write: no control, invisible or direction-changing character.

    Control characters become their pictures (escape is ␛), tabs become spaces, others without a
    picture become U+FFFD. Lines longer than ``LONGEST_SHOWN`` end in a note about the omitted rest.
    """
    left_out = len(raw) - LONGEST_SHOWN
    if left_out > 0:
        text, offsets = show_line(raw[:LONGEST_SHOWN])
        return ShownLine(f"{text} … {left_out:,} more characters", offsets)
    if raw.isascii() and raw.isprintable():
        return ShownLine(raw, None)
    return _replace_characters(raw)


def _replace_characters(raw: str) -> ShownLine:
    pieces: list[str] = []
    offsets = [0]
    length = cells = 0
    previous = ""
    for character in raw:
        if character == "\t":
            piece = " " * (TAB_SIZE - cells % TAB_SIZE)
        elif character in _JOINERS:
            piece = "" if previous > "\u2000" else _REPLACEMENT
        elif " " <= character <= "~":
            piece = character
        else:
            piece = _picture(character)
        pieces.append(piece)
        length += len(piece)
        cells += len(piece) if piece.isascii() else get_character_cell_size(piece)
        offsets.append(length)
        previous = piece or previous
    return ShownLine("".join(pieces), offsets)


def _picture(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    # Cc: C1 controls. Cf: joiners and direction overrides. Cs: lone surrogates, which can't even be
    # encoded. Zl, Zp: line ends to some terminals.
    if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
        return _REPLACEMENT
    return character


def _widest(lines: Sequence[str]) -> int:
    widest = 0
    for line in lines:
        length = len(line)
        if length * TAB_SIZE <= widest:  # no character takes more than TAB_SIZE cells
            continue
        if length > LONGEST_SHOWN:
            cells = len(show_line(line).text)
        elif "\t" in line:
            cells = len(line.expandtabs(TAB_SIZE))
        else:
            cells = length
        if not line.isascii():
            cells = 2 * cells
        widest = max(widest, cells)
    return widest
