"""Runs programs on request, again and again in one process.

``host.py PORT`` is what gets debugged. ``host.py PORT reference`` is the slow and obvious other
side: it traces by ``sys.settrace``, looks at every line and appends what it finds to a list.
Requests and answers are lines of JSON on a socket.
"""

import asyncio  # here, so that no program under test has to wait for it
import bdb
import builtins
import json
import operator
import socket
import sys
import threading

OPERATORS = {
    "==": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "%": lambda count, value: count % value == 0,
}
RUNNING = {}


def here():
    """The function of the program under test that runs now, asked from a breakpoint in it."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename != RUNNING["path"]:
        frame = frame.f_back
    return frame.f_code.co_name


builtins.HERE = here


class Reference:
    """What breakpoints should do: told of every line, asked one after the other."""

    def __init__(self, path, breakpoints):
        self.path = path
        self.breakpoints = {each["line"]: dict(each) for each in breakpoints}
        self.lines, self.records = [], []
        for each in self.breakpoints.values():
            each.update(hits=0, misses=0, errors=0)

    def trace(self, frame, event, arg):
        if frame.f_code.co_filename != self.path:
            return None
        if event == "line":
            self.lines.append(frame.f_lineno)
            found = self.breakpoints.get(frame.f_lineno)
            if found is not None and self.wants(found, frame):
                name = threading.current_thread().name
                record = [name, frame.f_lineno, frame.f_code.co_name, found["hits"]]
                self.records.append(record)
        return self.trace

    def wants(self, found, frame):
        if found["condition"]:
            try:
                value = eval(found["condition"], frame.f_globals, frame.f_locals)
            except Exception:
                found["errors"] += 1
                return False
            if not value:
                found["misses"] += 1
                return False
        found["hits"] += 1
        if not found["operator"]:
            return True
        return OPERATORS[found["operator"]](found["hits"], found["value"])

    def answer(self):
        counts = {b["line"]: [b["hits"], b["misses"], b["errors"]] for b in self.breakpoints.values()}
        return {"lines": self.lines, "records": self.records, "counts": counts}


class Pdb(bdb.Bdb):
    """What stops in Python's own debugger, at breakpoints on these lines."""

    def __init__(self, path, breakpoints):
        super().__init__()
        self.path, self.records, self.hits = path, [], {}
        for each in breakpoints:
            self.hits[each["line"]] = 0
            self.set_break(path, each["line"])

    def user_line(self, frame):
        line = frame.f_lineno
        if frame.f_code.co_filename == self.path and line in self.hits:
            self.hits[line] += 1
            self.records.append(["MainThread", line, frame.f_code.co_name, self.hits[line]])
        self.set_continue()

    def answer(self):
        counts = {line: [self.hits[line], 0, 0] for line in self.hits}
        self.clear_all_breaks()
        return {"lines": [], "records": self.records, "counts": counts}


def run(program):
    """The program, once; its exceptions are its own."""
    try:
        exec(program["code"], program["names"])
    except Exception as error:
        return type(error).__name__
    return ""


def prepare(path):
    RUNNING["path"] = path
    with open(path, encoding="utf-8") as file:
        code = compile(file.read(), path, "exec")
    return {"code": code, "names": {"__name__": "under_test", "__file__": path}}


def serve(port, is_reference):
    line = socket.create_connection(("127.0.0.1", port)).makefile("rw", encoding="utf-8")
    program = None
    while request := line.readline():
        asked = json.loads(request)
        if asked["path"]:
            program = prepare(asked["path"])
        if asked.get("pdb"):
            pdb = Pdb(RUNNING["path"], asked["breakpoints"])
            pdb.run(program["code"], program["names"])
            error, answer = "", pdb.answer()
        elif is_reference:
            reference = Reference(RUNNING["path"], asked["breakpoints"])
            threading.settrace(reference.trace)
            sys.settrace(reference.trace)
            error = run(program)
            sys.settrace(None)
            threading.settrace(None)
            answer = reference.answer()
        else:
            error, answer = run(program), {}
        number = asked["number"]
        line.write(json.dumps(dict(answer, number=number, error=error)) + "\n")  #: done
        line.flush()


if __name__ == "__main__":
    serve(int(sys.argv[1]), "reference" in sys.argv)
