# ruff: noqa: F821 (names of the parts before it)
"""What a call may change that no line of the person's own code tells of."""

MUTATORS = {
    id(list): {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"},
    id(dict): {"clear", "pop", "popitem", "setdefault", "update"},
    id(set): {
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
    id(bytearray): {"append", "clear", "extend", "insert", "pop", "remove", "reverse"},
    id(memoryview): {"release"},
    id(frozenset): set(),
    id(tuple): set(),
}
if DEQUE is not None:
    MUTATORS[id(DEQUE)] = {
        *("append", "appendleft", "clear", "extend", "extendleft", "insert", "pop", "popleft"),
        *("remove", "reverse", "rotate"),
    }

MUTATORS_OF_ARRAYS = {
    *("append", "byteswap", "clear", "extend", "frombytes", "fromfile", "fromlist", "fromunicode"),
    *("insert", "pop", "remove", "reverse"),
}

HARMLESS = frozenset(
    id(getattr(builtins, name))
    for name in (
        *("abs", "ascii", "bin", "bool", "callable", "chr", "complex", "divmod", "enumerate"),
        *("float", "filter", "format", "hash", "hex", "id", "int", "isinstance", "issubclass"),
        *("len", "map", "memoryview", "object", "oct", "ord", "pow", "print", "range", "repr"),
        *("reversed", "round", "slice", "str", "super", "type", "zip", "globals", "locals", "dir"),
        *("input", "property", "staticmethod", "classmethod"),
    )
)
"""What changes nothing that is given to it, but by functions of the person's own: it takes no
items out of something that gives them one by one, which may call anything."""

TAKING = frozenset(
    id(getattr(builtins, name))
    for name in (
        *("all", "any", "bytes", "bytearray", "dict", "frozenset", "list", "max", "min", "next"),
        *("set", "sum", "tuple"),
    )
)
"""What takes the items of its first argument, and changes nothing else: with no ``key``."""

PLAIN_ITEMS = {list, tuple, dict, set, frozenset, str, bytes, range, int, float, bool}
PLAIN_ITEMS.update((bytearray, memoryview))
PLAIN_ITEMS.update(type(getattr({}, name)()) for name in ("keys", "values", "items"))
PLAIN_ITEMS.add(__import__("itertools").count)
PLAIN_ITEMS = frozenset(map(id, PLAIN_ITEMS))
"""What gives its items, or none, and calls nothing."""

PURE_MODULES = {
    *("math", "cmath", "time", "_random", "posix", "_struct", "re", "_sre", "json", "_json"),
    *("json.encoder", "json.decoder", "base64", "binascii", "hashlib", "_hashlib", "textwrap"),
    *("string", "statistics", "posixpath", "ntpath", "os", "copy", "datetime", "fnmatch", "glob"),
    *(
        "urllib.parse",
        "html",
        "secrets",
        "uuid",
        "inspect",
        "zlib",
        "typing",
        "dataclasses",
        "random",
    ),
}
"""Modules whose functions change nothing that is given to them."""

FILLING = {"pack_into", "preadv", "readinto", "readv"}
"""Functions of those that write into a bytearray, an array or a memoryview."""

FIRST_MODULES = {"_heapq", "heapq", "_bisect", "bisect"}
"""Modules whose functions change their first argument only."""

NOTHING_CHANGES, FIRST_CHANGES, ALL_MAY_CHANGE, FIRST_IS_TAKEN = range(4)

DESCRIPTOR = type(list.append)

PARTIAL = getattr(sys.modules.get("functools"), "partial", None)
CACHED = type(getattr(sys.modules.get("functools"), "lru_cache", len)(lambda: 0))
"""It calls a function of the person's own, or nothing."""


def effect_of(function):
    """Whether a call may change something that is recorded."""
    kind = type(function)
    if kind is BoundMethod:
        function = function.__func__
        kind = type(function)
    if kind in (FunctionType, BuiltinFunction, DESCRIPTOR):
        if function.__name__ == "shuffle":
            return FIRST_CHANGES
        if function.__name__ in FILLING:
            return ALL_MAY_CHANGE
    if kind is FunctionType:
        code = function.__code__
        if is_own_code(code):
            return NOTHING_CHANGES
        return effect_in(function.__globals__.get("__name__"))
    if kind is BuiltinFunction:
        if id(function) in HARMLESS:
            return NOTHING_CHANGES
        if id(function) in TAKING:
            return FIRST_IS_TAKEN
        if function.__module__ is None:
            return effect_in(module_of(type(function.__self__)))
        return effect_in(function.__module__)
    if kind is type:
        if id(function) in HARMLESS:
            return NOTHING_CHANGES
        if id(function) in TAKING:
            return FIRST_IS_TAKEN
        about = KINDS.get(id(function)) or meet_kind(function)
        if module_of(function) == "builtins" and issubclass_plainly(function, BaseException):
            return NOTHING_CHANGES
        return NOTHING_CHANGES if about.is_own else effect_in(module_of(function))
    if kind is CACHED:
        return NOTHING_CHANGES
    if kind is DESCRIPTOR and module_of(function.__objclass__) in PURE_MODULES:
        return NOTHING_CHANGES
    if kind is PARTIAL:
        return effect_of(function.func)
    return ALL_MAY_CHANGE


def effect_in(module):
    if type(module) is not str:
        return ALL_MAY_CHANGE
    if module in PURE_MODULES:
        return NOTHING_CHANGES
    return FIRST_CHANGES if module in FIRST_MODULES else ALL_MAY_CHANGE


def effect_of_method(owner, kind, name):
    """The same of what stands in the class of an object, or in the object itself."""
    about = KINDS.get(id(kind)) or meet_kind(kind)
    found = dict.get(about.dictionary(owner), name, MISSING)
    if found is not MISSING:
        return effect_of(found)
    effect = about.effects.get(name)
    if effect is None:
        found = held(owner if issubclass_plainly(kind, type) else kind, name)
        if type(found) is staticmethod or type(found) is classmethod:
            found = found.__func__
        effect = ALL_MAY_CHANGE if found is None else effect_of(found)
        if not issubclass_plainly(kind, type):
            about.effects[name] = effect
    return effect


def effect_above(owner, name):
    """The same of what ``super()`` finds, whoever asks it."""
    for one in MRO(type(owner)):
        found = TYPE_DICT(one).get(name)
        if type(found) in (staticmethod, classmethod):
            found = found.__func__
        if type(found) is FunctionType and effect_of(found) != NOTHING_CHANGES:
            return ALL_MAY_CHANGE
    return NOTHING_CHANGES


class Unresolved(Exception):
    """Where a path of names leads can't be told without asking the program."""


BUILTINS = dict(vars(builtins))


def resolve(path, is_local, names, others):
    """What a path leads to."""
    name = path[0]
    value = names.get(name, MISSING) if is_local else MISSING
    if value is MISSING:
        value = others.get(name, MISSING)
        if value is MISSING:
            value = BUILTINS.get(name, MISSING)
            if value is MISSING:
                raise Unresolved
    for step in path[1:]:
        if type(step) is str:
            value = attribute(value, step)
        else:
            value = item(value, index_value(step[0], names, others))
    return value


def attribute(value, name):
    kind = type(value)
    if kind is ModuleType:
        found = MODULE_DICT(value).get(name, MISSING)
    elif kind is type:
        found = held(value, name)
        if id(type(found)) not in PLAIN_ITEMS:  # something may be asked to give another value
            raise Unresolved
    else:
        about = KINDS.get(id(kind)) or meet_kind(kind)
        if not about.is_plain:
            raise Unresolved
        if name in about.members:
            try:
                return GET(value, name)
            except AttributeError:
                raise Unresolved from None
        found = dict.get(about.dictionary(value), name, MISSING)
    if found is MISSING:
        raise Unresolved
    return found


def index_value(index, names, others):
    """A number or a text, which an item stands at."""
    if len(index) == 1:
        return index[0]
    if index[0] != "":
        left, right = (index_value(each, names, others) for each in index[1:])
        if type(left) is not int or type(right) is not int:
            raise Unresolved
        if right == 0 and index[0] in ("FloorDiv", "Mod"):
            raise Unresolved
        return OPERATORS[index[0]](left, right)
    value = resolve(index[1:], True, names, others)
    if type(value) is not int and type(value) is not str:
        raise Unresolved
    return value


def item(value, index):
    """An item of a list, a tuple or a dict, if no key has to be asked."""
    kind = type(value)
    if kind is list or kind is tuple:
        if type(index) is int and -len(value) <= index < len(value):
            return value[index]
    elif KINDS.get(id(kind)) is not None and KINDS[id(kind)].look is look_at_dict:
        known = KNOWN.get(id(value))
        if known is not None and known.kind is KINDS[id(kind)] and known.state.keys is not None:
            found = dict.get(value, index, MISSING)
            if found is not MISSING:
                return found
    raise Unresolved
