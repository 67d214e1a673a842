# ruff: noqa: F821 (names of the parts before it)
"""What is recorded of a value: as it stands, without asking it; no code of the program runs.

Numbers and short texts are recorded themselves, other values that can't change by their text.
Of what can change there is a number and the state, each item and attribute by itself, of which only
those are recorded again that are others. Nothing of that is kept alive: it is known by its ``id``,
and where that is used again the new state is recorded, as at any change.
"""

OF_TYPE = type.__dict__
MRO, TYPE_DICT = OF_TYPE["__mro__"].__get__, OF_TYPE["__dict__"].__get__
TYPE_NAME, MODULE_NAME = OF_TYPE["__qualname__"].__get__, OF_TYPE["__module__"].__get__
MODULE_DICT = ModuleType.__dict__["__dict__"].__get__
GETSET, MEMBER = type(BaseException.__dict__["args"]), type(slice.start)

SCALARS = {int, float, bool, type(None)}
LEAVES = {*SCALARS, str, bytes, complex, type(...), type(NotImplemented), range}

MOST_ITEMS = 200
"""Items and attributes of one value that are recorded; its length is recorded as well."""

MOST_NEW = 400
"""Values that can change and are met at one moment for the first time; what is beyond is cut."""

SHOWN_BY_THEMSELVES = {
    ("decimal", "Decimal"),
    ("fractions", "Fraction"),
    ("datetime", "datetime"),
    ("datetime", "date"),
    ("datetime", "time"),
    ("datetime", "timedelta"),
    ("datetime", "timezone"),
    ("uuid", "UUID"),
    ("pathlib", "PosixPath"),
    ("pathlib", "PurePosixPath"),
    ("pathlib._local", "PosixPath"),
    ("pathlib._local", "PurePosixPath"),
    ("zoneinfo", "ZoneInfo"),
}
"""Classes of the library whose objects can't change, and whose texts are their own."""


class Known(object):
    """What has been recorded last of a value that can change. ``token`` stands for it."""

    __slots__ = ("attributes", "kind", "number", "seen", "state", "token")

    def __init__(self, number, kind):
        self.number, self.kind, self.token, self.seen = number, kind, [number], 0
        self.state, self.attributes = State(), None


KNOWN = {}
"""By ``id``."""

KNOWN_OPAQUE = {}
"""The same of what is not looked into: the numbers by ``id``."""

MOST_KNOWN = 60000

KINDS = {}
"""How the objects of a class are recorded, by the class."""

OPAQUE, LEAF, ITSELF, ENUM = "opaque", "leaf", "itself", "enum"

NAMES = {}
"""The numbers of names, and of the keys of dicts."""


def number_of(name, when=0, columns=None):
    """The number of the name of a variable or an attribute."""
    number = NAMES.get(name)
    return add_key(name, "n", name) if number is None else number


def number_of_key(key, when, columns):
    """The number of a key of a dict; those that are equal have one."""
    kind = type(key)
    if kind in SCALARS or (kind is str and len(key) <= LONGEST):
        name, token = (kind, key), key
    else:
        token = token_of(key, when, columns)
        name = (list, json_dumps(token))
    number = NAMES.get(name)
    return add_key(name, "k", token) if number is None else number


def add_key(name, letter, token):
    with LOCK:
        number = NAMES.get(name)
        if number is None:
            number = NAMES[name] = FIRST_KEY + len(NAMES)
            NEWS["keys"].append([number, letter, token])
    return number


def next_number():
    """A number for a frame or a value."""
    with LOCK:
        Standing.owners += 1
        return Standing.owners


Standing.owners = 0


def token_of(value, when, columns):
    """What is recorded for a value; what can change is looked at as well."""
    kind = type(value)
    if kind in SCALARS:
        return value
    if kind in LEAVES:
        return leaf(value)
    look = KINDS.get(kind)
    if look is None:
        look = KINDS[kind] = kind_of(kind)
    if type(look) is str:
        return text_of(value, kind, look)
    if kind is tuple and len(value) < 17 and all(type(each) in LEAVES for each in value):
        return ["t", [leaf(each) for each in value]]
    known = KNOWN.get(id(value))
    if known is None or known.kind is not kind:
        if Standing.left <= 0:
            return CUT
        Standing.left -= 1
        known = meet(value, kind, look)
    if known.seen < when:
        known.seen = when
        look(value, known, when, columns)
    return known.token


Standing.left = MOST_NEW


def meet(value, kind, look):
    if len(KNOWN) > MOST_KNOWN:
        forget_some()
    known = KNOWN[id(value)] = Known(next_number(), kind)
    fields = TYPE_DICT(kind).get("_fields") if look is look_at_tuple else None
    NEWS["objects"].append(
        [known.number, LETTERS[look], name_of(kind), list(fields) if is_names(fields) else None]
    )
    return known


def is_names(fields):
    return type(fields) is tuple and all(type(name) is str for name in fields)


def forget_some():
    """Of values that were not seen for long it is not known whether they are there still."""
    seen = sorted(each.seen for each in list(KNOWN.values()))
    limit = seen[len(seen) // 2]
    for key, each in list(KNOWN.items()):
        if each.seen <= limit:
            KNOWN.pop(key, None)


def leaf(value):
    """What is recorded for a value that can't change."""
    kind = type(value)
    if kind in SCALARS:
        return value
    if kind is str:
        return value if len(value) <= LONGEST else ["s", value[:LONGEST], len(value)]
    if kind is bytes and len(value) > LONGEST:
        return ["b", "bytes", repr(value[:LONGEST]) + "… (%d)" % len(value)]
    return ["b", kind.__name__, repr(value)]


def name_of(kind):
    return str.__str__(TYPE_NAME(kind)).replace("<locals>.", "")


def kind_of(kind):
    """How the objects of a class are recorded: a function, or one of the words above."""
    for base, look in BASES:
        if issubclass_plainly(kind, base):
            return look
    if issubclass_plainly(kind, type):
        return LEAF
    if (module_of(kind), name_of(kind)) in SHOWN_BY_THEMSELVES:
        return ITSELF
    if any(name_of(type(one)) in ("EnumType", "EnumMeta") for one in (kind,)):
        return ENUM
    if kind in (FunctionType, BoundMethod, BuiltinFunction, ModuleType):
        return LEAF
    return look_at_object if is_own_class(kind) else OPAQUE


def issubclass_plainly(kind, base):
    return any(one is base for one in MRO(kind))


def module_of(kind):
    try:
        module = MODULE_NAME(kind)
    except AttributeError:
        return ""
    return module if type(module) is str else ""


def is_own_class(kind):
    """Whether it is of a module whose code is recorded."""
    module = sys.modules.get(module_of(kind))
    if type(module) is not ModuleType:
        return module_of(kind) not in ("builtins", "")
    file = MODULE_DICT(module).get("__file__")
    if type(file) is str:
        return is_own_file(file)
    return module_of(kind) == "__main__"


def text_of(value, kind, look):
    """What is recorded for a value that is not looked into."""
    if look is ITSELF:
        return ["b", name_of(kind), repr(value)]
    if look is ENUM:
        name = instance_dict(value, kind).get("_name_")
        return ["b", name_of(kind), "%s.%s" % (name_of(kind), name)]
    if look is LEAF:
        name = getattr_plainly(value, kind)
        return ["b", name_of(kind), name]
    known = KNOWN.get(id(value))
    if known is None or known.kind is not kind:
        if len(KNOWN) > MOST_KNOWN:
            forget_some()
        known = KNOWN[id(value)] = Known(next_number(), kind)
        known.token = ["o", name_of(kind), known.number]
    return known.token


def getattr_plainly(value, kind):
    """The name of a function, a class or a module."""
    if issubclass_plainly(kind, type):
        return "<class %s>" % name_of(value)
    if kind is ModuleType:
        return "<module %s>" % MODULE_DICT(value).get("__name__")
    if kind is FunctionType:
        return "<function %s>" % value.__qualname__
    if kind is BoundMethod:
        function = value.__func__
        name = function.__qualname__ if type(function) is FunctionType else "?"
        return "<bound method %s>" % name
    return "<built-in %s>" % value.__name__


def instance_dict(value, kind):
    """The attributes of an object, without asking the object."""
    descriptor = held(kind, "__dict__")
    if type(descriptor) is not GETSET:
        return {}
    found = descriptor.__get__(value)
    return found if isinstance(found, dict) else {}


def held(kind, name):
    for one in MRO(kind):
        found = TYPE_DICT(one)
        if name in found:
            return found[name]
    return None
