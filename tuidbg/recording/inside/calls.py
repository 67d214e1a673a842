# ruff: noqa: F821 (names of the parts before it)
"""Calls that are under way, and which code is recorded."""


class Record(object):
    """A call that is under way.

    ``last`` are its variables as they were recorded last, and ``look`` looks at what the line
    changes at which it stands. ``holds`` once a variable holds what a copy would keep alive.
    It ``waits`` behind a ``yield``: nothing tells of its end, if that comes now.
    """

    __slots__ = (
        *("code", "holds", "info", "is_module", "is_over", "last", "line", "look", "looks"),
        *("number", "owner", "thread", "waits", "where"),
    )

    def __init__(self, frame, info, thread):
        self.thread = thread
        self.info, self.code, self.looks = info, info.code, info.looks
        self.number = number = next_number()
        self.where = number << 24
        if info.is_module and frame.f_globals is frame.f_locals:
            self.is_module = True
            space = namespace_of(frame.f_globals)
            self.owner, self.last = space.owner, space.last
        else:
            self.is_module = False
            self.owner, self.last = number, {}
        self.holds = self.is_over = self.waits = False
        self.line = self.look = None


FRAMES = {}
"""By the ``id`` of frames that are under way."""

INFOS = {}
"""By the ``id`` of code objects, which they keep."""

FOREIGN = {}
"""By the names of files: whether they are not recorded."""

PLANNED = {}
"""The same of files, also of recordings before this one."""

OWN_TEXTS = {}
"""By ``id``: code that the person's own code has made of texts, which it keeps."""


def is_own_file(name):
    is_foreign = FOREIGN.get(name)
    if is_foreign is None:
        is_foreign = FOREIGN[name] = not is_recorded(name)
    return not is_foreign


def is_own_code(code):
    return id(code) in INFOS or is_own_file(code.co_filename) or id(code) in OWN_TEXTS


def is_recorded(name):
    if name.startswith("<"):
        return False
    path = abspath(name)
    for prefix in Standing.settings.get("include", ()):
        if path.startswith(prefix):
            return True
    if any(path.startswith(prefix) for prefix in Standing.settings.get("exclude", ())):
        return False
    if any(part in path for part in ("/site-packages/", "/dist-packages/")):
        return False
    return not path.startswith(LIBRARY)


LIBRARY = os.path.dirname(abspath(os.__file__)) + "/"


def is_own_text(code, frame):
    """Whether code that stands in no file was made by the person's own: executed from there."""
    if id(code) in OWN_TEXTS:
        return True
    if code.co_name != "<module>" or not code.co_filename.startswith("<"):
        return False
    above = frame.f_back
    if above is None or not is_own_code(above.f_code):
        return False
    add_own_text(code)
    return True


def add_own_text(code):
    OWN_TEXTS[id(code)] = code
    for constant in code.co_consts:
        if type(constant) is CodeType:
            add_own_text(constant)


TAKES_DICTS = {"vars", "__dict__"}
"""A function that uses one of these may have the dict of the attributes of an object."""


def info_of(code, names):
    info = INFOS.get(id(code))
    if info is None:
        name = code.co_filename
        info = PLANNED.get(id(code))
        if info is None:
            with LOCK:
                Standing.codes += 1
                number = Standing.codes
            info = Info(code, number)
            if not name.startswith("<"):
                PLANNED[id(code)] = info
        INFOS[id(code)] = info
        if not Standing.has_dicts and not TAKES_DICTS.isdisjoint(code.co_names):
            find_bearers()
        path = name if name.startswith("<") else abspath(name)
        space = namespace_of(names).owner
        NEWS["codes"].append([info.number, path, code.co_qualname, code.co_firstlineno, space])
    return info


def meet_frame(frame, thread, when):
    """The record of a call that has none yet, with its variables, as all there is around it."""
    record = begin_frame(frame, thread, when)
    note_all(record, frame, when, thread.columns)
    return record


def begin_frame(frame, thread, when):
    """The record of a call that has none yet; those around it have theirs then."""
    missing, above = [], frame.f_back
    while above is not None:
        record = FRAMES.get(id(above))
        if record is not None and record.code is above.f_code:
            break
        if is_own_code(above.f_code):
            missing.append(above)
        above = above.f_back
    while missing:
        above = missing.pop()
        note_all(begin_call(above, thread, when), above, when, thread.columns)
    return begin_call(frame, thread, when)


def begin_call(frame, thread, when):
    code = frame.f_code
    info = INFOS.get(id(code)) or info_of(code, frame.f_globals)
    parent, line = parent_of(frame, thread, when)
    record = FRAMES[id(frame)] = Record(frame, info, thread)
    number = record.number
    told = [number, info.number, parent, line, thread.number, when, record.owner]
    thread.columns.frames.append(told)
    if info.is_generator:  # they go on elsewhere
        note(thread.columns, when, number, PARENT, ["t", [parent, line]])
    return record


def parent_of(frame, thread, when):
    """The number and the line of the recorded call around a call; (0, 0) where there is none.

    What its line has changed so far is recorded: it is seen while what it calls runs.
    """
    above = frame.f_back
    while above is not None:
        code = above.f_code
        record = FRAMES.get(id(above))
        if record is not None and record.code is code:
            line = record.line
            early = record.info.early.get(line)
            if early is not None:
                early(record, above, when, thread.columns)
            return record.number, above.f_lineno if line is None else line
        above = above.f_back
    return 0, 0


def note_all(record, frame, when, columns):
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
