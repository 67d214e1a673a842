"""The analysis of a native crash: cause, location and severity.

Heuristics on the signal, the faulting address, the instruction and the stack; they suggest what to
check first, not whether the crash is exploitable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from tuidbg.session.features.native.disassembly import Instruction
from tuidbg.session.features.native.registers import RegisterGroup
from tuidbg.session.features.native.views import NativeViews
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Frame, StateValue, Stop

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


NEAR_NULL = 0x1_0000
"""Addresses below this are those of a null pointer and a small offset."""

_STACK_REACH = 0x1_0000
"""Bytes from the stack pointer within which a fault may be one of the stack itself."""

DEEP = 1_000
"""Frames of a stack that indicate endless recursion."""

_ADDRESS = re.compile(r"(?:\bat |address[:=]\s*)(0x[0-9a-fA-F]+)")

_CRASHES = ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS")


class Rating(StrEnum):
    """The attention a crash deserves: whether it could be more than a crash."""

    CRITICAL = "Critical"
    HIGH = "High"
    MEDIUM = "Medium"
    LOW = "Low"
    UNKNOWN = "Unknown"


class Access(StrEnum):
    """The kind of access to the faulting address."""

    WRITE = "write"
    READ = "read"
    EXECUTE = "execute"
    NONE = ""


class CrashFacts(StateValue, frozen=True):
    """The known facts of a crash; ``functions`` are those on the stack, the top one first."""

    signal: str
    fault_address: int | None = None
    instruction: Instruction | None = None
    stack_pointer: int | None = None
    code_address: int | None = None
    functions: tuple[str, ...] = ()
    is_deep: bool = False


class Verdict(StateValue, frozen=True):
    """The verdict. ``confidence`` is from 0 to 1, ``cause`` one word for API clients."""

    rating: Rating
    confidence: float
    access: Access
    cause: str
    explanation: str
    recommendation: str


class Crash(StateValue, frozen=True):
    """A crash: the verdict and its facts."""

    facts: CrashFacts
    verdict: Verdict
    registers: RegisterGroup | None = None
    frames: tuple[Frame, ...] = ()
    has_more_frames: bool = False


async def examine_crash(session: Session, stop: Stop, *, frames: int = 20) -> Crash | None:
    """Return the crash the program is stopped at; None for another kind of stop.

    Raises InvalidSessionState, StaleReply, AdapterFailed.
    """
    if stop.signal not in _CRASHES:
        return None
    stack, _ = await session.inspection.stack(stop.thread_id, 0, frames + 1)
    if not stack:
        return None
    registers = await _registers(session, stack[0])
    values = {r.name: r.number for r in registers.registers} if registers is not None else {}
    said = stop.exception.message if stop.exception is not None else ""
    found = _ADDRESS.search(f"{said} {stop.description} {stop.text}")
    facts = CrashFacts(
        signal=stop.signal,
        fault_address=int(found[1], 16) if found is not None else None,
        instruction=await _instruction(session, stack[0]),
        stack_pointer=next((values[n] for n in ("rsp", "sp", "esp") if n in values), None),
        code_address=stack[0].address,
        functions=tuple(frame.name for frame in stack),
        is_deep=len(stack) > frames and await _is_deep(session, stop),
    )
    return Crash(
        facts=facts,
        verdict=judge(facts),
        registers=registers,
        frames=stack[:frames],
        has_more_frames=len(stack) > frames,
    )


async def _is_deep(session: Session, stop: Stop) -> bool:
    """True if there are more frames than any recursion needs; adapters only guess their number."""
    found, _ = await session.inspection.stack(stop.thread_id, DEEP, 1)
    return bool(found)


async def _registers(session: Session, frame: Frame) -> RegisterGroup | None:
    try:
        groups = await NativeViews.of(session).registers.groups(frame.id)
    except DebuggerError:
        return None
    return groups[0] if groups else None


async def _instruction(session: Session, frame: Frame) -> Instruction | None:
    try:
        return (await NativeViews.of(session).disassembly.of_frame(frame, 0, 1))[0]
    except DebuggerError:
        return None  # there is no code at the program's target address


def judge(facts: CrashFacts) -> Verdict:
    if facts.signal in ("SIGSEGV", "SIGBUS"):
        return _judge_fault(facts)
    if facts.signal == "SIGABRT":
        return _judge_abort(facts.functions)
    return _OTHERS.get(
        facts.signal,
        _verdict(
            Rating.UNKNOWN, 0.3, "signal", f"The program got {facts.signal}.", "Look at the stack."
        ),
    )


def _verdict(
    rating: Rating,
    confidence: float,
    cause: str,
    explanation: str,
    recommendation: str,
    access: Access = Access.NONE,
) -> Verdict:
    return Verdict(
        rating=rating,
        confidence=confidence,
        access=access,
        cause=cause,
        explanation=explanation,
        recommendation=recommendation,
    )


_OTHERS: Mapping[str, Verdict] = {
    "SIGFPE": _verdict(
        Rating.LOW,
        0.9,
        "arithmetic",
        "An integer was divided by zero, or the result does not fit.",
        "Check the divisor before the division.",
    ),
    "SIGILL": _verdict(
        Rating.MEDIUM,
        0.5,
        "illegal_instruction",
        "The processor does not know this instruction: a compiler put a trap there"
        " (__builtin_trap, an unreachable path), or the program jumped to data.",
        "Look at the instruction; with ud2 or brk it is a trap of the compiler's.",
    ),
    "SIGTRAP": _verdict(
        Rating.LOW,
        0.5,
        "trap",
        "The program ran into a trap instruction that is no breakpoint of the debugger's.",
        "Look for __builtin_trap, an assertion or a sanitizer.",
    ),
    "SIGSYS": _verdict(
        Rating.LOW,
        0.7,
        "system_call",
        "The program made a system call that its sandbox forbids.",
        "Look which call it was, and at the seccomp filter.",
    ),
}

_ABORTS: tuple[tuple[tuple[str, ...], Verdict], ...] = (
    (
        ("__stack_chk_fail", "__fortify_fail", "__chk_fail"),
        _verdict(
            Rating.HIGH,
            0.9,
            "stack_overflow_detected",
            "A buffer on the stack was overrun; the compiler's guard noticed it and aborted.",
            "Check the writes of the function of the frame below to its local arrays.",
            Access.WRITE,
        ),
    ),
    (
        (
            *("malloc_printerr", "_int_free", "_int_malloc", "unlink_chunk", "malloc_consolidate"),
            *("free", "malloc", "calloc", "realloc"),
            *("__libc_free", "__libc_malloc", "__libc_calloc", "__libc_realloc"),
        ),
        _verdict(
            Rating.HIGH,
            0.85,
            "heap_corruption",
            "The allocator found the heap corrupted: something was freed twice, or a block was"
            " overrun before.",
            "Build with -fsanitize=address and run again: it reports the first bad access.",
            Access.WRITE,
        ),
    ),
    (
        ("__assert_fail", "__assert_fail_base", "__assert_rtn", "__assert"),
        _verdict(
            Rating.LOW,
            0.95,
            "assertion",
            "An assertion of the program's own failed.",
            "The frame above the assertion's has the values that it was about.",
        ),
    ),
    (
        ("std::terminate", "__cxa_throw", "_Unwind_RaiseException"),
        _verdict(
            Rating.LOW,
            0.9,
            "uncaught_exception",
            "A C++ exception was thrown and not caught.",
            "Look at the frame that threw it, and who should have caught it.",
        ),
    ),
)

_PLAIN_ABORT = _verdict(
    Rating.LOW,
    0.6,
    "abort",
    "The program called abort.",
    "The frame above abort's says why; its output may, too.",
)


def _judge_abort(functions: Sequence[str]) -> Verdict:
    called = {function.partition("(")[0] for function in functions}
    for names, verdict in _ABORTS:
        if not called.isdisjoint(names):
            return verdict
    return _PLAIN_ABORT


def _judge_fault(facts: CrashFacts) -> Verdict:
    """Judge a failed memory access."""
    address, access = facts.fault_address, find_access(facts)
    sure = 0.5 if address is None or access is Access.NONE else 0.9
    if access is Access.EXECUTE:
        where = f"{address:#x}" if address is not None else "a place"
        rating = Rating.LOW if address is not None and address < NEAR_NULL else Rating.CRITICAL
        why = "a null function pointer was called" if rating is Rating.LOW else "a return address"
        why += "" if rating is Rating.LOW else " or a function pointer was overwritten"
        return _verdict(
            rating,
            sure,
            "null_call" if rating is Rating.LOW else "control_flow",
            f"The program went on at {where}, where there is no code: {why}.",
            "Check the caller, and writes beyond an array on the stack.",
            access,
        )
    if _is_stack_exhausted(facts):
        return _verdict(
            Rating.LOW,
            0.8,
            "stack_exhausted",
            f"The stack is used up, with more than {DEEP:,} frames on it: a recursion does not end,"
            " or a local array is too large.",
            "Look at the function that calls itself and at what should end it.",
            access,
        )
    verb = {Access.WRITE: "wrote to", Access.READ: "read from"}.get(access, "used")
    if address is None:
        return _verdict(
            Rating.MEDIUM,
            0.4,
            "invalid_access",
            f"The program {verb} memory that it may not use; the processor does not tell which"
            " address (none that any program has).",
            "Look at the registers that the instruction uses.",
            access,
        )
    if address < NEAR_NULL:
        return _verdict(
            Rating.LOW,
            sure,
            "null_pointer",
            f"The program {verb} {address:#x}: a null pointer was followed"
            + (", to something a little behind it." if address else "."),
            "Find out why the pointer is null; it is the one that the instruction uses.",
            access,
        )
    rating = Rating.HIGH if access is Access.WRITE else Rating.MEDIUM
    return _verdict(
        rating,
        sure,
        "invalid_write" if access is Access.WRITE else "invalid_read",
        f"The program {verb} {address:#x}, which is not its memory (or may not be written): a"
        " pointer is wild or dangles, or an index is out of bounds.",
        "Build with -fsanitize=address and run again: it reports the origin of the memory.",
        access,
    )


def _is_stack_exhausted(facts: CrashFacts) -> bool:
    if not facts.is_deep:
        return False
    address, pointer = facts.fault_address, facts.stack_pointer
    return address is None or pointer is None or abs(address - pointer) < _STACK_REACH


def find_access(facts: CrashFacts) -> Access:
    """Return the instruction's use of memory, from its text (AT&T on x86, else ARM's)."""
    if facts.instruction is None or facts.fault_address == facts.code_address:
        return Access.EXECUTE
    mnemonic, _, operands = facts.instruction.text.partition(" ")
    if mnemonic.startswith("ret"):
        return Access.EXECUTE  # to an address that is never valid
    if mnemonic.startswith(("call", "jmp", "push", "blr", "br")):
        return Access.WRITE if mnemonic.startswith(("call", "push")) else Access.READ
    if mnemonic.startswith(("str", "stp", "stur", "stos")):
        return Access.WRITE
    if mnemonic.startswith(("ldr", "ldp", "ldur", "cmp", "test")):
        return Access.READ
    last = operands.rstrip().rpartition(", ")[2] if "(" in operands else ""
    if last.endswith(")"):
        return Access.WRITE
    return Access.READ if "(" in operands else Access.NONE
