"""LLDB tools for memory, machine code, registers and crashes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from msgspec import Meta

from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.lldb.dialect import (
    Address,
    ErrorCode,
    LldbToolError,
    SessionArguments,
    ThreadId,
    member_of,
    need_stop,
    read_address,
    tell_address,
    tool,
)
from tuidbg.api.mcp.lldb.frames import frame_of, selected
from tuidbg.api.mcp.lldb.rendering import tell_frame, tell_reason
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.mcp.tools.snapshot import read_around, size_of
from tuidbg.api.operations import table
from tuidbg.api.operations.views import view_expression, view_raw
from tuidbg.session.features.native.crash import Access, Crash
from tuidbg.session.features.native.disassembly import Instruction
from tuidbg.session.features.native.registers import Register, RegisterGroup
from tuidbg.session.features.native.symbols import SUSPICIOUS
from tuidbg.session.features.native.views import NativeViews
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.errors import EvaluationFailed

_FRAMING = 200
"""Characters of a memory answer besides the bytes, each of which takes three."""


class LldbDisassembleArguments(SessionArguments):
    """The arguments of ``lldb_disassemble``."""

    addr: Annotated[int | str | None, Meta(description="default: the selected frame's")] = None
    count: Annotated[int, Meta(ge=1, le=200)] = 10


@tool(
    "lldb_disassemble",
    "Machine code from an address on.",
    table.DISASSEMBLE,
    otherwise=ErrorCode.MEMORY,
)
async def disassemble(agent: Agent, asked: LldbDisassembleArguments) -> Payload:
    member = member_of(agent, asked)
    frame = await frame_of(agent, member)
    disassembly = NativeViews.of(member.session).disassembly
    if asked.addr is None:
        found = await disassembly.of_frame(frame, 0, asked.count)
    else:
        found = await table.DISASSEMBLE(disassembly, read_address(asked.addr), 0, asked.count)
    told: Payload = {"instructions": [tell_instruction(each) for each in found]}
    return {**told, "next": tell_address(found[-1].end)} if found else told


def tell_instruction(found: Instruction) -> Payload:
    """Render an instruction."""
    mnemonic, _, operands = found.text.partition(" ")
    told: Payload = {
        "address": tell_address(found.address),
        "opcode": found.data.hex(),
        "mnemonic": mnemonic,
        "operands": operands,
    }
    if found.symbol:
        told["symbol"] = found.symbol
    if found.remark:
        told["comment"] = view_expression(found.remark)
    if found.place is not None:
        told |= {"file": found.place.path, "line": found.place.line}
    return told


class ReadArguments(SessionArguments):
    """The arguments of ``lldb_readMemory``."""

    addr: Address
    size: Annotated[int, Meta(ge=1, le=1 << 20)]


@tool(
    "lldb_readMemory",
    "Memory as hex and text; next continues where it was cut.",
    table.READ_MEMORY,
    otherwise=ErrorCode.MEMORY,
)
async def read_memory(agent: Agent, asked: ReadArguments) -> Payload:
    """Read as many bytes as fit into an answer, as hex and text."""
    member = member_of(agent, asked)
    need_stop(member)
    address = read_address(asked.addr)
    size = min(asked.size, max(16, (agent.limits.reply - _FRAMING) // 3))
    block = await table.READ_MEMORY(NativeViews.of(member.session).memory, address, size)
    data = block.data
    if not data:
        why = f": {block.problem}" if block.problem else ""
        raise LldbToolError(ErrorCode.MEMORY, f"Memory at {address:#x} can't be read{why}")
    told: Payload = {
        "address": tell_address(address),
        "size": len(data),
        "bytes": view_raw(data.hex()),
        "ascii": view_raw("".join(chr(byte) if 32 <= byte < 127 else "." for byte in data)),
    }
    if len(data) < size:
        told["unreadableFrom"] = tell_address(address + len(data))
    elif size < asked.size:
        told |= {"more": asked.size - size, "next": tell_address(address + size)}
    return told


class WriteArguments(SessionArguments):
    """The arguments of ``lldb_writeMemory``."""

    addr: Address
    bytes: Annotated[str, Meta(description="hex, such as 01ff")]


@tool(
    "lldb_writeMemory",
    "Write bytes to memory.",
    table.WRITE_MEMORY,
    otherwise=ErrorCode.MEMORY,
    destroys=True,
)
async def write_memory(agent: Agent, asked: WriteArguments) -> Payload:
    member = member_of(agent, asked)
    need_stop(member)
    try:
        data = bytes.fromhex(asked.bytes.removeprefix("0x"))
    except ValueError:
        data = b""
    if not data:
        raise LldbToolError(ErrorCode.PARAMETERS, "bytes must be hex digits, two for each byte")
    written = await table.WRITE_MEMORY(
        NativeViews.of(member.session).memory, read_address(asked.addr), data, origin=ORIGIN
    )
    return {
        "address": tell_address(written.address),
        "bytesWritten": len(written.after),
        "before": view_raw(written.before.hex()[: agent.limits.output]),
    }


# Registers


class RegistersArguments(SessionArguments):
    """The arguments of ``lldb_readRegisters``."""

    thread_id: ThreadId = None
    group: Literal["general", "all"] = "general"


@tool(
    "lldb_readRegisters",
    "Registers of the selected frame; group all for vector registers too.",
    table.READ_REGISTERS,
    otherwise=ErrorCode.REGISTER,
)
async def read_registers(agent: Agent, asked: RegistersArguments) -> Payload:
    """Read the registers of the selected frame, or of a thread's top one, by group."""
    member = member_of(agent, asked)
    frame = await frame_of(agent, member, thread_id=asked.thread_id)
    groups = await table.READ_REGISTERS(NativeViews.of(member.session).registers, frame.id)
    wanted = groups if asked.group == "all" else groups[:1]
    if asked.group == "all":
        told: Payload = {"registers": {_name(g): tell_registers(g.registers) for g in wanted}}
    else:
        told = {"registers": {_name(g): tell_registers(whole_registers(g)) for g in wanted}}
    if len(wanted) < len(groups):
        told["otherGroups"] = [_name(group) for group in groups[len(wanted) :]]
    return {**told, "threadId": _thread(agent, member, asked.thread_id)}


def _name(group: RegisterGroup) -> str:
    if group.name.startswith("General"):
        return "general"
    return group.name.lower().removesuffix(" registers").replace(" ", "_")


def whole_registers(group: RegisterGroup) -> Sequence[Register]:
    """Return the widest registers, without parts of others (``eax`` of ``rax``)."""
    widest = max((len(_first_word(r.value)) for r in group.registers), default=0)
    return [r for r in group.registers if len(_first_word(r.value)) == widest]


def tell_registers(registers: Iterable[Register]) -> Payload:
    """Render register values without what they point to."""
    return {each.name: _first_word(each.value) for each in registers}


def _first_word(value: str) -> str:
    return value.split(maxsplit=1)[0] if value.startswith("0x") else view_raw(value)


def _thread(agent: Agent, member: HubSession, thread_id: int | None) -> int | None:
    stop = member.session.stop
    stopped = stop.thread_id if stop is not None else None
    return thread_id or selected(agent, member).thread_id or stopped


class RegisterArguments(SessionArguments):
    """The arguments of ``lldb_writeRegister``."""

    name: str
    value: Annotated[int | str, Meta(description="number, or hex as 0x2a")]


@tool(
    "lldb_writeRegister",
    "Set a register.",
    table.WRITE_REGISTER,
    otherwise=ErrorCode.REGISTER,
    destroys=True,
)
async def write_register(agent: Agent, asked: RegisterArguments) -> Payload:
    """Set a register of the selected frame."""
    member = member_of(agent, asked)
    frame = await frame_of(agent, member)
    registers = NativeViews.of(member.session).registers
    before = await registers.get(frame.id, asked.name)
    try:
        after = await table.WRITE_REGISTER(
            registers, frame.id, before.name, str(asked.value), origin=ORIGIN
        )
    except EvaluationFailed as error:
        raise LldbToolError(
            ErrorCode.REGISTER, f"{before.name} could not be set: {error}"
        ) from error
    return {
        "register": {
            "name": after.name,
            "oldValue": _first_word(before.value),
            "newValue": _first_word(after.value),
        }
    }


TOOLS = (
    disassemble,
    read_memory,
    write_memory,
    read_registers,
    write_register,
)


@tool(
    "lldb_analyzeCrash",
    "After a crash: rating, plain explanation, faulting access, instruction, registers, stack.",
    table.EXAMINE_CRASH,
    otherwise=ErrorCode.ANALYSIS,
)
async def analyze_crash(agent: Agent, asked: SessionArguments) -> Payload:
    """Explain a crash: cause, place, severity, and the next things to examine."""
    member = member_of(agent, asked)
    need_stop(member)
    outcome = await member.control.where()
    stop = outcome.stop or need_stop(member)
    crash = await table.EXAMINE_CRASH(member.session, stop, frames=agent.limits.frames)
    if crash is None:
        raise LldbToolError(
            ErrorCode.ANALYSIS,
            f"The program has not crashed; it stopped at {stop.signal or tell_reason(stop)}",
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
    """List further evidence for the verdict, or for a closer look."""
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
    """Return the lines around the topmost frame with source."""
    for frame in crash.frames:
        if lines := read_around(frame, agent.limits.source):
            return lines
    return []


def _bound(told: Payload, most: int) -> Payload:
    """Cut an answer to ``most`` characters; parts with a tool of their own are omitted first."""
    left_out = []
    for key, asked_by in (("source", "lldb_frames"), ("stack", "lldb_frames")):
        if size_of(told) > most and told[key]:
            told = {**told, key: told[key][:3] if key == "stack" else []}
            left_out.append(f"{key}: {asked_by}")
    if size_of(told) > most:
        told = {**told, "analysis": {**told["analysis"], "registers": {}}}
        left_out.append("registers: lldb_readRegisters")
    return {**told, "leftOut": left_out} if left_out else told


CRASH_TOOLS = (analyze_crash,)
