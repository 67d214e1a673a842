# ruff: noqa: F821 (names of the parts before it)
"""Compares what can change with what was recorded of it last, and records what is another.

By identity, which asks no value anything: where an item was exchanged for an equal one, that is
recorded as well. Numbers and texts are kept, so that no other one has their identity meanwhile.
"""

islice = __import__("itertools").islice


class State(object):
    """The items, or the attributes, as they were recorded last."""

    __slots__ = ("has_more", "ids", "kept", "names", "numbers", "size")

    def __init__(self):
        self.ids, self.names, self.size, self.has_more = None, None, -1, False
        self.numbers = {}


def note(columns, when, owner, key, value):
    columns.whens.append(when)
    columns.owners.append(owner)
    columns.keys.append(key)
    columns.values.append(value)


def look_at_list(value, known, when, columns):
    look_at_items(value, list, known, when, columns)


def look_at_tuple(value, known, when, columns):
    look_at_items(value, tuple, known, when, columns)


def look_at_deque(value, known, when, columns):
    look_at_items(value, DEQUE, known, when, columns)


def look_at_items(value, base, known, when, columns):
    size = base.__len__(value)
    items = list(islice(base.__iter__(value), MOST_ITEMS))
    ids = list(map(id, items))
    state = known.state
    before = state.ids
    if size != state.size:
        state.size = size
        note(columns, when, known.number, LENGTH, size)
    if ids != before:
        state.ids = ids
        keep(state, items)
        note_items(known.number, before, ids, items, when, columns)
    elif state.has_more:
        look_into(items, when, columns)
    if type(value) is not base:
        look_at_attributes(value, known, when, columns)


def keep(state, values):
    leaves = [each for each in values if type(each) in LEAVES]
    state.kept, state.has_more = leaves, len(leaves) < len(values)


def look_into(values, when, columns):
    for each in values:
        if type(each) not in LEAVES:
            token_of(each, when, columns)


def note_items(number, before, ids, items, when, columns):
    if before is not None:
        old = len(before)
        changed = [i for i, one in enumerate(ids) if i >= old or one != before[i]]
        if len(changed) <= 8:
            for i in changed:
                note(columns, when, number, INDEX + i, token_of(items[i], when, columns))
            look_into(items, when, columns)
            return
    tokens = [token_of(item, when, columns) for item in items]
    note(columns, when, number, ALL, ["t", tokens])


def look_at_set(value, known, when, columns):
    base = set if issubclass_plainly(type(value), set) else frozenset
    state, size = known.state, base.__len__(value)
    if size != state.size:
        state.size = size
        note(columns, when, known.number, LENGTH, size)
    items = list(islice(base.__iter__(value), MOST_ITEMS))
    ids = frozenset(map(id, items))
    if ids != state.ids:
        state.ids = ids
        keep(state, items)
        tokens = [token_of(item, when, columns) for item in items]
        note(columns, when, known.number, ALL, ["t", tokens])
    if type(value) is not base:
        look_at_attributes(value, known, when, columns)


def look_at_dict(value, known, when, columns):
    size, state = dict.__len__(value), known.state
    if size != state.size:
        state.size = size
        note(columns, when, known.number, LENGTH, size)
    keys = list(islice(dict.__iter__(value), MOST_ITEMS))
    values = list(islice(dict.values(value), MOST_ITEMS))
    look_at_pairs(keys, values, known.number, state, number_of_key, when, columns)
    if type(value) is not dict:
        look_at_attributes(value, known, when, columns)


def look_at_object(value, known, when, columns):
    kind = type(value)
    slots = SLOTS.get(kind)
    if slots is None:
        slots = SLOTS[kind] = slots_of(kind)
    attributes = instance_dict(value, kind)
    keys = list(islice(dict.__iter__(attributes), MOST_ITEMS))
    values = list(islice(dict.values(attributes), MOST_ITEMS))
    for name, member in slots:
        try:
            values.append(member.__get__(value))
        except AttributeError:
            continue
        keys.append(name)
    if known.attributes is None:
        known.attributes = State()
    look_at_pairs(keys, values, known.number, known.attributes, number_of, when, columns)


def look_at_attributes(value, known, when, columns):
    """Those of an object of a class below a collection's."""
    if is_own_class(type(value)):
        look_at_object(value, known, when, columns)


SLOTS = {}
"""By class: its slots, as pairs of their names and their members."""


def slots_of(kind):
    found = []
    for one in MRO(kind):
        for name, member in list(TYPE_DICT(one).items()):
            if type(member) is MEMBER:
                found.append((name, member))
    return found


def look_at_exception(value, known, when, columns):
    """An exception: what it was made with, and its attributes."""
    keys, values = ["args"], [BaseException.__dict__["args"].__get__(value)]
    for name, each in list(dict.items(instance_dict(value, type(value)))):
        keys.append(name)
        values.append(each)
    if known.attributes is None:
        known.attributes = State()
    look_at_pairs(keys, values, known.number, known.attributes, number_of, when, columns)


def look_at_pairs(keys, values, number, state, find_number, when, columns):
    names, ids = list(map(id, keys)), list(map(id, values))
    if ids == state.ids and names == state.names:
        if state.has_more:
            look_into(values, when, columns)
        return
    before = {} if state.ids is None else dict(zip(state.names, state.ids, strict=False))
    state.names, state.ids = names, ids
    keep(state, values)
    state.kept.append([key for key in keys if type(key) in LEAVES])
    numbers, state.numbers = state.numbers, {}
    for name, key, one, item in zip(names, keys, ids, values, strict=False):
        key_number = numbers.pop(name, None)
        if key_number is None:
            key_number = find_number(key, when, columns)
        state.numbers[name] = key_number
        if before.get(name) != one:
            note(columns, when, number, key_number, token_of(item, when, columns))
        elif state.has_more and type(item) not in LEAVES:
            token_of(item, when, columns)
    for key_number in numbers.values():
        note(columns, when, number, key_number, UNBOUND)


LETTERS = {
    look_at_list: "l",
    look_at_tuple: "t",
    look_at_deque: "q",
    look_at_set: "s",
    look_at_dict: "d",
    look_at_object: "i",
    look_at_exception: "x",
}
"""The kinds of values, as a segment tells them."""

DEQUE = getattr(sys.modules.get("collections"), "deque", None)
BASES = (
    (list, look_at_list),
    (tuple, look_at_tuple),
    (dict, look_at_dict),
    (set, look_at_set),
    (frozenset, look_at_set),
    (BaseException, look_at_exception),
    *([(DEQUE, look_at_deque)] if isinstance(DEQUE, type) else []),
)
