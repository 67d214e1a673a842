"""Asks a process which rank of its job it is; where it can't answer, the system is asked."""

from __future__ import annotations

import asyncio
from typing import Protocol

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.program.self_told import SelfTold, read_process
from tuidbg.session.core import HasAdapter
from tuidbg.session.evaluation.own_questions import ask_program
from tuidbg.session.job.identity import NAMES, Identity, identify
from tuidbg.session.state import Status

PATIENCE = 2.0
"""Seconds that a process gets to answer: one that holds the interpreter's lock never does."""


class Asked(HasAdapter, Protocol):
    """A session whose program can be asked."""

    @property
    def status(self) -> Status:
        """The state of the program."""

    @property
    def pid(self) -> int | None:
        """The number of its process."""


async def learn_identity(session: Asked, *, is_here: bool) -> Identity:
    """Tell which rank a process is. ``is_here``: it runs on this machine."""
    told = await _ask(session)
    if told is None and is_here and session.pid is not None:
        told = await asyncio.to_thread(read_process, session.pid, NAMES)
    return identify(told if told is not None else SelfTold())


async def _ask(session: Asked) -> SelfTold | None:
    attach = session.profile.attach
    question = attach.self_question(NAMES)
    if not question or session.status not in (Status.RUNNING, Status.PAUSED):
        return None
    try:
        return attach.read_self(await ask_program(session, question, within=PATIENCE))
    except (AdapterError, ValueError):
        return None
