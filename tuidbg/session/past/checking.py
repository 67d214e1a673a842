"""Reads the whole of a recording in a process of its own, while this one imports the screen.

What is damaged has to be refused before anything is painted, and so every part is read, which takes
a second for some millions of lines. The screen takes as long to import.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tuidbg.session.past.opening import NotOpened, check_file, note_checked

SMALL = 256 * 1024
"""Bytes of a file that are read sooner than a process has begun."""

_REFUSED = 3


class Check:
    """Begins with a file at once; ``finish`` tells."""

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
    """None where it is not worth it, or can't be had."""
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
