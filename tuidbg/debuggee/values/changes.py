"""Stops when a value changes, as far as that can be seen at lines.

pydevd has no data breakpoints. So the value is compared with the one at the line before: where
``full_speed`` gets events of lines, at each line of the person's own code (``look``), so that
changes are seen wherever they are made. Else at the lines of the function alone (or of the module's
top level): they get marks, which are breakpoints of pydevd's that no one has set, as in ``awaits``.
"""

from __future__ import annotations

import dis
from itertools import islice

import pydevd
from _pydevd_bundle.pydevd_breakpoints import LineBreakpoint
from pydevd_file_utils import get_abs_path_real_path_and_base_from_frame as canonical_path

from tuidbg.debuggee import base
from tuidbg.debuggee.swallowed import SWALLOWED
from tuidbg.debuggee.values import (
    classes,
    contents,
    private_names,
    reading,
    showing,
    values,
    writing,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, FrameType
    from typing import Any

native_condition: Any
native_consolidate: Any
# What the functions here stand for.


DB = pydevd.get_global_debugger()

CHANGE_MARK = (1 << 30) + 1
"""The adapter's id of all marks."""

MOST_LINES = 5000
MOST_ITEMS = 1000
"""Lines that may be marked; entries of a collection that are compared."""

MOST_CALLS = 200
"""Calls of the function, one in another, of which the values are known."""

MOST_FRAMES = 20
"""Of these the ones, begun last, whose values are looked at from elsewhere."""


class ChangeMark(LineBreakpoint):  # type: ignore[misc]
    """Stands on a line, before the breakpoint that is there by itself, if any."""

    def __init__(self, line: int, covered: Any = None) -> None:
        LineBreakpoint.__init__(self, CHANGE_MARK, line, "True", "None", None, "ALL")
        self.covered = covered
        if covered is not None:
            self.suspend_policy = covered.suspend_policy
            self.expression = covered.expression
            self.is_logpoint = covered.is_logpoint


MARK = ChangeMark(0)
"""Names the stop where no line is marked."""


class OfFunction(object):
    """An expression that is looked at at the lines of a function."""

    def __init__(self, number: int, expression: str, frame: FrameType) -> None:
        self.number = number
        self.code = frame.f_code
        self.compiled = private_names.compile_in(frame, expression, "<watch>", "eval")
        own = {*self.code.co_varnames, *self.code.co_cellvars, *self.code.co_freevars}
        self.is_local = frame.f_locals is not frame.f_globals
        self.is_local &= any(n in own or n in frame.f_locals for n in self.compiled.co_names)
        self.path = canonical_path(frame)[1]
        self.lines = {line for _, line in dis.findlinestarts(frame.f_code) if line}
        self.known: dict[Any, Any] = {}
        self.is_of_function = True  # whether no other function can change it
        self.is_everywhere = False  # whether others may change it, and that is seen

    def leave(self, frame: FrameType) -> None:
        if self.is_local:
            self.known.pop(id(frame), None)


class Watched(OfFunction):
    """An expression, and what it gave at the last line, by the frames of the function."""

    def __init__(self, number: int, expression: str, frame: FrameType) -> None:
        OfFunction.__init__(self, number, expression, frame)
        self.globals = frame.f_globals
        self.read = reading.compile_reader(frame, expression)
        # Nobody else can set it, other than a variable that is shared with functions in this one.
        self.is_of_function = expression in {*self.code.co_varnames} - {*self.code.co_cellvars}
        self.frames: dict[Any, Any] = {}  # calls under way, where changes by other code are seen

    def look(self, frame: FrameType) -> Any:
        """The value before and now, as texts, where they differ; else None."""
        if frame.f_code is self.code:
            return self.look_here(frame)
        if not self.is_everywhere:
            return None
        if not self.is_local:
            return self.compare(None, self.globals, self.globals)
        for key, other in list(self.frames.items()):
            change = self.compare(key, other.f_locals, other.f_globals)
            if change is not None:
                return change
        return None

    def look_here(self, frame: FrameType) -> Any:
        """The same in the function itself, where it may also be asked for."""
        key = id(frame) if self.is_local else None
        change = self.compare(key, frame.f_locals, frame.f_globals, True)
        if self.is_local and self.is_everywhere and key not in self.frames:
            self.frames[key] = frame
            for oldest in list(self.frames)[:-MOST_FRAMES]:
                self.frames.pop(oldest, None)
        return change

    def compare(
        self, key: Any, names: Any, others: Any, may_ask: bool = False
    ) -> list[Any] | None | None:
        """Look at the value in the call with that key; gives what ``look`` gives."""
        try:
            value = self.value_in(names, others, may_ask)
            size, parts = parts_of(value)
        except reading.CodeWouldRun:
            return None
        except Exception as error:
            if not isinstance(error, (reading.MissingValue, NameError)):
                SWALLOWED["changes.compare", type(error)] += 1
            value, size, parts = None, 0, ()  # there is none
        before, ids = self.known.get(key), [size, *map(id, parts)]
        if before is not None and before.ids == ids:
            return None
        if before is None and len(self.known) >= MOST_CALLS:
            self.known.clear()
        now = self.known[key] = KnownState(ids, parts)
        if before is not None and before.prints == now.prints:
            now.text = before.text
            return None
        now.text = text_of(value) if parts else "nothing"
        return [before.text, now.text] if before is not None and parts else None

    def value_in(self, names: Any, others: Any, may_ask: bool) -> Any:
        try:
            value = self.read(names, others)
        except reading.CodeWouldRun:
            if not may_ask:
                raise
            return eval(self.compiled, others, names)
        except reading.MissingValue:
            self.note_kind(type(None))
            raise
        self.note_kind(type(value))
        return value

    def note_kind(self, kind: Any) -> None:
        """It can be had everywhere, and is of this kind: perhaps it is to be looked at there."""
        if not self.is_everywhere and (not self.is_of_function or kind not in contents.SCALARS):
            self.is_everywhere = is_told_of_lines()

    def leave(self, frame: FrameType) -> None:
        self.frames.pop(id(frame), None)
        OfFunction.leave(self, frame)


class Awaited(OfFunction):
    """An expression that is to become true in the function; it stops there once each time."""

    def look(self, frame: FrameType) -> list[Any] | None | None:
        if frame.f_code is not self.code:
            return None
        key = id(frame) if self.is_local else None
        try:
            is_true = bool(eval(self.compiled, frame.f_globals, frame.f_locals))
        except Exception as error:
            if not isinstance(error, NameError):  # a name is not there yet
                SWALLOWED["changes.look", type(error)] += 1
            is_true = False
        was_true, self.known[key] = self.known.get(key, False), is_true
        if len(self.known) > MOST_CALLS:
            self.known = {key: is_true}
        return ["False", "True"] if is_true and not was_true else None


class KnownState(object):
    """Holds what a value was: itself and what is directly in it, by identity and in comparison.

    Numbers and texts are kept, so that no other one has their identity meanwhile; of all else
    that is all that is compared.
    """

    def __init__(self, ids: list[int], parts: Sequence[Any]) -> None:
        self.ids = ids
        self.kept = [part for part in parts if type(part) in contents.SCALARS]
        self.prints = [ids[0], [print_of(part) for part in parts]]
        self.text = ""


def parts_of(value: Any) -> tuple[Any, Any]:
    """A value and what is directly in it, after the number of that."""
    kind, parts, size = type(value), [value], 0
    if kind in contents.SCALARS:
        return 0, parts
    base_kind: Any
    for base_kind in (list, tuple, set, frozenset):
        if issubclass(kind, base_kind):
            size = base_kind.__len__(value)
            parts.extend(islice(base_kind.__iter__(value), MOST_ITEMS))
    attributes = classes.instance_dict(value, kind)
    for base_kind, names in ((classes.dict_class(kind), value), (dict, attributes)):
        if base_kind is not None:
            size += base_kind.__len__(names)
            parts.extend(islice(base_kind.keys(names), MOST_ITEMS))
            parts.extend(islice(base_kind.values(names), MOST_ITEMS))
    return size, parts


def print_of(value: Any) -> tuple[Any, Any]:
    """Returns something that differs where the value is another."""
    kind = type(value)
    if kind in contents.SCALARS:
        return kind, repr(value) if kind is float else value  # nan is not itself
    return kind, id(value)


def text_of(value: Any) -> Any:
    try:
        return showing.show_plain(value, 120).text
    except writing.NeedsProgramCode:
        return "<%s>" % classes.class_name(type(value))


WATCHED: dict[Any, Any] = {}
CHANGES: list[Any] = []
"""The changes that have not been reported yet."""


def look(frame: FrameType) -> Any:
    """Whether something has changed since the last line, wherever that was."""
    found = False
    for watched in list(WATCHED.values()):
        change = watched.look(frame)
        if change is not None:
            del CHANGES[:-20]
            CHANGES.append([watched.number, *change])
            found = True
    return found


def is_left_from(code: CodeType) -> bool:
    """Whether the end of a function is needed."""
    return any(each.is_local and each.code is code for each in list(WATCHED.values()))


def leave(frame: FrameType) -> None:
    """A function is left."""
    for watched in list(WATCHED.values()):
        if watched.code is frame.f_code:
            watched.leave(frame)


def is_everywhere() -> bool:
    """Whether values are watched on lines of other functions, too."""
    return any(watched.is_everywhere for watched in list(WATCHED.values()))


def looks_in(code: CodeType) -> bool:
    """Whether values are watched on the lines of a function."""
    return any(watched.is_everywhere or watched.code is code for watched in list(WATCHED.values()))


def is_told_of_lines() -> bool:
    """Whether ``full_speed`` asks at lines, and no marks are to be laid."""
    return type(DB.breakpoints).__name__ == "Hidden"


def handle_breakpoint_condition(info: Any, breakpoint: Any, frame: FrameType) -> Any:
    """pydevd's question at each arrival at a breakpoint with a condition."""
    if type(breakpoint) is not ChangeMark:
        return native_condition(info, breakpoint, frame)
    has_changed, covered = look(frame), breakpoint.covered
    if covered is not None:
        breakpoint.breakpoint_id = covered.breakpoint_id
        breakpoint.is_logpoint = covered.is_logpoint
        if not covered.has_condition or native_condition(info, covered, frame):
            return True
    if has_changed:
        breakpoint.breakpoint_id, breakpoint.is_logpoint = CHANGE_MARK, False
    return has_changed


def consolidate_breakpoints(path: str, by_id: Any, by_file: Any) -> None:
    """Replacement for pydevd's: it makes its table of a file again."""
    native_consolidate(path, by_id, by_file)
    if by_file is DB.breakpoints:
        overlay(path)


def overlay(path: str) -> None:
    lines = set()
    for watched in WATCHED.values():
        if watched.path == path:
            lines |= watched.lines
    if lines and not is_told_of_lines():
        table = dict(DB.breakpoints.get(path) or {})
        for line in lines:
            table[line] = ChangeMark(line, table.get(line))
        DB.breakpoints[path] = table


def watch(frame: FrameType, number: int, expression: str, until: bool = False) -> Any:
    """Stop when that changes, at the lines of this frame's function or at all of the person's.

    ``until`` it is true, in the function alone. ``mark`` is what such a stop names; 0 where the
    function is too long.
    """
    real = values.python_frame(frame)
    watched = (Awaited if until else Watched)(number, expression, real)
    if len(watched.lines) > MOST_LINES and not is_told_of_lines():
        return {"mark": 0, "function": real.f_code.co_name}
    watched.look(real)
    told = {"mark": CHANGE_MARK, "function": real.f_code.co_name}
    if watched.is_everywhere:
        told["seen"] = "everywhere"
    elif watched.is_of_function and is_told_of_lines():
        told["seen"] = "all"
    WATCHED[number] = watched
    renew(watched.path)
    if not is_told_of_lines():
        DB.set_trace_for_frame_and_parents(base.get_ident(), real)
    return told


def forget(frame: FrameType, number: int) -> None:
    watched = WATCHED.pop(number, None)
    if watched is not None:
        renew(watched.path, removed=True)


def renew(path: str, removed: bool = False) -> None:
    by_id = DB.file_to_id_to_line_breakpoint.get(path) or {}
    DB.consolidate_breakpoints(path, by_id, DB.breakpoints)
    DB._clear_caches()
    DB.on_breakpoints_changed(removed=removed)


def take(frame: FrameType) -> Any:
    """Returns what has changed since the last time: numbers, the values before and after."""
    found = CHANGES[:]
    del CHANGES[:]
    return found


def install() -> None:
    """Stand for pydevd's questions about breakpoints."""
    global native_condition, native_consolidate
    native_condition = DB.handle_breakpoint_condition
    native_consolidate = DB.consolidate_breakpoints
    DB.handle_breakpoint_condition = handle_breakpoint_condition
    DB.consolidate_breakpoints = consolidate_breakpoints
