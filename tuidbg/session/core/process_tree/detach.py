"""Detaching from the processes of one program, and the effect on its children.

A launched program ends with all its processes, which are killed as one tree, without requests to
each of their adapters. The processes of an attached one are released one by one. A program that
ends by itself may leave processes behind: they stay debugged, by the program's adapter, until the
last of them has ended.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from tuidbg.adapters.program.started import signal_name
from tuidbg.config.launch import AttachPlan, LaunchPlan
from tuidbg.process.tree import end_tree
from tuidbg.session.model.state import ExitState

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session

ENDING = 0.5
"""Seconds for a process to end after its disconnect; it may also run on."""


ARRIVAL = 10.0
"""Seconds for a just started process to connect and arrive; mostly under one."""

_LOOK = 0.05
"""Seconds between two checks for those that have not connected yet."""


async def leave(
    session: Session, goodbye: Coroutine[Any, Any, None], *, kill: bool, runs_on: bool
) -> None:
    """Send ``goodbye`` to a session's adapter; its children are released, or dropped."""
    family, plan = session.family, session.plan
    if family is None:
        await goodbye
    elif session.is_attached or runs_on:
        if session.listener_in_use is not None:
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


async def _settle(session: Session) -> None:
    if session.children_in_use is not None:
        await session.children.settle()


async def take_in_last(session: Session) -> None:
    """Wait for processes the ended program had just started.

    They need its adapter: without one they would never run.
    """
    end = time.monotonic() + ARRIVAL
    while (left := end - time.monotonic()) > 0:
        if session.children_in_use is not None:
            await session.children.settle(left)
        if not await asyncio.to_thread(_are_coming, session):
            return
        await asyncio.sleep(_LOOK)


def _are_coming(session: Session) -> bool:
    """True if some have not connected yet. Blocks."""
    if session.processes.launch is None or not session.plan.sub_process:
        return False
    heard = {session.pid}
    for relative in session.family or ():
        heard.add(relative.session.pid)
        if relative.session.children_in_use is not None:
            heard |= relative.session.children.called
    if session.children_in_use is not None:
        heard |= session.children.called
    needs_adapter = session.adapter.profile.ending.needs_adapter
    marked = session.processes.launch.find_marked()
    return any(needs_adapter(words) for pid, words in marked.items() if pid not in heard)


async def read_end(session: Session) -> ExitState | None:
    """Return how a process has ended without its adapter's report; None if unknown."""
    followed = session.processes.exit_status
    if followed is None:
        return None
    status = await followed.wait(ENDING)
    if status is None:
        return None
    return ExitState(code=status, signal=signal_name(-status) if status < 0 else "")


def note_children_killed(session: Session) -> None:
    """Mark the processes of a launched program as ended with it."""
    if session.family is not None and not session.is_attached:
        for relative in session.family.living_children(session):
            relative.session.lifecycle.note_killed()


async def forget_children(session: Session) -> None:
    """Remove the processes below a session from the tree; they have ended or were released."""
    family = session.family
    if family is None:
        return
    children = family.children(session)
    for relative in children:
        family.drop(relative)
    await asyncio.gather(*(relative.session.close() for relative in children))


def must_stay(session: Session) -> bool:
    """Return whether processes left by an ended program still need its adapter."""
    is_needed = session.adapter.process is not None or session.processes.incoming is not None
    if session.family is None or not is_needed:
        return False
    return bool(session.family.living_children(session))


async def wait_until_alone(session: Session) -> None:
    """Return as soon as no process below a session is left."""
    family = session.family
    assert family is not None
    while family.living_children(session):
        await family.events.wait_for(lambda: not family.living_children(session))
        await take_in_last(session)


def launched_root(session: Session) -> Any:
    """Return the launched program, if a session is one of its child processes."""
    plan = session.plan
    if isinstance(plan, AttachPlan) and plan.is_child and session.family is not None:
        root = session.family.root.session
        return root if isinstance(root.plan, LaunchPlan) else None
    return None
