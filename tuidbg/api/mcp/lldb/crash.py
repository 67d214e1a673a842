"""The tool of the set ``lldb`` that explains a crash, in one answer."""

from __future__ import annotations

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.lldb.dialect import (
    Code,
    Refused,
    SessionArguments,
    member_of,
    need_stop,
    tell_address,
    tool,
)
from tuidbg.api.mcp.lldb.memory import tell_instruction, tell_registers, whole_registers
from tuidbg.api.mcp.lldb.rendering import tell_frame, tell_reason
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.mcp.tools.snapshot import read_around, size_of
from tuidbg.api.operations import table
from tuidbg.session.native.crash import Access, Crash
from tuidbg.session.native.suspicious import SUSPICIOUS


@tool(
    "lldb_analyzeCrash",
    "After a crash: rating, plain explanation, faulting access, instruction, registers, stack.",
    table.EXAMINE_CRASH,
    otherwise=Code.ANALYSIS,
)
async def analyze_crash(agent: Agent, asked: SessionArguments) -> Payload:
    """Tell what went wrong, where, how bad it is, and what to look at."""
    member = member_of(agent, asked)
    need_stop(member)
    outcome = await member.control.where()
    stop = outcome.stop or need_stop(member)
    crash = await table.EXAMINE_CRASH(member.session, stop, frames=agent.limits.frames)
    if crash is None:
        raise Refused(
            Code.ANALYSIS,
            f"The program has not crashed: it stands because of {stop.signal or tell_reason(stop)}",
            "lldb_continue, then lldb_pollEvents until a signal comes",
        )
    told: Payload = {
        "analysis": _tell(crash),
        "threadId": stop.thread_id,
        "stack": [tell_frame(frame) for frame in crash.frames],
        "source": _source(agent, crash),
    }
    if crash.has_more_frames:
        told["moreFrames"] = "lldb_frames with start"
    return _bound(told, agent.limits.reply)


def _tell(crash: Crash) -> Payload:
    facts, verdict = crash.facts, crash.verdict
    address = facts.fault_address
    told: Payload = {
        "rating": verdict.rating.value,
        "confidence": verdict.confidence,
        "crashType": facts.signal,
        "cause": verdict.cause,
        "accessType": verdict.access.value or None,
        "faultAddress": tell_address(address) if address is not None else None,
        "explanation": verdict.explanation,
        "recommendation": verdict.recommendation,
        "indicators": _indicators(crash),
        "instruction": tell_instruction(facts.instruction) if facts.instruction else None,
        "registers": tell_registers(whole_registers(crash.registers)) if crash.registers else {},
    }
    return told


def _indicators(crash: Crash) -> list[Payload]:
    """List what else speaks for the verdict, or for a closer look."""
    found: list[Payload] = []
    if crash.verdict.access is not Access.NONE:
        found.append(
            {
                "type": f"{crash.verdict.access.value}_access",
                "description": crash.verdict.cause.replace("_", " "),
                "severity": crash.verdict.rating.value.lower(),
            }
        )
    for frame in crash.frames:
        suspicion = SUSPICIOUS.get(frame.name)
        if suspicion is not None:
            found.append(
                {
                    "type": "suspicious_function",
                    "description": f"{frame.name} {suspicion.description}",
                    "severity": suspicion.risk.value,
                    "frameIndex": frame.index,
                }
            )
    return found


def _source(agent: Agent, crash: Crash) -> list[str]:
    """The lines around the topmost frame whose source is here."""
    for frame in crash.frames:
        if lines := read_around(frame, agent.limits.source):
            return lines
    return []


def _bound(told: Payload, most: int) -> Payload:
    """The answer in at most so many characters; what can be asked for by itself goes first."""
    left_out = []
    for key, asked_by in (("source", "lldb_frames"), ("stack", "lldb_frames")):
        if size_of(told) > most and told[key]:
            told = {**told, key: told[key][:3] if key == "stack" else []}
            left_out.append(f"{key}: {asked_by}")
    if size_of(told) > most:
        told = {**told, "analysis": {**told["analysis"], "registers": {}}}
        left_out.append("registers: lldb_readRegisters")
    return {**told, "leftOut": left_out} if left_out else told


TOOLS = (analyze_crash,)
