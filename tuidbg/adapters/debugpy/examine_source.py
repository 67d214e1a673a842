"""Prints what an interpreter says of a source, as JSON, without running it.

Run as a script by the interpreter that will run the program, which may be any Python, a much older
one included: nothing here is newer than Python 2.7, so that an old interpreter can say that it is
too old instead of failing at this file's syntax.

    python examine_source.py file PATH | module NAME
"""

import json
import os
import sys


def find_module(name):
    """The file that ``python -m name`` runs; found by path, since importing a parent runs it."""
    parts = name.split(".")
    places = [os.path.join(folder or os.getcwd(), parts[0]) for folder in sys.path]
    for place in places + hooked_places(parts[0]):
        base = os.path.join(place, *parts[1:])
        for path in (base + ".py", os.path.join(base, "__main__.py")):
            if os.path.isfile(path):
                return os.path.abspath(path)
    return None


def hooked_places(name):
    """Where import hooks know of a package or module, as those of editable installations."""
    try:
        from importlib.util import find_spec

        spec = find_spec(name)  # runs nothing: it is no part of a package
    except Exception:  # other people's hooks; an old Python has no find_spec
        return []
    if spec is None:
        return []
    if spec.submodule_search_locations:
        return list(spec.submodule_search_locations)
    origin = spec.origin or ""
    return [origin[: -len(".py")]] if origin.endswith(".py") else []


def code_lines(code):
    """All lines of a code object, and of those inside it, on which the program can stop."""
    import dis

    lines = set(line for _, line in dis.findlinestarts(code) if line)
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            lines |= code_lines(constant)
    return lines


def examine(kind, name):
    answer = {"version": list(sys.version_info[:3]), "path": name}
    if kind == "module":
        answer["path"] = find_module(name)
        if answer["path"] is None:
            return answer
    try:
        with open(answer["path"], "rb") as file:
            source = file.read()
        answer["lines"] = sorted(code_lines(compile(source, answer["path"], "exec", 0, True)))
    except SyntaxError as error:
        answer["error"] = {
            "message": "%s: %s" % (type(error).__name__, error.msg),
            "line": error.lineno or 0,
            "column": error.offset or 0,
            "text": error.text or "",
        }
    except (EnvironmentError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        # Unreadable, or too complicated for the compiler (RecursionError is a RuntimeError).
        message = "%s: %s" % (type(error).__name__, error)
        answer["error"] = {"message": message, "line": 0, "column": 0, "text": ""}
    return answer


if __name__ == "__main__":
    sys.path[0] = ""  # as under python -m, not this script's folder
    print(json.dumps(examine(sys.argv[1], sys.argv[2])))
