"""Detaches the processes of one program: what happens to children where one of them is left.

A launched program ends with all its processes, which are killed as one tree; nobody asks each of
their adapters. The processes of an attached one are let go one by one. A program that ends by
itself may leave processes behind: they are debugged on, by the adapter that it had, until the last
of them has ended.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Protocol

from tuidbg.adapters.program.started import signal_name
from tuidbg.config.launch import AttachPlan, LaunchPlan
from tuidbg.process.tree import end_tree
from tuidbg.session.core import Program
from tuidbg.session.state import ExitState

if TYPE_CHECKING:
    from tuidbg.session.connect.adapter_link import AdapterLink
    from tuidbg.session.process_tree.family import Family
    from tuidbg.session.run.processes import Processes

ENDING = 0.5
"""Seconds that a process may take to end after it has said goodbye; it may also run on."""


ARRIVAL = 10.0
"""Seconds in which a process that has just been started calls and arrives; mostly under one."""

_LOOK = 0.05
"""Seconds between two looks for those that have not called yet."""


class _Arriving(Protocol):
    async def settle(self) -> None:
        """Wait a moment until those that are arriving have arrived or were let go."""


class _Children(Protocol):
    called: set[int]
    """The process ids of those that have called, whatever became of them."""

    async def settle(self, patience: float = ...) -> None:
        """The same, or so long."""


class Left(Program, Protocol):
    """A session whose program is left, or has ended."""

    @property
    def family(self) -> Family[Any] | None:
        """The processes that belong together."""

    @property
    def adapter(self) -> AdapterLink:
        """The conversation with the adapter."""

    @property
    def processes(self) -> Processes:
        """Follows how the program ends."""

    @property
    def children(self) -> _Children:
        """Takes in the processes that the program starts."""

    @property
    def listener(self) -> _Arriving:
        """Takes in the programs that connect to us."""


async def leave(
    session: Left, goodbye: Coroutine[Any, Any, None], *, kill: bool, runs_on: bool
) -> None:
    """Say ``goodbye`` to a session's adapter; its children are let go, or not asked any more."""
    family, plan = session.family, session.plan
    if family is None:
        await goodbye
    elif session.is_attached or runs_on:
        if "listener" in vars(session):
            await session.listener.settle()
        children = [r.session for r in family.living_children(session)]
        stops = (child.lifecycle.stop(kill=kill, runs_on=runs_on) for child in children)
        await asyncio.gather(goodbye, _settle(session), *stops)
    else:
        for relative in family.living_children(session):
            relative.session.lifecycle.give_up()
        server = session.processes.server
        pid = server.pid if session.pid is None and server is not None else session.pid
        await goodbye
        if plan.is_child and pid is not None:
            await asyncio.to_thread(end_tree, pid)


async def _settle(session: Left) -> None:
    if "children" in vars(session):
        await session.children.settle()


async def take_in_last(session: Left) -> None:
    """Wait for the processes that the program has left behind just when they were beginning.

    They need its adapter: without one they would never run.
    """
    end = time.monotonic() + ARRIVAL
    while (left := end - time.monotonic()) > 0:
        if "children" in vars(session):
            await session.children.settle(left)
        if not await asyncio.to_thread(_are_coming, session):
            return
        await asyncio.sleep(_LOOK)


def _are_coming(session: Left) -> bool:
    """Tells whether there are some of which nothing has been heard. Blocks."""
    if session.processes.launch is None or not session.plan.sub_process:
        return False
    heard = {session.pid}
    for relative in session.family or ():
        heard.add(relative.session.pid)
        if "children" in vars(relative.session):
            heard |= relative.session.children.called
    if "children" in vars(session):
        heard |= session.children.called
    needs_adapter = session.adapter.profile.ending.needs_adapter
    marked = session.processes.launch.find_marked()
    return any(needs_adapter(words) for pid, words in marked.items() if pid not in heard)


async def read_end(session: Left) -> ExitState | None:
    """Tells how a process has ended of which its adapter tells nothing; None if not known."""
    followed = session.processes.exit_status
    if followed is None:
        return None
    status = await followed.wait(ENDING)
    if status is None:
        return None
    return ExitState(code=status, signal=signal_name(-status) if status < 0 else "")


def note_children_killed(session: Left) -> None:
    """The processes of a launched program have been ended with it."""
    if session.family is not None and not session.is_attached:
        for relative in session.family.living_children(session):
            relative.session.lifecycle.note_killed()


async def forget_children(session: Left) -> None:
    """Take the processes below a session out of the tree; they have ended or were let go."""
    family = session.family
    if family is None:
        return
    children = family.children(session)
    for relative in children:
        family.drop(relative)
    await asyncio.gather(*(relative.session.close() for relative in children))


def must_stay(session: Left) -> bool:
    """Returns whether the adapter of an ended program is still needed by processes it has left."""
    is_needed = session.adapter.process is not None or session.processes.incoming is not None
    if session.family is None or not is_needed:
        return False
    return bool(session.family.living_children(session))


async def wait_until_alone(session: Left) -> None:
    """Return as soon as no process below a session is left."""
    family = session.family
    assert family is not None
    while family.living_children(session):
        await family.events.wait_for(lambda: not family.living_children(session))
        await take_in_last(session)


def launched_root(session: Left) -> Any:
    """The program that was launched, where a session is one of its further processes."""
    plan = session.plan
    if isinstance(plan, AttachPlan) and plan.is_child and session.family is not None:
        root = session.family.root.session
        return root if isinstance(root.plan, LaunchPlan) else None
    return None
