"""Stops when a value changes, as far as that can be seen at the lines of a function.

pydevd has no data breakpoints. So all lines of the function (or of the module's top level) get a
mark, at which the value is compared with the one at the line before. Marks are breakpoints of
pydevd's that are no breakpoints of anybody's, as in ``awaits``. What another function changes is
seen when this one goes on.
"""

import sys

import pydevd
from _pydevd_bundle.pydevd_breakpoints import LineBreakpoint

DB = pydevd.get_global_debugger()
dis = sys.modules["dis"]
base = sys.modules["_tuidbg_base"]
showing = sys.modules["_tuidbg_showing"]
contents = sys.modules["_tuidbg_contents"]
values = sys.modules["_tuidbg_values"]
classes = sys.modules["_tuidbg_classes"]
writing = sys.modules["_tuidbg_writing"]
canonical_path = sys.modules["pydevd_file_utils"].get_abs_path_real_path_and_base_from_frame
islice = sys.modules["itertools"].islice

CHANGE_MARK = (1 << 30) + 1
"""The adapter's id of all marks."""

MOST_LINES = 5000
MOST_ITEMS = 1000
"""Lines that may be marked; entries of a collection that are compared."""

MOST_CALLS = 200
"""Calls of the function, one in another, of which the values are known."""

UNBOUND = ("unbound",)


class Mark(LineBreakpoint):
    """Stands on a line, before the breakpoint that is there by itself, if any."""

    def __init__(self, line, covered=None):
        LineBreakpoint.__init__(self, CHANGE_MARK, line, "True", "None", None, "ALL")
        self.covered = covered
        if covered is not None:
            self.suspend_policy = covered.suspend_policy
            self.expression = covered.expression
            self.is_logpoint = covered.is_logpoint


class Watched(object):
    """An expression, and what it gave at the last line, by the frames of the function."""

    def __init__(self, number, expression, frame):
        self.number = number
        self.code = frame.f_code
        self.compiled = compile(expression, "<watch>", "eval", 0, True)
        self.is_local = any(name in frame.f_locals for name in self.compiled.co_names)
        self.is_local = self.is_local and frame.f_locals is not frame.f_globals
        self.path = canonical_path(frame)[1]
        self.lines = {line for _, line in dis.findlinestarts(frame.f_code) if line}
        self.known = {}

    def look(self, frame):
        """The value before and now, as texts, where they differ; else None."""
        key = id(frame) if self.is_local else None
        try:
            value = eval(self.compiled, frame.f_globals, frame.f_locals)
            now = print_of(value), text_of(value)
        except Exception:
            now = UNBOUND, "nothing"
        before = self.known.get(key)
        if before is None and len(self.known) >= MOST_CALLS:
            self.known.clear()
        self.known[key] = now
        if before is None or before[0] == now[0] or now[0] is UNBOUND:
            return None
        return [before[1], now[1]]


def print_of(value, depth=1):
    """Returns something that differs where the value, or something directly in it, is another."""
    kind = type(value)
    if kind in contents.SCALARS:
        return kind, repr(value) if kind is float else value  # nan is not itself
    if not depth:
        return kind, id(value)
    found = [id(value)]
    for base_kind in (list, tuple, set, frozenset):
        if issubclass(kind, base_kind):
            items = islice(base_kind.__iter__(value), MOST_ITEMS)
            found += [base_kind.__len__(value), [print_of(item, 0) for item in items]]
    if issubclass(kind, dict):
        pairs = islice(dict.items(value), MOST_ITEMS)
        found += [dict.__len__(value), [(print_of(k, 0), print_of(v, 0)) for k, v in pairs]]
    attributes = classes.instance_dict(value, kind)
    found += [(name, print_of(item, 0)) for name, item in islice(attributes.items(), MOST_ITEMS)]
    return found


def text_of(value):
    try:
        return showing.show_plain(value, 120).text
    except writing.NotPlain:
        return "<%s>" % classes.class_name(type(value))


WATCHED = {}
CHANGES = []
"""Holds what has changed, and nobody has been told of yet."""


def changes_at(frame):
    code, found = frame.f_code, False
    for watched in list(WATCHED.values()):
        if watched.code is code:
            change = watched.look(frame)
            if change is not None:
                del CHANGES[:-20]
                CHANGES.append([watched.number, *change])
                found = True
    return found


def handle_breakpoint_condition(info, breakpoint, frame):
    """pydevd's question at each arrival at a breakpoint with a condition."""
    if type(breakpoint) is not Mark:
        return native_condition(info, breakpoint, frame)
    has_changed, covered = changes_at(frame), breakpoint.covered
    if covered is not None:
        breakpoint.breakpoint_id = covered.breakpoint_id
        breakpoint.is_logpoint = covered.is_logpoint
        if not covered.has_condition or native_condition(info, covered, frame):
            return True
    if has_changed:
        breakpoint.breakpoint_id, breakpoint.is_logpoint = CHANGE_MARK, False
    return has_changed


def consolidate_breakpoints(path, by_id, by_file):
    """pydevd makes its table of a file anew."""
    native_consolidate(path, by_id, by_file)
    if by_file is DB.breakpoints:
        overlay(path)


def overlay(path):
    lines = set()
    for watched in WATCHED.values():
        if watched.path == path:
            lines |= watched.lines
    if lines:
        table = dict(DB.breakpoints.get(path) or {})
        for line in lines:
            table[line] = Mark(line, table.get(line))
        DB.breakpoints[path] = table


def watch(frame, number, expression):
    """Stop when that changes, at the lines of this frame's function.

    ``mark`` is what such a stop names; 0 where the function is too long.
    """
    real = values.real_frame(frame)
    watched = Watched(number, expression, real)
    if len(watched.lines) > MOST_LINES:
        return {"mark": 0, "function": real.f_code.co_name}
    watched.look(real)
    WATCHED[number] = watched
    renew(watched.path)
    DB.set_trace_for_frame_and_parents(base.get_ident(), real)
    return {"mark": CHANGE_MARK, "function": watched.code.co_name}


def forget(frame, number):
    watched = WATCHED.pop(number, None)
    if watched is not None:
        renew(watched.path, removed=True)


def renew(path, removed=False):
    by_id = DB.file_to_id_to_line_breakpoint.get(path) or {}
    DB.consolidate_breakpoints(path, by_id, DB.breakpoints)
    DB._clear_caches()
    DB.on_breakpoints_changed(removed=removed)


def take(frame):
    """Returns what has changed since the last time: numbers, the values before and after."""
    found = CHANGES[:]
    del CHANGES[:]
    return found


native_condition = DB.handle_breakpoint_condition
native_consolidate = DB.consolidate_breakpoints

DB.handle_breakpoint_condition = handle_breakpoint_condition
DB.consolidate_breakpoints = consolidate_breakpoints
