# ruff: noqa: F821 (names of the parts before it)
"""Looks at what the last line of a function may have changed."""

MUTATORS = {
    list: {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"},
    dict: {"clear", "pop", "popitem", "setdefault", "update"},
    set: {
        "add",
        "clear",
        "difference_update",
        "discard",
        "intersection_update",
        "pop",
        "remove",
        "symmetric_difference_update",
        "update",
    },
}
if DEQUE is not None:
    MUTATORS[DEQUE] = {
        *("append", "appendleft", "clear", "extend", "extendleft", "insert", "pop", "popleft"),
        *("remove", "reverse", "rotate"),
    }
MUTATORS[frozenset], MUTATORS[tuple] = set(), set()

HARMLESS = {
    getattr(builtins, name)
    for name in (
        *("abs", "all", "any", "ascii", "bin", "bool", "bytes", "callable", "chr", "complex"),
        *("dict", "divmod", "enumerate", "filter", "float", "format", "frozenset", "getattr"),
        *("hasattr", "hash", "hex", "id", "int", "isinstance", "issubclass", "iter", "len", "list"),
        *("map", "max", "memoryview", "min", "next", "object", "oct", "ord", "pow", "print"),
        *("range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum", "super"),
        *("tuple", "type", "vars", "zip", "globals", "locals", "dir", "input", "property"),
        *("staticmethod", "classmethod", "bytearray"),
    )
}
"""What changes nothing that is given to it, but by functions of the person's own."""

HARMLESS_MODULES = {"math", "cmath", "time", "_operator", "_random", "posix", "_struct", "re"}

NOTHING_CHANGES, ONE_CHANGES, ALL_MAY_CHANGE = range(3)

MISSING = object()


class Unresolved(Exception):
    """Where a path of names leads can't be told without asking the program."""


def resolve(path, names, others):
    """What a path of names leads to."""
    name = path[0]
    value = names.get(name, MISSING)
    if value is MISSING:
        value = others.get(name, MISSING)
        if value is MISSING:
            value = BUILTINS.get(name, MISSING)
            if value is MISSING:
                raise Unresolved
    for name in path[1:]:
        value = attribute(value, name)
    return value


BUILTINS = dict(vars(builtins))


def attribute(value, name):
    kind = type(value)
    if kind is ModuleType:
        found = MODULE_DICT(value).get(name, MISSING)
    else:
        if held(kind, "__getattribute__") not in PLAIN_GETTERS:
            raise Unresolved
        of_class = held(kind, name)
        if type(of_class) is MEMBER:
            try:
                return of_class.__get__(value)
            except AttributeError:
                raise Unresolved from None
        found = instance_dict(value, kind).get(name, MISSING)
    if found is MISSING:
        raise Unresolved
    return found


PLAIN_GETTERS = (object.__getattribute__, BaseException.__getattribute__)


def effect_of_call(path, names, others):
    """Whether a call may change something that is recorded, and what, where that is one value."""
    if len(path) == 1:
        if path[0] == "":
            return NOTHING_CHANGES, None
        return effect_of(resolve(path, names, others)), None
    owner = resolve(path[:-1], names, others)
    kind, name = type(owner), path[-1]
    mutators = MUTATORS.get(kind)
    if mutators is not None:
        return (ONE_CHANGES if name in mutators else NOTHING_CHANGES), owner
    if kind in LEAVES:
        return NOTHING_CHANGES, None
    if kind is ModuleType:
        return effect_of(MODULE_DICT(owner).get(name)), None
    found = instance_dict(owner, kind).get(name)
    if found is None:
        found = held(owner if issubclass_plainly(kind, type) else kind, name)
    if type(found) in (staticmethod, classmethod):
        found = found.__func__
    return effect_of(found), None


def effect_of(function):
    kind = type(function)
    if kind is BoundMethod:
        function = function.__func__
        kind = type(function)
    if kind is FunctionType:
        return NOTHING_CHANGES if is_own_file(function.__code__.co_filename) else ALL_MAY_CHANGE
    try:
        if function in HARMLESS:
            return NOTHING_CHANGES
    except TypeError:
        return ALL_MAY_CHANGE
    if issubclass_plainly(kind, type):
        is_made_here = is_own_class(function) and kind is type
        return NOTHING_CHANGES if is_made_here else ALL_MAY_CHANGE
    if kind is BuiltinFunction and function.__module__ in HARMLESS_MODULES:
        return NOTHING_CHANGES
    return ALL_MAY_CHANGE


def check(record, frame, plan, when, columns):
    """Record what the line with that plan has changed."""
    names = frame.f_locals
    last, owner = record.last, record.owner
    for name in plan.names:
        value = names.get(name, MISSING)
        before = last.get(name, MISSING)
        if value is before:
            continue
        if value is MISSING:
            del last[name]
            note(columns, when, owner, number_of(name), UNBOUND)
            continue
        if type(value) in SCALARS:
            last[name] = value
            note(columns, when, owner, number_of(name), value)
            continue
        note_variable(last, owner, name, value, before, when, columns)
    if plan.cells:
        share_cells(record, frame, plan.cells, when, columns)
    others = frame.f_globals
    if plan.globals:
        space = namespace_of(others)
        for name in plan.globals:
            note_name(space.last, space.owner, name, others, when, columns)
    for path in plan.changes:
        try:
            look(resolve(path, names, others), when, columns)
        except Unresolved:
            look_everywhere(record, frame, names, when, columns)
            return
    for path in plan.calls:
        try:
            effect, changed = effect_of_call(path, names, others)
        except Unresolved:
            effect = ALL_MAY_CHANGE
        if effect == ONE_CHANGES:
            look(changed, when, columns)
        elif effect == ALL_MAY_CHANGE:
            look_everywhere(record, frame, names, when, columns)
            return
    if plan.is_all:
        look_everywhere(record, frame, names, when, columns)


def note_variable(last, owner, name, value, before, when, columns):
    """A variable that may hold something else, or something that has changed."""
    kind = type(value)
    token = token_of(value, when, columns)
    kept = value if kind in LEAVES else token
    if kept is before or (kind not in LEAVES and before == token and type(before) is list):
        return
    last[name] = kept
    note(columns, when, owner, number_of(name), token)


def note_name(last, owner, name, names, when, columns):
    value = names.get(name, MISSING)
    before = last.get(name, MISSING)
    if value is before:
        return
    if value is MISSING:
        del last[name]
        note(columns, when, owner, number_of(name), UNBOUND)
    else:
        note_variable(last, owner, name, value, before, when, columns)


def look(value, when, columns):
    """Record what has changed in a value, if that is known."""
    kind = type(value)
    if kind is ModuleType:
        space = SPACES.get(id(MODULE_DICT(value)))
        if space is not None:
            look_at_space(space, MODULE_DICT(value), when, columns)
    elif kind not in LEAVES and id(value) in KNOWN:
        token_of(value, when, columns)


def look_everywhere(record, frame, names, when, columns):
    """Anything may have changed that can be reached."""
    last, owner = record.last, record.owner
    for name in list(names) if record.is_module else record.info.names:
        if not record.is_module or is_told_global(name, names):
            note_name(last, owner, name, names, when, columns)
    if not record.is_module:
        look_at_used(record.info, frame.f_globals, when, columns)


def look_at_used(info, others, when, columns):
    """The global variables that a function reads."""
    space = namespace_of(others)
    for name in info.used:
        if is_told_global(name, others):
            note_name(space.last, space.owner, name, others, when, columns)


def is_told_global(name, names):
    """Whether a global variable is a value, not something that was defined or imported."""
    if name[:2] == "__":
        return False
    value = names.get(name, MISSING)
    kind = type(value)
    if value is MISSING or kind in (FunctionType, BuiltinFunction, ModuleType):
        return False
    return not issubclass_plainly(kind, type)


class Space(object):
    """The global variables of a module."""

    __slots__ = ("last", "owner")

    def __init__(self, owner):
        self.owner, self.last = owner, {}


SPACES = {}
"""By the ``id`` of the dicts."""


def namespace_of(names):
    space = SPACES.get(id(names))
    if space is None:
        space = SPACES[id(names)] = Space(next_number())
        name = names.get("__name__")
        NEWS["objects"].append([space.owner, "m", name if type(name) is str else "", None])
    return space


def look_at_space(space, names, when, columns):
    for name in list(names):
        if is_told_global(name, names):
            note_name(space.last, space.owner, name, names, when, columns)


def share_cells(record, frame, cells, when, columns):
    """A variable that is shared with functions around: it is theirs as well."""
    above = frame.f_back
    while above is not None:
        other = FRAMES.get(id(above))
        if other is not None and other.frame_code is above.f_code:
            names = None
            for name in cells:
                if name in other.info.names:
                    names = above.f_locals if names is None else names
                    note_name(other.last, other.owner, name, names, when, columns)
        above = above.f_back
