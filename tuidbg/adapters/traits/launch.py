"""Tells how an adapter launches a program."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tuidbg.adapters.traits.sources import SourceFacts, SourceProblem
from tuidbg.config.launch import LaunchPlan

if TYPE_CHECKING:
    from tuidbg.dap.connection import Connection


class TerminalWay(StrEnum):
    """Tells how the program gets on the terminal that tuidbg has for it.

    ``asked_for``: the adapter asks us to start it there (DAP ``runInTerminal``). ``named``: the
    launch request names the terminal. ``shared``: the adapter itself runs on it.
    """

    ASKED_FOR = "asked_for"
    NAMED = "named"
    SHARED = "shared"


@dataclass(frozen=True)
class StartCommand:
    """The command that starts a program with its debug server.

    ``env`` is laid over tuidbg's own environment, None unsets a name. With ``captures_output`` the
    program's streams are pipes to tuidbg.
    """

    args: Sequence[str]
    cwd: str
    env: Mapping[str, str | None]
    captures_output: bool


@dataclass(frozen=True)
class IncomingServer:
    """A debug server that has connected, and the process it is in."""

    line: socket.socket
    connection: Connection
    pid: int
    ppid: int | None


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

    connects_back = False
    """True if the debug server in the program connects to tuidbg, and no adapter is started."""

    def start_command(self, plan: LaunchPlan, port: int, token: str) -> StartCommand:
        """Where it ``connects_back``: to that port of 127.0.0.1, with the token."""
        raise NotImplementedError

    async def identify(self, line: socket.socket, token: str, within: float) -> IncomingServer:
        """Ask a debug server that has connected; seconds that it may take. Raises CallRefused."""
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
