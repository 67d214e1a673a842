"""Runs debugpy's adapter with tuidbg's patches (``patches/``). Run as a script.

Each patch is applied alone. Without an essential one, which keeps other users of the machine out,
the adapter does not start; what else does not fit is reported to tuidbg as the first message. With
``--check`` the words are printed that describe what does not fit, pydevd included.
"""

import importlib
import json
import os
import sys
from typing import Any


def _apply() -> None:
    """Apply the adapter's patches. Raises SystemExit, with a sentence, without an essential one."""
    registry: Any = importlib.import_module("patches.registry")
    registry.register(importlib.import_module("patches.table").TABLE)
    patches: Any = importlib.import_module("patches.in_adapter")
    same_user: Any = importlib.import_module("same_user")
    successors: Any = importlib.import_module("successors")
    launcher_end: Any = importlib.import_module("patches.launcher_end")
    untold: Any = importlib.import_module("patches.untold")
    sys.path.pop(0)  # the folder of this script is no place to import anything else from
    functions = {
        "refuse connections of other users": lambda: patches.keep_strangers_out(
            same_user.is_trusted
        ),
        "keep the token out of command lines": patches.keep_token_secret,
        "send and read without delays": patches.quicken,
        "outlive clients that are gone": patches.outlive_clients,
        "report the children of attached programs": patches.tell_of_processes,
        "fail a launch once the program has ended": patches.give_up_with_program,
        "fail a launch once its launcher has ended": launcher_end.watch_launchers,
        "attach to processes without harm": patches.enter_processes,
        "follow programs that replace themselves": successors.make_room,
        "release programs that nobody debugs": untold.release_untold,
        "read the last words of a program": patches.hear_out,
        "skip the list of installed packages": patches.look_at_no_packages,
    }
    for name, function in functions.items():
        registry.apply(name, function)
    for patch in registry.of_part(registry.LAUNCHER):
        registry.apply(patch.name, lambda: None)  # done there (``debugpy_launcher.py``)


def _report(sentence: str) -> None:
    """Send tuidbg a message, as what is inside the program does."""
    data = {"pid": os.getpid(), "misfits": sentence}
    body = {"category": "telemetry", "output": "tuidbg", "data": data}
    message = json.dumps({"seq": 0, "type": "event", "event": "output", "body": body}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(message), message))
    sys.stdout.flush()


def _run() -> None:
    import locale

    from debugpy.adapter import __main__ as adapter

    try:
        locale.setlocale(locale.LC_ALL, "")  # as the adapter's own start does
    except locale.Error:
        pass
    run: Any = adapter.main
    run()


def _start() -> None:
    is_check = "--check" in sys.argv[1:]
    _apply()
    registry: Any = sys.modules["patches.registry"]
    if is_check:
        registry.check_pydevd()
    tested = sys.modules["patches.table"].TESTED
    refusal, notice = registry.refusal(tested), registry.notice(tested)
    if is_check:
        print(refusal or notice)
    elif refusal:
        sys.exit(refusal)
    else:
        if notice:
            _report(notice)
        _run()


if __name__ == "__main__":
    _start()
