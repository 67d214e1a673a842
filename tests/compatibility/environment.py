"""Environments of the rows: pinned packages, kept in a folder of the user's cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from tests.compatibility.row import Row
from tests.support.interpreters import find_interpreters


class NotHad(Exception):
    """The reason why a row can't be tried on this machine."""


def cache_folder() -> Path:
    """Outside of the repository, so that no run leaves a trace in it."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "tuidbg-compatibility"


def make_environment(row: Row) -> Path:
    """The Python of the row's environment, which is made at the first time. Raises NotHad."""
    base = _base_python(row)
    for program in row.programs:
        if shutil.which(program) is None:
            raise NotHad(f"{program} is not installed")
    key = hashlib.sha256("\n".join([base, *row.pins]).encode()).hexdigest()[:12]
    folder = cache_folder() / key
    python, complete = folder / "bin" / "python", folder / "complete"
    if not complete.exists():
        shutil.rmtree(folder, ignore_errors=True)
        _run("uv", "venv", "--quiet", "--python", base, str(folder))
        if row.pins:
            _run("uv", "pip", "install", "--quiet", "--python", str(python), *row.pins)
        complete.touch()
    return python


def _base_python(row: Row) -> str:
    if not row.python[0].isdigit():  # a program of another name, such as pypy3
        found = shutil.which(row.python)
        if found is None:
            raise NotHad(f"{row.python} is not installed")
        return found
    major, minor = row.python.split(".")
    base = find_interpreters().get((int(major), int(minor)))
    if base is None:
        raise NotHad(f"there is no Python {row.python}")
    return base


def _run(*words: str) -> None:
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NotHad(f"{words[0]} can't be run: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["it says nothing"]
        raise NotHad(f"{' '.join(words[:3])} failed: {said[-1].strip()}")
