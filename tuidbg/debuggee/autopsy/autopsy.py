"""The exception at which a thread is stopped: chain, group, frames, their values.

Everything has a limit, also the time for all of it: the values that had none left are named.
"""

from __future__ import annotations

import sys
from os.path import normpath
from time import monotonic

import pydevd_file_utils as files
from _pydev_bundle._pydev_saved_modules import threading
from _pydevd_bundle import pydevd_constants as constants

from tuidbg.debuggee import base
from tuidbg.debuggee.autopsy import autopsy_values as told
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType, TracebackType
    from typing import Any


DB = base.DB

SECONDS = 2.0
"""For all values together; pydevd complains of evaluations that take three."""

NODES = 200
MEMBERS = 50
DEPTH = 8
"""Exceptions of all groups and chains together; of one group; groups in groups."""

NOTES = 20
VARIABLES = 100
MESSAGE = 4000
"""Notes of one exception, variables of one frame; characters of a message or a note."""

FAILURES = told.NO_TIME, "<repr takes more than ", "<repr raised ", "<repr gave no text"
SPECIAL = type(sys), type(base.cut), type
DEBUGPY = getattr(sys.modules.get("debugpy"), "__file__", None)
DEBUGPY = normpath(DEBUGPY).rpartition("__init__")[0] if DEBUGPY else None
"""debugpy's folder: its command line stands below the program's main module."""


def examine(
    frame: FrameType,
    max_frames: int,
    variable_frames: int,
    max_inner: int,
    seconds: float = SECONDS,
) -> dict[str, Any] | None:
    """All of it; None where the thread does not stand at an exception."""
    error, trace, first = find(frame)
    if error is None:
        return None
    watch = AutopsyBudget(seconds)
    frames = list(walk(trace, first))
    return {
        "exception": describe(error, trace, "", max_inner, watch),
        "frames": [
            describe_frame(at, index < variable_frames, watch)
            for index, at in enumerate(frames[:max_frames])
        ],
        "total": len(frames),
    }


def variables(frame: FrameType, index: int) -> Any:
    """The arguments and locals of one frame, by its place in ``examine``'s list."""
    error, trace, first = find(frame)
    frames = list(walk(trace, first)) if error is not None else []
    if index >= len(frames):
        return None
    return describe_frame(frames[index], True, AutopsyBudget(SECONDS))


class AutopsyBudget(object):
    """The time and the number of exceptions that are left."""

    def __init__(self, seconds: float) -> None:
        self.end = monotonic() + seconds
        self.nodes = NODES
        self.seen: set[Any] = set()

    @property
    def left(self) -> Any:
        return self.end - monotonic()


def find(frame: FrameType) -> tuple[Any, Any, Any]:
    """The exception, its traceback, and the frame the thread stands in.

    pydevd keeps them with the stack that it told of; where it does not, the frame has them.
    """
    try:
        thread_id = constants.get_current_thread_id(threading.current_thread())
        stack = DB.suspended_frames_manager.get_frames_list(thread_id)
        found, trace, first = stack.exc_desc, stack.trace_obj, stack[0]
    except Exception as swallowed:
        SWALLOWED["autopsy.find", type(swallowed)] += 1
        info = frame.f_locals.get("__exception__") or (None, None, None)
        found, trace, first = info[1], info[2], None
    if not issubclass(type(found), BaseException):
        return None, None, None
    return found, trace, first


# The exceptions


def describe(
    error: BaseException,
    trace: TracebackType | None,
    link: str,
    inner: Any,
    watch: AutopsyBudget,
    depth: int = 0,
    alone: bool = False,
) -> Any:
    """One exception with its group and, unless it is to stand alone, what led to it."""
    watch.nodes -= 1
    watch.seen.add(id(error))
    message, problem = text_of(error, watch)
    result = {
        "type": told.type_of(error),
        "message": message,
        "problem": problem,
        "link": link,
        "notes": notes_of(error, watch),
        "attributes": attributes_of(error, watch),
        "raised_at": place_of_last(trace),
        "suppressed": hidden_context(error),
    }
    result.update(members_of(error, inner, watch, depth))
    if not alone:
        result.update(chain_of(error, inner, watch, depth))
    return result


def chain_of(error: BaseException, limit: int, watch: AutopsyBudget, depth: int) -> dict[str, Any]:
    """Those that led to it, one after the other; a circle ends the chain."""
    chain: list[Any] = []
    current: BaseException | None = error
    truncated = False
    while True:
        current, link = next_of(current)
        if current is None or id(current) in watch.seen:
            break
        if len(chain) >= limit or watch.nodes <= 0:
            truncated = True
            break
        trace = BaseException.__dict__["__traceback__"].__get__(current)
        chain.append(describe(current, trace, link, limit, watch, depth, alone=True))
    return {"inner": chain, "inner_truncated": truncated}


def next_of(error: Any) -> tuple[Any, Any]:
    """Returns what led to it, as Python's own traceback has it, and how."""
    cause = BaseException.__dict__["__cause__"].__get__(error)
    if cause is not None:
        return cause, "cause"
    context = BaseException.__dict__["__context__"].__get__(error)
    if context is not None and not BaseException.__dict__["__suppress_context__"].__get__(error):
        return context, "context"
    return None, ""


def hidden_context(error: BaseException) -> Any:
    """The type of the exception that ``raise ... from None`` hides."""
    context = BaseException.__dict__["__context__"].__get__(error)
    cause = BaseException.__dict__["__cause__"].__get__(error)
    suppressed = BaseException.__dict__["__suppress_context__"].__get__(error)
    return told.type_of(context) if suppressed and cause is None and context is not None else ""


def members_of(
    error: BaseException, inner: Any, watch: AutopsyBudget, depth: int
) -> dict[str, Any]:
    members: tuple[Any, ...] = ()
    if any(kind.__name__ == "BaseExceptionGroup" for kind in type(error).__mro__):
        try:
            with base.TimeLimit(base.SHOW_LIMIT):
                members = tuple(error.exceptions)  # type: ignore[attr-defined]
        except (Exception, base.OutOfTime) as swallowed:
            SWALLOWED["autopsy.members_of", type(swallowed)] += 1
            members = ()
    shown = []
    for member in members[:MEMBERS] if depth < DEPTH else ():
        if watch.nodes <= 0:
            break
        if issubclass(type(member), BaseException) and id(member) not in watch.seen:
            trace = BaseException.__dict__["__traceback__"].__get__(member)
            shown.append(describe(member, trace, "member", inner, watch, depth + 1))
    return {"members": shown, "members_total": len(members)}


def text_of(error: BaseException, watch: AutopsyBudget) -> tuple[Any, Any]:
    """``str`` of an exception, and what went wrong with it."""
    try:
        with base.TimeLimit(max(0.01, min(base.SHOW_LIMIT, watch.left))):
            text = str(error)
        return told.clean(text, MESSAGE), ""
    except base.OutOfTime:
        return "", "its message takes too long"
    except Exception as problem:
        return "", "its __str__ raised %s" % type(problem).__name__


def notes_of(error: BaseException, watch: AutopsyBudget) -> list[Any]:
    """Returns what ``add_note`` has added."""
    notes = told.dict_of(error).get("__notes__", ())
    if type(notes) not in (list, tuple):
        return [base.show(notes)]
    return [
        told.clean(note, MESSAGE) if isinstance(note, str) else told.read(note, watch)
        for note in notes[:NOTES]
    ]


def attributes_of(error: BaseException, watch: AutopsyBudget) -> list[Any]:
    """Returns what it carries besides its arguments."""
    carried = [
        pair
        for pair in told.dict_of(error).items()
        if pair[0] != "__notes__" and not str(pair[0]).startswith("__pydevd")
    ]
    return [
        told.describe_value(told.clean(str(n)), v, "Local", watch) for n, v in carried[:VARIABLES]
    ]


# The frames


class At(object):
    """A frame, and where in it the exception passed."""

    def __init__(self, frame: FrameType, line: int, instruction: int, raised: bool) -> None:
        self.frame, self.line, self.instruction = frame, line, instruction
        self.raised = raised


def walk(trace: TracebackType | None, first: FrameType | None) -> list[Any]:
    """All frames, the innermost first, without the debugger's own and those that started it."""
    found, here = [], trace
    while here is not None:
        last = here.tb_next is None
        found.append(At(here.tb_frame, here.tb_lineno, here.tb_lasti, last))
        here = here.tb_next
    found.reverse()
    frame = trace.tb_frame.f_back if trace is not None else first
    while frame is not None:
        found.append(At(frame, frame.f_lineno, frame.f_lasti, False))
        frame = frame.f_back
    begins = [n for n, at in enumerate(found) if is_of_debugpy(at.frame)]
    if begins and begins[-1] > 0:
        found = found[: begins[-1]]
    return [at for at in found if not is_debuggers(at.frame)]


def is_debuggers(frame: FrameType) -> Any:
    return is_of_debugpy(frame) or DB.get_file_type(frame) == DB.PYDEV_FILE


def is_of_debugpy(frame: FrameType) -> bool:
    """Whether it is debugpy's; its launcher's path goes up and down again."""
    return DEBUGPY is not None and normpath(frame.f_code.co_filename).startswith(DEBUGPY)


def describe_frame(at: At, with_variables: bool, watch: AutopsyBudget) -> Any:
    frame, code = at.frame, at.frame.f_code
    path, line = client_place(frame, at.line)
    column, end_column = columns_of(code, at.instruction, at.line)
    result = {
        "function": told.clean(getattr(code, "co_qualname", code.co_name)),
        "name": told.clean(code.co_name),
        "module": told.clean(str(frame.f_globals.get("__name__", ""))),
        "path": told.clean(path),
        "line": line,
        "column": column,
        "end_column": end_column,
        "is_external": not in_project(frame, path),
        "is_throwing": at.raised,
        "source": cached_line(code.co_filename, at.line),
    }
    if with_variables:
        result["variables"] = describe_variables(frame, watch)
    return result


def place_of_last(trace: TracebackType | None) -> dict[str, Any] | None:
    """Returns where an exception was raised."""
    if trace is None:
        return None
    while trace.tb_next is not None:
        trace = trace.tb_next
    path, line = client_place(trace.tb_frame, trace.tb_lineno)
    return {
        "path": told.clean(path),
        "line": line,
        "function": told.clean(trace.tb_frame.f_code.co_name),
        "source": cached_line(trace.tb_frame.f_code.co_filename, trace.tb_lineno),
    }


def client_place(frame: FrameType, line: int) -> tuple[Any, Any]:
    """The path and the line as tuidbg knows them."""
    try:
        path = files.get_abs_path_real_path_and_base_from_frame(frame)[0]
        path, line, _ = DB.source_mapping.map_to_client(path, line)
        return files.map_file_to_client(path)[0], line
    except Exception as swallowed:
        SWALLOWED["autopsy.client_place", type(swallowed)] += 1
        return frame.f_code.co_filename, line


def in_project(frame: FrameType, path: str) -> bool:
    try:
        return bool(DB.in_project_scope(frame))
    except Exception as swallowed:
        SWALLOWED["autopsy.in_project", type(swallowed)] += 1
        return True


def columns_of(code: CodeType, instruction: int, line: int) -> tuple[Any, Any]:
    """First and last column in bytes from 0; -1 where Python does not tell (before 3.11)."""
    if instruction < 0 or not hasattr(code, "co_positions"):
        return -1, -1
    wanted = instruction // 2
    for index, (start, end, column, end_column) in enumerate(code.co_positions()):
        if index == wanted:
            if start != line or column is None:
                return -1, -1
            return column, -1 if end != start or end_column is None else end_column
    return -1, -1


def cached_line(path: str, line: int) -> Any:
    """A line that only the program knows; what lies in files is read elsewhere."""
    known = getattr(sys.modules.get("linecache"), "cache", {}).get(path)
    if not path.startswith("<") or not known or len(known) < 3:
        return ""
    lines = known[2]
    return told.clean(lines[line - 1].rstrip("\r\n")) if 0 < line <= len(lines) else ""


def describe_variables(frame: FrameType, watch: AutopsyBudget) -> dict[str, Any]:
    code, values = frame.f_code, frame.f_locals
    at_top = values is frame.f_globals or code.co_name == "<module>"
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 4) + bool(code.co_flags & 8)
    arguments = list(code.co_varnames[:count])
    names = arguments + [name for name in list(values) if name not in arguments]
    shown: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    total = 0
    for name in names:
        if name not in values or is_special(name, values[name], at_top):
            continue
        total += 1
        if len(shown) >= VARIABLES:
            continue
        scope = "Argument" if name in arguments else "Local"
        described = told.describe_value(told.clean(name), values[name], scope, watch)
        if described["value"].startswith(FAILURES):
            problem = described["value"].strip("<>")
            errors.append({"name": described["name"], "problem": problem})
        shown.append(described)
    return {"shown": shown, "errors": errors, "total": total}


def is_special(name: str, value: Any, at_top: bool) -> Any:
    """Whether a person does not look for it: Python's own names, a module's functions."""
    if not isinstance(name, str) or name.startswith((".", "@py_")) or name == "__exception__":
        return True
    if not at_top:
        return False
    dunder = name.startswith("__") and name.endswith("__")
    return dunder or issubclass(type(value), SPECIAL)


# Values
