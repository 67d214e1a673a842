# ruff: noqa: F821 (names of the parts before it)
"""What each line of a function can change: so that no more is looked at after it has run.

Which names a line stores stands in the bytecode. Whose attributes and items it changes, and what it
calls, is read from the source, where that is the source of this code; else everything is looked at
behind a line that changes anything.
"""

OPNAMES = __import__("opcode").opname

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
IS_QUIET = [name.startswith(QUIET) and name not in LOUD for name in OPNAMES]
IS_CHANGE = [name.startswith(CHANGES) for name in OPNAMES]
BUILDERS = {"BUILD_LIST", "BUILD_MAP", "BUILD_TUPLE", "BUILD_CONST_KEY_MAP"}
"""What makes a new value, which may have the address of one that is gone."""
MAKERS = ("CALL", "BINARY_OP", "BINARY_SLICE", "BINARY_SUBSCR", "FOR_ITER", "GET_ITER", "UNPACK_EX")
"""How the instructions begin that may make a new value as well."""
EXTENDED = OPNAMES.index("EXTENDED_ARG")


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

    def __init__(self):
        self.replaced, self.again = set(), set()
        self.names, self.cells, self.globals, self.ops = [], [], [], ()
        self.is_all = self.is_early = self.is_loop = self.may_change = self.builds = False
        self.makes = self.annotates = False

    @property
    def is_empty(self):
        return not (self.names or self.globals or self.ops or self.is_all)


class Info(object):
    """What is known of a code object. ``looks`` are the functions that look behind its lines.

    ``collected`` are arguments such as ``*args``, whose values are made by the call;
    ``hidden`` are, in the body of a class, the variables of comprehensions;
    ``is_watched`` where its frames may not be asked for a dict of its variables.
    ``builders`` are the lines that make lists and the like, ``early`` the functions of lines at
    which something may change before a call; the first instruction that stores a variable is at
    ``first_store``.
    """

    __slots__ = (
        *(
            "arguments",
            "builders",
            "cells",
            "code",
            "collected",
            "early",
            "first_store",
            "has_own_names",
            "hidden",
            "is_generator",
            "is_init",
        ),
        *("is_module", "is_watched", "looks", "names", "number", "others", "used"),
    )

    def __init__(self, code, number):
        self.code, self.number = code, number
        self.is_module = code.co_name == "<module>"
        self.has_own_names = bool(code.co_flags & 0x1)
        self.is_generator = bool(code.co_flags & GENERATOR)
        self.names = list(dict.fromkeys((*code.co_varnames, *code.co_cellvars, *code.co_freevars)))
        self.cells = list(dict.fromkeys((*code.co_cellvars, *code.co_freevars)))
        self.is_init = code.co_name == "__init__" and code.co_argcount > 0
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & 0x4) + bool(code.co_flags & 0x8)
        self.arguments = list(dict.fromkeys((*code.co_varnames[:count], *code.co_freevars)))
        given = code.co_argcount + code.co_kwonlyargcount
        self.collected = frozenset(code.co_varnames[given:count])
        self.hidden = frozenset()
        self.used, self.looks, self.early = [], {}, {}
        self.first_store = 1 << 30
        plans = plans_of(code, self)
        self.is_watched = HAS_SNAPSHOTS and self.has_own_names
        self.is_watched = self.is_watched and not WATCHING.isdisjoint(self.used)
        own = self.names if self.has_own_names else ()
        self.others = [name for name in self.used if name not in own]
        self.builders = frozenset(line for line, plan in plans.items() if plan.builds)
        for line, plan in plans.items():
            if not self.has_own_names and self.is_module:
                plan.names = [name for name in plan.names if name[:2] != "__"]
            if not plan.is_empty:
                self.looks[line] = look_of(plan, self)
                if plan.is_early:
                    self.early[line] = self.looks[line]
                elif any(op[0] == "default" for op in plan.ops):
                    self.early[line] = look_for_missing(plan, self)


def plans_of(code, info):
    """The plans of a function by line."""
    plans, raw = {}, code.co_code
    reader, argument, line = Reader(code, info), 0, None
    for start, end, here in code.co_lines():
        if here is not None and here != line:
            line, plan = here, plans.get(here)
            if plan is None:
                plan = plans[line] = Plan()
            plan.is_early |= bool(plan.names or plan.may_change)
            reader.enter(plan)
        for offset in range(start, end, 2):
            argument = argument << 8 | raw[offset + 1]
            if raw[offset] != EXTENDED:
                reader.read(raw[offset], argument, offset)
                argument = 0
    info.used = list(reader.used)
    info.hidden = frozenset(code.co_varnames).difference(reader.bound)
    add_source(code, plans)
    for plan in plans.values():
        plan.names += [name for name in reader.without.names if name not in plan.names]
        plan.replaced.update(plan.names)
        if plan.annotates:
            plan.again.add("__annotations__")
    return plans


class Reader(object):
    """Reads the instructions of a code object, one after the other, into the plans of lines."""

    def __init__(self, code, info):
        self.code, self.info, self.used, self.bound = code, info, {}, set()
        self.plan = self.without = Plan()
        self.has_stored, self.stored = False, None
        self.has_annotations = "__annotations__" in code.co_names

    def enter(self, plan):
        self.plan, self.has_stored = plan, False

    def read(self, number, argument, offset):
        name, plan = OPNAMES[number], self.plan
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

    def store(self, name):
        plan, self.has_stored = self.plan, True
        plan.replaced.add(name)
        if name in self.info.cells and name not in plan.cells:
            plan.cells.append(name)
        if name not in plan.names:
            plan.names.append(name)


def add_source(code, plans):
    read = None
    for line, plan in plans.items():
        if not plan.may_change:
            continue
        if read is None:
            read = source_plans(code) or {}
        found = read.get(line)
        if found is None:
            plan.is_all = True
        else:
            plan.ops, plan.is_all = found.ops, not found.is_all_known
            plan.again = {op[1][0] for op in plan.ops if op[0] == "augment"}
            plan.ops = [op for op in plan.ops if op[0] != "augment"]
            kinds = [op[0] for op in plan.ops if op[0] not in ("value", "default")]
            plan.is_early |= plan.is_all or len(kinds) > 1


def stored_by(name, argument, code):
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
