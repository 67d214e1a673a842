"""The processes of one program, and what its log points wrote, as agents are told of them."""

from __future__ import annotations

from pathlib import PurePath

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.text import cut
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.mcp.tools.breakpoint_rendering import wire_id
from tuidbg.api.operations.views import view_record
from tuidbg.session.control import Outcome
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Status, StopReason, TraceRecord

_REASONS = {StopReason.ENTRY: "entry_point"}

_STATES = {
    Status.CREATED: "not_attached",
    Status.LAUNCHING: "running",
    Status.RUNNING: "running",
    Status.PAUSED: "stopped",
    Status.TERMINATED: "exited",
    Status.FAILED: "exited",
}


def tell_state(member: Member) -> str:
    """running, stopped, exited, or not_attached."""
    return _STATES[member.session.status]


def tell_reason(reason: StopReason) -> str:
    """Returns why it stands."""
    return _REASONS.get(reason, reason.value)


def name_process(member: Member) -> Payload:
    """Returns which process that is: ``debug_state`` with its session_id works on it."""
    return {"session_id": member.id, "name": member.name, "pid": member.pid}


def tell_where(outcome: Outcome) -> Payload:
    """Returns why and where a process stands, in one line each; nothing where it does not."""
    stop = outcome.stop
    if stop is None:
        return {}
    reason = stop.other_reason or tell_reason(stop.reason)
    told: Payload = {"stop_reason": reason, "thread_id": stop.thread_id}
    if stop.hit_breakpoints:
        told["breakpoint_ids"] = list(stop.hit_breakpoints)
    place = outcome.frame.place if outcome.frame is not None else None
    if place is not None:
        told["location"] = {"file": place.path, "line": place.line}
    return told


async def tell_others(agent: Agent, member: Member) -> Payload:
    """The other processes of its program, where there are any, and where they stand."""
    others = [each for each in agent.processes(member) if each is not member]
    most = agent.limits.items
    told = [
        {
            **name_process(each),
            "state": tell_state(each),
            **tell_where(await each.control.where()),
        }
        for each in others[:most]
    ]
    if not told:
        return {}
    more = {"more_processes": len(others) - most} if len(others) > most else {}
    return {"processes": told, **more}


def take_logged(agent: Agent, member: Member) -> Payload:
    """Tell the newest that log points have written since it was last told, in all processes."""
    told: list[tuple[float, Payload]] = []
    for process in agent.processes(member):
        breakpoints = process.session.breakpoints.registry
        for record in agent.take_logged(process.session):
            found = breakpoints.look_up(record.breakpoint)
            entry: Payload = {
                "breakpoint_id": wire_id(found) if found is not None else record.breakpoint,
                "hit_count": record.count,
                "text": cut(view_record(record).text, agent.limits.value),
            }
            if process is not member:
                entry["process"] = process.name
            told.append((record.time, entry))
    if not told:
        return {}
    told.sort(key=lambda each: each[0])
    most = agent.limits.items
    logged: Payload = {"logged": [entry for _, entry in told[-most:]]}
    if len(told) > most:
        logged["logged_left_out"] = len(told) - most
    return logged


def describe_record(record: TraceRecord) -> str:
    """One line of what a log point or tracepoint wrote."""
    return f"{PurePath(record.path).name}:{record.line}: {view_record(record).text}"
