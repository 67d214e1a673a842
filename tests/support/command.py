"""The real command ``tuidbg`` on a pseudo-terminal: started, asked, and looked over at its end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.crowd import Crowd
from tests.support.terminal import Terminal
from tests.support.waiting import PATIENCE

TUIDBG = (sys.executable, "-m", "tuidbg")


def private_environment(folder: Path) -> dict[str, str | None]:
    """Returns what keeps a run from what the person at this machine has chosen, and their files."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return {
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "VIRTUAL_ENV": None,
        "TUIDBG_GUARDED": None,
    }


def run_tuidbg(
    folder: Path,
    *args: str | Path,
    columns: int = 140,
    rows: int = 40,
    env: Mapping[str, str | None] | None = None,
    command: Sequence[str | Path] = TUIDBG,
) -> Terminal:
    """Start it in ``folder``, with its own home there, on a terminal of its own."""
    return Terminal(
        [*command, *args],
        columns=columns,
        rows=rows,
        cwd=folder,
        env={**private_environment(folder), **(env or {})},
    )


def environment(folder: Path) -> dict[str, str]:
    """The whole environment of a run without a terminal."""
    merged: dict[str, str | None] = {**os.environ, **private_environment(folder)}
    return {name: value for name, value in merged.items() if value is not None}


def read_by_head(folder: Path, words: str, lines: int) -> list[str]:
    """Returns the first lines of what the command prints to ``head``, which then reads no more.

    Fails where anything is complained of.
    """
    ended = subprocess.run(
        ["sh", "-c", f"{' '.join(TUIDBG)} {words} | head -{lines}; echo end"],
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.stderr == ""
    *read, end = ended.stdout.splitlines()
    assert end == "end"
    return read


def await_nothing_left(terminal: Terminal, timeout: float = 3.0) -> None:
    """Wait until nothing lives of all that the command started.

    Seconds in which they had no core to run on do not count.
    """
    begun, crowd = time.monotonic(), Crowd(terminal.remains())
    while remains := terminal.remains():
        taken = time.monotonic() - begun
        assert taken < timeout + crowd.seconds(), f"left after {taken:.2f} s: {remains}"
        time.sleep(0.01)
