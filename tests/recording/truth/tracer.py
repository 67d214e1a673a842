"""Runs programs twice: traced by a tracer that copies everything, then recorded.

Executed by the Python under test: ``tracer.py FOLDER LOADER PACKAGE``. The folder has one folder a
program with its ``program.py`` and an empty ``spool``. For each it prints, as one line of JSON,
what the tracer saw.

The tracer observes at every line, call, return and exception. Each value that has parts, and each
call, gets a number when it is first seen and is kept alive, so that no number is used twice. At
each observation all of them are read again, reachable or not; those with other parts than before
are reported. It begins once the program has a variable ``begun``.
"""

import array
import collections
import enum
import functools
import io
import json
import os
import pathlib
import sys
import threading
import types

COMPILED = os.environ.get("COMPILED") if sys.version_info >= (3, 14) else ""
"""Before that the recorder in Python is used."""

LEAVES = (int, float, bool, str, bytes, complex, range, type(None), type(...), type(NotImplemented))
SUSPENDED = 0x2A0  # generators, coroutines and both
OPTIMIZED = 1
MOST_EVENTS = 4000
SEGMENTS = (16384, 64)
HIDDEN = (types.FunctionType, types.ModuleType, types.BuiltinFunctionType, type)
SEQUENCES = (list, tuple, collections.deque, array.array, bytearray, memoryview)
PLAIN = {str: str.__str__, int: int.__pos__, float: float.__pos__}


class TooLong(Exception):
    """The program has run for more events than are compared."""


def leaf(value):
    kind = type(value)
    if kind is str and len(value) > 200:
        return f"str:{len(value)}:{value[:200]}"
    if kind is bytes and len(value) > 200:
        return f"bytes:{len(value)}:{value[:200]}"
    if kind is int and value.bit_length() > 900:
        return f"int:{value.bit_length()} bits:{value % (1 << 64):x}"
    return f"{kind.__name__}:{value!r}"


@functools.cache
def of_comprehensions(code):
    """The variables of comprehensions in the body of a class, which are not the class's."""
    import dis

    kept = ("STORE_NAME", "DELETE_NAME")
    own = {each.argval for each in dis.get_instructions(code) if each.opname in kept}
    return set(code.co_varnames) - own


class Heap:
    """All values with parts, by number; ``changed`` are those that differ since the last report."""

    def __init__(self):
        self.numbers = {}
        self.alive = []
        self.rows = []
        self.sizes = {}

    def token(self, value):
        """A text for a value without parts; else its number."""
        kind = type(value)
        if kind in LEAVES:
            return leaf(value)
        number = self.numbers.get(id(value))
        if number is None:
            number = self.numbers[id(value)] = len(self.alive)
            self.alive.append(value)
            self.rows.append(None)
        return number

    def parts(self, value):
        kind = type(value)
        name = kind.__qualname__.rpartition(".")[2]
        token = self.token
        found = []
        letter = "o"
        if kind is dict and "__builtins__" in value:  # of a module: told as its variables are
            named = [(key, each) for key, each in value.items() if is_told(key, each)]
            return [name, "m", [["@" + key, token(each)] for key, each in named]]
        if kind.__module__ == "array" or isinstance(value, SEQUENCES):
            base = next(each for each in SEQUENCES if isinstance(value, each))
            letter = "a" if base in (array.array, bytearray, memoryview) else "l"
            try:
                base.__len__(value)
            except ValueError:
                pass  # a memoryview that was released
            else:
                found += [[None, token(each)] for each in base.__iter__(value)]
        elif isinstance(value, (set, frozenset)):
            base = set if isinstance(value, set) else frozenset
            letter = "s"
            found += [[None, token(each)] for each in base.__iter__(value)]
        elif isinstance(value, dict):
            base = next(b for b in (collections.OrderedDict, dict) if isinstance(value, b))
            letter = "d"
            found += [[token(key), token(each)] for key, each in base.items(value)]
        elif isinstance(value, BaseException):
            letter = "x"
            found.append(["@args", token(value.args)])
        if isinstance(value, (*HIDDEN, enum.Enum)):
            return [name, "o", []]
        if kind.__module__ == "program" or letter == "x":
            letter = "i" if letter == "o" else letter
            for base, plain in PLAIN.items():
                if isinstance(value, base):
                    found.append([f"@({base.__name__})", token(plain(value))])
            named = getattr(value, "__dict__", {})
            for key, each in dict.items(named):
                found.append(["@" + key if type(key) is str else token(key), token(each)])
            for one in kind.__mro__:
                for slot in one.__dict__.get("__slots__", ()):
                    if slot not in ("__dict__", "__weakref__"):
                        try:
                            found.append(["@" + slot, token(object.__getattribute__(value, slot))])
                        except AttributeError:
                            pass
        return [name, letter, found]

    def changed(self):
        """The numbers and parts of all that differ from the last time."""
        found = []
        number = 0
        while number < len(self.alive):  # it grows meanwhile
            value = self.alive[number]
            if self.rows[number] is None or self.rows[number][1] != "o":
                row = self.parts(value)
                if row != self.rows[number]:
                    self.rows[number] = row
                    found.append([number, row])
            number += 1
        return found


def is_told(name, value):
    return not name.startswith("__") and not isinstance(value, HIDDEN)


class Tracer:
    """Observes one file in all threads."""

    def __init__(self, path):
        self.path = path
        self.heap = Heap()
        self.calls = {}
        self.kept = []
        self.variables = []
        self.events = []
        self.lock = threading.Lock()
        self.is_off = False
        self.has_begun = False

    def begin(self):
        if sys.version_info >= (3, 13):
            threading.settrace(self.trace)
            sys.settrace(self.trace)
            return
        # Before, a tracer changes what it looks at: comprehensions lose their variables.
        monitoring, events = sys.monitoring, sys.monitoring.events
        monitoring.use_tool_id(2, "truth")
        told = {
            events.LINE: "line",
            events.PY_START: "call",
            events.PY_RESUME: "call",
            events.PY_THROW: "call",
            events.PY_RETURN: "return",
            events.PY_YIELD: "return",
            events.PY_UNWIND: "return",
            events.RAISE: "exception",
        }
        for event, word in told.items():
            monitoring.register_callback(2, event, functools.partial(self.monitored, word))
        monitoring.set_events(2, sum(told))

    def monitored(self, word, code, *more):
        if code.co_filename == self.path:
            self.observe(sys._getframe(1), word)

    def end(self):
        sys.settrace(None)
        threading.settrace(None)
        if sys.version_info < (3, 13):
            monitoring = sys.monitoring
            monitoring.set_events(2, 0)
            for bit in range(20):
                try:
                    monitoring.register_callback(2, 1 << bit, None)
                except ValueError:
                    pass
            monitoring.free_tool_id(2)

    def trace(self, frame, event, argument):
        if frame.f_code.co_filename != self.path:
            return None
        self.observe(frame, event)
        return self.trace

    def observe(self, frame, event):
        if self.is_off:
            return
        if not self.has_begun:
            self.has_begun = "begun" in frame.f_globals
            if not self.has_begun:
                return
        with self.lock:
            if len(self.events) >= MOST_EVENTS:
                self.is_off = True
                return
            stack, changed, around = [], [], frame
            while around is not None:
                if around.f_code.co_filename == self.path:
                    stack.append([self.number_of(around), around.f_code.co_name, around.f_lineno])
                    self.read(around, changed)
                around = around.f_back
            here = threading.get_ident()
            for ident, around in sys._current_frames().items():
                while ident != here and around is not None:
                    if around.f_code.co_filename == self.path:
                        self.read(around, changed)
                    around = around.f_back
            parts = self.heap.changed()
            where = stack[1:] if event == "return" else stack
            line = where[0][1:] if where else None  # who runs from here on
            self.events.append(
                [threading.current_thread().name, event, line, stack, changed, parts]
            )

    def number_of(self, frame):
        number = self.calls.get(id(frame))
        if number is None:
            number = self.calls[id(frame)] = len(self.kept)
            self.kept.append(frame)
            self.variables.append(None)
        return number

    def read(self, frame, changed):
        names, code = frame.f_locals, frame.f_code
        told = None
        if code.co_name == "<module>":
            told = {name: value for name, value in frame.f_globals.items() if is_told(name, value)}
        elif code.co_flags & OPTIMIZED:
            told = dict(names)
        elif type(names) is dict:  # in a comprehension, the body of a class has nothing of its own
            hidden = of_comprehensions(code)
            told = {name: value for name, value in names.items() if name not in hidden}
        row = None
        if told is not None:
            row = {name: self.heap.token(value) for name, value in told.items()}
        number = self.number_of(frame)
        if row != self.variables[number]:
            self.variables[number] = row
            changed.append([number, row])


def run(path, text):
    module = type(sys)("program")
    vars(module).update(__name__="program", __file__=path)
    sys.modules["program"] = module
    try:
        exec(compile(text, path, "exec"), vars(module))
    except Exception as error:
        return repr(error)
    return ""


def compare(folder, space):
    path = str(folder / "program.py")
    text = (folder / "program.py").read_text()
    tracer = Tracer(path)
    tracer.begin()
    first = run(path, text)
    tracer.end()
    space["Failure"].texts.clear()
    space["SEGMENT"] = SEGMENTS[len(text) % 2]
    settings = {"exclude": [__file__], "compiled": COMPILED}
    space["begin"](str(folder / "spool"), settings)
    assert not space["Compiled"].problem, space["Compiled"].problem
    second = run(path, text)
    space["end"]()
    failures = list(space["Failure"].texts)
    if first != second:
        failures.append(f"the program ended with {first!r}, recorded with {second!r}")
    return {"name": folder.name, "events": tracer.events, "failures": failures}


def load_recorder(loader, folder):
    names = {}
    exec(compile(pathlib.Path(loader).read_text(), "<tuidbg loader>", "exec"), names)
    found = names["LocalLoader"](folder)
    found.load("recording.recording_events")
    return found.load("recording.recorder_state").NameTable()


def main():
    folder, *parts = sys.argv[1:]
    space = load_recorder(*parts)
    sys.stdout, output = io.StringIO(), sys.stdout
    for each in sorted(pathlib.Path(folder).iterdir()):
        json.dump(compare(each, space), output)
        output.write("\n")


main()
