"""Reads the stack of a worker that is in none of a person's code: it waits for work, or starts.

``multiprocessing``, loky and launchers start their processes by ``python -c``; debugpy takes that
line for the person's own code, and has no frames of the libraries above it. Pure functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tuidbg.session.job.stacks import Call, Stack, Standing

WAITS_FOR_WORK = "waits for work"
WAITS_FOR_REQUESTS = "waits for requests"


class _Loop(NamedTuple):
    """A function that takes one task after the other, and the one by which it waits for them.

    Empty: it waits itself.
    """

    file: str
    function: str
    waits_in: str
    words: str


_LOOPS = (
    _Loop("multiprocessing/pool.py", "worker", "get", WAITS_FOR_WORK),
    _Loop("concurrent/futures/process.py", "_process_worker", "get", WAITS_FOR_WORK),
    _Loop("loky/process_executor.py", "_process_worker", "get", WAITS_FOR_WORK),
    _Loop("billiard/pool.py", "workloop", "receive", WAITS_FOR_WORK),
    _Loop("multiprocessing/forkserver.py", "main", "select", WAITS_FOR_REQUESTS),
    _Loop("billiard/forkserver.py", "main", "select", WAITS_FOR_REQUESTS),
    _Loop("multiprocessing/resource_tracker.py", "main", "", WAITS_FOR_REQUESTS),
    _Loop("loky/backend/resource_tracker.py", "main", "", WAITS_FOR_REQUESTS),
    _Loop("billiard/semaphore_tracker.py", "main", "", WAITS_FOR_REQUESTS),
)

_WAITING = (
    "multiprocessing/queues.py",
    "multiprocessing/connection.py",
    "multiprocessing/synchronize.py",
    "billiard/pool.py",
    "billiard/connection.py",
    "billiard/synchronize.py",
    "/selectors.py",
)
"""Files in which a worker only waits; what is unpickled there has frames of its own."""


def is_of_a_file(stack: Stack) -> bool:
    """Whether the newest call has a file; a line of ``python -c`` has none."""
    return bool(stack) and not stack[0].path.startswith("<")


def without_bootstrap(stack: Stack) -> Stack:
    """The stack without the line of ``python -c`` at its bottom, where anything is above it."""
    end = len(stack)
    while end > 1 and _is_line(stack[end - 1]):
        end -= 1
    return stack[:end]


def read_worker(whole: Stack) -> Standing:
    """Where a process is, of its stack with all frames of libraries; empty where that is unknown.

    What it waits for, or the newest call that has a file.
    """
    if words := _what_it_waits_for(whole):
        return Standing(instead=words)
    first = next((at for at, call in enumerate(whole) if is_of_a_file((call,))), None)
    return Standing(stack=without_bootstrap(whole[first:])) if first is not None else Standing()


def _what_it_waits_for(whole: Sequence[Call]) -> str:
    for at, call in enumerate(whole):
        for loop in _LOOPS:
            if _is(call, loop) and _only_waits(whole[:at], loop.waits_in):
                return loop.words
    return ""


def _is(call: Call, loop: _Loop) -> bool:
    return call.function == loop.function and call.path.endswith(loop.file)


def _only_waits(above: Sequence[Call], waits_in: str) -> bool:
    if not above or not waits_in:
        return not above and not waits_in
    return above[-1].function == waits_in and all(c.path.endswith(_WAITING) for c in above)


def _is_line(call: Call) -> bool:
    return call.function == "<module>" and call.path == "<string>"
