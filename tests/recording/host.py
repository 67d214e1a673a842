"""Runs a program as it would run alone, recorded or not.

Executed by the Python under test: ``host.py PROGRAM FOLDER FAILURES [LOADER PACKAGE]``; without the
last two nothing is recorded. What went wrong in the recording is written to the file of failures.
"""

import atexit
import json
import os
import sys

COMPILED = os.environ.get("COMPILED") if sys.version_info >= (3, 14) else ""
"""Before that the recorder in Python is used."""

LIMIT = int(os.environ.get("LIMIT", 2 * 1024 * 1024))


def read(path):
    with open(path) as file:
        return file.read()


def load_recorder(loader, folder):
    names = {}
    exec(compile(read(loader), "<tuidbg loader>", "exec"), names)
    found = names["LocalLoader"](folder)
    found.load("recording.recording_events")
    return found.load("recording.recorder_state").NameTable()


def main():
    path, folder, failures, *parts = sys.argv[1:]
    text, space = read(path), load_recorder(*parts) if parts else None
    module = type(sys)("__main__")
    module.__file__ = path
    sys.modules["__main__"] = module
    sys.argv = [path, *os.environ.get("ARGUMENTS", "").split()]
    code = compile(text, path, "exec")
    if parts:

        def tell(write=open, texts=space["Failure"].texts):
            with write(failures, "w") as file:
                json.dump(texts, file)

        atexit.register(tell)
        error = space["begin"](
            folder, {"exclude": [__file__], "limit": LIMIT, "compiled": COMPILED}
        )
        if error or space["Compiled"].problem:
            sys.exit(error or space["Compiled"].problem)
    exec(code, vars(module))


main()
