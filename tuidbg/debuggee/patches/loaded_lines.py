"""A file that was edited since the program loaded it has its old lines, until it is loaded again.

That is seen by the specs of its modules: each time that a module is loaded it gets a new one. What
is reloaded (``importlib.reload``) is reported at once, other changes when somebody asks
for the lines. Python forgets a module's name in a table of its own when a reload is over, and that
table is ours: so nothing of ours stands in the program's tracebacks.
"""

from __future__ import annotations

import importlib
import os
import sys
from weakref import ref as reference

import pydevd

from tuidbg.debuggee.patches.debugger import pydevd_api, report_data, thread
from tuidbg.debuggee.patches.registry import patch, replace
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

native_lines: Any
native_disconnect: Any
# What the functions here stand for.


bisect_right = pydevd_api.bisect.bisect_right

KNOWN: dict[Any, Any] = {}
"""By file: the lines that can break, and by what it was loaded when they were read."""

TOLD_LOADS: dict[Any, Any] = {}
"""By file: what it was when its being loaded again was told."""

LISTED: dict[Any, Any] = {}
"""The lines of files that can break, while a list of breakpoints is taken in."""

LISTING: set[Any] = set()
"""The thread that takes one in."""


def get_code_lines(path: str) -> Any:
    """pydevd's question, which it answers by the file as it is now.

    For each breakpoint of a list it sorts the lines to find one: it gets that one only.
    """
    if thread.get_ident() not in LISTING:
        return find_code_lines(path)
    lines = LISTED.get(path)
    if lines is None:
        lines = LISTED[path] = sorted(set(find_code_lines(path)))
    line = sys._getframe(1).f_locals.get("line")
    if type(line) is not int:
        return lines
    end = bisect_right(lines, line)
    return lines[max(end - 1, 0) : end]


def find_code_lines(path: str) -> Any:
    watch_reloads()
    loads, known = loads_of([path])[path], KNOWN.get(path)
    if known is not None and loads:
        lines, before = known
        if not before or all(any(load is each for each in before) for load in loads):
            KNOWN[path] = lines, loads
            return lines
        tell_loaded(path)
    lines = native_lines(path)
    KNOWN[path] = lines, loads
    return lines


def loads_of(paths: Iterable[str]) -> Any:
    """By file: what stands for each time that the program has loaded it and still has that."""
    found: dict[Any, Any] = {path: [] for path in paths}
    for module in list(sys.modules.values()):
        path = module.__dict__.get("__file__") if type(module) is type(sys) else None
        if type(path) is str and path in found:
            found[path].append(module.__dict__.get("__spec__") or reference(module))
    return found


def note_loads() -> None:
    """Whenever something stops: note by what those files are loaded that were not before."""
    if len(sys.modules) != COUNTED["modules"]:
        COUNTED["modules"] = len(sys.modules)
        paths = [path for path, (_, loads) in list(KNOWN.items()) if not loads]
        for path, loads in loads_of(paths).items() if paths else ():
            KNOWN[path] = KNOWN[path][0], loads


COUNTED = {"modules": 0}


class Reloading(dict):  # type: ignore[type-arg]
    """Replacement for ``importlib``'s table of the modules that are being reloaded."""

    def __setitem__(self, name: str, module: str) -> None:
        dict.__setitem__(self, name, module)
        BEFORE[name] = sys.exc_info()[1]

    def __delitem__(self, name: str) -> None:
        module = dict.pop(self, name)
        try:
            if BEFORE.pop(name, None) is sys.exc_info()[1]:  # it has not failed
                note_reload(module.__dict__.get("__file__"))
        except Exception as swallowed:  # it would arrive in the program
            SWALLOWED["loaded_lines.__delitem__", type(swallowed)] += 1


def watch_reloads() -> None:
    """From the first breakpoint of a debugger on, until it goes."""
    if type(vars(importlib).get("_RELOADING")) is dict:
        vars(importlib)["_RELOADING"] = Reloading(vars(importlib)["_RELOADING"])


def on_disconnect(self: Any) -> None:
    """Restore Python's own table when the debugger goes."""
    native_disconnect(self)
    if isinstance(getattr(importlib, "_RELOADING", None), Reloading):
        vars(importlib)["_RELOADING"] = dict(vars(importlib)["_RELOADING"])


BEFORE: dict[Any, Any] = {}
"""By module: what was being handled when its reload began."""


def note_reload(path: str) -> None:
    if type(path) is str:
        KNOWN.pop(path, None)
        tell_loaded(path)


def tell_loaded(path: str) -> None:
    """Tell that a file was loaded again, once for each of its versions."""
    stamp = stamp_of(path)
    if stamp is not None and TOLD_LOADS.get(path) != stamp:
        TOLD_LOADS[path] = stamp
        report_data({"reloaded": [path]})


def stamp_of(path: str) -> tuple[Any, Any] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


@patch("set breakpoints by the lines that were loaded")
def patch_lines() -> None:
    global native_lines
    native_lines = replace(pydevd_api, "_get_code_lines", get_code_lines)


@patch("watch no reloads once the debugger has gone")
def patch_disconnecting() -> None:
    global native_disconnect
    native_disconnect = replace(pydevd.PyDB, "on_disconnect", on_disconnect)
