"""Makes a program run or stand, for front ends that tell where that has led."""

from __future__ import annotations

from tuidbg.session.control import STOP_TIMEOUT, Outcome
from tuidbg.session.errors import AdapterTimedOut
from tuidbg.session.execution import Resume
from tuidbg.session.hub import Hub
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Status


async def step(
    member: Member,
    how: Resume,
    *,
    thread_id: int | None = None,
    timeout: float = STOP_TIMEOUT,
    may_run_on: bool = True,
    origin: str,
) -> Outcome:
    """Step, or continue, and wait until the program stands or has ended.

    One that takes longer than ``timeout`` seconds is running then; with ``may_run_on`` off that is
    AdapterTimedOut. Raises as ``Control.step``.
    """
    try:
        return await member.control.step(how, thread_id=thread_id, timeout=timeout, origin=origin)
    except AdapterTimedOut:
        if not may_run_on or member.session.status is not Status.RUNNING:
            raise
        return Outcome(status=Status.RUNNING)


async def end_session(
    hub: Hub, member: Member, *, ends_attached: bool = False, origin: str
) -> None:
    """End a session that callers of this kind have made, with its program; of others the program.

    One that is attached to runs on, unless ``ends_attached``.
    """
    if member.origin != origin:
        await member.session.lifecycle.stop()
        return
    if member.session.is_attached and not ends_attached:
        await member.session.close()
    await hub.delete(member.id, origin=origin)
