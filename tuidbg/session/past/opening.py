"""Opens a recording that was written to a file: nothing of its program is needed, or runs."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from tuidbg.recording.file import RecordingFile, open_recording
from tuidbg.recording.segment import DamagedRecording
from tuidbg.session.errors import DebuggerError


class NotOpened(DebuggerError):
    """The file can't be shown; the text says why."""


def read_file(path: Path) -> RecordingFile:
    """Open a file. Raises NotOpened."""
    try:
        return open_recording(path)
    except OSError as error:
        raise NotOpened(f"{path} can't be opened: {error.strerror or error}") from None
    except DamagedRecording as error:
        told = str(error).rstrip(".")
        raise NotOpened(f"{path} can't be opened: {told[:1].lower()}{told[1:]}") from None


def describe(opened: RecordingFile) -> str:
    """What was recorded, in a sentence for the console."""
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
