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
from _pydevd_bundle.pydevd_daemon_thread import PyDBDaemonThread, mark_as_pydevd_daemon_thread
from _pydevd_bundle.pydevd_net_command import NetCommand

# Kept here, because a program may replace or delete what it finds in modules.
builtins, os, ctypes = [sys.modules[name] for name in ("builtins", "os", "ctypes")]
__builtins__ = dict(vars(builtins))
getpid, basename, abspath = os.getpid, os.path.basename, os.path.abspath
get_ident, active_threads = thread.get_ident, threading._active

DB = pydevd.get_global_debugger()
PID = getpid()
LOCK = threading.RLock()  # a signal handler may hit a breakpoint within a hit


class Real(object):
    """The true time. freezegun replaces clocks also in modules that have imported them."""

    now, monotonic, sleep = time.time, time.monotonic, time.sleep


TELL_EVERY = 0.1
"""Seconds between two messages that tell nothing but counts."""

PART_LIMIT = 0.5
"""Seconds that a part of a template may take."""

CAN_INTERRUPT = hasattr(ctypes, "pythonapi")
"""Not so on PyPy, where a part takes as long as it takes."""

FOREVER = 10000.0
"""Seconds that nobody looks at a part again."""

AGAIN = 0.5
"""Seconds after which a part that went on in spite of that is interrupted again."""

STALLS = sys.version_info[:2] == (3, 11)
"""That Python keeps its traced threads waiting while an exception is on its way to another thread,
and for ever if it is withdrawn."""

ATTEMPT = 0.02
"""Seconds that it may be on its way there; in Python code it needs no longer."""

TEXT_LIMIT = 10000
"""Characters of a value."""

BACKLOG = 5000
"""Records that may wait for the writer; then the program waits, rather than that one is lost."""

LAST_WORDS = 3.0
"""Seconds that the program may wait at its end until all is told."""

PLAIN = (bool, float, int, str, type(None))


class Hits(object):
    """One breakpoint: what was asked of it, and its counts."""

    def __init__(self, number):
        self.number = number
        self.count = self.misses = self.errors = self.sent = self.base = 0
        self.error = ""
        self.done = False
        self.armed = True
        self.ignore_set = self.budget_set = self.trigger = 0
        self.arms = ()

    def configure(self, spec):
        """Take over settings; counts stay, an ignore count or a budget begins anew if set."""
        if spec["ignore_set"] != self.ignore_set:
            self.base = self.count
        if spec["budget_set"] != self.budget_set:
            self.sent = 0
        if spec["trigger"] != self.trigger:
            self.armed = not spec["trigger"]
        self.done = False
        for name, value in spec.items():
            setattr(self, name, value)
        self.code = compile_expression(spec["condition"])
        self.parts = [
            (text, compile_expression(expression), conversion, form, expression.isidentifier())
            for text, expression, conversion, form in spec["parts"]
        ]
        self.command_codes = [(text, compile_expression(text)) for text in spec["commands"]]

    def counts(self):
        return (
            self.number,
            self.count,
            self.misses,
            self.errors,
            self.error,
            self.done,
            self.armed,
        )


HITS = {}
CHANGED = set()
RECORDS = []
STATE = {"queued": False, "sending": False, "due": False}


class Nested(object):
    """An expression with a lambda or a comprehension, which look for names as globals only."""

    def __init__(self, code):
        self.code = code


def compile_expression(expression):
    """None for nothing; an expression that this Python can't compile is kept as its error."""
    if not expression:
        return None
    try:
        code = compile(expression, "<tuidbg>", "eval")
    except Exception as error:
        return error
    nested = any(isinstance(constant, type(code)) for constant in code.co_consts)
    return Nested(code) if nested else code


def evaluate(code, frame):
    if type(code) is Nested:
        names = dict(frame.f_globals)
        names.update(frame.f_locals)
        return eval(code.code, names)
    if isinstance(code, Exception):
        raise code
    return eval(code, frame.f_globals, frame.f_locals)


# What a hit does


def decide(number, frame):
    """Whether this breakpoint stops the program here."""
    hits = HITS.get(number)
    if hits is None or hits.done or not hits.armed:
        return False
    if hits.code is not None:
        try:
            if not evaluate(hits.code, frame):
                with LOCK:
                    hits.misses += 1
                    note(hits)
                return False
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return condition_failed(hits, error)
    with LOCK:
        count = count_hit(hits)
        passes = count - hits.base > hits.ignore and holds(hits.operator, count, hits.value)
    if not passes:
        return False
    if hits.kind != "stop":
        tell_hit(hits, frame, count)
        return False
    with LOCK:
        if hits.temporary:
            if hits.done:
                return False
            hits.done = True
    for text, code in hits.command_codes:
        record(hits, frame, count, "%s = %s" % (text, fill_in(code, "r", "", False, frame)))
    return True


def count_hit(hits):
    """Count it, and arm what waited for it."""
    hits.count += 1
    for number in hits.arms:
        other = HITS.get(number)
        if other is not None and not other.armed:
            other.armed = True
            note(other)
    note(hits)
    return hits.count


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
        hits.error = clean(text)
        note(hits)
    return hits.on_error == "stop"


def tell_hit(hits, frame, count):
    """A log point or tracepoint; it never stops."""
    with LOCK:
        if hits.every > 1 and count % hits.every:
            return
        if hits.at_most and hits.sent >= hits.at_most:
            return
        hits.sent += 1
        if hits.at_most and hits.sent >= hits.at_most:
            hits.done = True
            note(hits)
    pieces = []
    for text, code, conversion, form, simple in hits.parts:
        pieces.append(text if code is None else fill_in(code, conversion, form, simple, frame))
    record(hits, frame, count, "".join(pieces))
    tell()


def record(hits, frame, count, text):
    current = active_threads.get(get_ident())
    name = "thread %s" % get_ident() if current is None else safe(str, current.name)
    text, name, path = clean(text), clean(name), clean(frame.f_code.co_filename)
    with LOCK:
        RECORDS.append((hits.number, count, Real.now(), name, text, path, frame.f_lineno))
    while len(RECORDS) > BACKLOG and not DB.pydb_disposed:
        tell()
        Real.sleep(0.002)


# Templates


def fill_in(code, conversion, form, simple, frame):
    """The text of one part; what goes wrong stands in its place (R004-58).

    The interruption of one that takes too long may arrive anywhere in here, so it is left only
    when it is certain that none will come any more.
    """
    limit, text, interrupt = TimeLimit(get_ident()), None, None
    while True:
        try:
            try:
                if text is None and simple:
                    value = evaluate(code, frame)
                    if type(value) in PLAIN:
                        text = shape(value, conversion, form)
                        break
                if text is None:
                    limit.begin()
                    text = shape(evaluate(code, frame), conversion, form)
                    if limit.is_exceeded():
                        text = TIMEOUT
                limit.end()
                break
            except OutOfTime:
                raise
            except KeyboardInterrupt as error:
                text, interrupt = "", error
            except BaseException as error:
                text = "<error: %s>" % type(error).__name__
        except Arrived:
            break
        except OutOfTime:
            text = TIMEOUT
    if interrupt is not None:
        raise interrupt
    return text


TIMEOUT = "<error: Timeout>"


def shape(value, conversion, form):
    if conversion == "r":
        value = repr(value)
    elif conversion == "a":
        value = ascii(value)
    elif conversion == "s":
        value = str(value)
    return shorten(format(value, form) if form else str(value))


def shorten(text):
    text = str.__str__(text)  # no subclass of the program's
    return text if len(text) <= TEXT_LIMIT else text[:TEXT_LIMIT] + "..."


def clean(text):
    """Without lone surrogates, which no message may hold."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def safe(function, value):
    try:
        return function(value)
    except Exception as error:
        return "<error: %s>" % type(error).__name__


class OutOfTime(BaseException):
    """Raised in the thread whose part of a template takes too long."""


class Arrived(OutOfTime):
    """Takes the place of one that may still be on its way, and arrives where it is awaited."""


class TimeLimit(object):
    """Lets OutOfTime be raised in a thread after a while; not within a call of C code."""

    def __init__(self, ident):
        self.ident = ident
        self.is_over = self.was_fired = False

    def begin(self):
        self.expires = self.rings = Real.monotonic() + PART_LIMIT
        with LOCK:
            LIMITS[self.ident] = self
            CLOCK.ring_at(self.rings)

    def is_exceeded(self):
        return Real.monotonic() >= self.expires

    def end(self):
        """From here on none will be sent. Raises Arrived where one was."""
        with LOCK:
            self.is_over = True
            if LIMITS.get(self.ident) is self:
                del LIMITS[self.ident]
        if self.was_fired:
            await_arrival()

    def ring(self):
        """By the clock: it is time."""
        with LOCK:
            if self.is_over:
                return
            if not CAN_INTERRUPT:
                self.rings += FOREVER
                return
            self.was_fired = True
            self.rings += AGAIN
            raise_in(self.ident, OutOfTime)
        if STALLS:
            Real.sleep(ATTEMPT)
            with LOCK:
                if self.is_over:
                    return
                raise_in(self.ident, None)
                try:
                    await_arrival()
                except Arrived:
                    pass


def await_arrival():
    """Raises Arrived, in place of anything that is on its way to this thread."""
    raise_in(get_ident(), Arrived)
    while True:
        pass


LIMITS = {}


def raise_in(ident, error):
    error = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), error)


class Clock(PyDBDaemonThread):
    """Ends parts that take too long, and tells the last counts of a burst.

    pydevd hides its own threads from the program, does not trace them and ends them. It sleeps
    unless something is due; its clock is the real one.
    """

    def __init__(self):
        threading.Thread.__init__(self, name="tuidbg.Clock")  # unnamed ones are counted
        self._py_db = sys.modules["weakref"].ref(DB)
        self._kill_received = False
        mark_as_pydevd_daemon_thread(self)
        self._target_and_args = None
        self._alarm = thread.allocate_lock()
        self._alarm.acquire()
        self._rings_at = None

    def ring_at(self, when):
        """See that it wakes up at ``when`` or earlier."""
        rings_at = self._rings_at
        if rings_at is None or when < rings_at:
            self._rings_at = when
            self._wake()

    def _wake(self):
        try:
            self._alarm.release()
        except RuntimeError:
            pass  # it is awake

    def do_kill_pydev_thread(self):
        PyDBDaemonThread.do_kill_pydev_thread(self)
        self._wake()

    def _on_run(self):
        while not self._kill_received:
            rings_at = self._rings_at
            if rings_at is None:
                self._alarm.acquire()
            else:
                wait = rings_at - Real.monotonic()
                if wait > 0 and self._alarm.acquire(True, wait):
                    continue  # the plan has changed
                self._rings_at = None
                self._look_around()

    def _look_around(self):
        moment = Real.monotonic()
        with LOCK:
            limits = list(LIMITS.values())
        for limit in limits:
            if limit.rings <= moment:
                limit.ring()
            self.ring_at(limit.rings)
        if STATE["due"]:
            STATE["due"] = False
            tell()


# What tuidbg hears


class Telling(object):
    """A message that is put together when the writer sends it: whatever has come until then."""

    id, as_dict = 0, None

    def send(self, sock):
        with LOCK:
            STATE["queued"], STATE["sending"] = False, True
            records, RECORDS[:] = RECORDS[:], []
            counts = [HITS[number].counts() for number in CHANGED if number in HITS]
            CHANGED.clear()
            seen, EXCEPTIONS["seen"] = EXCEPTIONS["seen"], set()
        try:
            if records or counts or seen:
                self.send_data(
                    sock, {"records": records, "counts": counts, "seen": sorted(seen), "pid": PID}
                )
        finally:
            STATE["sending"] = False

    def send_data(self, sock, data):
        body = {"category": "telemetry", "output": "tuidbg", "data": data}
        message = {"type": "event", "event": "output", "body": body}
        NetCommand(0, 0, message, is_json=True).send(sock)

    def call_after_send(self, callback):
        pass


class Loaded(Telling):
    """Tells which files of these names the program has loaded, and all counts."""

    def __init__(self, names):
        self.names = set(names)

    def send(self, sock):
        found = []
        for module in list(sys.modules.values()):
            path = module.__dict__.get("__file__") if type(module) is type(sys) else None
            if type(path) is str and basename(path) in self.names:
                found.append(clean(abspath(path)))
        self.send_data(sock, {"loaded": found, "pid": PID})
        Telling.send(self, sock)


def note(hits):
    """Counts have changed: told soon. Within LOCK."""
    CHANGED.add(hits.number)
    if not STATE["due"]:
        tell_soon()


def tell_soon():
    STATE["due"] = True
    CLOCK.ring_at(Real.monotonic() + TELL_EVERY)


def tell():
    with LOCK:
        if STATE["queued"]:
            return
        STATE["queued"] = True
    if DB.writer is not None:
        DB.writer.add_command(Telling())


# Exceptions

EXCEPTIONS = {"rules": None, "chosen": {}, "seen": set()}
STOPS = {}
"""By thread: why the stop at an exception that comes next does so, and the exception's trace."""


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


def full_name(kind):
    return "%s.%s" % (kind.__module__, kind.__qualname__)


def names_of(kind):
    """The names by which people may call an exception type."""
    names = {safe(full_name, kind)}
    if kind.__module__ == "builtins" or not hasattr(builtins, kind.__name__):
        names.add(kind.__name__)
    return names


def find_type(name):
    """What a name stands for in the modules that are loaded, such as ``json.JSONDecodeError``."""
    parts = name.split(".")
    for split in range(len(parts) - 1, -1, -1):
        found = sys.modules.get(".".join(parts[:split])) if split else builtins
        for part in parts[split:]:
            found = getattr(found, "__dict__", {}).get(part)
        if found is not None:
            return found
    return None


def is_named(kind, name):
    return name in names_of(kind) or kind is find_type(name)


def matches(rule, kind):
    name, family = rule["type"], kind.__mro__[:-1]
    if name and not any(is_named(each, name) for each in (family if rule["subtypes"] else [kind])):
        return False
    return not any(is_named(each, name) for each in family for name in rule["ignored"])


def get_exception_breakpoint(kind, exceptions):
    """pydevd's question: does anything stop at this type? Decided once for each type."""
    if not exceptions:
        return None
    if getpid() != PID or EXCEPTIONS["rules"] is None:
        return native_get(kind, exceptions)  # nobody has told us: pydevd's own are in force
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
    with LOCK:
        EXCEPTIONS["seen"].add(clean(safe(full_name, kind)))
        tell_soon()
    rules = [rule for rule in EXCEPTIONS["rules"] if rule[event] and matches(rule, kind)]
    if event != "raised" and issubclass(kind, SystemExit):
        rules = [rule for rule in rules if rule["type"]]  # the end of a program is no failure
    native = next(iter(exceptions.values()))
    found = Caught(kind.__name__, event, rules, native) if rules else None
    if len(chosen) > 2000:  # a program that makes its types as it goes
        chosen.clear()
    chosen[key] = found
    return found


def ignore_system_exit_code(code):
    """pydevd's question: is this exit none that stops, whatever its code?"""
    rules = EXCEPTIONS["rules"] or ()
    if getpid() == PID and any(rule["type"] and matches(rule, SystemExit) for rule in rules):
        return False
    return native_ignore(code)


def exclude_exception_by_filter(caught, trace):
    """pydevd's question: is this frame none of the person's business?"""
    if native_exclude(caught, trace):
        return True
    if not isinstance(caught, Caught) or caught.event == "uncaught":
        return False
    # Once for each exception, not once for each frame that it passes through (R004-43).
    own = caught.event == "user_uncaught"
    inner = trace.tb_next
    while inner is not None:
        if native_exclude(caught, inner):
            own = False
        elif not own:
            return True
        inner = inner.tb_next
    rules = rules_at(caught, trace)
    if caught.event == "raised" and rules:
        STOPS[get_ident()] = ("raised", trace)
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
    event, trace = STOPS.pop(get_ident(), ("", None))
    if getpid() == PID and DB.writer is not None:
        if event == "uncaught":
            moments = DB.break_on_uncaught_exceptions
        elif event == "raised" and trace is arg[2]:
            moments = DB.break_on_caught_exceptions
        else:
            moments = DB.break_on_user_uncaught_exceptions
        caught = get_exception_breakpoint(arg[0], moments)
        rules = rules_at(caught, arg[2]) if isinstance(caught, Caught) else []
        with LOCK:
            found = [HITS[rule["number"]] for rule in rules if rule["number"] in HITS]
            for hits in found:
                count_hit(hits)
        tell()
        DB.writer.add_command(HitNumbers("hit", [hits.number for hits in found]))
    return native_send(thread, arg, frame_id)


class HitNumbers(Telling):
    """Tells which breakpoints the stop belongs to that comes next."""

    def __init__(self, name, numbers):
        self.name, self.numbers = name, numbers

    def send(self, sock):
        self.send_data(sock, {self.name: self.numbers, "pid": PID})


def do_stop_on_unhandled_exception(thread, frame, frames_byid, arg):
    """pydevd stops at an exception that nobody caught (second chance)."""
    if getpid() == PID:
        caught = get_exception_breakpoint(arg[0], DB.break_on_uncaught_exceptions)
        if isinstance(caught, Caught) and not rules_at(caught, arg[2]):
            return None
        STOPS[get_ident()] = ("uncaught", arg[2])
    return native_stop(thread, frame, frames_byid, arg)


# Breakpoints at lines

MARKS = {}


def handle_breakpoint_condition(info, breakpoint, frame):
    """pydevd's question at each arrival at a breakpoint with a condition."""
    condition = breakpoint.condition
    mark = MARKS.get(condition)
    if mark is None:
        mark = MARKS[condition] = read_mark(condition)
    if not mark or getpid() != PID:
        return native_condition(info, breakpoint, frame)
    numbers, always = mark
    stopping = [number for number in numbers if decide(number, frame)]
    if not stopping and not always:
        return False
    tell()  # whoever looks at the stop finds the counts as they are
    DB.writer.add_command(HitNumbers("stopped", stopping))
    return True


def read_mark(condition):
    """The numbers behind ``#tuidbg`` and whether it stops in any case; False if there is none."""
    _, mark, after = (condition or "").rpartition("#tuidbg ")
    if not mark:
        return False
    return [int(number) for number in after.rstrip("!").split(",")], after.endswith("!")


# What tuidbg asks


def put(specs):
    """Take over the settings of these breakpoints; what this Python can't compile of them."""
    problems = {}
    with LOCK:
        for spec in specs:
            hits = HITS.setdefault(spec["number"], Hits(spec["number"]))
            armed = hits.armed
            hits.configure(spec)
            if hits.armed != armed:
                note(hits)
            if isinstance(hits.code, Exception):
                problems[hits.number] = "%s: %s" % (type(hits.code).__name__, hits.code)
        waiting = [hits for hits in HITS.values() if hits.trigger]
        for hits in HITS.values():
            hits.arms = [other.number for other in waiting if other.trigger == hits.number]
    return problems


def forget(numbers):
    """These breakpoints are gone."""
    with LOCK:
        for number in numbers:
            HITS.pop(number, None)
    return len(HITS)


def catch(rules):
    """The exceptions that stop, all of them; None where pydevd shall decide."""
    with LOCK:
        EXCEPTIONS["rules"] = rules
        EXCEPTIONS["chosen"].clear()
    return len(rules or ())


def look(names):
    """Tell which files of these names are loaded, and all counts."""
    if DB.writer is not None:
        DB.writer.add_command(Loaded(names))
    return len(names)


def dispose_and_kill_all_pydevd_threads(*args, **keywords):
    """pydevd ends: what has not been told is told before, with hits of the last moment.

    It gives its writer half a second, which thousands of records may take on a busy machine.
    """
    writer = DB.writer
    if getpid() == PID and not DB.pydb_disposed and writer is not None:
        tell()
        until = Real.monotonic() + LAST_WORDS
        while (STATE["queued"] or STATE["sending"]) and Real.monotonic() < until:
            if not writer.is_alive() or writer.ident == get_ident():
                break
            Real.sleep(0.002)
    return native_dispose(*args, **keywords)


native_condition = DB.handle_breakpoint_condition
native_get = DB.get_exception_breakpoint
native_ignore = DB.ignore_system_exit_code
native_exclude = DB.exclude_exception_by_filter
native_send = DB.send_caught_exception_stack
native_stop = DB.do_stop_on_unhandled_exception
native_dispose = DB.dispose_and_kill_all_pydevd_threads

CLOCK = Clock()
CLOCK.start()

DB.handle_breakpoint_condition = handle_breakpoint_condition
DB.get_exception_breakpoint = get_exception_breakpoint
DB.ignore_system_exit_code = ignore_system_exit_code
DB.exclude_exception_by_filter = exclude_exception_by_filter
DB.send_caught_exception_stack = send_caught_exception_stack
DB.do_stop_on_unhandled_exception = do_stop_on_unhandled_exception
DB.dispose_and_kill_all_pydevd_threads = dispose_and_kill_all_pydevd_threads
