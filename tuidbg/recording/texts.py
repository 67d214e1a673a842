"""The sources of the recorder, to be loaded into a program."""

from __future__ import annotations

import os
import sys
from functools import cache

from tuidbg.debuggee import bundle
from tuidbg.recording import compiling

RECORDER = "TUIDBG_RECORDER"
"""The environment variable of the requested recorder: ``compiled`` or ``python``."""

DEFAULT = "compiled" if sys.platform == "linux" else "python"
"""It was tried on Linux."""

SOURCE = bundle.FOLDER / "recording" / "recorder.c"
_INSTALLED = SOURCE.with_name("recorder.abi3.so")


def is_compiled_wanted() -> bool:
    """Whether the compiled recorder is to be used where it can be."""
    return os.environ.get(RECORDER, DEFAULT) == "compiled"


def compiled_path() -> str:
    """Where the compiled recorder is: installed, or built beside a recording; else empty."""
    if not is_compiled_wanted():
        return ""
    if _INSTALLED.exists():
        return str(_INSTALLED)
    built = compiling.cached(SOURCE)
    return str(built) if built is not None and compiling.is_trusted(built) else ""


def why_not_compiled() -> str:
    """Why there is no path of it."""
    if not is_compiled_wanted():
        return f"{RECORDER} is {os.environ[RECORDER]}" if RECORDER in os.environ else "by default"
    built = compiling.cached(SOURCE)
    if built is None:
        return "there is no folder to build the compiled recorder in"
    if built.exists() and not compiling.is_trusted(built):
        return f"others may write {built}"
    if why := compiling.why_failed(built):
        return f"the compiled recorder could not be built: {why}"
    return "the compiled recorder is being built, for the next recording"


def build_compiled() -> None:
    """Have it built where it is wanted and is not there yet; nothing waits for that."""
    if is_compiled_wanted() and not _INSTALLED.exists():
        compiling.build_beside(SOURCE)


@cache
def recorder_texts() -> dict[str, str]:
    """The texts of the recorder's modules, by their names."""
    return {name: file[3] for name, file in bundle.bundle("recording.recording_events").items()}
