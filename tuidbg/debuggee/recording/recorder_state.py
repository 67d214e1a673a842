"""The state and constants of the recorder, and names kept from what a program may replace."""

from __future__ import annotations

import _thread
import os
import sys

from tuidbg.debuggee.loader import loaded_modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


MONITORING: Any = getattr(sys, "monitoring", None)

EVENTS: Any = getattr(MONITORING, "events", None)
DISABLE: Any = getattr(MONITORING, "DISABLE", None)

get_frame, get_ident = sys._getframe, _thread.get_ident

FunctionType, MethodType = type(lambda: 0), type("".join)

BoundMethod = type(type("", (), {"call": lambda self: 0})().call)

BuiltinFunction, ModuleType = type(len), type(sys)

abspath, make_file, write_file, close_file = os.path.abspath, os.open, os.write, os.close

rename_file, remove_file, ask_file = os.rename, os.unlink, os.stat
"""A program may have others in their places."""

NAME = "tuidbg recorder"

NUMBER = 5
"""The interpreter knows it by that; who has the greatest number is told first, so that a line is
recorded before a debugger stops there."""

LINE, CALL, RETURN, YIELD, RAISE, UNWIND, RESUME = range(7)
"""The kinds of moments."""

PARENT, LENGTH, ALL, RETURNED, RAISED, SPAN, BORN = range(7)
"""The keys that no name and no item has.

The value of a SPAN is a moment: what else changed of that owner has changed since then, at a moment
that is not known. From a moment with BORN on, the owner is another value at the same address.
"""

FIRST_KEY = 16

INDEX = 1 << 32
"""The key of the item at an index is that and the index."""

LOOKED = 3
"""Besides True: another thread compares what the current line of this one has changed."""

HELD = 2
"""Besides True: a stopped thread is not recorded, but its columns may be taken."""

UNBOUND = ["-"]
"""Recorded for a name, an attribute or an item that is there no more."""

MISSING = object()

UNKNOWN = ["?"]
"""Recorded where a look has failed."""

CUT = ["~"]
"""Recorded for a value that is not looked into, as there are too many at once."""


class RecorderState(object):
    """What is there now. One object, as storing in that is much faster than in a class."""

    codes: int
    doubt: int
    failed: int
    fresh: int
    has_dicts: bool
    keys: int
    left: int
    left_at: int
    most_known: int
    now: int
    number: int | None
    owners: int
    settings: dict[str, Any]
    tell: Any
    thread: Any

    __slots__ = (
        "codes",  # how many were met
        "doubt",  # the last moment at which anything may have changed
        "failed",  # how many looks have failed
        "fresh",  # what was not seen since then is compared where it is met
        "has_dicts",  # whether the program takes the dicts that have the attributes of objects
        "keys",  # the next number of a key
        "left",  # how many values that are new may still be met at the moment ``left_at``
        "left_at",
        "most_known",  # more values make one weigh what is remembered of them
        "now",  # the last moment
        "number",  # under which the interpreter knows us; None while nothing is recorded
        "owners",  # how many frames and values were met
        "settings",
        "tell",  # called with reports for the person, or None
        "thread",  # that of the last moment
    )


Standing = RecorderState()

Standing.number, Standing.now, Standing.owners, Standing.codes = None, 0, 0, 0

Standing.keys = FIRST_KEY

Standing.doubt = Standing.fresh = Standing.failed = 0

Standing.has_dicts = False

Standing.left = Standing.left_at = Standing.most_known = 0

Standing.settings = {}

Standing.tell = Standing.thread = None


class NameTable(object):
    """The names of all of the recorder's modules, as one namespace."""

    def __getitem__(self, name: Any) -> Any:
        for module in loaded_modules():
            if name in vars(module):
                return vars(module)[name]
        raise KeyError(name)

    def __setitem__(self, name: Any, value: Any) -> None:
        """Replace it in each module that has it."""
        for module in loaded_modules():
            if name in vars(module):
                vars(module)[name] = value

    def clear(self) -> None:
        """Drop all that the modules refer to; they are of no use after that."""
        for module in loaded_modules():
            vars(module).clear()


NAMES_OF_ALL = NameTable()
