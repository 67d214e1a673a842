"""Pythons that can be told to run a script (``sys.remote_exec``, 3.14 and newer).

Only an interpreter of the same version can tell it: the program's own one, run once more.
"""

from __future__ import annotations

import re
import subprocess
from functools import lru_cache
from pathlib import Path

from tuidbg.lines import split_lines

_INTERPRETER = re.compile(r"python(?P<major>\d+)?(?:\.(?P<minor>\d+))?t?\Z")
_FIRST = (3, 14)

_ASK = "import sys; sys.exit(not hasattr(sys, 'remote_exec'))"
_TELL = "import sys; sys.remote_exec(int(sys.argv[1]), sys.argv[2])"

_LIMIT = 20.0
"""Seconds for either; neither waits for the program."""


def find_helper(pid: int) -> str:
    """The interpreter that can have the program run a script; empty where none can.

    Nothing is run that is not surely an interpreter: a program can have Python inside.
    """
    path = _program_of(pid)
    found = _INTERPRETER.match(Path(path).name)
    if found is None or found["major"] == "2":
        return ""
    if found["minor"] is not None and (int(found["major"]), int(found["minor"])) < _FIRST:
        return ""
    try:
        return path if _can_tell(path, Path(path).stat().st_mtime_ns) else ""
    except OSError:
        return ""


def _program_of(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/exe").readlink())
    except OSError:
        return ""


@lru_cache(maxsize=64)
def _can_tell(path: str, changed: int) -> bool:
    try:
        asked = subprocess.run(
            _command(path, _ASK),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_LIMIT,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return asked.returncode == 0


def run_remotely(helper: str, pid: int, script: Path) -> str:
    """Have the program run the script as soon as it can; why that is not possible, else nothing."""
    command = [*_command(helper, _TELL), str(pid), str(script)]
    try:
        told = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=_LIMIT,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"{helper} could not be run: {error}"
    if not told.returncode:
        return ""
    lines = [line for line in split_lines(told.stderr) if line.strip()]
    return lines[-1].strip() if lines else f"{helper} ended with exit code {told.returncode}"


def _command(path: str, code: str) -> list[str]:
    """The interpreter alone: nothing of the person's, of the folder, of site-packages."""
    return [path, "-I", "-S", "-c", code]
