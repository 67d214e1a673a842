"""Tells how an adapter launches a program."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from tuidbg.adapters.traits.sources import SourceFacts, SourceProblem
from tuidbg.config.launch import LaunchPlan


class TerminalWay(StrEnum):
    """Tells how the program gets on the terminal that tuidbg has for it.

    ``asked_for``: the adapter asks us to start it there (DAP ``runInTerminal``). ``named``: the
    launch request names the terminal. ``shared``: the adapter itself runs on it.
    """

    ASKED_FOR = "asked_for"
    NAMED = "named"
    SHARED = "shared"


class Launch:
    """The ``launch`` request, and where the program stops on entry."""

    terminal = TerminalWay.ASKED_FOR
    """Tells how its program gets a terminal."""

    tuning = ""
    """An expression evaluated in the program once a session to make it fast; may be empty.

    Its value is a sentence about what could not be done, or an empty one.
    """

    by_interpreter = False
    """True if the plan's interpreter runs the program, and its version matters for that."""

    patience = 0.0
    """Seconds within which its programs must be there; 0 where nothing is peculiar to it."""

    def arguments(self, plan: LaunchPlan, target: SourceFacts, tty: str = "") -> dict[str, Any]:
        """The arguments of the request; ``tty`` is the program's terminal, if named."""
        raise NotImplementedError

    def command_line(self, plan: LaunchPlan) -> Sequence[str]:
        """The words by which the program is started without a debugger."""
        return plan.target, *plan.args

    def is_there(self, plan: LaunchPlan) -> bool:
        """True if there is something to run: a folder may be a program, too."""
        return Path(plan.target).exists()

    def preparing(self, plan: LaunchPlan) -> str:
        """Returns what happens before the program starts, as ``building main.go``, or ""."""
        return ""

    def explain_failure(self, reason: str) -> SourceProblem:
        """Tells why a launch failed: the adapter's reason in plain words, and the line if known."""
        return SourceProblem(reason)

    def entry_line(self, plan: LaunchPlan, target: SourceFacts) -> int | None:
        """Tells where tuidbg must stop the program on entry; None where the adapter does it."""
        return None

    def entry_function(self, plan: LaunchPlan) -> str:
        """The function at which tuidbg itself must stop the program on entry, or ""."""
        return ""

    def entry_functions(self, plan: LaunchPlan) -> Sequence[str]:
        """The same where it is the first of several that is come to."""
        return (name,) if (name := self.entry_function(plan)) else ()

    def entry_expression(self, plan: LaunchPlan, target: SourceFacts) -> str:
        """An expression that has the program stop on entry; its value is None. "" for none."""
        return ""
