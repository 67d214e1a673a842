"""The first moment with a program that runs already: it is paused, or waits where it can't be."""

from __future__ import annotations

import asyncio
import re
import time

from tuidbg.adapters.program.blocked import READS, Standing
from tuidbg.plain.source_text import read_lines
from tuidbg.session.connect.attaching import process_of
from tuidbg.session.errors import DebuggerError
from tuidbg.session.session import Session
from tuidbg.session.state import Frame, Status

PATIENCE = 3.0
"""Seconds in which a program should have paused that nobody can look at from outside."""

_STANDING = 1.0
"""Seconds for which it must have stood still in the system to be taken to wait there."""

_MAIN = "MainThread"
_INPUT = re.compile(r"(?<![\w.])input\(")


async def waits_elsewhere(session: Session, pause_asked_at: float) -> bool:
    """Returns whether the program, which is to be paused, waits for something outside of Python.

    Returns false as soon as it is no longer running.
    """
    pid = process_of(session)
    standing = Standing(pid) if pid is not None else None
    while session.status is Status.RUNNING:
        if standing is not None and standing.look():
            return True
        if standing is None and time.monotonic() - pause_asked_at > PATIENCE:
            return True
        await asyncio.sleep(_STANDING / READS)
    return False


async def describe_wait(session: Session) -> str:
    """Returns where it waits, in words, as far as its debugger tells of a program that runs."""
    frame = await _main_frame(session)
    if frame is None or frame.place is None:
        return "attached, it runs no Python code just now"
    where = f"{frame.place.path}({frame.place.line}){frame.name}()"
    lines = await read_lines(session, frame.place)
    line = lines[frame.place.line - 1].strip() if frame.place.line <= len(lines) else ""
    if _INPUT.search(line):
        return f"attached, it waits in input(): {where}"
    return f"attached, it waits in {where}" + (f"\n-> {line}" if line else "")


async def _main_frame(session: Session) -> Frame | None:
    try:
        threads = await session.inspection.threads()
        main = next((t for t in threads if t.name == _MAIN), threads[0] if threads else None)
        frames = await session.inspection.running_stack(main.id) if main is not None else ()
    except DebuggerError:
        return None
    return frames[0] if frames else None
