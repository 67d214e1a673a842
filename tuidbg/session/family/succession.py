"""Tells which process has taken the place of another: reloaders start their worker anew.

Those of Flask, Django and uvicorn end it, and its parent starts the same command once more. That it
is the same can be seen in its command line, where only numbers (pipes, ports) are others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tuidbg.config.launch import AttachPlan, Plan

if TYPE_CHECKING:
    from tuidbg.session.family.family import Relative

_NUMBER = re.compile(r"\d+")


def pid_of(plan: Plan) -> int | None:
    """The process id of a further process, as its adapter told it before it began."""
    pid = plan.configuration.get("subProcessId") if isinstance(plan, AttachPlan) else None
    return pid if isinstance(pid, int) else None


def read_command(plan: Plan) -> str:
    """Tells what a further process was started with, but for numbers; "" where nobody knows."""
    if (pid := pid_of(plan)) is None:
        return ""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
    return _NUMBER.sub("0", words)


def find_predecessor(newcomer: Relative[Any], known: Iterable[Relative[Any]]) -> Any:
    """The relative that has ended, and whose work ``newcomer`` takes up; None where there is none.

    Several workers of one command live beside each other: who lives is replaced by nobody.
    """
    if not newcomer.command:
        return None
    candidates = (
        each
        for each in known
        if each is not newcomer
        and each.parent is newcomer.parent
        and each.successor is None
        and each.command == newcomer.command
        and (each.is_over or _is_gone(pid_of(each.session.plan)))
    )
    return max(candidates, key=lambda each: each.number, default=None)


def _is_gone(pid: int | None) -> bool:
    """Returns whether a process of this machine is no more, though its adapter has not told yet."""
    if pid is None:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False


def take_over(newcomer: Relative[Any], before: Relative[Any]) -> None:
    """``newcomer`` has taken the place of ``before``: what was watched there is watched on."""
    before.successor = newcomer
    if "watches" in vars(before.session):
        watches = before.session.watches
        newcomer.session.watches.adopt((each.expression, each.pinned) for each in watches)
