"""Variables of calls and modules, and variables shared by functions."""

from __future__ import annotations

import sys

from tuidbg.debuggee.recording.line_plans import HAS_SNAPSHOTS
from tuidbg.debuggee.recording.recorder_state import (
    MISSING,
    BuiltinFunction,
    FunctionType,
    ModuleType,
)
from tuidbg.debuggee.recording.segments import NEWS
from tuidbg.debuggee.recording.value_kinds import LEAF_IDS, issubclass_plainly, next_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def variables_of(frame: Any, record: Any) -> Any:
    """The variables of a call, as something that has them by name."""
    if record.is_module:
        return frame.f_globals  # a comprehension would show others
    info = record.info
    if info.is_watched:
        return one_by_one(frame, info.names)
    names = frame.f_locals
    if info.has_own_names:
        return names
    if not issubclass_plainly(type(names), dict):  # in a comprehension, or what a class prepares
        return {}
    return {name: value for name, value in dict.items(names) if name not in info.hidden}


def one_by_one(frame: Any, names: Any) -> Any:
    """The variables of a frame, without the dict of them that the program may have."""
    if Asking.get is None:
        import ctypes

        prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.py_object)
        Asking.get = prototype(("PyFrame_GetVar", ctypes.pythonapi))
    found = {}
    for name in names:
        try:
            found[name] = Asking.get(frame, name)
        except NameError:
            pass
    return found


class Asking(object):
    get: Any = None


get_reference_count = sys.getrefcount

VIEWED = memoryview.__dict__["obj"].__get__

MOST_WALKED = 40
"""Values that are compared at one moment because anything may have changed."""

MOMENTS_OF_A_WALK = 10
"""All are compared at once after so many moments for each hundred that there were the last time."""


class Walk(object):
    """When all is compared next."""

    due = 0


def is_told_global(name: Any, names: Any) -> bool:
    """Whether a global variable is a value, not something that was defined or imported."""
    if name[:2] == "__":
        return False
    value = names.get(name, MISSING)
    kind = type(value)
    if id(kind) in LEAF_IDS:
        return True
    if value is MISSING or kind is FunctionType or kind is BuiltinFunction or kind is ModuleType:
        return False
    return not issubclass_plainly(kind, type)


class Space(object):
    """The global variables of a module; the ``token`` is that of their dict.

    ``definitions`` are its functions, classes and modules, by name their ``id``.
    """

    __slots__ = ("definitions", "holds", "is_over", "last", "owner", "token", "waits")

    def __init__(self, owner: Any) -> None:
        self.owner, self.holds, self.token = owner, False, [owner]
        self.last: dict[str, Any] = {}
        self.definitions: dict[str, int] = {}
        self.is_over, self.waits = False, False


SPACES: dict[Any, Any] = {}
"""By the ``id`` of the dicts."""


def namespace_of(names: Any) -> Any:
    space = SPACES.get(id(names))
    if space is None:
        space = SPACES[id(names)] = Space(next_number())
        name = names.get("__name__")
        NEWS["modules"].append([space.owner, "m", name if type(name) is str else "", None])
    return space


def let_go(record: Any, names: Any) -> None:
    """Empty the copies of variables that a frame keeps, unless somebody else has the dict."""
    is_copy = HAS_SNAPSHOTS and record.info.has_own_names
    if is_copy and record.holds and get_reference_count(names) == 4:
        names.clear()
