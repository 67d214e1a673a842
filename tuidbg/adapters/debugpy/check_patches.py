"""Prints what does not fit the debugpy that is installed, or nothing. Run as a script."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[3])

from tuidbg.debuggee.patches import registry


def _check() -> None:
    registry.check_pydevd()
    if notice := registry.notice():
        print(notice)


if __name__ == "__main__":
    _check()
