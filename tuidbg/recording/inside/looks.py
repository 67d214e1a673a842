# ruff: noqa: F821 (names of the parts before it)
"""Compares what can change with what was recorded of it last, and records what is another.

By identity, which asks no value anything: where an item was exchanged for an equal one, that is
recorded as well. Numbers and texts are kept, so that no other one has their identity meanwhile.
"""

islice = __import__("itertools").islice


class State(object):
    """The items, or the attributes, as they were recorded last.

    ``kept`` are those that can't change, and the tokens of the others. Of what has keys there are
    their ``numbers`` as well, and ``places`` by key, where all of the keys are plain texts and
    numbers; it is made when it is asked for. ``was`` are the ``id`` of what was in it before the
    moment ``was_at``.
    """

    __slots__ = ("has_more", "ids", "kept", "keys", "numbers", "places", "size", "was", "was_at")

    def __init__(self):
        self.ids, self.size, self.has_more = None, -1, False
        self.kept, self.keys, self.numbers, self.places = [], None, [], None
        self.was, self.was_at = (), 0


def leave_behind(state, ids, when):
    if state.was_at == when:
        ids = (*state.was, *(ids or ()))
    state.was, state.was_at = ids or (), when


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
        if state.has_more:
            leave_behind(state, before, when)
        state.ids = ids
        keep(state, items)
        note_items(known, state, before, items, when, columns)
    elif state.has_more:
        look_into(items, state, known, None, when, columns)
    if type(value) is not base:
        look_at_attributes(value, known, when, columns)


def keep(state, values):
    if LEAF_IDS.issuperset(map(id, map(type, values))):
        state.kept, state.has_more = values, False
    else:
        state.kept = [each if id(type(each)) in LEAF_IDS else None for each in values]
        state.has_more = True


def keep_tokens(state, values, tokens, columns):
    """All of them have just been noted."""
    kept = state.kept
    state.kept = [
        before if id(type(each)) in LEAF_IDS else token
        for each, token, before in zip(values, tokens, kept, strict=False)
    ]
    if columns.walk is not None:
        columns.walk += values


def look_into(values, state, owner, keys, when, columns):
    """What is in the items; where one has the identity of another that is gone, it is noted."""
    kept = state.kept
    if columns.walk is not None:
        columns.walk += values
    for place, each in enumerate(values):
        if id(type(each)) not in LEAF_IDS:
            token, before = token_of(each, when, columns), kept[place]
            if token is not before and not is_same_token(token, before):
                kept[place] = token
                if before is not None:
                    key = INDEX + place if keys is None else keys[place]
                    note(columns, when, owner.number, key, token)


def note_items(owner, state, before, items, when, columns):
    number = owner.number
    if before is not None:
        ids, old = state.ids, len(before)
        changed = [i for i, one in enumerate(ids) if i >= old or one != before[i]]
        if len(changed) <= 8:
            for i in changed:
                token = token_in(items[i], owner, before, when, columns)
                note(columns, when, number, INDEX + i, token)
            if state.has_more:
                look_into(items, state, owner, None, when, columns)
            return
    if not state.has_more:
        note(columns, when, number, ALL, ["t", list(map(leaf, items))])
        return
    had = frozenset(before or ())
    tokens = [token_in(item, owner, had, when, columns) for item in items]
    note(columns, when, number, ALL, ["t", tokens])
    keep_tokens(state, items, tokens, columns)


def look_at_numbers(value, known, when, columns):
    """What a bytearray, an array or a memoryview has: plain values, compared by what they are."""
    state, base = known.state, known.kind.base
    size, items = read_view(value) if base is memoryview else read_numbers(value, base)
    before, is_first = state.kept, state.size == -1
    if size != state.size:
        state.size = size
        note(columns, when, known.number, LENGTH, size)
    state.kept = marks = items if not items or type(items[0]) is int else list(map(repr, items))
    if is_first or marks != before:
        old = -1 if is_first else len(before)
        changed = [i for i, mark in enumerate(marks) if i >= old or mark != before[i]]
        if is_first or len(changed) > 8:
            note(columns, when, known.number, ALL, ["t", list(map(token_of_number, items))])
        else:
            for i in changed:
                note(columns, when, known.number, INDEX + i, token_of_number(items[i]))
    if type(value) is not base:
        look_at_attributes(value, known, when, columns)


def read_numbers(value, base):
    return base.__len__(value), list(base.__getitem__(value, slice(0, MOST_ITEMS)))


def read_view(value):
    """The same of a memoryview: a slice of it could not be released while another thread runs."""
    try:
        size = memoryview.__len__(value)
        return size, list(islice(memoryview.__iter__(value), MOST_ITEMS))
    except NotImplementedError:  # of several dimensions, or of numbers that Python does not read
        return size, [CUT] * min(size, MOST_ITEMS)
    except (TypeError, ValueError):  # without a dimension, or released
        return UNKNOWN, []


def token_of_number(value):
    return value if value is CUT else leaf(value)


def look_at_set(value, known, when, columns):
    base = set if issubclass_plainly(type(value), set) else frozenset
    state, size = known.state, base.__len__(value)
    if size != state.size:
        state.size = size
        note(columns, when, known.number, LENGTH, size)
    items = list(islice(base.__iter__(value), MOST_ITEMS))
    ids = frozenset(map(id, items))
    if ids != state.ids:
        had, state.ids = state.ids or (), ids
        if state.has_more:
            leave_behind(state, had, when)
        keep(state, items)
        tokens = [token_in(item, known, had, when, columns) for item in items]
        note(columns, when, known.number, ALL, ["t", tokens])
    if state.has_more and columns.walk is not None:
        columns.walk += items
    if type(value) is not base:
        look_at_attributes(value, known, when, columns)


def look_at_dict(value, known, when, columns):
    size, state = dict.__len__(value), known.state
    if size != state.size:
        state.size = size
        note(columns, when, known.number, LENGTH, size)
    if ORDERED is not None and issubclass_plainly(type(value), ORDERED):
        keys, values = in_order(value)
    else:
        keys = list(islice(dict.__iter__(value), MOST_ITEMS))
        values = list(islice(dict.values(value), MOST_ITEMS))
    look_at_pairs(keys, values, known, state, number_of_key, when, columns)
    if type(value) is not dict:
        look_at_attributes(value, known, when, columns)
    elif Standing.has_dicts:
        look_at_bearer(value, when, columns)


def in_order(value):
    """The keys and values of an OrderedDict; the dict below has another order."""
    keys = list(islice(ORDERED.__iter__(value), MOST_ITEMS))
    if are_plain(keys):
        return keys, [dict.get(value, key) for key in keys]
    places = dict(zip(map(id, dict.__iter__(value)), dict.values(value), strict=False))
    return keys, [places.get(id(key)) for key in keys]


def look_at_object(value, known, when, columns):
    attributes = known.kind.dictionary(value)
    if Standing.has_dicts:
        look_at_dict_of(attributes, known, when, columns)
    keys = list(islice(dict.__iter__(attributes), MOST_ITEMS))
    values = list(islice(dict.values(attributes), MOST_ITEMS))
    if known.kind.content is not None:
        name, plain_of = known.kind.content
        keys.insert(0, name)
        values.insert(0, kept_content(plain_of(value), known.attributes))
    for name in known.kind.members:
        try:
            values.append(GET(value, name))
        except AttributeError:
            continue
        keys.append(name)
    if known.attributes is None:
        known.attributes = State()
    look_at_pairs(keys, values, known, known.attributes, number_of, when, columns)


def kept_content(content, state):
    """What a number or a text is, the same object as at the last look if that was equal."""
    before = state.kept[0] if state is not None and state.kept else MISSING
    return before if type(before) is type(content) and before == content else content


def look_at_attributes(value, known, when, columns):
    """Those of an object of a class below a collection's."""
    if known.kind.is_own:
        look_at_object(value, known, when, columns)


def look_at_exception(value, known, when, columns):
    """An exception: what it was made with, and its attributes."""
    keys, values = ["args"], [BaseException.__dict__["args"].__get__(value)]
    for name, each in list(dict.items(known.kind.dictionary(value))):
        keys.append(name)
        values.append(each)
    if known.attributes is None:
        known.attributes = State()
    look_at_pairs(keys, values, known, known.attributes, number_of, when, columns)


def look_at_pairs(keys, values, owner, state, find_number, when, columns):
    names, ids = list(map(id, keys)), list(map(id, values))
    if ids == state.ids and state.keys is not None and names == list(map(id, state.keys)):
        if state.has_more:
            look_into(values, state, owner, state.numbers, when, columns)
        return
    old = state.keys
    if (
        old is not None
        and len(ids) == len(state.ids)
        and len(keys) == len(old)
        and names == list(map(id, old))
    ):
        look_at_other_values(values, ids, owner, state, when, columns)
        return
    if all(map(may_be_kept, keys)):
        state.keys = keys
    else:
        state.keys = None  # those keys are not kept, so that they are asked for each time
        for key in keys:
            token_of(key, when, columns)
    had = state.ids or ()
    before = dict(zip(state.numbers, had, strict=False))
    order = list(before)
    if state.has_more:
        leave_behind(state, had, when)
    state.ids, state.places = ids, None
    keep(state, values)
    if old is not None and state.keys is not None and names[: len(old)] == list(map(id, old)):
        more = keys[len(old) :]
        numbers = state.numbers + [find_number(key, when, columns) for key in more]
    else:
        numbers = [find_number(key, when, columns) for key in keys]
    state.numbers = numbers
    moved = moved_keys(order, numbers)
    for key_number in moved:
        note(columns, when, owner.number, key_number, UNBOUND)
    kept, place = state.kept, -1
    for key_number, one, item in zip(numbers, ids, values, strict=False):
        place += 1
        if before.pop(key_number, None) != one or key_number in moved:
            token = token_in(item, owner, had, when, columns)
            note(columns, when, owner.number, key_number, token)
            if id(type(item)) not in LEAF_IDS:
                kept[place] = token
    for key_number in before:
        note(columns, when, owner.number, key_number, UNBOUND)
    if state.has_more:
        look_into(values, state, owner, numbers, when, columns)


def look_at_other_values(values, ids, owner, state, when, columns):
    """The keys are what they were, some of the values are others."""
    before, numbers, count = state.ids, state.numbers, 0
    if state.has_more:
        leave_behind(state, before, when)
    state.ids = ids
    for place, one in enumerate(ids):
        if one != before[place]:
            item = values[place]
            token = token_in(item, owner, before, when, columns)
            if id(type(item)) in LEAF_IDS:
                state.kept[place] = item
            else:
                state.kept[place], state.has_more = token, True
            note(columns, when, owner.number, numbers[place], token)
            count += 1
    if count == len(ids) and columns.walk is None:
        return  # all has been noted
    if state.has_more:
        look_into(values, state, owner, numbers, when, columns)


def may_be_kept(key):
    """Whether a key can't change, nor keep anything alive that can."""
    if type(key) is tuple:
        return len(key) <= 16 and LEAF_IDS.issuperset(map(id, map(type, key)))
    return id(type(key)) in LEAF_IDS


def moved_keys(before, numbers):
    """The keys that stand elsewhere than the others leave them; mostly none."""
    there = set(numbers)
    left = [key for key in before if key in there]
    if left == numbers[: len(left)]:
        return ()
    moved, position = set(), 0
    for key in left:
        if position < len(numbers) and numbers[position] == key:
            position += 1
        else:
            moved.add(key)
    return moved


def are_plain(keys):
    """Whether looking one of them up asks no object of the program."""
    return all(type(key) is str or type(key) is int for key in keys)


def places_of(state):
    """Where each key stands; empty where a look at one alone is not possible."""
    if state.keys is None or not are_plain(state.keys):
        state.places = {}
    else:
        state.places = {key: place for place, key in enumerate(state.keys)}
    return state.places


def look_at_pair(value, known, state, key, attributes, when, columns):
    """What stands at one key, where that may be all that has changed; False if it may not."""
    places = state.places
    if places is None:
        places = places_of(state)
    place = places.get(key)
    if place is None:
        return False
    item = dict.get(attributes, key)
    look_at_place(item, known, state, place, state.numbers[place], when, columns)
    return True


def look_at_place(item, owner, state, place, key, when, columns):
    """One item, which may be another one than before."""
    one, before = id(item), state.ids[place]
    if one != before and type(state.kept[place]) is list:
        leave_behind(state, (before,), when)
    if id(type(item)) in LEAF_IDS:
        if one == before:
            return
        state.kept[place] = item
        token = leaf(item)
    else:
        token = token_in(item, owner, state.ids, when, columns)
        if one == state.ids[place] and is_same_token(token, state.kept[place]):
            return
        state.kept[place], state.has_more = token, True
    state.ids[place] = one
    columns.whens.append(when)
    columns.owners.append(owner.number)
    columns.keys.append(key)
    columns.values.append(token)


def add_place(item, owner, state, key, when, columns):
    """One item more."""
    token = token_in(item, owner, state.ids, when, columns)
    state.ids.append(id(item))
    if id(type(item)) in LEAF_IDS:
        state.kept.append(item)
    else:
        state.kept.append(token)
        state.has_more = True
    note(columns, when, owner.number, key, token)


def look_at_new_key(value, known, index, when, columns):
    """The last key of a dict, where that may be all that has come; False if it may not."""
    state = known.state
    places = places_of(state) if state.places is None else state.places
    key = next(dict.__reversed__(value))
    if type(key) is not type(index) or key != index or index in places:
        return False
    if state.keys is None or len(places) != len(state.keys):
        return False  # other keys may have to be asked
    state.size += 1
    note(columns, when, known.number, LENGTH, state.size)
    if len(state.ids) >= MOST_ITEMS:
        return True
    item, number = dict.get(value, key), number_of_key(key, when, columns)
    places[key] = len(state.ids)
    state.keys.append(key)
    state.numbers.append(number)
    add_place(item, known, state, number, when, columns)
    return True


def look_at_item(value, index, when, columns):
    """What a value has at an index or a key that was stored."""
    known = KNOWN.get(id(value))
    if known is None or id(value) in SPACES:
        look_at(value, when, columns)
        return
    state, kind = known.state, type(value)
    is_sure = known.seen >= Standing.doubt and state.ids is not None
    if is_sure and known.kind is KINDS.get(id(kind)) and not Standing.has_dicts:
        if kind is list and type(index) is int and list.__len__(value) == state.size:
            if index < 0:
                index += state.size
            if index < 0 or index >= MOST_ITEMS or index >= len(value):
                return
            key = INDEX + index
            look_at_place(value[index], known, state, index, key, when, columns)
            return
        if is_plain_dict(kind, known.kind) and (type(index) is str or type(index) is int):
            size = dict.__len__(value)
            if size == state.size:
                if look_at_pair(value, known, state, index, value, when, columns):
                    return
            elif size == state.size + 1 and look_at_new_key(value, known, index, when, columns):
                return
    look_again(value, known, when, columns)


def is_plain_dict(kind, about):
    """Whether all that it has stands in the dict, in its order."""
    if kind is dict:
        return True
    is_other = about.look is not look_at_dict or about.is_own
    return not is_other and not (ORDERED is not None and issubclass_plainly(kind, ORDERED))


def look_at_attribute(value, name, when, columns):
    """What an object has under a name that was stored."""
    known = KNOWN.get(id(value))
    if known is None:
        return
    about, state = known.kind, known.attributes
    if (
        state is not None
        and about.look is look_at_object
        and about is KINDS.get(id(type(value)))
        and not about.members
        and known.seen >= Standing.doubt
        and not Standing.has_dicts
    ):
        attributes = about.dictionary(value)
        if dict.__len__(attributes) == len(state.ids) and look_at_pair(
            value, known, state, name, attributes, when, columns
        ):
            return
    look_again(value, known, when, columns)


def look_at_end(value, when, columns):
    """What a list has at its end, where one item may have been appended."""
    known = KNOWN.get(id(value))
    if known is None:
        return
    state, size = known.state, list.__len__(value)
    is_sure = known.seen >= Standing.doubt and state.ids is not None
    if not is_sure or known.kind is not KINDS.get(id(list)):
        look_again(value, known, when, columns)
        return
    if size != state.size + 1:
        if size != state.size:
            look_again(value, known, when, columns)
        return
    state.size = size
    note(columns, when, known.number, LENGTH, size)
    if size > MOST_ITEMS:
        return
    add_place(value[-1], known, state, INDEX + size - 1, when, columns)


LETTERS = {
    look_at_list: "l",
    look_at_tuple: "t",
    look_at_deque: "q",
    look_at_numbers: "a",
    look_at_set: "s",
    look_at_dict: "d",
    look_at_object: "i",
    look_at_exception: "x",
}
"""The kinds of values, as a segment tells them."""

DEQUE = getattr(sys.modules.get("collections"), "deque", None)
ORDERED = getattr(sys.modules.get("collections"), "OrderedDict", None)
BASES = (
    (list, look_at_list),
    (tuple, look_at_tuple),
    (dict, look_at_dict),
    (set, look_at_set),
    (frozenset, look_at_set),
    (BaseException, look_at_exception),
    (bytearray, look_at_numbers),
    (memoryview, look_at_numbers),
    *([(DEQUE, look_at_deque)] if isinstance(DEQUE, type) else []),
)
