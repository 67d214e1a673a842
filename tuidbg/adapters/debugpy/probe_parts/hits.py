# ruff: noqa: F821 (names of the parts before it)
"""One breakpoint: what was asked of it, its counts, and what a hit does."""

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
    """Returns whether this breakpoint stops the program here."""
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
