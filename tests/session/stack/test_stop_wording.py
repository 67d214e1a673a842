"""Why a program stands, as each who tells it says it."""

from __future__ import annotations

import pytest

from tuidbg.session.core.stack.stop_wording import name_reason, word_stop
from tuidbg.session.model.state import ExceptionState, Stop, StopReason

UNCAUGHT = ExceptionState(type="KeyError", message="'x'\nand more", break_mode="unhandled")
REMOTE = ExceptionState(
    type="RemoteTraceback",
    message='\n"""\nTraceback (most recent call last):\n  File "x.py"\nKeyError: 7\n"""',
)
SILENT = ExceptionState(type="Full", message="")


def stop(reason: StopReason, **more: object) -> Stop:
    return Stop(id=1, reason=reason, thread_id=1, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("stopped", "line", "brief", "label", "heading", "cause"),
    [
        (stop(StopReason.STEP), "step", "step", "step", "step", "a step"),
        (
            stop(StopReason.BREAKPOINT, hit_breakpoints=(2, 3), text="t"),
            *("t", "breakpoint 2, 3", "breakpoint 2, 3", "breakpoint 2, 3", "breakpoints 2, 3"),
        ),
        (
            stop(StopReason.STEP, hit_breakpoints=(2,), description="at the cursor"),
            *("at the cursor", "at the cursor", "at the cursor", "breakpoint 2", "breakpoint 2"),
        ),
        (
            stop(StopReason.BREAKPOINT, hit_breakpoints=(2,), problem="i > 1: no i"),
            *("i > 1: no i", "breakpoint 2", "i > 1: no i", "breakpoint 2", "breakpoint 2"),
        ),
        (
            stop(StopReason.EXCEPTION, exception=UNCAUGHT, description="d"),
            *("KeyError: 'x'\nand more", "KeyError: 'x'", "KeyError: 'x'"),
            *("exception KeyError: 'x'\nand more", "an exception"),
        ),
        (
            stop(StopReason.EXCEPTION, exception=SILENT),
            *("Full: ", "Full: ", "Full", "exception Full: ", "an exception"),
        ),
        (
            stop(StopReason.EXCEPTION, description="d"),
            *("d", "d", "exception", "exception", "an exception"),
        ),
    ],
)
def test_one_part_alone(
    stopped: Stop, line: str, brief: str, label: str, heading: str, cause: str
) -> None:
    told = word_stop(stopped)
    assert (told.line, told.brief, told.label) == (line, brief, label)
    assert (told.heading, told.cause) == (heading, cause)


def test_a_message_that_quotes_a_traceback_is_shortened_to_its_error() -> None:
    told = word_stop(stop(StopReason.EXCEPTION, exception=REMOTE))
    assert told.brief == told.label == told.raised_briefly == "RemoteTraceback: KeyError: 7"


def test_all_that_is_no_steps_doing() -> None:
    assert word_stop(stop(StopReason.STEP)).lines == ()
    assert word_stop(stop(StopReason.PAUSE)).lines == ("Paused.",)
    hit = stop(StopReason.BREAKPOINT, hit_breakpoints=(2,), problem="p")
    assert word_stop(hit).lines == ("Breakpoint 2.", "*** p")
    raised = stop(StopReason.EXCEPTION, exception=UNCAUGHT)
    assert word_stop(raised).lines == ("Exception (not caught): KeyError: 'x'\nand more",)
    assert word_stop(stop(StopReason.EXCEPTION, exception=SILENT)).lines == ("Exception: Full",)
    caught = ExceptionState(type="KeyError", message="'x'", break_mode="always")
    assert word_stop(stop(StopReason.EXCEPTION, exception=caught)).lines == (
        "Exception: KeyError: 'x'",
    )


def test_what_programs_are_told() -> None:
    def paused_on(reason: StopReason, **more: object) -> tuple[str, str]:
        return word_stop(stop(reason, **more)).paused_on(reason.value)

    assert paused_on(StopReason.STEP) == ("Paused on step", "")
    assert paused_on(StopReason.STEP, description="d", text="t", problem="p") == ("d", "p")
    assert paused_on(StopReason.EXCEPTION, description="d", text="t") == (
        "Paused on exception",
        "t: d",
    )
    assert paused_on(StopReason.EXCEPTION, description="d", exception=SILENT) == (
        "Paused on exception",
        "Full",
    )


@pytest.mark.parametrize(
    ("stopped", "reason"),
    [
        (stop(StopReason.EXCEPTION, exception=UNCAUGHT, description="d"), "KeyError"),
        (stop(StopReason.EXCEPTION, text="secret"), "exception"),
        (stop(StopReason.BREAKPOINT, hit_breakpoints=(2, 3), text="t"), "breakpoint 2, 3"),
        (
            stop(StopReason.BREAKPOINT, hit_breakpoints=(2,), problem="i > 1: no i"),
            "error in breakpoint 2",
        ),
        (stop(StopReason.STEP, hit_breakpoints=(2,), description="at the cursor"), "step"),
        (stop(StopReason.PAUSE, signal="SIGSEGV"), "SIGSEGV"),
        (stop(StopReason.PAUSE, other_reason="watchpoint"), "watchpoint"),
    ],
)
def test_the_kind_alone_is_equal_in_many_processes(stopped: Stop, reason: str) -> None:
    assert name_reason(stopped) == reason
