"""Registry of the patches of debugpy and pydevd: what each is for, and the names it depends on.

Each patch is applied alone, where all of its names exist; ``FAILED`` has those that could not be.
"""

from __future__ import annotations

import importlib
import os
import sys

from tuidbg.debuggee.patches.patch_table import TABLE, TESTED
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Function = Callable[[], None]

BY_TRACER, BY_MONITORING = "tracer", "monitoring"
"""Kinds of patches (see the table)."""

FAILED: dict[str, str] = {}
"""By the names of patches that were not applied: why."""


class Patch(object):
    """A patch: its name, what it replaces (the first of ``names``) and uses."""

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind
        self.names: list[str] = []

    def is_needed(self) -> bool:
        """Whether pydevd follows this program in the way that the patch is for."""
        if self.kind not in (BY_TRACER, BY_MONITORING):
            return True
        try:
            constants = find_module("_pydevd_bundle.pydevd_constants")
        except ImportError:
            return True
        uses_monitoring = getattr(constants, "PYDEVD_USE_SYS_MONITORING", False)
        return bool(uses_monitoring) is (self.kind == BY_MONITORING)

    def find_missing(self) -> str:
        """The first of its names that does not exist, or ""."""
        for path in self.names:
            if not has_name(path):
                return path
        return ""


def read_table(table: str) -> list[Patch]:
    """All patches of the table (``patch_table.py``)."""
    found: list[Patch] = []
    for line in table.split("\n"):
        if line.startswith(" "):
            found[-1].names.append(line.strip())
        elif line:
            name, _, kind = line.partition(": ")
            found.append(Patch(name, kind))
    return found


PATCHES = read_table(TABLE)


def has_name(path: str) -> bool:
    """Whether a name of debugpy's or pydevd's exists here; it is imported if need be.

    The names of a debugger are unknown before there is one.
    """
    module, _, names = path.partition(":")
    try:
        found = find_module(module)
        if module != "DB" or found is not None:
            resolve(found, names)
    except (ImportError, AttributeError):
        return False
    return True


def resolve(found: object, names: str) -> object:
    """The attribute of an attribute, by their names with dots. Raises AttributeError."""
    for name in names.split("."):
        found = getattr(found, name)
    return found


def find_module(name: str) -> Any:
    """A module, or the debugger of this process. Raises ImportError."""
    if name == "DB":
        return sys.modules["pydevd"].get_global_debugger()
    return sys.modules.get(name) or importlib.import_module(name)


def apply(name: str, function: Function) -> None:
    """Apply one patch if its names exist; whatever goes wrong concerns that one alone."""
    (found,) = [each for each in PATCHES if each.name == name]
    if not found.is_needed():
        return
    missing = found.find_missing()
    if missing:
        FAILED[name] = "there is no %s" % missing.replace(":", ".")
        return
    try:
        function()
    except Exception as error:
        fail(name, error)


def fail(name: str, error: BaseException) -> None:
    """Note why a patch does not fit."""
    SWALLOWED["registry.apply", type(error)] += 1
    FAILED[name] = "%s: %s" % (type(error).__name__, error)


PENDING: list[tuple[str, Function]] = []
"""The patches of the modules that have been imported, as far as they are not applied."""


def patch(name: str) -> Callable[[Function], Function]:
    """Register the decorated function as the one that applies a patch."""

    def register(function: Function) -> Function:
        PENDING.append((name, function))
        return function

    return register


def apply_pending() -> None:
    """Apply the patches of the modules that have been imported since."""
    while PENDING:
        apply(*PENDING.pop(0))


def replace(owner: Any, name: str, function: Any) -> Any:
    """Put a function in the place of pydevd's, and return that; ours may be there already."""
    native = getattr(owner, name)
    function.native = native = getattr(native, "native", native)
    setattr(owner, name, function)
    return native


def debugger_module(name: str) -> Any:
    """A module of pydevd's; an empty one where there is none, which costs the patches of it."""
    try:
        return find_module(name)
    except ImportError:
        return type(sys)(name)


def notice() -> str:
    """Report what could not be patched, for the person; "" where all of it fits."""
    failed = ["%s (%s)" % found for found in FAILED.items()]
    if not failed:
        return ""
    return "%d of tuidbg's %d patches %s not fit debugpy %s, and it works without: %s. %s" % (
        len(failed),
        len(PATCHES),
        "does" if len(failed) == 1 else "do",
        version(),
        "; ".join(failed),
        "For all of them, %s" % remedy(),
    )


def version() -> str:
    """debugpy's own, as far as it says."""
    return str(getattr(sys.modules.get("debugpy"), "__version__", "of an unknown version"))


def remedy() -> str:
    """How to get a version that fits."""
    place = getattr(sys.modules.get("debugpy"), "__file__", None)
    there = " in place of %s" % os.path.dirname(place) if place else ""
    return 'install a tested version (pip install "debugpy%s")%s' % (TESTED, there)


def check_pydevd() -> None:
    """Note which patches would not fit pydevd; a debugger is made in this process for it."""
    try:
        import debugpy

        sys.path.insert(0, os.path.join(os.path.dirname(debugpy.__file__), "_vendored", "pydevd"))
        import pydevd

        pydevd.get_global_debugger() or pydevd.PyDB()
    except Exception as error:
        for each in PATCHES:
            fail(each.name, error)
        return
    for each in PATCHES:
        apply(each.name, lambda: None)
