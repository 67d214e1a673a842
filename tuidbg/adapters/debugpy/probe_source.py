"""What runs inside the debugged program: decides at breakpoints, counts hits, fills in templates.

Stop, evaluate and resume over the wire manages a few hits a second, so the decision is made where
the hit is. The text of this file is executed there once, in a module of its own; it must run on
every Python that debugpy supports (3.8 and newer), needs nothing installed, and takes what it needs
from what pydevd has imported already. It hooks pydevd and nothing else: no trace function, import
hook, stream or signal of the program is touched. What it has to tell goes through pydevd's own
writer as DAP ``output`` events of category ``telemetry``.
"""

import sys

import pydevd
from _pydev_bundle._pydev_saved_modules import thread, threading, time
from _pydevd_bundle.pydevd_net_command import NetCommand

DB = pydevd.get_global_debugger()
monotonic, now, sleep = time.monotonic, time.time, time.sleep  # a program may replace them
get_ident = thread.get_ident
active_threads = threading._active
getpid = sys.modules["os"].getpid
PID = getpid()
LOCK = threading.RLock()  # a signal handler may hit a breakpoint within a hit

TELL_EVERY = 0.1
"""Seconds between two messages that tell nothing but counts."""

PART_LIMIT = 0.5
"""Seconds that a part of a template may take."""

TEXT_LIMIT = 10000
"""Characters of a value."""

BACKLOG = 5000
"""Records that may wait for the writer; then the program waits, rather than that one is lost."""

PLAIN = (bool, float, int, str, type(None))


class Hits(object):
    """One breakpoint: what was asked of it, and its counts."""

    def __init__(self, number):
        self.number = number
        self.count = self.misses = self.errors = self.told = self.sent = 0
        self.base = 0
        self.done = False

    def configure(self, spec):
        """Take over settings; counts stay, an ignore count or a budget begins anew if set."""
        if spec["ignore_set"] != getattr(self, "ignore_set", 0):
            self.base = self.count
        if spec["budget_set"] != getattr(self, "budget_set", 0):
            self.sent = 0
        if not hasattr(self, "armed") or spec["trigger"] != self.trigger:
            self.armed = not spec["trigger"]
        self.done = False
        for name, value in spec.items():
            setattr(self, name, value)
        self.code = compile_expression(spec["condition"])
        self.parts = [
            (text, compile_expression(expression), conversion, form, is_simple(expression))
            for text, expression, conversion, form in spec["parts"]
        ]
        self.command_codes = [(text, compile_expression(text)) for text in spec["commands"]]


HITS = {}
CHANGED = set()
RECORDS = []
STATE = {"queued": False, "last": 0.0}


def compile_expression(expression):
    """None for nothing; an expression that this Python can't compile is kept as its error."""
    if not expression:
        return None
    try:
        return compile(expression, "<tuidbg>", "eval")
    except Exception as error:
        return error


def is_simple(expression):
    return expression.isidentifier()


def evaluate(code, frame):
    if isinstance(code, Exception):
        raise code
    return eval(code, frame.f_globals, frame.f_locals)


# What a hit does


def decide(number, frame, whatever):
    """Whether the program stops; ``whatever``: it is to stop here in any case."""
    hits = HITS.get(number)
    if hits is None or getpid() != PID:
        return whatever
    if hits.done or not hits.armed:
        return whatever
    if hits.code is not None:
        try:
            if not evaluate(hits.code, frame):
                with LOCK:
                    hits.misses += 1
                    note(hits)
                return whatever
        except Exception as error:
            return condition_failed(hits, error) or whatever
    with LOCK:
        hits.count += 1
        count = hits.count
        passes = count - hits.base > hits.ignore and holds(hits.operator, count, hits.value)
        for other in hits.arms:
            if other in HITS:
                HITS[other].armed = True
                note(HITS[other])
        note(hits)
    if not passes:
        return whatever
    if hits.kind != "stop":
        return tell_hit(hits, frame, count) or whatever
    with LOCK:
        if hits.temporary:
            if hits.done:
                return whatever
            hits.done = True
    for text, code in hits.command_codes:
        record(hits, frame, count, "%s = %s" % (text, fill_in(code, "r", "", False, frame)))
    tell()
    return True


def holds(operator, count, value):
    if operator == "":
        return True
    if operator == "%":
        return count % value == 0
    if operator == "==":
        return count == value
    if operator == ">":
        return count > value
    if operator == ">=":
        return count >= value
    if operator == "<":
        return count < value
    return count <= value


def condition_failed(hits, error):
    text = "%s: %s" % (type(error).__name__, shorten(safe(str, error)))
    with LOCK:
        hits.errors += 1
        first = hits.errors == 1
        note(hits)
    hits.error = text
    if hits.on_error == "stop":
        tell()
        return True
    if first:
        tell()
    return False


def tell_hit(hits, frame, count):
    """A log point or tracepoint; it never stops."""
    with LOCK:
        if hits.every > 1 and count % hits.every:
            return False
        if hits.at_most and hits.sent >= hits.at_most:
            return False
        hits.sent += 1
        if hits.at_most and hits.sent >= hits.at_most:
            hits.done = True
            note(hits)
    pieces = []
    for text, code, conversion, form, simple in hits.parts:
        pieces.append(text if code is None else fill_in(code, conversion, form, simple, frame))
    record(hits, frame, count, "".join(pieces))
    tell()
    return False


def record(hits, frame, count, text):
    current = active_threads.get(get_ident())
    name = current.name if current is not None else "thread %s" % get_ident()
    RECORDS.append(
        (hits.number, count, now(), name, text, frame.f_code.co_filename, frame.f_lineno)
    )
    while len(RECORDS) > BACKLOG and getpid() == PID and not DB.pydb_disposed:
        tell()
        sleep(0.002)


# Templates


def fill_in(code, conversion, form, simple, frame):
    """The text of one part; what goes wrong stands in its place (R004-58)."""
    try:
        if simple:
            value = evaluate(code, frame)
            if type(value) in PLAIN:
                return shape(value, conversion, form)
        with TimeLimit():
            return shape(evaluate(code, frame), conversion, form)
    except OutOfTime:
        return "<error: Timeout>"
    except Exception as error:
        return "<error: %s>" % type(error).__name__


def shape(value, conversion, form):
    if conversion == "r":
        value = repr(value)
    elif conversion == "a":
        value = ascii(value)
    elif conversion == "s":
        value = str(value)
    return shorten(format(value, form) if form else str(value))


def shorten(text):
    return text if len(text) <= TEXT_LIMIT else text[:TEXT_LIMIT] + "..."


def safe(function, value):
    try:
        return function(value)
    except Exception as error:
        return "<error: %s>" % type(error).__name__


class OutOfTime(BaseException):
    pass


class TimeLimit(object):
    """Raises OutOfTime in this thread if what is inside takes too long (not within a C call)."""

    def __enter__(self):
        self.inside, self.ident = True, get_ident()
        self.handle = DB.timeout_tracker.call_on_timeout(PART_LIMIT, self.expire)
        self.handle.__enter__()

    def __exit__(self, *error):
        with LOCK:
            self.inside = False
            raise_in(self.ident, None)  # it must not arrive later, in the program's own code
        self.handle.__exit__(*error)

    def expire(self):
        with LOCK:
            if self.inside:
                raise_in(self.ident, OutOfTime)


def raise_in(ident, error):
    ctypes = sys.modules.get("ctypes")
    if ctypes is not None:
        error = None if error is None else ctypes.py_object(error)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), error)


# What tuidbg hears


class Telling(object):
    """A message that is put together when the writer sends it: whatever has come until then."""

    id, as_dict = 0, None

    def send(self, sock):
        with LOCK:
            STATE["queued"], STATE["last"] = False, monotonic()
            records, RECORDS[:] = RECORDS[:], []
            changed = [HITS[number] for number in CHANGED if number in HITS]
            CHANGED.clear()
            counts = [
                (h.number, h.count, h.misses, h.errors, getattr(h, "error", ""), h.done, h.armed)
                for h in changed
            ]
            seen, EXCEPTIONS["seen"] = sorted(EXCEPTIONS["seen"]), set()
        if records or counts or seen:
            send_data(sock, {"records": records, "counts": counts, "seen": seen, "pid": PID})

    def call_after_send(self, callback):
        pass


class Loaded(Telling):
    """Tells which files of these names the program has loaded."""

    def __init__(self, names):
        self.names = set(names)

    def send(self, sock):
        os_path, found = sys.modules["os"].path, []
        for module in list(sys.modules.values()):
            path = module.__dict__.get("__file__") if type(module) is type(sys) else None
            if isinstance(path, str) and os_path.basename(path) in self.names:
                found.append(os_path.abspath(path))
        send_data(sock, {"loaded": found, "pid": PID})
        Telling.send(self, sock)


def send_data(sock, data):
    body = {"category": "telemetry", "output": "tuidbg", "data": data}
    NetCommand(0, 0, {"type": "event", "event": "output", "body": body}, is_json=True).send(sock)


def note(hits):
    """Counts have changed: told soon."""
    CHANGED.add(hits.number)
    if not STATE["queued"] and monotonic() - STATE["last"] > TELL_EVERY:
        tell()


def tell():
    with LOCK:
        if STATE["queued"]:
            return
        STATE["queued"] = True
    if DB.writer is not None:
        DB.writer.add_command(Telling())


# Exceptions

EXCEPTIONS = {"rules": [], "chosen": {}, "chosen_now": {}, "seen": set()}
CONTROL_FLOW = (GeneratorExit, StopIteration, StopAsyncIteration)
EVENTS = ("raised", "uncaught", "user_uncaught")


class Caught(object):
    """Stands for pydevd's exception breakpoint; which kind of event it is for, and its rules."""

    condition = expression = None
    notify_on_first_raise_only = False
    has_condition = False
    name, type = "BaseException", BaseException

    def __init__(self, qname, event, rules, native):
        self.qname, self.event, self.rules = qname, event, rules
        self.ignore_libraries = native.ignore_libraries

    def __str__(self):
        return self.qname


def names_of(kind):
    """All names by which people may call an exception type."""
    module, name = str(kind.__module__), kind.__qualname__
    names = {module + "." + name}
    if module == "builtins":
        names.add(name)
    elif not hasattr(sys.modules["builtins"], kind.__name__):
        names.add(kind.__name__)
    return names


def matches(rule, kind):
    own = names_of(kind)
    above = set()
    for each in kind.__mro__:
        above |= names_of(each)
    if rule["type"] and rule["type"] not in (above if rule["subtypes"] else own):
        return False
    return above.isdisjoint(rule["ignored"])


def get_exception_breakpoint(kind, exceptions):
    """pydevd's question: does anything stop at this type? Decided once for each type."""
    if not exceptions:
        return None
    if getpid() != PID:
        return native_get(kind, exceptions)
    if exceptions is DB.break_on_caught_exceptions:
        event = "raised"
    elif exceptions is DB.break_on_uncaught_exceptions:
        event = "uncaught"
    else:
        event = "user_uncaught"
    chosen = EXCEPTIONS["chosen"]
    key = (kind, event)
    try:
        return chosen[key]
    except KeyError:
        pass
    EXCEPTIONS["seen"].add(str(kind.__module__) + "." + kind.__qualname__)
    rules = [rule for rule in EXCEPTIONS["rules"] if rule[event] and matches(rule, kind)]
    native = next(iter(exceptions.values()))
    found = Caught(kind.__name__, event, rules, native) if rules else None
    if len(chosen) > 2000:  # a program that makes its types as it goes
        chosen.clear()
    chosen[key] = found
    return found


def exclude_exception_by_filter(caught, trace):
    """pydevd's question: is this frame none of the person's business?"""
    if native_exclude(caught, trace):
        return True
    if not isinstance(caught, Caught) or caught.event == "uncaught":
        return False
    if caught.event == "raised":
        # Once for each exception, not once for each frame that it passes through (R004-43).
        inner = trace.tb_next
        while inner is not None:
            if not native_exclude(caught, inner):
                return True
            inner = inner.tb_next
    rules = rules_at(caught, trace)
    EXCEPTIONS["chosen_now"][get_ident()] = rules
    return not rules


def rules_at(caught, trace):
    """The rules that hold for where it was raised."""
    while trace.tb_next is not None:
        trace = trace.tb_next
    module = trace.tb_frame.f_globals.get("__name__") or ""
    return [rule for rule in caught.rules if not rule["modules"] or within(module, rule["modules"])]


def within(module, modules):
    return any(module == each or module.startswith(each + ".") for each in modules)


def send_caught_exception_stack(thread, arg, frame_id):
    """pydevd tells that it stops at an exception; whose hit that is, is told before."""
    rules = EXCEPTIONS["chosen_now"].pop(get_ident(), ())
    if getpid() == PID and DB.writer is not None:
        numbers = [rule["number"] for rule in rules if rule["number"] in HITS]
        with LOCK:
            for number in numbers:
                HITS[number].count += 1
                CHANGED.add(number)
        tell()
        DB.writer.add_command(HitNumbers(numbers))
    return native_send(thread, arg, frame_id)


class HitNumbers(Telling):
    """Tells which exception breakpoints the stop belongs to that comes next."""

    def __init__(self, numbers):
        self.numbers = numbers

    def send(self, sock):
        send_data(sock, {"hit": self.numbers, "pid": PID})


def handle_breakpoint_condition(info, breakpoint, frame):
    """pydevd's question at each arrival at a breakpoint with a condition."""
    mark = MARKS.get(breakpoint.condition)
    if mark is None:
        mark = MARKS[breakpoint.condition] = read_mark(breakpoint.condition)
    if not mark or getpid() != PID:
        return native_condition(info, breakpoint, frame)
    return decide(mark[0], frame, mark[1])


MARKS = {}


def read_mark(condition):
    """The number behind ``#tuidbg`` and whether it stops in any case; False where there is none."""
    _, mark, after = (condition or "").rpartition("#tuidbg ")
    return (int(after.rstrip("!")), after.endswith("!")) if mark else False


def do_stop_on_unhandled_exception(thread, frame, frames_byid, arg):
    """pydevd stops at an exception that nobody caught (second chance)."""
    caught = get_exception_breakpoint(arg[0], DB.break_on_uncaught_exceptions)
    if isinstance(caught, Caught):
        rules = EXCEPTIONS["chosen_now"][get_ident()] = rules_at(caught, arg[2])
        if not rules:
            return None
    return native_stop(thread, frame, frames_byid, arg)


native_condition = DB.handle_breakpoint_condition
native_get = DB.get_exception_breakpoint
native_exclude = DB.exclude_exception_by_filter
native_send = DB.send_caught_exception_stack
native_stop = DB.do_stop_on_unhandled_exception
DB.handle_breakpoint_condition = handle_breakpoint_condition
DB.get_exception_breakpoint = get_exception_breakpoint
DB.exclude_exception_by_filter = exclude_exception_by_filter
DB.send_caught_exception_stack = send_caught_exception_stack
DB.do_stop_on_unhandled_exception = do_stop_on_unhandled_exception


# What tuidbg asks


def put(specs):
    """Take over the settings of these breakpoints; what this Python can't compile of them."""
    problems = {}
    with LOCK:
        for spec in specs:
            number = spec["number"]
            hits = HITS.get(number)
            if hits is None:
                hits = HITS[number] = Hits(number)
            hits.configure(spec)
            if isinstance(hits.code, Exception):
                problems[number] = "%s: %s" % (type(hits.code).__name__, hits.code)
        for hits in HITS.values():
            hits.arms = [h.number for h in HITS.values() if h.trigger == hits.number]
    return problems


def forget(numbers):
    """These breakpoints are gone."""
    with LOCK:
        for number in numbers:
            HITS.pop(number, None)
    return len(HITS)


def catch(rules):
    """The exceptions that stop, all of them."""
    with LOCK:
        EXCEPTIONS["rules"] = rules
        EXCEPTIONS["chosen"].clear()
    return len(rules)


def look(names):
    """Tell which files of these names are loaded, and all counts."""
    if DB.writer is not None:
        DB.writer.add_command(Loaded(names))
    return len(names)


def tell_at_exit():
    """The last counts: pydevd's writer sends what is queued before the process ends."""
    if getpid() == PID:
        tell()


sys.modules["atexit"].register(tell_at_exit)
