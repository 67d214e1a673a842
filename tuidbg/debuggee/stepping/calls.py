"""One call of a function, told from all others: a frame that is kept for as long as it is recorded.

pydevd names frames by where they are in memory, and the next call of a function is often made
where the last one was. A frame that is kept is in no one's way.
"""

from __future__ import annotations

import dis
import sys

from tuidbg.debuggee.values import values, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Any


KINDS = ((0x200, "async generator"), (0x80 | 0x100, "coroutine"), (0x20, "generator"))
"""By the flags of code (``inspect.CO_*``)."""

FRAMES_LIMIT = 1000

KEPT: list[Any] = []
"""The frame of the call that is recorded."""


def hold(frame: FrameType) -> dict[str, Any]:
    """Keep that frame; the first line of its code that can break, and what kind of code it is."""
    real = values.python_frame(frame)
    KEPT[:] = [real]
    code = real.f_code
    lines = [line for _, line in dis.findlinestarts(code) if line and line > code.co_firstlineno]
    kind = next((name for flags, name in KINDS if code.co_flags & flags), "")
    return {"line": min(lines, default=code.co_firstlineno), "kind": kind}


def release(frame: FrameType) -> Any:
    """Let go of it; the exception by which it was left, if it was left by one."""
    kept, error = KEPT[:], sys.exc_info()[1]
    del KEPT[:]
    if not kept or has_returned(kept[0]):
        return ""
    if leads_to(getattr(error, "__traceback__", None), kept[0]):
        return writing.describe_error(error)  # type: ignore[arg-type]
    return "an exception"  # it is on its way to its handler: only the interpreter has it


def has_returned(real: Any) -> Any:
    """Whether its last instruction was a return, and no other."""
    code, last = real.f_code.co_code, real.f_lasti
    return 0 <= last < len(code) and dis.opname[code[last]].startswith("RETURN")


def leads_to(trace: TracebackType | None, real: Any) -> bool:
    for _ in range(FRAMES_LIMIT):
        if trace is None:
            break
        if trace.tb_frame is real:
            return True
        trace = trace.tb_next
    return False
