"""Prints what an interpreter says of a source, as JSON, without running it.

Run as a script by the interpreter that will run the program, which may be any Python, a much older
one included: nothing here is newer than Python 2.7, so that an old interpreter can say that it is
too old instead of failing at this file's syntax.

    python examine_source.py file PATH | files PATH ... | module NAME
"""

import json
import os
import sys

IMPLEMENTATION = getattr(getattr(sys, "implementation", None), "name", "cpython")


def find_module(name):
    """The file that ``python -m name`` runs; found by path, since importing a parent runs it."""
    return first_file(name, ("%s.py", os.path.join("%s", "__main__.py")))


def first_file(name, forms):
    for base in bases(name):
        for form in forms:
            if os.path.isfile(form % base):
                return os.path.abspath(form % base)
    return None


def bases(name):
    """The paths that a module or package may have, without what comes after its name."""
    parts = name.split(".")
    places = [os.path.join(folder or os.getcwd(), parts[0]) for folder in sys.path]
    return [os.path.join(place, *parts[1:]) for place in places + hooked_places(parts[0])]


def hooked_places(name):
    """Tells where import hooks know of a package or module, as those of editable installations."""
    spec = find_spec(name)
    if spec is None:
        return []
    if spec.submodule_search_locations:
        return list(spec.submodule_search_locations)
    origin = spec.origin or ""
    return [origin[: -len(".py")]] if origin.endswith(".py") else []


def find_spec(name):
    try:
        from importlib.util import find_spec

        return find_spec(name)  # runs nothing: it is no part of a package
    except Exception:  # other people's hooks; an old Python has no find_spec
        return None


def code_lines(code):
    """All lines of a code object, and of those inside it, on which the program can stop."""
    lines = set(own_lines(code))
    for inner in inner_codes(code):
        lines |= code_lines(inner)
    return lines


def own_lines(code):
    """The lines of a code object itself, in the order of its instructions."""
    starts = from_library("dis").findlinestarts(code)
    return [line for _, line in starts if line]


def from_library(name):
    """A module of the standard library, whatever lies beside the program under that name."""
    if name in sys.modules:
        return sys.modules[name]
    beside = sys.path.pop(0)
    try:
        return __import__(name)
    finally:
        sys.path.insert(0, beside)


def inner_codes(code):
    return [constant for constant in code.co_consts if isinstance(constant, type(code))]


def read_source(path):
    """The bytes of a file, or of what lies in a zip, where its path goes on."""
    outside = path
    while not os.path.exists(outside) and outside != os.path.dirname(outside):
        outside = os.path.dirname(outside)
    if outside == path or not os.path.isfile(outside):
        with open(path, "rb") as file:
            return file.read()
    with from_library("zipfile").ZipFile(outside) as archive:
        return archive.read(path[len(outside) + 1 :].replace(os.sep, "/"))


def examine(kind, name):
    answer = {"version": list(sys.version_info[:3]), "implementation": IMPLEMENTATION, "path": name}
    if kind == "module":
        answer["path"] = find_module(name)
        if answer["path"] is None:
            return answer
    try:
        source = read_source(answer["path"])
        answer["lines"] = sorted(code_lines(compile(source, answer["path"], "exec", 0, True)))
    except SyntaxError as error:
        answer["error"] = {
            "message": "%s: %s" % (type(error).__name__, error.msg),
            "line": error.lineno or 0,
            "column": error.offset or 0,
            "text": error.text or "",
        }
    except (EnvironmentError, KeyError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        # Unreadable, or too complicated for the compiler (RecursionError is a RuntimeError).
        message = "%s: %s" % (type(error).__name__, error)
        answer["error"] = {"message": message, "line": 0, "column": 0, "text": ""}
    return answer


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.path[0] = ""  # as under python -m, not this script's folder
    if arguments[0] == "files":
        print(json.dumps([examine("file", name) for name in arguments[1:]]))
    else:
        print(json.dumps(examine(arguments[0], arguments[1])))
