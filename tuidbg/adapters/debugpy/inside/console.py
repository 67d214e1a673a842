"""The prompt: evaluates what a person typed, so that it can be interrupted and its result kept.

An interrupt must hit the evaluation and nothing else. A SIGINT that came a moment too late would
end the debugger's own wait, and with it the program; the program's own handler, and asyncio's, must
not see it either. So the signal is sent from in here, under a lock, and only while the evaluation
is inside; its handler is ours for that time.

A result that the program has no name for is kept here as ``_`` and by its number, not in the
program's namespaces; the next stop's first result lets go of those of the last one.
"""

import sys

from _pydevd_bundle import pydevd_constants

base = sys.modules["_tuidbg_base"]
signals = sys.modules["_signal"]
clock = sys.modules["time"]
ast = sys.modules["ast"]
traceback = sys.modules["traceback"]

# Its warning would print the whole of our call; the console shows the seconds itself.
pydevd_constants.PYDEVD_WARN_EVALUATION_TIMEOUT = 1e6

FILE = "<console>"
TEXT_LIMIT = 20000
"""Characters of a result or an error."""

KEPT = 20
"""Results of one stop that can still be opened."""

ONLY_AST, TOP_LEVEL_AWAIT, IS_COROUTINE = 0x400, 0x2000, 0x80
FUTURES = 0x1FE0000
"""The flags of ``from __future__`` imports in a code object."""

CHECK = "__tuidbg_awaitable__"
STUCK_AFTER = 0.7
"""Seconds; looked at twice before a wait is called endless."""


class Refused(Exception):
    """What can't be done at the prompt; the message is a sentence for a person."""


# Interrupting


class Job(object):
    """One evaluation, from ``begin`` to ``end`` in the thread that it runs in."""

    running = {}

    def __init__(self, token):
        self.token = token
        self.ident = base.get_ident()
        self.is_main = self.ident == base.threading.main_thread().ident
        self.inside = self.asked = self.came = self.handles = False

    def begin(self):
        if self.is_main:
            self.handler = signals.getsignal(signals.SIGINT)
            if self.handler is not None:  # else it is C's and could not be put back
                self.wakeup = signals.set_wakeup_fd(-1)
                signals.signal(signals.SIGINT, self.interrupted)
                self.handles = True
        self.inside = True
        self.running[self.token] = self

    def interrupted(self, number, frame):
        self.came = True
        if self.inside:
            raise KeyboardInterrupt

    def interrupt(self):
        self.asked = True
        if self.handles:
            signals.pthread_kill(self.ident, signals.SIGINT)
        else:
            base.raise_in(self.ident, KeyboardInterrupt)

    def end(self):
        with base.LOCK:
            self.inside = False
            self.running.pop(self.token, None)
            if not self.handles:
                base.raise_in(self.ident, None)
        if self.handles:
            for _ in range(200):  # one that was sent is under way; let it come
                if self.came or not self.asked:
                    break
                clock.sleep(0.001)
            if signals.getsignal(signals.SIGINT) == self.interrupted:  # else it was just changed
                signals.signal(signals.SIGINT, self.handler)
            signals.set_wakeup_fd(self.wakeup)
            self.handles = False


def cancel(frame, token):
    """Interrupt an evaluation, if it is still inside: how, or nothing where it is over."""
    with base.LOCK:
        job = Job.running.get(token)
        if job is None:
            return ""
        if not job.handles and "ctypes" not in sys.modules:
            return "impossible"
        job.interrupt()
        return "signal" if job.handles else "exception"


def guarded(token, work):
    """The answer of ``work``, or what went wrong in it, as a dictionary."""
    job = Job(token)
    try:
        try:
            job.begin()
            answer = work()
        except BaseException as error:
            answer = failure(error, job)
    except BaseException as error:  # the interrupt came while an error was being described
        answer = failure(error, job)
    while True:
        try:
            job.end()
            return answer
        except KeyboardInterrupt:
            continue


def failure(error, job):
    if isinstance(error, Refused):
        return {"kind": "refused", "text": str(error)}
    if isinstance(error, KeyboardInterrupt) and (job.asked or job.came):
        return {"kind": "cancelled", "text": ""}
    if isinstance(error, SystemExit):
        return {"kind": "error", "text": "SystemExit: at this prompt it ends nothing"}
    return {"kind": "error", "text": base.cut(describe_error(error), TEXT_LIMIT)}


def describe_error(error):
    """As Python prints it, without the frames that are ours; none where only the prompt is left."""
    steps = error.__traceback__
    while steps is not None and steps.tb_frame.f_code.co_filename != FILE:
        steps = steps.tb_next
    if steps is not None and steps.tb_next is None and steps.tb_lineno <= 1:
        steps = None
    kind = type(error)
    try:
        if steps is None and error.__cause__ is None and error.__context__ is None:
            lines = traceback.format_exception_only(kind, error)
        else:
            lines = traceback.format_exception(kind, error, steps)
        return "".join(lines).rstrip("\n")
    except Exception:
        return kind.__name__ + ": <its text can't be shown>"


# Evaluating


class Results(object):
    """What was evaluated at the present stop, and the last result of all."""

    stop = None
    by_number = {}
    last = None
    has_last = False

    @classmethod
    def keep(cls, stop, number, value):
        if stop != cls.stop:
            cls.stop = stop
            cls.by_number.clear()
        cls.last, cls.has_last = value, True
        cls.by_number[number] = value
        while len(cls.by_number) > KEPT:
            del cls.by_number[next(iter(cls.by_number))]


def result(number):
    """A result that was kept, for opening it."""
    try:
        return Results.by_number[number]
    except KeyError:
        raise LookupError("this result is not kept any more; evaluate it again") from None


def evaluate(frame, text, token, stop):
    """Run statements and expressions; the value of the last one, where it is an expression."""
    names = frame.f_globals  # of the frame's variables; the debugger writes back what changes
    real = real_frame(frame)

    def work():
        if text.lstrip()[:1] == "%":
            return run_in_ipython(text, names)
        with Lent(names, "_", Results.last, Results.has_last):
            value = run(text, names, real)
        if value is None:
            return {"kind": "nothing", "text": ""}
        Results.keep(stop, token, value)
        return shown(value)

    return guarded(token, work)


class Lent(object):
    """A name that is there for one evaluation, unless the program has one of its own."""

    def __init__(self, names, name, value, wanted=True):
        builtins = names.get("__builtins__")
        builtins = builtins if isinstance(builtins, dict) else getattr(builtins, "__dict__", {})
        self.wanted = wanted and name not in names and name not in builtins
        self.names, self.name, self.value = names, name, value

    def __enter__(self):
        if self.wanted:
            self.names[self.name] = self.value

    def __exit__(self, *error):
        # What was assigned to it meanwhile is the person's, and stays.
        if self.wanted and self.names.get(self.name, self) is self.value:
            del self.names[self.name]


def shown(value):
    kind = type(value)
    is_simple = kind in base.PLAIN or kind in base.TEXTS
    is_empty = (kind in base.SEQUENCES or kind is dict) and not value
    return {
        "kind": "value",
        "text": text_of(value),
        "type": base.type_name(value),
        "openable": not is_simple and not is_empty,
    }


def text_of(value):
    try:
        return base.cut(base.plain(value, TEXT_LIMIT, 3), TEXT_LIMIT)
    except base.NotPlain:
        pass
    try:
        text = repr(value)
    except Exception as error:
        return "<repr raised %s>" % base.type_name(error)
    return base.cut(text, TEXT_LIMIT) if isinstance(text, str) else "<repr gave no text>"


def real_frame(frame):
    """The program's frame that the debugger evaluates for (``frame`` is only its evaluation)."""
    while frame is not None:
        if frame.f_code.co_name == "evaluate_expression":
            found = frame.f_locals.get("frame")
            if hasattr(found, "f_code"):
                return found
        frame = frame.f_back
    return None


def run(text, names, real):
    flags = real.f_code.co_flags & FUTURES if real is not None else 0
    flags |= TOP_LEVEL_AWAIT
    tree = compile(text, FILE, "exec", flags | ONLY_AST, True)
    owner = class_of(real)
    if owner:
        tree = Mangled(owner).visit(tree)
    tree = ast.fix_missing_locations(Checked().visit(tree))
    codes = []
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if tree.body:
        codes.append(compile(tree, FILE, "exec", flags, True))
    if last is not None:
        codes.append(compile(ast.Expression(last.value), FILE, "eval", flags, True))
    if any(code.co_flags & IS_COROUTINE for code in codes):
        if imports_asyncio(tree):  # and asks for it in the same breath
            __import__("asyncio")
        return run_awaiting(codes, names, last is not None)
    value = None
    for code in codes:
        value = eval(code, names)
    return value if last is not None else None


def imports_asyncio(tree):
    return any(
        getattr(node, "module", None) == "asyncio" or alias.name.split(".")[0] == "asyncio"
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    )


def class_of(real):
    """The class in whose body the frame's function stands, for its private names; or nothing."""
    if real is None:
        return ""
    names = getattr(real.f_code, "co_qualname", "").split(".")  # 3.11
    if len(names) > 1 and names[-2] != "<locals>":
        return names[-2]
    if not real.f_code.co_varnames:
        return ""
    owner = real.f_locals.get(real.f_code.co_varnames[0])
    for kind in type.mro(type(owner)) if owner is not None and type(owner) is not type else ():
        function = kind.__dict__.get(real.f_code.co_name)
        if getattr(function, "__code__", None) is real.f_code:
            return kind.__name__
    return ""


class Mangled(ast.NodeTransformer):
    """``self.__name`` as the class itself would read it."""

    def __init__(self, owner):
        self.prefix = "_" + owner.lstrip("_")

    def mangled(self, name):
        return self.prefix + name if name[:2] == "__" and name[-2:] != "__" else name

    def visit_Name(self, node):  # noqa: N802
        node.id = self.mangled(node.id)
        return node

    def visit_Attribute(self, node):  # noqa: N802
        self.generic_visit(node)
        node.attr = self.mangled(node.attr)
        return node

    def visit_ClassDef(self, node):  # noqa: N802
        return node


# Awaiting


class Checked(ast.NodeTransformer):
    """Has each ``await`` at the prompt itself look at what it awaits."""

    def visit_Await(self, node):  # noqa: N802
        self.generic_visit(node)
        name = ast.Name(id=CHECK, ctx=ast.Load())
        node.value = ast.Call(func=name, args=[node.value], keywords=[])
        return node

    def skip(self, node):
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = skip  # noqa: N815


OTHER_LOOP = (
    "belongs to the program's own event loop, which stands still while the program is paused:"
    " it can't be awaited here"
)


def run_awaiting(codes, names, has_value):
    """The codes one after the other, in an event loop of their own."""
    asyncio = sys.modules.get("asyncio")
    outer = asyncio._get_running_loop() if asyncio is not None else None

    async def run_codes():
        value = None
        for code in codes:
            value = eval(code, names)
            if code.co_flags & IS_COROUTINE:
                value = await value
        return value if has_value else None

    def check(awaited):
        why = why_not_awaitable(awaited, asyncio, outer)
        if why:
            raise Refused(why)
        return awaited

    with Lent(names, CHECK, check):
        if asyncio is None:
            return run_without_loop(run_codes())
        try:
            return run_in_loop(asyncio, run_codes(), outer)
        except RuntimeError as error:
            if "different" in str(error) and "loop" in str(error):
                raise Refused("something that it awaits " + OTHER_LOOP) from None
            raise


def why_not_awaitable(awaited, asyncio, outer):
    """Why the prompt must not touch it; nothing where it may."""
    kind = type(awaited)
    if asyncio is not None and issubclass(kind, asyncio.Future):
        own = asyncio._get_running_loop()
        if not awaited.done() and awaited.get_loop() is not own:
            return "this %s %s" % (kind.__name__.lower(), OTHER_LOOP)
    inner = getattr(awaited, "cr_frame", None) if kind.__name__ == "coroutine" else None
    if inner is not None:
        if awaited.cr_running or awaited.cr_await is not None or inner.f_lasti >= started_at(kind):
            return "this coroutine is being run by the program; awaiting it here would break it"
        if asyncio is not None and outer is not None:
            for task in asyncio.all_tasks(outer):
                if task.get_coro() is awaited:
                    return "a task of the program's is about to run this coroutine"
    return ""


async def nothing():
    pass


def started_at(kind):
    """The first ``f_lasti`` of a coroutine that has run; 3.11 puts instructions before that."""
    fresh = nothing()
    try:
        return fresh.cr_frame.f_lasti + 1
    finally:
        fresh.close()


def run_without_loop(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    coroutine.close()
    raise Refused(
        "it waits for an event loop, and the program has none: it has not imported asyncio"
        " (`import asyncio` at the prompt does)"
    )


def run_in_loop(asyncio, coroutine, outer):
    loop = asyncio.SelectorEventLoop()
    asyncio._set_running_loop(None)
    try:
        task = loop.create_task(coroutine)
        watch = Watch(asyncio, loop, task)
        try:
            return loop.run_until_complete(task)
        except asyncio.CancelledError:
            if watch.is_stuck:
                raise Refused(
                    "nothing in the prompt's own event loop can ever end this wait;"
                    " what it waits for " + OTHER_LOOP
                ) from None
            raise
        finally:
            watch.stop()
            close(asyncio, loop)
    finally:
        asyncio._set_running_loop(outer)


class Watch(object):
    """Ends a wait that nothing can end: no timer, no file, no thread is left to do it."""

    def __init__(self, asyncio, loop, task):
        self.loop, self.task = loop, task
        self.threads = set(base.threading.enumerate())
        self.seen = 0
        self.is_stuck = False
        self.handle = loop.call_later(STUCK_AFTER, self.look)

    def look(self):
        loop = self.loop
        waits = (
            any(not handle._cancelled for handle in loop._scheduled)
            or loop._ready
            or len(loop._selector.get_map()) > 1
            or set(base.threading.enumerate()) - self.threads
        )
        self.seen = 0 if waits else self.seen + 1
        if self.seen > 1:
            self.is_stuck = True
            self.task.cancel()
            return
        self.handle = loop.call_later(STUCK_AFTER, self.look)

    def stop(self):
        self.handle.cancel()


def close(asyncio, loop):
    """End what the prompt has begun there, as ``asyncio.run`` does."""
    try:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=1))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


# IPython's own syntax, where the program's environment has IPython


class Shell(object):
    """IPython's shell with nothing of the terminal. It prints by itself; it keeps no history."""

    shell = None

    @classmethod
    def get(cls, names):
        if cls.shell is None:
            try:  # which imports much, but nobody types %timeit by mistake
                from IPython.core.interactiveshell import InteractiveShell
                from traitlets.config import Config
            except ImportError:
                raise Refused(
                    "% is IPython's, which the program's environment does not have"
                ) from None
            config = Config()
            config.HistoryManager.enabled = False
            # Its constructor registers the module: it must be the one that is there.
            module = sys.modules.get(names.get("__name__"), sys.modules["__main__"])
            cls.shell = InteractiveShell(config=config, user_module=module, user_ns={})
            cls.shell.showtraceback = cls.shell.showsyntaxerror = lambda *_, **__: None
        return cls.shell


def run_in_ipython(text, names):
    shell = Shell.get(names)
    own = dict(shell.user_ns)
    shell.user_ns.update(names)
    try:
        done = shell.run_cell(text, store_history=False)
        new = dict(shell.user_ns)
    finally:
        shell.user_ns.clear()
        shell.user_ns.update(own)
    for name, value in new.items():  # what it keeps for itself stays out of the program
        if name not in own and (name[:1] != "_" or name in names):
            names[name] = value
    error = done.error_before_exec or done.error_in_exec
    if error is not None:
        raise error
    return {"kind": "nothing", "text": ""}


# Help


def describe(frame, text, token, source):
    """What is known of an object: signature, documentation, where it is defined; its source."""
    names = frame.f_globals
    real = real_frame(frame)

    def work():
        with Lent(names, "_", Results.last, Results.has_last):
            value = run(text, names, real)
        answer = {"kind": "help", "type": base.type_name(value), "text": base.show(value)}
        answer.update(facts_of(value, source))
        return answer

    return guarded(token, work)


def facts_of(value, source):
    inspect = sys.modules["inspect"]
    subject = value
    if not (inspect.isroutine(value) or isinstance(value, (type, type(sys)))):
        subject = type(value)  # of an instance its class is what can be told
    # IPython's also asks objects that explain themselves.
    getdoc = getattr(sys.modules.get("IPython.core.oinspect"), "getdoc", inspect.getdoc)
    found = {
        "signature": attempt(lambda: str(inspect.signature(value)) if callable(value) else ""),
        "doc": attempt(lambda: getdoc(value) or ""),
        "init_doc": attempt(lambda: init_doc(value)),
        "file": attempt(lambda: inspect.getsourcefile(unwrapped(subject)) or ""),
        "line": attempt(lambda: inspect.getsourcelines(unwrapped(subject))[1], 0),
        "source": attempt(lambda: inspect.getsource(unwrapped(subject))) if source else "",
    }
    for key, text in found.items():
        if isinstance(text, str):
            found[key] = base.cut(text, TEXT_LIMIT)
    return found


def init_doc(value):
    if not isinstance(value, type) or value.__init__ is object.__init__:
        return ""
    return sys.modules["inspect"].getdoc(value.__init__) or ""


def unwrapped(subject):
    return sys.modules["inspect"].unwrap(subject)


def attempt(work, otherwise=""):
    """What the object tells of itself; it may lie, raise, or take too long."""
    try:
        with base.TimeLimit(2):
            return work()
    except (Exception, base.OutOfTime):
        return otherwise
