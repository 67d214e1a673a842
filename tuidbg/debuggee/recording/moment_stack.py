"""Records one moment of one thread: its stack, and the values as they are."""

from __future__ import annotations

import sys

from tuidbg.debuggee.recording.frame_variables import (
    get_reference_count,
    is_told_global,
    namespace_of,
    one_by_one,
)
from tuidbg.debuggee.recording.recorded_calls import is_own_file
from tuidbg.debuggee.recording.recorder_state import LINE, MISSING, RAISE, RAISED, Standing, abspath
from tuidbg.debuggee.recording.segments import NEWS, Thread, in_bytes
from tuidbg.debuggee.recording.value_kinds import issubclass_plainly, next_number
from tuidbg.debuggee.recording.value_looks import note, number_of, token_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


MOST_FRAMES, OUTERMOST = 400, 100
"""Calls of a stack that are recorded, and how many of those are the outermost."""


def stack_of(frame: Any, error: Any) -> tuple[Any, Any]:
    """The frames and lines of a traceback and of what is around it, the outermost first.

    Without an error those of a frame. Also the number of frames left out in the middle.
    """
    trace = None if error is None else BaseException.__dict__["__traceback__"].__get__(error)
    inner = []
    while trace is not None:
        inner.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    if inner:
        frame = inner[0][0].f_back
    found = []
    while frame is not None:
        found.append((frame, frame.f_lineno))
        frame = frame.f_back
    found.reverse()
    found += inner
    left_out = max(0, len(found) - MOST_FRAMES)
    if left_out:
        del found[OUTERMOST : OUTERMOST + left_out]
    return found, left_out


def record_stack(found: Any, error: Any, thread_name: Any) -> bytes:
    """The bytes of a segment. Each frame, innermost first, has a moment to be looked at; the
    last moments are the line, and the error where there is one.
    """
    thread = Thread(0, None)
    columns, thread.full = thread.columns, 1 << 60
    NEWS["threads"][:] = [[0, thread_name]]
    numbers = [next_number() for _ in found]
    for place in range(len(found) - 1, -1, -1):
        Standing.now = when = Standing.now + 1
        frame = found[place][0]
        parent = numbers[place - 1] if place else 0
        parent_line = found[place - 1][1] if place else 0
        owner = note_frame(frame, numbers[place], when, columns)
        told = [numbers[place], code_number(frame), parent, parent_line or 0, 0, when, owner]
        columns.frames.append(told)
    if found:
        where = numbers[-1] << 24 | (found[-1][1] or 0) & 0xFFFFF
        note_moment(LINE, where, columns)
        if error is not None:
            note_moment(RAISE, where, columns)
            try:
                token = token_of(error, Standing.now, columns)
                note(columns, Standing.now, numbers[-1], RAISED, token)
            except Exception as problem:
                left_out_of(columns, problem)
    return in_bytes(NEWS, columns)


PROBLEMS: list[Any] = []
"""What went wrong, in words."""


def left_out_of(columns: Any, problem: BaseException) -> None:
    """What was noted when it came is not whole."""
    shortest = min(map(len, (columns.whens, columns.owners, columns.keys, columns.values)))
    for column in (columns.whens, columns.owners, columns.keys, columns.values):
        del column[shortest:]
    PROBLEMS.append("%s: %s" % (type(problem).__name__, problem))


def note_moment(kind: Any, where: Any, columns: Any) -> None:
    Standing.now += 1
    columns.times.append(Standing.now)
    columns.wheres.append(where | kind << 20)


CODES: dict[Any, Any] = {}


def code_number(frame: Any) -> Any:
    code = frame.f_code
    if code not in CODES:
        CODES[code] = number = len(CODES) + 1
        name = code.co_filename
        path = name if name.startswith("<") else abspath(name)
        space = namespace_of(frame.f_globals).owner
        NEWS["codes"].append([number, path, code.co_qualname, code.co_firstlineno, space])
    return CODES[code]


def note_frame(frame: Any, number: int, when: int, columns: Any) -> Any:
    """The variables of a frame, and the global ones that it uses; under which number they are."""
    code, others = frame.f_code, frame.f_globals
    space = namespace_of(others)
    is_module = not code.co_flags & 0x1 and frame.f_locals is others
    try:
        if is_module:
            names = list(others)
        else:
            for name, value in locals_of(frame):
                note(columns, when, number, number_of(name), token_of(value, when, columns))
            names = code.co_names
        if is_own_file(code.co_filename) or is_module:
            for name in names:
                if name not in space.last and name in others and is_told_global(name, others):
                    space.last[name] = True
                    token = token_of(others[name], when, columns)
                    note(columns, when, space.owner, number_of(name), token)
    except Exception as problem:
        left_out_of(columns, problem)
    return space.owner if is_module else number


HAS_PROXIES = sys.version_info >= (3, 13)

CAN_GET = sys.version_info >= (3, 12)


def locals_of(frame: Any) -> Any:
    """The variables of a call with their values; the frame keeps none alive because of it."""
    code = frame.f_code
    if not code.co_flags & 0x1:
        names = frame.f_locals
        return list(dict.items(names)) if issubclass_plainly(type(names), dict) else []
    every = dict.fromkeys((*code.co_varnames, *code.co_cellvars, *code.co_freevars))
    wanted = [name for name in every if name[:1] not in ".@"]
    if HAS_PROXIES:
        names = frame.f_locals
        found = [(name, names.get(name, MISSING)) for name in wanted]
        return [each for each in found if each[1] is not MISSING]
    if CAN_GET:
        try:
            return list(one_by_one(frame, wanted).items())
        except ImportError:
            pass  # a Python without ctypes
    names = frame.f_locals
    found = [(name, names[name]) for name in wanted if name in names]
    if get_reference_count(names) == 3:  # the frame's, ours, and that of the question
        names.clear()
    return found
