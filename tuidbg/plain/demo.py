"""The demo as plain text, without a screen, on the real debugger."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from tuidbg.config.request import WantedBreakpoint
from tuidbg.lines import split_lines
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.run.ending import describe_exit
from tuidbg.session.core.session import Session
from tuidbg.session.core.stack.stop_wording import word_stop
from tuidbg.session.model.events import ExceptionDescribed, ProgramExited, StackChanged
from tuidbg.session.model.state import Frame, Status, StopReason

CONTEXT = 2
"""Lines of source shown above and below the current one."""

SHOWN_GROUPS = ("special variables", "function variables", "class variables")

SCRIPT = (
    Resume.STEP_OVER,
    Resume.CONTINUE,
    Resume.STEP_IN,
    Resume.STEP_OUT,
    Resume.CONTINUE,
    Resume.CONTINUE,
)
"""The demo's action at each stop; after the last one the program runs to its end."""


async def play(
    session: Session,
    breakpoints: Iterable[WantedBreakpoint] = (),
    output: TextIO | None = None,
) -> int:
    """Play a scripted session and print each stop; return 0, or 1 if the debugger failed.

    Raises DebuggerError, BrokenPipeError.
    """
    out = output or sys.stdout
    for wanted in (*_breakpoints(session.plan.first_source), *breakpoints):
        await session.breakpoints.set(
            wanted.path, wanted.line, condition=wanted.condition, origin="demo"
        )
    follower = asyncio.create_task(_wait_for_stop(session, 0))
    await session.lifecycle.start()
    steps = iter(SCRIPT)
    while await follower:
        await _print_stop(session, out)
        follower = asyncio.create_task(_wait_for_stop(session, session.events.last_seq))
        how = next(steps, Resume.CONTINUE)
        print(f"\n(tuidbg) {_WORDS[how]}", file=out, flush=True)
        await session.execution.resume(how, origin="tui")
    if session.status is not Status.TERMINATED or session.exit is None:
        print(f"\n{session.failure or 'The program did not start.'}", file=out, flush=True)
        return 1
    print(f"\n{describe_exit(session.exit)}", file=out, flush=True)
    return 0


_WORDS = {
    Resume.CONTINUE: "continue",
    Resume.STEP_OVER: "step over",
    Resume.STEP_IN: "step into",
    Resume.STEP_OUT: "step out",
}


def _breakpoints(path: str) -> list[WantedBreakpoint]:
    """Return the demo's breakpoints, found by source text so that the two can't drift apart."""
    lines = split_lines(Path(path).read_text(encoding="utf-8"))
    first = next(i for i, line in enumerate(lines, 1) if "short = counter.find_short" in line)
    return [WantedBreakpoint(path, first, "order.number in (1, 5)")]


async def _wait_for_stop(session: Session, after: int) -> bool:
    """Wait for the next stop with its stack; return False if the program ended."""
    async for entry in session.events.follow(after):
        match entry.event:
            case ProgramExited():
                return False
            case StackChanged() if session.stop and session.stop.reason is not StopReason.EXCEPTION:
                return True
            case ExceptionDescribed():
                return True
        if session.status is Status.FAILED:
            return False
    return False


async def _print_stop(session: Session, out: TextIO) -> None:
    stop, frames = session.stop, session.frames
    assert stop is not None
    print(f"\n=== Stopped: {word_stop(stop).heading}", file=out)
    _print_source(frames[0], out)
    print("Stack:", file=out)
    for frame in frames:
        print(f"  {frame.index} {frame.name}  {_place(frame)}", file=out)
    scopes = await session.inspection.scopes(frames[0].id)
    print("Locals:", file=out)
    for variable in await session.inspection.variables(scopes[0].reference):
        if variable.name not in SHOWN_GROUPS:
            print(f"  {variable.name} = {variable.value[:100]}", file=out)


def _place(frame: Frame) -> str:
    return f"{Path(frame.place.path).name}:{frame.place.line}" if frame.place else ""


def _print_source(frame: Frame, out: TextIO) -> None:
    if frame.place is None:
        return
    lines = split_lines(Path(frame.place.path).read_text(encoding="utf-8"))
    current = frame.place.line
    print(f"{_place(frame)} in {frame.name}", file=out)
    for number in range(max(1, current - CONTEXT), min(len(lines), current + CONTEXT) + 1):
        mark = "->" if number == current else "  "
        print(f"  {mark} {number:4} {lines[number - 1]}", file=out)
