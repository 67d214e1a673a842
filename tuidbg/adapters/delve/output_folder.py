"""Tells where the programs that are built for debugging lie: in a folder of this process's own.

Delve would leave them in the person's folder, under one name for all sessions. What a process that
was killed has left behind, the next one removes.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_made = 0


def make_output(name: str) -> Path:
    """The path of a program that is not there yet; its folder goes with this process."""
    global _made
    base = _base()
    if not _made:
        _sweep(base)
        atexit.register(shutil.rmtree, base / str(os.getpid()), ignore_errors=True)
    _made += 1
    folder = base / str(os.getpid()) / str(_made)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name


def _base() -> Path:
    """One folder a person, which nobody else can write to."""
    base = Path(tempfile.gettempdir()) / f"tuidbg-go-{os.getuid()}"
    try:
        base.mkdir(mode=0o700, exist_ok=True)
        found = base.lstat()
        if found.st_uid == os.getuid() and not found.st_mode & 0o022 and base.is_dir():
            return base
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="tuidbg-go-"))


def _sweep(base: Path) -> None:
    """Remove what processes left that are there no more."""
    for folder in base.iterdir():
        if folder.name.isdecimal() and not _lives(int(folder.name)):
            shutil.rmtree(folder, ignore_errors=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True
