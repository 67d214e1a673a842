# ruff: noqa: F821 (names of the parts before it)
"""Variables: those of calls, of modules, and those that functions share."""


def variables_of(frame, record):
    """The variables of a call, as something that has them by name."""
    if record.is_module:
        return frame.f_globals  # a comprehension would show others
    info = record.info
    if info.is_watched:
        return one_by_one(frame, info.names)
    names = frame.f_locals
    if info.has_own_names:
        return names
    if not issubclass_plainly(type(names), dict):  # in a comprehension, or what a class prepares
        return {}
    return {name: value for name, value in dict.items(names) if name not in info.hidden}


def one_by_one(frame, names):
    """The variables of a frame, without the dict of them that the program may have."""
    if Asking.get is None:
        ctypes = __import__("ctypes")
        prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.py_object)
        Asking.get = prototype(("PyFrame_GetVar", ctypes.pythonapi))
    found = {}
    for name in names:
        try:
            found[name] = Asking.get(frame, name)
        except NameError:
            pass
    return found


class Asking(object):
    get = None


get_reference_count = sys.getrefcount


def note_value(record, name, key, value, when, columns):
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


def note_name(record, name, names, when, columns):
    value = names.get(name, MISSING)
    if value is not record.last.get(name, MISSING):
        note_value(record, name, number_of(name), value, when, columns)


def look_at(value, when, columns):
    """Record what has changed in a value, if that is known."""
    if type(value) is ModuleType:
        space = SPACES.get(id(MODULE_DICT(value)))
        if space is not None:
            look_at_space(space, MODULE_DICT(value), when, columns)
        return
    if id(value) in SPACES:
        look_at_space(SPACES[id(value)], value, when, columns)
    known = KNOWN.get(id(value))
    if known is not None:
        look_again(value, known, when, columns)


def look_beside_views(value, when, columns):
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


VIEWED = memoryview.__dict__["obj"].__get__

MOST_WALKED = 40
"""Values that are compared at one moment because anything may have changed."""

MOMENTS_OF_A_WALK = 10
"""All are compared at once after so many moments for each hundred that there were the last time."""


class Walk(object):
    """When all is compared next."""

    due = 0


def look_everywhere(record, frame, names, when, columns):
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


def walk_on(when, columns, is_whole):
    """Compare what was met on the way."""
    walk, place = columns.walk, 0
    while place < len(walk) and (is_whole or columns.walked < MOST_WALKED):
        value = walk[place]
        place += 1
        known = KNOWN.get(id(value))
        if known is None or known.seen >= when or type(known.kind.look) is str:
            continue
        if known.kind is KINDS.get(id(type(value))):
            look_at_known(value, known, when, columns)


def look_at_all(when, columns):
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


def walk_outwards(frame, when, columns):
    """The variables of the calls around."""
    while frame is not None:
        record = FRAMES.get(id(frame))
        if record is not None and record.code is frame.f_code:
            names = variables_of(frame, record)
            note_everything(record, frame, names, when, columns)
            let_go(record, names)
        frame = frame.f_back


def note_everything(record, frame, names, when, columns):
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


def meet_used(info, others, when, columns):
    """The same as a function begins: those that are known have not changed since."""
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
            known = KNOWN.get(id(value))
            if known is not None and known.token is before:
                continue
        if is_told_global(name, others):
            note_name(space, name, others, when, columns)


def is_told_global(name, names):
    """Whether a global variable is a value, not something that was defined or imported."""
    if name[:2] == "__":
        return False
    value = names.get(name, MISSING)
    kind = type(value)
    if id(kind) in LEAF_IDS:
        return True
    if value is MISSING or kind is FunctionType or kind is BuiltinFunction or kind is ModuleType:
        return False
    return not issubclass_plainly(kind, type)


class Space(object):
    """The global variables of a module; the ``token`` stands for the dict that has them.

    ``definitions`` are its functions, classes and modules, by name their ``id``.
    """

    __slots__ = ("definitions", "holds", "is_over", "last", "owner", "token", "waits")

    def __init__(self, owner):
        self.owner, self.last, self.holds, self.token = owner, {}, False, [owner]
        self.definitions, self.is_over, self.waits = {}, False, False


SPACES = {}
"""By the ``id`` of the dicts."""


def namespace_of(names):
    space = SPACES.get(id(names))
    if space is None:
        space = SPACES[id(names)] = Space(next_number())
        name = names.get("__name__")
        NEWS["modules"].append([space.owner, "m", name if type(name) is str else "", None])
    return space


def look_at_space(space, names, when, columns):
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


def share_cells(frame, cells, when, columns):
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


def let_go(record, names):
    """Empty the copies of variables that a frame keeps, unless somebody else has the dict."""
    is_copy = HAS_SNAPSHOTS and record.info.has_own_names
    if is_copy and record.holds and get_reference_count(names) == 4:
        names.clear()
