"""The recorder's modules in the program itself, where there is no debugger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tuidbg import debuggee
from tuidbg.debuggee.loader import LocalLoader

RECORDER, ONE_MOMENT = "recording.recording_events", "recording.moment_stack"
"""The module that records, and the one that reads one moment."""


def make_namespace(module: str) -> Any:
    """The names of a module and those that it imports; new ones, which have recorded nothing."""
    loader = LocalLoader(str(Path(debuggee.__file__).parent))
    loader.load(module)
    return loader.load("recording.recorder_state").NameTable()
