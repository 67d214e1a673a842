"""Runs one program twice: recorded, and looked at by a slow tracer that copies everything.

Executed by the Python under test: ``oracle.py PROGRAM FOLDER PART...``. It prints what the tracer
has seen, as JSON: for each line that was about to run, the calls that were under way and their
variables.
"""

import collections
import json
import sys
import threading

SCALARS = (int, float, bool, type(None), str)
DEPTH = 5


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
        return [kind.__name__, [[repr(k), inner(v)] for k, v in dict.items(value)]]
    if isinstance(value, BaseException):
        named = {"args": value.args, **value.__dict__}
        return [kind.__name__, sorted([name, inner(v)] for name, v in named.items())]
    if getattr(kind, "__module__", "") == "program" and type(kind).__name__ != "EnumType":
        attributes = dict(getattr(value, "__dict__", {}))
        for name in getattr(kind, "__slots__", ()):
            if hasattr(value, name):
                attributes[name] = getattr(value, name)
        return [kind.__name__, sorted([name, inner(v)] for name, v in attributes.items())]
    return [kind.__name__]


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
                names = dict(frame.f_locals)
                if frame.f_code.co_name == "<module>":
                    names = {name: v for name, v in names.items() if is_told(name, v)}
                told = {name: copied(value) for name, value in names.items()}
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


def main():
    path, folder, *parts = sys.argv[1:]
    text = read(path)
    tracer = Tracer(path)
    threading.settrace(tracer.trace)
    sys.settrace(tracer.trace)
    run(path, text)
    sys.settrace(None)
    threading.settrace(None)
    space = {"__name__": "recorder"}
    for part in parts:
        exec(compile(read(part), f"<tuidbg {part}>", "exec"), space)
    space["begin"](folder, {"exclude": [__file__]})
    run(path, text)
    space["end"]()
    json.dump({"seen": tracer.seen, "failures": space["Failure"].texts}, sys.stdout)


main()
