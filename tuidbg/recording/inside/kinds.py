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
WEAK_OFFSET = OF_TYPE["__weakrefoffset__"].__get__
GETSET, MEMBER = type(BaseException.__dict__["args"]), type(slice.start)
NONE = type(None)

LEAVES = (int, float, bool, NONE, str, bytes, complex, type(...), type(NotImplemented), range)
LEAF_IDS = frozenset(map(id, LEAVES))
"""By ``id``: a class may have a hash of its own."""

LARGE = 1 << 1000

LONGEST_KEY = 4096
"""A longer text is known as a key by its hash, its length and its ends: it is not kept."""

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


class Kind(object):
    """What is known of a class. ``look`` is how its objects are recorded, a function or a word.

    ``content`` gives the plain number or text of one of a class below those, ``base`` is the class
    that gives the items of a bytearray, an array or a memoryview, ``dictionary`` the attributes of
    an object; ``members`` are its slots, and ``effects`` what calls of its methods
    may change. Nothing in it keeps the class alive.
    """

    __slots__ = (
        *("dictionary", "effects", "fields", "is_own", "is_plain", "letter", "look", "members"),
        *("base", "content", "is_weak", "name", "reference"),
    )

    def __init__(self, kind):
        self.name, self.is_own = name_of(kind), is_own_class(kind)
        self.look = kind_of(kind, self.is_own)
        self.letter = LETTERS.get(self.look)
        self.dictionary = dictionary_of(kind)
        self.members = members_of(kind)
        fields = TYPE_DICT(kind).get("_fields") if self.look is look_at_tuple else None
        self.fields = list(fields) if is_names(fields) else None
        getter = held(kind, "__getattribute__")
        self.is_plain = any(getter is one for one in PLAIN_GETTERS)
        self.effects = {}
        self.is_weak = bool(WEAK_OFFSET(kind))
        self.content = content_of(kind)
        self.base = base_of(kind) if self.look is look_at_numbers else None


PLAINS = {
    str: str.__str__,
    int: int.__pos__,
    float: float.__pos__,
    complex: complex.__pos__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
}


def content_of(kind):
    for one in MRO(kind):
        if id(one) in LEAF_IDS and one in PLAINS:
            return "(%s)" % one.__name__, PLAINS[one]
    return None


def base_of(kind):
    """The class of a bytearray, an array or a memoryview that has its items; None for others."""
    for one in MRO(kind):
        if one is bytearray or one is memoryview or is_array(one):
            return one
    return None


def is_array(kind):
    is_named = name_of(kind) == "array" and module_of(kind) == "array"
    return is_named and type(held(kind, "typecode")) is GETSET


PLAIN_GETTERS = (object.__getattribute__, BaseException.__getattribute__)


class Known(object):
    """What has been recorded last of a value that can change. ``token`` stands for it.

    Whether a value at this address (``key``) is still that one is seen by a weak ``reference``, if
    its class has those. Else by what held it: a variable (``holder``, ``name``), a ``container``,
    or a function that ``passed`` it on at that moment. ``comes`` is the variable's call or the
    container to which it has come just now.
    """

    __slots__ = (
        *("attributes", "comes", "container", "holder", "key", "kind", "name", "number", "passed"),
        *("reference", "seen", "state", "token"),
    )

    def __init__(self, number, kind, value):
        self.number, self.kind, self.token, self.seen = number, kind, [number], 0
        self.state, self.attributes = State(), None
        self.key, self.passed = id(value), 0
        self.reference = reference(value) if kind.is_weak else None
        self.comes = self.holder = self.name = self.container = None


KNOWN = {}
"""By ``id``."""

VIEWS = {}
"""The same of memoryviews that were not released."""

MOST_KNOWN = 60000

MOST_REMEMBERED = 48 * 1024 * 1024
"""Bytes of what was recorded last of them, about."""

OF_ONE, OF_AN_ITEM, OF_A_KEY = 400, 48, 120
"""Bytes of a value that is known, of one of its items, and of a key of a dict more than that."""

WEIGHED_EACH = 4096
"""After so many that are new it is weighed what is remembered."""

SAMPLED = 16
"""One of so many is weighed, for all: weighing each would take longer than recording it."""

KINDS = {}
"""By the ``id`` of the class; those of classes that are gone leave."""

OPAQUE, LEAF, ITSELF, ENUM, CONTENT = "opaque", "leaf", "itself", "enum", "content"

NAMES = {}
"""The numbers of names, and of the keys of dicts."""

MOST_NAMES = 100000


def meet_kind(kind):
    key = id(kind)
    about = Kind(kind)
    about.reference = reference(kind, lambda _: KINDS.pop(key, None))
    KINDS[key] = about
    return about


def dictionary_of(kind):
    """What gives the attributes of an object of a class, if that runs nothing of the program."""
    is_plain = type(held(kind, "__dict__")) is GETSET and not issubclass_plainly(kind, type)
    return plain_dictionary if is_plain else no_dictionary


def plain_dictionary(value):
    return GET(value, "__dict__")


GET = object.__getattribute__


def members_of(kind):
    """The slots of the objects of a class that no class below has something else for."""
    found = {}
    for one in reversed(MRO(kind)):
        for name, member in list(TYPE_DICT(one).items()):
            if type(name) is not str:
                continue
            if type(member) is MEMBER:
                found[name] = True
            else:
                found.pop(name, None)
    return found


def no_dictionary(value):
    return {}


def number_of(name, when=0, columns=None):
    """The number of the name of a variable or an attribute."""
    if type(name) is not str:
        return number_of_key(name, when, columns)
    number = NAMES.get(name)
    return add_key(name, "n", name) if number is None else number


def number_of_key(key, when, columns):
    """The number of a key of a dict; those that are equal have one."""
    kind = type(key)
    if kind is str or kind is int:
        number = NAMES.get((kind is int, key))
        if number is not None:
            return number
        return number_of_token(key, token_of(key, when, columns))
    return number_of_token(key, token_of(key, when, columns))


def number_of_token(key, token):
    """The same of a key whose token is known."""
    kind = type(key)
    if kind is str or kind is int:
        if kind is str and len(key) > LONGEST_KEY:
            key = (len(key), hash(key), key[:LONGEST], key[-LONGEST:])
        return number_of_name((kind is int, key), token)
    if kind is bytes and len(key) <= LONGEST_KEY:
        return number_of_name((2, key), token)
    if (kind is float and key != key) or token == CUT:
        return number_of_name((3, id(key)), token)
    if id(kind) in LEAF_IDS and kind is not float:
        return number_of_name((4, kind.__name__, hash(key), json_dumps(token)), token)
    return number_of_name((5, json_dumps(token)), token)


def number_of_name(name, token):
    number = NAMES.get(name)
    return add_key(name, "k", token) if number is None else number


def add_key(name, letter, token):
    with LOCK:
        number = NAMES.get(name)
        if number is None:
            if len(NAMES) > MOST_NAMES:  # a key that comes again has another number then
                for each in [each for each in NAMES if type(each) is tuple]:
                    del NAMES[each]
            number = NAMES[name] = Standing.keys
            Standing.keys += 1
            NEWS["keys"].append([number, letter, token])
    return number


def next_number():
    """A number for a frame or a value; nothing comes between."""
    Standing.owners = number = Standing.owners + 1
    return number


def token_of(value, when, columns):
    """What is recorded for a value; what can change is looked at as well."""
    kind = type(value)
    if kind is int:
        return value if -LARGE < value < LARGE else leaf(value)
    if kind is str:
        return value if len(value) <= LONGEST else ["s", value[:LONGEST], len(value)]
    if kind is float or kind is bool or kind is NONE:
        return value
    about = KINDS.get(id(kind))
    if about is None:
        if id(kind) in LEAF_IDS:
            return leaf(value)
        about = meet_kind(kind)
    known = KNOWN.get(id(value))
    if known is None or known.kind is not about:
        if type(about.look) is str:
            return text_of(value, kind, about)
        if kind is tuple:
            token = simple_tuple(value)
            if token is not None:
                return token
        elif kind is dict and id(value) in SPACES and dict.__contains__(value, "__builtins__"):
            return SPACES[id(value)].token
        if Standing.left_at != when:
            Standing.left_at, Standing.left = when, MOST_NEW
        if Standing.left <= 0:
            return CUT
        Standing.left -= 1
        known = meet(value, about, columns)
    elif kind is tuple:
        token = simple_tuple(value)
        if token is not None:
            return token
    elif type(about.look) is str:
        return text_of(value, kind, about)
    if known.seen < when:
        if known.reference is not None and known.reference() is not value:
            known = meet(value, about, columns)
        if known.seen < Standing.fresh or known.comes is not None or not known.seen:
            look_at_known(value, known, when, columns)
    return known.token


def look_again(value, known, when, columns):
    """Compare a value that the line may have changed."""
    is_met = known.kind is KINDS.get(id(type(value))) and is_itself(value, known)
    if known.seen < when and is_met and type(known.kind.look) is not str:
        look_at_known(value, known, when, columns)
    else:
        token_of(value, when, columns)


def look_at_known(value, known, when, columns):
    """Compare a value with what was recorded of it, then what was met in it, one by one."""
    before, queue = known.seen, columns.queue
    if queue is not None and columns.walk is not None and before and known.comes is None:
        return  # the walk comes to it, or it stays in doubt
    known.seen = when
    if queue is not None:
        queue.append((value, known, before))
        return
    columns.queue = queue = []
    try:
        compare(value, known, before, when, columns)
        while queue:
            compare(*queue.pop(), when, columns)
    finally:
        columns.queue = None


def compare(value, known, before, when, columns):
    """Tell what is another, and since when, where that may have been before this moment."""
    columns.walked += 1
    if known.comes is not None:
        is_other = compare_doubtful(value, known, when, columns)
        settle(known)
        if is_other:
            return
    count = len(columns.values)
    known.kind.look(value, known, when, columns)
    if before and before < Standing.doubt and len(columns.values) > count:
        note(columns, when, known.number, SPAN, before)


def is_same_token(token, other):
    """Whether two tokens are the same, as no two numbers of other types are."""
    if token is other:
        return True
    if type(token) is not type(other) or token != other:
        return False
    if type(token) is list:
        return all(map(is_same_token, token, other))
    return type(token) is not float or str(token) == str(other)


def simple_tuple(value):
    """What is recorded for a short tuple of nothing that can change; None for another one."""
    if len(value) > 16:
        return None
    tokens = []
    for each in value:
        if id(type(each)) not in LEAF_IDS:
            return None
        tokens.append(leaf(each))
    return ["t", tokens]


def meet(value, about, columns):
    if len(KNOWN) > Standing.most_known:
        weigh_known()
    known = KNOWN[id(value)] = Known(next_number(), about, value)
    columns.objects.append([known.number, about.letter, about.name, about.fields])
    if about.base is memoryview:
        VIEWS[known.key] = known
    return known


def is_names(fields):
    return type(fields) is tuple and all(type(name) is str for name in fields)


def weigh_known():
    """Forget so much that there is room for some more."""
    if len(KNOWN) > MOST_KNOWN - WEIGHED_EACH or weight_of_known() > MOST_REMEMBERED:
        forget_some()
    Standing.most_known = len(KNOWN) + WEIGHED_EACH


def weight_of_known():
    weight = 0
    for known in list(KNOWN.values())[::SAMPLED]:
        weight += OF_ONE
        for state in (known.state, known.attributes):
            if state is not None:
                count = len(state.ids or state.kept)
                weight += OF_AN_ITEM * count + OF_A_KEY * len(state.keys or ())
    return weight * SAMPLED


def forget_some():
    """Of values that were not seen for long it is not known whether they are there still."""
    seen = sorted(each.seen for each in list(KNOWN.values()))
    limit = seen[len(seen) // 2]
    for key, each in list(KNOWN.items()):
        if each.seen <= limit:
            KNOWN.pop(key, None)
    BEARERS.clear()
    if Standing.has_dicts:
        find_bearers()


def leaf(value):
    """What is recorded for a value that can't change."""
    kind = type(value)
    if kind is float or kind is bool or kind is NONE:
        return value
    if kind is int:
        if -LARGE < value < LARGE:
            return value
        return ["b", "int", "an int of %d bits" % value.bit_length()]
    if kind is str:
        return value if len(value) <= LONGEST else ["s", value[:LONGEST], len(value)]
    if kind is bytes and len(value) > LONGEST:
        return ["b", "bytes", repr(value[:LONGEST]) + "… (%d)" % len(value), len(value)]
    if kind is range and not -LARGE < value.start + value.stop + value.step < LARGE:
        return ["b", "range", "a range of large numbers"]
    return ["b", kind.__name__, repr(value)]


def name_of(kind):
    return str.__str__(TYPE_NAME(kind)).replace("<locals>.", "")


def kind_of(kind, is_own):
    """How the objects of a class are recorded: a function, or one of the words above."""
    for base, look in BASES:
        if issubclass_plainly(kind, base):
            return look
    if issubclass_plainly(kind, type):
        return LEAF
    if any(map(is_array, MRO(kind))):
        return look_at_numbers
    if (module_of(kind), name_of(kind)) in SHOWN_BY_THEMSELVES:
        return ITSELF
    if name_of(type(kind)) in ("EnumType", "EnumMeta"):
        return ENUM
    if any(kind is one for one in (FunctionType, BoundMethod, BuiltinFunction, ModuleType)):
        return LEAF
    if is_own:
        return look_at_object
    return OPAQUE if content_of(kind) is None else CONTENT


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


def text_of(value, kind, about):
    """What is recorded for a value that is not looked into."""
    look = about.look
    if look is ITSELF:
        return ["b", about.name, repr(value)]
    if look is ENUM:
        name = dict.get(about.dictionary(value), "_name_")
        return ["b", about.name, "%s.%s" % (about.name, name if type(name) is str else "?")]
    if look is LEAF:
        return ["b", about.name, getattr_plainly(value, kind)]
    if look is CONTENT:
        return text_of_content(about.name, about.content[1](value))
    known = KNOWN.get(id(value))
    if known is None or known.kind is not about or not is_itself(value, known):
        if len(KNOWN) > Standing.most_known:
            weigh_known()
        known = KNOWN[id(value)] = Known(next_number(), about, value)
        known.token = ["o", about.name, known.number]
    return known.token


def text_of_content(name, plain):
    """What is recorded for a text or a number of a class of the library below those."""
    if isinstance(plain, (str, bytes)) and len(plain) > LONGEST:
        return ["b", name, "%s(%r…)" % (name, plain[:LONGEST]), len(plain)]
    token = leaf(plain)
    return ["b", name, "%s(%s)" % (name, token[2] if type(token) is list else repr(token))]


def getattr_plainly(value, kind):
    """The name of a function, a class or a module."""
    if issubclass_plainly(kind, type):
        return "<class %s>" % name_of(value)
    if kind is ModuleType:
        name = MODULE_DICT(value).get("__name__")
        return "<module %s>" % (name if type(name) is str else "?")
    if kind is FunctionType:
        return "<function %s>" % value.__qualname__
    if kind is BoundMethod:
        function = value.__func__
        name = function.__qualname__ if type(function) is FunctionType else "?"
        return "<bound method %s>" % name
    return "<built-in %s>" % value.__name__


def held(kind, name):
    for one in MRO(kind):
        found = TYPE_DICT(one)
        if name in found:
            return found[name]
    return None
