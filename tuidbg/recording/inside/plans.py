# ruff: noqa: F821 (names of the parts before it)
"""What each line of a function can change: so that no more is looked at after it has run.

Which names a line stores stands in the bytecode. Whose attributes and items it changes, and what it
calls, is read from the source, where that is the source of this code; else everything is looked at
behind a line that changes anything.
"""

dis = __import__("dis")
linecache = __import__("linecache")

ast = __import__("_ast")
WITH_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)

ONLY_AST = 0x400
"""Has ``compile`` give the parsed source; it needs no import."""

STORES = ("STORE_FAST", "DELETE_FAST", "STORE_DEREF", "DELETE_DEREF", "STORE_NAME", "DELETE_NAME")
GLOBAL_STORES = ("STORE_GLOBAL", "DELETE_GLOBAL")
CHANGES = (
    "STORE_ATTR",
    "DELETE_ATTR",
    "STORE_SUBSCR",
    "DELETE_SUBSCR",
    "STORE_SLICE",
    "CALL",
    "BINARY_OP",
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


class Plan(object):
    """Of one line: names that it stores, paths whose ends it changes, paths that it calls.

    ``is_all`` where what it changes is not known.
    """

    __slots__ = ("calls", "cells", "changes", "globals", "is_all", "names")

    def __init__(self):
        self.names, self.cells, self.globals = [], [], []
        self.changes, self.calls, self.is_all = [], [], False

    @property
    def is_empty(self):
        return not (self.names or self.globals or self.changes or self.calls or self.is_all)


class Info(object):
    """What is known of a code object."""

    __slots__ = ("code", "is_module", "names", "number", "plans", "used")

    def __init__(self, code, number):
        self.code, self.number = code, number
        self.is_module = code.co_name == "<module>"
        self.plans = plans_of(code)
        self.names = [*code.co_varnames, *code.co_cellvars, *code.co_freevars]
        self.names = list(dict.fromkeys(self.names))
        self.used = used_globals(code)


def used_globals(code):
    found = []
    for one in dis.get_instructions(code):
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME") and one.argval not in found:
            found.append(one.argval)
    return found


def plans_of(code):
    """The plans of a function by line; None for what stands in no line."""
    plans, may_change, line = {}, set(), None
    cells = {*code.co_cellvars, *code.co_freevars}
    for one in dis.get_instructions(code):
        line = line_of(one, line)
        plan = plans.get(line)
        if plan is None:
            plan = plans[line] = Plan()
        for name in stored_by(one):
            if name == "__annotations__" and name not in code.co_names:
                continue
            if name in cells and name not in plan.cells:
                plan.cells.append(name)
            if name not in plan.names:
                plan.names.append(name)
        if one.opname in GLOBAL_STORES and one.argval not in plan.globals:
            plan.globals.append(one.argval)
        if one.opname.startswith(CHANGES):
            may_change.add(line)
    read = source_plans(code)
    for line in may_change:
        plan, found = plans[line], None if read is None else read.get(line)
        if found is None:
            plan.is_all = True
        else:
            plan.changes, plan.calls = found.changes, found.calls
            plan.is_all = not found.is_all_known
    without = plans.pop(None, None)
    for plan in plans.values():
        if without is not None:
            plan.names += [name for name in without.names if name not in plan.names]
    return {line: plan for line, plan in plans.items() if not plan.is_empty}


def line_of(instruction, before):
    positions = instruction.positions
    return before if positions is None or positions.lineno is None else positions.lineno


def stored_by(instruction):
    name = instruction.opname
    if name in ("SETUP_ANNOTATIONS", "STORE_SUBSCR"):  # an annotation is an item of that
        return ("__annotations__",)
    if name in STORES:
        return (instruction.argval,)
    if name.startswith("STORE_FAST"):  # two in one
        values = instruction.argval
        if name == "STORE_FAST_LOAD_FAST":
            return values[:1]
        return values if type(values) is tuple else (values,)
    if name.startswith("LOAD_FAST_AND_CLEAR"):
        return (instruction.argval,)
    return ()


FILES = {}
"""By file: the plans of its lines as the source tells them, and the code objects of that source."""


def source_plans(code):
    """What is ``Found`` in the source by line; None where that is not of this code."""
    name = code.co_filename
    if name not in FILES:
        FILES[name] = read_file(name)
    plans, codes = FILES[name]
    for other in codes.get((code.co_name, code.co_firstlineno), ()):
        if is_same(code, other):
            return plans
    return None


def read_file(name):
    try:
        text = "".join(linecache.getlines(name))
        if not text:
            return {}, {}
        tree = compile(text, name, "exec", ONLY_AST, True)
        codes = {}
        collect_codes(compile(text, name, "exec", 0, True), codes)
    except Exception:
        return {}, {}
    plans = {}
    read_block(tree, plans)
    return plans, codes


def collect_codes(code, codes):
    codes.setdefault((code.co_name, code.co_firstlineno), []).append(code)
    for constant in code.co_consts:
        if type(constant) is CodeType:
            collect_codes(constant, codes)


def is_same(code, other):
    """Whether a running code object is of that source; pytest puts more into asserts."""
    return lines_of(code) == lines_of(other) and own_names(code) == own_names(other)


def lines_of(code):
    return {line for _, _, line in code.co_lines() if line}


def own_names(code):
    return {name for name in code.co_varnames if not name.startswith("@py")}


def read_block(node, plans):
    for each in node.body:
        read_statement(each, plans)


def read_statement(node, plans):
    """Note what a statement does, for all of its lines; of those in it each has its own."""
    found, inner = Found(), []
    for child in children(node):
        if isinstance(child, WITH_STATEMENTS):
            inner.append(child)
        else:
            read_expression(child, found)
    read_own(node, found)
    for child in inner:
        read_statement(child, plans)
    begin = first_line(node)
    end = getattr(node, "end_lineno", begin)
    if inner:
        end = max(begin, min(first_line(child) for child in inner) - 1)
    for line in range(begin, end + 1):
        plans.setdefault(line, Found()).add(found)


def children(node):
    for field in node._fields:
        child = getattr(node, field, None)
        for each in child if type(child) is list else [child]:
            if hasattr(each, "_fields"):
                yield each


def first_line(node):
    lines = [getattr(node, "lineno", 0) or first_line(next(children(node)))]
    lines += [each.lineno for each in getattr(node, "decorator_list", ())]
    return min(lines)


class Found(object):
    """What a line changes and calls, as paths of names; ``is_all_known`` where these are all."""

    __slots__ = ("calls", "changes", "is_all_known")

    def __init__(self):
        self.changes, self.calls, self.is_all_known = [], [], True

    def add(self, other):
        self.changes += [path for path in other.changes if path not in self.changes]
        self.calls += [path for path in other.calls if path not in self.calls]
        self.is_all_known &= other.is_all_known


def read_expression(node, found):
    read_own(node, found)
    for child in children(node):
        read_expression(child, found)


def read_own(node, found):
    """Note what a node does itself, not what is in it."""
    kind = type(node).__name__
    if kind in ("Attribute", "Subscript") and type(node.ctx).__name__ != "Load":
        path, paths = path_of(node.value), found.changes
    elif kind == "Call":
        path, paths = path_of(node.func), found.calls
    else:
        return
    if path is None:
        found.is_all_known = False
    elif path not in paths:
        paths.append(path)


def path_of(node):
    """A variable and the attributes behind it, as a tuple of names; None for anything else."""
    names = []
    while type(node).__name__ == "Attribute":
        names.append(node.attr)
        node = node.value
    if type(node).__name__ == "Name":
        return (node.id, *reversed(names))
    if type(node).__name__ == "Constant":
        return ("",)  # what a constant does changes nothing that is known
    return None
