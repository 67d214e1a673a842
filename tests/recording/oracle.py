"""Runs one program twice: recorded, and looked at by a slow tracer that copies everything.

Executed by the Python under test: ``oracle.py FOLDER LOADER PACKAGE``, where the folder has one
folder for each program with its ``program.py`` and an empty ``spool``. It prints what the tracer
has seen of each, as JSON: for each line that was about to run, the calls that were under way and
their variables.
"""

import collections
import dis
import enum
import functools
import io
import json
import os
import pathlib
import sys
import threading

COMPILED = os.environ.get("COMPILED") if sys.version_info >= (3, 14) else ""
"""Before that the recorder in Python is used."""

SCALARS = (int, float, bool, type(None), str)
DEPTH = 5
OPTIMIZED = 1
SEGMENTS = (16384, 64)
SUSPENDED = 0x2A0  # generators, coroutines and both


@functools.cache
def of_comprehensions(code):
    """The variables of comprehensions in the body of a class, which are none of the class's."""
    kept = ("STORE_NAME", "DELETE_NAME")
    own = {each.argval for each in dis.get_instructions(code) if each.opname in kept}
    return set(code.co_varnames) - own


def copied(value, depth=DEPTH, around=()):
    """The value as nested lists: its class, then what is in it."""
    kind = type(value)
    if kind in SCALARS:
        return value
    if id(value) in around or depth == 0:
        return "…"
    around = (*around, id(value))

    def inner(each):
        return copied(each, depth - 1, around)

    if isinstance(value, (list, tuple, collections.deque)):
        base = next(b for b in (list, tuple, collections.deque) if isinstance(value, b))
        return [kind.__name__, [inner(each) for each in base.__iter__(value)]]
    if isinstance(value, (set, frozenset)):
        return [kind.__name__, sorted(map(repr, value))]
    if isinstance(value, dict):
        base = next(b for b in (collections.OrderedDict, dict) if isinstance(value, b))
        return [kind.__name__, [[repr(k), inner(v)] for k, v in base.items(value)]]
    if isinstance(value, BaseException):
        named = {"args": value.args, **value.__dict__}
        return [kind.__name__, sorted([name, inner(v)] for name, v in named.items())]
    if getattr(kind, "__module__", "") == "program" and not is_named(value):
        attributes = dict(getattr(value, "__dict__", {}))
        for name in getattr(kind, "__slots__", ()):
            if hasattr(value, name):
                attributes[name] = getattr(value, name)
        return [kind.__name__, sorted([name, inner(v)] for name, v in attributes.items())]
    return [kind.__name__]


def is_named(value):
    """Whether its name is all that is told of it."""
    return isinstance(value, (type, enum.Enum))


def is_told(name, value):
    return (
        not name.startswith("__")
        and not isinstance(value, type)
        and type(value).__name__ not in ("function", "module", "builtin_function_or_method")
    )


class Tracer:
    """Sees each line of one file in each thread."""

    def __init__(self, path):
        self.path = path
        self.seen = []
        self.calls = []
        self.under_way = {}

    def begin(self):
        self.watch_calls()
        if sys.version_info >= (3, 13):
            threading.settrace(self.trace)
            sys.settrace(self.trace)
            return
        # Before, a tracer changes what it looks at: comprehensions lose their variables.
        monitoring = sys.monitoring
        monitoring.use_tool_id(2, "oracle")
        monitoring.register_callback(2, monitoring.events.LINE, self.line)
        monitoring.set_events(2, monitoring.events.LINE)

    def watch_calls(self):
        monitoring = sys.monitoring
        monitoring.use_tool_id(4, "oracle of calls")
        events = monitoring.events
        monitoring.register_callback(4, events.PY_START, self.started)
        monitoring.register_callback(4, events.PY_RETURN, self.returned)
        monitoring.register_callback(4, events.PY_UNWIND, self.raised)
        monitoring.set_events(4, events.PY_START | events.PY_RETURN | events.PY_UNWIND)

    def is_call(self, code):
        """Whether it is of a function that runs from its beginning to its end."""
        flags = code.co_flags
        return code.co_filename == self.path and flags & OPTIMIZED and not flags & SUSPENDED

    def started(self, code, offset):
        if self.is_call(code):
            frame = sys._getframe(1)
            count = code.co_argcount + code.co_kwonlyargcount
            names = frame.f_locals
            told = {name: copied(names[name]) for name in code.co_varnames[:count] if name in names}
            call = [threading.current_thread().name, code.co_name, told, None, ""]
            self.under_way[id(frame)] = call
            self.calls.append(call)

    def returned(self, code, offset, value):
        self.finish(sys._getframe(1), "returned", copied(value))

    def raised(self, code, offset, error):
        self.finish(sys._getframe(1), "raised", type(error).__name__)

    def finish(self, frame, how, value):
        call = self.under_way.pop(id(frame), None)
        if call is not None:
            call[3:] = value, how

    def end(self):
        sys.monitoring.set_events(4, 0)
        sys.monitoring.free_tool_id(4)
        sys.settrace(None)
        threading.settrace(None)
        if sys.version_info < (3, 13):
            sys.monitoring.set_events(2, 0)
            sys.monitoring.register_callback(2, sys.monitoring.events.LINE, None)
            sys.monitoring.free_tool_id(2)

    def line(self, code, number):
        if code.co_filename == self.path:
            self.trace(sys._getframe(1), "line", None)

    def trace(self, frame, event, argument):
        if frame.f_code.co_filename != self.path:
            return None
        if event == "line":
            self.seen.append([threading.current_thread().name, self.stack(frame)])
        return self.trace

    def stack(self, frame):
        found = []
        while frame is not None:
            if frame.f_code.co_filename == self.path:
                names = frame.f_locals
                if frame.f_code.co_name == "<module>":
                    names = {n: v for n, v in frame.f_globals.items() if is_told(n, v)}
                elif not frame.f_code.co_flags & OPTIMIZED and type(names) is dict:
                    hidden = of_comprehensions(frame.f_code)
                    names = {n: v for n, v in names.items() if n not in hidden}
                told = {name: copied(value) for name, value in names.items()}
                if type(names) is not dict and not frame.f_code.co_flags & OPTIMIZED:
                    told = None  # in a comprehension, a class body shows nothing of its own
                found.append([frame.f_code.co_name, frame.f_lineno, told])
            frame = frame.f_back
        return found


def run(path, text):
    names = {"__name__": "program", "__file__": path}
    module = type(sys)("program")
    vars(module).update(names)
    sys.modules["program"] = module
    try:
        exec(compile(text, path, "exec"), vars(module))
    except Exception as error:
        return repr(error)
    return ""


def read(path):
    with open(path) as file:
        return file.read()


def compare(folder, space):
    path = str(folder / "program.py")
    text = read(path)
    tracer = Tracer(path)
    tracer.begin()
    first = run(path, text)
    tracer.end()
    space["Failure"].texts.clear()
    space["SEGMENT"] = SEGMENTS[len(text) % 2]
    space["begin"](str(folder / "spool"), {"exclude": [__file__], "compiled": COMPILED})
    assert not space["Compiled"].problem, space["Compiled"].problem
    second = run(path, text)
    space["end"]()
    failures = space["Failure"].texts + ([] if first == second else [first, second])
    return {"seen": tracer.seen, "calls": tracer.calls, "failures": failures}


def load_recorder(loader, folder):
    names = {}
    exec(compile(read(loader), "<tuidbg loader>", "exec"), names)
    found = names["LocalLoader"](folder)
    found.load("recording.recording_events")
    return found.load("recording.recorder_state").NameTable()


def main():
    folder, *parts = sys.argv[1:]
    space = load_recorder(*parts)
    sys.stdout, output = io.StringIO(), sys.stdout
    found = {each.name: compare(each, space) for each in pathlib.Path(folder).iterdir()}
    json.dump(found, output)


main()
