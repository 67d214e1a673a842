"""What tuidbg remembers between runs: sizes, theme, recent programs.

A small JSON file in the user's state folder. Remembering is a comfort: where the folder can't be
read or written, tuidbg works without it and says nothing.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import msgspec

MAX_RECENT = 10


class RecentProgram(msgspec.Struct, frozen=True):
    """A program that was debugged: what is needed to start it again."""

    kind: str
    target: str
    args: tuple[str, ...] = ()
    cwd: str = ""


class Remembered(msgspec.Struct, frozen=True):
    """All that is remembered. ``sizes`` are shares of the screen by the layout's names."""

    theme: str = ""
    key_map: str = ""
    sizes: dict[str, float] = {}
    recent: tuple[RecentProgram, ...] = ()


def state_file() -> Path:
    """Where it is kept."""
    import platformdirs

    return Path(platformdirs.user_state_dir("tuidbg")) / "remembered.json"


def load_remembered(path: Path | None = None) -> Remembered:
    """What was remembered; nothing where it can't be read or makes no sense."""
    try:
        return msgspec.json.decode((path or state_file()).read_bytes(), type=Remembered)
    except (OSError, RuntimeError, msgspec.MsgspecError):
        return Remembered()


def save_remembered(remembered: Remembered, path: Path | None = None) -> bool:
    """Keep it, as a whole or not at all; whether that worked."""
    try:
        path = path or state_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".remembered")
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(remembered), indent=2))
        Path(name).replace(path)
    except (OSError, RuntimeError):
        return False
    return True


def with_recent(remembered: Remembered, program: RecentProgram) -> Remembered:
    """The same with ``program`` as the newest of the recent ones."""
    others = tuple(p for p in remembered.recent if p != program)
    return msgspec.structs.replace(remembered, recent=(program, *others)[:MAX_RECENT])
