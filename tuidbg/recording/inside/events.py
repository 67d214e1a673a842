# ruff: noqa: F821 (names of the parts before it)
"""What the interpreter tells of the functions that are recorded.

An error in here would arrive in the program, at whatever line it is: so none leaves.
"""


class Record(object):
    """A call that is under way."""

    __slots__ = (
        "frame_code",
        "info",
        "is_module",
        "last",
        "line",
        "number",
        "owner",
        "where",
    )

    def __init__(self, frame, info):
        self.info, self.frame_code = info, frame.f_code
        self.number = next_number()
        self.where = self.number << 24
        self.is_module = frame.f_globals is frame.f_locals if info.is_module else False
        if self.is_module:
            space = namespace_of(frame.f_globals)
            self.owner, self.last = space.owner, space.last
        else:
            self.owner, self.last = self.number, {}
        self.line = None


FRAMES = {}
"""By the ``id`` of frames that are under way."""

INFOS = {}
"""By the ``id`` of code objects, which they keep."""

FOREIGN = {}
"""By the names of files: whether they are not recorded."""


def is_own_file(name):
    is_foreign = FOREIGN.get(name)
    if is_foreign is None:
        is_foreign = FOREIGN[name] = not is_recorded(name)
    return not is_foreign


def is_recorded(name):
    if name.startswith("<"):
        return False
    path = os.path.abspath(name)
    for prefix in Standing.settings.get("include", ()):
        if path.startswith(prefix):
            return True
    if any(path.startswith(prefix) for prefix in Standing.settings.get("exclude", ())):
        return False
    if any(part in path for part in ("/site-packages/", "/dist-packages/")):
        return False
    return not path.startswith(LIBRARY)


LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + "/"


def info_of(code, names):
    info = INFOS.get(id(code))
    if info is None:
        with LOCK:
            Standing.codes += 1
            number = Standing.codes
        info = INFOS[id(code)] = Info(code, number)
        path = os.path.abspath(code.co_filename)
        space = namespace_of(names).owner
        NEWS["codes"].append([number, path, code.co_qualname, code.co_firstlineno, space])
    return info


Standing.codes = 0


def meet_frame(frame, thread, when):
    """The record of a call that has none yet, as all there is of those around it."""
    info = info_of(frame.f_code, frame.f_globals)
    above = frame.f_back
    while above is not None and not is_own_file(above.f_code.co_filename):
        above = above.f_back
    parent = record_of(above, thread, when) if above is not None else None
    record = FRAMES[id(frame)] = Record(frame, info)
    line = above.f_lineno if above is not None else 0
    number = parent.number if parent is not None else 0
    NEWS["frames"].append(
        [record.number, info.number, number, line, thread.number, when, record.owner]
    )
    if frame.f_code.co_flags & 0x2A0:  # generators and coroutines go on elsewhere
        note(thread.columns, when, record.number, PARENT, ["t", [number, line]])
    note_all(record, frame, when, thread.columns)
    return record


def record_of(frame, thread, when):
    record = FRAMES.get(id(frame))
    if record is None or record.frame_code is not frame.f_code:
        record = meet_frame(frame, thread, when)
    return record


def note_all(record, frame, when, columns):
    """All variables of a call, as they are now."""
    names = frame.f_locals
    if record.is_module:
        for name in list(names):
            if is_told_global(name, names):
                note_name(record.last, record.owner, name, names, when, columns)
        return
    last, owner = record.last, record.owner
    for name in names:
        note_variable(last, owner, name, names[name], MISSING, when, columns)
    look_at_used(record.info, frame.f_globals, when, columns)


def on_start(code, offset):
    """A function begins, for the first time: whether it is recorded."""
    try:
        if is_own_file(code.co_filename) or is_own_text(code):
            MONITORING.set_local_events(Standing.number, code, WANTED)
    except Exception:
        pass
    return DISABLE


def is_own_text(code):
    """Whether a code object that stands in no file was made by the person's own code."""
    return False


WANTED = EVENTS.LINE | EVENTS.PY_RETURN | EVENTS.PY_YIELD | EVENTS.PY_RESUME


def on_line(code, line):
    """A line is about to run."""
    thread = THREADS.get(get_ident())
    if thread is None:
        thread = meet_thread(get_ident())
    if thread.is_busy:
        return
    thread.is_busy = True
    try:
        Standing.now = when = Standing.now + 1
        frame = get_frame(1)
        columns = thread.columns
        record = FRAMES.get(id(frame))
        if record is None or record.frame_code is not code:
            if not thread.is_of(current_thread(get_ident())):
                thread = meet_thread(get_ident())
                thread.is_busy = True
                columns = thread.columns
            Standing.left = MOST_NEW
            record = meet_frame(frame, thread, when)
        else:
            plan = record.info.plans.get(record.line)
            if plan is not None:
                Standing.left = MOST_NEW
                check(record, frame, plan, when, columns)
        record.line = line
        columns.times.append(when)
        columns.wheres.append(record.where | line)
        if len(columns.times) >= SEGMENT:
            seal(thread)
    except KeyboardInterrupt:
        raise
    except Exception:
        failed()
    finally:
        thread.is_busy = False


def leave(kind, key, value):
    """A function is left, for good or for a while."""
    thread = THREADS.get(get_ident())
    if thread is None:
        thread = meet_thread(get_ident())
    if thread.is_busy:
        return
    thread.is_busy = True
    try:
        frame = get_frame(2)
        record = FRAMES.get(id(frame))
        if record is None or record.frame_code is not frame.f_code:
            return
        Standing.now = when = Standing.now + 1
        Standing.left = MOST_NEW
        columns = thread.columns
        plan = record.info.plans.get(record.line)
        if plan is not None:
            check(record, frame, plan, when, columns)
        if key is not None:
            note(columns, when, record.number, key, token_of(value, when, columns))
        columns.times.append(when)
        columns.wheres.append(record.where | kind << 20 | (record.line or 0))
        if kind in (RETURN, UNWIND):
            FRAMES.pop(id(frame), None)
        if len(columns.times) >= SEGMENT:
            seal(thread)
    except KeyboardInterrupt:
        raise
    except Exception:
        failed()
    finally:
        thread.is_busy = False


def on_return(code, offset, value):
    leave(RETURN, RETURNED, value)


def on_yield(code, offset, value):
    leave(YIELD, RETURNED, value)


def on_raise(code, offset, error):
    if id(code) in INFOS:
        leave(RAISE, RAISED, error)


def on_unwind(code, offset, error):
    if id(code) in INFOS:
        leave(UNWIND, RAISED, error)


def on_resume(code, offset):
    """A generator or coroutine goes on, perhaps called from elsewhere."""
    if id(code) in INFOS:
        go_on(get_frame(1))


def on_throw(code, offset, error):
    if id(code) in INFOS:
        go_on(get_frame(1))


def go_on(frame):
    thread = THREADS.get(get_ident())
    if thread is None:
        thread = meet_thread(get_ident())
    if thread.is_busy:
        return
    thread.is_busy = True
    try:
        record = FRAMES.get(id(frame))
        if record is None or record.frame_code is not frame.f_code:
            return
        Standing.now = when = Standing.now + 1
        Standing.left = MOST_NEW
        columns = thread.columns
        above = frame.f_back
        while above is not None and not is_own_file(above.f_code.co_filename):
            above = above.f_back
        parent = record_of(above, thread, when) if above is not None else None
        number, line = (parent.number, above.f_lineno) if parent is not None else (0, 0)
        note(columns, when, record.number, PARENT, ["t", [number, line]])
        look_everywhere(record, frame, frame.f_locals, when, columns)
        columns.times.append(when)
        columns.wheres.append(record.where | RESUME << 20 | (record.line or 0))
    except KeyboardInterrupt:
        raise
    except Exception:
        failed()
    finally:
        thread.is_busy = False


class Failure(object):
    """What went wrong while recording; told when somebody asks."""

    texts = []


def failed():
    if len(Failure.texts) < 5:
        kind, error, trace = sys.exc_info()
        while trace.tb_next is not None:
            trace = trace.tb_next
        place = "%s:%d" % (trace.tb_frame.f_code.co_name, trace.tb_lineno)
        Failure.texts.append("%s: %s (%s)" % (kind.__name__, error, place))
