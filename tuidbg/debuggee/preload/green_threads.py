"""Finds out whether the program may replace Python's threads, locks and sockets by green ones.

For ``debugpy_launcher.py``, before debugpy is imported, by any Python that
debugpy supports: pydevd has to know by then, or gevent's and eventlet's patches reach into it, and
breakpoints and steps are lost.
"""

from __future__ import annotations

import importlib
import os
import stat
import sys
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


LOOKED_AT = 300
"""Source files, and folders, that are looked at for the name of such a library."""

NAMES = {"gevent": ("gevent", "locust"), "eventlet": ("eventlet",)}
"""The libraries, with names of packages that replace everything by them when they are imported."""


def find_green_threads() -> str:
    """The library of green threads that the program may use: gevent, eventlet or none.

    Only one counts that is installed and is named in the command line or in the program's own
    sources. Nothing is imported.
    """
    for name in filter(is_installed, NAMES):
        if any(word in text for text in texts() for word in NAMES[name]):
            return name
    return ""


def is_installed(name: str) -> bool:
    places = [os.path.join(place, name, "__init__.py") for place in sys.path if place]
    return any(os.path.isfile(place) for place in places)


def texts() -> Iterator[Any]:
    """The command line, and the sources in and below the folder of the script (or this one)."""
    words = sys.argv[1:]
    yield " ".join(words)
    scripts = [word for word in words if word.endswith(".py") and os.path.isfile(word)]
    top = os.path.dirname(os.path.abspath(scripts[0])) if scripts else os.getcwd()
    files_left = folders_left = LOOKED_AT
    for folder, folders, files in os.walk(top):
        folders_left -= 1
        if "pyvenv.cfg" in files or not folders_left:
            del folders[:]
            continue
        folders[:] = [each for each in folders if each.isidentifier()]
        for file in files:
            if file.endswith(".py"):
                files_left -= 1
                if not files_left:
                    return
                yield read(os.path.join(folder, file))


def read(path: str) -> Any:
    """The beginning of a regular file; a pipe would be waited for, for ever."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(100_000)
    except OSError:
        return ""


def follow_greenlets() -> None:
    """As pydevd does for gevent: each greenlet has a trace function of its own."""
    greenlet = importlib.import_module("greenlet")
    tracing = importlib.import_module("pydevd_tracing")
    greenlet.settrace(lambda event, args: tracing.reapply_settrace())


def leave_green_threads() -> None:
    """Have pydevd keep out of what gevent or eventlet replace.

    pydevd has a mode for gevent, which is chosen by a variable of the environment before pydevd is
    imported; the program's children take it over. What it does for greenlets holds for eventlet,
    too, but pydevd would import gevent for it.
    """
    if "GEVENT_SUPPORT" in os.environ:
        return
    found = find_green_threads()
    if found:
        os.environ["GEVENT_SUPPORT"] = "True"
    if found == "eventlet":
        name = "_pydevd_bundle.pydevd_gevent_integration"
        module: Any = ModuleType(name)
        module.enable_gevent_integration = follow_greenlets
        module.log_gevent_debug_info = lambda: None
        sys.modules[name] = module
        from debugpy.server import cli  # noqa: F401 (with it comes pydevd)

        del os.environ["GEVENT_SUPPORT"]
