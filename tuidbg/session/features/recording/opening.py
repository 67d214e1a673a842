"""Opening a recording from a file: its program is not needed, and does not run."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from pathlib import Path

from tuidbg.recording.file import RecordingFile, open_recording
from tuidbg.recording.segment import DamagedRecording
from tuidbg.session.model.errors import DebuggerError


class NotOpened(DebuggerError):
    """The file can't be shown; the text says why."""


def read_file(path: Path) -> RecordingFile:
    """Open a file. Raises NotOpened."""
    try:
        if path.exists() and not path.is_dir() and not path.is_file():
            raise NotOpened(f"{path} can't be opened: it is no regular file")
        return open_recording(path)
    except OSError as error:
        raise NotOpened(f"{path} can't be opened: {error.strerror or error}") from None
    except DamagedRecording as error:
        raise _damaged(path, error) from None


def open_checked(path: Path) -> RecordingFile:
    """Open a file whose parts have all been read once, now or by ``check_file``.

    Raises NotOpened. A later reader meets no damaged part.
    """
    opened = read_file(path)
    try:
        if opened.version not in _CHECKED:
            opened.check()
        return opened
    except DamagedRecording as error:
        opened.close()
        raise _damaged(path, error) from None


_CHECKED = set[tuple[int, ...]]()
"""The files that were read completely, by their identity."""


def note_checked(path: Path) -> None:
    """Note that another process has read all of it."""
    opened = read_file(path)
    _CHECKED.add(opened.version)
    opened.close()


def check_file(path: Path) -> None:
    """Read a whole file, a fifth of a second for a million lines. Raises NotOpened.

    ``checking`` does it while something else is done.

    Otherwise parts are read when first used, where damage is unexpected.
    """
    opened = read_file(path)
    try:
        opened.check()
        _CHECKED.add(opened.version)
    except DamagedRecording as error:
        raise _damaged(path, error) from None
    finally:
        opened.close()


def _damaged(path: Path, error: DamagedRecording) -> NotOpened:
    told = str(error).rstrip(".")
    return NotOpened(f"{path} can't be opened: {told[:1].lower()}{told[1:]}")


def describe(opened: RecordingFile) -> str:
    """Describe the recorded program, in a sentence for the console."""
    program = opened.program
    words = [" ".join(program.command) or "A program"]
    if program.at:
        words.append(f"recorded on {datetime.fromtimestamp(program.at):%Y-%m-%d at %H:%M}")
    if program.python:
        words.append(f"Python {program.python}")
    if program.ended:
        words.append(program.ended)
    told = "; ".join(words)
    left_out = opened.timeline.left_out
    return f"{told}. {left_out}".rstrip() if left_out else f"{told}."


SMALL = 256 * 1024
"""Bytes of a file that are read faster than a process starts."""

_REFUSED = 3


class Check:
    """A check of a file that starts at once; ``finish`` has the result."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = _start(path)

    def finish(self) -> None:
        """Wait for it. Raises NotOpened."""
        if self._process is not None:
            told, _ = self._process.communicate()
            if self._process.returncode == _REFUSED:
                raise NotOpened(told)
            if not self._process.returncode:
                note_checked(self._path)
                return
        check_file(self._path)


def _start(path: Path) -> subprocess.Popen[str] | None:
    """Start the process; None if it is not worth it, or impossible."""
    try:
        if not path.is_file() or path.stat().st_size < SMALL:
            return None
        return subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            errors="surrogateescape",
        )
    except OSError:
        return None


def _tell(path: Path) -> int:
    try:
        check_file(path)
    except NotOpened as error:
        sys.stdout.buffer.write(str(error).encode("utf-8", "surrogateescape"))
        return _REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(_tell(Path(sys.argv[1])))
