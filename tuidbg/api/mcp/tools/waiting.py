"""The tool that waits for hits, and what it answers where there is none."""

from __future__ import annotations

import asyncio
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.tool import Arguments, Payload, no_session, tool
from tuidbg.api.mcp.tools.breakpoint_rendering import find_breakpoint, tell_place, wire_id
from tuidbg.api.mcp.tools.processes import (
    name_process,
    take_logged,
    tell_others,
    tell_state,
    tell_where,
)
from tuidbg.api.mcp.tools.snapshot import take_snapshot, tell_location
from tuidbg.api.operations import table
from tuidbg.api.operations.waits import Hit, NoHit
from tuidbg.session.serving.members import Member, SessionRemoved
from tuidbg.session.state import Breakpoint, BreakpointStatus, Status

_OVER = (Status.TERMINATED, Status.FAILED)


class WaitArguments(Arguments):
    """The arguments of ``breakpoint_wait``."""

    timeout_ms: int = 30_000
    breakpoint_id: Annotated[
        int | str | UnsetType | None, Meta(description="only this one; default: any")
    ] = UNSET
    snapshot: Annotated[bool, Meta(description="also tell source, stack, locals, output")] = True


@tool(
    table.WAIT,
    "Wait until a breakpoint is hit in any process of the program, an exception"
    " stops it, or it ends. A hit since debug_continue is told at once. logged: what log points"
    " wrote.",
)
async def breakpoint_wait(agent: Agent, asked: WaitArguments) -> Payload:
    """Wait for a hit; others call and step meanwhile.

    What can't come any more ends it at once; what may, since a person or another agent can let the
    program go on, does not, and where it stands is told at the time-out.
    """
    member = agent.member
    session = member.session
    if session.status is Status.CREATED:
        raise no_session()
    timeout = agent.seconds(asked.timeout_ms)
    wanted = None
    if asked.breakpoint_id is not UNSET and asked.breakpoint_id is not None:
        wanted = find_breakpoint(session, asked.breakpoint_id)
    found = await wait_for_hit(
        agent, member, timeout, wanted.number if wanted is not None else None
    )
    if isinstance(found, Hit):
        where = agent.hub.find(found.session) or member
        try:
            return await _tell_hit(agent, member, where, found, asked.snapshot)
        except asyncio.CancelledError:
            agent.waiter(session).put_back(found)
            raise
    told: Payload = {"hit": False, "reason": found.value}
    if found is NoHit.TIMED_OUT:
        told["message"] = f"No breakpoint hit within {asked.timeout_ms}ms"
        told |= await tell_state_at_limit(agent, member, wanted)
    elif found is NoHit.REMOVED:
        told["message"] = f"Breakpoint {asked.breakpoint_id} was removed: nothing can hit it"
        told |= await tell_state_at_limit(agent, member, None)
    else:
        told |= _tell_end(member, is_there=member in agent.hub)
        if any(each.session.status not in _OVER for each in agent.processes(member)):
            told["message"] = "This process has ended; the next wait is for the others"
    return {**told, **await tell_others(agent, member), **take_logged(agent, member)}


async def wait_for_hit(
    agent: Agent, member: Member, timeout: float, number: int | None
) -> Hit | NoHit:
    """A session that is taken away meanwhile has ended."""
    session = member.session
    hitting = asyncio.create_task(
        table.WAIT(agent.waiter(session), session, timeout=timeout, number=number)
    )
    removing = asyncio.create_task(_until_removed(agent, member))
    try:
        await asyncio.wait((hitting, removing), return_when=asyncio.FIRST_COMPLETED)
        return hitting.result() if hitting.done() else NoHit.ENDED
    except asyncio.CancelledError:
        if hitting.done() and isinstance(hit := hitting.result(), Hit):
            agent.waiter(session).put_back(hit)
        raise
    finally:
        hitting.cancel()
        removing.cancel()


async def _until_removed(agent: Agent, member: Member) -> None:
    async for entry in agent.hub.events.follow():
        if isinstance(entry.event, SessionRemoved) and entry.event.id == member.id:
            return


async def _tell_hit(
    agent: Agent, member: Member, where: Member, hit: Hit, wants_snapshot: bool
) -> Payload:
    """A hit in the process ``where`` of the program that ``member`` is a process of."""
    found = None
    if hit.breakpoint is not None:
        found = where.session.breakpoints.registry.look_up(hit.breakpoint)
    told: Payload = {
        "hit": True,
        "breakpoint_id": _hit_id(found) if found is not None else hit.breakpoint,
        "thread_id": hit.stop.thread_id,
    }
    outcome = await where.control.where()
    is_there = hit.is_there and outcome.stop is not None and outcome.stop.id == hit.stop.id
    if is_there and outcome.frame is not None:
        told["location"] = tell_location(outcome.frame)
    elif found is not None and found.path:
        told["location"] = tell_place(found)
    told["hit_count"] = found.hits if found is not None else 1
    if where is not member:
        told["process"] = name_process(where)
    if not is_there:
        told["message"] = "somebody has let the program go on since"
    elif where is not member:
        told["message"] = "another process of the program; debug_state with its session_id goes"
        told["message"] += " there"
    told |= take_logged(agent, member)
    if is_there and wants_snapshot:
        snapshot = await take_snapshot(agent, where)
        told["snapshot"] = {
            k: v for k, v in snapshot.items() if k not in ("session_id", "location")
        }
    return told


def _hit_id(found: Breakpoint) -> int | str:
    return found.number if found.exception is None else wire_id(found)


async def tell_state_at_limit(
    agent: Agent, member: Member, wanted: Breakpoint | None = None
) -> Payload:
    """Tells where the program is, who has the controls, and what to do for a hit."""
    held = agent.hub.held
    outcome = await member.control.where()
    told: Payload = {"state": tell_state(member), **tell_where(outcome), "held": held is not None}
    if held:
        told["held_reason"] = held
    if hint := _hint(member, wanted, is_held=held is not None):
        told["hint"] = agent.fit_hint(hint)
    return told


def _hint(member: Member, wanted: Breakpoint | None, *, is_held: bool) -> str:
    """Returns why nothing was hit, where that can be seen."""
    session = member.session
    known = wanted and session.breakpoints.registry.look_up(wanted.number)
    if known is not None and not known.enabled:
        return "this breakpoint is disabled; breakpoint_enable switches it on"
    if known is not None and known.status is BreakpointStatus.REFUSED:
        return f"this breakpoint can't be hit: {known.message}"
    if known is not None and not known.stops:
        return "it logs and never stops; see logged"
    if session.breakpoints.muted:
        return "breakpoints are muted: nothing stops the program"
    if session.status is Status.PAUSED and is_held:
        return "it stands, and a person keeps the controls: only they let it go on"
    if session.status is Status.PAUSED:
        return "it stands; debug_continue lets it go on"
    return ""


def _tell_end(member: Member, *, is_there: bool) -> Payload:
    session = member.session
    ended = session.exit
    told: Payload = {
        "message": "The program has ended before a breakpoint was hit",
        "state": tell_state(member) if is_there else "exited",
        "exit_code": ended.code if ended is not None else None,
    }
    if session.status is Status.FAILED and session.failure:
        told["message"] = session.failure
    if ended is not None and ended.signal:
        told["signal"] = ended.signal
    return told
