"""The debuggers under measurement: how each is started, its keys, and what its screen says.

Everything that depends on how a debugger looks stands here. If tuidbg's texts change, change them
here and nowhere else.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.terminal import Terminal

COLUMNS, ROWS = 140, 40
PROGRAMS = Path(__file__).parent / "programs"

FIRST_LINE = "FIRST LINE"
"""Stands in the first line of every program of the benchmarks, and of no debugger's own."""


@dataclass(frozen=True)
class Debugger:
    """One debugger. Patterns are regular expressions over the whole screen.

    ``stopped``: it stands at the entry and shows the locals. ``ended``: the program has ended;
    empty where its output does not go through the debugger. ``answer``: a key, what the screen
    shows after it, and the key which takes that away again.
    """

    name: str
    command: tuple[str, ...]
    stopped: str
    ended: str = ""
    answer: tuple[str, str, str] | None = None
    step_over: str = "n"
    step_into: str = "s"
    resume: str = "c"
    page_down: str = "pagedown"
    environment: Mapping[str, str] = field(default_factory=dict)

    def open(
        self,
        program: Path,
        *args: str,
        emulate: bool = True,
        size: tuple[int, int] = (COLUMNS, ROWS),
        kind: type[Terminal] = Terminal,
    ) -> Terminal:
        """Starts the debugger on ``program`` with its arguments."""
        return kind(
            [*self.command, program, *args],
            columns=size[0],
            rows=size[1],
            env=self.environment,
            emulate=emulate,
            cwd=program.parent,
        )

    @property
    def is_stopped(self) -> Callable[[str], bool]:
        """The condition to wait for at the start."""
        return shows(self.stopped)


def shows(pattern: str) -> Callable[[str], bool]:
    """The condition that a regular expression matches somewhere on the screen."""
    compiled = re.compile(pattern, re.DOTALL)

    def matching(text: str) -> bool:
        return compiled.search(text) is not None

    matching.__name__ = f"a match of {pattern!r}"
    return matching


def lacks(pattern: str) -> Callable[[str], bool]:
    """The condition that a regular expression matches nowhere on the screen."""
    compiled = re.compile(pattern, re.DOTALL)

    def lacking(text: str) -> bool:
        return compiled.search(text) is None

    lacking.__name__ = f"no match of {pattern!r}"
    return lacking


def make_tuidbg(home: Path) -> Debugger:
    """tuidbg of this checkout, in the interpreter that runs the benchmarks."""
    return Debugger(
        name="tuidbg",
        command=(sys.executable, "-m", "tuidbg"),
        stopped=r"(?=.*special variables)(?=.*paused)",
        ended="terminated",
        answer=("3", "▌3", "1"),
        environment=_environment(home),
    )


def make_pudb(commands: Path, home: Path) -> Debugger:
    """pudb, in-process; its greeting for newcomers is taken as read."""
    settings = home / ".config" / "pudb" / "pudb.cfg"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("[pudb]\nseen_welcome = e999\n")
    return Debugger(
        name="pudb",
        command=(str(commands / "python"), "-m", "pudb"),
        stopped=r">> <module> \w+\.py:\d",
        environment=_environment(home),
    )


def make_tdb(commands: Path, home: Path) -> Debugger:
    """textual-debugger."""
    return Debugger(
        name="tdb",
        command=(str(commands / "tdb"),),
        stopped=r"(?=.*special variables)(?=.*Paused)",
        ended="Terminated",
        environment=_environment(home),
    )


def open_empty_app() -> Terminal:
    """The empty Textual app, in the interpreter that runs the benchmarks."""
    command = (sys.executable, str(PROGRAMS / "empty_app.py"))
    return Terminal(command, columns=COLUMNS, rows=ROWS)


def _environment(home: Path) -> dict[str, str]:
    """A home of the benchmark's own, so that nobody's settings matter and none are touched."""
    folders = {"CONFIG": ".config", "DATA": ".local/share", "STATE": ".local/state"}
    xdg = {f"XDG_{name}_HOME": str(home / folder) for name, folder in folders.items()}
    return {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"), **xdg}
