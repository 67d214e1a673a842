"""Tells how an adapter attaches to a program that runs, and opens what is left of one that died."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from tuidbg.adapters.program.self_told import SelfTold
from tuidbg.config.launch import AttachPlan

if TYPE_CHECKING:
    from tuidbg.adapters.client import AdapterClient
    from tuidbg.dap.connection import Connection


class Attach:
    """The ``attach`` request, and what stands in its way."""

    tuning = ""
    """``Launch.tuning`` for a program that runs already, before anything else is asked of it."""

    child_event = ""
    """The event of its own that tells of a further process, beside DAP's ``startDebugging``."""

    connects_back = False
    """True if tuidbg puts the debug server into a process, which connects to it without adapter."""

    async def put_server_in(
        self, pid: int, port: int, token: str, on_waiting: Callable[[str], None]
    ) -> None:
        """Put the debug server into a process of this machine; it connects to that port.

        Runs until it is cancelled, as when the server has connected. ``on_waiting`` gets the reason
        where it takes long. Raises AdapterError where it can't be done.
        """
        raise NotImplementedError

    def arguments(self, plan: AttachPlan) -> dict[str, Any]:
        """The arguments of the request."""
        return {"name": "tuidbg", "pid": plan.pid}

    def obstacle(self, pid: int) -> str:
        """Tells why a process of this machine can't be attached to; empty where none is known."""
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return "there is no such process"
        except PermissionError:
            return "it belongs to another user"
        return ""

    def how_to_listen(self, port: int) -> str:
        """The command that starts a program which can be attached to by that port."""
        return f"its debug adapter at port {port}"

    def how_to_connect(self, place: str, *, by_token: bool = False) -> str:
        """The command that starts a program which connects to that port, or HOST:PORT, of ours."""
        return f"their debug adapter at {place}"

    async def greet_caller(self, line: socket.socket, token: str, within: float) -> Connection:
        """Hear whether it is a program of its own that has called us, and knows the ``token``.

        An empty one need not be known. It has ``within`` seconds for that. The conversation goes
        on with what is returned, by ``caller_client``. Raises CallRefused.
        """
        raise NotImplementedError

    def find_caller(self, line: socket.socket) -> Callable[[int], bool]:
        """Returns a check by process id: whether that process of this machine is the caller."""
        return lambda pid: False

    def caller_client(self) -> type[AdapterClient]:
        """How one that has called is spoken to."""
        raise NotImplementedError

    def lets_go(self, plan: AttachPlan) -> bool:
        """True if it lets an attached program run on when it is left, without its breakpoints."""
        return True

    def core_obstacle(self, plan: AttachPlan) -> str:
        """Returns why the plan's core file can't be opened; empty where nothing is known."""
        return f"{plan.adapter} opens no core files"

    def program_of(self, pid: int) -> str:
        """Tells what a process of this machine runs, in a word; empty where nobody can tell."""
        return ""

    def self_question(self, names: Collection[str] | None) -> str:
        """An expression that tells what a process knows of itself, of variables these (None: all).

        Empty where none can be asked; ``read_self`` reads the answer, and raises ValueError.
        """
        return ""

    def read_self(self, answer: str) -> SelfTold:
        """The answer to that."""
        return SelfTold()

    def explain_refusal(self, reason: str) -> str:
        """The adapter's answer to the request in plain words."""
        return reason
