"""Compares what can change with what was recorded of it last, and records what is another.

By identity, which asks no value anything: where an item was exchanged for an equal one, that is
recorded as well. Numbers and texts are kept, so that no other one has their identity meanwhile.
"""

from __future__ import annotations

import sys
from _weakref import ref as reference
from itertools import islice

from tuidbg.debuggee.recording.call_effects import (
    ALL_MAY_CHANGE,
    CACHED,
    DESCRIPTOR,
    FILLING,
    FIRST_CHANGES,
    FIRST_IS_TAKEN,
    HARMLESS,
    MUTATORS,
    NOTHING_CHANGES,
    PARTIAL,
    PLAIN_ITEMS,
    PURE_MODULES,
    TAKING,
    Unresolved,
    effect_in,
)
from tuidbg.debuggee.recording.frame_variables import (
    MOMENTS_OF_A_WALK,
    MOST_WALKED,
    SPACES,
    VIEWED,
    Walk,
    is_told_global,
    let_go,
    namespace_of,
    variables_of,
)
from tuidbg.debuggee.recording.recorded_calls import FRAMES, is_own_class, is_own_code
from tuidbg.debuggee.recording.recorder_state import (
    ALL,
    BORN,
    CUT,
    INDEX,
    LENGTH,
    MISSING,
    RAISE,
    SPAN,
    UNBOUND,
    UNKNOWN,
    BoundMethod,
    BuiltinFunction,
    FunctionType,
    ModuleType,
    Standing,
)
from tuidbg.debuggee.recording.segments import LONGEST, MOST_CHANGES
from tuidbg.debuggee.recording.value_identity import (
    BEARERS,
    TRACEBACK,
    is_held,
    is_itself,
    was_held,
    weigh_known,
)
from tuidbg.debuggee.recording.value_kinds import (
    CONTENT,
    ENUM,
    GET,
    ITSELF,
    KINDS,
    KNOWN,
    LARGE,
    LEAF,
    LEAF_IDS,
    MODULE_DICT,
    MOST_ITEMS,
    MOST_NEW,
    MRO,
    NAMES,
    NONE,
    OPAQUE,
    PLAIN_GETTERS,
    SHOWN_BY_THEMSELVES,
    TYPE_DICT,
    VIEWS,
    WEAK_OFFSET,
    add_key,
    base_of,
    content_of,
    dictionary_of,
    getattr_plainly,
    held,
    is_array,
    is_names,
    is_same_token,
    issubclass_plainly,
    leaf,
    members_of,
    module_of,
    name_of,
    next_number,
    number_of_token,
    simple_tuple,
    text_of_content,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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

    reference: Any

    def __init__(self, kind: Any) -> None:
        self.name, self.is_own = name_of(kind), is_own_class(kind)
        self.look = kind_of(kind, self.is_own)
        self.letter = LETTERS.get(self.look)
        self.dictionary = dictionary_of(kind)
        self.members = members_of(kind)
        fields = TYPE_DICT(kind).get("_fields") if self.look is look_at_tuple else None
        self.fields = list(fields or ()) if is_names(fields) else None
        getter = held(kind, "__getattribute__")
        self.is_plain = any(getter is one for one in PLAIN_GETTERS)
        self.effects: dict[Any, Any] = {}
        self.is_weak = bool(WEAK_OFFSET(kind))
        self.content = content_of(kind)
        self.base = base_of(kind) if self.look is look_at_numbers else None


class Known(object):
    """The last record of a changeable value; other records refer to it by ``token``.

    Whether a value at this address (``key``) is still that one is seen by a weak ``reference``, if
    its class has those. Else by what held it: a variable (``holder``, ``name``), a ``container``,
    or a function that ``passed`` it on at that moment. ``comes`` is the variable's call or the
    container to which it has come just now.
    """

    __slots__ = (
        *("attributes", "comes", "container", "holder", "key", "kind", "name", "number", "passed"),
        *("reference", "seen", "state", "token"),
    )

    def __init__(self, number: int, kind: Any, value: Any) -> None:
        self.number, self.kind, self.token, self.seen = number, kind, [number], 0
        self.state, self.attributes = State(), None
        self.key, self.passed = id(value), 0
        self.reference = reference(value) if kind.is_weak else None
        self.comes = self.holder = self.name = self.container = None


def meet_kind(kind: Any) -> Any:
    key = id(kind)
    about = Kind(kind)
    about.reference = reference(kind, lambda _: KINDS.pop(key, None))
    KINDS[key] = about
    return about


def number_of(name: Any, when: int = 0, columns: Any = None) -> Any:
    """The number of the name of a variable or an attribute."""
    if type(name) is not str:
        return number_of_key(name, when, columns)
    number = NAMES.get(name)
    return add_key(name, "n", name) if number is None else number


def number_of_key(key: Any, when: int, columns: Any) -> Any:
    """The number of a dict key; equal keys have the same."""
    kind = type(key)
    if kind is str or kind is int:
        number = NAMES.get((kind is int, key))
        if number is not None:
            return number
        return number_of_token(key, token_of(key, when, columns))
    return number_of_token(key, token_of(key, when, columns))


def token_of(value: Any, when: int, columns: Any) -> Any:
    """The record of a value; a changeable one is compared as well."""
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
    known: Any = KNOWN.get(id(value))
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


def look_again(value: Any, known: Any, when: int, columns: Any) -> None:
    """Compare a value that the line may have changed."""
    is_met = known.kind is KINDS.get(id(type(value))) and is_itself(value, known)
    if known.seen < when and is_met and type(known.kind.look) is not str:
        look_at_known(value, known, when, columns)
    else:
        token_of(value, when, columns)


def look_at_known(value: Any, known: Any, when: int, columns: Any) -> None:
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
            compare(*queue.pop(), when, columns)  # type: ignore[call-arg]
    finally:
        columns.queue = None


def compare(value: Any, known: Any, before: Any, when: int, columns: Any) -> None:
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


def meet(value: Any, about: Any, columns: Any) -> Any:
    if len(KNOWN) > Standing.most_known:
        weigh_known()
    known = KNOWN[id(value)] = Known(next_number(), about, value)
    columns.objects.append([known.number, about.letter, about.name, about.fields])
    if about.base is memoryview:
        VIEWS[known.key] = known
    return known


def kind_of(kind: Any, is_own: Any) -> Any:
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


def text_of(value: Any, kind: Any, about: Any) -> Any:
    """The record of a value whose contents are not recorded."""
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
    known: Any = KNOWN.get(id(value))
    if known is None or known.kind is not about or not is_itself(value, known):
        if len(KNOWN) > Standing.most_known:
            weigh_known()
        known = KNOWN[id(value)] = Known(next_number(), about, value)
        known.token = ["o", about.name, known.number]
    return known.token


class State(object):
    """The items, or the attributes, as they were recorded last.

    ``kept`` are those that can't change, and the tokens of the others. Of what has keys there are
    their ``numbers`` as well, and ``places`` by key, where all of the keys are plain texts and
    numbers; it is made when it is asked for. ``was`` are the ``id`` of what was in it before the
    moment ``was_at``.
    """

    __slots__ = ("has_more", "ids", "kept", "keys", "numbers", "places", "size", "was", "was_at")

    def __init__(self) -> None:
        self.ids: Any = None
        self.size, self.has_more = -1, False
        self.kept: list[Any] = []
        self.keys: Any = None
        self.numbers: list[int] = []
        self.places: Any = None
        self.was: Any = ()
        self.was_at = 0


def leave_behind(state: Any, ids: Any, when: int) -> None:
    if state.was_at == when:
        ids = (*state.was, *(ids or ()))
    state.was, state.was_at = ids or (), when


def note(columns: Any, when: int, owner: Any, key: Any, value: Any) -> None:
    columns.whens.append(when)
    columns.owners.append(owner)
    columns.keys.append(key)
    columns.values.append(value)


def look_at_list(value: Any, known: Any, when: int, columns: Any) -> None:
    look_at_items(value, list, known, when, columns)


def look_at_tuple(value: Any, known: Any, when: int, columns: Any) -> None:
    look_at_items(value, tuple, known, when, columns)


def look_at_deque(value: Any, known: Any, when: int, columns: Any) -> None:
    look_at_items(value, DEQUE, known, when, columns)


def look_at_items(value: Any, base: Any, known: Any, when: int, columns: Any) -> None:
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


def keep(state: Any, values: Any) -> None:
    if LEAF_IDS.issuperset(map(id, map(type, values))):
        state.kept, state.has_more = values, False
    else:
        state.kept = [each if id(type(each)) in LEAF_IDS else None for each in values]
        state.has_more = True


def keep_tokens(state: Any, values: Any, tokens: Any, columns: Any) -> None:
    """All of them have just been noted."""
    kept = state.kept
    state.kept = [
        before if id(type(each)) in LEAF_IDS else token
        for each, token, before in zip(values, tokens, kept, strict=False)
    ]
    if columns.walk is not None:
        columns.walk += values


def look_into(values: Any, state: Any, owner: Any, keys: Any, when: int, columns: Any) -> None:
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


def note_items(owner: Any, state: Any, before: Any, items: Any, when: int, columns: Any) -> None:
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


def look_at_numbers(value: Any, known: Any, when: int, columns: Any) -> None:
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


def read_numbers(value: Any, base: Any) -> tuple[Any, Any]:
    return base.__len__(value), list(base.__getitem__(value, slice(0, MOST_ITEMS)))


def read_view(value: Any) -> tuple[Any, Any]:
    """The same of a memoryview: a slice of it could not be released while another thread runs."""
    try:
        size = memoryview.__len__(value)
        return size, list(islice(memoryview.__iter__(value), MOST_ITEMS))
    except NotImplementedError:  # of several dimensions, or of numbers that Python does not read
        return size, [CUT] * min(size, MOST_ITEMS)
    except (TypeError, ValueError):  # without a dimension, or released
        return UNKNOWN, []


def token_of_number(value: Any) -> Any:
    return value if value is CUT else leaf(value)


def look_at_set(value: Any, known: Any, when: int, columns: Any) -> None:
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


def look_at_dict(value: Any, known: Any, when: int, columns: Any) -> None:
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


def in_order(value: Any) -> tuple[Any, Any]:
    """The keys and values of an OrderedDict; the dict below has another order."""
    keys = list(islice(ORDERED.__iter__(value), MOST_ITEMS))
    if are_plain(keys):
        return keys, [dict.get(value, key) for key in keys]
    places = dict(zip(map(id, dict.__iter__(value)), dict.values(value), strict=False))
    return keys, [places.get(id(key)) for key in keys]


def look_at_object(value: Any, known: Any, when: int, columns: Any) -> None:
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


def kept_content(content: Any, state: Any) -> Any:
    """What a number or a text is, the same object as at the last look if that was equal."""
    before = state.kept[0] if state is not None and state.kept else MISSING
    return before if type(before) is type(content) and before == content else content


def look_at_attributes(value: Any, known: Any, when: int, columns: Any) -> None:
    """Those of an object of a class below a collection's."""
    if known.kind.is_own:
        look_at_object(value, known, when, columns)


def look_at_exception(value: Any, known: Any, when: int, columns: Any) -> None:
    """An exception: what it was made with, and its attributes."""
    keys, values = ["args"], [BaseException.__dict__["args"].__get__(value)]
    for name, each in list(dict.items(known.kind.dictionary(value))):
        keys.append(name)
        values.append(each)
    if known.attributes is None:
        known.attributes = State()
    look_at_pairs(keys, values, known, known.attributes, number_of, when, columns)


def look_at_pairs(
    keys: Any, values: Any, owner: Any, state: Any, find_number: Any, when: int, columns: Any
) -> None:
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


def look_at_other_values(
    values: Any, ids: list[int], owner: Any, state: Any, when: int, columns: Any
) -> None:
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


def may_be_kept(key: Any) -> Any:
    """Whether a key can't change, nor keep anything alive that can."""
    if type(key) is tuple:
        return len(key) <= 16 and LEAF_IDS.issuperset(map(id, map(type, key)))
    return id(type(key)) in LEAF_IDS


def moved_keys(before: Any, numbers: Any) -> Any:
    """The keys that are out of the order of the others; mostly none."""
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


def are_plain(keys: Any) -> bool:
    """Whether looking one of them up asks no object of the program."""
    return all(type(key) is str or type(key) is int for key in keys)


def places_of(state: Any) -> Any:
    """The position of each key; empty where one alone can't be compared."""
    if state.keys is None or not are_plain(state.keys):
        state.places = {}
    else:
        state.places = {key: place for place, key in enumerate(state.keys)}
    return state.places


def look_at_pair(
    value: Any, known: Any, state: Any, key: Any, attributes: Any, when: int, columns: Any
) -> bool:
    """Compare one key, if only that may have changed; False if others may have, too."""
    places = state.places
    if places is None:
        places = places_of(state)
    place = places.get(key)
    if place is None:
        return False
    item = dict.get(attributes, key)
    look_at_place(item, known, state, place, state.numbers[place], when, columns)
    return True


def look_at_place(
    item: Any, owner: Any, state: Any, place: Any, key: Any, when: int, columns: Any
) -> None:
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


def add_place(item: Any, owner: Any, state: Any, key: Any, when: int, columns: Any) -> None:
    """One item more."""
    token = token_in(item, owner, state.ids, when, columns)
    state.ids.append(id(item))
    if id(type(item)) in LEAF_IDS:
        state.kept.append(item)
    else:
        state.kept.append(token)
        state.has_more = True
    note(columns, when, owner.number, key, token)


def look_at_new_key(value: Any, known: Any, index: Any, when: int, columns: Any) -> bool:
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


def look_at_item(value: Any, index: Any, when: int, columns: Any) -> None:
    """What a value has at an index or a key that was stored."""
    known: Any = KNOWN.get(id(value))
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


def is_plain_dict(kind: Any, about: Any) -> bool:
    """Whether the dict has all of its items, in its order."""
    if kind is dict:
        return True
    is_other = about.look is not look_at_dict or about.is_own
    return not is_other and not (ORDERED is not None and issubclass_plainly(kind, ORDERED))


def look_at_attribute(value: Any, name: Any, when: int, columns: Any) -> None:
    """What an object has under a name that was stored."""
    known: Any = KNOWN.get(id(value))
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


def look_at_end(value: Any, when: int, columns: Any) -> None:
    """What a list has at its end, where one item may have been appended."""
    known: Any = KNOWN.get(id(value))
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
"""The kinds of values, as written in segments."""

DEQUE = getattr(sys.modules.get("collections"), "deque", None)

ORDERED: Any = getattr(sys.modules.get("collections"), "OrderedDict", None)

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


def token_in_variable(
    record: Any, name: Any, value: Any, before: Any, when: int, columns: Any
) -> Any:
    """The record of a variable's value, which may be new there."""
    known: Any = KNOWN.get(id(value))
    if known is None:
        token = token_of(value, when, columns)
        known = KNOWN.get(id(value))
        if known is None:
            return token
    else:
        if known.token is not before and known.seen < when and known.reference is None:
            known.comes = record
        token = token_of(value, when, columns)
    holder = known.holder
    if holder is None or holder.is_over or holder.last.get(known.name) is not known.token:
        known.holder, known.name = record, name
    return token


def token_in(value: Any, owner: Any, before: Any, when: int, columns: Any) -> Any:
    """The record of a value in another one, which had those ``before`` (by ``id``)."""
    if id(type(value)) in LEAF_IDS:
        return token_of(value, when, columns)
    known: Any = KNOWN.get(id(value))
    if known is None:
        token = token_of(value, when, columns)
        known = KNOWN.get(id(value))
        if known is not None:
            known.container = owner
        return token
    if known.reference is not None or known.key in before:
        if known.reference is None and known.seen < when and columns.built == when:
            known.comes = known.container = owner  # moved in it, or new where another one was
        return token_of(value, when, columns)
    if known.container is owner:
        known.container = None  # that it is there now shows nothing
    if known.seen < when:
        known.comes = owner
    elif known.comes is None:  # else it is in doubt, and that this has it now shows nothing
        known.container = owner
    return token_of(value, when, columns)


def passed_token(value: Any, kind: Any, record: Any, when: int, columns: Any) -> Any:
    """The record of a value that a function returns, yields or raises."""
    known: Any = KNOWN.get(id(value))
    if known is not None and known.reference is None:
        if known.seen < when:
            known.comes, columns.made = record, when
            if kind == RAISE:
                trace = TRACEBACK(value) if issubclass_plainly(type(value), BaseException) else None
                if trace is not None and trace.tb_next is None:
                    columns.built = when
            elif record.line in record.info.builders:
                columns.built = when
        token = token_of(value, when, columns)
        known.passed = when
        return token
    token = token_of(value, when, columns)
    known = KNOWN.get(id(value))
    if known is not None:
        known.passed = when
    return token


def settle(known: Any) -> None:
    """It has come to where it is now."""
    comes, known.comes = known.comes, None
    if type(comes) is Known:
        known.container = comes


def compare_doubtful(value: Any, known: Any, when: int, columns: Any) -> bool:
    """Whether it is another value than the one that was recorded; then it is noted as a whole."""
    is_moved = known.comes is known.container
    if columns.built != when:
        count, before = len(columns.values), [state_of(known.state), state_of(known.attributes)]
        known.kind.look(value, known, when, columns)
        if len(columns.values) == count and (
            columns.made != when or is_held(known, columns) or was_held(known, when)
        ):
            return True  # it is what it was
        for column in (columns.whens, columns.owners, columns.keys, columns.values):
            del column[count:]
        known.state, known.attributes = before
    if is_moved:
        known.container = None  # that it is there now shows nothing
    if is_held(known, columns):
        return False
    begin_history(known, when, columns)
    known.kind.look(value, known, when, columns)
    return True


def state_of(state: Any) -> Any:
    """A copy of what a look may change."""
    if state is None:
        return None
    copy = State()
    copy.ids, copy.size, copy.has_more = state.ids, state.size, state.has_more
    copy.kept, copy.keys, copy.numbers = list(state.kept), state.keys, state.numbers
    return copy


def begin_history(known: Any, when: int, columns: Any) -> None:
    """It is another value from here on: all that is in it is noted again."""
    note(columns, when, known.number, BORN, True)
    known.passed, known.holder, known.container = 0, None, None
    for state in (known.state, known.attributes):
        if state is not None:
            state.size = -1  # of plain items that is enough
            if state.ids is not None:
                is_keyed = state.keys is not None or state.numbers
                state.ids = [0] * len(state.ids) if is_keyed else None


def look_at_dict_of(attributes: Any, known: Any, when: int, columns: Any) -> None:
    """The dict of the attributes of an object, where that is a value as well."""
    if known.reference is None:
        return
    BEARERS[id(attributes)] = known
    other = KNOWN.get(id(attributes))
    if other is not None and other.seen < when:
        look_beside(attributes, other, when, columns)


def look_at_bearer(attributes: Any, when: int, columns: Any) -> None:
    """The object that has its attributes in a dict."""
    known: Any = BEARERS.get(id(attributes))
    if known is None or known.seen >= when:
        return
    value = known.reference()
    if value is None or KNOWN.get(id(value)) is not known:
        del BEARERS[id(attributes)]
    elif known.kind is KINDS.get(id(type(value))) and known.kind.dictionary(value) is attributes:
        look_beside(value, known, when, columns)


def look_beside(value: Any, known: Any, when: int, columns: Any) -> None:
    if columns.walk is not None:
        columns.walk.append(value)
    look_again(value, known, when, columns)


if DEQUE is not None:
    MUTATORS[id(DEQUE)] = {
        *("append", "appendleft", "clear", "extend", "extendleft", "insert", "pop", "popleft"),
        *("remove", "reverse", "rotate"),
    }


def effect_of(function: Any) -> Any:
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


def effect_of_method(owner: Any, kind: Any, name: Any) -> Any:
    """The same for an attribute of an object's class, or of the object itself."""
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


def effect_above(owner: Any, name: Any) -> Any:
    """The same for an attribute found by ``super()``."""
    for one in MRO(type(owner)):
        found = TYPE_DICT(one).get(name)
        if type(found) in (staticmethod, classmethod):
            found = found.__func__
        if type(found) is FunctionType and effect_of(found) != NOTHING_CHANGES:
            return ALL_MAY_CHANGE
    return NOTHING_CHANGES


def attribute(value: Any, name: Any) -> Any:
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


def item(value: Any, index: Any) -> Any:
    """An item of a list, a tuple or a dict, if no key has to be asked."""
    kind = type(value)
    if kind is list or kind is tuple:
        if type(index) is int and -len(value) <= index < len(value):
            return value[index]
    elif KINDS.get(id(kind)) is not None and KINDS[id(kind)].look is look_at_dict:
        known: Any = KNOWN.get(id(value))
        if known is not None and known.kind is KINDS[id(kind)] and known.state.keys is not None:
            found = dict.get(value, index, MISSING)
            if found is not MISSING:
                return found
    raise Unresolved


def note_value(record: Any, name: Any, key: Any, value: Any, when: int, columns: Any) -> None:
    """A variable that may hold something else, or something that has changed."""
    if len(columns.values) > MOST_CHANGES:
        columns.thread.full = 0  # they are written after this moment
    last = record.last
    if value is MISSING:
        last.pop(name, None)
        note(columns, when, record.owner, key, UNBOUND)
        return
    if id(type(value)) in LEAF_IDS:
        token = token_of(value, when, columns)
        last[name] = value
    else:
        record.holds = True
        before = last.get(name, MISSING)
        token = token_in_variable(record, name, value, before, when, columns)
        if type(before) is list and is_same_token(before, token):
            return
        last[name] = token
    note(columns, when, record.owner, key, token)


def note_name(record: Any, name: Any, names: Any, when: int, columns: Any) -> None:
    value = names.get(name, MISSING)
    if value is not record.last.get(name, MISSING):
        note_value(record, name, number_of(name), value, when, columns)


def look_at(value: Any, when: int, columns: Any) -> None:
    """Record what has changed in a value, if that is known."""
    if type(value) is ModuleType:
        space = SPACES.get(id(MODULE_DICT(value)))
        if space is not None:
            look_at_space(space, MODULE_DICT(value), when, columns)
        return
    if id(value) in SPACES:
        look_at_space(SPACES[id(value)], value, when, columns)
    known: Any = KNOWN.get(id(value))
    if known is not None:
        look_again(value, known, when, columns)


def look_beside_views(value: Any, when: int, columns: Any) -> None:
    """Compare all memoryviews, and what they are of, as one of those has others in common."""
    if not VIEWS or id(type(value)) in LEAF_IDS:
        return
    about = KINDS.get(id(type(value))) or meet_kind(type(value))
    if about.look is not look_at_numbers and about.look is not OPAQUE:
        return
    for key, known in list(VIEWS.items()):
        view = known.reference()
        if view is None or KNOWN.get(key) is not known:
            VIEWS.pop(key, None)
            continue
        look_again(view, known, when, columns)
        try:
            look_at(VIEWED(view), when, columns)
        except ValueError:  # it is released
            VIEWS.pop(key, None)


def look_everywhere(record: Any, frame: Any, names: Any, when: int, columns: Any) -> None:
    """Anything may have changed; what is not compared now is in doubt.

    That is also what no variable leads to, as what functions share, or generators hold.
    """
    if columns.walk is not None:  # already on its way
        return
    is_whole = when >= Walk.due
    Standing.fresh = when
    columns.walk, columns.walked = [], 0
    try:
        note_everything(record, frame, names, when, columns)
        if is_whole:
            walk_outwards(frame.f_back, when, columns)
        walk_on(when, columns, is_whole)
        if is_whole:
            Walk.due = when + columns.walked // 100 * MOMENTS_OF_A_WALK + columns.walked // 4
    finally:
        columns.walk = None
        Standing.doubt = when


def walk_on(when: int, columns: Any, is_whole: Any) -> None:
    """Compare what was met on the way."""
    walk, place = columns.walk, 0
    while place < len(walk) and (is_whole or columns.walked < MOST_WALKED):
        value = walk[place]
        place += 1
        known: Any = KNOWN.get(id(value))
        if known is None or known.seen >= when or type(known.kind.look) is str:
            continue
        if known.kind is KINDS.get(id(type(value))):
            look_at_known(value, known, when, columns)


def look_at_all(when: int, columns: Any) -> None:
    """The same from all modules and calls; since when it is another is not known of anything."""
    Standing.fresh = Standing.doubt = when
    columns.walk, columns.walked = [], 0
    try:
        for module in list(sys.modules.values()):
            if type(module) is ModuleType and id(MODULE_DICT(module)) in SPACES:
                look_at(module, when, columns)
        for frame in list(sys._current_frames().values()):
            walk_outwards(frame, when, columns)
        walk_on(when, columns, True)
    finally:
        columns.walk = None


def walk_outwards(frame: Any, when: int, columns: Any) -> None:
    """The variables of the calls around."""
    while frame is not None:
        record = FRAMES.get(id(frame))
        if record is not None and record.code is frame.f_code:
            names = variables_of(frame, record)
            note_everything(record, frame, names, when, columns)
            let_go(record, names)
        frame = frame.f_back


def note_everything(record: Any, frame: Any, names: Any, when: int, columns: Any) -> None:
    others = frame.f_globals
    look_at_space(namespace_of(others), others, when, columns)
    if record.is_module:
        return
    for name in record.info.names if record.info.has_own_names else list(names):
        note_name(record, name, names, when, columns)
    if not record.info.has_own_names and frame.f_back is not None:
        around = FRAMES.get(id(frame.f_back))  # the body of a class uses what is around it
        if around is not None and around.code is frame.f_back.f_code:
            names = variables_of(frame.f_back, around)
            note_everything(around, frame.f_back, names, when, columns)
            let_go(around, names)


def meet_used(info: Any, others: Any, when: int, columns: Any) -> None:
    """The same at the start of a function: known ones have not changed since."""
    space = namespace_of(others)
    last = space.last
    for name in info.others:
        value = others.get(name, MISSING)
        before = last.get(name, MISSING)
        if value is before:
            continue
        kind = type(value)
        if kind is FunctionType or kind is type or kind is ModuleType or kind is BuiltinFunction:
            if before is MISSING or (type(before) is list and before[0] == "b"):
                continue
            note_name(space, name, others, when, columns)
            continue
        if type(before) is list:
            known: Any = KNOWN.get(id(value))
            if known is not None and known.token is before:
                continue
        if is_told_global(name, others):
            note_name(space, name, others, when, columns)


def look_at_space(space: Any, names: Any, when: int, columns: Any) -> None:
    definitions, last = space.definitions, space.last
    for name in [*names, *(name for name in last if name not in names)]:
        value = names.get(name, MISSING)
        kind = type(value)
        if kind is FunctionType or kind is type or kind is ModuleType or kind is BuiltinFunction:
            before = last.get(name, MISSING)
            if before is MISSING:
                continue
            if type(before) is list and before[0] == "b" and definitions.get(name) == id(value):
                continue
            definitions[name] = id(value)
            note_name(space, name, names, when, columns)
        elif value is MISSING or name in last or is_told_global(name, names):
            note_name(space, name, names, when, columns)


def share_cells(frame: Any, cells: Any, when: int, columns: Any) -> None:
    """A variable that is shared with functions around: it is theirs as well."""
    above = frame.f_back
    while above is not None:
        other = FRAMES.get(id(above))
        if other is not None and other.code is above.f_code:
            shared = [name for name in cells if name in other.info.cells]
            if shared:
                names = variables_of(above, other)
                for name in shared:
                    note_name(other, name, names, when, columns)
                let_go(other, names)
        above = above.f_back


def note_all(record: Any, frame: Any, when: int, columns: Any) -> None:
    """All variables of a call, as they are now."""
    info = record.info
    names = variables_of(frame, record)
    if record.is_module:
        for name in list(record.last):
            if name not in names:  # of another module, that stood where this one is
                note_name(record, name, names, when, columns)
        for name in list(names):
            if is_told_global(name, names):
                note_name(record, name, names, when, columns)
        return
    if not info.has_own_names:
        found = list(names)
    elif frame.f_lasti < info.first_store:
        found = info.arguments
    else:
        found = info.names
    columns.made = when  # arguments may have been made by the line that calls
    for name in found:
        value = names.get(name, MISSING)
        if value is not MISSING:
            if name in info.collected and columns.built != when:
                before, columns.built = columns.built, when
                note_value(record, name, number_of(name), value, when, columns)
                columns.built = before
                continue
            note_value(record, name, number_of(name), value, when, columns)
    if info.others:
        meet_used(info, frame.f_globals, when, columns)
    let_go(record, names)
