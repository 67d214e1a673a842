"""Tests what the facts of a crash come down to; no program is needed for that."""

from __future__ import annotations

import pytest

from tuidbg.session.features.native.crash import Access, CrashFacts, Rating, find_access, judge
from tuidbg.session.features.native.disassembly import Instruction

WRITE = Instruction(address=0x1000, text="movl $0x3, (%rax)")
READ = Instruction(address=0x1000, text="movl (%rax), %eax")
CALL = Instruction(address=0x1000, text="callq 0x2000")


def fault(
    address: int | None, instruction: Instruction | None = WRITE, **more: object
) -> CrashFacts:
    facts = {"signal": "SIGSEGV", "code_address": 0x1000, **more}
    return CrashFacts(fault_address=address, instruction=instruction, **facts)  # type: ignore[arg-type]


def abort(*functions: str) -> CrashFacts:
    return CrashFacts(signal="SIGABRT", functions=functions)


@pytest.mark.parametrize(
    ("facts", "rating", "cause"),
    [
        pytest.param(fault(0), Rating.LOW, "null_pointer", id="null"),
        pytest.param(fault(0x18, READ), Rating.LOW, "null_pointer", id="behind null"),
        pytest.param(fault(0x7FFF_0000), Rating.HIGH, "invalid_write", id="wild write"),
        pytest.param(fault(0x7FFF_0000, READ), Rating.MEDIUM, "invalid_read", id="wild read"),
        pytest.param(fault(None), Rating.MEDIUM, "invalid_access", id="no address"),
        pytest.param(fault(0x4141_4141, None), Rating.CRITICAL, "control_flow", id="jump"),
        pytest.param(
            fault(None, Instruction(address=0x1000, text="retq")),
            Rating.CRITICAL,
            "control_flow",
            id="return address",
        ),
        pytest.param(abort("abort", "__libc_free"), Rating.HIGH, "heap_corruption", id="free"),
        pytest.param(fault(0, None), Rating.LOW, "null_call", id="null call"),
        pytest.param(
            fault(0x7FF0_0000, CALL, stack_pointer=0x7FF0_0008, is_deep=True),
            Rating.LOW,
            "stack_exhausted",
            id="recursion",
        ),
        pytest.param(
            abort("raise", "abort", "__stack_chk_fail"),
            Rating.HIGH,
            "stack_overflow_detected",
            id="canary",
        ),
        pytest.param(
            abort("raise", "abort", "malloc_printerr", "_int_free"),
            Rating.HIGH,
            "heap_corruption",
            id="double free",
        ),
        pytest.param(
            abort("raise", "abort", "__assert_fail_base"), Rating.LOW, "assertion", id="assert"
        ),
        pytest.param(
            abort("raise", "abort", "std::terminate()"),
            Rating.LOW,
            "uncaught_exception",
            id="terminate",
        ),
        pytest.param(abort("raise", "abort", "main"), Rating.LOW, "abort", id="abort"),
        pytest.param(CrashFacts(signal="SIGFPE"), Rating.LOW, "arithmetic", id="division"),
        pytest.param(
            CrashFacts(signal="SIGILL"), Rating.MEDIUM, "illegal_instruction", id="illegal"
        ),
        pytest.param(CrashFacts(signal="SIGXCPU"), Rating.UNKNOWN, "signal", id="other"),
    ],
)
def test_verdicts(facts: CrashFacts, rating: Rating, cause: str) -> None:
    verdict = judge(facts)
    assert (verdict.rating, verdict.cause) == (rating, cause)
    assert verdict.explanation.endswith(".") and verdict.recommendation
    assert 0 < verdict.confidence <= 1


@pytest.mark.parametrize(
    ("text", "access"),
    [
        ("movl $0x3, (%rax)", Access.WRITE),
        ("movq %rdx, 0x8(%rdi,%rcx,8)", Access.WRITE),
        ("movl (%rax), %eax", Access.READ),
        ("cmpl $0x0, (%rax)", Access.READ),
        ("callq 0x2000", Access.WRITE),
        ("retq", Access.EXECUTE),
        ("addl %eax, %edx", Access.NONE),
        ("str w8, [x9]", Access.WRITE),
        ("ldr x8, [x0, #0x10]", Access.READ),
    ],
)
def test_accesses(text: str, access: Access) -> None:
    assert find_access(fault(0x5000, Instruction(address=0x1000, text=text))) is access


def test_going_where_there_is_no_code_is_executing() -> None:
    assert find_access(fault(0x1000)) is Access.EXECUTE
    assert find_access(fault(0x5000, None)) is Access.EXECUTE
