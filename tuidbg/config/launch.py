"""What to debug: the plan that the command line, and later a launch.json, comes down to."""

from __future__ import annotations

from enum import StrEnum

import msgspec


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
    ``python`` is the interpreter that runs it. ``env`` is added to the environment. ``own_code``
    are further path patterns that count as the person's own code, wherever they lie.
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
    own_code: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What a person calls it: the script's name, or ``-m module``."""
        if self.kind is TargetKind.MODULE:
            return f"-m {self.target}"
        return self.target.rstrip("/").rpartition("/")[2]
