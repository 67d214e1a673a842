# ruff: noqa: F821 (names of the parts before it)
"""What the compiled recorder (``recorder.c``) asks of Python: of classes, texts and functions.

It takes the place of the callbacks and of what they look at; how it tells what it has seen, and the
numbers of names and keys, stay the same.
"""

json_loads = __import__("json").loads


class Compiled(object):
    """The module, where one fits this interpreter and is in use."""

    module = None
    loaded = None
    problem = ""  # why it is not in use
    probe = None
    kept = {}
    """What it has taken the place of."""


LOOKS = {
    look_at_list: 3,
    look_at_tuple: 4,
    look_at_dict: 5,
    look_at_deque: 9,
    look_at_numbers: 10,
    look_at_object: 11,
    look_at_exception: 12,
    LEAF: 1,
    ITSELF: 1,
    ENUM: 1,
    CONTENT: 1,
    OPAQUE: 2,
}
"""The numbers of kinds in ``recorder.c``."""


class Code(object):
    """A code object that is recorded, kept alive."""

    __slots__ = ("code", "number")

    def __init__(self, code, number):
        self.code, self.number = code, number


def load_compiled(path):
    """Use the compiled recorder; in words why it can't be used."""
    try:
        why = why_not_compiled()
        if why:
            return why
        ask_file(path)
        if Compiled.loaded is None:
            spec = type("Spec", (), {"name": "_recorder", "origin": path})()
            imp = __import__("_imp")
            Compiled.loaded = imp.create_dynamic(spec)
            imp.exec_dynamic(Compiled.loaded)
        module = Compiled.loaded
        problem = module.begin(FOR_COMPILED, probe_of())
    except OSError:
        return "tuidbg was installed without it"
    except Exception as error:
        return "it can't be loaded (%s)" % error
    if problem:
        return problem
    Compiled.module = module
    space = globals()
    for name, other in IN_PLACE.items():
        Compiled.kept[name] = space[name]
        space[name] = other
    Compiled.kept["next_number"] = space["next_number"]
    space["next_number"] = module.next_number
    return ""


def why_not_compiled():
    if sys.implementation.name != "cpython" or sys.maxsize < 1 << 32:
        return "it is made for CPython with 64 bits"
    if sys.version_info < (3, 14):
        return "CPython before 3.14 does not report the end of each object"
    if "t" in getattr(sys, "abiflags", "") or "d" in getattr(sys, "abiflags", ""):
        return "it is not made for this build of Python"
    return ""


def moment_now():
    """The last moment."""
    return Standing.now if Compiled.module is None else Compiled.module.state()[0]


def leave_compiled():
    """Back to what is written in Python."""
    if Compiled.module is not None:
        Compiled.module.end()
        globals().update(Compiled.kept)
        Compiled.kept.clear()
        Compiled.module = None


def probe_of():
    """What shows whether frames, collections and attributes are where they are looked for."""
    values = (object(), object(), object())

    class Probe(object):
        def __init__(self):
            self.value = 0

    def set_value(probe, value):
        probe.value = value

    def make_list():
        return [1]

    def drop_lists(count):
        found = None
        for _ in range(count):
            make_list()
            found = [1]
            found = None
            [1].copy()
        return found

    found = try_frame_of(values)
    deque = __import__("collections").deque([values[0], *[None] * 68, values[1]])
    numbers = {1, 2, 3, 4}
    numbers.discard(2)

    first = values[0]

    def with_cell():
        return first

    cell = with_cell.__closure__[0]
    probe = Probe()
    return (
        *(found, values, list(values), numbers, deque, probe, set_value),
        *(set_value.__code__, len, cell, drop_lists),
    )


def try_frame_of(values):
    """A frame whose first variables are the values; it is suspended, and stays so."""

    def suspended(first, second, third):
        yield get_frame(0)

    generator = suspended(*values)
    frame = next(generator)
    Compiled.probe = generator
    return frame


def kind_for_compiled(kind):
    if id(kind) in LEAF_IDS:
        return 0, 0, b"", b"", (), None, 0
    about = KINDS.get(id(kind)) or meet_kind(kind)
    look = about.look
    if look is look_at_set:
        number = 7 if issubclass_plainly(kind, set) else 8
    elif ORDERED is not None and look is look_at_dict and issubclass_plainly(kind, ORDERED):
        number = 6
    else:
        number = LOOKS[look]
    is_looked_into = look is look_at_exception or (about.is_own and number > 2)
    has_dict = is_looked_into and about.dictionary is plain_dictionary
    members = ()
    if about.is_own and number > 2 and look is not look_at_exception:
        found = ((name, held(kind, name)) for name in about.members)
        members = tuple((number_of(name), each) for name, each in found if type(each) is MEMBER)
    row = json_dumps([about.letter, about.name, about.fields])
    opaque = json_dumps(["o", about.name])[:-1] + ", "
    content = about.content is not None and about.look is look_at_object
    key = number_of(about.content[0]) if content else 0
    rows = (", %s]" % row[1:-1]).encode(), opaque.encode()
    return number, has_dict, *rows, members, about.base, key


def content_for_compiled(value):
    return KINDS[id(type(value))].content[1](value)


def text_for_compiled(value):
    kind = type(value)
    about = KINDS.get(id(kind)) or meet_kind(kind)
    return json_dumps(text_of(value, kind, about)).encode("ascii")


def leaf_for_compiled(value):
    return json_dumps(leaf(value)).encode("ascii")


def key_for_compiled(key, token):
    return number_of_token(key, json_loads(token))


def info_for_compiled(code, frame):
    info = INFOS.get(id(code))
    if info is None:
        with LOCK:
            Standing.codes += 1
            info = INFOS[id(code)] = Code(code, Standing.codes)
        name = code.co_filename
        path = name if name.startswith("<") else abspath(name)
        space = namespace_of(frame.f_globals).owner
        NEWS["codes"].append([info.number, path, code.co_qualname, code.co_firstlineno, space])
    shared = {*code.co_cellvars, *code.co_freevars}
    if code.co_flags & 0x1:
        form = 0
        names = dict.fromkeys((*code.co_varnames, *code.co_cellvars, *code.co_freevars))
    else:
        is_module = code.co_name == "<module>" and frame.f_globals is frame.f_locals
        form, names = 1 if is_module else 2, ()
    numbers = tuple(number_of(name) for name in names)
    cells = bytes(name in shared for name in names)
    hidden = frozenset(code.co_varnames).difference(bound_names(code)) if form == 2 else frozenset()
    return info.number, form, bool(code.co_flags & GENERATOR), numbers, cells, hidden


def bound_names(code):
    """The names that are stored by the body of a class itself."""
    raw, argument = code.co_code, 0
    for offset in range(0, len(raw), 2):
        argument = argument << 8 | raw[offset + 1]
        if raw[offset] == EXTENDED:
            continue
        if OPNAMES[raw[offset]] == "STORE_NAME":
            yield code.co_names[argument]
        argument = 0


def space_for_compiled(names):
    return namespace_of(names).owner


def thread_for_compiled():
    return meet_thread(get_ident()).number


def seal_for_compiled(ident):
    write_taken(Compiled.module.take(ident, True))


def write_taken(taken):
    """Write what one thread has recorded."""
    if taken is None:
        return
    number, frames, objects, values, *columns = taken
    with LOCK:
        if Spool.stopped:
            return
        news = {name: NEWS[name][:] for name in NEWS}
        if not (frames or objects or any(columns) or any(news.values())):
            return
        for name in NEWS:
            del NEWS[name][: len(news[name])]
        now, failed = Compiled.module.state()[:2]
        news.update(now=now, dropped=Spool.dropped, thread=max(0, number), failed=failed)
        news["recorder"] = "compiled"
        modules = json_dumps(news.pop("modules"))[1:-1].encode("ascii")
        objects = b", ".join(each for each in (modules, objects) if each)
        head = json_dumps(news).encode("ascii")[:-1]
        head = b'%b, "frames": [%b], "objects": [%b], "values": [%b]}' % (
            *(head, frames, objects, values),
        )
        sizes = b"".join(len(each).to_bytes(8, "little") for each in (head, *columns))
        data = b"".join((sizes, head, *columns))
        interruption = write_whole(lambda: data)
        make_room()
        if interruption is not None:
            raise interruption


def flush_compiled():
    """Write all that has been recorded."""
    for ident in Compiled.module.thread_ids():
        for _ in range(1000):
            taken = Compiled.module.take(ident, False)
            if taken is not None:
                write_taken(taken)
                break
            pause(0.001)
    return Spool.written


def failure_of_compiled(error):
    """Take note of an error, if it is not of the program itself, as that of a signal's handler."""
    try:
        trace = BaseException.__traceback__.__get__(error)
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is not None and is_own_file(trace.tb_frame.f_code.co_filename):
            return True
        if len(Failure.texts) < 5:
            Failure.texts.append("%s: %s" % (type(error).__name__, error))
            if len(Failure.texts) == 1:
                report({"gap": Failure.texts[0]})
    except Exception:
        pass
    return False


def ordered_for_compiled(value):
    return tuple(each for pair in zip(*in_order(value), strict=True) for each in pair)


def arguments_for_compiled(error):
    return "args", BaseException.__dict__["args"].__get__(error)


FOR_COMPILED = {
    "kind": kind_for_compiled,
    "text": text_for_compiled,
    "leaf": leaf_for_compiled,
    "number_of": number_of,
    "key_number": key_for_compiled,
    "info": info_for_compiled,
    "is_own": is_own_code,
    "space": space_for_compiled,
    "meet_thread": thread_for_compiled,
    "seal": seal_for_compiled,
    "start": on_start,
    "failure": failure_of_compiled,
    "disable": DISABLE,
    "content": content_for_compiled,
    "ordered": ordered_for_compiled,
    "arguments": arguments_for_compiled,
}


def hold_compiled(frame):
    own = frame
    while own is not None and not is_own_code(own.f_code):
        own = own.f_back
    if Standing.number is None:
        return False
    return Compiled.module.hold(own, own is not None and is_under_way(own))


def release_compiled(frame):
    if Standing.number is not None:
        Compiled.module.release(frame)


def here_compiled():
    number = Compiled.module.here()
    flush()
    return [number, Compiled.module.state()[0], Spool.written]


def note_present_compiled():
    for ident, frame in list(sys._current_frames().items()):
        while frame is not None and not is_own_code(frame.f_code):
            frame = frame.f_back
        if frame is not None:
            thread = THREADS.get(ident) or meet_thread(ident)
            Compiled.module.note_present(ident, thread.number, frame)


IN_PLACE = {
    "hold": hold_compiled,
    "release": release_compiled,
    "here": here_compiled,
    "note_present": note_present_compiled,
    "flush": flush_compiled,
}


def compiled_callbacks():
    module = Compiled.module
    return {
        EVENTS.PY_START: module.start,
        EVENTS.PY_RESUME: module.resumed,
        EVENTS.PY_THROW: module.resumed,
        EVENTS.LINE: module.line,
        EVENTS.PY_RETURN: module.returned,
        EVENTS.PY_YIELD: module.yielded,
        EVENTS.RAISE: module.raised,
        EVENTS.PY_UNWIND: module.unwound,
    }
