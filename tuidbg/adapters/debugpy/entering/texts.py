"""Makes what runs in a program that is entered, on Python 3.8 and newer, from the first byte on.

Two texts. The first is put into the program's memory and is run by its main thread wherever that
happens to be, maybe long after everybody has lost interest: it only starts a thread, and says
nothing whatever goes wrong. That thread takes the second one from a file, by giving the file
another name: so it is taken once at most, however often the first is run, and where the file is
gone nobody wants it any more.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

from tuidbg.adapters.debugpy.bundle import LAUNCHER, alone_expression

WANTED, TAKEN, FAILED = "wanted.py", "taken.py", "failed"
"""Files in the folder of an entrance: the second text, before and while it is run, and why not."""

_FIRST = """\
try:
    __import__('threading' if __import__('sys').version_info < (3, 13) else '_thread')
    __import__('_thread').start_new_thread(exec, ({text!r}, {{}}))
except KeyboardInterrupt:
    __import__('_thread').interrupt_main()
except BaseException:
    pass
"""
"""Leaves no name behind: it is run among the names of ``__main__``.

Before 3.13, whichever thread imports ``threading`` first is its main thread for ever. Ctrl+C that
comes just here is the program's.
"""

_IN_THREAD = """\
try:
    import os
    os.rename({wanted!r}, {taken!r})
    with open({taken!r}, encoding='utf-8') as file:
        exec(compile(file.read(), '<tuidbg>', 'exec'), {{}})
except BaseException:
    pass
"""


def first_text(folder: str) -> str:
    """Returns what the main thread runs; ASCII, however the folder is called."""
    in_thread = _IN_THREAD.format(wanted=f"{folder}/{WANTED}", taken=f"{folder}/{TAKEN}")
    return ascii_only(_FIRST.format(text=in_thread))


def second_text(folder: str, debugpy: str, address: tuple[str, int], token: str | None) -> str:
    """Returns what the thread runs: it has debugpy, of that folder, connect to an adapter."""
    setup = {
        "taken": f"{folder}/{TAKEN}",
        "failed": f"{folder}/{FAILED}",
        "debugpy": debugpy,
        "address": address,
        "token": token,
        "launcher": str(LAUNCHER),
    }
    return alone_expression("attach_payload", "begin", setup)


def _library() -> list[str]:
    """The folders of our own Python's library."""
    library = sysconfig.get_path("stdlib")
    return [library, f"{library}/lib-dynload"]


def removing_text(script: Path) -> str:
    """Returns what removes itself and its folder, where the program still runs it."""
    names = ascii_only(f"os.unlink({str(script)!r}), os.rmdir({str(script.parent)!r})")
    return f"(lambda os: ({names}))(__import__('os'))\n"


def ascii_only(text: str) -> str:
    """The text with all else as escapes, which only strings can hold."""
    return text.encode("ascii", "backslashreplace").decode("ascii")
