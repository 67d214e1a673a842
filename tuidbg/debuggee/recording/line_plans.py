"""What each line of a function can change: so that no more is looked at after it has run.

Which names a line stores stands in the bytecode. Whose attributes and items it changes, and what it
calls, is read from the source, where that is the source of this code; else everything is looked at
behind a line that changes anything.
"""

from __future__ import annotations

import sys
from opcode import opname

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any


STORES = {"STORE_FAST", "DELETE_FAST", "STORE_FAST_MAYBE_NULL", "LOAD_FAST_AND_CLEAR"}

CELL_STORES = {"STORE_DEREF", "DELETE_DEREF"}

NAME_STORES = {"STORE_NAME", "DELETE_NAME"}

GLOBAL_STORES = {"STORE_GLOBAL", "DELETE_GLOBAL"}

CHANGES = (
    "STORE_ATTR",
    "LOAD_ATTR",
    "LOAD_SUPER",
    "DELETE_ATTR",
    "STORE_SUBSCR",
    "DELETE_SUBSCR",
    "STORE_SLICE",
    "LIST_EXTEND",
    "SET_UPDATE",
    "DICT_",
    "CONTAINS",
    "UNPACK",
    "GET_ITER",
    "CALL",
    "BINARY_OP",
    "BINARY_SUBSCR",
    "YIELD",
    "SEND",
    "FOR_ITER",
    "BEFORE_WITH",
    "BEFORE_ASYNC",
    "LOAD_SPECIAL",
    "WITH_EXCEPT",
    "IMPORT",
)
"""How the instructions begin that may change what is reachable."""

QUIET = (
    *("LOAD_FAST", "LOAD_CONST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_BUILD", "STORE_"),
    *("POP_", "PUSH_", "JUMP_", "RETURN_", "RESUME", "NOP", "COPY", "SWAP", "END_", "CACHE"),
    *("EXTENDED_ARG", "MAKE_", "BUILD_", "LOAD_CLOSURE", "SET_FUNCTION", "DELETE_", "UNPACK_SEQ"),
    *("YIELD_VALUE", "RERAISE", "PUSH_EXC", "CHECK_", "IS_OP", "GET_AWAIT", "MAKE_CELL"),
    *("COPY_FREE", "INTERPRETER_EXIT", "SETUP_", "KW_NAMES", "GEN_START", "LIST_", "SET_", "MAP_"),
)
"""How the instructions begin that call nothing of the program, or not mostly."""

LOUD = {"STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE", "DELETE_ATTR", "DELETE_SUBSCR"}

IS_QUIET = [name.startswith(QUIET) and name not in LOUD for name in opname]

IS_CHANGE = [name.startswith(CHANGES) for name in opname]

BUILDERS = {"BUILD_LIST", "BUILD_MAP", "BUILD_TUPLE", "BUILD_CONST_KEY_MAP"}
"""What makes a new value, which may have the address of one that is gone."""

MAKERS = ("CALL", "BINARY_OP", "BINARY_SLICE", "BINARY_SUBSCR", "FOR_ITER", "GET_ITER", "UNPACK_EX")
"""How the instructions begin that may make a new value as well."""

EXTENDED = opname.index("EXTENDED_ARG")

HAS_SNAPSHOTS = sys.version_info < (3, 13)
"""Before, the variables of a frame are copied into a dict that the frame keeps: it would keep them
alive, so that it is emptied."""

WATCHING = {"locals", "vars", "dir", "eval", "exec", "sys", "inspect", "_getframe", "currentframe"}
"""A function that uses one of these may have that dict."""


class Plan(object):
    """Of one line: the names that it stores, and what else it may change (``ops``).

    ``replaced`` are the names and the variables of comprehensions, which are nowhere to be seen;
    values of the names ``again`` may be changed and stay where they are (``+=``).
    ``is_all`` where that is not known, ``is_early`` where something may have changed already while
    a function that it calls runs, ``is_loop`` where it goes back in itself.
    """

    __slots__ = (
        *(
            "again",
            "annotates",
            "builds",
            "cells",
            "globals",
            "is_all",
            "is_early",
            "is_loop",
            "makes",
        ),
        *("may_change", "names", "ops", "replaced"),
    )

    def __init__(self) -> None:
        self.replaced: set[str] = set()
        self.again: set[str] = set()
        self.names: list[str] = []
        self.cells: list[str] = []
        self.globals: list[str] = []
        self.ops: Any = ()
        self.is_all = self.is_early = self.is_loop = self.may_change = self.builds = False
        self.makes = self.annotates = False

    @property
    def is_empty(self) -> bool:
        return not (self.names or self.globals or self.ops or self.is_all)


class Reader(object):
    """Reads the instructions of a code object, one after the other, into the plans of lines."""

    def __init__(self, code: CodeType, info: Any) -> None:
        self.code, self.info = code, info
        self.used: dict[str, Any] = {}
        self.bound: set[str] = set()
        self.plan = self.without = Plan()
        self.has_stored, self.stored = False, None
        self.has_annotations = "__annotations__" in code.co_names

    def enter(self, plan: Any) -> None:
        self.plan, self.has_stored = plan, False

    def read(self, number: int, argument: Any, offset: int) -> None:
        name, plan = opname[number], self.plan
        if IS_CHANGE[number]:
            plan.may_change = True
        if name in BUILDERS:
            plan.builds = True
        elif name.startswith(MAKERS):
            plan.makes = True
        if not IS_QUIET[number]:
            self.stored = None
            plan.is_early |= self.has_stored
            self.has_stored |= name in LOUD
            if name == "STORE_SUBSCR" and self.has_annotations:
                self.store("__annotations__")
                plan.annotates = True
        elif "STORE" in name or "DELETE" in name or name == "LOAD_FAST_AND_CLEAR":
            for each in stored_by(name, argument, self.code):
                self.info.first_store = min(offset, self.info.first_store)
                if name in NAME_STORES:
                    self.bound.add(each)
                if name.endswith(("FAST", "CLEAR", "NULL")) and not self.info.has_own_names:
                    plan.replaced.add(each)
                    self.has_stored = True
                    continue
                self.store(each)
                if name[:6] == "DELETE" and each == self.stored:  # behind an error that has a name
                    self.without.names.append(each)
                self.stored = each
            if name in GLOBAL_STORES:
                self.has_stored = True
                plan.globals.append(self.code.co_names[argument])
        elif name == "LOAD_GLOBAL":
            self.used[self.code.co_names[argument >> 1]] = True
        elif name in ("LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"):
            self.used[self.code.co_names[argument]] = True
        elif name.startswith("JUMP_BACKWARD"):
            plan.is_loop = True
            plan.is_early |= bool(plan.names)
        elif name == "SETUP_ANNOTATIONS":
            self.store("__annotations__")

    def store(self, name: Any) -> None:
        plan, self.has_stored = self.plan, True
        plan.replaced.add(name)
        if name in self.info.cells and name not in plan.cells:
            plan.cells.append(name)
        if name not in plan.names:
            plan.names.append(name)


def stored_by(name: Any, argument: Any, code: Any) -> Any:
    """The variables that an instruction stores or deletes."""
    if name in STORES:
        return (code._varname_from_oparg(argument),)
    if name in CELL_STORES:
        return (code._varname_from_oparg(argument),)
    if name in NAME_STORES:
        return (code.co_names[argument],)
    if name == "STORE_FAST_STORE_FAST":
        first, second = argument >> 4, argument & 15
        return code._varname_from_oparg(first), code._varname_from_oparg(second)
    if name == "STORE_FAST_LOAD_FAST":
        return (code._varname_from_oparg(argument >> 4),)
    return ()
