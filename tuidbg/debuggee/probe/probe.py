"""Breakpoints at lines by pydevd's question about them, and what tuidbg asks; hooks them in."""

from __future__ import annotations

from tuidbg.debuggee.probe import exception_rules
from tuidbg.debuggee.probe.exception_rules import HitNumbers
from tuidbg.debuggee.probe.hits import Hits, ask, decide
from tuidbg.debuggee.probe.probe_state import (
    CHANGED,
    DB,
    EXCEPTIONS,
    HITS,
    LAST_WORDS,
    LOCK,
    PID,
    STATE,
    Real,
    get_ident,
    getpid,
)
from tuidbg.debuggee.probe.reports import CLOCK, Loaded, note, tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import Any

native_condition: Any
# What the functions here stand for.


__all__ = ("CHANGED", "HITS", "ask", "catch", "find_hits", "forget", "look", "put", "tell_stop")
"""What tuidbg and ``full_speed`` use."""

MARKS: dict[Any, Any] = {}


def handle_breakpoint_condition(info: Any, breakpoint: Any, frame: FrameType) -> Any:
    """pydevd's question at each arrival at a breakpoint with a condition."""
    condition = breakpoint.condition
    mark = read_mark(condition)
    if not mark or getpid() != PID:
        return native_condition(info, breakpoint, frame)
    numbers, always = mark
    stopping = [number for number in numbers if decide(number, frame)]
    if not stopping and not always:
        return False
    tell_stop(stopping)
    return True


def tell_stop(stopping: Any) -> None:
    """The program stops next, because of these."""
    tell()  # the counts of the stop are as they are
    DB.writer.add_command(HitNumbers("stopped", stopping))


def find_hits(condition: str) -> Any:
    """The one breakpoint that decides alone at a line; None where there are more, or a cursor."""
    mark = read_mark(condition)
    if not mark or mark[1] or len(mark[0]) != 1:
        return None
    return HITS.get(mark[0][0])


def read_mark(condition: str) -> Any:
    """The numbers behind ``#tuidbg`` and whether it stops in any case; False if there is none."""
    found = MARKS.get(condition)
    if found is None:
        _, mark, after = (condition or "").rpartition("#tuidbg ")
        found = bool(mark) and (
            [int(number) for number in after.rstrip("!").split(",")],
            after.endswith("!"),
        )
        MARKS[condition] = found
    return found


# What tuidbg asks


def put(specs: Sequence[dict[str, Any]]) -> Any:
    """Take over the settings of these breakpoints; what this Python can't compile of them."""
    problems = {}
    with LOCK:
        for spec in specs:
            hits = HITS.setdefault(spec["number"], Hits(spec["number"]))
            armed = hits.armed
            hits.configure(spec)
            if hits.armed != armed:
                note(hits)
            if isinstance(hits.code, Exception):
                problems[hits.number] = "%s: %s" % (type(hits.code).__name__, hits.code)
        waiting = [hits for hits in HITS.values() if hits.trigger]
        for hits in HITS.values():
            hits.arms = [other.number for other in waiting if other.trigger == hits.number]
            hits.next = 0
    return problems


def forget(numbers: Sequence[int]) -> int:
    """These breakpoints are gone."""
    with LOCK:
        for number in numbers:
            hits = HITS.pop(number, None)
            if hits is not None:
                hits.done = True
    return len(HITS)


def catch(rules: Any) -> int:
    """The exceptions that stop, all of them; None where pydevd shall decide."""
    with LOCK:
        EXCEPTIONS["rules"] = rules
        EXCEPTIONS["chosen"].clear()
    return len(rules or ())


def look(names: Sequence[str]) -> int:
    """Tell which files of these names are loaded, and all counts."""
    if DB.writer is not None:
        DB.writer.add_command(Loaded(names))
    return len(names)


def dispose_and_kill_all_pydevd_threads(*args: Any, **keywords: Any) -> Any:
    """Replacement for pydevd's end; all hits are reported before it.

    It gives its writer half a second, which thousands of records may take on a busy machine.
    """
    writer = DB.writer
    if getpid() == PID and not DB.pydb_disposed and writer is not None:
        tell()
        until = Real.monotonic() + LAST_WORDS
        while (STATE["queued"] or STATE["sending"]) and Real.monotonic() < until:
            if not writer.is_alive() or writer.ident == get_ident():
                break
            Real.sleep(0.002)
    return type(DB).dispose_and_kill_all_pydevd_threads(DB, *args, **keywords)


def install() -> None:
    """Put the probe in the place of pydevd's questions; once for each debugger."""
    global native_condition
    native_condition = DB.handle_breakpoint_condition
    CLOCK.start()
    DB.handle_breakpoint_condition = handle_breakpoint_condition
    DB.dispose_and_kill_all_pydevd_threads = dispose_and_kill_all_pydevd_threads
    exception_rules.hook_in()
