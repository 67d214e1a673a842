"""What to debug: the plan that the command line, and later a launch.json, comes down to."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import msgspec

DEMO = Path(__file__).resolve().parent.parent / "demo" / "main.py"
"""The program that ``tuidbg demo`` debugs."""


class TargetKind(StrEnum):
    """How the program is named."""

    SCRIPT = "script"
    MODULE = "module"


class Console(StrEnum):
    """Where the program's input and output are.

    ``terminal``: a pseudo-terminal of tuidbg's own; ``internal``: DAP output events, stdout and
    stderr told apart, stdin at its end.
    """

    TERMINAL = "terminal"
    INTERNAL = "internal"


class LaunchPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One program to start under the debugger.

    ``target`` is an absolute path (a file, or a directory with ``__main__.py``) or a module's name.
    ``python`` is the interpreter that runs it. ``env`` is added to the environment.
    """

    kind: TargetKind
    target: str
    args: tuple[str, ...] = ()
    cwd: str
    env: dict[str, str] = {}
    python: str
    stop_on_entry: bool = True
    just_my_code: bool = True
    console: Console = Console.TERMINAL

    @property
    def first_source(self) -> str:
        """The file to show before anything runs; empty where only the interpreter finds it."""
        if self.kind is TargetKind.MODULE:
            return ""
        path = Path(self.target)
        return str(path / "__main__.py" if path.is_dir() else path)

    @property
    def title(self) -> str:
        """What a person calls it: the script's name, or ``-m module``."""
        if self.kind is TargetKind.MODULE:
            return f"-m {self.target}"
        return self.target.rstrip("/").rpartition("/")[2]


class WantedBreakpoint(msgspec.Struct, frozen=True):
    """A breakpoint that was asked for with the launch."""

    path: str
    line: int
    condition: str = ""


class LaunchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asks for at the start. ``plan`` is None where no program was named."""

    plan: LaunchPlan | None
    breakpoints: tuple[WantedBreakpoint, ...] = ()
    theme: str = ""
    key_map: str = ""
    dap_log: str = ""
    is_demo: bool = False
